package mix

import (
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/floats"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/mmm"
	"assay/internal/measure/stats"
)

func contains(text, part string) bool { return strings.Contains(text, part) }

// trainedOnce trains a model of a store with two channels and a lift test of search, once for all tests. It returns the model, the
// store and the numbers that the training reported.
var trainedOnce = sync.OnceValues(func() (trainedModel, error) {
	out := trainedModel{store: tested()}
	out.store.Tests = []Test{made(out.store, "test", 100)}
	var mu sync.Mutex
	how := Training{Seed: 1, Settings: "USD"}
	how.Progress = func(done, total int64) {
		mu.Lock()
		defer mu.Unlock()
		out.done, out.total = append(out.done, done), append(out.total, total)
	}
	var err error
	out.model, err = Train(out.store, how)
	return out, err
})

type trainedModel struct {
	store       Store
	model       *Model
	done, total []int64
}

func trainedWithTest(t *testing.T) trainedModel {
	t.Helper()
	m, err := trainedOnce()
	if err != nil {
		t.Fatal(err)
	}
	if m.model.Status != Active {
		t.Fatalf("the model is %s: %v", m.model.Status, m.model.Why())
	}
	return m
}

func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*math.Max(1, math.Abs(want))
}

func TestATrainingReportsItsProgress(t *testing.T) {
	t.Parallel()
	m := trainedWithTest(t)
	slices.Sort(m.done)
	const fits = 3 // without the test, with the test, and without the last weeks
	if len(m.done) < 2*drawsOfFit/100 || m.done[0] != 100 {
		t.Errorf("%d reports from %d", len(m.done), m.done[0])
	}
	for i, n := range m.done {
		if n%100 != 0 || m.total[i] < fits*drawsOfFit || m.total[i] < n && m.total[i] < m.done[len(m.done)-1] {
			t.Errorf("%d of %d", n, m.total[i])
		}
	}
	if last := m.done[len(m.done)-1]; last < 2*drawsOfFit {
		t.Errorf("the last report is %d draws of three fits with %d each", last, drawsOfFit)
	}
}

func TestProgressCountsEarlierFits(t *testing.T) {
	t.Parallel()
	var done, total []int64
	how := Training{fits: 2}
	how.Progress = func(d, t int64) { done, total = append(done, d), append(total, t) }
	next := how.counter(drawsOfFit)
	for range 250 {
		if next() {
			t.Fatal("the training is stopped by nobody")
		}
	}
	if !slices.Equal(done, []int64{drawsOfFit + 100, drawsOfFit + 200}) || !slices.Equal(total, []int64{2 * drawsOfFit, 2 * drawsOfFit}) {
		t.Errorf("progress %d of %d", done, total)
	}
	how.fits = 1
	how.counter(2*drawsOfFit - 100)() // one draw
	next = how.counter(2*drawsOfFit - 100)
	for range 100 {
		next()
	}
	if got := total[len(total)-1]; got != 2*drawsOfFit { // more draws than planned if the chains need them
		t.Errorf("the total is %d at %d draws", got, done[len(done)-1])
	}
	s := how.sampling(0)
	if s.Chains != 4 || s.Warmup != 500 || s.Draws != 500 || s.Seed != 0 {
		t.Errorf("sampling %+v", s)
	}
}

func TestATrainedModelDescribesItself(t *testing.T) {
	t.Parallel()
	of := trainedWithTest(t)
	m := of.model
	if m.Version != 1 || m.Seed != 1 || m.Settings != "USD" || m.Weeks != 104 || len(m.DataHash) != 64 || m.Window.Last != of.store.Days.Last {
		t.Errorf("version %d, seed %d, settings %s, %d weeks to %s, hash %q", m.Version, m.Seed, m.Settings, m.Weeks, m.Window.Last, m.DataHash)
	}
	if n := len(m.Saved.Draws); n != chains*drawn/thin {
		t.Errorf("%d draws are stored, want every second of %d", n, chains*drawn)
	}
	if m.Accuracy == nil || m.Holdout == nil || m.Diagnostics == nil || m.Holdout == m.Accuracy {
		t.Errorf("accuracy %v, holdout %v, diagnostics %v", m.Accuracy, m.Holdout, m.Diagnostics)
	}
	if !slices.Equal(m.Events, []string{"cyber_weekend", "christmas"}) || !slices.Equal(m.Posterior().Channels(), []measure.Channel{"radio", "search"}) {
		t.Errorf("events %q, channels %q", m.Events, m.Posterior().Channels())
	}
	if got, want := m.Months(), 728/30.4375; got != want {
		t.Errorf("%v months, want %v", got, want)
	}
	var spend float64
	for _, channel := range []measure.Channel{"search", "radio"} {
		for _, v := range of.store.Spend[channel] {
			spend += v
		}
	}
	if !near(m.Spend(), spend, 1e-9) {
		t.Errorf("spend %v, want %v", m.Spend(), spend)
	}
}

