package geo

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"assay/internal/fault"
	"assay/internal/measure/stats"
)

// SelectionOptions describes the candidate tests. Zero values mean the defaults.
type SelectionOptions struct {
	Sizes     []int     // numbers of treated regions to try
	Durations []int     // numbers of periods to try
	Effects   []float64 // lifts to try, as fractions; default 0, 0.05, … 0.25
	Include   []Region  // treated in every test
	Exclude   []Region  // treated in no test, but still donors
	Lookback  int       // number of windows to try, each one period earlier than the next; default 1
	Alpha     float64   // a lift is detected if p < Alpha; default 0.1
	CostEach  float64   // cost per incremental unit of the outcome; 0: unknown
	// Budget excludes candidates with at least this investment. The other candidates are ranked again. 0 means no limit.
	Budget float64
	Seed   uint64
}

func (o SelectionOptions) withDefaults(p *Panel) (SelectionOptions, error) {
	if len(o.Effects) == 0 {
		o.Effects = []float64{0, .05, .10, .15, .20, .25}
	}
	if o.Lookback == 0 {
		o.Lookback = 1
	}
	if o.Alpha == 0 {
		o.Alpha = .1
	}
	if len(o.Sizes) == 0 || len(o.Durations) == 0 {
		return o, fault.Invalid("a selection needs at least one size and one duration")
	}
	o.Effects = slices.Sorted(slices.Values(o.Effects))
	for _, k := range o.Sizes {
		if k < 1 || k >= len(p.Regions) {
			return o, fault.Invalid("a test of %d regions is not possible with %d regions", k, len(p.Regions))
		}
	}
	for _, d := range o.Durations {
		if d < 1 || len(p.Periods)-d-o.Lookback+1 < LeastHistory {
			return o, fault.Invalid("%d periods are too few for a test of %d periods after a history of at least %d periods",
				len(p.Periods), d, LeastHistory)
		}
	}
	for _, e := range o.Effects {
		if math.IsNaN(e) || e <= -1 || e > 10 {
			return o, fault.Invalid("invalid lift %v: want a fraction above -1 and up to 10", e)
		}
	}
	if !(o.Alpha > 0 && o.Alpha < 1) || o.Lookback < 1 || math.IsNaN(o.CostEach) || math.IsInf(o.CostEach, 0) {
		return o, fault.Invalid("invalid alpha %v, lookback %d and cost %v", o.Alpha, o.Lookback, o.CostEach)
	}
	return o, nil
}

// Candidate is a test with its minimum detectable effect.
type Candidate struct {
	Treated    []Region
	Duration   int
	MDE        float64 // smallest lift that is detected with power above 0.8, as a fraction
	Power      float64 // share of windows in which MDE is detected
	ScaledL2   float64 // mean over windows
	ATT        float64 // mean estimate at MDE, per region and period
	Found      float64 // mean estimated lift at MDE
	LiftInZero float64 // distance between MDE and Found, to three decimals
	Investment float64 // |CostEach| × incremental units at MDE
	Share      float64 // share of the treated regions in the total outcome
	Rank       int
}

