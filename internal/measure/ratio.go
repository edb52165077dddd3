package measure

// ROAS returns the revenue per unit of spend, both in minor units. Without spend, ROAS is not defined.
func ROAS(revenue, spend int64) (roas float64, ok bool) {
	return quotient(float64(revenue), float64(spend))
}

// AOV returns the average order value in minor units, for orders in millionths. Without orders, AOV is not defined.
func AOV(revenue, orders int64) (aov float64, ok bool) {
	return quotient(float64(revenue), float64(orders)/Millionths)
}

// CPA returns the cost per order or conversion in minor units, for conversions in millionths. Without conversions, CPA
// is not defined.
func CPA(spend, conversions int64) (cpa float64, ok bool) {
	return quotient(float64(spend), float64(conversions)/Millionths)
}

// ROI returns (revenue - cost) / cost. Cost of goods is not included. Without cost, ROI is not defined.
func ROI(revenue, cost int64) (roi float64, ok bool) {
	return quotient(float64(revenue-cost), float64(cost))
}

// Share returns part as a percentage of whole.
func Share(part, whole int64) (percent float64, ok bool) {
	q, ok := quotient(float64(part), float64(whole))
	return 100 * q, ok
}

// Change returns the percentage change from previous to value. The change is not defined for a previous value of zero
// or below.
func Change(value, previous float64) (percent float64, ok bool) {
	q, ok := quotient(value-previous, previous)
	return 100 * q, ok
}

func quotient(a, b float64) (float64, bool) {
	if b <= 0 {
		return 0, false
	}
	return a / b, true
}
