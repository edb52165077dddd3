package forecast_test

import (
	"math"
	"slices"
	"testing"

	"assay/internal/fault"
	"assay/internal/measure/forecast"
)

// The median of the sum of two points is 10; the bands are 8 to 12 and 5 to 15.
func TestOutcomeMatchesAComputationByHand(t *testing.T) {
	t.Parallel()
	e := forecast.Expected{Points: 2, Median: 10, Levels: []float64{.8, .9}, Bands: []forecast.Band{{Low: 8, High: 12}, {Low: 5, High: 15}}}
	// The sums of two points are 3, 5, 7 and 9. Both naive errors are 4: 7 - 3 and 9 - 5.
	o, err := e.Outcome([]float64{1, 2, 3, 4, 5}, 2, 13)
	if err != nil {
		t.Fatal(err)
	}
	if o.Error != 3 || !slices.Equal(o.Inside, []bool{false, true}) || o.MASE == nil || *o.MASE != .75 {
		t.Errorf("13 came: %+v", o)
	}
	// By hand, the losses are .5 (13-10), .1 (13-8), .9 (13-12), .05 (13-5) and .05 (15-13).
	if want := (1.5 + .5 + .9 + .4 + .1) / 5; math.Abs(o.Pinball-want) > 1e-12 {
		t.Errorf("pinball loss %v, want %v", o.Pinball, want)
	}
	if edge, err := e.Outcome(nil, 7, 8); err != nil || !edge.Inside[0] || edge.MASE != nil {
		t.Errorf("a limit came, without history: %+v, %v", edge, err)
	}
	if flat, err := e.Outcome(make([]float64, 50), 7, 8); err != nil || flat.MASE != nil {
		t.Errorf("after a history of zeros: %+v, %v", flat, err)
	}
}

func TestInvalidOutcomesAreRejected(t *testing.T) {
	t.Parallel()
	whole := forecast.Expected{Points: 1, Median: 1, Levels: []float64{.8}, Bands: []forecast.Band{{Low: 0, High: 2}}}
	for name, change := range map[string]func(e *forecast.Expected, actual *float64){
		"no points":          func(e *forecast.Expected, _ *float64) { e.Points = 0 },
		"bands without name": func(e *forecast.Expected, _ *float64) { e.Levels = nil },
		"nothing came":       func(_ *forecast.Expected, actual *float64) { *actual = math.NaN() },
		"endless median":     func(e *forecast.Expected, _ *float64) { e.Median = math.Inf(1) },
		"a level of 1":       func(e *forecast.Expected, _ *float64) { e.Levels = []float64{1} },
	} {
		e, actual := whole, 1.0
		change(&e, &actual)
		if _, err := e.Outcome(nil, 7, actual); fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("%s: %v, want it refused", name, err)
		}
	}
}
