package mapper

import (
	"errors"
	"slices"

	"assay/internal/civil"
	"assay/internal/ingest/source"
	"assay/internal/ingest/tabular"
	"assay/internal/warehouse"
)

// openOrders is the maximum number of orders that wait for further lines. If a point of sale closes two orders at the
// same time, their lines alternate in the file. In a file sorted by product, the lines of an order are far apart, and
// the reader rejects the file.
const openOrders = 4096

// Memory limits for open orders. If the open orders exceed openLines or openText, the oldest order is closed.
const (
	openLines   = 1 << 20  // line items
	openText    = 64 << 20 // bytes of rows
	reusedLines = 256      // capacity above which a group's memory is not reused
)

// lineRows reads files with one order line per row. The first line of an order contains the order's own fields.
type lineRows struct {
	shop
	limit     int
	mostLines int
	open      map[groupKey]*group
	queue     []*group // open orders, oldest first
	spare     []*group
	last      *group // group of the previous row
	lines     int    // line items of the open orders
	text      int    // bytes of the rows of the open orders
}

// groupKey distinguishes orders and their refunds. The refunds of an order on a day are one refund.
type groupKey struct {
	id       string
	refunded civil.Date // zero for the order itself
}

// group is an order or a refund while its lines are being collected.
type group struct {
	groupKey
	sale     source.Sale
	hasTotal bool  // the file contains the order's total
	onTop    int64 // tax that line prices exclude
	segments []segment
	fault    error
}

// segment is a run of adjacent rows of an order. A repeated run is a copy and adds no lines.
type segment struct {
	content uint64
	lines   int // number of lines before the segment
	text    int // bytes of the rows before the segment
}

func newLineRows(b *binding) *lineRows {
	return &lineRows{shop: newShop(b), limit: openOrders, mostLines: openLines, open: map[groupKey]*group{}}
}

// Skip implements [source.Rows]. It returns false, because Add applies the rules that skip rows.
func (r *lineRows) Skip([]string) bool { return false }

// Add implements [source.Rows].
func (r *lineRows) Add(rec tabular.Record, b *warehouse.Batch) error {
	then, err := r.action(rec.Fields, rec.Line)
	if err != nil || then == Skip {
		return err
	}
	key := groupKey{id: r.cell(rec.Fields, order)}
	if key.id == "" {
		return r.unreadable(rec.Line, order, "", errNoOrder)
	}
	if then == Refund {
		day, err := r.instant(rec.Fields, at, rec.Line)
		if err != nil {
			return err
		}
		key.refunded = civil.DayOf(day, r.options.Zone)
	}
	g := r.last
	if g == nil || g.groupKey != key {
		g, err = r.group(rec, key, then, b)
	}
	r.line(g, rec)
	r.last = g
	for r.lines > r.mostLines || r.text > openText {
		err = errors.Join(err, r.finish(b))
	}
	return err
}

// group returns the row's group. If too many groups are open, it first finishes the oldest group. In that case, it also
// returns the error of the oldest group.
func (r *lineRows) group(rec tabular.Record, key groupKey, then Action, b *warehouse.Batch) (g *group, err error) {
	if g = r.open[key]; g != nil {
		if g.fault == nil {
			r.dropCopy(g)
			g.segments = append(g.segments, segment{lines: len(g.sale.Lines), text: g.sale.Text})
		}
		return g, nil
	}
	if len(r.queue) >= r.limit {
		err = r.finish(b)
	}
	g = r.fresh()
	g.groupKey = key
	g.sale.Line = rec.Line
	g.segments = append(g.segments, segment{})
	if headless := r.head(&g.sale, rec.Fields, rec.Line); headless != nil {
		g.fault = headless
	}
	g.hasTotal = r.cell(rec.Fields, total) != ""
	r.mark(&g.sale.Order, then)
	r.open[key] = g
	r.queue = append(r.queue, g)
	return g, err
}

