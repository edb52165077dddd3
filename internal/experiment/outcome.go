package experiment

import (
	"maps"
	"math"
	"slices"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// unmoved is the surface without an effect of ads: resellers order by contract, and their large orders are noise.
const unmoved = measure.Wholesale

// leastDispersion is the minimum ratio of variance to mean of daily orders for treating rows as single purchases. The
// ratio is at least 1 for independent purchases (Poisson), and 0 for daily totals that are imported as one order.
const leastDispersion = 0.5

// outcomeOf returns the outcome of an experiment in whole units of the currency, excluding wholesale orders. The
// outcome is orders by region and day times the mean value of the treated regions' orders. The number of orders varies
// less than revenue, so the interval is narrower. The outcome does not include an effect on the value of an order. If
// rows are not single purchases, the outcome is revenue.
func outcomeOf(e control.Experiment, days []civil.Date, sold []warehouse.SurfaceRegionDay, currency money.Currency) table {
	orders, revenue := newTable(days), newTable(days)
	var treated, charged float64
	for _, d := range sold {
		if d.Surface == unmoved {
			continue
		}
		orders.put(d.Region, d.Day, float64(d.Orders))
		revenue.add(d.Region, d.Day, d.Charged, currency)
		if slices.Contains(e.Treated, d.Region) {
			treated, charged = treated+float64(d.Orders), charged+money.Major(d.Charged, currency)
		}
	}
	if orders.dispersion() < leastDispersion {
		return revenue
	}
	for _, values := range orders.values {
		for day := range values {
			values[day] *= charged / math.Max(1, treated)
		}
	}
	return orders
}

// dispersion returns the variance of a day's value relative to the mean daily value, over all regions.
func (t table) dispersion() float64 {
	var sum, squares float64
	for _, region := range slices.Sorted(maps.Keys(t.values)) {
		values, mean := t.values[region], 0.0
		for _, day := range t.days {
			mean += values[day] / float64(len(t.days))
		}
		sum += mean
		for _, day := range t.days {
			squares += (values[day] - mean) * (values[day] - mean) / float64(max(1, len(t.days)-1))
		}
	}
	if sum == 0 {
		return 0
	}
	return squares / sum
}

// relateTo changes the lift from a share of expected orders to a share of expected revenue, including wholesale. The
// parameter observed is the revenue of the treated regions during the test.
func (f *Finding) relateTo(observed float64) {
	expected := observed - f.Incremental
	if !f.LiftKnown || f.Lift == 0 || !(expected > 0) {
		return
	}
	share := f.Incremental / expected / f.Lift
	f.Lift *= share
	if l := f.LiftEstimate; l != nil {
		l.Value, l.Low, l.High = l.Value*share, l.Low*share, l.High*share
	}
}
