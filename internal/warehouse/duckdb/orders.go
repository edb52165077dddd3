package duckdb

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// orderRow is a row of the order table. Texts that many orders share are in separate tables.
type orderRow struct {
	ref         warehouse.OrderRef
	name        string // "" if equal to the key
	at, updated int64  // microseconds since 1970, UTC
	dated       bool   // updated is known
	day         civil.Date
	customer    string
	charged     int64
	tax         int64
	shipping    int64
	discounts   int64
	original    int64
	units       int64
	kind, place int32
}

// orderKind and orderPlace are the texts that orders share.
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

// orderTexts numbers the texts that orders share, and tracks which numbers are new to the store.
type orderTexts struct {
	kinds  numbering[orderKind]
	places numbering[orderPlace]
	block  []orderRow // reused from batch to batch
}

// rows converts a batch's orders to table rows. The next call overwrites them.
func (t *orderTexts) rows(b *warehouse.Batch) []orderRow {
	t.block = t.block[:0]
	for i := range b.Orders {
		o := &b.Orders[i]
		row := orderRow{
			ref: o.OrderRef, name: o.Name, at: o.At.UnixMicro(), day: o.Day, customer: o.Customer, charged: o.Charged,
			tax: o.Tax, shipping: o.Shipping, discounts: o.Discounts, original: o.Original.Minor, units: o.Units,
			kind: t.kinds.number(orderKind{
				o.Source, o.Surface, o.Channel, o.Original.Currency, o.Status, o.Cancelled, o.Test,
			}),
			place: t.places.number(orderPlace{o.Country, o.Region}),
		}
		if !o.UpdatedAt.IsZero() {
			row.updated, row.dated = o.UpdatedAt.UnixMicro(), true
		}
		t.block = append(t.block, row)
	}
	return t.block
}

func putOrder(c *cells, o *orderRow) {
	c.text(o.ref.Key)
	if o.name == o.ref.Key {
		c.null()
	} else {
		c.text(o.name)
	}
	c.int(o.at)
	c.day(o.day)
	c.text(o.customer)
	c.int(o.charged)
	c.int(o.tax)
	c.int(o.shipping)
	c.int(o.discounts)
	c.int(o.original)
	c.int(o.units)
	if o.dated {
		c.int(o.updated)
	} else {
		c.null()
	}
	c.number(o.kind)
	c.number(o.place)
}

