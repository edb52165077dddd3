package demostore

import (
	"assay/internal/ingest/demo"
	"assay/internal/measure"
	"assay/internal/money"
)

// costs returns the demo's payment fees and shipping cost. One product in eight has no unit cost.
func costs() []measure.CostRule {
	amount := func(minor int64) money.Amount { return money.Amount{Minor: minor, Currency: demo.StoreCurrency} }
	return []measure.CostRule{
		{Kind: measure.PaymentFee, Share: 29_000, Fixed: amount(30)},
		{Kind: measure.Shipping, Fixed: amount(480)},
	}
}
