package cohort

import (
	"cmp"
	"slices"

	"assay/internal/civil"
	"assay/internal/fault"
)

// Purchase is one order.
type Purchase struct {
	Customer string
	Day      civil.Date
	Value    int64 // in minor units; 0 if values are not needed
}

// Buyer is a customer's purchase history with the mean value of the customer's repeat purchases.
type Buyer struct {
	Customer  string
	History   // in weeks
	FirstDay  civil.Date
	MeanSpend float64 // per repeat purchase, in minor units; 0 without repeats
}

// daysPerWeek converts days to the weeks of [Buyer].
const daysPerWeek = 7

// Buyers returns the histories of customers with a purchase up to the end of the calibration period (inclusive), sorted
// by customer. All purchases of a customer on one day are one purchase. Weeks are days / 7, not rounded. Purchases
// after the calibration period are ignored. Buyers rejects a purchase without a customer or a day, or with a negative
// value. The error names the index of the purchase.
func Buyers(purchases []Purchase, end civil.Date) ([]Buyer, error) {
	kept := make([]Purchase, 0, len(purchases))
	for i, p := range purchases {
		if p.Customer == "" || p.Day == (civil.Date{}) || p.Value < 0 {
			return nil, fault.Invalid("purchase %d has the customer %q, the day %s and the value %d; want a customer, a day and a value of at least 0", i, p.Customer, p.Day, p.Value)
		}
		if !p.Day.After(end) {
			kept = append(kept, p)
		}
	}
	slices.SortFunc(kept, func(a, b Purchase) int {
		return cmp.Or(cmp.Compare(a.Customer, b.Customer), a.Day.Compare(b.Day))
	})
	var buyers []Buyer
	for from := 0; from < len(kept); {
		to := from
		for to < len(kept) && kept[to].Customer == kept[from].Customer {
			to++
		}
		buyers = append(buyers, buyerOf(kept[from:to], end))
		from = to
	}
	return buyers, nil
}

// buyerOf returns the history of one customer, given the customer's purchases sorted by day.
func buyerOf(purchases []Purchase, end civil.Date) Buyer {
	first := purchases[0]
	b := Buyer{Customer: first.Customer, FirstDay: first.Day}
	last, spent := first.Day, int64(0)
	for _, p := range purchases {
		if p.Day == first.Day {
			continue
		}
		if p.Day != last {
			b.Repeats++
		}
		last = p.Day
		spent += p.Value
	}
	b.Recency = float64(last.Sub(first.Day)) / daysPerWeek
	b.Age = float64(end.Sub(first.Day)) / daysPerWeek
	if b.Repeats > 0 {
		b.MeanSpend = float64(spent) / float64(b.Repeats)
	}
	return b
}
