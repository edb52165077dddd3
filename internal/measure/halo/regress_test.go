package halo

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"assay/internal/civil"
	"assay/internal/measure/stats"
)

// remains returns x orthogonalized against the columns (modified Gram-Schmidt, twice).
func remains(x []float64, columns [][]float64) []float64 {
	var q [][]float64
	free := func(v []float64) {
		for range 2 {
			for _, b := range q {
				floats.AddScaled(v, -stats.Dot(b, v), b)
			}
		}
	}
	for _, c := range columns {
		v := slices.Clone(c)
		free(v)
		if norm := math.Sqrt(stats.Dot(v, v)); norm > 1e-6*math.Sqrt(stats.Dot(c, c)) {
			scale(1/norm, v)
			q = append(q, v)
		}
	}
	out := slices.Clone(x)
	free(out)
	return out
}

// Products from sparse sums equal the products after removing the controls column by column. One control is the sum of
// two others.
func TestSweptProductsEqualThoseOfResiduals(t *testing.T) {
	t.Parallel()
	const days = 200
	r := rand.New(rand.NewPCG(5, 6))
	without := controls(civil.MustParse("2025-10-01"), days)
	sum := slices.Clone(without[0])
	floats.AddScaled(sum, 1, without[1])
	without = slices.Insert(without, 5, sum)
	known := errors{phi: 0.4, weight: make([]float64, days), excess: 1}
	columns := make([][]float64, 4) // revenue last
	for i := range columns {
		columns[i] = make([]float64, days)
		for t := range columns[i] {
			columns[i][t] = 100*float64(i+1) + 20*r.NormFloat64() + 30*without[1][t]
		}
	}
	for t := range known.weight {
		known.weight[t] = 0.1 + r.Float64()
	}
	prepared := func(x []float64) []float64 {
		out := make([]float64, days)
		for t := range x {
			if t == 0 {
				out[t] = math.Sqrt((1-known.phi*known.phi)*known.weight[t]) * x[t]
			} else {
				out[t] = math.Sqrt(known.weight[t]) * (x[t] - known.phi*x[t-1])
			}
		}
		return out
	}
	var plain [][]float64
	for _, c := range without {
		plain = append(plain, prepared(c))
	}
	var want [][]float64
	for _, c := range columns {
		want = append(want, remains(prepared(c), plain))
	}

	got := sweep(columns[3], columns[:3], without, known)
	same := func(what string, got float64, a, b []float64) {
		t.Helper()
		// Residual products are about a hundredth of the columns' squares, so many digits are lost.
		if product := stats.Dot(a, b); math.Abs(got-product) > 1e-10*math.Sqrt(stats.Dot(a, a)*stats.Dot(b, b)) {
			t.Errorf("%s is %v, want %v", what, got, product)
		}
	}
	same("revenue", got.yy, want[3], want[3])
	for i := range got.xy {
		same("a column with revenue", got.xy[i], want[i], want[3])
		for j := range got.xx[i] {
			same("two columns", got.xx[i][j], want[i], want[j])
		}
	}
	if want := float64(days - len(without) + 1); got.free != want {
		t.Errorf("%v degrees of freedom remain, want %v: one control is redundant", got.free, want)
	}
}

func TestResidualsMatchAWeightedFit(t *testing.T) {
	t.Parallel()
	const days = 150
	r := rand.New(rand.NewPCG(7, 8))
	columns := controls(civil.MustParse("2025-03-01"), days)
	y, weight := make([]float64, days), make([]float64, days)
	for t := range y {
		y[t], weight[t] = 50+r.NormFloat64()+10*columns[2][t], 0.1+r.Float64()
	}
	left := residuals(y, baseOf(columns), weight)
	for i, c := range columns {
		product, size := 0.0, 0.0
		for t := range left {
			product += weight[t] * left[t] * c[t]
			size += weight[t] * math.Abs(c[t])
		}
		if math.Abs(product) > 1e-9*size {
			t.Errorf("what is left goes with column %d: %v", i, product)
		}
	}
}

// The expected values are fixed points, computed in Python: φ = left (1-s) + s with s = p (1+φ)/(1-φ).
func TestPersistenceCorrectsForTheFit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ left, share, want float64 }{
		{0.5, 0, 0.5}, {0.5, 0.05, 0.6}, {0, 0.1, 0.1298437881}, {0.2, 0.4, 0.6}, {-0.3, 0, 0}, {-0.5, 0.1, 0}, {0.99, 0.05, 0.9},
	} {
		if got := persistence(c.left, c.share); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("persistence(%v, %v) is %v, want %v", c.left, c.share, got, c.want)
		}
	}
}

func TestASurfaceNeedsSalesOn180Days(t *testing.T) {
	t.Parallel()
	for sold, want := range map[int]Reason{180: "", 179: FewDays} {
		d := simulate(1, [4]float64{})
		for i := range d.Surfaces[0].Revenue {
			d.Surfaces[0].Revenue[i] = max(d.Surfaces[0].Revenue[i], 1)
			if i >= sold {
				d.Surfaces[0].Revenue[i] = 0
			}
		}
		for _, e := range estimate(t, d, Options{Draws: 100}) {
			if e.Surface == d.Surfaces[0].Name && (e.Reason == FewDays) != (want == FewDays) {
				t.Errorf("%d days with sales: reason %q of %s, want %q", sold, e.Reason, e.Channel, want)
			}
		}
	}
}
