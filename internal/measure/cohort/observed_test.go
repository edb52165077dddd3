package cohort_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/cohort"
)

// TestWilsonMatchesThePublishedLimits uses Newcombe (1998), "Two-sided confidence intervals for the single proportion",
// table I, method 3.
func TestWilsonMatchesThePublishedLimits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		hits, n   int
		low, high float64
	}{{81, 263, .2553, .3662}, {15, 148, .0624, .1605}, {0, 20, 0, .1611}, {1, 29, .0061, .1718}, {20, 20, .8389, 1}} {
		got, err := cohort.Wilson(c.hits, c.n, .95)
		share := float64(c.hits) / float64(c.n)
		if err != nil || got.Value != share || math.Abs(got.Low-c.low) > 5e-5 || math.Abs(got.High-c.high) > 5e-5 {
			t.Errorf("%d of %d: %+v, %v; want %v to %v", c.hits, c.n, got, err, c.low, c.high)
		}
	}
	if got, err := cohort.Wilson(0, 0, .9); err != nil || got.Low != 0 || got.High != 1 {
		t.Errorf("0 of 0: %+v, %v", got, err)
	}
}

func TestInvalidRatesAreRejected(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		hits, n int
		level   float64
	}{{-1, 5, .9}, {6, 5, .9}, {1, 5, 0}, {1, 5, 1}, {1, 5, math.NaN()}} {
		if _, err := cohort.Wilson(c.hits, c.n, c.level); fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("Wilson(%+v): %v", c, err)
		}
	}
}

func TestRetentionSuppressesSmallCohortsAndExcludesPartialPeriodsFromTheAverage(t *testing.T) {
	t.Parallel()
	got, err := cohort.Retention([]cohort.Cohort{
		{Start: civil.MustParse("2026-01-01"), Customers: 100, Active: []int{20, 10, 4}, LastIsPartial: true},
		{Start: civil.MustParse("2026-02-01"), Customers: 60, Active: []int{20, 2}, LastIsPartial: true},
		{Start: civil.MustParse("2026-03-01"), Customers: 4, Active: []int{3}, LastIsPartial: true},
		{Start: civil.MustParse("2026-04-01"), Customers: 10},
	}, 0, .9)
	if err != nil {
		t.Fatal(err)
	}
	type cell struct {
		Active  int
		Rate    float64
		Partial bool
	}
	cells := func(list []cohort.Cell) (out []cell) {
		for _, c := range list {
			if c.Rate.Low >= c.Rate.Value || c.Rate.High <= c.Rate.Value || c.Rate.Level != .9 {
				t.Errorf("%+v", c)
			}
			out = append(out, cell{c.Active, c.Rate.Value, c.Partial})
		}
		return out
	}
	if diff := cmp.Diff([]cell{{20, .2, false}, {10, .1, false}, {4, .04, true}}, cells(got.Rows[0].Cells)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]cell{{40, .25, false}, {10, .1, false}}, cells(got.Average)); diff != "" {
		t.Error(diff)
	}
	if small := got.Rows[2]; !small.Suppressed || small.Cells != nil {
		t.Errorf("the cohort of four shows %+v", small)
	}
	if young := got.Rows[3]; young.Suppressed || young.Cells != nil {
		t.Errorf("the cohort without a later period shows %+v", young)
	}
}

