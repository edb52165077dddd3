package source

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"strings"

	"assay/internal/money"
	"assay/internal/warehouse"
)

// Sale is an order as read from a file. Readers set the order's key, time, customer and place. Amounts are in minor
// units of Currency. [Orders] sets the days, the converted amounts and the keys of the parts.
type Sale struct {
	Line     int // first line in the file
	Rows     int // number of rows in the file
	Text     int // bytes of the rows, if a reader counts them
	Currency money.Currency
	Order    warehouse.Order
	Lines    []warehouse.OrderLine
	Refunds  []warehouse.Refund
	Coupons  []warehouse.OrderCoupon
	Touches  []warehouse.Touch
	Ties     []warehouse.CustomerTie // ties of the customer's ID and email address
	Content  uint64                  // hash of the rows, from a [Hasher]; copies of an order have equal hashes
}

// Reset empties the sale and keeps its allocated slices for reuse.
func (s *Sale) Reset() {
	*s = Sale{Lines: s.Lines[:0], Refunds: s.Refunds[:0], Coupons: s.Coupons[:0], Touches: s.Touches[:0], Ties: s.Ties[:0]}
}

// Limits of an order. Its line items are in memory until its last row, and untrusted input may contain an order without
// end.
const (
	MostLines = 10_000
	mostText  = 16 << 20 // bytes of the rows
)

// MostHeld is the maximum number of line items of all orders that a reader collects until the end of its input.
const MostHeld = 8 << 20

// Full returns nil if the order can have another line item. Otherwise, it returns the error for that item, with its
// line in the file.
func (s *Sale) Full(line int) *RowError {
	var reason string
	switch {
	case len(s.Lines) >= MostLines:
		reason = fmt.Sprintf("the order has more than %d line items", MostLines)
	case s.Text > mostText:
		reason = fmt.Sprintf("the order has more than %d MiB of rows", mostText>>20)
	default:
		return nil
	}
	return &RowError{Line: line, Reason: reason, Fix: "check which column contains the order ID"}
}

// Orders processes the sales of one file. It converts amounts, assigns orders to days in the workspace's time zone,
// deduplicates copies, and sums the totals.
type Orders struct {
	options Options
	rates   *Converter
	hasher  Hasher
	last    warehouse.OrderRef
	course  int                // 1 if keys ascend, -1 if they descend, 0 before the second order
	seen    map[uint64]earlier // by hashed key; filled only for scattered files
	day     dayCache
	Totals  Totals

	currency money.Currency // currency of the last counted order
}

// earlier describes an earlier order or refund of the file. It contains the data to identify the order or refund and to
// subtract it from the totals.
type earlier struct {
	content           uint64
	charged, refunded int64
	refunds           int32
	detailed          bool // the order has lines, refunds or coupons
	state             state
	currency          [3]byte
}

// state determines the totals that include an order.
type state byte

const (
	counts state = iota
	cancelled
	test
	refundOnly
)

// NewOrders returns the state of a file before its first order is added.
func NewOrders(o Options) *Orders {
	return &Orders{
		options: o, rates: NewConverter(o.Base, o.Rates), hasher: NewHasher(), seen: map[uint64]earlier{},
		day: dayCache{zone: o.Zone}, Totals: NewTotals(),
	}
}

// longestKey is the maximum size of an order's ID in bytes. IDs stay in memory while a file is read. Shops' IDs have
// fewer than a hundred bytes.
const longestKey = 512

// checkKey returns a [*RowError] for an ID that is too long.
func checkKey(key string, line, rows int) error {
	if len(key) <= longestKey {
		return nil
	}
	return &RowError{
		Line: line, Rows: rows, Value: Shown(key), Reason: fmt.Sprintf("the order ID is longer than %d bytes", longestKey),
		Fix: "check which column contains the order ID",
	}
}

