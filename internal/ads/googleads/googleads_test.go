package googleads

import (
	"testing"
	"time"

	"assay/internal/ads"
	"assay/internal/ads/adstest"
	"assay/internal/ads/simulator"
	"assay/internal/money"
)

const (
	clientSecret = "GOCSPX-simulatedSecret"
	refreshToken = "1//simulatedRefresh"
	developer    = "simulatedDeveloper"
)

func simulatedAccount() simulator.GoogleAccount {
	return simulator.GoogleAccount{
		ID: "1234567890", Name: "Store US", Currency: "USD", TimeZone: "America/New_York", LoginCustomerID: "5555555555",
		ClientID: "client.apps", ClientSecret: clientSecret, RefreshToken: refreshToken, Scope: scope,
		BillableMicros: 10_000, MinMicros: 1_000_000,
		Campaigns: []simulator.GoogleCampaign{
			{ID: "111", Name: "Brand", Status: "ENABLED", Budget: "201"},
			{ID: "112", Name: "Generic", Status: "ENABLED", Budget: "202"},
			{ID: "113", Name: "Shopping", Status: "PAUSED", Budget: "202"},
			{ID: "114", Name: "Event", Status: "ENABLED", Budget: "203"},
			{ID: "115", Name: "Gone", Status: "REMOVED", Budget: "204"},
			{ID: "116", Name: "Trial", Status: "ENABLED", Budget: "205", Experiment: "EXPERIMENT"},
			{ID: "117", Name: "Fine", Status: "ENABLED", Budget: "206"},
			{ID: "118", Name: "Alone", Status: "ENABLED", Budget: "207"},
		},
		Budgets: []simulator.GoogleBudget{
			{ID: "201", Period: "DAILY", Micros: 50_000_000},
			{ID: "202", Period: "DAILY", Micros: 80_000_000, Shared: true},
			{ID: "203", Period: "CUSTOM_PERIOD", Micros: 900_000_000},
			{ID: "204", Period: "DAILY", Micros: 50_000_000},
			{ID: "205", Period: "DAILY", Micros: 50_000_000},
			{ID: "206", Period: "DAILY", Micros: 50_000_001},
			{ID: "207", Period: "DAILY", Micros: 50_000_000, Shared: true},
		},
	}
}

// connect returns a client of a simulated account.
func connect(t *testing.T, account simulator.GoogleAccount) (*Client, *simulator.Google, *adstest.Clock, func()) {
	t.Helper()
	clock := adstest.NewClock(adstest.Noon)
	sim := simulator.NewGoogle(account, clock.Now)
	options, stop := adstest.Serve(t, sim, clock)
	c, err := ParseCredentials([]byte(`{"customer_id":"123-456-7890","client_id":"client.apps","client_secret":"` +
		clientSecret +
		`","refresh_token":"` + refreshToken + `","login_customer_id":"555-555-5555","developer_token":"` + developer + `"}`))
	if err != nil {
		t.Fatal(err)
	}
	return New(c, options), sim, clock, stop
}

func usd(minor int64) money.Amount { return money.Amount{Minor: minor, Currency: "USD"} }

func set(minor int64) ads.Change { return ads.Change{Action: ads.SetDailyBudget, Amount: usd(minor)} }

func sandbox(t *testing.T) *adstest.Sandbox {
	client, sim, clock, stop := connect(t, simulatedAccount())
	named := func(minor int64, id string) ads.Change {
		c := set(minor)
		c.BudgetResource = "customers/1234567890/campaignBudgets/" + id
		return c
	}
	return &adstest.Sandbox{
		Platform: client, Campaign: "111", Other: usd(6000), Changes: true, Clock: clock, Simulator: &sim.Server,
		Close: stop, DryRun: true,
		Renews: true, Secrets: []string{clientSecret, refreshToken, developer, "ya29.simulated"},
		Amount: func() (a money.Amount) {
			sim.Edit(func(x *simulator.GoogleAccount) { a = usd(x.Budget("201").Micros / 10_000) })
			return a
		},
		Person: func(a money.Amount) {
			sim.Edit(func(x *simulator.GoogleAccount) { x.Budget("201").Micros = a.Minor * 10_000 })
		},
		Rename: func(name string) { sim.Edit(func(x *simulator.GoogleAccount) { x.Campaign("111").Name = name }) },
		Expire: func() { sim.Edit(func(x *simulator.GoogleAccount) { x.AccessEnds = clock.Now() }) },
		Rules: []adstest.Rule{
			{
				Name: "shared budget", Campaign: "112", Change: set(9000), Want: ads.SharedBudget,
				Quote: "Generic (112), Shopping (113)",
			},
			{
				Name: "shared budget of one campaign", Campaign: "118", Change: set(9000), Want: ads.SharedBudget,
				Quote: "Alone (118)",
			},
			{
				Name: "another named budget", Campaign: "112", Change: named(9000, "201"), Want: ads.OtherBudget,
				Quote: "campaignBudgets/202",
			},
			{
				Name: "another named budget of an unshared one", Campaign: "111", Change: named(9000, "202"),
				Want: ads.OtherBudget, Quote: "campaignBudgets/201",
			},
			{Name: "custom period", Campaign: "114", Change: set(9000), Want: ads.CustomPeriodBudget},
			{Name: "removed", Campaign: "115", Change: set(9000), Want: ads.CampaignEnded, Quote: "REMOVED"},
			{
				Name: "removed resume", Campaign: "115", Change: ads.Change{Action: ads.Resume}, Want: ads.CampaignEnded,
				Quote: "REMOVED",
			},
			{Name: "experiment", Campaign: "116", Change: ads.Change{Action: ads.Pause}, Want: ads.ExperimentCampaign},
			{Name: "finer than a cent", Campaign: "117", Change: set(9000), Want: ads.NotBillable, Quote: "USD"},
			{Name: "zero", Campaign: "111", Change: set(0), Want: ads.BelowMinimum, Quote: "not positive"},
			{Name: "another currency", Campaign: "111", Change: ads.Change{
				Action: ads.SetDailyBudget,
				Amount: money.Amount{Minor: 6000, Currency: "EUR"},
			}, Want: ads.WrongCurrency, Quote: "USD"},
		},
	}
}

func TestClientAgainstSimulator(t *testing.T) {
	t.Parallel()
	adstest.Run(t, sandbox)
}

func TestClientAgainstRealAccount(t *testing.T) {
	t.Parallel()
	adstest.RunReal(t, "google", true, func(credentials []byte) (ads.Platform, error) {
		c, err := ParseCredentials(credentials)
		if err != nil {
			return nil, err
		}
		endpoint, err := ads.ParseEndpoint("https://googleads.googleapis.com")
		if err != nil {
			return nil, err
		}
		tokens, err := ads.ParseEndpoint("https://oauth2.googleapis.com")
		return New(c, ads.Options{
			Endpoint: endpoint, TokenEndpoint: tokens, Timeout: adstest.Timeout, Clock: ads.RealClock(time.Now),
			Jitter: func() float64 { return 0.5 },
		}), err
	})
}
