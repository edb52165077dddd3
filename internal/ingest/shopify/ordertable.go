package shopify

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"assay/internal/fault"
	"assay/internal/ingest/document"
	"assay/internal/ingest/source"
	"assay/internal/ingest/tabular"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// orderTable reads the table in which connectors store orders. Its columns are members of the REST API's documents.
// Some connectors write nested members into separate columns (shipping_address_country_code), others as JSON. The
// reader converts each row to a REST document, so the order equals the order from webhooks and Singer taps.
type orderTable struct{}

// Name implements [source.Reader].
func (orderTable) Name() string { return "shopify_landed" }

// Title implements [source.Reader].
func (orderTable) Title() string { return "Shopify orders (warehouse table)" }

// orderMembers maps columns to members of the document. A member is a path with parts separated by dots.
var orderMembers = []source.Column{
	{Field: "id", Names: []string{"id"}},
	{Field: "name", Names: []string{"name"}},
	{Field: "created_at", Names: []string{"created at"}},
	{Field: "updated_at", Names: []string{"updated at"}},
	{Field: "cancelled_at", Names: []string{"cancelled at"}},
	{Field: "currency", Names: []string{"currency", "total price set shop currency code", "currency code"}},
	{Field: "total_price", Names: []string{"total price", "total price set shop amount"}},
	{Field: "total_price_set", Names: []string{"total price set"}},
	{Field: "subtotal_price", Names: []string{"subtotal price", "subtotal price set shop amount"}},
	{Field: "total_tax", Names: []string{"total tax", "total tax set shop amount"}},
	{Field: "total_discounts", Names: []string{"total discounts", "total discounts set shop amount"}},
	{Field: "total_shipping_price_set.shop_money.amount", Names: []string{"total shipping price set shop amount", "total shipping price set shop money amount"}},
	{Field: "total_shipping_price_set", Names: []string{"total shipping price set"}},
	{Field: "shipping_lines", Names: []string{"shipping lines"}},
	{Field: "financial_status", Names: []string{"financial status", "display financial status"}},
	{Field: "test", Names: []string{"test"}},
	{Field: "tags", Names: []string{"tags"}},
	{Field: "payment_gateway_names", Names: []string{"payment gateway names"}},
	{Field: "source_name", Names: []string{"source name"}},
	{Field: "landing_site", Names: []string{"landing site", "landing site base url"}},
	{Field: "email", Names: []string{"email"}},
	{Field: "contact_email", Names: []string{"contact email"}},
	{Field: "customer.id", Names: []string{"customer id"}},
	{Field: "customer.email", Names: []string{"customer email"}},
	{Field: "customer", Names: []string{"customer"}},
	{Field: "shipping_address.country_code", Names: []string{"shipping address country code", "shipping address country code v2"}},
	{Field: "shipping_address.province_code", Names: []string{"shipping address province code"}},
	{Field: "shipping_address", Names: []string{"shipping address"}},
	{Field: "billing_address.country_code", Names: []string{"billing address country code", "billing address country code v2"}},
	{Field: "billing_address.province_code", Names: []string{"billing address province code"}},
	{Field: "billing_address", Names: []string{"billing address"}},
	{Field: "line_items", Names: []string{"line items"}},
	{Field: "discount_codes", Names: []string{"discount codes"}},
	{Field: "refunds", Names: []string{"refunds"}},
}

// These variables contain the names of members with nested members (holders) or with a list of texts (lists). All other
// members are text, even if the text looks like JSON.
var (
	holders = []string{
		"total_price_set", "total_shipping_price_set", "shipping_lines", "customer", "shipping_address", "billing_address", "line_items",
		"discount_codes", "refunds",
	}
	lists = []string{"tags", "payment_gateway_names"}
)

// Columns that are not part of the document.
const (
	deleted   = "fivetran deleted"
	signature = "processed at" // the column signature: no other table of orders has it
)

var orderRow = []string{"dlt id", "airbyte orders hashid"}

// orderNeeds lists the required columns.
var orderNeeds = []string{"id", "created_at", "total_price", "financial_status", "processed_at"}

// Columns implements [source.Described].
func (orderTable) Columns() []source.Column {
	return append(slices.Clone(orderMembers), source.Column{Field: "processed_at", Names: []string{signature}},
		source.Column{Field: "row", Names: orderRow}, source.Column{Field: "deleted", Names: []string{deleted}})
}

// Needs implements [source.Described].
func (orderTable) Needs() []string { return orderNeeds }