func (r *lineRows) fresh() *group {
	if len(r.spare) == 0 {
		return &group{}
	}
	g := r.spare[len(r.spare)-1]
	r.spare = r.spare[:len(r.spare)-1]
	return g
}

// reuse keeps the memory of a finished group for another group, without the texts of its lines.
func (r *lineRows) reuse(g *group) {
	lines := g.sale.Lines[:cap(g.sale.Lines)]
	if len(lines) > reusedLines {
		return
	}
	clear(lines)
	*g = group{sale: source.Sale{Lines: lines[:0]}, segments: g.segments[:0]}
	r.spare = append(r.spare, g)
}

// dropCopy removes the lines of the last segment if an earlier segment has the same rows.
func (r *lineRows) dropCopy(g *group) {
	last := g.segments[len(g.segments)-1]
	if !slices.ContainsFunc(g.segments[:len(g.segments)-1], func(s segment) bool { return s.content == last.content }) {
		return
	}
	r.orders.Totals.Repeated += int64(len(g.sale.Lines) - last.lines)
	r.options.Notes.Add("rows_repeated", "the rows of order %s occur twice in the file: they are counted once", source.Shown(g.id))
	r.lines -= len(g.sale.Lines) - last.lines
	r.text -= g.sale.Text - last.text
	g.sale.Lines, g.sale.Text = g.sale.Lines[:last.lines], last.text
	g.segments = g.segments[:len(g.segments)-1]
}

// line adds a row to its order. The first error of an order rejects all of its rows.
func (r *lineRows) line(g *group, rec tabular.Record) {
	g.sale.Rows++
	if g.fault != nil {
		return
	}
	g.sale.Text += rec.Size()
	r.text += rec.Size()
	last := &g.segments[len(g.segments)-1]
	last.content = r.hasher.Row(last.content, rec.Fields)
	if full := g.sale.Full(rec.Line); full != nil {
		r.reject(g, full)
		return
	}
	line, err := r.read(g, rec)
	if err != nil {
		r.reject(g, err)
		return
	}
	g.sale.Lines = append(g.sale.Lines, line)
	r.lines++
}

// reject sets the error of an order and frees its lines.
func (r *lineRows) reject(g *group, err error) {
	g.fault = err
	r.lines -= len(g.sale.Lines)
	r.text -= g.sale.Text
	g.sale.Lines, g.sale.Text, g.segments = nil, 0, nil
}

func (r *lineRows) read(g *group, rec tabular.Record) (line warehouse.OrderLine, err error) {
	c := g.sale.Currency
	if line.Quantity, err = r.count(rec.Fields, quantity, rec.Line); err != nil {
		return line, err
	}
	if line.Discount, err = r.amount(rec.Fields, lineDiscount, rec.Line, c); err != nil {
		return line, err
	}
	line.Discount = max(line.Discount, -line.Discount)
	switch {
	case r.cell(rec.Fields, net) != "":
		line.Net, err = r.amount(rec.Fields, net, rec.Line, c)
	case r.cell(rec.Fields, gross) != "":
		line.Net, err = r.amount(rec.Fields, gross, rec.Line, c)
		line.Net -= line.Discount
	default:
		line.Net, err = r.product(rec, line, g)
	}
	if err == nil {
		err = r.charges(g, rec)
	}
	if err != nil {
		return line, err
	}
	if line.Net < 0 && g.refunded.IsZero() && r.mapping.Negative == rejectNegative {
		return line, r.unreadable(rec.Line, quantity, r.cell(rec.Fields, quantity), errors.New("the line's amount is negative"))
	}
	if line.Cost, err = r.amount(rec.Fields, cost, rec.Line, c); err != nil {
		return line, err
	}
	line.CostKnown = r.cell(rec.Fields, cost) != ""
	line.SKU, line.Title = r.cell(rec.Fields, sku), r.cell(rec.Fields, title)
	return line, nil
}

