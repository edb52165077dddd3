package shopify

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"assay/internal/ingest/document"
	"assay/internal/ingest/source"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// Documents reads orders, refunds and customers of Shopify's two APIs. In the Admin REST API and in webhooks, names
// have underscores. In the GraphQL API, amounts are in "…Set" objects. The key of an order is its numeric ID, as in the
// orders export.
//
// Amounts are in the shop's currency. Documents does not read names and streets. It hashes phone numbers and does not
// store them.
type Documents struct {
	options   source.Options
	people    *source.Customers
	countries *source.Countries
	words     *source.Words
	object    *document.Object // the document being read
	inner     document.Object  // one of its lines or refunds
	detail    document.Object  // members of a transaction or an address
	codes     []string         // codes of the order's discounts
}

// NewDocuments returns the reader of a workspace's documents.
func NewDocuments(o source.Options) *Documents {
	return &Documents{options: o, people: source.NewCustomers(o.HashKey), countries: source.NewCountries(), words: source.NewWords()}
}

// Gone describes the refunds in the document of an order.
type Gone struct {
	Itemised bool  // the document lists the refunds with their times
	Total    int64 // sum of refunds without a list, in minor units of the order's currency
}

// Order reads an order into the sale. Its error is a [*source.RowError] that names the field.
func (d *Documents) Order(doc *document.Object, s *source.Sale) (gone Gone, err error) {
	s.Reset()
	d.object = doc
	o := &s.Order
	o.Source, o.Key = System, strings.Clone(d.id("legacyResourceId", "id"))
	if o.Key == "" {
		return gone, missing("id")
	}
	o.Name = strings.Clone(d.text("name"))
	currency := cmp.Or(d.first("totalPriceSet").Path("shopMoney", "currencyCode").Text(), d.text("currency", "currencyCode"))
	if s.Currency, err = money.ParseCurrency(d.words.Of(currency)); err != nil {
		return gone, source.Unreadable(0, "currency", currency, err)
	}
	if o.At, err = d.instant("createdAt", "created_at"); err != nil {
		return gone, err
	}
	if o.UpdatedAt, err = d.instant("updatedAt", "updated_at"); err != nil {
		return gone, err
	}
	if o.UpdatedAt.IsZero() {
		o.UpdatedAt = o.At
	}
	var subtotal int64
	for _, amount := range []struct {
		set, plain string
		into       *int64
	}{
		{"totalPriceSet", "total_price", &o.Charged},
		{"totalTaxSet", "total_tax", &o.Tax},
		{"totalDiscountsSet", "total_discounts", &o.Discounts},
		{"subtotalPriceSet", "subtotal_price", &subtotal},
		{"totalRefundedSet", "", &gone.Total},
	} {
		if *amount.into, err = d.amount(s.Currency, amount.set, amount.plain); err != nil {
			return gone, err
		}
	}
	if d.object.First("totalPriceSet", "total_price").Missing() {
		return gone, missing("total_price")
	}
	if o.Shipping, err = d.shipping(s.Currency); err != nil {
		return gone, err
	}
	d.describe(o)
	s.Ties = d.customer(o, s.Ties)
	if err := d.lines(s, subtotal); err != nil {
		return gone, err
	}
	d.coupons(s)
	d.visit(s)
	gone.Itemised, err = d.refunds(s)
	return gone, err
}

// describe sets the fields of an order except key, times and amounts.
func (d *Documents) describe(o *warehouse.Order) {
	o.Status = d.words.Of(strings.ToLower(d.text("displayFinancialStatus", "financial_status")))
	o.Cancelled = d.text("cancelledAt", "cancelled_at") != "" || o.Status == "voided"
	gateways := string(d.first("paymentGatewayNames", "payment_gateway_names"))
	o.Test = d.text("test") == "true" || isTest(gateways, d.tags())
	name := d.text("sourceName", "source_name")
	surface, ok := source.Surface(name)
	if !ok {
		d.options.Notes.Add("surface_unknown", "unknown sales channel %q: its orders are assigned to the online store", source.Shown(name))
		surface = measure.OnlineStore
	}
	o.Surface = surface
	for _, address := range []document.Value{d.first("shippingAddress", "shipping_address"), d.first("billingAddress", "billing_address")} {
		if o.Country == "" {
			o.Country, o.Region = d.place(address, "orders")
		}
	}
}

