package mix

import (
	"math"
	"slices"
	"strings"
	"testing"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/decide"
	"assay/internal/measure/mmm"
	"assay/internal/measure/stats"
)

func TestCalibrationsDescribeBothEstimates(t *testing.T) {
	t.Parallel()
	days := civil.Range{First: civil.MustParse("2025-03-03"), Last: civil.MustParse("2025-04-06")}
	used := Calibration{Test: Test{Channel: "search", Days: days, Lift: &mmm.Lift{DeltaX: 500, DeltaY: 900, Sigma: 300}}}
	const test = "geo experiment on search from 2025-03-03 to 2025-04-06"
	// 900/500 = 1.8, and 1.6449·300/500 = 0.99 to each side.
	const result = test + ": incremental revenue per unit of changed spend 1.80 (90% interval 0.81 to 2.79)"
	weeks := stats.Summary{Mean: 600, SD: 300, Q05: 500, Q95: 700}
	const both = result + ". The observational fit estimates 1.20 (1.00 to 1.40)"
	precise := weeks
	precise.SD = 299
	for _, c := range []struct {
		fit  *Observational
		want string
	}{
		{nil, result},
		{&Observational{Change: weeks, ZScore: 1.99}, both},
		{&Observational{Change: precise}, both + ", which is more precise than the experiment"},
		{&Observational{Change: weeks, ZScore: -2}, both + ". The estimates differ by 2.0 standard deviations"},
		{&Observational{Change: precise, ZScore: 3.14}, both +
			", which is more precise than the experiment. The estimates differ by 3.1 standard deviations"},
	} {
		used.Observational = c.fit
		if got := used.String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	unused := Calibration{Test: Test{Channel: "search", Days: days, Why: "orders are missing"}}
	if got := unused.String(); got != test+", not used in the model: orders are missing" {
		t.Errorf("unused: %q", got)
	}
	if p := used.PerCost(); p.Level != 0.9 || p.Method != measure.GeoExperiment || p.Basis != measure.Incremental {
		t.Errorf("estimate %+v", p)
	}
}

// With weights 16, 8, 4, 2 and 1 of 31, the whole effect of a week occurs within five weeks.
func TestAdstockLastsFiveWeeks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ alpha, weeks, want float64 }{
		{0.5, 6, (16 + 24 + 28 + 30 + 31 + 31) / (31 * 6.)},
		{0.5, 7, (16 + 24 + 28 + 30 + 31 + 31 + 31) / (31 * 7.)},
		{0, 1, 1},
		{0, 3, 1},
		{1, 1, 0.2},
		{1, 5, 0.6},
		{0.5, 0.5, 16. / 31},
	} {
		if got := shown(c.alpha, c.weeks); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("alpha %v, %v weeks: %v, want %v", c.alpha, c.weeks, got, c.want)
		}
	}
	// Adstock has the prior Beta(1, 3). In one week, the share is the mean of (1 - α) / (1 - α⁵): 0.7603, by integration
	// of 3 (1 - α)².
	var want, square float64
	const steps = 100_000
	for i := range steps {
		alpha := (float64(i) + 0.5) / steps
		share := (1 - alpha) / (1 - math.Pow(alpha, 5))
		want += 3 * (1 - alpha) * (1 - alpha) * share / steps
		square += 3 * (1 - alpha) * (1 - alpha) * share * share / steps
	}
	share, sd := Shown(7)
	if math.Abs(share-want) > 1e-3 || math.Abs(sd-math.Sqrt(square-want*want)) > 2e-3 {
		t.Errorf("a week has %v ± %v of the effect, want %v ± %v", share, sd, want, math.Sqrt(square-want*want))
	}
}

