package check

import (
	"math"
	"slices"
	"strings"
	"testing"

	"assay/internal/fault"
	"assay/internal/measure/mmm"
	"assay/internal/measure/stats"
)

func TestSlicesAreReadFromWords(t *testing.T) {
	t.Parallel()
	if got, err := ParseSlices("104:2:3"); err != nil || got != (Slices{First: 104, Horizon: 2, Step: 3}) {
		t.Errorf("104:2:3 is %+v, %v", got, err)
	}
	if got, err := ParseSlices("1:1:1"); err != nil || got != (Slices{First: 1, Horizon: 1, Step: 1}) {
		t.Errorf("1:1:1 is %+v, %v", got, err)
	}
	for _, text := range []string{"", "104", "104:1", "104:1:1:1", "0:1:1", "1:0:1", "1:1:0", "a:1:1", "1:1:b", "1:-1:1"} {
		if got, err := ParseSlices(text); got != (Slices{}) || fault.KindOf(err) != fault.KindInvalid ||
			!strings.Contains(err.Error(), "invalid slices") {
			t.Errorf("%q is %+v, %v", text, got, err)
		}
	}
	for periods, want := range map[int]Slices{104: {64, 10, 10}, 9: {5, 1, 1}, 20: {12, 2, 2}, 19: {15, 1, 1}} {
		if got := LastFour(periods); got != want {
			t.Errorf("the last four of %d periods are %+v, want %+v", periods, got, want)
		}
	}
}

func TestSlicesAreInsideTheData(t *testing.T) {
	t.Parallel()
	for _, by := range []Slices{{0, 1, 1}, {30, 0, 1}, {30, 1, 0}, {40, 1, 1}, {36, 5, 1}} {
		_, err := Backtested(toy(), mmm.Spec{}, mmm.Sampling{}, by)
		if fault.KindOf(err) != fault.KindInvalid || !strings.Contains(err.Error(), "cannot be cut from 40 periods") {
			t.Errorf("%+v: %v", by, err)
		}
	}
	d := toy()
	d.Target = d.Target[1:]
	if _, err := Backtested(d, mmm.Spec{}, mmm.Sampling{}, Slices{30, 5, 5}); err == nil ||
		!strings.Contains(err.Error(), "target has 39 values") {
		t.Errorf("invalid data: %v", err)
	}
	if _, err := PlaceboOf(toy(), mmm.Spec{}, mmm.Sampling{}, "print"); err == nil ||
		!strings.Contains(err.Error(), `no channel "print" for a placebo test`) {
		t.Errorf("a placebo of an unknown channel: %v", err)
	}
}

// Folds of fewer than 26 periods have no figures.
func TestFoldsWithoutFiguresAreCounted(t *testing.T) {
	t.Parallel()
	b, err := Backtested(until(toy(), 25), mmm.Spec{}, mmm.Sampling{}, Slices{First: 10, Horizon: 4, Step: 4})
	if err != nil {
		t.Fatal(err)
	}
	var fitted []int
	for _, s := range b.Slices {
		fitted = append(fitted, s.Fitted)
		if s.Status != mmm.NotReportable || len(s.Reasons) == 0 || s.Rows != nil {
			t.Errorf("fold %+v", s)
		}
	}
	if !slices.Equal(fitted, []int{10, 14, 18}) || b.Refused != 3 {
		t.Errorf("folds of %v periods, %d without figures", fitted, b.Refused)
	}
}

func TestDataOfTheFirstPeriodsKeepTheirGeos(t *testing.T) {
	t.Parallel()
	d := toyGeos()
	got := until(d, 10)
	if len(got.Dates) != 10 || len(got.Geos) != 3 || len(got.Target) != 30 || got.Target[10] != d.Target[30] ||
		got.Target[29] != d.Target[69] {
		t.Errorf("%d dates, %d geos, target %v", len(got.Dates), len(got.Geos), got.Target)
	}
	if m := got.Media[1]; m.Channel != "social" || len(m.Exposure) != 30 || m.Exposure[10] != d.Media[1].Exposure[30] ||
		m.Spend != nil {
		t.Errorf("media %+v", m)
	}
	d = toy()
	d.Controls[0].Group = "prices"
	if c := until(d, 3).Controls[0]; c.Name != "price" || c.Group != "prices" || len(c.Values) != 3 {
		t.Errorf("control %+v", c)
	}
}