// Add appends the sale to the batch. Its error is a [*RowError].
func (t *Orders) Add(s *Sale, b *warehouse.Batch) error {
	if err := checkKey(s.Order.Key, s.Line, s.Rows); err != nil {
		return err
	}
	s.Order.Day = t.day.of(s.Order.At)
	if err := t.options.CheckDay(s.Order.Day, s.Line, ""); err != nil {
		return err
	}
	s.Order.Original = money.Amount{Minor: s.Order.Charged, Currency: s.Currency}
	refunded := int64(0)
	for i := range s.Refunds {
		r := &s.Refunds[i]
		r.OrderRef = s.Order.OrderRef
		if r.DateUnknown {
			r.At = s.Order.At
		}
		r.Day = t.day.of(r.At)
		refunded += r.Amount
	}
	if err := t.convert(s); err != nil {
		return Located(err, s.Line, s.Rows)
	}
	if !t.options.Scattered && !t.follows(&s.Order.OrderRef) {
		return ErrScattered
	}
	if t.clashes(s) {
		return &RowError{
			Line: s.Line, Rows: s.Rows, Value: Shown(s.Order.Key), Reason: "the order occurs twice in the file, with different lines, refunds or coupons",
			Fix: "keep only the latest version of the order in the file",
		}
	}
	if t.copyOf(s, refunded) {
		t.Totals.Repeated++
		return nil
	}
	for i := range s.Lines {
		s.Lines[i].OrderRef, s.Lines[i].Line = s.Order.OrderRef, i+1
		s.Order.Units += s.Lines[i].Quantity
	}
	for i := range s.Coupons {
		s.Coupons[i].OrderRef = s.Order.OrderRef
	}
	b.Orders = append(b.Orders, s.Order)
	b.Lines = append(b.Lines, s.Lines...)
	b.Refunds = append(b.Refunds, s.Refunds...)
	b.Coupons = append(b.Coupons, s.Coupons...)
	b.Touches = append(b.Touches, s.Touches...)
	b.Ties = append(b.Ties, s.Ties...)
	return nil
}

// Return is a refund of an order that is not in the file.
type Return struct {
	Line     int // first line in the file
	Rows     int // number of rows in the file
	Currency money.Currency
	Refund   warehouse.Refund
	Content  uint64
}

// AddReturn appends the refund to the batch. Its error is a [*RowError].
func (t *Orders) AddReturn(r *Return, b *warehouse.Batch) error {
	if err := checkKey(r.Refund.Key, r.Line, r.Rows); err != nil {
		return err
	}
	r.Refund.Day = t.day.of(r.Refund.At)
	original := r.Refund.Amount
	if err := t.rates.Convert(r.Refund.Day, r.Currency, &r.Refund.Amount); err != nil {
		return Located(err, r.Line, r.Rows)
	}
	key := t.hasher.Row(t.hasher.Key(r.Refund.Source, r.Refund.Key), []string{r.Refund.Refund})
	now := earlier{content: r.Content, refunded: original, refunds: 1, state: refundOnly}
	copy(now.currency[:], r.Currency)
	if before, seen := t.seen[key]; seen && before.content == r.Content {
		t.Totals.Repeated++
		return nil
	} else if seen {
		t.count(before, -1)
	}
	t.seen[key] = now
	t.count(now, 1)
	t.Totals.See(r.Refund.Day)
	b.Refunds = append(b.Refunds, r.Refund)
	return nil
}

// Differs reports whether the file has an earlier order with the same key and different content.
func (t *Orders) Differs(s *Sale) (bool, error) {
	if !t.options.Scattered {
		if t.step(&s.Order.OrderRef) == 0 {
			return false, ErrScattered
		}
		return false, nil
	}
	before, seen := t.seen[t.hasher.Key(s.Order.Source, s.Order.Key)]
	return seen && before.content != s.Content, nil
}

// Content returns the hash of an order's only row if the hash is needed for comparisons.
func (t *Orders) Content(fields []string) uint64 {
	if !t.options.Scattered {
		return 0
	}
	return t.hasher.Row(0, fields)
}

// follows processes the next order's key. It reports whether the keys still only ascend or only descend. If so, there
// are no duplicates.
func (t *Orders) follows(next *warehouse.OrderRef) bool {
	step := t.step(next)
	if t.last.Key != "" {
		t.course = step
	}
	t.last = *next
	return step != 0
}

// step compares the next order's key with the last order's key. It returns 1 if the keys ascend, -1 if they descend,
// and 0 if they are equal or the direction changes. Shorter keys come first, so numbers are in numeric order.
func (t *Orders) step(next *warehouse.OrderRef) int {
	step := cmp.Or(cmp.Compare(len(next.Key), len(t.last.Key)), cmp.Compare(next.Key, t.last.Key), cmp.Compare(next.Source, t.last.Source))
	if t.course != 0 && step != t.course {
		return 0
	}
	return step
}

func (t *Orders) convert(s *Sale) error {
	if s.Currency == t.options.Base {
		return nil
	}
	o := &s.Order
	amounts := []*int64{&o.Charged, &o.Tax, &o.Shipping, &o.Discounts}
	for i := range s.Lines {
		amounts = append(amounts, &s.Lines[i].Net, &s.Lines[i].Discount, &s.Lines[i].Cost)
	}
	for i := range s.Coupons {
		amounts = append(amounts, &s.Coupons[i].Discount)
	}
	if err := t.rates.Convert(o.Day, s.Currency, amounts...); err != nil {
		return err
	}
	for i := range s.Refunds { // as in AddReturn
		if err := t.rates.Convert(s.Refunds[i].Day, s.Currency, &s.Refunds[i].Amount); err != nil {
			return err
		}
	}
	return nil
}