// customer sets the customer key. It uses the first available of the order's email address, the customer's own email
// address, the customer's ID in the shop, and the phone number. Only the customer's own email address is tied to the
// ID. Staff may enter one email address in many orders, and a tie would merge these customers into one.
func (d *Documents) customer(o *warehouse.Order, ties []warehouse.CustomerTie) []warehouse.CustomerTie {
	customer := d.first("customer")
	address := d.text("email", "contact_email")
	mail := d.people.Hash(address)
	own := d.text(reducedMail)
	switch theirs := cmp.Or(customer.Path("email").Text(), customer.Path("defaultEmailAddress", "emailAddress").Text()); {
	case own != "":
	case theirs == address:
		own = mail
	default:
		own = d.people.Hash(theirs)
	}
	id := cmp.Or(d.text(reducedID), d.people.Hash(tail(cmp.Or(customer.Path("legacyResourceId").Text(), customer.Path("id").Text()))))
	phone := cmp.Or(d.text(reducedPhone), d.people.HashPhone(cmp.Or(d.text("phone"), customer.Path("phone").Text())))
	o.Customer = cmp.Or(d.text(reducedCustomer), mail, own, id, phone)
	return tied(ties, id, own)
}

// tied appends the connection of an ID with an email address, if both are known.
func tied(ties []warehouse.CustomerTie, id, mail string) []warehouse.CustomerTie {
	if id == "" || mail == "" {
		return ties
	}
	return append(ties, warehouse.CustomerTie{Source: System, KnownAs: id, Customer: mail})
}

func (d *Documents) tags() string {
	v := d.first("tags")
	if text := v.Text(); text != "" {
		return text
	}
	if v.Missing() {
		return ""
	}
	return strings.Join(slices.Collect(texts(v)), ",")
}

func texts(v document.Value) func(func(string) bool) {
	return func(yield func(string) bool) {
		for e := range v.Elements() {
			if !yield(e.Text()) {
				return
			}
		}
	}
}

// lines reads the line items. If the document has no line items, the stored lines remain.
func (d *Documents) lines(s *source.Sale, subtotal int64) error {
	item := &d.inner
	var byCodes int64 // discounts by codes in the lines
	items, edges := nodes(d.first("lineItems", "line_items"))
	for v := range items.Elements() {
		if full := s.Full(0); full != nil {
			return full
		}
		if edges {
			v = v.Path("node")
		}
		item.Read(v)
		quantity, err := source.Count(cmp.Or(item.First("quantity").Text(), "0"), money.Point)
		if err != nil {
			return source.Unreadable(0, "line_items.quantity", item.First("quantity").Text(), err)
		}
		line := warehouse.OrderLine{SKU: d.words.Of(item.First("sku").Text()), Title: d.words.Of(item.First("title", "name").Text()), Quantity: quantity}
		gross, err := lineGross(item, quantity, s.Currency)
		if err != nil {
			return err
		}
		if line.Discount, err = lineDiscount(item, gross, s.Currency); err != nil {
			return err
		}
		line.Net = gross - line.Discount
		byCodes += line.Discount
		s.Lines = append(s.Lines, line)
	}
	spreadDiscount(s.Lines, subtotal, max(s.Order.Discounts-byCodes, 0))
	return nil
}

// nodes returns the elements of a list in any of its forms: an array, nodes, or edges with a node each.
func nodes(list document.Value) (elements document.Value, edges bool) {
	if nodes := list.Path("nodes"); nodes != "" {
		list = nodes
	}
	if elements := list.Path("edges"); elements != "" {
		return elements, true
	}
	return list, false
}

func lineGross(item *document.Object, quantity int64, c money.Currency) (int64, error) {
	if set := item.First("originalTotalSet"); set != "" {
		return shopMoney(set, "line_items.originalTotalSet", c)
	}
	price := item.First("price").Text()
	if set := item.First("originalUnitPriceSet"); set != "" {
		price = set.Path("shopMoney", "amount").Text()
	}
	gross, err := source.Product(price, quantity, c, money.Point)
	if err != nil {
		return 0, source.Unreadable(0, "line_items.price", price, err)
	}
	return gross, nil
}

