package tools

import (
	"encoding/json"

	"assay/internal/measure"
)

// Metric is a key figure beside its value in the equally long window before.
type Metric[T ~float64] struct {
	Value     *T       `json:"value"`
	Previous  *T       `json:"previous"`
	ChangePct *Percent `json:"change_pct"`
	// PerDay is the change of the figure per day. It is there when the two windows differ in length.
	PerDay *Percent `json:"change_pct_per_day,omitempty"`
}

// JSONSchema says that a figure which does not exist is null: an average order value without orders, a change against
// nothing.
func (Metric[T]) JSONSchema() json.RawMessage {
	const figure = `{"type":["number","null"]}`
	return json.RawMessage(`{"type":"object","properties":{"value":` + figure + `,"previous":` + figure + `,"change_pct":` + figure +
		`,"change_pct_per_day":` + figure + `},"required":["value","previous","change_pct"]}`)
}

// metricOf compares two sums.
func metricOf[T ~float64](value, previous T) Metric[T] {
	return Metric[T]{Value: &value, Previous: &previous, ChangePct: percent(measure.Change(float64(value), float64(previous)))}
}

// metricOfKnown compares two figures that may not exist or not be known.
func metricOfKnown[T ~float64](value, previous *T) Metric[T] {
	m := Metric[T]{Value: value, Previous: previous}
	if value != nil && previous != nil {
		m.ChangePct = percent(measure.Change(float64(*value), float64(*previous)))
	}
	return m
}

// where leaves out the values of windows for which the figure is not known.
func (m Metric[T]) where(known, previousKnown bool) Metric[T] {
	if !known {
		m.Value, m.ChangePct, m.PerDay = nil, nil, nil
	}
	if !previousKnown {
		m.Previous, m.ChangePct, m.PerDay = nil, nil, nil
	}
	return m
}

// storeTotal is what the whole store, or one channel, took and spent in a window.
type storeTotal struct {
	measure.Sums
	spend      int64
	spendKnown bool // a report or an entry covers a day of the window
	untold     bool // of a channel: no order says where it came from
}

// storeMetrics are the key figures of a window beside those of the window it is compared with.
type storeMetrics struct {
	Revenue    Metric[Money] `json:"revenue"`
	Orders     Metric[Count] `json:"orders"`
	AOV        Metric[Money] `json:"aov"`
	Spend      Metric[Money] `json:"spend"`
	ROAS       Metric[Ratio] `json:"roas"`
	Refunds    Metric[Money] `json:"refunds"`
	NetRevenue Metric[Money] `json:"net_revenue"`
	// NewOrders counts orders by customers who never ordered before.
	NewOrders *Metric[Count] `json:"new_orders,omitempty" detail:"analyst"`
}

func (f figures) storeMetrics(now, before storeTotal) storeMetrics {
	return storeMetrics{
		Revenue:    metricOf(f.revenue(now.Sums), f.revenue(before.Sums)),
		Orders:     metricOf(orders(now.Orders), orders(before.Orders)),
		AOV:        metricOfKnown(f.aov(now.Sums), f.aov(before.Sums)),
		Spend:      metricOfKnown(f.spend(now), f.spend(before)),
		ROAS:       metricOfKnown(f.totalROAS(now), f.totalROAS(before)),
		Refunds:    metricOf(f.money(now.Refunds), f.money(before.Refunds)),
		NetRevenue: metricOf(f.money(f.basis.NetRevenue(now.Sums)), f.money(f.basis.NetRevenue(before.Sums))),
		NewOrders:  new(metricOf(orders(now.NewOrders), orders(before.NewOrders))),
	}
}

func (f figures) aov(s measure.Sums) *Money {
	return f.perMinor(measure.AOV(f.basis.Revenue(s), s.Orders))
}

// spend returns what was spent, nil when that is not known.
func (f figures) spend(t storeTotal) *Money {
	if !t.spendKnown {
		return nil
	}
	return new(f.money(t.spend))
}

// totalROAS returns revenue per unit of spend, nil when either is not known.
func (f figures) totalROAS(t storeTotal) *Ratio {
	if !t.spendKnown || t.untold {
		return nil
	}
	return f.roas(t.Sums, t.spend)
}

func (f figures) roas(s measure.Sums, spend int64) *Ratio {
	return ratio(measure.ROAS(f.basis.Revenue(s), spend))
}
