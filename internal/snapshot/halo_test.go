package snapshot_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/halo"
	"assay/internal/money"
	"assay/internal/snapshot"
	"assay/internal/warehouse"
	"assay/internal/warehouse/storetest"
)

// haloStore loads days of orders on the online store and on the marketplace, up to today. Facebook spends USD 100 or 300
// per day up to yesterday. Each unit of its spend adds 2 units of marketplace revenue on the same day. Amazon spends USD
// 5 per day.
func haloStore(t *testing.T, b *bench, days int) *snapshot.Snapshot {
	t.Helper()
	b.workspace.ID = measure.WorkspaceID(fmt.Sprintf("halo-%d", days))
	batch := &warehouse.Batch{}
	for i := range days {
		day := today.AddDays(i + 1 - days)
		spend := int64(10_000)
		if i*i%7%2 == 1 || i*i%11%3 == 1 {
			spend = 30_000
		}
		for surface, charged := range map[measure.Surface]int64{measure.OnlineStore: 50_000 + int64(i%13)*1000, measure.Marketplace: 20_000 + 2*spend + int64(i%5)*1000} {
			batch.Orders = append(batch.Orders, warehouse.Order{
				OrderRef: warehouse.OrderRef{Source: "shop", Key: day.String() + string(surface)}, At: day.UTC().Add(17 * 3600e9), Day: day, Surface: surface,
				Charged: charged, Original: money.Amount{Minor: charged, Currency: "USD"}, Status: "paid", Units: 1,
			})
		}
		if day == today {
			continue
		}
		for platform, spend := range map[measure.Platform]int64{measure.Facebook: spend, measure.Amazon: 500} {
			batch.AdDays = append(batch.AdDays, warehouse.AdDay{
				Source: "ads", Platform: platform, Account: "a", Channel: measure.Channel(platform), Day: day, CampaignID: "c", AdSetID: "s", AdID: "1",
				Spend: spend, Original: money.Amount{Minor: spend, Currency: "USD"},
			})
		}
	}
	storetest.Load(t, b.facts, b.workspace.ID, "halo.csv", batch)
	return b.take(t)
}

func TestHaloEffectsAreOnOtherSurfaces(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := haloStore(t, b, 240)
	found, err := s.HaloEffects(t.Context(), last(10))
	if err != nil {
		t.Fatal(err)
	}
	yesterday := today.AddDays(-1)
	if want := (civil.Range{First: today.AddDays(-239), Last: yesterday}); found.Days != want {
		t.Errorf("days %s, want %s", found.Days, want)
	}
	if len(found.Effects) != 2 {
		t.Fatalf("effects %+v, want those of two channels", found.Effects)
	}
	for _, e := range found.Effects {
		switch e.Channel {
		case "facebook":
			if e.Surface != measure.Marketplace || !e.Found() || math.Abs(e.Coefficient.Value-2) > 0.1 {
				t.Errorf("facebook: %+v, want an effect of about 2 on the marketplace", e)
			}
		case "amazon":
			if e.Surface != measure.OnlineStore || e.Found() {
				t.Errorf("amazon: %+v, want no effect on the online store", e)
			}
		default:
			t.Errorf("an effect of %s", e.Channel)
		}
	}
	inside := civil.Range{First: last(10).First, Last: yesterday}
	for _, channel := range []measure.Channel{"facebook", "amazon"} {
		totals, err := s.LastTouchTotals(t.Context(), warehouse.Windows{Recent: inside}, channel)
		if err != nil {
			t.Fatal(err)
		}
		if want := s.Sum(totals.Recent, channel, inside).Spend; want == 0 || math.Abs(found.Spend[channel]-float64(want)/100) > 1e-9 {
			t.Errorf("spend of %s in the window is %v, want %v", channel, found.Spend[channel], float64(want)/100)
		}
	}
	var surfaces, spend int
	for _, q := range s.Reads() {
		switch q.Question {
		case "surface_days":
			surfaces += q.Rows
		case "spend_days":
			spend += q.Rows
		}
	}
	if surfaces != 2*239 || spend != 2*239 {
		t.Errorf("%d days of surfaces and %d days of spend are noted, want 478 of each", surfaces, spend)
	}
}

func TestHaloEffectsUseCompleteDaysUpToTheWindowsEnd(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := haloStore(t, b, 30)
	first := today.AddDays(-29)
	for _, c := range []struct {
		window civil.Range
		want   civil.Range
	}{
		{last(5), civil.Range{First: first, Last: today.AddDays(-1)}},
		{civil.Range{First: today, Last: today.AddDays(40)}, civil.Range{First: first, Last: today.AddDays(-1)}},
		{civil.Range{First: first.AddDays(3), Last: first.AddDays(9)}, civil.Range{First: first, Last: first.AddDays(9)}},
		{civil.Range{First: first.AddDays(-9), Last: first.AddDays(-1)}, civil.Range{}},
	} {
		found, err := s.HaloEffects(t.Context(), c.window)
		if err != nil || found.Days.Days() != c.want.Days() || c.want.Days() > 0 && found.Days != c.want {
			t.Errorf("%s: days %s, %v; want %s", c.window, found.Days, err, c.want)
		}
		for _, e := range found.Effects {
			if e.Reason == "" {
				t.Errorf("%s: an effect from less than %d days: %+v", c.window, halo.LeastDays, e)
			}
		}
	}
}

// unread is a warehouse that cannot read days.
type unread struct {
	*warehouse.Warehouse
	question string
}

func (u unread) SurfaceDays(ctx context.Context, ws measure.WorkspaceID, days civil.Range) ([]measure.SalesDay, error) {
	if u.question == "surfaces" {
		return nil, errBroken
	}
	return u.Warehouse.SurfaceDays(ctx, ws, days)
}

func (u unread) SpendDays(ctx context.Context, ws measure.WorkspaceID, days civil.Range) ([]warehouse.SpendDay, error) {
	if u.question == "spend" {
		return nil, errBroken
	}
	return u.Warehouse.SpendDays(ctx, ws, days)
}

func TestHaloEffectsNeedTheDaysOfSurfacesAndSpend(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, question := range []string{"surfaces", "spend"} {
		reader, err := snapshot.NewReader(snapshot.Sources{
			Facts: unread{b.facts, question}, Models: b.model, Experiments: b.experiments, Clock: storetest.Clock, Now: storetest.Clock,
		})
		if err != nil {
			t.Fatal(err)
		}
		s, err := reader.Take(t.Context(), b.workspace, snapshot.Wants{})
		if err != nil {
			t.Fatal(err)
		}
		before := len(s.Reads())
		found, err := s.HaloEffects(t.Context(), last(10))
		if want := "days of " + question + " " + found.Days.String(); !errors.Is(err, errBroken) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("without %s: %v, want an error that begins with %q", question, err, want)
		}
		if found.Effects != nil || found.Spend != nil || len(s.Reads()) != before {
			t.Errorf("without %s: %+v and %d reads", question, found, len(s.Reads())-before)
		}
	}
}
