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

// experimentView selects the answer of experiments.
type experimentView string

const (
	factorsView      experimentView = "factors"
	resultsView      experimentView = "results"
	truthView        experimentView = "true_vs_reported"
	nextTestView     experimentView = "next_test"
	guideView        experimentView = "guide"
	experimentMethod                = "geo experiments: amount charged to customers, scaled synthetic control, intervals from placebo sets of regions; see methods/geo. Factors: incremental over last-touch ROAS on the same days, pooled by channel with random effects"
	factorAssumes                   = "A factor applies to the spend level and season of its experiment."
)

type experimentsAnswer struct {
	answer.Opening
	View      experimentView      `json:"view"`
	Topic     guideTopic          `json:"topic,omitempty"`
	Channel   measure.Channel     `json:"channel,omitempty"`
	Metrics   experimentMetrics   `json:"metrics"`
	Estimates *answer.Estimates   `json:"estimates,omitempty"`
	One       *experimentEvidence `json:"evidence,omitempty" detail:"analyst" doc:"Of the geo experiment in experiment_id."`
	answer.Table[experimentRow]
	answer.Closing
}

// experimentMetrics counts experiments. For view=true_vs_reported it totals the channels with an applied factor.
type experimentMetrics struct {
	Experiments *int `json:"experiments,omitempty" doc:"Experiments that match the filter, with any status."`
	Completed   *int `json:"completed,omitempty"`
	Applied     *int `json:"applied,omitempty" doc:"Completed experiments whose factor corrects reported returns."`

	Covered     *answer.Percent                `json:"spend_covered_pct,omitempty" doc:"Share of spend in channels with an applied factor."`
	Spend       *answer.Money                  `json:"spend,omitempty" doc:"Spend of channels with an applied factor."`
	Reported    *answer.Money                  `json:"reported_revenue,omitempty" doc:"Last-touch revenue of the same channels."`
	Incremental *answer.Estimate[answer.Money] `json:"incremental_revenue,omitempty" doc:"Incremental revenue of the same channels; assumes independent errors."`
}

// experimentRow is an experiment, a channel or a passage of the guide, with the fields that apply to it.
type experimentRow struct {
	ID      control.ExperimentID     `json:"experiment_id,omitempty"`
	Name    answer.Foreign           `json:"name,omitempty"`
	Channel measure.Channel          `json:"channel,omitempty"`
	Kind    control.ExperimentKind   `json:"kind,omitempty" detail:"analyst"`
	Status  control.ExperimentStatus `json:"status,omitempty"`
	Start   civil.Date               `json:"start,omitzero"`
	End     civil.Date               `json:"end,omitzero"`

	Factor   *answer.Estimate[answer.Ratio] `json:"factor,omitempty" doc:"Incrementality factor: incremental over reported ROAS."`
	Applied  *bool                          `json:"applied,omitempty" doc:"The factor corrects reported returns."`
	Tests    int                            `json:"tests,omitempty" doc:"Experiments behind the factor."`
	LastTest civil.Date                     `json:"last_test,omitzero" doc:"Last day of the latest experiment."`
	Between  *answer.Ratio                  `json:"between_tests,omitempty" detail:"analyst" doc:"Standard deviation of the factor between experiments, in addition to their standard errors."`

	Spend       *answer.Money                  `json:"spend,omitempty"`
	Reported    *answer.Money                  `json:"reported_revenue,omitempty" doc:"Last-touch revenue."`
	ROAS        *answer.Ratio                  `json:"reported_roas,omitempty" doc:"Last-touch ROAS on the days of the row."`
	Claimed     *answer.Ratio                  `json:"claimed_roas,omitempty" detail:"analyst" doc:"ROAS that the ad platform reports."`
	Return      *answer.Estimate[answer.Ratio] `json:"incremental_roas,omitempty"`
	Incremental *answer.Estimate[answer.Money] `json:"incremental_revenue,omitempty"`

	Lift     *answer.Estimate[answer.Percent] `json:"lift_pct,omitempty" doc:"Revenue change in the treated regions compared with the counterfactual."`
	PValue   *float64                         `json:"p_value,omitempty" detail:"analyst" doc:"Two-sided, against no effect."`
	Outcome  experimentOutcome                `json:"outcome,omitempty" doc:"effect_found if the interval excludes zero."`
	Change   *answer.Money                    `json:"spend_change,omitempty" detail:"analyst" doc:"Spend in the treated regions minus counterfactual spend."`
	Treated  []string                         `json:"treated_regions,omitempty" detail:"analyst"`
	HeldOut  []string                         `json:"held_out_regions,omitempty" detail:"analyst" doc:"Control regions; absent: all other regions."`
	Why      string                           `json:"why,omitempty" doc:"Reason for a missing value, or for a last place in the ranking."`
	Overlaps []string                         `json:"overlaps,omitempty" doc:"Experiments that conflict with a draft, with the reasons."`
	Expects  answer.Foreign                   `json:"hypothesis,omitempty" detail:"analyst"`

	Stake    *answer.Money `json:"revenue_at_stake,omitempty" doc:"Reported revenue times factor_sd."`
	FactorSD *answer.Ratio `json:"factor_sd,omitempty" detail:"analyst" doc:"Standard deviation of the factor, increased with the age of its experiments; 0.5 without an applied factor."`

	Topic guideTopic `json:"topic,omitempty"`
	Text  string     `json:"text,omitempty"`
}

