package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/internal/answer"
	"assay/internal/toolkit"
)

// previousOf lists the figures of an answer that have a value for the previous window, each as a path with a value.
func previousOf(path string, value any) (found []string) {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			compares := name == "previous" || strings.HasSuffix(name, "_previous") || strings.Contains(name, "change_")
			if inner != nil && compares && !strings.Contains(path, ".next") {
				found = append(found, fmt.Sprintf("%s.%s = %v", path, name, inner))
			}
			found = append(found, previousOf(path+"."+name, inner)...)
		}
	case []any:
		for i, inner := range v {
			found = append(found, previousOf(fmt.Sprintf("%s[%d]", path, i), inner)...)
		}
	}
	slices.Sort(found)
	return found
}

// The fixture's first day is 2025-06-01. A previous window that starts before this day has data on only some of its
// days.
func TestAPreviousWindowBeforeTheFirstDataIsAbsent(t *testing.T) {
	t.Parallel()
	const late = `"start_date":"2025-06-10","end_date":"2025-06-30"`
	covered := map[string]string{
		"performance": `{%s}`, "products": `{%s}`, "campaigns": `{%s}`, "trends": `{%s}`, "customers": `{%s}`, "chart": `{"metric":"revenue",%s}`,
		"creators": `{%s}`, "influencers": `{"action":"list",%s}`, "omnichannel": `{%s}`, "lifecycle": `{%s}`, "email_lifecycle": `{%s}`, "surveys": `{%s}`,
	}
	for tool, form := range covered {
		for _, more := range []string{"", `,"detail_level":"debug"`} {
			args := fmt.Sprintf(form, late+more)
			whole := fmt.Sprintf(form, `"start_date":"2025-08-10","end_date":"2025-08-30"`+more)
			checkPrevious(t, tool, args, whole)
		}
	}
	checkPrevious(t, "customers", fmt.Sprintf(`{%s,"view":"journeys"}`, late), "")
	checkPrevious(t, "products", fmt.Sprintf(`{%s,"view":"coupons"}`, late), "")
	checkPrevious(t, "lifecycle", fmt.Sprintf(`{%s,"aspect":"ltv"}`, late), "")
	const periods = `{"period1_start":%q,"period1_end":%q,"period2_start":"2025-10-01","period2_end":"2025-10-31","include_channels":true,"detail_level":"debug"}`
	checkPrevious(t, "compare", fmt.Sprintf(periods, "2025-05-20", "2025-06-20"), fmt.Sprintf(periods, "2025-08-01", "2025-08-31"))
	checkPrevious(t, "compare", fmt.Sprintf(periods, "2025-04-01", "2025-04-30"), "")
}

// checkPrevious checks that one answer has a reason instead of previous figures, and that another answer has previous
// figures.
func checkPrevious(t *testing.T, tool, args, covered string) {
	t.Helper()
	read := func(args string) (value any, warnings []answer.Warning) {
		r := call(t, "full", tool, args)
		if r.IsError {
			t.Fatalf("%s %s: %s", tool, args, r.Content[0].Text)
		}
		warned := decoded[struct{ Warnings []answer.Warning }](t, r.StructuredContent)
		if err := json.Unmarshal(r.StructuredContent, &value); err != nil {
			t.Fatal(err)
		}
		return value, warned.Warnings
	}
	value, warnings := read(args)
	if found := previousOf("", value); len(found) > 0 {
		t.Errorf("%s %s: %v; want no previous figures", tool, args, found)
	}
	if !slices.ContainsFunc(warnings, func(w answer.Warning) bool { return w.Code == answer.WarnDataStart }) {
		t.Errorf("%s %s: warnings %v, want the reason", tool, args, warnings)
	}
	if covered == "" {
		return
	}
	value, warnings = read(covered)
	if len(previousOf("", value)) == 0 || slices.ContainsFunc(warnings, func(w answer.Warning) bool { return w.Code == answer.WarnDataStart }) {
		t.Errorf("%s %s: want previous figures and no warning about the first day; warnings %v", tool, covered, warnings)
	}
}

// The shares of an answer change in percentage points, never in percent of a percentage.
func TestSharesChangeInPercentagePoints(t *testing.T) {
	t.Parallel()
	found := 0
	for _, tool := range answering() {
		var a struct{ Metrics map[string]json.RawMessage }
		if err := json.Unmarshal(call(t, "full", tool.Name, argumentsOf(tool.Name, map[string]any{"detail_level": "debug"})).StructuredContent, &a); err != nil {
			t.Fatal(err)
		}
		for name, text := range a.Metrics {
			var m struct {
				Value, Previous *float64
				Points          *float64 `json:"change_points"`
				Percent         *float64 `json:"change_pct"`
			}
			if !strings.HasSuffix(name, "_pct") || json.Unmarshal(text, &m) != nil || m.Previous == nil {
				continue
			}
			found++
			if m.Percent != nil || m.Points == nil {
				t.Errorf("%s: %s is %s, want change_points only", tool.Name, name, text)
				continue
			}
			near(t, tool.Name+": "+name, *m.Points, *m.Value-*m.Previous, 20)
		}
	}
	if found < 6 {
		t.Errorf("%d shares checked, want those of customers, lifecycle and email_lifecycle", found)
	}
	segments := call(t, "full", "customers", `{"format":"csv"}`).Content[0].Text
	if !strings.Contains(segments, "percentage points") {
		t.Errorf("csv lacks the unit of the change:\n%s", segments)
	}
}

