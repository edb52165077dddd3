// Package facts describes the fact tables: the rows that readers fill, and the columns and key of each table. It also
// describes how imported rows combine with stored rows.
//
// The tags of [Batch] and of the rows are the only description of the tables. The generated file columns_gen.go
// contains the tables, the access to rows by column, the row counts and the previews.
package facts

import (
	"time"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/money"
)

//go:generate go run ./generate

// Batch is a part of an import: canonical rows of any kind. Readers fill batches of a few thousand rows and pass them
// to an import in the order of the file.
//
// Amounts are minor units of the workspace's currency, unless a field's comment states another unit. Readers convert
// amounts.
//
// Each field is a fact table, in the order of merging and of exports. Its tags are:
//
//	table    the table's name
//	stored   the table with the rows, if the fact table is a view over it and others
//	kind     part: rows of an order; window: rows of an account and day; without a kind, a row replaces its key's row
//	whole    an import with any of these rows has all of them for each of its orders
//	most     the maximum number of stored rows per order; those with the lowest keys are dropped
//	preview  the title of the rows in the preview of a file
//	counted  "no": the table is not in the counts of the store's facts
//
// The tags of a row's fields are:
//
//	column   the column and its options: key, day (the business day), sum (rows of one import with the same key are
//	         summed), version (the later of two rows with the same key is used), null=FIELD (NULL unless the field is
//	         true), epoch (an unknown day is 1970-01-01)
//	prefix   precedes the column names of a nested struct; such a struct has no key columns
//	also     a further column and the method that returns it
//	show     the column in a preview: its title, then how the value is written (see [Format]), in=FIELD (the currency),
//	         if=FIELD (only if the field is true), by=METHOD (the method that returns the text)
//	place    the place of the column in the preview: lower numbers come first; without the tag, it is 0
type Batch struct {
	Orders   []Order       `table:"orders" stored:"order_rows" preview:"orders"`
	Profiles []Profile     `table:"profiles" preview:"customers"`
	Ties     []CustomerTie `table:"customer_ties" counted:"no"`
	Lines    []OrderLine   `table:"order_lines" kind:"part" preview:"order_lines"`
	Refunds  []Refund      `table:"refunds" kind:"part" whole:"yes" preview:"refunds"`
	Coupons  []OrderCoupon `table:"order_coupons" kind:"part" whole:"yes" preview:"order_coupons"`
	Touches  []Touch       `table:"touches" kind:"part" most:"20"`

	LandedOrders    []LandedOrder    `table:"landed_orders" counted:"no"`
	LandedLines     []LandedLine     `table:"landed_lines" counted:"no" preview:"landed_lines"`
	LandedDiscounts []LandedDiscount `table:"landed_discounts" counted:"no" preview:"landed_discounts"`
	LandedCodes     []LandedCode     `table:"landed_codes" counted:"no" preview:"landed_codes"`

	AdDays       []AdDay           `table:"ad_days" kind:"window" preview:"ad_days"`
	AdNames      []AdName          `table:"ad_names" preview:"ad_names"`
	AdStates     []measure.AdState `table:"ad_states"`
	ChannelSpend []ChannelSpend    `table:"channel_spend" preview:"channel_spend"`
	Products     []Product         `table:"products" preview:"products"`
	Costs        []ProductCost     `table:"product_costs" preview:"product_costs"`
	Messages     []MessageDay      `table:"message_days" preview:"message_days"`
	Surveys      []SurveyResponse  `table:"survey_responses" preview:"survey_responses"`
	Creators     []Creator         `table:"creators" preview:"creators"`
	CreatorCodes []CreatorCode     `table:"creator_codes" preview:"creator_codes"`
	CreatorCosts []CreatorCost     `table:"creator_costs" preview:"creator_costs"`
	LinkDays     []LinkDay         `table:"link_days" preview:"link_days"`
	CouponMap    []CouponChannel   `table:"coupon_channels" preview:"coupon_channels"`
	Targets      []Target          `table:"targets" preview:"targets"`
	FXRates      []FXRate          `table:"fx_rates" preview:"fx_rates"`
	RegionDays   []RegionDay       `table:"region_days" preview:"region_days"`
	SurfaceDays  []SurfaceDayTotal `table:"surface_days" preview:"surface_days"`
}

