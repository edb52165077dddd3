package snapshot

import (
	"math"
	"testing"

	"assay/internal/warehouse"
)

func TestAChangeOfSalesHasPartsByUnitsPricesAndDiscounts(t *testing.T) {
	t.Parallel()
	usual := warehouse.ProductSpan{Units: 10, Net: 100_00}
	for name, c := range map[string]struct {
		before, after warehouse.ProductSpan
		want          [3]float64 // units, list prices, discounts
	}{
		"no change":                    {usual, usual, [3]float64{}},
		"more units":                   {usual, warehouse.ProductSpan{Units: 15, Net: 150_00}, [3]float64{50_00, 0, 0}},
		"a higher price":               {usual, warehouse.ProductSpan{Units: 10, Net: 120_00}, [3]float64{0, 20_00, 0}},
		"a discount":                   {usual, warehouse.ProductSpan{Units: 10, Net: 75_00, Discount: 25_00}, [3]float64{0, 0, -25_00}},
		"a new product":                {warehouse.ProductSpan{}, usual, [3]float64{100_00, 0, 0}},
		"a product without sales":      {usual, warehouse.ProductSpan{}, [3]float64{-100_00, 0, 0}},
		"an amount without units":      {usual, warehouse.ProductSpan{Net: 5_00}, [3]float64{-95_00, 0, 0}},
		"an earlier one without units": {warehouse.ProductSpan{Net: 5_00}, usual, [3]float64{95_00, 0, 0}},
		"a free product":               {usual, warehouse.ProductSpan{Units: 10}, [3]float64{-100_00, 0, 0}},
		"an earlier free product":      {warehouse.ProductSpan{Units: 10}, usual, [3]float64{100_00, 0, 0}},
		"a full discount":              {usual, warehouse.ProductSpan{Units: 10, Discount: 100_00}, [3]float64{0, 0, -100_00}},
		"one unit":                     {warehouse.ProductSpan{Units: 1, Net: 1}, warehouse.ProductSpan{Units: 1, Net: 2}, [3]float64{0, 1, 0}},
		"returns":                      {usual, warehouse.ProductSpan{Units: -1, Net: -10_00}, [3]float64{-110_00, 0, 0}},
		"earlier returns":              {warehouse.ProductSpan{Units: -1, Net: -10_00}, usual, [3]float64{110_00, 0, 0}},
	} {
		got := priceParts(c.before, c.after)
		for i := range got {
			if !(math.Abs(got[i]-c.want[i]) < 1e-6) { // also false for NaN
				t.Errorf("%s: parts %v, want %v", name, got, c.want)
				break
			}
		}
	}
}
