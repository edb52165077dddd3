package source

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
)

func scattered() *Orders {
	return NewOrders(Options{
		Base: "USD", Zone: time.UTC, Notes: &Notes{}, Scattered: true, Rates: fixed{"2026-09-03 EURUSD": "1.10"},
	})
}

func checkTotals(t *testing.T, got, want Totals) {
	t.Helper()
	for _, sums := range []map[money.Currency]int64{got.Charged, got.Refunded, got.Spend} {
		for c, sum := range sums {
			if sum == 0 {
				delete(sums, c)
			}
		}
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.EquateComparable(civil.Date{})); diff != "" {
		t.Errorf("totals (-want +got):\n%s", diff)
	}
}

func september(day int) civil.Date { return civil.New(2026, time.September, day) }

// Totals exclude test and canceled orders. A later version of an order replaces the earlier one.
func TestTotalsCountEachOrderOnce(t *testing.T) {
	t.Parallel()
	orders := scattered()
	var b warehouse.Batch
	add := func(key string, content uint64, change func(*Sale)) {
		s := saleOf(key, content)
		if change != nil {
			change(s)
		}
		if err := orders.Add(s, &b); err != nil {
			t.Errorf("order %s: %v", key, err)
		}
	}
	add("1", 1, nil)
	add("2", 1, func(s *Sale) { s.Order.Test, s.Order.Cancelled = true, true })
	add("3", 1, func(s *Sale) { s.Order.Cancelled = true })
	add("4", 1, func(s *Sale) {
		s.Currency, s.Order.Tax, s.Order.Shipping, s.Order.Discounts = "EUR", 10, 20, 30
		s.Refunds = []warehouse.Refund{{Refund: "a", Amount: 40, At: s.Order.At.AddDate(0, 0, 1)}, {Refund: "b", Amount: 50, DateUnknown: true}}
		s.Lines = []warehouse.OrderLine{{Quantity: 2, Net: 60, Discount: 70, Cost: 80}, {Quantity: 3, Net: 10}}
		s.Coupons = []warehouse.OrderCoupon{{Code: "A", Discount: 90}}
	})
	add("1", 1, nil) // word for word
	add("5", 1, func(s *Sale) { s.Order.At = s.Order.At.AddDate(0, 0, -2) })
	checkTotals(t, orders.Totals, Totals{
		Orders: 3, Cancelled: 1, Tests: 1, Refunds: 2, Repeated: 1, Charged: map[money.Currency]int64{"USD": 200, "EUR": 100},
		Refunded: map[money.Currency]int64{"EUR": 90}, Days: civil.Range{First: september(1), Last: september(3)},
	})
	add("5", 2, func(s *Sale) { s.Order.Charged = 30 })
	add("3", 2, nil)
	checkTotals(t, orders.Totals, Totals{
		Orders: 4, Tests: 1, Refunds: 2, Repeated: 1, Charged: map[money.Currency]int64{"USD": 230, "EUR": 100},
		Refunded: map[money.Currency]int64{"EUR": 90}, Days: civil.Range{First: september(1), Last: september(3)},
	})
	if n := len(b.Orders); n != 7 {
		t.Errorf("%d orders are handed over, want all but the copy", n)
	}
	o := b.Orders[3]
	if o.Charged != 110 || o.Tax != 11 || o.Shipping != 22 || o.Discounts != 33 || o.Units != 5 || o.Original != (money.Amount{Minor: 100, Currency: "EUR"}) {
		t.Errorf("order 4 is %+v", o)
	}
	if l := b.Lines; len(l) != 2 || l[0].Line != 1 || l[1].Line != 2 || l[0].Key != "4" || l[0].Net != 66 || l[0].Discount != 77 || l[0].Cost != 88 {
		t.Errorf("lines %+v", l)
	}
	if r := b.Refunds; len(r) != 2 || r[0].Key != "4" || r[0].Amount != 44 || r[0].Day != september(4) || r[1].Amount != 55 || r[1].Day != september(3) || r[1].At != o.At {
		t.Errorf("refunds %+v", r)
	}
	if c := b.Coupons; len(c) != 1 || c[0].Key != "4" || c[0].Discount != 99 {
		t.Errorf("coupons %+v", c)
	}
	var codes []string
	for _, n := range orders.options.Notes.List() {
		codes = append(codes, n.Code)
	}
	if diff := cmp.Diff([]string{"currency_converted", "orders_twice"}, codes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

func TestOrdersInTheWorkspacesCurrencyAreNotConverted(t *testing.T) {
	t.Parallel()
	orders := ordersOf(t, false)
	if n := orders.options.Notes.List(); len(n) > 0 {
		t.Errorf("notes %+v", n)
	}
}

func TestASaleIsEmptyAfterReset(t *testing.T) {
	t.Parallel()
	s := saleOf("1", 1)
	s.Lines, s.Refunds, s.Coupons = make([]warehouse.OrderLine, 2), make([]warehouse.Refund, 2), make([]warehouse.OrderCoupon, 2)
	s.Touches, s.Ties = make([]warehouse.Touch, 2), make([]warehouse.CustomerTie, 2)
	s.Reset()
	if len(s.Lines)+len(s.Refunds)+len(s.Coupons)+len(s.Touches)+len(s.Ties) > 0 || s.Order != (warehouse.Order{}) || s.Content != 0 || cap(s.Lines) != 2 {
		t.Errorf("%+v", s)
	}
}

// A second version of an order is rejected if either version has lines, refunds or coupons.
func TestAnOrderWithPartsOccursOnce(t *testing.T) {
	t.Parallel()
	parts := map[string]func(*Sale){
		"a line":   func(s *Sale) { s.Lines = []warehouse.OrderLine{{Quantity: 1}} },
		"a refund": func(s *Sale) { s.Refunds = []warehouse.Refund{{Refund: "a", Amount: 1}} },
		"a coupon": func(s *Sale) { s.Coupons = []warehouse.OrderCoupon{{Code: "A"}} },
	}
	for name, with := range parts {
		for _, first := range []bool{true, false} {
			orders := scattered()
			before, after := saleOf("1", 1), saleOf("1", 2)
			if after.Line, after.Rows = 9, 3; first {
				with(before)
			} else {
				with(after)
			}
			if err := orders.Add(before, &warehouse.Batch{}); err != nil {
				t.Fatal(err)
			}
			err := orders.Add(after, &warehouse.Batch{})
			if row, ok := errors.AsType[*RowError](err); !ok || row.Line != 9 || row.Rows != 3 || row.Fix == "" {
				t.Errorf("%s, in the first %t: %v, want lines 9 to 11 rejected", name, first, err)
			}
		}
	}
	// The keys were sorted so far. An equal key or a change of direction requires a second pass.
	for key, want := range map[string]error{"2": ErrScattered, "1": ErrScattered, "3": nil, "10": nil} {
		if err := ordersOf(t, false).Add(saleOf(key, 9), &warehouse.Batch{}); !errors.Is(err, want) {
			t.Errorf("order %s after 1 and 2: %v, want %v", key, err, want)
		}
	}
	down := NewOrders(Options{Base: "USD", Zone: time.UTC, Notes: &Notes{}})
	for _, key := range []string{"10", "9", "8"} {
		if err := down.Add(saleOf(key, 1), &warehouse.Batch{}); err != nil {
			t.Errorf("descending order %s: %v", key, err)
		}
	}
	if err := down.Add(saleOf("9", 1), &warehouse.Batch{}); !errors.Is(err, ErrScattered) {
		t.Errorf("order 9 after 8: %v, want ErrScattered", err)
	}
	row := saleOf("7", 1)
	row.Currency, row.Line, row.Rows, row.Order.At = "EUR", 4, 2, row.Order.At.AddDate(0, 1, 0)
	if bad, ok := errors.AsType[*RowError](scattered().Add(row, &warehouse.Batch{})); !ok || bad.Line != 4 || bad.Rows != 2 {
		t.Errorf("an order without a rate: %+v, want line 4 with 2 rows", bad)
	}
}

func TestARefundCountsOnce(t *testing.T) {
	t.Parallel()
	orders := scattered()
	var b warehouse.Batch
	at := time.Date(2026, 9, 3, 12, 0, 0, 0, time.UTC)
	add := func(key, refund string, amount int64, c money.Currency, content uint64) {
		r := Return{Line: 3, Rows: 1, Currency: c, Content: content, Refund: warehouse.Refund{OrderRef: warehouse.OrderRef{Source: "shop", Key: key}, Refund: refund, At: at, Amount: amount}}
		if err := orders.AddReturn(&r, &b); err != nil {
			t.Error(err)
		}
	}
	add("1", "a", 100, "USD", 1)
	add("1", "b", 10, "EUR", 1)
	add("1", "a", 100, "USD", 1) // the same
	add("1", "a", 70, "USD", 2)  // another version
	add("2", "a", 5, "USD", 2)
	checkTotals(t, orders.Totals, Totals{
		Refunds: 3, Repeated: 1, Refunded: map[money.Currency]int64{"USD": 75, "EUR": 10}, Days: civil.Range{First: september(3), Last: september(3)},
	})
	if len(b.Refunds) != 4 || b.Refunds[1].Amount != 11 || b.Refunds[0].Day != september(3) {
		t.Errorf("refunds %+v", b.Refunds)
	}
	late := Return{Line: 5, Rows: 2, Currency: "EUR", Refund: warehouse.Refund{OrderRef: warehouse.OrderRef{Source: "shop", Key: "3"}, Refund: "a", At: at.AddDate(1, 0, 0), Amount: 1}}
	if bad, ok := errors.AsType[*RowError](orders.AddReturn(&late, &b)); !ok || bad.Line != 5 || bad.Rows != 2 || len(b.Refunds) != 4 {
		t.Errorf("a refund without a rate: %+v, want line 5 with 2 rows", bad)
	}
}

func TestContentIsHashedOnlyWhereItIsCompared(t *testing.T) {
	t.Parallel()
	sorted, any := NewOrders(Options{}), scattered()
	if got := sorted.Content([]string{"a"}); got != 0 {
		t.Errorf("a sorted file has the hash %d", got)
	}
	a, again, b, swapped := any.Content([]string{"a", "b"}), any.Content([]string{"a", "b"}), any.Content([]string{"a", "c"}), any.Content([]string{"b", "a"})
	if a != again || a == b || a == swapped || a == 0 {
		t.Errorf("hashes %x, %x, %x, %x", a, again, b, swapped)
	}
	if h := any.hasher; h.Row(h.Row(0, []string{"a"}), []string{"b"}) != a {
		t.Error("two rows of a cell and one row of two cells differ: a row extends the hash")
	}
}

func TestDaysOfTotalsGrowInBothDirections(t *testing.T) {
	t.Parallel()
	totals := NewTotals()
	for _, day := range []int{5, 7, 3, 4} {
		totals.See(september(day))
	}
	if want := (civil.Range{First: september(3), Last: september(7)}); totals.Days != want {
		t.Errorf("days %s, want %s", totals.Days, want)
	}
}

func TestFitOfAHeader(t *testing.T) {
	t.Parallel()
	columns := []Column{{Field: "a", Names: []string{"a", "first"}}, {Field: "b", Names: []string{"b"}}, {Field: "c", Names: []string{"c"}}}
	h := NewHeader([]string{"First", " B "})
	fit := FitOf(h, columns, []string{"a", "c"})
	if diff := cmp.Diff(Fit{Known: 2, Missing: []string{"c"}}, fit); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, c := range []struct {
		fit Fit
		ok  bool
	}{{Fit{}, false}, {Fit{Known: 1}, true}, {Fit{Known: 2, Missing: []string{"c"}}, false}} {
		if c.fit.OK() != c.ok {
			t.Errorf("%+v can be read: %t", c.fit, c.fit.OK())
		}
	}
	for _, c := range []struct {
		a, b   Fit
		better bool
	}{{Fit{Known: 2}, Fit{Known: 1}, true}, {Fit{Known: 1}, Fit{Known: 1}, false}, {Fit{Known: 1}, Fit{Known: 9, Vague: true}, true}, {Fit{Known: 9, Vague: true}, Fit{Known: 1}, false}} {
		if c.a.Better(c.b) != c.better {
			t.Errorf("%+v is better than %+v: %t", c.a, c.b, !c.better)
		}
	}
	for i, want := range map[int]string{-1: "", 0: "First", 1: "B", 2: ""} {
		if got := h.Name(i); got != want {
			t.Errorf("column %d is %q, want %q", i, got, want)
		}
		if got := Cell([]string{"First", " B "}, i); got != want {
			t.Errorf("cell %d is %q, want %q", i, got, want)
		}
	}
	if h.Width() != 2 || h.Names()[1] != " B " || h.Index("x", "b", "first") != 1 || h.Index("x") != -1 {
		t.Errorf("width %d, names %q, index of b %d", h.Width(), h.Names(), h.Index("x", "b", "first"))
	}
	table := Table{Sample: [][]string{{"1", "2"}, {"3"}}}
	for i, want := range map[int][]string{-1: nil, 0: {"1", "3"}, 1: {"2"}, 2: nil} {
		if diff := cmp.Diff(want, table.Column(i)); diff != "" {
			t.Errorf("column %d (-want +got):\n%s", i, diff)
		}
	}
}

func TestWhatTheCallerStatesIsAssumed(t *testing.T) {
	t.Parallel()
	o := Options{Base: "USD", Zone: time.UTC, Notes: &Notes{}}
	if got := o.AssumedCurrency(); got != "USD" || len(o.Notes.List()) != 1 || o.WrittenIn() != time.UTC {
		t.Errorf("%s with %v in %s", got, o.Notes.List(), o.WrittenIn())
	}
	stated := Options{Base: "USD", Zone: time.UTC, Currency: "EUR", Clock: zone(t, "Europe/Berlin"), Notes: &Notes{}}
	if got := stated.AssumedCurrency(); got != "EUR" || len(stated.Notes.List()) != 0 || stated.WrittenIn().String() != "Europe/Berlin" {
		t.Errorf("%s with %v in %s", got, stated.Notes.List(), stated.WrittenIn())
	}
}

func TestTextsOfAReportAreBounded(t *testing.T) {
	t.Parallel()
	long, most := strings.Repeat("é", 301), strings.Repeat("é", 300)
	got := RowError{Column: long, Value: most, Reason: long, Fix: long}.Bounded()
	if want := (RowError{Column: most + "…", Value: most, Reason: most + "…", Fix: most + "…"}); got != want {
		t.Errorf("%+v", got)
	}
	if got := Shown("a\u202eb\u200dc\x7fd"); got != "abcd" {
		t.Errorf("direction marks are shown: %q", got)
	}
	e := &RowError{Line: 3, Reason: "is wrong"}
	if got := e.Error(); got != "line 3: is wrong" {
		t.Errorf("%q", got)
	}
	if e.Column = "Total"; e.Error() != `line 3, column "Total": is wrong` {
		t.Errorf("%q", e.Error())
	}
	for why, want := range map[string]string{"is wrong": `"x" is wrong`, "could be two": `"x" could be two`, `"x" fails`: `"x" fails`} {
		if got := Unreadable(4, "c", "x", errors.New(why)); got.Reason != want || got.Line != 4 || got.Column != "c" || got.Value != "x" {
			t.Errorf("%q: %+v, want the reason %q", why, got, want)
		}
	}
	row := &RowError{Line: 7}
	if Located(row, 3, 2); row.Line != 7 || row.Rows != 2 {
		t.Errorf("%+v, want its own line and 2 rows", row)
	}
}

// The fast path and the general path give the same result.
func TestPlainInstantsAgreeWithOthers(t *testing.T) {
	t.Parallel()
	for day := range strings.SplitSeq("2026-09-30,2026-02-29,2024-02-29,2026-9-30,1899-12-31,2026/09/30", ",") {
		for clock := range strings.SplitSeq("00:00:00,23:59:59,23:59:60,23:59:61,24:00:00,12:60:00,1:00:00,12-30:00,12:30-00,1x:00:00,12:x0:00,12:00:x0", ",") {
			for _, offset := range []string{"", "Z", " Z", "+0200", " +0200", "-02:30", "+02", "+1400", "+1401", "+1500", "-0060", "x", " 0200", "x0200"} {
				for _, mark := range []string{"T", " ", "x"} {
					cell := day + mark + clock + offset
					plain, ok := plainInstant(cell)
					if !ok {
						continue
					}
					// A leading blank prevents the fast path. The general path trims the blank.
					general, err := ParseInstant(" "+cell, UnknownOrder, zone(t, "America/New_York"))
					if err != nil || !plain.Equal(general) {
						t.Errorf("%q is %s, and %s (%v) by the general path", cell, plain, general, err)
					}
				}
			}
		}
	}
}

func TestInstantsAtTheirLimits(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		"2026-09-30T14:05:00Z":        "2026-09-30T14:05:00Z",
		"2026-09-30T00:00:00+14:00":   "2026-09-29T10:00:00Z",
		"2026-09-30T00:00:00+14:59":   "2026-09-29T09:01:00Z",
		"2026-09-30T23:59:60Z":        "2026-10-01T00:00:00Z",
		"2026-09-30 12:00 PM Z":       "2026-09-30T12:00:00Z",
		"2026-09-30 12:00:00 PM":      "2026-09-30T12:00:00Z",
		"2026-09-30 12:59:59 AM":      "2026-09-30T00:59:59Z",
		"2026-09-30 11:00 pm":         "2026-09-30T23:00:00Z",
		"2026-09-30 13:00 PM":         "2026-09-30T13:00:00Z",
		"2026-09-30 14:05:07.999 +02": "2026-09-30T12:05:07Z",
		"2026-09-30 14:05-02":         "2026-09-30T16:05:00Z",
		"45999.99999":                 "2025-12-08T23:59:59Z",
		"45999.000006":                "2025-12-08T00:00:01Z",
		"45999":                       "2025-12-08T00:00:00Z",
		"20001":                       "1954-10-04T00:00:00Z",
		"79999":                       "2119-01-10T00:00:00Z",
		"20000":                       "",
		"80000":                       "",
		"19000101":                    "1900-01-01T00:00:00Z",
		"18991231":                    "",
		"21991231":                    "2199-12-31T00:00:00Z",
		"22000101":                    "",
		"2026/09/30":                  "2026-09-30T00:00:00Z",
		"2026-09-30 14:05 x":          "",
		"2026-09-30T":                 "",
		"2026-13-01":                  "",
		"2026-00-01":                  "",
		"2026-12-32":                  "",
		"2026-12-00":                  "",
		"12/12/2026":                  "2026-12-12T00:00:00Z",
		"11/12/2026":                  "",
		"1/2/26":                      "",
	} {
		got, err := ParseInstant(cell, UnknownOrder, time.UTC)
		if (err == nil) != (want != "") || err == nil && got.Format(time.RFC3339) != want {
			t.Errorf("ParseInstant(%q) is %s (%v), want %q", cell, got.Format(time.RFC3339), err, want)
		}
	}
	for cell, want := range map[DayOrder]string{MonthFirst: "2026-11-12", DayFirst: "2026-12-11"} {
		if got, err := ParseDay("11/12/2026", cell); err != nil || got.String() != want {
			t.Errorf("order %d: %s (%v), want %s", cell, got, err, want)
		}
	}
	for order, cells := range map[DayOrder][]string{DayFirst: {"13/12/2026"}, MonthFirst: {"12/13/2026"}, UnknownOrder: {"13/13/2026", "12/12/2026"}} {
		if got := DayOrderOf(cells); got != order {
			t.Errorf("%q has the order %d, want %d", cells, got, order)
		}
	}
}

func TestFiguresAtTheirLimits(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]int64{
		"9999999999999.99": 999_999_999_999_999, "10000000000000.00": Largest, "-10000000000000": -Largest, "5.": 500, "-0.01": -1, "12.3": 1230,
	} {
		if got, err := Money(cell, "USD", money.Point); err != nil || got != want {
			t.Errorf("Money(%q) is %d (%v), want %d", cell, got, err, want)
		}
	}
	for _, cell := range []string{"10000000000000.01", "-10000000000000.01", "-", ".", "1:00", "1/00", "1.0:", "1.0/", "\xd0", "1.\xd0"} {
		if got, err := Money(cell, "USD", money.Point); err == nil {
			t.Errorf("Money(%q) is %d, want an error", cell, got)
		}
	}
	for cell, want := range map[string]int64{"1.005": 101, "1.004": 100, "-1.005": -101, "1": 100} {
		if got, err := MoneyRounded(cell, "USD", money.Point); err != nil || got != want {
			t.Errorf("MoneyRounded(%q) is %d (%v), want %d", cell, got, err, want)
		}
	}
	for cell, want := range map[string]int64{
		"1.0000004": 1_000_000, "1.0000005": 1_000_001, "-1.0000005": -1_000_001, "-0.25": -250_000, "1000000000000": 1e18, " 2.5 ": 2_500_000, "0.1": 100_000,
	} {
		if got, err := Millionths(cell, money.Point); err != nil || got != want {
			t.Errorf("Millionths(%q) is %d (%v), want %d", cell, got, err, want)
		}
	}
	for _, cell := range []string{"1000000000001", "-1000000000001", "1.x", "1.5x", "x.5", ""} {
		if got, err := Millionths(cell, money.Point); err == nil {
			t.Errorf("Millionths(%q) is %d, want an error", cell, got)
		}
	}
	for _, cell := range []string{"1000000000", "-1000000000"} {
		if got, err := Conversions(cell, money.Point); err != nil || max(got, -got) != 1e15 {
			t.Errorf("Conversions(%q) is %d (%v), want the largest number", cell, got, err)
		}
	}
	for _, cell := range []string{"1000000001", "-1000000001", "5000000000000", "120265012026501202"} {
		if got, err := Conversions(cell, money.Point); err == nil || err.Error() != "is implausibly large: the maximum is 1,000,000,000" {
			t.Errorf("Conversions(%q) is %d (%v), want an error with the maximum", cell, got, err)
		}
	}
	if got, err := Millionths("1,5", money.Comma); err != nil || got != 1_500_000 {
		t.Errorf("1,5 is %d millionths (%v)", got, err)
	}
	for _, c := range []struct {
		price string
		count int64
		want  int64
	}{{"0.005", 1, 1}, {"-0.005", 1, -1}, {"0.0049", 1, 0}, {"1.00", -3, -300}, {"0.3333", 3, 100}} {
		if got, err := Product(c.price, c.count, "USD", money.Point); err != nil || got != c.want {
			t.Errorf("%s times %d is %d (%v), want %d", c.price, c.count, got, err, c.want)
		}
	}
	if got, err := Product("0.001", 2000, "KWD", money.Point); err != nil || got != 2000 {
		t.Errorf("0.001 times 2000 in KWD is %d (%v)", got, err)
	}
	if got, err := Product("x", 1, "USD", money.Point); err == nil {
		t.Errorf("x is the price %d", got)
	}
	if p, ok := Times(Largest, 1); !ok || p != Largest {
		t.Errorf("the largest amount is %d, %t", p, ok)
	}
	if p, ok := Times(Largest+1, 1); ok || p != 0 {
		t.Errorf("a larger amount is %d, %t", p, ok)
	}
	if p, ok := Times(-Largest-1, 1); ok || p != 0 {
		t.Errorf("a smaller amount is %d, %t", p, ok)
	}
	for id, want := range map[string]bool{"1.2E+17": true, "1,2e+17": true, "1E+17": true, "12E+17": false, "1.2E17": false, "123": false, "": false} {
		if Shortened(id) != want {
			t.Errorf("%q is shortened: %t", id, !want)
		}
	}
	if e := ShortenedID(3, "id", "1E+17", "again"); e.Line != 3 || e.Column != "id" || e.Value != "1E+17" || e.Fix != "again" {
		t.Errorf("%+v", e)
	}
	for cell, want := range map[string]byte{"1.234,5": ',', "1,234.5": '.', "1.2": '.', "1,23": ',', "1.234": 0, "1.": 0, "1,2345": 0, "1.234.567": ',', "12": 0} {
		if got := decimalMark(cell); got != want {
			t.Errorf("the mark of %q is %q, want %q", cell, got, want)
		}
	}
	if got := NotationOf([]string{"1,5"}, []string{"1.5"}); got != money.Point {
		t.Errorf("equally many points and commas are %q", got)
	}
}

