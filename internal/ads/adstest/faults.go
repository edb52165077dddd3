package adstest

import (
	"context"
	"testing"
	"time"

	"assay/internal/ads"
	"assay/internal/ads/simulator"
)

// documented lists the failures and their reasons.
var documented = []struct {
	trouble simulator.Trouble
	want    ads.Reason
}{
	{simulator.ErrorWith200, ads.PolicyBlocked},
	{simulator.Limited, ads.RateLimited},
	{simulator.NoPermission, ads.PermissionMissing},
	{simulator.Policy, ads.PolicyBlocked},
	{simulator.Retired, ads.VersionRetired},
	{simulator.TooLow, ads.BelowMinimum},
	{simulator.UnknownCampaign, ads.CampaignNotFound},
}

func explainsRejections(t *testing.T, s *Sandbox) {
	for _, c := range documented {
		t.Run(string(c.trouble), func(t *testing.T) {
			_, got := s.apply(t, s.setBudget(), fail(simulator.Writes, c.trouble))
			s.wantOutcome(t, got, ads.Refused, c.want)
			s.wantTraffic(t, 1, 0)
			if got.Rejection.Code == "" {
				t.Errorf("%+v has no code of the platform", got.Rejection)
			}
			if limited := c.want == ads.RateLimited; limited && got.Rejection.Wait < simulator.LimitedFor {
				t.Errorf("Wait = %s, want %s or more", got.Rejection.Wait, simulator.LimitedFor)
			}
			s.Simulator.Reset()
			s.Simulator.Script(fail(simulator.Campaign, c.trouble))
			_, err := s.Platform.Read(t.Context(), s.Campaign)
			s.wantReason(t, err, c.want)
		})
	}
}

// settle reads the live value after the deadline of the write and settles the change.
func (s *Sandbox) settle(t *testing.T, before ads.State, c ads.Change) ads.Settlement {
	t.Helper()
	after := s.read(t)
	live := after.Value(c.Action)
	return ads.Settle(before.Value(c.Action), c.Want(), &live, ads.Grace)
}

func settlesLostReplies(t *testing.T, s *Sandbox) {
	stalled := func() { s.Clock.Advance(Timeout) }
	for _, c := range []struct {
		name  string
		fault simulator.Fault
		want  ads.Reason
	}{
		{"dropped connection", simulator.Fault{Do: simulator.Drop}, ads.NoReply},
		{"server error", simulator.Fault{Do: simulator.Fail, Trouble: simulator.ServerError}, ads.Unavailable},
		{"no reply before the deadline", simulator.Fault{Do: simulator.Stall, Arrived: stalled}, ads.NoReply},
	} {
		for executed, settled := range map[bool]ads.Settlement{false: ads.SettleFailed, true: ads.SettleApplied} {
			name := c.name + ", not executed"
			if executed {
				name = c.name + ", executed"
			}
			t.Run(name, func(t *testing.T) {
				original := s.Amount()
				defer s.Person(original)
				c.fault.On, c.fault.Executed = simulator.Writes, executed
				before, got := s.apply(t, s.setBudget(), c.fault)
				s.wantOutcome(t, got, ads.Unknown, c.want)
				if got.Deadline.Sub(before.ReadAt) != Timeout {
					t.Errorf("Deadline = %s, want %s after %s", got.Deadline, Timeout, before.ReadAt)
				}
				applied := 0
				if executed {
					applied = 1
				}
				s.wantTraffic(t, 1, applied)
				if got := s.settle(t, before, s.setBudget()); got != settled {
					t.Errorf("Settle = %s, want %s", got, settled)
				}
				s.wantTraffic(t, 1, applied)
			})
		}
	}
}

