package hmc

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"assay/internal/measure/stats"
)

// divergence is the energy error above which a transition is divergent.
const divergence = 1000

// phase is a point on the trajectory: position, momentum, and the gradient and log density at the position.
type phase struct {
	q, p, grad []float64
	logp       float64
}

func newPhase(dim int) phase {
	return phase{q: make([]float64, dim), p: make([]float64, dim), grad: make([]float64, dim)}
}

func (z *phase) set(from *phase) {
	copy(z.q, from.q)
	copy(z.p, from.p)
	copy(z.grad, from.grad)
	z.logp = from.logp
}

// place is a candidate position for the next draw.
type place struct {
	q, grad      []float64
	logp, energy float64
}

func (x *place) set(from *place) {
	copy(x.q, from.q)
	copy(x.grad, from.grad)
	x.logp, x.energy = from.logp, from.energy
}

// end is one end of a subtrajectory: momentum and velocity.
type end struct{ p, v []float64 }

func (e *end) set(from *end) {
	copy(e.p, from.p)
	copy(e.v, from.v)
}

// tree is a subtrajectory: its first and last point, the sum of momenta, the proposal drawn from it and the log of its
// total weight.
type tree struct {
	first, last end
	rho         []float64
	proposal    place
	logWeight   float64
}

func newTree(dim int) tree {
	row := func() []float64 { return make([]float64, dim) }
	return tree{
		first: end{row(), row()}, last: end{row(), row()}, rho: row(),
		proposal: place{q: row(), grad: row()},
	}
}

// sampler is one chain's sampler with its scratch space.
type sampler struct {
	Options
	density stats.Density
	random  *rand.Rand
	metric  metric
	step    float64

	z           phase     // position of the integrator
	edge        [2]phase  // both ends of the trajectory
	whole, side tree      // the trajectory and the half that is being added
	levels      [][2]tree // scratch space: two halves of a subtree of each depth
	velocity    []float64
	gradients   int

	energy0    float64 // energy at the start of the trajectory
	acceptSum  float64
	steps      int
	isDiverged bool
}

func newSampler(density stats.Density, o Options, random *rand.Rand) *sampler {
	dim := density.Dim()
	s := &sampler{
		Options: o, density: density, random: random, metric: unitMetric(dim),
		z: newPhase(dim), edge: [2]phase{newPhase(dim), newPhase(dim)},
		whole: newTree(dim), side: newTree(dim), velocity: make([]float64, dim),
	}
	for range o.MaxDepth {
		s.levels = append(s.levels, [2]tree{newTree(dim), newTree(dim)})
	}
	return s
}

// evaluate sets the log density and gradient at the integrator's position.
func (s *sampler) evaluate() {
	s.gradients++
	s.z.logp = s.density.LogDensity(s.z.q, s.z.grad)
}

// leapfrog moves the integrator by one step; a negative step goes back in time.
func (s *sampler) leapfrog(step float64) {
	floats.AddScaled(s.z.p, step/2, s.z.grad)
	s.metric.velocity(s.velocity, s.z.p)
	floats.AddScaled(s.z.q, step, s.velocity)
	s.evaluate()
	floats.AddScaled(s.z.p, step/2, s.z.grad)
}

// energy returns the Hamiltonian at the integrator's point and leaves the velocity in s.velocity. It returns +Inf
// instead of NaN.
func (s *sampler) energy() float64 {
	s.metric.velocity(s.velocity, s.z.p)
	h := floats.Dot(s.z.p, s.velocity)/2 - s.z.logp
	if math.IsNaN(h) {
		return math.Inf(1)
	}
	return h
}

// transition contains the statistics of one trajectory.
type transition struct {
	accept    float64
	energy    float64
	depth     int
	divergent bool
}

