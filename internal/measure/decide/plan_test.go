package decide

import (
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/stats"
)

var names = []measure.Channel{"search", "social", "tv", "email"}

func optimize(t *testing.T, p Problem) *Plan {
	t.Helper()
	plan, err := Optimize(p)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func TestPlansOfJointDrawsMeetTheirBound(t *testing.T) {
	t.Parallel()
	for _, risk := range []Risk{Aggressive, Balanced} {
		for seed := range uint64(3) {
			p := uncertain(seed, 400, risk.Move)
			p.Risk = risk
			plan := optimize(t, p)
			// The goal is a gap of 0.001. If the objective includes the conditional value at risk (CVaR), the bound is
			// the value of a game. An allocation may not be able to attain this value.
			if gap := plan.Certificate.Gap(); !(gap >= 0 && gap <= 1e-3) {
				t.Errorf("risk %+v, problem %d: gap %v", risk, seed, gap)
			}
			var spent float64
			for j, a := range plan.Allocations {
				spent += a.Proposed
				if c := p.Channels[j]; a.Proposed < c.Min-1e-9 || a.Proposed > c.Max+1e-9 || a.Channel != c.Name ||
					a.Current != c.Current {
					t.Errorf("allocation %+v of channel %s within %v to %v", a, c.Name, c.Min, c.Max)
				}
			}
			if math.Abs(spent-p.Budget) > 1e-9*p.Budget {
				t.Errorf("the plan spends %v of %v", spent, p.Budget)
			}
		}
	}
}

func TestRiskAversePlansPreferTheSafeChannel(t *testing.T) {
	t.Parallel()
	random := stats.Stream(1, 1)
	safe, wild := make([]float64, 400), make([]float64, 400)
	for d := range safe {
		safe[d], wild[d] = 1, 1.05+random.NormFloat64()
	}
	p := Problem{Budget: 100, Risk: Conservative}
	for i, slopes := range [][]float64{safe, wild} {
		p.Channels = append(p.Channels, Channel{Name: names[i], Current: 50, Max: 100, Response: line(100, slopes)})
	}
	careful := optimize(t, p)
	p.Risk = Aggressive
	bold := optimize(t, p)
	if careful.Allocations[0].Proposed < 99 || bold.Allocations[1].Proposed < 99 {
		t.Errorf("careful %+v, bold %+v", careful.Allocations, bold.Allocations)
	}
	// The objective of the risk-averse allocation is known: the response is 100 in every draw.
	if got := careful.Certificate; math.Abs(got.Objective-100) > 0.5 || got.Gap() > 1e-3 {
		t.Errorf("certificate %+v, want an objective of 100", got)
	}
}

func TestNoiseIsNotReportedAsLift(t *testing.T) {
	t.Parallel()
	// The twenty draws are pure noise. Every channel returns 1 on average, so no allocation has any lift. In-sample
	// evaluation would report a lift of a third of the budget.
	var promised float64
	for seed := range uint64(40) {
		random := stats.Stream(seed, 8)
		p := Problem{Budget: 400, Risk: Aggressive}
		for _, name := range names {
			slopes := make([]float64, 20)
			for d := range slopes {
				slopes[d] = 1 + random.NormFloat64()
			}
			p.Channels = append(p.Channels, Channel{Name: name, Current: 100, Max: 400, Response: line(400, slopes)})
		}
		promised += optimize(t, p).Lift.Mean / 40
	}
	// The standard error of the mean lift over 40 problems is 400 / sqrt(10) / sqrt(40) = 20.
	if promised > 60 {
		t.Errorf("mean promise %v on noise, want about 0", promised)
	}
}

func TestAnUnchangedPlanHasProbabilityOneHalf(t *testing.T) {
	t.Parallel()
	p := uncertain(1, 40, 0)
	for j := range p.Channels {
		p.Channels[j].Min, p.Channels[j].Max = p.Channels[j].Current, p.Channels[j].Current
	}
	plan := optimize(t, p)
	if plan.BeatsCurrent != 0.5 || plan.Lift != (stats.Summary{}) {
		t.Errorf("staying has lift %+v with probability %v", plan.Lift, plan.BeatsCurrent)
	}
	advice, err := Advise(p, plan, 1)
	if err != nil {
		t.Fatal(err)
	}
	if advice.Action != Hold || len(advice.Reasons) != 1 ||
		!strings.Contains(advice.Reasons[0], "fix the spend of every channel") || advice.BestExperiment != nil {
		t.Errorf("advice %+v", advice)
	}
}

func TestInvalidProblemsAreRejectedWithARemedy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(*Problem)
		says  string
	}{
		"no channels":        {func(p *Problem) { p.Channels = nil }, "no channels"},
		"no budget":          {func(p *Problem) { p.Budget = 0 }, "the budget is 0"},
		"negative budget":    {func(p *Problem) { p.Budget = -3 }, "-3"},
		"infinite budget":    {func(p *Problem) { p.Budget = math.Inf(1) }, "not an amount"},
		"bounds exchanged":   {func(p *Problem) { p.Channels[1].Min = p.Channels[1].Max + 1 }, "channel c1: minimum spend"},
		"negative bound":     {func(p *Problem) { p.Channels[1].Min = -1 }, "c1"},
		"budget too small":   {func(p *Problem) { p.Budget /= 2 }, "add up to"},
		"budget too large":   {func(p *Problem) { p.Budget *= 2 }, "add up to"},
		"a channel twice":    {func(p *Problem) { p.Channels[2].Name = "c0" }, "c0"},
		"grid too short":     {func(p *Problem) { p.Channels[2].Response.Spend[40] *= 0.5 }, "c2"},
		"missing draws":      {func(p *Problem) { p.Channels[2].Response.Value[3] = nil }, "c2 has 0 draws"},
		"NaN":                {func(p *Problem) { p.Channels[2].Response.Slope[3][1] = math.NaN() }, "not finite"},
		"unknown in a group": {func(p *Problem) { p.Groups = []Group{{"g", []measure.Channel{"radio"}, 0, 1}} }, "radio"},
		"a group too small": {
			func(p *Problem) { p.Groups = []Group{{"g", []measure.Channel{"c0", "c1"}, 0, 1}} },
			`the minimum spends of the channels in group "g" add up to`,
		},
		"a group too large": {
			func(p *Problem) { p.Groups = []Group{{"g", []measure.Channel{"c0", "c1"}, 1e6, math.Inf(1)}} },
			"below the group's minimum of 1000000",
		},
		"a channel in two": {func(p *Problem) {
			p.Groups = []Group{{"g", []measure.Channel{"c0"}, 0, 1e9}, {"h", []measure.Channel{"c0"}, 0, 1e9}}
		}, `"h"`},
		"a tail of no draws":  {func(p *Problem) { p.Risk = Risk{Weight: 0.5} }, "tail"},
		"a group upside down": {func(p *Problem) { p.Groups = []Group{{"g", []measure.Channel{"c0"}, 5, 1}} }, `"g"`},
	} {
		p := uncertain(2, 8, 0.3)
		c.spoil(&p)
		_, err := Optimize(p)
		text, hint, _ := fault.Public(err)
		if fault.KindOf(err) != fault.KindInvalid || !strings.Contains(text, c.says) {
			t.Errorf("%s: got %v, want a fault of kind invalid with the text %q", name, err, c.says)
		}
		if hint == "" && !strings.Contains("grid missing NaN a tail", strings.Fields(name)[0]) {
			t.Errorf("%s: no remedy in %v", name, err)
		}
	}
}

