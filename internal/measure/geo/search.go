package geo

import (
	"cmp"
	"math"
	"slices"

	"assay/internal/fault"
	"assay/internal/measure/stats"
)

// SearchOptions describes the test to search for. Zero values mean the defaults.
type SearchOptions struct {
	Sizes    []int // numbers of treated regions to try
	Duration int   // number of periods of the test
	Include  []Region
	Exclude  []Region // never treated, but still donors
	Alpha    float64  // size of the test; default 0.1
	Power    float64  // default 0.8
	Windows  int      // maximum number of choosing windows and of judging windows; default 20
	Draws    int      // placebo sets in each window; default 200
	Keep     int      // plans to return; default 10
	Quick    bool     // backtest few sets of each size, without improvement by exchange
	Seed     uint64
}

func (o SearchOptions) withDefaults(p *Panel) (SearchOptions, error) {
	o.Alpha, o.Power = cmp.Or(o.Alpha, .1), cmp.Or(o.Power, .8)
	o.Windows, o.Draws, o.Keep = cmp.Or(o.Windows, 20), cmp.Or(o.Draws, 200), cmp.Or(o.Keep, 10)
	if !(o.Alpha > 0 && o.Alpha < 1) || !(o.Power > 0 && o.Power < 1) || o.Windows < 0 || o.Draws < 0 || o.Keep < 0 {
		return o, fault.Invalid("alpha %v and power %v must be between 0 and 1, and counts must not be negative", o.Alpha, o.Power)
	}
	if len(o.Sizes) == 0 || o.Duration < 1 {
		return o, fault.Invalid("a search needs at least one size and a duration")
	}
	for _, k := range o.Sizes {
		if k < 1 || 2*k > len(p.Regions) {
			return o, fault.Invalid("a test of %d of %d regions leaves too few donors", k, len(p.Regions))
		}
	}
	if choosing, judging := backtestWindows(len(p.Periods), o.Duration, 1); len(choosing) == 0 || len(judging) == 0 {
		return o, fault.NotReady(
			"%d periods are too few for backtests of a test of %d periods: the history must be at least four times as long",
			len(p.Periods), o.Duration)
	}
	for r, y := range p.Values {
		if allZero(y[:max(LeastHistory, len(p.Periods)/2)]) {
			return o, fault.Invalid("the outcome of region %q is zero in the first half of the history: exclude the region", p.Regions[r])
		}
	}
	return o, nil
}

// Plan is a geo experiment with its minimum detectable effect (MDE), as a lift. Lifts are fractions of the treated
// regions' outcome.
type Plan struct {
	Treated    []Region
	Duration   int
	Optimistic *float64  // from the windows used to choose the regions; nil if no lift up to 200% is detectable
	Planning   *float64  // from later windows, independent of the choice of regions; for planning; nil as for Optimistic
	Analytic   *float64  // standard error × (z + z) over the same later windows, a cross-check
	Outcome    float64   // mean outcome of all treated regions per period, over the later windows
	OutOfFit   float64   // root mean squared gap in the later windows, relative to the gap with equal weights
	Gap        float64   // mean absolute gap in the later windows as a share of the outcome
	Windows    int       // later windows
	Curve      []PowerAt // power by lift
}

// newSearch prepares the search for the regions with the smallest minimum detectable lift.
//
// The search considers all sets if their number is at most 200,000. Otherwise, it considers random sets, stratified by
// region size. It selects the sets with mean series closest to the mean series of the other regions, and evaluates
// these sets by backtests. A backtest is a window of the test's length without treatment. The method is fitted to the
// periods before the window. The search improves the best sets by exchanging regions. The minimum
// detectable lift of the chosen set is optimistically biased, so each plan also has the minimum detectable lift in
// later windows. Plans are sorted by the minimum detectable lift in the search, lowest first. No two plans share more
// than three quarters of their regions.
func newSearch(p *Panel, o SearchOptions) (*search, error) {
	o, err := o.withDefaults(p)
	if err != nil {
		return nil, err
	}
	include, err := p.indices("included", o.Include)
	if err != nil {
		return nil, err
	}
	exclude, err := p.indices("excluded", o.Exclude)
	if err != nil {
		return nil, err
	}
	choosing, judging := backtestWindows(len(p.Periods), o.Duration, o.Windows)
	return &search{
		SearchOptions: o, panel: p, include: include,
		pool:     rest(nil, complement(nil, len(p.Regions), exclude), include),
		choosing: newBacktests(p, choosing, o.Sizes, o.Draws, o.Alpha, o.Seed),
		judging:  newBacktests(p, judging, o.Sizes, o.Draws, o.Alpha, o.Seed),
	}, nil
}

