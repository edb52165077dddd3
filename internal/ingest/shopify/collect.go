package shopify

import (
	"cmp"
	"fmt"
	"slices"

	"assay/internal/ingest/document"
	"assay/internal/ingest/source"
	"assay/internal/warehouse"
)

// Collector collects orders, refunds and customers from documents, in any order.
//
// In an import with refunds, the store assumes that the import contains all refunds of an order. Orders are therefore
// stored in up to three steps: orders without their refunds, orders with all their refunds, and refunds alone. An order
// with only a refunded total is stored at the end of the run, because a separate stream may contain the refunds. If
// these refunds add up to the total, the refunds are complete. If there are no refunds, the total becomes one refund
// without a date.
type Collector struct {
	options source.Options
	reader  *Documents
	sale    source.Sale
	room    room // memory of sales
	waiting room // memory of held orders
	sales   map[string]*sale
	held    map[string]*sale
	returns map[string]*given // by order and refund
	listed  bool              // the run has a stream of refunds
	lines   int               // upper bound of the line items of the orders in sales
	waits   int               // upper bound of the line items of the orders in held

	customers []warehouse.Profile // all versions; the store merges them
	ties      []warehouse.CustomerTie
}

type sale struct {
	source.Sale
	stream string
	gone   Gone
}

type given struct {
	source.Return
	stream string
	kept   bool
}

// Step is a part of the collection that needs a separate import.
type Step struct {
	Source string // name in the import ledger: the name of the file reader of the same facts
	What   string
	Batch  warehouse.Batch
}

// Rejected is the reason why a document was rejected.
type Rejected struct {
	Stream string
	Err    error
}

// NewCollector returns the collector of a workspace's documents.
func NewCollector(o source.Options) *Collector {
	return &Collector{
		options: o, reader: NewDocuments(o),
		sales: map[string]*sale{}, held: map[string]*sale{}, returns: map[string]*given{},
	}
}

// Expect announces refunds in separate documents.
func (c *Collector) Expect() { c.listed = true }

// Waits reports whether some orders must wait for the end of the run.
func (c *Collector) Waits() bool { return len(c.held) > 0 }

// Lines returns an upper bound for the number of line items in the next steps. It excludes the orders that wait for the
// end of the run.
func (c *Collector) Lines() int { return c.lines }

// Order adds an order of a stream. Errors are [*source.RowError]s with the line. The collector uses the version with
// the latest update time. With equal times, it uses the version that was added later.
func (c *Collector) Order(stream string, doc *document.Object, line int) error {
	gone, err := c.reader.Order(doc, &c.sale)
	if err != nil {
		return err
	}
	key := c.sale.Order.Key
	for _, earlier := range []*sale{c.sales[key], c.held[key]} {
		if earlier != nil && earlier.Order.UpdatedAt.After(c.sale.Order.UpdatedAt) {
			return nil
		}
	}
	delete(c.sales, key)
	delete(c.held, key)
	c.sale.Line, c.sale.Rows = line, 1
	if !gone.Itemised && gone.Total != 0 {
		if c.waits += len(c.sale.Lines); c.waits > source.MostHeld {
			return &source.RowError{
				Line: line, Reason: fmt.Sprintf("the orders that wait for their refunds have more than %d line items", source.MostHeld),
				Fix: "sync a shorter period at a time",
			}
		}
		c.held[key] = c.waiting.of(sale{Sale: c.sale, stream: stream, gone: gone})
		return nil
	}
	c.lines += len(c.sale.Lines)
	c.sales[key] = c.room.of(sale{Sale: c.sale, stream: stream, gone: gone})
	return nil
}

// Refund adds a refund that is not part of its order's document.
func (c *Collector) Refund(stream string, doc *document.Object, line int) error {
	r, err := c.reader.Refund(doc)
	if err != nil || r.Refund.Amount == 0 {
		return err
	}
	r.Line, r.Rows = line, 1
	c.returns[r.Refund.Key+"/"+r.Refund.Refund] = &given{Return: r, stream: stream}
	return nil
}

// Customer adds a customer. Its error is a [*source.RowError].
func (c *Collector) Customer(doc *document.Object) error {
	p, ties, err := c.reader.Customer(doc)
	if err == nil {
		c.customers, c.ties = append(c.customers, p), append(c.ties, ties...)
	}
	return err
}