// OrderRef is the natural key of an order. The same order from a file, a webhook or a Singer tap has the same key.
type OrderRef struct {
	Source string `column:"source,key"` // the system of record, such as "shopify" or "csv"
	// Key is the order's ID in this system. For a Shopify export without IDs, it is the order's name.
	Key string `column:"key,key" show:"order"`
}

// Order is an order of the shop.
type Order struct {
	OrderRef
	Name    string          `column:"name"` // displayed number, such as "#1001"
	At      time.Time       `column:"placed_at" show:"time"`
	Day     civil.Date      `column:"day,day"` // At in the workspace's time zone
	Surface measure.Surface `column:"surface" show:"surface" place:"2"`
	// Customer is the keyed hash of the first known value: the email address, the customer's ID in the source or the phone
	// number. It is "" for guests.
	Customer string `column:"customer" show:"customer,hash" place:"1"`
	// Channel is the channel that the source attributes the order to. If it is "", touchpoints determine attribution.
	Channel   measure.Channel `column:"channel" show:"channel" place:"2"`
	Charged   int64           `column:"charged" show:"charged,money"` // after discounts, including tax and shipping
	Tax       int64           `column:"tax" show:"tax,amount"`
	Shipping  int64           `column:"shipping" show:"shipping,amount"`
	Discounts int64           `column:"discounts" show:"discounts,amount"`
	Original  money.Amount    `column:"original"` // Charged in the order's own currency
	// Status is the status in the shop: paid, partially_refunded, refunded, pending or voided.
	Status string `column:"status" show:"status" place:"1"`
	// Cancelled is true for a canceled or voided order. The warehouse stores such an order, but all figures exclude it.
	Cancelled bool   `column:"cancelled" show:"counts,by=excluded" place:"1"`
	Test      bool   `column:"test"`                             // stored, but excluded from every figure
	Country   string `column:"country" show:"country" place:"2"` // ISO 3166-1 alpha-2, upper case
	Region    string `column:"region" show:"region" place:"2"`   // ISO 3166-2 without the country: "CA"
	Units     int64  `column:"units" show:"units,nonzero"`
	// UpdatedAt is the time of the version in the source. The warehouse uses the latest version. If the time is zero,
	// it is unknown, and the order's progress determines the version (decision 11).
	UpdatedAt time.Time `column:"updated_at"`
}

// Profile contains a shop's or email tool's data about a customer, except orders. It has no name or postal address, and
// contains the email address and phone number only as keyed hashes. The customer has the same keyed hash as in orders.
//
// The store uses the latest version of a customer. Some versions lack consents, orders or the first contact. Each
// consent is therefore from the latest version that contains it. The number of orders is the largest of all versions,
// and the first contact is the earliest.
type Profile struct {
	Source string `column:"source,key" show:"source"`
	// Customer is the keyed hash of the first known value: the email address, the customer's ID in the source or the phone
	// number.
	Customer string `column:"customer,key" show:"customer,hash" place:"-1"`
	// Phone is the keyed hash of the phone number's digits, or "" if the number is unknown.
	Phone string `column:"phone"`
	// Since is the day of the first contact with the source in the workspace's time zone, or zero if it is unknown.
	Since       civil.Date `column:"since"`
	Email       Consent    `column:"email" also:"email_at,emailAt"` // consent to email marketing
	SMS         Consent    `column:"sms" also:"sms_at,smsAt"`       // consent to text-message marketing
	Country     string     `column:"country"`                       // ISO 3166-1 alpha-2, upper case
	Region      string     `column:"region"`                        // ISO 3166-2 without the country
	Orders      int64      `column:"orders,null=OrdersKnown"`       // lifetime number of orders in the source
	OrdersKnown bool
	// UpdatedAt is the time of the version in the source. The store uses the latest version. A known time takes
	// precedence over an unknown time.
	UpdatedAt time.Time `column:"updated_at"`
}

