package tools

import (
	"assay/internal/answer"
	"assay/internal/fault"
	"assay/internal/mcp"
	"assay/internal/measure"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

type customersParams struct {
	answer.Last90
	View    CustomersView     `json:"view" enum:"segments|retention|journeys|ltv" default:"segments" doc:"What the rows show."`
	Channel string            `json:"channel" doc:"Only this channel."`
	Segment warehouse.Segment `json:"segment" enum:"new|returning" doc:"Only this segment."`
	answer.Paged
	answer.Shared
}

// CustomersView selects the rows of the `customers` tool.
type CustomersView string

const (
	segmentsView  CustomersView = "segments"
	retentionView CustomersView = "retention"
	journeysView  CustomersView = "journeys"
	ltvView       CustomersView = "ltv"
)

// CustomersAnswer is the answer of the `customers` tool.
type CustomersAnswer struct {
	answer.Opening
	View      CustomersView     `json:"view"`
	Channel   measure.Channel   `json:"channel,omitempty"`
	Segment   warehouse.Segment `json:"segment,omitempty"`
	Metrics   CustomersMetrics  `json:"metrics" doc:"Metrics over all rows of all pages."`
	Estimates *answer.Estimates `json:"estimates,omitempty"`
	Credits   []PathCredit      `json:"credits,omitempty" detail:"analyst" doc:"With view=journeys: share of orders with touchpoints, by channel and attribution model."`
	answer.Table[CustomersRow]
	answer.Closing
}

// CustomersMetrics are the key figures of a view of the `customers` tool.
type CustomersMetrics struct {
	Revenue   *answer.Metric[answer.Money]  `json:"revenue,omitempty"`
	Orders    *answer.Metric[answer.Count]  `json:"orders,omitempty"`
	AOV       *answer.Metric[answer.Money]  `json:"aov,omitempty"`
	NewPct    *answer.Share[answer.Percent] `json:"new_orders_pct,omitempty" doc:"New customers' share of the store's or channel's orders."`
	NewRevPct *answer.Share[answer.Percent] `json:"new_revenue_pct,omitempty"`

	Customers *answer.Count                    `json:"customers,omitempty" doc:"Customers with their first order in the period or in the cohorts shown."`
	Month1    *answer.Estimate[answer.Percent] `json:"month_1_pct,omitempty" doc:"Share of customers with an order in the month after their first order, over all cohorts with a complete month."`
	Month2    *answer.Estimate[answer.Percent] `json:"month_2_pct,omitempty"`
	Month3    *answer.Estimate[answer.Percent] `json:"month_3_pct,omitempty"`
	Month6    *answer.Estimate[answer.Percent] `json:"month_6_pct,omitempty"`
	Month12   *answer.Estimate[answer.Percent] `json:"month_12_pct,omitempty"`

	Touched   *answer.Metric[answer.Count] `json:"orders_with_touches,omitempty"`
	Touches   *answer.Ratio                `json:"touches_per_order,omitempty"`
	SinglePct *answer.Percent              `json:"single_touch_pct,omitempty"`
	Median    *answer.Count                `json:"median_days,omitempty" doc:"Complete days from the first touchpoint to the order."`
	P90       *answer.Count                `json:"p90_days,omitempty"`

	toolkit.ValueSoFar
	Pareto *answer.Estimate[answer.Ratio] `json:"expected_orders_pareto,omitempty" detail:"debug" doc:"Expected further orders per customer under the Pareto/NBD model."`
}

// CustomersRow is a segment, a cohort, a journey or a channel. Each kind sets only its own fields.
type CustomersRow struct {
	Segment    warehouse.Segment `json:"segment,omitempty"`
	Cohort     string            `json:"cohort,omitempty" doc:"Month of the first order."`
	Path       answer.Foreign    `json:"path,omitempty" doc:"Channels of the touchpoints, oldest first; consecutive repeats appear once."`
	Channel    measure.Channel   `json:"channel,omitempty" doc:"Last-touch channel of the first order."`
	Customers  *answer.Count     `json:"customers,omitempty" doc:"Customers of the cohort, or new customers of the channel."`
	Followed   *answer.Count     `json:"customers_followed,omitempty" detail:"analyst" doc:"Number of customers included in the values."`
	Orders     *answer.Count     `json:"orders,omitempty"`
	Revenue    *answer.Money     `json:"revenue,omitempty"`
	SharePct   *answer.Percent   `json:"share_pct,omitempty" doc:"Share of all orders in the rows of all pages."`
	AOV        *answer.Money     `json:"aov,omitempty"`
	Change     *answer.Percent   `json:"revenue_change_pct,omitempty"`
	Refunds    *answer.Money     `json:"refunds,omitempty" detail:"analyst"`
	Discounts  *answer.Money     `json:"discounts,omitempty" detail:"analyst"`
	UnitsPer   *answer.Ratio     `json:"units_per_order,omitempty" detail:"analyst"`
	NewPct     *answer.Percent   `json:"new_orders_pct,omitempty" detail:"analyst"`
	Touches    *answer.Ratio     `json:"touches_per_order,omitempty"`
	Days       *answer.Ratio     `json:"days_to_order,omitempty" doc:"Mean number of days from the first touchpoint to the order."`
	Suppressed bool              `json:"suppressed,omitempty" doc:"Too few customers to show rates."`
	RetentionCells
	toolkit.ValueSoFar
}

// RetentionCells are the retention rates of the months after the cohort's month.
type RetentionCells struct {
	M1  *RetentionCell `json:"m1,omitempty" doc:"Percentage of customers with an order in the first month after."`
	M2  *RetentionCell `json:"m2,omitempty"`
	M3  *RetentionCell `json:"m3,omitempty"`
	M4  *RetentionCell `json:"m4,omitempty"`
	M5  *RetentionCell `json:"m5,omitempty"`
	M6  *RetentionCell `json:"m6,omitempty"`
	M7  *RetentionCell `json:"m7,omitempty"`
	M8  *RetentionCell `json:"m8,omitempty"`
	M9  *RetentionCell `json:"m9,omitempty"`
	M10 *RetentionCell `json:"m10,omitempty"`
	M11 *RetentionCell `json:"m11,omitempty"`
	M12 *RetentionCell `json:"m12,omitempty"`
}

// RetentionCell is the retention rate of a cohort in one month.
type RetentionCell struct {
	Value   answer.Percent  `json:"value"`
	Low     *answer.Percent `json:"low,omitempty" detail:"analyst"`
	High    *answer.Percent `json:"high,omitempty" detail:"analyst"`
	Active  *answer.Count   `json:"active,omitempty" detail:"analyst" doc:"Customers."`
	Partial bool            `json:"partial,omitempty" doc:"The month is not complete."`
}

// Check rejects a reversed period, and a segment in views that follow customers over all their orders.
func (p customersParams) Check() error {
	if p.Segment != "" && (p.View == retentionView || p.View == ltvView) {
		return &mcp.RejectedError{
			Fault: fault.Invalid("segment does not apply to view=%s, which follows customers over all their orders", p.View),
			Drop:  []string{"segment"},
		}
	}
	return p.Last90.Check()
}

func (r *RetentionCells) list() []**RetentionCell {
	return []**RetentionCell{&r.M1, &r.M2, &r.M3, &r.M4, &r.M5, &r.M6, &r.M7, &r.M8, &r.M9, &r.M10, &r.M11, &r.M12}
}

// PathCredit is a channel's share of the orders with touchpoints under several attribution models.
type PathCredit struct {
	Channel    measure.Channel                  `json:"channel"`
	FirstTouch answer.Percent                   `json:"first_pct" doc:"Share under first touch. Direct gets credit only if there is no other touchpoint."`
	LastTouch  answer.Percent                   `json:"last_pct"`
	Shapley    answer.Percent                   `json:"shapley_pct"`
	Markov     *answer.Estimate[answer.Percent] `json:"markov_pct"`
}
