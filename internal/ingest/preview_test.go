package ingest

import (
	"testing"
	"time"

	"assay/internal/control"
	"assay/internal/money"
	"assay/internal/warehouse/facts"
)

// An amount of zero is shown only if the amount is always known. A time is in the workspace's time zone.
func TestPreviewsFormatTheValuesOfFacts(t *testing.T) {
	t.Parallel()
	r := newReadings(control.Workspace{Zone: "America/New_York", Currency: "EUR"})
	amount := func(minor int64) money.Amount { return money.Amount{Minor: minor, Currency: "USD"} }
	for _, c := range []struct {
		format facts.Format
		value  any
		want   string
	}{
		{facts.Money, amount(1250), amount(1250).String()},
		{facts.Money, amount(0), amount(0).String()},
		{facts.Money, amount(-5), amount(-5).String()},
		{facts.Money, int64(1250), money.Amount{Minor: 1250, Currency: "EUR"}.String()},
		{facts.Money, nil, ""},
		{facts.Amount, amount(1250), amount(1250).String()},
		{facts.Amount, amount(0), ""},
		{facts.Amount, amount(-5), amount(-5).String()},
		{facts.Amount, int64(7), money.Amount{Minor: 7, Currency: "EUR"}.String()},
		{facts.Amount, int64(0), ""},
		{facts.Amount, nil, ""},
		{facts.Nonzero, int64(0), ""},
		{facts.Nonzero, int64(3), "3"},
		{facts.Nonzero, nil, ""},
		{facts.Hash, "ab12", "stored as a hash"},
		{facts.Hash, "", ""},
		{facts.Hash, nil, ""},
		{facts.Words, "first_touch_day", "first touch day"},
		{facts.Plain, "first_touch_day", "first_touch_day"},
		{facts.Plain, nil, ""},
		{facts.Plain, 0.25, "0.25"},
		{facts.Plain, 1e21, "1000000000000000000000"},
		{facts.Plain, int64(0), "0"},
		{facts.Plain, time.Date(2026, 3, 2, 3, 30, 0, 0, time.UTC), "2026-03-01 22:30 EST"},
	} {
		if got := r.text(c.format, c.value); got != c.want {
			t.Errorf("format %v of %v: %q, want %q", c.format, c.value, got, c.want)
		}
	}
}

// A column that is empty in all rows is left out.
func TestPreviewsLeaveOutEmptyColumns(t *testing.T) {
	t.Parallel()
	r := &readings{list: []Reading{{Table: "orders", Columns: []string{"a", "b", "c", "d"}, Rows: [][]string{{"", "1", "", ""}, {"", "", "2", ""}}}, {Table: "none"}}}
	got := r.tables()
	if len(got) != 2 || len(got[0].Columns) != 2 || got[0].Columns[0] != "b" || got[0].Columns[1] != "c" ||
		len(got[0].Rows[0]) != 2 || got[0].Rows[0][0] != "1" || got[0].Rows[1][1] != "2" {
		t.Errorf("%+v, want the columns b and c", got)
	}
}
