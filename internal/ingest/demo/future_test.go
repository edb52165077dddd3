package demo_test

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"assay/internal/civil"
	"assay/internal/ingest/demo"
	"assay/internal/warehouse"
)

func TestTheFutureDoesNotChangeTheStore(t *testing.T) {
	t.Parallel()
	opt := options(t, small)
	opt.Future = 30
	with, withRows := encoded(t, opt)
	opt.Future = 0
	without, rows := encoded(t, opt)
	if !bytes.Equal(rows, withRows) {
		t.Error("the rows of the store differ with the future")
	}
	if len(with.Future) != 31 || with.Future[0].Date != opt.Today || with.Future[30].Date != opt.Today.AddDays(30) {
		t.Errorf("%d days ahead, want today and the 30 days after it", len(with.Future))
	}
	with.Future = nil
	if !reflect.DeepEqual(with, without) {
		t.Errorf("the truth besides the future is %+v, without it %+v", with, without)
	}
	text, err := json.Marshal(without)
	if err != nil {
		t.Fatal(err)
	}
	var truth map[string]any
	if err := json.Unmarshal(text, &truth); err != nil || truth["future"] != nil {
		t.Errorf("the truth without days ahead has the key future (%v)", err)
	}
}

// encoded returns the truth and all rows of a store in their order.
func encoded(t *testing.T, opt demo.Options) (demo.Truth, []byte) {
	t.Helper()
	var rows bytes.Buffer
	enc := json.NewEncoder(&rows)
	truth, err := demo.Generate(opt, func(b *warehouse.Batch) error { return enc.Encode(b) })
	if err != nil {
		t.Fatal(err)
	}
	return truth, rows.Bytes()
}

func TestTodayIsAWholeDayInTheFuture(t *testing.T) {
	t.Parallel()
	opt := options(t, full)
	opt.Future = 28
	s, err := generate(opt)
	if err != nil {
		t.Fatal(err)
	}
	days := map[civil.Date]*demo.DayTruth{}
	at := func(d civil.Date) *demo.DayTruth {
		if days[d] == nil {
			days[d] = &demo.DayTruth{}
		}
		return days[d]
	}
	for _, o := range s.rows.Orders {
		if !o.Cancelled && !o.Test {
			at(o.Day).Orders++
			at(o.Day).Revenue += float64(o.Charged) / 100
		}
	}
	for _, row := range s.rows.AdDays {
		at(row.Day).Spend += float64(row.Spend) / 100
	}
	for _, row := range s.rows.ChannelSpend {
		at(row.Day).Spend += float64(row.Spend) / 100
	}
	morning, today := *at(opt.Today), s.truth.Future[0]
	if share := float64(morning.Orders) / float64(today.Orders); math.Abs(share-noonShare) > 0.12 {
		t.Errorf("the morning has %.2f of today's orders, want about %.2f", share, noonShare)
	}
	if share := morning.Spend / today.Spend; math.Abs(share-noonShare) > 0.03 || today.Revenue < morning.Revenue {
		t.Errorf("the morning has %.3f of today's spend, want about %.3f; revenue %.0f of %.0f", share, noonShare, morning.Revenue, today.Revenue)
	}
	// The same weeks a year earlier have the same calendar, but lack one year of growth. Growth per year is 17% to 21%.
	var past, future demo.DayTruth
	for _, d := range s.truth.Future[1:] {
		ago := at(d.Date.AddDays(-364))
		past.Orders, past.Revenue, past.Spend = past.Orders+ago.Orders, past.Revenue+ago.Revenue, past.Spend+ago.Spend
		future.Orders, future.Revenue, future.Spend = future.Orders+d.Orders, future.Revenue+d.Revenue, future.Spend+d.Spend
	}
	for name, ratio := range map[string]float64{
		"orders": float64(future.Orders) / float64(past.Orders), "revenue": future.Revenue / past.Revenue, "spend": future.Spend / past.Spend,
	} {
		t.Logf("%s %.3f", name, ratio)
		if ratio < 0.9 || ratio > 1.55 {
			t.Errorf("%s of the 28 days ahead are %.2f of those a year before", name, ratio)
		}
	}
}
