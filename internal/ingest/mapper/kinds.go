package mapper

import (
	"slices"

	"assay/internal/ingest/adreport"
	"assay/internal/ingest/source"
)

// Kind is the kind of object that a row of a file describes.
type Kind string

// The kinds.
const (
	Orders       Kind = "orders"        // an order
	OrderLines   Kind = "order_lines"   // a line of an order; the order is the sum of its lines
	AdSpend      Kind = "ad_spend"      // a campaign, ad set or ad on a day
	ChannelSpend Kind = "channel_spend" // the spend of a channel on a day
	FXRates      Kind = "fx_rates"      // an exchange rate on a day
	Targets      Kind = "targets"       // a target for a period
	Customers    Kind = "customers"     // a customer of a shop or mailing tool
	Products     Kind = "products"      // an item of the catalog, with its cost
	Messages     Kind = "messages"      // results of an email or text message on a day or since sending
	Surveys      Kind = "surveys"       // an answer to a post-purchase survey
	Creators     Kind = "creators"      // a creator, with an optional code, use of a link on a day, and costs
	CouponMap    Kind = "coupon_map"    // the channel of a coupon code
	RegionDays   Kind = "region_days"   // sessions and population of a region on a day
	SurfaceDays  Kind = "surface_days"  // sales of a sales surface on a day
)

// form contains the fields of a kind. The names of a field are common names of its column, folded with [source.Fold]. A
// file with these names needs no mapping.
type form struct {
	title    string
	columns  []source.Column
	required []string
	open     func(*binding) (source.Rows, error) // nil for ad reports, which package adreport reads
}

func (f form) names() []string {
	names := make([]string, 0, len(f.columns))
	for _, c := range f.columns {
		names = append(names, c.Field)
	}
	return names
}

func kindNames() []string {
	return []string{
		"orders", "order_lines", "ad_spend", "channel_spend", "fx_rates", "targets",
		"customers", "products", "messages", "surveys", "creators", "coupon_map", "region_days", "surface_days",
	}
}

// Fields of orders and order lines.
const (
	order = iota
	name
	at
	currency
	total
	tax
	shipping
	discount
	refunded
	customer
	status
	cancelledAt
	isTest
	surface
	channel
	country
	region
	code
	units
	refundOf
	quantity
	price
	net
	lineDiscount
	cost
	sku
	title
	gross
	lineTax
	lineShipping
	fieldCount
)

var orderColumns = []source.Column{
	order:        {Field: "order", Names: []string{"order id", "order", "order number", "order no", "order #", "orderid", "id", "invoice", "invoiceno", "invoice no", "transaction id", "bestellnummer"}},
	name:         {Field: "name", Names: []string{"name", "order name"}},
	at:           {Field: "at", Names: []string{"created at", "order date", "date", "datetime", "timestamp", "ordered at", "time", "invoicedate", "invoice date", "order time", "purchase date", "bestelldatum", "datum"}},
	currency:     {Field: "currency", Names: []string{"currency", "currency code", "wahrung"}},
	total:        {Field: "total", Names: []string{"total", "order total", "total price", "amount", "revenue", "grand total", "gesamtbetrag", "summe"}},
	tax:          {Field: "tax", Names: []string{"tax", "taxes", "total tax", "vat", "mwst"}},
	shipping:     {Field: "shipping", Names: []string{"shipping", "shipping total", "shipping price", "versand"}},
	discount:     {Field: "discount", Names: []string{"discount", "discounts", "discount amount", "discount total", "rabatt"}},
	refunded:     {Field: "refunded", Names: []string{"refunded", "refunded amount", "refund", "refund amount", "total refunded"}},
	customer:     {Field: "customer", Names: []string{"email", "customer email", "billing email", "e-mail", "customer id", "customerid", "customer", "kundennummer"}},
	status:       {Field: "status", Names: []string{"status", "financial status", "order status"}},
	cancelledAt:  {Field: "cancelled_at", Names: []string{"cancelled at", "canceled at"}},
	isTest:       {Field: "test", Names: []string{"test", "is test"}},
	surface:      {Field: "surface", Names: []string{"surface", "sales surface", "sales channel", "source"}},
	channel:      {Field: "channel", Names: []string{"marketing channel", "utm source", "channel"}},
	country:      {Field: "country", Names: []string{"country", "country code", "shipping country", "ship country", "land"}},
	region:       {Field: "region", Names: []string{"region", "region code", "province", "shipping province", "ship state", "state"}},
	code:         {Field: "code", Names: []string{"discount code", "coupon code", "coupon", "coupons", "coupon(s)", "code"}},
	units:        {Field: "units", Names: []string{"units", "items", "items sold", "item count"}},
	refundOf:     {Field: "refund_of", Names: []string{"original order id", "refund of"}},
	quantity:     {Field: "quantity", Names: []string{"quantity", "qty", "menge"}},
	price:        {Field: "price", Names: []string{"unit price", "unitprice", "item price", "price", "preis"}},
	net:          {Field: "net", Names: []string{"line total", "line amount", "net"}},
	lineDiscount: {Field: "line_discount", Names: []string{"line discount", "item discount"}},
	cost:         {Field: "cost", Names: []string{"line cost", "cogs", "cost of goods"}},
	sku:          {Field: "sku", Names: []string{"sku", "product sku", "item sku", "stockcode", "stock code", "product id", "artikelnummer"}},
	title:        {Field: "title", Names: []string{"product name", "product", "item name", "title", "description", "artikel"}},
	gross:        {Field: "gross", Names: []string{"line gross", "line subtotal"}},
	lineTax:      {Field: "line_tax", Names: []string{"line tax"}},
	lineShipping: {Field: "line_shipping", Names: []string{"line shipping"}},
}