// The observational fit is compared with the test that the model uses.
func TestATestIsComparedWithTheObservationalFit(t *testing.T) {
	t.Parallel()
	m := trainedWithTest(t).model
	if len(m.Tests) != 1 || !m.Tests[0].Used() || m.Tests[0].Observational == nil {
		t.Fatalf("tests %+v, want one that is used and compared", m.Tests)
	}
	c := m.Tests[0]
	o := c.Observational
	if want := (900 - o.Change.Mean) / math.Hypot(300, o.Change.SD); !near(o.ZScore, want, 1e-12) {
		t.Errorf("z-score %v, want %v", o.ZScore, want)
	}
	if o.ROAS.Mean <= 0 || o.ROAS.Mean == m.Effects[1].ROAS.Mean {
		t.Errorf("ROAS %v of the observational fit, %v of the model", o.ROAS.Mean, m.Effects[1].ROAS.Mean)
	}
	if n := len(m.TestsOf("search")); n != 1 {
		t.Errorf("search has %d tests, want 1", n)
	}
	if n := len(m.TestsOf("radio")); n != 0 {
		t.Errorf("radio has %d tests, want none", n)
	}
	if c.FitMorePrecise() != (o.Change.SD < 300) {
		t.Errorf("the fit's standard deviation %v is compared wrongly with the test's 300", o.Change.SD)
	}
	if !m.Considered(c.ID) {
		t.Error("the model's own test is new")
	}
}

func TestHistoryAddsUpToTheExpectedRevenue(t *testing.T) {
	t.Parallel()
	of := trainedWithTest(t)
	h := of.model.History()
	if len(h.Weeks) != 104 || h.Weeks[0] != of.store.Days.First || len(h.Contributions) != 2 {
		t.Fatalf("%d weeks from %s, %d channels", len(h.Weeks), h.Weeks[0], len(h.Contributions))
	}
	var actual float64
	for d := h.Weeks[5]; d.Before(h.Weeks[6]); d = d.AddDays(1) {
		actual += of.store.Revenue[d]
	}
	if !near(h.Actual[5], actual, 1e-9) {
		t.Errorf("revenue of week 6 is %v, want %v", h.Actual[5], actual)
	}
	for i := range h.Weeks {
		if sum := h.Base[i] + h.Contributions[0][i] + h.Contributions[1][i]; !near(sum, h.Expected[i], 1e-9) {
			t.Fatalf("week %d: base and channels are %v, expected %v", i, sum, h.Expected[i])
		}
	}
	for i, e := range of.model.Effects {
		if sum := floats.Sum(h.Contributions[i]); h.Channels[i] != e.Channel || !near(sum, e.Contribution.Mean, 1e-9) {
			t.Errorf("%s contributes %v by week and %v in all", h.Channels[i], sum, e.Contribution.Mean)
		}
	}
}

