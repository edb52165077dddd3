package demo

import (
	"math"
	"slices"

	"assay/internal/measure"
)

// Adstock describes how the effect of a day's spend is distributed over the following days. The weights of the window
// sum to 1, so the adstock of constant spend is that spend:
//
//	geometric  w(l) = alpha^l           / sum over the window
//	delayed    w(l) = alpha^((l-theta)^2) / sum over the window (Jin et al. 2017)
//
// with the lag l = 0 … window_days-1. Spend before the first day is 0.
type Adstock struct {
	Form   string  `json:"form"`
	Alpha  float64 `json:"alpha"`           // share that remains after a day
	Theta  float64 `json:"theta,omitempty"` // days until the peak
	Window int     `json:"window_days"`
}

func (a Adstock) weights() []float64 {
	weights := make([]float64, a.Window)
	all := 0.0
	for lag := range weights {
		power := float64(lag)
		if a.Form == delayed {
			power = (power - a.Theta) * (power - a.Theta)
		}
		weights[lag] = math.Pow(a.Alpha, power)
		all += weights[lag]
	}
	for lag := range weights {
		weights[lag] /= all
	}
	return weights
}

// carry writes the adstock of a series of spend.
func carry(weights, spend, out []float64) {
	for t := range spend {
		sum := 0.0
		for lag := range min(len(weights), t+1) {
			sum += weights[lag] * spend[t-lag]
		}
		out[t] = sum
	}
}

// Saturation is a channel's incremental revenue on a day as a function of the adstocked spend a, both in whole units of
// the currency:
//
//	logistic  beta * (1 - exp(-lam*a/scale)) / (1 + exp(-lam*a/scale))
//	hill      beta * a^slope / (half_saturation^slope + a^slope)
//
// Beta is the maximum incremental revenue per day.
type Saturation struct {
	Form           string  `json:"form"`
	Beta           float64 `json:"beta"`
	Lam            float64 `json:"lam,omitempty"`
	Scale          float64 `json:"scale,omitempty"` // the channel's mean daily spend
	HalfSaturation float64 `json:"half_saturation,omitempty"`
	Slope          float64 `json:"slope,omitempty"`
}

// The forms.
const (
	geometric = "geometric"
	delayed   = "delayed"
	logistic  = "logistic"
	hill      = "hill"
)

// at returns the response at an adstock as a share of Beta, 0 to 1.
func (s Saturation) at(adstock float64) float64 {
	if adstock <= 0 {
		return 0
	}
	if s.Form == hill {
		x := math.Pow(adstock, s.Slope)
		return x / (math.Pow(s.HalfSaturation, s.Slope) + x)
	}
	return math.Tanh(s.Lam * adstock / s.Scale / 2)
}

// respond derives the channel's orders by day from its spend.
//
// Each state has the same curve per head. A state with the share w of the population and the adstock a reaches w*S(a/w)
// of the peak response. Spend without a region reaches all people equally, so a channel without regional spend has
// S(a).
func (m *medium) respond(p *plan) {
	m.orders, m.byState = m.responses(p, 1)
	m.peak = 1
	if orders := sum(m.orders); orders > 0 {
		value := m.orderValue(nominalValues)
		m.peak = m.roas * float64(m.totalSpend()) / p.unit / value / orders
	}
	m.scaleResponse()
}

// scaleResponse converts shares of the peak to orders.
func (m *medium) scaleResponse() {
	scale(m.orders, m.peak)
	for _, days := range m.byState {
		scale(days, m.peak)
	}
}

// responses returns the channel's share of the peak response by day, with all spend of the channel multiplied by a
// factor. If the channel has regional spend, it also returns the shares by state.
func (m *medium) responses(p *plan, factor float64) (all []float64, byState [][]float64) {
	if m.regional == nil {
		return m.response(p, m.national, 1, factor), nil
	}
	byState = m.stateResponses(p, m.regional, factor)
	all = make([]float64, p.span)
	for _, days := range byState {
		for t, o := range days {
			all[t] += o
		}
	}
	return all, byState
}

// stateResponses returns the response by state and day to regional spend plus the state's share of the channel's
// national spend.
func (m *medium) stateResponses(p *plan, regional [][]float64, factor float64) [][]float64 {
	out := make([][]float64, len(states))
	spend := make([]float64, p.span)
	for i, people := range p.places.people {
		for t := range spend {
			spend[t] = regional[i][t] + people*m.national[t]
		}
		out[i] = m.response(p, spend, people, factor)
	}
	return out
}

// response returns the share of the peak response by day in a part of the population. The spend is in minor units and
// is multiplied by the factor.
func (m *medium) response(p *plan, spend []float64, people, factor float64) []float64 {
	out := make([]float64, len(spend))
	carry(m.adstock.weights(), spend, out)
	for t, a := range out {
		out[t] = p.open(t) * people * m.saturation.at(factor*a/p.unit/people)
	}
	return out
}

// Responses evaluates the demo's equations for other levels of spend. [Responses.Of] returns a channel's effect by day,
// with all spend of the channel multiplied by a factor. The effect is a share of the channel's actual effect over all
// days. Multiplied by [ChannelTruth.IncrementalRevenue], it is an amount of money.
type Responses struct{ plan *plan }

// NewResponses returns the responses of a store. Invalid options result in a fault of kind invalid.
func NewResponses(opt Options) (Responses, error) {
	if err := opt.check(); err != nil {
		return Responses{}, err
	}
	return Responses{newPlan(opt)}, nil
}

// Of returns the channel's response by day, or nil for an unknown channel.
func (r Responses) Of(channel measure.Channel, factor float64) []float64 {
	for _, m := range r.plan.media {
		if m.channel == channel {
			days, _ := m.responses(r.plan, factor)
			scale(days, m.peak/sum(m.orders))
			return days
		}
	}
	return nil
}

func scale(values []float64, factor float64) {
	for i := range values {
		values[i] *= factor
	}
}

// Ahead returns the total expected revenue and the total spend of the days after today, in whole units of the currency.
// The function budget returns the spend of a channel on a day, which replaces the planned spend. Day 1 is the day after
// today. The value of an order is the nominal value of its surface. The number of days is the option Future.
func (r Responses) Ahead(budget func(channel measure.Channel, day int, planned float64) float64) (revenue, spend float64) {
	if r.plan.opt.Future == 0 {
		return 0, 0
	}
	today, next := r.plan.opt.Days-1, r.plan.ahead()
	for _, m := range next.media {
		m.national = slices.Clone(m.national)
		for t := today + 1; t < next.span; t++ {
			daily := budget(m.channel, t-today, m.national[t]/next.unit)
			m.national[t] = daily * next.unit
			spend += daily
		}
		m.orders, m.byState = m.responses(next, 1)
		m.scaleResponse()
		revenue += m.orderValue(nominalValues) * sum(m.orders[today+1:])
	}
	for s, days := range next.base {
		revenue += nominalValues[s] * sum(days[today+1:])
	}
	return revenue, spend
}