// clashes reports whether the file has an earlier order with the same key and different content. It returns false if
// neither order has parts: lines, refunds or coupons. If an order has parts, it is unknown which version the parts
// belong to.
func (t *Orders) clashes(s *Sale) bool {
	if !t.options.Scattered {
		return false
	}
	before, seen := t.seen[t.hasher.Key(s.Order.Source, s.Order.Key)]
	return seen && before.content != s.Content && (before.detailed || s.detailed())
}

func (s *Sale) detailed() bool { return len(s.Lines)+len(s.Refunds)+len(s.Coupons) > 0 }

// copyOf reports whether the file contains an earlier copy of the order, with the same key and content. An order with
// the same key and different content replaces the earlier order, including in the totals.
func (t *Orders) copyOf(s *Sale, refunded int64) bool {
	o := &s.Order
	var key uint64
	var before earlier
	var seen bool
	if t.options.Scattered {
		key = t.hasher.Key(o.Source, o.Key)
		before, seen = t.seen[key]
	}
	if seen && before.content == s.Content {
		return true
	}
	now := earlier{content: s.Content, charged: o.Original.Minor, refunded: refunded, refunds: int32(len(s.Refunds)), detailed: s.detailed()}
	copy(now.currency[:], s.Currency)
	switch {
	case o.Test:
		now.state = test
	case o.Cancelled:
		now.state = cancelled
	}
	if seen {
		t.count(before, -1)
		t.options.Notes.Add("orders_twice", "order %s, line %d, occurs twice in the file with different content: the last one is used", Shown(o.Key), s.Line)
	}
	if t.options.Scattered {
		t.seen[key] = now
	}
	t.count(now, 1)
	t.Totals.See(o.Day)
	if s.Currency != t.options.Base {
		t.options.Notes.Add("currency_converted", "orders in %s were converted to %s at the day's rate", s.Currency, t.options.Base)
	}
	return false
}

// count adds an order to the totals or, with the sign -1, subtracts it.
func (t *Orders) count(o earlier, sign int64) {
	switch o.state {
	case test:
		t.Totals.Tests += sign
		return
	case cancelled:
		t.Totals.Cancelled += sign
		return
	case counts:
		t.Totals.Orders += sign
	case refundOnly:
	}
	if string(o.currency[:]) != string(t.currency) {
		t.currency = money.Currency(o.currency[:])
	}
	c := t.currency
	if o.charged != 0 {
		t.Totals.Charged[c] += sign * o.charged
	}
	if o.refunded != 0 {
		t.Totals.Refunded[c] += sign * o.refunded
	}
	t.Totals.Refunds += sign * int64(o.refunds)
}

// Hasher hashes rows for comparisons. The hashes are valid within a process and never stored.
type Hasher struct{ seed maphash.Seed }

// NewHasher returns a hasher.
func NewHasher() Hasher { return Hasher{seed: maphash.MakeSeed()} }

// Row extends a content's hash by a row. For the first row, the content is 0.
func (h Hasher) Row(content uint64, fields []string) uint64 {
	const odd = 0x9E3779B97F4A7C15 // makes the order of cells and rows matter
	for _, f := range fields {
		content = (content ^ maphash.String(h.seed, f)) * odd
	}
	return content
}

// Key returns the hash of a key of two parts.
func (h Hasher) Key(a, b string) uint64 { return h.Row(0, []string{a, b}) }

// Codes returns the discount codes of a cell in upper case without duplicates. Several codes are separated by commas.
func Codes(cell string) []string {
	if cell == "" {
		return nil
	}
	var codes []string
	seen := map[string]bool{"": true} // untrusted input may have a million codes
	for code := range strings.SplitSeq(cell, ",") {
		if code = strings.ToUpper(strings.TrimSpace(code)); !seen[code] {
			seen[code] = true
			codes = append(codes, code)
		}
	}
	return codes
}

// CouponsOf appends the codes in a cell to the coupons of an order. It assigns the order's discount to a code only if
// the cell has no other code.
func CouponsOf(into []warehouse.OrderCoupon, cell string, discount int64) []warehouse.OrderCoupon {
	if code := strings.ToUpper(strings.TrimSpace(cell)); code != "" && !strings.Contains(code, ",") {
		return append(into, warehouse.OrderCoupon{Code: code, Discount: discount})
	}
	codes := Codes(cell)
	for _, code := range codes {
		c := warehouse.OrderCoupon{Code: code}
		if len(codes) == 1 {
			c.Discount = discount
		}
		into = append(into, c)
	}
	return into
}
