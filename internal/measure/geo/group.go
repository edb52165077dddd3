package geo

import (
	"cmp"
	"fmt"
	"slices"
)

// Limits of groups of small regions.
const (
	mostEmpty   = 0.2 // maximum share of periods without an outcome for a region that is not merged
	leastGroups = 40  // a region with at least 1/leastGroups of the outcome is not merged either
)

// groups is a panel with merged small regions. Merging preserves their total outcome and reduces its relative noise. A
// search or backtest treats a group as one region.
type groups struct {
	*Panel
	members map[Region][]Region // by name of a group
}

// grouped returns the panel with its small regions merged, largest first. A region is small if its outcome is zero in
// more than 20% of the periods and its total is below 1/40 of the panel's total. With more than ten regions in keep,
// the limit of 1/40 is lower. A group is complete when it is no longer small. The remaining small regions join the last
// group. Regions in keep are never merged.
func (p *Panel) grouped(keep []Region) groups {
	g := groups{Panel: &Panel{Periods: p.Periods}, members: map[Region][]Region{}}
	sums, all := make([]float64, len(p.Regions)), 0.0
	for r, y := range p.Values {
		for _, v := range y {
			sums[r] += max(0, v)
		}
		all += sums[r]
	}
	least := all / float64(max(leastGroups, 4*len(keep)))
	small := func(y []float64, sum float64) bool {
		empty := 0
		for _, v := range y {
			if v == 0 {
				empty++
			}
		}
		return sum < least && float64(empty) > mostEmpty*float64(len(y))
	}
	var merged []int
	for r, y := range p.Values {
		if small(y, sums[r]) && !slices.Contains(keep, p.Regions[r]) {
			merged = append(merged, r)
		} else {
			g.Regions, g.Values = append(g.Regions, p.Regions[r]), append(g.Values, y)
		}
	}
	slices.SortStableFunc(merged, func(a, b int) int { return cmp.Compare(sums[b], sums[a]) })
	var last []Region
	for len(merged) > 0 {
		var names []Region
		y, sum := make([]float64, len(p.Periods)), 0.0
		for len(merged) > 0 && (len(names) == 0 || small(y, sum)) {
			r := merged[0]
			merged, names, sum = merged[1:], append(names, p.Regions[r]), sum+sums[r]
			for t, v := range p.Values[r] {
				y[t] += v
			}
		}
		if last != nil && small(y, sum) {
			into := g.Values[len(g.Values)-1]
			for t, v := range y {
				into[t] += v
			}
			g.members[last[0]] = append(g.members[last[0]], names...)
			break
		}
		last = names
		g.Regions, g.Values = append(g.Regions, names[0]), append(g.Values, y)
		g.members[names[0]] = names
	}
	return g.named()
}

// named returns the groups with display names, sorted by name.
func (g groups) named() groups {
	order := make([]int, len(g.Regions))
	members := map[Region][]Region{}
	for i, name := range g.Regions {
		order[i] = i
		if all := g.members[name]; len(all) > 1 {
			g.Regions[i] = Region(fmt.Sprintf("%s and %d more", name, len(all)-1))
			members[g.Regions[i]] = all
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(g.Regions[a], g.Regions[b]) })
	out := groups{Panel: &Panel{Periods: g.Periods}, members: members}
	for _, i := range order {
		out.Regions, out.Values = append(out.Regions, g.Regions[i]), append(out.Values, g.Values[i])
	}
	return out
}

// expanded returns the names with each group replaced by its members, sorted.
func (g groups) expanded(names []Region) (all []Region) {
	for _, name := range names {
		if members, ok := g.members[name]; ok {
			all = append(all, members...)
		} else {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// silent returns the regions without any outcome in the first half of the history.
func (p *Panel) silent() (names []Region) {
	half := min(len(p.Periods), max(LeastHistory, len(p.Periods)/2))
	for r, y := range p.Values {
		if allZero(y[:half]) {
			names = append(names, p.Regions[r])
		}
	}
	return names
}
