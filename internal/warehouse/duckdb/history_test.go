package duckdb

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/measure"
	"assay/internal/warehouse"
)

// beforeHistory reverts a store to the schema before 0011_history.sql.
const beforeHistory = `
DROP TABLE {{day_history}}; DROP TABLE {{told_days}};
ALTER TABLE {{imports}} DROP COLUMN seen;
ALTER TABLE {{imports}} DROP COLUMN feed`

// The history of an earlier release's store starts with its current totals at its last import. It has no totals before
// that import.
func TestEarlierStoreStartsItsHistory(t *testing.T) {
	t.Parallel()
	now := clock()
	e := open(t, Options{Threads: 2, Clock: func() time.Time { return now }})
	facts := warehouse.New(e)
	b := variousOrders(60)
	b.ChannelSpend = []warehouse.ChannelSpend{{Source: "manual", Channel: "tv", Day: month.First, Spend: 500}}
	mustImport(t, facts, "shop", b)
	asOf := func(at time.Time) []measure.DayVersion {
		t.Helper()
		versions, err := facts.DaysAsOf(t.Context(), "shop", month, at)
		if err != nil {
			t.Fatal(err)
		}
		return versions
	}
	want := asOf(now)
	alter(t, e, beforeHistory)
	w, release, err := e.acquire(t.Context(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if err := apply(t.Context(), w.instance.db, w, 11, "migrations/0011_history.sql"); err != nil {
		t.Fatal(err)
	}
	got := asOf(now)
	if len(got) != len(want) || len(got) == 0 {
		t.Fatalf("%d days are known, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i].Source != "update" || got[i].File != "figures as they stood when their history began" {
			t.Errorf("%s is known from %q %q, want from the update", got[i].Day, got[i].Source, got[i].File)
		}
		if diff := cmp.Diff(want[i].DayTotals, got[i].DayTotals); diff != "" {
			t.Errorf("%s %s (-before +after):\n%s", got[i].Day, got[i].Name, diff)
		}
	}
	if early := asOf(now.Add(-time.Second)); len(early) != 0 {
		t.Errorf("%d days are known before the last import, want none", len(early))
	}
	now = now.Add(time.Hour)
	b.Orders[1].Charged += 700
	b.Orders[1].UpdatedAt = now
	mustImport(t, facts, "shop", warehouse.Batch{Orders: b.Orders[1:2]})
	changes, err := facts.DayChanges(t.Context(), "shop", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(changes) != 1 || changes[0].Now.Sums.Charged-changes[0].First.Sums.Charged != 700 || changes[0].First.Source != "update" {
		t.Errorf("changes %+v, want the one after the update", changes)
	}
}

// BenchmarkHistory measures the cost of the history. The first case is a webhook message in a store with two years of
// data. The second case is a query of all changes after a year of daily imports of 28-day platform reports.
func BenchmarkHistory(b *testing.B) {
	now := benchDays.Last.UTC()
	e := open(b, Options{Clock: func() time.Time { return now }})
	w := warehouse.New(e)
	n := benchOrders(b)
	importOrders(b, w, "shop", n)
	benchExec(b, e, `
INSERT INTO {{imports}}
SELECT 1000 + i, 'facebook_ads', 'report', CAST(i AS VARCHAR), TIMESTAMP '2025-01-01' + INTERVAL (i) DAY, NULL, NULL, 1, DATE '2025-01-01' + CAST(i AS INTEGER), false
FROM range(365) r(i)`)
	benchExec(b, e, `
INSERT INTO {{day_history}}
SELECT 1000 + i, DATE '2025-01-01' + CAST(i - a AS INTEGER), 'spend', p, true, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1000 * i, 100, 10, 5, 50
FROM range(365) r(i), range(28) s(a), (VALUES ('facebook'), ('google'), ('tiktok'), ('pinterest'), ('microsoft')) t(p)
ORDER BY i, a, p`)
	b.Run("a message", func(b *testing.B) {
		for i := range b.N {
			now = now.Add(time.Minute)
			importOne(b, w, n+i)
		}
	})
	b.Run("days that changed", func(b *testing.B) {
		for range b.N {
			if _, err := w.DayChanges(b.Context(), "shop", 51, 0); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("settling", func(b *testing.B) {
		for range b.N {
			if _, _, err := w.Settling(b.Context(), "shop", measure.SpendTotals, month); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("settling of a quarter", func(b *testing.B) {
		days := benchDays
		days.First = days.Last.AddDays(-99)
		for range b.N {
			if _, _, err := w.Settling(b.Context(), "shop", measure.SpendTotals, days); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("late changes", func(b *testing.B) {
		days := benchDays
		days.First = days.Last.AddDays(-6)
		for range b.N {
			if _, _, err := w.LateChanges(b.Context(), "shop", days); err != nil {
				b.Fatal(err)
			}
		}
	})
}
