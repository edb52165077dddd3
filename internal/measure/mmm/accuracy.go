package mmm

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"assay/internal/measure/stats"
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
