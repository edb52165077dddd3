package duckdb

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// storedOrders reads a workspace's orders as text, by key.
func storedOrders(t *testing.T, e *Engine) []string {
	t.Helper()
	var found []string
	text := `SELECT source || ' ' || key || ' ' || name || ' ' || customer || ' ' || channel || ' ' || original || original_currency || ' ' || status || ' '
    || country || '-' || region || ' ' || cancelled || ' ' || test || ' ' || units || ' ' || coalesce(CAST(updated_at AS VARCHAR), 'undated')
FROM ` + (Dialect{}).Table("shop", "orders") + " ORDER BY source, key"
	err := e.Select(t.Context(), "shop", warehouse.Statement{Name: "stored", Text: text}, func(row warehouse.Row) error {
		var line string
		err := row.Scan(&line)
		found = append(found, line)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// variousOrders returns orders with various values in every text field. The texts are short and long.
func variousOrders(n int) warehouse.Batch {
	var b warehouse.Batch
	for i := range n {
		day := month.First.AddDays(i % 28)
		o := warehouse.Order{
			OrderRef: warehouse.OrderRef{Source: "test", Key: fmt.Sprintf("%06d", i)}, At: day.UTC().Add(time.Duration(i) * time.Millisecond), Day: day,
			Name: "#" + strings.Repeat("9", i%20), Customer: strings.Repeat("c", i%30), Surface: "online_store", Charged: int64(i),
			Original: money.Amount{Minor: int64(i), Currency: []money.Currency{"USD", "EUR"}[i%2]}, Status: []string{"paid", "pending", ""}[i%3],
			Country: []string{"US", "DE"}[i%2], Region: []string{"CA", "a region\xff of 23 letters", ""}[i%3],
			Cancelled: i%7 == 0, Test: i%11 == 0, Units: int64(i % 5),
		}
		if i%2 == 0 {
			o.Name = o.Key
		}
		if i%3 == 0 {
			o.UpdatedAt = o.At
		}
		b.Orders = append(b.Orders, o)
	}
	return b
}

func TestOrdersAreStoredUnchanged(t *testing.T) {
	t.Parallel()
	const n = 500
	b := variousOrders(n)
	want := make([]string, n)
	for i := range b.Orders {
		o := &b.Orders[i]
		updated := "undated"
		if !o.UpdatedAt.IsZero() {
			updated = strings.TrimSuffix(o.UpdatedAt.Format("2006-01-02 15:04:05.999999"), ".")
		}
		want[i] = fmt.Sprintf("%s %s %s %s %s %d%s %s %s-%s %t %t %d %s", o.Source, o.Key, o.Name, o.Customer, o.Channel, o.Original.Minor,
			o.Original.Currency, o.Status, o.Country, strings.ToValidUTF8(o.Region, "\uFFFD"), o.Cancelled, o.Test, o.Units, updated)
	}
	again := variousOrders(n)
	parts := map[string][]warehouse.Batch{
		"at once":            {b},
		"in two imports":     {{Orders: b.Orders[:n/2]}, {Orders: b.Orders[n/3:]}},
		"the same twice":     {b, again},
		"the latest first":   {{Orders: reversed(b.Orders)}},
		"in no order":        {{Orders: append(append([]warehouse.Order(nil), b.Orders[n/2:]...), b.Orders[:n/2]...)}},
		"an order come back": {{Orders: append(append([]warehouse.Order(nil), b.Orders...), b.Orders[3])}},
	}
	for name, imports := range parts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := open(t, Options{Threads: 2})
			for _, batch := range imports {
				mustImport(t, warehouse.New(e), "shop", batch)
			}
			if diff := cmp.Diff(want, storedOrders(t, e)); diff != "" {
				t.Errorf("stored orders differ (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCachedPlansSeeLaterImports asks the same question before and after an import. The import contains values that
// contradict the statistics of the earlier plans: more kinds, canceled orders, and days outside the previous range.
func TestCachedPlansSeeLaterImports(t *testing.T) {
	t.Parallel()
	e := open(t, Options{Threads: 2})
	questions := []string{
		"SELECT count(*) FROM (SELECT kind, count(*) FROM {{order_rows}} GROUP BY kind)",
		"SELECT count(*) FROM {{orders}} WHERE cancelled",
		"SELECT count(*) FROM {{orders}} WHERE day > DATE '2026-02-01'",
		"SELECT count(*) FROM {{orders}} WHERE updated_at IS NOT NULL",
	}
	// Nested questions use several connections.
	var ask func(depth int) (answers []int64)
	ask = func(depth int) (answers []int64) {
		for _, q := range questions {
			err := e.Select(t.Context(), "shop", warehouse.Statement{Name: "q", Text: warehouse.Render(Dialect{}, "shop", q)}, func(row warehouse.Row) error {
				var n int64
				err := row.Scan(&n)
				answers = append(answers, n)
				if depth > 0 {
					ask(depth - 1)
				}
				return err
			})
			if err != nil {
				t.Fatalf("%s: %v", q, err)
			}
		}
		return answers
	}
	plain := warehouse.Order{OrderRef: warehouse.OrderRef{Source: "test", Key: "first"}, At: month.First.UTC(), Day: month.First, Charged: 1}
	mustImport(t, warehouse.New(e), "shop", warehouse.Batch{Orders: []warehouse.Order{plain}})
	if diff := cmp.Diff([]int64{1, 0, 0, 0}, ask(3)); diff != "" {
		t.Fatalf("before (-want +got):\n%s", diff)
	}
	const n = 400
	b := warehouse.Batch{}
	for i := range n {
		day := civil.New(2026, time.March, 1)
		b.Orders = append(b.Orders, warehouse.Order{
			OrderRef: warehouse.OrderRef{Source: "test", Key: strconv.Itoa(i)}, At: day.UTC(), Day: day, UpdatedAt: day.UTC(),
			Charged: 1, Cancelled: true, Status: "s" + strconv.Itoa(i),
		})
	}
	mustImport(t, warehouse.New(e), "shop", b)
	if diff := cmp.Diff([]int64{n + 1, n, n, n}, ask(0)); diff != "" {
		t.Errorf("after (-want +got):\n%s", diff)
	}
}

func reversed(orders []warehouse.Order) []warehouse.Order {
	turned := make([]warehouse.Order, 0, len(orders))
	for _, o := range slices.Backward(orders) {
		turned = append(turned, o)
	}
	return turned
}

// beforeFirstOrders reverts a store to the schema before 0006_first_orders.sql.
const beforeFirstOrders = `
CREATE TABLE {{customers_old}} AS
SELECT c.customer, c.first_at, c.day, k.source, c.key FROM {{customers}} c JOIN {{order_kinds}} k ON k.kind = c.kind;
DROP TABLE {{customers}};
ALTER TABLE {{customers_old}} RENAME TO customers;
DROP TABLE {{rebuild_days}};`

// A store of an earlier release has complete orders in one table and longer customer keys. After the migration it has
// the same orders and accepts imports.
func TestEarlierStoreSplitsItsOrders(t *testing.T) {
	t.Parallel()
	e := open(t, Options{Threads: 2})
	b := variousOrders(60)
	b.Orders[1].Customer = "-_AAESIzRFVm" // the first 72 bits of the hex below
	mustImport(t, warehouse.New(e), "shop", b)
	want := storedOrders(t, e)
	w, release, err := e.acquire(t.Context(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	before := beforeFirstOrders + `
CREATE TABLE {{orders_before}} AS SELECT * FROM {{orders}};
DROP VIEW {{orders}}; DROP TABLE {{order_rows}}; DROP TABLE {{order_kinds}}; DROP TABLE {{order_places}};
ALTER TABLE {{orders_before}} RENAME TO orders;
UPDATE {{orders}} SET customer = 'fbf000112233445566778899aabbccdd' WHERE customer = '-_AAESIzRFVm';
UPDATE {{customers}} SET customer = 'fbf000112233445566778899aabbccdd' WHERE customer = '-_AAESIzRFVm'`
	if _, err := w.instance.db.ExecContext(t.Context(), w.text(before)); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"migrations/0003_order_rows.sql", "migrations/0006_first_orders.sql"} {
		if err := apply(t.Context(), w.instance.db, w, 6, file); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, storedOrders(t, e)); diff != "" {
		t.Errorf("orders differ after the migration (-before +after):\n%s", diff)
	}
	mustImport(t, warehouse.New(e), "shop", b)
	if diff := cmp.Diff(want, storedOrders(t, e)); diff != "" {
		t.Errorf("orders differ after the same import (-before +after):\n%s", diff)
	}
}

// A store of an earlier release stores the names of journeys again for each day, and has no daily totals of survey
// answers.
func TestEarlierStoreNumbersItsJourneys(t *testing.T) {
	t.Parallel()
	e := open(t, Options{Threads: 2})
	w := warehouse.New(e)
	b := someOrders("a", 40)
	for i, o := range b.Orders {
		for n := range 1 + i%3 {
			channel := []measure.Channel{"meta", "google", "email"}[(i/3+n)%3]
			b.Touches = append(b.Touches, warehouse.Touch{OrderRef: o.OrderRef, Seq: n, At: o.At, Channel: channel})
		}
		b.Surveys = append(b.Surveys, warehouse.SurveyResponse{
			OrderRef: o.OrderRef, Source: "survey", Key: o.Key, At: o.At, Day: o.Day, Question: "how", Answer: []string{"a friend", "an ad"}[i%2],
		})
	}
	mustImport(t, w, "shop", b)
	type totals struct {
		Paths   warehouse.Pair[[]warehouse.PathTotal]
		Top     warehouse.PathRanking
		Answers warehouse.AnswerSummary
	}
	ask := func() (all totals) {
		t.Helper()
		in := warehouse.Windows{Recent: month}
		var errs [3]error
		all.Paths, errs[0] = w.Paths(t.Context(), "shop", "", in)
		all.Top, errs[1] = w.TopPaths(t.Context(), "shop", warehouse.PathsOf{Windows: in, Limit: 4})
		all.Answers, errs[2] = w.Answers(t.Context(), "shop", warehouse.AnswersOf{Windows: in})
		if err := errors.Join(errs[:]...); err != nil {
			t.Fatal(err)
		}
		return all
	}
	want := ask()
	if len(want.Top.Paths) != 4 || len(want.Answers.Counts) != 2 {
		t.Fatalf("the store has %d journeys on a page of 4 and %d answers, want 4 and 2", len(want.Top.Paths), len(want.Answers.Counts))
	}
	ws, release, err := e.acquire(t.Context(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	const before = `
CREATE TABLE {{path_days_before}} AS
SELECT d.day, n.name AS path, d.* EXCLUDE (day, path) FROM {{path_days}} d JOIN {{path_names}} n ON n.path = d.path;
DROP TABLE {{path_days}}; DROP TABLE {{path_names}}; DROP TABLE {{answer_days}};
ALTER TABLE {{path_days_before}} RENAME TO path_days;`
	if _, err := ws.instance.db.ExecContext(t.Context(), ws.text(before)); err != nil {
		t.Fatal(err)
	}
	if err := apply(t.Context(), ws.instance.db, ws, 16, "migrations/0016_paths.sql"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, ask()); diff != "" {
		t.Errorf("answers differ after the migration (-before +after):\n%s", diff)
	}
	mustImport(t, w, "shop", b)
	if diff := cmp.Diff(want, ask()); diff != "" {
		t.Errorf("answers differ after the same import (-before +after):\n%s", diff)
	}
}
