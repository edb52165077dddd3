package demo

import (
	"assay/internal/measure"
)

// Metrics that show an anomaly. The first two are names in the API.
const (
	metricRevenue    = "revenue"
	metricSpend      = "spend"
	metricAttributed = "attributed_orders"
)

// anomaly is an anomalous day that the calendar does not explain.
type anomaly struct {
	what    string
	metric  string
	factor  float64
	channel measure.Channel // channel with the wrong spend
	day     int
	from    int // earliest day, in days before today
	to      int // latest day, in days before today
}

// anomalySpecs lists the anomalies of every store that is old enough.
var anomalySpecs = []anomaly{
	{what: "order system down", metric: metricRevenue, factor: 0.30, from: 26, to: 16},
	{what: "viral video", metric: metricRevenue, factor: 2.20, from: 58, to: 44},
	{what: "tracking script broken", metric: metricAttributed, factor: 0.10, from: 84, to: 70},
	{what: "daily budget typed wrong", metric: metricSpend, factor: 8, channel: facebook, from: 256, to: 232},
	{what: "payment provider down", metric: metricRevenue, factor: 0.38, from: 284, to: 264},
	{what: "named on morning television", metric: metricRevenue, factor: 2.10, from: 530, to: 500},
}

// planAnomalies assigns each anomaly to an ordinary day in its window. A store with the option Quiet has no anomalies.
func (p *plan) planAnomalies() []anomaly {
	if p.opt.Quiet {
		return nil
	}
	var found []anomaly
	for _, a := range anomalySpecs {
		if p.opt.Days-1-a.from < pretest/2 {
			continue
		}
		r := p.stream("anomaly", a.what)
		for range 40 {
			a.day = p.opt.Days - 1 - whole(r, a.to, a.from)
			if ordinary(p.day(a.day)) {
				break
			}
		}
		found = append(found, a)
	}
	return found
}

// open returns the share of a day's expected orders that customers can place. The share is 1 on ordinary days and lower
// during an outage. On the last day, it is the share before noon.
func (p *plan) open(t int) float64 {
	part := p.dayShare(t)
	for _, a := range p.anomalies {
		if a.day == t && a.metric == metricRevenue && a.factor < 1 {
			part *= a.factor
		}
	}
	return part
}

// viral returns the factor by which demand without a media cause multiplies a day's revenue.
func (p *plan) viral(t int) float64 {
	for _, a := range p.anomalies {
		if a.day == t && a.metric == metricRevenue && a.factor > 1 {
			return a.factor
		}
	}
	return 1
}

// seen returns the share of a day's orders for which tracking works. The share is 1 except on the day of a tracking
// failure.
func (p *plan) seen(t int) float64 {
	for _, a := range p.anomalies {
		if a.day == t && a.metric == metricAttributed {
			return a.factor
		}
	}
	return 1
}

// weighSlips converts a spend anomaly of one channel to a factor of the store's total spend on that day.
func (p *plan) weighSlips(media []*medium) {
	for i, a := range p.anomalies {
		if a.metric != metricSpend {
			continue
		}
		all, extra := 0.0, 0.0
		for _, m := range media {
			all += m.spendOn(a.day)
			if m.channel == a.channel {
				extra = m.spendOn(a.day) * (1 - 1/a.factor)
			}
		}
		if all > extra {
			p.anomalies[i].factor = all / (all - extra)
		}
	}
}