func (s *search) run() ([]Plan, error) {
	var rated []rating
	for _, k := range s.Sizes {
		if free := k - len(s.include); free >= 0 && len(s.pool) >= free {
			rated = append(rated, s.best(k)...)
		}
	}
	if len(rated) == 0 {
		return nil, fault.Invalid("no size fits the %d regions that must be treated and the %d regions that can be treated",
			len(s.include), len(s.pool))
	}
	return s.plans(rated), nil
}

// search contains a search in progress.
type search struct {
	SearchOptions
	panel             *Panel
	include, pool     []int // regions treated in every set, and regions to choose from
	choosing, judging []*backtest
}

// rating contains a set and its minimum detectable lift in the choosing windows.
type rating struct {
	set []int
	mde float64 // +Inf if no lift is detectable
}

const (
	enumerable = 200_000 // maximum number of sets for considering all
	sampled    = 20_000  // sets in a sample
	screened   = 48      // number of sets that are backtested
	quickly    = 6       // number of sets that a quick search backtests
	improved   = 4       // number of sets that are improved by exchange
)

// best returns rated sets of one size.
func (s *search) best(k int) []rating {
	sets := s.screen(k)
	rated := make([]rating, len(sets))
	each(len(sets), newBench, func(b *bench, i int) { rated[i] = s.rate(b, sets[i]) })
	sortRatings(rated)
	if s.Quick {
		return rated
	}
	better := make([][]rating, min(improved, len(rated)))
	each(len(better), newBench, func(b *bench, i int) { better[i] = s.exchange(b, rated[i]) })
	for _, r := range better {
		rated = append(rated, r...)
	}
	sortRatings(rated)
	return slices.CompactFunc(rated, func(a, b rating) bool { return slices.Equal(a.set, b.set) })
}

func sortRatings(rated []rating) {
	slices.SortStableFunc(
		rated, func(a, b rating) int { return cmp.Or(cmp.Compare(a.mde, b.mde), slices.Compare(a.set, b.set)) })
}

// screen returns the sets of k regions with mean series closest to the mean series of the other regions before the last
// choosing window.
func (s *search) screen(k int) [][]int {
	type screening struct {
		set  []int
		loss float64
	}
	var kept []screening
	most := screened
	if s.Quick {
		most = quickly
	}
	f := s.choosing[len(s.choosing)-1].frame
	sums := make([]float64, len(f.z))
	for i := range f.z {
		for j := range f.z {
			sums[i] += f.gram[i*len(f.z)+j]
		}
	}
	trim := func(n int) {
		slices.SortStableFunc(kept, func(a, b screening) int {
			return cmp.Or(cmp.Compare(a.loss, b.loss), slices.Compare(a.set, b.set))
		})
		kept = slices.CompactFunc(kept, func(a, b screening) bool { return slices.Equal(a.set, b.set) })
		kept = kept[:min(n, len(kept))]
	}
	look := func(free []int) {
		set := append(slices.Clone(s.include), free...)
		slices.Sort(set)
		kept = append(kept, screening{set, f.uniformLoss(set, sums)})
		if len(kept) >= 20*most {
			trim(most)
		}
	}
	free := k - len(s.include)
	if choose(len(s.pool), free) <= enumerable {
		combinations(s.pool, free, look)
	} else {
		s.stratified(free, look)
	}
	trim(most)
	sets := make([][]int, len(kept))
	for i := range kept {
		sets[i] = kept[i].set
	}
	return sets
}

// uniformLoss returns the summed squared gap between the mean series of the set and of all other regions.
func (f *frame) uniformLoss(set []int, sums []float64) float64 {
	n := len(f.z)
	t := f.target(set)
	var own, cross, inside, total float64
	for i, r := range set {
		cross += t.weights[i] * sums[r]
		for j, q := range set {
			g := f.gram[r*n+q]
			own += t.weights[i] * t.weights[j] * g
			cross -= t.weights[i] * g
			inside += g
		}
		inside -= 2 * sums[r]
	}
	for _, v := range sums {
		total += v
	}
	others := float64(n - len(set))
	return own - 2*cross/others + (total+inside)/(others*others)
}

