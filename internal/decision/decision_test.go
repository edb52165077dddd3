package decision

import (
	"math"
	"testing"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/health"
	"assay/internal/measure"
	"assay/internal/measure/detect"
	"assay/internal/money"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

func plannerWith(g control.Guardrails, today string) *planner {
	s := &snapshot.Snapshot{State: snapshot.State{
		Workspace: control.Workspace{ID: "w", Currency: "USD", Zone: "America/New_York"}, Today: civil.MustParse(today), Stored: snapshot.Stored{Guardrails: g},
	}}
	return &planner{Call: &toolkit.Call{Snapshot: s}, Ask: Ask{Risk: "balanced", Days: 14}, found: &Results{}}
}

func TestABudgetMoveStaysWithinTheGuardrails(t *testing.T) {
	t.Parallel()
	usd := func(minor int64) money.Amount { return money.Amount{Minor: minor, Currency: "USD"} }
	for _, c := range []struct {
		name          string
		rails         control.Guardrails
		daily, wanted float64
		want          float64
	}{
		{"a small move as wanted", control.Guardrails{StepPct: 20}, 100, 10, 10},
		{"at most the step", control.Guardrails{StepPct: 20}, 100, 50, 20},
		{"at most the step down", control.Guardrails{StepPct: 20}, 100, -50, -20},
		{"below the ceiling", control.Guardrails{StepPct: 20, Ceiling: usd(110_00)}, 100, 50, 10},
		{"not below the floor", control.Guardrails{StepPct: 20, Floor: usd(95_00)}, 100, -50, -5},
		{"already above the ceiling", control.Guardrails{StepPct: 20, Ceiling: usd(90_00)}, 100, 50, 0},
		{"already below the floor", control.Guardrails{StepPct: 20, Floor: usd(105_00)}, 100, -50, 0},
		{"whole units inside the step", control.Guardrails{StepPct: 10}, 55.4, 50, 4.6},
		{"nothing below one unit", control.Guardrails{StepPct: 20}, 3, 50, 0},
		{"exactly one unit", control.Guardrails{StepPct: 20}, 5, 50, 1},
		{"no step without a wanted change", control.Guardrails{StepPct: 20, Floor: usd(105_00)}, 100, 0, 0},
		{"a fifth without a step", control.Guardrails{}, 100, 50, 20},
		{"a third of a small budget", control.Guardrails{StepPct: 50}, 3, -50, -1},
		{"at the floor and the step", control.Guardrails{StepPct: 20, Floor: usd(80_00)}, 100, -50, -20},
	} {
		if got := plannerWith(c.rails, "2026-03-10").changed(c.daily, c.wanted); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: from %v by %v: %v, want %v", c.name, c.daily, c.wanted, got, c.want)
		}
	}
}

func TestMovesAvoidWeekendsAndShoppingDays(t *testing.T) {
	t.Parallel()
	p := plannerWith(control.Guardrails{}, "2026-11-20")
	for day, want := range map[string]string{
		"2026-11-20": "2026-11-24", // a Friday: next Tuesday
		"2026-11-25": "2026-12-01", // the day before Thanksgiving and its weekend
		"2026-10-14": "2026-10-14",
	} {
		got := p.tuesday(civil.MustParse(day))
		if w := got.Weekday(); w < 2 || w > 4 || p.holiday(got) || got.Before(civil.MustParse(day)) {
			t.Errorf("from %s: %s", day, got)
		}
		if got != civil.MustParse(want) {
			t.Errorf("from %s: %s, want %s", day, got, want)
		}
	}
}

