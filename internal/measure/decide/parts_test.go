package decide

import (
	"container/heap"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/stats"
)

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9), cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// The grid 0, 1, 3, 4 has the values and slopes of f(x) = x (x - 2)². Its local maximum is 32/27 at 2/3.
func cubic() (Response, curve) {
	r := Response{Spend: []float64{0, 1, 3, 4}}
	var values, slopes []float64
	for _, x := range r.Spend {
		f, g := x*(x-2)*(x-2), (x-2)*(3*x-2)
		values, slopes = append(values, f), append(slopes, g)
		r.Value, r.Slope = append(r.Value, []float64{f, 2 * f}), append(r.Slope, []float64{g, 2 * g})
	}
	return r, newCurve(r.Spend, values, slopes)
}

// On the first interval, the parabola through 0 and 1 with the slope -1 at 1 is 3x - 2x².
func TestCurveInterpolatesACubic(t *testing.T) {
	t.Parallel()
	r, k := cubic()
	for _, x := range []float64{0, 0.5, 1, 1.5, 2, 3, 3.9, 4} {
		want := [2]float64{x * (x - 2) * (x - 2), (x - 2) * (3*x - 2)}
		if x <= 1 {
			want = [2]float64{3*x - 2*x*x, 3 - 4*x}
		}
		value, slope := k.at(x)
		equal(t, "value and slope", [2]float64{value, slope}, want)
		equal(t, "draws", r.At(x), []float64{want[0], 2 * want[0]})
	}
	value, slope := r.mean([]int{1}).at(2.5)
	equal(t, "curve of one draw", []float64{value, slope}, []float64{2 * 2.5 * 0.25, 2 * 0.5 * 5.5})
	value, slope = k.blend(r.mean([]int{1}), 0.25).at(2.5)
	equal(t, "a mixture", []float64{value, slope}, []float64{1.25 * 2.5 * 0.25, 1.25 * 0.5 * 5.5})
	for x, want := range map[float64]int{-1: 0, 0: 0, 0.5: 0, 1: 0, 1.1: 1, 3: 1, 3.1: 2, 4: 2, 9: 2} {
		if got := interval(k.grid, x); got != want {
			t.Errorf("%v is in interval %d, want %d", x, got, want)
		}
	}
	for _, c := range []struct{ from, to, least, most float64 }{
		{1.5, 4, -4. / 3, 20}, // the inflection point is at 4/3
		{0, 0.5, -1, 3}, {1, 1, -1, 3}, {1.2, 2, -4. / 3, 7}, {3.5, 4, 7, 20}, {0, 4, -4. / 3, 20},
	} {
		least, most := k.steepest(c.from, c.to)
		equal(t, "slopes between two spends", []float64{least, most}, []float64{c.least, c.most})
	}
	flat := newCurve([]float64{0, 1, 2}, []float64{0, 3, 6}, []float64{3, 3, 3})
	least, most := flat.steepest(0, 2)
	equal(t, "slopes of a line", []float64{least, most}, []float64{3, 3})
}

func TestBestSpendMaximizesTheProfit(t *testing.T) {
	t.Parallel()
	_, k := cubic()
	for _, c := range []struct{ from, to, price, x, profit float64 }{
		{0, 4, 0, 4, 16},
		{0, 3, 0, 3, 3},
		{0, 2, 0, 0.75, 1.125}, // 3x - 2x² at 3/4
		{0, 2, 1, 0.5, 0.5},    // 2x - 2x² at 1/2
		{0, 2, 4, 0, 0},
		{0.9, 2.5, 0, 0.9, 3*0.9 - 2*0.81},
		{1.5, 2.5, 0, 2.5, 0.625},
		{1.5, 2.4, 0, 2.4, 0.384},
		{1, 1, 2, 1, -1},
		{3, 4, 20, 3, -57},
	} {
		x, profit := k.best(c.from, c.to, c.price)
		equal(t, "spend and profit", []float64{x, profit}, []float64{c.x, c.profit})
	}
	flat := newCurve([]float64{0, 1, 2}, []float64{5, 5, 5}, []float64{0, 0, 0})
	x, profit := flat.best(0.5, 2, 0)
	equal(t, "without a gain, the smallest spend", []float64{x, profit}, []float64{0.5, 5})
	// The maximum of 9u - 6u² + u³ is at 1, the minimum at 3.
	for _, c := range []struct {
		b, c, d, u float64
		ok         bool
	}{
		{9, -6, 1, 1, true},
		{0, 3, -1, 2, true},
		{4, -2, 0, 1, true},
		{1, 1, 0, math.Inf(-1), false},
		{3, 0, 1, 0, false},
		{3, 3, 1, 0, false},
		{3, 0, -1, 1, true},
	} {
		if u, ok := peak(c.b, c.c, c.d); ok != c.ok || ok && math.Abs(u-c.u) > 1e-12 {
			t.Errorf("maximum of %v u + %v u² + %v u³: %v, %v; want %v, %v", c.b, c.c, c.d, u, ok, c.u, c.ok)
		}
	}
}

