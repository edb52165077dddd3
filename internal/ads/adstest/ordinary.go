package adstest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"assay/internal/ads"
	"assay/internal/ads/simulator"
	"assay/internal/fault"
	"assay/internal/panics"
)

func testsConnection(t *testing.T, s *Sandbox) {
	got, err := s.Platform.Test(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got.Account != s.Platform.Account() || len(got.Currency) != 3 || got.TimeZone == "" || got.Name == "" {
		t.Errorf("Test = %+v, want account, name, currency and time zone", got)
	}
	s.wantTraffic(t, 0, 0)
}

func listsCampaigns(t *testing.T, s *Sandbox) {
	list, _, err := s.Platform.Campaigns(t.Context(), 1000)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(list, func(c ads.Campaign) bool { return c.ID == s.Campaign })
	if at < 0 {
		t.Fatalf("the list lacks campaign %s: %+v", s.Campaign, list)
	}
	state := s.read(t)
	want := ads.Campaign{ID: s.Campaign, Name: state.Name, Status: state.Status, PlatformStatus: state.PlatformStatus}
	if diff := cmp.Diff(want, list[at]); diff != "" {
		t.Errorf("listed and read campaign (-read +listed):\n%s", diff)
	}
	s.wantTraffic(t, 0, 0)
}

func boundsLists(t *testing.T, s *Sandbox) {
	all, more, err := s.Platform.Campaigns(t.Context(), 1000)
	if err != nil || more || len(all) < 2 {
		t.Fatalf("Campaigns(1000) = %d, %v, %v; want 2 or more and no others", len(all), more, err)
	}
	one, more, err := s.Platform.Campaigns(t.Context(), 1)
	if err != nil || !more || len(one) != 1 {
		t.Errorf("Campaigns(1) = %d, %v, %v; want 1 and others", len(one), more, err)
	}
}

func readsState(t *testing.T, s *Sandbox) {
	got := s.read(t)
	if got.Account != s.Platform.Account() || got.Campaign != s.Campaign || got.Name == "" || got.Status != ads.Active ||
		got.PlatformStatus == "" || got.Kind != ads.Ordinary || got.TimeZone == "" || got.ReadAt.IsZero() {
		t.Errorf("Read = %+v, want an active ordinary campaign with name and time zone", got)
	}
	b := got.Budget
	if b.Level != ads.CampaignLevel || b.Period != ads.Daily || b.Amount.Minor <= 0 ||
		b.Amount.Currency != got.Currency || b.Inexact || b.Shared {
		t.Errorf("Budget = %+v, want a daily budget of its own in %s", b, got.Currency)
	}
	if b.Step.Minor <= 0 || b.Step.Currency != got.Currency {
		t.Errorf("Step = %s, want a positive amount in %s", b.Step, got.Currency)
	}
	if s.Amount != nil && b.Amount != s.Amount() {
		t.Errorf("Amount = %s, want %s", b.Amount, s.Amount())
	}
}

func previews(t *testing.T, s *Sandbox) {
	for _, c := range []ads.Change{s.setBudget(), {Action: ads.Pause}, {Action: ads.Resume}} {
		state := s.read(t)
		dryRun, err := s.Platform.Validate(t.Context(), state, c)
		if err != nil || dryRun != s.DryRun {
			t.Errorf("Validate(%+v) = %v, %v; want %v without an error", c, dryRun, err, s.DryRun)
		}
		if after := s.read(t); after.Budget.Amount != state.Budget.Amount || after.Status != state.Status {
			t.Errorf("Validate(%+v) changed %+v to %+v", c, state, after)
		}
	}
	s.wantTraffic(t, 0, 0)
}

func rejectsUnknownCampaigns(t *testing.T, s *Sandbox) {
	_, err := s.Platform.Read(t.Context(), "999999999999999999")
	s.wantReason(t, err, ads.CampaignNotFound)
	if s.Simulator == nil {
		return
	}
	s.Simulator.Reset()
	for _, id := range []ads.CampaignID{
		"", "1 OR 1=1", "../me", "1/adsets", "12?fields=id", "１２", "-1", "1.5",
		"123456789012345678901",
	} {
		_, err := s.Platform.Read(t.Context(), id)
		s.wantReason(t, err, ads.CampaignNotFound)
	}
	if log := s.Simulator.Log(); len(log) != 0 {
		t.Errorf("IDs that are not numbers were sent: %+v", log)
	}
}

func changes(t *testing.T, s *Sandbox) {
	before := s.read(t)
	restore := ads.Change{Action: ads.SetDailyBudget, Amount: before.Budget.Amount}
	for n, c := range []ads.Change{s.setBudget(), {Action: ads.Pause}, {Action: ads.Resume}, restore} {
		state := s.read(t)
		if _, err := s.Platform.Validate(t.Context(), state, c); err != nil {
			t.Fatalf("Validate(%+v): %v", c, err)
		}
		got := s.Platform.Apply(t.Context(), state, c)
		s.wantOutcome(t, got, ads.Applied, "")
		if s.Simulator != nil && got.RequestID == "" {
			t.Errorf("%+v has no request ID", c)
		}
		if after := s.read(t); after.Value(c.Action) != c.Want() {
			t.Errorf("after %+v the live value is %+v", c, after.Value(c.Action))
		}
		s.wantTraffic(t, n+1, n+1)
	}
}

func rejectsByRules(t *testing.T, s *Sandbox) {
	if len(s.Rules) == 0 {
		t.Fatal("the sandbox has no rules")
	}
	for _, r := range s.Rules {
		t.Run(r.Name, func(t *testing.T) {
			state, err := s.Platform.Read(t.Context(), r.Campaign)
			if err == nil {
				s.wantReason(t, state.Check(r.Change), r.Want)
				_, err = s.Platform.Validate(t.Context(), state, r.Change)
			}
			s.wantReason(t, err, r.Want)
			if err != nil && !strings.Contains(err.Error(), r.Quote) {
				t.Errorf("%q does not contain %q", err, r.Quote)
			}
			s.wantOutcome(t, s.Platform.Apply(t.Context(), state, r.Change), ads.Refused, notFoundWithoutState(state, r.Want))
		})
	}
	s.wantTraffic(t, 0, 0)
}

// notFoundWithoutState returns CampaignNotFound for an empty state, and the wanted reason otherwise.
func notFoundWithoutState(s ads.State, want ads.Reason) ads.Reason {
	if s.Campaign == "" {
		return ads.CampaignNotFound
	}
	return want
}

func rejectsOtherAccounts(t *testing.T, s *Sandbox) {
	state := s.read(t)
	state.Account.ID = "1"
	s.wantOutcome(t, s.Platform.Apply(t.Context(), state, s.setBudget()), ads.Refused, ads.CampaignNotFound)
	_, err := s.Platform.Validate(t.Context(), state, s.setBudget())
	s.wantReason(t, err, ads.CampaignNotFound)
	s.wantTraffic(t, 0, 0)
}

func cleansNames(t *testing.T, s *Sandbox) {
	s.Rename("Sale\x00\x1b[31m\u202e now\r\n\t!" + strings.Repeat("é", 5000))
	list, _, err := s.Platform.Campaigns(t.Context(), 1000)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(list, func(c ads.Campaign) bool { return c.ID == s.Campaign })
	for _, name := range []string{s.read(t).Name, list[at].Name} {
		if len([]rune(name)) > ads.MaxName+1 || strings.ContainsFunc(name, unicode.IsControl) ||
			strings.Contains(name, "\u202e") {
			t.Errorf("name %q is not cleaned", name)
		}
		if !strings.HasPrefix(name, "Sale[31m now !é") {
			t.Errorf("name %q lost visible text", name)
		}
	}
}

func readsInParallel(t *testing.T, s *Sandbox) {
	want := s.read(t)
	want.ReadAt = s.Clock.Now()
	var work panics.Group
	for range 8 {
		work.Go(func() {
			got, err := s.Platform.Read(t.Context(), s.Campaign)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("Read in parallel: %v (-want +got):\n%s", err, diff)
			}
		})
	}
	work.Wait()
}

