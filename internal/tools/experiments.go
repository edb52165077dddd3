package tools

import (
	"context"
	"fmt"
	"slices"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/mcp"
	"assay/internal/measure"
	"assay/internal/measure/geo"
)

var experiments = define(mcp.Spec{
	Name:        "experiments",
	Title:       "Incrementality experiments",
	Description: "What experiments measured: incremental against reported return, factors by channel, the next test worth making, a guide.",
}, runExperiments)

type experimentsParams struct {
	View experimentView `json:"view" enum:"factors|results|true_vs_reported|next_test|guide" default:"factors" doc:"What to show."`
	last90
	Channel      string     `json:"channel" doc:"Only this channel."`
	ExperimentID string     `json:"experiment_id" doc:"For view=results."`
	Topic        guideTopic `json:"topic" enum:"overview|geo_experiments|did|synthetic_control|factors|icpa_iroas|interpreting_results" doc:"For view=guide."`
	shared
}

// experimentView is what experiments shows.
type experimentView string

const (
	factorsView   experimentView = "factors"
	resultsView   experimentView = "results"
	truthView     experimentView = "true_vs_reported"
	nextTestView  experimentView = "next_test"
	guideView     experimentView = "guide"
	trialMethod                  = "tests by region: orders as charged to customers, scaled synthetic control, intervals from placebo sets of regions; see methods/geo. Factors: incremental return over return by last touch in the same days, tests of a channel pooled with random effects"
	factorAssumes                = "A factor holds for the spend and the season it was measured in."
)

