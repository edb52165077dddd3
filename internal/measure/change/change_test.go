package change_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"assay/internal/measure/change"
)

func product(factors []float64) float64 {
	p := 1.0
	for _, f := range factors {
		p *= f
	}
	return p
}

func total(parts []float64) (sum float64) {
	for _, p := range parts {
		sum += p
	}
	return sum
}

// factorsOf draws factors over many orders of magnitude. Some are zero or negative if odd is set, and some do not change.
func factorsOf(r *rand.Rand, odd bool) (before, after []float64) {
	n := 1 + r.IntN(4)
	before, after = make([]float64, n), make([]float64, n)
	for k := range n {
		before[k] = math.Exp(6 * r.NormFloat64() / float64(n))
		after[k] = before[k] * math.Exp(r.NormFloat64()*[]float64{1, 1e-9, 0, 3}[r.IntN(4)])
		if odd && r.IntN(2) == 0 {
			after[k] *= float64(r.IntN(3) - 1)
		}
		if odd && r.IntN(3) == 0 {
			before[k] = 0
		}
	}
	return before, after
}

func TestPartsOfAProductAddUpToItsChange(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 20_000 {
		before, after := factorsOf(r, i%2 == 1)
		parts, back := change.Factors(before, after), change.Factors(after, before)
		want := product(after) - product(before)
		// Rounding errors are proportional to the products, which may be much larger than their difference.
		tolerance := 1e-9 * (math.Abs(product(after)) + math.Abs(product(before)) + math.Abs(want))
		for _, p := range parts {
			tolerance += 1e-9 * math.Abs(p)
		}
		if got := total(parts); math.Abs(got-want) > tolerance {
			t.Fatalf("parts %v of %v to %v add up to %v, want %v", parts, before, after, got, want)
		}
		for k := range parts {
			if math.Abs(parts[k]+back[k]) > tolerance {
				t.Fatalf("part %d of %v to %v is %v, and %v in reverse", k, before, after, parts[k], back[k])
			}
			if before[k] == after[k] && parts[k] != 0 {
				t.Fatalf("part %d of %v to %v is %v without a change", k, before, after, parts[k])
			}
		}
	}
}

// The figures follow from the formulas of [change.Factors]: from 100 × 50 to 120 × 45, the change is 400 and L is 400 /
// ln(5400/5000) = 5197.4.
func TestPartsHaveTheFormulasFigures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, after, want []float64 }{
		{[]float64{100, 50}, []float64{120, 45}, []float64{947.604, -547.604}},
		{[]float64{100, 50}, []float64{100, 50}, []float64{0, 0}},
		{[]float64{100, 50}, []float64{0, 50}, []float64{-5000, 0}},
		{[]float64{0, 50}, []float64{10, 30}, []float64{400, -100}},
		{[]float64{4, 5}, []float64{-2, 7}, []float64{-36, 2}},
		{[]float64{2, 3, 0}, []float64{4, 3, 5}, []float64{15, 0, 45}},
	} {
		got := change.Factors(c.before, c.after)
		for k := range got {
			if math.Abs(got[k]-c.want[k]) > 0.001 {
				t.Errorf("%v to %v: %v, want %v", c.before, c.after, got, c.want)
				break
			}
		}
	}
}

func TestRoundedPartsAddUpExactly(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		parts := make([]float64, 1+r.IntN(6))
		for i := range parts {
			parts[i] = math.Exp(4*r.NormFloat64()) * float64(r.IntN(3)-1)
		}
		want := int64(math.Round(total(parts)))
		got := change.Rounded(want, parts)
		var sum int64
		for i, n := range got {
			sum += n
			if math.Abs(float64(n)-parts[i]) > 1+1e-6 {
				t.Fatalf("part %v became %d in %v", parts[i], n, got)
			}
		}
		if sum != want {
			t.Fatalf("%v became %v with the sum %d, want %d", parts, got, sum, want)
		}
	}
	if got := change.Rounded(-1, []float64{-0.4, -0.6}); !slices.Equal(got, []int64{0, -1}) {
		t.Errorf("parts %v, want the unit at the larger one", got)
	}
}

// Small spend in the earlier window, and spend without revenue in the recent window, lead to parts that are too large
// to be rounded exactly.
func TestPartsThatAreTooLargeAreNotRounded(t *testing.T) {
	t.Parallel()
	huge := change.Factors([]float64{100, 1e10}, []float64{2e9, 0})
	for _, parts := range [][]float64{huge, {math.NaN(), 1}, {math.Inf(1), math.Inf(-1)}, {1 << 54, -1 << 54}} {
		if got := change.Rounded(-1_000_000_000_000, parts); got != nil {
			t.Errorf("parts %v became %v", parts, got)
		}
	}
	if got := change.Rounded(1_000_000_000_003, []float64{1, 2}); !slices.Equal(got, []int64{500_000_000_001, 500_000_000_002}) {
		t.Errorf("a rest that exceeds rounding errors became %v", got)
	}
}

func TestGroupsAndTheirRestAddUp(t *testing.T) {
	t.Parallel()
	before := map[string]int64{"a": 500, "b": 100, "gone": 40, "same": 7}
	after := map[string]int64{"a": 300, "b": 180, "new": 80, "same": 7}
	parts := change.Groups(before, after)
	want := []change.Part{{Name: "a", Change: -200}, {Name: "b", Change: 80}, {Name: "new", Change: 80}, {Name: "gone", Change: -40}}
	if !slices.Equal(parts, want) {
		t.Errorf("groups %v, want %v", parts, want)
	}
	if got := change.Top(parts, 2, -80, "other"); !slices.Equal(got, append(slices.Clone(want[:2]), change.Part{Name: "other", Change: 40})) {
		t.Errorf("top %v", got)
	}
	if got := change.Along(parts, -80); !slices.Equal(got, []change.Part{want[0], want[3]}) {
		t.Errorf("parts along a fall %v", got)
	}
}

func TestTheLargestStepOfASeries(t *testing.T) {
	t.Parallel()
	for want, values := range map[int][]float64{
		0: {5, 5, 5, 5}, 3: {10, 11, 10, 4, 3, 4, 4}, 1: {1, 9, 9, 8}, 4: {1, 2, 1, 2, 8},
	} {
		if got := change.Step(values); got != want {
			t.Errorf("step of %v at %d, want %d", values, got, want)
		}
	}
	if got := change.Step(nil); got != 0 {
		t.Errorf("step of nothing at %d", got)
	}
}
