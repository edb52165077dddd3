package facts

import (
	"strings"

	"assay/internal/measure"
	"assay/internal/money"
)

// orderRow is a row of the order table. Texts that many orders share are in separate tables.
type orderRow struct {
	ref         OrderRef
	name        string // NullText if equal to the key
	at, updated int64  // microseconds since 1970 in UTC
	day         int32
	customer    string
	charged     int64
	tax         int64
	shipping    int64
	discounts   int64
	original    int64
	units       int64
	kind, place int32
}

// orderKind and orderPlace contain the texts that orders share.
type (
	orderKind struct {
		source          string
		surface         measure.Surface
		channel         measure.Channel
		currency        money.Currency
		status          string
		cancelled, test bool
	}
	orderPlace struct{ country, region string }
)

// OrderTexts assigns numbers to the texts that orders share, and tracks which numbers are new to the store.
type OrderTexts struct {
	kinds  numbering[orderKind]
	places numbering[orderPlace]
	block  []orderRow // reused from batch to batch
}

// rows converts a batch's orders to table rows. The next call overwrites them.
func (t *OrderTexts) rows(b *Batch) []orderRow {
	t.block = t.block[:0]
	for i := range b.Orders {
		o := &b.Orders[i]
		name := o.Name
		if name == o.Key {
			name = NullText
		}
		row := orderRow{
			ref: o.OrderRef, name: name, at: Micros(o.At), updated: Micros(o.UpdatedAt), day: Days(o.Day),
			customer: o.Customer, charged: o.Charged,
			tax: o.Tax, shipping: o.Shipping, discounts: o.Discounts, original: o.Original.Minor, units: o.Units,
			kind: t.kinds.number(orderKind{
				o.Source, o.Surface, o.Channel, o.Original.Currency, o.Status, o.Cancelled, o.Test,
			}),
			place: t.places.number(orderPlace{o.Country, o.Region}),
		}
		t.block = append(t.block, row)
	}
	return t.block
}

// numbering assigns each value a number, from 1.
type numbering[T comparable] struct {
	clean   func(T) T    // value as stored
	slot    func(*T) int // index of a value in recent
	numbers map[T]int32
	last    int32 // the highest number
	fresh   []numbered[T]
	recent  [64]numbered[T] // cache that avoids hashing all texts of a value; most orders have one of a few kinds
}

type numbered[T any] struct {
	number int32
	value  T
}

func (n *numbering[T]) number(value T) int32 {
	recent := &n.recent[n.slot(&value)%len(n.recent)]
	if recent.number != 0 && recent.value == value {
		return recent.number
	}
	number, known := n.numbers[value]
	if !known {
		number = n.learn(value)
	}
	*recent = numbered[T]{number, value}
	return number
}

// learn returns the number of a value, and records this spelling of the value's texts. It assigns the next number to a
// new value.
func (n *numbering[T]) learn(value T) int32 {
	kept := n.clean(value)
	number, known := n.numbers[kept]
	if !known {
		n.last++
		number = n.last
		n.numbers[kept] = number
		n.fresh = append(n.fresh, numbered[T]{number, kept})
	}
	n.numbers[value] = number
	return number
}

// know adds a number and its value from the store.
func (n *numbering[T]) know(number int32, value T) {
	n.numbers[value], n.last = number, max(n.last, number)
}

func newOrderTexts() *OrderTexts {
	return &OrderTexts{
		kinds: numbering[orderKind]{numbers: map[orderKind]int32{}, slot: slotOfKind, clean: func(k orderKind) orderKind {
			return orderKind{
				valid(k.source), measure.Surface(valid(string(k.surface))), measure.Channel(valid(string(k.channel))),
				money.Currency(valid(string(k.currency))), valid(k.status), k.cancelled, k.test,
			}
		}},
		places: numbering[orderPlace]{numbers: map[orderPlace]int32{}, slot: slotOfPlace, clean: func(p orderPlace) orderPlace {
			return orderPlace{valid(p.country), valid(p.region)}
		}},
	}
}

// slotOfKind hashes a kind by channel and status, the texts that vary most among orders.
func slotOfKind(k *orderKind) int { return ends(string(k.channel)) + len(k.status) }

func slotOfPlace(p *orderPlace) int { return ends(p.region) + ends(p.country) }

// ends returns a cheap hash of a text from its length, its first byte and its last byte.
func ends(text string) int {
	if text == "" {
		return 0
	}
	return 2*len(text) + 3*int(text[0]) + 3*int(text[len(text)-1])
}

// valid returns a copy of the text with invalid UTF-8 bytes replaced.
func valid(text string) string { return strings.Clone(strings.ToValidUTF8(text, "\uFFFD")) }

