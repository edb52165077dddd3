package demo

import (
	"assay/internal/measure"
)

// The metrics an anomaly can be seen in. The first two are the wire's names.
const (
	metricRevenue    = "revenue"
	metricSpend      = "spend"
	metricAttributed = "attributed_orders"
)

// anomaly is a day on which something happened that the calendar does not know.
type anomaly struct {
	what    string
	metric  string
	factor  float64
	channel measure.Channel // whose spend slipped
	day     int
	from    int // days before today, the earliest and
	to      int // the latest
}

// anomalySpecs lists what happens to every store that is old enough.
var anomalySpecs = []anomaly{
	{what: "order system down", metric: metricRevenue, factor: 0.30, from: 26, to: 16},
	{what: "viral video", metric: metricRevenue, factor: 2.20, from: 58, to: 44},
	{what: "tracking script broken", metric: metricAttributed, factor: 0.10, from: 84, to: 70},
	{what: "daily budget typed wrong", metric: metricSpend, factor: 8, channel: facebook, from: 256, to: 232},
	{what: "payment provider down", metric: metricRevenue, factor: 0.38, from: 284, to: 264},
	{what: "named on morning television", metric: metricRevenue, factor: 2.10, from: 530, to: 500},
}

// planAnomalies gives each anomaly an ordinary day in its window. A quiet store has none.
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

// open is the part of a day's expected orders that can be placed, whatever brought them: 1, less on a day with
// an outage, and the part before noon on the last day.
func (p *plan) open(t int) float64 {
	part := p.dayShare(t)
	for _, a := range p.anomalies {
		if a.day == t && a.metric == metricRevenue && a.factor < 1 {
			part *= a.factor
		}
	}
	return part
}

// viral is the factor on all of a day's revenue that demand beyond media makes up.
func (p *plan) viral(t int) float64 {
	for _, a := range p.anomalies {
		if a.day == t && a.metric == metricRevenue && a.factor > 1 {
			return a.factor
		}
	}
	return 1
}

// seen is the part of the orders of a day whose source is recorded as usual.
func (p *plan) seen(t int) float64 {
	for _, a := range p.anomalies {
		if a.day == t && a.metric == metricAttributed {
			return a.factor
		}
	}
	return 1
}

// weighSlips restates a slip of one channel's budget as the factor on the store's spend of that day.
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
