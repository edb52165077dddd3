package control_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

func TestWorkspacesAtTheirLimits(t *testing.T) {
	t.Parallel()
	base := control.NewWorkspace("Acme")
	if base.Currency != "USD" || base.Zone != "UTC" || base.WeekStart != time.Monday {
		t.Errorf("defaults %+v", base)
	}
	for name, change := range map[string]func(*control.Workspace){
		"the longest name": func(w *control.Workspace) { w.Name = strings.Repeat("a", 100) },
		"the longest ID":   func(w *control.Workspace) { w.ID = measure.WorkspaceID(strings.Repeat("a", 48)) },
		"Sunday":           func(w *control.Workspace) { w.WeekStart = time.Sunday },
		"Saturday":         func(w *control.Workspace) { w.WeekStart = time.Saturday },
		"no rate limit":    func(w *control.Workspace) { w.RatePerMin = 0 },
		"the largest rate": func(w *control.Workspace) { w.RatePerMin = 1_000_000 },
		"midnight":         func(w *control.Workspace) { w.Retrain = control.Retrain{Cadence: control.Weekly} },
		"eleven at night":  func(w *control.Workspace) { w.Retrain = control.Retrain{Cadence: control.Monthly, Hour: 23} },
	} {
		w := base
		change(&w)
		if _, err := w.Checked(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, change := range map[string]func(*control.Workspace){
		"a week from Sunday again": func(w *control.Workspace) { w.WeekStart = 7 },
		"a negative rate":          func(w *control.Workspace) { w.RatePerMin = -1 },
		"an unknown schedule":      func(w *control.Workspace) { w.Retrain.Cadence = "daily" },
		"hour 24":                  func(w *control.Workspace) { w.Retrain = control.Retrain{Cadence: control.Weekly, Hour: 24} },
		"hour -1":                  func(w *control.Workspace) { w.Retrain = control.Retrain{Cadence: control.Weekly, Hour: -1} },
	} {
		w := base
		change(&w)
		if _, err := w.Checked(); fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("%s: %v, want a fault of kind invalid", name, err)
		}
	}
	w := base
	w.Name, w.Currency = "  Acme ", "eur"
	got, err := w.Checked()
	if err != nil || got.Name != "Acme" || got.ID != "acme" || got.Currency != "EUR" || got.Retrain != (control.Retrain{Cadence: control.Never, Hour: 4}) {
		t.Errorf("%+v, %v", got, err)
	}
	if kept := (control.Retrain{Cadence: control.Monthly, Hour: 7}); kept.String() != "the first of a month at 7:00" {
		t.Errorf("%s", kept)
	}
	if (control.Retrain{Cadence: control.Weekly, Hour: 3}).String() != "Mondays at 3:00" || (control.Retrain{Cadence: control.Never}).String() != "off" {
		t.Error("a schedule is described wrongly")
	}
}

func experimentOf(days int) control.Experiment {
	first := civil.MustParse("2026-10-01")
	return control.Experiment{
		Workspace: "acme", ID: "one", Channel: "facebook", Kind: control.GeoTest, Status: control.ExperimentPlanned, Treated: []string{"CA"},
		Days: civil.Range{First: first, Last: first.AddDays(days - 1)},
	}
}

func study(f control.Finding) control.Experiment {
	e := experimentOf(28)
	e.Kind, e.Treated, e.Status, e.Found = control.LiftStudy, nil, control.ExperimentCompleted, &f
	return e
}

func TestExperimentsAtTheirLimits(t *testing.T) {
	t.Parallel()
	change := func(e control.Experiment, with func(*control.Experiment)) control.Experiment {
		with(&e)
		return e
	}
	many := make([]string, 501)
	for i := range many {
		many[i] = "r" + string(rune('a'+i%26)) + string(rune('a'+i/26))
	}
	finding := control.Finding{Return: 1, Low: 0, High: 2, LevelPct: 90}
	with := func(change func(*control.Finding)) control.Experiment {
		f := finding
		change(&f)
		return study(f)
	}
	for name, c := range map[string]struct {
		e  control.Experiment
		ok bool
	}{
		"366 days":              {experimentOf(366), true},
		"367 days":              {experimentOf(367), false},
		"one day":               {experimentOf(1), true},
		"an ID of 48":           {change(experimentOf(9), func(e *control.Experiment) { e.ID = control.ExperimentID(strings.Repeat("a", 48)) }), true},
		"an ID of 49":           {change(experimentOf(9), func(e *control.Experiment) { e.ID = control.ExperimentID(strings.Repeat("a", 49)) }), false},
		"1,000 characters":      {change(experimentOf(9), func(e *control.Experiment) { e.Hypothesis = strings.Repeat("é", 999) + "\n" }), true},
		"a tab":                 {change(experimentOf(9), func(e *control.Experiment) { e.Hypothesis = "a\tb" }), false},
		"no text":               {change(experimentOf(9), func(e *control.Experiment) { e.Hypothesis = "\xff" }), false},
		"500 regions":           {change(experimentOf(9), func(e *control.Experiment) { e.HeldOut = many[:500] }), true},
		"501 regions":           {change(experimentOf(9), func(e *control.Experiment) { e.HeldOut = many }), false},
		"a region without name": {change(experimentOf(9), func(e *control.Experiment) { e.Treated = []string{" "} }), false},
		"one day only":          {change(experimentOf(9), func(e *control.Experiment) { e.Days.Last = civil.Date{} }), false},
		"unattributed":          {change(experimentOf(9), func(e *control.Experiment) { e.Channel = measure.Unattributed }), false},
		"applied":               {change(experimentOf(9), func(e *control.Experiment) { e.Applied, e.Status = true, control.ExperimentCompleted }), true},
		"a draft of nothing":    {change(experimentOf(9), func(e *control.Experiment) { e.Status, e.Days, e.Treated = control.ExperimentDraft, civil.Range{}, nil }), true},
		"canceled without days": {change(experimentOf(9), func(e *control.Experiment) { e.Status, e.Days = control.ExperimentCancelled, civil.Range{} }), true},
		"held-out of a study":   {change(study(finding), func(e *control.Experiment) { e.HeldOut = []string{"NY"} }), false},
		"a planned study":       {change(study(finding), func(e *control.Experiment) { e.Found, e.Status = nil, control.ExperimentPlanned }), true},
		"a study":               {study(finding), true},
		"level 50":              {with(func(f *control.Finding) { f.LevelPct = 50 }), true},
		"level 49":              {with(func(f *control.Finding) { f.LevelPct = 49 }), false},
		"level 99":              {with(func(f *control.Finding) { f.LevelPct = 99 }), true},
		"level 100":             {with(func(f *control.Finding) { f.LevelPct = 100 }), false},
		"the low bound":         {with(func(f *control.Finding) { f.Return = 0 }), true},
		"the high bound":        {with(func(f *control.Finding) { f.Return = 2 }), true},
		"below":                 {with(func(f *control.Finding) { f.Return = -0.1 }), false},
		"no interval":           {with(func(f *control.Finding) { f.Low, f.High = 1, 1 }), false},
		"a million":             {with(func(f *control.Finding) { f.High = 1e6 }), true},
		"more than a million":   {with(func(f *control.Finding) { f.High = 1e6 + 1 }), false},
		"infinite":              {with(func(f *control.Finding) { f.Low = math.Inf(-1) }), false},
	} {
		if _, err := c.e.Checked(); (err == nil) != c.ok || err != nil && fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("%s: %v, want it accepted: %t", name, err, c.ok)
		}
	}
	e, err := control.Experiment{Channel: "Facebook", Treated: []string{"NY", "CA", " NY "}}.Checked()
	if err != nil || e.Channel != "facebook" || e.Kind != control.GeoTest || e.Status != control.ExperimentDraft || e.Name != "Test of facebook" || len(e.ID) != 16 || !slices.Equal(e.Treated, []string{"CA", "NY"}) {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestStatusesFollowEachOther(t *testing.T) {
	t.Parallel()
	const draft, planned, running, completed, canceled = control.ExperimentDraft, control.ExperimentPlanned, control.ExperimentRunning, control.ExperimentCompleted, control.ExperimentCancelled
	for from, want := range map[control.ExperimentStatus][]control.ExperimentStatus{
		draft: {planned, canceled}, planned: {running, canceled}, running: {completed, canceled}, completed: {}, canceled: {},
	} {
		if diff := cmp.Diff(want, from.Before()); diff != "" {
			t.Errorf("after %s (-want +got):\n%s", from, diff)
		}
		if settled := from == planned || from == running || from == completed; from.Settled() != settled {
			t.Errorf("%s is settled: %t", from, from.Settled())
		}
		if got, err := control.ParseExperimentStatus(" " + string(from)); err != nil || got != from {
			t.Errorf("%s is parsed as %q, %v", from, got, err)
		}
	}
	if _, err := control.ParseExperimentStatus("done"); fault.KindOf(err) != fault.KindInvalid {
		t.Errorf("completed: %v", err)
	}
}

func TestExperimentsClashOnTheSameDays(t *testing.T) {
	t.Parallel()
	one := experimentOf(28)
	one.HeldOut = []string{"TX"}
	other := func(change func(*control.Experiment)) control.Experiment {
		e := experimentOf(28)
		e.ID, e.Channel, e.Treated = "other", "tiktok", []string{"NY"}
		change(&e)
		return e
	}
	for name, c := range map[string]struct {
		e    control.Experiment
		part string
	}{
		"nothing shared":      {other(func(*control.Experiment) {}), ""},
		"the channel":         {other(func(e *control.Experiment) { e.Channel = "facebook" }), "it tests facebook too from 2026-10-01 to 2026-10-28"},
		"the region":          {other(func(e *control.Experiment) { e.Treated = []string{"NY", "CA"} }), "it treats CA too"},
		"its control is ours": {other(func(e *control.Experiment) { e.HeldOut = []string{"CA"} }), "its control region CA is treated here"},
		"our control is its":  {other(func(e *control.Experiment) { e.Treated = []string{"TX"} }), "is a control region here"},
		"the last day":        {other(func(e *control.Experiment) { e.Channel, e.Days.First = "facebook", one.Days.Last }), "from 2026-10-28 to 2026-10-28"},
		"the day after": {other(func(e *control.Experiment) {
			e.Channel, e.Days = "facebook", civil.Range{First: one.Days.Last.AddDays(1), Last: one.Days.Last.AddDays(9)}
		}), ""},
		"no days": {other(func(e *control.Experiment) { e.Channel, e.Days = "facebook", civil.Range{} }), ""},
		"itself":  {other(func(e *control.Experiment) { e.Channel, e.ID = "facebook", "one" }), ""},
	} {
		if got := one.Clash(c.e); (got == "") != (c.part == "") || !strings.Contains(got, c.part) {
			t.Errorf("%s: %q, want %q", name, got, c.part)
		}
		draft := c.e
		draft.Status = control.ExperimentDraft
		if one.Clash(draft) != "" || draft.Clash(one) != "" || one.Overlap(draft) != one.Clash(c.e) {
			t.Errorf("%s: a draft clashes, or does not overlap", name)
		}
	}
}

func TestEmailAddressesHaveALimitedLength(t *testing.T) {
	t.Parallel()
	for length, ok := range map[int]bool{254: true, 255: false} {
		address := strings.Repeat("a", length-len("@example.com")) + "@example.com"
		if _, err := control.CheckedEmail(address); (err == nil) != ok {
			t.Errorf("an address of %d bytes: %v", length, err)
		}
	}
}

func TestActorsArePersonsOrPrograms(t *testing.T) {
	t.Parallel()
	for actor, want := range map[string]bool{control.ActorOf("u1"): true, "key:u1": false, "assay keys create": false} {
		if id, is := (control.By{Actor: actor}).Person(); is != want || is && id != "u1" {
			t.Errorf("%q is the person %q: %t", actor, id, is)
		}
	}
}

func TestTheStandardForecasts(t *testing.T) {
	t.Parallel()
	if control.ForecastLevels() != [3]int{80, 90, 95} || control.ForecastDays() != [3]int{1, 7, 28} {
		t.Errorf("levels %v, days %v", control.ForecastLevels(), control.ForecastDays())
	}
	if control.KeepUnusable != 30*24*time.Hour || control.KeepDelivered != 30*24*time.Hour {
		t.Errorf("messages are stored for %s and %s", control.KeepDelivered, control.KeepUnusable)
	}
}

// A time zone that the machine's database lacks is treated as UTC.
func TestTheLocationOfAWorkspace(t *testing.T) {
	t.Parallel()
	for zone, want := range map[string]string{"America/New_York": "America/New_York", "Mars": "UTC"} {
		if got := (control.Workspace{Zone: zone}).Location().String(); got != want {
			t.Errorf("%s is %s, want %s", zone, got, want)
		}
	}
}

func TestGrantsEnd(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		grant control.Grant
		want  bool
	}{
		"before its end": {control.Grant{EndsAt: now.Add(1)}, true}, "at its end": {control.Grant{EndsAt: now}, false}, "revoked": {control.Grant{EndsAt: now.Add(1), RevokedAt: now}, false},
	} {
		if c.grant.Valid(now) != c.want {
			t.Errorf("%s: valid is %t", name, !c.want)
		}
	}
}

// Other settings than the currency and the basis do not change the meaning of a model's figures.
func TestSettingsOfModels(t *testing.T) {
	t.Parallel()
	w := control.Workspace{Name: "Acme", Currency: "EUR", Zone: "UTC"}
	settings := w.ModelSettings()
	if w.Name, w.Zone = "Other", "Europe/Berlin"; w.ModelSettings() != settings {
		t.Errorf("settings %q and %q", settings, w.ModelSettings())
	}
	if w.Currency = "USD"; w.ModelSettings() == settings {
		t.Errorf("the same settings %q in two currencies", settings)
	}
	if w.Currency, w.Basis.NetOfRefunds = "EUR", true; w.ModelSettings() == settings {
		t.Errorf("the same settings %q with another basis of revenue", settings)
	}
}
