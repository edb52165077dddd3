package geo_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"assay/internal/fault"
	"assay/internal/measure/geo"
)

func search(t testing.TB, p *geo.Panel, o geo.SearchOptions) []geo.Plan {
	t.Helper()
	plans, err := geo.Search(p, o)
	if err != nil {
		t.Fatal(err)
	}
	return plans
}

func TestSearchFindsPlansThatDiffer(t *testing.T) {
	t.Parallel()
	p := geoLift(t, "geolift_pretest.csv")
	plans := search(t, p, geo.SearchOptions{
		Sizes: []int{2, 3}, Duration: 15, Include: []geo.Region{"chicago"}, Exclude: []geo.Region{
			"honolulu",
		}, Windows: 6, Draws: 80,
	})
	if len(plans) != 10 {
		t.Fatalf("%d plans, want 10", len(plans))
	}
	for i, plan := range plans {
		if !slices.Contains(plan.Treated, "chicago") || slices.Contains(plan.Treated, "honolulu") {
			t.Errorf("plan %d treats %v", i, plan.Treated)
		}
		if plan.Optimistic == nil || plan.Planning == nil || *plan.Planning <= 0 || i > 0 &&
			*plan.Optimistic < *plans[i-1].Optimistic {
			t.Errorf("plan %d: lifts %v and %v do not follow", i, plan.Optimistic, plan.Planning)
		}
		for _, other := range plans[:i] {
			if slices.Equal(other.Treated, plan.Treated) {
				t.Errorf("plan %v is there twice", plan.Treated)
			}
		}
	}
}

func TestSearchSamplesWhenThereAreTooManySets(t *testing.T) {
	t.Parallel()
	p := simulate(market{regions: 44, periods: 100}, 40) // 44 choose 5 is about a million
	plans := search(t, p, geo.SearchOptions{Sizes: []int{5}, Duration: 14, Windows: 3, Draws: 40, Keep: 3})
	if len(plans) != 3 || len(plans[0].Treated) != 5 {
		t.Errorf("plans %+v", plans)
	}
}