func TestACurveReachesBeyondTheData(t *testing.T) {
	t.Parallel()
	m := trainedWithTest(t).model
	search := m.Effects[1]
	curve, err := m.Curve("search", 41)
	if err != nil || len(curve.Points) != 41 {
		t.Fatalf("%d points, %v", len(curve.Points), err)
	}
	first, last := curve.Points[0], curve.Points[40]
	top := math.Min(1.2*math.Max(curve.Seen, curve.Current), usualTop*search.Spend)
	if first.Spend != 0 || first.Mean != 0 || !near(last.Spend, top, 1e-9) || !near(curve.Current, search.Spend, 1e-9) || curve.Seen < curve.Current {
		t.Errorf("from %+v to %+v, current %v, seen %v; want up to %v", first, last, curve.Current, curve.Seen, top)
	}
	for i := 1; i < len(curve.Points); i++ {
		before, p := curve.Points[i-1], curve.Points[i]
		if p.Mean < before.Mean || !(p.Q05 <= p.Mean && p.Mean <= p.Q95) || !near(p.Spend-before.Spend, last.Spend/40, 1e-9) {
			t.Errorf("point %d is %+v after %+v", i, p, before)
		}
	}
	at := int(math.Round(curve.Current / last.Spend * 40))
	if p := curve.Points[at]; !near(p.Mean, search.Contribution.Mean, 0.1) {
		t.Errorf("near current spend the response is %v, the contribution is %v", p.Mean, search.Contribution.Mean)
	}
	if none, err := m.Curve("podcast", 5); err != nil || len(none.Points) > 0 || none.Current != 0 {
		t.Errorf("an unknown channel has %+v, %v", none, err)
	}
}

// Reach is the response to a fifth less and a fifth more spend.
func TestReachIsTheResponseToAFifth(t *testing.T) {
	t.Parallel()
	m := trainedWithTest(t).model
	problem, err := m.curves.usual()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range problem.Channels {
		r := m.Reach(c.Name)
		now, less, more := c.Response.At(c.Current), c.Response.At(0.8*c.Current), c.Response.At(1.2*c.Current)
		floats.Sub(less, now)
		floats.Sub(more, now)
		if want := stats.Summarize(less); !near(r.Less.Mean, want.Mean, 0.02) || r.Less.Mean >= 0 {
			t.Errorf("%s with a fifth less: %+v, want %+v", c.Name, r.Less, want)
		}
		if want := stats.Summarize(more); !near(r.More.Mean, want.Mean, 0.02) || r.More.Mean <= 0 {
			t.Errorf("%s with a fifth more: %+v, want %+v", c.Name, r.More, want)
		}
		if s := r.Saturation; !(0 <= s.Q05 && s.Q05 <= s.Mean && s.Mean <= s.Q95 && s.Q95 <= 1) {
			t.Errorf("%s has the saturation %+v", c.Name, s)
		}
		half := m.ReachAt(c.Name, 0.5*c.Current)
		now, more = c.Response.At(0.5*c.Current), c.Response.At(0.6*c.Current)
		floats.Sub(more, now)
		if want := stats.Summarize(more); !near(half.More.Mean, want.Mean, 0.02) || half.Marginal.Mean < r.Marginal.Mean || half.Saturation.Mean > r.Saturation.Mean {
			t.Errorf("%s at half of its spend: %+v, want %+v for a fifth more", c.Name, half, want)
		}
		if none := m.ReachAt(c.Name, 0); none != r {
			t.Errorf("%s without spend: %+v", c.Name, none)
		}
		roas, marginal := effectOf(m, c.Name)
		if !near(r.Marginal.Mean, marginal, 1e-9) {
			t.Errorf("%s has the marginal return %v, want %v", c.Name, r.Marginal.Mean, marginal)
		}
		// The tolerance is needed because the mean of ratios is only near the ratio of means.
		if want := 1 - marginal/roas; math.Abs(r.Saturation.Mean-want) > 0.1 {
			t.Errorf("%s has the saturation %v, marginal and average return give %v", c.Name, r.Saturation.Mean, want)
		}
	}
}

