package geo

import (
	"math"
	"slices"
	"strings"
	"testing"

	"assay/internal/fault"
	"assay/internal/measure/stats/statstest"
)

// A pause loses the return of the spend. A multiple m of the spend adds (m^0.7 - 1) times that return:
// (1 + 100/200)^(1/0.7) = 1.785, rounded up to 1.8, adds 1.8^0.7 - 1 = 0.5090.
func TestDesignsReachTheDetectableOutcome(t *testing.T) {
	t.Parallel()
	lift := 0.05
	plan := Plan{Treated: []Region{"a"}, Planning: &lift}
	designs := ProposeOptions{Return: 2, Rate: 0.4}.designs(plan, 4, 100, 100)
	if len(designs) != 2 {
		t.Fatalf("%+v, want a pause and an increase", designs)
	}
	pause, more := designs[0], designs[1]
	if pause.Factor != 0 || pause.Days != 28 || pause.Lift != lift || !slices.Equal(pause.Treated, plan.Treated) {
		t.Errorf("pause %+v", pause)
	}
	statstest.Near(t, "saved spend", pause.Change, -100, 1e-6)
	statstest.Near(t, "lost outcome", pause.Effect, -200, 1e-6)
	statstest.Near(t, "cost of the pause", pause.Cost, -100+0.4*200, 1e-6)
	statstest.Near(t, "factor", more.Factor, 1.8, 1e-6)
	statstest.Near(t, "added spend", more.Change, 80, 1e-6)
	statstest.Near(t, "added outcome", more.Effect, 101.8010516, 1e-6)
	statstest.Near(t, "cost of the increase", more.Cost, 80-0.4*101.8010516, 1e-6)
	unknown := ProposeOptions{Return: 2}.designs(plan, 4, 100, 100)
	statstest.Near(t, "cost of a pause without a rate", unknown[0].Cost, 100, 1e-6)
	statstest.Near(t, "cost of an increase without a rate", unknown[1].Cost, 80, 1e-6)
	for _, c := range []struct {
		detectable float64
		factors    []float64
	}{
		{1, []float64{0, 1.25}}, // the smallest increase is a quarter
		{200, []float64{0, 2.7}},
		{201, []float64{2.75}},
		{200 * 2.08, []float64{5}}, // 5^0.7 = 3.0852
		{200 * 2.09, nil},
	} {
		var factors []float64
		for _, d := range (ProposeOptions{Return: 2}).designs(plan, 4, 100, c.detectable) {
			factors = append(factors, math.Round(100*d.Factor)/100)
		}
		if !slices.Equal(factors, c.factors) {
			t.Errorf("an outcome of %v is detectable: factors %v, want %v", c.detectable, factors, c.factors)
		}
	}
}

func TestProposalsDiffer(t *testing.T) {
	t.Parallel()
	of := func(days, regions int, factor, cost float64) Proposal {
		return Proposal{Days: days, Treated: make([]Region, regions), Factor: factor, Cost: cost}
	}
	kept := different([]Proposal{
		of(14, 2, 0, 1), of(14, 5, 0, 2), of(28, 2, 0, 3), of(28, 5, 0, 4), of(14, 2, 1.5, 5), of(14, 2, 2, 6), of(42, 8, 0, 7),
		of(42, 8, 2, 8),
	})
	var costs []float64
	for _, p := range kept {
		costs = append(costs, p.Cost)
	}
	if !slices.Equal(costs, []float64{1, 4, 5}) {
		t.Errorf("kept the costs %v, want 1, 4 and 5", costs)
	}
}

func TestWeeksEndWithTheLastDay(t *testing.T) {
	t.Parallel()
	y := make([]float64, 17)
	for i := range y {
		y[i] = float64(i)
	}
	w := small(y, constant(1, 17)).weekly()
	// Days 3 to 9 and 10 to 16.
	if len(w.Periods) != 2 || w.Periods[0].Label != "03" || w.Periods[1].Label != "10" ||
		!slices.Equal(w.Values[0], []float64{42, 91}) || !slices.Equal(w.Values[1], []float64{7, 7}) {
		t.Errorf("weeks %+v with %v", w.Periods, w.Values)
	}
	if n := len(small(y[:14]).weekly().Periods); n != 2 {
		t.Errorf("14 days are %d weeks", n)
	}
}

