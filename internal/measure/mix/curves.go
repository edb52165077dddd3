package mix

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/decide"
	"assay/internal/measure/mmm"
	"assay/internal/panics"
)

// curves caches the posterior responses of every channel. Computing the responses takes most of an optimization's time.
// The responses do not depend on the budget, so optimizations share them. The cache is safe for concurrent use.
type curves struct {
	posterior *mmm.Posterior
	reach     func() map[measure.Channel]Reach
	history   func() History
	usual     func() (decide.Problem, error) // computes responses up to usualTop

	mu    sync.Mutex     // guards the fields below
	tall  decide.Problem // responses above usualTop, from the last request
	times float64        // largest spend of tall, as a multiple of the window's spend; 0 before the first request
}

// usualTop is the default maximum spend of responses, as a multiple of the window's spend. It allows twice the budget
// with the largest change at the balanced risk level. Each further step doubles the maximum, so similar budgets share
// responses.
const usualTop = 2.6

// mostTimes is the maximum multiple of the window's spend in a request. At that spend, a response is at its limit and
// does not depend on the data.
const mostTimes = 1000

func newCurves(p *mmm.Posterior, target []float64) *curves {
	c := &curves{posterior: p}
	c.history = sync.OnceValue(func() History { return historyOf(p, target) })
	c.usual = sync.OnceValues(func() (decide.Problem, error) { return c.upTo(usualTop) })
	c.reach = sync.OnceValue(func() map[measure.Channel]Reach {
		channels := p.Channels()
		reaches := make([]Reach, len(channels))
		var work panics.Group
		for i, channel := range channels {
			work.Go(func() { reaches[i] = reachOf(p, channel, 1) })
		}
		work.Wait()
		all := map[measure.Channel]Reach{}
		for i, channel := range channels {
			all[channel] = reaches[i]
		}
		return all
	})
	return c
}

// Warm computes the responses that all optimizations share, so that the first request does not wait for them. It does
// nothing for a model without response curves.
func (m *Model) Warm() error {
	if m.curves == nil {
		return nil
	}
	m.curves.reach()
	_, err := m.curves.usual()
	return err
}

// upTo returns an allocation problem with responses up to a multiple of the window's spend.
func (c *curves) upTo(times float64) (decide.Problem, error) {
	bounds := map[measure.Channel]mmm.Bounds{}
	var current float64
	for _, channel := range c.posterior.Channels() {
		if spend := c.posterior.Spend(channel); spend > 0 {
			bounds[channel] = mmm.Bounds{Min: new(0.0), Max: new(times * spend)}
			current += spend
		}
	}
	return c.posterior.Problem(current, decide.Balanced, bounds)
}

// problem returns the allocation problem. Its responses extend to the largest possible spend of every channel, and at
// least to the window's spend times the parameter least. Bounds for an unknown channel result in a fault of kind
// invalid.
func (c *curves) problem(budget float64, bounds map[measure.Channel]mmm.Bounds, least float64) (decide.Problem, error) {
	spend := map[measure.Channel]float64{}
	for _, channel := range c.posterior.Channels() {
		if s := c.posterior.Spend(channel); s > 0 {
			spend[channel] = s
		}
	}
	times := math.Max(1, least)
	for _, channel := range slices.Sorted(maps.Keys(bounds)) {
		if spend[channel] == 0 {
			return decide.Problem{}, fault.Invalid("bounds for %q: no such channel with spend", channel).
				WithHint("the channels are %v", slices.Sorted(maps.Keys(spend)))
		}
		times = math.Max(times, most(bounds[channel], budget)/spend[channel])
	}
	from, err := c.reaching(times)
	if err != nil {
		return decide.Problem{}, err
	}
	out := decide.Problem{Budget: budget, Risk: decide.Balanced, Channels: slices.Clone(from.Channels)}
	for i := range out.Channels {
		ch := &out.Channels[i]
		b := bounds[ch.Name]
		ch.Min, ch.Max = *b.Min, most(b, budget)
	}
	return out, nil
}

// most returns the largest possible spend of a channel: its maximum or the budget, whichever is smaller, but at least
// its minimum.
func most(b mmm.Bounds, budget float64) float64 { return math.Min(*b.Max, math.Max(budget, *b.Min)) }

// reaching returns a problem with responses for spend up to at least a multiple of the window's spend.
func (c *curves) reaching(times float64) (decide.Problem, error) {
	if times <= usualTop {
		return c.usual()
	}
	if times > mostTimes {
		return decide.Problem{},
			fault.Invalid("a budget or limit of %.0f times the mean spend of the last weeks is too large to optimize", times).
				WithHint("use amounts of at most %d times this spend for each channel", mostTimes)
	}
	top := usualTop * math.Exp2(math.Ceil(math.Log2(times/usualTop)))
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.times == top {
		return c.tall, nil
	}
	made, err := c.upTo(top)
	if err != nil {
		return decide.Problem{}, fmt.Errorf("responses up to %.3g times current spend: %w", top, err)
	}
	c.tall, c.times = made, top
	return made, nil
}

// change returns, for each draw, the response to the allocations minus the response to the current spend. If rates are
// given, it returns the change of the contribution after spend.
func change(current []decide.Channel, allocations []decide.Allocation, rates map[measure.Channel]float64) []float64 {
	total := make([]float64, len(current[0].Response.Value[0]))
	for j, a := range allocations {
		rate, spent := 1.0, 0.0
		if rates != nil {
			rate, spent = rates[a.Channel], a.Proposed-current[j].Current
		}
		was, now := current[j].Response.At(current[j].Current), current[j].Response.At(a.Proposed)
		for i := range total {
			total[i] += rate*(now[i]-was[i]) - spent
		}
	}
	return total
}