func TestStatesHaveTheirReasons(t *testing.T) {
	t.Parallel()
	m := &Model{Status: Active, Settings: "USD", Window: constant(52).Days}
	h := Held{Model: m, Drift: Drift{Of: "spend of search", Share: 0.0125}, NewTests: []string{"a new test"}}
	_, why := h.State(m.Window.Last.AddDays(40), "EUR")
	want := []string{
		"the currency or the revenue basis of the workspace has changed since the training",
		"the data contain 40 days of sales after the training window, which ends on " + m.Window.Last.String(),
		"since the training, the data in the training window have changed, mainly spend of search by 1.2%",
		"a new test",
	}
	if !slices.Equal(why, want) {
		t.Errorf("reasons %q, want %q", why, want)
	}
	if got := (Drift{}).String(); got != "the data in the training window have not changed" {
		t.Errorf("no drift: %q", got)
	}
	refused := Held{Model: &Model{Status: Refused, Reasons: []mmm.Reason{
		{Text: "too short", Remedy: "wait"}, {Text: "no spend", Remedy: "import"},
	}}}
	if status, why := refused.State(m.Window.Last, ""); status != Refused ||
		!slices.Equal(why, []string{"too short; wait", "no spend; import"}) {
		t.Errorf("%s for %q", status, why)
	}
}

func TestReasonsOfTheFrameNameTheirNumbers(t *testing.T) {
	t.Parallel()
	f := newFrame(constant(39))
	if got := f.reasons[0].Text; got != "sales and spend both cover 39 whole weeks, but a model needs at least 40 weeks" {
		t.Errorf("a short store: %q", got)
	}
	s := constant(52)
	s.Spend["rare"], s.Spend["small"] = map[civil.Date]float64{}, map[civil.Date]float64{}
	for i := range 8 {
		s.Spend["small"][s.Days.First.AddDays(7*i)] = 1
		if i < 7 {
			s.Spend["rare"][s.Days.First.AddDays(7*i)] = 100
		}
	}
	f = newFrame(s)
	if len(f.leftOut) != 2 || f.leftOut[0].Reason != "spend in only 7 weeks; at least 8 weeks are required" ||
		f.leftOut[1].Reason != "less than 0.5% of all spend" {
		t.Errorf("left out %+v", f.leftOut)
	}
	s.Spend = nil
	if got := newFrame(s).reasons; len(got) != 1 || got[0].Text != "no channel has spend in 8 weeks of the window" {
		t.Errorf("without spend: %+v", got)
	}
	f = newFrame(constant(52))
	spec := f.spec()
	if spec.Adstock.Lags != 5 || spec.Adstock.Kind != mmm.Geometric || spec.Saturation != mmm.CES ||
		spec.Effect != mmm.ROI || !spec.PoolEffects ||
		spec.Trend.Kind != mmm.LinearTrend || spec.Likelihood != mmm.Normal {
		t.Errorf("specification %+v", spec)
	}
	for name, want := range map[string]mmm.Prior{
		"roi": {Family: mmm.LogNormalPrior, A: 0.2, B: 0.9}, "alpha": {Family: mmm.BetaPrior, A: 1, B: 3},
		"elasticity": {Family: mmm.BetaPrior, A: 3, B: 1}, "sharpness": {Family: mmm.LogNormalPrior, A: 0.45, B: 0.7},
	} {
		if got := spec.Priors[name]; got != want {
			t.Errorf("prior of %s: %+v, want %+v", name, got, want)
		}
	}
	if got, want := PlausibleReturn(), 1.8313; math.Abs(got-want) > 1e-4 { // exp(0.2 + 0.81/2)
		t.Errorf("a plausible return is %v, want %v", got, want)
	}
	// Beta(1, 3) has the mean 1/4 and the quantiles 1 - (1-p)^(1/3).
	e := priorEstimate(mmm.Prior{Family: mmm.BetaPrior, A: 1, B: 3})
	if math.Abs(e.Value-0.25) > 1e-12 || math.Abs(e.Low-(1-math.Cbrt(0.95))) > 1e-9 ||
		math.Abs(e.High-(1-math.Cbrt(0.05))) > 1e-9 || e.Level != 0.9 {
		t.Errorf("prior of the adstock %+v", e)
	}
}

func TestTestsBeforeADayHaveEnded(t *testing.T) {
	t.Parallel()
	f := frame{tests: []Calibration{{Test: made(tested(), "a", 100)}}}
	last := f.tests[0].Days.Last
	if n := len(f.before(last).tests); n != 0 {
		t.Error("a test that ends on the day is used before that day")
	}
	if n := len(f.before(last.AddDays(1)).tests); n != 1 {
		t.Error("a test that ended on the day before is not used")
	}
	f.compare(&Model{Status: Refused})
	if f.tests[0].Observational != nil {
		t.Error("a test is compared with a rejected model")
	}
}