// lineDiscount sums the discounts allocated to the line, including the line's part of order-level discounts. Without
// allocations, it returns the line's own discount.
func lineDiscount(item *document.Object, gross int64, c money.Currency) (sum int64, err error) {
	parts := item.First("discountAllocations", "discount_allocations")
	for part := range parts.Elements() {
		amount := cmp.Or(part.Path("allocatedAmountSet", "shopMoney", "amount").Text(), part.Path("amount").Text())
		n, err := source.Money(cmp.Or(amount, "0"), c, money.Point)
		if err != nil {
			return 0, source.Unreadable(0, "line_items.discount_allocations.amount", amount, err)
		}
		sum += n
	}
	if sum != 0 {
		return sum, nil
	}
	if set := item.First("discountedTotalSet"); set != "" {
		net, err := shopMoney(set, "line_items.discountedTotalSet", c)
		return gross - net, err
	}
	cell := item.First("total_discount").Text()
	if cell == "" {
		return 0, nil
	}
	if sum, err = source.Money(cell, c, money.Point); err != nil {
		return 0, source.Unreadable(0, "line_items.total_discount", cell, err)
	}
	return sum, nil
}

// coupons reads the discount codes of an order. Only the REST API contains the amount of each code.
func (d *Documents) coupons(s *source.Sale) {
	d.codes = d.codes[:0]
	amounts := map[string]int64{}
	for v := range d.first("discountCodes", "discount_codes").Elements() {
		code := cmp.Or(v.Text(), v.Path("code").Text())
		code = strings.ToUpper(strings.TrimSpace(code))
		if n, err := source.Money(v.Path("amount").Text(), s.Currency, money.Point); err == nil {
			amounts[code] += n
		}
		d.codes = append(d.codes, code)
	}
	s.Coupons = source.CouponsOf(s.Coupons, strings.Join(d.codes, ","), s.Order.Discounts)
	for i := range s.Coupons {
		if n, ok := amounts[s.Coupons[i].Code]; ok {
			s.Coupons[i].Discount = n
		}
		s.Coupons[i].Code = d.words.Of(s.Coupons[i].Code)
	}
}

// mostRefunds is the maximum number of refunds of an order.
const mostRefunds = 10_000

// refunds reads the refunds in the order.
func (d *Documents) refunds(s *source.Sale) (itemised bool, err error) {
	list, edges := nodes(d.first("refunds"))
	refund := &d.inner
	for v := range list.Elements() {
		if len(s.Refunds) >= mostRefunds {
			return false, &source.RowError{Column: "refunds", Reason: fmt.Sprintf("the order has more than %d refunds", mostRefunds)}
		}
		if edges {
			v = v.Path("node")
		}
		refund.Read(v)
		if refund.First("transactions", "totalRefundedSet", "refund_line_items").Missing() {
			return false, nil // IDs without amounts
		}
		r, err := d.refund(refund, s.Currency)
		if err != nil {
			return false, err
		}
		if r.Currency != s.Currency && !d.toShop(&r, s.Currency) {
			return false, &source.RowError{
				Column: "refunds.transactions.currency", Value: string(r.Currency), Reason: "the currency of the refund is not the currency of the order, " + string(s.Currency),
			}
		}
		if r.Refund.Amount != 0 {
			s.Refunds = append(s.Refunds, r.Refund)
		}
		itemised = true
	}
	return itemised, nil
}

// toShop converts a refund from the customer's currency to the shop's currency, at the rate of the order's total. In
// the REST API, transactions have the customer's currency. If the order does not contain this rate, toShop returns
// false.
func (d *Documents) toShop(r *source.Return, shop money.Currency) bool {
	total := d.first("total_price_set")
	paid, own := total.Path("presentment_money"), total.Path("shop_money")
	if paid.Path("currency_code").Text() != string(r.Currency) || own.Path("currency_code").Text() != string(shop) {
		return false
	}
	whole, err := source.Money(paid.Path("amount").Text(), r.Currency, money.Point)
	if err != nil {
		return false
	}
	charged, err := source.Money(own.Path("amount").Text(), shop, money.Point)
	if err != nil || whole <= 0 || charged < 0 || r.Refund.Amount < 0 || r.Refund.Amount > whole {
		return false
	}
	r.Currency, r.Refund.Amount = shop, portion(charged, r.Refund.Amount, whole)
	return true
}

