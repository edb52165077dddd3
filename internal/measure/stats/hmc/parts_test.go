package hmc

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"assay/internal/measure/stats"
	"assay/internal/measure/stats/pathfinder"
	"assay/internal/measure/stats/statstest"
)

// bowl is the density exp(-x² / 2) of a standard normal vector, with a limit outside of which it is not defined.
type bowl struct {
	dim   int
	limit float64 // 0: none
}

func (b bowl) Dim() int { return b.dim }

func (b bowl) LogDensity(x, grad []float64) (logp float64) {
	for i, v := range x {
		grad[i] = -v
		logp -= v * v / 2
		if b.limit > 0 && math.Abs(v) > b.limit {
			return math.NaN()
		}
	}
	return logp
}

func TestOptionsHaveTheirDefaults(t *testing.T) {
	t.Parallel()
	got := Options{}.withDefaults()
	if got.Chains != 4 || got.Warmup != 500 || got.Draws != 1000 || got.Accept != 0.8 || got.MaxDepth != 10 {
		t.Errorf("defaults %+v", got)
	}
	got = Options{Chains: 1, Warmup: 2, Draws: 3, Accept: 0.9, MaxDepth: 5}.withDefaults()
	if got.Chains != 1 || got.Warmup != 2 || got.Draws != 3 || got.Accept != 0.9 || got.MaxDepth != 5 {
		t.Errorf("given options became %+v", got)
	}
}

func TestRunsAddUpTheirChains(t *testing.T) {
	t.Parallel()
	r := Run{MaxDepth: 3, Chains: []Chain{
		{Divergent: []bool{true, false, true}, Depth: []int{2, 3, 4}, Gradients: 5, Draws: [][]float64{
			{1},
			{2},
		}, Energy: []float64{0, 1, 0, 1}},
		{Divergent: []bool{false, true}, Depth: []int{3, 1}, Gradients: 7, Draws: [][]float64{{4}}, Energy: []float64{0, 1, 2, 3}},
	}}
	if r.Divergences() != 3 || r.DepthHits() != 3 || r.Gradients() != 12 {
		t.Errorf("%d divergences, %d depth hits, %d gradients; want 3, 3 and 12", r.Divergences(), r.DepthHits(), r.Gradients())
	}
	values := r.Values(func(draw []float64) float64 { return 10 * draw[0] })
	if len(values) != 2 || !slices.Equal(values[0], []float64{10, 20}) || !slices.Equal(values[1], []float64{40}) {
		t.Errorf("values %v", values)
	}
	statstest.AllNear(t, "energy fractions", r.EBFMI(), []float64{3, 0.6}, 1e-12) // 3/1 and 3/5
}

// Hoffman and Gelman 2014, equation 6 with γ = 0.05, t₀ = 10 and κ = 0.75. The first statistic is 1, the second 0.
func TestStepSizeIsAdaptedByDualAveraging(t *testing.T) {
	t.Parallel()
	a := &average{target: 0.8, mu: math.Log(10), logStep: math.Log(1)}
	statstest.AllNear(t, "without adaptation", []float64{a.final()}, []float64{1}, 1e-12)
	lag := (0.8 - 1) / 11
	first := math.Log(10) - lag/0.05
	statstest.AllNear(t, "first step", []float64{a.update(1), a.final()}, []float64{math.Exp(first), math.Exp(first)}, 1e-9)
	lag = (1-1./12)*lag + 0.8/12
	second := math.Log(10) - math.Sqrt2*lag/0.05
	weight := math.Pow(2, -0.75)
	statstest.AllNear(t, "second step", []float64{a.update(0), a.final()},
		[]float64{math.Exp(second), math.Exp(weight*second + (1-weight)*first)}, 1e-9)
}

func TestLogSumAddsOnTheLogScale(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]float64{{math.Log(2), math.Log(3), math.Log(5)}, {1000, 0, 1000}, {0, 0, math.Ln2}, {math.Inf(-1), 4, 4}} {
		statstest.AllNear(t, "sum", []float64{logSum(c[0], c[1]), logSum(c[1], c[0])}, []float64{c[2], c[2]}, 1e-12)
	}
}

