package warehouse

import (
	"time"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/money"
)

// Batch is a part of an import: canonical rows of any kind. Readers fill batches of a few thousand rows and pass them
// to an [Import] in the order of the file.
//
// Amounts are minor units of the workspace's currency unless a field says otherwise. Readers convert.
type Batch struct {
	Orders   []Order
	Profiles []Profile
	Ties     []CustomerTie
	Lines    []OrderLine
	Refunds  []Refund
	Coupons  []OrderCoupon
	Touches  []Touch

	LandedOrders    []LandedOrder
	LandedLines     []LandedLine
	LandedDiscounts []LandedDiscount
	LandedCodes     []LandedCode

	AdDays       []AdDay
	AdNames      []AdName
	AdStates     []measure.AdState
	ChannelSpend []ChannelSpend
	Products     []Product
	Costs        []ProductCost
	Messages     []MessageDay
	Surveys      []SurveyResponse
	Creators     []Creator
	CreatorCodes []CreatorCode
	CreatorCosts []CreatorCost
	LinkDays     []LinkDay
	CouponMap    []CouponChannel
	Targets      []Target
	FXRates      []FXRate
	RegionDays   []RegionDay
	SurfaceDays  []SurfaceDayTotal
}

// Len returns the number of rows of all kinds.
func (b *Batch) Len() int {
	return len(b.Orders) + len(b.Profiles) + len(b.Ties) + len(b.Lines) + len(b.Refunds) + len(b.Coupons) + len(b.Touches) +
		len(b.LandedOrders) + len(b.LandedLines) + len(b.LandedDiscounts) + len(b.LandedCodes) + len(b.AdDays) +
		len(b.AdNames) + len(b.AdStates) + len(b.ChannelSpend) + len(b.Products) + len(b.Costs) + len(b.Messages) + len(b.Surveys) + len(b.Creators) + len(b.CreatorCodes) +
		len(b.CreatorCosts) + len(b.LinkDays) + len(b.CouponMap) + len(b.Targets) + len(b.FXRates) + len(b.RegionDays) + len(b.SurfaceDays)
}

// OrderRef is the natural key of an order. The same order from a file, a webhook or a Singer tap has the same key.
type OrderRef struct {
	Source string // the system of record, such as "shopify" or "csv"
	Key    string // the order's ID there; for a Shopify export without IDs, the order's name
}

// Order is an order of the shop.
type Order struct {
	OrderRef
	Name    string // the displayed number, "#1001"
	At      time.Time
	Day     civil.Date // At in the workspace's time zone
	Surface measure.Surface
	// keyed hash of the email address, else of the source's ID, else of the phone number; "" for guests
	Customer  string
	Channel   measure.Channel // credited by the source itself; "" leaves attribution to touchpoints
	Charged   int64           // after discounts, including tax and shipping
	Tax       int64
	Shipping  int64
	Discounts int64
	Original  money.Amount // Charged in the order's own currency
	Status    string       // the shop's status: paid, partially_refunded, refunded, pending, voided
	Cancelled bool         // canceled or voided: stored, and excluded from every figure
	Test      bool         // stored, and excluded from every figure
	Country   string       // ISO 3166-1 alpha-2, upper case
	Region    string       // ISO 3166-2 without the country: "CA"
	Units     int64
	UpdatedAt time.Time // the source's own; the latest wins. Zero: unknown, see [Import].
}

// Profile is what a shop or an email tool knows about a customer apart from orders. It has no name, address or
// number: the customer is the same keyed hash as in orders.
//
// The latest version of a customer counts. Some versions lack consents, orders or the first contact. So a consent is
// that of the latest version that contains it, the number of orders is the largest, and the first contact is the
// earliest.
type Profile struct {
	Source      string
	Customer    string     // keyed hash of the email address, else of the source's ID, else of the phone number
	Phone       string     // keyed hash of the phone number's digits; "" when unknown
	Since       civil.Date // first contact with the source, in the workspace's time zone; zero: unknown
	Email       Consent    // to email marketing
	SMS         Consent    // to text-message marketing
	Country     string     // ISO 3166-1 alpha-2, upper case
	Region      string     // ISO 3166-2 without the country
	Orders      int64      // the source's lifetime count
	OrdersKnown bool
	UpdatedAt   time.Time // the source's own; the latest wins, and a known one wins over an unknown one
}

// Consent is a customer's consent to marketing.
type Consent string

