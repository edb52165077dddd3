package cohort

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"assay/internal/fault"
)

// Fit is a model with its maximum likelihood parameters.
type Fit[M any] struct {
	Model         M
	StandardError M // standard error of each parameter, from the curvature at the maximum (delta method)
	LogLikelihood float64
	Customers     int // number of customers in the fit

	logs   []float64         // logarithms of the parameters
	factor mat.TriDense      // lower factor of the covariance of logs
	build  func([]float64) M // returns the model with the given parameters
}

// fitOf returns the fit at the peak, in the data's unit. It adds the parameter shift to the logarithms to undo the
// scaling.
func fitOf[M any](p peak, shift []float64, build func([]float64) M) (Fit[M], error) {
	f := Fit[M]{build: build}
	values, errors := make([]float64, len(p.logs)), make([]float64, len(p.logs))
	for i, x := range p.logs {
		f.logs = append(f.logs, x+shift[i])
		values[i] = math.Exp(f.logs[i])
		errors[i] = values[i] * math.Sqrt(p.covariance.At(i, i))
	}
	f.Model, f.StandardError = build(values), build(errors)
	var chol mat.Cholesky
	if !chol.Factorize(p.covariance) {
		return Fit[M]{}, errNoPeak
	}
	chol.LTo(&f.factor)
	return f, nil
}

// draw returns a model with parameters drawn from the normal approximation of their log estimates.
func (f *Fit[M]) draw(r *rand.Rand) M {
	normal := make([]float64, len(f.logs))
	for i := range normal {
		normal[i] = r.NormFloat64()
	}
	values := make([]float64, len(f.logs))
	for i := range values {
		x := f.logs[i]
		for j := 0; j <= i; j++ {
			x += f.factor.At(i, j) * normal[j]
		}
		values[i] = math.Exp(x)
	}
	return f.build(values)
}

// group contains the customers with the same history. Times are fractions of the longest age.
type group struct {
	x         int     // repeat purchases
	tx, T     float64 // time of the last purchase, and age
	n         float64 // number of customers
	atTx, atT int     // indices of tx and T in the times
}

// grouping contains all customers in groups.
type grouping struct {
	groups  []group
	times   []float64 // distinct, ascending
	longest float64   // age, in the unit of the histories
	most    int       // most repeat purchases of one customer
}

// repeats returns the total number of repeat purchases of all customers.
func (all grouping) repeats() int {
	sum := 0
	for _, g := range all.groups {
		sum += g.x * int(g.n)
	}
	return sum
}

// grouped checks the histories and returns them grouped and scaled.
func grouped(histories []History) (all grouping, err error) {
	repeated := false
	for i, h := range histories {
		if err := h.check(i); err != nil {
			return grouping{}, err
		}
		all.longest, all.most = max(all.longest, h.Age), max(all.most, h.Repeats)
		repeated = repeated || h.Repeats > 0
	}
	if !repeated {
		return grouping{}, fault.NotReady("no customer has a repeat purchase").WithHint("use a longer history")
	}
	sorted := slices.Clone(histories)
	slices.SortFunc(sorted, func(a, b History) int {
		return cmp.Or(cmp.Compare(a.Repeats, b.Repeats), cmp.Compare(a.Recency, b.Recency), cmp.Compare(a.Age, b.Age))
	})
	for i, h := range sorted {
		if i > 0 && h == sorted[i-1] {
			all.groups[len(all.groups)-1].n++
			continue
		}
		g := group{x: h.Repeats, tx: h.Recency / all.longest, T: h.Age / all.longest, n: 1}
		all.groups = append(all.groups, g)
	}
	return all.timed(), nil
}

// timed sets the distinct times and, for each group, the indices of its times.
func (all grouping) timed() grouping {
	all.times = make([]float64, 0, 2*len(all.groups))
	for _, g := range all.groups {
		all.times = append(all.times, g.tx, g.T)
	}
	slices.Sort(all.times)
	all.times = slices.Compact(all.times)
	for i := range all.groups {
		g := &all.groups[i]
		g.atTx, _ = slices.BinarySearch(all.times, g.tx)
		g.atT, _ = slices.BinarySearch(all.times, g.T)
	}
	return all
}

// rising returns, for k from 0 to n, ln Γ(z+k)/Γ(z) = Σ ln(z+j) and its derivative Σ 1/(z+j), j < k. The sum avoids the
// cancellation of a difference of log-gammas.
func rising(z float64, n int) (logs, slopes []float64) {
	logs, slopes = make([]float64, n+1), make([]float64, n+1)
	for k := range n {
		logs[k+1] = logs[k] + math.Log(z+float64(k))
		slopes[k+1] = slopes[k] + 1/(z+float64(k))
	}
	return logs, slopes
}

// addLogs returns ln(e^a + e^b) and the second term's share of the sum.
func addLogs(a, b float64) (sum, second float64) {
	if math.IsInf(b, -1) {
		return a, 0
	}
	less := math.Exp(-math.Abs(a - b))
	if a > b {
		return a + math.Log1p(less), less / (1 + less)
	}
	return b + math.Log1p(less), 1 / (1 + less)
}
