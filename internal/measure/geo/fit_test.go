package geo_test

import (
	"encoding/json"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/internal/fault"
	"assay/internal/measure/geo"
)

func methods() []geo.Method {
	return []geo.Method{
		geo.Scaled, geo.Synthetic, geo.Demeaned, geo.Augmented, geo.SynthDiD, geo.DiD, geo.TBR, geo.Ensemble,
	}
}

func tested(p *geo.Panel, length int, treated ...geo.Region) geo.Test {
	return geo.Test{Treated: treated, Start: len(p.Periods) - length, End: len(p.Periods) - 1}
}

// raise returns the panel with the treated regions' outcome in the test increased by the lift.
func raise(p *geo.Panel, test geo.Test, lift float64) *geo.Panel {
	raised := &geo.Panel{Regions: p.Regions, Periods: p.Periods}
	for r, y := range p.Values {
		y = slices.Clone(y)
		if slices.Contains(test.Treated, p.Regions[r]) {
			for t := test.Start; t <= test.End; t++ {
				y[t] *= 1 + lift
			}
		}
		raised.Values = append(raised.Values, y)
	}
	return raised
}

func TestSimulatedLiftIsEstimated(t *testing.T) {
	t.Parallel()
	p := simulate(market{regions: 40, periods: 150, autocorrelation: .3}, 3)
	test := tested(p, 28, "r004", "r011", "r023")
	for _, m := range methods() {
		r := fit(t, raise(p, test, .15), test, geo.Options{Method: m, Draws: 150})
		// The tolerance of 4 percentage points is about three standard errors of the noisiest method on this panel.
		near(t, string(m)+" lift", r.Lift, .15, .04)
		if r.P > .05 || r.Interval == nil || r.Interval.Low <= 0 {
			t.Errorf("%s: a lift of 15%% has p %v and interval %v", m, r.P, r.Interval)
		}
		near(t, string(m)+" incremental", r.Incremental, r.ATT*3*28, 1e-6*math.Abs(r.Incremental))
	}
}

