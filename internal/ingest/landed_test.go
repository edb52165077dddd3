package ingest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/ingest"
	"assay/internal/ingest/ingesttest"
	"assay/internal/money"
)

// The tables have the form of the vendors' tables, with byte-order marks, upper-case names, and hourly amounts in
// millionths of a currency. The sums of Meta's and Google's campaigns are published with the data; the other sums are
// computed from the data.
func TestLandedTablesGiveTheirTotals(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]struct {
		source, spend string
		first, last   string
	}{
		"facebook_ads/facebook_ads_basic_ad_data.csv":                  {"facebook_landed", "643.63", "2020-12-02", "2020-12-14"},
		"google_ads/campaign_stats_data.csv":                           {"google_landed", "231.33", "2021-01-05", "2021-02-26"},
		"tiktok_ads/tiktok_campaign_report_hourly_data.csv":            {"tiktok_landed", "444.79", "2021-09-15", "2021-09-15"},
		"other_ads/pinterest_campaign_report_data.csv":                 {"pinterest_landed", "12.38", "2023-06-01", "2023-06-05"},
		"other_ads/microsoft_ads_ad_performance_daily_report_data.csv": {"microsoft_landed", "208.36", "2018-09-19", "2019-05-28"},
		"other_ads/amazon_ads_campaign_level_report_data.csv":          {"amazon_landed", "1.67", "2022-07-11", "2022-09-06"},
		"other_ads/snapchat_campaign_hourly_report_data.csv":           {"snapchat_landed", "1.01", "2022-05-29", "2022-05-29"},
	} {
		o := bench{workspace: workspace("USD", "UTC")}.options(shared(t, "fivetran_landed/"+file))
		store := &sumStore{}
		report, err := ingest.Run(t.Context(), store, o)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		got := report.Files[0]
		days := civil.Range{First: got.Totals.First, Last: got.Totals.Last}
		if got.Source != want.source || got.Totals.Spend["USD"] != want.spend || whole(store.spend) != want.spend ||
			days != (civil.Range{First: civil.MustParse(want.first), Last: civil.MustParse(want.last)}) {
			t.Errorf("%s is interpreted as %s with %s in the report and %s in the rows, days %s; want %+v", file, got.Source, got.Totals.Spend["USD"], whole(store.spend), days, want)
		}
	}
}

func TestLandedOrdersGiveTheirTotals(t *testing.T) {
	t.Parallel()
	o := bench{workspace: workspace("GBP", "UTC")}.options(shared(t, "fivetran_landed/shopify/shopify_order_data.csv"))
	o.Rates = anyDay{}
	report, err := ingest.Run(t.Context(), &ingesttest.Recorder{}, o)
	if err != nil {
		t.Fatal(err)
	}
	got := report.Files[0]
	if diff := cmp.Diff(map[string]string{"GBP": "11.98", "USD": "615.03"}, got.Totals.Charged); diff != "" || got.Rows != 8 || got.Source != "shopify_landed" {
		t.Errorf("%s, %d rows; 627.01 in all (-want +got):\n%s", got.Source, got.Rows, diff)
	}
}

// Columns alone identify each table of names.
func TestLandedTablesOfNamesAreRecognized(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"facebook_ads/facebook_ads_campaign_history_data.csv":  "facebook_names campaign",
		"facebook_ads/facebook_ads_ad_set_history_data.csv":    "facebook_names ad_set",
		"facebook_ads/facebook_ads_ad_history_data.csv":        "facebook_names ad",
		"google_ads/campaign_history_data.csv":                 "google_names campaign",
		"google_ads/ad_group_history_data.csv":                 "google_names ad_set",
		"google_ads/ad_history_data.csv":                       "google_names ad",
		"tiktok_ads/tiktok_campaign_history_data.csv":          "tiktok_names campaign",
		"tiktok_ads/tiktok_adgroup_history_data.csv":           "tiktok_names ad_set",
		"tiktok_ads/tiktok_ad_history_data.csv":                "tiktok_names ad",
		"other_ads/amazon_ads_campaign_history_data.csv":       "amazon_names campaign",
		"other_ads/amazon_ads_ad_group_history_data.csv":       "amazon_names ad_set",
		"other_ads/microsoft_ads_campaign_history_data.csv":    "microsoft_names campaign",
		"other_ads/microsoft_ads_ad_group_history_data.csv":    "microsoft_names ad_set",
		"other_ads/microsoft_ads_ad_history_data.csv":          "microsoft_names ad",
		"other_ads/pinterest_campaign_history_data.csv":        "pinterest_names campaign",
		"other_ads/pinterest_ad_group_history_data.csv":        "pinterest_names ad_set",
		"other_ads/pinterest_pin_promotion_history_data.csv":   "pinterest_names ad",
		"other_ads/snapchat_campaign_history_data.csv":         "snapchat_names campaign",
		"other_ads/snapchat_ad_squad_history_data.csv":         "snapchat_names ad_set",
		"other_ads/snapchat_ad_history_data.csv":               "snapchat_names ad",
		"other_ads/amazon_ads_keyword_history_data.csv":        "",
		"other_ads/amazon_ads_portfolio_history_data.csv":      "",
		"other_ads/amazon_ads_product_ad_history_data.csv":     "",
		"other_ads/microsoft_ads_keyword_history_data.csv":     "",
		"other_ads/microsoft_ads_account_history_data.csv":     "",
		"other_ads/pinterest_advertiser_history_data.csv":      "",
		"other_ads/pinterest_keyword_history_data.csv":         "",
		"other_ads/snapchat_ad_account_history_data.csv":       "",
		"other_ads/snapchat_creative_history_data.csv":         "",
		"facebook_ads/facebook_ads_account_history_data.csv":   "",
		"google_ads/account_history_data.csv":                  "",
		"google_ads/ad_group_criterion_history_data.csv":       "",
		"tiktok_ads/tiktok_advertiser_data.csv":                "",
		"other_ads/snapchat_creative_url_tag_history_data.csv": "",
	} {
		o := bench{workspace: workspace("USD", "UTC")}.options(shared(t, "fivetran_landed/"+file))
		store := &ingesttest.Recorder{}
		report, err := ingest.Run(t.Context(), store, o)
		got := ""
		if err == nil && len(store.Rows) > 0 {
			_, level, _ := strings.Cut(store.Rows[0], " Level=")
			level, _, _ = strings.Cut(level, " ")
			got = report.Files[0].Source + " " + level
		}
		if got != want {
			t.Errorf("%s is read as %q (%v), want %q", file, got, err, want)
		}
	}
}