func TestErrorsUseTheCallersUnit(t *testing.T) {
	t.Parallel()
	p := uncertain(2, 8, 0.3)
	most := p.Channels[0].Max + p.Channels[1].Max
	p.Groups, p.MessageUnit = []Group{{"brand", []measure.Channel{"c0", "c1"}, 12 * 5000, math.Inf(1)}}, 12
	_, err := Optimize(p)
	text, hint, _ := fault.Public(err)
	if !strings.Contains(text, "add up to "+formatted(most/12)+", below the group's minimum of 5000") ||
		!strings.Contains(hint, "to "+formatted(math.Floor(most/12))+" or less") {
		t.Errorf("got %q and %q", text, hint)
	}
}

func TestPlansOfRandomGroupsKeepEverySum(t *testing.T) {
	t.Parallel()
	random := stats.Stream(9, 0)
	for round := range 12 {
		p := uncertain(uint64(round), 20, 0.4)
		p.Risk = []Risk{Aggressive, Balanced, Conservative}[round%3]
		for _, of := range [][]int{{0, 3, 5}, {1, 2}} {
			g := Group{Name: "of", Max: math.Inf(1)}
			var now float64
			for _, j := range of {
				g.Channels = append(g.Channels, p.Channels[j].Name)
				now += p.Channels[j].Current
			}
			if random.Float64() < 0.5 {
				g.Min = now * (1 + 0.3*random.Float64())
			} else {
				g.Max = now * (1 - 0.3*random.Float64())
			}
			p.Groups = append(p.Groups, g)
		}
		plan := optimize(t, p)
		var all float64
		for _, a := range plan.Allocations {
			all += a.Proposed
		}
		if math.Abs(all-p.Budget) > 1e-9*p.Budget {
			t.Errorf("round %d: spends %v of %v", round, all, p.Budget)
		}
		for _, g := range p.Groups {
			var sum float64
			for _, a := range plan.Allocations {
				if slices.Contains(g.Channels, a.Channel) {
					sum += a.Proposed
				}
			}
			if sum < g.Min-1e-9*p.Budget || sum > g.Max+1e-9*p.Budget {
				t.Errorf("round %d: a group spends %v of %v to %v", round, sum, g.Min, g.Max)
			}
		}
	}
}