// kinds contains the form of every kind.
var kinds = map[Kind]form{
	Orders:     {title: "orders, one per row", columns: orderColumns[:quantity], required: []string{"order", "at", "total"}, open: opening(newOrderRows)},
	OrderLines: {title: "order lines", columns: orderColumns, required: []string{"order", "at", "quantity"}, open: opening(newLineRows)},
	AdSpend: {title: "ad report with a platform column", columns: []source.Column{
		{Field: adreport.Day, Names: []string{"date day", "date", "day"}},
		{Field: adreport.PlatformName, Names: []string{"platform", "ad platform"}},
		{Field: adreport.Account, Names: []string{"account id", "account name", "account"}},
		{Field: adreport.Currency, Names: []string{"currency", "currency code"}},
		{Field: adreport.ChannelName, Names: []string{"channel"}},
		{Field: adreport.CampaignID, Names: []string{"campaign id"}},
		{Field: adreport.Campaign, Names: []string{"campaign name", "campaign"}},
		{Field: adreport.AdSetID, Names: []string{"ad group id", "adset id", "ad set id"}},
		{Field: adreport.AdSet, Names: []string{"ad group name", "adset name", "ad set name", "ad group"}},
		{Field: adreport.AdID, Names: []string{"ad id"}},
		{Field: adreport.Ad, Names: []string{"ad name"}},
		{Field: adreport.Country, Names: []string{"country", "country code"}},
		{Field: adreport.Region, Names: []string{"region", "region code"}},
		{Field: adreport.Impressions, Names: []string{"impressions"}},
		{Field: adreport.Clicks, Names: []string{"clicks", "link clicks"}},
		{Field: adreport.Spend, Names: []string{"spend", "cost", "amount spent"}},
		{Field: adreport.Conversions, Names: []string{"conversions", "purchases"}},
		{Field: adreport.Value, Names: []string{"conversions value", "conversion value", "revenue"}},
		{Field: adreport.Attribution, Names: []string{"attribution setting", "attribution"}},
	}, required: []string{adreport.Day, adreport.PlatformName, adreport.Spend}},
	ChannelSpend: {title: "spend by channel and day", columns: []source.Column{
		{Field: "date", Names: []string{"date", "day", "datum", "week"}},
		{Field: "channel", Names: []string{"channel", "marketing channel", "medium"}},
		{Field: "spend", Names: []string{"spend", "cost", "amount", "kosten"}},
		{Field: "currency", Names: []string{"currency", "currency code"}},
		{Field: "region", Names: []string{"region", "region code"}},
		{Field: "note", Names: []string{"note", "comment", "description"}},
	}, required: []string{"date", "spend"}, open: newSpendRows},
	FXRates: {title: "exchange rates", columns: []source.Column{
		{Field: "date", Names: []string{"date", "day"}},
		{Field: "from", Names: []string{"from", "from currency", "base"}},
		{Field: "to", Names: []string{"to", "to currency", "quote"}},
		{Field: "rate", Names: []string{"rate", "exchange rate"}},
	}, required: []string{"date", "from", "to", "rate"}, open: newRateRows},
	Targets: {title: "targets", columns: []source.Column{
		{Field: "metric", Names: []string{"metric", "kpi"}},
		{Field: "period", Names: []string{"period", "period type"}},
		{Field: "start", Names: []string{"start", "start date", "date"}},
		{Field: "channel", Names: []string{"channel"}},
		{Field: "value", Names: []string{"value", "target", "goal"}},
	}, required: []string{"metric", "period", "start", "value"}, open: newTargetRows},
	Customers:   customerForm,
	Products:    productForm,
	Messages:    messageForm,
	Surveys:     surveyForm,
	Creators:    creatorForm,
	CouponMap:   couponForm,
	RegionDays:  regionForm,
	SurfaceDays: surfaceForm,
}

// fieldAt returns the position of a field among the columns, or -1.
func fieldAt(columns []source.Column, field string) int {
	return slices.IndexFunc(columns, func(c source.Column) bool { return c.Field == field })
}
