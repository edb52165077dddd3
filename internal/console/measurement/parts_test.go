package measurement

import (
	"math"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/civil"
	"assay/internal/console/frame"
	"assay/internal/control"
	"assay/internal/measure/mix"
	"assay/internal/measure/mmm"
	"assay/internal/pacing"
	"assay/internal/snapshot"
)

func TestPastForecastsNameTheirHorizonAndMetric(t *testing.T) {
	t.Parallel()
	for days, want := range map[int]string{0: "rest of period", 1: "1 day", 2: "2 days", 30: "30 days"} {
		if got := (pastRow{pacing.Accuracy{Days: days}}).Of(); got != want {
			t.Errorf("a horizon of %d days is %q, want %q", days, got, want)
		}
	}
	for metric, want := range map[snapshot.Metric]string{snapshot.ROAS: "ROAS", snapshot.Orders: "Orders", "visits": "visits"} {
		if got := (pastRow{pacing.Accuracy{Metric: metric}}).Name(); got != want {
			t.Errorf("the metric %s has the name %q, want %q", metric, got, want)
		}
	}
}

func TestTheVerdictOfAModelStatesItsChecks(t *testing.T) {
	t.Parallel()
	const (
		unknown = "Holdout: the out-of-sample error is unknown, because the fit without the last 8 weeks of data did not converge or was not computed."
		limits  = "These checks do not prove causality. Spend that follows demand can appear to cause demand. Only an experiment can measure the effect of spend."
	)
	all := mix.Model{
		Weeks: 104, Accuracy: &mmm.Accuracy{R2: 0.914, WMAPE: 0.0523}, Holdout: &mmm.Accuracy{WMAPE: 0.1046},
		Diagnostics: &mmm.Diagnostics{RHatMax: 1.0044, ESSBulkMin: 911.6, ESSTailMin: 1200},
	}
	divergent := mix.Model{Diagnostics: &mmm.Diagnostics{RHatMax: 1.02, ESSBulkMin: 800, ESSTailMin: 399.7, Divergences: 3}}
	for name, c := range map[string]struct {
		model mix.Model
		want  []string
	}{
		"all checks": {all, []string{
			"The sampler converged. The maximum R-hat is 1.004 (limit 1.01). The minimum effective sample size (ESS) is 912 (required: 400). Divergent transitions: none (none allowed).",
			"In-sample fit: R² is 91% over 104 weeks. The weekly error (WMAPE) is 5.2%.",
			"Holdout: a fit without the last 8 weeks of data predicts these weeks with an out-of-sample error (WMAPE) of 10.5%.", limits,
		}},
		"divergences and few draws in the tails": {divergent, []string{
			"The sampler converged. The maximum R-hat is 1.020 (limit 1.01). The minimum effective sample size (ESS) is 400 (required: 400). Divergent transitions: 3 (none allowed).",
			unknown, limits,
		}},
		"no checks": {mix.Model{}, []string{unknown, limits}},
	} {
		if diff := cmp.Diff(c.want, verdict(&c.model)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// The window of the model ends on Sunday, March 1, 2026, so weeks begin on March 2, 9 and 16.
func TestTheNextWeekOfTheModelIsNotInThePast(t *testing.T) {
	t.Parallel()
	last := civil.MustParse("2026-03-01")
	for _, c := range []struct{ now, zone, want string }{
		{"2026-02-20T12:00:00Z", "UTC", "2026-03-02"},
		{"2026-03-01T12:00:00Z", "UTC", "2026-03-02"},
		{"2026-03-02T12:00:00Z", "UTC", "2026-03-02"},
		{"2026-03-03T12:00:00Z", "UTC", "2026-03-09"},
		{"2026-03-09T12:00:00Z", "UTC", "2026-03-09"},
		{"2026-03-10T03:00:00Z", "UTC", "2026-03-16"},
		{"2026-03-10T03:00:00Z", "America/New_York", "2026-03-09"}, // March 9 in New York
	} {
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		if got := nextWeek(last, now, control.Workspace{Zone: c.zone}); got != civil.MustParse(c.want) {
			t.Errorf("at %s in %s the next week begins on %s, want %s", c.now, c.zone, got, c.want)
		}
	}
}

func TestTheStepOfThePlanIsReadFromTheQuery(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]planStep{
		"": channelStep, "step=3": channelStep, "channel=+&step=3": channelStep,
		"channel=google": designStep, "channel=google&step=": designStep, "channel=google&step=x": designStep, "channel=google&step=2.5": designStep,
		"channel=google&step=0": designStep, "channel=google&step=-1": designStep, "channel=google&step=6": designStep,
		"channel=google&step=99999999999999999999": designStep,
		"channel=google&step=1":                    channelStep, "channel=google&step=2": designStep, "channel=google&step=3": regionStep,
		"channel=google&step=4": dateStep, "channel=google&step=5": checkStep,
	} {
		asked, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		if got := stepIn(asked); got != want {
			t.Errorf("%q is step %d, want %d", query, got, want)
		}
	}
}

// Google falls to its limit of $1,500, and facebook rises to less than its limit of $3,900.
func TestTheOptimizerPageListsTheFactsOfTheAllocation(t *testing.T) {
	t.Parallel()
	a := &allocation{
		Budget: 5000, Spend: 5000, BoundsPct: 30, Advice: "shift", Test: "tiktok", Better: 97, Lift: interval{400, 100, 700},
		Reasons: []string{"the interval excludes zero"}, Gap: new(0.00123), Warnings: []string{"The model is old."},
		Rows: []allocated{
			{Channel: "google", Current: 2000, Proposed: 1400, Marginal: 0.8}, {Channel: "facebook", Current: 3000, Proposed: 3600, Marginal: 1.6, Right: new(91.0)},
		},
	}
	of := func(channels ...string) (members []planMember) {
		for _, channel := range []string{"facebook", "google"} {
			in := len(channels) == 0
			for _, c := range channels {
				in = in || c == channel
			}
			members = append(members, planMember{Channel: channel, In: in})
		}
		return members
	}
	v := optimizerView{Plan: &planView{Groups: []planGroup{{Field: "group1", N: 1, Name: "All ads", Members: of()}, {Field: "group2", N: 2, Members: of("google")}}}}
	v.Workspace = control.Workspace{ID: "acme", Currency: "USD"}
	v.fill(a)
	facts := map[string]frame.Fact{}
	for _, f := range v.Facts {
		facts[f.Name] = f
	}
	for _, want := range []frame.Fact{
		{Name: "Recommendation", Value: "Shift", Tone: "good"},
		{Name: "Probability of more revenue", Value: "97%"},
		{Name: "Spend", Value: "$5,000 → $5,000"},
		{Name: "Channels at a limit", Value: "1 of 2"},
		{Name: "Channel to test first", Value: frame.ChannelName("tiktok"), Href: "/experiments/plan?channel=tiktok&workspace=acme"},
	} {
		if got := facts[want.Name]; got != want {
			t.Errorf("%s is %+v, want %+v", want.Name, got, want)
		}
	}
	wantReasons := []string{
		"The interval excludes zero.", "Compared with the best possible allocation within the spend limits, the risk-adjusted expected result of this allocation is lower by at most 0.0012%.",
		"The proposed combined spend of All ads is $5,000 per month.", "The proposed combined spend of group 2 is $1,400 per month.",
	}
	if diff := cmp.Diff(wantReasons, v.Reasons); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
	if len(v.Rows) != 2 || v.Rows[0].Channel != "facebook" || v.Rows[0].AtBound || !v.Rows[1].AtBound || v.Rows[0].Right != "91%" || v.Rows[1].Right != "" {
		t.Errorf("rows %+v, want facebook with the larger spend first and google at its limit", v.Rows)
	}
	if v.Total.Current != "$5,000" || v.Total.Proposed != "$5,000" || v.Bounds != "30" || !strings.Contains(strings.Join(v.Warnings, ""), "The model is old.") {
		t.Errorf("the total is %+v, the bounds %s, warnings %q", v.Total, v.Bounds, v.Warnings)
	}
	a.Test, a.Gap, a.Reasons = "", nil, nil
	none := optimizerView{Plan: &planView{}}
	none.fill(a)
	for _, f := range none.Facts {
		if f.Name == "Channel to test first" {
			t.Errorf("without a channel to test, the facts contain %+v", f)
		}
	}
	if len(none.Reasons) != 0 {
		t.Errorf("without reasons, the page has %q", none.Reasons)
	}
	if math.Abs(a.moved()-600) > 1e-9 {
		t.Errorf("the allocation moves %v, want 600", a.moved())
	}
}