func TestImpossibleCohortsAreRejectedByTheirStart(t *testing.T) {
	t.Parallel()
	for _, c := range []cohort.Cohort{
		{Start: civil.MustParse("2026-01-01")},
		{Start: civil.MustParse("2026-01-01"), Customers: 5, Active: []int{1, 6}},
		{Start: civil.MustParse("2026-01-01"), Customers: 5, Active: []int{-1}},
	} {
		if _, err := cohort.Retention([]cohort.Cohort{c}, 0, .9); err == nil || !strings.Contains(err.Error(), "2026-01-01") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestCurvesUseCustomersOnlyWhileObserved(t *testing.T) {
	t.Parallel()
	members := []cohort.Member{
		{Channel: "search", AgeDays: 2, Gains: []cohort.Gain{{Day: 0, Amount: 1000}, {Day: 2, Amount: 300}}},
		{Channel: "search", AgeDays: 2, Gains: []cohort.Gain{{Day: 0, Amount: 2000}, {Day: 2, Amount: -100}}},
		{Channel: "search", AgeDays: 0, Gains: []cohort.Gain{{Day: 0, Amount: 600}}},
		{Channel: "email", AgeDays: 3, Gains: []cohort.Gain{{Day: 0, Amount: 500}}},
	}
	got, err := cohort.Curves(members, 2, .9)
	if err != nil {
		t.Fatal(err)
	}
	var values []float64
	for _, p := range got[1].Points {
		values = append(values, p.Value)
	}
	if diff := cmp.Diff([]float64{1200, 1200, 1300}, values, cmpopts.EquateApprox(0, 1e-9)); diff != "" ||
		got[1].Channel != "search" {
		t.Errorf("%s\n%s", got[1].Channel, diff)
	}
	if got[0].Channel != "email" || len(got[0].Points) != 0 || got[0].Customers != 1 {
		t.Errorf("one customer shows a curve: %+v", got[0])
	}
}

// randomMembers returns customers of one channel. The first purchase is USD 10.00, and later purchases are USD 5.00
// each at a constant rate.
func randomMembers(r *rand.Rand, n, longest int) []cohort.Member {
	members := make([]cohort.Member, n)
	for i := range members {
		m := cohort.Member{Channel: "search", AgeDays: r.IntN(longest + 1), Gains: []cohort.Gain{{Amount: 1000}}}
		rate := .03 * r.ExpFloat64()
		for day := 1; day <= m.AgeDays; day++ {
			if r.Float64() < rate {
				m.Gains = append(m.Gains, cohort.Gain{Day: day, Amount: 500})
			}
		}
		members[i] = m
	}
	return members
}

func TestVarianceOfACurveEqualsItsDefinition(t *testing.T) {
	t.Parallel()
	members := randomMembers(rand.New(rand.NewPCG(3, 0)), 40, 30)
	curves, err := cohort.Curves(members, 2, .9)
	if err != nil {
		t.Fatal(err)
	}
	for day, p := range curves[0].Points {
		var variance float64
		for _, m := range members {
			var deviation float64
			for d := 0; d <= min(day, m.AgeDays); d++ {
				var mine, sum float64
				n := float64(curves[0].Points[d].AtRisk)
				for _, other := range members {
					for _, g := range other.Gains {
						if g.Day == d {
							sum += float64(g.Amount)
						}
					}
				}
				for _, g := range m.Gains {
					if g.Day == d {
						mine += float64(g.Amount)
					}
				}
				deviation += (mine - sum/n) / n
			}
			variance += deviation * deviation
		}
		student := distuv.StudentsT{Sigma: 1, Nu: float64(p.AtRisk - 1)}.Quantile(.95)
		if want := student * math.Sqrt(variance); math.Abs(p.High-p.Value-want) > 1e-6*(1+want) {
			t.Errorf("day %d: half width %v, want %v", day, p.High-p.Value, want)
		}
	}
}

func TestPaybackIsTheFirstDayThatCoversTheCost(t *testing.T) {
	t.Parallel()
	point := func(value float64) cohort.Point {
		return cohort.Point{
			Estimate: measure.Estimate{Value: value, Interval: measure.Interval{Low: value - 150, High: value + 150, Level: .9}},
		}
	}
	margin := cohort.Curve{Channel: "search", Points: []cohort.Point{point(400), point(600), point(800), point(1000)}}
	for _, c := range []struct {
		cost float64
		want [3]cohort.Crossing
	}{
		{800, [3]cohort.Crossing{{Day: 2, Reached: true}, {Day: 2, Reached: true}, {Day: 3, Reached: true}}},
		{700, [3]cohort.Crossing{{Day: 2, Reached: true}, {Day: 1, Reached: true}, {Day: 3, Reached: true}}},
		{1100, [3]cohort.Crossing{{Day: 3}, {Day: 3, Reached: true}, {Day: 3}}},
		{0, [3]cohort.Crossing{{Day: 0, Reached: true}, {Day: 0, Reached: true}, {Day: 0, Reached: true}}},
	} {
		got, err := cohort.PaybackOf(margin, c.cost)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, [3]cohort.Crossing{got.Day, got.Earliest, got.Latest}); diff != "" {
			t.Errorf("cost %v:\n%s", c.cost, diff)
		}
	}
	if _, err := cohort.PaybackOf(margin, -1); fault.KindOf(err) != fault.KindInvalid {
		t.Errorf("a negative cost gives %v", err)
	}
	if _, err := cohort.PaybackOf(cohort.Curve{Channel: "tv", Customers: 1}, 10); fault.KindOf(err) != fault.KindNotReady {
		t.Errorf("an empty curve gives %v", err)
	}
}

func TestMarginsReportTheirSource(t *testing.T) {
	t.Parallel()
	costed := cohort.Sale{Revenue: 1000, Cost: 600, CostKnown: true}
	unknown := cohort.Sale{Revenue: 500}
	for _, c := range []struct {
		sales []cohort.Sale
		want  cohort.Margins
	}{
		{[]cohort.Sale{costed, costed}, cohort.Margins{Source: cohort.FromCosts, Rate: .4, Coverage: 1}},
		{[]cohort.Sale{costed, unknown}, cohort.Margins{Source: cohort.PartlyCosted, Rate: .4, Coverage: 2. / 3}},
	} {
		got, err := cohort.MarginsOf(c.sales)
		if diff := cmp.Diff(c.want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" || err != nil {
			t.Errorf("%v\n%s", err, diff)
		}
	}
	m := cohort.Margins{Source: cohort.PartlyCosted, Rate: .4}
	if m.Of(costed) != 400 || m.Of(unknown) != 200 {
		t.Errorf("margins are %d and %d, want 400 and 200", m.Of(costed), m.Of(unknown))
	}
	if _, err := cohort.MarginsOf([]cohort.Sale{unknown}); fault.KindOf(err) != fault.KindNotReady {
		t.Errorf("without costs: %v", err)
	}
	if _, err := cohort.MarginsOf([]cohort.Sale{{Revenue: -1}}); fault.KindOf(err) != fault.KindInvalid {
		t.Errorf("negative revenue: %v", err)
	}
}

func TestInvalidMembersAreRejectedByIndex(t *testing.T) {
	t.Parallel()
	good := cohort.Member{Channel: "search"}
	for _, m := range []cohort.Member{
		{Channel: "search", AgeDays: -1},
		{Channel: "search", AgeDays: 1 << 40},
		{},
		{Channel: "search", Gains: []cohort.Gain{{Day: 1}}},
	} {
		if _, err := cohort.Curves([]cohort.Member{good, m}, 0, .9); err == nil ||
			!strings.Contains(err.Error(), "customer 1") {
			t.Errorf("%+v: %v", m, err)
		}
	}
}