func TestProposalDefaultsArePublished(t *testing.T) {
	t.Parallel()
	p := noisy(12, 280)
	o := ProposeOptions{Return: 3, Rate: .4, Spend: func(treated []Region) float64 { return 20 * float64(len(treated)) }}
	full := o
	full.Weeks, full.Alpha, full.Power, full.Windows, full.Draws = []int{2, 4, 6}, .1, .8, 6, 60
	got, least, err := Propose(p, o)
	if err != nil {
		t.Fatal(err)
	}
	want, wantLeast, err := Propose(p, full)
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, "proposals with defaults", got, want)
	if least != wantLeast || len(got) == 0 {
		t.Errorf("%d proposals, smallest return %v, want %v", len(got), least, wantLeast)
	}
	// The smallest return is the smallest detectable outcome per spend of the searched designs.
	full.Weeks = []int{4}
	four, leastOfFour, err := Propose(p, full)
	if err != nil || len(four) == 0 || leastOfFour < least {
		t.Errorf("four weeks: %v, smallest return %v, %v; want at least %v", four, leastOfFour, err, least)
	}
	full.Spend = func([]Region) float64 { return 0 }
	if none, least, err := Propose(p, full); err != nil || len(none) != 0 || !math.IsInf(least, 1) {
		t.Errorf("without spend: %v, %v, %v; want no proposal", none, least, err)
	}
	for name, bad := range map[string]ProposeOptions{
		"return 0": {Spend: o.Spend}, "return -1": {Spend: o.Spend, Return: -1}, "return Inf": {Spend: o.Spend, Return: math.Inf(1)},
		"rate NaN": {Spend: o.Spend, Return: 1, Rate: math.NaN()}, "no spend": {Return: 1},
		"alpha 2": {Spend: o.Spend, Return: 1, Alpha: 2}, "power 1.5": {Spend: o.Spend, Return: 1, Power: 1.5},
		"no weeks": {Spend: o.Spend, Return: 1, Weeks: []int{0}},
	} {
		if found, _, err := Propose(p, bad); fault.KindOf(err) != fault.KindInvalid || found != nil {
			t.Errorf("%s: %v, %v, want a fault of kind invalid", name, found, err)
		}
	}
	// Tests that are too long for the history are left out.
	full = o
	full.Weeks = []int{4, 400}
	mixed, _, err := Propose(p, full)
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, "proposals without the long test", mixed, four)
}

// gapBetween returns the summed squared distance between a set's series and the mean of the other regions' series, both
// as the frame transforms them, over the matched periods.
func gapBetween(f *frame, set []int) (sum float64) {
	own := f.series(f.target(set))
	for s := range f.fit {
		others := 0.0
		for r, z := range f.z {
			if !slices.Contains(set, r) {
				others += z[s] / float64(len(f.z)-len(set))
			}
		}
		sum += (own[s] - others) * (own[s] - others)
	}
	return sum
}

// The screened sets are those with the smallest distance to the mean of the other regions.
func TestScreeningOrdersSetsByTheirDistance(t *testing.T) {
	t.Parallel()
	p := noisy(9, 60)
	s, err := newSearch(p, SearchOptions{Sizes: []int{2}, Duration: 6, Windows: 2, Draws: 20, Exclude: []Region{"i"}})
	if err != nil {
		t.Fatal(err)
	}
	f := s.choosing[len(s.choosing)-1].frame
	for _, quick := range []bool{false, true} {
		s.Quick = quick
		sets := s.screen(2)
		if want := 28; !quick && len(sets) != want || quick && len(sets) != 6 {
			t.Errorf("quick %t: %d sets, want %d, or 6 in a quick search", quick, len(sets), want)
		}
		for i, set := range sets {
			if slices.Contains(set, 8) {
				t.Errorf("set %v has an excluded region", set)
			}
			if i > 0 && gapBetween(f, set) < gapBetween(f, sets[i-1])-1e-9 {
				t.Errorf("set %v is closer than the set before it", set)
			}
		}
	}
	sums := make([]float64, 9)
	for i := range sums {
		for j := range sums {
			sums[i] += f.gram[9*i+j]
		}
	}
	for _, set := range [][]int{{0}, {1, 5}, {2, 3, 8}} {
		statstest.Near(t, "distance", f.uniformLoss(set, sums), gapBetween(f, set), 1e-6)
	}
	s.Quick = false
	s.include = []int{3}
	s.pool = []int{0, 1, 2, 4, 5}
	for _, set := range s.screen(2) {
		if !slices.Contains(set, 3) {
			t.Errorf("set %v lacks the region to include", set)
		}
	}
	if n := len(s.screen(2)); n != 5 {
		t.Errorf("%d sets with one of five regions, want 5", n)
	}
}

