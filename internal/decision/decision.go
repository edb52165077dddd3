// Package decision ranks recommendations from a store's data: insights, decisions, and a plan for the next days. It
// reads the detectors' input from a snapshot. Each finding gets a priority, an ID and a next call. Dismissed insights
// are omitted. The package makes no changes.
package decision

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/health"
	"assay/internal/measure"
	"assay/internal/measure/detect"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

// Wants are the records that the decisions depend on.
var Wants = snapshot.Wants{Experiments: true, Governance: true}

// Priority is the importance of an insight.
type Priority string

// The priorities, highest first.
const (
	Critical Priority = "critical"
	High     Priority = "high"
	Medium   Priority = "medium"
	Low      Priority = "low"
)

var priorities = []Priority{Critical, High, Medium, Low}

// Insight is a finding with its priority and the recommended action.
type Insight struct {
	ID        control.InsightID              `json:"insight_id"`
	Priority  Priority                       `json:"priority"`
	Kind      detect.Kind                    `json:"kind"`
	Subject   answer.Foreign                 `json:"subject,omitempty" doc:"Name of the channel, campaign, ad, code, product, creator or check; absent for the store."`
	SubjectID answer.Foreign                 `json:"subject_id,omitempty" detail:"analyst" doc:"ID of the subject, if it has a name."`
	Since     civil.Date                     `json:"since,omitzero" doc:"First day of the evidence."`
	Finding   string                         `json:"finding"`
	Action    string                         `json:"action" doc:"Recommended next step."`
	Value     *answer.Estimate[answer.Money] `json:"monthly_value,omitempty" doc:"Expected gain per month if you act on the finding."`
	Certainty *answer.Percent                `json:"confidence_pct,omitempty" detail:"analyst" doc:"Probability that the finding is real."`
	Effort    string                         `json:"effort,omitempty" detail:"analyst" doc:"small: minutes; medium: days; large: weeks."`
	Evidence  []Figure                       `json:"evidence,omitempty" detail:"analyst"`
	Call      *answer.Next                   `json:"call,omitempty" detail:"analyst" doc:"Call that shows or previews the next step."`

	score    float64
	channel  measure.Channel
	severity detect.Severity
}

// Figure is a number that supports an insight.
type Figure struct {
	Name  string      `json:"name"`
	Value float64     `json:"value"`
	Unit  detect.Unit `json:"unit" doc:"money, share (a fraction), ratio or count."`
}

// Results are the findings of the detectors with the data that they used.
type Results struct {
	Store    detect.Store
	findings []detect.Finding
}

// Found returns the findings of the detectors, which run once per state of the data.
func Found(ctx context.Context, c *toolkit.Call) (*Results, error) {
	return snapshot.Shared(ctx, c.Snapshot, "findings", func(ctx context.Context, own *snapshot.Snapshot) (*Results, error) {
		call := *c
		call.Snapshot, call.View.DetailLevel = own, answer.DebugLevel // calls of all detail levels share the findings
		store, err := gather(ctx, &call)
		if err != nil {
			return nil, err
		}
		return &Results{store, detect.Find(store)}, nil
	})
}

