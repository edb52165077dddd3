package warehouse

import (
	"time"

	"assay/internal/civil"
	"assay/internal/measure"
)

// Windows contains the periods of a query: one or two. They may overlap and differ in length.
type Windows struct {
	Recent  civil.Range
	Earlier civil.Range // zero: none
}

// Pair contains a result for each of two windows. Without an earlier window, Earlier is the zero value.
type Pair[T any] struct{ Recent, Earlier T }

// ChannelTotal contains a channel's attributed figures, spend and platform-reported figures in a window.
type ChannelTotal struct {
	Channel     measure.Channel
	Sums        measure.Sums // attributed by the model; zero under platform_reported without reported figures
	Spend       int64
	SpendKnown  bool // false: no report and no manual spend covers the channel
	Impressions int64
	Clicks      int64
	Claimed     int64 // orders that the platform reports, in millionths
	ClaimedSum  int64 // revenue that the platform reports
}

// DayTotal is one day of the store or of a channel. Results omit empty days.
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
	Windows  Windows // totals are for both windows, rows for the recent one
	Platform measure.Platform
	Campaign string        // id
	Level    CampaignLevel // empty: campaigns
	Sort     CampaignSort  // empty: by spend
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

// CampaignSort is the figure by which campaign rows are sorted, largest first. Ties are sorted by ID.
type CampaignSort string

// The sort keys.
const (
	BySpend       CampaignSort = "spend"
	ByRevenue     CampaignSort = "revenue"
	ByROAS        CampaignSort = "roas"
	ByConversions CampaignSort = "conversions"
)

// CampaignTotal is the platform's report of a campaign, or of one ad at the creative level.
type CampaignTotal struct {
	Platform     measure.Platform
	Channel      measure.Channel
	Account      string
	CampaignID   string
	CampaignName string // latest name in the window
	AdSetID      string
	AdSetName    string
	AdID         string
	AdName       string
	Spend        int64
	Impressions  int64
	Clicks       int64
	Conversions  int64        // platform-reported, in millionths
	Value        int64        // platform-reported
	Credited     measure.Sums // attributed by last touch; zero at the creative level
	FirstDay     civil.Date
	LastDay      civil.Date
	Attribution  string
}

// CampaignPage contains a page of campaigns and the totals of the whole selection.
type CampaignPage struct {
	Rows   []CampaignTotal
	Total  int // number of rows without the limit
	Totals Pair[CampaignTotal]
}

// ProductsOf selects products by sales.
type ProductsOf struct {
	Windows Windows
	Sort    ProductSort
	Limit   int // 0: all
	Offset  int
}

// ProductSort is the figure by which product rows are sorted, largest first. Ties are sorted by SKU and title.
type ProductSort string

// The sort keys.
const (
	ByProductRevenue ProductSort = "revenue"
	ByUnits          ProductSort = "units"
	ByAOV            ProductSort = "aov" // revenue of the product per order that contains it
)

// ProductTotal contains the sales of a product.
type ProductTotal struct {
	SKU      string
	Title    string
	Units    int64
	Orders   int64 // orders that contain the product
	Net      int64 // amount charged for the product's lines
	Discount int64
	Cost     int64
	Costed   int64 // units with a known cost
}

// ProductPage contains a page of products and the totals of all products. In the totals, Orders counts each order once.
type ProductPage struct {
	Rows   []ProductTotal
	Total  int
	Totals Pair[ProductTotal]
}

// CouponsOf selects discount codes by use.
type CouponsOf struct {
	Windows Windows
	Code    string // "" for all
	Limit   int    // 0: all
	Offset  int
}

// CouponTotal contains the use of a discount code.
type CouponTotal struct {
	Code      string
	Channel   measure.Channel // channel of the code; "" if the code is not mapped
	Creator   string
	Orders    int64
	Charged   int64 // revenue of the orders that used the code
	Discount  int64
	NewOrders int64
}

// CouponPage contains a page of discount codes, largest revenue first, and the totals of all codes.
type CouponPage struct {
	Rows   []CouponTotal
	Total  int
	Totals Pair[CouponTotal] // Orders counts each order once
}

// Coverage describes the date range and the amount of the store's data.
type Coverage struct {
	Orders    int64
	Cancelled int64
	Tests     int64
	OrderDays civil.Range      // zero if there are no orders
	AdDays    civil.Range      // zero if there are no ad reports
	Counts    map[string]int64 // rows by fact table
	Version   uint64           // increases with each import that changes data

	LastWebhook time.Time // time of the last import of webhooks; zero if there is none
	LastTapRun  time.Time // end of the last run of a Singer tap that read orders; zero if there is none
}

// ChannelVolume is the amount of data of a channel.
type ChannelVolume struct {
	Channel   measure.Channel
	Platform  measure.Platform // "" if it is not an ad platform's channel
	Credited  int64            // orders by last touch, in millionths
	Charged   int64
	Spend     int64
	SpendDays int64
	Days      civil.Range
}

// SourceState describes the data that one source delivers.
type SourceState struct {
	Source      string
	Kind        string // orders, ads, spend, messages, surveys, creators, catalogue, targets, rates
	Account     string
	Platform    measure.Platform // platform of an ad source
	Rows        int64
	Days        civil.Range
	LastImport  time.Time
	MissingDays int64      // for daily sources: number of days in Days without a row
	LastGap     civil.Date // latest missing day
	Zone        string     // time zone of the account, if known
}

// SourceDay is a day with data of a source.
type SourceDay struct {
	Kind     string // orders, ads, messages
	Source   string
	Account  string
	Platform measure.Platform
	Day      civil.Date
}

// ImportRecord is one entry of the import ledger.
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
