package demo

import "math"

// Adstock is how the effect of a day's spend spreads over the days that follow. The weights of the window sum
// to 1, so that steady spend is its own adstock:
//
//	geometric  w(l) = alpha^l           / sum over the window
//	delayed    w(l) = alpha^((l-theta)^2) / sum over the window (Jin et al. 2017)
//
// with the lag l = 0 … window_days-1. Nothing was spent before the first day.
type Adstock struct {
	Form   string  `json:"form"`
	Alpha  float64 `json:"alpha"`           // what is left after a day
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

// Saturation is what a day's adstock a, in whole units of the currency, brings on that day:
//
//	logistic  beta * (1 - exp(-lam*a/scale)) / (1 + exp(-lam*a/scale))
//	hill      beta * a^slope / (half_saturation^slope + a^slope)
//
// Beta is revenue in whole units a day, which no spend can exceed.
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

// at returns the part of Beta that an adstock brings: 0 to 1.
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

// respond derives from the channel's spend what it brings on each day.
//
// Each state has the same curve per head: a state with the share w of the population and the adstock a brings
// w*S(a/w) of the peak. Spend without a region reaches people everywhere alike, so a channel without regional
// spend brings S(a).
func (p *plan) respond(m *medium) {
	if m.regional == nil {
		m.orders = p.response(m, m.national, 1)
	} else {
		m.byState = p.stateResponses(m, m.regional)
		m.orders = make([]float64, p.opt.Days)
		for _, days := range m.byState {
			for t, o := range days {
				m.orders[t] += o
			}
		}
	}
	m.peak = 1
	if brought := sum(m.orders); brought > 0 {
		worth := m.orderValue(nominalValues)
		m.peak = m.roas * float64(m.totalSpend()) / p.unit / worth / brought
	}
	scale(m.orders, m.peak)
	for _, days := range m.byState {
		scale(days, m.peak)
	}
}

// stateResponses returns the response by state and day to regional spend beside the channel's national spend.
func (p *plan) stateResponses(m *medium, regional [][]float64) [][]float64 {
	out := make([][]float64, len(states))
	spend := make([]float64, p.opt.Days)
	for i, people := range p.places.people {
		for t := range spend {
			spend[t] = regional[i][t] + people*m.national[t]
		}
		out[i] = p.response(m, spend, people)
	}
	return out
}

// response returns the part of the peak that spend, in minor units, brings among a share of the people.
func (p *plan) response(m *medium, spend []float64, people float64) []float64 {
	out := make([]float64, len(spend))
	carry(m.adstock.weights(), spend, out)
	for t, a := range out {
		out[t] = p.open(t) * people * m.saturation.at(a/p.unit/people)
	}
	return out
}

func scale(values []float64, factor float64) {
	for i := range values {
		values[i] *= factor
	}
}
