package shopify

import (
	"errors"
	"strings"
	"time"

	"assay/internal/ingest/source"
	"assay/internal/ingest/tabular"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// rows collects one order at a time. An order is complete when a row of another order follows or the file ends.
type rows struct {
	at        places
	header    source.Header
	options   source.Options
	notation  money.Notation
	order     source.DayOrder
	orders    *source.Orders
	people    *source.Customers
	countries *source.Countries
	hasher    source.Hasher
	offsets   int // number of orders with an offset that was compared with the workspace's zone

	open  bool
	sale  source.Sale
	first amounts                         // amounts in the first row of the current order
	lines struct{ goods, discount int64 } // sums over the current order's lines
	fault *source.RowError                // the first error of the current order, which rejects all of its rows
}

// Skip implements [source.Rows]. It returns false, because every row of the export is part of an order.
func (r *rows) Skip([]string) bool { return false }

// Add implements [source.Rows].
func (r *rows) Add(rec tabular.Record, b *warehouse.Batch) error {
	name := source.Cell(rec.Fields, r.at.name)
	if source.Cell(rec.Fields, r.at.total) != "" {
		err := r.finish(b)
		r.begin(rec, name)
		r.line(rec)
		return err
	}
	if !r.open || name != r.sale.Order.Name {
		err := r.finish(b)
		r.open = true
		r.sale.Reset()
		r.sale.Line, r.sale.Order.Name = rec.Line, name
		r.fault = &source.RowError{
			Column: r.header.Name(r.at.name), Value: source.Shown(name),
			Reason: "the line item does not follow the rows of its order",
			Fix:    "import the export as downloaded; split an export only between orders",
		}
		r.sale.Rows++
		return err
	}
	r.line(rec)
	return nil
}

// Close implements [source.Rows].
func (r *rows) Close(b *warehouse.Batch) (source.Summary, error) {
	err := r.finish(b)
	return source.Summary{Totals: r.orders.Totals}, err
}

// finish adds the current order to the batch, or returns its error.
func (r *rows) finish(b *warehouse.Batch) error {
	if !r.open {
		return nil
	}
	r.open = false
	if r.fault != nil {
		fault := r.fault
		r.fault = nil
		fault.Rows = r.sale.Rows
		if fault.Line == 0 {
			fault.Line = r.sale.Line
		}
		return fault
	}
	r.complete()
	return r.orders.Add(&r.sale, b)
}

// begin starts the order with this first row.
func (r *rows) begin(rec tabular.Record, name string) {
	r.open, r.fault = true, nil
	r.first, r.lines.goods, r.lines.discount = amounts{}, 0, 0
	r.sale.Reset()
	r.sale.Line, r.sale.Order.Name = rec.Line, name
	cell := func(at int) string { return source.Cell(rec.Fields, at) }
	o := &r.sale.Order
	o.Source, o.Key = System, cell(r.at.id)
	if o.Key == "" {
		o.Key = name
	}
	if o.Key == "" {
		r.fail(rec.Line, r.at.name, "", errors.New("the order has neither a name nor an ID"))
		return
	}
	var err error
	if r.sale.Currency, err = money.ParseCurrency(cell(r.at.currency)); err != nil {
		r.fail(rec.Line, r.at.currency, cell(r.at.currency), err)
		return
	}
	if o.At, err = source.ParseInstant(cell(r.at.created), r.order, r.options.WrittenIn()); err != nil {
		r.fail(rec.Line, r.at.created, cell(r.at.created), err)
		return
	}
	r.compareZone(cell(r.at.created), o.At)
	first, fault := r.amounts(rec.Fields, r.sale.Currency)
	if fault != nil {
		fault.Line, r.fault = rec.Line, fault
		return
	}
	r.first = first
	r.describe(cell)
}

// describe sets the fields of the order from its first row, except key, currency and time.
func (r *rows) describe(cell func(at int) string) {
	o := &r.sale.Order
	o.Charged, o.Tax, o.Shipping = r.first.total, r.first.taxes, r.first.shipping
	o.Status = strings.ToLower(cell(r.at.status))
	o.Cancelled = cell(r.at.cancelled) != "" || o.Status == "voided"
	o.Test = isTest(cell(r.at.payment), cell(r.at.tags))
	o.Customer = r.people.Hash(cell(r.at.email))
	o.Surface = r.surface(cell(r.at.source))
	o.Country, o.Region = r.place(cell(r.at.shipCountry), cell(r.at.shipRegion))
	if o.Country == "" {
		o.Country, o.Region = r.place(cell(r.at.billCountry), cell(r.at.billRegion))
	}
	r.sale.Coupons = source.CouponsOf(r.sale.Coupons, cell(r.at.code), r.first.discount)
	if r.first.refunded != 0 {
		r.sale.Refunds = append(r.sale.Refunds, warehouse.Refund{Refund: "total", Amount: r.first.refunded, DateUnknown: true})
	}
}

// line adds the row's line item to the current order. A row without a quantity has no line item.
func (r *rows) line(rec tabular.Record) {
	r.sale.Rows++
	r.sale.Text += rec.Size()
	r.sale.Content = r.hasher.Row(r.sale.Content, rec.Fields)
	quantity := source.Cell(rec.Fields, r.at.quantity)
	if r.fault != nil || quantity == "" {
		return
	}
	if r.fault = r.sale.Full(rec.Line); r.fault != nil {
		return
	}
	count, err := source.Count(quantity, r.notation)
	if err != nil {
		r.fail(rec.Line, r.at.quantity, quantity, err)
		return
	}
	var reduced int64
	if fault := r.money(rec.Fields, r.at.lineReduced, r.sale.Currency, &reduced); fault != nil {
		fault.Line, r.fault = rec.Line, fault
		return
	}
	price := source.Cell(rec.Fields, r.at.price)
	goods, err := source.Product(price, count, r.sale.Currency, r.notation)
	if err != nil {
		r.fail(rec.Line, r.at.price, price, err)
		return
	}
	r.lines.goods += goods
	r.lines.discount += reduced
	r.sale.Lines = append(r.sale.Lines, warehouse.OrderLine{
		SKU: source.Cell(rec.Fields, r.at.sku), Title: source.Cell(rec.Fields, r.at.title),
		Quantity: count, Net: goods - reduced, Discount: reduced,
	})
}

// complete sets the fields that depend on all lines.
func (r *rows) complete() {
	spreadDiscount(r.sale.Lines, r.first.subtotal, r.first.discount)
	r.sale.Order.Discounts = discounts(r.first.discount, r.lines.discount, r.lines.goods, r.first.subtotal)
}

func (r *rows) fail(line, column int, cell string, why error) {
	r.fault = source.Unreadable(line, r.header.Name(column), cell, why)
}

// money reads an amount. An empty cell leaves the amount unchanged.
func (r *rows) money(fields []string, at int, c money.Currency, into *int64) *source.RowError {
	cell := source.Cell(fields, at)
	if cell == "" {
		return nil
	}
	minor, err := source.Money(cell, c, r.notation)
	if err != nil {
		return source.Unreadable(0, r.header.Name(at), cell, err)
	}
	*into = minor
	return nil
}

func (r *rows) surface(name string) measure.Surface {
	s, ok := source.Surface(name)
	if !ok {
		r.options.Notes.Add("surface_unknown", "unknown sales channel %q: its orders are assigned to the online store", source.Shown(name))
		return measure.OnlineStore
	}
	return s
}

func (r *rows) place(country, region string) (code, subdivision string) {
	code, ok := r.countries.Code(country)
	if !ok {
		r.options.Notes.Add("country_unknown", "%q is not a known country: its orders have no country", source.Shown(country))
		return "", ""
	}
	return code, source.Region(region, code)
}

// compareZone warns if the shop's time zone differs from the workspace's, because days then start at different times.
func (r *rows) compareZone(created string, at time.Time) {
	const enough = 100
	if r.offsets >= enough || len(created) < len("+0000") {
		return
	}
	r.offsets++
	offset := created[len(created)-len("+0000"):]
	if own := at.In(r.options.Zone).Format("-0700"); (offset[0] == '+' || offset[0] == '-') && offset != own {
		r.options.Notes.Add("zone_differs", "the shop's UTC offset is %s, but the offset of the workspace's time zone (%s) is %s: daily totals differ from the shop's own reports", offset, r.options.Zone, own)
	}
}