// charges adds the row's tax and shipping to its order. Prices in USD, CAD and MXN exclude tax. Prices in all other
// currencies include tax.
func (r *lineRows) charges(g *group, rec tabular.Record) error {
	shipped, err := r.amount(rec.Fields, lineShipping, rec.Line, g.sale.Currency)
	if err != nil {
		return err
	}
	taxed, err := r.amount(rec.Fields, lineTax, rec.Line, g.sale.Currency)
	if err != nil {
		return err
	}
	g.sale.Order.Shipping += shipped
	g.sale.Order.Tax += taxed
	switch g.sale.Currency {
	case "USD", "CAD", "MXN":
		g.onTop += taxed
	}
	return nil
}

func (r *lineRows) product(rec tabular.Record, line warehouse.OrderLine, g *group) (int64, error) {
	cell := r.cell(rec.Fields, price)
	goods, err := source.Product(cell, line.Quantity, g.sale.Currency, r.notation)
	if err != nil {
		return 0, r.unreadable(rec.Line, price, cell, err)
	}
	if r.fields[price].negate {
		goods = -goods
	}
	return goods - line.Discount, nil
}

// finish adds the oldest open group to the batch.
func (r *lineRows) finish(b *warehouse.Batch) error {
	g := r.queue[0]
	r.queue[0] = nil
	r.queue = r.queue[1:]
	defer r.reuse(g)
	if r.last == g {
		r.last = nil
	}
	delete(r.open, g.groupKey)
	if g.fault != nil {
		return source.Located(g.fault, g.sale.Line, g.sale.Rows)
	}
	r.dropCopy(g)
	r.lines -= len(g.sale.Lines)
	r.text -= g.sale.Text
	sum := int64(0)
	for _, line := range g.sale.Lines {
		sum += line.Net
	}
	for _, s := range g.segments {
		g.sale.Content = g.sale.Content*31 + s.content
	}
	if !g.refunded.IsZero() {
		return r.giveBack(g, sum, b)
	}
	if !g.hasTotal {
		g.sale.Order.Charged = sum + g.sale.Order.Shipping + g.onTop
	}
	for _, line := range g.sale.Lines {
		g.sale.Order.Discounts += line.Discount
	}
	return r.complete(g, b)
}

// complete adds the order unless its rows are too far apart.
func (r *lineRows) complete(g *group, b *warehouse.Batch) error {
	differs, err := r.orders.Differs(&g.sale)
	if err != nil {
		return err
	}
	if differs {
		return &source.RowError{
			Line: g.sale.Line, Rows: g.sale.Rows, Column: r.header.Name(r.fields[order].at), Value: source.Shown(g.id),
			Reason: "the other rows of the order are much earlier in the file",
			Fix:    "sort the file by order",
		}
	}
	if g.sale.Order.Charged < 0 && r.mapping.Negative == refundNegative {
		return r.giveBack(g, g.sale.Order.Charged, b)
	}
	return r.orders.Add(&g.sale, b)
}

// giveBack adds the group as a refund at the time of the group's rows.
func (r *lineRows) giveBack(g *group, sum int64, b *warehouse.Batch) error {
	o := g.sale.Order
	name := o.Key
	if !g.refunded.IsZero() {
		name += " " + g.refunded.String()
	}
	return r.orders.AddReturn(&source.Return{
		Line: g.sale.Line, Rows: g.sale.Rows, Currency: g.sale.Currency, Content: g.sale.Content,
		Refund: warehouse.Refund{OrderRef: o.OrderRef, Refund: name, At: o.At, Amount: max(sum, -sum)},
	}, b)
}

// Close implements [source.Rows].
func (r *lineRows) Close(b *warehouse.Batch) (source.Summary, error) {
	var errs []error
	for len(r.queue) > 0 {
		if err := r.finish(b); err != nil {
			errs = append(errs, err)
		}
	}
	return source.Summary{Totals: r.orders.Totals}, errors.Join(errs...)
}
