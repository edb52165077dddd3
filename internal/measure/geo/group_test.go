package geo_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"assay/internal/measure/geo"
	"assay/internal/measure/stats"
)

// countries returns a panel of large regions and many small regions. A small region has an order on about one day in
// ten. Together, the small regions have a sixth of the outcome.
func countries(large, small, periods int) *geo.Panel {
	p, chance := simulate(market{regions: large, periods: periods}, 7), stats.Stream(8, 8)
	all := 0.0
	for _, y := range p.Values {
		all += stats.Sum(y)
	}
	for i := range small {
		y := make([]float64, periods)
		for t := range y {
			if chance.Float64() < 0.1 {
				y[t] = 10 * all / 5 / float64(small*periods)
			}
		}
		p.Regions, p.Values = append(p.Regions, geo.Region(fmt.Sprintf("s%03d", i))), append(p.Values, y)
	}
	return p
}

func TestSmallRegionsAreMergedNotLost(t *testing.T) {
	t.Parallel()
	p := countries(30, 60, 200)
	merged, members := geo.Grouped(p, nil)
	if n := len(merged.Regions); n < 31 || n > 45 {
		t.Errorf("%d regions, want 30 and some groups", n)
	}
	if !slices.IsSorted(merged.Regions) {
		t.Errorf("regions are not sorted: %v", merged.Regions)
	}
	for day := range p.Periods {
		was, is := 0.0, 0.0
		for _, y := range p.Values {
			was += y[day]
		}
		for _, y := range merged.Values {
			is += y[day]
		}
		if was < is*(1-1e-12) || was > is*(1+1e-12) {
			t.Fatalf("period %d has %v after the merge, %v before", day, is, was)
		}
	}
	var all []geo.Region
	for _, name := range merged.Regions {
		if group, ok := members[name]; ok {
			all = append(all, group...)
		} else {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	if !slices.Equal(all, p.Regions) {
		t.Errorf("members are %v, want every region once", all)
	}
	named, members := geo.Grouped(p, []geo.Region{"s004"})
	for _, group := range members {
		if slices.Contains(group, "s004") {
			t.Errorf("a region to keep is in the group %v", group)
		}
	}
	if !slices.Contains(named.Regions, "s004") {
		t.Error("a region to keep is lost")
	}
}

// Grouping does not change a panel without small regions.
func TestLargeRegionsStayOnTheirOwn(t *testing.T) {
	t.Parallel()
	p := simulate(market{regions: 12, periods: 100}, 9)
	merged, members := geo.Grouped(p, nil)
	if !slices.Equal(merged.Regions, p.Regions) || len(members) > 0 {
		t.Errorf("%v with groups %v", merged.Regions, members)
	}
}

// The check and the proposals name the regions of a group, and the donors gate reports the merge.
func TestPlansNameTheRegionsOfGroups(t *testing.T) {
	t.Parallel()
	p := countries(20, 80, 200)
	r := check(t, p, geo.PreflightOptions{Duration: 14})
	for _, region := range r.Plan.Treated {
		if !slices.Contains(p.Regions, region) {
			t.Errorf("treated is %q", region)
		}
	}
	if g := gate(r, "donors"); !strings.Contains(g.Detail, "The smallest 80 regions are merged") {
		t.Errorf("donors gate %+v", g)
	}
	if g := gate(r, "completeness"); g.Verdict != geo.Pass {
		t.Errorf("days without orders count as missing: %+v", g)
	}
	found, _, err := geo.Propose(p, proposing(p, 1e5, 3))
	if err != nil || len(found) == 0 {
		t.Fatalf("%v, %v; want proposals", found, err)
	}
	for _, f := range found {
		for _, region := range f.Treated {
			if !slices.Contains(p.Regions, region) {
				t.Errorf("proposed is %q", region)
			}
		}
	}
}
