package ingest_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"assay/internal/ingest"
	"assay/internal/ingest/source"
	"assay/internal/money"
)

// sold is an order of a shop, with amounts in cents. Its discount code discounts all lines in proportion to their
// prices.
type sold struct {
	id       int
	code     string
	codeTook int64
	lines    []soldLine
}

type soldLine struct {
	id              int
	sku, title      string
	quantity, price int64
	own, shared     int64 // discount of only this line, and the line's share of the code's discount
}

func (o sold) sums() (goods, own int64) {
	for _, l := range o.lines {
		goods += l.quantity * l.price
		own += l.own
	}
	return goods, own
}

func cents(n int64) string { return fmt.Sprintf("%d.%02d", n/100, n%100) }

// aShop returns a shop's orders: with and without codes, free orders, several lines with the same product, and prices
// that do not split evenly.
func aShop() []sold {
	rng := rand.New(rand.NewPCG(4, 1))
	var orders []sold
	for i := range 12 {
		o := sold{id: 5001 + i}
		for j := range 1 + rng.IntN(4) {
			l := soldLine{id: 9000 + 10*i + j, sku: fmt.Sprint("S", rng.IntN(4)), quantity: 1 + rng.Int64N(3), price: 33 + rng.Int64N(5000)}
			l.title = "Product " + l.sku
			l.own = []int64{0, 0, 10}[rng.IntN(3)]
			o.lines = append(o.lines, l)
		}
		goods, own := o.sums()
		switch i % 4 {
		case 1:
			o.code, o.codeTook = "SAVE", (goods-own)/10
		case 2:
			o.code, o.codeTook = "FREE", goods-own
		case 3:
			o.code = "NOTHING"
		}
		var reached, taken int64
		for j := range o.lines {
			l := &o.lines[j]
			reached += l.quantity*l.price - l.own
			upTo := o.codeTook * reached / (goods - own)
			l.shared, taken = upTo-taken, upTo
		}
		orders = append(orders, o)
	}
	return orders
}

// table returns a CSV file. It quotes cells with JSON.
func table(name string, header string, rows [][]string) ingest.File {
	var out strings.Builder
	out.WriteString(header + "\n")
	for _, row := range rows {
		for i, cell := range row {
			if strings.ContainsAny(cell, "\",\n") {
				row[i] = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
			}
		}
		out.WriteString(strings.Join(row, ",") + "\n")
	}
	return text(name, out.String())
}

// orderColumns lists the columns of all tables of orders.
const orderColumns = "id,name,created_at,updated_at,processed_at,currency,total_price,subtotal_price,total_tax,total_discounts,financial_status,email,source_name"

func (o sold) orderCells() []string {
	goods, own := o.sums()
	net := cents(goods - own - o.codeTook)
	return []string{
		fmt.Sprint(o.id), fmt.Sprint("#", o.id), "2026-09-01 10:00:00.000", "2026-09-02 10:00:00.000", "2026-09-01 10:00:00.000", "USD", net, net, "0.00",
		cents(own + o.codeTook), "paid", fmt.Sprintf("c%d@example.com", o.id%5), "web",
	}
}

// export returns the orders of a shop as the export files of the shop's admin.
func export(shop []sold) []ingest.File {
	var rows [][]string
	for _, o := range shop {
		goods, own := o.sums()
		for i, l := range o.lines {
			row := make([]string, 15)
			row[0], row[1] = fmt.Sprint("#", o.id), fmt.Sprintf("c%d@example.com", o.id%5)
			if i == 0 {
				net := cents(goods - own - o.codeTook)
				copy(row[2:], []string{"paid", "2026-09-01 10:00:00 +0000", "USD", net, "0.00", "0.00", net, o.code, cents(o.codeTook), fmt.Sprint(o.id)})
			}
			rows = append(rows, append(row[:12], fmt.Sprint(l.quantity), l.title, cents(l.price), l.sku, cents(l.own)))
		}
	}
	return []ingest.File{table("export.csv", "Name,Email,Financial Status,Created at,Currency,Subtotal,Shipping,Taxes,Total,Discount Code,Discount Amount,Id,"+
		"Lineitem quantity,Lineitem name,Lineitem price,Lineitem sku,Lineitem discount", rows)}
}

// airbyte returns one table with nested members as JSON and every version of an order.
func airbyte(shop []sold) []ingest.File {
	var rows [][]string
	for _, o := range shop {
		var items, codes []map[string]any
		for _, l := range o.lines {
			items = append(items, map[string]any{
				"id": l.id, "sku": l.sku, "title": l.title, "quantity": l.quantity, "price": cents(l.price), "total_discount": cents(l.own),
				"discount_allocations": []map[string]any{{"amount": cents(l.own)}, {"amount": cents(l.shared)}},
			})
		}
		if o.code != "" {
			codes = append(codes, map[string]any{"code": strings.ToLower(o.code), "amount": cents(o.codeTook), "type": "percentage"})
		}
		lines, _ := json.Marshal(items)
		used, _ := json.Marshal(codes)
		row := append(o.orderCells(), string(lines), string(used), "[]", "2026-09-03T00:00:00Z")
		rows = append(rows, row)
		older := slices.Clone(row)
		older[3], older[6], older[13], older[16] = "2026-09-01 10:00:00.000", "1.00", `[{"id":1,"sku":"OLD","quantity":9,"price":"1.00"}]`, "2026-09-01T12:00:00Z"
		rows = append(rows, older)
	}
	return []ingest.File{table("orders.csv", orderColumns+",line_items,discount_codes,refunds,_airbyte_extracted_at", rows)}
}

