package tools

import (
	"context"
	"fmt"
	"slices"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/experiment"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/geo"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
)

// Experiments is the `experiments` tool.
var Experiments = toolkit.Define(toolkit.Spec{
	Name:        "experiments",
	Title:       "Incrementality experiments",
	Description: "Experiment results: incremental vs reported ROAS, incrementality factors by channel, the next channel to test, and a guide to methods.",
	Reads:       snapshot.Wants{Experiments: true},
}, runExperiments)

func runExperiments(ctx context.Context, c *toolkit.Call, p experimentsParams) (*ExperimentsAnswer, error) {
	channel, err := experimentChannel(c, p.Channel)
	if err != nil {
		return nil, err
	}
	a := &ExperimentsAnswer{View: p.View, Channel: channel}
	a.Currency, a.Rows = c.Workspace.Currency, []ExperimentRow{}
	a.Metrics = experimentCounts(c, channel)
	switch p.View {
	case FactorsView:
		err = showFactors(ctx, c, a)
	case ResultsView:
		a.ShowAll(p.ExperimentID != "")
		err = showResults(ctx, c, a, control.ExperimentID(p.ExperimentID))
	case TrueVsReportedView:
		err = showTruth(ctx, c, a, p.Last90)
	case NextTestView:
		err = showNextTest(ctx, c, a)
	case GuideView:
		showGuide(c, a, p.Topic)
	}
	if err != nil {
		return nil, err
	}
	if p.View == GuideView {
		a.Currency = ""
	} else {
		c.Describe(&a.Closing, answer.DataQuality{
			Revenue: c.Workspace.Basis.String(), Model: measure.LastTouch, Method: experimentMethod,
		}, snapshot.FromOrders, snapshot.FromAds, snapshot.FromSpend)
	}
	return a, nil
}

// experimentChannel returns the key of a channel that the store or one of its experiments has.
func experimentChannel(c *toolkit.Call, name string) (measure.Channel, error) {
	key := measure.ParseChannel(name)
	if slices.ContainsFunc(c.Experiments, func(e control.Experiment) bool { return e.Channel == key }) {
		return key, nil
	}
	return c.Channel(name)
}

func experimentCounts(c *toolkit.Call, channel measure.Channel) ExperimentMetrics {
	m := ExperimentMetrics{Experiments: new(0), Completed: new(0), Applied: new(0)}
	for _, e := range c.Experiments {
		if channel != "" && e.Channel != channel {
			continue
		}
		*m.Experiments++
		if e.Status == control.ExperimentCompleted {
			*m.Completed++
		}
		if e.Applied {
			*m.Applied++
		}
	}
	return m
}

// showFactors lists the incrementality factor of each tested channel.
func showFactors(ctx context.Context, c *toolkit.Call, a *ExperimentsAnswer) error {
	all, err := c.Results(ctx, a.Channel)
	if err != nil {
		return err
	}
	factors, err := experiment.ChannelFactors(all)
	if err != nil {
		return err
	}
	for _, f := range factors {
		row := ExperimentRow{
			Channel: f.Channel, Factor: answer.EstimateOf[answer.Ratio](f.Estimate, 1), Applied: &f.Applied, Tests: f.Tests, LastTest: f.Latest,
		}
		if f.Tests > 1 {
			row.BetweenTests = new(answer.Ratio(f.Between))
		}
		a.Rows = append(a.Rows, row)
	}
	unread := 0
	for _, t := range all {
		if t.Status == control.ExperimentCompleted && t.Factor == nil {
			unread++
		}
	}
	if unread > 0 {
		a.Warn(answer.WarnNoFactor, answer.Plural(unread, "completed experiment has", "completed experiments have")+" no incrementality factor. See view=results for the reasons.")
	}
	if len(factors) == 0 {
		withoutFactors(c, a)
		return nil
	}
	a.estimated()
	a.Summary = factorSummary(factors)
	for _, f := range factors {
		if f.Applied && c.Years(f.Latest) > 1 {
			a.Warn(answer.WarnOldTest, fmt.Sprintf("The latest experiment on %s ended on %s, more than a year ago.", answer.ChannelName(f.Channel), f.Latest))
			break
		}
	}
	if slices.ContainsFunc(factors, func(f experiment.ChannelFactor) bool { return !f.Applied }) {
		a.Warn(answer.WarnNotApplied, "Only applied incrementality factors correct last-touch ROAS. Review the other factors in view=results and apply them on the Experiments page.")
	}
	for _, t := range all {
		if used, _ := t.FactorUse(); used && !t.Conclusive() {
			a.Warn(answer.WarnInconclusive, fmt.Sprintf("The applied factor of %s uses an inconclusive experiment (experiment_id=%s). The interval of the experiment is wide, so the factor remains near the prior mean of 1.",
				answer.ChannelName(t.Channel), answer.Clean(string(t.ID))))
			break
		}
	}
	c.Suggest(&a.Closing, "experiments", filtered(map[string]any{"view": string(TrueVsReportedView)}, a.Channel), "Compare last-touch and incremental ROAS.")
	c.Suggest(&a.Closing, "experiments", filtered(map[string]any{"view": string(ResultsView)}, a.Channel), "See the experiments that determine the incrementality factors.")
	return nil
}

