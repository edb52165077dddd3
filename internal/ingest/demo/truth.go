package demo

import (
	"math"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/money"
)

// Truth is what the generator planted, money in whole units of the currency.
type Truth struct {
	Seed           uint64                           `json:"seed"`
	FirstDay       civil.Date                       `json:"first_day"`
	LastDay        civil.Date                       `json:"last_day"`
	Currency       money.Currency                   `json:"currency"`
	UntrackedShare float64                          `json:"untracked_share"` // of the orders that count, those without a touch
	Channels       map[measure.Channel]ChannelTruth `json:"channels"`        // every channel with spend
	Halo           []HaloTruth                      `json:"halo"`
	Experiments    []ExperimentTruth                `json:"experiments"`
	Creators       []CreatorTruth                   `json:"creators"`
	Anomalies      []AnomalyTruth                   `json:"anomalies"`
}

// ChannelTruth is what a channel's spend brought from the first day to the last, on all surfaces.
type ChannelTruth struct {
	Spend              float64    `json:"spend"`
	IncrementalRevenue float64    `json:"incremental_revenue"` // expected revenue that would be missing without the spend
	ROAS               float64    `json:"roas"`                // incremental revenue / spend
	Adstock            Adstock    `json:"adstock"`
	Saturation         Saturation `json:"saturation"`
}

// HaloTruth is the revenue on a surface per unit of spend of a channel whose home is another surface, averaged
// over all days.
type HaloTruth struct {
	Channel     measure.Channel `json:"channel"`
	Surface     measure.Surface `json:"surface"`
	Coefficient float64         `json:"coefficient"`
}

// ExperimentTruth is a geo experiment of the past.
type ExperimentTruth struct {
	ID       string          `json:"id"`
	Channel  measure.Channel `json:"channel"`
	Start    civil.Date      `json:"start"`
	End      civil.Date      `json:"end"`
	Treated  []string        `json:"treated"`   // states
	TrueLift float64         `json:"true_lift"` // expected revenue of the treated states / without the test - 1
}

// CreatorTruth is what a creator really sold.
type CreatorTruth struct {
	ID          string  `json:"id"`
	Name        string  `json:"name"`
	TrueOrders  int     `json:"true_orders"`
	TrueRevenue float64 `json:"true_revenue"`
}

// AnomalyTruth is a day that went wrong or uncommonly well.
type AnomalyTruth struct {
	Date   civil.Date `json:"date"`
	Metric string     `json:"metric"` // revenue, spend or attributed_orders
	Factor float64    `json:"factor"` // of what the day would have been
}

// truth states the plan in money. Expected orders become revenue at the surface's mean order value.
func (p *plan) truth(sold *sales) Truth {
	value := sold.orderValues()
	t := Truth{
		Seed: p.opt.Seed, FirstDay: p.first, LastDay: p.opt.Today, Currency: p.opt.Currency,
		UntrackedShare: rounded(float64(sold.untracked)/float64(max(1, sold.counted)), 6),
		Channels:       map[measure.Channel]ChannelTruth{},
		Halo:           []HaloTruth{}, Experiments: []ExperimentTruth{}, Creators: []CreatorTruth{}, Anomalies: []AnomalyTruth{},
	}
	for _, m := range p.media {
		t.Channels[m.channel] = m.truth(p, value)
		t.Halo = append(t.Halo, m.halo(p, value)...)
	}
	for _, e := range p.tests {
		t.Experiments = append(t.Experiments, e.truth(p, value))
	}
	for i, c := range p.creators {
		t.Creators = append(t.Creators, CreatorTruth{
			ID: c.id, Name: c.name, TrueOrders: sold.creatorOrders[i],
			TrueRevenue: rounded(float64(sold.creatorRevenue[i])/p.unit, 2),
		})
	}
	for _, a := range p.anomalies {
		t.Anomalies = append(t.Anomalies, AnomalyTruth{Date: p.day(a.day), Metric: a.metric, Factor: rounded(a.factor, 4)})
	}
	return t
}

func (m *medium) truth(p *plan, value [surfaceCount]float64) ChannelTruth {
	spend := float64(m.totalSpend()) / p.unit
	perOrder := m.orderValue(value)
	revenue := perOrder * sum(m.orders)
	saturation := m.saturation
	saturation.Beta = m.peak * perOrder
	t := ChannelTruth{
		Spend: rounded(spend, 2), IncrementalRevenue: rounded(revenue, 2),
		Adstock: m.adstock, Saturation: saturation,
	}
	if spend > 0 {
		t.ROAS = rounded(revenue/spend, 6)
	}
	return t
}

// halo returns the coefficients on every surface that is reached besides the channel's home.
func (m *medium) halo(p *plan, value [surfaceCount]float64) []HaloTruth {
	spend := float64(m.totalSpend()) / p.unit
	var out []HaloTruth
	for s, reach := range m.reach {
		if s != m.home && reach > 0 && spend > 0 {
			out = append(out, HaloTruth{
				Channel: m.channel, Surface: surfaceNames[s],
				Coefficient: rounded(reach*value[s]*sum(m.orders)/spend, 6),
			})
		}
	}
	return out
}

// orderValue is the mean value of an order that the channel brings, over the surfaces it reaches.
func (m *medium) orderValue(value [surfaceCount]float64) float64 {
	mean := 0.0
	for s, reach := range m.reach {
		mean += reach * value[s]
	}
	return mean
}

func sum(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	return total
}

func rounded(x float64, decimals int) float64 {
	shift := math.Pow10(decimals)
	return math.Round(x*shift) / shift
}