// Refund reads a refund outside its order. A refund of goods without money has the amount 0. The error of Refund is a
// [*source.RowError] that names the field.
func (d *Documents) Refund(doc *document.Object) (source.Return, error) {
	d.object = doc
	order := cmp.Or(d.text("order_id", "orderId"), d.first("order").Path("legacyResourceId").Text(), d.first("order").Path("id").Text(), d.text("__parentId"))
	r, err := d.refund(d.object, "")
	if err != nil {
		return r, err
	}
	if r.Refund.OrderRef = (warehouse.OrderRef{Source: System, Key: strings.Clone(tail(order))}); r.Refund.Key == "" {
		return r, missing("order_id")
	}
	return r, nil
}

func (d *Documents) refund(o *document.Object, usual money.Currency) (r source.Return, err error) {
	r.Refund.Refund = strings.Clone(tail(o.First("legacyResourceId", "id").Text()))
	if r.Refund.Refund == "" {
		return r, missing("refund id")
	}
	at := o.First("createdAt", "processed_at", "created_at").Text()
	if r.Refund.At, err = source.ParseInstant(at, source.UnknownOrder, d.options.Zone); err != nil {
		return r, source.Unreadable(0, "created_at", at, err)
	}
	r.Currency = cmp.Or(usual, d.options.Base)
	if set := o.First("totalRefundedSet"); set != "" {
		code := set.Path("shopMoney", "currencyCode").Text()
		if r.Currency, err = money.ParseCurrency(d.words.Of(cmp.Or(code, string(r.Currency)))); err != nil {
			return r, source.Unreadable(0, "totalRefundedSet", code, err)
		}
		r.Refund.Amount, err = shopMoney(set, "totalRefundedSet", r.Currency)
		return r, err
	}
	return r, d.transactions(o, &r)
}

// transactions sums the refunded money.
func (d *Documents) transactions(o *document.Object, r *source.Return) error {
	t := &d.detail
	for v := range o.First("transactions").Elements() {
		t.Read(v)
		if kind := strings.ToLower(t.First("kind").Text()); kind != "refund" && kind != "" || !strings.EqualFold(cmp.Or(t.First("status").Text(), "success"), "success") {
			continue
		}
		if code := t.First("currency").Text(); code != "" {
			c, err := money.ParseCurrency(d.words.Of(code))
			if err != nil {
				return source.Unreadable(0, "transactions.currency", code, err)
			}
			r.Currency = c
		}
		amount := t.First("amount").Text()
		n, err := source.Money(amount, r.Currency, money.Point)
		if err != nil {
			return source.Unreadable(0, "transactions.amount", amount, err)
		}
		r.Refund.Amount += n
	}
	return nil
}

// paid lists the values of utm_medium for paid visits.
var paid = []string{"cpc", "ppc", "paid", "paid_social", "paidsocial", "paid_search", "cpm", "display", "cpv"}

// visit reads the last visit before the order as a touchpoint, if the visit's UTM parameters name a channel. Other
// visits produce no touchpoint. For example, it is unknown whether a visit from a search engine came from an ad.
func (d *Documents) visit(s *source.Sale) {
	last := d.first("customerJourneySummary").Path("lastVisit")
	utm := last.Path("utmParameters")
	name, medium, campaign := utm.Path("source").Text(), utm.Path("medium").Text(), utm.Path("campaign").Text()
	if landing := d.text("landing_site"); name == "" && strings.Contains(landing, "utm_") {
		name, medium, campaign = utmOf(landing)
	}
	at := s.Order.At
	if cell := last.Path("occurredAt").Text(); cell != "" {
		if seen, err := source.ParseInstant(cell, source.UnknownOrder, time.UTC); err == nil && seen.Before(at) {
			at = seen
		}
	}
	medium = strings.ReplaceAll(source.Fold(medium), "-", "_")
	medium = strings.ReplaceAll(medium, " ", "_")
	touch := warehouse.Touch{Seq: 1, At: at, Kind: "click"}
	switch platform := measure.ParsePlatform(name); {
	case medium == "email" || medium == "sms":
		touch.Channel = measure.Channel(d.words.Of(medium))
	case slices.Contains(paid, medium) && isPlatform(platform):
		platform = measure.Platform(d.words.Of(string(platform)))
		touch.Channel, touch.Platform, touch.Campaign = measure.Channel(platform), platform, d.words.Of(campaign)
	default:
		return
	}
	touch.OrderRef = s.Order.OrderRef
	s.Touches = append(s.Touches, touch)
}

