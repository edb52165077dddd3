package geo

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/stats"
)

// regression is time-based regression. Before the test, the sum of the treated regions is regressed on the donors' sum.
// During the test, the donors' sum predicts the sum of the treated regions. See Kerman, Wang and Vaver 2017,
// "Estimating Ad Effectiveness using Geo Experiments in a Time-Based Regression Framework", section 3. The cumulative
// effect has the variance and the distribution
//
//	Var = sᵀ V s + m σ²,   s = (m, Σ x),   t with n - 2 degrees of freedom,
//
// where V is the covariance of the coefficients, m the number of periods of the test and n the number of periods before
// it. Errors are assumed to be independent in time. With autocorrelation, the interval is too narrow.
type regression struct {
	intercept, slope float64
	sigma            float64 // standard deviation of the residuals
	freedom          float64
	effect           float64 // cumulative effect on all treated regions
	se               float64 // standard error of effect
	lag1             float64 // autocorrelation of the residuals
	residuals        []float64
}

func regress(p *Panel, s span, treated, donors []int) (*regression, error) {
	y, x := sumOf(p, treated, s.end), sumOf(p, donors, s.end)
	n, m := float64(s.start), float64(s.end-s.start+1)
	meanX, meanY := stats.Mean(x[:s.start]), stats.Mean(y[:s.start])
	var xx, xy float64
	for t := range s.start {
		xx += (x[t] - meanX) * (x[t] - meanX)
		xy += (x[t] - meanX) * (y[t] - meanY)
	}
	if xx <= 1e-24*n*meanX*meanX {
		return nil, fault.Invalid("the donors' total is constant before the test: regression is not possible")
	}
	r := &regression{slope: xy / xx, freedom: n - 2}
	r.intercept = meanY - r.slope*meanX
	var squares, lagged, sumX float64
	for t := range y {
		e := y[t] - r.intercept - r.slope*x[t]
		r.residuals = append(r.residuals, e)
		switch {
		case t >= s.start:
			r.effect += e
			sumX += x[t]
		default:
			squares += e * e
			if t > 0 {
				lagged += e * r.residuals[t-1]
			}
		}
	}
	r.sigma = math.Sqrt(squares / r.freedom)
	if squares > 0 {
		r.lag1 = lagged / squares
	}
	d := sumX - m*meanX
	r.se = r.sigma * math.Sqrt(m+m*m/n+d*d/xx)
	return r, nil
}

func sumOf(p *Panel, rows []int, end int) []float64 {
	sum := make([]float64, end+1)
	for _, r := range rows {
		for t := range sum {
			sum[t] += p.Values[r][t]
		}
	}
	return sum
}

// interval returns the confidence interval of the cumulative effect.
func (r *regression) interval(alpha float64) *measure.Interval {
	half := r.se * studentT(r.freedom).Quantile(1-alpha/2)
	return &measure.Interval{Low: r.effect - half, High: r.effect + half, Level: 1 - alpha}
}

// p returns the two-sided p-value of no effect.
func (r *regression) p() float64 {
	if r.se == 0 {
		if r.effect == 0 {
			return 1
		}
		return 0
	}
	return 2 * studentT(r.freedom).Survival(math.Abs(r.effect)/r.se)
}

func studentT(freedom float64) distuv.StudentsT {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}
}