func savesState(t *testing.T, s *Sandbox) {
	_, got := s.apply(t, s.setBudget())
	s.wantOutcome(t, got, ads.Applied, "")
	var file bytes.Buffer
	if err := s.Simulator.Save(&file); err != nil {
		t.Fatal(err)
	}
	saved := file.String()
	s.Person(s.read(t).Budget.Step)
	for _, broken := range []string{"", "{", `{"Unknown":1}`, saved + "{}", saved[:len(saved)/2]} {
		if err := s.Simulator.Load(strings.NewReader(broken)); err == nil {
			t.Errorf("Load(%.20q…) has no error", broken)
		}
	}
	if got := s.read(t).Budget.Amount; got == s.Other {
		t.Errorf("a broken state changed the budget to %s", got)
	}
	if err := s.Simulator.Load(strings.NewReader(saved)); err != nil {
		t.Fatal(err)
	}
	if got := s.read(t).Budget.Amount; got != s.Other {
		t.Errorf("after Load the budget is %s, want %s", got, s.Other)
	}
}

// wantReason compares the reason of an error.
func (s *Sandbox) wantReason(t *testing.T, err error, want ads.Reason) {
	t.Helper()
	if got := ads.ReasonOf(err); got != want {
		t.Errorf("error %v has the reason %q, want %q", err, got, want)
	}
	s.wantPublic(t, err)
}

// wantPublic checks that the error can be shown: it has a kind, a hint and no secret.
func (s *Sandbox) wantPublic(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	text, hint, ok := fault.Public(err)
	if !ok || text == "" || hint == "" {
		t.Errorf("%v has the text %q and the hint %q, want both", err, text, hint)
	}
	s.wantNoSecret(t, text, hint)
	for cause := err; cause != nil; {
		s.wantNoSecret(t, fmt.Sprintf("%v %+v %#v", cause, cause, cause))
		next, ok := cause.(interface{ Unwrap() error })
		if !ok {
			return
		}
		cause = next.Unwrap()
	}
}

func (s *Sandbox) wantNoSecret(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		for _, secret := range s.Secrets {
			if strings.Contains(text, secret) {
				t.Errorf("%q contains the secret %q", text, secret)
			}
		}
	}
}

// fail returns the fault for a documented failure.
func fail(on simulator.On, t simulator.Trouble) simulator.Fault {
	return simulator.Fault{On: on, Do: simulator.Fail, Trouble: t}
}
