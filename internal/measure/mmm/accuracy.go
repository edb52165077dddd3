package mmm

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"assay/internal/measure/stats"
	"assay/internal/measure/stats/psis"
	"assay/internal/panics"
)

// Accuracy compares fitted values with the observed target.
type Accuracy struct {
	R2 float64 `json:"r2"` // share of variance explained
	// MAPE is the mean absolute percentage error, as a fraction, over periods with a nonzero target.
	MAPE  *float64 `json:"mape,omitempty"`
	WMAPE float64  `json:"wmape"` // weighted MAPE: sum of absolute errors / sum of absolute targets
}

// Accuracy compares fitted values with the target, in the fitted periods and in the holdout. The result holdout is nil
// if there are fewer than two held-out periods.
func (p *Posterior) Accuracy() (fitted Accuracy, holdout *Accuracy) {
	mean, m := p.Fitted(), p.model
	fitted = AccuracyOf(m.fitted(p.data.Target), m.fitted(mean))
	if len(mean)-m.rows > 1 {
		held := AccuracyOf(p.HeldOut(p.data.Target), p.HeldOut(mean))
		holdout = &held
	}
	return fitted, holdout
}

// HeldOut returns the rows of a series that are outside the likelihood, ordered by geo, then period.
func (p *Posterior) HeldOut(values []float64) []float64 { return heldOut(p.model, values) }

// heldOut returns the rows of a series in the holdout, which the likelihood excludes.
func heldOut[T any](m *model, values []T) []T {
	out := make([]T, 0, len(values)-m.rows)
	for g := range m.geos {
		out = append(out, values[g*m.span+m.periods:(g+1)*m.span]...)
	}
	return out
}

// AccuracyOf compares fitted values with a target of the same length.
func AccuracyOf(target, fitted []float64) Accuracy {
	mean, _ := stats.MeanSD(target)
	var squares, total, errors, size, relative float64
	nonzero := 0
	for t, y := range target {
		e := math.Abs(y - fitted[t])
		squares += e * e
		total += (y - mean) * (y - mean)
		errors += e
		size += math.Abs(y)
		if y != 0 {
			relative += e / math.Abs(y)
			nonzero++
		}
	}
	a := Accuracy{
		R2:    1 - squares/math.Max(total, math.SmallestNonzeroFloat64),
		WMAPE: errors / math.Max(size, math.SmallestNonzeroFloat64),
	}
	if nonzero > 0 {
		mape := relative / float64(nonzero)
		a.MAPE = &mape
	}
	return a
}

// LogScores returns the log predictive density of each held-out target, in the target's unit. Higher is better. Scores
// are comparable between models of the same target, and can be added.
func (p *Posterior) LogScores() []float64 {
	all := make([]int, len(p.model.y))
	for t := range all {
		all[t] = t
	}
	logs := p.logDensities(heldOut(p.model, all), 1)
	out := make([]float64, len(logs))
	for i, row := range logs {
		out[i] = floats.LogSumExp(row) - math.Log(float64(len(row)))
	}
	return out
}

// logDensities returns the log density of each row, in the target's unit. It uses every n-th draw, where n is the
// parameter every.
func (p *Posterior) logDensities(rows []int, every int) [][]float64 {
	out := make([][]float64, len(rows))
	for k := range out {
		out[k] = make([]float64, (len(p.draws)+every-1)/every)
	}
	p.eachBlock(func(_, from int, draws [][]float64) {
		l := p.model.newLocator()
		for i, theta := range draws {
			if (from+i)%every != 0 {
				continue
			}
			mu, at := l.location(theta), p.model.logDensity(theta[p.model.noiseAt:p.model.pooledAt])
			for k, row := range rows {
				out[k][(from+i)/every] = at(row, mu[row])
			}
		}
	})
	return out
}

// logDensity returns a function that gives the log density of one row's target, in the target's unit, at mean mu.
func (m *model) logDensity(theta []float64) func(row int, mu float64) float64 {
	constant := func(g int) float64 { return math.Log(m.yScale * m.size[g]) }
	sigma := theta[0]
	logSigma, units := math.Log(sigma), series(len(m.size), constant)
	kernel := func(z float64) float64 { return -z*z/2 - logSigma - math.Log(2*math.Pi)/2 }
	if m.spec.Likelihood == StudentT {
		nu := theta[1]
		upper, _ := math.Lgamma((nu + 1) / 2)
		lower, _ := math.Lgamma(nu / 2)
		level := upper - lower - math.Log(math.Pi*nu)/2 - logSigma
		kernel = func(z float64) float64 { return level - (nu+1)/2*math.Log1p(z*z/nu) }
	}
	return func(row int, mu float64) float64 {
		log := kernel((m.y[row]-mu)/sigma) - units[row/m.span]
		if m.spec.Likelihood == LogNormal {
			log -= m.y[row] // Jacobian of the log transform
		}
		return log
	}
}

// LeaveOneOut contains the estimated accuracy of predicting each fitted row from all other rows, without refitting
// (PSIS-LOO). ELPD is the sum over rows of the log predictive density in the target's unit. ELPD is comparable between
// models of the same rows.
type LeaveOneOut struct {
	ELPD float64 `json:"elpd"`
	SE   float64 `json:"se"` // standard error of ELPD, from its variation between rows
	// Parameters is the effective number of parameters (p_loo): in-sample log density minus ELPD.
	Parameters float64 `json:"parameters"`
	// Unreliable is the number of rows with a Pareto k above the limit. The ELPD terms of these rows are not reliable.
	Unreliable int `json:"unreliable"`
}

// mostTerms is the maximum number of log densities in memory. If there are more, LeaveOneOut thins the draws evenly.
const mostTerms = 4 << 20

// LeaveOneOut reweights the draws for each row by Pareto-smoothed importance sampling (Vehtari, Gelman, Gabry 2017).
// Rows of a time series are dependent, so use LeaveOneOut to compare model specifications. To evaluate forecasts, use a
// holdout or a backtest.
func (p *Posterior) LeaveOneOut() LeaveOneOut {
	m := p.model
	rows := make([]int, 0, m.rows)
	for g := range m.geos {
		for t := range m.periods {
			rows = append(rows, g*m.span+t)
		}
	}
	perRow := p.logDensities(rows, 1+m.rows*len(p.draws)/mostTerms)
	terms, gains, shapes := make([]float64, len(rows)), make([]float64, len(rows)), make([]float64, len(rows))
	var work panics.Group
	for from := 0; from < len(rows); from += rowsAtOnce {
		work.Go(func() {
			for k := from; k < min(from+rowsAtOnce, len(rows)); k++ {
				logs := perRow[k]
				weights, shape := psis.Smooth(divided(logs, -1))
				floats.Add(weights, logs)
				terms[k], shapes[k] = floats.LogSumExp(weights), shape
				gains[k] = floats.LogSumExp(logs) - math.Log(float64(len(logs)))
			}
		})
	}
	work.Wait()
	out := LeaveOneOut{ELPD: floats.Sum(terms), Parameters: floats.Sum(gains) - floats.Sum(terms)}
	for _, shape := range shapes {
		if !(shape < psis.Unreliable) {
			out.Unreliable++
		}
	}
	_, sd := stats.MeanSD(terms)
	out.SE = sd * math.Sqrt(float64(len(terms)))
	return out
}

// rowsAtOnce is the number of rows per unit of parallel work.
const rowsAtOnce = 32
