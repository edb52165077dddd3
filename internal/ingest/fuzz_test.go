package ingest_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"assay/internal/fault"
	"assay/internal/ingest"
	"assay/internal/money"
)

// fuzzSource passes files to one reader, beginning with the files of archives such as "shopify/landed*.txtar". Every
// import ends and is accepted, or rejected with a reason. The totals of the report are the exact sums of the rows.
func fuzzSource(f *testing.F, source, archives string) {
	f.Helper()
	of, names := filepath.Split(archives)
	paths, err := filepath.Glob(filepath.Join(of, "testdata", names))
	if err != nil || len(paths) == 0 {
		f.Fatalf("no archives %s: %v", archives, err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			if strings.Contains(file.Name, ".csv") {
				f.Add(string(file.Data))
			}
		}
	}
	f.Fuzz(func(t *testing.T, content string) {
		store := &sumStore{}
		o := bench{workspace: workspace("USD", "America/New_York")}.options(text("fuzz.csv", content))
		o.Source = source
		report, err := ingest.Run(t.Context(), store, o)
		if err != nil && fault.KindOf(err) != fault.KindInvalid {
			t.Fatalf("the import fails and is not refused: %v", err)
		}
		if text := report.Text(); strings.Contains(text, "@") {
			t.Fatalf("the report shows an address:\n%s", text)
		}
		if err != nil {
			return
		}
		file := report.Files[0]
		if file.Totals == nil || len(file.Warnings) > 0 && repeated(file) {
			return
		}
		check := map[string][2]string{
			"charged": {file.Totals.Charged["USD"], whole(store.charged)},
			"spend":   {file.Totals.Spend["USD"], whole(store.spend)},
		}
		for name, sums := range check {
			if sums[0] != "" && sums[0] != sums[1] {
				t.Fatalf("%s is %s in the report and %s in the rows", name, sums[0], sums[1])
			}
		}
	})
}

// repeated reports whether a later copy replaced an order. If so, the rows contain both copies.
func repeated(f ingest.FileReport) bool {
	for _, w := range f.Warnings {
		if w.Code == "orders_twice" {
			return true
		}
	}
	return false
}

func whole(minor int64) string {
	return money.Amount{Minor: minor, Currency: "USD"}.Decimal()
}

func FuzzShopify(f *testing.F)      { fuzzSource(f, "shopify_orders", "shopify/shopify*.txtar") }
func FuzzMeta(f *testing.F)         { fuzzSource(f, "meta_ads", "adreport/meta*.txtar") }
func FuzzGoogle(f *testing.F)       { fuzzSource(f, "google_ads", "adreport/google*.txtar") }
func FuzzTikTok(f *testing.F)       { fuzzSource(f, "tiktok_ads", "adreport/tiktok*.txtar") }
func FuzzOrders(f *testing.F)       { fuzzSource(f, "orders", "mapper/common*.txtar") }
func FuzzOrderLines(f *testing.F)   { fuzzSource(f, "order_lines", "mapper/common*.txtar") }
func FuzzChannelSpend(f *testing.F) { fuzzSource(f, "channel_spend", "mapper/common*.txtar") }
func FuzzAmazonAds(f *testing.F)    { fuzzSource(f, "amazon_ads", "adreport/amazon*.txtar") }
func FuzzAmazonSeller(f *testing.F) { fuzzSource(f, "amazon_seller", "mapper/amazon*.txtar") }
func FuzzSnapchat(f *testing.F)     { fuzzSource(f, "snapchat_ads", "adreport/snapchat*.txtar") }
func FuzzWooCommerce(f *testing.F)  { fuzzSource(f, "woocommerce_orders", "mapper/woocommerce*.txtar") }
func FuzzProducts(f *testing.F)     { fuzzSource(f, "shopify_products", "mapper/catalogue*.txtar") }
func FuzzCosts(f *testing.F)        { fuzzSource(f, "products", "mapper/catalogue*.txtar") }
func FuzzCustomers(f *testing.F)    { fuzzSource(f, "customers", "mapper/customers*.txtar") }
func FuzzKlaviyo(f *testing.F)      { fuzzSource(f, "klaviyo_flows", "mapper/klaviyo*.txtar") }
func FuzzSurveys(f *testing.F)      { fuzzSource(f, "surveys", "mapper/surveys*.txtar") }
func FuzzCreators(f *testing.F)     { fuzzSource(f, "creators", "mapper/creators*.txtar") }
func FuzzCouponMap(f *testing.F)    { fuzzSource(f, "coupon_map", "mapper/coupons*.txtar") }
func FuzzRegionDays(f *testing.F)   { fuzzSource(f, "ga4", "mapper/regions*.txtar") }
func FuzzSurfaceDays(f *testing.F)  { fuzzSource(f, "surface_days", "mapper/surfaces*.txtar") }
func FuzzLandedMicros(f *testing.F) { fuzzSource(f, "google_landed", "connector/landed*.txtar") }
func FuzzLandedNames(f *testing.F)  { fuzzSource(f, "facebook_names", "connector/landed*.txtar") }
func FuzzRefunds(f *testing.F)      { fuzzSource(f, "shopify_refunds", "shopify/landed.txtar") }
func FuzzPayments(f *testing.F)     { fuzzSource(f, "shopify_transactions", "shopify/landed.txtar") }
func FuzzLandedOrder(f *testing.F)  { fuzzSource(f, "shopify_landed", "shopify/landed.txtar") }
func FuzzLandedLines(f *testing.F) {
	fuzzSource(f, "shopify_order_lines", "shopify/landed_lines.txtar")
}

func FuzzLineParts(f *testing.F) {
	fuzzSource(f, "shopify_line_discounts", "shopify/landed_lines.txtar")
}

func FuzzOrderCodes(f *testing.F) { fuzzSource(f, "shopify_order_codes", "shopify/landed_lines.txtar") }
func FuzzAuto(f *testing.F)       { fuzzSource(f, ingest.Auto, "*/*.txtar") }
