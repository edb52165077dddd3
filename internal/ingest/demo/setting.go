package demo

import (
	"math"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// ambition is the ratio of targets to expected sales.
const ambition = 1.04

// emitTargets writes revenue and order targets of the store by day, week, month and quarter. It also writes monthly
// spend targets of the two largest channels. Daily targets start 60 days ago and all other targets a year ago. All
// targets end with the current quarter.
func (p *plan) emitTargets(out *feed) {
	goals := targets{out: out, orders: p.expectedSales()}
	quarter := quarterOf(p.opt.Today)
	end := civil.New(quarter.Year(), quarter.Month()+3, 1).AddDays(-1)
	first := p.first
	if year := p.opt.Today.AddDays(-365); year.After(first) {
		first = year
	}
	for d := p.opt.Today.AddDays(-60); !d.After(end); d = d.AddDays(1) {
		if !d.Before(first) {
			goals.add("daily", civil.Range{First: d, Last: d})
		}
	}
	for d := civil.ByWeek.Start(first); !d.After(end); d = d.AddDays(7) {
		goals.add("weekly", civil.Range{First: d, Last: d.AddDays(6)})
	}
	for d := civil.ByMonth.Start(first); !d.After(end); d = civil.ByMonth.Next(d) {
		month := civil.Range{First: d, Last: civil.ByMonth.Next(d).AddDays(-1)}
		goals.add("monthly", month)
		goals.addSpend(month)
	}
	for d := quarterOf(first); !d.After(end); d = civil.New(d.Year(), d.Month()+3, 1) {
		goals.add("quarterly", civil.Range{First: d, Last: civil.New(d.Year(), d.Month()+3, 1).AddDays(-1)})
	}
}

func quarterOf(d civil.Date) civil.Date { return civil.New(d.Year(), (d.Month()-1)/3*3+1, 1) }

// expectedSales returns a function that returns the target for orders on any day. The targets follow the demand of the
// online store. Over the store's days, they add up to [ambition] times the store's orders.
func (p *plan) expectedSales() func(civil.Date) float64 {
	level := ambition * float64(p.opt.Orders) / sum(p.demand[online])
	return func(d civil.Date) float64 { return level * p.demandOn(online, d) }
}

// targets writes the targets of a store.
type targets struct {
	out    *feed
	orders func(civil.Date) float64 // target of a day
}

func (g targets) add(period string, days civil.Range) {
	orders := g.over(days)
	g.out.batch.Targets = append(g.out.batch.Targets,
		warehouse.Target{Metric: "revenue", Period: period, Start: days.First, Value: roundGoal(orders * nominalOrderValue)},
		warehouse.Target{Metric: "orders", Period: period, Start: days.First, Value: math.Round(orders)},
	)
	g.out.added(2)
}

func (g targets) addSpend(month civil.Range) {
	for _, c := range []measure.Channel{facebook, google} {
		spend := g.over(month) * nominalOrderValue * spendShare * mediaSpecs[mediumAt(c)].share
		g.out.batch.Targets = append(g.out.batch.Targets, warehouse.Target{
			Metric: "spend", Period: "monthly", Start: month.First, Channel: c, Value: roundGoal(spend),
		})
		g.out.added(1)
	}
}

// over returns the expected orders of a period.
func (g targets) over(days civil.Range) float64 {
	total := 0.0
	for d := days.First; !d.After(days.Last); d = d.AddDays(1) {
		total += g.orders(d)
	}
	return total
}

// roundGoal rounds a target to half a unit of the second digit: 1,234 becomes 1,250.
func roundGoal(x float64) float64 {
	if x <= 0 {
		return 0
	}
	step := math.Pow10(int(math.Floor(math.Log10(x)))-1) / 2
	return math.Round(x/step) * step
}

// conversionRate is the share of the online store's sessions with an order.
const conversionRate = 0.027

// emitRegions writes sessions and population of every state by day.
func (p *plan) emitRegions(out *feed) {
	r := p.stream("traffic")
	for t := range p.opt.Days {
		own := p.base[online][t]
		for i, s := range states {
			orders := own * p.places.own[i]
			for _, m := range p.media {
				if m.byState != nil {
					orders += m.reach[online] * m.byState[i][t]
				} else {
					orders += m.reach[online] * m.orders[t] * p.places.people[i]
				}
			}
			out.batch.RegionDays = append(out.batch.RegionDays, warehouse.RegionDay{
				Source: sourceTraffic, Day: p.day(t), Country: country, Region: s.code,
				Sessions: count(r, orders/conversionRate*scatter(r, 0.08)), Population: 1000 * s.population,
			})
			out.added(1)
		}
	}
}
