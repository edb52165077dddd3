package shopify_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/internal/civil"
	"assay/internal/ingest/ingesttest"
	"assay/internal/ingest/shopify"
	"assay/internal/ingest/source"
	"assay/internal/warehouse"
)

func readerOf(t *testing.T, name string) source.Reader {
	t.Helper()
	return ingesttest.Reader(t, name, append(shopify.Landed(), shopify.Orders()))
}

func read(t *testing.T, name, table string) ingesttest.Reading {
	t.Helper()
	o := ingesttest.ReaderOptions()
	o.Rates = ingesttest.Rates{"2026-09-01 EURUSD": "2"}
	return ingesttest.Read(t, readerOf(t, name), o, table)
}

// rejected returns the line, the number of rows and the column of each row error.
func rejected(t *testing.T, all []error) (rows []source.RowError) {
	t.Helper()
	for _, err := range all {
		list := []error{err}
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			list = joined.Unwrap()
		}
		for _, one := range list {
			bad, ok := errors.AsType[*source.RowError](one)
			if !ok {
				t.Fatalf("%v is not an error of a row", one)
			}
			rows = append(rows, source.RowError{Line: bad.Line, Rows: max(bad.Rows, 1), Column: bad.Column})
		}
	}
	return rows
}

func check(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateComparable(civil.Date{}), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func at(day, hour int) time.Time { return time.Date(2026, 9, day, hour, 0, 0, 0, time.UTC) }

func ref(key string) warehouse.OrderRef { return warehouse.OrderRef{Source: "shopify", Key: key} }

func refund(order, id string, day, hour int, amount int64) warehouse.Refund {
	return warehouse.Refund{OrderRef: ref(order), Refund: id, At: at(day, hour), Day: civil.DayOf(at(day, hour), time.UTC), Amount: amount}
}

func TestATableOfRefunds(t *testing.T) {
	t.Parallel()
	got := read(t, "shopify_refunds", `id,order_id,created_at,total_refunded_set_shop_amount,total_refunded_set_shop_currency_code
gid://shopify/Refund/2,gid://shopify/Order/20,2026-09-01 10:00:00,-5.00,EUR
1,20,2026-09-02 10:00:00,3.00,USD
1,3,2026-09-02 10:00:00,3.50,USD
1,3,2026-09-02 11:00:00,4.50,USD
4,4,2026-09-02 10:00:00,0.00,USD
,5,2026-09-02 10:00:00,1.00,USD
6,,2026-09-02 10:00:00,1.00,USD
7,7,2026-09-20 10:00:00,1.00,EUR
7,7,2026-09-20 10:00:00,1.00,EUR
8,8,soon,1.00,USD
8,8,2026-09-02 10:00:00,much,USD
8,8,2026-09-02 10:00:00,1.00,?
1.2E+17,8,2026-09-02 10:00:00,1.00,USD
8,1.2E+17,2026-09-02 10:00:00,1.00,USD
`)
	check(t, "refunds", []warehouse.Refund{refund("20", "1", 2, 10, 300), refund("20", "2", 1, 10, 1000), refund("3", "1", 2, 11, 450)}, got.Batch.Refunds)
	check(t, "notes", []string{"refunds_twice", "refunds_unnamed"}, got.Codes())
	check(t, "rejected", []source.RowError{
		{Line: 11, Rows: 1, Column: "created_at"},
		{Line: 12, Rows: 1, Column: "total_refunded_set_shop_amount"},
		{Line: 13, Rows: 1, Column: "total_refunded_set_shop_currency_code"},
		{Line: 14, Rows: 1, Column: "id"},
		{Line: 15, Rows: 1, Column: "order_id"},
		{Line: 10, Rows: 2},
	}, rejected(t, got.Errors))
	if n := got.Summary.Totals.Refunds; n != 3 || got.Summary.Totals.Refunded["EUR"] != 500 || got.Summary.Totals.Refunded["USD"] != 750 {
		t.Errorf("%d refunds of %v", n, got.Summary.Totals.Refunded)
	}
}

// A refund is the sum of its payments and has the date of the earliest payment.
func TestATableOfPayments(t *testing.T) {
	t.Parallel()
	got := read(t, "shopify_transactions", `id,order_id,refund_id,amount,created_at,gateway,kind,status,test,currency
1,3,9,2.00,2026-09-02 11:00:00,card,refund,SUCCESS,false,USD
2,3,9,3.00,2026-09-02 10:00:00,card,REFUND,success,,USD
3,3,9,-4.00,2026-09-02 12:00:00,card,refund,success,false,USD
3,3,9,-4.00,2026-09-02 12:00:00,card,refund,success,false,USD
,3,9,0.25,2026-09-02 12:00:00,card,refund,success,false,USD
,3,9,0.25,2026-09-02 12:00:00,card,refund,success,false,USD
4,3,9,9.00,2026-09-02 12:00:00,card,sale,success,false,USD
5,3,9,9.00,2026-09-02 12:00:00,card,refund,pending,false,USD
6,3,9,9.00,2026-09-02 12:00:00,card,refund,success,TRUE,USD
7,3,9,9.00,2026-09-02 12:00:00,card,refund,success,false,EUR
8,4,8,1.00,2026-09-20 12:00:00,card,refund,success,false,EUR
9,4,8,1.00,2026-09-20 12:00:00,card,refund,success,false,EUR
`)
	check(t, "refunds", []warehouse.Refund{refund("3", "9", 2, 10, 950)}, got.Batch.Refunds)
	check(t, "notes", []string{"payments_twice"}, got.Codes())
	check(t, "rejected", []source.RowError{{Line: 11, Rows: 1, Column: "currency"}, {Line: 12, Rows: 2}}, rejected(t, got.Errors))
	if got.Skipped != 3 {
		t.Errorf("%d rows are skipped, want the sale, the pending refund and the test", got.Skipped)
	}
	// Without a currency, the reader assumes the shop's currency.
	assumed := read(t, "shopify_refunds", "id,order_id,created_at,total_refunded_set_shop_amount\n1,2,2026-09-01,1.00\n")
	check(t, "assumed", []string{"currency_assumed"}, assumed.Codes())
	if r := assumed.Batch.Refunds; len(r) != 1 || r[0].Amount != 100 {
		t.Errorf("refunds %+v", r)
	}
}

func TestATableOfLines(t *testing.T) {
	t.Parallel()
	const header = "order_id,id,index,sku,title,quantity,price,total_discount,gift_card,_fivetran_deleted,_fivetran_synced\n"
	got := read(t, "shopify_order_lines", header+`gid://shopify/Order/5,gid://shopify/LineItem/1,2,TEE,Tee,3,1.25,0.50,false,false,2026-09-01 10:00:00 UTC
5,2,,,Cap,,,,false,TRUE,1788264000.25
5,3,0,,Cap,2,0.001,0.00,false,1,8589934592
,4,0,,Cap,1,1.00,0.00,false,,0
5,,0,,Cap,1,1.00,0.00,false,,0
5,5,x,,Cap,1,1.00,0.00,false,,0
5,5,0,,Cap,x,1.00,0.00,false,,0
5,5,0,,Cap,1,x,0.00,false,,0
5,5,0,,Cap,1,1.00,-0.01,false,,0
1.2E+17,5,0,,Cap,1,1.00,0.00,false,,0
5,1.2E+17,0,,Cap,1,1.00,0.00,false,,0
5,6,0,,Cap,1,1.00,0.00,false,,load
5,7,0,,Cap,1,1.00,0.00,false,,8589934591
`)
	line := func(id string, place int64, sku, title string, quantity, gross, discount int64, gone bool, synced time.Time) warehouse.LandedLine {
		return warehouse.LandedLine{
			Source: "shopify", Order: "5", ID: id, Place: place, SKU: sku, Title: title, Quantity: quantity, Gross: gross, Discount: discount, Currency: "USD",
			Gone: gone, SyncedAt: synced,
		}
	}
	check(t, "lines", []warehouse.LandedLine{
		line("1", 2, "TEE", "Tee", 3, 375, 50, false, at(1, 10)),
		line("2", 0, "", "Cap", 0, 0, 0, true, time.Date(2026, 9, 1, 12, 0, 0, 250e6, time.UTC)),
		line("3", 0, "", "Cap", 2, 0, 0, true, time.Time{}),
		line("6", 0, "", "Cap", 1, 100, 0, false, time.Time{}),
		line("7", 0, "", "Cap", 1, 100, 0, false, time.Unix(8589934591, 0).UTC()),
	}, got.Batch.LandedLines)
	check(t, "rejected", []source.RowError{
		{Line: 7, Rows: 1, Column: "index"},
		{Line: 8, Rows: 1, Column: "quantity"},
		{Line: 9, Rows: 1, Column: "price"},
		{Line: 10, Rows: 1, Column: "total_discount"},
		{Line: 11, Rows: 1, Column: "order_id"},
		{Line: 12, Rows: 1, Column: "id"},
	}, rejected(t, got.Errors))
	check(t, "notes", []string{"currency_assumed", "lines_unnamed"}, got.Codes())
	sets := read(t, "shopify_order_lines", `order_id,id,title,quantity,original_total_set_shop_amount,original_total_set_shop_currency_code,requires_shipping
5,1,Tee,3,7.50,EUR,true
5,2,Tee,3,7.50,?,true
5,3,Tee,3,x,EUR,true
`)
	if l := sets.Batch.LandedLines; len(l) != 1 || l[0].Gross != 750 || l[0].Currency != "EUR" {
		t.Errorf("lines with sets: %+v", l)
	}
	check(t, "rejected with sets", []source.RowError{
		{Line: 3, Rows: 1, Column: "original_total_set_shop_currency_code"}, {Line: 4, Rows: 1, Column: "original_total_set_shop_amount"},
	}, rejected(t, sets.Errors))
}

func TestTablesOfDiscountsAndCodes(t *testing.T) {
	t.Parallel()
	got := read(t, "shopify_line_discounts", `order_line_id,index,amount,discount_application_index,_fivetran_deleted
gid://shopify/LineItem/7,3,1.50,0,false
7,1,x,0,true
,1,1.00,0,
7,x,1.00,0,
7,1,x,0,
1.2E+17,1,1.00,0,
`)
	check(t, "discounts", []warehouse.LandedDiscount{
		{Source: "shopify", Line: "7", Place: 3, Amount: 150, Currency: "USD"}, {Source: "shopify", Line: "7", Place: 1, Currency: "USD"},
	}, got.Batch.LandedDiscounts)
	check(t, "rejected", []source.RowError{{Line: 5, Rows: 1, Column: "index"}, {Line: 6, Rows: 1, Column: "amount"}, {Line: 7, Rows: 1, Column: "order_line_id"}}, rejected(t, got.Errors))
	check(t, "notes", []string{"currency_assumed", "discounts_unnamed"}, got.Codes())

	got = read(t, "shopify_order_codes", `order_id,index,code,amount,type,_fivetran_deleted
gid://shopify/Order/5,1,save,1.50,percentage,false
5,2,free,,percentage,true
,1,save,1.00,percentage,
5,1,,1.00,percentage,
5,1,save,x,percentage,
`)
	check(t, "codes", []warehouse.LandedCode{
		{Source: "shopify", Order: "5", Code: "SAVE", Amount: 150, AmountKnown: true, Currency: "USD"},
		{Source: "shopify", Order: "5", Code: "FREE", Currency: "USD", Gone: true},
	}, got.Batch.LandedCodes)
	check(t, "rejected codes", []source.RowError{{Line: 6, Rows: 1, Column: "amount"}}, rejected(t, got.Errors))
	check(t, "notes of codes", []string{"currency_assumed", "codes_unnamed"}, got.Codes())
}

func TestHeadersOfTablesOfParts(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"order_id,id,quantity,price,title,gift_card":                                    "shopify_order_lines",
		"gift_card,_dlt_parent_id,id,quantity,price,title":                              "shopify_order_lines",
		"id,quantity,price,title,gift_card":                                             "",
		"order_id,id,quantity,price,title":                                              "",
		"order_line_id,amount,discount_application_index":                               "shopify_line_discounts",
		"order_id,index,code,amount,type":                                               "shopify_order_codes",
		"index,order_id,code,amount,type":                                               "shopify_order_codes",
		"_dlt_list_idx,_dlt_parent_id,code,amount,type":                                 "shopify_order_codes",
		"order_id,code,amount,type":                                                     "",
		"order_id,index,code,amount,type,carrier_identifier":                            "",
		"rate,order_id,index,code,amount,type":                                          "",
		"id,order_id,refund_id,amount,created_at,gateway,kind,status":                   "shopify_transactions",
		"id,order_id,created_at,total_refunded_set_shop_amount":                         "shopify_refunds",
		"id,created_at,total_refunded_set_shop_amount":                                  "",
		"id,created_at,total_price,financial_status,processed_at":                       "shopify_landed",
		"id,created_at,total_price,financial_status":                                    "",
		"name,created at,currency,total,lineitem quantity,lineitem name,lineitem price": "shopify_orders",
		"name,created at,currency,total,lineitem quantity,lineitem name":                "",
	} {
		var got []string
		for _, r := range append(shopify.Landed(), shopify.Orders()) {
			if r.Fit(source.NewHeader(strings.Split(header, ","))).OK() {
				got = append(got, r.Name())
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q is read by %q, want %q", header, got, want)
		}
	}
	for _, r := range append(shopify.Landed(), shopify.Orders()) {
		described, ok := r.(source.Described)
		if !ok || r.Title() == "" || len(described.Columns()) < len(described.Needs()) || len(described.Needs()) == 0 {
			t.Errorf("%s is %q with columns %v", r.Name(), r.Title(), ok)
			continue
		}
		for _, need := range described.Needs() {
			if !slices.ContainsFunc(described.Columns(), func(c source.Column) bool { return c.Field == need }) {
				t.Errorf("%s requires %q, which is no column", r.Name(), need)
			}
		}
	}
}

const orderHeader = "id,name,created_at,processed_at,updated_at,currency,total_price,subtotal_price,financial_status,test,_fivetran_deleted,total_shipping_price_set_shop_amount,shipping_address_country_code,shipping_address,tags,customer_id,customer_email,_dlt_id\n"

func TestATableOfOrders(t *testing.T) {
	t.Parallel()
	got := read(t, "shopify_landed", orderHeader+
		`5,[x],2026-09-01 10:00:00,2026-09-01,2026-09-02 10:00:00,USD,9.00,7.00,paid,1,,1.50,CA,,"[""a"",""test""]",gid://shopify/Customer/7,a@example.com,row
6,#6,2026-09-01 10:00:00,2026-09-01,,USD,9.00,,paid,no,TRUE,,,"{""country_code"":""DE""}",[VIP],,,
7,#7,2026-09-01 10:00:00,2026-09-01,,USD,9.00,,paid,,,,,{broken,,,,
7,#7,2026-09-01 10:00:00,2026-09-01,,USD,9.00,much,paid,,,,,,,,,
1.2E+17,#7,2026-09-01 10:00:00,2026-09-01,,USD,9.00,,paid,,,,,,,,,
7,#7,soon,2026-09-01,,USD,9.00,,paid,,,,,,,,,
`)
	if len(got.Batch.Orders) != 2 {
		t.Fatalf("%d orders, errors %v", len(got.Batch.Orders), got.Errors)
	}
	first, second := got.Batch.Orders[0], got.Batch.Orders[1]
	if first.Name != "[x]" || !first.Test || first.Cancelled || first.Shipping != 150 || first.Country != "CA" || !first.UpdatedAt.Equal(at(2, 10)) || !first.At.Equal(at(1, 10)) {
		t.Errorf("first %+v", first)
	}
	if second.Test || !second.Cancelled || second.Shipping != 0 || second.Country != "DE" || !second.UpdatedAt.IsZero() || second.Customer != "" {
		t.Errorf("second %+v", second)
	}
	if len(got.Batch.Ties) != 1 || got.Batch.Ties[0].KnownAs != people().Hash("7") || got.Batch.Ties[0].Customer != people().Hash("a@example.com") {
		t.Errorf("ties %+v", got.Batch.Ties)
	}
	check(t, "landed orders", []warehouse.LandedOrder{
		{OrderRef: ref("5"), Row: "row", Subtotal: 700, SubtotalKnown: true, UpdatedAt: at(2, 10)}, {OrderRef: ref("6")},
	}, got.Batch.LandedOrders)
	check(t, "rejected", []source.RowError{
		{Line: 4, Rows: 1, Column: "shipping_address"}, {Line: 5, Rows: 1, Column: "subtotal_price"}, {Line: 6, Rows: 1, Column: "id"}, {Line: 7, Rows: 1, Column: "created_at"},
	}, rejected(t, got.Errors))
	check(t, "notes", []string{"orders_only", "orders_deleted"}, got.Codes())
}

// A connector may append every version of an order. The latest version is used, regardless of the order of rows.
func TestTheLatestVersionOfAnOrderCounts(t *testing.T) {
	t.Parallel()
	o := ingesttest.ReaderOptions()
	o.Scattered = true
	got := ingesttest.Read(t, readerOf(t, "shopify_landed"), o, `id,created_at,processed_at,updated_at,total_price,financial_status,line_items
10,2026-09-01,2026-09-01,2026-09-01,1.00,paid,"[{""quantity"":1,""price"":""1.00""}]"
9,2026-09-01,2026-09-01,2026-09-03,2.00,paid,"[{""quantity"":2,""price"":""1.00""}]"
9,2026-09-01,2026-09-01,2026-09-02,3.00,paid,"[{""quantity"":3,""price"":""1.00""}]"
10,2026-09-01,2026-09-01,2026-09-02,4.00,paid,"[{""quantity"":4,""price"":""1.00""}]"
8,2026-09-01,2026-09-01,2026-09-02,5.00,paid,"[{""quantity"":5,""price"":""1.00""}]"
8,2026-09-01,2026-09-01,2026-09-02,6.00,paid,"[{""quantity"":6,""price"":""1.00""}]"
`)
	var charged []int64
	var keys []string
	for _, one := range got.Batch.Orders {
		charged, keys = append(charged, one.Charged), append(keys, one.Key)
	}
	check(t, "keys", []string{"8", "9", "10"}, keys)
	check(t, "charged", []int64{600, 200, 400}, charged)
	if l := got.Batch.Lines; len(l) != 3 || l[0].Quantity != 6 || l[1].Quantity != 2 || l[2].Quantity != 4 {
		t.Errorf("lines %+v", l)
	}
	if len(got.Batch.LandedOrders) > 0 {
		t.Errorf("an order with its lines also waits for lines: %+v", got.Batch.LandedOrders)
	}
	check(t, "notes", []string{"currency_assumed", "orders_versions"}, got.Codes())
	if got.Summary.Totals.Orders != 3 || got.Summary.Totals.Charged["USD"] != 1200 {
		t.Errorf("totals %+v", got.Summary.Totals)
	}
	o = ingesttest.ReaderOptions()
	o.Scattered = true
	bad := ingesttest.Read(t, readerOf(t, "shopify_landed"), o,
		"id,created_at,processed_at,currency,total_price,financial_status\n3,2026-09-01,2026-09-01,EUR,1.00,paid\n3,2026-09-01,2026-09-01,EUR,1.00,paid\n4,2026-09-01,2026-09-01,USD,1.00,paid\n")
	check(t, "rejected", []source.RowError{{Line: 3, Rows: 2}}, rejected(t, bad.Errors))
	if len(bad.Batch.Orders) != 1 {
		t.Errorf("%d orders, want the one in dollars", len(bad.Batch.Orders))
	}
}

const exportHeader = "Name,Id,Email,Financial Status,Currency,Subtotal,Shipping,Taxes,Total,Discount Code,Discount Amount,Refunded Amount,Created at,Cancelled at,Lineitem quantity,Lineitem name,Lineitem price,Lineitem discount,Shipping Country,Shipping Province,Billing Country,Billing Province\n"

func TestRowsOfTheExport(t *testing.T) {
	t.Parallel()
	got := read(t, "shopify_orders", exportHeader+
		`#1,1,a@example.com,Paid,USD,17.00,2.00,1.00,20.00,SAVE,3.00,5.00,2026-09-01 10:00:00 +0000,,2,Tee,5.00,0.50,Nowhere,X,Canada,ON
#1,,a@example.com,,,,,,,,,,,,1,Cap,10.00,,,,,
#1,,a@example.com,,,,,,,,,,,,,,,,,,,
#2,,b@example.com,voided,USD,,,,1.00,,,,2026-09-01 11:00:00 +0000,,,,,,US,NY,,
`)
	if len(got.Errors) > 0 || len(got.Batch.Orders) != 2 {
		t.Fatalf("%d orders, %v", len(got.Batch.Orders), got.Errors)
	}
	first, second := got.Batch.Orders[0], got.Batch.Orders[1]
	// The lines cost USD 20.00. Their own discounts are USD 0.50, and all discounts are USD 3.00, so the subtotal is
	// USD 17.00.
	if first.Charged != 2000 || first.Tax != 100 || first.Shipping != 200 || first.Discounts != 300 || first.Country != "CA" || first.Region != "ON" || first.Status != "paid" || first.Cancelled || first.Units != 3 {
		t.Errorf("first %+v", first)
	}
	if second.Key != "#2" || !second.Cancelled || second.Country != "US" || second.Region != "NY" {
		t.Errorf("second %+v", second)
	}
	if l := got.Batch.Lines; len(l) != 2 || l[0].Net+l[1].Net != 1700 || l[0].Discount+l[1].Discount != 300 || l[0].Net != 829 {
		t.Errorf("lines %+v, want 17.00 in all", l)
	}
	if r := got.Batch.Refunds; len(r) != 1 || r[0].Amount != 500 || !r[0].DateUnknown {
		t.Errorf("refunds %+v", r)
	}
	if c := got.Batch.Coupons; len(c) != 1 || c[0].Code != "SAVE" || c[0].Discount != 300 {
		t.Errorf("coupons %+v", c)
	}
}

func TestRejectedRowsOfTheExport(t *testing.T) {
	t.Parallel()
	row := func(name, currency, subtotal, shipping, taxes, total, discount, refunded, created, quantity, price, lineDiscount string) string {
		return strings.Join([]string{name, "", "", "paid", currency, subtotal, shipping, taxes, total, "", discount, refunded, created, "", quantity, "Tee", price, lineDiscount, "", "", "", ""}, ",") + "\n"
	}
	const day = "2026-09-01 10:00:00 +0000"
	for column, bad := range map[string]string{
		"Name":              row("", "USD", "1", "1", "1", "1", "0", "0", day, "1", "1", "0"),
		"Currency":          row("#1", "?", "1", "1", "1", "1", "0", "0", day, "1", "1", "0"),
		"Created at":        row("#1", "USD", "1", "1", "1", "1", "0", "0", "soon", "1", "1", "0"),
		"Subtotal":          row("#1", "USD", "x", "1", "1", "1", "0", "0", day, "1", "1", "0"),
		"Shipping":          row("#1", "USD", "1", "x", "1", "1", "0", "0", day, "1", "1", "0"),
		"Taxes":             row("#1", "USD", "1", "1", "x", "1", "0", "0", day, "1", "1", "0"),
		"Total":             row("#1", "USD", "1", "1", "1", "x", "0", "0", day, "1", "1", "0"),
		"Discount Amount":   row("#1", "USD", "1", "1", "1", "1", "x", "0", day, "1", "1", "0"),
		"Refunded Amount":   row("#1", "USD", "1", "1", "1", "1", "0", "x", day, "1", "1", "0"),
		"Lineitem quantity": row("#1", "USD", "1", "1", "1", "1", "0", "0", day, "x", "1", "0"),
		"Lineitem price":    row("#1", "USD", "1", "1", "1", "1", "0", "0", day, "1", "x", "0"),
		"Lineitem discount": row("#1", "USD", "1", "1", "1", "1", "0", "0", day, "1", "1", "x"),
	} {
		second := row("#1", "", "", "", "", "", "", "", "", "1", "2", "0")
		if column == "Name" {
			second = row("", "", "", "", "", "", "", "", "", "1", "2", "0")
		}
		got := read(t, "shopify_orders", exportHeader+bad+second+row("#2", "USD", "", "", "", "1", "", "", day, "", "", ""))
		check(t, column, []source.RowError{{Line: 2, Rows: 2, Column: column}}, rejected(t, got.Errors))
		if len(got.Batch.Orders) != 1 || got.Batch.Orders[0].Key != "#2" {
			t.Errorf("%s: orders %+v, want #2 alone", column, got.Batch.Orders)
		}
	}
	// Orders #9 and #8 have line items but no order row. The two rows of #9 are consecutive.
	got := read(t, "shopify_orders", exportHeader+row("#9", "", "", "", "", "", "", "", "", "1", "2", "0")+row("#9", "", "", "", "", "", "", "", "", "1", "2", "0")+
		row("#2", "USD", "", "", "", "1", "", "", day, "", "", "")+row("#8", "", "", "", "", "", "", "", "", "1", "2", "0"))
	check(t, "strays", []source.RowError{{Line: 2, Rows: 2, Column: "Name"}, {Line: 5, Rows: 1, Column: "Name"}}, rejected(t, got.Errors))
}

// The reader compares the offset with the workspace's time zone for the first hundred orders.
func TestTheExportsTimeZoneIsCompared(t *testing.T) {
	t.Parallel()
	row := func(created string) string { return "#1,1,,,USD,,,,1.00,,,," + created + ",,,,,,,,,\n" }
	for created, differs := range map[string]bool{
		"2026-09-01 10:00:00 +0000": false, "2026-09-01 10:00:00 -0400": true, "2026-09-01 10:00:00": false, "2026-09-01 10:00:00 +0200": true, "2026-09-01": false,
	} {
		if got := read(t, "shopify_orders", exportHeader+row(created)); slices.Contains(got.Codes(), "zone_differs") != differs {
			t.Errorf("%s: notes %q", created, got.Codes())
		}
	}
	for n, differs := range map[int]bool{99: true, 100: false} {
		table := exportHeader
		for i := range n {
			table += strings.Replace(row("2026-09-01 10:00:00 +0000"), "#1,1,", "#"+string(rune('1'+i/10))+string(rune('0'+i%10))+","+string(rune('1'+i/10))+string(rune('0'+i%10))+",", 1)
		}
		table += strings.Replace(row("2026-09-01 10:00:00 -0400"), "#1,1,", "#999,999,", 1)
		if got := read(t, "shopify_orders", table); slices.Contains(got.Codes(), "zone_differs") != differs {
			t.Errorf("after %d orders: notes %q, errors %v", n, got.Codes(), got.Errors)
		}
	}
}