// emailAt returns the version's time if the consent to email is known, otherwise zero.
func (p *Profile) emailAt() time.Time { return p.consentAt(p.Email) }

func (p *Profile) smsAt() time.Time { return p.consentAt(p.SMS) }

func (p *Profile) consentAt(consent Consent) time.Time {
	if consent == ConsentUnknown {
		return time.Time{}
	}
	return p.UpdatedAt
}

// Consent is a customer's consent to marketing.
type Consent string

// Values of a consent. A consent is unknown if the customer was not asked or did not answer.
const (
	ConsentUnknown Consent = ""
	Consented      Consent = "yes"
	Refused        Consent = "no"
)

// CustomerTie connects a customer's ID in the source with an email address. Orders and profiles with this ID or this
// address belong to one customer, regardless of the order of imports. Several addresses of an ID and several IDs of an
// address also belong to one customer.
type CustomerTie struct {
	Source   string `column:"source,key"`
	KnownAs  string `column:"known_as,key"` // keyed hash of the customer's ID in the source
	Customer string `column:"customer,key"` // keyed hash of the email address
}

// OrderLine is one line of an order.
type OrderLine struct {
	OrderRef
	Line      int    `column:"line,key" show:"line"` // 1, 2, …: position in the source
	SKU       string `column:"sku" show:"sku"`
	Title     string `column:"title" show:"title"`
	Quantity  int64  `column:"quantity" show:"quantity"`
	Net       int64  `column:"net" show:"net,money"` // charged for the line: price × quantity minus line discounts
	Discount  int64  `column:"discount" show:"discount,amount"`
	Cost      int64  `column:"cost" show:"cost,money,if=CostKnown"` // cost of goods of the whole line
	CostKnown bool   `column:"cost_known"`
}

// Refund is a refund of an order. If an export contains only the refunded total of an order, the order has one refund
// with DateUnknown and the day of the order.
type Refund struct {
	OrderRef
	Refund      string     `column:"refund,key"` // key within the order
	At          time.Time  `column:"refunded_at"`
	Day         civil.Date `column:"day,day" show:"day,by=dated"`
	Amount      int64      `column:"amount" show:"amount,money"`
	DateUnknown bool       `column:"date_unknown"`
}

// OrderCoupon is a discount code used in an order.
type OrderCoupon struct {
	OrderRef
	Code string `column:"code,key" show:"code"` // upper case
	// Discount is the discount of the code. If the source names only one code, Discount is the whole discount of the
	// order.
	Discount int64 `column:"discount" show:"discount,amount"`
}

// Touch is a touchpoint of the customer before the order.
type Touch struct {
	OrderRef
	Seq      int              `column:"seq,key"` // 1, 2, … by time; the latest 20 per order are stored
	At       time.Time        `column:"touched_at"`
	Channel  measure.Channel  `column:"channel"`
	Platform measure.Platform `column:"platform"`
	Campaign string           `column:"campaign"` // ID on the platform
	Kind     string           `column:"kind"`     // click, view, visit
}

// LandedOrder contains the fields of a connector's order table that [Order] lacks. These fields are the ID that other
// tables use, and the totals of the order's lines. Amounts are minor units of the order's own currency.
type LandedOrder struct {
	OrderRef
	// Row is the connector's row ID, which other tables refer to. Row is "" if the other tables use the order's key.
	Row           string `column:"row_id"`
	Subtotal      int64  `column:"subtotal,null=SubtotalKnown"` // total of the lines after all discounts
	SubtotalKnown bool
	Discounts     int64     `column:"discounts"`          // discounts of the whole order
	UpdatedAt     time.Time `column:"updated_at,version"` // the latest takes precedence; a known time over an unknown time
}