func unreadableReplies(t *testing.T, s *Sandbox) {
	for name, do := range map[string]simulator.Do{
		"malformed": simulator.Malform, "truncated": simulator.Truncate, "too large": simulator.Flood,
		"nested": simulator.Nest,
	} {
		t.Run(name, func(t *testing.T) {
			original := s.Amount()
			defer s.Person(original)
			want := ads.UnexpectedReply
			if do == simulator.Truncate {
				want = ads.NoReply
			}
			_, got := s.apply(t, s.setBudget(), simulator.Fault{On: simulator.Writes, Do: do, Executed: true})
			s.wantOutcome(t, got, ads.Unknown, want)
			s.wantTraffic(t, 1, 1)
		})
	}
	t.Run("empty object", func(t *testing.T) {
		empty := simulator.Fault{On: simulator.Writes, Do: simulator.Answer, Reply: simulator.Reply{Status: 200, Body: "{}"}}
		_, got := s.apply(t, s.setBudget(), empty)
		s.wantOutcome(t, got, ads.Unknown, ads.UnexpectedReply)
		s.wantTraffic(t, 1, 0)
	})
}

func noticesOthers(t *testing.T, s *Sandbox) {
	third := s.Amount()
	third.Minor += s.Other.Minor // neither the old nor the new value
	before, got := s.apply(t, s.setBudget(), simulator.Fault{
		On: simulator.Writes, Do: simulator.Drop, Before: func() { s.Person(third) },
	})
	s.wantOutcome(t, got, ads.Unknown, ads.NoReply)
	if got := s.settle(t, before, s.setBudget()); got != ads.SettleUnknown {
		t.Errorf("Settle = %s after someone else's change, want %s", got, ads.SettleUnknown)
	}
	s.wantTraffic(t, 1, 0)
}

func sendsOnce(t *testing.T, s *Sandbox) {
	for _, trouble := range []simulator.Trouble{simulator.ServerError, simulator.Limited} {
		for _, c := range []ads.Change{s.setBudget(), {Action: ads.Pause}} {
			_, got := s.apply(t, c, fail(simulator.Writes, trouble))
			if got.Result == ads.Applied {
				t.Errorf("%s: the outcome of %+v is applied", trouble, c)
			}
			s.wantTraffic(t, 1, 0)
		}
	}
	if slept := s.Clock.Slept(); len(slept) != 0 {
		t.Errorf("a write waited %v", slept)
	}
}

func refusesWithoutConnection(t *testing.T, s *Sandbox) {
	state := s.read(t)
	s.Close()
	s.wantOutcome(t, s.Platform.Apply(t.Context(), state, s.setBudget()), ads.Refused, ads.Unavailable)
	_, err := s.Platform.Read(t.Context(), s.Campaign)
	s.wantReason(t, err, ads.Unavailable)
}

func cancels(t *testing.T, s *Sandbox) {
	state := s.read(t)
	s.Simulator.Reset()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.Simulator.Script(simulator.Fault{On: simulator.Writes, Do: simulator.Stall, Executed: true, Arrived: cancel})
	s.wantOutcome(t, s.Platform.Apply(ctx, state, s.setBudget()), ads.Unknown, ads.NoReply)
	s.wantTraffic(t, 1, 1)
	s.Simulator.Reset()
	s.wantOutcome(t, s.Platform.Apply(ctx, state, ads.Change{Action: ads.Pause}), ads.Refused, ads.NoReply)
	s.wantTraffic(t, 0, 0)
}

func expires(t *testing.T, s *Sandbox) {
	state := s.read(t)
	s.Simulator.Reset()
	s.Expire()
	got := s.Platform.Apply(t.Context(), state, s.setBudget())
	if !s.Renews {
		s.wantOutcome(t, got, ads.Refused, ads.TokenExpired)
		s.wantTraffic(t, 1, 0)
		_, err := s.Platform.Read(t.Context(), s.Campaign)
		s.wantReason(t, err, ads.TokenExpired)
		_, err = s.Platform.Test(t.Context())
		s.wantReason(t, err, ads.TokenExpired)
		return
	}
	s.wantOutcome(t, got, ads.Applied, "")
	s.wantTraffic(t, 2, 1) // Google rejects the first request with 401
	s.Expire()
	s.read(t)
	refused := fail(simulator.Writes, simulator.BadToken)
	_, got = s.apply(t, ads.Change{Action: ads.Pause}, refused, refused, refused)
	s.wantOutcome(t, got, ads.Refused, ads.TokenExpired)
	s.wantTraffic(t, 2, 0)
}

