package pathfinder

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"assay/internal/measure/stats"
)

// gaussian is a normal density with a mean and a precision matrix.
type gaussian struct {
	mean      []float64
	precision *mat.SymDense
}

func (g gaussian) Dim() int { return len(g.mean) }

func (g gaussian) LogDensity(x, grad []float64) float64 {
	var logp float64
	for i := range x {
		grad[i] = 0
		for j := range x {
			grad[i] -= g.precision.At(i, j) * (x[j] - g.mean[j])
		}
		logp += 0.5 * grad[i] * (x[i] - g.mean[i])
	}
	return logp
}

// chained returns a first-order autoregression: neighbors have a correlation of about 0.9.
func chained(dim int) gaussian {
	g := gaussian{mean: make([]float64, dim), precision: mat.NewSymDense(dim, nil)}
	for i := range dim {
		g.mean[i] = 10 * float64(i)
		g.precision.SetSym(i, i, (1+0.81)/0.19)
		if i > 0 {
			g.precision.SetSym(i-1, i, -0.9/0.19)
		}
	}
	return g
}

func TestPathsEndAtTheMode(t *testing.T) {
	t.Parallel()
	g := chained(12)
	path := ascend(g, make([]float64, 12))
	end := path[len(path)-1]
	for i := range end.x {
		// The path stops if its relative gain is below 1e-8, which happens about 1e-4 standard deviations from the
		// mode.
		if math.Abs(end.x[i]-g.mean[i]) > 1e-3 {
			t.Errorf("coordinate %d ends at %v, want %v", i, end.x[i], g.mean[i])
		}
	}
}

func TestApproximationDrawsHaveItsOwnDensity(t *testing.T) {
	t.Parallel()
	g := chained(12)
	path := ascend(g, make([]float64, 12))
	history := newCurvature(12)
	for i := 1; i < len(path); i++ {
		history.update(path[i-1], path[i])
	}
	q := history.normalAt(path[len(path)-1])
	cov := covariance(q)
	variances := q.variances()
	var chol mat.Cholesky
	if !chol.Factorize(cov) {
		t.Fatal("the covariance of the approximation is not positive definite")
	}
	random := stats.Stream(1, 1)
	for range 20 {
		x, logq := q.draw(random)
		away := mat.NewVecDense(len(x), nil)
		for i := range x {
			away.SetVec(i, x[i]-q.mean[i])
		}
		var solved mat.VecDense
		if err := chol.SolveVecTo(&solved, away); err != nil {
			t.Fatal(err)
		}
		want := -0.5 * (mat.Dot(away, &solved) + chol.LogDet() + 12*math.Log(2*math.Pi))
		if math.Abs(logq-want) > 1e-8*math.Abs(want) {
			t.Fatalf("log density of a draw: got %v, want %v", logq, want)
		}
	}
	for i, v := range variances {
		if math.Abs(v-cov.At(i, i)) > 1e-10*v {
			t.Errorf("variance of coordinate %d: got %v, want %v", i, v, cov.At(i, i))
		}
	}
}

func TestApproximationKeepsTheLatestStep(t *testing.T) {
	t.Parallel()
	// The secant equation must hold: the covariance maps the latest change of the gradient to its step.
	path := ascend(chained(12), make([]float64, 12))
	history := newCurvature(12)
	for i := 1; i < len(path); i++ {
		history.update(path[i-1], path[i])
	}
	last := history.pairs[len(history.pairs)-1]
	var got mat.VecDense
	got.MulVec(covariance(history.normalAt(path[len(path)-1])), mat.NewVecDense(12, last.y))
	for i, want := range last.s {
		if math.Abs(got.AtVec(i)-want) > 1e-8*floats.Norm(last.s, 2) {
			t.Errorf("element %d of the step: got %v, want %v", i, got.AtVec(i), want)
		}
	}
}

// covariance returns the approximation's covariance. It applies q.root to the unit vectors.
func covariance(q *normal) *mat.SymDense {
	dim := len(q.mean)
	root := mat.NewDense(dim, dim, nil)
	for j := range dim {
		unit := make([]float64, dim)
		unit[j] = 1
		q.root(unit)
		for i := range dim {
			root.Set(i, j, unit[i]*q.scale[i])
		}
	}
	cov := mat.NewSymDense(dim, nil)
	cov.SymOuterK(1, root)
	return cov
}

// twoHills has a mode at 0 and one at 50 that is lower by 40 on the log scale.
type twoHills struct{}

func (twoHills) Dim() int { return 1 }

func (twoHills) LogDensity(x, grad []float64) float64 {
	if x[0] < 25 {
		grad[0] = -x[0]
		return -x[0] * x[0] / 2
	}
	grad[0] = -(x[0] - 50)
	return -(x[0]-50)*(x[0]-50)/2 - 40
}

func TestPathsStuckOnALowModeGiveNoStart(t *testing.T) {
	t.Parallel()
	starts, err := Find(func() stats.Density { return twoHills{} }, 8, Options{Seed: 3, Radius: 60})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range starts {
		if s.Point[0] > 25 {
			t.Errorf("a start at %v, which is e^40 less likely than the other mode", s.Point[0])
		}
	}
}

func TestStartsRepeatWithTheSeed(t *testing.T) {
	t.Parallel()
	find := func(seed uint64) []Start {
		starts, err := Find(func() stats.Density { return chained(6) }, 4, Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		return starts
	}
	if !reflect.DeepEqual(find(5), find(5)) {
		t.Error("the same seed gave different starts")
	}
	if reflect.DeepEqual(find(5), find(6)) {
		t.Error("different seeds gave the same starts")
	}
}

// nowhere is a density without support.
type nowhere struct{}

func (nowhere) Dim() int { return 2 }

func (nowhere) LogDensity(_, _ []float64) float64 { return math.Inf(-1) }

func TestADensityWithoutSupportHasNoStart(t *testing.T) {
	t.Parallel()
	if _, err := Find(func() stats.Density { return nowhere{} }, 4, Options{}); !errors.Is(err, ErrNoStart) {
		t.Errorf("got %v, want ErrNoStart", err)
	}
}

// counted is a density that counts its evaluations.
type counted struct {
	gaussian
	evaluations *int
}

func (c counted) LogDensity(x, grad []float64) float64 {
	*c.evaluations++
	return c.gaussian.LogDensity(x, grad)
}

// The chosen approximation has the highest bound, and many other bounds are abandoned early.
func TestAbandonedBoundsAreNotTheHighest(t *testing.T) {
	t.Parallel()
	evaluations, all := 0, 0
	for seed := range uint64(6) {
		density := chained(30)
		from, _ := finitePoint(density, 2, stats.Stream(seed, 0))
		path, random := ascend(density, from), stats.Stream(seed, 1)
		var want *normal
		highest := math.Inf(-1)
		for _, q := range approximations(path) {
			var bound float64
			for range drawsPerBound {
				x, logq := q.draw(random)
				bound += value(density, x) - logq
				all++
			}
			if bound > highest {
				want, highest = q, bound
			}
		}
		got := bestApproximation(counted{density, &evaluations}, path, stats.Stream(seed, 1))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("seed %d: another approximation than the best of %d", seed, len(path))
		}
	}
	if evaluations > all*3/4 {
		t.Errorf("%d evaluations where %d would do without looking", evaluations, all)
	}
}
