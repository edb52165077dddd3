package warehouse

import (
	"time"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/money"
)

// Batch is a piece of an import: canonical rows of any kind. Readers fill batches of a few thousand rows and
// hand them to an [Import] in the order of the file.
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

// Len returns how many rows the batch holds, of all kinds.
func (b *Batch) Len() int {
	return len(b.Orders) + len(b.Profiles) + len(b.Ties) + len(b.Lines) + len(b.Refunds) + len(b.Coupons) + len(b.Touches) +
		len(b.LandedOrders) + len(b.LandedLines) + len(b.LandedDiscounts) + len(b.LandedCodes) + len(b.AdDays) +
		len(b.AdNames) + len(b.AdStates) + len(b.ChannelSpend) + len(b.Products) + len(b.Costs) + len(b.Messages) + len(b.Surveys) + len(b.Creators) + len(b.CreatorCodes) +
		len(b.CreatorCosts) + len(b.LinkDays) + len(b.CouponMap) + len(b.Targets) + len(b.FXRates) + len(b.RegionDays) + len(b.SurfaceDays)
}

// OrderRef is the natural key of an order: the same order from a file, a webhook or a tap meets on it.
type OrderRef struct {
	Source string // the system of record, such as "shopify" or "csv"
	Key    string // the order's id there; a Shopify export without ids falls back to the order's name
}

// Order is one order as the shop knows it.
type Order struct {
	OrderRef
	Name      string // what people call it, "#1001"
	At        time.Time
	Day       civil.Date // At in the workspace's zone
	Surface   measure.Surface
	Customer  string          // keyed hash of mail address, else of the source's id, else of the telephone number; "" for guests
	Channel   measure.Channel // credited by the source itself; "" leaves it to touchpoints
	Charged   int64           // after discounts, tax and shipping included
	Tax       int64
	Shipping  int64
	Discounts int64
	Original  money.Amount // Charged in the order's own currency
	Status    string       // the shop's word: paid, partially_refunded, refunded, pending, voided
	Cancelled bool         // cancelled or voided: kept, and left out of every figure
	Test      bool         // kept, and left out of every figure
	Country   string       // ISO 3166-1 alpha-2, upper case
	Region    string       // ISO 3166-2 without the country: "CA"
	Units     int64
	UpdatedAt time.Time // the source's own; the later one wins. Zero: unknown, see [Import].
}

// Profile is what a shop or a mailing tool knows of a customer apart from orders. It has no name, address or number: the
// customer is the keyed hash that orders have.
//
// Of several versions of a customer the latest counts. Some leave out consents, orders or the first contact: a consent is that
// of the latest version which tells it, the number of orders the largest and the first contact the earliest that any tells.
type Profile struct {
	Source      string
	Customer    string     // keyed hash of the mail address, else of the source's id, else of the telephone number
	Phone       string     // keyed hash of the telephone number's digits; "" when unknown
	Since       civil.Date // when the source first knew the customer, in the workspace's zone; zero: unknown
	Email       Consent    // to marketing by mail
	SMS         Consent    // to marketing by text message
	Country     string     // ISO 3166-1 alpha-2, upper case
	Region      string     // ISO 3166-2 without the country
	Orders      int64      // that the source has ever counted
	OrdersKnown bool
	UpdatedAt   time.Time // the source's own; the later one wins, and one that is known before one that is not
}

// Consent is whether a customer agreed to something.
type Consent string

// The consents. Whoever was never asked, or has not answered yet, is unknown.
const (
	ConsentUnknown Consent = ""
	Consented      Consent = "yes"
	Refused        Consent = "no"
)

// CustomerTie says that a customer whom a source knows by an id has a mail address. Orders and profiles under either, whenever
// they come, are one customer's; so are those of several addresses that an id had, and of several ids.
type CustomerTie struct {
	Source   string
	KnownAs  string // keyed hash of the source's id
	Customer string // keyed hash of the mail address
}

// OrderLine is one line of an order.
type OrderLine struct {
	OrderRef
	Line      int // 1, 2, …: the order of the lines in the source
	SKU       string
	Title     string
	Quantity  int64
	Net       int64 // what was charged for the line: price × quantity less discounts of the line
	Discount  int64
	Cost      int64 // of goods, for the whole line
	CostKnown bool
}

// Refund is money given back. An export that knows only an order's refunded total makes one refund with
// DateUnknown, dated by the order.
type Refund struct {
	OrderRef
	Refund      string // key within the order
	At          time.Time
	Day         civil.Date
	Amount      int64
	DateUnknown bool
}

// OrderCoupon is a code that an order used.
type OrderCoupon struct {
	OrderRef
	Code     string // upper case
	Discount int64  // what the code took off; the whole discount when the source names only one code
}

// Touch is a contact of the customer with a channel before the order.
type Touch struct {
	OrderRef
	Seq      int // 1, 2, … by time; at most 20 per order are kept, the oldest go first
	At       time.Time
	Channel  measure.Channel
	Platform measure.Platform
	Campaign string // the platform's own id
	Kind     string // click, view, visit
}