func TestPhoneNumbersAndConsents(t *testing.T) {
	t.Parallel()
	people := NewCustomers([]byte("key"))
	for number, same := range map[string]string{"+1 (555) 0100": "15550100", "123456": "123456", "12345": "", "000000": "", "": "", "555-555": ""} {
		if got, want := people.HashPhone(number), people.Hash(same); got != want {
			t.Errorf("HashPhone(%q) is %q, want that of %q", number, got, same)
		}
	}
	for id, want := range map[string][]string{
		"":         nil,
		"a@b.c":    {people.Hash("a@b.c")},
		"15550100": {people.Hash("15550100"), people.Hash("+15550100")},
		"+1 555":   {people.Hash("+1 555"), people.Hash("1555"), people.Hash("+1555")},
		"()":       {people.Hash("()")},
	} {
		if diff := cmp.Diff(want, people.Hashes(id)); diff != "" {
			t.Errorf("Hashes(%q) (-want +got):\n%s", id, diff)
		}
	}
	for word, want := range map[string]warehouse.Consent{" YES ": warehouse.Consented, "subscribed": warehouse.Consented, "0": warehouse.Refused, "opted out": warehouse.Refused, "pending": warehouse.ConsentUnknown, "": warehouse.ConsentUnknown} {
		if got, ok := ConsentOf(word); got != want || !ok {
			t.Errorf("ConsentOf(%q) is %v, %t; want %v", word, got, ok, want)
		}
	}
	if got, ok := ConsentOf("perhaps"); ok || got != warehouse.ConsentUnknown {
		t.Errorf("perhaps is %v, %t", got, ok)
	}
}

func TestCouponsHaveADiscountWhereTheyAreAlone(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string][]warehouse.OrderCoupon{
		"":        nil,
		" save ":  {{Code: "SAVE", Discount: 5}},
		"save,":   {{Code: "SAVE", Discount: 5}},
		"a,b":     {{Code: "A"}, {Code: "B"}},
		"a, A ,a": {{Code: "A", Discount: 5}},
	} {
		if diff := cmp.Diff(want, CouponsOf(nil, cell, 5)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", cell, diff)
		}
	}
}

func TestWordsAndCountriesRepeatTheirResult(t *testing.T) {
	t.Parallel()
	countries := NewCountries()
	for _, text := range []string{"Germany", "Germany", "DE", "Nowhere", "Nowhere", "Germany", ""} {
		want := map[string]string{"Germany": "DE", "DE": "DE"}[text]
		if code, ok := countries.Code(text); code != want || ok != (text != "Nowhere") {
			t.Errorf("%q is %q, %t", text, code, ok)
		}
	}
	if s, ok := Surface("Unheard"); ok || s != "" && s != measure.OnlineStore {
		t.Errorf("an unknown surface is %q, %t", s, ok)
	}
}