func TestUnseenSpendsAreFlagged(t *testing.T) {
	t.Parallel()
	p := uncertain(3, 40, 0.5)
	for j := range p.Channels {
		p.Channels[j].Seen = p.Channels[j].Current
	}
	for _, a := range optimize(t, p).Allocations {
		if a.Unseen != (a.Proposed > a.Current*(1+slack)) {
			t.Errorf("%+v", a)
		}
	}
}

// The test sets GOMAXPROCS, so it does not run in parallel.
func TestPlanIsTheSameOnAnyNumberOfCores(t *testing.T) {
	p := uncertain(4, 200, 0.3)
	p.Risk = Balanced
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	one := optimize(t, p)
	runtime.GOMAXPROCS(8)
	if many := optimize(t, p); !reflect.DeepEqual(one, many) {
		t.Errorf("one core %+v, eight %+v", one, many)
	}
}

func TestUnitsOfMoneyDoNotMatter(t *testing.T) {
	t.Parallel()
	p := uncertain(6, 60, 0.3)
	scaled := uncertain(6, 60, 0.3)
	scaled.Budget *= 1e6
	for j := range scaled.Channels {
		c := &scaled.Channels[j]
		c.Current, c.Min, c.Max = c.Current*1e6, c.Min*1e6, c.Max*1e6
		for i := range c.Response.Spend {
			c.Response.Spend[i] *= 1e6
			for d := range c.Response.Slope[i] {
				c.Response.Slope[i][d] /= 1e6
			}
		}
	}
	a, b := optimize(t, p), optimize(t, scaled)
	for j := range a.Allocations {
		if want := a.Allocations[j].Proposed * 1e6; math.Abs(b.Allocations[j].Proposed-want) > 1e-6*scaled.Budget {
			t.Errorf("%s: got %v, want %v", a.Allocations[j].Channel, b.Allocations[j].Proposed, want)
		}
	}
}

