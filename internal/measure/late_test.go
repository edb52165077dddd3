package measure

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/civil"
)

func TestProvisionalDaysAreThePlatformsWindow(t *testing.T) {
	t.Parallel()
	today := civil.MustParse("2026-03-10")
	for platform, want := range map[Platform]string{Facebook: "2026-02-11", Google: "2026-02-09"} {
		first := platform.FirstProvisional(today)
		if got := first.String(); got != want || today.Sub(first)+1 != platform.Restating() {
			t.Errorf("%s: provisional from %s, want %s, which makes %d days", platform, got, want, platform.Restating())
		}
	}
}

func TestMovesAreTheFiguresThatDiffer(t *testing.T) {
	t.Parallel()
	part := DayPart{Kind: SpendTotals, Name: "google"}
	before := DayVersion{DayPart: part, DayTotals: DayTotals{Spend: 100, Clicks: 7}}
	after := DayVersion{DayPart: part, DayTotals: DayTotals{Spend: 120, Clicks: 7, Claimed: 500_000}}
	number := func(n int64) *int64 { return &n }
	want := []Move{
		{"spend", MinorUnits, number(100), number(120)}, {"claimed conversions", InMillionth, number(0), number(500_000)},
	}
	if diff := cmp.Diff(want, Moves(before, after)); diff != "" {
		t.Errorf("moves (-want +got):\n%s", diff)
	}
	if got := Moves(before, DayVersion{DayPart: part, Gone: true}); len(got) != 5 || got[0].After != nil ||
		*got[0].Before != 100 {
		t.Errorf("moves of a day that is gone: %+v, want every figure without a value after", got)
	}
	orders := DayVersion{DayPart: DayPart{Kind: OrderTotals}, DayTotals: DayTotals{Sums: Sums{Refunds: 5}}}
	if got := Moves(DayVersion{DayPart: orders.DayPart}, orders); len(got) != 1 || got[0].Name != "refunds" {
		t.Errorf("moves of orders: %+v, want refunds alone", got)
	}
}
