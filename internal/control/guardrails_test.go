package control_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/money"
)

func usd(minor int64) money.Amount { return money.Amount{Minor: minor, Currency: "USD"} }

func TestHoursOfTheDay(t *testing.T) {
	t.Parallel()
	all := func(int) bool { return true }
	for text, want := range map[string]func(hour int) bool{
		"none": all, "8-20": func(h int) bool { return h >= 8 && h <= 19 }, "22-6": func(h int) bool { return h >= 22 || h <= 5 },
		"0-24": all, "0-1": func(h int) bool { return h == 0 }, "23-0": func(h int) bool { return h == 23 }, "1-0": func(h int) bool { return h >= 1 },
	} {
		hours, err := control.ParseHours(" " + text + "\n")
		if err != nil || hours.String() != text || hours.Set() != (text != "none") {
			t.Errorf("%q is %s, %v", text, hours, err)
		}
		for hour := range 24 {
			if hours.Contain(hour) != want(hour) {
				t.Errorf("%s contains hour %d: %t", text, hour, !want(hour))
			}
		}
	}
	for _, text := range []string{"", "8", "8-8", "0-0x", "-1-8", "24-8", "8-25", "a-8", "8-b", "8-", "8 - 20"} {
		hours, err := control.ParseHours(text)
		if _, hint, _ := fault.Public(err); hours.Set() || fault.KindOf(err) != fault.KindInvalid || !strings.Contains(hint, "8-20 or 22-6, or none") {
			t.Errorf("%q is %s, %v, want a fault of kind invalid", text, hours, err)
		}
	}
}

func TestGuardrailsAtTheirLimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*control.Guardrails)
		want   string // "": accepted
	}{
		"as new":                {func(*control.Guardrails) {}, ""},
		"no step":               {func(g *control.Guardrails) { g.StepPct = 0 }, ""},
		"largest step":          {func(g *control.Guardrails) { g.StepPct = 1000 }, ""},
		"larger step":           {func(g *control.Guardrails) { g.StepPct = 1000.5 }, "max-step-pct: 1000.5 is not a percentage from 0 to 1000"},
		"negative step":         {func(g *control.Guardrails) { g.StepPct = -0.5 }, "max-step-pct: -0.5"},
		"step without a number": {func(g *control.Guardrails) { g.StepPct = math.NaN() }, "max-step-pct: NaN"},
		"no counts":             {func(g *control.Guardrails) { g.PerHour, g.PerDay = 0, 0 }, ""},
		"largest counts":        {func(g *control.Guardrails) { g.PerHour, g.PerDay = 1000, 1000 }, ""},
		"more in an hour":       {func(g *control.Guardrails) { g.PerHour = 1001 }, "per-hour: 1001 is not a number from 1 to 1000"},
		"more in a day":         {func(g *control.Guardrails) { g.PerDay = 1001 }, "per-day: 1001 is not a number from 1 to 1000"},
		"less in an hour":       {func(g *control.Guardrails) { g.PerHour = -1 }, "per-hour: -1"},
		"less in a day":         {func(g *control.Guardrails) { g.PerDay = -1 }, "per-day: -1"},
		"a cent":                {func(g *control.Guardrails) { g.Floor, g.Ceiling, g.ApproveAbove = usd(1), usd(1), usd(1) }, ""},
		"no floor":              {func(g *control.Guardrails) { g.Floor = usd(0) }, "floor: USD 0.00 is not a positive amount"},
		"negative ceiling":      {func(g *control.Guardrails) { g.Ceiling = usd(-1) }, "ceiling: -USD 0.01 is not a positive amount"},
		"no currency":           {func(g *control.Guardrails) { g.ApproveAbove = money.Amount{Minor: 1} }, "approve-above: "},
		"floor above ceiling":   {func(g *control.Guardrails) { g.Floor, g.Ceiling = usd(5001), usd(5000) }, "floor: USD 50.01 is above the ceiling of USD 50.00"},
		"floor of two cents":    {func(g *control.Guardrails) { g.Floor, g.Ceiling = usd(2), usd(1) }, "floor: USD 0.02 is above the ceiling of USD 0.01"},
		"floor without ceiling": {func(g *control.Guardrails) { g.Floor = usd(5000) }, ""},
		"ceiling without floor": {func(g *control.Guardrails) { g.Ceiling = usd(5000) }, ""},
		"two currencies": {func(g *control.Guardrails) {
			g.Floor, g.Ceiling = usd(5001), money.Amount{Minor: 5000, Currency: "EUR"}
		}, ""},
		"last hours":        {func(g *control.Guardrails) { g.Hours = control.Hours{From: 23, To: 24} }, ""},
		"an hour of no day": {func(g *control.Guardrails) { g.Hours = control.Hours{From: 24, To: 1} }, "hours: 24-1 is not a range of hours"},
		"hour 25":           {func(g *control.Guardrails) { g.Hours = control.Hours{From: 1, To: 25} }, "hours: 1-25"},
		"negative hour":     {func(g *control.Guardrails) { g.Hours = control.Hours{From: -1, To: 2} }, "hours: -1-2"},
		"negative end":      {func(g *control.Guardrails) { g.Hours = control.Hours{From: 1, To: -1} }, "hours: 1--1"},
		"no hours":          {func(g *control.Guardrails) { g.Hours = control.Hours{From: 7, To: 7} }, "hours: 7-7"},
	} {
		g := control.NewGuardrails("acme")
		c.change(&g)
		err := g.Check()
		if c.want == "" && err != nil || c.want != "" && (fault.KindOf(err) != fault.KindInvalid || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestGuardrailsAreListedAsTheyAreSet(t *testing.T) {
	t.Parallel()
	initial := control.NewGuardrails("acme")
	want := []control.Limit{
		{"max-step-pct", "20%"},
		{"floor", "none"},
		{"ceiling", "none"},
		{"per-hour", "3"},
		{"per-day", "10"},
		{"hours", "none"},
		{"stop", "false"},
		{"preview-first", "false"},
		{"approve-above", "none"},
	}
	if diff := cmp.Diff(want, initial.Limits()); diff != "" || initial.Workspace != "acme" || initial.Version != 0 {
		t.Errorf("%+v (-want +got):\n%s", initial, diff)
	}
	g := control.Guardrails{
		StepPct: 0.5, Floor: usd(500), Ceiling: usd(50000), PerDay: 1, Hours: control.Hours{From: 8, To: 20}, Stop: true, PreviewFirst: true, ApproveAbove: usd(10000),
	}
	const changes = "max-step-pct: 0.5%, was 20%; floor: USD 5.00, was none; ceiling: USD 500.00, was none; per-hour: none, was 3; per-day: 1, was 10; " +
		"hours: 8-20, was none; stop: true, was false; preview-first: true, was false; approve-above: USD 100.00, was none"
	if got := g.Differences(initial); got != changes {
		t.Errorf("%s, want %s", got, changes)
	}
	if got := (control.Guardrails{}).Differences(control.Guardrails{StepPct: 20}); got != "max-step-pct: none, was 20%" {
		t.Errorf("%s", got)
	}
	if got := g.Differences(g); got != "" {
		t.Errorf("no change: %q", got)
	}
}
