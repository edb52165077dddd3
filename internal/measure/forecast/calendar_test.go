package forecast

import (
	"math"
	"testing"

	"assay/internal/fault"
	"assay/internal/measure/stats"
)

// flat is a calendar with the same factor for every point.
func flat(points, horizon int, factor, sd float64) *Calendar {
	c := &Calendar{Factors: make([]float64, points+horizon), Covariance: make([][]float64, horizon)}
	for t := range c.Factors {
		c.Factors[t] = factor
	}
	for h := range c.Covariance {
		c.Covariance[h] = make([]float64, horizon)
		for k := range c.Covariance[h] {
			c.Covariance[h][k] = sd * sd
		}
	}
	return c
}

func wavy(n int) []float64 {
	chance := stats.Stream(5, 1)
	out := make([]float64, n)
	for t := range out {
		out[t] = 100 + 10*math.Sin(2*math.Pi*float64(t)/7) + 5*chance.NormFloat64()
	}
	return out
}

func TestACalendarOfOnesChangesNothing(t *testing.T) {
	t.Parallel()
	values := wavy(200)
	ask := Ask{Horizon: 14, Season: 7, Levels: []float64{.9}}
	plain := predicted(t, values, ask)
	ask.Calendar = flat(len(values), ask.Horizon, 1, 0)
	with := predicted(t, values, ask)
	for h := range plain.Points {
		if plain.Points[h] != with.Points[h] || plain.Bands[0][h] != with.Bands[0][h] {
			t.Fatalf("step %d: %v in %v, without a calendar %v in %v", h, with.Points[h], with.Bands[0][h], plain.Points[h], plain.Bands[0][h])
		}
	}
}

// A future day has three times the usual value. Its forecast is three times the forecast without the calendar, and the
// total includes it.
func TestFutureFactorsMultiplyTheForecast(t *testing.T) {
	t.Parallel()
	values := wavy(200)
	ask := Ask{Horizon: 14, Season: 7, Levels: []float64{.9}}
	plain := predicted(t, values, ask)
	ask.Calendar = flat(len(values), ask.Horizon, 1, 0)
	ask.Calendar.Factors[len(values)+4] = 3
	with := predicted(t, values, ask)
	if got, want := with.Points[4], 3*plain.Points[4]; math.Abs(got-want) > 1e-9 {
		t.Errorf("forecast of the day %v, want %v", got, want)
	}
	before, err := plain.Total(14)
	if err != nil {
		t.Fatal(err)
	}
	after, err := with.Total(14)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := after.Value, before.Value+2*plain.Points[4]; math.Abs(got-want) > 1e-9 {
		t.Errorf("total %v, want %v", got, want)
	}
}

// A log standard deviation of 0.3 that all days share dominates the error of the total: its 90% interval is about
// exp(±1.645·0.3). The tolerance 0.1 is for the model's own error.
func TestUncertainFactorsWidenDaysAndTotals(t *testing.T) {
	t.Parallel()
	for name, values := range map[string][]float64{"positive": wavy(300), "with a zero": append([]float64{0}, wavy(300)...)} {
		ask := Ask{Horizon: 14, Season: 7, Levels: []float64{.9}}
		ask.Calendar = flat(len(values), ask.Horizon, 1, 0.3)
		p := predicted(t, values, ask)
		total, err := p.Total(14)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := total.Bands[0].High/total.Value, math.Exp(1.645*0.3); math.Abs(got-want) > 0.1 {
			t.Errorf("%s: upper limit of the total / median %.3f, want about %.3f", name, got, want)
		}
		if got := p.Bands[0][0].High / p.Points[0]; got < 1.4 {
			t.Errorf("%s: upper limit of the first day / median %.3f, want at least 1.4", name, got)
		}
	}
}

func TestAnIncompleteCalendarIsInvalid(t *testing.T) {
	t.Parallel()
	values := wavy(100)
	short, negative := flat(len(values), 5, 1, 0), flat(len(values), 14, 1, 0)
	negative.Factors[3] = -1
	for name, c := range map[string]*Calendar{"short": short, "negative": negative} {
		if _, err := Predict(values, Ask{Horizon: 14, Season: 7, Calendar: c}); fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("%s: %v, want a fault of kind invalid", name, err)
		}
	}
}
