package geo

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"assay/internal/civil"
	"assay/internal/measure/stats/statstest"
)

// The panel has 20 periods. A test needs five periods before it, and ends with its cooldown in the last period or before.
func TestTestsMustFitThePanel(t *testing.T) {
	t.Parallel()
	p := noisy(4, 20)
	one := []Region{"c"}
	for _, c := range []struct {
		test Test
		want string
	}{
		{Test{one, 5, 19, 0}, ""},
		{Test{one, 5, 17, 2}, ""},
		{Test{one, 19, 19, 0}, ""},
		{Test{one, 4, 19, 0}, "4 periods before the test are too few; at least 5 periods are needed"},
		{Test{one, 5, 20, 0}, "the test with its cooldown runs from period 6 to 21, but the panel has the periods 1 to 20"},
		{Test{one, 5, 17, 3}, "the test with its cooldown runs from period 6 to 21, but the panel has the periods 1 to 20"},
		{Test{one, -1, 3, 0}, "the test with its cooldown runs from period 0 to 4, but the panel has the periods 1 to 20"},
		{Test{one, 0, 3, 0}, "0 periods before the test are too few"},
		{Test{one, 8, 9, -1}, "the test with its cooldown runs from period 9 to 9"},
		{Test{one, 8, 7, 0}, "the test ends before it starts (period 9 of the panel after period 8)"},
		{Test{p.Regions, 8, 9, 0}, "all 4 regions are treated: there are no donors"},
		{Test{[]Region{"z"}, 8, 9, 0}, `the treated region "z" is not among the 4 regions of the panel`},
		{Test{[]Region{"c", "a", "c"}, 8, 9, 0}, `the treated region "c" is named twice`},
	} {
		treated, donors, err := p.check(c.test)
		if c.want == "" {
			if err != nil || !slices.Equal(treated, []int{2}) || !slices.Equal(donors, []int{0, 1, 3}) {
				t.Errorf("%+v: treated %v, donors %v, %v", c.test, treated, donors, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.test, err, c.want)
		}
	}
	clear(p.Values[1][:8])
	if _, _, err := p.check(Test{one, 8, 9, 0}); err == nil ||
		!strings.Contains(err.Error(), `region "b" is zero in every period before the test`) {
		t.Errorf("a silent donor: %v", err)
	}
	if _, _, err := p.check(Test{one, 9, 9, 0}); err != nil {
		t.Errorf("a donor with an outcome in one period: %v", err)
	}
}

func TestPanelsFindPeriodsAndRegions(t *testing.T) {
	t.Parallel()
	p := noisy(4, 20)
	if at, err := p.Find("07"); at != 7 || err != nil {
		t.Errorf("period 07 is at %d, %v", at, err)
	}
	if _, err := p.Find("x"); err == nil || !strings.Contains(err.Error(), "no period x: the first is 00, the last 19") {
		t.Errorf("period x: %v", err)
	}
	rest, err := p.Without("c", "a")
	if err != nil || !slices.Equal(rest.Regions, []Region{"b", "d"}) || rest.Values[1][3] != p.Values[3][3] ||
		len(rest.Periods) != 20 {
		t.Errorf("%v, %v; want b and d", rest, err)
	}
	if got := p.String(); got != "4 regions in 20 periods" {
		t.Errorf("panel %q", got)
	}
	day, next := Day(civil.MustParse("2025-02-28")), Day(civil.MustParse("2025-03-01"))
	if day.Label != "2025-02-28" || next.At-day.At != 1 {
		t.Errorf("days %+v and %+v", day, next)
	}
	for value, ok := range map[float64]bool{1e100: true, -1e100: true, 1.1e100: false, -1.1e100: false, math.Inf(-1): false} {
		if err := checkRow(Row{Region: "a", Period: day, Value: value}); (err == nil) != ok {
			t.Errorf("an outcome of %v: %v", value, err)
		}
	}
	rows := []Row{{"a", day, 1}, {"a", next, 1}, {"a", next, 2}}
	_, err = NewPanel(rows, Zero)
	if bad, ok := errors.AsType[*RowError](err); !ok || bad.Row != 2 || bad.Unwrap() == nil {
		t.Errorf("%v, want an error about row 2", err)
	}
	rows[1].Region = ""
	_, err = NewPanel(rows, Zero)
	if bad, ok := errors.AsType[*RowError](err); !ok || bad.Row != 1 {
		t.Errorf("%v, want an error about row 1", err)
	}
}

// Work is done once for each index, by workers with their own scratch space.
func TestEachIndexIsDoneOnce(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 100} {
		done := make([]int, n)
		each(n, newBench, func(b *bench, i int) {
			if b == nil {
				t.Error("a worker has no scratch space")
			}
			done[i]++
		})
		for i, times := range done {
			if times != 1 {
				t.Errorf("index %d of %d is done %d times", i, n, times)
			}
		}
	}
}

