package geo

// Search returns the plans of a search.
func Search(p *Panel, o SearchOptions) ([]Plan, error) {
	s, err := newSearch(p, o)
	if err != nil {
		return nil, err
	}
	return s.run()
}

// Reach returns the distance from ATT at which the placebo test of size alpha starts to reject.
func (r *Result) Reach(alpha float64) float64 {
	reach, ok := r.Placebo.reach(alpha)
	if !ok {
		panic("too few placebo sets")
	}
	return reach
}

// RealizedPower plans tests of random sets on a panel's first periods. It returns the share of tests that detect the
// planned lift in the following periods. Every second set is the best of ten sets in the choosing windows.
func RealizedPower(p *Panel, history, length, size, sets int, alpha, wanted float64) (
	realized, optimistic, mde float64,
) {
	past := &Panel{Regions: p.Regions, Periods: p.Periods[:history]}
	for _, y := range p.Values {
		past.Values = append(past.Values, y[:history])
	}
	choosing, judging := backtestWindows(history, length, 20)
	choose := newBacktests(past, choosing, []int{size}, 200, alpha, 1)
	judge := newBacktests(past, judging, []int{size}, 200, alpha, 1)
	now := newBacktests(p, []span{before(history, history+length-1)}, []int{size}, 500, alpha, 9)
	b := newBench()
	planned := func(windows []*backtest, set []int) float64 {
		lift, ok := detectable(windows, records(b, past, windows, set), size, wanted)
		if !ok {
			return largestLift
		}
		return lift
	}
	pool := complement(nil, len(p.Regions), nil)
	drawn, _ := placeboSets(pool, size, 10*sets, 77)
	for i := range sets {
		set := drawn[10*i%len(drawn)]
		if i%2 == 1 {
			for j := range 10 {
				if other := drawn[(10*i+j)%len(drawn)]; planned(choose, other) < planned(choose, set) {
					set = other
				}
			}
		}
		own := records(b, p, now, set)
		lift := planned(judge, set)
		mde += lift / float64(sets)
		realized += found(now, own, size, lift) / float64(sets)
		optimistic += found(now, own, size, planned(choose, set)) / float64(sets)
	}
	return realized, optimistic, mde
}

// found returns 1 if the test in the window detects the lift on the set, and 0 otherwise.
func found(now []*backtest, own []record, size int, lift float64) float64 {
	statistic := own[0].statistic + lift*own[0].outcome/own[0].scale
	if statistic > now[0].limit[size] || statistic < -now[0].limit[size] {
		return 1
	}
	return 0
}

// Grouped returns a panel with its small regions merged, and the members of the groups.
func Grouped(p *Panel, keep []Region) (*Panel, map[Region][]Region) {
	g := p.grouped(keep)
	return g.Panel, g.members
}
