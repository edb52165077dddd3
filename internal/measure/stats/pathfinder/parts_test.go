package pathfinder

import (
	"errors"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"assay/internal/measure/stats"
	"assay/internal/measure/stats/statstest"
)

// flat is a density that is -∞ outside of a range, and counts its evaluations.
type flat struct {
	low, high   float64
	evaluations *atomic.Int64
	seen        func(x float64)
}

func (flat) Dim() int { return 1 }

func (f flat) LogDensity(x, grad []float64) float64 {
	if f.evaluations != nil {
		f.evaluations.Add(1)
	}
	if f.seen != nil {
		f.seen(x[0])
	}
	grad[0] = 0
	if x[0] < f.low || x[0] > f.high {
		return math.Inf(-1)
	}
	return 0
}

// The default is eight paths from within ±2. A path tries a hundred points.
func TestSearchesHaveTheirDefaults(t *testing.T) {
	t.Parallel()
	var tries atomic.Int64
	made := 0
	_, err := Find(func() stats.Density { made++; return flat{low: 9, high: 10, evaluations: &tries} }, 1, Options{Seed: 1})
	if !errors.Is(err, ErrNoStart) || made != 8 || tries.Load() != 800 {
		t.Errorf("%v after %d tries by %d paths, want 800 by 8", err, tries.Load(), made)
	}
	least, most := 0.0, 0.0
	_, _, seen := 0, 0, func(x float64) { least, most = math.Min(least, x), math.Max(most, x) }
	_, _ = Find(func() stats.Density { return flat{low: 9, high: 10, seen: seen} }, 1, Options{Seed: 1, Paths: 1})
	if least < -2 || least > -1.8 || most > 2 || most < 1.8 {
		t.Errorf("points from %v to %v, want from -2 to 2", least, most)
	}
	made = 0
	_, _ = Find(func() stats.Density { made++; return flat{low: 9, high: 10} }, 1, Options{Paths: 3})
	if made != 3 {
		t.Errorf("%d paths, want 3", made)
	}
	starts, err := Find(func() stats.Density { return chained(2) }, 3, Options{Seed: 1, Stop: func() bool { return true }})
	if len(starts) != 0 || !errors.Is(err, ErrNoStart) {
		t.Errorf("a stopped search: %d starts, %v", len(starts), err)
	}
}

// A quarter of the range is inside the support, so a hundred tries find a point.
func TestPathsBeginInsideTheSupport(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		x, ok := finitePoint(flat{low: 1, high: 2}, 2, stats.Stream(seed, 1))
		if !ok || x[0] < 1 {
			t.Errorf("seed %d: %v, %v", seed, x, ok)
		}
	}
}

// The weights 1, 1, 1 and 97 have the mean 25, so the limit is 50.
func TestWeightsAreTruncated(t *testing.T) {
	t.Parallel()
	got := truncated([]float64{0, 0, 0, math.Log(97)})
	statstest.AllNear(t, "weights relative to the largest", got, []float64{1. / 97, 1. / 97, 1. / 97, 50. / 97}, 1e-12)
	statstest.AllNear(t, "equal weights", truncated([]float64{-900, -900}), []float64{1, 1}, 1e-12)
}

func TestCandidatesArePickedByWeight(t *testing.T) {
	t.Parallel()
	random, counts := stats.Stream(1, 1), make([]float64, 4)
	for range 10_000 {
		i, ok := pick([]float64{0, 1, 3, 0}, random)
		if !ok {
			t.Fatal("nothing is picked")
		}
		counts[i] += 1. / 10_000
	}
	statstest.AllNear(t, "shares", counts, []float64{0, 0.25, 0.75, 0}, 0.02) // four standard errors
	if _, ok := pick([]float64{0, 0}, random); ok {
		t.Error("a weight of zero is picked")
	}
	q := &normal{scale: []float64{2}, mean: []float64{0}}
	c := candidates{points: [][]float64{{1}, {2}, {3}}, from: []*normal{q, q, q}, logWeight: []float64{0, 0, 0}}
	var points []float64
	for _, s := range c.resample(6, random) {
		points = append(points, s.Point[0])
		statstest.AllNear(t, "variance", s.Variance, []float64{4}, 1e-12)
	}
	for _, three := range [][]float64{points[:3], points[3:]} {
		if sorted := slices.Sorted(slices.Values(three)); !slices.Equal(sorted, []float64{1, 2, 3}) {
			t.Errorf("points %v, want each once before one is repeated", points)
		}
	}
}