// stratified visits random sets of k regions. Each set has one region from each of k strata by size.
func (s *search) stratified(k int, look func([]int)) {
	f := s.choosing[0].frame
	order := slices.Clone(s.pool)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(f.level[a], f.level[b]) })
	set := make([]int, k)
	sets := sampled
	if s.Quick {
		sets /= 10
	}
	for i := range sets {
		rng := stats.Stream(s.Seed^0x5eed, uint64(i))
		for j := range set {
			from, to := j*len(order)/k, (j+1)*len(order)/k
			set[j] = order[from+rng.IntN(to-from)]
		}
		look(set)
	}
}

func (s *search) rate(b *bench, set []int) rating {
	own := records(b, s.panel, s.choosing, set)
	mde, ok := detectable(s.choosing, own, len(set), s.Power)
	if !ok {
		mde = math.Inf(1)
	}
	return rating{set: set, mde: mde}
}

// exchange returns the improved sets. It replaces one region at a time with the first region of similar size that
// reduces the minimum detectable lift.
func (s *search) exchange(b *bench, from rating) []rating {
	var found []rating
	best := from
	for _, out := range from.set {
		if slices.Contains(s.include, out) {
			continue
		}
		for _, in := range s.near(out) {
			if slices.Contains(best.set, in) {
				continue
			}
			set := slices.Clone(best.set)
			set[slices.Index(set, out)] = in
			slices.Sort(set)
			if r := s.rate(b, set); r.mde < best.mde {
				best = r
				found = append(found, r)
				break
			}
		}
	}
	return found
}

// near returns up to five other regions of the pool that are nearest to region r in size.
func (s *search) near(r int) []int {
	level := s.choosing[0].level
	order := slices.DeleteFunc(slices.Clone(s.pool), func(q int) bool { return q == r })
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(math.Abs(math.Log(level[a]/level[r])), math.Abs(math.Log(level[b]/level[r])))
	})
	return order[:min(5, len(order))]
}

// plans returns the best sets of regions that differ sufficiently, evaluated in later windows.
func (s *search) plans(rated []rating) []Plan {
	sortRatings(rated)
	var chosen [][]int
	var plans []Plan
	b := newBench()
	for _, r := range rated {
		if len(plans) == s.Keep {
			break
		}
		if slices.ContainsFunc(chosen, func(c []int) bool { return jaccard(c, r.set) > .75 }) {
			continue
		}
		chosen = append(chosen, r.set)
		plan := judge(b, s.panel, s.judging, r.set, s.Alpha, s.Power)
		plan.Duration = s.Duration
		if !math.IsInf(r.mde, 0) {
			plan.Optimistic = &r.mde
		}
		plan.Curve = powerCurve(b, s.panel, s.judging, s.choosing, r.set, plan)
		plans = append(plans, plan)
	}
	return plans
}

func jaccard(a, b []int) float64 {
	both := 0
	for _, r := range a {
		if slices.Contains(b, r) {
			both++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

// judge returns the plan of a set, evaluated in later windows.
func judge(b *bench, p *Panel, windows []*backtest, set []int, alpha, wanted float64) Plan {
	plan := Plan{Treated: p.names(set), Windows: len(windows)}
	own := records(b, p, windows, set)
	if mde, ok := detectable(windows, own, len(set), wanted); ok {
		plan.Planning = &mde
	}
	if a := analytic(windows, own, len(set), alpha, wanted); !math.IsInf(a, 0) {
		plan.Analytic = &a
	}
	var gap, even, distance, outcome float64
	for _, w := range windows {
		t := w.target(set)
		b.rest = complement(b.rest[:0], len(w.z), set)
		weights := w.weights(b, t, b.rest)
		for s, v := range w.series(t)[w.start:] {
			miss, plain := v, v
			for i, r := range b.rest {
				miss -= weights[i] * w.z[r][w.start+s]
				plain -= w.z[r][w.start+s] / float64(len(b.rest))
			}
			gap += miss * miss
			even += plain * plain
			distance += math.Abs(miss) * t.unit
		}
		for _, r := range set {
			outcome += stats.Mean(p.Values[r][w.start : w.end+1])
		}
	}
	n := float64(len(windows))
	length := float64(windows[0].end - windows[0].start + 1)
	plan.Outcome = outcome / n
	if even > 0 {
		plan.OutOfFit = math.Sqrt(gap / even)
	}
	if outcome > 0 {
		plan.Gap = distance * float64(len(set)) / length / outcome
	}
	return plan
}