// LandedOrder is what a connector's table of orders tells besides the order: what its other tables call it, and what the order's
// lines come to. Amounts are minor units of the order's own currency.
type LandedOrder struct {
	OrderRef
	Row           string // the connector's id of the row, by which other tables name the order; "" where they have its key
	Subtotal      int64  // of the lines after all discounts
	SubtotalKnown bool
	Discounts     int64     // of the whole order
	UpdatedAt     time.Time // the later one wins, and one that is known before one that is not
}

// LandedLine is a line of an order from a table of lines. Lines become [OrderLine]s when their order is there, unless it came
// with lines of its own. Amounts are minor units of Currency; lines in another currency than their order's wait.
type LandedLine struct {
	Source   string
	Order    string // the order's key, or what [LandedOrder] calls its row
	ID       string
	Row      string // the connector's id of the row, by which discounts may name the line
	Place    int64  // among the order's lines; lines with the same stand in the order of their ids
	SKU      string
	Title    string
	Quantity int64
	Gross    int64 // price × quantity
	Discount int64 // the line's own, where no [LandedDiscount] tells more
	Currency money.Currency
	Gone     bool      // it is no longer a line of the order
	SyncedAt time.Time // the later one wins, and one that is known before one that is not
}

// LandedDiscount is a part of a discount that a line has.
type LandedDiscount struct {
	Source   string
	Line     string // the line's id or row
	Place    int64  // among those of the line
	Amount   int64
	Currency money.Currency
	SyncedAt time.Time // as that of [LandedLine]
}

// LandedCode is a discount code of an order from a table of codes. It becomes an [OrderCoupon] as lines become lines.
type LandedCode struct {
	Source      string
	Order       string // as that of [LandedLine]
	Code        string // upper case
	Amount      int64  // what it took off
	AmountKnown bool
	Currency    money.Currency
	Gone        bool
	SyncedAt    time.Time // as that of [LandedLine]
}

// AdDay is one row of an ad report: an ad on a day, in the account's own zone, and a region where known.
type AdDay struct {
	Source          string // the reader's name
	Platform        measure.Platform
	Account         string
	Channel         measure.Channel
	Day             civil.Date
	CampaignID      string // the platform's own id; a report without ids uses the name
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

// AdName is what a campaign, an ad set or an ad is called, and what it belongs to. Rows of ad reports that lack names or the
// campaign have them from here, whichever came first. The latest version of a name counts.
type AdName struct {
	Platform  measure.Platform
	Level     measure.AdLevel
	ID        string
	Name      string
	Campaign  string    // id of the campaign that an ad set or ad belongs to; "": not told
	AdSet     string    // id of the ad set that an ad belongs to; "": not told
	UpdatedAt time.Time // the later one wins, and one that is known before one that is not
}

// ChannelSpend is spend that no ad report contains: television, podcasts, fees, creators.
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

// ProductCost is what a unit of a product costs from a day on. It counts for lines that have no cost of their own. Of
// several costs the one with the latest day up to the order's counts; of equal ones that of the source whose name comes
// first, whichever was imported last.
type ProductCost struct {
	Source string
	SKU    string
	From   civil.Date // zero: since ever
	Cost   int64      // of one unit
}

// MessageDay is what a mail or text message did on a day.
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
	SinceSend    bool // the figures are totals since the send and not this day's
}

// SurveyResponse is one answer to one question after a purchase.
type SurveyResponse struct {
	Source   string
	Key      string
	OrderRef // zero when the survey tool does not name the order
	At       time.Time
	Day      civil.Date
	Question string // discovery_channel, purchase_trigger, awareness_duration or the tool's own
	Answer   string
	Channel  measure.Channel // what the answer means; "" when it names none
	Creator  string          // id, when the answer names one
}

// Creator is an influencer, creator or affiliate.
type Creator struct {
	Source   string
	ID       string // UUID
	Name     string
	Handle   string
	Platform string
}

// CreatorCode is a discount code that belongs to a creator.
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

// CouponChannel says which channel a coupon code stands for.
type CouponChannel struct {
	Code    string
	Channel measure.Channel
	Creator string
}

// Target is a goal for a metric in a period.
type Target struct {
	Metric  string // revenue, orders, spend, roas
	Period  string // daily, weekly, monthly, quarterly
	Start   civil.Date
	Channel measure.Channel // "" for the whole store
	Value   float64         // money in whole units
}

// FXRate is what one unit of From is worth in To on a day.
type FXRate struct {
	Day      civil.Date
	From, To money.Currency
	Rate     string // exact decimal
	Source   string
}

// RegionDay is what is known of a region on a day apart from orders: traffic and population.
type RegionDay struct {
	Source     string
	Day        civil.Date
	Country    string
	Region     string
	Sessions   int64
	Population int64
}

// SurfaceDayTotal is what a surface took on a day, where only the total is known: tills and marketplaces that give no list of
// orders. It counts on days on which the store has no order of the surface, and is left out on the others, so that nothing
// counts twice. Amounts mean what they do in [Order].
type SurfaceDayTotal struct {
	Source    string
	Day       civil.Date
	Surface   measure.Surface
	Country   string // ISO 3166-1 alpha-2, upper case; "" when unknown
	Region    string // ISO 3166-2 without the country; "" when unknown
	Orders    int64
	NewOrders int64 // of these, the first ones of their customers; the others count as returning customers'
	Units     int64
	Charged   int64
	Tax       int64
	Shipping  int64
	Discounts int64
	Refunds   int64 // given back on the day
}
