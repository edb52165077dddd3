package tools

import (
	"strings"
	"testing"
)

// The fixture's day is 2026-03-10.
func TestDaysAfterTodayAreNotDaysWithoutSales(t *testing.T) {
	t.Parallel()
	full := answerAs[CompareAnswer](t, "compare", `{"period1_start":"2026-02-01","period1_end":"2026-02-28","period2_start":"2026-03-01","period2_end":"2026-03-31"}`)
	cut := answerAs[CompareAnswer](t, "compare", `{"period1_start":"2026-02-01","period1_end":"2026-02-28","period2_start":"2026-03-01","period2_end":"2026-03-10"}`)
	if full.Period2 != cut.Period2 || full.Summary != cut.Summary {
		t.Errorf("%s; want %s", full.Summary, cut.Summary)
	}
	r := callAs(t, fixtureService(t).Session(reader(newWorkspace("full")), "r1"), "compare", `{"period2_start":"2026-03-11","period2_end":"2026-03-31"}`)
	if !r.IsError || !strings.Contains(r.Content[0].Text, "after today") {
		t.Errorf("a period after today: %s", r.Content[0].Text)
	}
}
