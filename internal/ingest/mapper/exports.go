package mapper

import (
	"maps"
	"slices"

	"assay/internal/ingest/source"
)

// export describes a file that a known software product exports. The file needs no separate reader. The description
// contains the kind, the column names and the special cases of the file.
type export struct {
	mapping   Mapping
	columns   map[string][]string // folded names of a field's column, preferred names first
	required  []string            // fields
	signature []string            // folded names of additional required columns that no other product writes
	excluded  []string            // folded names of columns that the file must not have
	plus      map[string][]string // columns that are added to a field's column; the prefix "- " subtracts
	order     source.DayOrder     // order of day and month in ambiguous days
	ends      string              // start of the first row of another table in the file
	note      string              // limitation of the file's figures
	useless   string              // reason why the file is not read; "" if it is read
	instead   string              // file to import instead
}

// Exports returns the readers of the files of known products. These readers use mappings.
func Exports() []source.Reader {
	readers := make([]source.Reader, 0, len(exports))
	for i := range exports {
		readers = append(readers, reader{mapping: exports[i].mapping, export: &exports[i]})
	}
	return readers
}

// fit returns how well a header fits the export.
func (e *export) fit(h source.Header) (fit source.Fit) {
	for _, field := range slices.Sorted(maps.Keys(e.columns)) {
		if h.Index(e.columns[field]...) >= 0 {
			fit.Known++
		} else if slices.Contains(e.required, field) {
			fit.Missing = append(fit.Missing, e.columns[field][0])
		}
	}
	for _, name := range e.signature {
		if h.Index(name) >= 0 {
			fit.Known++
		} else {
			fit.Missing = append(fit.Missing, name)
		}
	}
	for _, name := range e.excluded {
		if h.Index(name) >= 0 {
			fit.Missing = append(fit.Missing, "a table without "+name)
		}
	}
	return fit
}

// equal and starts return a rule with one condition.
func equal(column, text string, then Action) Rule {
	return Rule{Column: column, Equals: &text, Then: then}
}

func starts(column, text string, then Action) Rule {
	return Rule{Column: column, Starts: &text, Then: then}
}

// unpaid returns the rules for WooCommerce orders that are not sales yet or never became sales.
func unpaid(column string) (rules []Rule) {
	for _, status := range []string{"Pending payment", "pending", "wc-pending", "Draft", "checkout-draft", "wc-checkout-draft", "wc-cancelled", "wc-failed", "trash"} {
		rules = append(rules, equal(column, status, Cancelled))
	}
	return rules
}

