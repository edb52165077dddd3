package shopify_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"assay/internal/fault"
	"assay/internal/ingest/shopify"
	"assay/internal/ingest/source"
)

func people() *source.Customers { return source.NewCustomers([]byte("key")) }

// stored returns the facts and notes of a collector for one document.
func stored(t *testing.T, kind string, doc []byte) string {
	t.Helper()
	c := newCollection()
	c.do(t, `{"`+kind+`":`+string(doc)+`}`, 1)
	c.steps(t, true)
	for _, n := range c.notes.List() {
		c.out.WriteString(n.Code + "\n")
	}
	return c.out.String()
}

func TestAReducedOrderGivesTheSameRows(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile("testdata/documents/rest.txtar")
	if err != nil {
		t.Fatal(err)
	}
	orders := 0
	for line := range strings.Lines(string(archive.Files[0].Data)) {
		var doc struct{ Order json.RawMessage }
		if err := json.Unmarshal([]byte(line), &doc); err != nil {
			t.Fatal(err)
		}
		if doc.Order == nil {
			continue
		}
		orders++
		kept, err := shopify.ReducedOrder(doc.Order, people())
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(kept), "@") || strings.Contains(string(kept), "555") {
			t.Errorf("an address or a phone number is kept: %s", kept)
		}
		if diff := cmp.Diff(stored(t, "order", doc.Order), stored(t, "order", kept)); diff != "" {
			t.Errorf("%s\n(-whole +reduced):\n%s", kept, diff)
		}
	}
	if orders < 9 {
		t.Errorf("only %d orders were compared", orders)
	}
}

func TestAReducedCustomerGivesTheSameRows(t *testing.T) {
	t.Parallel()
	for _, doc := range []string{
		`{"id":77,"email":"A@example.com","first_name":"Ada","created_at":"2026-08-01T23:30:00-04:00","updated_at":"2026-09-01T10:00:00Z","orders_count":3,
			"accepts_marketing":true,"default_address":{"country_code":"US","province_code":"NY","address1":"1 Main St"},"sms_marketing_consent":{"state":"unsubscribed"}}`,
		`{"id":78,"email_marketing_consent":{"state":"subscribed"}}`,
		`{"phone":"+1 555 0100"}`,
	} {
		kept, err := shopify.ReducedCustomer([]byte(doc), people())
		if err != nil {
			t.Fatal(err)
		}
		for _, personal := range []string{"@", "555", "Ada", "Main"} {
			if strings.Contains(string(kept), personal) {
				t.Errorf("%q is kept: %s", personal, kept)
			}
		}
		if diff := cmp.Diff(stored(t, "customer", []byte(doc)), stored(t, "customer", kept)); diff != "" {
			t.Errorf("%s\n(-whole +reduced):\n%s", kept, diff)
		}
	}
}

