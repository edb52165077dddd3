package cohort

import (
	"math"
	"slices"
	"strings"
	"testing"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
)

func rejected(t *testing.T, err error, kind fault.Kind, text string) {
	t.Helper()
	if err == nil || fault.KindOf(err) != kind || !strings.Contains(err.Error(), text) {
		t.Errorf("%v of kind %s, want %q of kind %s", err, fault.KindOf(err), text, kind)
	}
}

func TestHistoriesAreChecked(t *testing.T) {
	t.Parallel()
	inf := math.Inf(1)
	for _, c := range []struct {
		h    History
		want string // "" for a valid history
	}{
		{History{}, ""},
		{History{Repeats: 1_000_000, Recency: 5, Age: 5}, ""},
		{History{Age: 9}, ""},
		{History{Repeats: 1_000_001, Recency: 1, Age: 5}, "customer 3: the number of repeat purchases, 1000001, is out of range"},
		{History{Repeats: -1, Age: 5}, "customer 3: the number of repeat purchases, -1, is out of range"},
		{History{Age: -1}, "customer 3: age is -1, want a time of at least 0"},
		{History{Age: inf}, "customer 3: age is +Inf"},
		{History{Repeats: 1, Recency: 6, Age: 5}, "customer 3: recency is 6, want a time from 0 to the age 5"},
		{History{Repeats: 1, Recency: -1, Age: 5}, "customer 3: recency is -1"},
		{History{Recency: 2, Age: 5}, "customer 3: recency is 2 without a repeat purchase"},
		{History{Repeats: 2, Age: 5}, "customer 3: 2 repeat purchases at the time of the first purchase"},
	} {
		err := c.h.check(3)
		if c.want == "" && err != nil {
			t.Errorf("%+v: %v", c.h, err)
		} else if c.want != "" {
			rejected(t, err, fault.KindInvalid, c.want)
		}
	}
	for _, level := range []float64{0, 1, math.NaN()} {
		rejected(t, checkLevel(level), fault.KindInvalid, "want a fraction between 0 and 1")
	}
	if checkLevel(0.001) != nil || checkLevel(0.999) != nil {
		t.Error("levels between 0 and 1 are rejected")
	}
}

func TestHorizonsHaveDefaultsAndLimits(t *testing.T) {
	t.Parallel()
	if got := (Horizon{Time: 2}).withDefaults(); got.Draws != 400 || got.Level != 0.9 || got.Time != 2 {
		t.Errorf("defaults %+v", got)
	}
	given := Horizon{Time: 2, Draws: 50, Level: 0.5, Seed: 1}
	if got := given.withDefaults(); got != given || got.check() != nil {
		t.Errorf("given %+v became %+v: %v", given, got, got.check())
	}
	rejected(t, Horizon{Time: 0, Draws: 50, Level: .9}.check(), fault.KindInvalid,
		"horizon of 0 with 50 draws, want a time above 0 and at least 50 draws")
	rejected(t, Horizon{Time: 1, Draws: 49, Level: .9}.check(), fault.KindInvalid, "horizon of 1 with 49 draws")
	rejected(t, Horizon{Time: 1, Draws: 50, Level: 1}.check(), fault.KindInvalid, "level of the interval is 1")
}

func TestMarginsHaveTheirLimits(t *testing.T) {
	t.Parallel()
	known, unknown := Sale{Revenue: 100, Cost: 60, CostKnown: true}, Sale{Revenue: 100}
	for _, c := range []struct {
		sales []Sale
		want  Margins
	}{
		{[]Sale{known}, Margins{FromCosts, 0.4, 1}},
		{[]Sale{known, unknown}, Margins{PartlyCosted, 0.4, 0.5}},
		{[]Sale{known, {Revenue: 0, Cost: 10, CostKnown: true}}, Margins{FromCosts, 0.3, 1}},
	} {
		got, err := MarginsOf(c.sales)
		if err != nil || got.Source != c.want.Source || math.Abs(got.Rate-c.want.Rate) > 1e-12 || got.Coverage != c.want.Coverage {
			t.Errorf("%+v: %+v, %v; want %+v", c.sales, got, err, c.want)
		}
	}
	_, err := MarginsOf(nil)
	rejected(t, err, fault.KindNotReady, "costs cover only 0% of revenue")
	_, err = MarginsOf([]Sale{known, unknown, unknown})
	rejected(t, err, fault.KindNotReady, "costs cover only 33% of revenue")
	_, err = MarginsOf([]Sale{known, unknown, {Revenue: 1}})
	rejected(t, err, fault.KindNotReady, "costs cover only 50% of revenue")
	_, err = MarginsOf([]Sale{known, {Revenue: -1}})
	rejected(t, err, fault.KindInvalid, "sale 1: revenue -1, cost 0")
	_, err = MarginsOf([]Sale{{Revenue: 5, Cost: -2, CostKnown: true}})
	rejected(t, err, fault.KindInvalid, "sale 0: revenue 5, cost -2")
	m := Margins{Rate: 0.25}
	for sale, want := range map[Sale]int64{{Revenue: 10, Cost: 30, CostKnown: true}: -20, {Revenue: 10}: 3, {Revenue: 9}: 2} {
		if got := m.Of(sale); got != want {
			t.Errorf("%+v has the margin %d, want %d", sale, got, want)
		}
	}
}

