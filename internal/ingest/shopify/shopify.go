// Package shopify reads orders and customers of Shopify: the orders export of the admin, tables of connectors, and
// documents of its APIs.
//
// The orders export has one row per line item. The order's own fields are only in its first row. The order's next rows
// repeat the name, the email address and the time. An order's key is its numeric ID. Old exports have no IDs and use
// the order's name as key. If exports with and without IDs contain the same order, the reader cannot match the two
// records and reports a warning. The reader does not read names, streets and phone numbers.
package shopify

import (
	"cmp"
	"strings"

	"assay/internal/ingest/source"
	"assay/internal/money"
)

// System is the system of record in the references of Shopify orders.
const System = "shopify"

// OrdersSource is the source of orders and refunds in the import ledger, from any origin.
const OrdersSource = "shopify_orders"

// columns lists the columns that the reader uses. The export has 79 columns; older exports have fewer.
var columns = []source.Column{
	{Field: "name", Names: []string{"name"}},
	{Field: "id", Names: []string{"id"}},
	{Field: "email", Names: []string{"email"}},
	{Field: "status", Names: []string{"financial status"}},
	{Field: "created", Names: []string{"created at"}},
	{Field: "cancelled", Names: []string{"cancelled at"}},
	{Field: "currency", Names: []string{"currency"}},
	{Field: "subtotal", Names: []string{"subtotal"}},
	{Field: "shipping", Names: []string{"shipping"}},
	{Field: "taxes", Names: []string{"taxes"}},
	{Field: "total", Names: []string{"total"}},
	{Field: "code", Names: []string{"discount code"}},
	{Field: "discount", Names: []string{"discount amount"}},
	{Field: "refunded", Names: []string{"refunded amount"}},
	{Field: "payment", Names: []string{"payment method"}},
	{Field: "tags", Names: []string{"tags"}},
	{Field: "source", Names: []string{"source"}},
	{Field: "quantity", Names: []string{"lineitem quantity"}},
	{Field: "title", Names: []string{"lineitem name"}},
	{Field: "price", Names: []string{"lineitem price"}},
	{Field: "sku", Names: []string{"lineitem sku"}},
	{Field: "line_discount", Names: []string{"lineitem discount"}},
	{Field: "ship_country", Names: []string{"shipping country"}},
	{Field: "ship_region", Names: []string{"shipping province"}},
	{Field: "bill_country", Names: []string{"billing country"}},
	{Field: "bill_region", Names: []string{"billing province"}},
}

// required lists the required columns.
var required = []string{"name", "created", "currency", "total", "quantity", "title", "price"}

// Orders returns the reader of the orders export.
func Orders() source.Reader { return reader{} }

type reader struct{}

// Name implements [source.Reader].
func (reader) Name() string { return OrdersSource }

// Title implements [source.Reader].
func (reader) Title() string { return "Shopify orders export" }

// Fit implements [source.Reader].
func (reader) Fit(h source.Header) source.Fit { return source.FitOf(h, columns, required) }

// Open implements [source.Reader].
func (reader) Open(t source.Table, o source.Options) (source.Rows, error) {
	at := placesOf(t.Header)
	r := &rows{
		at: at, header: t.Header, options: o,
		notation:  source.NotationOf(t.Column(at.total), t.Column(at.price), t.Column(at.subtotal)),
		order:     cmp.Or(o.Order, source.DayOrderOf(t.Column(at.created))),
		orders:    source.NewOrders(o),
		people:    source.NewCustomers(o.HashKey),
		countries: source.NewCountries(),
		hasher:    source.NewHasher(),
	}
	if at.id < 0 {
		o.Notes.Add("orders_without_id", "the file has no Id column: orders are identified by name and do not match orders imported with an ID")
	}
	return r, nil
}

// places contains the indices of columns, or -1 for missing columns.
type places struct {
	name, id, email, status, created, cancelled, currency           int
	subtotal, shipping, taxes, total, code, discount, refunded      int
	payment, tags, source, quantity, title, price, sku, lineReduced int
	shipCountry, shipRegion, billCountry, billRegion                int
}

func placesOf(h source.Header) places {
	found := h.Place(columns)
	at := func(field string) int {
		if i, ok := found[field]; ok {
			return i
		}
		return -1
	}
	return places{
		name: at("name"), id: at("id"), email: at("email"), status: at("status"), created: at("created"),
		cancelled: at("cancelled"), currency: at("currency"), subtotal: at("subtotal"), shipping: at("shipping"),
		taxes: at("taxes"), total: at("total"), code: at("code"), discount: at("discount"), refunded: at("refunded"),
		payment: at("payment"), tags: at("tags"), source: at("source"), quantity: at("quantity"), title: at("title"),
		price: at("price"), sku: at("sku"), lineReduced: at("line_discount"), shipCountry: at("ship_country"),
		shipRegion: at("ship_region"), billCountry: at("bill_country"), billRegion: at("bill_region"),
	}
}

// isTest reports whether an order is a test order.
func isTest(payment, tags string) bool {
	if strings.Contains(strings.ToLower(payment), "bogus") {
		return true
	}
	for tag := range strings.SplitSeq(tags, ",") {
		if tag = source.Fold(tag); tag == "test" || tag == "test order" {
			return true
		}
	}
	return false
}

// discounts returns the sum of all discounts. Depending on the kind of discount, the discount amount of the order
// includes or excludes the discounts of its lines. The sum is therefore between two bounds. The difference between the
// price of the goods and the subtotal determines the sum between these bounds.
func discounts(order, lines, goods, subtotal int64) int64 {
	return min(max(goods-subtotal, order, lines), order+lines)
}

// amounts contains the amounts in an order's first row.
type amounts struct{ subtotal, shipping, taxes, total, discount, refunded int64 }

func (r *rows) amounts(fields []string, c money.Currency) (a amounts, err *source.RowError) {
	for _, cell := range []struct {
		at   int
		into *int64
	}{
		{r.at.subtotal, &a.subtotal},
		{r.at.shipping, &a.shipping},
		{r.at.taxes, &a.taxes},
		{r.at.total, &a.total},
		{r.at.discount, &a.discount},
		{r.at.refunded, &a.refunded},
	} {
		if err := r.money(fields, cell.at, c, cell.into); err != nil {
			return a, err
		}
	}
	return a, nil
}
