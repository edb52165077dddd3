package health

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure/mix"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// modelCall returns a call on March 10 with an active model of two channels.
func modelCall(t *testing.T) *toolkit.Call {
	t.Helper()
	days := func(first, last string) civil.Range {
		return civil.Range{First: civil.MustParse(first), Last: civil.MustParse(last)}
	}
	w := control.Workspace{ID: "shop", Currency: "USD", Zone: "UTC"}
	s := &snapshot.Snapshot{
		State: snapshot.State{Today: civil.MustParse("2026-03-10"), Workspace: w},
		Store: snapshot.Contents{Coverage: warehouse.Coverage{OrderDays: days("2024-01-01", "2026-03-09")}},
	}
	s.MMM.Model = modelFrom(t, `{
		"version": 3, "status": "active", "window": {"first": "2024-03-11", "last": "2026-03-09"}, "weeks": 104,
		"effects": [{"channel": "facebook"}, {"channel": "google"}]
	}`)
	s.MMM.Model.Settings = w.ModelSettings()
	return &toolkit.Call{Snapshot: s, Tools: []toolkit.Spec{{Name: "optimization", Model: true}, {Name: "performance"}, {Name: "mmm", Model: true}}}
}

// modelFrom decodes a stored model.
func modelFrom(t *testing.T, text string) *mix.Model {
	t.Helper()
	var m mix.Model
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	return &m
}

// calibratedBy adds a completed experiment with a z-score against the observational fit.
func calibratedBy(t *testing.T, id string, zScore float64) func(*toolkit.Call) {
	t.Helper()
	found := modelFrom(t, fmt.Sprintf(`{"tests": [{
		"id": %q, "channel": "facebook", "days": {"first": "2026-01-01", "last": "2026-01-28"}, "lift": {"delta_x": 100, "delta_y": 250, "sigma": 50},
		"alone": {"change": {"mean": 500, "q05": 400, "q95": 600, "sd": 60}, "apart": %g}
	}]}`, id, zScore))
	return func(c *toolkit.Call) { c.MMM.Model.Tests = append(c.MMM.Model.Tests, found.Tests...) }
}

func TestDiagnoseReportsTheModel(t *testing.T) {
	t.Parallel()
	const (
		active  = "Model 3 is active. The model is fitted to 2 channels and 104 weeks from 2024-03-11"
		train   = "assay train mmm --workspace shop"
		correct = "Correct the cause, then run " + train
		newer   = "a newer training of the media mix model was rejected."
	)
	refused := modelFrom(t, `{"version": 4, "status": "refused", "reasons": [{"text": "too few weeks", "remedy": "import more"}]}`)
	agrees, contradicts := calibratedBy(t, "first", 0.2), calibratedBy(t, "second", -3.2)
	for name, c := range map[string]struct {
		change func(*toolkit.Call)
		want   Severity
		parts  []string // parts of the finding
		not    string   // text that the finding does not contain
		fix    string
		line   string // in a summary; "": the finding
	}{
		"no model": {
			change: func(c *toolkit.Call) { c.MMM = mix.Held{} }, want: SeverityInfo,
			parts: []string{"There is no trained media mix model.", "require a model: optimization, mmm."}, fix: "Train a model: " + train,
		},
		"a first training": {
			change: func(c *toolkit.Call) { c.MMM = mix.Held{Training: true, DonePct: 42} }, want: SeverityInfo, parts: []string{"42% done"}, fix: "Try again in a minute.",
		},
		"an active model": {change: func(*toolkit.Call) {}, want: SeverityOK, parts: []string{active}, not: "Since the training"},
		"changed data": {
			change: func(c *toolkit.Call) { c.MMM.Drift = mix.Drift{Of: "revenue", Share: 0.0005} }, want: SeverityOK,
			parts: []string{active, " Since the training, the data in the training window have changed, mainly revenue by 0.05%."},
		},
		"an experiment that agrees": {
			change: agrees, want: SeverityOK, parts: []string{active, " 1 geo experiment calibrates the model."}, not: "contradict",
		},
		"an experiment that contradicts the fit": {
			change: func(c *toolkit.Call) { agrees(c); contradicts(c) }, want: SeverityWarning, parts: []string{active, "2 geo experiments", "experiment_id=second"}, not: "experiment_id=first",
			fix: "Check the experiment, and check whether the channel's spend follows demand.", line: "a geo experiment contradicts the media mix model.",
		},
		"a stale model": {
			change: func(c *toolkit.Call) { c.MMM.NewTests = []string{"a new experiment"} }, want: SeverityWarning,
			parts: []string{"The model is stale: ", "a new experiment"}, fix: "Train a model: " + train, line: "the media mix model is stale.",
		},
		"a rejected model": {
			change: func(c *toolkit.Call) { c.MMM.Model = refused }, want: SeverityWarning,
			parts: []string{"The model was rejected: too few weeks; import more."}, fix: correct, line: "the media mix model was rejected.",
		},
		"a rejected newer training": {
			change: func(c *toolkit.Call) { c.MMM.Attempt = refused }, want: SeverityWarning,
			parts: []string{active, " Model 3 remains in use. A newer training (model 4"}, fix: correct, line: newer,
		},
		"a training after a rejected training": {
			change: func(c *toolkit.Call) { c.MMM.Attempt, c.MMM.Training = refused, true }, want: SeverityInfo, parts: []string{"is being trained"}, not: "rejected",
			fix: "Try again in a minute.",
		},
	} {
		call := modelCall(t)
		c.change(call)
		got := checkModel(call)
		line := c.line
		if line == "" {
			line = got.Finding
		}
		if got.Check != "mmm_model" || got.Severity != c.want || got.Fix != c.fix || got.Line() != line {
			t.Errorf("%s: %+v with the line %q; want %s, the fix %q and the line %q", name, got, got.Line(), c.want, c.fix, line)
		}
		for _, part := range c.parts {
			if !strings.Contains(got.Finding, part) {
				t.Errorf("%s: %q does not contain %q", name, got.Finding, part)
			}
		}
		if c.not != "" && strings.Contains(got.Finding, c.not) {
			t.Errorf("%s: %q contains %q", name, got.Finding, c.not)
		}
	}
}