// The mean gaps are 2, 4 and 6, so three median gaps are 12.
func TestReadinessNamesItsReasons(t *testing.T) {
	t.Parallel()
	three := []History{{Repeats: 1, Recency: 2, Age: 11.9}, {Repeats: 2, Recency: 8, Age: 10}, {Repeats: 1, Recency: 6, Age: 10}, {Age: 3}}
	got := Ready(three)
	want := []string{
		"3 customers placed a second order, but a projection requires 200 repeat customers",
		"customers were observed for 11.9 weeks, less than 3 times the median time of 4 weeks between purchases",
	}
	if got.RepeatBuyers != 3 || got.MedianGap != 4 || got.Observed != 11.9 || !slices.Equal(got.Reasons, want) {
		t.Errorf("%+v, want %q", got, want)
	}
	three[3].Age = 12
	if got := Ready(three); got.Observed != 12 || len(got.Reasons) != 1 {
		t.Errorf("at three gaps: %+v", got)
	}
	for n, want := range map[int]int{200: 0, 199: 1} {
		if got := Ready(slices.Repeat([]History{{Repeats: 1, Recency: 2, Age: 10}}, n)); len(got.Reasons) != want {
			t.Errorf("%d repeat buyers: %q", n, got.Reasons)
		}
	}
	if got := Ready(nil); got.MedianGap != 0 || len(got.Reasons) != 1 {
		t.Errorf("no customers: %+v", got)
	}
}

func TestPaybackHasItsErrorsAndInterval(t *testing.T) {
	t.Parallel()
	_, err := PaybackOf(Curve{Points: make([]Point, 1)}, -1)
	rejected(t, err, fault.KindInvalid, "acquisition cost is -1")
	_, err = PaybackOf(Curve{Points: make([]Point, 1)}, math.Inf(1))
	rejected(t, err, fault.KindInvalid, "acquisition cost is +Inf")
	_, err = PaybackOf(Curve{Channel: "tv", Customers: 3}, 5)
	rejected(t, err, fault.KindNotReady, `channel "tv" has 3 customers, too few for a payback`)
	point := func(low, value, high float64) Point {
		return Point{Estimate: measure.Estimate{Value: value, Interval: measure.Interval{Low: low, High: high, Level: 0.8}}}
	}
	curve := Curve{Points: []Point{point(0, 1, 2), point(2, 3, 4), point(3, 5, 7), point(4, 6, 8)}}
	got, err := PaybackOf(curve, 5)
	if err != nil || got.Earliest != (Crossing{2, true}) || got.Day != (Crossing{2, true}) ||
		got.Latest != (Crossing{3, false}) || got.Cost != 5 {
		t.Errorf("%+v, %v", got, err)
	}
	if d := got.Days(); d.Value != 2 || d.Low != 2 || d.High != 3 || d.Level != 0.8 || d.Method != measure.Threshold ||
		d.Basis != measure.Attributed {
		t.Errorf("days %+v", d)
	}
	if free, err := PaybackOf(curve, 0); err != nil || free.Latest != (Crossing{0, true}) {
		t.Errorf("without a cost: %+v, %v", free, err)
	}
	for day, want := range map[int]bool{-1: false, 0: true, 3: true, 4: false} {
		if _, ok := curve.At(day); ok != want {
			t.Errorf("the curve has day %d: %v, want %v", day, ok, want)
		}
	}
}