// Fit implements [source.Reader].
func (t orderTable) Fit(h source.Header) source.Fit { return source.FitOf(h, t.Columns(), orderNeeds) }

// Open implements [source.Reader].
func (t orderTable) Open(table source.Table, o source.Options) (source.Rows, error) {
	utc := o
	utc.Zone = time.UTC // connectors write times without an offset in UTC
	r := &orderTableRows{
		header: table.Header, options: o, reader: NewDocuments(utc), orders: source.NewOrders(o), gathered: map[string]*landedSale{},
		at: table.Header.Place(t.Columns()), row: table.Header.Index(orderRow...), deleted: table.Header.Index(deleted),
	}
	if _, present := r.at["currency"]; !present {
		r.currency = o.AssumedCurrency()
	}
	if _, whole := r.at["line_items"]; !whole {
		o.Notes.Add("orders_only", "the table contains only orders: line items, discounts, codes and refunds are in other tables, which can be imported before or after it")
	}
	r.members = membersOf(r.at)
	return r, nil
}

// tableMember is a member of the document: one column with the whole member, or columns with its parts.
type tableMember struct {
	name  string
	whole int // -1: none
	parts []tablePart
}

type tablePart struct {
	path []string
	at   int
}

// filled reports whether a column of a part has a value.
func (m tableMember) filled(fields []string) bool {
	return slices.ContainsFunc(m.parts, func(p tablePart) bool { return source.Cell(fields, p.at) != "" })
}

// membersOf groups the columns of the table by member of the order document.
func membersOf(at map[string]int) (members []tableMember) {
	for _, c := range orderMembers {
		column, there := at[c.Field]
		if !there {
			continue
		}
		path := strings.Split(c.Field, ".")
		i := slices.IndexFunc(members, func(m tableMember) bool { return m.name == path[0] })
		if i < 0 {
			i = len(members)
			members = append(members, tableMember{name: path[0], whole: -1})
		}
		if len(path) == 1 {
			members[i].whole = column
		} else {
			members[i].parts = append(members[i].parts, tablePart{path[1:], column})
		}
	}
	return members
}

// landedSale is an order of the table with the sum of its lines.
type landedSale struct {
	source.Sale
	landed warehouse.LandedOrder
}

// orderTableRows reads the table. If the rows are sorted by key, it adds each order immediately. Otherwise, it collects
// the rows and uses the latest version of each order. An append-only table has every version of an order.
type orderTableRows struct {
	header       source.Header
	options      source.Options
	reader       *Documents
	orders       *source.Orders
	members      []tableMember
	at           map[string]int
	row, deleted int
	currency     money.Currency // currency of a table without a currency
	text         bytes.Buffer   // document of a row
	doc          document.Object
	one          landedSale
	gathered     map[string]*landedSale
	lines        int // upper bound of the line items of the gathered orders
}

// Skip implements [source.Rows]. It returns false, because every row is part of an order.
func (r *orderTableRows) Skip([]string) bool { return false }

// Add implements [source.Rows].
func (r *orderTableRows) Add(rec tabular.Record, b *warehouse.Batch) error {
	if id := source.Cell(rec.Fields, r.at["id"]); source.Shortened(id) {
		return source.ShortenedID(rec.Line, r.header.Name(r.at["id"]), id, "import the table as the connector wrote it")
	}
	if err := r.read(rec, &r.one); err != nil {
		return source.Located(err, rec.Line, 1)
	}
	s := &r.one
	if !r.options.Scattered {
		return r.handOver(s, b)
	}
	before := r.gathered[s.Order.Key]
	if before != nil {
		r.options.Notes.Add("orders_versions", "the table has several versions of an order: the latest is used")
		s.Rows += before.Rows
		if before.Order.UpdatedAt.After(s.Order.UpdatedAt) {
			before.Rows = s.Rows
			return nil
		}
	}
	if r.lines += len(s.Lines); r.lines > source.MostHeld {
		return fault.Invalid("the table is not sorted by order ID, and its orders have more than %d line items", source.MostHeld).
			WithHint("sort the table by id, or import it in parts")
	}
	kept := *s
	kept.Lines, kept.Refunds, kept.Coupons, kept.Touches = slices.Clone(s.Lines), slices.Clone(s.Refunds), slices.Clone(s.Coupons), slices.Clone(s.Touches)
	kept.Ties = slices.Clone(s.Ties)
	r.gathered[s.Order.Key] = &kept
	return nil
}

