// Package adstest is the test suite for every client of an ad platform. It runs against the simulator of the platform,
// and against a real account when the environment has credentials for it.
package adstest

import (
	"testing"
	"time"

	"assay/internal/ads"
	"assay/internal/ads/simulator"
	"assay/internal/money"
)

// Timeout is the timeout of one call in the suite.
const Timeout = 30 * time.Second

// Sandbox is an account that a test may change. All fields after Changes apply to simulated accounts only.
type Sandbox struct {
	Platform ads.Platform
	Campaign ads.CampaignID // active, with its own daily budget
	Other    money.Amount   // another valid daily budget
	Changes  bool           // the tests may change the campaign

	Clock     *Clock
	Simulator *simulator.Server // nil: a real account
	Close     func()            // stops the simulator
	Secrets   []string          // texts that no error may contain
	Amount    func() money.Amount
	Person    func(money.Amount) // sets the daily budget like a user of the ads manager
	Rename    func(string)       // someone renames the campaign
	Expire    func()             // makes the access token expire
	Renews    bool               // the client gets a new access token
	DryRun    bool               // the platform has a dry run
	Rules     []Rule
}

// Rule is a change that the client rejects after it reads the live state.
type Rule struct {
	Name     string
	Campaign ads.CampaignID
	Change   ads.Change
	Want     ads.Reason
	Quote    string // text that the error contains
}

// Run runs the suite against simulators, in parallel. The function open returns a new sandbox for every test.
func Run(t *testing.T, open func(t *testing.T) *Sandbox) {
	run(t, func(t *testing.T) *Sandbox {
		t.Parallel()
		return open(t)
	})
}

// run runs the suite.
func run(t *testing.T, open func(t *testing.T) *Sandbox) {
	for _, c := range []struct {
		name      string
		simulated bool // needs a simulator
		changes   bool
		run       func(*testing.T, *Sandbox)
	}{
		{"the test of the connection names currency and time zone", false, false, testsConnection},
		{"the campaign is listed", false, false, listsCampaigns},
		{"the state of the campaign is complete", false, false, readsState},
		{"a preview sends no mutating request", false, false, previews},
		{"an unknown campaign is not found", false, false, rejectsUnknownCampaigns},
		{"budget and status are changed and read back", false, true, changes},
		{"the list of campaigns is bounded", true, false, boundsLists},
		{"impossible changes are rejected before they are sent", true, true, rejectsByRules},
		{"states of other accounts are rejected", true, true, rejectsOtherAccounts},
		{"documented rejections have their reason", true, true, explainsRejections},
		{"lost replies give an unknown outcome that settles", true, true, settlesLostReplies},
		{"unreadable replies give an unknown outcome", true, true, unreadableReplies},
		{"a change by someone else is not overwritten silently", true, true, noticesOthers},
		{"a write is not repeated", true, true, sendsOnce},
		{"an unreachable platform executes nothing", true, true, refusesWithoutConnection},
		{"a canceled write is refused before it is sent and unknown afterwards", true, true, cancels},
		{"an access token that ends is renewed or reported", true, true, expires},
		{"reads are repeated within bounds", true, false, repeatsReads},
		{"reads wait as long as the platform asks", true, false, waits},
		{"broken replies to reads are errors", true, false, rejectsBrokenReads},
		{"redirects are not followed", true, true, followsNothing},
		{"names are cleaned", true, false, cleansNames},
		{"reads in parallel do not interfere", true, false, readsInParallel},
		{"the state of the simulator survives a restart", true, true, savesState},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t)
			if c.simulated && s.Simulator == nil {
				t.Skip("this needs a simulator")
			}
			if c.changes && !s.Changes {
				t.Skip("set ASSAY_TEST_ADS_CHANGE=1 to let the test change the campaign")
			}
			c.run(t, s)
		})
	}
}

// read returns the live state.
func (s *Sandbox) read(t *testing.T) ads.State {
	t.Helper()
	state, err := s.Platform.Read(t.Context(), s.Campaign)
	if err != nil {
		t.Fatalf("Read(%s): %v", s.Campaign, err)
	}
	return state
}

// setBudget returns a change that sets the daily budget to Other.
func (s *Sandbox) setBudget() ads.Change {
	return ads.Change{Action: ads.SetDailyBudget, Amount: s.Other}
}

// traffic counts two kinds of logged requests: requests for a change, and requests that changed something.
func (s *Sandbox) traffic() (mutating, applied int) {
	if s.Simulator == nil {
		return 0, 0
	}
	for _, e := range s.Simulator.Log() {
		if e.Mutating {
			mutating++
		}
		if e.Applied {
			applied++
		}
	}
	return mutating, applied
}

// wantTraffic checks the numbers of mutating and applied requests in the log.
func (s *Sandbox) wantTraffic(t *testing.T, mutating, applied int) {
	t.Helper()
	if s.Simulator == nil {
		return
	}
	if m, a := s.traffic(); m != mutating || a != applied {
		t.Errorf("%d mutating requests of which %d changed something, want %d and %d: %+v", m, a, mutating, applied,
			s.Simulator.Log())
	}
}

// apply applies the change to the live state. The faults affect the write.
func (s *Sandbox) apply(t *testing.T, c ads.Change, faults ...simulator.Fault) (ads.State, ads.Outcome) {
	t.Helper()
	state := s.read(t)
	s.Simulator.Reset()
	s.Simulator.Script(faults...)
	return state, s.Platform.Apply(t.Context(), state, c)
}

// wantOutcome compares an outcome.
func (s *Sandbox) wantOutcome(t *testing.T, got ads.Outcome, result ads.Result, reason ads.Reason) {
	t.Helper()
	var has ads.Reason
	if got.Rejection != nil {
		has = got.Rejection.Reason
		s.wantPublic(t, got.Rejection)
	}
	if got.Result != result || has != reason {
		t.Errorf("outcome %s (%s: %v), want %s (%s)", got.Result, has, got.Rejection, result, reason)
	}
}
