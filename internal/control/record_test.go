package control_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

func days(first, last string) civil.Range {
	return civil.Range{First: civil.MustParse(first), Last: civil.MustParse(last)}
}

// rejects reports whether an error is a fault of kind invalid with this text.
func rejects(err error, text string) bool {
	return fault.KindOf(err) == fault.KindInvalid && strings.Contains(err.Error(), text)
}

func TestAnnotationsAreChecked(t *testing.T) {
	t.Parallel()
	year := days("2026-01-01", "2027-01-01") // 366 days
	longer := days("2026-01-01", "2027-01-02")
	for name, c := range map[string]struct {
		note control.Annotation
		want string // "": accepted
	}{
		"complete":      {control.Annotation{Label: "Sale", Days: year, Type: control.Promotion}, ""},
		"two days":      {control.Annotation{Label: "Sale", Days: days("2026-01-01", "2026-01-02")}, ""},
		"longest label": {control.Annotation{Label: strings.Repeat("é", 120), Days: year}, ""},
		"longer label":  {control.Annotation{Label: strings.Repeat("é", 121), Days: year}, "label has 121 characters; the maximum is 120"},
		"two lines":     {control.Annotation{Label: "a\nb", Days: year}, "label contains characters that cannot be printed"},
		"no label":      {control.Annotation{Label: " ", Days: year}, "label is required"},
		"no day":        {control.Annotation{Label: "Sale"}, "date is required"},
		"swapped days":  {control.Annotation{Label: "Sale", Days: days("2026-01-02", "2026-01-01")}, "end_date 2026-01-01 is before date 2026-01-02"},
		"367 days":      {control.Annotation{Label: "Sale", Days: longer}, "the annotation covers 367 days; the maximum is 366"},
		"unknown type":  {control.Annotation{Label: "Sale", Days: year, Type: "party"}, `type "party" is not a type of annotation`},
	} {
		if _, err := c.note.Checked(); c.want == "" && err != nil || c.want != "" && !rejects(err, c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	got, err := control.Annotation{Label: " Sale ", Days: civil.Range{First: civil.MustParse("2026-11-20")}}.Checked()
	if err != nil || got.Label != "Sale" || got.Type != control.OtherNote || got.Days != days("2026-11-20", "2026-11-20") ||
		!strings.HasPrefix(string(got.ID), "note-") || len(got.ID) != len("note-")+12 {
		t.Errorf("defaults: %+v, %v", got, err)
	}
	if kept, err := (control.Annotation{ID: "mine", Label: "Sale", Days: year}).Checked(); err != nil || kept.ID != "mine" {
		t.Errorf("an ID: %+v, %v", kept, err)
	}
}

func TestTheSameAnnotation(t *testing.T) {
	t.Parallel()
	one := control.Annotation{ID: "a", Label: "Sale", Type: control.Promotion, Days: days("2026-11-01", "2026-11-10")}
	for name, c := range map[string]struct {
		change func(*control.Annotation)
		same   bool
	}{
		"another author": {func(a *control.Annotation) { a.ID, a.Author = "b", "user:u2" }, true},
		"another day":    {func(a *control.Annotation) { a.Days.Last = a.Days.First }, false},
		"another label":  {func(a *control.Annotation) { a.Label = "sale" }, false},
		"another type":   {func(a *control.Annotation) { a.Type = control.Launch }, false},
	} {
		other := one
		c.change(&other)
		if one.Same(other) != c.same {
			t.Errorf("%s: the same annotation is %t", name, !c.same)
		}
	}
	for period, want := range map[civil.Range]int{
		days("2026-10-01", "2026-10-31"): 0, days("2026-10-01", "2026-11-01"): 1, days("2026-11-05", "2026-11-05"): 1,
		days("2026-11-10", "2026-12-01"): 1, days("2026-11-11", "2026-12-01"): 0,
	} {
		if got := control.AnnotationsIn([]control.Annotation{one}, period); len(got) != want {
			t.Errorf("%d annotations in %s, want %d", len(got), period, want)
		}
	}
}

func TestSavedReportsAreChecked(t *testing.T) {
	t.Parallel()
	arguments := func(bytes int) json.RawMessage {
		return json.RawMessage(`{"a":"` + strings.Repeat("x", bytes-len(`{"a":""}`)) + `"}`)
	}
	for name, c := range map[string]struct {
		report control.SavedReport
		want   string // "": accepted
	}{
		"complete":          {control.SavedReport{Name: "Week", Tool: "get_summary", Arguments: json.RawMessage(`{"a":1}`)}, ""},
		"4,096 bytes":       {control.SavedReport{Name: "Week", Tool: "get_summary", Arguments: arguments(4096)}, ""},
		"4,097 bytes":       {control.SavedReport{Name: "Week", Tool: "get_summary", Arguments: arguments(4097)}, "arguments have 4097 bytes; the maximum is 4096"},
		"no name":           {control.SavedReport{Tool: "get_summary"}, "the name is missing"},
		"no tool":           {control.SavedReport{Name: "Week"}, "tool is required"},
		"a list":            {control.SavedReport{Name: "Week", Tool: "get_summary", Arguments: json.RawMessage(`[]`)}, "arguments must be an object"},
		"incomplete object": {control.SavedReport{Name: "Week", Tool: "get_summary", Arguments: json.RawMessage(`{`)}, "arguments must be an object"},
	} {
		if _, err := c.report.Checked(); c.want == "" && err != nil || c.want != "" && !rejects(err, c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	got, err := control.SavedReport{Name: " Week ", Tool: "get_summary", Arguments: json.RawMessage("{ \"a\" : 1 }\n")}.Checked()
	if err != nil || got.Name != "Week" || string(got.Arguments) != `{"a":1}` || !strings.HasPrefix(string(got.ID), "report-") || len(got.ID) != len("report-")+12 {
		t.Errorf("defaults: %+v, %v", got, err)
	}
	plain, err := control.SavedReport{ID: "mine", Name: "Week", Tool: "get_summary"}.Checked()
	if err != nil || plain.ID != "mine" || string(plain.Arguments) != "{}" {
		t.Errorf("without arguments: %+v, %v", plain, err)
	}
	for name, c := range map[string]struct {
		change func(*control.SavedReport)
		same   bool
	}{
		"another author":    {func(r *control.SavedReport) { r.ID, r.Author = "b", "user:u2" }, true},
		"another name":      {func(r *control.SavedReport) { r.Name = "Month" }, false},
		"another tool":      {func(r *control.SavedReport) { r.Tool = "get_ltv" }, false},
		"another arguments": {func(r *control.SavedReport) { r.Arguments = json.RawMessage(`{"a":2}`) }, false},
	} {
		other := got
		c.change(&other)
		if got.Same(other) != c.same {
			t.Errorf("%s: the same report is %t", name, !c.same)
		}
	}
}

func TestDismissedInsightsAreChecked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		insight control.DismissedInsight
		want    string // "": accepted
	}{
		"complete":       {control.DismissedInsight{Insight: "i", Reason: "known"}, ""},
		"longest":        {control.DismissedInsight{Insight: control.InsightID(strings.Repeat("a", 100)), Reason: strings.Repeat("é", 300)}, ""},
		"longer ID":      {control.DismissedInsight{Insight: control.InsightID(strings.Repeat("a", 101))}, "insight_id must be 1 to 100 printable characters"},
		"longer reason":  {control.DismissedInsight{Insight: "i", Reason: strings.Repeat("é", 301)}, "reason has 301 characters; the maximum is 300"},
		"no ID":          {control.DismissedInsight{}, "insight_id must be"},
		"an ID in lines": {control.DismissedInsight{Insight: "a\nb"}, "insight_id must be"},
	} {
		if _, err := c.insight.Checked(); c.want == "" && err != nil || c.want != "" && !rejects(err, c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if got, err := (control.DismissedInsight{Insight: "i", Reason: " known\n"}).Checked(); err != nil || got.Reason != "known" {
		t.Errorf("%q, %v", got.Reason, err)
	}
}

func TestLimitsOfRecords(t *testing.T) {
	t.Parallel()
	got := []int{
		control.MaxAnnotations, control.MaxReports, control.MaxDismissed, control.MaxCosts, control.MinShareDays, control.MaxShareDays, control.MaxShares,
		control.MostUnusable, control.MaxAlertAttempts,
	}
	if want := []int{1000, 200, 1000, 200, 1, 90, 50, 1000, 7}; !slices.Equal(got, want) {
		t.Errorf("limits %v, want %v", got, want)
	}
	if control.KeepAlertMessages != 30*24*time.Hour {
		t.Errorf("alert messages are stored for %s", control.KeepAlertMessages)
	}
}

func TestShareLinksEnd(t *testing.T) {
	t.Parallel()
	end := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	if s := (control.Share{ExpiresAt: end}); !s.Valid(end.Add(-1)) || s.Valid(end) {
		t.Error("a share link is not valid until its end")
	}
}

// 2026-11-16 is a Monday.
func TestTheLastWeekIsMondayToSunday(t *testing.T) {
	t.Parallel()
	for today, want := range map[string]string{
		"2026-11-15": "2026-11-02 to 2026-11-08", "2026-11-16": "2026-11-09 to 2026-11-15", "2026-11-22": "2026-11-09 to 2026-11-15",
	} {
		if got := control.LastWeek(civil.MustParse(today)).String(); got != want {
			t.Errorf("on %s: %s, want %s", today, got, want)
		}
	}
}

func TestCostsAreInTheCurrencyOfTheWorkspace(t *testing.T) {
	t.Parallel()
	fee := measure.CostRule{Kind: measure.PaymentFee, Share: 29_000, Fixed: usd(30)}
	if err := control.CheckCost(fee, "USD"); err != nil {
		t.Error(err)
	}
	if err := control.CheckCost(fee, "EUR"); !rejects(err, "the amount per order is in USD, but the workspace's currency is EUR") {
		t.Errorf("in EUR: %v", err)
	}
	fee.Fixed = usd(1)
	if err := control.CheckCost(fee, "EUR"); !rejects(err, "in USD") {
		t.Errorf("a cent in EUR: %v", err)
	}
	fee.Fixed = usd(0)
	if err := control.CheckCost(fee, "EUR"); err != nil {
		t.Errorf("only a share: %v", err)
	}
	fee.Kind = "rent"
	if err := control.CheckCost(fee, "USD"); !rejects(err, `"rent" is not a kind of cost`) {
		t.Errorf("rent: %v", err)
	}
}

func TestKindsAreListedOnce(t *testing.T) {
	t.Parallel()
	kinds := control.EventKinds()
	seen := slices.Compact(slices.Sorted(slices.Values(kinds)))
	if len(seen) != len(kinds) || slices.Contains(kinds, "") {
		t.Errorf("%d kinds of events, of which %d differ", len(kinds), len(seen))
	}
	if got := control.CallStatuses(); !slices.Equal(got, []control.CallStatus{"ok", "error", "refused"}) {
		t.Errorf("statuses of calls: %q", got)
	}
}

func TestExperimentsWithTheSamePlan(t *testing.T) {
	t.Parallel()
	one := experimentOf(28)
	for name, c := range map[string]struct {
		change func(*control.Experiment)
		same   bool
	}{
		"another status":     {func(e *control.Experiment) { e.ID, e.Status, e.Version = "two", control.ExperimentRunning, 7 }, true},
		"another name":       {func(e *control.Experiment) { e.Name = "Test" }, false},
		"another hypothesis": {func(e *control.Experiment) { e.Hypothesis = "more" }, false},
		"another kind":       {func(e *control.Experiment) { e.Kind = control.LiftStudy }, false},
		"another channel":    {func(e *control.Experiment) { e.Channel = "tiktok" }, false},
		"other days":         {func(e *control.Experiment) { e.Days.Last = e.Days.First }, false},
		"treated regions":    {func(e *control.Experiment) { e.Treated = []string{"NY"} }, false},
		"control regions":    {func(e *control.Experiment) { e.HeldOut = []string{"NY"} }, false},
	} {
		other := one
		c.change(&other)
		if one.SamePlan(other) != c.same {
			t.Errorf("%s: the same plan is %t", name, !c.same)
		}
	}
	for status, open := range map[control.ExperimentStatus]bool{
		control.ExperimentDraft: true, control.ExperimentPlanned: true, control.ExperimentRunning: true, control.ExperimentCompleted: false,
		control.ExperimentCancelled: false,
	} {
		if status.Open() != open {
			t.Errorf("%s is open: %t", status, !open)
		}
	}
}
