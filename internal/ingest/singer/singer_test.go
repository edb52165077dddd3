package singer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/ingest"
	"assay/internal/ingest/singer"
	"assay/internal/ingest/source"
	"assay/internal/measure"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
)

const shop measure.WorkspaceID = "shop"

func clock() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

// bench contains a store for imports and the emitted states.
type bench struct {
	*warehouse.Warehouse
	workspace control.Workspace
	states    []string
}

func newBench(t testing.TB) *bench {
	t.Helper()
	engine, err := duckdb.Open(t.Context(), duckdb.Options{Dir: t.TempDir(), Clock: clock, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return &bench{Warehouse: warehouse.New(engine), workspace: newWorkspace()}
}

func newWorkspace() control.Workspace {
	return control.Workspace{ID: shop, Currency: "USD", Zone: "America/New_York"}
}

// of returns the same store for another, empty workspace.
func (b *bench) of(name string) *bench {
	own := *b
	own.workspace.ID = measure.WorkspaceID(strings.NewReplacer(" ", "-", "_", "-").Replace(name))
	own.states = nil
	return &own
}

func (b *bench) options() singer.Options {
	return singer.Options{
		Workspace: b.workspace, HashKey: []byte("key"), Clock: clock, Log: slog.New(slog.DiscardHandler),
		Emit: func(state []byte) error { b.states = append(b.states, string(state)); return nil },
	}
}

// run imports messages that must be accepted.
func (b *bench) run(t testing.TB, lines ...string) singer.Report {
	t.Helper()
	report, err := singer.Run(t.Context(), b, strings.NewReader(strings.Join(lines, "\n")), b.options())
	if err != nil {
		t.Fatalf("%v\n%s", err, report.Text())
	}
	return report
}

// sums returns the totals of some days of the store, with the number of orders instead of millionths.
func (b *bench) sums(t testing.TB, first, last string) (sums measure.Sums, spend int64) {
	t.Helper()
	days, err := b.StoreDays(t.Context(), b.workspace.ID, civil.Range{First: civil.MustParse(first), Last: civil.MustParse(last)})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range days {
		sums = sums.Add(d.Sums)
		spend += d.Spend
	}
	sums.Orders /= measure.Millionths
	return sums, spend
}

func (b *bench) year(t testing.TB) (sums measure.Sums, spend int64) {
	t.Helper()
	return b.sums(t, "2026-01-01", "2026-12-31")
}

// refusals contains the expected error of each rejected fixture of the protocol. All other fixtures are accepted.
var refusals = map[string]string{
	"invalid_schema":                   `line 1: the schema of stream "test_invalid_schema" has no properties`,
	"record_before_schema":             `line 1: a record of stream "test_record_before_schema" precedes its SCHEMA message`,
	"record_missing_key_property":      `line 2: record of stream "test_record_missing_key_property", field id: is missing, and the stream's key requires it`,
	"record_missing_required_property": `line 2: record of stream "test_record_missing_required_property", field id: is missing, and the stream's schema requires it`,
}

func TestFixturesOfTheProtocolAreAcceptedOrRefused(t *testing.T) {
	t.Parallel()
	const folder = "../../../../shared/data/commerce/singer_target_streams/"
	paths, err := filepath.Glob(folder + "*.singer")
	if err != nil || len(paths) == 0 {
		t.Skipf("the reference data %s are not there", folder)
	}
	shared := newBench(t)
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".singer")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		b := shared.of(name)
		report, err := singer.Run(t.Context(), b, bytes.NewReader(text), b.options())
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != refusals[name] {
			t.Errorf("%s: got %q, want %q", name, got, refusals[name])
		}
		var last string
		for line := range strings.Lines(string(text)) {
			if _, value, ok := strings.Cut(strings.TrimSpace(line), `"STATE", "value": `); ok {
				last = strings.ReplaceAll(strings.ReplaceAll(strings.TrimSuffix(value, "}"), `": `, `":`), `, "`, `,"`)
			}
		}
		if err == nil && last != "" && (len(b.states) == 0 || b.states[len(b.states)-1] != last) {
			t.Errorf("%s: states %q, want the last to be %s", name, b.states, last)
		}
		if err == nil && len(report.Streams) == 0 || strings.Count(string(text), `"RECORD"`) != report.Records && err == nil {
			t.Errorf("%s: the report counts %d records\n%s", name, report.Records, report.Text())
		}
	}
}