func TestMembersAreChecked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		member Member
		want   string
	}{
		{Member{Channel: "a", AgeDays: 36_525}, ""},
		{Member{Channel: "a", Gains: []Gain{{Day: 0}}}, ""},
		{Member{Channel: "a", AgeDays: 36_526}, `customer 1 has an age of 36526 days and the channel "a"`},
		{Member{Channel: "a", AgeDays: -1}, "customer 1 has an age of -1 days"},
		{Member{AgeDays: 1}, `customer 1 has an age of 1 days and the channel ""`},
		{Member{Channel: "a", AgeDays: 3, Gains: []Gain{
			{Day: 3},
			{Day: 4},
		}}, "customer 1 has a gain on day 4, but the customer was observed for 3 days"},
		{Member{Channel: "a", AgeDays: 3, Gains: []Gain{{Day: -1}}}, "customer 1 has a gain on day -1"},
	} {
		_, err := Curves([]Member{{Channel: "b"}, c.member}, 2, .9)
		if c.want == "" && err != nil {
			t.Errorf("%+v: %v", c.member, err)
		} else if c.want != "" {
			rejected(t, err, fault.KindInvalid, c.want)
		}
	}
	_, err := Curves(nil, 2, 1)
	rejected(t, err, fault.KindInvalid, "level of the interval is 1")
	// Five customers are the default minimum, and two the smallest.
	of := func(n, smallest int) int {
		curves, err := Curves(slices.Repeat([]Member{{Channel: "a", AgeDays: 2}}, n), smallest, .9)
		if err != nil {
			t.Fatal(err)
		}
		return len(curves[0].Points)
	}
	if of(5, 0) != 3 || of(4, 0) != 0 || of(4, 4) != 3 || of(2, 1) != 3 || of(1, 1) != 0 {
		t.Errorf("days of 5, 4, 4, 2 and 1 customers: %d, %d, %d, %d, %d", of(5, 0), of(4, 0), of(4, 4), of(2, 1), of(1, 1))
	}
	for freedom, want := range map[float64]float64{1: 12.706205, 1000: 1.962339, 1000.1: 1.959964} {
		if got := studentQuantile(0.95, freedom); math.Abs(got-want) > 1e-6 {
			t.Errorf("%v degrees of freedom: %v, want %v", freedom, got, want)
		}
	}
}

func TestPurchasesAreChecked(t *testing.T) {
	t.Parallel()
	day := civil.MustParse("2026-01-05")
	for _, p := range []Purchase{{Day: day}, {Customer: "a"}, {Customer: "a", Day: day, Value: -1}} {
		_, err := Buyers([]Purchase{{Customer: "b", Day: day}, p}, day)
		rejected(t, err, fault.KindInvalid, "purchase 1 has the customer")
	}
	got, err := Buyers([]Purchase{
		{"b", day.AddDays(14), 50},
		{"b", day, 999},
		{"b", day.AddDays(14), 70},
		{"b", day.AddDays(21), 100},
		{"b", day.AddDays(36), 1},
		{"a", day.AddDays(35), 5},
	}, day.AddDays(35))
	if err != nil || len(got) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	if a := got[0]; a.Customer != "a" || a.Repeats != 0 || a.Recency != 0 || a.Age != 0 || a.MeanSpend != 0 {
		t.Errorf("%+v", a)
	}
	if b := got[1]; b.Repeats != 2 || b.Recency != 3 || b.Age != 5 || b.MeanSpend != 110 || b.FirstDay != day {
		t.Errorf("%+v, want two repeats, on day 14 and day 21", b)
	}
}

func TestRetentionIsReportedFromTheSmallestCohort(t *testing.T) {
	t.Parallel()
	start := civil.MustParse("2026-01-01")
	m, err := Retention([]Cohort{{start, 5, []int{1, 2}, false}, {start, 4, []int{4}, false}}, 0, .9)
	if err != nil || m.Smallest != 5 || m.Rows[0].Suppressed || !m.Rows[1].Suppressed || len(m.Rows[1].Cells) != 0 {
		t.Errorf("%+v, %v", m, err)
	}
	if len(m.Average) != 2 || m.Average[0].Rate.Value != 5./9 || m.Average[1].Active != 2 || m.Average[1].Partial {
		t.Errorf("average %+v", m.Average)
	}
	m, err = Retention([]Cohort{{start, 6, []int{1, 2}, true}, {start, 4, []int{4, 0}, false}}, 5, .9)
	if err != nil || len(m.Average) != 1 || m.Average[0].Active != 5 || m.Rows[0].Cells[0].Partial || !m.Rows[0].Cells[1].Partial {
		t.Errorf("a partial period: %+v, %v", m, err)
	}
	_, err = Retention([]Cohort{{start, 0, nil, false}}, 0, .9)
	rejected(t, err, fault.KindInvalid, "cohort of 2026-01-01 has 0 customers")
	_, err = Retention([]Cohort{{start, 5, []int{1, 6}, false}}, 0, .9)
	rejected(t, err, fault.KindInvalid, "cohort of 2026-01-01, period 2: 6 of 5 customers are active")
	_, err = Wilson(3, 2, .9)
	rejected(t, err, fault.KindInvalid, "invalid rate: 3 of 2")
	if e, err := Wilson(0, 0, .9); err != nil || e.Value != 0.5 || e.Method != measure.Proportion {
		t.Errorf("0 of 0: %+v, %v", e, err)
	}
}