// Check refuses what belongs to another view.
func (p experimentsParams) Check() error {
	belongs := func(given bool, name string, value any, view experimentView) error {
		if !given || p.View == view {
			return nil
		}
		return fault.Invalid("%s is of view=%s, and the view is %s", name, view, p.View).
			WithHint(`Corrected arguments: {"view":"%s","%s":"%v"}`, view, name, value)
	}
	for _, err := range []error{
		belongs(p.ExperimentID != "", "experiment_id", clean(p.ExperimentID), resultsView),
		belongs(p.Topic != "", "topic", p.Topic, guideView),
		belongs(!p.StartDate.IsZero(), "start_date", p.StartDate, truthView),
		belongs(!p.EndDate.IsZero(), "end_date", p.EndDate, truthView),
		p.last90.Check(),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

type experimentsAnswer struct {
	opening
	View      experimentView      `json:"view"`
	Topic     guideTopic          `json:"topic,omitempty"`
	Channel   measure.Channel     `json:"channel,omitempty"`
	Metrics   experimentMetrics   `json:"metrics"`
	Estimates *Estimates          `json:"estimates,omitempty"`
	One       *experimentEvidence `json:"evidence,omitempty" detail:"analyst" doc:"Of a test by region named with experiment_id."`
	table[experimentRow]
	closing
}

// experimentMetrics count experiments; of view=true_vs_reported they sum the channels that have a factor.
type experimentMetrics struct {
	Experiments *int `json:"experiments,omitempty" doc:"That match the filter, whatever their status."`
	Completed   *int `json:"completed,omitempty"`
	Applied     *int `json:"applied,omitempty" doc:"Completed ones whose factor corrects reported returns."`

	Covered     *Percent         `json:"spend_covered_pct,omitempty" doc:"Of the spend, that of channels with an applied factor."`
	Spend       *Money           `json:"spend,omitempty" doc:"Of channels with an applied factor."`
	Reported    *Money           `json:"reported_revenue,omitempty" doc:"Of the same channels, by last touch."`
	Incremental *Estimate[Money] `json:"incremental_revenue,omitempty" doc:"Of the same channels; errors of channels are taken as independent."`
}

// experimentRow is an experiment, a channel or a passage of the guide; each has the fields that belong to it.
type experimentRow struct {
	ID      control.ExperimentID     `json:"experiment_id,omitempty"`
	Name    Foreign                  `json:"name,omitempty"`
	Channel measure.Channel          `json:"channel,omitempty"`
	Kind    control.ExperimentKind   `json:"kind,omitempty" detail:"analyst"`
	Status  control.ExperimentStatus `json:"status,omitempty"`
	Start   civil.Date               `json:"start,omitzero"`
	End     civil.Date               `json:"end,omitzero"`

	Factor   *Estimate[Ratio] `json:"factor,omitempty" doc:"Incremental over reported return."`
	Applied  *bool            `json:"applied,omitempty" doc:"The factor corrects reported returns."`
	Tests    int              `json:"tests,omitempty" doc:"Behind the factor."`
	LastTest civil.Date       `json:"last_test,omitzero" doc:"Last day of the latest of them."`
	Between  *Ratio           `json:"between_tests,omitempty" detail:"analyst" doc:"Standard deviation of the factor from test to test, beyond their own errors."`

	Spend       *Money           `json:"spend,omitempty"`
	Reported    *Money           `json:"reported_revenue,omitempty" doc:"By last touch."`
	ROAS        *Ratio           `json:"reported_roas,omitempty" doc:"By last touch, in the days of the row."`
	Claimed     *Ratio           `json:"claimed_roas,omitempty" detail:"analyst" doc:"By the platform's own count."`
	Return      *Estimate[Ratio] `json:"incremental_roas,omitempty"`
	Incremental *Estimate[Money] `json:"incremental_revenue,omitempty"`

	Lift    *Estimate[Percent] `json:"lift_pct,omitempty" doc:"Of revenue in the treated regions against what it would have been."`
	PValue  *float64           `json:"p_value,omitempty" detail:"analyst" doc:"Of no effect, two-sided."`
	Outcome trialOutcome       `json:"outcome,omitempty" doc:"effect_found where the interval does not hold zero."`
	Change  *Money             `json:"spend_change,omitempty" detail:"analyst" doc:"In the treated regions, against what the others did."`
	Treated []string           `json:"treated_regions,omitempty" detail:"analyst"`
	HeldOut []string           `json:"held_out_regions,omitempty" detail:"analyst" doc:"Compared with; absent: all others."`
	Why     string             `json:"why,omitempty" doc:"What cannot be told, and why."`
	Beside  []string           `json:"overlaps,omitempty" doc:"Of a draft: experiments beside which it cannot be planned, and why."`
	Expects Foreign            `json:"hypothesis,omitempty" detail:"analyst"`

	Stake *Money `json:"revenue_at_stake,omitempty" doc:"Reported revenue times what is not known of its factor: one standard deviation."`
	Doubt *Ratio `json:"factor_sd,omitempty" detail:"analyst" doc:"What is not known of the factor: of the tests, enlarged by their age; 0.5 without any."`

	Topic guideTopic `json:"topic,omitempty"`
	Text  string     `json:"text,omitempty"`
}

// trialOutcome says in a word whether an experiment found something.
type trialOutcome string

const (
	effectFound  trialOutcome = "effect_found"
	noClear      trialOutcome = "no_clear_effect"
	cannotBeRead trialOutcome = "cannot_be_read"
)

// experimentEvidence is what the result of a test by region rests on.
type experimentEvidence struct {
	Method    geo.Method     `json:"method"`
	Inference geo.Inference  `json:"inference"`
	Donors    int            `json:"donor_regions"`
	Before    int            `json:"history_days"`
	LeftOut   int            `json:"days_left_out,omitempty" doc:"Days before the test on which, or just after which, other tests ran."`
	Fit       Ratio          `json:"scaled_l2" doc:"Error of the match before the test; 0 is perfect, 1 no better than the donors' mean."`
	Notes     []string       `json:"notes,omitempty"`
	Weeks     []evidenceWeek `json:"weeks" doc:"Revenue of the treated regions, weeks counted from the first day of the test."`
	Weights   []donorWeight  `json:"weights"`
	Placebo   *placeboSets   `json:"placebo,omitempty"`
}

type evidenceWeek struct {
	Start    civil.Date `json:"start"`
	Observed Money      `json:"observed"`
	Expected Money      `json:"expected" doc:"Without the test, by the other regions."`
	Low      Money      `json:"low" doc:"Nine in ten weeks before the test lay so close."`
	High     Money      `json:"high"`
	During   bool       `json:"during,omitempty"`
}

type donorWeight struct {
	Region geo.Region `json:"region"`
	Weight Percent    `json:"weight_pct"`
}

// placeboSets are the effects found in sets of regions where nothing was done, as a histogram.
type placeboSets struct {
	Sets  int          `json:"sets"`
	Own   Percent      `json:"own_effect_pct" doc:"On the treated regions, of their revenue before the test."`
	Bins  []placeboBin `json:"bins"`
	Least *float64     `json:"least_p_value,omitempty" doc:"The smallest that so many sets can give."`
}

type placeboBin struct {
	From Percent `json:"from_pct"`
	To   Percent `json:"to_pct"`
	Sets int     `json:"sets"`
}

func runExperiments(ctx context.Context, c *Call, p experimentsParams) (*experimentsAnswer, error) {
	channel, err := c.experimentChannel(p.Channel)
	if err != nil {
		return nil, err
	}
	a := &experimentsAnswer{View: p.View, Channel: channel}
	a.Currency, a.Rows = c.Workspace.Currency, []experimentRow{}
	a.Metrics = c.experimentCounts(channel)
	switch p.View {
	case factorsView:
		err = c.showFactors(ctx, a)
	case resultsView:
		a.allRows = p.ExperimentID != ""
		err = c.showResults(ctx, a, control.ExperimentID(p.ExperimentID))
	case truthView:
		err = c.showTruth(ctx, a, p.last90)
	case nextTestView:
		err = c.showNextTest(ctx, a)
	case guideView:
		c.showGuide(a, p.Topic)
	}
	if err != nil {
		return nil, err
	}
	if p.View == guideView {
		a.Currency = ""
	} else {
		c.describe(&a.closing, DataQuality{
			Revenue: c.Workspace.Basis.String(), Model: measure.LastTouch, Method: trialMethod,
		}, fromOrders, fromAds, fromSpend)
	}
	return a, nil
}

// experimentChannel returns the key of a channel of the store, or of one that was only ever tested.
func (c *Call) experimentChannel(name string) (measure.Channel, error) {
	key := measure.ParseChannel(name)
	if slices.ContainsFunc(c.Experiments, func(e control.Experiment) bool { return e.Channel == key }) {
		return key, nil
	}
	return c.channel(name)
}

func (c *Call) experimentCounts(channel measure.Channel) experimentMetrics {
	m := experimentMetrics{Experiments: new(0), Completed: new(0), Applied: new(0)}
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

// estimates says what the intervals of the answer are.
func (a *experimentsAnswer) estimated() {
	a.Estimates = &Estimates{LevelPct: 100 * level90, Method: "experiments; of tests by region from placebo sets", Basis: measure.Incremental}
}

func estimateOf[T ~float64](value float64, in measure.Interval, times float64) *Estimate[T] {
	return &Estimate[T]{Value: T(value * times), Low: T(in.Low * times), High: T(in.High * times)}
}

// showFactors shows what reported returns of each tested channel have to be multiplied by.
func (c *Call) showFactors(ctx context.Context, a *experimentsAnswer) error {
	all, err := c.trialsOf(ctx, a.Channel)
	if err != nil {
		return err
	}
	factors, err := channelFactors(all)
	if err != nil {
		return err
	}
	for _, f := range factors {
		row := experimentRow{
			Channel: f.channel, Factor: estimateOf[Ratio](f.Value, f.Interval, 1), Applied: &f.applied, Tests: f.Tests, LastTest: f.latest,
		}
		if f.Tests > 1 {
			row.Between = new(Ratio(f.Between))
		}
		a.Rows = append(a.Rows, row)
	}
	unread := 0
	for _, t := range all {
		if t.Status == control.ExperimentCompleted && t.factor == nil {
			unread++
		}
	}
	if unread > 0 {
		a.warn("no_factor", plural(unread, "completed experiment gives", "completed experiments give")+" no factor; view=results says why.")
	}
	if len(factors) == 0 {
		c.withoutFactors(a)
		return nil
	}
	a.estimated()
	a.Summary = factorSummary(factors)
	for _, f := range factors {
		if f.applied && c.years(f.latest) > 1 {
			a.warn("old_test", fmt.Sprintf("The latest test of %s ended on %s, more than a year ago.", spoken(f.channel), f.latest))
			break
		}
	}
	if slices.ContainsFunc(factors, func(f channelFactor) bool { return !f.applied }) {
		a.warn("not_applied", "Factors that are not applied correct nothing: decide on each in view=results, and apply it on the page Experiments.")
	}
	c.suggest(&a.closing, "experiments", filtered(map[string]any{"view": string(truthView)}, a.Channel), "See reported beside incremental returns.")
	c.suggest(&a.closing, "experiments", filtered(map[string]any{"view": string(resultsView)}, a.Channel), "See the tests behind the factors.")
	return nil
}

// filtered adds the channel that an answer is narrowed to.
func filtered(arguments map[string]any, channel measure.Channel) map[string]any {
	if channel != "" {
		arguments["channel"] = string(channel)
	}
	return arguments
}

func factorSummary(factors []channelFactor) string {
	f := factors[0]
	for _, other := range factors {
		if other.applied && !f.applied {
			f = other
		}
	}
	state := "applied"
	if !f.applied {
		state = "not applied"
	}
	text := fmt.Sprintf("Experiments put what %s really brings at %s times what last touch credits it with (90 %% interval %s to %s, %s).", spoken(f.channel),
		grouped(decimals(f.Value, 2), 2), grouped(decimals(f.Low, 2), 2), grouped(decimals(f.High, 2), 2), state)
	if n := len(factors); n > 1 {
		text += fmt.Sprintf(" %s have a factor.", plural(n, "channel", "channels"))
	}
	return text + " " + factorAssumes
}

// withoutFactors says what to do where no experiment gives a factor.
func (c *Call) withoutFactors(a *experimentsAnswer) {
	a.Summary = "No experiment gives a factor yet, so nothing corrects reported returns."
	if *a.Metrics.Experiments == 0 {
		a.warn("no_data", "There are no experiments in this workspace. Plan one on the page Experiments; view=next_test says on which channel.")
	}
	c.suggest(&a.closing, "experiments", map[string]any{"view": string(nextTestView)}, "See which channel to test first.")
	c.suggest(&a.closing, "experiments", map[string]any{"view": string(guideView)}, "Read how experiments work.")
}

// showResults lists experiments with what they found, the latest first, or one of them with its evidence.
func (c *Call) showResults(ctx context.Context, a *experimentsAnswer, id control.ExperimentID) error {
	all, err := c.trialsOf(ctx, a.Channel)
	if err != nil {
		return err
	}
	if id != "" {
		at := slices.IndexFunc(all, func(t *trial) bool { return t.ID == id })
		if at < 0 {
			return c.noExperiment(id, all)
		}
		all = all[at : at+1]
	}
	for _, t := range all {
		a.Rows = append(a.Rows, c.trialRow(t))
	}
	// Completed ones first: what they found is what is asked for.
	sortBy(a.Rows, func(r experimentRow) float64 { return float64(slices.Index(shownFirst, r.Status)) })
	if len(all) == 0 {
		c.withoutFactors(a)
		a.Summary = "There are no experiments in this workspace."
		if a.Channel != "" {
			a.Summary = "There are no experiments on " + spoken(a.Channel) + "."
		}
		return nil
	}
	a.estimated()
	a.Summary = c.resultsSummary(a.Rows)
	if id != "" {
		a.One = evidenceOf(all[0])
	} else {
		first := slices.IndexFunc(a.Rows, func(r experimentRow) bool { return r.Lift != nil })
		if first >= 0 {
			c.suggest(&a.closing, "experiments", map[string]any{"view": string(resultsView), "experiment_id": string(a.Rows[first].ID), "detail_level": string(analystLevel)},
				"See what the result rests on, week by week.")
		}
	}
	if slices.ContainsFunc(all, func(t *trial) bool { return t.Status == control.ExperimentRunning }) {
		a.warn("running", "A running experiment is not read before it is completed: ending a test when it looks well finds effects that are not there.")
	}
	c.suggest(&a.closing, "experiments", filtered(map[string]any{"view": string(factorsView)}, a.Channel), "See the factors by channel.")
	return nil
}

// overlaps names the experiments beside which a draft cannot be planned.
func (c *Call) overlaps(draft control.Experiment) []string {
	var found []string
	for _, other := range c.Experiments {
		if why := draft.Overlap(other); why != "" && other.Status != control.ExperimentCancelled {
			found = append(found, fmt.Sprintf("%s (%s): %s", other.ID, other.Status, clean(why)))
		}
	}
	return found
}

var shownFirst = []control.ExperimentStatus{
	control.ExperimentCompleted, control.ExperimentRunning, control.ExperimentPlanned, control.ExperimentDraft, control.ExperimentCancelled,
}

func (c *Call) noExperiment(id control.ExperimentID, all []*trial) error {
	known := make([]string, len(all))
	for i, t := range all {
		known[i] = string(t.ID)
	}
	if len(known) == 0 {
		return fault.NotFound("experiment_id: there is no experiment %q here, and no other", clean(string(id))).WithHint("Leave experiment_id out.")
	}
	return fault.NotFound("experiment_id: there is no experiment %q; there are %s", clean(string(id)), listedUpTo(namedChannels, known)).
		WithHint("Leave experiment_id out to see all, or use one of these.")
}

func (c *Call) trialRow(t *trial) experimentRow {
	row := experimentRow{
		ID: t.ID, Name: Foreign(t.Name), Channel: t.Channel, Kind: t.Kind, Status: t.Status, Start: t.Days.First, End: t.Days.Last,
		Treated: cleaned(t.Treated), HeldOut: cleaned(t.HeldOut), Why: t.why, Expects: Foreign(t.Hypothesis),
		ROAS: ratioOf(t.reported),
	}
	if t.Status == control.ExperimentDraft {
		row.Beside = c.overlaps(t.Experiment)
	}
	if t.Status != control.ExperimentCompleted {
		return row
	}
	row.Applied, row.Outcome = &t.Applied, cannotBeRead
	if f := t.found; f != nil {
		row.PValue = new(decimals(f.P, 3))
		if f.LiftRange != nil {
			row.Lift = estimateOf[Percent](f.Lift, *f.LiftRange, 100)
			row.Incremental = estimateOf[Money](f.Incremental, *f.IncrementalRange, 1)
			row.Outcome = outcomeOf(*f.LiftRange)
		}
	}
	if t.spend != nil {
		row.Change = new(Money(*t.spend))
	}
	if t.returned != nil {
		shown := t.returned.At(level90)
		row.Return = estimateOf[Ratio](shown.Value, shown.Interval, 1)
		if t.found == nil {
			row.Outcome = outcomeOf(shown.Interval)
		}
	}
	if t.factor != nil {
		row.Factor = estimateOf[Ratio](t.factor.Value, t.factor.Interval, 1)
	}
	return row
}

func outcomeOf(i measure.Interval) trialOutcome {
	if i.Low > 0 || i.High < 0 {
		return effectFound
	}
	return noClear
}

func cleaned(names []string) []string {
	var out []string
	for _, name := range names {
		out = append(out, clean(name))
	}
	return out
}

func ratioOf(x *float64) *Ratio {
	if x == nil {
		return nil
	}
	return new(Ratio(*x))
}

func (c *Call) resultsSummary(rows []experimentRow) string {
	r := rows[0]
	text := fmt.Sprintf("%s: ", plural(len(rows), "experiment", "experiments"))
	days := ""
	if !r.Start.IsZero() {
		days = " " + spell(civil.Range{First: r.Start, Last: r.End})
	}
	what := fmt.Sprintf("the test of %s%s", spoken(r.Channel), days)
	switch {
	case r.Status != control.ExperimentCompleted:
		return text + fmt.Sprintf("%s is %s; none is completed.", what, r.Status)
	case r.Lift != nil && r.Outcome == effectFound:
		text += fmt.Sprintf("%s changed revenue in the treated regions by %s %%", what, interval(r.Lift, 1))
	case r.Lift != nil:
		text += fmt.Sprintf("%s shows no clear effect on revenue in the treated regions (%s %%)", what, interval(r.Lift, 1))
	case r.Return != nil:
		text += what + " was a study of the platform"
	default:
		return text + what + " cannot be read: " + r.Why + "."
	}
	if r.Return != nil {
		text += fmt.Sprintf("; each unit of spend brought %s", interval(r.Return, 2))
		if r.ROAS != nil {
			text += fmt.Sprintf(", last touch credits %s", grouped(decimals(float64(*r.ROAS), 2), 2))
		}
	}
	return text + "."
}

// interval writes an estimate for a sentence: "4.5 (1.2 to 7.8)".
func interval[T ~float64](e *Estimate[T], places int) string {
	write := func(x T) string { return grouped(decimals(float64(x), places), places) }
	return fmt.Sprintf("%s (%s to %s)", write(e.Value), write(e.Low), write(e.High))
}

// placeboBins is how many bars the histogram of placebo sets has.
const placeboBins = 24

// evidenceOf lays out what the result of a test by region rests on; nil where there is none.
func evidenceOf(t *trial) *experimentEvidence {
	f := t.found
	if f == nil {
		return nil
	}
	e := &experimentEvidence{
		Method: f.Method, Inference: f.Inference, Donors: f.Donors, Before: f.Before, LeftOut: len(t.lost), Fit: Ratio(f.ScaledL2), Notes: f.Notes,
		Weeks: []evidenceWeek{}, Weights: []donorWeight{},
	}
	for _, b := range f.Blocks {
		e.Weeks = append(e.Weeks, evidenceWeek{
			Start: civil.MustParse(b.First.Label), Observed: Money(b.Observed), Expected: Money(b.Expected), Low: Money(b.Low), High: Money(b.High), During: b.During,
		})
	}
	for _, w := range f.Weights {
		e.Weights = append(e.Weights, donorWeight{Region: geo.Region(clean(string(w.Region))), Weight: Percent(100 * w.Weight)})
	}
	sortBy(e.Weights, func(w donorWeight) float64 { return -float64(w.Weight) })
	if f.Placebo != nil {
		e.Placebo = placeboOf(f.Placebo)
	}
	return e
}

func placeboOf(r *geo.Randomization) *placeboSets {
	effects, own := r.Effects()
	low, high := min(own, effects[0]), max(own, effects[len(effects)-1])
	if high == low {
		high = low + 1
	}
	p := &placeboSets{Sets: len(effects), Own: Percent(100 * own), Least: new(decimals(r.LeastP, 4))}
	width := (high - low) / placeboBins
	for i := range placeboBins {
		p.Bins = append(p.Bins, placeboBin{From: Percent(100 * (low + float64(i)*width)), To: Percent(100 * (low + float64(i+1)*width))})
	}
	for _, x := range effects {
		p.Bins[min(placeboBins-1, int((x-low)/width))].Sets++
	}
	return p
}