// LandedLine is an order line from a separate table. It becomes an [OrderLine] when its order is in the store, unless
// the order's import contains its lines. Amounts are minor units of Currency. A line in a currency other than the
// order's currency is not used.
type LandedLine struct {
	Source   string `column:"source,key"`
	Order    string `column:"parent,key" show:"order"` // the order's key, or the row ID of [LandedOrder]
	ID       string `column:"id,key"`
	Row      string `column:"row_id"` // the connector's row ID, which discounts may refer to
	Place    int64  `column:"place"`  // position in the order; lines with equal positions are sorted by ID
	SKU      string `column:"sku" show:"sku"`
	Title    string `column:"title" show:"title"`
	Quantity int64  `column:"quantity" show:"quantity"`
	Gross    int64  `column:"gross" show:"gross,amount,in=Currency"` // price × quantity
	// Discount is the discount of the line itself. It applies if there is no [LandedDiscount].
	Discount int64          `column:"discount" show:"discount,amount,in=Currency"`
	Currency money.Currency `column:"currency"`
	Gone     bool           `column:"gone" show:"counts,by=excluded"` // the line was removed from the order
	// SyncedAt is the time at which the connector wrote the row. The store uses the latest version. A known time takes
	// precedence over an unknown time.
	SyncedAt time.Time `column:"synced_at,version"`
}

// LandedDiscount is the part of a discount that applies to a line.
type LandedDiscount struct {
	Source   string         `column:"source,key"`
	Line     string         `column:"line,key" show:"line"` // the line's ID or row ID
	Place    int64          `column:"place,key"`            // position among the discounts of the line
	Amount   int64          `column:"amount" show:"amount,amount,in=Currency"`
	Currency money.Currency `column:"currency"`
	SyncedAt time.Time      `column:"synced_at,version"` // as in [LandedLine]
}

// LandedCode is a discount code of an order from a separate table. It becomes an [OrderCoupon] in the same way as a
// [LandedLine] becomes an [OrderLine].
type LandedCode struct {
	Source      string `column:"source,key"`
	Order       string `column:"parent,key" show:"order"`                                  // as in [LandedLine]
	Code        string `column:"code,key" show:"code"`                                     // upper case
	Amount      int64  `column:"amount,null=AmountKnown" show:"amount,amount,in=Currency"` // discount of the code
	AmountKnown bool
	Currency    money.Currency `column:"currency"`
	Gone        bool           `column:"gone"`
	SyncedAt    time.Time      `column:"synced_at,version"` // as in [LandedLine]
}

// AdDay is one row of an ad report: an ad on a day in the account's time zone, by region if known.
type AdDay struct {
	Source       string           `column:"source,key"` // the reader's name
	Platform     measure.Platform `column:"platform,key" show:"platform"`
	Account      string           `column:"account,key" show:"account"`
	Channel      measure.Channel  `column:"channel" show:"channel"`
	Day          civil.Date       `column:"day,key,day" show:"day" place:"-1"`
	CampaignID   string           `column:"campaign_id,key"` // ID on the platform; the name in reports without IDs
	CampaignName string           `column:"campaign_name" show:"campaign"`
	AdSetID      string           `column:"ad_set_id,key"`
	AdSetName    string           `column:"ad_set_name"`
	AdID         string           `column:"ad_id,key"`
	AdName       string           `column:"ad_name"`
	Country      string           `column:"country,key" show:"country" place:"1"`
	Region       string           `column:"region,key" show:"region" place:"1"`
	Impressions  int64            `column:"impressions" show:"impressions,nonzero"`
	Clicks       int64            `column:"clicks" show:"clicks,nonzero"`
	Spend        int64            `column:"spend" show:"spend,money"`
	Original     money.Amount     `column:"original"` // Spend in the account's currency
	// Conversions is the number of platform-reported conversions in millionths, because platforms report fractions.
	Conversions int64  `column:"conversions"`
	Value       int64  `column:"value"`       // platform-reported conversion value
	Attribution string `column:"attribution"` // the platform's attribution setting, as reported
}