// experimentOutcome classifies the result of an experiment.
type experimentOutcome string

const (
	effectFound  experimentOutcome = "effect_found"
	noClear      experimentOutcome = "no_clear_effect"
	cannotBeRead experimentOutcome = "cannot_be_read"
)

// experimentEvidence is the evidence for the result of a geo experiment.
type experimentEvidence struct {
	Method    geo.Method     `json:"method"`
	Inference geo.Inference  `json:"inference"`
	Donors    int            `json:"donor_regions"`
	Before    int            `json:"history_days"`
	LeftOut   int            `json:"days_left_out,omitempty" doc:"Days before the test excluded because other experiments ran on them or shortly before."`
	Fit       answer.Ratio   `json:"scaled_l2" doc:"Fit error before the test: 0 is perfect, 1 equals the donors' mean."`
	Notes     []string       `json:"notes,omitempty"`
	Weeks     []evidenceWeek `json:"weeks" doc:"Revenue of the treated regions by week. Weeks are counted from the first day of the test."`
	Weights   []donorWeight  `json:"weights"`
	Placebo   *placeboSets   `json:"placebo,omitempty"`
}

type evidenceWeek struct {
	Start    civil.Date   `json:"start"`
	Observed answer.Money `json:"observed"`
	Expected answer.Money `json:"expected" doc:"Counterfactual revenue, from the donor regions."`
	Low      answer.Money `json:"low" doc:"90% of weeks before the test are within this distance."`
	High     answer.Money `json:"high"`
	During   bool         `json:"during,omitempty"`
}

type donorWeight struct {
	Region geo.Region     `json:"region"`
	Weight answer.Percent `json:"weight_pct"`
}

// placeboSets is a histogram of the effects estimated in sets of untreated regions.
type placeboSets struct {
	Sets  int            `json:"sets"`
	Own   answer.Percent `json:"own_effect_pct" doc:"Effect on the treated regions, relative to their revenue before the test."`
	Bins  []placeboBin   `json:"bins"`
	Least *float64       `json:"least_p_value,omitempty" doc:"Smallest p-value that this number of sets allows."`
}

type placeboBin struct {
	From answer.Percent `json:"from_pct"`
	To   answer.Percent `json:"to_pct"`
	Sets int            `json:"sets"`
}

// Check rejects parameters of other views.
func (p experimentsParams) Check() error {
	belongs := func(given bool, name string, value any, view experimentView) error {
		if !given || p.View == view {
			return nil
		}
		return fault.Invalid("%s requires view=%s; the view is %s", name, view, p.View).
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

// estimated describes the intervals of the answer.
func (a *experimentsAnswer) estimated() {
	a.Estimates = &answer.Estimates{LevelPct: 100 * answer.Level90, Method: "experiments; geo experiments use placebo sets", Basis: measure.Incremental}
}

// guideTopic is a topic of the guide to experiments.
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
