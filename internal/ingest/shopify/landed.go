package shopify

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"assay/internal/ingest/source"
	"assay/internal/ingest/tabular"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// Landed returns the readers of the tables in which connectors store orders, their parts and refunds. Refunds come from
// a table of refunds with totals or from the refunds in a table of payments. A refund has the same key as in its
// order's document.
func Landed() []source.Reader {
	return slices.Concat([]source.Reader{orderTable{}}, parts(), []source.Reader{
		landedRefunds{
			name: "shopify_refunds", title: "Shopify refunds (warehouse table)",
			columns: refundColumns(
				source.Column{Field: "refund", Names: []string{"id"}},
				source.Column{Field: "amount", Names: []string{"total refunded set shop amount", "total refunded set.shop money.amount", "total refunded set shop money amount"}},
				source.Column{Field: "currency", Names: []string{"total refunded set shop currency code", "total refunded set.shop money.currency code", "total refunded set shop money currency code"}},
			),
			needs: []string{"refund", "order", "at", "amount"},
		},
		landedRefunds{
			name: "shopify_transactions", title: "Shopify transactions (warehouse table)",
			columns: refundColumns(
				source.Column{Field: "refund", Names: []string{"refund id"}}, source.Column{Field: "payment", Names: []string{"id"}},
				source.Column{Field: "amount", Names: []string{"amount", "amount set shop amount", "amount set.shop money.amount"}},
				source.Column{Field: "currency", Names: []string{"currency", "amount set shop currency code", "amount set.shop money.currency code"}},
				source.Column{Field: "kind", Names: []string{"kind"}}, source.Column{Field: "gateway", Names: []string{"gateway"}},
				source.Column{Field: "status", Names: []string{"status"}}, source.Column{Field: "test", Names: []string{"test"}},
			),
			needs: []string{"refund", "order", "at", "amount", "kind", "gateway", "status"},
		},
	})
}

func refundColumns(own ...source.Column) []source.Column {
	return append(own, source.Column{Field: "order", Names: []string{"order id"}}, source.Column{Field: "at", Names: []string{"created at"}})
}

type landedRefunds struct {
	name, title string
	columns     []source.Column
	needs       []string
}

// Name implements [source.Reader].
func (r landedRefunds) Name() string { return r.name }

// Title implements [source.Reader].
func (r landedRefunds) Title() string { return r.title }

// Columns implements [source.Described].
func (r landedRefunds) Columns() []source.Column { return r.columns }

// Needs implements [source.Described].
func (r landedRefunds) Needs() []string { return r.needs }

// Fit implements [source.Reader].
func (r landedRefunds) Fit(h source.Header) source.Fit { return source.FitOf(h, r.columns, r.needs) }

// Open implements [source.Reader].
func (r landedRefunds) Open(t source.Table, o source.Options) (source.Rows, error) {
	rows := &refundRows{
		at: t.Header.Place(r.columns), header: t.Header, options: o, orders: source.NewOrders(o), gathered: map[warehouse.OrderRef]*source.Return{},
		counted: map[string]bool{},
	}
	_, rows.payments = rows.at["kind"]
	if _, present := rows.at["currency"]; !present {
		rows.assumed = o.AssumedCurrency()
	}
	return rows, nil
}

// refundRows collects the rows of each refund, because a refund may have several transactions with one row each. An
// append-only table repeats refunds and payments, so each refund and each payment is counted once.
type refundRows struct {
	payments bool // rows are payments; a refund is their sum
	at       map[string]int
	header   source.Header
	options  source.Options
	orders   *source.Orders
	assumed  money.Currency
	gathered map[warehouse.OrderRef]*source.Return // by order and refund
	counted  map[string]bool                       // payments that are already counted
}

func (r *refundRows) cell(fields []string, field string) string {
	if i, ok := r.at[field]; ok {
		return source.Cell(fields, i)
	}
	return ""
}