func TestPathsAddFiftyCandidates(t *testing.T) {
	t.Parallel()
	g := chained(3)
	q := approximationAt(g)
	var c candidates
	c.add(g, q, stats.Stream(1, 1))
	c.add(g, nil, stats.Stream(1, 1))
	if len(c.points) != 50 || len(c.from) != 50 || len(c.logWeight) != 50 {
		t.Fatalf("%d candidates, want 50", len(c.points))
	}
	// A log weight is the log density minus that of the approximation, the path's last.
	random := stats.Stream(1, 1)
	for i, x := range c.points {
		again, logq := q.draw(random)
		statstest.AllNear(t, "a candidate", x, again, 0)
		statstest.AllNear(t, "its log weight", c.logWeight[i:i+1], []float64{value(g, x) - logq}, 1e-12)
	}
	none := candidates{}
	none.add(flat{low: 90, high: 91}, &normal{scale: []float64{1}, mean: []float64{0}}, stats.Stream(1, 1))
	if len(none.points) != 0 {
		t.Errorf("%d candidates outside of the support", len(none.points))
	}
}

func approximationAt(g gaussian) *normal {
	path := ascend(g, make([]float64, g.Dim()))
	return bestApproximation(g, path, stats.Stream(5, 5))
}

// The log densities are 0, so a bound is the mean of -logq. It is abandoned at more than 5 + √dim = 6 below the
// highest.
func TestBoundsAreAbandonedFarBelowTheHighest(t *testing.T) {
	t.Parallel()
	var s sample
	for k := range s.x {
		s.x[k], s.logq[k] = []float64{0}, float64(k)
	}
	for _, c := range []struct{ highest, want float64 }{{math.Inf(-1), -2}, {3.99, -2}, {4.01, math.Inf(-1)}} {
		if got := s.bound(flat{low: -1, high: 1}, c.highest); got != c.want {
			t.Errorf("below %v: %v, want %v", c.highest, got, c.want)
		}
	}
	var count atomic.Int64
	s.logq = [drawsPerBound]float64{10, 0, 0, 0, 0}
	if got := s.bound(flat{low: -1, high: 1, evaluations: &count}, 0); !math.IsInf(got, -1) || count.Load() != 1 {
		t.Errorf("%v after %d evaluations, want one", got, count.Load())
	}
	if drawsPerBound != 5 {
		t.Errorf("%d draws, want 5 (Zhang et al. 2022)", drawsPerBound)
	}
}

// For the pair s = (1, 2) and y = (3, 1), s·y is 5. With the diagonal (1, 2), equation 4.9 has a = 11 and s'A⁻¹s = 3.
func TestDiagonalFollowsGilbertAndLemarechal(t *testing.T) {
	t.Parallel()
	c := newCurvature(2)
	c.alpha = []float64{1, 2}
	c.update(iterate{x: []float64{0, 0}, grad: []float64{3, 1}}, iterate{x: []float64{1, 2}, grad: []float64{0, 0}})
	statstest.AllNear(t, "diagonal", c.alpha, []float64{1 / (11./5 + 9./5 - 11./15), 1 / (11./10 + 1./5 - 11*4/(5*3*4.))}, 1e-12)
	if len(c.pairs) != 1 {
		t.Errorf("%d pairs, want 1", len(c.pairs))
	}
	c.update(iterate{x: []float64{0, 0}, grad: []float64{0, 0}}, iterate{x: []float64{1, 2}, grad: []float64{3, 1}})
	if len(c.pairs) != 1 {
		t.Error("a step without curvature is a pair")
	}
	for dim, want := range map[int]int{1: 0, 2: 1, 11: 5, 12: 6, 100: 6} {
		if got := newCurvature(dim).keep; got != want {
			t.Errorf("%d parameters: %d pairs, want %d", dim, got, want)
		}
	}
	p := pair{y: []float64{1}, sy: 1e-12}
	if p.curved() {
		t.Error("a curvature at the tolerance is curved")
	}
	p.sy = 1.1e-12
	if !p.curved() {
		t.Error("a curvature above the tolerance is not curved")
	}
}

