package warehouse

import (
	"time"

	"assay/internal/civil"
	"assay/internal/measure"
)

// Windows are the one or two periods a question is about. They may overlap and differ in length.
type Windows struct {
	Recent  civil.Range
	Earlier civil.Range // zero: not asked for
}

// Pair holds an answer for each of two windows. Earlier is the zero value when it was not asked for.
type Pair[T any] struct{ Recent, Earlier T }

// ChannelTotal is what a channel is credited with, spends and claims in a window.
type ChannelTotal struct {
	Channel     measure.Channel
	Sums        measure.Sums // by the model; zero under platform_reported for channels without claims
	Spend       int64
	SpendKnown  bool // false: no report and no manual spend covers the channel
	Impressions int64
	Clicks      int64
	Claimed     int64 // orders claimed by the platform, in millionths
	ClaimedSum  int64 // revenue claimed by the platform
}

// DayTotal is one day of the store or of a channel. Days without anything are left out.
type DayTotal struct {
	Day        civil.Date
	Sums       measure.Sums
	Spend      int64
	SpendKnown bool
}

// ChannelDay is one day of a channel.
type ChannelDay struct {
	Channel measure.Channel
	DayTotal
}

// CampaignsOf selects campaigns or creatives.
type CampaignsOf struct {
	Windows  Windows // totals are wanted for both, rows for the recent one
	Platform measure.Platform
	Campaign string        // id
	Level    CampaignLevel // campaigns when empty
	Sort     CampaignSort  // by spend when empty
	Limit    int           // 0: all
	Offset   int
}

// CampaignLevel is the grain of campaign rows.
type CampaignLevel string

// The levels.
const (
	Campaigns CampaignLevel = "campaign"
	Creatives CampaignLevel = "creative"
)

// CampaignSort is what campaign rows are sorted by, largest first, ties by id.
type CampaignSort string

// The sort keys.
const (
	BySpend       CampaignSort = "spend"
	ByRevenue     CampaignSort = "revenue"
	ByROAS        CampaignSort = "roas"
	ByConversions CampaignSort = "conversions"
)

// CampaignTotal is what a platform reports of a campaign, or of one ad where the level is creative.
type CampaignTotal struct {
	Platform     measure.Platform
	Channel      measure.Channel
	Account      string
	CampaignID   string
	CampaignName string // the latest name in the window
	AdSetID      string
	AdSetName    string
	AdID         string
	AdName       string
	Spend        int64
	Impressions  int64
	Clicks       int64
	Conversions  int64        // claimed, in millionths
	Value        int64        // claimed
	Credited     measure.Sums // by last touch; zero at the creative level
	FirstDay     civil.Date
	LastDay      civil.Date
	Attribution  string
}

// CampaignPage is a page of campaigns and the sums over all that were selected.
type CampaignPage struct {
	Rows   []CampaignTotal
	Total  int // rows without the limit
	Totals Pair[CampaignTotal]
}

// ProductsOf selects products by what was sold.
type ProductsOf struct {
	Windows Windows
	Sort    ProductSort
	Limit   int // 0: all
	Offset  int
}

// ProductSort is what product rows are sorted by, largest first, ties by SKU and title.
type ProductSort string

// The sort keys.
const (
	ByProductRevenue ProductSort = "revenue"
	ByUnits          ProductSort = "units"
	ByAOV            ProductSort = "aov" // revenue of the product per order that contains it
)

// ProductTotal is what a product sold.
type ProductTotal struct {
	SKU      string
	Title    string
	Units    int64
	Orders   int64 // orders that contain it
	Net      int64 // charged for its lines
	Discount int64
	Cost     int64
	Costed   int64 // units whose cost is known
}

// ProductPage is a page of products and the sums over all of them. Orders of the sums counts each order once.
type ProductPage struct {
	Rows   []ProductTotal
	Total  int
	Totals Pair[ProductTotal]
}

// CouponsOf selects coupons by use.
type CouponsOf struct {
	Windows Windows
	Code    string // "" for all
	Limit   int    // 0: all
	Offset  int
}

// CouponTotal is what a coupon code did.
type CouponTotal struct {
	Code      string
	Channel   measure.Channel // what the code is mapped to; "" when it is not
	Creator   string
	Orders    int64
	Charged   int64 // revenue of the orders that used it
	Discount  int64
	NewOrders int64
}

// CouponPage is a page of coupons, largest revenue first, and the sums over all of them.
type CouponPage struct {
	Rows   []CouponTotal
	Total  int
	Totals Pair[CouponTotal] // Orders counts each order once
}

// Coverage is what the store has, from when to when.
type Coverage struct {
	Orders    int64
	Cancelled int64
	Tests     int64
	OrderDays civil.Range      // zero when there are no orders
	AdDays    civil.Range      // zero when there are no ad reports
	Counts    map[string]int64 // rows by fact table
	Version   uint64           // rises with each import
}

// ChannelVolume is how much a channel has.
type ChannelVolume struct {
	Channel   measure.Channel
	Platform  measure.Platform // "" when it is no ad platform's
	Credited  int64            // orders by last touch, in millionths
	Charged   int64
	Spend     int64
	SpendDays int64
	Days      civil.Range
}

// SourceState is what one source has delivered.
type SourceState struct {
	Source      string
	Kind        string // orders, ads, spend, messages, surveys, creators, catalogue, targets, rates
	Account     string
	Platform    measure.Platform // of ads
	Rows        int64
	Days        civil.Range
	LastImport  time.Time
	MissingDays int64      // days inside Days without a row, for daily sources
	LastGap     civil.Date // the latest of them
	Zone        string     // the account's own, when known
}

// SourceDay is a day on which a source has delivered anything.
type SourceDay struct {
	Kind     string // orders, ads, messages
	Source   string
	Account  string
	Platform measure.Platform
	Day      civil.Date
}

// ImportRecord is one line of the import ledger.
type ImportRecord struct {
	ID        string
	Source    string
	File      string // base name
	FileHash  string
	At        time.Time
	Rows      int64
	Inserted  int64
	Updated   int64
	Unchanged int64
	Removed   int64
	Rejected  int64
	Days      civil.Range
}
