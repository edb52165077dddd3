package measurement_test

import (
	"testing"

	"assay/internal/console"
	"assay/internal/console/consoletest"
	"assay/internal/console/frame"
	"assay/internal/control"
)

// The golden files contain the pages for several sets of recorded answers.
func TestMeasurementPagesAreGolden(t *testing.T) {
	t.Parallel()
	for file, ask := range map[string]frame.Ask{
		"experiments.txtar": recordedExperiments(t, "results.txtar"), "tested.txtar": recordedExperiments(t, "results_tested.txtar"),
		"forecasts.txtar": recordedForecasts(t, "days.txtar"), "aims.txtar": recordedForecasts(t, "no_targets.txtar"),
		"untrained.txtar": consoletest.RecordedTools(t),
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			calls := &consoletest.Calls{}
			s := consoletest.NewWith(t, func(_ *consoletest.Site, o *console.Options) { o.Ask = calls.Recording(ask) })
			s.Member(consoletest.Email, control.RoleOwner)
			consoletest.Golden(t, s.SignedIn(consoletest.Email), calls, file)
		})
	}
}