// Skip implements [source.Rows]. It skips payments that are not refunds or did not succeed.
func (r *refundRows) Skip(fields []string) bool {
	if !r.payments {
		return false
	}
	return !strings.EqualFold(r.cell(fields, "kind"), "refund") || !strings.EqualFold(r.cell(fields, "status"), "success") || strings.EqualFold(r.cell(fields, "test"), "true")
}

// Add implements [source.Rows].
func (r *refundRows) Add(rec tabular.Record, _ *warehouse.Batch) error {
	wrong := func(field, cell string, err error) error {
		return source.Unreadable(rec.Line, r.header.Name(r.at[field]), cell, err)
	}
	ref := warehouse.OrderRef{Source: System, Key: tail(r.cell(rec.Fields, "order"))}
	refund, payment := tail(r.cell(rec.Fields, "refund")), tail(r.cell(rec.Fields, "payment"))
	for _, id := range [][2]string{{"order", ref.Key}, {"refund", refund}, {"payment", payment}} {
		if source.Shortened(id[1]) {
			return source.ShortenedID(rec.Line, r.header.Name(r.at[id[0]]), id[1], "import the table as the connector wrote it")
		}
	}
	if ref.Key == "" || refund == "" {
		r.options.Notes.Add("refunds_unnamed", "refunded payments without the ID of an order and of a refund are skipped: they could duplicate a refund of the order")
		return nil
	}
	currency := r.assumed
	if cell := r.cell(rec.Fields, "currency"); currency == "" {
		var err error
		if currency, err = money.ParseCurrency(cell); err != nil {
			return wrong("currency", cell, err)
		}
	}
	amount, err := source.Money(r.cell(rec.Fields, "amount"), currency, money.Point)
	if err != nil {
		return wrong("amount", r.cell(rec.Fields, "amount"), err)
	}
	at, err := source.ParseInstant(r.cell(rec.Fields, "at"), source.UnknownOrder, time.UTC)
	if err != nil {
		return wrong("at", r.cell(rec.Fields, "at"), err)
	}
	key := warehouse.OrderRef{Source: ref.Key, Key: refund}
	row := &source.Return{
		Line: rec.Line, Rows: 1, Currency: currency, Refund: warehouse.Refund{OrderRef: ref, Refund: refund, At: at, Amount: max(amount, -amount)},
	}
	before, again := r.gathered[key], r.counted[payment]
	r.counted[payment] = payment != ""
	switch {
	case before == nil:
		r.gathered[key] = row
	case !r.payments:
		r.options.Notes.Add("refunds_twice", "the refund of line %d occurs twice in the table: the last one is used", rec.Line)
		row.Rows += before.Rows
		r.gathered[key] = row
	case again:
		r.options.Notes.Add("payments_twice", "the payment of line %d occurs twice in the table and is counted once", rec.Line)
		before.Rows++
	case before.Currency != currency:
		return &source.RowError{Line: rec.Line, Column: r.header.Name(r.at["currency"]), Value: string(currency), Reason: "the refund has amounts in two currencies"}
	default:
		before.Rows++
		before.Refund.Amount += max(amount, -amount)
		if at.Before(before.Refund.At) {
			before.Refund.At = at
		}
	}
	return nil
}

// Close implements [source.Rows].
func (r *refundRows) Close(b *warehouse.Batch) (source.Summary, error) {
	all := make([]*source.Return, 0, len(r.gathered))
	for _, one := range r.gathered {
		if one.Refund.Amount != 0 { // goods were returned without a payment
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(a, b *source.Return) int {
		return cmp.Or(cmp.Compare(a.Refund.Key, b.Refund.Key), cmp.Compare(a.Refund.Refund, b.Refund.Refund))
	})
	var bad []error
	for _, one := range all {
		if err := r.orders.AddReturn(one, b); err != nil {
			bad = append(bad, err)
		}
	}
	return source.Summary{Totals: r.orders.Totals}, errors.Join(bad...)
}
