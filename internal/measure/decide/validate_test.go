package decide

import (
	"math"
	"strings"
	"testing"

	"assay/internal/fault"
	"assay/internal/measure"
)

func TestBoundsOfGroupsAreChecked(t *testing.T) {
	t.Parallel()
	known := map[measure.Channel]bool{"a": true}
	for _, c := range []struct {
		group Group
		valid bool
	}{
		{Group{"g", []measure.Channel{"a"}, 1, 1}, true},
		{Group{"g", []measure.Channel{"a"}, 0, math.Inf(1)}, true},
		{Group{"g", nil, 0, 1}, false},
		{Group{"g", []measure.Channel{"a"}, -1, 1}, false},
		{Group{"g", []measure.Channel{"a"}, 5, 1}, false},
		{Group{"g", []measure.Channel{"a"}, math.NaN(), 1}, false},
		{Group{"g", []measure.Channel{"a"}, 0, math.NaN()}, false},
		{Group{"g", []measure.Channel{"a"}, math.Inf(1), math.Inf(1)}, false},
	} {
		err := Problem{Groups: []Group{c.group}}.validateGroups(known)
		if err == nil != c.valid {
			t.Errorf("group %+v: got %v, want valid %v", c.group, err, c.valid)
			continue
		}
		if _, hint, _ := fault.Public(err); err != nil && !strings.Contains(hint, "0 <= min <= max") {
			t.Errorf("group %+v: hint %q does not state the valid bounds", c.group, hint)
		}
	}
}

func TestASteadyTimetableDividesAmountsByThePeriods(t *testing.T) {
	t.Parallel()
	full := Timetable{
		Budget: 1200, Periods: 12,
		Channels: []ScheduledChannel{{Name: "a", Total: &Range{24, 240}}, {Name: "b"}},
		Groups:   []Group{{"g", []measure.Channel{"a", "b"}, 36, 360}},
	}
	one := full.steady()
	if one.Budget != 100 || one.Periods != 1 || *one.Channels[0].Total != (Range{2, 20}) || one.Channels[1].Total != nil {
		t.Errorf("got %+v", one)
	}
	if g := one.Groups[0]; g.Min != 3 || g.Max != 30 {
		t.Errorf("the group may spend %v to %v in a period, want 3 to 30", g.Min, g.Max)
	}
}
