package geo_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"assay/internal/fault"
	"assay/internal/measure/geo"
	"assay/internal/measure/stats"
)

// series returns columns of a reference file.
func series(t testing.TB, file string, columns ...int) [][]float64 {
	t.Helper()
	out := make([][]float64, len(columns))
	for _, line := range table(t, file, ',') {
		for i, c := range columns {
			v, err := strconv.ParseFloat(line[c], 64)
			if err != nil {
				t.Fatal(err)
			}
			out[i] = append(out[i], v)
		}
	}
	return out
}

// The expected values are summaries of the R package CausalImpact. They are published with the data, come from
// simulation and are printed to two or three digits. The tolerance is 5% of the width of each interval, or half a unit
// of the last digit if that is larger.
func TestInterruptedSeriesMatchCausalImpact(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file                      string
		columns                   []int
		after                     int
		predicted, sd             float64
		effect, low, high         float64
		digit                     float64
		relative, relLow, relHigh float64
		relativeDigit             float64
		tailFrom, tailTo          float64
	}{
		{"causalimpact_google_data.csv", []int{0, 1, 2}, 30, 129, 4.5, 27, 18, 36, .5, .21, .14, .28, .005, 0, .005},
		{
			"causalimpact_comparison_data.csv",
			[]int{1, 2, 3, 4},
			18, 79232, 736, -657, -2076, 832, .5, -.0083, -.026,
			.01, .0005, .15, .25,
		},
		{"causalimpact_arma_data.csv", []int{0, 1}, 30, 120, .3, .89, .27, 1.5, .05, .0074, .0022, .012, .0005, 0, .01},
	} {
		all := series(t, c.file, c.columns...)
		r, err := geo.Interrupted(all[0], all[1:], len(all[0])-c.after, geo.ImpactOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %+v", c.file, r)
		room := max(c.digit, .05*(c.high-c.low))
		near(t, c.file+": effect", r.Average.Value, c.effect, room)
		near(t, c.file+": lower end", r.Average.Low, c.low, room)
		near(t, c.file+": upper end", r.Average.High, c.high, room)
		near(t, c.file+": prediction", r.Predicted.Value, c.predicted, max(.5, room))
		near(t, c.file+": its deviation", r.Predicted.SD, c.sd, .1*c.sd+.05)
		room = max(c.relativeDigit, .05*(c.relHigh-c.relLow))
		near(t, c.file+": relative effect", r.Relative.Value, c.relative, room)
		if r.Tail < c.tailFrom || r.Tail > c.tailTo {
			t.Errorf("%s: tail probability %v, want %v to %v", c.file, r.Tail, c.tailFrom, c.tailTo)
		}
	}
}

func TestSimulatedShiftIsEstimatedWithoutCovariates(t *testing.T) {
	t.Parallel()
	rng := stats.Stream(5, 5)
	y := make([]float64, 120)
	for i := range y {
		y[i] = 1000 + 20*rng.NormFloat64()
		if i >= 100 {
			y[i] += 50
		}
	}
	r, err := geo.Interrupted(y, nil, 100, geo.ImpactOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !(r.Average.Low > 0 && r.Average.Low < 50 && r.Average.High > 50) || r.Tail > .01 {
		t.Errorf("a shift of 50 gave %+v", r)
	}
	near(t, "cumulative", r.Cumulative.Value, 20*r.Average.Value, 1e-6)
	again, _ := geo.Interrupted(y, nil, 100, geo.ImpactOptions{})
	if *again != *r {
		t.Error("the same seed gave another result")
	}
}

func TestBadSeriesAreNamed(t *testing.T) {
	t.Parallel()
	y := make([]float64, 40)
	for i := range y {
		y[i] = float64(i % 7)
	}
	holed := append([]float64{math.NaN()}, y[1:]...)
	for want, c := range map[string]struct {
		y     []float64
		x     [][]float64
		start int
	}{
		"at least 10 periods before": {y, nil, 5},
		"position 40 of 40":          {y, nil, 40},
		"a covariate has 3 periods":  {y, [][]float64{{1, 2, 3}}, 30},
		"NaN in period 1":            {holed, nil, 30},
		"is constant":                {make([]float64, 40), nil, 30},
	} {
		if _, err := geo.Interrupted(c.y, c.x, c.start, geo.ImpactOptions{}); fault.KindOf(err) != fault.KindInvalid ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
