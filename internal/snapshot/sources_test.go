package snapshot_test

import (
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/snapshot"
	"assay/internal/warehouse"
)

// newYork returns an instant of a time in New York.
func newYork(t *testing.T, text string) time.Time {
	t.Helper()
	if text == "" {
		return time.Time{}
	}
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	at, err := time.ParseInLocation("2006-01-02 15:04", text, zone)
	if err != nil {
		t.Fatal(err)
	}
	return at.UTC()
}

// All cases are about March 5.
func TestDaysAreCompleteOrAssumedToBe(t *testing.T) {
	t.Parallel()
	day := civil.MustParse("2026-03-05")
	for name, c := range map[string]struct {
		now, lastOrder    string // days of orders start on January 1
		imported          string
		webhook, run      string
		complete, assumed bool
	}{
		"orders of a later day":             {"2026-03-06 01:00", "2026-03-06", "2026-03-06 00:30", "", "", true, false},
		"orders imported after the day":     {"2026-03-06 01:00", "2026-03-05", "2026-03-06 00:30", "", "", true, false},
		"orders imported on the day":        {"2026-03-06 01:00", "2026-03-05", "2026-03-05 23:30", "", "", false, false},
		"a file of earlier days":            {"2026-03-06 23:00", "2026-03-04", "2026-03-06 12:00", "", "", false, false},
		"a webhook after the day":           {"2026-03-06 01:00", "2026-03-04", "2026-03-04 12:00", "2026-03-06 00:00", "", true, false},
		"a webhook on the day":              {"2026-03-06 05:59", "2026-03-04", "2026-03-04 12:00", "2026-03-05 23:59", "", false, false},
		"six hours after the day":           {"2026-03-06 06:00", "2026-03-04", "2026-03-04 12:00", "2026-03-05 23:59", "", false, true},
		"an order seven days before":        {"2026-03-06 06:00", "2026-02-26", "2026-02-26 12:00", "2026-03-05 23:59", "", false, true},
		"no order for more than seven days": {"2026-03-06 06:00", "2026-02-25", "2026-02-25 12:00", "2026-03-05 23:59", "", false, false},
		"a webhook seven days before":       {"2026-03-06 06:00", "2026-03-04", "2026-03-04 12:00", "2026-02-26 00:00", "", false, true},
		"no webhook for eight days":         {"2026-03-06 06:00", "2026-03-04", "2026-03-04 12:00", "2026-02-25 23:59", "", false, false},
		"a run of a tap after the day":      {"2026-03-06 00:10", "2026-03-04", "2026-03-04 12:00", "", "2026-03-06 00:05", false, true},
		"a run of a tap on the day":         {"2026-03-06 23:00", "2026-03-04", "2026-03-04 12:00", "", "2026-03-05 23:59", false, false},
	} {
		orders := civil.Range{First: civil.MustParse("2026-01-01"), Last: civil.MustParse(c.lastOrder)}
		now := newYork(t, c.now)
		s := &snapshot.Snapshot{State: snapshot.State{Workspace: control.Workspace{Zone: "America/New_York"}, Now: now}, Real: now, Store: snapshot.Contents{
			Coverage: warehouse.Coverage{OrderDays: orders, LastWebhook: newYork(t, c.webhook), LastTapRun: newYork(t, c.run)},
			Sources: []warehouse.SourceState{
				{Kind: snapshot.FromAds, Days: civil.Range{First: orders.First, Last: day.AddDays(1)}},
				{Kind: snapshot.FromOrders, Days: orders, LastImport: newYork(t, c.imported)},
			},
		}}
		if got := s.Store.OrdersComplete(day, s.Workspace.Location()); got != c.complete {
			t.Errorf("%s: complete %v, want %v", name, got, c.complete)
		}
		if got := s.OrdersAssumed(day); !c.complete && got != c.assumed {
			t.Errorf("%s: assumed to be complete %v, want %v", name, got, c.assumed)
		}
	}
}