// With the covariance 4, one leapfrog step of 0.5 from q = 1 and p = 2 is: p = 2 - 0.25, q = 1 + 0.5·4·1.75 = 4.5, p =
// 1.75 - 0.25·4.5.
func TestLeapfrogStepMatchesAComputationByHand(t *testing.T) {
	t.Parallel()
	s := newSampler(bowl{dim: 1}, Options{MaxDepth: 3}, stats.Stream(1, 1))
	s.metric.scale[0] = 2
	s.z.q[0], s.z.p[0] = 1, 2
	s.evaluate()
	statstest.AllNear(t, "energy", []float64{s.energy()}, []float64{4*2*2/2. + 0.5}, 1e-12)
	s.leapfrog(0.5)
	statstest.AllNear(t, "position, momentum and gradient", []float64{s.z.q[0], s.z.p[0], s.z.grad[0], s.z.logp},
		[]float64{4.5, 0.625, -4.5, -10.125}, 1e-12)
	s.leapfrog(-0.5) // leapfrog is reversible
	statstest.AllNear(t, "back", []float64{s.z.q[0], s.z.p[0]}, []float64{1, 2}, 1e-12)
	if s.gradients != 3 {
		t.Errorf("%d gradients, want 3", s.gradients)
	}
	s.density = bowl{dim: 1, limit: 0.5}
	s.evaluate()
	statstest.AllNear(t, "energy outside of the support", []float64{s.energy()}, []float64{math.Inf(1)}, 0)
}

// A step is divergent if the energy rises by more than 1000.
func TestDivergenceIsALargeEnergyError(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		energy0 float64
		ok      bool
	}{{0, true}, {-990, true}, {-1010, false}} {
		s := newSampler(bowl{dim: 1}, Options{MaxDepth: 3}, stats.Stream(1, 1))
		s.z.p[0], s.energy0 = 1, c.energy0
		s.evaluate()
		out := newTree(1)
		if ok := s.grown(&out, 0.1); ok != c.ok || s.isDiverged == c.ok || s.steps != 1 {
			t.Errorf("energy at the start %v: %v, diverged %v", c.energy0, ok, s.isDiverged)
		}
		if gain := c.energy0 - 0.5; c.ok {
			statstest.AllNear(t, "weight and acceptance", []float64{out.logWeight, s.acceptSum, out.proposal.energy},
				[]float64{gain, math.Exp(gain), 0.5}, 1e-3)
		}
	}
}

// A piece of the trajectory turns if its momenta add up against the velocity at one of its ends.
func TestJoinedTreesTurn(t *testing.T) {
	t.Parallel()
	s := newSampler(bowl{dim: 1}, Options{MaxDepth: 3}, stats.Stream(1, 1))
	of := func(first, last, rho, weight float64) *tree {
		x := newTree(1)
		x.first.p[0], x.first.v[0], x.last.p[0], x.last.v[0], x.rho[0], x.logWeight = first, first, last, last, rho, weight
		return &x
	}
	for _, c := range []struct {
		left, right *tree
		turns       bool
	}{
		{of(1, 1, 2, 0), of(1, 1, 2, 0), false},
		{of(1, 1, 2, 0), of(1, -0.1, 0.9, 0), true}, // the last velocity
		{of(-0.1, 1, 0.9, 0), of(1, 1, 2, 0), true}, // the first velocity
		{of(1, 1, 2, 0), of(-0.1, 1, 0.9, 0), true}, // across the boundary, from the right
		{of(1, -0.1, 0.9, 0), of(1, 1, 2, 0), true}, // across the boundary, from the left
		{of(1, 1, 2, 0), of(1, 1, -2, 0), true},     // the sum is zero
		{of(1, 1, 0.5, 0), of(1, 1, -1.2, 0), true}, // the sum is negative
		{of(1, 1, 2, 0), of(0.1, 0.1, 0.2, 0), false},
	} {
		out := newTree(1)
		if got := s.join(&out, c.left, c.right); got != c.turns {
			t.Errorf("%+v and %+v turn: %v, want %v", c.left, c.right, got, c.turns)
		}
		statstest.AllNear(t, "joined", []float64{out.first.p[0], out.last.p[0], out.rho[0], out.logWeight},
			[]float64{c.left.first.p[0], c.right.last.p[0], c.left.rho[0] + c.right.rho[0], math.Ln2}, 1e-12)
	}
}