func TestASearchBacktestsAtMost48SetsOfASize(t *testing.T) {
	t.Parallel()
	p := noisy(12, 60)
	s, err := newSearch(p, SearchOptions{Sizes: []int{2}, Duration: 6, Windows: 2, Draws: 20})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(s.screen(2)); n != 48 { // of 66
		t.Errorf("%d sets, want 48", n)
	}
	rated := s.best(2)
	if len(rated) < 48 {
		t.Errorf("%d rated sets, want at least 48", len(rated))
	}
	for i, r := range rated {
		if i > 0 && r.mde < rated[i-1].mde {
			t.Errorf("set %v is before a set with a smaller effect", rated[i-1].set)
		}
		if i > 0 && slices.Equal(r.set, rated[i-1].set) {
			t.Errorf("set %v is there twice", r.set)
		}
	}
	b := newBench()
	worst := rated[len(rated)-1]
	found := s.exchange(b, worst)
	last := worst.mde
	for _, r := range found {
		if r.mde >= last || len(r.set) != 2 || !slices.IsSorted(r.set) {
			t.Errorf("exchange from %v found %+v after %v", worst, r, last)
		}
		last = r.mde
	}
	if len(found) == 0 {
		t.Errorf("no exchange improves the worst set %v", worst)
	}
	s.include = worst.set[:1]
	for _, r := range s.exchange(b, worst) {
		if !slices.Contains(r.set, worst.set[0]) {
			t.Errorf("exchange replaced a region that must be treated: %v", r.set)
		}
	}
}

// Sizes are compared by their ratio: 10 is nearer to 20 than 41 is.
func TestExchangesAreWithRegionsOfSimilarSize(t *testing.T) {
	t.Parallel()
	s := &search{pool: []int{0, 1, 2, 3, 4, 5, 6, 7}}
	s.choosing = []*backtest{{estimator: &estimator{frame: &frame{level: []float64{20, 41, 10, 19, 22, 1000, 15, 1}}}}}
	if got := s.near(0); !slices.Equal(got, []int{3, 4, 6, 2, 1}) {
		t.Errorf("nearest to 20 are %v", got)
	}
	s.pool = []int{5, 7}
	if got := s.near(0); !slices.Equal(got, []int{7, 5}) && !slices.Equal(got, []int{5, 7}) {
		t.Errorf("nearest of two are %v", got)
	}
}

func TestSampledSetsHaveARegionOfEachStratum(t *testing.T) {
	t.Parallel()
	s := &search{pool: []int{0, 1, 2, 3, 4, 5, 6}}
	s.choosing = []*backtest{{estimator: &estimator{frame: &frame{level: []float64{7, 6, 5, 4, 3, 2, 1, 99}}}}}
	for quick, want := range map[bool]int{false: 20_000, true: 2000} {
		s.Quick = quick
		sets, seen := 0, map[int]bool{}
		s.stratified(3, func(set []int) { // strata by size: 6 and 5; 4 and 3; 2, 1 and 0
			sets++
			for _, r := range set {
				seen[r] = true
			}
			if set[0] < 5 || set[1] != 4 && set[1] != 3 || set[2] > 2 {
				t.Fatalf("set %v is not of three strata", set)
			}
		})
		if sets != want || len(seen) != 7 {
			t.Errorf("%d sets of %d regions, want %d of 7", sets, len(seen), want)
		}
	}
}

func TestPlansShareAtMostThreeQuarters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b []int
		want float64
	}{
		{[]int{1, 2}, []int{1, 2}, 1},
		{[]int{1, 2}, []int{3, 4}, 0},
		{[]int{1, 2, 3}, []int{2, 3, 4}, 0.5},
		{[]int{1, 2, 3}, []int{1, 2, 3, 4}, 0.75},
	} {
		statstest.Near(t, "share", jaccard(c.a, c.b), c.want, 1e-6)
	}
	p := noisy(12, 60)
	s, err := newSearch(p, SearchOptions{Sizes: []int{2}, Duration: 6, Windows: 2, Draws: 20, Keep: 3})
	if err != nil {
		t.Fatal(err)
	}
	never := math.Inf(1)
	plans := s.plans([]rating{
		{[]int{0, 1, 2, 3}, 0.3}, {[]int{0, 1, 2}, 0.2}, {[]int{0, 1, 2}, 0.4}, {[]int{5, 6}, never}, {[]int{7, 8}, never},
	})
	var sets []string
	for _, plan := range plans {
		sets = append(sets, label(plan.Treated))
	}
	if got, want := strings.Join(sets, "; "), "a, b, c, ; a, b, c, d, ; f, g, "; got != want {
		t.Errorf("plans %q, want %q", got, want)
	}
	if plans[0].Optimistic == nil || *plans[0].Optimistic != 0.2 || plans[2].Optimistic != nil || plans[0].Duration != 6 {
		t.Errorf("plans %+v", plans)
	}
}