var exports = []export{
	{
		mapping: Mapping{Name: "shopify_products", Title: "Shopify products export", Kind: Products, System: "shopify"},
		columns: map[string][]string{
			"sku": {"variant sku", "sku"}, "title": {"title"}, "type": {"type"}, "vendor": {"vendor"}, "price": {"variant price", "price"},
			"cost": {"cost per item"}, "handle": {"handle", "url handle"}, "option1": {"option1 value"}, "option2": {"option2 value"}, "option3": {"option3 value"},
		},
		required: []string{"sku", "handle", "title", "price"}, signature: []string{"status"},
	},
	{
		mapping:  Mapping{Name: "shopify_discounts", Title: "Shopify discounts export", Kind: CouponMap},
		columns:  map[string][]string{"code": {"name"}},
		required: []string{"code"}, signature: []string{"value type", "discount class", "times used in total"},
	},
	{
		mapping: Mapping{Name: "shopify_customers", Title: "Shopify customers export", Kind: Customers, System: "shopify"},
		columns: map[string][]string{
			"email": {"email"}, "phone": {"phone", "default address phone"}, "customer": {"customer id"},
			"accepts_email": {"accepts email marketing", "accepts marketing"}, "accepts_sms": {"accepts sms marketing"},
			"country": {"country code", "default address country code", "country"}, "region": {"province code", "default address province code", "province"},
			"orders": {"total orders"},
		},
		required: []string{"email", "accepts_email", "orders"}, signature: []string{"first name", "last name", "total spent"},
	},
	{
		mapping: Mapping{Name: "shopify_customers_landed", Title: "Shopify customers (warehouse table)", Kind: Customers, System: "shopify", Dates: Dates{Zone: "UTC"}},
		columns: map[string][]string{
			"email": {"email"}, "phone": {"phone"}, "customer": {"id"}, "since": {"created at"}, "updated_at": {"updated at"},
			"accepts_email": {"email marketing consent state", "email marketing consent.state", "accepts marketing"},
			"accepts_sms":   {"sms marketing consent state", "sms marketing consent.state"},
			"country":       {"default address country code", "default address.country code"}, "region": {"default address province code", "default address.province code"},
			"orders": {"orders count", "number of orders"},
		},
		required: []string{"email", "customer", "since", "accepts_email", "updated_at"}, signature: []string{"verified email", "tax exempt"},
	},
	{
		mapping: Mapping{Name: "klaviyo_profiles", Title: "Klaviyo profiles export", Kind: Customers, System: "klaviyo"},
		columns: map[string][]string{
			"email": {"email"}, "phone": {"phone number"}, "customer": {"klaviyo id"}, "since": {"profile created on", "created", "date added"},
			"accepts_email": {"email marketing consent", "consent"}, "accepts_sms": {"sms marketing consent"},
			"country": {"country"}, "region": {"state / region", "region", "state"},
		},
		required: []string{"email", "customer"},
	},
	{
		mapping: Mapping{Name: "woocommerce_customers", Title: "WooCommerce Analytics customers", Kind: Customers, System: "woocommerce"},
		columns: map[string][]string{
			"email": {"email"}, "since": {"sign up", "date registered"}, "country": {"country / region", "country"}, "region": {"region"}, "orders": {"orders"},
		},
		required: []string{"email", "orders"}, signature: []string{"username", "aov"},
	},
	{
		mapping: Mapping{
			Name: "klaviyo_campaigns", Title: "Klaviyo campaigns export", Kind: Messages, System: "klaviyo",
			Fixed: map[string]string{"entity": "campaign", "since_send": "true"},
		},
		columns: map[string][]string{
			"date": {"send time", "send date"}, "channel": {"campaign channel"}, "entity_id": {"campaign id"}, "entity_name": {"campaign name"},
			"recipients": {"total recipients"}, "delivered": {"successful deliveries"}, "opens": {"unique opens"}, "clicks": {"unique clicks"},
			"conversions": {"unique placed order", "placed order"}, "revenue": {"revenue"}, "unsubscribes": {"unsubscribes"},
			"spam": {"spam complaints"}, "bounces": {"bounces"},
		},
		required: []string{"date", "entity_name", "recipients", "delivered"}, order: source.MonthFirst,
	},
	{
		mapping: Mapping{
			Name: "klaviyo_flows", Title: "Klaviyo flows export", Kind: Messages, System: "klaviyo", Fixed: map[string]string{"entity": "flow"},
		},
		columns: map[string][]string{
			"date": {"day", "date"}, "channel": {"flow message channel"}, "entity_id": {"flow id"}, "entity_name": {"flow name"},
			"message_id": {"flow message id"}, "message_name": {"flow message name"}, "recipients": {"total recipients", "recipients"},
			"delivered": {"delivered"}, "opens": {"unique opens"}, "clicks": {"unique clicks"}, "conversions": {"placed order", "unique placed order"},
			"revenue": {"revenue"}, "unsubscribe_rate": {"unsub rate", "unsubscribe rate"}, "spam_rate": {"complaint rate", "spam complaint rate"}, "bounce_rate": {"bounce rate"},
		},
		required: []string{"date", "entity_id", "message_id", "delivered"}, order: source.MonthFirst,
	},
	{
		mapping: Mapping{Name: "fairing", Title: "Fairing responses", Kind: Surveys},
		columns: map[string][]string{
			"id": {"id", "response id"}, "at": {"inserted at", "response date"}, "question": {"question"}, "answer": {"response"}, "detail": {"other", "other response"},
			"order": {"order id"},
		},
		required: []string{"id", "at", "question", "answer"}, signature: []string{"question id"},
	},
	{
		mapping: Mapping{Name: "knocommerce", Title: "KnoCommerce responses", Kind: Surveys},
		columns: map[string][]string{
			"id": {"response value id"}, "at": {"response created at", "responded at", "submitted at", "created at"}, "question": {"question", "question text", "question label"},
			"answer": {"response value", "answer", "response", "value"}, "detail": {"other value", "other text", "other"}, "order": {"order id", "shopify order id"},
		},
		required: []string{"at", "question", "answer", "order"}, signature: []string{"survey id"},
	},
	{
		mapping: Mapping{
			Name: "amazon_seller", Title: "Amazon Seller all orders report", Kind: OrderLines, System: "amazon_seller",
			Fixed: map[string]string{"surface": "marketplace"},
			Rules: []Rule{starts("sales-channel", "Non-Amazon", Skip), equal("order-status", "Pending", Cancelled)},
		},
		columns: map[string][]string{
			"order": {"amazon-order-id"}, "at": {"purchase-date"}, "status": {"order-status"}, "currency": {"currency"}, "quantity": {"quantity"},
			"gross": {"item-price"}, "line_discount": {"item-promotion-discount"}, "line_tax": {"item-tax"}, "line_shipping": {"shipping-price"},
			"sku": {"sku"}, "title": {"product-name"}, "country": {"ship-country"}, "region": {"ship-state"},
		},
		required: []string{"order", "at", "status", "quantity", "gross"}, signature: []string{"sales-channel"},
		plus: map[string][]string{
			"line_tax": {"shipping-tax", "gift-wrap-tax"}, "line_shipping": {"gift-wrap-price", "- ship-promotion-discount"},
		},
	},
	{
		mapping: Mapping{Name: "woocommerce_analytics", Title: "WooCommerce Analytics orders", Kind: Orders, System: "woocommerce", Rules: unpaid("Status")},
		columns: map[string][]string{
			"order": {"order #"}, "at": {"date"}, "status": {"status"}, "units": {"items sold"}, "code": {"coupon(s)"},
			"total": {"net sales", "n. revenue", "n revenue"}, "channel": {"attribution source"},
		},
		required: []string{"order", "at", "status", "total"}, signature: []string{"customer type"},
		note: "the report has net sales only: customers were also charged tax and shipping, and refunds are not included. Prefer an export of the orders",
	},
	{
		mapping: Mapping{Name: "woocommerce_orders", Title: "WooCommerce orders (export plug-in)", Kind: OrderLines, System: "woocommerce", Rules: unpaid("Order Status")},
		columns: map[string][]string{
			"order": {"order number", "order id"}, "at": {"order date"}, "status": {"order status"}, "currency": {"order currency"}, "customer": {"email (billing)"},
			"total": {"order total amount"}, "tax": {"order total tax amount"}, "shipping": {"order shipping amount"}, "discount": {"cart discount amount"},
			"refunded": {"order refund amount"}, "code": {"coupon code"}, "quantity": {"quantity"}, "price": {"item cost"}, "sku": {"sku"}, "title": {"item name"},
			"country": {"country code (shipping)", "country code (billing)"}, "region": {"state code (shipping)", "state code (billing)"},
		},
		required: []string{"order", "at", "status", "total", "quantity", "price"},
	},
	{
		mapping: Mapping{Name: "ga4", Title: "Google Analytics 4 report by region and day", Kind: RegionDays},
		columns: map[string][]string{
			"date": {"date"}, "country": {"country id", "country"}, "region": {"region"}, "sessions": {"sessions"},
		},
		required: []string{"date", "country", "region", "sessions"}, excluded: []string{"population"}, ends: "#",
	},
	{
		mapping:  Mapping{Name: "shopify_checkouts", Title: "Shopify abandoned checkouts (warehouse table)", Kind: Orders},
		columns:  map[string][]string{"order": {"id"}},
		required: []string{"order"}, signature: []string{"abandoned checkout url", "created at"},
		useless: "abandoned checkouts are not orders and are not imported", instead: "import the table of orders",
	},
}