// The balanced risk level allows a change of 30%.
func TestBoundsAreTheRiskLevelsLimits(t *testing.T) {
	t.Parallel()
	lower, upper := 500.0, 20.0
	got := scaled(map[measure.Channel]float64{"a": 100, "b": 100, "c": 100}, 2, Ask{Bounds: map[measure.Channel]mmm.Bounds{
		"b": {Min: &lower}, "c": {Max: &upper},
	}})
	for channel, want := range map[measure.Channel][2]float64{"a": {140, 260}, "b": {500, 500}, "c": {20, 20}} {
		if b := got[channel]; math.Abs(*b.Min-want[0]) > 1e-9 || math.Abs(*b.Max-want[1]) > 1e-9 {
			t.Errorf("%s: %v to %v, want %v", channel, *b.Min, *b.Max, want)
		}
	}
	got = scaled(map[measure.Channel]float64{"a": 100}, 1, Ask{Risk: &decide.Aggressive})
	if b := got["a"]; math.Abs(*b.Min-40) > 1e-9 || math.Abs(*b.Max-160) > 1e-9 {
		t.Errorf("aggressive: %v to %v, want 40 to 160", *b.Min, *b.Max)
	}
	bounds := func(least, most float64) mmm.Bounds { return mmm.Bounds{Min: &least, Max: &most} }
	for _, c := range []struct{ least, most, budget, want float64 }{{0, 50, 80, 50}, {0, 90, 80, 80}, {85, 90, 80, 85}, {85, 82, 80, 82}} {
		if got := most(bounds(c.least, c.most), c.budget); got != c.want {
			t.Errorf("%v to %v of %v: at most %v, want %v", c.least, c.most, c.budget, got, c.want)
		}
	}
}

// Search returns 2 or 4 per unit and tv 1 or 0. Search moves from 10 to 30 and tv from 20 to 15.
func TestChangesAddUpRatesAndSpend(t *testing.T) {
	t.Parallel()
	line := func(slopes ...float64) decide.Response {
		r := decide.Response{Spend: []float64{0, 50, 100}}
		for _, x := range r.Spend {
			row := make([]float64, len(slopes))
			for i, s := range slopes {
				row[i] = s * x
			}
			r.Value, r.Slope = append(r.Value, row), append(r.Slope, slopes)
		}
		return r
	}
	current := []decide.Channel{{Name: "search", Current: 10, Response: line(2, 4)}, {Name: "tv", Current: 20, Response: line(1, 0)}}
	moves := []decide.Allocation{{Channel: "search", Proposed: 30}, {Channel: "tv", Proposed: 15}}
	for _, c := range []struct {
		rates map[measure.Channel]float64
		want  []float64
	}{
		{nil, []float64{40 - 5, 80}},
		{map[measure.Channel]float64{"search": 0.5, "tv": 2}, []float64{20 - 10 - 15, 40 - 15}},
	} {
		got := change(current, moves, c.rates)
		for i, want := range c.want {
			if math.Abs(got[i]-want) > 1e-9 {
				t.Errorf("rates %v: %v, want %v", c.rates, got, c.want)
			}
		}
	}
	if got := positive([]float64{1, 0, -1, 2}); got != 0.5 {
		t.Errorf("positive share %v, want 0.5", got)
	}
	p := Profit{BudgetPays: 0.59, Budget: &stats.Summary{Mean: 1}}
	if got := p.BudgetWhyNot(); got != "below the required 60%" {
		t.Errorf("a budget that pays with 59%%: %q", got)
	}
}

// The third fit predicts the last eight weeks.
func TestHoldoutIsTheLastEightWeeks(t *testing.T) {
	t.Parallel()
	of := trainedWithTest(t)
	if HoldoutWeeks != 8 {
		t.Errorf("the holdout has %d weeks, want 8", HoldoutWeeks)
	}
	if last := slices.Max(of.done); last < 3*drawsOfFit {
		t.Errorf("the last report is %d draws, want those of three fits, %d", last, 3*drawsOfFit)
	}
}