// The consents. Without a question or an answer, the consent is unknown.
const (
	ConsentUnknown Consent = ""
	Consented      Consent = "yes"
	Refused        Consent = "no"
)

// CustomerTie connects the source's ID of a customer with an email address. Orders and profiles under either belong
// to one customer, in any order of import; so do those of several addresses of an ID, and of several IDs.
type CustomerTie struct {
	Source   string
	KnownAs  string // keyed hash of the source's ID
	Customer string // keyed hash of the email address
}

// OrderLine is one line of an order.
type OrderLine struct {
	OrderRef
	Line      int // 1, 2, …: position in the source
	SKU       string
	Title     string
	Quantity  int64
	Net       int64 // charged for the line: price × quantity minus line discounts
	Discount  int64
	Cost      int64 // cost of goods of the whole line
	CostKnown bool
}

// Refund is a refund of an order. An export with only the refunded total of an order gives one refund with
// DateUnknown, dated by the order.
type Refund struct {
	OrderRef
	Refund      string // key within the order
	At          time.Time
	Day         civil.Date
	Amount      int64
	DateUnknown bool
}

// OrderCoupon is a discount code used in an order.
type OrderCoupon struct {
	OrderRef
	Code     string // upper case
	Discount int64  // discount of the code; the whole discount if the source names only one code
}

// Touch is a touchpoint of the customer before the order.
type Touch struct {
	OrderRef
	Seq      int // 1, 2, … by time; the latest 20 per order are stored
	At       time.Time
	Channel  measure.Channel
	Platform measure.Platform
	Campaign string // the platform's own ID
	Kind     string // click, view, visit
}

// LandedOrder has the fields of a connector's order table that [Order] lacks: the ID that other tables use, and the
// totals of the order's lines. Amounts are minor units of the order's own currency.
type LandedOrder struct {
	OrderRef
	Row           string // the connector's row ID, which other tables refer to; "" if they use the order's key
	Subtotal      int64  // of the lines after all discounts
	SubtotalKnown bool
	Discounts     int64     // of the whole order
	UpdatedAt     time.Time // the latest wins, and a known one wins over an unknown one
}

// LandedLine is an order line from a separate table. It becomes an [OrderLine] when its order is in the store, unless
// the order came with its own lines. Amounts are minor units of Currency; lines in another currency than their
// order's wait.
type LandedLine struct {
	Source   string
	Order    string // the order's key, or the row ID of [LandedOrder]
	ID       string
	Row      string // the connector's row ID, which discounts may refer to
	Place    int64  // position in the order; ties are sorted by ID
	SKU      string
	Title    string
	Quantity int64
	Gross    int64 // price × quantity
	Discount int64 // the line's own, used if there is no [LandedDiscount]
	Currency money.Currency
	Gone     bool      // the line was removed from the order
	SyncedAt time.Time // the latest wins, and a known one wins over an unknown one
}

// LandedDiscount is the part of a discount that applies to a line.
type LandedDiscount struct {
	Source   string
	Line     string // the line's ID or row ID
	Place    int64  // position among the discounts of the line
	Amount   int64
	Currency money.Currency
	SyncedAt time.Time // as in [LandedLine]
}

// LandedCode is a discount code of an order from a separate table. It becomes an [OrderCoupon] as lines become order
// lines.
type LandedCode struct {
	Source      string
	Order       string // as in [LandedLine]
	Code        string // upper case
	Amount      int64  // discount of the code
	AmountKnown bool
	Currency    money.Currency
	Gone        bool
	SyncedAt    time.Time // as in [LandedLine]
}

// AdDay is one row of an ad report: an ad on a day in the account's time zone, by region if known.
type AdDay struct {
	Source          string // the reader's name
	Platform        measure.Platform
	Account         string
	Channel         measure.Channel
	Day             civil.Date
	CampaignID      string // the platform's own ID; the name in reports without IDs
	CampaignName    string
	AdSetID         string
	AdSetName       string
	AdID            string
	AdName          string
	Country, Region string
	Impressions     int64
	Clicks          int64
	Spend           int64
	Original        money.Amount // Spend in the account's currency
	Conversions     int64        // claimed by the platform, in millionths: platforms report fractions
	Value           int64        // claimed conversion value
	Attribution     string       // the platform's attribution setting, as reported
}