// Equal weights for difference in differences, and weights in proportion to the level for its scaled form.
func TestFixedWeights(t *testing.T) {
	t.Parallel()
	p := small(constant(10, 8), constant(30, 8), constant(10, 8), constant(50, 8))
	for m, want := range map[Method][]float64{DiD: {1. / 3, 1. / 3, 1. / 3}, ScaledDiD: {3. / 9, 1. / 9, 5. / 9}} {
		e := newEstimator(p, m, before(6, 7), []int{0}, []int{1, 2, 3})
		for i, w := range e.weights(newBench(), e.target([]int{0}), []int{1, 2, 3}) {
			statstest.Near(t, string(m)+": weight", w, want[i], 1e-6)
		}
	}
	silent := newEstimator(small(constant(1, 8), constant(0, 8), constant(0, 8)), ScaledDiD, before(6, 7), []int{0}, []int{1, 2})
	for _, w := range silent.fixed(newBench(), []int{1, 2}) {
		statstest.Near(t, "weight of a silent donor", w, .5, 1e-6)
	}
	for m, form := range map[Method]form{
		Synthetic: levels, Scaled: scaled, ScaledDiD: scaled, Ensemble: scaled, Combined: scaled, Demeaned: demeaned, DiD: demeaned,
		SynthDiD: demeaned,
	} {
		if m.form() != form {
			t.Errorf("form of %s is %v, want %v", m, m.form(), form)
		}
	}
}

// The loss is the squared gap over the periods before the test.
func TestLossIsTheSquaredGap(t *testing.T) {
	t.Parallel()
	p := noisy(6, 30)
	e := newEstimator(p, Scaled, before(24, 29), []int{0, 1}, []int{2, 3, 4, 5})
	b, g := newBench(), e.target([]int{0, 1})
	w := []float64{.5, 0, .2, .3}
	series, sum := e.series(g), 0.0
	after := 0.0
	for s := range series {
		gap := series[s]
		for i, weight := range w {
			gap -= weight * e.z[2+i][s]
		}
		if s < 24 {
			sum += gap * gap
		} else {
			after += gap / 6
		}
	}
	statstest.Near(t, "loss", e.loss(b, g, []int{2, 3, 4, 5}, w), sum, 1e-6)
	statstest.Near(t, "contrast", e.contrast(b, g, []int{2, 3, 4, 5}, w), after, 1e-6)
	r := e.read(b, []int{0, 1}, []int{2, 3, 4, 5})
	own := e.weights(b, g, []int{2, 3, 4, 5})
	statstest.Near(t, "effect", r.effect, e.contrast(b, g, []int{2, 3, 4, 5}, own)*g.unit/g.level, 1e-6)
	statstest.Near(t, "fit", r.fit, math.Sqrt(e.loss(b, g, []int{2, 3, 4, 5}, own)/24)*g.unit/g.level, 1e-6)
	if r.level != g.level || r.fixed {
		t.Errorf("reading %+v", r)
	}
}

// Time weights match the donors' past to their mean in the test: the donors in the test are as in periods 2 and 5.
func TestTimeWeightsMatchThePast(t *testing.T) {
	t.Parallel()
	past := [][]float64{
		{1, 2, 0, 5, 4, 3},
		{9, 1, 4, 0, 3, 7},
		{2, 6, 8, 1, 0, 1},
		{4, 4, 1, 7, 9, 2},
		{0, 8, 3, 3, 1, 6},
		{5, 0, 2, 4, 6, 8},
		{3, 3, 9, 2, 5, 0},
		{7, 5, 5, 6, 2, 4},
	}
	var values [][]float64
	values = append(values, []float64{3, 1, 4, 1, 5, 9, 2, 6})
	for _, y := range past {
		mean := .25*y[2] + .75*y[5] + 11 // up to a constant
		values = append(values, append(slices.Clone(y), mean, mean))
	}
	p := small(values...)
	donors := []int{1, 2, 3, 4, 5, 6, 7, 8}
	e := newEstimator(p, SynthDiD, before(6, 7), []int{0}, donors)
	for s, want := range []float64{0, 0, .25, 0, 0, .75} {
		if got := e.timeWeights(newBench(), donors)[s]; math.Abs(got-want) > 1e-6 {
			t.Errorf("weight of period %d is %v, want %v", s, got, want)
		}
	}
	// The ridge of the unit weights is (number of treated periods)^¼ times the noise.
	statstest.Near(t, "zeta", e.zeta, math.Pow(2, .25)*noise(p.Values, donors, 6), 1e-6)
	two := newEstimator(p, SynthDiD, before(6, 7), []int{0, 1}, donors[1:])
	statstest.Near(t, "zeta of two regions", two.zeta, math.Sqrt2*noise(p.Values, donors[1:], 6), 1e-6)
}