// A shift starts from the given spend. Two successive shifts have the same total response as one shift by the sum of
// their amounts.
func TestAShiftIsTheDifferenceOfTwoResponses(t *testing.T) {
	t.Parallel()
	m := trainedWithTest(t).model
	channel := m.Posterior().Channels()[0]
	spend, rate := m.Posterior().Spend(channel), 0.5
	whole, ok := m.Shift(channel, 0.5*spend, 0.5*spend, &rate)
	first, _ := m.Shift(channel, 0.5*spend, 0.2*spend, nil)
	second, _ := m.Shift(channel, 0.7*spend, 0.3*spend, nil)
	if !ok || !near(first.Change.Mean+second.Change.Mean, whole.Change.Mean, 1e-9) || first.Profit != nil || first.Change.Mean/0.2 < second.Change.Mean/0.3 {
		t.Errorf("+%v, then +%v; in one step %v", first.Change.Mean, second.Change.Mean, whole.Change.Mean)
	}
	if want := rate*whole.Change.Mean - 0.5*spend; !near(whole.Profit.Change.Mean, want, 1e-9) || (whole.Profit.Pays > 0.5) != (whole.Profit.Change.Q50 > 0) {
		t.Errorf("contribution changes by %+v, want the mean %v", whole.Profit, want)
	}
	if all, _ := m.Shift(channel, 0.5*spend, -2*spend, &rate); !near(all.Profit.Change.Mean, rate*all.Change.Mean+0.5*spend, 1e-9) {
		t.Errorf("a channel that is paused: %+v; no more than its spend is saved", all.Profit)
	}
	for name, from := range map[measure.Channel]float64{"nothing": 0, channel: 1000 * spend} {
		if got, ok := m.Shift(name, from, 1, nil); ok {
			t.Errorf("%s from %v: %+v", name, from, got)
		}
	}
}

// Returns of one posterior have correlated errors, so the variance of their sum is not the sum of their variances.
func TestIncrementalRevenueOfChannelsIsJoint(t *testing.T) {
	t.Parallel()
	m := trainedWithTest(t).model
	spend := map[measure.Channel]float64{}
	var mean, variance float64
	for _, e := range m.Effects {
		spend[e.Channel] = 1000 / e.ROAS.SD // equal errors, so the correlation has an effect
		mean, variance = mean+e.ROAS.Mean*spend[e.Channel], variance+e.ROAS.SD*spend[e.Channel]*e.ROAS.SD*spend[e.Channel]
		one := m.Incremental(map[measure.Channel]float64{e.Channel: 100})
		if !near(one.Mean, 100*e.ROAS.Mean, 1e-9) || !near(one.Q05, 100*e.ROAS.Q05, 1e-9) || !near(one.Q95, 100*e.ROAS.Q95, 1e-9) {
			t.Errorf("revenue of 100 on %s: %+v, its ROAS is %+v", e.Channel, one, *e.ROAS)
		}
	}
	all := m.Incremental(spend)
	if !near(all.Mean, mean, 1e-9) || math.Abs(all.SD/math.Sqrt(variance)-1) < 0.01 {
		t.Errorf("revenue of all channels: %+v, want the mean %v and not the standard deviation %v", all, mean, math.Sqrt(variance))
	}
}

func effectOf(m *Model, channel measure.Channel) (roas, marginal float64) {
	i := slices.IndexFunc(m.Effects, func(e mmm.ChannelEffect) bool { return e.Channel == channel })
	return m.Effects[i].ROAS.Mean, m.Effects[i].MarginalROAS.Mean
}