func TestBadSearchesAreNamed(t *testing.T) {
	t.Parallel()
	p := simulate(market{regions: 10, periods: 60}, 41)
	for want, o := range map[string]geo.SearchOptions{
		"at least one size":               {Duration: 10},
		"leaves too few donors":           {Sizes: []int{6}, Duration: 10},
		"too few for backtests":           {Sizes: []int{2}, Duration: 40},
		`"x" is not among the 10 regions`: {Sizes: []int{2}, Duration: 5, Exclude: []geo.Region{"x"}},
		"no size fits":                    {Sizes: []int{1}, Duration: 5, Include: []geo.Region{"r001", "r002"}},
		"between 0 and 1":                 {Sizes: []int{1}, Duration: 5, Alpha: 2},
	} {
		if _, err := geo.Search(p, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
	for want, o := range map[string]geo.SelectionOptions{
		"at least one size":  {Durations: []int{10}},
		"is not possible":    {Sizes: []int{10}, Durations: []int{10}},
		"too few for a test": {Sizes: []int{2}, Durations: []int{58}},
		"invalid lift -2":    {Sizes: []int{2}, Durations: []int{10}, Effects: []float64{-2}},
		"none of":            {Sizes: []int{2}, Durations: []int{10}, Effects: []float64{0, 1e-6}, Alpha: .0001},
	} {
		if _, err := geo.Select(p, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
}

func check(t testing.TB, p *geo.Panel, o geo.PreflightOptions) *geo.Preflight {
	t.Helper()
	o.Windows, o.Draws = 6, 80
	result, err := geo.Check(p, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(result); err != nil {
		t.Fatal(err)
	}
	return result
}

func gate(r *geo.Preflight, name string) geo.Gate {
	for _, g := range r.Gates {
		if g.Name == name {
			return g
		}
	}
	return geo.Gate{}
}

func TestReadyPanelPasses(t *testing.T) {
	t.Parallel()
	p := simulate(market{regions: 50, periods: 200}, 51)
	yes := true
	r := check(t, p, geo.PreflightOptions{
		Treated: []geo.Region{"r004", "r011", "r023"}, Duration: 28, Spend: 100_000, ExpectedReturn: 3, Targetable: &yes,
	})
	if !r.Ready || r.Score < 80 || r.Plan.Planning == nil || r.Return == nil {
		t.Errorf("score %d, plan %+v, gates %+v", r.Score, r.Plan, r.Gates)
	}
	if named := check(t, p, geo.PreflightOptions{Duration: 28}); len(named.Plan.Treated) == 0 ||
		named.Plan.Optimistic == nil {
		t.Errorf("without named regions the plan is %+v", named.Plan)
	}
}

// Each gate fails for its defect, and a failed gate caps the score.
func TestEachGateDetectsItsDefect(t *testing.T) {
	t.Parallel()
	no := false
	treated := []geo.Region{"r004", "r011"}
	cases := []struct {
		gate  string
		spoil func(p *geo.Panel)
		o     geo.PreflightOptions
	}{
		{"completeness", func(p *geo.Panel) { silence(p, 100, 130) }, geo.PreflightOptions{}},
		{"completeness", func(p *geo.Panel) { clear(p.Values[4][150:160]) }, geo.PreflightOptions{}},
		{"concentration", func(p *geo.Panel) { scaleBy(p.Values[4], 1000) }, geo.PreflightOptions{}},
		{
			"stability", func(p *geo.Panel) { scaleBy(p.Values[4][170:], 3); scaleBy(p.Values[11][170:], 3) },
			geo.PreflightOptions{},
		},
		{"conflicts", nil, geo.PreflightOptions{Conflicts: []string{"spring sale in r004"}}},
		{"targeting", nil, geo.PreflightOptions{Targetable: &no}},
		{"power", nil, geo.PreflightOptions{Spend: 10, ExpectedReturn: 1}},
		{"donors", nil, geo.PreflightOptions{Exclude: []geo.Region{
			"r000", "r001", "r002", "r003", "r005", "r006", "r007", "r008", "r009", "r010", "r012", "r013", "r014", "r015",
			"r016", "r017", "r018", "r019", "r020",
		}}},
	}
	for _, c := range cases {
		p := simulate(market{regions: 30, periods: 200}, 52)
		if c.spoil != nil {
			c.spoil(p)
		}
		c.o.Treated = treated
		r := check(t, p, c.o)
		if g := gate(r, c.gate); g.Verdict != geo.Fail || r.Ready || r.Score > 40 {
			t.Errorf("%s: %+v, score %d, ready %v", c.gate, g, r.Score, r.Ready)
		}
	}
}

// The power curve starts at the false positive rate and has the requested power at the planning lift. All its values
// are probabilities. If the treated regions are given, the field Optimistic of the curve is nil.
func TestPowerRisesToThePlannedLift(t *testing.T) {
	t.Parallel()
	p := simulate(market{regions: 30, periods: 200}, 52)
	searched, named := check(t, p, geo.PreflightOptions{Duration: 20}),
		check(t, p, geo.PreflightOptions{Duration: 20, Treated: []geo.Region{"r004", "r011"}})
	for _, r := range []*geo.Preflight{searched, named} {
		curve := r.Plan.Curve
		if len(curve) < 2 || curve[0].Lift != 0 || curve[0].Planning > .3 || curve[len(curve)-1].Planning < .8 {
			t.Fatalf("power of %v: %+v", r.Plan.Treated, curve)
		}
		for i, at := range curve {
			if (at.Optimistic == nil) != (r == named) || at.Planning < 0 || at.Planning > 1 {
				t.Errorf("power of %v at %v: %+v", r.Plan.Treated, at.Lift, at)
			}
			if i > 0 && at.Lift >= *r.Plan.Planning && curve[i-1].Lift < *r.Plan.Planning &&
				(at.Planning < .8 || curve[i-1].Planning >= .8) {
				t.Errorf("around the planned lift of %v the power goes from %v to %v, want it to pass .8",
					*r.Plan.Planning, curve[i-1].Planning, at.Planning)
			}
		}
	}
}

func silence(p *geo.Panel, from, to int) {
	for _, y := range p.Values {
		clear(y[from:to])
	}
}

func scaleBy(y []float64, factor float64) {
	for t := range y {
		y[t] *= factor
	}
}

func TestBadPreflightsAreNamed(t *testing.T) {
	t.Parallel()
	p := simulate(market{regions: 10, periods: 100}, 53)
	silent := simulate(market{regions: 10, periods: 100}, 53)
	clear(silent.Values[1])
	for want, c := range map[string]struct {
		p *geo.Panel
		o geo.PreflightOptions
	}{
		`"x" is not among`:      {p, geo.PreflightOptions{Treated: []geo.Region{"x"}}},
		"too few to backtest":   {p, geo.PreflightOptions{Duration: 60}},
		"too few donors":        {p, geo.PreflightOptions{Duration: 10, Treated: p.Regions[:6]}},
		`"r001" has no outcome`: {silent, geo.PreflightOptions{Duration: 10, Treated: []geo.Region{"r001"}}},
		"invalid test of":       {p, geo.PreflightOptions{Spend: -1}},
	} {
		if _, err := geo.Check(c.p, c.o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", c.o, err, want)
		}
	}
	r := check(t, silent, geo.PreflightOptions{Duration: 10, Treated: []geo.Region{"r002"}})
	if len(r.Notes) == 0 || !strings.Contains(r.Notes[0], "r001") {
		t.Errorf("a silent region is left out without a word: %v", r.Notes)
	}
	if _, err := geo.Check(simulate(market{regions: 3, periods: 100}, 54), geo.PreflightOptions{
		Duration: 10,
	}); fault.KindOf(err) != fault.KindNotReady {
		t.Errorf("three regions gave %v", err)
	}
}
