package lab_test

import (
	"math"
	"strings"
	"testing"

	"assay/internal/lab"
)

func TestCreditsMatchThePublishedTables(t *testing.T) {
	t.Parallel()
	l := shared(t, "attribution/channelattribution_pathdata.csv")
	// Conversions and value by channel are from the README next to the data. The results of rule-based models must
	// match the printed digits. The Markov chain is solved by linear algebra, so its tolerance is larger.
	cases := []struct {
		model, channel     string
		conversions, value float64
		digits             float64
	}{
		{"first", "eta", 3164, 11909.4762130, 1e-7},
		{"last", "alpha", 8447, 28414.2142744, 1e-7},
		{"linear", "iota", 3857.096221018, 15988.988995024, 1e-7},
		{"linear", "mi", 2.222222222, 6.081444444, 1e-7},
		{"markov:1", "eta", 3340.847402, 74802.97158721 * 3340.847402 / 19785, 2e-5},
		{"markov:1", "mi", 1.722425, 74802.97158721 * 1.722425 / 19785, 2e-5},
	}
	for _, c := range cases {
		report, err := lab.Attribution{
			Path: "path", Conversions: "total_conversions", Value: "total_conversion_value", Null: "total_null", Model: c.model,
		}.Run(l)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range report.Channels {
			if string(row.Channel) == c.channel &&
				!(math.Abs(row.Conversions-c.conversions) <= c.digits && math.Abs(*row.Value-c.value) <= c.digits) {
				t.Errorf("%s %s: %.9f conversions, value %.9f; want %v, %v",
					c.model, c.channel, row.Conversions, *row.Value, c.conversions, c.value)
			}
		}
		if len(report.Channels) != 12 {
			t.Errorf("%s: %d channels, want 12", c.model, len(report.Channels))
		}
	}
}

func TestCreditsOfATextbookExample(t *testing.T) {
	t.Parallel()
	// analyzecore.com 2016, part 1: with removal effects of 0.5, 1 and 1, one conversion is split into 0.2, 0.4 and
	// 0.4.
	l := table(t, "p,c,n\nC1 > C2 > C3,1,0\nC1,0,1\nC2 > C3,0,1\n")
	report, err := lab.Attribution{Path: "p", Conversions: "c", Null: "n", Model: "markov:1"}.Run(l)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{.2, .4, .4} {
		if got := report.Channels[i]; math.Abs(got.Conversions-want) > 1e-12 || got.Value != nil {
			t.Errorf("%s: %v conversions and value %v, want %v and none", got.Channel, got.Conversions, got.Value, want)
		}
	}
}

func TestInvalidPathsAreRejected(t *testing.T) {
	t.Parallel()
	cases := []struct{ text, model, want string }{
		{"p,c,v\na > ,1,1\n", "first", `t.csv:2: column "p": "a > " has a touchpoint without a channel`},
		{"p,c,v\na,1,1\nb,0,2\n", "first", `t.csv:3: column "v": "2" is the value of a path without a conversion`},
		{"p,c,v\na,-1,1\n", "first", `t.csv:2: column "c": "-1" is not a number of at least 0`},
		{"p,c,v\na,1,1\n", "markov:9", `unknown attribution model "markov:9"`},
	}
	for _, c := range cases {
		_, err := lab.Attribution{Path: "p", Conversions: "c", Value: "v", Model: c.model}.Run(table(t, c.text))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

func TestPathsWithoutConversionsAreNotReportable(t *testing.T) {
	t.Parallel()
	report, err := lab.Attribution{Path: "p", Conversions: "c", Model: "shapley"}.Run(table(t, "p,c\na > b,0\n"))
	if err != nil || report.Reportable() {
		t.Fatalf("%+v, %v; want a report that is not reportable", report, err)
	}
	if d := document(t, report); d["status"] != "not_reportable" || len(d["reasons"].([]any)) != 1 {
		t.Errorf("printed output is %v", d)
	}
}