func repeatsReads(t *testing.T, s *Sandbox) {
	s.read(t)
	down := fail(simulator.Campaign, simulator.ServerError)
	drop := simulator.Fault{On: simulator.Campaign, Do: simulator.Drop}
	stall := simulator.Fault{On: simulator.Campaign, Do: simulator.Stall, Arrived: func() { s.Clock.Advance(Timeout) }}
	for _, pair := range [][]simulator.Fault{{down, down}, {stall, down}, {down, stall}} {
		s.Clock.Slept()
		s.Simulator.Script(pair...)
		s.read(t)
		slept := s.Clock.Slept()
		if len(slept) != 2 || slept[0] < 250*time.Millisecond || slept[1] < 500*time.Millisecond || slept[1] > 2*time.Second {
			t.Errorf("slept %v, want two increasing waits of at most 2 s", slept)
		}
	}
	for want, f := range map[ads.Reason]simulator.Fault{ads.Unavailable: down, ads.NoReply: stall} {
		s.Simulator.Reset()
		s.Simulator.Script(f, f, f, f)
		_, err := s.Platform.Read(t.Context(), s.Campaign)
		s.wantReason(t, err, want)
		if n := len(s.Simulator.Log()); n != 3 {
			t.Errorf("%d requests, want 3", n)
		}
	}
	s.Simulator.Reset()
	s.Simulator.Script(drop)
	s.read(t)
}

func waits(t *testing.T, s *Sandbox) {
	s.read(t)
	s.Simulator.Reset()
	s.Clock.Slept()
	busy := func(after string) simulator.Fault {
		return simulator.Fault{On: simulator.Campaign, Do: simulator.Answer, Reply: simulator.Reply{
			Status: 429, Header: map[string]string{"Retry-After": after}, Body: "slow down",
		}}
	}
	s.Simulator.Script(busy("7"))
	s.read(t)
	if slept := s.Clock.Slept(); len(slept) != 1 || slept[0] != 7*time.Second {
		t.Errorf("slept %v, want 7 s", slept)
	}
	for after, want := range map[string]time.Duration{
		"31": 31 * time.Second, "999999999": 24 * time.Hour,
		s.Clock.Now().Add(2 * time.Minute).UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT"): 2 * time.Minute,
	} {
		s.Simulator.Reset()
		s.Simulator.Script(busy(after))
		_, err := s.Platform.Read(t.Context(), s.Campaign)
		s.wantReason(t, err, ads.RateLimited)
		if got := ads.AsRejection(s.Platform.Account().Platform, err).Wait; got != want {
			t.Errorf("Retry-After %s: Wait = %s, want %s", after, got, want)
		}
		if n, slept := len(s.Simulator.Log()), s.Clock.Slept(); n != 1 || len(slept) != 0 {
			t.Errorf("Retry-After %s: %d requests and the waits %v, want 1 and none", after, n, slept)
		}
	}
}

func rejectsBrokenReads(t *testing.T, s *Sandbox) {
	s.read(t)
	for name, do := range map[string]simulator.Do{
		"malformed": simulator.Malform, "too large": simulator.Flood,
		"nested": simulator.Nest,
	} {
		t.Run(name, func(t *testing.T) {
			s.Simulator.Reset()
			s.Simulator.Script(simulator.Fault{On: simulator.Campaign, Do: do})
			_, err := s.Platform.Read(t.Context(), s.Campaign)
			s.wantReason(t, err, ads.UnexpectedReply)
			if n := len(s.Simulator.Log()); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
		})
	}
}

func followsNothing(t *testing.T, s *Sandbox) {
	redirect := simulator.Fault{On: simulator.Writes, Do: simulator.Redirect, Location: "/elsewhere"}
	_, got := s.apply(t, s.setBudget(), redirect)
	s.wantOutcome(t, got, ads.Unknown, ads.UnexpectedReply)
	if log := s.Simulator.Log(); len(log) != 1 {
		t.Errorf("a redirect was followed: %+v", log)
	}
	s.Simulator.Reset()
	redirect.On = simulator.Campaign
	s.Simulator.Script(redirect)
	_, err := s.Platform.Read(t.Context(), s.Campaign)
	s.wantReason(t, err, ads.UnexpectedReply)
	if log := s.Simulator.Log(); len(log) != 1 {
		t.Errorf("a redirect was followed: %+v", log)
	}
}