// utmOf returns the UTM parameters of a landing page's URL, with the same result as [url.URL.Query].
func utmOf(landing string) (name, medium, campaign string) {
	if isPlainAddress(landing) { // the usual case
		_, query, _ := strings.Cut(landing, "?")
		for _, param := range []struct {
			name string
			into *string
		}{{"utm_source=", &name}, {"utm_medium=", &medium}, {"utm_campaign=", &campaign}} {
			for pair := range strings.SplitSeq(query, "&") {
				if value, ok := strings.CutPrefix(pair, param.name); ok {
					*param.into = strings.ReplaceAll(value, "+", " ")
					break
				}
			}
		}
		return name, medium, campaign
	}
	at, err := url.Parse(landing)
	if err != nil {
		return "", "", ""
	}
	q := at.Query()
	return q.Get("utm_source"), q.Get("utm_medium"), q.Get("utm_campaign")
}

// isPlainAddress reports whether a URL is a path with or without a query, and without escapes.
func isPlainAddress(s string) bool {
	if !strings.HasPrefix(s, "/") || strings.HasPrefix(s, "//") {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '-' || c > '9') && strings.IndexByte("/?&=_+~", c) < 0 { // - . / and digits
			return false
		}
	}
	return true
}

func isPlatform(p measure.Platform) bool {
	switch p {
	case measure.Facebook, measure.Google, measure.TikTok, measure.Amazon, measure.Snapchat, measure.Pinterest, measure.Microsoft:
		return true
	}
	return false
}

func (d *Documents) first(names ...string) document.Value { return d.object.First(names...) }
func (d *Documents) text(names ...string) string          { return d.object.First(names...).Text() }
func (d *Documents) id(names ...string) string            { return tail(d.text(names...)) }

// tail returns the number of an ID such as gid://shopify/Order/5001.
func tail(id string) string {
	id = id[strings.LastIndexByte(id, '/')+1:]
	id, _, _ = strings.Cut(id, "?")
	return id
}

// instant reads a time by its names in the GraphQL and REST APIs. A missing creation time is an error. Any other
// missing time is zero.
func (d *Documents) instant(graph, rest string) (time.Time, error) {
	cell := d.text(graph, rest)
	if cell == "" && graph != "createdAt" {
		return time.Time{}, nil
	}
	at, err := source.ParseInstant(cell, source.UnknownOrder, d.options.Zone)
	if err != nil {
		return at, source.Unreadable(0, rest, cell, err)
	}
	return at, nil
}

func (d *Documents) amount(c money.Currency, set, plain string) (int64, error) {
	if v := d.first(set); v != "" {
		return shopMoney(v, set, c)
	}
	cell := d.text(plain)
	if cell == "" || plain == "" {
		return 0, nil
	}
	n, err := source.Money(cell, c, money.Point)
	if err != nil {
		return 0, source.Unreadable(0, plain, cell, err)
	}
	return n, nil
}

func (d *Documents) shipping(c money.Currency) (sum int64, err error) {
	if v := d.first("totalShippingPriceSet"); v != "" {
		return shopMoney(v, "totalShippingPriceSet", c)
	}
	if v := d.first("total_shipping_price_set"); v != "" {
		cell := v.Path("shop_money", "amount").Text()
		if sum, err = source.Money(cell, c, money.Point); err != nil {
			return 0, source.Unreadable(0, "total_shipping_price_set", cell, err)
		}
		return sum, nil
	}
	for line := range d.first("shipping_lines").Elements() {
		cell := cmp.Or(line.Path("discounted_price").Text(), line.Path("price").Text(), "0")
		n, err := source.Money(cell, c, money.Point)
		if err != nil {
			return 0, source.Unreadable(0, "shipping_lines.price", cell, err)
		}
		sum += n
	}
	return sum, nil
}

func shopMoney(set document.Value, name string, c money.Currency) (int64, error) {
	cell := set.Path("shopMoney", "amount").Text()
	n, err := source.Money(cell, c, money.Point)
	if err != nil {
		return 0, source.Unreadable(0, name, cell, err)
	}
	return n, nil
}

func missing(field string) error {
	return &source.RowError{Column: field, Reason: "is missing"}
}
