package shopify

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/warehouse"
)

func TestOrderDiscountIsSpreadOverTheLines(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name               string
		nets               []int64
		subtotal, discount int64
		want               []int64
	}{
		{"ten off in proportion", []int64{10000, 11000}, 20000, 1000, []int64{9524, 10476}},
		{"cents that do not divide", []int64{100, 100, 100}, 200, 100, []int64{67, 67, 66}},
		{"no discount", []int64{100, 250}, 350, 0, []int64{100, 250}},
		{"everything off", []int64{100, 250}, 0, 350, []int64{0, 0}},
		{"an export without subtotals", []int64{100, 250}, 0, 0, []int64{100, 250}},
		{"a subtotal above the lines", []int64{100}, 120, 0, []int64{100}},
		{"large amounts", []int64{900_000_000_000_000, 100_000_000_000_000}, 500_000_000_000_000, 500_000_000_000_000, []int64{450_000_000_000_000, 50_000_000_000_000}},
	}
	for _, c := range cases {
		var lines []warehouse.OrderLine
		for _, net := range c.nets {
			lines = append(lines, warehouse.OrderLine{Net: net})
		}
		spreadDiscount(lines, c.subtotal, c.discount)
		var got []int64
		for i, l := range lines {
			got = append(got, l.Net)
			if l.Net+l.Discount != c.nets[i] {
				t.Errorf("%s: line %d is %d after %d off, was %d", c.name, i, l.Net, l.Discount, c.nets[i])
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