// The correlation of (1, 2, 3) with (1, 3, 2) is 0.5.
func TestSpendAndFrequencyAreCompared(t *testing.T) {
	t.Parallel()
	of := func(means ...float64) float64 {
		var spends []Spend
		for i, m := range means {
			spends = append(spends, Spend{i + 1, m})
		}
		return SpendFrequencyCorrelation(spends)
	}
	if got := of(1, 3, 2); math.Abs(got-0.5) > 1e-12 {
		t.Errorf("correlation %v, want 0.5", got)
	}
	if got := of(3, 2, 1); math.Abs(got+1) > 1e-12 {
		t.Errorf("correlation %v, want -1", got)
	}
	if of(2, 2) != 0 || SpendFrequencyCorrelation([]Spend{{1, 2}, {1, 3}}) != 0 || LargestCorrelation != 0.1 {
		t.Error("a constant is correlated")
	}
	// P (V + x z̄) / (P x + Q - 1) = 6 (15 + 2·20) / (12 + 4 - 1)
	if got := (GammaGamma{P: 6, Q: 4, V: 15}).Expected(Spend{2, 20}); got != 22 {
		t.Errorf("expected value %v, want 22", got)
	}
	_, err := FitGammaGamma([]Spend{{1, 1}})
	rejected(t, err, fault.KindNotReady, "1 customers bought again, want at least 2")
	for _, s := range []Spend{{0, 1}, {1, 0}, {1, -1}, {1, math.Inf(1)}} {
		_, err := FitGammaGamma([]Spend{{1, 1}, s})
		rejected(t, err, fault.KindInvalid, "fit of Gamma-Gamma: customer 1 has")
	}
}

func TestPartsOfTheLikelihoodMatchComputationsByHand(t *testing.T) {
	t.Parallel()
	logs, slopes := rising(2, 3) // 1, 2, 2·3 and 2·3·4
	for k, want := range []float64{1, 2, 6, 24} {
		if math.Abs(logs[k]-math.Log(want)) > 1e-12 ||
			math.Abs(slopes[k]-[]float64{0, 1. / 2, 1./2 + 1./3, 1./2 + 1./3 + 1./4}[k]) > 1e-12 {
			t.Errorf("rising factorial of %d terms: %v and %v", k, logs[k], slopes[k])
		}
	}
	for _, c := range []struct{ a, b, sum, share float64 }{
		{math.Log(3), math.Log(1), math.Log(4), 0.25},
		{math.Log(1), math.Log(3), math.Log(4), 0.75},
		{5, math.Inf(-1), 5, 0},
		{0, 0, math.Ln2, 0.5},
	} {
		if sum, share := addLogs(c.a, c.b); math.Abs(sum-c.sum) > 1e-12 || math.Abs(share-c.share) > 1e-12 {
			t.Errorf("log of the sum %v with the share %v, want %v and %v", sum, share, c.sum, c.share)
		}
	}
	if !bounded([]float64{15, -15}) || bounded([]float64{15.1}) || bounded([]float64{-15.1}) || bounded([]float64{math.NaN()}) {
		t.Error("logarithms up to 15 are bounded")
	}
	if got := steepest([]float64{1, -3, 2}); got != 3 {
		t.Errorf("largest slope %v, want 3", got)
	}
	// The mean active time within t is β ln(1 + t/β) for s = 1, and β (1 - β/(β+t)) for s = 2.
	for s, want := range map[float64]float64{1: 10 * math.Log(3), 2: 10 * (1 - 1./3)} {
		m := ParetoNBD{R: 3, Alpha: 5, S: s, Beta: 10}
		if got := m.Purchases(20); math.Abs(got-3./5*want) > 1e-12 {
			t.Errorf("s = %v: %v purchases, want %v", s, got, 3./5*want)
		}
	}
	// A customer without repeats is active. After one repeat, the odds of inactivity are a/b ((α+T)/(α+t))^(r+1).
	m := BGNBD{R: 1, Alpha: 2, A: 1, B: 3}
	if m.Alive(History{Age: 9}) != 1 {
		t.Error("a customer without repeats is inactive")
	}
	if got, want := m.Alive(History{Repeats: 1, Recency: 1, Age: 4}), 1/(1+1./3*4); math.Abs(got-want) > 1e-12 {
		t.Errorf("active with %v, want %v", got, want)
	}
	if m.Purchases(0) != 0 || m.Expected(History{}, 0) != 0 {
		t.Error("purchases within no time")
	}
}

func TestIntervalsOfDrawsAreCentral(t *testing.T) {
	t.Parallel()
	draws := make([]float64, 101)
	for i := range draws {
		draws[i] = float64(100 - i)
	}
	for level, want := range map[float64][2]float64{0.9: {5, 95}, 0.5: {25, 75}} {
		if got := middle(draws, level); math.Abs(got.Low-want[0]) > 1e-9 || math.Abs(got.High-want[1]) > 1e-9 || got.Level != level {
			t.Errorf("level %v: %+v, want %v", level, got, want)
		}
	}
}
