package cohort

import (
	"math"

	"assay/internal/fault"
)

// Sale is an order with its costs, in minor units.
type Sale struct {
	Revenue   int64 // without tax
	Cost      int64 // cost of goods and other costs of the order
	CostKnown bool
}

// MarginSource is the basis of a margin.
type MarginSource string

// The sources.
const (
	FromCosts     MarginSource = "costs"           // every sale has costs
	PartlyCosted  MarginSource = "costs_of_a_part" // sales without costs have the rate of the sales with costs
	FromAssumed   MarginSource = "assumed_rate"    // no sale has costs
	leastCoverage              = 0.5               // minimum coverage for using the rate of the sales with costs
)

// Margins converts sales to gross margin.
type Margins struct {
	Source   MarginSource
	Rate     float64 // margin per unit of revenue, for sales without costs
	Coverage float64 // share of revenue with known costs
}

// MarginsOf returns the rule for gross margin. Sales with costs use their costs. If at least half but not all of the
// revenue has costs, the other sales use the rate of the sales with costs. With less than half, the other sales use the
// assumed rate. If the assumed rate is then 0 (unknown), the result is a not-ready fault. A rate is at most 1.
func MarginsOf(sales []Sale, assumed float64) (Margins, error) {
	if math.IsNaN(assumed) || assumed < 0 || assumed > 1 {
		return Margins{}, fault.Invalid("assumed margin is %v, want a fraction of revenue", assumed)
	}
	var revenue, costed, cost float64
	for i, s := range sales {
		if s.Revenue < 0 || s.CostKnown && s.Cost < 0 {
			return Margins{}, fault.Invalid("sale %d: revenue %d, cost %d; want amounts of at least 0", i, s.Revenue, s.Cost)
		}
		revenue += float64(s.Revenue)
		if s.CostKnown {
			costed += float64(s.Revenue)
			cost += float64(s.Cost)
		}
	}
	m := Margins{Source: FromAssumed, Rate: assumed}
	if costed > 0 {
		m.Coverage = costed / revenue
	}
	switch {
	case costed > 0 && costed == revenue:
		m.Source, m.Rate = FromCosts, (costed-cost)/costed
	case m.Coverage >= leastCoverage:
		m.Source, m.Rate = PartlyCosted, (costed-cost)/costed
	case assumed == 0:
		return Margins{}, fault.NotReady("costs cover only %.0f%% of revenue, which is not enough to estimate a margin", 100*m.Coverage).
			WithHint("import the costs of products, or set a margin for the store")
	}
	return m, nil
}

// Of returns the gross margin of a sale in minor units.
func (m Margins) Of(s Sale) int64 {
	if s.CostKnown {
		return s.Revenue - s.Cost
	}
	return int64(math.Round(float64(s.Revenue) * m.Rate))
}
