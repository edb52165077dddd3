package geo

import (
	"cmp"
	"math"
	"slices"

	"assay/internal/fault"
)

// ProposeOptions contains the costs of a test and the plausible effect. Zero values mean the defaults.
type ProposeOptions struct {
	Spend   func(treated []Region) float64 // current spend per day in regions
	Return  float64                        // plausible outcome per unit of the current spend
	Rate    float64                        // contribution per unit of outcome; 0: unknown, costs are spend changes
	Weeks   []int                          // lengths to try; default 2, 4 and 6
	Alpha   float64                        // default 0.1
	Power   float64                        // default 0.8
	Windows int                            // backtests; default 6
	Draws   int                            // placebo sets per backtest; default 60
	Seed    uint64
}

// Proposal is a geo experiment that detects a plausible iROAS with the requested power.
type Proposal struct {
	Treated []Region
	Days    int
	Factor  float64 // multiple of the spend in the treated regions; 0: a pause
	Change  float64 // change of spend over the whole test
	Effect  float64 // plausible change of the outcome over the whole test
	Lift    float64 // minimum detectable effect
	Cost    float64 // expected loss of contribution due to the test; below 0 for a gain
}

// Limits of proposals.
const (
	elasticity    = 0.7 // the outcome of a channel is proportional to spend^0.7
	largestFactor = 5   // maximum multiple of spend
	proposals     = 3
	daysOfWeek    = 7
)

// Propose searches regions, weeks and changes of spend for geo experiments that detect the plausible iROAS with the
// requested power. It returns at most three tests, the cheapest first. The tests differ in kind, or in both length and
// number of regions. If no test detects the plausible iROAS, leastReturn is the smallest iROAS that a pause detects in
// any of the searched designs.
//
// The panel is aggregated to weeks. The aggregation makes the search fast and does not change the size of a lift. A
// pause loses the outcome Return·spend. Spend of m times the current spend adds Return·spend·(m^0.7 - 1). The minimum m
// that reaches the detectable outcome D is therefore (1 + D/(Return·spend))^(1/0.7).
func Propose(p *Panel, o ProposeOptions) (found []Proposal, leastReturn float64, err error) {
	o.Alpha, o.Power = cmp.Or(o.Alpha, .1), cmp.Or(o.Power, .8)
	o.Windows, o.Draws = cmp.Or(o.Windows, 6), cmp.Or(o.Draws, 60)
	if len(o.Weeks) == 0 {
		o.Weeks = []int{2, 4, 6}
	}
	if o.Spend == nil || !(o.Return > 0) || math.IsInf(o.Return, 0) || math.IsNaN(o.Rate) {
		return nil, 0, fault.Invalid("a proposal needs the spend by region and a plausible iROAS, not %v", o.Return)
	}
	merged := p.weekly().grouped(nil)
	weekly, err := merged.Without(merged.silent()...)
	if err != nil {
		return nil, 0, err
	}
	leastReturn = math.Inf(1)
	for _, weeks := range o.Weeks {
		for _, k := range proposedSizes(len(weekly.Regions)) {
			s, err := newSearch(weekly, SearchOptions{
				Sizes: []int{k}, Duration: weeks, Alpha: o.Alpha, Power: o.Power, Windows: o.Windows, Draws: o.Draws, Keep: 1, Seed: o.Seed, Quick: true,
			})
			if fault.KindOf(err) == fault.KindNotReady {
				continue
			}
			if err != nil {
				return nil, 0, err
			}
			plans, err := s.run()
			if err != nil {
				return nil, 0, err
			}
			plans[0].Treated = merged.expanded(plans[0].Treated)
			spend := o.Spend(plans[0].Treated) * float64(weeks*daysOfWeek)
			if plans[0].Planning == nil || spend <= 0 {
				continue
			}
			detectable := *plans[0].Planning * plans[0].Outcome * float64(weeks)
			leastReturn = min(leastReturn, detectable/spend)
			found = append(found, o.designs(plans[0], weeks, spend, detectable)...)
		}
	}
	slices.SortStableFunc(found, func(a, b Proposal) int { return cmp.Compare(a.Cost, b.Cost) })
	return different(found), leastReturn, nil
}

// designs returns the pause and the increase of spend that detect the plausible iROAS.
func (o ProposeOptions) designs(plan Plan, weeks int, spend, detectable float64) (out []Proposal) {
	base := Proposal{Treated: plan.Treated, Days: weeks * daysOfWeek, Lift: *plan.Planning}
	if o.Return*spend >= detectable {
		pause := base
		pause.Change, pause.Effect = -spend, -o.Return*spend
		out = append(out, pause)
	}
	if factor := math.Pow(1+detectable/(o.Return*spend), 1/elasticity); factor <= largestFactor {
		more := base
		more.Factor = max(1.25, math.Ceil(20*factor)/20)
		more.Change, more.Effect = (more.Factor-1)*spend, o.Return*spend*(math.Pow(more.Factor, elasticity)-1)
		out = append(out, more)
	}
	for i := range out {
		out[i].Cost = out[i].Change - o.Rate*out[i].Effect
		if o.Rate == 0 {
			out[i].Cost = math.Abs(out[i].Change)
		}
	}
	return out
}

// different returns the cheapest proposals that differ from one another in kind, or in both length and number of
// regions.
func different(all []Proposal) (kept []Proposal) {
	for _, p := range all {
		same := func(k Proposal) bool {
			return (k.Factor == 0) == (p.Factor == 0) && (k.Days == p.Days || len(k.Treated) == len(p.Treated))
		}
		if len(kept) < proposals && !slices.ContainsFunc(kept, same) {
			kept = append(kept, p)
		}
	}
	return kept
}

// proposedSizes returns the numbers of treated regions to try: about 5, 15 and 30% of the regions.
func proposedSizes(regions int) (sizes []int) {
	for _, share := range []float64{0.05, 0.15, 0.3} {
		if k := max(2, int(math.Round(share*float64(regions)))); 2*k <= regions && !slices.Contains(sizes, k) {
			sizes = append(sizes, k)
		}
	}
	return sizes
}

// weekly returns the panel in whole weeks. The last week ends with the panel's last day.
func (p *Panel) weekly() *Panel {
	n := len(p.Periods) / daysOfWeek
	first := len(p.Periods) - n*daysOfWeek
	out := &Panel{Regions: p.Regions}
	for w := range n {
		out.Periods = append(out.Periods, p.Periods[first+w*daysOfWeek])
	}
	for _, y := range p.Values {
		sums := make([]float64, n)
		for t, v := range y[first:] {
			sums[t/daysOfWeek] += v
		}
		out.Values = append(out.Values, sums)
	}
	return out
}
