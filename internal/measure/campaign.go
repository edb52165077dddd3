package measure

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Campaign is the evidence on a campaign's ROAS relative to the other campaigns of its channel.
type Campaign struct {
	Spend  float64
	Value  float64 // attributed or reported revenue
	Orders float64 // attributed or reported orders behind the value
}

const (
	// campaignFactor is the standard deviation between campaigns of the logarithm of the incrementality factor. Brand
	// and retargeting campaigns have lower factors than their channel, and store data do not identify the difference.
	// The value is an assumption.
	campaignFactor = 0.3
	// valueDispersion is the variance of the revenue of n orders, relative to the variance with a Poisson number of
	// equal orders. It is 1 plus the squared coefficient of variation of order values. The coefficient is about 1.
	valueDispersion = 2
)

// CampaignReturns estimates the incremental ROAS of the campaigns of a channel: the channel's ROAS times the campaign's
// relative ROAS. The less precise a relative ROAS, the more it shrinks toward the mean of the campaigns (empirical
// Bayes; Morris 1983, "Parametric empirical Bayes inference", section 1). Let x be the logarithm of a campaign's ROAS
// relative to all campaigns of the channel, and n the campaign's orders. Let k be the number of campaigns, and x̄ the
// mean of x with the weights w. Then
//
//	v = 2/(n+1),  τ² = max(0, Σ w (x-x̄)² - (k-1)) / (Σw - Σw²/Σw),  w = 1/v,  x̃ = x̄ + (x-x̄) τ²/(τ²+v)
//
// The posterior variance is τ²v/(τ²+v) + 0.3², where 0.3 is the standard deviation of the factor between campaigns. The
// estimates are scaled so that their spend-weighted mean is the channel's ROAS. The result has an estimate for every
// campaign; a campaign without spend has the channel's ROAS.
func CampaignReturns(channel Estimate, campaigns []Campaign) []Estimate {
	var spend, value float64
	for _, c := range campaigns {
		spend, value = spend+c.Spend, value+c.Value
	}
	x, v := make([]float64, len(campaigns)), make([]float64, len(campaigns))
	for i, c := range campaigns {
		v[i] = valueDispersion / (max(0, c.Orders) + 1)
		if c.Spend > 0 && value > 0 {
			// The prior is the expected revenue divided by the number of orders plus 1. It is added to the actual and
			// the expected revenue, so the logarithm is finite without orders.
			prior := c.Spend * value / spend / (max(0, c.Orders) + 1)
			x[i] = math.Log((max(0, c.Value) + prior) / (c.Spend*value/spend + prior))
		}
	}
	mean, between := spread(x, v)
	relative, sds, total := make([]float64, len(campaigns)), make([]float64, len(campaigns)), 0.0
	for i, c := range campaigns {
		shrink := between / (between + v[i])
		relative[i], sds[i] = math.Exp(mean+(x[i]-mean)*shrink), math.Sqrt(shrink*v[i]+campaignFactor*campaignFactor)
		total += relative[i] * c.Spend
	}
	out := make([]Estimate, len(campaigns))
	for i := range campaigns {
		if total > 0 {
			relative[i] *= spend / total
		}
		value := channel.Value * relative[i]
		sd := math.Hypot(channel.NormalSD()*relative[i], value*sds[i])
		out[i] = Estimate{Value: value, Interval: NormalInterval(value, sd, channel.Level), Method: channel.Method, Basis: channel.Basis}
	}
	return out
}

// spread returns the weighted mean of values with known variances and the variance between them, by the method of
// moments.
func spread(x, v []float64) (mean, between float64) {
	var weights, squares, sum float64
	for i := range x {
		w := 1 / v[i]
		weights, squares, sum = weights+w, squares+w*w, sum+w*x[i]
	}
	if weights == 0 {
		return 0, 0
	}
	mean = sum / weights
	var q float64
	for i := range x {
		q += (x[i] - mean) * (x[i] - mean) / v[i]
	}
	if free := weights - squares/weights; free > 0 {
		between = max(0, (q-float64(len(x)-1))/free)
	}
	return mean, between
}

// Above returns the probability that the estimated quantity is above a bound, assuming a normal error.
func (e Estimate) Above(bound float64) float64 {
	return 1 - distuv.Normal{Mu: e.Value, Sigma: max(e.NormalSD(), 1e-9)}.CDF(bound)
}
