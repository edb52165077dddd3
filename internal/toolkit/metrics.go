package toolkit

import (
	"assay/internal/answer"
	"assay/internal/snapshot"
)

// PerDay adds the changes per day of the figures that depend on the length of the window.
func (m *StoreMetrics) PerDay(days, daysBefore int) {
	m.Revenue.AddPerDay(days, daysBefore)
	m.Orders.AddPerDay(days, daysBefore)
	m.Spend.AddPerDay(days, daysBefore)
	m.Refunds.AddPerDay(days, daysBefore)
	m.NetRevenue.AddPerDay(days, daysBefore)
}

// StoreMetrics are the key figures of a window and of the window it is compared with.
type StoreMetrics struct {
	Revenue    answer.Metric[answer.Money] `json:"revenue"`
	Orders     answer.Metric[answer.Count] `json:"orders"`
	AOV        answer.Metric[answer.Money] `json:"aov"`
	Spend      answer.Metric[answer.Money] `json:"spend"`
	ROAS       answer.Metric[answer.Ratio] `json:"roas"`
	Refunds    answer.Metric[answer.Money] `json:"refunds"`
	NetRevenue answer.Metric[answer.Money] `json:"net_revenue"`
	// NewOrders is the number of first orders of customers.
	NewOrders *answer.Metric[answer.Count] `json:"new_orders,omitempty" detail:"analyst"`
}

// StoreMetricsOf returns the key figures of two windows.
func StoreMetricsOf(f answer.Figures, now, before snapshot.Total) StoreMetrics {
	return StoreMetrics{
		Revenue:    answer.MetricOf(f.Revenue(now.Sums), f.Revenue(before.Sums)),
		Orders:     answer.MetricOf(answer.Orders(now.Orders), answer.Orders(before.Orders)),
		AOV:        answer.MetricOfKnown(f.AOV(now.Sums), f.AOV(before.Sums)),
		Spend:      answer.MetricOfKnown(spendOf(f, now), spendOf(f, before)),
		ROAS:       answer.MetricOfKnown(RoasOf(f, now), RoasOf(f, before)),
		Refunds:    answer.MetricOf(f.Money(now.Refunds), f.Money(before.Refunds)),
		NetRevenue: answer.MetricOf(f.Money(f.Basis.NetRevenue(now.Sums)), f.Money(f.Basis.NetRevenue(before.Sums))),
		NewOrders:  new(answer.MetricOf(answer.Orders(now.NewOrders), answer.Orders(before.NewOrders))),
	}
}

// spendOf returns the spend, nil if unknown.
func spendOf(f answer.Figures, t snapshot.Total) *answer.Money {
	if !t.SpendKnown {
		return nil
	}
	return new(f.Money(t.Spend))
}

// RoasOf returns the ROAS, nil if revenue or spend is unknown.
func RoasOf(f answer.Figures, t snapshot.Total) *answer.Ratio {
	if !t.SpendKnown || t.RevenueUnknown {
		return nil
	}
	return f.ROAS(t.Sums, t.Spend)
}