// The maximum depth limits the number of steps.
func TestTrajectoriesHaveAMaximumDepth(t *testing.T) {
	t.Parallel()
	s := newSampler(bowl{dim: 3}, Options{MaxDepth: 4}, stats.Stream(2, 1))
	s.step = 1e-6 // never turns within 15 steps
	s.evaluate()
	before := s.gradients
	got := s.next()
	if got.depth != 4 || s.gradients-before != 15 || got.divergent || math.Abs(got.accept-1) > 1e-3 {
		t.Errorf("%+v after %d steps, want depth 4 after 15", got, s.gradients-before)
	}
}

// The acceptance probability of a step h from a typical point of 100 standard normal parameters is about 0.8 at h =
// 0.6, because the energy error is of the order h³ √dim.
func TestInitialStepSizeCrossesTheAcceptance(t *testing.T) {
	t.Parallel()
	for _, start := range []float64{1e-4, 1, 1e4} {
		s := newSampler(bowl{dim: 100}, Options{MaxDepth: 3}, stats.Stream(3, 1))
		for i := range s.z.q {
			s.z.q[i] = s.random.NormFloat64()
		}
		s.evaluate()
		s.step = start
		at := slices.Clone(s.z.q)
		if got := s.reasonableStep(); got < 0.1 || got > 2.1 {
			t.Errorf("from %v: %v", start, got)
		}
		statstest.AllNear(t, "position", s.z.q, at, 0)
		average := s.newAverage()
		statstest.AllNear(t, "average", []float64{average.mu - average.logStep, s.step}, []float64{math.Log(10), math.Exp(average.logStep)}, 1e-12)
	}
}

// The geometric mean of A and B⁻¹ is diag(√(a/b)) for diagonal matrices, and M B M = A for all.
func TestGeometricMeanSolvesItsEquation(t *testing.T) {
	t.Parallel()
	m, ok := geometricMean(mat.NewSymDense(2, []float64{4, 0, 0, 9}), mat.NewSymDense(2, []float64{1, 0, 0, 4}))
	if !ok {
		t.Fatal("no mean")
	}
	statstest.AllNear(t, "of diagonal matrices", []float64{m.At(0, 0), m.At(0, 1), m.At(1, 1)}, []float64{2, 0, 1.5}, 1e-12)
	a, b := mat.NewSymDense(2, []float64{4, 1, 1, 3}), mat.NewSymDense(2, []float64{2, -1, -1, 5})
	m, _ = geometricMean(a, b)
	back := sandwich(m, b)
	statstest.AllNear(t, "equation", []float64{back.At(0, 0), back.At(0, 1), back.At(1, 1)}, []float64{4, 1, 3}, 1e-10)
	root, _ := power(a, 0.5)
	square := sandwich(root, mat.NewSymDense(2, []float64{1, 0, 0, 1}))
	statstest.AllNear(t, "square of the root", []float64{square.At(0, 0), square.At(0, 1), square.At(1, 1)}, []float64{4, 1, 3}, 1e-10)
	inverse, _ := power(a, -1)
	statstest.AllNear(t, "inverse", []float64{inverse.At(0, 0), inverse.At(0, 1), inverse.At(1, 1)}, []float64{3. / 11, -1. / 11, 4. / 11}, 1e-10)
	for _, bad := range []float64{0, -1, math.Inf(1)} {
		if _, ok := power(mat.NewSymDense(1, []float64{bad}), 0.5); ok {
			t.Errorf("the matrix %v has a root", bad)
		}
	}
	p := projected(mat.NewDense(1, 1, []float64{1}), mat.NewDense(1, 2, []float64{3, 4}))
	statstest.AllNear(t, "sum of squares with the ridge", []float64{p.At(0, 0)}, []float64{25 + 1e-5}, 1e-12)
}

