package mmm

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"assay/internal/measure/stats"
	"assay/internal/measure/stats/psis"
)

// Accuracy is how close the fitted target comes to the real one.
type Accuracy struct {
	R2    float64  `json:"r2"`             // share of variance explained
	MAPE  *float64 `json:"mape,omitempty"` // mean absolute error as a share of the target, over periods where it is not 0
	WMAPE float64  `json:"wmape"`          // sum of absolute errors by sum of absolute targets
}

// Accuracy compares the fitted target with the real one over the fitted periods and over those held out; holdout is
// nil when there are none or only one.
func (p *Posterior) Accuracy() (fitted Accuracy, holdout *Accuracy) {
	mean, m := p.Fitted(), p.model
	fitted = accuracy(m.fitted(p.data.Target), m.fitted(mean))
	if len(mean)-m.rows > 1 {
		held := accuracy(heldOut(m, p.data.Target), heldOut(m, mean))
		holdout = &held
	}
	return fitted, holdout
}

// heldOut returns the rows of a series that the likelihood does not see.
func heldOut[T any](m *model, values []T) []T {
	out := make([]T, 0, len(values)-m.rows)
	for g := range m.geos {
		out = append(out, values[g*m.span+m.periods:(g+1)*m.span]...)
	}
	return out
}

func accuracy(target, fitted []float64) Accuracy {
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
	a := Accuracy{R2: 1 - squares/math.Max(total, math.SmallestNonzeroFloat64), WMAPE: errors / math.Max(size, math.SmallestNonzeroFloat64)}
	if nonzero > 0 {
		mape := relative / float64(nonzero)
		a.MAPE = &mape
	}
	return a
}

// LogScores returns for each held-out period the log of the density that the posterior predicted there for what came,
// in the target's unit. Higher is better; scores of models of the same target may be compared and added.
func (p *Posterior) LogScores() []float64 {
	m := p.model
	perDraw := make([][]float64, len(m.y)-m.rows)
	all := make([]int, len(m.y))
	for t := range all {
		all[t] = t
	}
	rows := heldOut(m, all)
	for _, theta := range p.draws {
		mu := p.location(theta)
		for i, row := range rows {
			perDraw[i] = append(perDraw[i], m.logDensityAt(row, mu[row], theta[m.noiseAt:m.pooledAt]))
		}
	}
	out := make([]float64, len(perDraw))
	for i, logs := range perDraw {
		out[i] = floats.LogSumExp(logs) - math.Log(float64(len(logs)))
	}
	return out
}

// logDensityAt returns the log density of one period's target, in the target's unit.
func (m *model) logDensityAt(t int, mu float64, theta []float64) float64 {
	unit := math.Log(m.yScale * m.size[t/m.span])
	if m.spec.Likelihood == LogNormal {
		unit += m.y[t] // the log of the target itself
	}
	grad := make([]float64, len(theta))
	kernel := m.spec.Likelihood.logp(m.y[t:t+1], []float64{mu}, theta, make([]float64, 1), grad)
	if m.spec.Likelihood == StudentT {
		return kernel - math.Log(math.Pi)/2 - unit
	}
	return kernel - math.Log(2*math.Pi)/2 - unit
}

// LeaveOneOut is how well the model predicts a fitted row from all others, without fitting it anew: the sum over rows
// of the log density in the target's unit. Models of the same rows may be compared by it.
type LeaveOneOut struct {
	ELPD float64 `json:"elpd"`
	SE   float64 `json:"se"` // of ELPD, from how much rows differ
	// Parameters is the effective number of parameters: by how much the rows are fitted better than predicted.
	Parameters float64 `json:"parameters"`
	// Unreliable counts rows that move the posterior so much that their term cannot be trusted.
	Unreliable int `json:"unreliable"`
}

// mostTerms is how many log densities are held at once; with more, draws are thinned evenly.
const mostTerms = 4 << 20

// LeaveOneOut reweights the draws for each row (Vehtari, Gelman, Gabry 2017). Rows of a series are not independent: it
// judges the fit of the shape, not forecasts, which a holdout does.
func (p *Posterior) LeaveOneOut() LeaveOneOut {
	m := p.model
	rows := make([]int, 0, m.rows)
	for g := range m.geos {
		for t := range m.periods {
			rows = append(rows, g*m.span+t)
		}
	}
	every := 1 + m.rows*len(p.draws)/mostTerms
	perRow := make([][]float64, len(rows))
	for i := 0; i < len(p.draws); i += every {
		mu := p.location(p.draws[i])
		for k, row := range rows {
			perRow[k] = append(perRow[k], m.logDensityAt(row, mu[row], p.draws[i][m.noiseAt:m.pooledAt]))
		}
	}
	var out LeaveOneOut
	terms := make([]float64, len(rows))
	for k, logs := range perRow {
		ratios := series(len(logs), func(i int) float64 { return -logs[i] })
		weights, shape := psis.Smooth(ratios)
		if !(shape < psis.Unreliable) {
			out.Unreliable++
		}
		out.Parameters += floats.LogSumExp(logs) - math.Log(float64(len(logs)))
		floats.Add(weights, logs)
		terms[k] = floats.LogSumExp(weights)
	}
	out.ELPD = floats.Sum(terms)
	out.Parameters -= out.ELPD
	_, sd := stats.MeanSD(terms)
	out.SE = sd * math.Sqrt(float64(len(terms)))
	return out
}
