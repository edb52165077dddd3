package source

import (
	"cmp"
	"hash/maphash"
	"strings"

	"assay/internal/money"
	"assay/internal/warehouse"
)

// Sale is an order as a file tells it. Readers fill the order's key, time, customer and place; the amounts are
// minor units of Currency. Days, converted amounts and the keys of the parts are filled by [Orders].
type Sale struct {
	Line     int // of the file, where it starts
	Rows     int // of the file, that tell it
	Currency money.Currency
	Order    warehouse.Order
	Lines    []warehouse.OrderLine
	Refunds  []warehouse.Refund
	Coupons  []warehouse.OrderCoupon
	Touches  []warehouse.Touch
	Ties     []warehouse.CustomerTie // of the customer's id and mail address
	Content  uint64                  // of the rows, from a [Hasher]; two copies of an order have the same
}

// Reset empties the sale and keeps its room.
func (s *Sale) Reset() {
	*s = Sale{Lines: s.Lines[:0], Refunds: s.Refunds[:0], Coupons: s.Coupons[:0], Touches: s.Touches[:0], Ties: s.Ties[:0]}
}

// Orders takes the sales of one file: it converts them, dates them in the workspace's zone, lets copies count
// once, and adds up the totals.
type Orders struct {
	options Options
	rates   *Converter
	hasher  Hasher
	last    warehouse.OrderRef
	course  int             // whether keys rise (1) or fall (-1) from order to order; 0 before the second one
	seen    map[uint64]told // by key, hashed; orders stand here only in scattered files
	day     dayCache
	Totals  Totals

	currency money.Currency // of what was counted last
}

// told is what the file told of an order or refund so far: enough to know it again and to take it back out of the
// totals.
type told struct {
	content           uint64
	charged, refunded int64
	refunds           int32
	detailed          bool // it has lines, refunds or coupons
	state             state
	currency          [3]byte
}

// state says which of the totals an order counts in.
type state byte

const (
	counts state = iota
	cancelled
	test
	refundOnly
)

// NewOrders returns the orders of a file that has none yet.
func NewOrders(o Options) *Orders {
	return &Orders{
		options: o, rates: NewConverter(o.Base, o.Rates), hasher: NewHasher(), seen: map[uint64]told{},
		day: dayCache{zone: o.Zone}, Totals: NewTotals(),
	}
}

// Add appends the sale to the batch. Its error is a [*RowError].
func (t *Orders) Add(s *Sale, b *warehouse.Batch) error {
	s.Order.Day = t.day.of(s.Order.At)
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
			Line: s.Line, Rows: s.Rows, Value: Shown(s.Order.Key), Reason: "the order stands in the file twice, with different lines, refunds or coupons",
			Fix: "leave only the order's latest version in the file",
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

// Return is a refund that belongs to no order of the file.
type Return struct {
	Line     int // of the file, where it starts
	Rows     int // of the file, that tell it
	Currency money.Currency
	Refund   warehouse.Refund
	Content  uint64
}

// AddReturn appends the refund to the batch. Its error is a [*RowError].
func (t *Orders) AddReturn(r *Return, b *warehouse.Batch) error {
	r.Refund.Day = t.day.of(r.Refund.At)
	original := r.Refund.Amount
	if err := t.rates.Convert(r.Refund.Day, r.Currency, &r.Refund.Amount); err != nil {
		return Located(err, r.Line, r.Rows)
	}
	key := t.hasher.Row(t.hasher.Key(r.Refund.Source, r.Refund.Key), []string{r.Refund.Refund})
	now := told{content: r.Content, refunded: original, refunds: 1, state: refundOnly}
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

// Differs reports whether the file told an order under the same key before, with another content.
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

// Content returns the hash of an order's only row, where it will be compared.
func (t *Orders) Content(fields []string) uint64 {
	if !t.options.Scattered {
		return 0
	}
	return t.hasher.Row(0, fields)
}

// follows takes the next order's key. It reports whether the keys still only rise or only fall, so that the file
// cannot have told the order before.
func (t *Orders) follows(next *warehouse.OrderRef) bool {
	step := t.step(next)
	if t.last.Key != "" {
		t.course = step
	}
	t.last = *next
	return step != 0
}

// step compares the next order's key with the last one's: 1 when it rises, -1 when it falls, 0 when it turns or stays.
// Short keys come first, which is the order of numbers.
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
	for i := range s.Refunds {
		amounts = append(amounts, &s.Refunds[i].Amount)
	}
	return t.rates.Convert(o.Day, s.Currency, amounts...)
}

// clashes reports whether the file told the order before with another content, and one of the two has parts: which
// parts would belong to it could not be told.
func (t *Orders) clashes(s *Sale) bool {
	if !t.options.Scattered {
		return false
	}
	before, seen := t.seen[t.hasher.Key(s.Order.Source, s.Order.Key)]
	return seen && before.content != s.Content && (before.detailed || s.detailed())
}

func (s *Sale) detailed() bool { return len(s.Lines)+len(s.Refunds)+len(s.Coupons) > 0 }

// copyOf reports whether the file told the same order before. Another order under the same key takes the place
// of the earlier one, in the totals too.
func (t *Orders) copyOf(s *Sale, refunded int64) bool {
	o := &s.Order
	var key uint64
	var before told
	var seen bool
	if t.options.Scattered {
		key = t.hasher.Key(o.Source, o.Key)
		before, seen = t.seen[key]
	}
	if seen && before.content == s.Content {
		return true
	}
	now := told{content: s.Content, charged: o.Original.Minor, refunded: refunded, refunds: int32(len(s.Refunds)), detailed: s.detailed()}
	copy(now.currency[:], s.Currency)
	switch {
	case o.Test:
		now.state = test
	case o.Cancelled:
		now.state = cancelled
	}
	if seen {
		t.count(before, -1)
		t.options.Notes.Add("orders_twice", "order %s, line %d, stands in the file twice with different content: the last one counts", Shown(o.Key), s.Line)
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

// count adds an order to the totals, or takes it out with the sign -1.
func (t *Orders) count(o told, sign int64) {
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

// Hasher tells rows apart. Its hashes hold within a process and are never stored.
type Hasher struct{ seed maphash.Seed }

// NewHasher returns a hasher.
func NewHasher() Hasher { return Hasher{seed: maphash.MakeSeed()} }

// Row continues a content's hash with a row. The first one continues 0.
func (h Hasher) Row(content uint64, fields []string) uint64 {
	const odd = 0x9E3779B97F4A7C15 // keeps the order of cells and rows in the result
	for _, f := range fields {
		content = (content ^ maphash.String(h.seed, f)) * odd
	}
	return content
}

// Key returns the hash of a key of two parts.
func (h Hasher) Key(a, b string) uint64 { return h.Row(0, []string{a, b}) }

// Codes returns the discount codes of a cell, upper case, each once. Several stand behind one another with commas.
func Codes(cell string) []string {
	if cell == "" {
		return nil
	}
	var codes []string
	seen := map[string]bool{"": true} // a stranger's order may have a million of them
	for code := range strings.SplitSeq(cell, ",") {
		if code = strings.ToUpper(strings.TrimSpace(code)); !seen[code] {
			seen[code] = true
			codes = append(codes, code)
		}
	}
	return codes
}

// CouponsOf returns the codes as coupons of an order. A discount can be given to a code only when it is the only one.
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
