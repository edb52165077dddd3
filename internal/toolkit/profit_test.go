package toolkit_test

import (
	"strings"
	"testing"

	"assay/internal/answer"
	"assay/internal/measure/mix"
	"assay/internal/measure/stats"
	"assay/internal/toolkit"
)

// The amounts are per year; the answer is per month.
func TestProfitOfAPlan(t *testing.T) {
	t.Parallel()
	summary := func(mean float64) stats.Summary { return stats.Summary{Mean: mean, Q05: mean - 120, Q95: mean + 240} }
	call := callOf()
	for _, c := range []struct {
		name    string
		profit  *mix.Profit
		summary string
		warning string
	}{
		{"unknown costs", nil, "", ""},
		{"a gain", &mix.Profit{Change: summary(1200), Pays: 0.875}, " Contribution after spend changes by +USD 100.00 (90% interval +USD 90.00 to +USD 120.00; probability of a gain 88%).", ""},
		{"a loss", &mix.Profit{Change: summary(-1200), Pays: 0.1}, " Contribution after spend changes by -USD 100.00 (90% interval -USD 110.00 to -USD 80.00; probability of a gain 10%).", "The allocation is expected to lower contribution after spend by USD 100.00."},
	} {
		got := toolkit.PlanStart{}.ProfitOf(&mix.Plan{Profit: c.profit}, 1.0/12)
		if text := call.ProfitSummary(got); text != c.summary {
			t.Errorf("%s: %q, want %q", c.name, text, c.summary)
		}
		var a answer.Closing
		call.WarnProfit(&a, got)
		var text []string
		for _, w := range a.Warnings {
			text = append(text, w.Text)
		}
		if strings.Join(text, " ") != c.warning {
			t.Errorf("%s: warns %q, want %q", c.name, text, c.warning)
		}
	}
	one := answer.Ratio(1.53)
	if got := toolkit.BreakEvenWords(toolkit.ProfitMetrics{}); got != "" {
		t.Errorf("an unknown break-even ROAS is %q", got)
	}
	if got := toolkit.BreakEvenWords(toolkit.ProfitMetrics{BreakEven: &answer.Metric[answer.Ratio]{Value: &one}}); got != " (break-even 1.53)" {
		t.Errorf("a break-even ROAS is %q", got)
	}
}