const (
	graphSchema = `{"type":"SCHEMA","stream":"orders","key_properties":["id"],"schema":{"properties":{"id":{},"createdAt":{},"updatedAt":{},"totalPriceSet":{}}}}`
	graphOrder  = `{"type":"RECORD","stream":"orders","record":{"id":"gid://shopify/Order/5001","legacyResourceId":"5001","name":"#1001","createdAt":"2026-11-18T23:30:00Z","updatedAt":"2026-11-19T10:00:00Z","currencyCode":"USD","presentmentCurrencyCode":"CAD","displayFinancialStatus":"PARTIALLY_REFUNDED","test":false,"cancelledAt":null,"sourceName":"web","discountCodes":["SAVE10"],"customer":{"id":"gid://shopify/Customer/77","email":"a@example.com"},"subtotalPriceSet":{"shopMoney":{"amount":"90.00","currencyCode":"USD"}},"totalDiscountsSet":{"shopMoney":{"amount":"10.00","currencyCode":"USD"}},"totalShippingPriceSet":{"shopMoney":{"amount":"5.00","currencyCode":"USD"}},"totalTaxSet":{"shopMoney":{"amount":"7.60","currencyCode":"USD"}},"totalPriceSet":{"shopMoney":{"amount":"102.60","currencyCode":"USD"},"presentmentMoney":{"amount":"141.20","currencyCode":"CAD"}},"totalRefundedSet":{"shopMoney":{"amount":"20.00","currencyCode":"USD"}},"shippingAddress":{"countryCodeV2":"CA","provinceCode":"ON"},"customerJourneySummary":{"lastVisit":{"utmParameters":{"source":"facebook","medium":"paid","campaign":"120210000000000001"}}},"lineItems":[{"id":"gid://shopify/LineItem/9","sku":"TEE-M","title":"Tee","quantity":2,"originalTotalSet":{"shopMoney":{"amount":"100.00","currencyCode":"USD"}},"discountedTotalSet":{"shopMoney":{"amount":"90.00","currencyCode":"USD"}}}]}}`
	restSchema  = `{"type":"SCHEMA","stream":"orders","key_properties":["id"],"schema":{"properties":{"id":{},"created_at":{},"total_price":{}}}}`
	restOrder   = `{"type":"RECORD","stream":"orders","record":{"id":5001,"name":"#1001","created_at":"2026-11-18T18:30:00-05:00","updated_at":"2026-11-19T05:00:00-05:00","currency":"USD","financial_status":"partially_refunded","source_name":"web","discount_codes":[{"code":"save10","amount":"10.00"}],"email":"A@example.com","subtotal_price":"90.00","total_discounts":"10.00","total_tax":"7.60","total_price":"102.60","shipping_lines":[{"price":"5.00","discounted_price":"5.00"}],"shipping_address":{"country_code":"CA","province_code":"ON"},"landing_site":"/?utm_source=facebook&utm_medium=paid&utm_campaign=120210000000000001","line_items":[{"sku":"TEE-M","title":"Tee","quantity":2,"price":"50.00","discount_allocations":[{"amount":"10.00"}]}],"refunds":[{"id":31,"created_at":"2026-11-19T04:00:00-05:00","transactions":[{"kind":"refund","status":"success","amount":"20.00","currency":"USD"}]}]}}`
	refundList  = `{"type":"SCHEMA","stream":"order_refunds","key_properties":["id"],"schema":{"properties":{"id":{},"createdAt":{},"totalRefundedSet":{},"order":{}}}}`
	refundOf    = `{"type":"RECORD","stream":"order_refunds","record":{"id":"gid://shopify/Refund/31","createdAt":"2026-11-19T09:00:00Z","totalRefundedSet":{"shopMoney":{"amount":"20.0","currencyCode":"USD"}},"order":{"id":"gid://shopify/Order/5001"}}}`
	state       = `{"type":"STATE","value":{"bookmarks":{"orders":{"updatedAt":"2026-11-19T10:00:00Z"}}}}`
	exported    = "Name,Email,Financial Status,Currency,Subtotal,Shipping,Taxes,Total,Discount Code,Discount Amount,Created at,Lineitem quantity,Lineitem name,Lineitem price,Lineitem sku,Refunded Amount,Source,Shipping Country,Shipping Province,Id\n" +
		"#1001,a@example.com,partially_refunded,USD,90.00,5.00,7.60,102.60,SAVE10,10.00,2026-11-18 18:30:00 -0500,2,Tee,50.00,TEE-M,20.00,web,CA,ON,5001\n"
)

func (b *bench) export(t testing.TB) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "orders.csv")
	if err := os.WriteFile(path, []byte(exported), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := ingest.FileAt(path)
	if err != nil {
		t.Fatal(err)
	}
	o := ingest.Options{Workspace: b.workspace, HashKey: []byte("key"), Files: []ingest.File{file}, Clock: clock, Log: slog.New(slog.DiscardHandler)}
	if report, err := ingest.Run(t.Context(), b, o); err != nil {
		t.Fatalf("%v\n%s", err, report.Text())
	}
}

