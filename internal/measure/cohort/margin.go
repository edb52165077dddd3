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
	FromCosts    MarginSource = "costs"           // every sale has costs
	PartlyCosted MarginSource = "costs_of_a_part" // sales without costs have the rate of the sales with costs
)

// Margins converts sales to gross margin.
type Margins struct {
	Source   MarginSource
	Rate     float64 // margin per unit of revenue, for sales without costs
	Coverage float64 // share of revenue with known costs
}

// leastCoverage is the minimum coverage for using the rate of the sales with costs for the other sales.
const leastCoverage = 0.5

// MarginsOf returns the rule for gross margin. Sales with costs use their costs. If at least half but not all of the
// revenue has costs, the other sales use the rate of the sales with costs. With less than half, the result is a
// not-ready fault. A rate is at most 1.
func MarginsOf(sales []Sale) (Margins, error) {
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
	coverage := 0.0
	if costed > 0 {
		coverage = costed / revenue
	}
	if coverage < leastCoverage {
		return Margins{}, fault.NotReady("costs cover only %.0f%% of revenue, which is not enough to estimate a margin", 100*coverage).
			WithHint("import the costs of products")
	}
	m := Margins{Source: PartlyCosted, Rate: (costed - cost) / costed, Coverage: coverage}
	if costed == revenue {
		m.Source = FromCosts
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