// A direction enters the metric if its variance differs from the diagonal's by a factor of two. Gradients of a normal
// density with the covariance v are -x / v.
func TestOnlyClearDirectionsEnterTheMetric(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		variance float64
		count    int
	}{{1.9, 0}, {2.1, 1}, {1 / 1.9, 0}, {1 / 2.1, 1}} {
		x, g := mat.NewDense(2, 8, nil), mat.NewDense(2, 8, nil)
		random := stats.Stream(9, 1)
		for j := range 8 {
			for i, v := range []float64{1, c.variance} {
				draw := random.NormFloat64()
				x.Set(i, j, draw)
				g.Set(i, j, -draw/v)
			}
		}
		values, u := directions(x, g)
		if len(values) != c.count || len(u) != c.count || c.count == 1 && (math.Abs(values[0]/c.variance-1) > 1e-4 ||
			math.Abs(u[0][0]) > 1e-4) {
			t.Errorf("variance %v: directions %v along %v, want %d", c.variance, values, u, c.count)
		}
	}
	// Fewer than 20 draws, one parameter and a diagonal metric have no directions.
	for _, c := range []struct {
		draws, dim int
		diagonal   bool
		want       bool
	}{{20, 2, false, true}, {19, 2, false, false}, {20, 1, false, false}, {20, 2, true, false}} {
		random := stats.Stream(4, 1)
		draws, grads := make([][]float64, c.draws), make([][]float64, c.draws)
		for k := range draws {
			a, b := random.NormFloat64(), random.NormFloat64()
			draws[k] = []float64{a + b, a - b}[:c.dim]
			grads[k] = []float64{-a/2 - 50*b, -a/2 + 50*b}[:c.dim] // variances 2 and 0.02 along the diagonals
		}
		m := unitMetric(c.dim)
		if !m.learn(draws, grads, c.diagonal) || len(m.values) > 0 != c.want {
			t.Errorf("%d draws of %d parameters, diagonal %v: values %v", c.draws, c.dim, c.diagonal, m.values)
		}
	}
}

// With few draws, the basis spans draws and gradients: two columns each of six parameters.
func TestBasisSpansDrawsAndGradients(t *testing.T) {
	t.Parallel()
	x, g := mat.NewDense(6, 2, nil), mat.NewDense(6, 2, nil)
	for j := range 2 {
		x.Set(j, j, 1e6)
		g.Set(3+j, j, 1e-6)
	}
	basis, ok := span(x, g)
	if _, k := basis.Dims(); !ok || k != 4 {
		t.Fatalf("%d columns", k)
	}
	var product mat.Dense
	product.Mul(basis.T(), basis)
	for i := range 4 {
		statstest.AllNear(t, "length of a column", []float64{product.At(i, i)}, []float64{1}, 1e-12)
		statstest.AllNear(t, "elements without draws", []float64{basis.At(2, i), basis.At(5, i)}, []float64{0, 0}, 1e-12)
	}
	whole, _ := span(mat.NewDense(4, 2, nil), mat.NewDense(4, 2, nil))
	if r, k := whole.Dims(); r != 4 || k != 4 || whole.At(2, 2) != 1 || whole.At(1, 2) != 0 {
		t.Errorf("enough draws: %v", mat.Formatted(whole))
	}
}

// A chain starts with the variances of its start, if they are not extreme.
func TestChainsStartWithTheVariancesOfTheStart(t *testing.T) {
	t.Parallel()
	variances := []float64{4, 0.9e10, 1.1e10, 1.1e-10, 0.9e-10, 0, math.NaN()}
	s := newSampler(bowl{dim: len(variances)}, Options{MaxDepth: 2, Warmup: 0, Draws: 1}, stats.Stream(1, 1))
	c, ok := s.chain(pathfinder.Start{Point: make([]float64, len(variances)), Variance: variances})
	if !ok || len(c.Draws) != 1 || c.StepSize != s.step {
		t.Errorf("%+v, %v", c, ok)
	}
	statstest.AllNear(t, "scales", s.metric.scale, []float64{2, math.Sqrt(0.9e10), 1, math.Sqrt(1.1e-10), 1, 1, 1}, 1e-9)
}

func TestChainsStopBeforeADraw(t *testing.T) {
	t.Parallel()
	for _, draws := range []int{0, 3, 5} { // during the warm-up of two draws, and after it
		calls := 0
		stop := func() bool { calls++; return calls > draws }
		s := newSampler(bowl{dim: 1}, Options{MaxDepth: 2, Warmup: 2, Draws: 3, Stop: stop}, stats.Stream(1, 1))
		_, ok := s.chain(pathfinder.Start{Point: []float64{0.5}, Variance: []float64{1}})
		if ok != (draws == 5) {
			t.Errorf("stopped after %d draws: %v", draws, ok)
		}
	}
}
