package experiment

import (
	"context"
	"fmt"
	"math"

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

	// Below these shares of known region, a result cannot be extended from the treated regions to the whole store.
	minLocated  = 0.8 // of sales
	minReported = 0.5 // of the channel's spend during the test
)

// Completed lists the completed experiments as lift tests for the media mix model, without estimating their results.
// Why has the reason when the model cannot use one.
func (s Store) Completed(reported civil.Range) []mix.Test {
	var out []mix.Test
	for _, e := range s.All {
		if e.Status != control.ExperimentCompleted {
			continue
		}
		t := mix.Test{ID: string(e.ID), Channel: e.Channel, Days: e.Days}
		switch {
		case e.Kind != control.GeoTest:
			t.Why = "it is a study that the platform ran, with its own sales count; only geo experiments are estimated from the store's orders"
		case !s.Covers(e.Days):
			t.Why, t.Waits = "the store's orders do not cover its days", true
		case e.Days.Last.After(reported.Last):
			t.Why, t.Waits = "no ad report covers its last days", true
		}
		out = append(out, t)
	}
	return out
}

// Lift estimates a lift test for the media mix model: the change of the whole store's weekly revenue when the channel's
// weekly spend changes from its counterfactual to its actual level. Why has the reason when the model cannot use the
// test.
//
// The treated regions represent the store by their share of sales before the test. Sales of unknown region are assumed
// to have the same distribution as sales of known region. Spend of unknown region, such as that of national campaigns,
// is assumed to continue unchanged everywhere. Revenue is the amount charged times its ratio to revenue before the
// test. Adstock (carryover) after the test is added from the model's prior, with its uncertainty.
func (s Store) Lift(ctx context.Context, t mix.Test) (mix.Test, error) {
	e, err := s.experiment(t.ID)
	if err != nil {
		return t, err
	}
	f, err := s.Assess(ctx, e)
	if kind := fault.KindOf(err); err != nil && (kind == fault.KindInvalid || kind == fault.KindNotReady) {
		t.Why, _, _ = fault.Public(err) // the store's data do not allow a result
		return t, nil
	}
	if err != nil {
		return t, err
	}
	switch {
	case f.Change == nil:
		t.Why = "the channel's spend by region is unknown, or it hardly changed"
	case f.Interval == nil || !(f.Interval.High > f.Interval.Low):
		t.Why = "its effect has no interval: there are too few control regions"
	default:
		return s.lift(ctx, t, f)
	}
	return t, nil
}

func (s Store) experiment(id string) (control.Experiment, error) {
	for _, e := range s.All {
		if string(e.ID) == id {
			return e, nil
		}
	}
	return control.Experiment{}, fault.NotFound("experiment %q does not exist", id)
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
		t.Why = "the store has no sales in the days before it"
	case f.located < minLocated*charged:
		t.Why = fmt.Sprintf("only %.0f%% of sales have a known region; at least %.0f%% is required", 100*f.located/charged, 100*minLocated)
	case f.reported < minReported*spent:
		t.Why = fmt.Sprintf("only %.0f%% of the channel's spend has a known region; at least %.0f%% is required", 100*f.reported/spent, 100*minReported)
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
		Channel: t.Channel, X: weekly.X + everywhere, DeltaX: weekly.DeltaX, DeltaY: weekly.DeltaY, Sigma: math.Hypot(weekly.Sigma, weekly.DeltaY*sd/share),
	}
	return t, nil
}

// sales returns the store's sales on the given days, in whole units: revenue as the workspace defines it, and the
// amount charged.
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

// spend returns the channel's spend during the test, in whole units.
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
