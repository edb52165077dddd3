package mmm

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/fault"
)

// TestLimitsOfSpecifications changes one value of a valid specification for the 40 periods of toy, to a limit and
// beyond it.
func TestLimitsOfSpecifications(t *testing.T) {
	t.Parallel()
	const (
		lift    = `lift test 2 of "search": sigma must be positive, exposures not negative, delta_x not zero`
		varying = "time-varying effects with a length of "
	)
	second := func(change func(*Lift)) Spec {
		s := Spec{Lifts: toyLifts()}
		change(&s.Lifts[1])
		return s
	}
	for name, c := range map[string]struct {
		spec Spec
		want string
	}{
		"defaults":                    {Spec{}, ""},
		"a holdout of 39 periods":     {Spec{Holdout: 39}, ""},
		"a holdout of 40 periods":     {Spec{Holdout: 40}, "a holdout of 40 leaves none of 40 periods to fit"},
		"a negative holdout":          {Spec{Holdout: -1}, "a holdout of -1 leaves none of 40 periods to fit"},
		"3 weekly pairs":              {Spec{Weekly: 3}, ""},
		"4 weekly pairs":              {Spec{Weekly: 4}, "0 yearly and 4 weekly pairs: want 0 or more yearly and 0 to 3 weekly"},
		"-1 weekly pairs":             {Spec{Weekly: -1}, "0 yearly and -1 weekly pairs: want 0 or more yearly and 0 to 3 weekly"},
		"-1 yearly pairs":             {Spec{Yearly: -1}, "-1 yearly and 0 weekly pairs: want 0 or more yearly and 0 to 3 weekly"},
		"a length of all periods":     {Spec{TimeVarying: 40}, ""},
		"a length of 41 periods":      {Spec{TimeVarying: 41}, varying + "41 periods cannot be fitted to 40: want at least a sixteenth of the periods and at most all, or 0"},
		"a negative length":           {Spec{TimeVarying: -1}, varying + "-1 periods cannot be fitted to 40: want at least a sixteenth of the periods and at most all, or 0"},
		"a length of 3 periods":       {Spec{TimeVarying: 3}, ""},
		"a length of 2 periods":       {Spec{TimeVarying: 2}, varying + "2 periods cannot be fitted to 40: want at least a sixteenth of the periods and at most all, or 0"},
		"two lift tests":              {Spec{Lifts: toyLifts()}, ""},
		"a lift without error":        {second(func(l *Lift) { l.Sigma = 0 }), lift},
		"a lift from zero":            {second(func(l *Lift) { l.X, l.DeltaX = 0, 1 }), ""},
		"a lift from below zero":      {second(func(l *Lift) { l.X, l.DeltaX = -1, 1 }), lift},
		"a lift to zero":              {second(func(l *Lift) { l.X, l.DeltaX = 50, -50 }), ""},
		"a lift to below zero":        {second(func(l *Lift) { l.X, l.DeltaX = 50, -51 }), lift},
		"a lift of nothing":           {second(func(l *Lift) { l.DeltaX = 0 }), lift},
		"a lift of one unit":          {second(func(l *Lift) { l.DeltaX = 1 }), ""},
		"a lift of another channel":   {second(func(l *Lift) { l.Channel = "tv" }), `lift test 2 names channel "tv", which is not in the data`},
		"a lift in an unknown region": {second(func(l *Lift) { l.Geo = "east" }), `lift test 2 of "search" names geo "east", which is not in the data`},
	} {
		got := ""
		if err := c.spec.validate(toy()); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	frequent := toy()
	frequent.Media[0].Frequency = slices.Clone(frequent.Media[0].Exposure) // search
	for name, c := range map[string]struct {
		data Data
		spec Spec
		want string
	}{
		"a lift with time-varying effects":      {toy(), Spec{Lifts: toyLifts(), TimeVarying: 40}, `lift test 1 of "social" needs a constant response curve`},
		"a lift of a channel with a frequency":  {frequent, Spec{Lifts: toyLifts()}, `lift test 2 of "search" needs a constant response curve`},
		"a lift with the log-normal likelihood": {toy(), Spec{Lifts: toyLifts(), Likelihood: LogNormal, Effect: Coefficient}, "lift tests need an additive model"},
	} {
		err := c.spec.validate(c.data)
		if fault.KindOf(err) != fault.KindInvalid || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestDrawsAreSplitEvenly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		draws         int
		chosen, every int
	}{{4, 2, 2}, {5, 3, 2}, {128, 64, 2}, {256, 128, 2}, {383, 192, 2}, {384, 128, 3}, {1280, 128, 10}} {
		chosen, others := (&Posterior{draws: make([][]float64, c.draws)}).splitDraws()
		var want []int
		for i := range c.chosen {
			want = append(want, c.every*i)
		}
		if diff := cmp.Diff(want, chosen); diff != "" {
			t.Errorf("%d draws (-want +got):\n%s", c.draws, diff)
		}
		all := append(slices.Clone(chosen), others...)
		slices.Sort(all)
		if len(all) != c.draws || all[0] != 0 || all[len(all)-1] != c.draws-1 || len(slices.Compact(all)) != c.draws {
			t.Errorf("%d draws: %v and %v", c.draws, chosen, others)
		}
	}
}