// Without pairs, the direction is the gradient, at most 1 long. With one pair, it is s·(s·d)/(s·y) for d along y.
func TestNewtonDirectionUsesThePairs(t *testing.T) {
	t.Parallel()
	statstest.AllNear(t, "a long gradient", newton(nil, []float64{3, 4}), []float64{0.6, 0.8}, 1e-12)
	statstest.AllNear(t, "a short gradient", newton(nil, []float64{0.3, 0.4}), []float64{0.3, 0.4}, 1e-12)
	s, y := []float64{1, 2}, []float64{3, 1}
	statstest.AllNear(t, "the secant equation", newton([]pair{{s, y, 5}}, y), s, 1e-12)
	// Orthogonal to s, the direction is d scaled by s·y / y·y, minus its part along y in the direction s.
	d := []float64{2, -1}
	statstest.AllNear(t, "orthogonal to the step", newton([]pair{{s, y, 5}}, d), []float64{1 - 0.5, -0.5 - 1}, 1e-12)
	pairs := []pair{{[]float64{1, 0}, []float64{2, 0}, 2}, {[]float64{0, 1}, []float64{0, 8}, 8}}
	statstest.AllNear(t, "two pairs", newton(pairs, []float64{2, 8}), []float64{1, 1}, 1e-12)
}

// parabola is the density -(x - at)² · size / 2.
type parabola struct{ at, size float64 }

func (parabola) Dim() int { return 1 }

func (p parabola) LogDensity(x, grad []float64) float64 {
	if math.Abs(x[0]) > 1e3 {
		return math.NaN()
	}
	grad[0] = -p.size * (x[0] - p.at)
	return -p.size * (x[0] - p.at) * (x[0] - p.at) / 2
}

// The slope at the step must be at most 0.9 of the slope at the start, and the gain at least 1e-4 of the linear gain.
func TestLineSearchMeetsTheWolfeConditions(t *testing.T) {
	t.Parallel()
	start := func(p parabola) iterate {
		at := iterate{x: []float64{0}, grad: []float64{0}}
		at.logp = p.LogDensity(at.x, at.grad)
		return at
	}
	for _, c := range []struct{ at, want float64 }{
		{1, 1},      // a full step
		{9.9, 1},    // the slope falls to 8.9 of 9.9
		{11, 2},     // the slope 10 of 11 is too steep, so the step doubles
		{30, 4},     // 28 of 30 is too steep
		{0.5001, 1}, // the gain of a step over the maximum is just enough
		{0.49, 0.5}, // no gain: half a step
		{0.2, 0.25},
	} {
		p := parabola{c.at, 1}
		next, ok := search(p, start(p), []float64{1})
		if !ok || next.x[0] != c.want {
			t.Errorf("maximum at %v: a step to %v, %v; want %v", c.at, next.x, ok, c.want)
		}
	}
	p := parabola{2000, 1}
	if next, ok := search(p, start(p), []float64{900}); !ok || next.x[0] > 1e3 {
		t.Errorf("a step leaves the support: %v, %v", next.x, ok)
	}
	if _, ok := search(p, start(p), []float64{-1}); ok {
		t.Error("a step down")
	}
	if _, ok := search(p, start(p), []float64{0}); ok {
		t.Error("a step of zero")
	}
}

func TestPathsStopAtAFlatGradient(t *testing.T) {
	t.Parallel()
	if path := ascend(parabola{1e-5, 1}, []float64{0}); len(path) != 1 {
		t.Errorf("%d points from a gradient of 1e-5, want 1", len(path))
	}
	if path := ascend(parabola{1.1e-5, 1}, []float64{0}); len(path) != 2 {
		t.Errorf("%d points from a gradient of 1.1e-5, want 2", len(path))
	}
	path := ascend(parabola{5, 1}, []float64{0})
	if end := path[len(path)-1]; math.Abs(end.x[0]-5) > 1e-3 || path[0].x[0] != 0 {
		t.Errorf("a path from %v to %v, want from 0 to 5", path[0].x, end.x)
	}
}