func TestAmountsInMessagesAreRounded(t *testing.T) {
	t.Parallel()
	for x, want := range map[float64]string{
		12.5: "12.5", 0.126: "0.13", 999.994: "999.99", 999.5: "999.5", 1000.4: "1000", 1200000.6: "1200001",
		-1000.6: "-1001", -999.4: "-999.4", 0: "0",
	} {
		if got := formatted(x); got != want {
			t.Errorf("%v is %q, want %q", x, got, want)
		}
	}
	equal(t, "no unit", Problem{}.inMessage(24), 24.0)
	equal(t, "a unit", Problem{MessageUnit: 12}.inMessage(24), 2.0)
	equal(t, "a small unit", Problem{MessageUnit: 0.5}.formatted(24), "48")
}

func TestRiskLevelsHaveTheirLimits(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]Risk{
		"conservative": {0.5, 0.2, 0.15}, "balanced": {0.2, 0.2, 0.3}, "aggressive": {0, 0.2, 0.6},
	} {
		got, err := ParseRisk(name)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, want)
		}
	}
	if _, err := ParseRisk("wild"); err == nil || !strings.Contains(err.Error(), `unknown risk "wild"`) {
		t.Errorf("wild: %v", err)
	}
	least, most := Balanced.Bounds(200)
	equal(t, "bounds", []float64{least, most}, []float64{140, 260})
	equal(t, "gap", Certificate{Objective: 90, UpperBound: 100}.Gap(), 0.1)
	equal(t, "gap of a negative bound", Certificate{Objective: -110, UpperBound: -100}.Gap(), 0.1)
	equal(t, "gap of zero", Certificate{}.Gap(), 0.0)
}

func TestReasonsNotToChangeHaveTheirBounds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		probability float64
		gain        stats.Summary
		want        string
	}{
		{0.6, stats.Summary{Mean: 2, Q05: -2}, ""},
		{0.5999, stats.Summary{Mean: 2}, "below the required 60%"},
		{math.NaN(), stats.Summary{Mean: 2}, "below the required 60%"},
		{1, stats.Summary{}, "but the expected gain is not positive"},
		{1, stats.Summary{Mean: 1e-9}, ""},
		{0.7, stats.Summary{Mean: 2, Q05: -2.01}, "but the loss exceeds the expected gain with a probability of 5%"},
	} {
		if got := WhyNot(c.probability, c.gain); got != c.want {
			t.Errorf("%v with %+v: %q, want %q", c.probability, c.gain, got, c.want)
		}
	}
}

func TestJudgmentsHoldOrShift(t *testing.T) {
	t.Parallel()
	p := Problem{Budget: 1e6, Channels: []Channel{{Name: "search", Max: 3}, {Name: "tv", Max: 3, Min: 3}}}
	plan := func(by float64) *Plan {
		return &Plan{BeatsCurrent: 1, Lift: stats.Summary{Mean: 1}, Allocations: []Allocation{
			{Channel: "search", Current: 5, Proposed: 5 + by}, {Channel: "tv", Current: 5, Proposed: 5 - by, Unseen: true},
		}}
	}
	const unseen = "the proposed spend on tv is above the observed range, so the estimate extrapolates the response curve"
	for by, want := range map[float64]Advice{
		1:   {Action: Hold, Reasons: []string{"the current allocation is already optimal within the bounds", unseen}},
		1.1: {Action: Shift, Reasons: []string{unseen}},
	} {
		got := Judge(p, plan(by))
		equal(t, "advice", *got, want)
		if hold := got.WhyHold(); (hold == "") != (want.Action == Shift) {
			t.Errorf("a change of %v: %q", by, hold)
		}
	}
	p.Channels[0].Max = 0
	equal(t, "fixed channels", Judge(p, plan(0)).WhyHold(), "the bounds fix the spend of every channel")
}

