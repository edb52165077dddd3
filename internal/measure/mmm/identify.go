package mmm

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"assay/internal/measure/stats"
)

// Reason is a reason why a fit is not reportable, with a remedy.
type Reason struct {
	Code   Code   `json:"code"`
	About  string `json:"about,omitempty"` // the channel, control or parameter
	Text   string `json:"text"`
	Remedy string `json:"remedy"`
}

// Code identifies a kind of reason.
type Code string

// The first five codes come from checks of the data before a fit. The other codes come from the convergence checks.
const (
	TooFewPeriods  Code = "too_few_periods"
	ConstantTarget Code = "constant_target"
	NoSpend        Code = "no_spend"
	Constant       Code = "constant"
	Collinear      Code = "collinear"
	NotConverged   Code = "not_converged"
	FewDraws       Code = "few_effective_draws"
	Diverged       Code = "divergences"
)

const (
	leastPeriods      = 26
	periodsPerUnknown = 1.5
	leastActive       = 3    // minimum periods with exposure
	leastVariation    = 0.01 // minimum coefficient of variation of an exposure
	// mostExplained is the maximum R2 of one column given the others. Above this limit, the other columns increase the
	// variance of the column's coefficient more than a hundredfold.
	mostExplained = 0.99
)

// unidentified returns the reasons why the data cannot identify the model.
func (m *model) unidentified(d Data) []Reason {
	var reasons []Reason
	// The parameters of time-varying effects, curve sharpness, pooled controls and confounding terms have informative
	// priors, so they are identified without the data.
	unknown := len(m.parameters) - (len(m.hsgp)+m.spec.Saturation.held())*len(m.channels)
	for _, b := range m.controlGroups {
		unknown -= len(b.at)
	}
	for _, c := range m.channels {
		if c.confoundingAt > 0 {
			unknown--
		}
	}
	if need := max(leastPeriods, int(math.Ceil(periodsPerUnknown*float64(unknown)))); m.rows < need {
		reasons = append(reasons, Reason{
			TooFewPeriods, "",
			fmt.Sprintf("%d periods are too few for %d parameters: this model needs at least %d", m.rows, unknown, need),
			"use a longer window, merge channels, or choose a saturation and trend with fewer parameters",
		})
	}
	if _, sd := stats.MeanSD(m.fitted(d.Target)); sd <= 1e-9*m.yScale {
		reasons = append(reasons, Reason{
			ConstantTarget, "target", "the target is constant, so there is nothing to explain",
			"check that the correct column is the target",
		})
	}
	for i, media := range d.Media {
		reasons = append(reasons, m.unusable(media, m.channels[i])...)
	}
	if len(reasons) > 0 {
		return reasons
	}
	return m.collinear()
}

// unusable returns the reasons why one channel's data are unusable, regardless of the other channels.
func (m *model) unusable(media Media, c channel) []Reason {
	name := string(media.Channel)
	exposure := m.fitted(c.x)
	active := floats.Count(func(v float64) bool { return v > 0 }, exposure)
	if active < leastActive || m.spec.Effect == ROI && floats.Sum(m.fitted(media.cost())) == 0 {
		return []Reason{{
			NoSpend, name,
			fmt.Sprintf("%s has exposure in %d periods and a total spend of %v: too little to estimate its effect",
				name, active, floats.Sum(m.fitted(media.cost()))),
			fmt.Sprintf("exclude %s, or choose a window in which it ran", name),
		}}
	}
	if mean, sd := stats.MeanSD(exposure); sd < leastVariation*mean {
		return []Reason{{
			Constant, name,
			fmt.Sprintf("%s barely varies, so its effect cannot be separated from the baseline", name),
			fmt.Sprintf("exclude %s, or vary its spend, for example in a geo experiment", name),
		}}
	}
	return nil
}

// collinear finds channels with an adstocked exposure that is almost a linear combination of the other channels and the
// baseline. Collinear baseline terms are allowed, because their priors are proper and only their sum has an effect.
func (m *model) collinear() []Reason {
	names, columns := m.columns()
	var reasons []Reason
	for i := range m.channels {
		if r2 := explained(columns, i); r2 > mostExplained {
			name, partner := names[i], names[closest(columns, i)]
			reasons = append(reasons, Reason{
				Collinear, name,
				fmt.Sprintf(
					"%s is collinear with the other columns (R2 %.4f), most of all with %s: their effects cannot be separated",
					name, r2, partner),
				fmt.Sprintf("merge %s and %s, remove one of them, or vary only one in an experiment", name, partner),
			})
		}
	}
	return reasons
}

// columns returns the channels' exposures, adstocked at the prior's center, and the baseline's terms.
func (m *model) columns() (names []string, columns [][]float64) {
	theta := make([]float64, len(m.parameters))
	curves := m.newCurves()
	m.constrain(theta, make([]float64, len(m.parameters)), curves)
	for i, v := range curves {
		names = append(names, string(m.channels[i].name))
		exposure := v.a
		if m.channels[i].often != nil {
			exposure = v.s
		}
		columns = append(columns, exposure)
	}
	for _, t := range m.terms {
		names = append(names, t.name)
		columns = append(columns, m.fitted(t.values))
	}
	if m.geos > 1 {
		for i, column := range columns {
			columns[i] = m.within(column)
		}
	}
	return names, columns
}

// within returns a column minus the mean of each geo, because geos have their own intercepts. In a geo where the column
// is constant, it does not change the column.
func (m *model) within(column []float64) []float64 {
	out := slices.Clone(column)
	for g := range m.geos {
		geo := out[g*m.periods : (g+1)*m.periods]
		mean, sd := stats.MeanSD(geo)
		if sd > 0 {
			floats.AddConst(-mean, geo)
		}
	}
	return out
}

// explained returns the R2 of the regression of column i, which is not constant, on the other columns.
func explained(columns [][]float64, i int) float64 {
	target := columns[i]
	var design []float64
	for t := range target {
		for j := range columns {
			if j != i {
				design = append(design, columns[j][t])
			}
		}
	}
	n := len(target)
	residual := residuals(mat.NewDense(n, len(columns)-1, design), target)
	_, sd := stats.MeanSD(target)
	return 1 - floats.Dot(residual, residual)/(sd*sd*float64(n-1))
}

// residuals returns the residuals of least squares on the design, by projection on the singular vectors that are
// numerically nonzero.
func residuals(design *mat.Dense, target []float64) []float64 {
	residual := append([]float64(nil), target...)
	var svd mat.SVD
	if !svd.Factorize(design, mat.SVDThinU) {
		return residual
	}
	var u mat.Dense
	svd.UTo(&u)
	values := svd.Values(nil)
	for j, value := range values {
		if value > 1e-10*values[0] {
			direction := mat.Col(nil, j, &u)
			floats.AddScaled(residual, -floats.Dot(direction, target), direction)
		}
	}
	return residual
}

// closest returns the index of the other column that has the largest absolute correlation with column i.
func closest(columns [][]float64, i int) int {
	best, at := -1.0, i
	for j := range columns {
		if j == i {
			continue
		}
		if r := math.Abs(correlation(columns[i], columns[j])); r > best {
			best, at = r, j
		}
	}
	return at
}

// correlation returns Pearson's correlation, or 0 if either column is constant.
func correlation(a, b []float64) float64 {
	meanA, sdA := stats.MeanSD(a)
	meanB, sdB := stats.MeanSD(b)
	if sdA == 0 || sdB == 0 {
		return 0
	}
	var sum float64
	for i := range a {
		sum += (a[i] - meanA) * (b[i] - meanB)
	}
	return sum / (sdA * sdB * float64(len(a)-1))
}
