package hmc

import (
	"math"

	"assay/internal/measure/stats/pathfinder"
)

// chain runs one chain: it warms up from the start and then draws. It returns false if it was stopped.
func (s *sampler) chain(start pathfinder.Start) (Chain, bool) {
	copy(s.z.q, start.Point)
	for i, v := range start.Variance {
		if v > 1/scaleLimit && v < scaleLimit {
			s.metric.scale[i] = math.Sqrt(v)
		}
	}
	s.evaluate()
	if !s.warmUp() {
		return Chain{}, false
	}
	c := Chain{StepSize: s.step}
	for range s.Draws {
		if s.Stop != nil && s.Stop() {
			return Chain{}, false
		}
		t := s.next()
		c.Draws = append(c.Draws, append([]float64(nil), s.z.q...))
		c.LogP = append(c.LogP, s.z.logp)
		c.Energy = append(c.Energy, t.energy)
		c.Accept = append(c.Accept, t.accept)
		c.Divergent = append(c.Divergent, t.divergent)
		c.Depth = append(c.Depth, t.depth)
	}
	c.Gradients = s.gradients
	return c, true
}

// warmUp adapts the metric in windows that double in length. Each window's metric is estimated only from the window's
// own draws, so early draws have no influence. The step size is adapted throughout.
func (s *sampler) warmUp() bool {
	ends := windowEnds(s.Warmup)
	s.step = 1
	average := s.newAverage()
	var draws, grads [][]float64
	for i := range s.Warmup {
		if s.Stop != nil && s.Stop() {
			return false
		}
		t := s.next()
		s.step = average.update(t.accept)
		if len(ends) == 0 {
			continue
		}
		draws = append(draws, append([]float64(nil), s.z.q...))
		grads = append(grads, append([]float64(nil), s.z.grad...))
		if i+1 == ends[0] {
			if s.metric.learn(draws, grads, s.Diagonal) {
				average = s.newAverage()
			}
			ends, draws, grads = ends[1:], nil, nil
		}
	}
	s.step = average.final()
	return true
}

// windowEnds returns the draws after which the metric is estimated again. The distance between them starts at 10 draws
// and doubles. An eighth of the warm-up, at least 10 and at most 100 draws, remains for the step size alone.
func windowEnds(warmup int) []int {
	last := warmup - min(max(warmup/8, 10), 100)
	var ends []int
	for from, size := 0, 10; from+size <= last; size *= 2 {
		from += size
		if from+2*size > last {
			from = last
		}
		ends = append(ends, from)
	}
	return ends
}

// average adapts the step size by dual averaging (Hoffman and Gelman 2014, section 3.2).
type average struct {
	target, mu      float64
	logStep, smooth float64
	lag             float64
	count           float64
}

// newAverage starts from a step size with an acceptance probability of about 0.8 in a single step.
func (s *sampler) newAverage() *average {
	s.step = s.reasonableStep()
	return &average{target: s.Accept, mu: math.Log(10 * s.step), logStep: math.Log(s.step)}
}

func (a *average) update(accept float64) (step float64) {
	const (
		gamma = 0.05
		delay = 10
		kappa = 0.75
	)
	a.count++
	eta := 1 / (a.count + delay)
	a.lag += eta * (a.target - accept - a.lag)
	a.logStep = a.mu - a.lag*math.Sqrt(a.count)/gamma
	weight := math.Pow(a.count, -kappa)
	a.smooth += weight * (a.logStep - a.smooth)
	return math.Exp(a.logStep)
}

// final returns the step size after adaptation. Without adaptation, it returns the initial step size.
func (a *average) final() float64 {
	if a.count == 0 {
		return math.Exp(a.logStep)
	}
	return math.Exp(a.smooth)
}

// reasonableStep returns the step size, doubled or halved until the acceptance probability of a single step crosses
// 0.8.
func (s *sampler) reasonableStep() float64 {
	const maxTrials = 60
	home := newPhase(len(s.z.q))
	home.set(&s.z)
	defer s.z.set(&home)
	step, factor := s.step, 0.0
	for range maxTrials {
		s.z.set(&home)
		s.metric.momentum(s.z.p, s.random)
		before := s.energy()
		s.leapfrog(step)
		accepted := before-s.energy() > math.Log(0.8)
		switch {
		case factor == 0 && accepted:
			factor = 2
		case factor == 0:
			factor = 0.5
		case accepted != (factor == 2):
			return step
		}
		step *= factor
	}
	return step
}