func TestPlansNameTheirLimits(t *testing.T) {
	t.Parallel()
	m := trainedWithTest(t).model
	current := m.Spend()
	_, err := m.Plan(Ask{Budget: 0})
	text, hint, _ := fault.Public(err)
	if !strings.Contains(text, "the budget 0 must be above zero") || !strings.Contains(hint, "such as the current") {
		t.Errorf("no budget: %q, %q", text, hint)
	}
	_, err = m.Plan(Ask{Budget: 1001 * current})
	text, hint, _ = fault.Public(err)
	if !strings.Contains(text, "times the mean spend of the last weeks is too large to optimize") || !strings.Contains(hint, "at most 1000 times") {
		t.Errorf("a large budget: %q, %q", text, hint)
	}
	zero := 0.0
	_, err = m.Plan(Ask{Budget: current, Bounds: map[measure.Channel]mmm.Bounds{"podcast": {Min: &zero, Max: &current}}})
	text, hint, _ = fault.Public(err)
	if !strings.Contains(text, `bounds for "podcast": no such channel with spend`) || !strings.Contains(hint, "[radio search]") {
		t.Errorf("an unknown channel: %q, %q", text, hint)
	}
	if p, err := m.Plan(Ask{Budget: 1.0009 * current, Rates: map[measure.Channel]float64{"search": 1, "radio": 1}}); err != nil ||
		p.Profit.Budget != nil || p.Recent || math.Abs(p.Times-1.0009) > 1e-9 || math.Abs(p.Start/current-1) > 1e-9 {
		t.Errorf("almost the same budget: %+v, %v", p, err)
	}
	if p, err := m.Plan(Ask{Budget: 1.0011 * current, Rates: map[measure.Channel]float64{"search": 1, "radio": 1}}); err != nil ||
		p.Profit.Budget == nil || p.Profit.Reallocation == nil {
		t.Errorf("another budget: %+v, %v", p, err)
	}
}

// A shift is possible up to a thousand times the spend of the window.
func TestShiftsHaveALimit(t *testing.T) {
	t.Parallel()
	m := trainedWithTest(t).model
	spend := m.Posterior().Spend("search")
	for _, c := range []struct {
		channel      measure.Channel
		from, amount float64
		want         bool
	}{
		{"search", spend, 999 * spend, true},
		{"search", spend, 1000 * spend, false},
		{"search", 1000 * spend, -spend, true},
		{"search", 1001 * spend, -1001 * spend, false},
		{"search", math.NaN(), 0, false},
		{"flyer", 1, 1, false},
	} {
		if _, ok := m.Shift(c.channel, c.from, c.amount, nil); ok != c.want {
			t.Errorf("%s from %v by %v: %v, want %v", c.channel, c.from, c.amount, ok, c.want)
		}
	}
	if _, ok := new(Model).Shift("search", 1, 1, nil); ok {
		t.Error("a model without figures has a shift")
	}
	// Spend is not below zero, so a larger decrease has the same effect.
	all, _ := m.Shift("search", spend, -spend, new(1.0))
	more, _ := m.Shift("search", spend, -2*spend, new(1.0))
	if all.Change != more.Change || all.Profit.Change != more.Profit.Change {
		t.Errorf("stopping: %+v, and more: %+v", all, more)
	}
	for times, own := range map[float64]bool{0: true, -1: true, 1000.1: true, 999.9: false, 0.5: false} {
		if got := m.ReachAt("search", times*spend) == m.Reach("search"); got != own {
			t.Errorf("at %v times the spend, the response is that of the window: %v, want %v", times, got, own)
		}
	}
}

// Without tests, there are two fits: the model and the holdout.
func TestATrainingWithoutTestsReportsTwoFits(t *testing.T) {
	t.Parallel()
	how := Training{Seed: 1}
	done := make(chan int64, 1)
	how.Progress = func(_, total int64) {
		select {
		case done <- total:
		default:
		}
	}
	how.Stopped = func() bool { return len(done) > 0 }
	s := tested()
	s.Tests = []Test{made(s, "test", 100)}
	how.WithoutTests = true
	if _, err := Train(s, how); err == nil {
		t.Error("a stopped training has a model")
	}
	if first := <-done; first != 2*drawsOfFit {
		t.Errorf("the first report is of %d draws, want %d", first, 2*drawsOfFit)
	}
}
