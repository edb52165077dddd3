package forecast

import (
	"math"
	"testing"
)

func TestASeasonNeedsThreeCycles(t *testing.T) {
	t.Parallel()
	spikes := make([]float64, 36)
	for i := 5; i < len(spikes); i += 12 {
		spikes[i] = 10
	}
	for _, c := range []struct {
		values []float64
		season int
		want   bool
	}{{spikes, 12, true}, {spikes[:35], 12, false}, {spikes, 5, false}, {spikes, 1, false}, {nil, 12, false}} {
		if got := isSeasonal(c.values, c.season); got != c.want {
			t.Errorf("%d points with a season of %d: %v", len(c.values), c.season, got)
		}
	}
}

func TestForecastsOfLogarithmsAreFinite(t *testing.T) {
	t.Parallel()
	for expected, want := range map[float64]float64{-1: math.Exp(-1), 700: math.Exp(700), 701: math.Exp(700), 1e9: math.Exp(700)} {
		out := make([]float64, 1)
		logarithmic{&recorder{expected: expected}}.ahead(out)
		if out[0] != want {
			t.Errorf("the exponential of %v is %v, want %v", expected, out[0], want)
		}
	}
}

// The expected values are kernel estimates with Silverman's bandwidth, computed in Python.
func TestChancesOfATotal(t *testing.T) {
	t.Parallel()
	draws := []float64{8, 9, 10, 13}
	for _, c := range []struct {
		total        Total
		target, want float64
	}{
		{Total{draws: draws, count: 32}, 8, 0.876987376859},
		{Total{draws: draws, count: 32}, 10, 0.406506640815},
		{Total{draws: draws, count: 32}, 12.5, 0.155295886254},
		{Total{draws: draws, count: 4}, 11, 0.284640200094},
		{Total{draws: draws, count: 32}, 30, 0.5 / 33},
		{Total{draws: draws, count: 32}, -9, 1 - 0.5/33},
		{Total{draws: draws, count: 4}, 30, 0.1},
		{Total{draws: draws, count: 4}, -9, 0.9},
		{Total{Value: 5, draws: []float64{5, 5}, count: 4}, 5, 0.9},
		{Total{Value: 5, draws: []float64{5, 5}, count: 4}, 5.1, 0.1},
	} {
		if got := c.total.Reaches(c.target); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v of %v errors reach %v with %v, want %v", c.total.draws, c.total.count, c.target, got, c.want)
		}
	}
}

// Errors grow from day 60, so each day of the shift has its own error.
func TestTheExcessIsTheMeanErrorSinceTheShift(t *testing.T) {
	t.Parallel()
	errors := make([]float64, 120)
	for i := range errors {
		errors[i] = 0.2 - 0.4*float64(i%2)
		if i >= 60 {
			errors[i] = 1 + float64(i-60)/4
		}
	}
	errors[62] = math.NaN()
	alarms, err := Drifts(errors, 180)
	if err != nil || len(alarms) == 0 {
		t.Fatalf("%v, %v", alarms, err)
	}
	if got, want := alarms[0], (Alarm{At: 65, Since: 59, Up: true, Excess: 1.65}); got.At != want.At || got.Since != want.Since || got.Up != want.Up || math.Abs(got.Excess-want.Excess) > 1e-9 {
		t.Errorf("%+v, want %+v", got, want)
	}
}
