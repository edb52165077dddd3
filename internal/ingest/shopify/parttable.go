package shopify

import (
	"cmp"
	"errors"
	"strconv"
	"strings"
	"time"

	"assay/internal/ingest/source"
	"assay/internal/ingest/tabular"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// partTable reads a table in which connectors store a part of orders: line items, discounts of line items, or discount
// codes. The store keeps the rows unchanged and derives the orders' lines and coupons from these rows.
type partTable struct {
	name, title string
	columns     []source.Column
	needs       []string
	add         func(r *partRows, rec tabular.Record, b *warehouse.Batch) error
}

// These columns occur in several tables of parts. If a connector writes nested members into separate tables, these
// tables refer to the order by the connector's row ID.
var (
	ofOrder    = source.Column{Field: "order", Names: []string{"order id", "sdc source key id"}}
	ofOrderRow = source.Column{Field: "order_row", Names: []string{"dlt parent id", "airbyte orders hashid"}}
	synced     = source.Column{Field: "synced", Names: []string{"fivetran synced", "airbyte extracted at", "airbyte emitted at", "dlt load id"}}
	removed    = source.Column{Field: "gone", Names: []string{deleted}}
	ordinal    = source.Column{Field: "place", Names: []string{"index", "dlt list idx", "sdc level 0 id"}}
)

// parts returns the readers of tables that contain parts of orders. For a table without a distinct column, the last
// required column is its signature.
func parts() []source.Reader {
	return []source.Reader{
		partTable{
			name: "shopify_order_lines", title: "Shopify order lines (warehouse table)", add: (*partRows).line,
			columns: []source.Column{
				{Field: "id", Names: []string{"id"}},
				{Field: "quantity", Names: []string{"quantity"}},
				{Field: "price", Names: []string{"price", "original total set shop amount", "price set shop money amount"}},
				{Field: "title", Names: []string{"title", "name"}},
				{Field: "shippable", Names: []string{"requires shipping", "gift card", "is gift card", "fulfillable quantity", "unfulfilled quantity"}},
				ofOrder, ofOrderRow,
				{Field: "total", Names: []string{"original total set shop amount"}},
				{Field: "sku", Names: []string{"sku"}},
				{Field: "discount", Names: []string{"total discount", "total discount set shop amount"}},
				{Field: "currency", Names: []string{"original total set shop currency code", "price set shop money currency code"}},
				{Field: "row", Names: []string{"dlt id", "airbyte line items hashid"}},
				ordinal, removed, synced,
			},
			needs: []string{"id", "quantity", "price", "title", "shippable"},
		},
		partTable{
			name: "shopify_line_discounts", title: "Shopify discounts of order lines (warehouse table)", add: (*partRows).discount,
			columns: []source.Column{
				{Field: "line", Names: []string{"order line id", "dlt parent id", "airbyte line items hashid"}},
				{Field: "amount", Names: []string{"amount", "amount set shop money amount", "allocated amount set shop amount", "allocated amount set shop money amount"}},
				{Field: "application", Names: []string{"discount application index"}},
				{Field: "currency", Names: []string{"amount set shop money currency code", "allocated amount set shop currency code", "allocated amount set shop money currency code"}},
				ordinal, removed, synced,
			},
			needs: []string{"line", "amount", "application"},
		},
		partTable{
			name: "shopify_order_codes", title: "Shopify discount codes of orders (warehouse table)", add: (*partRows).code,
			columns: []source.Column{
				{Field: "code", Names: []string{"code"}},
				ofOrder, ofOrderRow,
				{Field: "amount", Names: []string{"amount"}},
				{Field: "type", Names: []string{"type"}},
				ordinal, removed, synced,
			},
			needs: []string{"code"},
		},
	}
}

// Name implements [source.Reader].
func (t partTable) Name() string { return t.name }

// Title implements [source.Reader].
func (t partTable) Title() string { return t.title }

// Columns implements [source.Described].
func (t partTable) Columns() []source.Column { return t.columns }

// Needs implements [source.Described].
func (t partTable) Needs() []string { return t.needs }

// others lists columns of tables that resemble a table of codes.
var others = []string{"carrier identifier", "discounted price", "target type", "checkout id", "discount id", "value type", "price", "gateway", "kind", "rate"}

// Fit implements [source.Reader].
func (t partTable) Fit(h source.Header) source.Fit {
	fit := source.FitOf(h, t.columns, t.needs)
	if t.places(h, "order", "line") < 0 && t.places(h, "order_row") < 0 {
		fit.Missing = append(fit.Missing, ofOrder.Names[0])
	}
	if t.name != "shopify_order_codes" {
		return fit
	}
	if h.Index(ordinal.Names...) < 0 {
		fit.Missing = append(fit.Missing, ordinal.Names[0])
	}
	for _, other := range others {
		if h.Index(other) >= 0 {
			fit.Missing = append(fit.Missing, "a table without "+other)
		}
	}
	return fit
}

// places returns the indices of the fields, or -1 for a missing field.
func (t partTable) places(h source.Header, fields ...string) int {
	at := h.Place(t.columns)
	for _, field := range fields {
		if i, there := at[field]; there {
			return i
		}
	}
	return -1
}

// Open implements [source.Reader].
func (t partTable) Open(table source.Table, o source.Options) (source.Rows, error) {
	r := &partRows{table: t, at: table.Header.Place(t.columns), header: table.Header, options: o}
	if _, present := r.at["currency"]; !present {
		r.assumed = o.AssumedCurrency()
	}
	return r, nil
}

type partRows struct {
	table   partTable
	at      map[string]int
	header  source.Header
	options source.Options
	assumed money.Currency
}

func (r *partRows) cell(rec tabular.Record, field string) string {
	if i, ok := r.at[field]; ok {
		return source.Cell(rec.Fields, i)
	}
	return ""
}

func (r *partRows) wrong(rec tabular.Record, field string, err error) error {
	return source.Unreadable(rec.Line, r.header.Name(r.at[field]), r.cell(rec, field), err)
}

// Skip implements [source.Rows].
func (r *partRows) Skip([]string) bool { return false }

// Add implements [source.Rows].
func (r *partRows) Add(rec tabular.Record, b *warehouse.Batch) error {
	for _, field := range []string{"id", "order", "line"} {
		if id := r.cell(rec, field); source.Shortened(id) {
			return source.ShortenedID(rec.Line, r.header.Name(r.at[field]), id, "import the table as the connector wrote it")
		}
	}
	return r.table.add(r, rec, b)
}

// Close implements [source.Rows].
func (r *partRows) Close(*warehouse.Batch) (source.Summary, error) {
	return source.Summary{Totals: source.NewTotals()}, nil
}

func (r *partRows) line(rec tabular.Record, b *warehouse.Batch) (err error) {
	l := warehouse.LandedLine{
		Source: System, Order: r.order(rec), ID: tail(r.cell(rec, "id")), Row: r.cell(rec, "row"), SKU: r.cell(rec, "sku"), Title: r.cell(rec, "title"),
		Gone: isTrue(r.cell(rec, "gone")), SyncedAt: r.synced(rec),
	}
	if l.Order == "" || l.ID == "" {
		r.options.Notes.Add("lines_unnamed", "lines without an ID or without the ID of an order are skipped")
		return nil
	}
	if l.Currency, err = r.currency(rec); err != nil {
		return err
	}
	if l.Place, err = r.place(rec); err != nil {
		return err
	}
	if l.Quantity, err = source.Count(cmp.Or(r.cell(rec, "quantity"), "0"), money.Point); err != nil {
		return r.wrong(rec, "quantity", err)
	}
	if _, present := r.at["total"]; present {
		l.Gross, err = r.money(rec, "total", l.Currency)
	} else if l.Gross, err = source.Product(cmp.Or(r.cell(rec, "price"), "0"), l.Quantity, l.Currency, money.Point); err != nil {
		err = r.wrong(rec, "price", err)
	}
	if err != nil {
		return err
	}
	if l.Discount, err = r.money(rec, "discount", l.Currency); err != nil {
		return err
	}
	b.LandedLines = append(b.LandedLines, l)
	return nil
}

func (r *partRows) discount(rec tabular.Record, b *warehouse.Batch) (err error) {
	d := warehouse.LandedDiscount{Source: System, Line: tail(r.cell(rec, "line")), SyncedAt: r.synced(rec)}
	if d.Line == "" {
		r.options.Notes.Add("discounts_unnamed", "discounts without the ID of a line are skipped")
		return nil
	}
	if d.Currency, err = r.currency(rec); err != nil {
		return err
	}
	if d.Place, err = r.place(rec); err != nil {
		return err
	}
	if !isTrue(r.cell(rec, "gone")) {
		if d.Amount, err = r.money(rec, "amount", d.Currency); err != nil {
			return err
		}
	}
	b.LandedDiscounts = append(b.LandedDiscounts, d)
	return nil
}

func (r *partRows) code(rec tabular.Record, b *warehouse.Batch) (err error) {
	c := warehouse.LandedCode{
		Source: System, Order: r.order(rec), Code: strings.ToUpper(r.cell(rec, "code")), AmountKnown: r.cell(rec, "amount") != "",
		Gone: isTrue(r.cell(rec, "gone")), SyncedAt: r.synced(rec),
	}
	if c.Order == "" || c.Code == "" {
		r.options.Notes.Add("codes_unnamed", "rows without a code or without the ID of an order are skipped")
		return nil
	}
	if c.Currency, err = r.currency(rec); err != nil {
		return err
	}
	if c.Amount, err = r.money(rec, "amount", c.Currency); err != nil {
		return err
	}
	b.LandedCodes = append(b.LandedCodes, c)
	return nil
}

// order returns the row's reference to its order.
func (r *partRows) order(rec tabular.Record) string {
	return cmp.Or(tail(r.cell(rec, "order")), r.cell(rec, "order_row"))
}

func (r *partRows) currency(rec tabular.Record) (money.Currency, error) {
	if r.assumed != "" {
		return r.assumed, nil
	}
	c, err := money.ParseCurrency(r.cell(rec, "currency"))
	if err != nil {
		return "", r.wrong(rec, "currency", err)
	}
	return c, nil
}

// place returns the position of the part in its order or line, or 0 if the table has no position.
func (r *partRows) place(rec tabular.Record) (int64, error) {
	cell := r.cell(rec, "place")
	if cell == "" {
		return 0, nil
	}
	n, err := source.Count(cell, money.Point)
	if err != nil {
		return 0, r.wrong(rec, "place", err)
	}
	return n, nil
}

func (r *partRows) money(rec tabular.Record, field string, c money.Currency) (int64, error) {
	cell := r.cell(rec, field)
	if cell == "" {
		return 0, nil
	}
	n, err := source.Money(cell, c, money.Point)
	if err == nil && n < 0 {
		err = errors.New("the amount is negative")
	}
	if err != nil {
		return 0, r.wrong(rec, field, err)
	}
	return n, nil
}

// synced returns the time at which the connector wrote the row. The value is a time or the ID of a dlt load, which is a
// number of seconds since 1970. For any other value, it returns the zero time.
func (r *partRows) synced(rec tabular.Record) time.Time {
	cell := strings.TrimSuffix(r.cell(rec, "synced"), " UTC")
	if at, err := source.ParseInstant(cell, source.UnknownOrder, time.UTC); err == nil {
		return at
	}
	const latest = 1 << 33 // limit of plausible seconds
	if seconds, err := strconv.ParseFloat(cell, 64); err == nil && seconds > 0 && seconds < latest {
		return time.UnixMicro(int64(seconds * 1e6)).UTC()
	}
	return time.Time{}
}
