package singer

import (
	"slices"

	"assay/internal/ingest/document"
)

// shape is the kind of a stream's records.
type shape int

// The shapes of streams. Each comment lists the taps and streams with the shape.
const (
	unknownRecords   shape = iota
	orderRecords           // tap-shopify: orders, in the names of the REST or the GraphQL API
	refundRecords          // tap-shopify: order_refunds
	customerRecords        // tap-shopify: customers, in the names of either API
	metaRecords            // tap-facebook: adsinsights_…
	googleRecords          // tap-google-ads: campaign_performance_report and more detailed reports
	tiktokRecords          // tap-tiktok-ads: ad_insights
	metaEntities           // tap-facebook: campaigns, adsets and ads
	googleEntities         // tap-google-ads: campaigns
	tiktokEntities         // tap-tiktok-ads: campaigns, adgroups and ads
	statisticRecords       // tap-klaviyo: reports, with a record per statistic
	campaignRecords        // tap-klaviyo: campaigns, for their names and send times
	flowRecords            // tap-klaviyo: flows, for their names
)

// String returns the shape's name in reports.
func (s shape) String() string {
	return [...]string{
		"unknown", "Shopify orders", "Shopify refunds", "Shopify customers", "Meta ads", "Google Ads", "TikTok ads", "Meta campaigns and ads",
		"Google campaigns", "TikTok campaigns and ads", "Klaviyo statistics", "Klaviyo campaigns", "Klaviyo flows",
	}[s]
}

// shapes identifies the shapes by properties. Records of a shape have all properties in the first list and no property
// in the second list.
var shapes = []struct {
	shape shape
	all   []string
	none  []string
}{
	{orderRecords, []string{"totalPriceSet", "createdAt"}, []string{"abandonedCheckoutUrl", "invoiceUrl"}},
	{orderRecords, []string{"total_price", "created_at", "id"}, []string{"abandoned_checkout_url", "invoice_url"}},
	{refundRecords, []string{"totalRefundedSet", "createdAt"}, []string{"totalPriceSet"}},
	{refundRecords, []string{"order_id", "created_at", "refund_line_items"}, nil},
	{customerRecords, []string{"createdAt", "verifiedEmail"}, nil},
	{customerRecords, []string{"createdAt", "numberOfOrders"}, nil},
	{customerRecords, []string{"id", "created_at", "verified_email"}, nil},
	{metaRecords, []string{"date_start", "spend"}, nil},
	{googleRecords, []string{"cost_micros", "date", "customer_id"}, partial},
	{tiktokRecords, []string{"stat_time_day", "spend"}, nil},
	{metaEntities, []string{"id", "name", "account_id", "updated_time"}, []string{"date_start", "body", "object_story_spec"}},
	{googleEntities, []string{"id", "name", "status", "advertising_channel_type"}, []string{"date", "cost_micros"}},
	{tiktokEntities, []string{"advertiser_id", "campaign_id", "modify_time"}, []string{"stat_time_day"}},
	{statisticRecords, []string{"statistic_name", "statistic_value"}, nil},
}

// partial lists columns of Google's reports on keywords, audiences and similar parts. These reports omit other spend,
// so the spend of a day would be too low.
var partial = []string{
	"ad_group_criterion_keyword", "ad_group_criterion_criterion_id", "search_term_view_search_term", "age_range_view_resource_name",
	"gender_view_resource_name", "geographic_view_resource_name", "user_location_view_resource_name", "landing_page_view_unexpanded_final_url",
	"expanded_landing_page_view_expanded_final_url", "display_keyword_view_resource_name", "topic_view_resource_name", "video_id",
	"product_item_id", "click_type", "group_placement_view_placement", "managed_placement_view_resource_name", "keyword_view_resource_name",
}

// detect returns the shape and the rank of a stream. If several reports cover the same spend, the target uses the
// report with the lowest rank.
func detect(name string, properties *document.Object, keys []string) (shape, int) {
	has := func(p string) bool { return properties.Get(p) != "" }
	if attributes := properties.Get("attributes").Path("properties"); attributes != "" {
		switch {
		case attributes.Path("send_time") != "" || attributes.Path("send_strategy") != "":
			return campaignRecords, 0
		case attributes.Path("trigger_type") != "":
			return flowRecords, 0
		}
	}
	for _, s := range shapes {
		if slices.ContainsFunc(s.all, func(p string) bool { return !has(p) }) || slices.ContainsFunc(s.none, has) {
			continue
		}
		return s.shape, rankOf(s.shape, name, has, keys)
	}
	return unknownRecords, 0
}

// rankOf returns the rank of a report. Reports without a breakdown rank before reports with one, and more detailed
// reports before less detailed reports. Google's reports have another order: campaign, ad group, ad, account. The
// campaign report is first, because the more detailed reports omit campaigns without their own ads.
func rankOf(s shape, name string, has func(string) bool, keys []string) int {
	if s == googleRecords {
		for i, level := range []string{"campaign_performance_report", "ad_group_performance_report", "ad_performance_report", "account_performance_report"} {
			if name == level {
				return i
			}
		}
		return 4
	}
	rank := 0
	for _, level := range []string{"ad_id", "adset_id", "adgroup_id", "campaign_id"} {
		if !has(level) {
			rank++
		}
	}
	for _, key := range keys {
		if !slices.Contains(base, key) {
			rank += 10 // a breakdown
		}
	}
	return rank
}

// base lists the keys of reports without breakdowns.
var base = []string{
	"date_start", "date_stop", "account_id", "campaign_id", "adset_id", "ad_id",
	"advertiser_id", "adgroup_id", "stat_time_day",
}