// Select is GeoLift's market selection on the panel's most recent periods, for comparison with GeoLift. It combines
// each region with the regions most correlated with it and fits a demeaned synthetic control. It adds lifts to the last
// window and detects them by the conformal test with 1,000 permutations. The MDE is coarse because of the grid of
// lifts. By default, the MDE comes from a single window. The test rejects too often if the residuals are
// autocorrelated. [Search] avoids these problems.
//
// Candidates are sorted by rank: the mean of the dense ranks of MDE, of power (higher first; in GeoLift, lower first)
// and of LiftInZero. Ties share the better rank.
func Select(p *Panel, o SelectionOptions) ([]Candidate, error) {
	o, err := o.withDefaults(p)
	if err != nil {
		return nil, err
	}
	sets, err := correlatedSets(p, o)
	if err != nil {
		return nil, err
	}
	windows := make([]*trial, 0, len(o.Durations)*o.Lookback)
	for _, d := range o.Durations {
		for back := range o.Lookback {
			start := len(p.Periods) - d - back
			windows = append(windows, newTrial(p, before(start, start+d-1), o.Seed))
		}
	}
	outcomes := make([][]tried, len(sets)*len(windows))
	each(len(outcomes), newBench, func(b *bench, i int) {
		outcomes[i] = windows[i%len(windows)].try(b, p, sets[i/len(windows)], o.Effects)
	})
	var found []Candidate
	for s, set := range sets {
		for d, duration := range o.Durations {
			from := s*len(windows) + d*o.Lookback
			if c, ok := least(outcomes[from:from+o.Lookback], o); ok {
				c.Treated, c.Duration = p.names(set), duration
				c.Investment *= math.Abs(o.CostEach)
				c.Share = share(p, set)
				found = append(found, c)
			}
		}
	}
	if len(found) == 0 {
		return nil, fault.NotReady("none of %d sets of regions detects a lift of up to %v with power above 0.8",
			len(sets), o.Effects[len(o.Effects)-1])
	}
	rank(found)
	if o.Budget > 0 {
		found = slices.DeleteFunc(found, func(c Candidate) bool { return c.Investment >= o.Budget })
		for i, places := 0, ranksOf(found); i < len(found); i++ {
			found[i].Rank = places[i]
		}
	}
	return found, nil
}

func share(p *Panel, set []int) float64 {
	var part, whole float64
	for r, y := range p.Values {
		sum := stats.Mean(y)
		whole += sum
		if slices.Contains(set, r) {
			part += sum
		}
	}
	if whole == 0 {
		return 0
	}
	return part / whole
}

// correlatedSets returns, for each size, each admissible region with the regions most correlated with it.
func correlatedSets(p *Panel, o SelectionOptions) ([][]int, error) {
	include, err := p.indices("included", o.Include)
	if err != nil {
		return nil, err
	}
	exclude, err := p.indices("excluded", o.Exclude)
	if err != nil {
		return nil, err
	}
	var sets [][]int
	neighbours := byCorrelation(p, exclude)
	for _, k := range o.Sizes {
		for _, order := range neighbours {
			if k > len(order) {
				continue
			}
			set := slices.Clone(order[:k])
			slices.Sort(set)
			if containsAll(set, include) && !slices.ContainsFunc(sets, func(s []int) bool { return slices.Equal(s, set) }) {
				sets = append(sets, set)
			}
		}
	}
	if len(sets) == 0 {
		return nil, fault.NotReady("no set of correlated regions contains all regions that must be treated")
	}
	return sets, nil
}

func containsAll(set, wanted []int) bool {
	return !slices.ContainsFunc(wanted, func(r int) bool { return !slices.Contains(set, r) })
}

// byCorrelation returns a list for each region that is not excluded: the region itself and the other regions by
// decreasing correlation with it.
func byCorrelation(p *Panel, exclude []int) [][]int {
	n := len(p.Regions)
	standard := make([][]float64, n)
	for r, y := range p.Values {
		m, s := stats.Mean(y), deviation(y)
		for _, v := range y {
			if s > 0 {
				v = (v - m) / s
			} else {
				v = 0
			}
			standard[r] = append(standard[r], v)
		}
	}
	var orders [][]int
	for r := range n {
		if slices.Contains(exclude, r) {
			continue
		}
		order := []int{r}
		closeness := make([]float64, n)
		for q := range n {
			closeness[q] = stats.Dot(standard[r], standard[q])
			if q != r && !slices.Contains(exclude, q) {
				order = append(order, q)
			}
		}
		slices.SortStableFunc(order[1:], func(a, b int) int { return cmp.Compare(closeness[b], closeness[a]) })
		orders = append(orders, order)
	}
	return orders
}

// trial contains one window in which lifts are added to sets of regions.
type trial struct {
	span
	fitted *estimator // matched to the periods before the window
	refit  *estimator // matched to all periods
	order  *permutations
}

// tried is the result of one lift on one set in one window.
type tried struct {
	att, lift, scaledL2, p, units float64
}

const selectionPermutations = 1000

func newTrial(p *Panel, s span, seed uint64) *trial {
	whole := s
	whole.fit = s.end + 1
	return &trial{
		span:   s,
		fitted: &estimator{frame: newFrame(p, demeaned, s), method: Demeaned},
		refit:  &estimator{frame: newFrame(p, demeaned, whole), method: Demeaned},
		order:  newPermutations(s.end+1, s.end-s.start+1, selectionPermutations, seed),
	}
}

