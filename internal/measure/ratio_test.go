package measure

import "testing"

func TestRatiosExistOnlyOverSomething(t *testing.T) {
	t.Parallel()
	type ratio func() (float64, bool)
	cases := []struct {
		name string
		got  ratio
		want float64
		ok   bool
	}{
		{"roas", func() (float64, bool) { return ROAS(30000, 10000) }, 3, true},
		{"roas without spend", func() (float64, bool) { return ROAS(30000, 0) }, 0, false},
		{"roas of a loss", func() (float64, bool) { return ROAS(-100, 50) }, -2, true},
		{"aov of half orders", func() (float64, bool) { return AOV(5000, 2_500_000) }, 2000, true},
		{"aov without orders", func() (float64, bool) { return AOV(0, 0) }, 0, false},
		{"cpa", func() (float64, bool) { return CPA(900, 3_000_000) }, 300, true},
		{"cpa without conversions", func() (float64, bool) { return CPA(900, 0) }, 0, false},
		{"share", func() (float64, bool) { return Share(1, 4) }, 25, true},
		{"share of nothing", func() (float64, bool) { return Share(1, 0) }, 0, false},
		{"roi", func() (float64, bool) { return ROI(30000, 10000) }, 2, true},
		{"roi of nothing sold", func() (float64, bool) { return ROI(0, 10000) }, -1, true},
		{"roi without cost", func() (float64, bool) { return ROI(30000, 0) }, 0, false},
		{"rise", func() (float64, bool) { return Change(150, 100) }, 50, true},
		{"fall below zero", func() (float64, bool) { return Change(-50, 100) }, -150, true},
		{"change against nothing", func() (float64, bool) { return Change(5, 0) }, 0, false},
		{"change against a loss", func() (float64, bool) { return Change(5, -10) }, 0, false},
	}
	for _, c := range cases {
		if got, ok := c.got(); got != c.want || ok != c.ok {
			t.Errorf("%s = %v, %v; want %v, %v", c.name, got, ok, c.want, c.ok)
		}
	}
}
