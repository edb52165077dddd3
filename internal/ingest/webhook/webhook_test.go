package webhook_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/ingest"
	"assay/internal/ingest/singer"
	"assay/internal/ingest/source"
	"assay/internal/ingest/webhook"
	"assay/internal/measure"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
)

var (
	now     = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	hashKey = []byte("key")
	store   = control.Workspace{ID: "shop", Name: "Shop", Currency: "USD", Zone: "UTC", Version: 1}
	quiet   = slog.New(slog.DiscardHandler)
)

func facts(t *testing.T) *warehouse.Warehouse {
	t.Helper()
	engine, err := duckdb.Open(t.Context(), duckdb.Options{Dir: t.TempDir(), Log: quiet, Clock: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close(context.Background()) })
	return warehouse.New(engine)
}

// message returns a delivery in its stored form.
func message(t *testing.T, id control.DeliveryID, topic webhook.Topic, body string) control.Delivery {
	t.Helper()
	kept, err := webhook.Take(topic, []byte(body), hashKey)
	if err != nil || kept == nil {
		t.Fatalf("%s: %s, %v", topic, kept, err)
	}
	return control.Delivery{Workspace: "shop", ID: id, Topic: string(topic), Sent: now, At: now, Body: kept}
}

func deliver(t *testing.T, w *warehouse.Warehouse, messages ...control.Delivery) webhook.Result {
	t.Helper()
	return deliverTo(t, w, store, messages...)
}

