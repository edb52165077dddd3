package detect

import (
	"assay/internal/civil"
	"assay/internal/measure"
)

// Store is the data of a store. Daily series have one element per day of Days, which ends with the last complete day.
// Amounts are in whole units of the currency.
type Store struct {
	Days civil.Range
	Rate *float64 // contribution per unit of revenue; nil: unknown

	Revenue, Orders, NewOrders []float64
	Unattributed               []float64 // orders without a channel
	Discounts, Refunds         []float64
	CohortValue                []float64 // revenue in the first CohortDays of customers, by day of their first order
	CohortDays                 int
	Channels                   []Channel
	Campaigns                  []Campaign
	CampaignDays               int // length of the campaigns' window
	Ads                        []Ad
	Products                   []Product
	Coupons                    []Coupon
	Answers                    []Answers
	Creators                   []Creator
	Goals                      []Goal
	Halos                      []Halo
	Seasons                    []Season
	Experimented               bool // some channel has an applied incrementality factor
}

// Channel is a channel with its daily series. Series that the store does not have are nil.
type Channel struct {
	Name                                       measure.Channel
	Spend, Revenue, Orders, NewOrders, Claimed []float64 // by last touch; Claimed: orders that the platform reports
	Late                                       int       // days after the last ad report; their ad figures are unknown
	Marginal                                   *Marginal // nil: not in a usable model
	Tested                                     bool      // the channel has an open experiment or had one in the last year
	FactorSD                                   float64   // standard deviation of the channel's incrementality factor
	Return                                     *float64  // best estimate of the channel's incremental ROAS; nil: unknown
}

// average returns the best estimate of the average incremental ROAS. Without an estimate, it returns last-touch ROAS.
func (c Channel) average() float64 {
	if c.Return != nil {
		return *c.Return
	}
	return lately(c.Revenue, 90) / max(lately(c.Spend, 90), 1)
}

// Marginal is the model's estimate of the effect when spend changes by the share Step.
type Marginal struct {
	Step, Spend float64          // share and current spend per month
	Less, More  measure.Estimate // change of monthly revenue with a 90% interval
	ROAS        measure.Estimate // marginal ROAS
}

// Campaign is a campaign with its figures in the last CampaignDays days.
type Campaign struct {
	ID, Name    string
	Channel     measure.Channel
	Spend       float64
	Orders      float64 // attributed by last touch
	Revenue     float64
	Claimed     float64 // orders that the platform reports
	DailyBudget float64 // 0: unknown
	RecentSpend float64 // spend per day in the last 7 days; 0 if the campaign is paused
}

// Ad is a creative with its clicks and impressions in two windows: the recent window and the earlier window before it.
type Ad struct {
	ID, Name                  string
	Channel                   measure.Channel
	Spend, Clicks, Views      float64 // recent, over FatigueDays
	ClicksBefore, ViewsBefore float64
	Days                      int // since its first day
}

// FatigueDays is the number of days in the recent window of an ad's figures.
const FatigueDays = 14

// Product is a product with its units in the last 7 days and in the 56 days before them.
type Product struct {
	SKU, Title    string
	Units, Before float64
	Price         float64
}

// Coupon is a discount code with its use in the last 14 days and in the 56 days before them.
type Coupon struct {
	Code           string
	Creator        bool // the code belongs to a creator
	Orders, Before float64
	Discount       float64 // discounts in the last 14 days
	New            float64 // orders of new customers in the last 14 days
}

// Answers contains the numbers of survey respondents in the last AnswerDays days and in the 84 days before them.
type Answers struct {
	Channel                measure.Channel
	Named, NamedBefore     float64 // respondents who name the channel
	Credited, CreditBefore float64 // respondents with an order that last touch attributes to the channel, whichever channel they name
}

// AnswerDays is the length of the recent window of surveys.
const AnswerDays = 28

// Creator is a creator with the estimated orders of the last Days days.
type Creator struct {
	ID, Name string
	Orders   measure.Estimate
	AOV      float64
	Cost     float64
	Days     int
	Open     bool // posted in the last 30 days
}

// Goal is a target in progress with its forecast.
type Goal struct {
	Name     string // such as monthly revenue
	Channel  measure.Channel
	Metric   string // revenue, orders or spend
	Target   float64
	Expected measure.Estimate
	Chance   float64 // probability of ending at or above the target
	Days     civil.Range
}

// Halo is an estimated effect of a channel on another sales surface.
type Halo struct {
	Channel measure.Channel
	Surface measure.Surface
	Monthly measure.Estimate // revenue
	Chance  float64          // probability of an effect above zero
}

// Season is an upcoming season.
type Season struct {
	Name    string
	Title   string // display name
	First   civil.Date
	Planned bool    // a target exists for its month
	Usual   float64 // daily revenue in the season last year, relative to the four weeks before it; 0: unknown
}

// rate returns the contribution per unit of revenue, or 1 if values are in revenue.
func (s Store) rate() float64 {
	if s.Rate == nil {
		return 1
	}
	return *s.Rate
}

const monthDays = 30.4375

// perMonth returns a total of the given number of days, scaled to a month.
func perMonth(total float64, days int) float64 { return total / float64(days) * monthDays }

// lately returns the total of the given number of most recent days.
func lately(series []float64, days int) (total float64) {
	for _, x := range series[max(0, len(series)-days):] {
		total += x
	}
	return total
}

// Monthly returns the store's mean revenue per month in the last 90 days, or the mean contribution per month if the
// contribution rate is known.
func (s Store) Monthly() float64 {
	days := min(90, len(s.Revenue))
	if days == 0 {
		return 0
	}
	return s.rate() * perMonth(lately(s.Revenue, days), days)
}

// aov returns the mean order value of the last 90 days.
func (s Store) aov() float64 {
	if orders := lately(s.Orders, 90); orders > 0 {
		return lately(s.Revenue, 90) / orders
	}
	return 0
}
