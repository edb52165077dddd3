package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure/geo"
	"assay/internal/measure/mix"
	"assay/internal/measure/mmm"
	"assay/internal/money"
)

const (
	week = 7 // days of a period of the media mix model

	// The minimum shares of sales and spend with a known region for extending a result from the treated regions to the
	// whole store.
	minLocated  = 0.8 // share of sales
	minReported = 0.5 // share of the channel's spend during the test
)

// shortlyBefore is the maximum number of days from the end of a test to the start of a model's training window. It is a
// quarter, because effects are assumed to be constant over a quarter.
const shortlyBefore = 13 * week

// LiftTests returns the completed experiments as lift tests for a media mix model. The field Why contains the reason if
// the model cannot use a test. The field Waits reports whether later orders, reports or a later model may make the test
// usable.
func (s Store) LiftTests(ctx context.Context, of mix.Scope) ([]mix.Test, error) {
	var out []mix.Test
	for _, e := range s.completed() {
		t := mix.Test{ID: string(e.ID), Channel: e.Channel, Days: e.Days}
		if t.Why, t.Waits = s.unreadable(e); t.Why == "" {
			t.Why, t.Waits = outside(e, of)
		}
		if t.Why == "" {
			var err error
			if t, err = s.estimate(ctx, t, e); err != nil {
				return nil, fmt.Errorf("experiment %q: %w", e.ID, err)
			}
		}
		out = append(out, t)
	}
	return out, nil
}

// NewTests describes the completed experiments that a model does not use yet. Only experiments that the model or a
// later model may use are included. Their results are not estimated.
func (s Store) NewTests(m *mix.Model) []string {
	if m.Status == mix.Refused {
		return nil
	}
	var out []string
	for _, e := range s.completed() {
		if why, _ := s.unreadable(e); why != "" {
			continue
		}
		if why, waits := outside(e, m.Scope()); why != "" && !waits {
			continue
		}
		if !m.Considered(string(e.ID)) {
			out = append(out, fmt.Sprintf("the geo experiment on %s from %s is completed, but the model does not include it",
				e.Channel, e.Days))
		}
	}
	return out
}

// completed returns the completed experiments. It excludes running experiments, because ending a test when it looks
// good finds effects that are not there.
func (s Store) completed() []control.Experiment {
	return slices.DeleteFunc(
		slices.Clone(s.All), func(e control.Experiment) bool { return e.Status != control.ExperimentCompleted })
}

// unreadable returns the reason why the store's data do not allow a result of a completed experiment, or "" if they may
// allow a result. The result waits reports whether data can still arrive.
func (s Store) unreadable(e control.Experiment) (why string, waits bool) {
	switch {
	case e.Kind != control.GeoTest:
		return "it is a lift study of an ad platform: only geo experiments are measured from the store's orders", false
	case !s.covers(e.Days):
		return notCovered, true
	case e.Days.Last.After(s.AdDays.Last):
		return "no ad report covers the last days of the experiment", true
	}
	return "", false
}

// outside returns the reason why a model of these channels and days cannot use a completed experiment, or "" if it can.
// The result waits reports whether a later model may be able to use the experiment.
func outside(e control.Experiment, of mix.Scope) (why string, waits bool) {
	switch {
	case !slices.Contains(of.Channels, e.Channel):
		return "the channel is not in the model", false
	case e.Days.Last.After(of.Days.Last):
		return fmt.Sprintf("the experiment ended after %s, the last day with sales and spend", of.Days.Last), true
	case e.Days.Last.Before(of.Days.First.AddDays(-shortlyBefore)):
		return fmt.Sprintf("the experiment ended more than 13 weeks before the first day of the model, %s", of.Days.First), false
	}
	return "", false
}

