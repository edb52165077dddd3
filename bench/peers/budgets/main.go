// Command budgets simulates allocation problems with ten channels and optimizes their budgets. It prints problems and
// allocations as JSON, as input for another optimizer.
//
//	budgets [--problems 1000] [--draws 1]
//
// Response curves are Hill curves with slopes from 0.6 to 3. A curve with a slope above 1 is S-shaped. With one draw,
// each channel may get any share of the budget. With more draws, the curves vary between draws with a common component.
// Each channel's spend may then change by up to 60%, and the optimizer maximizes the mean.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"

	"assay/bench/process"
	"assay/internal/measure"
	"assay/internal/measure/decide"
	"assay/internal/measure/stats"
)

const channels = 10

func main() {
	problems := flag.Int("problems", 1000, "how many budgets are divided")
	draws := flag.Int("draws", 1, "draws of each response")
	flag.Parse()
	if err := divide(*problems, *draws); err != nil {
		fmt.Fprintln(os.Stderr, "budgets:", err)
		os.Exit(1)
	}
}

// answer is a problem with its allocation. Amounts are totals over the window of the curves.
type answer struct {
	Budget   float64         `json:"budget"`
	Channels []channelAnswer `json:"channels"`
	Gap      float64         `json:"gap"`  // distance to the certificate's upper bound, as a share of the bound
	Wall     float64         `json:"wall"` // seconds, from the draws to the allocation
	CPU      float64         `json:"cpu"`
}

type channelAnswer struct {
	Min      float64 `json:"min"`
	Max      float64 `json:"max"`
	Curves   []hill  `json:"curves"` // one for each draw
	Proposed float64 `json:"proposed"`
}

// hill is the Hill curve magnitude x^slope / (half^slope + x^slope).
type hill struct {
	Magnitude float64 `json:"magnitude"`
	Half      float64 `json:"half"`
	Slope     float64 `json:"slope"`
}

func (s hill) at(x float64) (value, derivative float64) {
	if x == 0 {
		return 0, 0
	}
	q := math.Pow(x/s.Half, s.Slope)
	return s.Magnitude * q / (1 + q), s.Magnitude * s.Slope * q / (x * (1 + q) * (1 + q))
}

func divide(problems, draws int) error {
	out := json.NewEncoder(os.Stdout)
	for i := range problems {
		a := problem(uint64(i), draws)
		if err := a.solve(); err != nil {
			return fmt.Errorf("budget %d: %w", i, err)
		}
		if err := out.Encode(a); err != nil {
			return fmt.Errorf("budget %d: %w", i, err)
		}
	}
	return nil
}

// problem generates an allocation problem from a seed.
func problem(seed uint64, draws int) *answer {
	random := stats.Stream(seed, 7)
	common := make([]float64, draws)
	if draws > 1 {
		for d := range common {
			common[d] = random.NormFloat64()
		}
	}
	a := &answer{Channels: make([]channelAnswer, channels)}
	for j := range a.Channels {
		current := 100 * math.Exp(random.NormFloat64())
		centre := hill{current * (1 + 4*random.Float64()), current * (0.5 + 2*random.Float64()), 0.6 + 2.4*random.Float64()}
		a.Budget += current
		a.Channels[j] = channelAnswer{Min: 0.4 * current, Max: 1.6 * current, Curves: []hill{centre}}
		for d := range common[1:] {
			a.Channels[j].Curves = append(a.Channels[j].Curves, hill{
				centre.Magnitude * math.Exp(0.3*random.NormFloat64()-0.1*common[d+1]),
				centre.Half * math.Exp(0.3*random.NormFloat64()), centre.Slope * math.Exp(0.1*random.NormFloat64()),
			})
		}
	}
	if draws == 1 {
		for j := range a.Channels {
			a.Channels[j].Min, a.Channels[j].Max = 0, a.Budget
		}
	}
	return a
}

// solve optimizes the allocation. The measured time includes the construction of the responses.
func (a *answer) solve() error {
	watch := process.Begin()
	p := decide.Problem{Budget: a.Budget, Risk: decide.Risk{Tail: decide.Aggressive.Tail, Move: decide.Aggressive.Move}}
	for j, c := range a.Channels {
		p.Channels = append(p.Channels, decide.Channel{
			Name: measure.Channel(fmt.Sprintf("c%d", j)), Current: (c.Min + c.Max) / 2, Min: c.Min, Max: c.Max, Response: c.response(),
		})
	}
	plan, err := decide.Optimize(p)
	if err != nil {
		return fmt.Errorf("optimize: %w", err)
	}
	wall, cpu := watch.Took()
	a.Wall, a.CPU, a.Gap = wall.Seconds(), cpu.Seconds(), plan.Certificate.Gap()
	for j, allocation := range plan.Allocations {
		a.Channels[j].Proposed = allocation.Proposed
	}
	return nil
}

// response evaluates the curves on a grid that is denser near 0. It repeats a single curve four times, because four
// draws are the minimum.
func (c channelAnswer) response() decide.Response {
	const rungs = 40
	curves := c.Curves
	for len(curves) < 4 {
		curves = append(curves, c.Curves[0])
	}
	var r decide.Response
	for i := range rungs + 1 {
		x := c.Max * float64(i*i) / (rungs * rungs)
		values, slopes := make([]float64, len(curves)), make([]float64, len(curves))
		for d, s := range curves {
			values[d], slopes[d] = s.at(x)
		}
		r.Spend, r.Value, r.Slope = append(r.Spend, x), append(r.Value, values), append(r.Slope, slopes)
	}
	return r
}
