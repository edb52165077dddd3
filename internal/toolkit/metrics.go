package toolkit

import (
	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/snapshot"
)

// PerDay adds the change per day to the figures that depend on the length of the window.
func (m *StoreMetrics) PerDay(days, daysBefore int) {
	m.Revenue.AddPerDay(days, daysBefore)
	m.Orders.AddPerDay(days, daysBefore)
	m.Spend.AddPerDay(days, daysBefore)
	if m.Refunds != nil && m.NetRevenue != nil {
		m.Refunds.AddPerDay(days, daysBefore)
		m.NetRevenue.AddPerDay(days, daysBefore)
	}
	for _, profit := range []*answer.Metric[answer.Money]{m.Contribution, m.AfterSpend} {
		if profit != nil {
			profit.AddPerDay(days, daysBefore)
		}
	}
}

// StoreMetrics are the key figures of a window and of the window it is compared with.
type StoreMetrics struct {
	Revenue    answer.Metric[answer.Money]  `json:"revenue"`
	Orders     answer.Metric[answer.Count]  `json:"orders"`
	AOV        answer.Metric[answer.Money]  `json:"aov"`
	Spend      answer.Metric[answer.Money]  `json:"spend"`
	ROAS       answer.Metric[answer.Ratio]  `json:"roas"`
	Refunds    *answer.Metric[answer.Money] `json:"refunds,omitempty" doc:"Absent for platform-reported revenue: platforms report no refunds."`
	NetRevenue *answer.Metric[answer.Money] `json:"net_revenue,omitempty"`
	NewOrders  *answer.Metric[answer.Count] `json:"new_orders,omitempty" detail:"analyst" doc:"First orders of known customers."`
	ProfitMetrics
}

// Claimed removes the figures that ad platforms do not report. Unless reports cover the whole earlier window, it also
// removes the platform-reported figures of that window.
func (m *StoreMetrics) Claimed(reportedBefore bool) {
	m.Refunds, m.NetRevenue, m.NewOrders = nil, nil, nil
	m.Revenue, m.Orders, m.AOV = m.Revenue.Where(true, reportedBefore), m.Orders.Where(true, reportedBefore), m.AOV.Where(true, reportedBefore)
}

// StoreMetrics returns the key figures of two windows. Figures of an earlier window that starts before the store's
// first data are unknown.
func (c *Call) StoreMetrics(now, before snapshot.Total, earlier civil.Range) StoreMetrics {
	f := c.Figures
	sold, spent := c.Store.Covers(earlier, snapshot.FromOrders), c.Store.Covers(earlier, snapshot.FromAds, snapshot.FromSpend)
	return StoreMetrics{
		Revenue:    answer.MetricOf(f.Revenue(now.Sums), f.Revenue(before.Sums)).Where(true, sold),
		Orders:     answer.MetricOf(answer.Orders(now.Orders), answer.Orders(before.Orders)).Where(true, sold),
		AOV:        answer.MetricOfKnown(f.AOV(now.Sums), f.AOV(before.Sums)).Where(true, sold),
		Spend:      answer.MetricOfKnown(spendOf(f, now), spendOf(f, before)).Where(true, spent),
		ROAS:       answer.MetricOfKnown(RoasOf(f, now), RoasOf(f, before)).Where(true, sold && spent),
		Refunds:    new(answer.MetricOf(f.Money(now.Refunds), f.Money(before.Refunds)).Where(true, sold)),
		NetRevenue: new(answer.MetricOf(f.Money(f.Basis.NetRevenue(now.Sums)), f.Money(f.Basis.NetRevenue(before.Sums))).Where(true, sold)),
		NewOrders:  new(answer.MetricOf(answer.Orders(now.NewOrders), answer.Orders(before.NewOrders)).Where(true, sold)),
	}
}

// spendOf returns the spend, or nil if it is unknown.
func spendOf(f answer.Figures, t snapshot.Total) *answer.Money {
	if !t.SpendKnown {
		return nil
	}
	return new(f.Money(t.Spend))
}

// RoasOf returns the ROAS, or nil if revenue or spend is unknown.
func RoasOf(f answer.Figures, t snapshot.Total) *answer.Ratio {
	if !t.SpendKnown || t.RevenueUnknown {
		return nil
	}
	return f.ROAS(t.Sums, t.Spend)
}