// Four rows in two folds; the third fold has no figures. The bounds of intervals are inside.
func TestABacktestSummarizesItsRows(t *testing.T) {
	t.Parallel()
	spread := stats.Summary{Q05: 0, Q25: 4, Q75: 6, Q95: 10}
	roas := func(low, high float64) []mmm.ChannelEffect {
		return []mmm.ChannelEffect{{Channel: "a", ROAS: &stats.Summary{Q05: low, Q95: high}}, {Channel: "b"}}
	}
	row := func(target, score float64) Forecast {
		return Forecast{Target: target, Expected: 5, Spread: spread, LogScore: score, CRPS: 2}
	}
	b := Backtest{Slices: []Slice{
		{Status: mmm.OK, Rows: []Forecast{row(4, -1), row(10, -2)}, Effects: roas(0, 4)},
		{Status: mmm.NotReportable},
		{Status: mmm.OK, Rows: []Forecast{row(6, -3), row(-1, -6)}, Effects: roas(1, 5)},
		{Status: mmm.OK, Effects: roas(4, 5)},
	}}
	b.judge()
	// The scores have the variance 14/3, so the standard error of their sum is √(14/3 · 4).
	if b.Refused != 1 || b.Rows != 4 || b.ELPD != -12 || math.Abs(b.SE-math.Sqrt(56./3)) > 1e-12 {
		t.Errorf("%d refused, %d rows, ELPD %v ± %v", b.Refused, b.Rows, b.ELPD, b.SE)
	}
	if b.Inside50 != 0.5 || b.Inside90 != 0.75 || math.Abs(b.CRPS-8./21) > 1e-12 || b.Accuracy == nil ||
		math.Abs(b.Accuracy.WMAPE-13./21) > 1e-12 {
		t.Errorf("coverage %v and %v, CRPS %v, accuracy %+v", b.Inside50, b.Inside90, b.CRPS, b.Accuracy)
	}
	// The overlaps are 3 of 5 and 1 of 4.
	if len(b.Stability) != 1 || b.Stability[0].Channel != "a" || math.Abs(b.Stability[0].Overlap-0.25) > 1e-12 {
		t.Errorf("stability %+v", b.Stability)
	}
	none := Backtest{Slices: []Slice{{Status: mmm.NotReportable}}}
	none.judge()
	if none.Refused != 1 || none.Rows != 0 || none.CRPS != 0 || none.Accuracy != nil {
		t.Errorf("without rows: %+v", none)
	}
	one := Backtest{Slices: []Slice{{Status: mmm.OK, Rows: []Forecast{row(4, -1)}}}}
	one.judge()
	if one.Rows != 1 || one.SE != 0 || one.Accuracy != nil || one.CRPS != 0.5 || one.ELPD != -1 {
		t.Errorf("one row: %+v", one)
	}
	outside := Backtest{Slices: []Slice{{Status: mmm.OK, Rows: []Forecast{row(0, 0), row(3.9, 0), row(10.1, 0), row(6.1, 0)}}}}
	outside.judge()
	if outside.Inside50 != 0 || outside.Inside90 != 0.75 {
		t.Errorf("coverage %v and %v, want 0 and 0.75", outside.Inside50, outside.Inside90)
	}
}

func TestOverlapsOfIntervals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, b, c, d, want float64 }{
		{0, 4, 1, 5, 0.6}, {0, 1, 2, 3, 0}, {0, 1, 1, 2, 0}, {2, 2, 2, 2, 1}, {0, 4, 1, 2, 0.25}, {1, 2, 0, 4, 0.25},
	} {
		if got := overlap(stats.Summary{Q05: c.a, Q95: c.b}, stats.Summary{Q05: c.c, Q95: c.d}); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v to %v and %v to %v: %v, want %v", c.a, c.b, c.c, c.d, got, c.want)
		}
	}
	for _, c := range []struct {
		sorted  []float64
		y, want float64
	}{{[]float64{3}, 5, 2}, {[]float64{0, 4}, 0, 1}, {[]float64{0, 1, 5}, 2, (2+1+3)/3. - 10./9}} {
		// E|X - X'| / 2 is the sum of the distances of all pairs divided by n²: 4/4 and 10/9.
		if got := crps(c.sorted, c.y); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("CRPS of %v at %v: %v, want %v", c.sorted, c.y, got, c.want)
		}
	}
	if got := share([]float64{1, -1, 0, 3}, func(v float64) bool { return v >= 0 }); got != 0.75 {
		t.Errorf("share %v, want 0.75", got)
	}
}

// The prior of every period is Normal(0.3, 0.1) of the largest target, which is 1000. The central 90% are 136 to 464.
func TestObservedPeriodsAreComparedWithTheCentralInterval(t *testing.T) {
	t.Parallel()
	d := toy()
	values := []float64{100, 180, 420, 500} // below, inside, inside and above
	for i := range d.Target {
		d.Target[i] = values[i%4]
	}
	d.Target[0] = 1000
	tiny := mmm.Prior{Family: mmm.HalfNormalPrior, A: 1e-4}
	nothing := mmm.Prior{Family: mmm.NormalPrior, B: 1e-4}
	got, err := Priors(d, mmm.Spec{Priors: map[string]mmm.Prior{
		"intercept": {Family: mmm.NormalPrior, A: 0.3, B: 0.1}, "beta": tiny, "sigma": tiny, "trend": nothing, "control": nothing,
	}}, 1)
	if err != nil || got.Inside != 0.5 || got.Negative > 0.01 {
		t.Errorf("%+v, %v; want half of the periods inside", got, err)
	}
}
