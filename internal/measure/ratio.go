package measure

// ROAS returns the revenue per unit of spend, both in minor units. Without spend there is none.
func ROAS(revenue, spend int64) (roas float64, ok bool) {
	return quotient(float64(revenue), float64(spend))
}

// AOV returns the average order value in minor units, for orders in millionths. Without orders there is none.
func AOV(revenue, orders int64) (aov float64, ok bool) {
	return quotient(float64(revenue), float64(orders)/Millionths)
}

// CPA returns what one order or conversion costs in minor units, for conversions in millionths. Without conversions
// there is no cost of one.
func CPA(spend, conversions int64) (cpa float64, ok bool) {
	return quotient(float64(spend), float64(conversions)/Millionths)
}

// ROI returns what remains of revenue per unit of cost after the cost: 0 where it comes back exactly, -1 where nothing
// does. Costs of goods are not part of it. Without cost there is none.
func ROI(revenue, cost int64) (roi float64, ok bool) {
	return quotient(float64(revenue-cost), float64(cost))
}

// Share returns part as a percentage of whole.
func Share(part, whole int64) (percent float64, ok bool) {
	q, ok := quotient(float64(part), float64(whole))
	return 100 * q, ok
}

// Change returns by how many percent value lies above previous. Against nothing, or less than nothing, a change has
// no percentage.
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