func (w *trial) try(b *bench, p *Panel, set []int, effects []float64) []tried {
	b.rest = complement(b.rest[:0], len(p.Regions), set)
	donors := b.rest
	t := w.fitted.target(set)
	weights := w.fitted.weights(b, t, donors)
	att := w.fitted.contrast(b, t, donors, weights)
	l2 := math.Sqrt(w.fitted.loss(b, t, donors, weights))
	uniform := math.Sqrt(w.fitted.loss(b, t, donors, w.fitted.fixed(b, donors)))
	outcome := make([]float64, w.end-w.start+1)
	for _, r := range set {
		for i, v := range p.Values[r][w.start : w.end+1] {
			outcome[i] += v / float64(len(set))
		}
	}
	level := stats.Mean(outcome)
	r := refitOf(b, w.refit, w.refit.target(set), donors, outcome, w.order)
	results := make([]tried, len(effects))
	for i, e := range effects {
		results[i] = tried{
			att: att + e*level, p: r.geoLift(-e), units: e * level * float64(len(outcome)*len(set)),
		}
		if expected := level - att; expected != 0 {
			results[i].lift = results[i].att / expected
		}
		if uniform > 0 {
			results[i].scaledL2 = l2 / uniform
		}
	}
	return results
}

// complement appends to dst the rows from 0 to n-1 that are not in the sorted set.
func complement(dst []int, n int, set []int) []int {
	j := 0
	for r := range n {
		if j < len(set) && set[j] == r {
			j++
			continue
		}
		dst = append(dst, r)
	}
	return dst
}

// least returns the candidate with the smallest lift that is detected with power above 0.8.
func least(windows [][]tried, o SelectionOptions) (Candidate, bool) {
	best, n := -1, float64(len(windows))
	var power float64
	for i, e := range o.Effects {
		var hits float64
		for _, w := range windows {
			if w[i].p < o.Alpha {
				hits++
			}
		}
		if e != 0 && hits/n > .8 && (best < 0 || math.Abs(e) <= math.Abs(o.Effects[best])) {
			best, power = i, hits/n
		}
	}
	if best < 0 {
		return Candidate{}, false
	}
	c := Candidate{MDE: o.Effects[best], Power: power}
	for _, w := range windows {
		c.ScaledL2 += w[best].scaledL2 / n
		c.ATT += w[best].att / n
		c.Found += w[best].lift / n
		c.Investment += math.Abs(w[best].units) / n
	}
	c.LiftInZero = math.Round(math.Abs(c.Found-c.MDE)*1000) / 1000
	return c, true
}

// rank sorts candidates and sets their ranks.
func rank(cs []Candidate) {
	score := make([]float64, len(cs))
	for _, by := range []func(Candidate) float64{
		func(c Candidate) float64 { return math.Abs(c.MDE) },
		func(c Candidate) float64 { return -c.Power },
		func(c Candidate) float64 { return c.LiftInZero },
	} {
		var values []float64
		for _, c := range cs {
			values = append(values, by(c))
		}
		slices.Sort(values)
		values = slices.Compact(values)
		for i, c := range cs {
			place, _ := slices.BinarySearch(values, by(c))
			score[i] += float64(place + 1)
		}
	}
	for i := range cs {
		cs[i].Rank = 1
		for j := range cs {
			if score[j] < score[i] {
				cs[i].Rank++
			}
		}
	}
	slices.SortStableFunc(cs, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), strings.Compare(label(a.Treated), label(b.Treated)),
			cmp.Compare(a.Duration, b.Duration))
	})
}

// ranksOf returns the candidates' final ranks.
func ranksOf(cs []Candidate) []int {
	places := make([]int, len(cs))
	for i := range cs {
		places[i] = 1
		for j := range cs {
			if cs[j].Rank < cs[i].Rank {
				places[i]++
			}
		}
	}
	return places
}

func label(names []Region) string {
	var b strings.Builder
	for _, n := range names {
		b.WriteString(string(n))
		b.WriteString(", ")
	}
	return b.String()
}