func deliverTo(t *testing.T, w *warehouse.Warehouse, workspace control.Workspace, messages ...control.Delivery) webhook.Result {
	t.Helper()
	result, err := webhook.Run(t.Context(), w, messages, webhook.Options{Workspace: workspace, HashKey: hashKey, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// These constants contain one order in the form of each source. The order's value is USD 102.60, of which USD 20.00
// were refunded on the 19th.
const (
	refundJSON = `{"id":801,"order_id":5001,"created_at":"2026-11-19T10:00:00Z","refund_line_items":[],"transactions":[{"kind":"refund","status":"success","amount":"20.00","currency":"USD"}]}`
	orderJSON  = `{"id":5001,"name":"#1001","email":"A@example.com","currency":"USD","created_at":"2026-11-18T10:00:00Z","updated_at":"2026-11-19T10:00:00Z",
"financial_status":"partially_refunded","total_price":"102.60","subtotal_price":"90.00","total_tax":"7.60","total_discounts":"10.00","source_name":"web",
"customer":{"id":77,"email":"a@example.com","first_name":"Anna","phone":"+15550100"},"note":"ring twice","browser_ip":"203.0.113.9",
"shipping_address":{"name":"Anna B","address1":"1 Main St","city":"Toronto","zip":"M5V","phone":"+15550100","country_code":"CA","province_code":"ON"},
"landing_site":"/?utm_source=facebook&utm_medium=paid&utm_campaign=c1&email=a@example.com","discount_codes":[{"code":"SAVE10","amount":"10.00"}],
"shipping_lines":[{"price":"5.00"}],"line_items":[{"quantity":2,"sku":"TEE-M","title":"Tee","price":"50.00","properties":[{"name":"engraving","value":"For Anna"}]}],
"refunds":[` + refundJSON + `]}`
	orderCSV = "Name,Email,Financial Status,Currency,Subtotal,Shipping,Taxes,Total,Discount Code,Discount Amount,Created at,Lineitem quantity,Lineitem name,Lineitem price,Lineitem sku," +
		"Cancelled at,Refunded Amount,Id,Source,Shipping Country,Shipping Province\n" +
		"#1001,a@example.com,partially_refunded,USD,90.00,5.00,7.60,102.60,SAVE10,10.00,2026-11-18 10:00:00 +0000,2,Tee,50.00,TEE-M,,20.00,5001,web,CA,ON\n"
	orderSinger = `{"type":"SCHEMA","stream":"orders","key_properties":["id"],"schema":{"properties":{"id":{},"createdAt":{},"totalPriceSet":{}}}}
{"type":"RECORD","stream":"orders","record":{"id":"gid://shopify/Order/5001","name":"#1001","createdAt":"2026-11-18T10:00:00Z","updatedAt":"2026-11-19T10:00:00Z","currencyCode":"USD","displayFinancialStatus":"PARTIALLY_REFUNDED","sourceName":"web","discountCodes":["SAVE10"],"customer":{"email":"a@example.com"},"subtotalPriceSet":{"shopMoney":{"amount":"90.00"}},"totalDiscountsSet":{"shopMoney":{"amount":"10.00"}},"totalShippingPriceSet":{"shopMoney":{"amount":"5.00"}},"totalTaxSet":{"shopMoney":{"amount":"7.60"}},"totalPriceSet":{"shopMoney":{"amount":"102.60","currencyCode":"USD"}},"totalRefundedSet":{"shopMoney":{"amount":"20.00"}},"shippingAddress":{"countryCodeV2":"CA","provinceCode":"ON"}}}
`
)

// arrivals returns the sources of the order.
func arrivals(t *testing.T, w *warehouse.Warehouse, workspace control.Workspace) map[string]func() {
	t.Helper()
	return map[string]func(){
		"csv":    func() { sendFile(t, w, workspace, "orders.csv", orderCSV) },
		"order":  func() { deliverTo(t, w, workspace, message(t, "w1", webhook.OrderUpdated, orderJSON)) },
		"refund": func() { deliverTo(t, w, workspace, message(t, "w2", webhook.RefundCreated, refundJSON)) },
		"singer": func() { sendTap(t, w, workspace, orderSinger) },
	}
}

func sendFile(t *testing.T, w *warehouse.Warehouse, workspace control.Workspace, name, text string) {
	t.Helper()
	_, err := ingest.Run(t.Context(), w, ingest.Options{
		Workspace: workspace, HashKey: hashKey, Clock: func() time.Time { return now }, Log: quiet,
		Files: []ingest.File{{Name: name, Size: int64(len(text)), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func sendTap(t *testing.T, w *warehouse.Warehouse, workspace control.Workspace, messages string) {
	t.Helper()
	_, err := singer.Run(t.Context(), w, strings.NewReader(messages), singer.Options{
		Workspace: workspace, HashKey: hashKey, Clock: func() time.Time { return now }, Log: quiet,
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Each constant contains the same customer as one source sends it: a webhook message with an older state, an export
// without dates, and the records of a tap in the forms of both APIs. The message has neither consents nor orders,
// because newer versions of the API omit them.
const (
	customerJSON = `{"id":77,"email":"A@example.com","created_at":"2026-01-02T03:00:00Z","updated_at":"2026-11-18T10:00:00Z","first_name":"Anna","last_name":"B","state":"enabled",
"note":"ring twice","verified_email":true,"phone":"+1 555-0100","tags":"vip","currency":"USD","addresses":[{"address1":"1 Main St"}],
"default_address":{"name":"Anna B","address1":"1 Main St","city":"Toronto","zip":"M5V","phone":"+15550100","country_code":"CA","province_code":"ON"}}`
	customerCSV = "Customer ID,First Name,Last Name,Email,Accepts Email Marketing,Default Address Province Code,Default Address Country Code,Phone,Accepts SMS Marketing,Total Spent,Total Orders\n" +
		"'77,Anna,B,a@example.com,yes,ON,CA,'+15550100,no,120.00,3\n"
	customerRest = `{"type":"SCHEMA","stream":"customers","key_properties":["id"],"schema":{"properties":{"id":{},"created_at":{},"verified_email":{}}}}
{"type":"RECORD","stream":"customers","record":{"id":77,"email":"a@example.com","created_at":"2026-01-02T03:00:00Z","updated_at":"2026-11-19T10:00:00Z","verified_email":true,"orders_count":3,"phone":"+15550100","accepts_marketing":true,"default_address":{"country_code":"CA","province_code":"ON"}}}
`
	customerGraph = `{"type":"SCHEMA","stream":"customers","key_properties":["id"],"schema":{"properties":{"id":{},"createdAt":{},"verifiedEmail":{}}}}
{"type":"RECORD","stream":"customers","record":{"id":"gid://shopify/Customer/77","email":"a@example.com","createdAt":"2026-01-02T03:00:00Z","updatedAt":"2026-11-19T10:00:00Z","verifiedEmail":true,"numberOfOrders":"3","phone":"+15550100","emailMarketingConsent":{"marketingState":"SUBSCRIBED"},"smsMarketingConsent":{"marketingState":"NOT_SUBSCRIBED"},"defaultAddress":{"countryCodeV2":"CA","provinceCode":"ON"}}}
`
)

// With ASSAY_TEST_THOROUGH the test covers every order of arrival. Otherwise, it covers every eighth order of arrival.
func TestACustomerIsOneProfileInAnyOrderOfSources(t *testing.T) {
	t.Parallel()
	every := 8
	if os.Getenv("ASSAY_TEST_THOROUGH") != "" {
		every = 1
	}
	people := source.NewCustomers(hashKey)
	want := "source,customer,phone,since,email,sms,country,region,orders,updated_at,email_at,sms_at\n" +
		"shopify," + people.Hash("a@example.com") + "," + people.HashPhone("15550100") + ",2026-01-02,yes,no,CA,ON,3,2026-11-19 10:00:00,2026-11-19 10:00:00,2026-11-19 10:00:00\n"
	w := facts(t)
	for i, names := range orders([]string{"csv", "webhook", "rest", "graphql"}) {
		if i%every != 0 {
			continue
		}
		workspace := store
		workspace.ID = measure.WorkspaceID(fmt.Sprint("people", i))
		ways := map[string]func(){
			"csv":     func() { sendFile(t, w, workspace, "customers.csv", customerCSV) },
			"webhook": func() { deliverTo(t, w, workspace, message(t, "c1", webhook.CustomerUpdated, customerJSON)) },
			"rest":    func() { sendTap(t, w, workspace, customerRest) },
			"graphql": func() { sendTap(t, w, workspace, customerGraph) },
		}
		for _, name := range append(names, names[0]) { // and one source again
			ways[name]()
		}
		if diff := cmp.Diff(want, profilesOf(t, w, workspace.ID)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", names, diff)
		}
	}
}

// A customer without an email address and a phone number is identified by the shop's customer ID, from any source.
func TestACustomerWithoutAnAddressIsKnownByTheShopsID(t *testing.T) {
	t.Parallel()
	w := facts(t)
	nameless := strings.NewReplacer("a@example.com", "", `"email":"A@example.com"`, `"email":null`, "'+15550100", "", `"+15550100"`, "null", `"+1 555-0100"`, "null").Replace
	sendFile(t, w, store, "customers.csv", nameless(customerCSV))
	sendTap(t, w, store, nameless(customerGraph))
	deliver(t, w, message(t, "c1", webhook.CustomerCreated, nameless(customerJSON)))
	want := "shopify," + source.NewCustomers(hashKey).Hash("77") + `,"",2026-01-02,`
	if got := profilesOf(t, w, "shop"); strings.Count(got, "\n") != 2 || !strings.Contains(got, want) {
		t.Errorf("got\n%swant one profile that begins with %s", got, want)
	}
}

func profilesOf(t *testing.T, w *warehouse.Warehouse, ws measure.WorkspaceID) string {
	t.Helper()
	dir := t.TempDir()
	if _, err := w.Export(t.Context(), ws, dir, warehouse.CSV); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "profiles.csv"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// orders returns all permutations of the names.
func orders(names []string) (all [][]string) {
	if len(names) <= 1 {
		return [][]string{names}
	}
	for i, first := range names {
		rest := append(append([]string{}, names[:i]...), names[i+1:]...)
		for _, tail := range orders(rest) {
			all = append(all, append([]string{first}, tail...))
		}
	}
	return all
}

// With ASSAY_TEST_THOROUGH the test covers every order of arrival. Otherwise, it covers every eighth order of arrival.
func TestAnOrderIsMergedInAnyOrderOfSources(t *testing.T) {
	t.Parallel()
	every := 8
	if os.Getenv("ASSAY_TEST_THOROUGH") != "" {
		every = 1
	}
	w := facts(t)
	for i, names := range orders([]string{"csv", "order", "refund", "singer"}) {
		if i%every != 0 {
			continue
		}
		workspace := store
		workspace.ID = measure.WorkspaceID(fmt.Sprint("shop", i))
		ways := arrivals(t, w, workspace)
		for _, name := range append(names, names[0]) { // and one source again
			ways[name]()
		}
		meets(t, w, workspace.ID, names)
	}
}

// meets checks that a workspace contains the expected order, with its daily totals.
func meets(t *testing.T, w *warehouse.Warehouse, ws measure.WorkspaceID, came []string) {
	t.Helper()
	order, known, err := w.Order(t.Context(), ws, warehouse.OrderRef{Source: "shopify", Key: "5001"})
	if err != nil || !known {
		t.Fatalf("%v: %v, %v", came, known, err)
	}
	days, err := w.StoreDays(t.Context(), ws, civil.Range{First: civil.MustParse("2026-11-01"), Last: civil.MustParse("2026-11-30")})
	if err != nil {
		t.Fatal(err)
	}
	type day struct{ Charged, Refunds, Orders int64 }
	got := map[string]day{}
	for _, d := range days {
		got[d.Day.String()] = day{d.Sums.Charged, d.Sums.Refunds, d.Sums.Orders / measure.Millionths}
	}
	want := map[string]day{"2026-11-18": {Charged: 102_60, Orders: 1}, "2026-11-19": {Refunds: 20_00}}
	if diff := cmp.Diff(want, got); diff != "" || order.Country != "CA" || order.Customer == "" {
		t.Errorf("%v: %+v (-want +got):\n%s", came, order, diff)
	}
	if c, err := w.Coverage(t.Context(), ws); err != nil || c.Orders != 1 {
		t.Errorf("%v: %d orders, %v", came, c.Orders, err)
	}
}

func TestNothingOfAPersonIsKeptOfAMessage(t *testing.T) {
	t.Parallel()
	for topic, body := range map[webhook.Topic]string{
		webhook.OrderCreated:    orderJSON,
		webhook.CustomerUpdated: customerJSON,
		webhook.CustomerRedact:  `{"shop_id":1,"shop_domain":"acme.myshopify.com","customer":{"id":77,"email":"a@example.com","phone":"+15550100"},"orders_to_redact":[5001]}`,
		webhook.CustomerRequest: `{"shop_id":1,"shop_domain":"acme.myshopify.com","customer":{"id":77,"email":"a@example.com","phone":"+15550100"}}`,
	} {
		kept := string(message(t, "w", topic, body).Body)
		for _, word := range []string{"@", "Anna", "Main St", "Toronto", "M5V", "+15550100", "5550100", "555-0100", "203.0.113.9", "ring twice", "engraving"} {
			if strings.Contains(kept, word) {
				t.Errorf("%s keeps %q: %s", topic, word, kept)
			}
		}
		if !json.Valid([]byte(kept)) {
			t.Errorf("%s is kept as %s", topic, kept)
		}
	}
}

func TestRemovalsThatEarlierBuildsKeptNameTheirCustomer(t *testing.T) {
	t.Parallel()
	people := source.NewCustomers(hashKey)
	byMail, byID := people.Hash("a@example.com"), people.Hashes("77")
	for body, want := range map[string][]string{
		`{"id":"77","hash":"` + byMail + `"}`: append([]string{byMail}, byID...),
		`{"id":"77","hash":""}`:               byID,
		`{"id":"","hash":"` + byMail + `"}`:   {byMail},
		`{"id":"77","hashes":["a","b"]}`:      {"a", "b"},
		`{"id":"","hash":""}`:                 nil,
	} {
		person, err := webhook.PersonOf([]byte(body), hashKey)
		if err != nil || !slices.Equal(person.Hashes, want) {
			t.Errorf("%s: got %q, want %q; %v", body, person.Hashes, want, err)
		}
		m := control.Delivery{Workspace: "shop", ID: "r", Topic: string(webhook.CustomerRedact), At: now, Body: []byte(body)}
		if told := deliver(t, facts(t), m).Unusable["r"]; (told != "") != (want == nil) {
			t.Errorf("%s: unusable is %q", body, told)
		}
	}
}

func TestTheLatestVersionCountsWhenMessagesComeLateAndTwice(t *testing.T) {
	t.Parallel()
	w := facts(t)
	at := func(id control.DeliveryID, total, updated string) control.Delivery {
		body := strings.ReplaceAll(strings.Replace(orderJSON, "102.60", total, 1), `"updated_at":"2026-11-19T10:00:00Z"`, `"updated_at":"`+updated+`"`)
		return message(t, id, webhook.OrderUpdated, body)
	}
	newest, older := at("n", "99.00", "2026-11-19T12:00:00Z"), at("o", "50.00", "2026-11-18T12:00:00Z")
	deliver(t, w, newest, older)
	deliver(t, w, older)
	deliver(t, w, newest, newest)
	order, _, err := w.Order(t.Context(), "shop", warehouse.OrderRef{Source: "shopify", Key: "5001"})
	if err != nil || order.Charged != 99_00 {
		t.Errorf("charged %d, want 9900; %v", order.Charged, err)
	}
}

func TestADeletedOrderLeavesTheFiguresAndWaitsForItsOrder(t *testing.T) {
	t.Parallel()
	w := facts(t)
	gone := message(t, "d", webhook.OrderDeleted, `{"id":5001}`)
	if result := deliver(t, w, gone); !result.Later["d"] {
		t.Error("the deletion of an unknown order does not wait")
	}
	late := gone
	late.At = now.Add(-2 * time.Hour)
	if result := deliver(t, w, late); len(result.Later) > 0 {
		t.Error("it waits for ever")
	}
	deliver(t, w, message(t, "o", webhook.OrderCreated, orderJSON), gone)
	deliver(t, w, message(t, "o2", webhook.OrderCreated, orderJSON)) // an older version that arrives late
	if c, err := w.Coverage(t.Context(), "shop"); err != nil || c.Orders != 0 || c.Cancelled != 1 {
		t.Errorf("%d orders, %d cancelled, %v", c.Orders, c.Cancelled, err)
	}
}

func TestAMessageThatCannotBeUsedIsNamedAndHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	w := facts(t)
	bad := message(t, "bad", webhook.OrderCreated, strings.Replace(strings.ReplaceAll(orderJSON, "5001", "5002"), "102.60", "much", 1))
	foreign := message(t, "eur", webhook.OrderCreated, strings.Replace(strings.ReplaceAll(orderJSON, "5001", "5003"), `"currency":"USD","created_at"`, `"currency":"EUR","created_at"`, 1))
	result := deliver(t, w, bad, message(t, "good", webhook.OrderCreated, orderJSON), foreign)
	if len(result.Unusable) != 2 || !strings.Contains(result.Unusable["bad"], "total_price") || result.Unusable["eur"] == "" {
		t.Errorf("unusable: %q", result.Unusable)
	}
	if c, err := w.Coverage(t.Context(), "shop"); err != nil || c.Orders != 1 {
		t.Errorf("%d orders, %v", c.Orders, err)
	}
}

func TestATopicAloneIsNotTrusted(t *testing.T) {
	t.Parallel()
	for topic, body := range map[webhook.Topic]string{
		webhook.OrderDeleted: orderJSON, webhook.RefundCreated: `{"id":1}`, webhook.OrderUpdated: `{"id":5001}`, webhook.ShopRedact: orderJSON,
		webhook.CustomerUpdated: orderJSON, webhook.CustomerCreated: `{"id":77,"created_at":"2026-01-02T03:00:00Z","title":"Tee"}`, webhook.CustomerEnabled: refundJSON,
		webhook.CustomerRedact: orderJSON, webhook.OrderCreated: `[1]`, webhook.OrderPaid: `{`,
	} {
		if kept, err := webhook.Take(topic, []byte(body), hashKey); fault.KindOf(err) != fault.KindInvalid || kept != nil {
			t.Errorf("%s: %s, %v", topic, kept, err)
		}
	}
	asks := `{"shop_id":1,"shop_domain":"acme.myshopify.com","customer":{"id":77},"orders_requested":[5001],"data_request":{"id":9}}`
	if kept, err := webhook.Take(webhook.CustomerRedact, []byte(asks), hashKey); fault.KindOf(err) != fault.KindInvalid || kept != nil {
		t.Errorf("a request for data as a removal: %s, %v", kept, err)
	}
	if kept, err := webhook.Take("products/update", []byte(`{"id":1}`), hashKey); kept != nil || err != nil {
		t.Errorf("another topic: %s, %v", kept, err)
	}
}

func TestSignaturesAreOfTheWholeBody(t *testing.T) {
	t.Parallel()
	mac := hmac.New(sha256.New, []byte("secret"))
	mac.Write([]byte(orderJSON))
	good := base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, test := range []struct {
		what            string
		secrets         []string
		signature, body string
		known, signed   bool
	}{
		{"a good one", []string{"secret"}, good, orderJSON, true, true},
		{"the second of two secrets", []string{"other", "secret"}, good, orderJSON, true, true},
		{"the first of two secrets", []string{"secret", "other"}, good, orderJSON, true, true},
		{"another secret", []string{"secreT"}, good, orderJSON, true, false},
		{"another body", []string{"secret"}, good, orderJSON + " ", true, false},
		{"half of the body", []string{"secret"}, good, orderJSON[:20], true, false},
		{"no secret", nil, good, orderJSON, false, false},
		{"no signature", []string{"secret"}, "", orderJSON, false, false},
		{"half of the signature", []string{"secret"}, good[:20], orderJSON, false, false},
		{"no Base64", []string{"secret"}, "%", orderJSON, false, false},
	} {
		v, known := webhook.NewVerifier(test.secrets, test.signature)
		if known != test.known {
			t.Errorf("%s: a body may be signed so: %t, want %t", test.what, known, test.known)
		}
		if !known || !test.known {
			continue
		}
		for part := range strings.SplitAfterSeq(test.body, ",") { // as it is read
			if _, err := v.Write([]byte(part)); err != nil {
				t.Fatal(err)
			}
		}
		if v.Signed() != test.signed {
			t.Errorf("%s: signed %t, want %t", test.what, v.Signed(), test.signed)
		}
	}
}

// Any message is rejected, or stored as JSON that can be processed or reported as unusable.
func FuzzTake(f *testing.F) {
	for _, body := range []string{orderJSON, refundJSON, customerJSON, `{"id":5001}`, `{"customer":{},"shop_domain":"x"}`, `[]`, `{"id":{},"total_price":[],"created_at":1}`} {
		for _, topic := range []webhook.Topic{webhook.OrderUpdated, webhook.RefundCreated, webhook.OrderDeleted, webhook.CustomerUpdated, webhook.CustomerRedact} {
			f.Add(string(topic), []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, topic string, body []byte) {
		kept, err := webhook.Take(webhook.Topic(topic), body, hashKey)
		if err != nil || kept == nil {
			return
		}
		if !json.Valid(kept) {
			t.Fatalf("%q is kept as %q", body, kept)
		}
		var nothing nowhere
		m := control.Delivery{Workspace: "shop", ID: "w", Topic: topic, Sent: now, At: now, Body: kept}
		if _, err := webhook.Run(t.Context(), nothing, []control.Delivery{m}, webhook.Options{Workspace: store, HashKey: hashKey, Now: now}); err != nil {
			t.Fatalf("%q: %v", body, err)
		}
	})
}

// nowhere is a store that stores nothing.
type nowhere struct{ warehouse.Import }

func (nowhere) Begin(context.Context, warehouse.ImportSpec) (warehouse.Import, error) {
	return nowhere{}, nil
}

func (nowhere) FXRates(context.Context, measure.WorkspaceID) ([]warehouse.FXRate, error) {
	return nil, nil
}

func (nowhere) Order(context.Context, measure.WorkspaceID, warehouse.OrderRef) (warehouse.Order, bool, error) {
	return warehouse.Order{}, false, nil
}

func (nowhere) Add(context.Context, *warehouse.Batch) error { return nil }

func (nowhere) Commit(context.Context) (warehouse.Outcome, error) { return warehouse.Outcome{}, nil }

func (nowhere) Abort() {}

// An element of a list needs far more memory than its size in the body.
func TestAMessageOfTooManyElementsIsRejected(t *testing.T) {
	t.Parallel()
	body := `{"id":1,"total_price":"1.00","currency":"USD","created_at":"2026-01-02T03:00:00Z","line_items":[` + strings.Repeat("{},", 100_000) + `{}]}`
	if kept, err := webhook.Take(webhook.OrderCreated, []byte(body), hashKey); fault.KindOf(err) != fault.KindInvalid || kept != nil {
		t.Errorf("%d bytes are kept, %v; want a fault of kind invalid", len(kept), err)
	}
}