// filtered adds the channel filter of the answer to the arguments. If the channel is "", the arguments do not change.
func filtered(arguments map[string]any, channel measure.Channel) map[string]any {
	if channel != "" {
		arguments["channel"] = string(channel)
	}
	return arguments
}

func factorSummary(factors []experiment.ChannelFactor) string {
	f := factors[0]
	for _, other := range factors {
		if other.Applied && !f.Applied {
			f = other
		}
	}
	state := "applied"
	if !f.Applied {
		state = "not applied"
	}
	text := fmt.Sprintf("The incrementality factor of %s is %s (90%% interval %s to %s, %s): incremental revenue is last-touch revenue times the factor.", answer.ChannelName(f.Channel),
		answer.Ratio(f.Value), answer.Ratio(f.Low), answer.Ratio(f.High), state)
	if n := len(factors); n > 1 {
		text += fmt.Sprintf(" %s have a factor.", answer.Plural(n, "channel", "channels"))
	}
	return text + " " + factorAssumes
}

// withoutFactors explains the next step when no experiment has a factor.
func withoutFactors(c *toolkit.Call, a *ExperimentsAnswer) {
	a.Summary = "No experiment has an incrementality factor yet, so last-touch ROAS is not corrected."
	if *a.Metrics.Experiments == 0 {
		a.Warn(answer.WarnNoData, "This workspace has no experiments. Plan an experiment on the Experiments page. Use view=next_test to find a channel to test.")
	}
	c.Suggest(&a.Closing, "experiments", map[string]any{"view": string(NextTestView)}, "See which channel to test first.")
	c.Suggest(&a.Closing, "experiments", map[string]any{"view": string(GuideView)}, "Read how experiments work.")
}

// showResults lists experiments with their results, latest first, or one experiment with its evidence.
func showResults(ctx context.Context, c *toolkit.Call, a *ExperimentsAnswer, id control.ExperimentID) error {
	all, err := c.Results(ctx, a.Channel)
	if err != nil {
		return err
	}
	if id != "" {
		at := slices.IndexFunc(all, func(t *experiment.Result) bool { return t.ID == id })
		if at < 0 {
			return noExperiment(id, all)
		}
		all = all[at : at+1]
	}
	for _, t := range all {
		row := resultRow(c, t)
		if c.View.DetailLevel != answer.SummaryLevel {
			uses, err := snapshot.Uses(ctx, c.Snapshot, t)
			if err != nil {
				return err
			}
			for _, u := range uses {
				row.Uses = append(row.Uses, ExperimentUse{u.By, u.Used, answer.Clean(u.Why)})
			}
		}
		a.Rows = append(a.Rows, row)
	}
	// Completed experiments come first, because they have results.
	toolkit.SortBy(a.Rows, func(r ExperimentRow) float64 { return float64(slices.Index(shownFirst, r.Status)) })
	if len(all) == 0 {
		withoutFactors(c, a)
		a.Summary = "This workspace has no experiments."
		if a.Channel != "" {
			a.Summary = "This workspace has no experiments on " + answer.ChannelName(a.Channel) + "."
		}
		return nil
	}
	a.estimated()
	a.Summary = resultsSummary(a.Rows)
	if id != "" {
		a.Evidence = evidenceOf(all[0])
	} else {
		first := slices.IndexFunc(a.Rows, func(r ExperimentRow) bool { return r.Lift != nil })
		if first >= 0 {
			c.Suggest(&a.Closing, "experiments", map[string]any{"view": string(ResultsView), "experiment_id": string(a.Rows[first].ID), "detail_level": string(answer.AnalystLevel)},
				"See the weekly evidence for the result.")
		}
	}
	if slices.ContainsFunc(all, func(t *experiment.Result) bool { return t.Status == control.ExperimentRunning }) {
		a.Warn(answer.WarnRunning, "A running experiment is not read before it is completed: ending a test when it looks good finds effects that are not there.")
	}
	c.Suggest(&a.Closing, "experiments", filtered(map[string]any{"view": string(FactorsView)}, a.Channel), "See the incrementality factors by channel.")
	return nil
}