func TestColumnsAreOrthogonalized(t *testing.T) {
	t.Parallel()
	columns := [][]float64{{3, 4, 0}, {1, 2, 2}, {4, 6, 2}} // the third is the sum of the others
	q, r := orthogonal(columns)
	statstest.AllNear(t, "first column", q[0], []float64{0.6, 0.8, 0}, 1e-12)
	if got := []float64{floats.Dot(q[0], q[1]), floats.Norm(q[1], 2), floats.Norm(q[2], 2)}; math.Abs(got[0]) > 1e-12 ||
		math.Abs(got[1]-1) > 1e-12 || got[2] != 0 {
		t.Errorf("product and lengths %v, want 0, 1 and 0", got)
	}
	statstest.AllNear(t, "factors", []float64{r.At(0, 0), r.At(0, 1), r.At(0, 2), r.At(2, 2)}, []float64{5, 2.2, 7.2, 0}, 1e-12)
	for j, column := range columns {
		back := make([]float64, 3)
		for i := range q {
			floats.AddScaled(back, r.At(i, j), q[i])
		}
		statstest.AllNear(t, "product of the factors", back, column, 1e-12)
	}
}

// The covariance with one pair is the BFGS update of the diagonal (Nocedal and Wright 2006, equation 6.17).
func TestCovarianceIsTheUpdateOfItsDiagonal(t *testing.T) {
	t.Parallel()
	s, y, alpha := []float64{1, 2, 0}, []float64{3, 1, 1}, []float64{1, 2, 4}
	c := newCurvature(3)
	c.alpha = alpha
	c.pairs = []pair{{s, y, 5}}
	at := iterate{x: []float64{7, 8, 9}, grad: []float64{1, -1, 2}}
	q := c.normalAt(at)
	want := mat.NewDense(3, 3, nil)
	left := mat.NewDense(3, 3, nil)
	for i := range 3 {
		for j := range 3 {
			left.Set(i, j, -s[i]*y[j]/5)
		}
		left.Set(i, i, left.At(i, i)+1)
	}
	want.Product(left, mat.NewDiagDense(3, alpha), left.T())
	cov := covariance(q)
	mean := slices.Clone(at.x)
	var det mat.Cholesky
	det.Factorize(cov)
	for i := range 3 {
		for j := range 3 {
			if got := cov.At(i, j); math.Abs(got-want.At(i, j)-s[i]*s[j]/5) > 1e-9 {
				t.Errorf("covariance %d, %d: %v, want %v", i, j, got, want.At(i, j)+s[i]*s[j]/5)
			}
			mean[i] += (want.At(i, j) + s[i]*s[j]/5) * at.grad[j]
		}
	}
	statstest.AllNear(t, "mean: a Newton step from the point", q.mean, mean, 1e-9)
	statstest.AllNear(t, "log determinant", []float64{q.logDet}, []float64{det.LogDet()}, 1e-9)
	for _, bad := range []float64{0, -1, math.Inf(1), math.NaN()} {
		c.alpha[1] = bad
		if c.normalAt(at) != nil {
			t.Errorf("the diagonal %v has an approximation", bad)
		}
	}
}

func TestValuesThatAreNotNumbersAreImpossible(t *testing.T) {
	t.Parallel()
	if got := value(parabola{0, 1}, []float64{2e3}); !math.IsInf(got, -1) {
		t.Errorf("a density that is no number: %v", got)
	}
	statstest.AllNear(t, "a density", []float64{value(parabola{0, 1}, []float64{2})}, []float64{-2}, 0)
	if finite(math.Inf(-1)) || finite(math.NaN()) || !finite(0) || allFinite([]float64{1, math.Inf(1)}) || !allFinite(nil) {
		t.Error("finite numbers are not recognized")
	}
}

// The draws of a normal approximation have its mean and variances. The tolerance is four standard errors.
func TestDrawsHaveTheMomentsOfTheApproximation(t *testing.T) {
	t.Parallel()
	c := newCurvature(3)
	c.alpha = []float64{1, 2, 4}
	c.pairs = []pair{{[]float64{1, 2, 0}, []float64{3, 1, 1}, 5}}
	q := c.normalAt(iterate{x: []float64{7, 8, 9}, grad: []float64{0, 0, 0}})
	const n = 10_000
	random, sums, squares := stats.Stream(3, 3), make([]float64, 3), make([]float64, 3)
	for range n {
		x, _ := q.draw(random)
		for i := range x {
			sums[i] += x[i] / n
			squares[i] += (x[i] - q.mean[i]) * (x[i] - q.mean[i]) / n
		}
	}
	for i, v := range q.variances() {
		if math.Abs(sums[i]-q.mean[i]) > 4*math.Sqrt(v/n) || math.Abs(squares[i]/v-1) > 4*math.Sqrt(2./n) {
			t.Errorf("coordinate %d: mean %v and variance %v, want %v and %v", i, sums[i], squares[i], q.mean[i], v)
		}
	}
}