func (r *orderTableRows) read(rec tabular.Record, s *landedSale) error {
	if err := r.document(rec.Fields); err != nil {
		return err
	}
	r.doc.Read(document.Value(r.text.String()))
	if _, err := r.reader.Order(&r.doc, &s.Sale); err != nil {
		return err
	}
	s.Line, s.Rows = rec.Line, 1
	o := &s.Order
	if at, present := r.at["updated_at"]; !present || source.Cell(rec.Fields, at) == "" {
		o.UpdatedAt = time.Time{}
	}
	if isTrue(source.Cell(rec.Fields, r.deleted)) {
		o.Cancelled = true
		r.options.Notes.Add("orders_deleted", "orders deleted in the shop are treated as canceled")
	}
	s.landed = warehouse.LandedOrder{OrderRef: o.OrderRef, Row: source.Cell(rec.Fields, r.row), Discounts: o.Discounts, UpdatedAt: o.UpdatedAt}
	if cell := source.Cell(rec.Fields, r.place("subtotal_price")); cell != "" {
		var err error
		if s.landed.Subtotal, err = source.Money(cell, s.Currency, money.Point); err != nil {
			return source.Unreadable(rec.Line, r.header.Name(r.place("subtotal_price")), cell, err)
		}
		s.landed.SubtotalKnown = true
	}
	return nil
}

func (r *orderTableRows) place(field string) int {
	if at, there := r.at[field]; there {
		return at
	}
	return -1
}

func isTrue(cell string) bool { return strings.EqualFold(cell, "true") || cell == "1" }

// document writes the row as a document of the REST API.
func (r *orderTableRows) document(fields []string) error {
	r.text.Reset()
	r.text.WriteByte('{')
	r.put("currency", string(r.currency))
	for _, m := range r.members {
		cell := source.Cell(fields, m.whole)
		if m.name == "test" && isTrue(cell) {
			cell = "true"
		}
		nested, holds := strings.HasPrefix(cell, "{") || strings.HasPrefix(cell, "["), slices.Contains(holders, m.name)
		valid := nested && json.Valid([]byte(cell))
		switch {
		case holds && nested && !valid:
			return &source.RowError{Column: r.header.Name(m.whole), Reason: "the nested value is not JSON", Fix: "export nested columns as JSON"}
		case valid && (holds || slices.Contains(lists, m.name)):
			r.member(m.name)
			r.text.WriteString(cell)
		case cell != "":
			r.put(m.name, cell)
		case m.filled(fields):
			r.nested(fields, m)
		}
	}
	r.text.WriteByte('}')
	return nil
}

// nested writes a member that is an object with values from several columns. The path of a value in the object has one
// or two names.
func (r *orderTableRows) nested(fields []string, m tableMember) {
	r.member(m.name)
	r.text.WriteByte('{')
	for _, p := range m.parts {
		cell := source.Cell(fields, p.at)
		if cell == "" {
			continue
		}
		for _, step := range p.path[:len(p.path)-1] {
			r.member(step)
			r.text.WriteByte('{')
		}
		r.put(p.path[len(p.path)-1], cell)
		r.text.WriteString(strings.Repeat("}", len(p.path)-1))
	}
	r.text.WriteByte('}')
}

// member starts a member of the document.
func (r *orderTableRows) member(name string) {
	if last := r.text.Bytes()[r.text.Len()-1]; last != '{' {
		r.text.WriteByte(',')
	}
	r.text.WriteString(`"` + name + `":`)
}

func (r *orderTableRows) put(name, text string) {
	if text == "" {
		return
	}
	r.member(name)
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // strings can always be encoded
	}
	r.text.Write(quoted)
}

// handOver adds an order to the batch.
func (r *orderTableRows) handOver(s *landedSale, b *warehouse.Batch) error {
	if err := r.orders.Add(&s.Sale, b); err != nil {
		return err
	}
	if _, whole := r.at["line_items"]; !whole {
		b.LandedOrders = append(b.LandedOrders, s.landed)
	}
	return nil
}

// Close implements [source.Rows].
func (r *orderTableRows) Close(b *warehouse.Batch) (source.Summary, error) {
	all := make([]*landedSale, 0, len(r.gathered))
	for _, s := range r.gathered {
		all = append(all, s)
	}
	slices.SortFunc(all, func(x, y *landedSale) int {
		return cmp.Or(cmp.Compare(len(x.Order.Key), len(y.Order.Key)), cmp.Compare(x.Order.Key, y.Order.Key))
	})
	var bad []error
	for _, s := range all {
		if err := r.handOver(s, b); err != nil {
			bad = append(bad, err)
		}
	}
	return source.Summary{Totals: r.orders.Totals}, errors.Join(bad...)
}