// Insights returns the current insights without dismissed insights, the most important first.
func Insights(ctx context.Context, c *toolkit.Call) ([]Insight, *Results, error) {
	found, err := Found(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	all, err := healthInsights(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range found.findings {
		all = append(all, insightOf(c, found.Store, f))
	}
	all = slices.DeleteFunc(all, func(i Insight) bool {
		return slices.ContainsFunc(c.Dismissed, func(d control.DismissedInsight) bool { return d.Insight == i.ID })
	})
	slices.SortStableFunc(all, func(a, b Insight) int {
		return cmp.Or(cmp.Compare(slices.Index(priorities, a.Priority), slices.Index(priorities, b.Priority)), cmp.Compare(b.score, a.score), cmp.Compare(a.ID, b.ID))
	})
	return all, found, nil
}

func insightOf(c *toolkit.Call, s detect.Store, f detect.Finding) Insight {
	w := wordings[f.Kind]
	i := Insight{
		ID: idOf(string(f.Kind), f.Subject, epoch(c, s, f)), Kind: f.Kind, Subject: answer.Foreign(cmp.Or(f.Name, f.Subject)), Since: f.Since,
		Finding: w.say(c, f), Action: w.act, Priority: priorityOf(f, s.Monthly()), Certainty: new(answer.Percent(100 * f.Confidence)),
		Effort: efforts[f.Effort], score: f.Score(), channel: f.Channel, severity: f.Severity,
	}
	if f.Name != "" && f.Name != f.Subject {
		i.SubjectID = answer.Foreign(f.Subject)
	}
	if f.Value != nil {
		i.Value = answer.EstimateOf[answer.Money](*f.Value, 1)
	}
	for _, e := range f.Evidence {
		digits := 2
		if e.Unit == detect.Share {
			digits = 4
		}
		i.Evidence = append(i.Evidence, Figure{e.Name, answer.Decimals(e.Value, digits), e.Unit})
	}
	tool, arguments := w.call(c, f)
	i.Call = next(c, tool, arguments, w.reason)
	return i
}

var efforts = map[detect.Effort]string{detect.Small: "small", detect.Medium: "medium", detect.Large: "large"}

// next returns a suggested tool call, or nil if the caller has no permission for the tool.
func next(c *toolkit.Call, tool string, arguments map[string]any, reason string) *answer.Next {
	var a answer.Closing
	c.Suggest(&a, tool, arguments, reason)
	if len(a.Next) == 0 {
		return nil
	}
	return &a.Next[0]
}

// idOf returns an ID that does not change while the evidence is the same.
func idOf(kind, subject, epoch string) control.InsightID {
	sum := sha256.Sum256([]byte(kind + "\n" + subject + "\n" + epoch))
	return control.InsightID(kind + "-" + hex.EncodeToString(sum[:5]))
}

// epoch identifies the evidence of a finding: the first day of a change, the version of the model or, for a moving
// window, the month.
func epoch(c *toolkit.Call, s detect.Store, f detect.Finding) string {
	switch f.Kind {
	case detect.PastOptimum, detect.Headroom:
		return fmt.Sprintf("model %d", c.MMM.Version())
	case detect.SpendShift, detect.CACDrift, detect.PaybackDrift, detect.Discounting, detect.FewerNew, detect.RefundRate, detect.Outage,
		detect.TrackingBreak, detect.ClaimsBreak, detect.PacingRisk, detect.SeasonAhead:
		return f.Since.String()
	default:
	}
	return civil.ByMonth.Start(s.Days.Last).String()
}

// Minimum expected value at which an insight of any severity has at least high or medium priority, as a share of the
// store's monthly contribution (or revenue).
const (
	highShare   = 0.03
	mediumShare = 0.005
)

// priorityOf returns the priority of a finding. The priority depends on the severity, the kind, and the expected value
// as a share of the store's monthly contribution (or revenue).
func priorityOf(f detect.Finding, monthly float64) Priority {
	share := 0.0
	if f.Value != nil && monthly > 0 {
		share = f.Value.Value * f.Confidence / monthly
	}
	switch {
	case f.Severity == detect.Alarm && (share >= highShare || f.Kind == detect.Outage):
		return Critical
	case f.Severity == detect.Alarm || share >= highShare:
		return High
	case f.Severity == detect.Warning || share >= mediumShare:
		return Medium
	}
	return Low
}

// dataProblem is the kind of insights from the health checks.
const dataProblem detect.Kind = "data_problem"

// healthInsights returns the errors and warnings of the health checks: failed and late imports, stale sources and
// models, expiring tokens. Recent gaps of several sources are one insight; older gaps are only in the health checks. A
// store without data has no insights.
func healthInsights(ctx context.Context, c *toolkit.Call) ([]Insight, error) {
	if c.Store.Empty() {
		return nil, nil
	}
	imports, err := c.Imports(ctx, health.CheckedImports)
	if err != nil {
		return nil, err
	}
	found, err := health.Check(ctx, c, imports)
	if err != nil {
		return nil, err
	}
	var all []Insight
	for _, f := range withOneGap(found, c.Today) {
		if f.Severity != health.SeverityError && f.Severity != health.SeverityWarning {
			continue
		}
		i := Insight{
			ID: idOf(string(dataProblem), f.Check, string(f.Severity)+civil.ByMonth.Start(c.Today).String()), Priority: Medium, Kind: dataProblem,
			Subject: answer.Foreign(f.Check), Finding: upper(f.Line()), Action: f.Fix, Effort: efforts[detect.Small], severity: detect.Warning,
			Call: next(c, "diagnose", map[string]any{}, "See the checks and their fixes."),
		}
		if f.Severity == health.SeverityError {
			i.Priority, i.severity = High, detect.Alarm
		}
		all = append(all, i)
	}
	return all, nil
}

// gapDays is the maximum age in days of a gap that needs a decision. Older gaps remain in the health checks.
const gapDays = 60

// withOneGap combines the findings about sources with recent gaps into one finding that names these sources. It omits
// findings about older gaps.
func withOneGap(found []health.Finding, today civil.Date) []health.Finding {
	var recent []health.Finding
	others := slices.DeleteFunc(slices.Clone(found), func(f health.Finding) bool {
		if f.Gap != (civil.Date{}) && today.Sub(f.Gap) <= gapDays {
			recent = append(recent, f)
		}
		return f.Gap != (civil.Date{})
	})
	if len(recent) < 2 {
		return append(others, recent...)
	}
	latest := slices.MaxFunc(recent, func(a, b health.Finding) int { return a.Gap.Compare(b.Gap) })
	names := make([]string, len(recent))
	for i, f := range recent {
		names[i] = f.Check
	}
	return append(others, health.Finding{
		Check: answer.Listed(names), Severity: latest.Severity, Fix: latest.Fix,
		Finding: fmt.Sprintf("%s missing days on or after %s. The latest missing day is %s.", answer.Plural(len(recent), "data source has", "data sources have"),
			today.AddDays(-gapDays), latest.Gap),
	})
}

func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// experimenting reports whether an experiment on the channel is planned or running.
func experimenting(all []control.Experiment, channel measure.Channel) bool {
	return slices.ContainsFunc(all, func(e control.Experiment) bool {
		return e.Channel == channel && (e.Status == control.ExperimentRunning || e.Status == control.ExperimentPlanned)
	})
}
