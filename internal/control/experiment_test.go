package control_test

import (
	"math"
	"strings"
	"testing"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
)

func TestInvalidExperimentIsRejectedWithItsField(t *testing.T) {
	t.Parallel()
	october := civil.Range{First: civil.MustParse("2026-10-01"), Last: civil.MustParse("2026-10-28")}
	study := func(e *control.Experiment, f control.Finding) {
		e.Kind, e.Treated, e.Status, e.Found = control.LiftStudy, nil, control.ExperimentCompleted, &f
	}
	cases := map[string]func(*control.Experiment){
		"channel":         func(e *control.Experiment) { e.Channel = " " },
		"experiment_id":   func(e *control.Experiment) { e.ID = "../x" },
		"name":            func(e *control.Experiment) { e.Name = "a\nb" },
		"hypothesis":      func(e *control.Experiment) { e.Hypothesis = strings.Repeat("é", 1001) },
		"kind":            func(e *control.Experiment) { e.Kind = "guess" },
		"status":          func(e *control.Experiment) { e.Status = "done" },
		"dates":           func(e *control.Experiment) { e.Days.First, e.Days.Last = e.Days.Last, e.Days.First },
		"dates: a":        func(e *control.Experiment) { e.Days = civil.Range{} },
		"lasts":           func(e *control.Experiment) { e.Days.Last = e.Days.First.AddDays(400) },
		"treated regions": func(e *control.Experiment) { e.Treated = nil },
		"both":            func(e *control.Experiment) { e.HeldOut = []string{"CA"} },
		"applied":         func(e *control.Experiment) { e.Applied = true },
		"computes":        func(e *control.Experiment) { e.Found = &control.Finding{Return: 1, Low: 0, High: 2, LevelPct: 90} },
		"has no regions":  func(e *control.Experiment) { e.Kind = control.LiftStudy },
		"needs an iROAS": func(e *control.Experiment) {
			study(e, control.Finding{})
			e.Found = nil
		},
		"outside its interval": func(e *control.Experiment) { study(e, control.Finding{Return: 3, Low: 1, High: 2, LevelPct: 90}) },
		"level":                func(e *control.Experiment) { study(e, control.Finding{Return: 1, Low: 0, High: 2, LevelPct: 0}) },
		"not a valid iROAS": func(e *control.Experiment) {
			study(e, control.Finding{Return: math.NaN(), Low: 0, High: 2, LevelPct: 90})
		},
	}
	for says, spoil := range cases {
		e := control.Experiment{Workspace: "acme", Channel: "facebook", Status: control.ExperimentPlanned, Treated: []string{"CA"}, Days: october}
		if _, err := e.Checked(); err != nil {
			t.Fatal(err)
		}
		spoil(&e)
		if _, err := e.Checked(); fault.KindOf(err) != fault.KindInvalid || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want a fault of kind invalid that contains %q", err, says)
		}
	}
}