func TestExperimentsAreValuedByTheDecisionTheyChange(t *testing.T) {
	t.Parallel()
	// social returns exactly 1, and search returns 1 with a standard deviation of 0.5. With perfect information, the
	// better channel gets the budget. The value of this information is 100 x 0.5 / sqrt(2 pi) = 19.9. A test with a
	// standard error equal to the prior's has 1 / sqrt(2) of this value.
	random := stats.Stream(2, 1)
	known, unknown := make([]float64, 4000), make([]float64, 4000)
	for d := range known {
		known[d], unknown[d] = 1, 1+0.5*random.NormFloat64()
	}
	p := Problem{Budget: 100, Risk: Aggressive}
	for i, slopes := range [][]float64{unknown, known} {
		p.Channels = append(p.Channels, Channel{Name: names[i], Current: 50, Max: 100, Response: line(100, slopes)})
	}
	values, err := Information(p, []Test{{"social", 0}, {"search", 50}, {"search", 0}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	perfect, real := values[0], values[1]
	// With only eight strata, Information underestimates the gain by a few percent. Two standard errors of search's
	// mean are 0.5 / sqrt(4000) x 100 x 2 = 1.6.
	if perfect.SE != 0 || perfect.Channel != "search" || math.Abs(perfect.Gain-19.9) > 2.5 {
		t.Errorf("a perfect test: %+v, want a gain of 19.9", perfect)
	}
	if real.SE != 50 || math.Abs(real.Gain-14.1) > 2.5 {
		t.Errorf("a test with an error: %+v, want a gain of 14.1", real)
	}
	if values[2].Channel != "social" || values[2].Gain > 1.6 {
		t.Errorf("a test of what is known: %+v, want no gain", values[2])
	}
	if _, err := Information(p, []Test{{"radio", 1}}, 1); fault.KindOf(err) != fault.KindInvalid {
		t.Errorf("a test of an unknown channel: %v", err)
	}
	advice, err := Advise(p, optimize(t, p), 1)
	if err != nil {
		t.Fatal(err)
	}
	if advice.Action != Hold || advice.BestExperiment == nil || advice.BestExperiment.Channel != "search" {
		t.Errorf("advice on a guess: %+v, want to hold and test search", advice)
	}
}

// Each condition of the validation rejects a problem on its own, and accepts the boundary value.
func TestEveryConditionOfTheValidationRejects(t *testing.T) {
	t.Parallel()
	response := func(edit func(r *Response)) func(*Problem) {
		return func(p *Problem) { edit(&p.Channels[0].Response) }
	}
	group := func(least, most float64, names ...measure.Channel) func(*Problem) {
		return func(p *Problem) { p.Groups = []Group{{Name: "g", Channels: names, Min: least, Max: most}} }
	}
	risk := func(weight, tail float64) func(*Problem) {
		return func(p *Problem) { p.Risk = Risk{Weight: weight, Tail: tail} }
	}
	for name, c := range map[string]struct {
		edit func(*Problem)
		want string // "" for a valid problem
	}{
		"weight below 0":          {risk(-0.1, 0.5), "risk weight"},
		"weight above 1":          {risk(1.1, 0.5), "risk weight"},
		"weight NaN":              {risk(math.NaN(), 0.5), "risk weight"},
		"tail 0":                  {risk(0.5, 0), "risk weight"},
		"tail below 0":            {risk(0.5, -1), "risk weight"},
		"tail above 1":            {risk(0.5, 1.1), "risk weight"},
		"weight and tail 1":       {risk(1, 1), ""},
		"weight 0 without a tail": {risk(0, 0), ""},
		"one point": {response(
			func(r *Response) { r.Spend, r.Value, r.Slope = r.Spend[:1], r.Value[:1], r.Slope[:1] }), "at least two increasing"},
		"grid that does not start at 0": {response(
			func(r *Response) { r.Spend = append([]float64{r.Spend[1] / 2}, r.Spend[1:]...) }), "at least two increasing"},
		"equal points": {response(
			func(r *Response) { r.Spend = slices.Clone(r.Spend); r.Spend[2] = r.Spend[1] }), "at least two increasing"},
		"infinite point": {
			response(
				func(r *Response) { r.Spend = slices.Clone(r.Spend); r.Spend[len(r.Spend)-1] = math.Inf(1) }),
			"at least two increasing",
		},
		"a value short": {
			response(func(r *Response) { r.Value = r.Value[:len(r.Value)-1] }),
			"at least two increasing",
		},
		"a slope short": {
			response(func(r *Response) { r.Slope = r.Slope[:len(r.Slope)-1] }),
			"at least two increasing",
		},
		"a slope's draws":        {response(func(r *Response) { r.Slope[2] = r.Slope[2][1:] }), "draws"},
		"an infinite value":      {response(func(r *Response) { r.Value[2][0] = math.Inf(1) }), "not finite"},
		"an infinite slope at 0": {response(func(r *Response) { r.Slope[0][0] = math.Inf(1) }), ""},
		"a current spend off the grid": {
			func(p *Problem) { p.Channels[0].Current = 2 * p.Channels[0].Response.Spend[40] },
			"ends at",
		},
		"an infinite current spend":     {func(p *Problem) { p.Channels[0].Current = math.Inf(1) }, "amounts of money"},
		"an infinite maximum":           {func(p *Problem) { p.Channels[0].Max = math.Inf(1) }, "amounts of money"},
		"a negative current spend":      {func(p *Problem) { p.Channels[0].Current = -1 }, "amounts of money"},
		"a group without channels":      {group(0, 1e9), "invalid bounds"},
		"a group below 0":               {group(-1, 1e9, "c0"), "invalid bounds"},
		"a group reversed":              {group(5, 4, "c0"), "invalid bounds"},
		"a group with NaN":              {group(math.NaN(), 1e9, "c0"), "invalid bounds"},
		"a group with a maximum NaN":    {group(0, math.NaN(), "c0"), "invalid bounds"},
		"a group with minimum infinite": {group(math.Inf(1), math.Inf(1), "c0"), "invalid bounds"},
		"a group without a maximum":     {group(0, math.Inf(1), "c0"), ""},
	} {
		p := uncertain(2, 8, 0.3)
		c.edit(&p)
		_, err := Optimize(p)
		if text, _, _ := fault.Public(err); c.want == "" && err != nil || c.want != "" && !strings.Contains(text, c.want) {
			t.Errorf("%s: got %v, want an error with %q", name, err, c.want)
		}
	}
}

// A rounded probability does not contradict its limit.
func TestAdviceStatesItsReason(t *testing.T) {
	t.Parallel()
	p := Problem{Budget: 3, Channels: []Channel{{Name: "search", Max: 3}, {Name: "tv", Max: 3}}}
	shift := []Allocation{{Channel: "search", Current: 1, Proposed: 2}, {Channel: "tv", Current: 2, Proposed: 1}}
	for _, c := range []struct {
		probability float64
		gain        stats.Summary
		want        string
	}{
		{0.597, stats.Summary{Mean: 1}, "the probability that the optimized allocation is better is 59%, below the required 60%"},
		{0.712, stats.Summary{Mean: -1}, "the probability that the optimized allocation is better is 71%, but the expected gain is not positive"},
		{0.6, stats.Summary{Mean: 1}, ""},
	} {
		advice := Judge(p, &Plan{Allocations: shift, BeatsCurrent: c.probability, Lift: c.gain})
		if got := advice.WhyHold(); got != c.want {
			t.Errorf("probability %v, gain %v: %q, want %q", c.probability, c.gain.Mean, got, c.want)
		}
	}
	shift[0].Proposed, shift[1].Proposed = 1, 2
	if got := Judge(p, &Plan{Allocations: shift}).WhyHold(); got != "the current allocation is already optimal within the bounds" {
		t.Errorf("without a change: %q", got)
	}
}
