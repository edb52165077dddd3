package alert

import (
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"assay/internal/control"
	"assay/internal/control/sqlstore"
	"assay/internal/snapshot"
	"assay/internal/toolkit/toolkittest"
	"assay/internal/warehouse/storetest"
)

// watched is the shop of package storetest with alert rules. Each day has revenue of USD 150 and two orders. Spend is
// known up to two days before today.
type watched struct {
	*sqlstore.Store
	*snapshot.Reader
	workspace control.Workspace
}

func watch(t *testing.T, rules ...control.Alert) watched {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Path: filepath.Join(t.TempDir(), "control.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	by := control.By{Actor: "test", At: storetest.Now.Add(-48 * time.Hour)}
	w := control.NewWorkspace("Shop")
	w.Currency, w.Zone = "USD", storetest.Zone
	if w, err = store.CreateWorkspace(t.Context(), w, by); err != nil {
		t.Fatal(err)
	}
	facts := storetest.Open(t)
	storetest.Load(t, facts, w.ID, "shop.csv", storetest.Shop())
	reader, err := snapshot.NewReader(snapshot.Sources{Facts: facts, Models: toolkittest.Nothing{}, Clock: storetest.Clock, Now: storetest.Clock})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range rules {
		a.Workspace = w.ID
		if _, err := store.CreateAlert(t.Context(), a, by); err != nil {
			t.Fatal(err)
		}
	}
	return watched{store, reader, w}
}

const whole = 1_000_000 // of an alert's value

func TestRulesRaiseOneEventPerDay(t *testing.T) {
	t.Parallel()
	w := watch(
		t,
		control.Alert{ID: "high", Name: "High", Metric: control.AlertRevenue, Condition: control.Above, Threshold: 149 * whole},
		control.Alert{ID: "higher", Name: "Higher", Metric: control.AlertRevenue, Condition: control.Above, Threshold: 150 * whole},
		control.Alert{ID: "same", Name: "Same", Metric: control.AlertOrders, Condition: control.ChangeAbove, Threshold: 1},
	)
	var fresh atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			n, err := Evaluate(t.Context(), w.Store, w.Reader, w.workspace, storetest.Now)
			if err != nil {
				t.Error(err)
			}
			fresh.Add(int64(n))
		})
	}
	all.Wait()
	events, err := w.Store.AlertEvents(t.Context(), w.workspace.ID, storetest.First)
	if err != nil || int(fresh.Load()) != len(events) || len(events) == 0 {
		t.Fatalf("%d new events of %d: %v", fresh.Load(), len(events), err)
	}
	days := map[string]bool{}
	for _, e := range events {
		if e.Alert.ID != "high" || e.Value != 150*whole || !e.Day.Before(storetest.Today) || days[e.Day.String()] {
			t.Errorf("event %+v", e)
		}
		days[e.Day.String()] = true
	}
	if !days[storetest.Today.AddDays(-1).String()] {
		t.Errorf("the last whole day has no event: %v", days)
	}
}

func TestADayWithoutCompleteSpendIsNotJudged(t *testing.T) {
	t.Parallel()
	w := watch(t, control.Alert{ID: "spend", Name: "Spend", Metric: control.AlertSpend, Condition: control.Above, Threshold: whole})
	states, err := States(t.Context(), w.Store, w.Reader, w.workspace)
	if err != nil || len(states) != 1 || states[0].Met || !strings.Contains(states[0].Why, "facebook_ads has reported spend only through") {
		t.Fatalf("states %+v, %v", states, err)
	}
	if _, err := Evaluate(t.Context(), w.Store, w.Reader, w.workspace, storetest.Now); err != nil {
		t.Fatal(err)
	}
	events, err := w.Store.AlertEvents(t.Context(), w.workspace.ID, storetest.First)
	if err != nil || len(events) != 2 || events[0].Day != storetest.Today.AddDays(-2) || events[1].Day != storetest.Today.AddDays(-3) || events[0].Value != 40*whole {
		t.Errorf("events %+v, %v; want the days with spend since the day before the rule", events, err)
	}
}