// TestOneOrderFromEverySourceIsOneOrder imports the same order from each pair of sources.
func TestOneOrderFromEverySourceIsOneOrder(t *testing.T) {
	t.Parallel()
	ways := map[string]func(t testing.TB, b *bench){
		"export":  func(t testing.TB, b *bench) { t.Helper(); b.export(t) },
		"rest":    func(t testing.TB, b *bench) { t.Helper(); b.run(t, restSchema, restOrder, state) },
		"graphql": func(t testing.TB, b *bench) { t.Helper(); b.run(t, graphSchema, graphOrder, state) },
		"graphql and refunds": func(t testing.TB, b *bench) {
			t.Helper()
			b.run(t, graphSchema, graphOrder, refundList, refundOf, state)
		},
		"refunds and graphql": func(t testing.TB, b *bench) {
			t.Helper()
			b.run(t, refundList, refundOf, state, graphSchema, graphOrder, state)
		},
	}
	shared := newBench(t)
	for first, bring := range ways {
		for second, again := range ways {
			if testing.Short() && first != "export" && second != "export" {
				continue
			}
			t.Run(first+", then "+second, func(t *testing.T) {
				b := shared.of(first + second)
				bring(t, b)
				again(t, b)
				got, _ := b.year(t)
				if got.Orders != 1 || got.Charged != 10260 || got.Refunds != 2000 || got.Discounts != 1000 || got.Shipping != 500 || got.Units != 2 {
					t.Errorf("got %+v; want 1 order, charged 10260, refunded 2000, discounts 1000, shipping 500, 2 units", got)
				}
				if day, _ := b.sums(t, "2026-11-18", "2026-11-18"); day.Orders != 1 {
					t.Error("the order is not on the store's own day")
				}
			})
		}
	}
}

func TestAnOlderVersionOfAnOrderChangesNothing(t *testing.T) {
	t.Parallel()
	older := strings.NewReplacer("2026-11-19T05:00:00-05:00", "2026-11-18T19:00:00-05:00", `"total_price":"102.60"`, `"total_price":"1.00"`).Replace(restOrder)
	b := newBench(t)
	b.run(t, restSchema, restOrder, older, state)
	b.run(t, restSchema, older, state)
	if got, _ := b.year(t); got.Charged != 10260 || got.Refunds != 2000 {
		t.Errorf("%d charged, %d refunded; want 10260 and 2000", got.Charged, got.Refunds)
	}
}

const (
	metaSchema   = `{"type":"SCHEMA","stream":"adsinsights_mine","key_properties":["date_start","account_id","ad_id"],"schema":{"properties":{"date_start":{},"account_id":{},"campaign_id":{},"adset_id":{},"ad_id":{},"spend":{}}}}`
	metaRow      = `{"type":"RECORD","stream":"adsinsights_mine","record":{"date_start":"2026-11-18","date_stop":"2026-11-18","account_id":"1234567890","account_currency":"USD","campaign_id":"120210000000000001","campaign_name":"Prospecting","adset_id":"1202","adset_name":"Broad","ad_id":"1203","ad_name":"UGC 1","impressions":"5400","clicks":"90","inline_link_clicks":"61","spend":"62.10","actions":[{"action_type":"link_click","value":"61"},{"action_type":"omni_purchase","value":"3"},{"action_type":"offsite_conversion.fb_pixel_purchase","value":"3","7d_click":"2","1d_view":"1"}],"action_values":[{"action_type":"offsite_conversion.fb_pixel_purchase","value":"201.40"}]}}`
	countrySpend = `{"type":"SCHEMA","stream":"adsinsights_country","key_properties":["date_start","account_id","ad_id","country"],"schema":{"properties":{"date_start":{},"account_id":{},"campaign_id":{},"adset_id":{},"ad_id":{},"spend":{},"country":{}}}}`
	googleSchema = `{"type":"SCHEMA","stream":"campaign_performance_report","key_properties":["_sdc_record_hash"],"schema":{"properties":{"_sdc_record_hash":{},"customer_id":{},"date":{},"cost_micros":{}}}}`
	googleRow    = `{"type":"RECORD","stream":"campaign_performance_report","record":{"_sdc_record_hash":"9f","customer_id":1234567890,"customer_currency_code":"USD","campaign_id":111,"campaign_name":"Brand","campaign_status":"ENABLED","date":"2026-11-18T00:00:00.000000Z","impressions":1204,"clicks":41,"cost_micros":172450000,"conversions":2.0,"conversions_value":310.5}}`
	tiktokSchema = `{"type":"SCHEMA","stream":"ad_insights","key_properties":["advertiser_id","ad_id","adgroup_id","campaign_id","stat_time_day"],"schema":{"properties":{"advertiser_id":{},"ad_id":{},"adgroup_id":{},"campaign_id":{},"stat_time_day":{},"spend":{}}}}`
	tiktokRow    = `{"type":"RECORD","stream":"ad_insights","record":{"advertiser_id":"7000","campaign_id":"1800","campaign_name":"UGC","adgroup_id":"1801","adgroup_name":"Interest","ad_id":"1802","ad_name":"v1","stat_time_day":"2026-11-18T00:00:00.000000Z","spend":48.2,"impressions":9000,"clicks":120,"conversion":2}}`
)

