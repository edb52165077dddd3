package performance

import (
	"net/url"
	"testing"

	answers "assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/console/frame"
	"assay/internal/health"
	"assay/internal/pacing"
	"assay/internal/toolkit"
	"assay/internal/tools"
)

func TestSentencesOnChangesIgnoreNoise(t *testing.T) {
	t.Parallel()
	text := func(x answers.Ratio) string { return frame.Figure(x, 2) }
	for want, change := range map[string]*answers.Percent{
		"": nil, "ROAS is unchanged at 2.00.": new(answers.Percent(0.49)), "ROAS rose 0.5% to 2.00.": new(answers.Percent(0.5)),
		"ROAS fell 0.5% to 2.00.": new(answers.Percent(-0.5)), "ROAS fell 12.3% to 2.00.": new(answers.Percent(-12.34)),
	} {
		if got := moved("ROAS", answers.Metric[answers.Ratio]{Value: new(answers.Ratio(2)), ChangePct: change}, text); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestLowerCostsAreAnImprovement(t *testing.T) {
	t.Parallel()
	for good, want := range map[direction]string{moreIsBetter: "good", lessIsBetter: "bad", neutral: ""} {
		if got := changeOf(3, "3.0%", good); got.Tone != want || got.Text != "↑ 3.0%" {
			t.Errorf("direction %d: %+v, want the tone %q", good, got, want)
		}
	}
}

func TestPaceHasAStatusAndATone(t *testing.T) {
	t.Parallel()
	for status, want := range map[pacing.Status][2]string{
		pacing.OnTrack: {"On track", "good"}, pacing.Met: {"On track", "good"}, pacing.AtRisk: {"At risk", "warning"}, pacing.OffTrack: {"Off track", "bad"},
		pacing.Missed: {"Off track", "bad"}, pacing.Upcoming: {"", ""}, pacing.OverBudget: {"", ""},
	} {
		if text, tone := paceStatus(status); text != want[0] || tone != want[1] {
			t.Errorf("%s: %q and the tone %q, want %q", status, text, tone, want)
		}
	}
}

func TestSourcesStateHowOldTheyAre(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		connection health.Connection
		text, tone string
	}{
		{health.Connection{Status: "stale", Behind: new(1)}, "1 day behind", "warning"},
		{health.Connection{Status: "stale", Behind: new(12)}, "12 days behind", "warning"},
		{health.Connection{Status: "gaps", Missing: 3, Behind: new(1)}, "missing days: 3", "warning"},
		{health.Connection{Status: "current", Behind: new(1)}, "Current", "good"},
	} {
		if got := freshnessTag(c.connection); got.Text != c.text || got.Tone != c.tone || !got.Tag {
			t.Errorf("%+v: %+v, want %q", c.connection, got, c.text)
		}
	}
}

func judged(pays *answers.Percent, verdict string) (row tools.CampaignRow) {
	row.PaysPct, row.Verdict = pays, verdict
	return row
}

func TestVerdictsHaveTones(t *testing.T) {
	t.Parallel()
	for verdict, tone := range map[string]string{toolkit.ScaleCampaign: "good", toolkit.CutCampaign: "bad", toolkit.KeepCampaign: ""} {
		if got := verdictCell(judged(new(answers.Percent(50)), verdict)); got.Text != verdict || got.Tone != tone || !got.Tag {
			t.Errorf("%s: %+v, want the tone %q", verdict, got, tone)
		}
	}
	if got := verdictCell(judged(nil, toolkit.CutCampaign)); !got.Missing {
		t.Errorf("without a probability: %+v, want none", got)
	}
}

func TestFiltersOfALinkAreDescribed(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"": "Last 30 days", "range=7d&channel=google": "Last 7 days · Google Ads", "range=no&compare=previous": "Last 30 days",
		"start=2026-10-01&end=2026-10-31&compare=year": "2026-10-01 – 2026-10-31 · compared with one year earlier",
		"start=2026-10-01": "2026-10-01 – ", "compare=none&model=shapley": "Last 30 days · no comparison · Shapley value", "model=guess": "Last 30 days",
		"range=last-month&model=markov": "Last month · Markov chain",
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		if got := filterWords(values); got != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
}

func TestPlainValuesBecomeCells(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key   string
		value any
		text  string
	}{
		{"channel", "google", "Google Ads"},
		{"platform", "tiktok", "TikTok Ads"},
		{"title", "google", "google"},
		{"share_pct", 12.34, "12.3%"},
		{"roas", 2.5, "2.50"},
		{"orders", 1200.0, "1,200"},
		{"partial", true, "yes"},
		{"partial", false, "no"},
		{"nested", nil, "none"},
	} {
		if got := plainCell(c.key, c.value); got.Text != c.text || got.Missing != (c.text == "none") {
			t.Errorf("%s %v: %+v, want %q", c.key, c.value, got, c.text)
		}
	}
	for key, want := range map[string]string{"roas": "ROAS", "new_orders": "New orders", "share_pct": "Share"} {
		if got := columnName(key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}

func TestTablesStateWhichRowsTheyHave(t *testing.T) {
	t.Parallel()
	if got := cut(500, 500, "the most revenue"); got != "" {
		t.Errorf("all rows: %q", got)
	}
	const want = "The table and its CSV file contain the 500 of 1,501 rows with the most revenue. Sorting does not include the other rows."
	if got := cut(500, 1501, "the most revenue"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestThePreviousPeriodHasAName(t *testing.T) {
	t.Parallel()
	day := civil.MustParse("2026-11-20")
	for want, f := range map[string]filter{
		"nothing": {Compare: noComparison}, "one year earlier": {Compare: previousYear}, "previous day": {Days: civil.Range{First: day, Last: day}},
		"previous 2 days": {Days: civil.Range{First: day.AddDays(-1), Last: day}},
	} {
		if got := f.Against(); got != want {
			t.Errorf("%+v: %q, want %q", f, got, want)
		}
	}
	year := filter{Compare: previousYear, Days: civil.Range{First: day, Last: day}}
	if got := year.Earlier(); got.First != day.AddDays(-364) || got.Last != day.AddDays(-364) {
		t.Errorf("one year earlier is %+v, want 52 weeks", got)
	}
}

func TestArticlesAreSplitIntoParagraphs(t *testing.T) {
	t.Parallel()
	got := paragraphsOf("# Title\n\nA **bold** `word`.\n\n## Part\n\n- one\n- two\n\n")
	want := []paragraph{{Text: "A bold word."}, {Heading: true, Text: "Part"}, {Item: true, Text: "one"}, {Item: true, Text: "two"}}
	if len(got) != len(want) {
		t.Fatalf("%+v, want %+v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("paragraph %d is %+v, want %+v", i, got[i], want[i])
		}
	}
}
