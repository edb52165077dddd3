package tools

import (
	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/geo"
)

type experimentsParams struct {
	View experimentView `json:"view" enum:"factors|results|true_vs_reported|next_test|guide" default:"factors" doc:"What to show."`
	answer.Last90
	Channel      string     `json:"channel" doc:"Only this channel."`
	ExperimentID string     `json:"experiment_id" doc:"For view=results."`
	Topic        guideTopic `json:"topic" enum:"overview|geo_experiments|did|synthetic_control|factors|icpa_iroas|interpreting_results" doc:"For view=guide."`
	answer.Shared
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

type experimentsAnswer struct {
	answer.Opening
	View      experimentView      `json:"view"`
	Topic     guideTopic          `json:"topic,omitempty"`
	Channel   measure.Channel     `json:"channel,omitempty"`
	Metrics   experimentMetrics   `json:"metrics"`
	Estimates *answer.Estimates   `json:"estimates,omitempty"`
	One       *experimentEvidence `json:"evidence,omitempty" detail:"analyst" doc:"Of a test by region named with experiment_id."`
	answer.Table[experimentRow]
	answer.Closing
}

// experimentMetrics count experiments; of view=true_vs_reported they sum the channels that have a factor.
type experimentMetrics struct {
	Experiments *int `json:"experiments,omitempty" doc:"That match the filter, whatever their status."`
	Completed   *int `json:"completed,omitempty"`
	Applied     *int `json:"applied,omitempty" doc:"Completed ones whose factor corrects reported returns."`

	Covered     *answer.Percent                `json:"spend_covered_pct,omitempty" doc:"Of the spend, that of channels with an applied factor."`
	Spend       *answer.Money                  `json:"spend,omitempty" doc:"Of channels with an applied factor."`
	Reported    *answer.Money                  `json:"reported_revenue,omitempty" doc:"Of the same channels, by last touch."`
	Incremental *answer.Estimate[answer.Money] `json:"incremental_revenue,omitempty" doc:"Of the same channels; errors of channels are taken as independent."`
}

// experimentRow is an experiment, a channel or a passage of the guide; each has the fields that belong to it.
type experimentRow struct {
	ID      control.ExperimentID     `json:"experiment_id,omitempty"`
	Name    answer.Foreign           `json:"name,omitempty"`
	Channel measure.Channel          `json:"channel,omitempty"`
	Kind    control.ExperimentKind   `json:"kind,omitempty" detail:"analyst"`
	Status  control.ExperimentStatus `json:"status,omitempty"`
	Start   civil.Date               `json:"start,omitzero"`
	End     civil.Date               `json:"end,omitzero"`

	Factor   *answer.Estimate[answer.Ratio] `json:"factor,omitempty" doc:"Incremental over reported return."`
	Applied  *bool                          `json:"applied,omitempty" doc:"The factor corrects reported returns."`
	Tests    int                            `json:"tests,omitempty" doc:"Behind the factor."`
	LastTest civil.Date                     `json:"last_test,omitzero" doc:"Last day of the latest of them."`
	Between  *answer.Ratio                  `json:"between_tests,omitempty" detail:"analyst" doc:"Standard deviation of the factor from test to test, beyond their own errors."`

	Spend       *answer.Money                  `json:"spend,omitempty"`
	Reported    *answer.Money                  `json:"reported_revenue,omitempty" doc:"By last touch."`
	ROAS        *answer.Ratio                  `json:"reported_roas,omitempty" doc:"By last touch, in the days of the row."`
	Claimed     *answer.Ratio                  `json:"claimed_roas,omitempty" detail:"analyst" doc:"By the platform's own count."`
	Return      *answer.Estimate[answer.Ratio] `json:"incremental_roas,omitempty"`
	Incremental *answer.Estimate[answer.Money] `json:"incremental_revenue,omitempty"`

	Lift    *answer.Estimate[answer.Percent] `json:"lift_pct,omitempty" doc:"Of revenue in the treated regions against what it would have been."`
	PValue  *float64                         `json:"p_value,omitempty" detail:"analyst" doc:"Of no effect, two-sided."`
	Outcome trialOutcome                     `json:"outcome,omitempty" doc:"effect_found where the interval does not hold zero."`
	Change  *answer.Money                    `json:"spend_change,omitempty" detail:"analyst" doc:"In the treated regions, against what the others did."`
	Treated []string                         `json:"treated_regions,omitempty" detail:"analyst"`
	HeldOut []string                         `json:"held_out_regions,omitempty" detail:"analyst" doc:"Compared with; absent: all others."`
	Why     string                           `json:"why,omitempty" doc:"What cannot be told, and why."`
	Beside  []string                         `json:"overlaps,omitempty" doc:"Of a draft: experiments beside which it cannot be planned, and why."`
	Expects answer.Foreign                   `json:"hypothesis,omitempty" detail:"analyst"`

	Stake *answer.Money `json:"revenue_at_stake,omitempty" doc:"Reported revenue times what is not known of its factor: one standard deviation."`
	Doubt *answer.Ratio `json:"factor_sd,omitempty" detail:"analyst" doc:"What is not known of the factor: of the tests, enlarged by their age; 0.5 without any."`

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
	Fit       answer.Ratio   `json:"scaled_l2" doc:"Error of the match before the test; 0 is perfect, 1 no better than the donors' mean."`
	Notes     []string       `json:"notes,omitempty"`
	Weeks     []evidenceWeek `json:"weeks" doc:"Revenue of the treated regions, weeks counted from the first day of the test."`
	Weights   []donorWeight  `json:"weights"`
	Placebo   *placeboSets   `json:"placebo,omitempty"`
}

type evidenceWeek struct {
	Start    civil.Date   `json:"start"`
	Observed answer.Money `json:"observed"`
	Expected answer.Money `json:"expected" doc:"Without the test, by the other regions."`
	Low      answer.Money `json:"low" doc:"Nine in ten weeks before the test lay so close."`
	High     answer.Money `json:"high"`
	During   bool         `json:"during,omitempty"`
}

type donorWeight struct {
	Region geo.Region     `json:"region"`
	Weight answer.Percent `json:"weight_pct"`
}

// placeboSets are the effects found in sets of regions where nothing was done, as a histogram.
type placeboSets struct {
	Sets  int            `json:"sets"`
	Own   answer.Percent `json:"own_effect_pct" doc:"On the treated regions, of their revenue before the test."`
	Bins  []placeboBin   `json:"bins"`
	Least *float64       `json:"least_p_value,omitempty" doc:"The smallest that so many sets can give."`
}

type placeboBin struct {
	From answer.Percent `json:"from_pct"`
	To   answer.Percent `json:"to_pct"`
	Sets int            `json:"sets"`
}

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
		belongs(p.ExperimentID != "", "experiment_id", answer.Clean(p.ExperimentID), resultsView),
		belongs(p.Topic != "", "topic", p.Topic, guideView),
		belongs(!p.StartDate.IsZero(), "start_date", p.StartDate, truthView),
		belongs(!p.EndDate.IsZero(), "end_date", p.EndDate, truthView),
		p.Last90.Check(),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// estimates says what the intervals of the answer are.
func (a *experimentsAnswer) estimated() {
	a.Estimates = &answer.Estimates{LevelPct: 100 * answer.Level90, Method: "experiments; of tests by region from placebo sets", Basis: measure.Incremental}
}

func estimateOf[T ~float64](value float64, in measure.Interval, times float64) *answer.Estimate[T] {
	return &answer.Estimate[T]{Value: T(value * times), Low: T(in.Low * times), High: T(in.High * times)}
}

// guideTopic is a passage of the guide to experiments.
type guideTopic string

const (
	overviewTopic  guideTopic = "overview"
	geoTopic       guideTopic = "geo_experiments"
	didTopic       guideTopic = "did"
	syntheticTopic guideTopic = "synthetic_control"
	factorsTopic   guideTopic = "factors"
	returnsTopic   guideTopic = "icpa_iroas"
	readingTopic   guideTopic = "interpreting_results"
)