const (
	customerSchema = `{"type":"SCHEMA","stream":"people","key_properties":["id"],"schema":{"properties":{"id":{},"createdAt":{},"numberOfOrders":{}}}}`
	customerRow    = `{"type":"RECORD","stream":"people","record":{"id":"gid://shopify/Customer/77","email":"a@example.com","createdAt":"2026-01-02T03:00:00Z","updatedAt":"2026-11-19T10:00:00Z","numberOfOrders":"3","phone":"+15550100","emailMarketingConsent":{"marketingState":"SUBSCRIBED"}}}`
)

// An unknown consent value does not stop the import. The error of an unreadable field does not contain the field's
// value.
func TestCustomersOfATapBecomeProfiles(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	other := strings.NewReplacer("Customer/77", "Customer/78", "a@example.com", "b@example.com", "SUBSCRIBED", "MAYBE").Replace(customerRow)
	report := b.run(t, customerSchema, customerRow, other, customerRow, state)
	want := []singer.Stream{{Name: "people", Meaning: "Shopify customers", Records: 3, Used: 3}}
	if diff := cmp.Diff(want, report.Streams); diff != "" || report.Tables["profiles"].Inserted != 2 || len(report.Warnings) != 1 {
		t.Errorf("%s%s", diff, report.Text())
	}
	broken := strings.Replace(customerRow, "2026-11-19T10:00:00Z", "b@example.com", 1)
	_, err := singer.Run(t.Context(), b, strings.NewReader(customerSchema+"\n"+broken), b.options())
	if want := `line 2: record of stream "people", field updated_at: cannot be read`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestSpendOfThreePlatformsIsDeduplicated(t *testing.T) {
	t.Parallel()
	renamed := strings.NewReplacer(`"9f"`, `"a0"`, "Brand", "Brand new").Replace(googleRow)
	byCountry := strings.NewReplacer("adsinsights_mine", "adsinsights_country", `"date_start":"2026-11-18"`, `"country":"US","date_start":"2026-11-18"`).Replace(metaRow)
	b := newBench(t)
	b.run(t, metaSchema, metaRow, metaRow, googleSchema, googleRow, tiktokSchema, tiktokRow, state)
	b.run(t, countrySpend, byCountry, metaSchema, metaRow, googleSchema, renamed, state)
	if _, got := b.year(t); got != int64(6210+17245+4820) {
		t.Errorf("spend %d, want %d", got, 6210+17245+4820)
	}
}

func TestSpendWithoutAnAccountIsReplacedOrReported(t *testing.T) {
	t.Parallel()
	unnamed := strings.Replace(metaRow, `"account_id":"1234567890"`, `"account_id":""`, 1)
	b := newBench(t)
	for _, step := range []struct {
		row   string
		warns bool
		spend int64
	}{{unnamed, false, 6210}, {metaRow, false, 6210}, {unnamed, true, 2 * 6210}} {
		report := b.run(t, metaSchema, step.row, state)
		warns := slices.ContainsFunc(report.Warnings, func(n source.Note) bool { return n.Code == "spend_twice" })
		if _, got := b.year(t); got != step.spend || warns != step.warns {
			t.Errorf("spend %d, warnings %+v; want %d, and a warning: %t", got, report.Warnings, step.spend, step.warns)
		}
	}
}

// TestADayInTwoStepsIsStoredCompletely sends rows of one day in two import steps, separated by a state message.
func TestADayInTwoStepsIsStoredCompletely(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	o := b.options()
	o.CommitRows = 1
	second := strings.ReplaceAll(metaRow, `"1203"`, `"1204"`)
	if _, err := singer.Run(t.Context(), b, strings.NewReader(strings.Join([]string{metaSchema, metaRow, state, second, state}, "\n")), o); err != nil {
		t.Fatal(err)
	}
	if _, got := b.year(t); got != 2*6210 || len(b.states) != 2 {
		t.Errorf("spend %d after states %q, want %d after two", got, b.states, 2*6210)
	}
}

// failing is a store with failing commits.
type failing struct{ *bench }

type failingImport struct{ warehouse.Import }

func (f failing) Begin(ctx context.Context, spec warehouse.ImportSpec) (warehouse.Import, error) {
	into, err := f.bench.Begin(ctx, spec)
	return failingImport{into}, err
}

func (f failingImport) Commit(context.Context) (warehouse.Outcome, error) {
	return warehouse.Outcome{}, fault.Unavailable("the disk is full")
}

func TestNoStateIsEmittedBeforeItsRecordsAreStored(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	o := b.options()
	o.CommitRows = 1
	_, err := singer.Run(t.Context(), failing{b}, strings.NewReader(strings.Join([]string{restSchema, restOrder, state}, "\n")), o)
	if fault.KindOf(err) != fault.KindUnavailable || len(b.states) > 0 {
		t.Errorf("states %q passed on, error %v", b.states, err)
	}
}

func TestAFailedStepIsReportedBeforeLaterErrors(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	o := b.options()
	o.CommitRows = 1
	_, err := singer.Run(t.Context(), failing{b}, strings.NewReader(strings.Join([]string{restSchema, restOrder, state, "no message"}, "\n")), o)
	if fault.KindOf(err) != fault.KindUnavailable || len(b.states) > 0 {
		t.Errorf("states %q passed on, error %v; want that of the step", b.states, err)
	}
}

// slow is a store with commits that wait until more messages are read.
type slow struct {
	nowhere
	more chan struct{}
}

func (s slow) Begin(context.Context, warehouse.ImportSpec) (warehouse.Import, error) { return s, nil }

func (s slow) Commit(context.Context) (warehouse.Outcome, error) {
	<-s.more
	return warehouse.Outcome{}, nil
}

// TestMessagesAreReadWhileTheStepBeforeIsStored would never end if a step were stored before more messages are read.
func TestMessagesAreReadWhileTheStepBeforeIsStored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &bench{workspace: newWorkspace()}
		o := b.options()
		o.CommitRows = 1
		store := slow{more: make(chan struct{})}
		asked := &atEndReader{func() {
			if synctest.Wait(); len(b.states) > 0 {
				t.Errorf("states %q were passed on before earlier records were stored", b.states)
			}
			close(store.more)
		}}
		newest := strings.Replace(state, "10:00", "11:00", 1)
		before, behind := strings.Join([]string{metaSchema, metaRow, state, ""}, "\n"), strings.Join([]string{strings.Replace(metaRow, "1203", "1204", 1), state, newest}, "\n")
		report, err := singer.Run(t.Context(), store, io.MultiReader(strings.NewReader(before), asked, strings.NewReader(behind)), o)
		if err != nil || report.Records != 2 || report.States != 3 || report.StatesPassed != len(b.states) {
			t.Fatalf("%v, states %q, %s", err, b.states, report.Text())
		}
		if last := b.states[len(b.states)-1]; len(b.states) != 2 || !strings.Contains(last, "11:00") {
			t.Errorf("states %q; want the one between the records and the newest", b.states)
		}
	})
}