// overlaps lists the experiments that conflict with a draft, with the reasons.
func overlaps(c *toolkit.Call, draft control.Experiment) []string {
	var found []string
	for _, other := range c.Experiments {
		if why := draft.Overlap(other); why != "" && other.Status != control.ExperimentCancelled {
			found = append(found, fmt.Sprintf("%s (%s): %s", other.ID, other.Status, answer.Clean(why)))
		}
	}
	return found
}

var shownFirst = []control.ExperimentStatus{
	control.ExperimentCompleted, control.ExperimentRunning, control.ExperimentPlanned, control.ExperimentDraft, control.ExperimentCancelled,
}

func noExperiment(id control.ExperimentID, all []*experiment.Result) error {
	known := make([]string, len(all))
	for i, t := range all {
		known[i] = string(t.ID)
	}
	if len(known) == 0 {
		return fault.NotFound("experiment_id: experiment %q does not exist; this workspace has no experiments", answer.Clean(string(id))).WithHint("Omit experiment_id.")
	}
	return fault.NotFound("experiment_id: experiment %q does not exist; this workspace has the experiments %s", answer.Clean(string(id)), answer.ListedUpTo(toolkit.NamedChannels, known)).
		WithHint("Use one of these IDs, or omit experiment_id to list all experiments.")
}

func resultRow(c *toolkit.Call, t *experiment.Result) ExperimentRow {
	why := t.Why()
	if t.Unread != nil { // the reason can quote names from the data
		why = answer.Clean(why)
	}
	row := ExperimentRow{
		ID: t.ID, Name: answer.Foreign(t.Name), Channel: t.Channel, Kind: t.Kind, Status: t.Status, Start: t.Days.First, End: t.Days.Last,
		Treated: cleaned(t.Treated), HeldOut: cleaned(t.HeldOut), Why: why, Hypothesis: answer.Foreign(t.Hypothesis),
		ROAS: ratioOf(t.Reported),
	}
	if t.Status == control.ExperimentDraft {
		row.Overlaps = overlaps(c, t.Experiment)
	}
	if t.Status != control.ExperimentCompleted {
		return row
	}
	row.Applied, row.Outcome = &t.Applied, outcomeOf(t)
	if f := t.Found; f != nil {
		row.PValue = new(answer.Decimals(f.P, 3))
		if f.LiftEstimate != nil {
			row.Lift = answer.Percents(*f.LiftEstimate)
			row.Incremental = answer.EstimateOf[answer.Money](*f.IncrementalEstimate, 1)
		}
	}
	if t.Spend != nil {
		row.Change = new(answer.Money(*t.Spend))
	}
	if t.Returned != nil {
		shown := t.Returned.At(answer.Level90)
		row.Return = answer.EstimateOf[answer.Ratio](shown, 1)
	}
	if t.Factor != nil {
		row.Factor = answer.EstimateOf[answer.Ratio](*t.Factor, 1)
	}
	return row
}

func outcomeOf(t *experiment.Result) ExperimentOutcome {
	switch {
	case t.Conclusive():
		return EffectFound
	case t.Found != nil && t.Found.LiftEstimate != nil, t.Found == nil && t.Returned != nil:
		return NoClearEffect
	}
	return NoResult
}