// Tables of refunds and tables of payments give the same refunds, each on its day.
func TestLandedRefundsGiveTheirTotals(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]struct {
		source   string
		rows     int64
		refunded map[string]string
	}{
		"shopify_gql_refund_data.csv":      {"shopify_refunds", 10, gqlRefunds},
		"shopify_gql_transaction_data.csv": {"shopify_transactions", 1, map[string]string{"USD": "120.00"}},
		"shopify_transaction_data.csv":     {"shopify_transactions", 0, nil},
	} {
		o := bench{workspace: workspace("USD", "UTC")}.options(shared(t, "fivetran_landed/shopify/"+file))
		o.Rates = anyDay{}
		report, err := ingest.Run(t.Context(), &ingesttest.Recorder{}, o)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		got := report.Files[0]
		if diff := cmp.Diff(want.refunded, got.Totals.Refunded); diff != "" || got.Source != want.source || got.Totals.Refunds != want.rows {
			t.Errorf("%s is interpreted as %s with %d refunds, want %+v (-want +got):\n%s", file, got.Source, got.Totals.Refunds, want, diff)
		}
	}
}

// gqlRefunds contains the sum of the table's refund column by currency, computed from the data.
var gqlRefunds = map[string]string{"USD": "111.67", "CAD": "5.00"}

// anyDay returns one rate for all days.
type anyDay struct{}

func (anyDay) Rate(civil.Date, money.Currency, money.Currency) (money.Rate, bool) {
	rate, err := money.ParseRate("0.8")
	return rate, err == nil
}

// The columns alone identify each table of orders or of their parts. No similar table matches.
func TestLandedTablesOfOrdersAreRecognized(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]struct {
		source string
		rows   int
	}{
		"shopify_order_data.csv":                            {"shopify_landed", 16},
		"shopify_gql_order_data.csv":                        {"shopify_landed", 18},
		"shopify_order_line_data.csv":                       {"shopify_order_lines", 3},
		"shopify_gql_order_line_data.csv":                   {"shopify_order_lines", 10},
		"shopify_discount_allocation_data.csv":              {"shopify_line_discounts", 3},
		"shopify_gql_discount_allocation_data.csv":          {"shopify_line_discounts", 10},
		"shopify_order_discount_code_data.csv":              {"shopify_order_codes", 10},
		"shopify_gql_order_discount_code_data.csv":          {"shopify_order_codes", 10},
		"shopify_abandoned_checkout_discount_code_data.csv": {},
		"shopify_discount_application_data.csv":             {},
		"shopify_gql_discount_application_data.csv":         {},
		"shopify_discount_redeem_code_data.csv":             {},
		"shopify_order_shipping_line_data.csv":              {},
		"shopify_gql_order_shipping_line_data.csv":          {},
		"shopify_gql_fulfillment_order_line_item_data.csv":  {},
		"shopify_gql_refund_line_item_data.csv":             {},
		"shopify_order_url_tag_data.csv":                    {},
		"shopify_tax_line_data.csv":                         {},
	} {
		o := bench{workspace: workspace("USD", "UTC")}.options(shared(t, "fivetran_landed/shopify/"+file))
		o.Rates = anyDay{}
		store := &ingesttest.Recorder{}
		report, err := ingest.Run(t.Context(), store, o)
		got := ""
		if err == nil {
			got = report.Files[0].Source
		}
		if got != want.source || len(store.Rows) != want.rows {
			t.Errorf("%s is read as %q with %d rows (%v), want %+v", file, got, len(store.Rows), err, want)
		}
	}
}

func TestLandedTablesOfPartsAreRefused(t *testing.T) {
	t.Parallel()
	for _, file := range []string{
		"google_ads/keyword_stats_data.csv", "google_ads/account_stats_data.csv", "facebook_ads/facebook_ads_demographics_country_data.csv",
		"facebook_ads/facebook_ads_basic_ad_actions_data.csv", "other_ads/amazon_ads_search_term_ad_keyword_report_data.csv",
		"other_ads/microsoft_ads_keyword_performance_daily_report_data.csv",
		"shopify/shopify_abandoned_checkout_data.csv", "shopify/shopify_refund_data.csv", "shopify/shopify_order_line_refund_data.csv",
	} {
		o := bench{workspace: workspace("USD", "UTC")}.options(shared(t, "fivetran_landed/"+file))
		report, err := ingest.Run(t.Context(), &ingesttest.Recorder{}, o)
		if fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("%s: %v\n%s", file, err, report.Text())
		}
	}
}