func TestRejectedRecordsAreReported(t *testing.T) {
	t.Parallel()
	broken := strings.ReplaceAll(restOrder, `"102.60"`, `"a lot"`)
	b := newBench(t)
	_, err := singer.Run(t.Context(), b, strings.NewReader(strings.Join([]string{restSchema, broken, state}, "\n")), b.options())
	want := `line 2: record of stream "orders", field total_price: "a lot" is not an amount of money`
	if err == nil || err.Error() != want || len(b.states) > 0 {
		t.Errorf("got %v and states %q, want %s", err, b.states, want)
	}
	mistaken := strings.ReplaceAll(googleRow, `"conversions":2.0`, `"conversions":5000000000000`)
	_, err = singer.Run(t.Context(), b, strings.NewReader(strings.Join([]string{googleSchema, mistaken, state}, "\n")), b.options())
	want = `line 2: record of stream "campaign_performance_report", field conversions: "5000000000000" is implausibly large: the maximum is 1,000,000,000`
	if err == nil || err.Error() != want || len(b.states) > 0 {
		t.Errorf("got %v and states %q, want %s", err, b.states, want)
	}
	o := b.options()
	o.SkipRejected = true
	report, err := singer.Run(t.Context(), b, strings.NewReader(strings.Join([]string{restSchema, broken, restOrder, state}, "\n")), o)
	if err != nil || report.Rejected != 1 || report.RejectedRecords[0].Field != "total_price" || len(b.states) != 1 {
		t.Errorf("got %v, %s", err, report.Text())
	}
}

func TestUnsupportedMessagesAreRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for line, want := range map[string]string{
		`{"type":"BATCH","stream":"orders","manifest":[]}`: "line 1: messages of type BATCH are not supported",
		`INFO starting`:            "line 1: not a JSON object: INFO starting",
		`{"type":"HELLO"}`:         `line 1: unknown message type "HELLO"`,
		`[]`:                       "line 1: not a Singer message: it has no type",
		`{"type":"STATE"}`:         "line 1: a STATE message has no value",
		`{"type":"SCHEMA"}`:        "line 1: a SCHEMA message has no stream",
		"\n" + `{"type":"RECORD"}`: `line 2: a record of stream "" precedes its SCHEMA message`,
	} {
		_, err := singer.Run(t.Context(), b, strings.NewReader(line), b.options())
		if err == nil || err.Error() != want || fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("%s: got %v, want %s", line, err, want)
		}
	}
}

func TestUnknownStreamsAreReported(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	report := b.run(t, `{"type":"SCHEMA","stream":"tickets","key_properties":["id"],"schema":{"properties":{"id":{}}}}`, `{"type":"RECORD","stream":"tickets","record":{"id":1}}`, state)
	want := []singer.Stream{{Name: "tickets", Meaning: "unknown", Records: 1}}
	if diff := cmp.Diff(want, report.Streams); diff != "" || len(b.states) != 1 {
		t.Errorf("%s states %q", diff, b.states)
	}
}

func TestKlaviyosStatisticsBecomeRowsOfMessages(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	schema := `{"type":"SCHEMA","stream":"mine","key_properties":[],"schema":{"properties":{"statistic_name":{},"statistic_value":{}}}}`
	flow := func(name, value string) string {
		return fmt.Sprintf(`{"type":"RECORD","stream":"mine","record":{"date":"2026-11-18T00:00:00+00:00","flow_id":"VcJt","flow_message_id":"01MSG","send_channel":"email","statistic_name":%q,"statistic_value":%s}}`, name, value)
	}
	campaign := `{"type":"RECORD","stream":"mine","record":{"campaign_id":"C1","send_channel":"email","statistic_name":"recipients","statistic_value":40}}`
	names := `{"type":"SCHEMA","stream":"campaigns","key_properties":["id"],"schema":{"properties":{"id":{},"attributes":{"properties":{"send_time":{}}}}}}`
	sent := `{"type":"RECORD","stream":"campaigns","record":{"id":"C1","attributes":{"name":"Friday","send_time":"2026-11-18T03:00:00+00:00"}}}`
	report := b.run(t, schema, flow("recipients", "10.0"), flow("conversion_value", "102.6"), campaign, state, names, sent, state)
	if got := report.Tables["message_days"].Inserted; got != 2 {
		t.Fatalf("%d rows\n%s", got, report.Text())
	}
	rows, err := b.Messages(t.Context(), b.workspace.ID, warehouse.MessagesOf{Days: civil.Range{First: civil.MustParse("2026-11-17"), Last: civil.MustParse("2026-11-18")}})
	if err != nil || len(rows) != 2 {
		t.Errorf("%+v, %v", rows, err)
	}
}

