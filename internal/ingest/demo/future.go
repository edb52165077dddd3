package demo

import (
	"slices"

	"assay/internal/warehouse"
)

// future simulates today as a whole day and the days after it. The simulation continues from the store's last order, so
// all orders of the store must already be simulated. The simulated orders are not part of the store.
func (p *plan) future(sold *sales) []DayTruth {
	if p.opt.Future == 0 {
		return nil
	}
	today, next := p.opt.Days-1, p.ahead()
	sold.p, sold.out = next, &feed{sink: func(*warehouse.Batch) error { return nil }}
	arrivals := p.stream("ahead", "arrivals")
	var days []DayTruth
	for t := today; t < next.span; t++ {
		mean := 0.0
		for s := range next.base {
			mean += next.expectedOn(s, t)
		}
		orders, charged := sold.today.orders, sold.today.charged
		if t == today {
			mean *= 1 - noonShare()
		} else {
			_, onSale := saleOn(next.day(t))
			sold.shoppers.open(t, onSale)
			orders, charged = 0, 0
		}
		more := sold.volume(t, int(count(arrivals, mean)))
		spend := 0.0
		for _, m := range next.media {
			spend += m.spendOn(t)
		}
		days = append(days, DayTruth{
			Date: next.day(t), Orders: orders + more.orders, Revenue: rounded(float64(charged+more.charged)/p.unit, 2), Spend: rounded(spend/p.unit, 2),
		})
	}
	return days
}

// volume is a number of orders that are neither canceled nor tests, with the amount charged for these orders.
type volume struct {
	orders  int
	charged int64
}

// volume places n orders on a day, after the store's last order. It returns their number and the amount charged,
// without canceled and test orders.
func (s *sales) volume(t, n int) volume {
	var all volume
	for _, v := range s.visits(t, n) {
		v.who, v.isNew = s.shoppers.serve(v.cause)
		o := s.fill(v)
		if v.cancelled || v.test {
			continue
		}
		if v.who >= 0 {
			s.shoppers.after(v.who, v.surface, v.day)
		}
		all.orders++
		all.charged += o.Charged
	}
	return all
}

// ahead returns a copy of the plan that includes the whole of today and the days after today. The copy uses the
// response curves and levels of the store.
func (p *plan) ahead() *plan {
	next := *p
	next.span, next.whole = p.opt.Days+p.opt.Future, true
	next.creators = next.planCreators()
	next.media = nil
	for _, m := range p.media {
		next.media = append(next.media, m.ahead(&next))
	}
	next.base = next.baseShapes()
	for _, days := range next.base {
		scale(days, next.baseLevel)
	}
	return &next
}

// ahead continues the channel's spend and its effect. Starting today, the spend is national, without regional
// differences.
func (m *medium) ahead(p *plan) *medium {
	next, today := *m, p.opt.Days-1
	spend := p.booked(m.mediumSpec)
	if m.channel == influencer {
		spend = p.creatorSpend()
	}
	next.national = slices.Concat(m.national[:today], spend[today:])
	next.regional = nil
	for _, days := range m.regional {
		next.regional = append(next.regional, slices.Concat(days[:today], make([]float64, p.span-today)))
	}
	next.orders, next.byState = next.responses(p, 1)
	next.scaleResponse()
	return &next
}
