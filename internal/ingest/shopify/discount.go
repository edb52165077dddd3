package shopify

import (
	"math/bits"

	"assay/internal/warehouse"
)

// spreadDiscount subtracts an order-level discount from the lines, in proportion to their prices. The export includes
// this discount only in the order's subtotal, so product revenue would otherwise be too high. The lines then add up to
// the subtotal exactly.
func spreadDiscount(lines []warehouse.OrderLine, subtotal, discount int64) {
	var net int64
	for _, l := range lines {
		if l.Net < 0 {
			return
		}
		net += l.Net
	}
	off := net - subtotal
	noSubtotal := subtotal == 0 && discount < net // an older export without subtotals
	if off <= 0 || subtotal < 0 || noSubtotal {
		return
	}
	var reached, taken int64
	for i := range lines {
		reached += lines[i].Net
		upTo := portion(off, reached, net)
		lines[i].Net -= upTo - taken
		lines[i].Discount += upTo - taken
		taken = upTo
	}
}

// portion returns amount · part / whole, rounded down. It requires 0 ≤ part ≤ whole and amount ≤ whole.
func portion(amount, part, whole int64) int64 {
	if part == whole {
		return amount
	}
	high, low := bits.Mul64(uint64(amount), uint64(part))
	quotient, _ := bits.Div64(high, low, uint64(whole))
	return int64(quotient)
}