func TestPriorityComesFromValueAndUrgency(t *testing.T) {
	t.Parallel()
	worth := func(x float64) *measure.Estimate { return &measure.Estimate{Value: x} }
	for _, c := range []struct {
		f    detect.Finding
		want Priority
	}{
		{detect.Finding{Value: worth(100), Confidence: 1}, Low},
		{detect.Finding{Value: worth(1000), Confidence: 1}, Medium},
		{detect.Finding{Value: worth(5000), Confidence: 1}, High},
		{detect.Finding{Value: worth(5000), Confidence: 0.1}, Medium},
		{detect.Finding{Severity: detect.Warning}, Medium},
		{detect.Finding{Severity: detect.Alarm}, High},
		{detect.Finding{Severity: detect.Alarm, Value: worth(5000), Confidence: 1}, Critical},
		{detect.Finding{}, Low},
	} {
		if got := priorityOf(c.f, 100_000); got != c.want {
			t.Errorf("%+v: %s, want %s", c.f, got, c.want)
		}
	}
}

func TestAnInsightKeepsItsIDUntilTheEvidenceChanges(t *testing.T) {
	t.Parallel()
	c := plannerWith(control.Guardrails{}, "2026-03-10").Call
	store := func(last string) detect.Store { return detect.Store{Days: civil.Range{Last: civil.MustParse(last)}} }
	drift := detect.Finding{Kind: detect.CACDrift, Subject: "google", Since: civil.MustParse("2026-03-01")}
	first := epoch(c, store("2026-03-09"), drift)
	if next := epoch(c, store("2026-03-10"), drift); next != first {
		t.Errorf("the epoch of a change moves from %s to %s in a day", first, next)
	}
	drift.Since = civil.MustParse("2026-03-20")
	if later := epoch(c, store("2026-03-25"), drift); later == first {
		t.Errorf("a second change has the epoch of the first, %s", first)
	}
	if idOf("a", "b", "c") == idOf("a", "c", "b") || idOf("a", "b", "c") == idOf("a", "b", "d") {
		t.Error("an ID does not identify kind, subject and epoch")
	}
}

func TestEachKindOfFindingHasWords(t *testing.T) {
	t.Parallel()
	for _, kind := range []detect.Kind{
		detect.PastOptimum, detect.Headroom, detect.SpendShift, detect.NoEffect, detect.CappedWinner, detect.Fatigue, detect.Untested, detect.CACDrift,
		detect.PaybackDrift, detect.Discounting, detect.FewerNew, detect.RefundRate, detect.Outage, detect.SalesStopped, detect.TrackingBreak,
		detect.ClaimsBreak, detect.CouponLeak, detect.PacingRisk, detect.Rebooking, detect.HaloEffect, detect.SeasonAhead,
	} {
		if w := wordings[kind]; w.say == nil || w.act == "" || w.call == nil || w.reason == "" {
			t.Errorf("%s has no sentence, action or call", kind)
		}
	}
}

// Gaps older than 60 days appear only in the health checks. Several sources with recent gaps are one insight.
func TestGapsOfSourcesAreOneInsight(t *testing.T) {
	t.Parallel()
	today := civil.MustParse("2026-11-20")
	gap := func(check string, daysAgo int) health.Finding {
		return health.Finding{Check: check, Severity: health.SeverityWarning, Finding: "Days are missing.", Fix: "Import.", Gap: today.AddDays(-daysAgo)}
	}
	other := health.Finding{Check: "imports", Severity: health.SeverityOK, Finding: "The last import was today."}
	if got := withOneGap([]health.Finding{gap("a", 61), other, gap("b", 400)}, today); len(got) != 1 || got[0] != other {
		t.Errorf("old gaps: %+v", got)
	}
	got := withOneGap([]health.Finding{gap("a", 60), gap("b", 3), other, gap("c", 61)}, today)
	if want := "2 data sources have missing days on or after 2026-09-21. The latest missing day is 2026-11-17."; len(got) != 2 || got[0] != other || got[1].Line() != want || got[1].Check != "a, b" || got[1].Fix != "Import." {
		t.Errorf("recent gaps: %+v, want %q", got, want)
	}
	if got := withOneGap([]health.Finding{gap("a", 60), gap("c", 61)}, today); len(got) != 1 || got[0] != gap("a", 60) {
		t.Errorf("one source with a recent gap: %+v", got)
	}
}