func cleaned(names []string) []string {
	var out []string
	for _, name := range names {
		out = append(out, answer.Clean(name))
	}
	return out
}

func ratioOf(x *float64) *answer.Ratio {
	if x == nil {
		return nil
	}
	return new(answer.Ratio(*x))
}

func resultsSummary(rows []ExperimentRow) string {
	r := rows[0]
	var days, text string
	if !r.Start.IsZero() {
		days = " " + answer.Dates(civil.Range{First: r.Start, Last: r.End})
	}
	what := fmt.Sprintf("The experiment on %s%s", answer.ChannelName(r.Channel), days)
	total := ""
	if len(rows) > 1 {
		total = fmt.Sprintf(" There are %d experiments.", len(rows))
	}
	switch {
	case r.Status != control.ExperimentCompleted:
		return fmt.Sprintf("%s is %s; no experiment is completed.%s", what, r.Status, total)
	case r.Lift != nil && r.Outcome == EffectFound:
		text = fmt.Sprintf("%s changed revenue in the treated regions by %s", what, interval(r.Lift))
	case r.Lift != nil:
		text = fmt.Sprintf("%s has no clear effect on revenue in the treated regions: %s", what, interval(r.Lift))
	case r.Return != nil:
		text = what + " is a lift study of the ad platform"
	default:
		return what + " has no result: " + r.Why + "." + total
	}
	if r.Return != nil {
		text += ". The iROAS is " + interval(r.Return)
		if r.ROAS != nil {
			text += fmt.Sprintf(", and last-touch ROAS is %s", *r.ROAS)
		}
	}
	return text + "." + total
}

// interval formats an estimate for a sentence: "4.5% (90% interval 1.2% to 7.8%)".
func interval[T ~float64](e *answer.Estimate[T]) string {
	return fmt.Sprintf("%v (90%% interval %v to %v)", e.Value, e.Low, e.High)
}

// placeboBins is the number of bars in the histogram of placebo sets.
const placeboBins = 24

// evidenceOf returns the evidence for a geo experiment's result, or nil if there is no result.
func evidenceOf(t *experiment.Result) *ExperimentEvidence {
	f := t.Found
	if f == nil {
		return nil
	}
	e := &ExperimentEvidence{
		Method: f.Method, Inference: f.Inference, Donors: f.Donors, Before: f.Before, LeftOut: len(t.Excluded), Fit: answer.Ratio(f.ScaledL2), Notes: f.Notes,
		Weeks: []EvidenceWeek{}, Weights: []DonorWeight{},
	}
	for _, b := range f.Blocks {
		e.Weeks = append(e.Weeks, EvidenceWeek{
			Start: civil.MustParse(b.First.Label), Observed: answer.Money(b.Observed), Expected: answer.Money(b.Expected), Low: answer.Money(b.Low), High: answer.Money(b.High), During: b.During,
		})
	}
	for _, w := range f.Weights {
		e.Weights = append(e.Weights, DonorWeight{Region: geo.Region(answer.Clean(string(w.Region))), Weight: answer.Percent(100 * w.Weight)})
	}
	toolkit.SortBy(e.Weights, func(w DonorWeight) float64 { return -float64(w.Weight) })
	if f.Placebo != nil {
		e.Placebo = placeboOf(f.Placebo)
	}
	return e
}

func placeboOf(r *geo.Randomization) *PlaceboSets {
	effects, own := r.Effects()
	low, high := min(own, effects[0]), max(own, effects[len(effects)-1])
	if high == low {
		high = low + 1
	}
	p := &PlaceboSets{Sets: len(effects), Own: answer.Percent(100 * own), Least: new(answer.Decimals(r.LeastP, 4))}
	width := (high - low) / placeboBins
	for i := range placeboBins {
		p.Bins = append(p.Bins, PlaceboBin{From: answer.Percent(100 * (low + float64(i)*width)), To: answer.Percent(100 * (low + float64(i+1)*width))})
	}
	for _, x := range effects {
		p.Bins[min(placeboBins-1, int((x-low)/width))].Sets++
	}
	return p
}
