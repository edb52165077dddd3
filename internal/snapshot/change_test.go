package snapshot_test

import (
	"slices"
	"testing"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/measure/change"
	"assay/internal/snapshot"
	"assay/internal/warehouse"
	"assay/internal/warehouse/storetest"
)

// changeOf splits a change of a store's revenue.
func changeOf(t *testing.T, s *snapshot.Snapshot, of snapshot.ChangeOf) snapshot.Change {
	t.Helper()
	var err error
	if of.Totals, err = s.LastTouchTotals(t.Context(), of.Windows, of.Channel); err != nil {
		t.Fatal(err)
	}
	found, err := s.Change(t.Context(), of)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestPartsOfEachDimensionAddUpToTheChange(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, basis := range []measure.RevenueBasis{{}, {WithoutTax: true}, {NetOfRefunds: true}} {
		b.workspace.Basis = basis
		b.workspace.Version++
		s := b.take(t)
		for _, in := range []warehouse.Windows{
			{Recent: last(10), Earlier: last(10).Previous()},
			{Recent: last(12), Earlier: civil.Range{First: all.First, Last: all.First.AddDays(4)}},
			{Recent: last(7), Earlier: civil.Range{First: all.First.AddDays(-40), Last: all.First.AddDays(-30)}},
		} {
			for _, channel := range []measure.Channel{"", "facebook"} {
				found := changeOf(t, s, snapshot.ChangeOf{Windows: in, Channel: channel, Regions: true})
				if found.Total != 0 && len(found.Splits) == 0 {
					t.Errorf("%+v: a change of %d has no parts", in, found.Total)
				}
				for _, split := range found.Splits {
					if sum := change.Sum(split.Parts); sum != found.Total {
						t.Errorf("%+v, channel %q, %+v: parts by %s add up to %d, want %d", in, channel, basis, split.Dimension, sum, found.Total)
					}
				}
			}
		}
	}
}

// A change with the option Brief needs no query, because its caller already has the totals.
func TestABriefChangeAsksNoQuestion(t *testing.T) {
	t.Parallel()
	s := newBench(t).take(t)
	found := changeOf(t, s, snapshot.ChangeOf{Windows: warehouse.Windows{Recent: last(10), Earlier: last(10).Previous()}, Brief: true})
	if reads := s.Reads(); len(reads) != 1 || len(found.Splits) == 0 || len(found.Events) != 0 {
		t.Errorf("reads %+v, %d splits, events %+v", reads, len(found.Splits), found.Events)
	}
}

// eventfulStore returns a store that sells 20 cups and 20 pots per day at USD 10 through one tracked channel, except
// for a test's events.
func eventfulStore(t *testing.T, order func(day civil.Date, o *warehouse.Order, l *warehouse.OrderLine) (tracked bool)) *snapshot.Snapshot {
	t.Helper()
	b := newBench(t)
	b.workspace.ID = "eventful"
	batch := &warehouse.Batch{}
	for day := today.AddDays(-60); day.Before(today); day = day.AddDays(1) {
		for i := range 40 {
			ref := warehouse.OrderRef{Source: "shop", Key: day.String() + string(rune('A'+i))}
			o := warehouse.Order{
				OrderRef: ref, At: day.UTC().Add(17 * 3600e9), Day: day, Surface: measure.OnlineStore, Charged: 10_00 + int64(day.Sub(today)%3), Status: "paid", Units: 1,
			}
			l := warehouse.OrderLine{OrderRef: ref, Line: 1, Title: []string{"Cup", "Pot"}[i%2], Quantity: 1, Net: 10_00}
			tracked := order(day, &o, &l)
			if o.Units == 0 {
				continue
			}
			batch.Orders, batch.Lines = append(batch.Orders, o), append(batch.Lines, l)
			if tracked {
				batch.Touches = append(batch.Touches, warehouse.Touch{OrderRef: ref, Seq: 1, At: o.At.Add(-3600e9), Channel: "email", Kind: "click"})
			}
		}
	}
	storetest.Load(t, b.facts, b.workspace.ID, "eventful.csv", batch)
	return b.take(t)
}

func TestEventsOfAChange(t *testing.T) {
	t.Parallel()
	in := warehouse.Windows{Recent: civil.Range{First: today.AddDays(-14), Last: today.AddDays(-1)}}
	in.Earlier = in.Recent.Previous()
	late := func(day civil.Date, after int) bool { return !day.Before(in.Recent.First.AddDays(after)) }
	for name, c := range map[string]struct {
		order   func(day civil.Date, o *warehouse.Order, l *warehouse.OrderLine) bool
		channel measure.Channel
		note    control.AnnotationType
		want    snapshot.EventKind
		from    int // first day of the event in the recent window
	}{
		"no orders": {func(day civil.Date, o *warehouse.Order, _ *warehouse.OrderLine) bool {
			if late(day, 5) && !late(day, 7) {
				o.Units = 0
			}
			return true
		}, "", "", snapshot.NoOrders, 5},
		"a note explains the days without orders": {func(day civil.Date, o *warehouse.Order, _ *warehouse.OrderLine) bool {
			if late(day, 5) && !late(day, 7) {
				o.Units = 0
			}
			return true
		}, "", control.Outage, snapshot.EventKind(control.Outage), 5},
		"higher prices": {func(day civil.Date, o *warehouse.Order, l *warehouse.OrderLine) bool {
			if late(day, 0) {
				o.Charged, l.Net = o.Charged+2_00, 12_00
			}
			return true
		}, "", "", snapshot.PriceChange, 0},
		"discounts": {func(day civil.Date, o *warehouse.Order, l *warehouse.OrderLine) bool {
			if late(day, 0) {
				o.Charged, l.Net, l.Discount = o.Charged-2_00, 8_00, 2_00
			}
			return true
		}, "", "", snapshot.MoreDiscount, 0},
		"no pots": {func(day civil.Date, o *warehouse.Order, l *warehouse.OrderLine) bool {
			if late(day, 3) && l.Title == "Pot" {
				o.Units = 0
			}
			return true
		}, "", "", snapshot.OutOfStock, 3},
		"lost tracking": {func(day civil.Date, _ *warehouse.Order, _ *warehouse.OrderLine) bool { return !late(day, 6) }, "email", "", snapshot.LostTracking, 6},
	} {
		s := eventfulStore(t, c.order)
		if c.note != "" {
			day := in.Recent.First.AddDays(c.from)
			s.Annotations = []control.Annotation{{Days: civil.Range{First: day, Last: day.AddDays(1)}, Label: "down", Type: c.note}}
		}
		found := changeOf(t, s, snapshot.ChangeOf{Windows: in, Channel: c.channel})
		causes := found.Causes()
		if len(causes) == 0 || causes[0].Kind != c.want || causes[0].Days.First != in.Recent.First.AddDays(c.from) {
			t.Errorf("%s: causes %+v of a change of %d", name, causes, found.Total)
			continue
		}
		if effect := float64(*causes[0].Effect) / float64(found.Total); effect < 0.8 || effect > 1.25 {
			t.Errorf("%s: the effect is %.2f of the change, want about all", name, effect)
		}
		if c.note != "" && slices.ContainsFunc(found.Events, func(e snapshot.Event) bool { return e.Kind == snapshot.NoOrders }) {
			t.Errorf("%s: the days without orders are a second event", name)
		}
	}
}