// A perfect experiment on the uncertain channel gains 25. It is worthwhile above a thousandth of the response.
func TestExperimentsAreWorthAThousandth(t *testing.T) {
	t.Parallel()
	known, unknown := make([]float64, 400), make([]float64, 400)
	for d := range known { // each half of the draws, even and odd, has both values of search
		known[d], unknown[d] = 1, 0.5+float64(d/2%2)
	}
	p := Problem{Budget: 100}
	for i, slopes := range [][]float64{unknown, known} {
		p.Channels = append(p.Channels, Channel{Name: names[i], Current: 50, Max: 100, Response: line(100, slopes)})
	}
	values, err := Information(p, []Test{{"social", 0}, {"search", 0}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	// With search at 1.5 in half of the draws, knowing gains 100 · 0.5 / 2.
	if values[0].Channel != "search" || math.Abs(values[0].Gain-25) > 1e-6 || values[1].Gain > 1.5 {
		t.Errorf("values %+v, want 25 for search", values)
	}
	for objective, want := range map[float64]bool{24_990: true, -24_990: true, 25_010: false, -25_010: false} {
		advice, err := Advise(p, &Plan{Certificate: Certificate{Objective: objective}}, 1)
		if err != nil || (advice.BestExperiment != nil) != want || len(advice.Experiments) != 2 {
			t.Errorf("response %v: %+v, %v; want an experiment: %v", objective, advice, err, want)
		}
	}
	for _, test := range []Test{{"radio", 0}, {"search", -1}, {"search", math.Inf(1)}, {"search", math.NaN()}} {
		_, err := Information(p, []Test{test}, 1)
		text, hint, _ := fault.Public(err)
		if !strings.Contains(text, "invalid test of") || !strings.Contains(hint, "[search social]") {
			t.Errorf("%+v: %q, %q", test, text, hint)
		}
	}
	if _, err := Information(Problem{}, nil, 1); err == nil {
		t.Error("a problem without channels has information")
	}
}

// The result is the response at the maximum minus the response at the minimum, plus the error.
func TestResultsOfTestsHaveTheirError(t *testing.T) {
	t.Parallel()
	p := Problem{Channels: []Channel{{Min: 20, Max: 80, Response: line(100, slices.Repeat([]float64{1, 3}, 500))}}}
	exact := p.results(0, 0, 1, 1)
	equal(t, "without an error", exact[:2], []float64{60, 180})
	noisy := p.results(0, 10, 1, 1)
	var errors []float64
	for i, x := range noisy {
		errors = append(errors, x-exact[i])
	}
	// The standard errors of mean and deviation are 0.32 and 0.22.
	if mean, sd := stats.MeanSD(errors); math.Abs(mean) > 1.2 || math.Abs(sd-10) > 0.9 {
		t.Errorf("errors of %v ± %v, want 0 ± 10", mean, sd)
	}
}

// Draws 0 to 9 have the totals 9 to 0.
func TestTailContainsTheWorstDraws(t *testing.T) {
	t.Parallel()
	slopes := make([]float64, 10)
	draws := make([]int, 10)
	for d := range slopes {
		slopes[d], draws[d] = float64(9-d), d
	}
	p := Problem{Risk: Risk{Weight: 0.4}, Channels: []Channel{{Response: line(2, slopes)}}}
	for share, want := range map[float64][]int{0.2: {9, 8}, 0.24: {9, 8}, 0.26: {9, 8, 7}, 0.01: {9}} {
		p.Risk.Tail = share
		equal(t, "worst draws", newChooser(p, draws).worst([]float64{1}), want)
	}
	p.Risk.Tail = 0.2
	equal(t, "objective", newChooser(p, draws).objective([]float64{1}), 0.6*4.5+0.4*0.5)
	p.Risk.Weight = 1
	equal(t, "objective of the worst", newChooser(p, draws).objective([]float64{1}), 0.5)
	p.Risk.Weight = 0
	equal(t, "objective of the mean", newChooser(p, draws).objective([]float64{1}), 4.5)
	p.Channels[0].Response = line(2, ones(10))
	equal(t, "equal totals", newChooser(p, []int{4, 2, 7}).worst([]float64{1}), []int{2})
}

func ones(n int) []float64 { return slices.Repeat([]float64{1}, n) }

func TestSharesCountZerosAsHalf(t *testing.T) {
	t.Parallel()
	equal(t, "share", shareAbove([]float64{1, 0, -1, 2}), 2.5/4)
	equal(t, "tiny values", shareAbove([]float64{1e-300, -1e-300}), 0.5)
}

// Search moves from 10 to 30, tv from 40 to 30 and social from 20 to 10. Their returns per draw are the slopes.
func TestMovesAreComparedWithTheOtherDirection(t *testing.T) {
	t.Parallel()
	p := Problem{Budget: 80, Channels: []Channel{
		{Name: "search", Response: line(100, []float64{4.5, 1, 2.5, 3.5})},
		{Name: "tv", Response: line(100, []float64{2, 2, 1, 1})},
		{Name: "social", Response: line(100, []float64{4, 4, 3, 3})},
		{Name: "email", Response: line(100, []float64{9, 9, 9, 9})},
	}}
	moves := []Allocation{
		{Current: 10, Proposed: 30}, {Current: 40, Proposed: 30}, {Current: 20, Proposed: 10}, {Current: 10, Proposed: 10 + 7.9e-5},
	}
	p.judgeMoves(moves)
	// The money moved down returns 3, 3, 2, 2 on average.
	for j, want := range []float64{0.75, 0.75, 0.5} {
		if got := moves[j].RightWay; got == nil || math.Abs(*got-want) > 1e-12 {
			t.Errorf("move %d: %+v, want probability %v", j, moves[j], want)
		}
	}
	if moves[3].RightWay != nil {
		t.Errorf("a move of a millionth of the budget is right with probability %v", *moves[3].RightWay)
	}
	// Equal returns are right with probability one half. The spends are on the grid, so there is no rounding.
	same := Problem{Budget: 64, Channels: []Channel{{Response: line(64, ones(4))}, {Response: line(64, ones(4))}}}
	equally := []Allocation{{Current: 32, Proposed: 64}, {Current: 32, Proposed: 0}}
	same.judgeMoves(equally)
	if a, b := equally[0].RightWay, equally[1].RightWay; a == nil || b == nil || *a != 0.5 || *b != 0.5 {
		t.Errorf("equal returns: %+v", equally)
	}
	up := []Allocation{{Current: 10, Proposed: 30}}
	p.judgeMoves(up)
	if up[0].RightWay != nil {
		t.Errorf("without a move down: %v", *up[0].RightWay)
	}
}

func TestWeightsMultiplyTheResponses(t *testing.T) {
	t.Parallel()
	of := func(weights ...float64) (out []float64) {
		var p Problem
		for _, w := range weights {
			p.Channels = append(p.Channels, Channel{Weight: w, Response: line(2, []float64{6})})
		}
		for _, c := range p.weighted().Channels {
			out = append(out, c.Response.At(2)[0]/12, c.Response.Slope[1][0]/6)
		}
		return out
	}
	equal(t, "different weights", of(1, 4), []float64{0.25, 0.25, 1, 1})
	equal(t, "a weight of 0 or below", of(0, 2, -1, 4), []float64{0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1, 1})
	equal(t, "equal weights", of(3, 3), ones(4))
	equal(t, "no weights", of(0, 0), ones(4))
	equal(t, "one weight", of(0, 3), ones(4)) // both have the smallest positive weight
}

// The halves of the draws choose different channels: tv is better in the first half, search in the second.
func TestLiftIsEvaluatedWithTheOtherHalf(t *testing.T) {
	t.Parallel()
	p := Problem{Budget: 100, Channels: []Channel{
		{Name: "search", Current: 50, Max: 100, Response: line(100, []float64{1, 1, 1, 5, 5, 5})},
		{Name: "tv", Current: 50, Max: 75, Response: line(100, []float64{2, 2, 2, 1, 1, 1})},
	}}
	plan := optimize(t, p)
	// First half: 25 and 75. Second half: 100 and 0. Both are worse in the other half.
	equal(t, "lift", []float64{plan.Lift.Mean, plan.BeatsCurrent}, []float64{(100 - 150 + 200 - 300) / 2., 0})
	equal(t, "agreement", plan.Agreement, 1-0.75)
	equal(t, "allocations", []float64{plan.Allocations[0].Proposed, plan.Allocations[1].Proposed}, []float64{100, 0})
	equal(t, "marginal ROAS", []float64{plan.Allocations[0].MarginalROAS, plan.Allocations[1].MarginalROAS}, []float64{3, 1.5})
	equal(t, "certificate", plan.Certificate, Certificate{300, 300})
}

func TestErrorsOfProblemsNameTheirAmounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		edit       func(p *Problem)
		text, hint string
	}{
		{
			func(p *Problem) { p.Channels[0].Max = 120 },
			"the response of search ends at 100, below the channel's maximum spend 120", "",
		},
		{func(p *Problem) { p.Channels[0].Current = 130 }, "ends at 100, below the channel's maximum spend 130", ""},
		{
			func(p *Problem) { p.Channels[1].Min = 90 },
			"channel tv: minimum spend 90 exceeds maximum 80", "make them equal",
		},
		{func(p *Problem) { p.Channels[1].Response.Value[1] = ones(3) }, "the response of tv has 3 draws at 50: want 4, and at least 4", ""},
		{func(p *Problem) {
			for j := range p.Channels {
				p.Channels[j].Response = line(100, ones(3))
			}
		}, "the response of search has 3 draws at 0: want 3, and at least 4", ""},
		{
			func(p *Problem) { p.Budget = 170.5 },
			"the channels' maximum spends add up to 170, below the budget of 170.5", "lower the budget to 170 or less",
		},
		{
			func(p *Problem) { p.Budget = 14.5 },
			"the channels' minimum spends add up to 15, above the budget of 14.5", "raise the budget to 15 or more",
		},
		{func(p *Problem) { p.Budget = 0 }, "the budget is 0", "the current total of 90"},
		{
			func(p *Problem) { p.Groups = []Group{{"g", []measure.Channel{"search", "tv"}, 0, 14}} },
			`the minimum spends of the channels in group "g" add up to 15, above the group's maximum of 14`, "maximum to 15 or more",
		},
		{
			func(p *Problem) { p.Groups = []Group{{"g", []measure.Channel{"search", "tv"}, 171, 200}} },
			`the maximum spends of the channels in group "g" add up to 170, below the group's minimum of 171`, "minimum to 170 or less",
		},
		{
			func(p *Problem) { p.Groups = []Group{{"g", []measure.Channel{"tv"}, 0, 20}} },
			"the channels' maximum spends add up to 110, below the budget of 120", "",
		},
		{
			func(p *Problem) { p.Groups = []Group{{"g", []measure.Channel{"radio"}, 0, 20}} },
			`group "g" has an unknown channel "radio"`, "the channels are [search tv]",
		},
		{func(p *Problem) {
			p.Groups = []Group{{"g", []measure.Channel{"tv"}, 0, 99}, {"h", []measure.Channel{"tv"}, 0, 99}}
		}, `channel "tv" is in two groups, "g" and "h"`, ""},
	} {
		p := Problem{Budget: 120, Channels: []Channel{
			{Name: "search", Current: 50, Min: 5, Max: 90, Response: line(100, ones(4))},
			{Name: "tv", Current: 40, Min: 10, Max: 80, Response: line(100, ones(4))},
		}}
		c.edit(&p)
		_, err := Optimize(p)
		text, hint, _ := fault.Public(err)
		if !strings.Contains(text, c.text) || !strings.Contains(hint, c.hint) {
			t.Errorf("%q with the hint %q, want %q with %q", text, hint, c.text, c.hint)
		}
	}
	for _, budget := range []float64{15, 170} { // the sums of the bounds
		p := Problem{Budget: budget, Channels: []Channel{
			{Name: "search", Min: 5, Max: 90, Response: line(90, ones(4))},
			{Name: "tv", Min: 10, Max: 80, Response: line(80, ones(4))},
		}}
		if _, err := Optimize(p); err != nil {
			t.Errorf("budget %v: %v", budget, err)
		}
	}
}

