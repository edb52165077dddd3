package decide

import (
	"math"
	"testing"
)

// divide solves the problem for the first draw.
func divide(p Problem) (plan []float64, value, bound float64) {
	return newChooser(p, []int{0, 1}).choose()
}

func TestBoundAndPlanMeetOnMixedCurves(t *testing.T) {
	t.Parallel()
	problems := 1000
	if testing.Short() {
		problems = 100
	}
	var widest float64
	for seed := range uint64(problems) {
		p := mixed(seed, 0.6, 3)
		plan, value, bound := divide(p)
		var spent float64
		for j, x := range plan {
			spent += x
			if x < p.Channels[j].Min || x > p.Channels[j].Max {
				t.Fatalf("problem %d: %s spends %v of %v to %v", seed, p.Channels[j].Name, x, p.Channels[j].Min, p.Channels[j].Max)
			}
		}
		if math.Abs(spent-p.Budget) > 1e-9*p.Budget {
			t.Fatalf("problem %d spends %v of %v", seed, spent, p.Budget)
		}
		widest = math.Max(widest, (bound-value)/bound)
	}
	// The search ends when the gap is below closeEnough. 4,000 splits are sufficient for all of these problems.
	if !(widest <= closeEnough) {
		t.Errorf("widest gap %v, want at most %v", widest, closeEnough)
	}
}

// grid allocates the budget in steps by dynamic programming, as an independent reference.
func grid(p Problem, steps int) (value float64) {
	best := make([]float64, steps+1)
	for j, c := range p.Channels {
		k := c.Response.mean([]int{0, 1})
		gain := make([]float64, steps+1)
		for i := range gain {
			gain[i], _ = k.at(p.Budget * float64(i) / float64(steps))
		}
		next := make([]float64, steps+1)
		for total := range next {
			next[total] = math.Inf(-1)
			for i := range total + 1 {
				if j == 0 && i < total {
					continue
				}
				next[total] = math.Max(next[total], best[total-i]+gain[i])
			}
		}
		best = next
	}
	return best[steps]
}

func TestNoPlanOnAGridIsBetter(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		p := mixed(seed, 0.6, 3)
		_, value, bound := divide(p)
		best := grid(p, 400)
		if best > value*(1+1e-12) || best > bound {
			t.Errorf("problem %d: the grid finds %v, the plan %v, the bound is %v", seed, best, value, bound)
		}
		// The grid rounds the spend of each of ten channels to a four-hundredth of the budget.
		if best < value*0.995 {
			t.Errorf("problem %d: the plan's %v is far above the grid's %v", seed, value, best)
		}
	}
}

func TestConcaveCurvesHaveEqualMarginalResponse(t *testing.T) {
	t.Parallel()
	// With magnitude m and half h, the derivative is m h / (h + x)^2, so x = sqrt(m h / price) - h. The price, which is
	// the Lagrange multiplier, follows from the budget.
	shapes := []shape{{100, 20, 1}, {300, 80, 1}, {50, 10, 1}, {500, 200, 1}}
	const budget = 300.0
	p := Problem{Budget: budget}
	var roots, halves float64
	for i, s := range shapes {
		p.Channels = append(p.Channels, Channel{Name: names[i], Max: budget, Response: certain(budget, s)})
		roots += math.Sqrt(s.magnitude * s.half)
		halves += s.half
	}
	plan, _, _ := divide(p)
	for i, s := range shapes {
		want := math.Sqrt(s.magnitude*s.half)*(budget+halves)/roots - s.half
		// Cubics on 41 grid points approximate the hyperbola with an error of about 1e-5.
		if math.Abs(plan[i]-want) > 1e-3*budget {
			t.Errorf("%s: got %v, want %v", names[i], plan[i], want)
		}
	}
}

func TestGroupsKeepTheirBounds(t *testing.T) {
	t.Parallel()
	for _, bounds := range []struct{ least, most float64 }{{0, 50}, {200, 260}, {0, 300}} {
		p := Problem{Budget: 300, Groups: []Group{{"video", names[:2], bounds.least, bounds.most}}}
		for i, s := range []shape{{300, 60, 1.8}, {200, 50, 0.9}, {260, 70, 1.2}} {
			p.Channels = append(p.Channels, Channel{Name: names[i], Max: 300, Response: certain(300, s)})
		}
		plan, value, bound := divide(p)
		if sum := plan[0] + plan[1]; sum < bounds.least-1e-6 || sum > bounds.most+1e-6 {
			t.Errorf("the group spends %v of %v to %v", sum, bounds.least, bounds.most)
		}
		best := math.Inf(-1)
		d := division{curves: newChooser(p, []int{0}).means([]int{0})}
		for a := 0.0; a <= 300; a++ {
			for b := 0.0; a+b <= 300; b++ {
				if a+b >= bounds.least && a+b <= bounds.most {
					best = math.Max(best, d.value([]float64{a, b, 300 - a - b}))
				}
			}
		}
		if value < best || bound < value || bound-value > 1e-6*bound {
			t.Errorf("group of %v to %v: plan %v, bound %v, best of a grid %v", bounds.least, bounds.most, value, bound, best)
		}
	}
}

func TestCurveFollowsItsDraws(t *testing.T) {
	t.Parallel()
	p := uncertain(5, 12, 0.5)
	for _, c := range p.Channels {
		k := c.Response.mean([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
		for _, x := range []float64{0, 1e-4 * c.Current, 0.3 * c.Current, c.Current, 2 * c.Current} {
			each := make([]float64, 12)
			c.Response.draws(each, x)
			value, slope := k.at(x)
			if mean := meanOf(each, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}); math.Abs(value-mean) > 1e-9*(1+mean) {
				t.Errorf("%s at %v: mean of draws %v, curve of means %v", c.Name, x, mean, value)
			}
			h := 1e-4 * c.Current
			if x > h && x+h < 2*c.Current {
				above, _ := k.at(x + h)
				below, _ := k.at(x - h)
				if want := (above - below) / (2 * h); math.Abs(slope-want) > 1e-5*(1+math.Abs(want)) {
					t.Errorf("%s at %v: slope %v, want %v", c.Name, x, slope, want)
				}
			}
		}
	}
}