func TestResultDoesNotDependOnTheNumberOfCores(t *testing.T) {
	p := simulate(market{regions: 30, periods: 120, autocorrelation: .3}, 4)
	test := tested(p, 14, "r004", "r011")
	answers := func() string {
		var all []any
		for _, m := range methods() {
			all = append(all, fit(t, p, test, geo.Options{Method: m, Draws: 60, Cost: 100}))
		}
		plans, err := geo.Search(p, geo.SearchOptions{Sizes: []int{2}, Duration: 14, Windows: 4, Draws: 40})
		if err != nil {
			t.Fatal(err)
		}
		candidates, err := geo.Select(p, geo.SelectionOptions{Sizes: []int{2}, Durations: []int{14}})
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(append(all, plans, candidates))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	one := answers()
	runtime.GOMAXPROCS(4)
	if four := answers(); one != four {
		t.Error("the answers on one core and on four differ")
	}
}

// The estimated effect has the outcome's unit. The order and the names of regions do not change it.
func TestEffectScalesWithTheUnitAndNothingElseMatters(t *testing.T) {
	t.Parallel()
	p := simulate(market{regions: 24, periods: 100}, 5)
	test := tested(p, 14, "r004", "r011")
	cents := &geo.Panel{Periods: p.Periods, Regions: p.Regions}
	turned := &geo.Panel{Periods: p.Periods}
	for r := range p.Values {
		y := slices.Clone(p.Values[r])
		for t := range y {
			y[t] *= 100
		}
		cents.Values = append(cents.Values, y)
		turned.Values = append(turned.Values, p.Values[len(p.Values)-1-r])
		turned.Regions = append(turned.Regions, p.Regions[r])
	}
	mirrored := geo.Test{
		Treated: []geo.Region{p.Regions[len(p.Regions)-1-4], p.Regions[len(p.Regions)-1-11]},
		Start:   test.Start, End: test.End,
	}
	for _, m := range methods() {
		o := geo.Options{Method: m, Draws: 300}
		plain, hundred, other := fit(t, p, test, o), fit(t, cents, test, o), fit(t, turned, mirrored, o)
		near(t, string(m)+" in cents", hundred.ATT, 100*plain.ATT, 1e-4*math.Abs(plain.ATT))
		near(t, string(m)+" p in cents", hundred.P, plain.P, 1e-9)
		near(t, string(m)+" with regions turned round", other.ATT, plain.ATT, 1e-6*math.Abs(plain.ATT))
	}
}

func TestIdenticalRegionsHaveNoEffectAndNoNaN(t *testing.T) {
	t.Parallel()
	p := simulate(market{regions: 12, periods: 60}, 6)
	for r := range p.Values {
		p.Values[r] = p.Values[0]
	}
	test := tested(p, 10, "r004")
	for _, m := range methods() {
		r := fit(t, p, test, geo.Options{Method: m, Cost: 10})
		near(t, string(m), r.ATT, 0, 1e-6*p.Values[0][0])
		if _, err := json.Marshal(r); err != nil {
			t.Errorf("%s: %v", m, err)
		}
	}
}

func TestConstantSeriesHaveAResult(t *testing.T) {
	t.Parallel()
	p := simulate(market{regions: 8, periods: 40}, 7)
	for r := range p.Values {
		p.Values[r] = slices.Repeat([]float64{float64(r + 1)}, 40)
	}
	for _, m := range methods() {
		r, err := geo.Fit(p, tested(p, 5, "r003"), geo.Options{Method: m})
		if m == geo.TBR {
			if fault.KindOf(err) != fault.KindInvalid {
				t.Errorf("a regression on a constant gave %v, %v", r, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", m, err)
			continue
		}
		if _, err := json.Marshal(r); err != nil {
			t.Errorf("%s: %v", m, err)
		}
	}
}

func TestTooFewPlaceboSetsFallBackToTheTestInTime(t *testing.T) {
	t.Parallel()
	p := simulate(market{regions: 8, periods: 90}, 8)
	r := fit(t, p, tested(p, 10, "r003"), geo.Options{})
	if r.Inference != geo.Conformal || r.Interval == nil ||
		!strings.Contains(strings.Join(r.Notes, "\n"), "7 placebo sets") {
		t.Errorf("with 7 donors inference is %s, interval %v, notes %q; 1/8 cannot be below 0.05",
			r.Inference, r.Interval, r.Notes)
	}
	if r := fit(t, p, tested(p, 10, "r003"), geo.Options{Alpha: .2}); r.Inference != geo.Placebo {
		t.Errorf("at 0.2 seven sets are enough, inference is %s", r.Inference)
	}
}

func TestCooldownIsReportedWithTheTest(t *testing.T) {
	t.Parallel()
	p := simulate(market{regions: 24, periods: 100}, 9)
	test := geo.Test{Treated: []geo.Region{"r004", "r011"}, Start: 70, End: 83, Cooldown: 7}
	with := fit(t, p, test, geo.Options{})
	test.Cooldown = 0
	without := fit(t, p, test, geo.Options{})
	test.End += 7
	long := fit(t, p, test, geo.Options{})
	if with.ATT != without.ATT || with.Cooldown.ATT != long.ATT || with.Cooldown.Periods != 21 || without.Cooldown != nil {
		t.Errorf("with cooldown %v and %+v, without %v, over both %v", with.ATT, with.Cooldown, without.ATT, long.ATT)
	}
}

func TestEnsembleEstimateIsBetweenItsMembers(t *testing.T) {
	t.Parallel()
	p := simulate(market{regions: 24, periods: 140, autocorrelation: .5}, 10)
	r := fit(t, p, tested(p, 14, "r004", "r011"), geo.Options{Method: geo.Ensemble, Draws: 60})
	var sum, att float64
	for _, m := range r.Members {
		if m.Weight <= 0 || m.Error <= 0 {
			t.Errorf("member %+v has no weight or no error", m)
		}
		sum += m.Weight
		att += m.Weight * m.ATT
	}
	near(t, "weights", sum, 1, 1e-12)
	near(t, "ATT", r.ATT, att, 1e-9*math.Abs(att))
}

func TestBadTestsAreNamed(t *testing.T) {
	t.Parallel()
	p := simulate(market{regions: 6, periods: 40}, 11)
	silent := simulate(market{regions: 6, periods: 40}, 11)
	silent.Values[2] = append(make([]float64, 30), silent.Values[2][30:]...)
	one := []geo.Region{"r001"}
	cases := []struct {
		name  string
		panel *geo.Panel
		test  geo.Test
		o     geo.Options
		want  string
	}{
		{"too few periods", p, geo.Test{
			Treated: one, Start: 4, End: 10,
		}, geo.Options{}, "4 periods before the test are too few"},
		{"no donors", p, geo.Test{Treated: p.Regions, Start: 20, End: 30}, geo.Options{}, "there are no donors"},
		{"no treated region", p, geo.Test{Start: 20, End: 30}, geo.Options{}, "no treated region"},
		{
			"unknown region", p,
			geo.Test{Treated: []geo.Region{"atlantis"}, Start: 20, End: 30},
			geo.Options{},
			`"atlantis" is not among the 6`,
		},
		{
			"region named twice", p,
			geo.Test{Treated: []geo.Region{"r001", "r001"}, Start: 20, End: 30},
			geo.Options{},
			"named twice",
		},
		{"reversed window", p, geo.Test{Treated: one, Start: 30, End: 20}, geo.Options{}, "ends before it starts"},
		{"window beyond the panel", p, geo.Test{Treated: one, Start: 30, End: 40}, geo.Options{}, "but the panel has the periods 1 to 40"},
		{
			"cooldown beyond the panel", p,
			geo.Test{Treated: one, Start: 30, End: 38, Cooldown: 5},
			geo.Options{},
			"with its cooldown",
		},
		{"silent region", silent, geo.Test{
			Treated: one, Start: 25, End: 38,
		}, geo.Options{}, `"r002" is zero in every period`},
		{"unknown method", p, geo.Test{Treated: one, Start: 30, End: 38}, geo.Options{
			Method: "magic",
		}, `unknown method "magic"`},
		{"unknown inference", p, geo.Test{Treated: one, Start: 30, End: 38}, geo.Options{
			Inference: "faith",
		}, `unknown inference "faith"`},
		{"alpha beyond 1", p, geo.Test{Treated: one, Start: 30, End: 38}, geo.Options{Alpha: 5}, "alpha is 5"},
	}
	for _, c := range cases {
		r, err := geo.Fit(c.panel, c.test, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) || fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("%s: result %v, error %v; want %q", c.name, r, err, c.want)
		}
	}
}

func TestPanelArrangesRowsInAnyOrder(t *testing.T) {
	t.Parallel()
	at := func(x float64, label string) geo.Period { return geo.Period{At: x, Label: label} }
	p, err := geo.NewPanel([]geo.Row{
		{"b", at(2012.25, "2012.25"), 4},
		{"a", at(2012, "2012.0"), 1},
		{"b", at(2012, "2012.0"), 3},
		{"a", at(2012.25, "2012.25"), 2},
	}, geo.Refuse)
	if err != nil {
		t.Fatal(err)
	}
	want := &geo.Panel{
		Regions: []geo.Region{"a", "b"}, Periods: []geo.Period{
			at(2012, "2012.0"), at(2012.25, "2012.25"),
		}, Values: [][]float64{{1, 2}, {3, 4}},
	}
	if diff := cmp.Diff(want, p, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("panel (-want +got):\n%s", diff)
	}
}

func TestBadRowsAreNamed(t *testing.T) {
	t.Parallel()
	day := geo.Period{At: 1, Label: "2025-01-01"}
	next := geo.Period{At: 2, Label: "2025-01-02"}
	for name, c := range map[string]struct {
		rows []geo.Row
		want string
	}{
		"none":       {nil, "no rows"},
		"duplicate":  {[]geo.Row{{"a", day, 1}, {"a", day, 2}}, `"a" has two rows in period 2025-01-01`},
		"hole":       {[]geo.Row{{"a", day, 1}, {"b", next, 2}, {"a", next, 3}}, `"b" has no row in period 2025-01-01`},
		"no region":  {[]geo.Row{{"", day, 1}}, "has no region"},
		"not finite": {[]geo.Row{{"a", day, math.NaN()}}, "want a finite number"},
		"no time": {[]geo.Row{
			{"a", geo.Period{At: math.Inf(1), Label: "never"}, 1},
		}, `region "a": invalid period "never"`},
	} {
		if _, err := geo.NewPanel(c.rows, geo.Refuse); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
	p, err := geo.NewPanel([]geo.Row{{"a", day, 1}, {"b", next, 2}, {"a", next, 3}}, geo.Zero)
	if err != nil || p.Values[1][0] != 0 {
		t.Errorf("a hole as zero gave %+v, %v", p, err)
	}
}

// FuzzPanel checks that any rows give an error or a complete panel. A fit on the panel must give an error or a result
// without NaN.
func FuzzPanel(f *testing.F) {
	f.Add([]byte("aabbccdd"), 3.0, 1.0)
	f.Add([]byte{0, 0, 0, 1, 255, 3, 9, 9}, math.NaN(), 1e300)
	f.Fuzz(func(t *testing.T, text []byte, value, step float64) {
		var rows []geo.Row
		for i, c := range text {
			name := geo.Region(string(rune('a' + c%4)))
			if c == 0 {
				name = ""
			}
			rows = append(rows, geo.Row{
				Region: name, Period: geo.Period{At: float64(c/4) * step, Label: "p"}, Value: value * float64(i),
			})
		}
		p, err := geo.NewPanel(rows, geo.Zero)
		if err != nil {
			return
		}
		for _, y := range p.Values {
			if len(y) != len(p.Periods) || slices.ContainsFunc(y, math.IsNaN) {
				t.Fatalf("row %v of %d periods", y, len(p.Periods))
			}
		}
		r, err := geo.Fit(p, geo.Test{Treated: p.Regions[:1], Start: len(p.Periods) / 2, End: len(p.Periods) - 1},
			geo.Options{Draws: 5})
		if err != nil {
			return
		}
		if _, err := json.Marshal(r); err != nil {
			t.Fatalf("%v: %+v", err, r)
		}
	})
}
