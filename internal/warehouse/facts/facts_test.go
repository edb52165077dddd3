package facts_test

import (
	"reflect"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/warehouse/facts"
)

func TestABatchCountsRowsOfEveryKind(t *testing.T) {
	t.Parallel()
	var b facts.Batch
	kinds := reflect.ValueOf(&b).Elem()
	for i := range kinds.NumField() {
		kinds.Field(i).Set(reflect.MakeSlice(kinds.Field(i).Type(), 1, 1))
		if b.Len() != i+1 {
			t.Fatalf("%s are not counted", kinds.Type().Field(i).Name)
		}
	}
}

func TestABatchRejectsRowsWithoutAKeyOrADay(t *testing.T) {
	t.Parallel()
	day := civil.New(2026, 3, 10)
	ref := facts.OrderRef{Source: "shop", Key: "1"}
	order := facts.Order{OrderRef: ref, At: day.UTC(), Day: day}
	refund := facts.Refund{OrderRef: ref, Refund: "r", Day: day}
	changedOrder := func(change func(*facts.Order)) facts.Batch {
		changed := order
		change(&changed)
		return facts.Batch{Orders: []facts.Order{order, changed}}
	}
	for name, c := range map[string]struct {
		batch facts.Batch
		want  string // "": accepted
	}{
		"no rows": {},
		"complete rows": {facts.Batch{
			Orders: []facts.Order{order}, Profiles: []facts.Profile{{Source: "shop", Customer: "c"}},
			Refunds: []facts.Refund{refund}, AdDays: []facts.AdDay{{Day: day}}, ChannelSpend: []facts.ChannelSpend{{Day: day}},
		}, ""},
		"an order without a key":   {changedOrder(func(o *facts.Order) { o.Key = "" }), `order "" has no key, no time or no day`},
		"an order without a time":  {changedOrder(func(o *facts.Order) { o.At = time.Time{} }), `order "1" has no key, no time or no day`},
		"an order without a day":   {changedOrder(func(o *facts.Order) { o.Day = civil.Date{} }), `order "1" has no key, no time or no day`},
		"a customer without a key": {facts.Batch{Profiles: []facts.Profile{{Source: "shop", Customer: "c"}, {Source: "shop"}}}, `a customer of "shop" has no key`},
		"a refund without a day":   {facts.Batch{Refunds: []facts.Refund{refund, {OrderRef: ref, Refund: "s"}}}, `refund "s" of order "1" has no day`},
		"a refund of unknown day":  {facts.Batch{Refunds: []facts.Refund{{OrderRef: ref, Refund: "s", DateUnknown: true}}}, ""},
		"an ad row without a day":  {facts.Batch{AdDays: []facts.AdDay{{Day: day, CampaignName: "a"}, {CampaignName: "b"}}}, `a row of campaign "b" has no day`},
		"spend without a day":      {facts.Batch{ChannelSpend: []facts.ChannelSpend{{Day: day, Channel: "tv"}, {Channel: "radio"}}}, `spend of channel "radio" has no day`},
		"the first problem":        {facts.Batch{AdDays: []facts.AdDay{{CampaignName: "a"}}, ChannelSpend: []facts.ChannelSpend{{Channel: "tv"}}}, `a row of campaign "a" has no day`},
	} {
		err := c.batch.Check()
		if c.want == "" && err != nil || c.want != "" && (fault.KindOf(err) != fault.KindInvalid || err.Error() != c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