// next moves to the next draw and returns the statistics of the trajectory. It doubles the trajectory, forward or
// backward at random, until a U-turn, a divergent transition or the maximum depth. It then draws one of the
// trajectory's points by weight.
func (s *sampler) next() transition {
	s.metric.momentum(s.z.p, s.random)
	s.energy0 = s.energy()
	s.acceptSum, s.steps, s.isDiverged = 0, 0, false
	s.edge[0].set(&s.z)
	s.edge[1].set(&s.z)
	s.begin(&s.whole)
	forward := true // direction from whole.first to whole.last

	depth := 0
	for depth < s.MaxDepth {
		goForward := s.random.Uint64()&1 == 1
		if goForward != forward {
			s.whole.first, s.whole.last = s.whole.last, s.whole.first
			forward = goForward
		}
		side, step := 0, -s.step
		if forward {
			side, step = 1, s.step
		}
		s.z.set(&s.edge[side])
		ok := s.grow(&s.side, depth, step)
		s.edge[side].set(&s.z)
		if !ok {
			break
		}
		depth++
		// Biased progressive sampling prefers the new half, which is further from the start.
		if math.Log(s.random.Float64()) < s.side.logWeight-s.whole.logWeight {
			s.whole.proposal.set(&s.side.proposal)
		}
		if s.join(&s.whole, &s.whole, &s.side) {
			break
		}
	}
	s.adopt(&s.whole.proposal)
	return transition{
		accept: s.acceptSum / float64(max(s.steps, 1)), energy: s.whole.proposal.energy,
		depth: depth, divergent: s.isDiverged,
	}
}

// adopt moves the integrator to the place.
func (s *sampler) adopt(x *place) {
	copy(s.z.q, x.q)
	copy(s.z.grad, x.grad)
	s.z.logp = x.logp
}

// begin sets the tree to the integrator's point alone. The velocity is in s.velocity.
func (s *sampler) begin(t *tree) {
	copy(t.first.p, s.z.p)
	copy(t.first.v, s.velocity)
	t.last.set(&t.first)
	copy(t.rho, s.z.p)
	copy(t.proposal.q, s.z.q)
	copy(t.proposal.grad, s.z.grad)
	t.proposal.logp, t.proposal.energy = s.z.logp, s.energy0
	t.logWeight = 0
}

// grow extends the trajectory by 2^depth steps from the integrator's point and describes these steps in out. It returns
// false if the steps diverged or made a U-turn. In this case, all of the steps are invalid.
func (s *sampler) grow(out *tree, depth int, step float64) bool {
	if depth == 0 {
		return s.grown(out, step)
	}
	left, right := &s.levels[depth-1][0], &s.levels[depth-1][1]
	if !s.grow(left, depth-1, step) || !s.grow(right, depth-1, step) {
		return false
	}
	total := logSum(left.logWeight, right.logWeight)
	out.proposal.set(&left.proposal)
	if math.Log(s.random.Float64()) < right.logWeight-total {
		out.proposal.set(&right.proposal)
	}
	return !s.join(out, left, right)
}

// grown takes one leapfrog step and stores it in out as a tree of one point. It returns false if the step diverges.
func (s *sampler) grown(out *tree, step float64) bool {
	s.leapfrog(step)
	h := s.energy()
	gain := s.energy0 - h
	s.steps++
	s.acceptSum += math.Min(1, math.Exp(gain))
	if gain < -divergence {
		s.isDiverged = true
		return false
	}
	s.begin(out)
	out.proposal.energy = h
	out.logWeight = gain
	return true
}

// join combines the consecutive trees left and right into the tree out, except for the proposal. It returns true for a
// U-turn between the ends or across the boundary of the two trees. out and left may be the same tree.
func (s *sampler) join(out, left, right *tree) (turns bool) {
	rho := s.velocity // scratch space between steps
	// across checks for a U-turn of a piece of the trajectory. The piece has the end points from and to, and its
	// momenta add up to a + b.
	across := func(from, to *end, a, b []float64) bool {
		floats.AddTo(rho, a, b)
		return floats.Dot(from.v, rho) <= 0 || floats.Dot(to.v, rho) <= 0
	}
	turns = across(&left.first, &right.last, left.rho, right.rho) ||
		across(&left.first, &right.first, left.rho, right.first.p) ||
		across(&left.last, &right.last, right.rho, left.last.p)
	out.first.set(&left.first)
	out.last.set(&right.last)
	floats.AddTo(out.rho, left.rho, right.rho)
	out.logWeight = logSum(left.logWeight, right.logWeight)
	return turns
}

// logSum returns log(exp(a) + exp(b)).
func logSum(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	return a + math.Log1p(math.Exp(b-a))
}