func TestLimitsOfSearchesAreExact(t *testing.T) {
	t.Parallel()
	p := noisy(6, 40)
	good := SearchOptions{Sizes: []int{3}, Duration: 10}
	for name, c := range map[string]struct {
		change func(*SearchOptions)
		ok     bool
	}{
		"half of the regions, a quarter of the history": {func(*SearchOptions) {}, true},
		"more than half":                 {func(o *SearchOptions) { o.Sizes = []int{4} }, false},
		"no region":                      {func(o *SearchOptions) { o.Sizes = []int{0} }, false},
		"a duration of 1":                {func(o *SearchOptions) { o.Duration = 1 }, true},
		"a duration of 0":                {func(o *SearchOptions) { o.Duration = 0 }, false},
		"more than a quarter":            {func(o *SearchOptions) { o.Duration = 11 }, false},
		"alpha 1":                        {func(o *SearchOptions) { o.Alpha = 1 }, false},
		"alpha below 0":                  {func(o *SearchOptions) { o.Alpha = -.1 }, false},
		"power 1":                        {func(o *SearchOptions) { o.Power = 1 }, false},
		"power below 0":                  {func(o *SearchOptions) { o.Power = -.1 }, false},
		"alpha and power near the limit": {func(o *SearchOptions) { o.Alpha, o.Power = .99, .01 }, true},
		"windows below 0":                {func(o *SearchOptions) { o.Windows = -1 }, false},
		"draws below 0":                  {func(o *SearchOptions) { o.Draws = -1 }, false},
		"plans below 0":                  {func(o *SearchOptions) { o.Keep = -1 }, false},
	} {
		o := good
		c.change(&o)
		if _, err := o.withDefaults(p); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	silent := noisy(6, 40)
	clear(silent.Values[2][:20])
	if _, err := good.withDefaults(silent); err == nil || !strings.Contains(err.Error(), `"c" is zero in the first half`) {
		t.Errorf("a silent region: %v", err)
	}
	silent.Values[2][19] = 1
	if _, err := good.withDefaults(silent); err != nil {
		t.Errorf("an outcome in the first half: %v", err)
	}
	for name, c := range map[string]struct {
		change func(*SelectionOptions)
		ok     bool
	}{
		"all but one region":        {func(o *SelectionOptions) { o.Sizes = []int{5} }, true},
		"all regions":               {func(o *SelectionOptions) { o.Sizes = []int{6} }, false},
		"no region":                 {func(o *SelectionOptions) { o.Sizes = []int{0} }, false},
		"one region":                {func(o *SelectionOptions) { o.Sizes = []int{1} }, true},
		"no size":                   {func(o *SelectionOptions) { o.Sizes = nil }, false},
		"no duration":               {func(o *SelectionOptions) { o.Durations = nil }, false},
		"five periods before":       {func(o *SelectionOptions) { o.Durations = []int{35} }, true},
		"four periods before":       {func(o *SelectionOptions) { o.Durations = []int{36} }, false},
		"an earlier window with 5":  {func(o *SelectionOptions) { o.Durations, o.Lookback = []int{34}, 2 }, true},
		"an earlier window with 4":  {func(o *SelectionOptions) { o.Durations, o.Lookback = []int{35}, 2 }, false},
		"a duration of 0":           {func(o *SelectionOptions) { o.Durations = []int{0} }, false},
		"a duration of 1":           {func(o *SelectionOptions) { o.Durations = []int{1} }, true},
		"a lift of -1":              {func(o *SelectionOptions) { o.Effects = []float64{-1} }, false},
		"lifts of -0.9 and 10":      {func(o *SelectionOptions) { o.Effects = []float64{10, -.9} }, true},
		"a lift of 10.1":            {func(o *SelectionOptions) { o.Effects = []float64{10.1} }, false},
		"a lift that is no number":  {func(o *SelectionOptions) { o.Effects = []float64{math.NaN()} }, false},
		"alpha 1":                   {func(o *SelectionOptions) { o.Alpha = 1 }, false},
		"alpha below 0":             {func(o *SelectionOptions) { o.Alpha = -.1 }, false},
		"lookback below 0":          {func(o *SelectionOptions) { o.Lookback = -1 }, false},
		"a cost that is no number":  {func(o *SelectionOptions) { o.CostEach = math.NaN() }, false},
		"a cost that is not finite": {func(o *SelectionOptions) { o.CostEach = math.Inf(1) }, false},
	} {
		o := SelectionOptions{Sizes: []int{2}, Durations: []int{10}}
		c.change(&o)
		if _, err := o.withDefaults(p); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A lift is detected if more than 80% of the windows reject. The smallest detected lift in size is the effect, not a
// lift of zero.
func TestSelectionTakesTheSmallestDetectedLift(t *testing.T) {
	t.Parallel()
	o := SelectionOptions{Effects: []float64{-.2, -.1, 0, .1, .2}, Alpha: .1}
	window := func(ps ...float64) (w []tried) {
		for i, p := range ps {
			w = append(w, tried{p: p, att: float64(i + 1), lift: .1037 + .001*float64(i), scaledL2: .1 * float64(i+1), units: -10 * float64(i+1)})
		}
		return w
	}
	for _, c := range []struct {
		windows [][]tried
		mde     float64
		ok      bool
	}{
		{[][]tried{window(0, 0, 0, 0, 0)}, .1, true},
		{[][]tried{window(0, 0, 0, .1, 0)}, -.1, true},
		{[][]tried{window(0, .1, 0, .2, 0)}, .2, true},
		{[][]tried{window(.0999, 1, 1, 1, 1)}, -.2, true},
		{[][]tried{window(.1, 1, 0, 1, 1)}, 0, false},
		{[][]tried{window(1, 1, 1, 0, 1), window(1, 1, 1, 1, 1)}, 0, false},
	} {
		got, ok := least(c.windows, o)
		if ok != c.ok || got.MDE != c.mde {
			t.Errorf("%+v: %+v, %t; want %v", c.windows, got, ok, c.mde)
		}
	}
	yes, no := window(1, 1, 1, 0, 1), window(1, 1, 1, 1, 1)
	if _, ok := least([][]tried{yes, yes, yes, yes, no}, o); ok {
		t.Error("80% of windows are not above 80%")
	}
	got, ok := least([][]tried{yes, yes, yes, yes, yes, no}, o)
	if !ok {
		t.Fatal("five of six windows are above 80%")
	}
	statstest.Near(t, "power", got.Power, 5./6, 1e-6)
	statstest.Near(t, "estimate", got.ATT, 4, 1e-6)
	statstest.Near(t, "lift", got.Found, .1067, 1e-6)
	statstest.Near(t, "distance to the lift", got.LiftInZero, .007, 1e-6)
	statstest.Near(t, "scaled L2", got.ScaledL2, .4, 1e-6)
	statstest.Near(t, "units", got.Investment, 40, 1e-6)
}

// Dense ranks are 1, 2, 3 by each criterion; the sum of a's ranks is 1+2+1, of b's 2+1+2 and of c's 1+2+3.
func TestCandidatesAreRankedByThreeCriteria(t *testing.T) {
	t.Parallel()
	cs := []Candidate{
		{Treated: []Region{"c"}, MDE: -.1, Power: .9, LiftInZero: .03},
		{Treated: []Region{"b"}, MDE: .2, Power: 1, LiftInZero: .02},
		{Treated: []Region{"d"}, MDE: .1, Power: .9, LiftInZero: .01, Duration: 20},
		{Treated: []Region{"d"}, MDE: .1, Power: .9, LiftInZero: .01, Duration: 10},
		{Treated: []Region{"a"}, MDE: .1, Power: .9, LiftInZero: .01, Duration: 30},
	}
	rank(cs)
	var order []string
	for _, c := range cs {
		order = append(order, string(c.Treated[0])+string(rune('0'+c.Rank)))
	}
	if got := strings.Join(order, " "); got != "a1 d1 d1 b4 c5" || cs[1].Duration != 10 {
		t.Errorf("order with ranks %s", got)
	}
	if got := ranksOf([]Candidate{{Rank: 4}, {Rank: 1}, {Rank: 4}, {Rank: 7}}); !slices.Equal(got, []int{2, 1, 2, 4}) {
		t.Errorf("ranks of the remaining candidates %v", got)
	}
}

func TestRegionsAreOrderedByCorrelation(t *testing.T) {
	t.Parallel()
	p := small([]float64{1, 2, 3, 4}, []float64{4, 3, 2, 1}, []float64{1, 2, 4, 3}, []float64{20, 40, 60, 80.1}, constant(5, 4))
	orders := byCorrelation(p, nil)
	for r, want := range [][]int{{0, 3, 2, 4, 1}, {1, 4, 2, 3, 0}, {2, 3, 0, 4, 1}, {3, 0, 2, 4, 1}, {4, 0, 1, 2, 3}} {
		if r == 2 {
			continue // a and d are almost equally correlated with c
		}
		if !slices.Equal(orders[r], want) {
			t.Errorf("region %d: %v, want %v", r, orders[r], want)
		}
	}
	if got := byCorrelation(p, []int{3}); len(got) != 4 || !slices.Equal(got[0], []int{0, 2, 4, 1}) {
		t.Errorf("without d: %v", got)
	}
	statstest.Near(t, "share", share(small([]float64{1, 3}, []float64{2, 2}, []float64{4, 4}), []int{0, 1}), .5, 1e-6)
	if got := share(small([]float64{0, 0}, []float64{1, -1}), []int{0}); got != 0 {
		t.Errorf("share of nothing is %v", got)
	}
}

// Candidates with at least the budget are excluded and the others ranked again.
func TestSelectionRespectsTheBudget(t *testing.T) {
	t.Parallel()
	p := noisy(8, 60)
	o := SelectionOptions{Sizes: []int{1, 2}, Durations: []int{6, 10}, CostEach: -2}
	all, err := Select(p, o)
	if err != nil || len(all) < 3 {
		t.Fatalf("%v, %v", all, err)
	}
	for _, c := range all {
		want := 0.0
		for r, name := range p.Regions {
			for _, treated := range c.Treated {
				if name == treated {
					for _, v := range p.Values[r][60-c.Duration:] {
						want += 2 * c.MDE * v
					}
				}
			}
		}
		statstest.Near(t, "investment", c.Investment, math.Abs(want), 1e-6)
	}
	o.Budget = all[0].Investment
	some, err := Select(p, o)
	if err != nil || len(some) == 0 || some[0].Rank != 1 {
		t.Fatalf("%v, %v", some, err)
	}
	for _, c := range some {
		if c.Investment >= o.Budget {
			t.Errorf("candidate %+v is over the budget %v", c, o.Budget)
		}
	}
}

// A lift added to a set in a window has the estimate of a test with that lift.
func TestTriedLiftsAreThoseOfTests(t *testing.T) {
	t.Parallel()
	p := noisy(8, 60)
	set := []int{1, 4}
	w := newTrial(p, before(50, 57), 1)
	got := w.try(newBench(), p, set, []float64{0, .5})
	for i, lift := range []float64{0, .5} {
		raised := &Panel{Regions: p.Regions, Periods: p.Periods}
		total := 0.0
		for r, y := range p.Values {
			y = slices.Clone(y)
			if slices.Contains(set, r) {
				for s := 50; s < 58; s++ {
					total += lift * y[s]
					y[s] *= 1 + lift
				}
			}
			raised.Values = append(raised.Values, y)
		}
		r := fitted(t, raised, Test{Treated: []Region{"b", "e"}, Start: 50, End: 57}, Options{Method: Demeaned, Alpha: .4})
		statstest.Near(t, "estimate", got[i].att, r.ATT, 1e-6)
		statstest.Near(t, "lift", got[i].lift, r.Lift, 1e-6)
		statstest.Near(t, "scaled L2", got[i].scaledL2, r.ScaledL2, 1e-6)
		statstest.Near(t, "added outcome", got[i].units, total, 1e-6)
	}
	if got[1].p > .01 || got[0].p < .02 {
		t.Errorf("p-values %v without and %v with a lift of 50%%", got[0].p, got[1].p)
	}
	if n := len(w.order.picks); n != 8*1000 {
		t.Errorf("%d picks, want 1,000 permutations of 8 periods", n)
	}
}
