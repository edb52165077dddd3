package experiment

import (
	"slices"
	"strings"
	"testing"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/measure/mmm"
)

// on returns the five weeks that start on the given day.
func on(first string) civil.Range {
	day := civil.MustParse(first)
	return civil.Range{First: day, Last: day.AddDays(34)}
}

func geoTest(id, first string) control.Experiment {
	return control.Experiment{
		ID: control.ExperimentID(id), Kind: control.GeoTest, Status: control.ExperimentCompleted, Channel: "search",
		Days: on(first),
	}
}

// year returns a store on the first day of 2026, with orders and ad reports of 2025.
func year(all ...control.Experiment) Store {
	days := civil.Range{First: civil.MustParse("2025-01-01"), Last: civil.MustParse("2025-12-31")}
	return Store{OrderDays: days, AdDays: days, Today: civil.MustParse("2026-01-01"), All: all}
}

func TestUnusableExperimentsHaveAReason(t *testing.T) {
	t.Parallel()
	scope := mix.Scope{
		Channels: []measure.Channel{"search", "social"},
		Days:     civil.Range{First: civil.MustParse("2025-06-01"), Last: civil.MustParse("2025-12-15")},
	}
	study, podcast := geoTest("study", "2025-07-01"), geoTest("podcast", "2025-07-01")
	study.Kind, podcast.Channel = control.LiftStudy, "podcast"
	for _, test := range []struct {
		e     control.Experiment
		want  string // part of the reason
		waits bool
	}{
		{geoTest("inside", "2025-07-01"), "", false},
		{geoTest("shortly before the window", "2025-03-10"), "", false},
		{geoTest("long before the window", "2025-01-01"), "more than 13 weeks before", false},
		{geoTest("after the window", "2025-11-20"), "the experiment ended after 2025-12-15", true},
		{geoTest("not over", "2025-12-10"), notCovered, true},
		{geoTest("before the orders", "2024-12-20"), notCovered, true},
		{study, "it is a lift study of an ad platform", false},
		{podcast, "not in the model", false},
	} {
		why, waits := year().unreadable(test.e)
		if why == "" {
			why, waits = outside(test.e, scope)
		}
		if (why == "") != (test.want == "") || !strings.Contains(why, test.want) || waits != test.waits {
			t.Errorf("%s: %q, waits %v; want %q, %v", test.e.ID, why, waits, test.want, test.waits)
		}
	}
	unreported := year()
	unreported.AdDays.Last = civil.MustParse("2025-08-01")
	if why, waits := unreported.unreadable(geoTest("inside", "2025-07-01")); why != "no ad report covers the last days of the experiment" ||
		!waits {
		t.Errorf("without ad reports of its last days: %q, waits %v", why, waits)
	}
}

func TestNewTestsAreThoseAModelDoesNotUse(t *testing.T) {
	t.Parallel()
	considered := func(id string, waits bool) mix.Calibration {
		return mix.Calibration{Test: mix.Test{ID: id, Waits: waits}}
	}
	m := &mix.Model{
		Status: mix.Active, Window: civil.Range{First: civil.MustParse("2025-01-01"), Last: civil.MustParse("2025-11-30")},
		Effects: []mmm.ChannelEffect{{Channel: "search"}},
		Tests:   []mix.Calibration{considered("used", false), considered("waited", true)},
	}
	podcast, running := geoTest("podcast", "2025-07-01"), geoTest("running", "2025-07-01")
	podcast.Channel, running.Status = "podcast", control.ExperimentRunning
	for _, test := range []struct {
		e    control.Experiment
		want bool
	}{
		{geoTest("new", "2025-07-01"), true},
		{geoTest("waited", "2025-07-01"), true},
		{geoTest("after the window", "2025-11-20"), true},
		{geoTest("used", "2025-07-01"), false},
		{geoTest("not over", "2025-12-10"), false},
		{podcast, false},
		{running, false},
	} {
		got := year(test.e).NewTests(m)
		if len(got) != 0 != test.want || test.want &&
			!strings.Contains(got[0], "geo experiment on search from "+test.e.Days.String()) {
			t.Errorf("%s: %q, want it new: %v", test.e.ID, got, test.want)
		}
	}
	if got := year(geoTest("new", "2025-07-01")).NewTests(&mix.Model{Status: mix.Refused}); len(got) != 0 {
		t.Errorf("a refused model: %q", got)
	}
}

func TestDaysOfOtherExperimentsAreNoHistory(t *testing.T) {
	t.Parallel()
	e, other := geoTest("e", "2025-07-01"), geoTest("other", "2025-04-01")
	days, excluded := year(e, other).cleanDays(e)
	lasting := civil.Range{First: other.Days.First, Last: other.Days.Last.AddDays(washout)}
	if len(excluded) != lasting.Days() || slices.ContainsFunc(days, lasting.Contains) || days[len(days)-1] != e.Days.Last {
		t.Errorf("%d days are excluded, want %d; history from %s to %s",
			len(excluded), lasting.Days(), days[0], days[len(days)-1])
	}
	if _, excluded := year(e).cleanDays(e); len(excluded) != 0 {
		t.Errorf("its own days are excluded: %v", excluded)
	}
}