// AdName is the name and parent of a campaign, ad set or ad. It fills in missing names and campaigns of ad report
// rows, in any order of import. The latest version of a name counts.
type AdName struct {
	Platform  measure.Platform
	Level     measure.AdLevel
	ID        string
	Name      string
	Campaign  string    // campaign ID of an ad set or ad; "": unknown
	AdSet     string    // ad set ID of an ad; "": unknown
	UpdatedAt time.Time // the latest wins, and a known one wins over an unknown one
}

// ChannelSpend is spend outside of ad reports: television, podcasts, fees, creators.
type ChannelSpend struct {
	Source  string
	Channel measure.Channel
	Day     civil.Date
	Region  string
	Spend   int64
	Note    string
}

// Product is an item of the catalogue.
type Product struct {
	Source string
	SKU    string
	Title  string
	Kind   string
	Vendor string
	Price  int64
}

// ProductCost is the unit cost of a product from a day on. It applies to lines without their own cost. The cost with
// the latest day up to the order's counts; among equal days, that of the source whose name sorts first, in any order
// of import.
type ProductCost struct {
	Source string
	SKU    string
	From   civil.Date // zero: from the beginning
	Cost   int64      // of one unit
}

// MessageDay is the result of an email or text message on a day.
type MessageDay struct {
	Source       string
	Channel      measure.Channel // email or sms
	Entity       string          // campaign or flow
	EntityID     string
	EntityName   string
	MessageID    string
	MessageName  string
	Day          civil.Date
	Recipients   int64
	Delivered    int64
	Opens        int64 // unique
	Clicks       int64 // unique
	Conversions  int64 // claimed by the sender's tool
	Revenue      int64 // claimed by the sender's tool
	Unsubscribes int64
	Spam         int64
	Bounces      int64
	SinceSend    bool // the figures are totals since the send, not of this day
}

// SurveyResponse is one answer to one question of a post-purchase survey.
type SurveyResponse struct {
	Source   string
	Key      string
	OrderRef // zero if the survey tool does not name the order
	At       time.Time
	Day      civil.Date
	Question string // discovery_channel, purchase_trigger, awareness_duration or the tool's own
	Answer   string
	Channel  measure.Channel // channel of the answer; "" if it names none
	Creator  string          // ID, if the answer names one
}

// Creator is an influencer, creator or affiliate.
type Creator struct {
	Source   string
	ID       string // UUID
	Name     string
	Handle   string
	Platform string
}

// CreatorCode is a creator's discount code.
type CreatorCode struct{ Creator, Code string }

// CreatorCost is a fee, commission or gift.
type CreatorCost struct {
	Source  string
	Creator string
	Day     civil.Date
	Kind    string // fee, commission, product
	Amount  int64
}

// LinkDay is the use of a creator's link on a day.
type LinkDay struct {
	Source  string
	Creator string
	Link    string
	Kind    string // vanity or referral
	Day     civil.Date
	Clicks  int64
	Orders  int64
	Revenue int64
}

// CouponChannel is the channel of a coupon code.
type CouponChannel struct {
	Code    string
	Channel measure.Channel
	Creator string
}

// Target is a target for a metric in a period.
type Target struct {
	Metric  string // revenue, orders, spend, roas
	Period  string // daily, weekly, monthly, quarterly
	Start   civil.Date
	Channel measure.Channel // "" for the whole store
	Value   float64         // money in whole currency units
}

// FXRate is an exchange rate: the value of one unit of From in To on a day.
type FXRate struct {
	Day      civil.Date
	From, To money.Currency
	Rate     string // exact decimal
	Source   string
}

// RegionDay is data about a region on a day apart from orders: traffic and population.
type RegionDay struct {
	Source     string
	Day        civil.Date
	Country    string
	Region     string
	Sessions   int64
	Population int64
}

// SurfaceDayTotal is the daily total of a sales surface without a list of orders, such as tills and marketplaces. It
// counts on days without an order of the surface in the store, and is ignored on others, so nothing counts twice.
// Amounts have the meaning of those in [Order].
type SurfaceDayTotal struct {
	Source    string
	Day       civil.Date
	Surface   measure.Surface
	Country   string // ISO 3166-1 alpha-2, upper case; "" when unknown
	Region    string // ISO 3166-2 without the country; "" when unknown
	Orders    int64
	NewOrders int64 // of these, first orders of customers; the others count as returning customers'
	Units     int64
	Charged   int64
	Tax       int64
	Shipping  int64
	Discounts int64
	Refunds   int64 // refunded on the day
}
