package mapper

import (
	"cmp"
	"errors"
	"strings"

	"assay/internal/ingest/source"
	"assay/internal/ingest/tabular"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

const defaultSystem = "csv"

// shop reads the fields that orders and order lines share.
type shop struct {
	*binding
	orders    *source.Orders
	people    *source.Customers
	countries *source.Countries
	hasher    source.Hasher
}

func newShop(b *binding) shop {
	return shop{
		binding: b, orders: source.NewOrders(b.options), people: source.NewCustomers(b.options.HashKey),
		countries: source.NewCountries(), hasher: source.NewHasher(),
	}
}

var errNoOrder = errors.New("the row has no order ID")

func (s *shop) ref(fields []string, line, field int) (warehouse.OrderRef, error) {
	key := s.cell(fields, field)
	if key == "" {
		return warehouse.OrderRef{}, s.unreadable(line, field, "", errNoOrder)
	}
	return warehouse.OrderRef{Source: cmp.Or(s.mapping.System, defaultSystem), Key: key}, nil
}

// head sets the fields of the order from a row.
func (s *shop) head(sale *source.Sale, fields []string, line int) (err error) {
	o := &sale.Order
	if o.OrderRef, err = s.ref(fields, line, order); err != nil {
		return err
	}
	if o.At, err = s.instant(fields, at, line); err != nil {
		return err
	}
	if sale.Currency, err = s.currency(fields, currency, line); err != nil {
		return err
	}
	for _, part := range []struct {
		field int
		into  *int64
	}{{total, &o.Charged}, {tax, &o.Tax}, {shipping, &o.Shipping}, {discount, &o.Discounts}} {
		if *part.into, err = s.amount(fields, part.field, line, sale.Currency); err != nil {
			return err
		}
	}
	o.Discounts = max(o.Discounts, -o.Discounts) // files write discounts with either sign
	o.Name = cmp.Or(s.cell(fields, name), o.Key)
	o.Customer = s.people.Hash(s.cell(fields, customer))
	o.Status = strings.ToLower(s.cell(fields, status))
	o.Cancelled = isCancelled(o.Status) || s.cell(fields, cancelledAt) != ""
	o.Test = isTrue(s.cell(fields, isTest))
	o.Channel = s.channel(fields, channel)
	o.Surface = s.surface(s.cell(fields, surface))
	o.Country, o.Region = s.place(fields)
	sale.Coupons = source.CouponsOf(sale.Coupons, s.cell(fields, code), o.Discounts)
	return s.refund(sale, fields, line)
}

// refund adds the row's refunded amount to the row's order.
func (s *shop) refund(sale *source.Sale, fields []string, line int) error {
	back, err := s.amount(fields, refunded, line, sale.Currency)
	if err == nil && back != 0 {
		sale.Refunds = append(sale.Refunds, warehouse.Refund{Refund: "total", Amount: max(back, -back), DateUnknown: true})
	}
	return err
}

func (s *shop) mark(o *warehouse.Order, then Action) {
	o.Cancelled = o.Cancelled || then == Cancelled
	o.Test = o.Test || then == Test
}

func isCancelled(status string) bool {
	switch status {
	case "voided", "cancelled", "canceled", "failed", "storniert":
		return true
	}
	return false
}

func isTrue(cell string) bool {
	switch strings.ToLower(cell) {
	case "1", "true", "yes", "y", "ja":
		return true
	}
	return false
}

func (s *shop) surface(name string) measure.Surface {
	surface, ok := source.Surface(name)
	if !ok {
		s.options.Notes.Add("surface_unknown", "unknown sales channel %q: its orders are assigned to the online store", source.Shown(name))
		return measure.OnlineStore
	}
	return surface
}

func (s *shop) place(fields []string) (code, subdivision string) {
	text := s.cell(fields, country)
	code, ok := s.countries.Code(text)
	if !ok {
		s.options.Notes.Add("country_unknown", "%q is not a known country: its orders have no country", source.Shown(text))
	}
	return code, source.Region(s.cell(fields, region), code)
}

// orderRows reads files with one order per row.
type orderRows struct {
	shop
	sale source.Sale
}

func newOrderRows(b *binding) *orderRows { return &orderRows{shop: newShop(b)} }

// Skip implements [source.Rows]. It returns false, because Add applies the rules that skip rows.
func (r *orderRows) Skip([]string) bool { return false }

// Add implements [source.Rows].
func (r *orderRows) Add(rec tabular.Record, b *warehouse.Batch) error {
	then, err := r.action(rec.Fields, rec.Line)
	if err != nil || then == Skip {
		return err
	}
	s := &r.sale
	s.Reset()
	s.Line, s.Rows, s.Content = rec.Line, 1, r.orders.Content(rec.Fields)
	if err := r.head(s, rec.Fields, rec.Line); err != nil {
		return err
	}
	r.mark(&s.Order, then)
	if then == Refund || s.Order.Charged < 0 && r.mapping.Negative == refundNegative {
		return r.giveBack(rec, b)
	}
	if s.Order.Charged < 0 && r.mapping.Negative != keepNegative {
		e := r.unreadable(rec.Line, total, r.cell(rec.Fields, total), errors.New("the order's total is negative"))
		e.Fix = "use a mapping with negative: refund, negative: keep or a rule"
		return e
	}
	if s.Order.Units, err = r.count(rec.Fields, units, rec.Line); err != nil {
		return err
	}
	return r.orders.Add(s, b)
}

// giveBack adds the row as a refund on its own day.
func (r *orderRows) giveBack(rec tabular.Record, b *warehouse.Batch) error {
	s := &r.sale
	back := warehouse.Refund{OrderRef: s.Order.OrderRef, Refund: s.Order.Key, At: s.Order.At, Amount: max(s.Order.Charged, -s.Order.Charged)}
	if of := r.cell(rec.Fields, refundOf); of != "" {
		back.Key = of
	}
	return r.orders.AddReturn(&source.Return{Line: rec.Line, Rows: 1, Currency: s.Currency, Refund: back, Content: r.hasher.Row(0, rec.Fields)}, b)
}

// Close implements [source.Rows].
func (r *orderRows) Close(*warehouse.Batch) (source.Summary, error) {
	return source.Summary{Totals: r.orders.Totals}, nil
}