// Steps returns the collection as up to four steps and empties it. At the end of the run (end = true), the steps
// include the waiting orders.
func (c *Collector) Steps(rates source.Rates, end bool) (all []Step, bad []Rejected) {
	var plain, itemized []*sale
	for _, s := range c.sales {
		if s.gone.Itemised {
			itemized = append(itemized, s)
		} else {
			plain = append(plain, s)
		}
	}
	clear(c.sales)
	c.lines = 0
	if end {
		rest, complete := c.resolve()
		plain, itemized = append(plain, rest...), append(itemized, complete...)
	}
	var alone []*given
	for _, g := range c.returns {
		if _, waits := c.held[g.Refund.Key]; !g.kept && !waits {
			g.kept = true
			alone = append(alone, g)
		}
	}
	c.options.Rates = rates
	for _, step := range []struct {
		what  string
		sales []*sale
	}{{"orders", plain}, {"orders with their refunds", itemized}} {
		if l := (Step{Source: OrdersSource, What: step.what}); len(step.sales) > 0 {
			bad = append(bad, c.fill(&l.Batch, step.sales)...)
			all = append(all, l)
		}
	}
	if l := (Step{Source: OrdersSource, What: "refunds"}); len(alone) > 0 {
		bad = append(bad, c.fillReturns(&l.Batch, alone)...)
		all = append(all, l)
	}
	if len(c.customers) > 0 {
		all = append(all, Step{Source: "shopify_customers", What: "customers", Batch: warehouse.Batch{Profiles: c.customers, Ties: c.ties}})
		c.customers, c.ties = nil, nil
	}
	return all, bad
}

// resolve determines the refunds of the waiting orders.
func (c *Collector) resolve() (plain, itemized []*sale) {
	listed := map[string][]*given{}
	for _, g := range c.returns {
		listed[g.Refund.Key] = append(listed[g.Refund.Key], g)
	}
	for key, s := range c.held {
		sum := int64(0)
		for _, g := range listed[key] {
			sum += g.Refund.Amount
		}
		switch {
		case sum == s.gone.Total:
			for _, g := range listed[key] {
				s.Refunds = append(s.Refunds, g.Refund)
				g.kept = true
			}
			slices.SortFunc(s.Refunds, func(a, b warehouse.Refund) int { return cmp.Compare(a.Refund, b.Refund) })
			itemized = append(itemized, s)
		case c.listed:
			plain = append(plain, s)
		default:
			s.Refunds = append(s.Refunds, warehouse.Refund{Refund: "total", Amount: s.gone.Total, DateUnknown: true})
			c.options.Notes.Add("refund_date_unknown", "if an order has only a refunded total, its refund is reported on the day of the order: to date each refund, select the tap's stream of refunds")
			itemized = append(itemized, s)
		}
	}
	clear(c.held)
	c.waits = 0
	return plain, itemized
}

// fill sets the day of orders, converts their amounts and adds them to the batch, oldest key first.
func (c *Collector) fill(b *warehouse.Batch, sales []*sale) (bad []Rejected) {
	slices.SortFunc(sales, func(x, y *sale) int {
		return cmp.Or(cmp.Compare(len(x.Order.Key), len(y.Order.Key)), cmp.Compare(x.Order.Key, y.Order.Key))
	})
	into := source.NewOrders(c.options)
	c.reserve(b, sales)
	for _, s := range sales {
		if err := into.Add(&s.Sale, b); err != nil {
			bad = append(bad, Rejected{s.stream, err})
		}
	}
	return bad
}

// reserve allocates the slices of the batch.
func (*Collector) reserve(b *warehouse.Batch, sales []*sale) {
	var lines, refunds, coupons, touches, ties int
	for _, s := range sales {
		lines, refunds, coupons = lines+len(s.Lines), refunds+len(s.Refunds), coupons+len(s.Coupons)
		touches, ties = touches+len(s.Touches), ties+len(s.Ties)
	}
	b.Orders, b.Lines, b.Refunds = make([]warehouse.Order, 0, len(sales)), make([]warehouse.OrderLine, 0, lines), make([]warehouse.Refund, 0, refunds)
	b.Coupons, b.Touches, b.Ties = make([]warehouse.OrderCoupon, 0, coupons), make([]warehouse.Touch, 0, touches), make([]warehouse.CustomerTie, 0, ties)
}

func (c *Collector) fillReturns(b *warehouse.Batch, alone []*given) (bad []Rejected) {
	slices.SortFunc(alone, func(x, y *given) int {
		return cmp.Or(cmp.Compare(x.Refund.Key, y.Refund.Key), cmp.Compare(x.Refund.Refund, y.Refund.Refund))
	})
	into := source.NewOrders(c.options)
	for _, g := range alone {
		copied := g.Return
		copied.Content = uint64(g.Line)
		if err := into.AddReturn(&copied, b); err != nil {
			bad = append(bad, Rejected{g.stream, err})
		}
	}
	return bad
}