// fivetran returns separate tables of orders, lines, discounts and codes. Their rows refer to orders and lines by ID.
// Some rows are written twice.
func fivetran(shop []sold) []ingest.File {
	var orders, lines, parts, codes [][]string
	for _, o := range shop {
		orders = append(orders, append(o.orderCells(), "2026-09-03 00:00:00.000"))
		for i, l := range o.lines {
			row := []string{
				fmt.Sprint(o.id), fmt.Sprint(l.id), fmt.Sprint(i + 1), l.sku, l.title, fmt.Sprint(l.quantity), cents(l.price), cents(l.own), "FALSE", "2026-09-03 00:00:00.000",
			}
			older := slices.Clone(row)
			older[5], older[9] = "77", "2026-09-02 00:00:00.000"
			lines = append(lines, row, older)
			parts = append(parts, []string{fmt.Sprint(l.id), "0", cents(l.own), "0", "2026-09-03 00:00:00.000"},
				[]string{fmt.Sprint(l.id), "1", cents(l.shared), "1", "2026-09-03 00:00:00.000"})
		}
		lines = append(lines, []string{fmt.Sprint(o.id), fmt.Sprint(o.id * 10), "9", "GONE", "Gone", "1", "5.00", "0.00", "TRUE", "2026-09-03 00:00:00.000"})
		if o.code != "" {
			codes = append(codes, []string{fmt.Sprint(o.id), "1", strings.ToLower(o.code), cents(o.codeTook), "percentage", "2026-09-03 00:00:00.000"})
		}
	}
	return []ingest.File{
		table("order.csv", orderColumns+",_fivetran_synced", orders),
		table("order_line.csv", "order_id,id,index,sku,title,quantity,price,total_discount,_fivetran_deleted,_fivetran_synced,gift_card",
			withCell(lines, "FALSE")),
		table("discount_allocation.csv", "order_line_id,index,amount,discount_application_index,_fivetran_synced", parts),
		table("order_discount_code.csv", "order_id,index,code,amount,type,_fivetran_synced", codes),
	}
}

func withCell(rows [][]string, cell string) [][]string {
	for i := range rows {
		rows[i] = append(rows[i], cell)
	}
	return rows
}

// dlt returns separate tables of orders, lines, discounts and codes, as dlt stores them. Rows refer to orders and lines
// by dlt's own IDs.
func dlt(shop []sold) []ingest.File {
	var orders, lines, parts, codes [][]string
	for _, o := range shop {
		parent := fmt.Sprint("ord", o.id)
		orders = append(orders, append(o.orderCells(), "1788393600.5", parent))
		for i, l := range o.lines {
			row := fmt.Sprint("line", l.id)
			lines = append(lines, []string{fmt.Sprint(l.id), l.sku, l.title, fmt.Sprint(l.quantity), cents(l.price), cents(l.own), "true", parent, fmt.Sprint(i), row})
			parts = append(parts, []string{cents(l.own), "0", row, "0", row + "a"}, []string{cents(l.shared), "1", row, "1", row + "b"})
		}
		// The previous version of the order had another line. Its order row was deleted.
		lines = append(lines, []string{"1", "OLD", "Old", "3", "1.00", "0.00", "true", parent + "before", "0", parent + "x"})
		if o.code != "" {
			codes = append(codes, []string{o.code, cents(o.codeTook), "percentage", parent, "0", parent + "c"})
		}
	}
	return []ingest.File{
		table("orders.csv", orderColumns+",_dlt_load_id,_dlt_id", orders),
		table("orders__line_items.csv", "id,sku,title,quantity,price,total_discount,requires_shipping,_dlt_parent_id,_dlt_list_idx,_dlt_id", lines),
		table("orders__line_items__discount_allocations.csv", "amount,discount_application_index,_dlt_parent_id,_dlt_list_idx,_dlt_id", parts),
		table("orders__discount_codes.csv", "code,amount,type,_dlt_parent_id,_dlt_list_idx,_dlt_id", codes),
	}
}

