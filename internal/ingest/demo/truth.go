package demo

import (
	"math"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/money"
)

// Truth contains the true parameters and effects of the simulated store. Amounts are in whole units of the currency.
type Truth struct {
	Seed           uint64                           `json:"seed"`
	FirstDay       civil.Date                       `json:"first_day"`
	LastDay        civil.Date                       `json:"last_day"`
	Currency       money.Currency                   `json:"currency"`
	UntrackedShare float64                          `json:"untracked_share"` // share of counted orders without a touchpoint
	Channels       map[measure.Channel]ChannelTruth `json:"channels"`        // every channel with spend
	Halo           []HaloTruth                      `json:"halo"`
	Experiments    []ExperimentTruth                `json:"experiments"`
	Creators       []CreatorTruth                   `json:"creators"`
	Anomalies      []AnomalyTruth                   `json:"anomalies"`
	Future         []DayTruth                       `json:"future,omitempty"` // today as a whole day and the days after it
}

// ChannelTruth contains the effect of a channel's spend from the first day to the last, on all surfaces.
type ChannelTruth struct {
	Spend              float64    `json:"spend"`
	IncrementalRevenue float64    `json:"incremental_revenue"` // expected revenue that the spend caused
	ROAS               float64    `json:"roas"`                // incremental revenue / spend
	Adstock            Adstock    `json:"adstock"`
	Saturation         Saturation `json:"saturation"`
}

// HaloTruth contains the halo effect of a channel on a surface other than its home surface. The effect is the
// incremental revenue per unit of spend, averaged over all days.
type HaloTruth struct {
	Channel     measure.Channel `json:"channel"`
	Surface     measure.Surface `json:"surface"`
	Coefficient float64         `json:"coefficient"`
}

// ExperimentTruth is a past geo experiment.
type ExperimentTruth struct {
	ID       string          `json:"id"`
	Channel  measure.Channel `json:"channel"`
	Start    civil.Date      `json:"start"`
	End      civil.Date      `json:"end"`
	Treated  []string        `json:"treated"`      // states
	TrueLift float64         `json:"true_lift"`    // expected revenue of the treated states / without the experiment - 1
	Factor   float64         `json:"spend_factor"` // regional spend in the treated states / spend without the experiment
}

// CreatorTruth contains the true sales of a creator.
type CreatorTruth struct {
	ID          string  `json:"id"`
	Name        string  `json:"name"`
	TrueOrders  int     `json:"true_orders"`
	TrueRevenue float64 `json:"true_revenue"`
}

// AnomalyTruth is an anomalous day.
type AnomalyTruth struct {
	Date   civil.Date `json:"date"`
	Metric string     `json:"metric"` // revenue, spend or attributed_orders
	Factor float64    `json:"factor"` // relative to the day without the anomaly
}

// DayTruth contains the sales and spend of the store's last day or of a later day. The last day is complete here, but
// the store's data of this day end at noon.
type DayTruth struct {
	Date    civil.Date `json:"date"`
	Revenue float64    `json:"revenue"` // charged amounts
	Orders  int        `json:"orders"`  // number of orders, without canceled and test orders
	Spend   float64    `json:"spend"`
}

// truth returns the true effects and totals of the plan. It multiplies expected orders by the surface's mean order
// value.
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
	if e, ok := p.designed(sold); ok {
		t.Experiments = append(t.Experiments, e.truth(p, value))
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

// halo returns the coefficients of all surfaces that the channel affects, except its home surface.
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

// orderValue returns the mean value of the channel's orders over the surfaces that it reaches.
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
