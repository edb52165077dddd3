package alert

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/control/sqlstore"
	"assay/internal/snapshot"
	"assay/internal/toolkit/toolkittest"
	"assay/internal/warehouse"
	"assay/internal/warehouse/storetest"
)

// quiet is a shop in New York with rules for its orders. Its only order, of USD 100, is from noon of March 4.
type quiet struct {
	watched
	facts *warehouse.Warehouse
	now   time.Time
}

// at sets the clock to a time in New York.
func (q *quiet) at(t *testing.T, text string) {
	t.Helper()
	now, err := time.ParseInLocation("2006-01-02 15:04", text, q.workspace.Location())
	if err != nil {
		t.Fatal(err)
	}
	q.now = now.UTC()
}

func (q *quiet) clock() time.Time { return q.now }

// quietShop imports the order as the named file of a feed, or as an uploaded file if feed is false.
func quietShop(t *testing.T, file string, feed bool, rules ...control.Alert) *quiet {
	t.Helper()
	q := &quiet{}
	q.workspace = control.NewWorkspace("Shop")
	q.workspace.Currency, q.workspace.Zone = "USD", storetest.Zone
	q.at(t, "2026-03-04 12:05")
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Path: filepath.Join(t.TempDir(), "control.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	by := control.By{Actor: "test", At: q.now}
	if q.workspace, err = store.CreateWorkspace(t.Context(), q.workspace, by); err != nil {
		t.Fatal(err)
	}
	for _, a := range rules {
		a.Workspace = q.workspace.ID
		if _, err := store.CreateAlert(t.Context(), a, by); err != nil {
			t.Fatal(err)
		}
	}
	q.facts = storetest.OpenAt(t, q.clock)
	reader, err := snapshot.NewReader(snapshot.Sources{Facts: q.facts, Models: toolkittest.Nothing{}, Clock: q.clock, Now: q.clock})
	if err != nil {
		t.Fatal(err)
	}
	q.Store, q.Reader = store, reader
	q.load(t, file, feed, sale("1", "2026-03-04"))
	return q
}

// sale returns an order of USD 100.
func sale(key, day string) warehouse.Order {
	o := storetest.Shop().Orders[0]
	o.OrderRef, o.Name = warehouse.OrderRef{Source: "shopify", Key: key}, key
	o.Day = civil.MustParse(day)
	o.At = o.Day.UTC().Add(17 * time.Hour)
	return o
}

func (q *quiet) load(t *testing.T, file string, feed bool, orders ...warehouse.Order) {
	t.Helper()
	i, err := q.facts.Begin(t.Context(), warehouse.ImportSpec{
		Workspace: q.workspace.ID, Source: "shopify_orders", File: file, Base: "USD", Zone: q.workspace.Location(), Feed: feed,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer i.Abort()
	if err := i.Add(t.Context(), &warehouse.Batch{Orders: orders}); err != nil {
		t.Fatal(err)
	}
	if _, err := i.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// raised evaluates the rules and returns the texts of all events, newest day first.
func (q *quiet) raised(t *testing.T) []string {
	t.Helper()
	if _, err := Evaluate(t.Context(), q.Store, q.Reader, q.workspace, q.now); err != nil {
		t.Fatal(err)
	}
	events, err := q.Store.AlertEvents(t.Context(), q.workspace.ID, civil.MustParse("2026-01-01"))
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, e := range events {
		texts = append(texts, Describe(e, q.workspace))
	}
	return texts
}

func (q *quiet) want(t *testing.T, at string, want ...string) {
	t.Helper()
	q.at(t, at)
	if diff := cmp.Diff(want, q.raised(t)); diff != "" {
		t.Errorf("at %s (-want +got):\n%s", at, diff)
	}
}

var fewOrders = control.Alert{ID: "few", Name: "Few", Metric: control.AlertOrders, Condition: control.Below, Threshold: 1 * whole}

const (
	noOrders = "Few: orders was 0 on 2026-03-05, below the threshold of 1."
	since    = " No orders have been received since 2026-03-04. If the shop has newer orders, check its webhooks or its Singer tap."
)

// The checkout is broken on March 5. Without another webhook, the day is assumed to be complete at 6 o'clock.
func TestADayWithoutOrdersAndWebhooksIsEvaluatedAfterSomeHours(t *testing.T) {
	t.Parallel()
	q := quietShop(t, warehouse.WebhooksFile, true, fewOrders)
	q.want(t, "2026-03-06 00:05")
	q.want(t, "2026-03-06 05:55")
	states, err := States(t.Context(), q.Store, q.Reader, q.workspace)
	if err != nil || len(states) != 1 || !strings.Contains(states[0].Why, "no orders were imported after the end of 2026-03-05") {
		t.Errorf("states %+v, %v", states, err)
	}
	q.want(t, "2026-03-06 06:00", noOrders+since)
	q.at(t, "2026-03-06 06:30")
	q.load(t, warehouse.WebhooksFile, true, sale("1", "2026-03-04")) // the webhook changes no row
	q.want(t, "2026-03-06 06:31", noOrders)
	q.load(t, warehouse.WebhooksFile, true, sale("2", "2026-03-05"))
	q.want(t, "2026-03-06 06:33", "Few: orders was 1 on 2026-03-05, below the threshold of 1.")
}

// A webhook on March 10 shows that March 5 had no orders. The day is older than the days that the rules evaluate.
func TestALaterWebhookConfirmsAnAssumedDay(t *testing.T) {
	t.Parallel()
	q := quietShop(t, warehouse.WebhooksFile, true, fewOrders)
	q.want(t, "2026-03-06 06:00", noOrders+since)
	q.at(t, "2026-03-10 09:00")
	q.load(t, warehouse.WebhooksFile, true, sale("1", "2026-03-04"))
	on := func(day string) string { return strings.Replace(noOrders, "2026-03-05", day, 1) }
	q.want(t, "2026-03-10 09:01", on("2026-03-09"), on("2026-03-08"), on("2026-03-07"), noOrders)
}

func TestADayWithFewOrdersIsEvaluatedAfterSomeHours(t *testing.T) {
	t.Parallel()
	low := control.Alert{ID: "low", Name: "Low", Metric: control.AlertRevenue, Condition: control.Below, Threshold: 150 * whole}
	q := quietShop(t, warehouse.WebhooksFile, true, low)
	q.want(t, "2026-03-05 05:59")
	q.want(t, "2026-03-05 06:00", "Low: revenue was USD 100.00 on 2026-03-04, below the threshold of USD 150.00."+since)
}

func TestAWebhookWithoutNewOrdersCompletesADay(t *testing.T) {
	t.Parallel()
	q := quietShop(t, warehouse.WebhooksFile, true, fewOrders)
	q.at(t, "2026-03-05 23:50")
	q.load(t, warehouse.WebhooksFile, true, sale("1", "2026-03-04"))
	q.want(t, "2026-03-06 00:05")
	q.load(t, warehouse.WebhooksFile, true, sale("1", "2026-03-04"))
	q.want(t, "2026-03-06 00:10", noOrders)
}

func TestTheEndOfATapsRunCompletesADay(t *testing.T) {
	t.Parallel()
	q := quietShop(t, "singer: orders", true, fewOrders)
	q.want(t, "2026-03-06 02:00")
	q.load(t, "singer: orders", true, sale("1", "2026-03-04")) // later steps of the run may contain orders of the day
	q.want(t, "2026-03-06 12:00")
	q.load(t, warehouse.TapRunFile, true)
	q.want(t, "2026-03-06 12:05", noOrders+since)
}

// A file may be older than its upload, and a shop without orders or webhooks for a week may be closed.
func TestADayIsNotAssumedToBeCompleteWithoutAFeed(t *testing.T) {
	t.Parallel()
	q := quietShop(t, "orders.csv", false, fewOrders)
	q.at(t, "2026-03-06 07:00")
	q.load(t, "orders (1).csv", false, sale("1", "2026-03-04"))
	q.want(t, "2026-03-06 23:00")

	q = quietShop(t, warehouse.WebhooksFile, true, fewOrders)
	q.want(t, "2026-03-15 06:00") // the first evaluated day is March 12
}

func TestAMetricWithoutOrdersIsUnknown(t *testing.T) {
	t.Parallel()
	q := quietShop(t, warehouse.WebhooksFile, true, control.Alert{ID: "aov", Name: "AOV", Metric: control.AlertAOV, Condition: control.Below, Threshold: whole})
	q.want(t, "2026-03-06 07:00")
}