// AdName is the name and parent of a campaign, ad set or ad. It fills in missing names and campaigns of ad report rows,
// regardless of the order of imports. The store uses the latest version of a name.
type AdName struct {
	Platform measure.Platform `column:"platform,key" show:"platform"`
	Level    measure.AdLevel  `column:"level,key" show:"level,words"`
	ID       string           `column:"id,key" show:"id"`
	Name     string           `column:"name" show:"name"`
	Campaign string           `column:"campaign_id" show:"campaign"` // campaign ID of an ad set or ad; "": unknown
	AdSet    string           `column:"ad_set_id"`                   // ad set ID of an ad; "": unknown
	// UpdatedAt is the time of this version of the row. The store uses the latest version. A known time takes
	// precedence over an unknown time.
	UpdatedAt time.Time `column:"updated_at,version"`
}

// ChannelSpend is spend outside of ad reports, such as television, podcasts and fees of creators.
type ChannelSpend struct {
	Source  string          `column:"source,key"`
	Channel measure.Channel `column:"channel,key" show:"channel"`
	Day     civil.Date      `column:"day,key,day" show:"day" place:"-1"`
	Region  string          `column:"region,key" show:"region"`
	Spend   int64           `column:"spend,sum" show:"spend,money"`
	Note    string          `column:"note" show:"note"`
}

// Product is an item of the catalog.
type Product struct {
	Source string `column:"source,key"`
	SKU    string `column:"sku,key" show:"sku"`
	Title  string `column:"title" show:"title"`
	Kind   string `column:"kind" show:"type"`
	Vendor string `column:"vendor" show:"vendor"`
	Price  int64  `column:"price" show:"price,money"`
}

// ProductCost is the unit cost of a product, starting on a day. It applies to lines without their own cost. The cost
// with the latest day up to the order's day applies. If two costs start on the same day, the source with the first name
// in sort order takes precedence, regardless of the order of imports.
type ProductCost struct {
	Source string     `column:"source,key"`
	SKU    string     `column:"sku,key" show:"sku"`
	From   civil.Date `column:"since,key,epoch" show:"from"` // zero: from the beginning
	Cost   int64      `column:"cost" show:"cost,money"`      // cost of one unit
}

// MessageDay is the result of an email or text message on a day.
type MessageDay struct {
	Source       string          `column:"source,key"`
	Channel      measure.Channel `column:"channel,key" show:"channel"` // email or sms
	Entity       string          `column:"entity,key" show:"what"`     // campaign or flow
	EntityID     string          `column:"entity_id,key"`
	EntityName   string          `column:"entity_name" show:"name"`
	MessageID    string          `column:"message_id,key"`
	MessageName  string          `column:"message_name"`
	Day          civil.Date      `column:"day,key,day" show:"day" place:"-1"`
	Recipients   int64           `column:"recipients"`
	Delivered    int64           `column:"delivered" show:"delivered,nonzero"`
	Opens        int64           `column:"opens" show:"opens,nonzero"`   // unique
	Clicks       int64           `column:"clicks" show:"clicks,nonzero"` // unique
	Conversions  int64           `column:"conversions"`                  // reported by the sending tool
	Revenue      int64           `column:"revenue" show:"revenue,money"` // reported by the sending tool
	Unsubscribes int64           `column:"unsubscribes"`
	Spam         int64           `column:"spam"`
	Bounces      int64           `column:"bounces"`
	SinceSend    bool            `column:"since_send"` // the figures are totals since sending, not figures of this day
}

// SurveyResponse is one answer to one question of a post-purchase survey.
type SurveyResponse struct {
	Source   string                      `column:"source,key"`
	Key      string                      `column:"key,key"`
	OrderRef `prefix:"order_" place:"1"` // zero if the survey tool does not name the order
	At       time.Time                   `column:"answered_at" show:"time"`
	Day      civil.Date                  `column:"day,day"`
	// Question is discovery_channel, purchase_trigger, awareness_duration or the text of any other question.
	Question string          `column:"question,key" show:"question"`
	Answer   string          `column:"answer" show:"answer"`
	Channel  measure.Channel `column:"channel" show:"channel"` // channel in the answer; "": none
	Creator  string          `column:"creator"`                // ID of the creator in the answer; "": none
}