// By hand: two values are moved toward each other until they differ by the limit. Without a change, they are the mean.
func TestNearestSpendsHaveBoundedChanges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		y      []float64
		within Range
		change float64
		want   []float64
	}{
		{[]float64{0, 10}, Range{0, 100}, 4, []float64{3, 7}},
		{[]float64{10, 0}, Range{0, 100}, 4, []float64{7, 3}},
		{[]float64{0, 10, 2}, Range{0, 100}, 0, []float64{4, 4, 4}},
		{[]float64{0, 10, 0}, Range{0, 100}, 4, []float64{2, 6, 2}},
		{[]float64{3, 5, 4}, Range{0, 100}, 4, []float64{3, 5, 4}},
		{[]float64{0, 10}, Range{0, 5}, 4, []float64{1, 5}},
		{[]float64{-9, 50}, Range{2, 9}, 4, []float64{5, 9}},
		{[]float64{7}, Range{0, 5}, 1, []float64{5}},
		{[]float64{-7}, Range{2, 5}, 1, []float64{2}},
	} {
		y := slices.Clone(c.y)
		new(chain).nearest(y, c.within, c.change)
		equal(t, "nearest spends", y, c.want)
	}
	for _, c := range []struct {
		corners []corner
		want    float64
	}{
		{[]corner{{0, -2}, {10, 3}}, 4},
		{[]corner{{0, 1}, {10, 3}}, 0},
		{[]corner{{0, -3}, {10, -1}}, 10},
		{[]corner{{0, -3}, {10, 0}, {20, 0}}, 10},
	} {
		equal(t, "root", root(c.corners), c.want)
	}
}