// estimate estimates a lift test for the media mix model. The lift is the change of the whole store's weekly revenue
// when the channel's weekly spend changes from its counterfactual to its actual level. The field Why contains the
// reason if the data do not allow an estimate.
//
// The treated regions represent the store by their share of sales before the test. Sales without a known region are
// assumed to have the same distribution as sales with a known region. Spend without a known region, such as spend of
// national campaigns, is assumed to continue unchanged everywhere. The lift in the amount charged is converted to
// revenue with the ratio of revenue to the amount charged before the test. Adstock (carryover) after the test is added
// from the model's prior, with its uncertainty.
func (s Store) estimate(ctx context.Context, t mix.Test, e control.Experiment) (mix.Test, error) {
	f, err := s.Assess(ctx, e)
	switch {
	case unusable(err):
		t.Why, _, _ = fault.Public(err)
	case err != nil:
		return t, err
	case f.Change == nil:
		t.Why = noSpendChange
	case f.Interval == nil || !(f.Interval.High > f.Interval.Low):
		t.Why = "the effect has no interval: there are too few control regions"
	default:
		return s.lift(ctx, t, f)
	}
	return t, nil
}

// lift extends a finding from the treated regions to the whole store.
func (s Store) lift(ctx context.Context, t mix.Test, f Finding) (mix.Test, error) {
	sold, charged, err := s.sales(ctx, f.history)
	if err != nil {
		return t, err
	}
	spent, err := s.spend(ctx, t)
	if err != nil {
		return t, err
	}
	switch {
	case !(f.treated > 0) || !(sold > 0):
		t.Why = "the store has no sales in the history before the experiment"
	case f.located < minLocated*charged:
		t.Why = fmt.Sprintf("only %.0f%% of sales have a known region; at least %.0f%% is required",
			100*f.located/charged, 100*minLocated)
	case f.reported < minReported*spent:
		t.Why = fmt.Sprintf("only %.0f%% of the channel's spend has a known region; at least %.0f%% is required",
			100*f.reported/spent, 100*minReported)
	}
	if t.Why != "" {
		return t, nil
	}
	days := float64(t.Days.Days())
	share, sd := mix.Shown(t.Days.Days())
	before := math.Max(0, f.spent-*f.Change)
	daily, err := f.LiftTest(t.Channel, before/days, (f.spent-before)/days, geo.Settling{Share: share})
	if err != nil {
		return t, err
	}
	t.Share = f.treated / f.located
	weekly, err := daily.Over(geo.Spread{Share: t.Share, Outcome: sold / f.located, Periods: week})
	if err != nil {
		return t, err
	}
	everywhere := math.Max(0, spent-f.reported) * week / days
	t.Lift = &mmm.Lift{
		Channel: t.Channel, X: weekly.X + everywhere, DeltaX: weekly.DeltaX, DeltaY: weekly.DeltaY,
		Sigma: math.Hypot(weekly.Sigma, weekly.DeltaY*sd/share),
	}
	return t, nil
}

// sales returns the store's sales on the given days, in whole units of the currency: revenue as the workspace defines
// it, and the amount charged.
func (s Store) sales(ctx context.Context, on []civil.Date) (sold, charged float64, err error) {
	if len(on) == 0 {
		return 0, 0, nil
	}
	wanted := map[civil.Date]bool{}
	for _, day := range on {
		wanted[day] = true
	}
	window, w := civil.Range{First: on[0], Last: on[len(on)-1]}, s.Workspace
	days, err := s.Facts.StoreDays(ctx, w.ID, window)
	if err != nil {
		return 0, 0, fmt.Errorf("sales by day %s: %w", window, err)
	}
	for _, d := range days {
		if wanted[d.Day] {
			sold += money.Major(w.Basis.Revenue(d.Sums), w.Currency)
			charged += money.Major(d.Sums.Charged, w.Currency)
		}
	}
	return sold, charged, nil
}

// spend returns the channel's spend during the test, in whole units of the currency.
func (s Store) spend(ctx context.Context, t mix.Test) (spent float64, err error) {
	days, err := s.Facts.SpendDays(ctx, s.Workspace.ID, t.Days)
	if err != nil {
		return 0, fmt.Errorf("spend by day %s: %w", t.Days, err)
	}
	for _, d := range days {
		if d.Channel == t.Channel {
			spent += money.Major(d.Spend, s.Workspace.Currency)
		}
	}
	return spent, nil
}