// numbering assigns each value a number, from 1.
type numbering[T comparable] struct {
	clean   func(T) T    // value as stored
	slot    func(*T) int // index of a value in recent
	numbers map[T]int32
	last    int32 // the highest number
	fresh   []numbered[T]
	recent  [64]numbered[T] // cache that avoids hashing all texts of a value: most orders are of a few kinds
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

// learn numbers a value that was not seen in this form.
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

// know adds a number from the store.
func (n *numbering[T]) know(number int32, value T) {
	n.numbers[value], n.last = number, max(n.last, number)
}

func newOrderTexts() *orderTexts {
	return &orderTexts{
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

// slotOfKind distinguishes kinds by channel and status, which vary most among orders.
func slotOfKind(k *orderKind) int { return ends(string(k.channel)) + len(k.status) }

func slotOfPlace(p *orderPlace) int { return ends(p.region) + ends(p.country) }

// ends is a cheap hash of a short text.
func ends(text string) int {
	if text == "" {
		return 0
	}
	return 2*len(text) + 3*int(text[0]) + 3*int(text[len(text)-1])
}

// valid returns a copy of the text with invalid UTF-8 bytes replaced.
func valid(text string) string { return strings.Clone(strings.ToValidUTF8(text, "\uFFFD")) }

// read loads the numbers in the store.
func (t *orderTexts) read(ctx context.Context, l *load) error {
	err := l.each(ctx, "SELECT kind, source, surface, channel, original_currency, status, cancelled, test FROM {{order_kinds}}", func(rows *sql.Rows) error {
		var number int32
		var k orderKind
		err := rows.Scan(&number, &k.source, &k.surface, &k.channel, &k.currency, &k.status, &k.cancelled, &k.test)
		t.kinds.know(number, k)
		return err
	})
	if err != nil {
		return fmt.Errorf("kinds of orders: %w", err)
	}
	err = l.each(ctx, "SELECT place, country, region FROM {{order_places}}", func(rows *sql.Rows) error {
		var number int32
		var p orderPlace
		err := rows.Scan(&number, &p.country, &p.region)
		t.places.know(number, p)
		return err
	})
	if err != nil {
		return fmt.Errorf("places of orders: %w", err)
	}
	return nil
}

// write stores the new texts.
func (t *orderTexts) write(ctx context.Context, l *load) error {
	err := writeTexts(ctx, l, "order_kinds", t.kinds.fresh, func(c *cells, k *numbered[orderKind]) {
		c.number(k.number)
		c.text(k.value.source)
		c.text(string(k.value.surface))
		c.text(string(k.value.channel))
		c.text(string(k.value.currency))
		c.text(k.value.status)
		c.flag(k.value.cancelled)
		c.flag(k.value.test)
	})
	if err != nil {
		return err
	}
	return writeTexts(ctx, l, "order_places", t.places.fresh, func(c *cells, p *numbered[orderPlace]) {
		c.number(p.number)
		c.text(p.value.country)
		c.text(p.value.region)
	})
}

func writeTexts[T any](ctx context.Context, l *load, table string, rows []T, put func(*cells, *T)) error {
	if len(rows) == 0 {
		return nil
	}
	columns, err := l.w.columns(ctx, l.conn, table)
	if err == nil {
		err = l.engine.feeds.insert(ctx, l.conn, l.w.table(table), columns, block[T]{rows: rows, put: put}, 1)
	}
	if err != nil {
		return fmt.Errorf("rows of %s: %w", table, err)
	}
	return nil
}

// orderColumns are the columns of the view orders, from rows r, kinds k and places p. The rest of the statement is
// orderJoins.
const (
	orderColumns = `k.source, r.key, coalesce(r.name, r.key) AS name, r.placed_at, r.day, k.surface, r.customer, k.channel,
    r.charged, r.tax, r.shipping, r.discounts, r.original, k.original_currency, k.status, k.cancelled, k.test,
    p.country, p.region, r.units, r.updated_at`
	orderJoins = `
INNER JOIN {{order_kinds}} k ON k.kind = r.kind
INNER JOIN {{order_places}} p ON p.place = r.place`
)

// latestOrder leaves one row per key: the latest version of an order, and of versions with the same date the last one
// in the import.
const latestOrder = `
QUALIFY row_number() OVER (PARTITION BY k.source, r.key
    ORDER BY coalesce(r.updated_at, TIMESTAMP '9999-12-31 00:00:00') DESC, r.rowid DESC) = 1`

// spellOut creates stage_orders: the imported orders with all texts, without duplicates.
func (m *merge) spellOut(ctx context.Context) error {
	p := m.buffers.of(orders)
	if p.rows == 0 || p.direct {
		return nil
	}
	once := ""
	if p.unordered {
		once = latestOrder
	}
	return m.exec(ctx, "CREATE TEMP TABLE stage_orders AS SELECT "+orderColumns+" FROM stage_order_rows r"+orderJoins+once+
		"; DROP TABLE stage_order_rows")
}

// settleOrders fixes rows written directly into the empty order table.
func (m *merge) settleOrders(ctx context.Context, p *part) error {
	if !p.unordered && !p.unsorted {
		return nil
	}
	once := ""
	if p.unordered {
		once = latestOrder
	}
	return m.exec(ctx, `
CREATE TEMP TABLE stage_order_rows AS SELECT r.* FROM {{order_rows}} r INNER JOIN {{order_kinds}} k ON k.kind = r.kind`+once+`;
DELETE FROM {{order_rows}};
INSERT INTO {{order_rows}} SELECT * FROM stage_order_rows ORDER BY placed_at, key;
DROP TABLE stage_order_rows`)
}

// insertOrders inserts the orders of changed_orders.
const insertOrders = `
INSERT INTO {{order_rows}}
SELECT o.key, nullif(o.name, o.key), o.placed_at, o.day, o.customer, o.charged, o.tax, o.shipping, o.discounts, o.original,
    o.units, o.updated_at, k.kind, p.place
FROM changed_orders o
INNER JOIN {{order_kinds}} k ON k.source = o.source AND k.surface = o.surface AND k.channel = o.channel
    AND k.original_currency = o.original_currency AND k.status = o.status AND k.cancelled = o.cancelled AND k.test = o.test
INNER JOIN {{order_places}} p ON p.country = o.country AND p.region = o.region
ORDER BY o.placed_at, o.key`

// deleteOrders deletes the orders with keys in changed_orders.
const deleteOrders = `
DELETE FROM {{order_rows}} r USING changed_orders o, {{order_kinds}} k
WHERE k.kind = r.kind AND k.source = o.source AND r.key = o.key`