func TestPlatformReportedFiguresAreThoseOfTheClaims(t *testing.T) {
	t.Parallel()
	for _, filter := range []string{"", `,"channel":"facebook"`} {
		a := answerAs[PerformanceAnswer](t, "performance", `{`+february+`,"model":"platform_reported"`+filter+`}`)
		if a.Metrics.Refunds != nil || a.Metrics.NetRevenue != nil || a.Metrics.NewOrders != nil {
			t.Errorf("%s: refunds %v, net revenue %v, new orders %v; want none: platforms do not report them", filter, a.Metrics.Refunds, a.Metrics.NetRevenue, a.Metrics.NewOrders)
		}
		if q := a.DataQuality; !strings.Contains(q.Revenue, "reported by the ad platforms") || q.UndatedRefund != nil {
			t.Errorf("%s: data quality %+v, want platform-reported revenue and no refunds", filter, q)
		}
		for _, r := range a.Rows {
			if r.Refunds != nil || r.NewOrders != nil {
				t.Errorf("%s has refunds %v and new orders %v", r.Channel, r.Refunds, r.NewOrders)
			}
		}
	}
	var claimed float64
	for _, r := range answerAs[PerformanceAnswer](t, "performance", `{`+february+`}`).Rows {
		if r.Channel == "facebook" {
			claimed = float64(*r.Claimed)
		}
	}
	one := answerAs[PerformanceAnswer](t, "performance", `{`+february+`,"model":"platform_reported","channel":"facebook"}`)
	near(t, "revenue of the channel", float64(*one.Metrics.Revenue.Value), claimed, 1)
}

func TestDefaultPeriodsAreStated(t *testing.T) {
	t.Parallel()
	for tool, days := range map[string]int{"creators": 90, "omnichannel": 90, "lifecycle": 540} {
		if text := toolNamed(tool).Description; !strings.Contains(text, fmt.Sprintf("last %d days", days)) {
			t.Errorf("%s: description %q does not state the default period", tool, text)
		}
		var a struct{ Period answer.Period }
		if err := json.Unmarshal(call(t, "full", tool, `{}`).StructuredContent, &a); err != nil {
			t.Fatal(err)
		}
		if a.Period.Start != fixtureToday.AddDays(-days) || a.Period.End != fixtureToday {
			t.Errorf("%s: %s to %s, want the last %d days", tool, a.Period.Start, a.Period.End, days)
		}
	}
}

func TestJourneyDaysAreThoseOfTheSummary(t *testing.T) {
	t.Parallel()
	for _, store := range []string{"full", "loyal"} {
		a := decoded[CustomersAnswer](t, call(t, store, "customers", `{"view":"journeys"}`).StructuredContent)
		for _, days := range []*answer.Count{a.Metrics.Median, a.Metrics.P90} {
			if want := " " + answer.Plural(int(*days), "complete day", "complete days"); !strings.Contains(a.Summary, want) {
				t.Errorf("%s: summary %q lacks%s", store, a.Summary, want)
			}
		}
	}
}

// In a store with a fixed day, the times of imports are from the real clock.
func TestImportTimesFollowTheRealClock(t *testing.T) {
	t.Parallel()
	deps := fixtureDeps(t)
	for months, fixed := range map[int]bool{0: false, 7: true, -7: true} {
		real := fixtureNow.AddDate(0, months, 0)
		deps.Now = func() time.Time { return real }
		service, err := toolkit.NewService(deps, All())
		if err != nil {
			t.Fatal(err)
		}
		s := service.Session(reader(newWorkspace("full")), "r1")
		found := decoded[DiagnoseAnswer](t, callAs(t, s, "diagnose", `{"detail_level":"debug"}`).StructuredContent)
		if got := found.FixedDay == fixtureToday; got != fixed {
			t.Errorf("%d months apart: fixed day %s", months, found.FixedDay)
		}
		for _, f := range found.Rows {
			if says := strings.Contains(f.Finding, "(actual time)"); f.Check == "imports" && says != fixed {
				t.Errorf("%d months apart: %q", months, f.Finding)
			}
		}
		overview := decoded[DiscoverAnswer](t, callAs(t, s, "discover", `{}`).StructuredContent)
		if overview.Workspace.Fixed != fixed || overview.Workspace.Today != fixtureToday {
			t.Errorf("%d months apart: %+v", months, overview.Workspace)
		}
	}
}

func TestAChannelIsNamedIfPeriod1IsUnknown(t *testing.T) {
	t.Parallel()
	a := answerAs[CompareAnswer](t, "compare",
		`{"period1_start":"2025-05-01","period1_end":"2025-05-31","period2_start":"2025-10-01","period2_end":"2025-10-31","channel":"facebook"}`)
	if a.Metrics.Revenue.Previous != nil || !strings.HasPrefix(a.Summary, "Attributed revenue of facebook was ") {
		t.Errorf("summary %q, want the revenue of the channel", a.Summary)
	}
}