// Creator is an influencer, creator or affiliate.
type Creator struct {
	Source   string `column:"source,key"`
	ID       string `column:"id,key"` // UUID
	Name     string `column:"name" show:"name"`
	Handle   string `column:"handle" show:"handle"`
	Platform string `column:"platform" show:"platform"`
}

// CreatorCode is a creator's discount code.
type CreatorCode struct {
	Creator string `column:"creator,key"`
	Code    string `column:"code,key" show:"code"`
}

// CreatorCost is a fee, commission or gift.
type CreatorCost struct {
	Source  string     `column:"source,key"`
	Creator string     `column:"creator,key"`
	Day     civil.Date `column:"day,key,day" show:"day"`
	Kind    string     `column:"kind,key" show:"kind"` // fee, commission, product
	Amount  int64      `column:"amount,sum" show:"amount,money"`
}

// LinkDay is the use of a creator's link on a day.
type LinkDay struct {
	Source  string     `column:"source,key"`
	Creator string     `column:"creator,key"`
	Link    string     `column:"link,key" show:"link"`
	Kind    string     `column:"kind,key"` // vanity or referral
	Day     civil.Date `column:"day,key,day" show:"day" place:"-1"`
	Clicks  int64      `column:"clicks" show:"clicks,nonzero"`
	Orders  int64      `column:"orders" show:"orders,nonzero"`
	Revenue int64      `column:"revenue" show:"revenue,amount"`
}

// CouponChannel is the channel of a coupon code.
type CouponChannel struct {
	Code    string          `column:"code,key" show:"code"`
	Channel measure.Channel `column:"channel" show:"channel"`
	Creator string          `column:"creator"`
}

// Target is a target for a metric in a period.
type Target struct {
	Metric  string          `column:"metric,key" show:"metric"` // revenue, orders, spend, roas
	Period  string          `column:"period,key" show:"period"` // daily, weekly, monthly, quarterly
	Start   civil.Date      `column:"start_day,key" show:"start"`
	Channel measure.Channel `column:"channel,key" show:"channel"` // "" for the whole store
	Value   float64         `column:"value" show:"value"`         // money in whole currency units
}

// FXRate is an exchange rate: the value of one unit of the currency From in the currency To on a day.
type FXRate struct {
	Day    civil.Date     `column:"day,key,day" show:"day"`
	From   money.Currency `column:"from_currency,key" show:"from"`
	To     money.Currency `column:"to_currency,key" show:"to"`
	Rate   string         `column:"rate" show:"rate"` // exact decimal
	Source string         `column:"source,key"`
}

// RegionDay contains the traffic and the population of a region on a day.
type RegionDay struct {
	Source     string     `column:"source,key"`
	Day        civil.Date `column:"day,key,day" show:"day"`
	Country    string     `column:"country,key" show:"country"`
	Region     string     `column:"region,key" show:"region"`
	Sessions   int64      `column:"sessions" show:"sessions,nonzero"`
	Population int64      `column:"population" show:"people,nonzero"`
}

// SurfaceDayTotal is the daily total of a sales surface without a list of orders, such as point of sale and
// marketplaces. It applies only on days without orders of the surface, so no order is counted twice. Amounts have the
// same meaning as in [Order].
type SurfaceDayTotal struct {
	Source  string          `column:"source,key"`
	Day     civil.Date      `column:"day,key,day" show:"day"`
	Surface measure.Surface `column:"surface,key" show:"surface"`
	Country string          `column:"country,key"`              // ISO 3166-1 alpha-2, upper case; "" if unknown
	Region  string          `column:"region,key" show:"region"` // ISO 3166-2 without the country; "" if unknown
	Orders  int64           `column:"orders" show:"orders,nonzero"`
	// NewOrders is the number of first orders of customers among these orders. The other orders are from returning
	// customers.
	NewOrders int64 `column:"new_orders"`
	Units     int64 `column:"units"`
	Charged   int64 `column:"charged" show:"charged,money"`
	Tax       int64 `column:"tax" show:"tax,amount"`
	Shipping  int64 `column:"shipping"`
	Discounts int64 `column:"discounts"`
	Refunds   int64 `column:"refunds" show:"refunds,amount"` // refunded on the day
}