func TestAReducedRefundGivesTheSameRows(t *testing.T) {
	t.Parallel()
	doc := `{"id":801,"order_id":5001,"created_at":"2026-09-02T10:00:00Z","note":"ring twice","user_id":9,"refund_line_items":[{"id":1,"line_item":{"title":"Tee"}},3],
		"transactions":[{"kind":"refund","status":"success","amount":"20.00","currency":"USD","receipt":{"email":"a@example.com"}}]}`
	kept, err := shopify.ReducedRefund([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	var got, want any
	if err := json.Unmarshal(kept, &got); err != nil {
		t.Fatal(err)
	}
	const reduced = `{"id":801,"order_id":5001,"created_at":"2026-09-02T10:00:00Z","refund_line_items":[{"id":1},null],
		"transactions":[{"kind":"refund","status":"success","amount":"20.00","currency":"USD"}]}`
	if err := json.Unmarshal([]byte(reduced), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(stored(t, "refund", []byte(doc)), stored(t, "refund", kept)); diff != "" {
		t.Errorf("(-whole +reduced):\n%s", diff)
	}
}

func TestOnlyObjectsAreReduced(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "{", "[]", "1", "null", `"order"`} {
		_, order := shopify.ReducedOrder([]byte(body), people())
		_, refund := shopify.ReducedRefund([]byte(body))
		_, customer := shopify.ReducedCustomer([]byte(body), people())
		for of, err := range map[string]error{"order": order, "refund": refund, "customer": customer} {
			if fault.KindOf(err) != fault.KindInvalid {
				t.Errorf("%s of %q: %v, want a fault of kind invalid", of, body, err)
			}
		}
	}
	if _, err := shopify.ReducedCustomer([]byte(`{"first_name":"Ada"}`), people()); fault.KindOf(err) != fault.KindInvalid {
		t.Errorf("a customer without an identity: %v, want a fault of kind invalid", err)
	}
	kept, err := shopify.ReducedOrder([]byte(" {\"id\":1} \n"), people())
	if err != nil || string(kept) != `{"id":1}` {
		t.Errorf("an order in blanks is %s (%v)", kept, err)
	}
}

// A landing page keeps only its UTM parameters.
func TestLandingPagesLoseTheirOtherParameters(t *testing.T) {
	t.Parallel()
	for landing, want := range map[string]string{
		"/p?utm_source=a&utm_medium=b&utm_campaign=c&email=x": "/?utm_campaign=c&utm_medium=b&utm_source=a",
		"/p?utm_term=t&utm_source=a":                          "/?utm_source=a",
		"/p?ref=utm_source":                                   "/?",
		"/p?email=x":                                          "",
		"http://[::1/?utm_source=a":                           "",
	} {
		body, err := json.Marshal(map[string]string{"landing_site": landing})
		if err != nil {
			t.Fatal(err)
		}
		kept, err := shopify.ReducedOrder(body, people())
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Landing string `json:"landing_site"`
		}
		if err := json.Unmarshal(kept, &got); err != nil || got.Landing != want {
			t.Errorf("%q is kept as %q (%v), want %q", landing, got.Landing, err, want)
		}
	}
}

func TestARefundInTheCustomersCurrencyHasTheRateOfItsOrder(t *testing.T) {
	t.Parallel()
	doc := []byte(`{"id":7,"currency":"USD","created_at":"2026-09-01T10:00:00Z","total_price":"100.00",
		"total_price_set":{"shop_money":{"amount":"100.00","currency_code":"USD"},"presentment_money":{"amount":"135.00","currency_code":"CAD"}},
		"refunds":[{"id":8,"created_at":"2026-09-02T10:00:00Z","transactions":[{"kind":"refund","status":"success","amount":"67.50","currency":"CAD"}]}]}`)
	doc = bytes.ReplaceAll(doc, []byte("\n"), nil)
	kept, err := shopify.ReducedOrder(doc, people())
	if err != nil {
		t.Fatal(err)
	}
	for name, d := range map[string][]byte{"whole": doc, "reduced": kept} {
		if got := stored(t, "order", d); strings.Contains(got, "rejected") || !strings.Contains(got, "Amount=5000") {
			t.Errorf("%s: %s; want a refund of USD 50.00", name, got)
		}
	}
	table := read(t, "shopify_landed", `id,created_at,processed_at,total_price,financial_status,currency,total_price_set,refunds
7,2026-09-01,2026-09-01,100.00,paid,USD,"{""shop_money"":{""amount"":""100.00"",""currency_code"":""USD""},`+
		`""presentment_money"":{""amount"":""135.00"",""currency_code"":""CAD""}}","[{""id"":8,""created_at"":""2026-09-02"",`+
		`""transactions"":[{""kind"":""refund"",""status"":""success"",""amount"":""67.50"",""currency"":""CAD""}]}]"
`)
	if r := table.Batch.Refunds; len(r) != 1 || r[0].Amount != 5000 {
		t.Errorf("warehouse table: refunds %+v, errors %v; want a refund of USD 50.00", r, table.Errors)
	}
}