// The test imports the same shop from each source, in several orders, and some files twice. Order lines and coupons
// must be the same.
func TestAShopIsTheSameFromEverySource(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("imports a shop from every source, in several orders")
	}
	shop := aShop()
	shuffled := func(files []ingest.File, seed uint64) []ingest.File {
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
		return files
	}
	through := func(files []ingest.File, atOnce int) map[string][]string {
		store := newBench(t, "USD", "UTC")
		var some errgroup.Group
		some.SetLimit(atOnce)
		for _, f := range files {
			some.Go(func() error {
				report, err := ingest.Run(t.Context(), store, store.options(f))
				if err != nil {
					t.Errorf("%s: %v\n%s", f.Name, err, report.Text())
				}
				return nil
			})
		}
		_ = some.Wait()
		rows := rowsOf(t, store)
		for table := range rows {
			switch table {
			case "orders", "order_lines", "order_coupons", "totals of days":
			default:
				delete(rows, table)
			}
		}
		return rows
	}
	want := through(airbyte(shop), 1)
	if len(want["order_lines"]) < 20 || len(want["order_coupons"]) != 9 || len(want["orders"]) != 12 {
		t.Fatalf("%d lines, %d coupons, %d orders", len(want["order_lines"]), len(want["order_coupons"]), len(want["orders"]))
	}
	for name, door := range map[string]struct {
		files  []ingest.File
		atOnce int
	}{
		"Fivetran's tables backwards, then again": {
			files: slices.Concat(reversed(fivetran(shop)), fivetran(shop)[:2]), atOnce: 1,
		},
		"Fivetran's tables without discounts of lines": {slices.Delete(fivetran(shop), 2, 3), 1},
		"dlt's tables shuffled":                        {shuffled(dlt(shop), 2), 4},
		"Fivetran's and Airbyte's together":            {shuffled(slices.Concat(fivetran(shop), airbyte(shop)), 3), 4},
	} {
		if diff := cmp.Diff(want, through(door.files, door.atOnce)); diff != "" {
			t.Errorf("%s (-Airbyte's +these):\n%s", name, diff)
		}
	}
	exported := through(export(shop), 1)
	for _, part := range []string{"order_lines", "order_coupons"} {
		if diff := cmp.Diff(want[part], exported[part]); diff != "" {
			t.Errorf("%s of the export (-Airbyte's +export's):\n%s", part, diff)
		}
	}
	both := through(slices.Concat(fivetran(shop), export(shop)), 1)
	if diff := cmp.Diff(want["order_lines"], both["order_lines"]); diff != "" {
		t.Errorf("lines of Fivetran's tables and the export together:\n%s", diff)
	}
}

// Names of orders and tags may begin with brackets. They are text, not JSON.
func TestTextsOfLandedOrdersMayBeginLikeJSON(t *testing.T) {
	t.Parallel()
	store := newBench(t, "USD", "UTC")
	store.run(t, store.options(text("orders.csv", "id,name,created_at,processed_at,currency,total_price,financial_status,tags\n"+
		"7001,[EU]1001,2026-09-01T10:00:00Z,2026-09-01T10:00:00Z,USD,90.00,paid,[VIP] gift\n"+
		"7002,[1002],2026-09-02T10:00:00Z,2026-09-02T10:00:00Z,USD,10.00,paid,\"[\"\"wholesale\"\"]\"\n")))
	rows := rowsOf(t, store)["orders"]
	if len(rows) != 2 || !strings.Contains(rows[0], "[EU]1001") || !strings.Contains(rows[1], "[1002]") {
		t.Errorf("orders %q", rows)
	}
}

func reversed(files []ingest.File) []ingest.File {
	slices.Reverse(files)
	return files
}

// Lines wait for their order, and the report states this.
func TestLinesWaitForTheirOrder(t *testing.T) {
	t.Parallel()
	store := newBench(t, "USD", "UTC")
	files := fivetran(aShop())
	report := store.run(t, store.options(files[1]))
	if !slices.ContainsFunc(report.Files[0].Warnings, func(n source.Note) bool { return n.Code == "orders_awaited" }) {
		t.Errorf("the report does not mention missing orders:\n%s", report.Text())
	}
	if n := len(rowsOf(t, store)["order_lines"]); n != 0 {
		t.Errorf("%d lines without an order", n)
	}
	store.run(t, store.options(files[0]))
	if n := len(rowsOf(t, store)["order_lines"]); n < 20 {
		t.Errorf("%d lines with their orders", n)
	}
}

// Lines of an order in another currency are converted like the order.
func TestLinesInAnotherCurrency(t *testing.T) {
	t.Parallel()
	store := newBench(t, "GBP", "UTC")
	for _, f := range fivetran(aShop()[:1]) {
		o := store.options(f)
		o.Rates, o.Currency = anyDay{}, money.Currency("USD")
		store.run(t, o)
	}
	rows := rowsOf(t, store)
	if len(rows["order_lines"]) == 0 {
		t.Fatal("no lines")
	}
	got := store.sums(t, "2026-09-01", "2026-09-01")
	var net int64
	for _, row := range rows["order_lines"] {
		var n int64
		cells := strings.Split(row, ",")
		if _, err := fmt.Sscan(cells[6], &n); err != nil {
			t.Fatal(err)
		}
		net += n
	}
	if off := net - got.Charged; off < -2 || off > 2 { // a line is rounded to the penny
		t.Errorf("the lines come to %d pence and the order to %d", net, got.Charged)
	}
}