// A spend at the end of the data's range is seen, up to rounding.
func TestSpendsAreUnseenAboveTheRange(t *testing.T) {
	t.Parallel()
	p := Problem{Budget: 120, Channels: []Channel{
		{Name: "at", Seen: 60, Response: line(100, ones(4))},
		{Name: "above", Seen: 60, Response: line(100, ones(4))},
		{Name: "unknown", Response: line(100, ones(4))},
		{Name: "rounding", Seen: 60, Response: line(100, ones(4))},
	}}
	for j, a := range p.allocations([]float64{60, 60.001, 99, 60 * (1 + 1e-10)}, []int{0, 1, 2, 3}) {
		if want := a.Channel == "above"; a.Unseen != want || a.Proposed == 0 || a.MarginalROAS == 0 {
			t.Errorf("channel %d: %+v, want unseen %v", j, a, want)
		}
	}
}

// Bounds of a group limit what its members can spend. The other channel spends the rest of 10.
func TestRegionsHaveTheHighestBoundOnTop(t *testing.T) {
	t.Parallel()
	r := regions{{bound: 1}, {bound: 3}, {bound: 2}}
	heap.Init(&r)
	for _, want := range []float64{3, 2, 1} {
		if got := heap.Pop(&r).(region).bound; got != want {
			t.Errorf("bound %v, want %v", got, want)
		}
	}
	d := division{budget: 10, parts: []part{{members: []int{0}}, {group: &Group{Min: 4, Max: 6}, members: []int{1, 2}}}}
	for _, c := range []struct {
		low, high []float64
		want      bool
	}{
		{[]float64{0, 0, 0}, []float64{6, 5, 5}, true},
		{[]float64{0, 0, 0}, []float64{3.9, 5, 5}, false},
		{[]float64{0, 0, 0}, []float64{4, 5, 5}, true},
		{[]float64{6, 0, 0}, []float64{6, 5, 5}, true},
		{[]float64{6.1, 0, 0}, []float64{9, 5, 5}, false},
		{[]float64{0, 3, 3}, []float64{9, 5, 5}, true},
		{[]float64{0, 3, 3.1}, []float64{9, 5, 5}, false},
		{[]float64{0, 0, 0}, []float64{9, 2, 2}, true},
		{[]float64{0, 0, 0}, []float64{9, 2, 1.9}, false},
	} {
		if got := d.reachable(c.low, c.high); got != c.want {
			t.Errorf("%v to %v can spend the budget: %v, want %v", c.low, c.high, got, c.want)
		}
	}
}