// columnsOfOrders reads the columns of order_rows.
var columnsOfOrders = []ColumnOf[orderRow]{
	{Column: Column{"key", Text}, Texts: func(rows []orderRow, out []string) {
		for i := range out {
			out[i] = rows[i].ref.Key
		}
	}},
	{Column: Column{"name", Nullable}, Texts: func(rows []orderRow, out []string) {
		for i := range out {
			out[i] = rows[i].name
		}
	}},
	{Column: Column{"placed_at", Instant}, Ints: func(rows []orderRow, out []int64) {
		for i := range out {
			out[i] = rows[i].at
		}
	}},
	{Column: Column{"day", Day}, Smalls: func(rows []orderRow, out []int32) {
		for i := range out {
			out[i] = rows[i].day
		}
	}},
	{Column: Column{"customer", Text}, Texts: func(rows []orderRow, out []string) {
		for i := range out {
			out[i] = rows[i].customer
		}
	}},
	{Column: Column{"charged", Int}, Ints: func(rows []orderRow, out []int64) {
		for i := range out {
			out[i] = rows[i].charged
		}
	}},
	{Column: Column{"tax", Int}, Ints: func(rows []orderRow, out []int64) {
		for i := range out {
			out[i] = rows[i].tax
		}
	}},
	{Column: Column{"shipping", Int}, Ints: func(rows []orderRow, out []int64) {
		for i := range out {
			out[i] = rows[i].shipping
		}
	}},
	{Column: Column{"discounts", Int}, Ints: func(rows []orderRow, out []int64) {
		for i := range out {
			out[i] = rows[i].discounts
		}
	}},
	{Column: Column{"original", Int}, Ints: func(rows []orderRow, out []int64) {
		for i := range out {
			out[i] = rows[i].original
		}
	}},
	{Column: Column{"units", Int}, Ints: func(rows []orderRow, out []int64) {
		for i := range out {
			out[i] = rows[i].units
		}
	}},
	{Column: Column{"updated_at", Instant}, Ints: func(rows []orderRow, out []int64) {
		for i := range out {
			out[i] = rows[i].updated
		}
	}},
	{Column: Column{"kind", Small}, Smalls: func(rows []orderRow, out []int32) {
		for i := range out {
			out[i] = rows[i].kind
		}
	}},
	{Column: Column{"place", Small}, Smalls: func(rows []orderRow, out []int32) {
		for i := range out {
			out[i] = rows[i].place
		}
	}},
}

// KnowKind records a kind of order and the kind's number in the store. The scanned row has the columns of
// [OrderTexts.Kinds] in their order.
func (t *OrderTexts) KnowKind(scan func(dest ...any) error) error {
	var number int32
	var k orderKind
	err := scan(&number, &k.source, &k.surface, &k.channel, &k.currency, &k.status, &k.cancelled, &k.test)
	t.kinds.know(number, k)
	return err
}

// KnowPlace adds the number of a place in the store.
func (t *OrderTexts) KnowPlace(scan func(dest ...any) error) error {
	var number int32
	var p orderPlace
	err := scan(&number, &p.country, &p.region)
	t.places.know(number, p)
	return err
}

// Kinds returns the kinds that are new to the store, for the table order_kinds.
func (t *OrderTexts) Kinds() Rows { return NewBlock(columnsOfKinds, t.kinds.fresh) }

// Places returns the places that are new to the store, for the table order_places.
func (t *OrderTexts) Places() Rows { return NewBlock(columnsOfPlaces, t.places.fresh) }

// columnsOfKinds and columnsOfPlaces read one row at a time, because these tables have few rows.
var columnsOfKinds = []ColumnOf[numbered[orderKind]]{
	numberOf[orderKind]("kind"),
	textOf("source", func(k *orderKind) string { return k.source }),
	textOf("surface", func(k *orderKind) string { return string(k.surface) }),
	textOf("channel", func(k *orderKind) string { return string(k.channel) }),
	textOf("original_currency", func(k *orderKind) string { return string(k.currency) }),
	textOf("status", func(k *orderKind) string { return k.status }),
	flagOf("cancelled", func(k *orderKind) bool { return k.cancelled }),
	flagOf("test", func(k *orderKind) bool { return k.test }),
}

var columnsOfPlaces = []ColumnOf[numbered[orderPlace]]{
	numberOf[orderPlace]("place"),
	textOf("country", func(p *orderPlace) string { return p.country }),
	textOf("region", func(p *orderPlace) string { return p.region }),
}

func numberOf[T any](name string) ColumnOf[numbered[T]] {
	return ColumnOf[numbered[T]]{Column: Column{name, Small}, Smalls: func(rows []numbered[T], out []int32) {
		for i := range out {
			out[i] = rows[i].number
		}
	}}
}

func textOf[T any](name string, value func(*T) string) ColumnOf[numbered[T]] {
	return ColumnOf[numbered[T]]{Column: Column{name, Text}, Texts: func(rows []numbered[T], out []string) {
		for i := range out {
			out[i] = value(&rows[i].value)
		}
	}}
}

func flagOf[T any](name string, value func(*T) bool) ColumnOf[numbered[T]] {
	return ColumnOf[numbered[T]]{Column: Column{name, Flag}, Flags: func(rows []numbered[T], out []bool) {
		for i := range out {
			out[i] = value(&rows[i].value)
		}
	}}
}
