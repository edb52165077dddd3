package sandbox_test

import (
	"log/slog"
	"testing"
	"time"

	"assay/internal/ads"
	"assay/internal/ads/connect"
	"assay/internal/ads/sandbox"
	"assay/internal/measure"
	"assay/internal/money"
)

func usd(minor int64) money.Amount { return money.Amount{Minor: minor, Currency: "USD"} }

func open(t *testing.T, dir string) *sandbox.Sandbox {
	t.Helper()
	s, err := sandbox.Open(sandbox.Options{Dir: dir, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func client(t *testing.T, s *sandbox.Sandbox, p measure.Platform, credentials string) ads.Platform {
	t.Helper()
	options := s.Options(ads.Options{Timeout: time.Minute, Clock: ads.RealClock(time.Now), Jitter: func() float64 { return 0 }})
	c, err := connect.Open(p, []byte(credentials), options)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Clients of every platform read and change a simulated account without a network. The change remains after a restart.
func TestAChangedBudgetSurvivesARestart(t *testing.T) {
	t.Parallel()
	for _, p := range sandbox.Platforms() {
		t.Run(string(p), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := open(t, dir)
			if s.Has(p) {
				t.Fatal("an empty folder has an account")
			}
			credentials, err := s.Create(sandbox.Account{
				Platform: p, ID: "1234567890", Name: "Acme", Currency: "USD", Zone: "America/New_York",
				Campaigns: []sandbox.Campaign{
					{ID: "1801", Name: "Prospecting", Daily: usd(10_000)},
					{ID: "1802", Name: "Retargeting", Daily: usd(5_000), Paused: true},
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			account := client(t, s, p, credentials)
			if _, err := account.Test(t.Context()); err != nil {
				t.Fatal(err)
			}
			state, err := account.Read(t.Context(), "1801")
			if err != nil || state.Budget.Amount != usd(10_000) || state.Status != ads.Active {
				t.Fatalf("state %+v, %v", state, err)
			}
			if out := account.Apply(t.Context(), state, ads.Change{Action: ads.SetDailyBudget, Amount: usd(11_000)}); out.Result != ads.Applied {
				t.Fatalf("outcome %+v", out)
			}
			again := client(t, open(t, dir), p, credentials)
			if state, err = again.Read(t.Context(), "1801"); err != nil || state.Budget.Amount != usd(11_000) {
				t.Errorf("after a restart the budget is %v, %v", state.Budget.Amount, err)
			}
			if state, err = again.Read(t.Context(), "1802"); err != nil || state.Status != ads.Paused {
				t.Errorf("the paused campaign is %v, %v", state.Status, err)
			}
		})
	}
}