// TestACampaignCountsOnceByTapAndByExport imports the totals of an email campaign from a tap and from an export. The
// campaign has two messages. The export uses the account's time zone, in which the campaign's day differs.
func TestACampaignCountsOnceByTapAndByExport(t *testing.T) {
	t.Parallel()
	message := func(id string, revenue int) string {
		return fmt.Sprintf(`{"type":"RECORD","stream":"mine","record":{"campaign_id":"C1","campaign_message_id":%q,"send_channel":"email","statistic_name":"conversion_value","statistic_value":%d}}`, id, revenue)
	}
	tap := []string{
		`{"type":"SCHEMA","stream":"mine","key_properties":[],"schema":{"properties":{"statistic_name":{},"statistic_value":{}}}}`, message("M1", 40), message("M2", 60),
		`{"type":"SCHEMA","stream":"campaigns","key_properties":["id"],"schema":{"properties":{"id":{},"attributes":{"properties":{"send_time":{}}}}}}`,
		`{"type":"RECORD","stream":"campaigns","record":{"id":"C1","attributes":{"name":"Friday","send_time":"2026-11-18T03:00:00+00:00"}}}`, state,
	}
	export := "Campaign Name,Send Time,Total Recipients,Successful Deliveries,Revenue,Campaign ID,Campaign Channel\nFriday,2026-11-18 04:00:00,50,49,100.00,C1,Email\n"
	path := filepath.Join(t.TempDir(), "campaigns.csv")
	if err := os.WriteFile(path, []byte(export), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	file := func(b *bench) {
		f, err := ingest.FileAt(path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = ingest.Run(t.Context(), b, ingest.Options{Workspace: b.workspace, HashKey: []byte("key"), Files: []ingest.File{f}, Clock: clock, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
	}
	first, second := b.of("tap first"), b.of("export first")
	first.run(t, tap...)
	file(first)
	file(second)
	second.run(t, tap...)
	for _, b := range []*bench{first, second} {
		rows, err := b.Messages(t.Context(), b.workspace.ID, warehouse.MessagesOf{Days: civil.Range{First: civil.MustParse("2026-11-17"), Last: civil.MustParse("2026-11-18")}})
		if err != nil || len(rows) != 1 || rows[0].Revenue != 100_00 || rows[0].Rows != 1 {
			t.Errorf("%s: %+v, %v; want one row of 100.00", b.workspace.ID, rows, err)
		}
	}
}

// TestWaitingFactsDoNotKeepMessagesInMemory sends orders and ads with many members that are not read. Waiting facts must not
// keep the messages' text in memory.
func TestWaitingFactsDoNotKeepMessagesInMemory(t *testing.T) { //nolint:paralleltest // the heap is the process's
	padding := fmt.Sprintf(`"note":%q,`, strings.Repeat("x", 20_000))
	const count = 1_000
	more := func(schema, row, id, marker string) io.Reader {
		readers := []io.Reader{strings.NewReader(schema + "\n")}
		for i := range count {
			text := strings.Replace(strings.Replace(row, id, fmt.Sprintf("%s%05d", id, i), 1), marker, padding+marker, 1)
			readers = append(readers, strings.NewReader(text+"\n"))
		}
		return io.MultiReader(readers...)
	}
	for name, messages := range map[string]func() io.Reader{
		"orders":        func() io.Reader { return more(restSchema, restOrder, `"id":5001`, `"name"`) },
		"held orders":   func() io.Reader { return more(graphSchema, graphOrder, "Order/5001", `"name"`) },
		"refunds":       func() io.Reader { return more(refundList, refundOf, "Refund/31", `"createdAt"`) },
		"ads of a shop": func() io.Reader { return more(metaSchema, metaRow, `"ad_id":"1203`, `"clicks"`) },
	} {
		b := &bench{workspace: newWorkspace()}
		var before, after runtime.MemStats
		atEnd := func() { runtime.GC(); runtime.ReadMemStats(&after) }
		runtime.GC()
		runtime.ReadMemStats(&before)
		report, err := singer.Run(t.Context(), nowhere{}, io.MultiReader(messages(), &atEndReader{atEnd}), b.options())
		if err != nil || report.Records != count {
			t.Fatalf("%s: %v %s", name, err, report.Text())
		}
		if held := int64(after.HeapAlloc) - int64(before.HeapAlloc); held > 8<<20 {
			t.Errorf("%s: %d bytes are held while %d records wait", name, held, count)
		}
	}
}

// atEndReader calls a function at the end of its content.
type atEndReader struct{ do func() }

func (r *atEndReader) Read([]byte) (int, error) {
	r.do()
	return 0, io.EOF
}

func TestCampaignsOfTapsKeepTheirVersions(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const schema = `{"type":"SCHEMA","stream":"%s","key_properties":["id"],"schema":{"properties":{%s}}}`
	record := func(stream, extracted, fields string) string {
		return fmt.Sprintf(`{"type":"RECORD","stream":%q,"time_extracted":%q,"record":{%s}}`, stream, extracted, fields)
	}
	lines := []string{
		fmt.Sprintf(schema, "campaigns", `"id":{},"name":{},"account_id":{},"updated_time":{},"status":{},"daily_budget":{},"lifetime_budget":{}`),
		record("campaigns", "2026-11-02T00:00:00Z", `"id":"120","name":"Brand","account_id":"9","updated_time":"2026-11-01T10:00:00+0100","status":"ACTIVE","daily_budget":"5000","lifetime_budget":null`),
		record("campaigns", "2026-11-09T00:00:00Z", `"id":"120","name":"Brand","account_id":"9","updated_time":"2026-11-08T10:00:00+0100","status":"PAUSED","daily_budget":"5000","lifetime_budget":null`),
		fmt.Sprintf(schema, "adsets", `"id":{},"name":{},"account_id":{},"updated_time":{},"campaign_id":{}`),
		record("adsets", "2026-11-02T00:00:00Z", `"id":"121","name":"Broad","account_id":"9","updated_time":"2026-11-01T10:00:00+0100","campaign_id":"120"`),
		fmt.Sprintf(schema, "google_campaigns", `"id":{},"name":{},"status":{},"advertising_channel_type":{},"customer_id":{},"campaign_budget_amount_micros":{}`),
		record("google_campaigns", "2026-11-02T00:00:00Z", `"id":7,"name":"Search","status":"ENABLED","advertising_channel_type":"SEARCH","customer_id":1,"campaign_budget_amount_micros":10000000`),
		record("google_campaigns", "2026-11-03T00:00:00Z", `"id":7,"name":"Search","status":"ENABLED","advertising_channel_type":"SEARCH","customer_id":1,"campaign_budget_amount_micros":25500000`),
		fmt.Sprintf(strings.Replace(schema, `["id"]`, `["adgroup_id"]`, 1), "adgroups", `"advertiser_id":{},"campaign_id":{},"adgroup_id":{},"adgroup_name":{},"modify_time":{},"operation_status":{},"budget":{},"budget_mode":{}`),
		record("adgroups", "2026-11-02T00:00:00Z", `"advertiser_id":"3","campaign_id":"30","adgroup_id":"31","adgroup_name":"One","modify_time":"2026-11-01 08:00:00","operation_status":"ENABLE","budget":50.5,"budget_mode":"BUDGET_MODE_DAY"`),
		record("adgroups", "2026-11-09T00:00:00Z", `"advertiser_id":"3","campaign_id":"30","adgroup_id":"31","adgroup_name":"One","modify_time":"2026-11-08 08:00:00","operation_status":"ENABLE","budget":0,"budget_mode":"BUDGET_MODE_INFINITE"`),
	}
	for range 2 { // again changes nothing
		if report := b.run(t, lines...); report.Records != 7 || report.Rejected != 0 {
			t.Fatalf("%s", report.Text())
		}
	}
	history, err := b.AdHistory(t.Context(), b.workspace.ID, measure.AdHistoryOf{Until: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range history.Standings {
		got = append(got, fmt.Sprint(s.Platform, " ", s.ID, " ", s.Status, " ", s.Budget.Words("USD"), " since ", s.Since.Format(time.RFC3339)))
	}
	for _, c := range history.Changes {
		got = append(got, fmt.Sprint(c.Now.Since.Format(time.RFC3339), " ", c.Now.Platform, " ", c.Now.Level, " ", c.Now.ID, " ", c.Moves()))
	}
	want := []string{
		"facebook 120 paused USD 50.00 per day since 2026-11-08T09:00:00Z",
		"google 7 active USD 25.50 per day since 2026-11-03T00:00:00Z",
		"2026-11-08T09:00:00Z facebook campaign 120 [{status ACTIVE PAUSED}]",
		"2026-11-08T08:00:00Z tiktok ad_set 31 [{budget 50.5 per day none of its own}]",
		"2026-11-03T00:00:00Z google campaign 7 [{budget 10 per day 25.5 per day}]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// For any input, the report has a bounded length and the run stores a bounded number of streams.
func TestAReportIsBounded(t *testing.T) {
	t.Parallel()
	const streams, odd, most = 5_000, 1 << 20, 128 << 10
	schema := func(name, required string) string {
		return fmt.Sprintf(`{"type":"SCHEMA","stream":%q,"key_properties":[],"schema":{"required":[%q],"properties":{"id":{}}}}`, name, required)
	}
	b := newBench(t)
	o := b.options()
	o.SkipRejected = true
	lines := []string{metaSchema}
	for i := range streams {
		lines = append(lines, schema(fmt.Sprintf("%d %s", i, strings.Repeat("n", 1000)), "id"))
	}
	long := strings.Repeat("o", odd)
	lines = append(lines, schema("last", long))
	for range 100 {
		lines = append(lines, `{"type":"RECORD","stream":"last","record":{"id":1}}`)
	}
	report, err := singer.Run(t.Context(), b, strings.NewReader(strings.Join(lines, "\n")), o)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(report)
	if err != nil || len(encoded) > most || len(report.Text()) > most {
		t.Errorf("the report has %d bytes as JSON and %d as text, %v; want at most %d", len(encoded), len(report.Text()), err, most)
	}
	if n := len(report.Streams) + report.MoreStreams; n != streams+2 || report.Streams[0].Meaning == "unknown" || report.Rejected != 100 {
		t.Errorf("%d streams, the first of meaning %q, %d rejected; want %d, a known one, 100", n, report.Streams[0].Meaning, report.Rejected, streams+2)
	}
	if text := report.Text(); !strings.Contains(text, fmt.Sprintf("and %d more streams", report.MoreStreams)) {
		t.Errorf("the text does not count the other streams:\n%s", text[:1000])
	}

	for what, sent := range map[string]func(i int) string{
		"streams": func(i int) string { return schema(fmt.Sprint(i), "id") },
		"MiB":     func(i int) string { return schema(fmt.Sprint(i), long) },
	} {
		read, write := io.Pipe()
		go func() { // a tap without end
			for i := 0; ; i++ {
				if _, err := io.WriteString(write, sent(i)+"\n"); err != nil {
					return
				}
			}
		}()
		_, err := singer.Run(t.Context(), b, read, o)
		read.Close()
		if fault.KindOf(err) != fault.KindInvalid || !strings.Contains(err.Error(), what) {
			t.Errorf("a tap without end: %v, want a fault about %s", err, what)
		}
	}
}