func TestAPlanSpendsItsBudgetWithinItsBounds(t *testing.T) {
	t.Parallel()
	m := trainedWithTest(t).model
	current := m.Spend()
	for _, times := range []float64{0.5, 1, 3} {
		plan, err := m.Plan(Ask{Budget: times * current})
		if err != nil {
			t.Fatal(err)
		}
		var spent float64
		for _, a := range plan.Allocations {
			spend := m.Posterior().Spend(a.Channel) * times
			if !near(a.Current, spend, 1e-9) || a.Proposed < 0.7*spend*(1-1e-9) || a.Proposed > 1.3*spend*(1+1e-9) {
				t.Errorf("%v times the budget moves %s from %v to %v; its share is %v", times, a.Channel, a.Current, a.Proposed, spend)
			}
			spent += a.Proposed
		}
		if !near(spent, times*current, 1e-6) || !near(plan.Times, times, 1e-12) || plan.Advice == nil {
			t.Errorf("%v times: %v of %v is spent, times %v, advice %v", times, spent, times*current, plan.Times, plan.Advice)
		}
		if more := plan.Change.Mean > 0; more != (times >= 1) {
			t.Errorf("%v times the budget changes revenue by %v", times, plan.Change.Mean)
		}
	}
	search := m.Posterior().Spend("search")
	least, most := 0.1*search, 0.2*search
	plan, err := m.Plan(Ask{Budget: current, Bounds: map[measure.Channel]mmm.Bounds{"search": {Min: &least, Max: &most}, "radio": {Max: &current}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range plan.Allocations {
		if a.Channel == "search" && (a.Proposed < least*(1-1e-9) || a.Proposed > most*(1+1e-9)) {
			t.Errorf("search gets %v, want %v to %v", a.Proposed, least, most)
		}
	}
}

func TestPlansThatCannotBeMet(t *testing.T) {
	t.Parallel()
	m := trainedWithTest(t).model
	current := m.Spend()
	bound := func(channel measure.Channel, most float64) map[measure.Channel]mmm.Bounds {
		least := 0.0
		return map[measure.Channel]mmm.Bounds{channel: {Min: &least, Max: &most}}
	}
	search := m.Posterior().Spend("search")
	for name, ask := range map[string]Ask{
		"no budget":              {},
		"less than nothing":      {Budget: -1},
		"not a number":           {Budget: math.NaN()},
		"infinite":               {Budget: math.Inf(1)},
		"an unknown channel":     {Budget: current, Bounds: bound("podcast", current)},
		"more than can be known": {Budget: 2000 * current},
		"a bound that is too low for the budget": {
			Budget: current, Bounds: map[measure.Channel]mmm.Bounds{"search": bound("search", 1)["search"], "radio": bound("radio", 1)["radio"]},
		},
		"a bound further out": {Budget: 1e9 * current, Bounds: bound("search", 1001*search)},
	} {
		if _, err := m.Plan(ask); fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("%s: %v, want a fault of kind invalid", name, err)
		}
	}
	if _, err := m.Schedule(Ask{}, mmm.Ahead{Periods: 4}); fault.KindOf(err) != fault.KindInvalid {
		t.Errorf("a schedule without a budget: %v", err)
	}
	four, err := m.Schedule(Ask{Budget: current / 26}, mmm.Ahead{Periods: 4})
	if err != nil || len(four.Brings.Periods) < 4 {
		t.Errorf("a schedule of four weeks: %+v, %v", four, err)
	}
}

// Budgets of similar size share responses beyond the default range. The shared responses equal the responses on a wider
// grid.
func TestResponsesReachAsFarAsABudget(t *testing.T) {
	t.Parallel()
	m := trainedWithTest(t).model
	search := m.Posterior().Spend("search")
	for times, want := range map[float64]float64{1: usualTop, usualTop: usualTop, 2.7: 2 * usualTop, 2 * usualTop: 2 * usualTop, 5.3: 4 * usualTop, 1000: 1024 / 2 * usualTop} {
		problem, err := m.curves.reaching(times)
		if err != nil {
			t.Fatal(err)
		}
		grid := problem.Channels[1].Response.Spend
		if got := grid[len(grid)-1] / search; problem.Channels[1].Name != "search" || !near(got, want, 1e-9) {
			t.Errorf("a budget of %v times spend reaches to %v, want %v", times, got, want)
		}
	}
	if _, err := m.curves.reaching(1000.1); fault.KindOf(err) != fault.KindInvalid {
		t.Errorf("1000.1 times: %v", err)
	}
	if err := m.Warm(); err != nil {
		t.Error(err)
	}
	if err := new(Model).Warm(); err != nil {
		t.Errorf("a model without figures: %v", err)
	}
}

// The expected means and quantiles of the priors come from their formulas.
func TestPriorsAndPosteriors(t *testing.T) {
	t.Parallel()
	m := trainedWithTest(t).model
	before := map[string]measure.Estimate{
		"roi":        {Value: math.Exp(0.2 + 0.405), Interval: measure.Interval{Low: math.Exp(0.2 - 0.9*1.6448536269514722), High: math.Exp(0.2 + 0.9*1.6448536269514722)}},
		"alpha":      {Value: 0.25, Interval: measure.Interval{Low: 1 - math.Cbrt(0.95), High: 1 - math.Cbrt(0.05)}},
		"elasticity": {Value: 0.75, Interval: measure.Interval{Low: math.Cbrt(0.05), High: math.Cbrt(0.95)}},
		"sharpness":  {Value: math.Exp(0.45 + 0.245), Interval: measure.Interval{Low: math.Exp(0.45 - 0.7*1.6448536269514722), High: math.Exp(0.45 + 0.7*1.6448536269514722)}},
	}
	all := m.PriorPosteriors()
	var names []string
	for i, p := range all {
		names = append(names, string(p.Channel)+" "+p.Parameter)
		want := before[p.Parameter]
		if !near(p.Before.Value, want.Value, 1e-6) || !near(p.Before.Low, want.Low, 1e-6) || !near(p.Before.High, want.High, 1e-6) {
			t.Errorf("prior of %s is %+v, want %+v", names[i], p.Before, want)
		}
		if narrowed := 1 - (p.After.High-p.After.Low)/(want.High-want.Low); !near(p.Narrowed, narrowed, 1e-6) {
			t.Errorf("%s is narrowed by %v, want %v", names[i], p.Narrowed, narrowed)
		}
	}
	want := []string{"radio roi", "radio alpha", "radio elasticity", "radio sharpness", "search roi", "search alpha", "search elasticity", "search sharpness"}
	if !slices.Equal(names, want) {
		t.Errorf("parameters %q, want %q", names, want)
	}
	if roi := all[4]; roi.After != mmm.EstimateOf(*m.Effects[1].ROAS) || roi.Narrowed < 0.5 {
		t.Errorf("search's return is %+v", roi)
	}
	gamma := priorEstimate(mmm.Prior{Family: mmm.GammaPrior, A: 1, B: 2}) // exponential with mean 1/2
	if !near(gamma.Value, 0.5, 1e-9) || !near(gamma.Low, -math.Log(0.95)/2, 1e-6) || !near(gamma.High, -math.Log(0.05)/2, 1e-6) {
		t.Errorf("a gamma prior is %+v", gamma)
	}
	old := *m
	saved := *m.Saved
	old.Saved, saved.Spec.Priors = &saved, map[string]mmm.Prior{"roi": priors["roi"]}
	if got := old.PriorPosteriors(); got != nil {
		t.Errorf("a model without stored priors has %+v", got)
	}
}

func TestEverySecondDrawOfAChainIsStored(t *testing.T) {
	t.Parallel()
	var s mmm.Saved
	s.Chains = 2
	for i := range 10 {
		s.Draws = append(s.Draws, []float64{float64(i)})
	}
	var got []float64
	for _, draw := range thinned(s).Draws {
		got = append(got, draw...)
	}
	if !slices.Equal(got, []float64{1, 3, 6, 8}) {
		t.Errorf("draws %v", got)
	}
}

func TestAModelWithFiguresNeedsItsPosterior(t *testing.T) {
	t.Parallel()
	for status, want := range map[Status]fault.Kind{Active: fault.KindInvalid, Stale: fault.KindInvalid, Refused: ""} {
		err := (&Model{Status: status}).Open()
		if want == "" && err != nil || want != "" && fault.KindOf(err) != want {
			t.Errorf("%s: %v", status, err)
		}
	}
	broken := *trainedWithTest(t).model.Saved
	broken.Draws = [][]float64{{1}}
	if err := (&Model{Status: Active, Saved: &broken}).Open(); err == nil {
		t.Error("a posterior with missing parameters is opened")
	}
}

// A training without tests uses no test and states the reason. Its data hash differs from the hash of the data with the
// test.
func TestATrainingWithoutTestsUsesNone(t *testing.T) {
	t.Parallel()
	of := trainedWithTest(t)
	f := newFrame(of.store)
	f.addTests(of.store.Tests, "not wanted")
	if len(f.lifts()) != 0 || f.tests[0].Why != "not wanted" {
		t.Errorf("tests %+v", f.tests)
	}
	hash, err := hashOf(f.data, f.spec(), 1)
	if err != nil || hash == of.model.DataHash {
		t.Errorf("hash %s (%v), that with the test is %s", hash, err, of.model.DataHash)
	}
	if again, err := hashOf(f.data, f.spec(), 2); err != nil || again == hash {
		t.Errorf("another seed has the hash %s (%v)", again, err)
	}
	none := made(of.store, "none", 100)
	none.Lift = nil
	f = newFrame(of.store)
	f.addTests([]Test{none, made(of.store, "b", 120), made(of.store, "a", 120)}, "")
	var order []string
	for _, c := range f.tests {
		order = append(order, c.ID)
	}
	if !slices.Equal(order, []string{"a", "b", "none"}) || f.tests[2].Why == "" {
		t.Errorf("tests %q, the last without a result: %q", order, f.tests[2].Why)
	}
}

// The probability is compared with the responses of the posterior draws, without the grids of the optimization. Current
// spend is below, equal to and far above the spend of the window.
func TestBudgetPaysIsTheShareOfDrawsThatGain(t *testing.T) {
	t.Parallel()
	m := trainedWithTest(t).model
	between := 0
	for _, recent := range []float64{0.8, 1, 2.5, 12} {
		for _, times := range []float64{0.4, 0.8, 1.2, 2} {
			for _, rate := range []float64{0.2, 0.6, 3} {
				ask := Ask{Current: map[measure.Channel]float64{}, Rates: map[measure.Channel]float64{}}
				start := 0.0
				for _, channel := range m.Posterior().Channels() {
					ask.Current[channel], ask.Rates[channel] = recent*m.Posterior().Spend(channel), rate
					start += ask.Current[channel]
				}
				ask.Budget = times * start
				plan, err := m.Plan(ask)
				if err != nil {
					t.Fatal(err)
				}
				ask.Budget = start
				same, err := m.Plan(ask)
				if err != nil {
					t.Fatal(err)
				}
				if same.Profit.Budget != nil || same.Profit.BudgetPays != 0 {
					t.Errorf("an unchanged budget pays with probability %v", same.Profit.BudgetPays)
				}
				var gain, change []float64
				for i, a := range plan.Allocations {
					spend := m.Posterior().Spend(a.Channel)
					of := m.Posterior().Responses(a.Channel, []float64{a.Proposed / spend, same.Allocations[i].Proposed / spend, ask.Current[a.Channel] / spend})
					if gain == nil {
						gain, change = make([]float64, len(of[0])), make([]float64, len(of[0]))
					}
					for d := range gain {
						gain[d] += rate*(of[0][d]-of[1][d]) - (a.Proposed - same.Allocations[i].Proposed)
						change[d] += rate*(of[0][d]-of[2][d]) - (a.Proposed - ask.Current[a.Channel])
					}
				}
				want, got := stats.Summarize(gain), plan.Profit
				above := 0
				for _, x := range gain {
					if x > 0 {
						above++
					}
				}
				share := float64(above) / float64(len(gain))
				if share > 0 && share < 1 {
					between++
				}
				// A draw with a gain of almost zero may have the opposite sign on the grid of the optimization.
				if math.Abs(got.BudgetPays-share) > 2/float64(len(gain)) || !near(got.Budget.Mean, want.Mean, 2e-3) || !near(got.Change.Mean, stats.Mean(change), 2e-3) {
					t.Errorf("recent spend %v, budget times %v, rate %v: pays %v with mean %v of a change of %v, want %v with %v of %v",
						recent, times, rate, got.BudgetPays, got.Budget.Mean, got.Change.Mean, share, want.Mean, stats.Mean(change))
				}
				if whyNot := got.BudgetWhyNot(); (whyNot == "") != (share >= 0.6 && want.Mean > 0 && want.Q05 >= -want.Mean) {
					t.Errorf("recent spend %v, budget times %v, rate %v: reason %q with probability %v, %+v", recent, times, rate, whyNot, share, want)
				}
			}
		}
	}
	if between < 3 {
		t.Errorf("%d probabilities are between 0 and 1; the test needs some", between)
	}
}
