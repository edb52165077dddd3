package tools

import (
	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/mcp"
	"assay/internal/measure"
	"assay/internal/measure/geo"
	"assay/internal/toolkit"
)

type experimentsParams struct {
	View ExperimentView `json:"view" enum:"factors|results|true_vs_reported|next_test|guide" default:"factors" doc:"What to show."`
	answer.Last90
	Channel      string     `json:"channel" doc:"Only this channel."`
	ExperimentID string     `json:"experiment_id" doc:"For view=results."`
	Topic        GuideTopic `json:"topic" enum:"overview|geo_experiments|did|synthetic_control|factors|icpa_iroas|interpreting_results" doc:"For view=guide."`
	answer.Shared
}

// ExperimentView selects the answer of the `experiments` tool.
type ExperimentView string

// The views.
const (
	FactorsView        ExperimentView = "factors"
	ResultsView        ExperimentView = "results"
	TrueVsReportedView ExperimentView = "true_vs_reported"
	NextTestView       ExperimentView = "next_test"
	GuideView          ExperimentView = "guide"
	experimentMethod                  = "The result of a geo experiment is the revenue of the treated regions, as charged to customers, minus a scaled synthetic control. " +
		"The interval of the result comes from placebo sets of regions. An incrementality factor is incremental ROAS divided by last-touch ROAS on the same days. " +
		"The factor of a channel is the posterior mean from a prior (mean 1, standard deviation 0.5) and the pooled experiments. See methods/geo."
	factorAssumes = "A factor is valid for the spend level and season of its experiment."
)

// ExperimentsAnswer is the answer of the `experiments` tool.
type ExperimentsAnswer struct {
	answer.Opening
	View      ExperimentView      `json:"view"`
	Topic     GuideTopic          `json:"topic,omitempty"`
	Channel   measure.Channel     `json:"channel,omitempty"`
	Metrics   ExperimentMetrics   `json:"metrics"`
	Estimates *answer.Estimates   `json:"estimates,omitempty"`
	Evidence  *ExperimentEvidence `json:"evidence,omitempty" detail:"analyst" doc:"Evidence of the geo experiment in experiment_id."`
	answer.Table[ExperimentRow]
	answer.Closing
}

// ExperimentMetrics counts experiments. For view=true_vs_reported, it totals the channels with a model or an applied
// factor.
type ExperimentMetrics struct {
	Experiments *int `json:"experiments,omitempty" doc:"Experiments that match the filter, with any status."`
	Completed   *int `json:"completed,omitempty"`
	Applied     *int `json:"applied,omitempty" doc:"Completed experiments with an applied factor."`

	Covered     *answer.Percent                `json:"spend_covered_pct,omitempty" doc:"Share of spend in channels with a model or an applied factor."`
	Spend       *answer.Money                  `json:"spend,omitempty" doc:"Spend of the channels with a model or an applied factor."`
	LastTouch   *answer.Money                  `json:"last_touch_revenue,omitempty" doc:"Last-touch revenue of the channels with a model or an applied factor."`
	Incremental *answer.Estimate[answer.Money] `json:"incremental_revenue,omitempty" doc:"Incremental revenue of the channels with a model or an applied factor. The interval assumes independent errors."`
}

// ExperimentRow is an experiment, a channel or a passage of the guide, with the fields that apply to it.
type ExperimentRow struct {
	ID      control.ExperimentID     `json:"experiment_id,omitempty"`
	Name    answer.Foreign           `json:"name,omitempty"`
	Channel measure.Channel          `json:"channel,omitempty"`
	Kind    control.ExperimentKind   `json:"kind,omitempty" detail:"analyst"`
	Status  control.ExperimentStatus `json:"status,omitempty"`
	Start   civil.Date               `json:"start,omitzero"`
	End     civil.Date               `json:"end,omitzero"`

	Factor       *answer.Estimate[answer.Ratio] `json:"factor,omitempty" doc:"Incrementality factor: incremental ROAS / last-touch ROAS. For a channel: posterior mean from the prior and the experiments. For an experiment: as measured."`
	Applied      *bool                          `json:"applied,omitempty" doc:"true if the factor corrects last-touch ROAS."`
	Tests        int                            `json:"tests,omitempty" doc:"Number of experiments that the factor uses."`
	LastTest     civil.Date                     `json:"last_test,omitzero" doc:"Last day of the latest experiment."`
	BetweenTests *answer.Ratio                  `json:"between_tests,omitempty" detail:"analyst" doc:"Standard deviation of the factor between experiments, in addition to their standard errors."`

	Spend     *answer.Money                  `json:"spend,omitempty"`
	LastTouch *answer.Money                  `json:"last_touch_revenue,omitempty"`
	ROAS      *answer.Ratio                  `json:"last_touch_roas,omitempty" doc:"Last-touch ROAS on the days of the row."`
	Claimed   *answer.Ratio                  `json:"claimed_roas,omitempty" detail:"analyst" doc:"ROAS that the ad platform reports."`
	Modelled  *answer.Estimate[answer.Ratio] `json:"model_roas,omitempty" detail:"analyst" doc:"ROAS estimated by the media mix model over its training window."`
	toolkit.Best
	Incremental *answer.Estimate[answer.Money] `json:"incremental_revenue,omitempty"`

	Lift       *answer.Estimate[answer.Percent] `json:"lift_pct,omitempty" doc:"Revenue change in the treated regions compared with the counterfactual."`
	PValue     *float64                         `json:"p_value,omitempty" detail:"analyst" doc:"Two-sided p-value; the null hypothesis is no effect."`
	Outcome    ExperimentOutcome                `json:"outcome,omitempty" doc:"effect_found if the interval excludes zero."`
	Change     *answer.Money                    `json:"spend_change,omitempty" detail:"analyst" doc:"Spend in the treated regions minus counterfactual spend."`
	Treated    []string                         `json:"treated_regions,omitempty" detail:"analyst"`
	HeldOut    []string                         `json:"held_out_regions,omitempty" detail:"analyst" doc:"Control regions; absent: all other regions."`
	Why        string                           `json:"why,omitempty" doc:"Reason for a missing value, or for a last place in the ranking."`
	Overlaps   []string                         `json:"overlaps,omitempty" doc:"Experiments that conflict with a draft, with the reasons."`
	Hypothesis answer.Foreign                   `json:"hypothesis,omitempty" detail:"analyst"`

	Uses []ExperimentUse `json:"uses,omitempty" detail:"analyst" doc:"Whether and why estimates use the experiment."`

	Gain     *answer.Money `json:"worth_of_experiment,omitempty" doc:"Expected increase of the optimized allocation's monthly revenue due to the experiment, before the experiment's cost."`
	Stake    *answer.Money `json:"revenue_at_stake,omitempty" doc:"Standard deviation of the incremental revenue of 90 days."`
	FactorSD *answer.Ratio `json:"factor_sd,omitempty" detail:"analyst" doc:"Standard deviation of incremental_roas / last_touch_roas, increased with the age of experiments; 0.5 without a model or an applied factor."`

	Topic GuideTopic `json:"topic,omitempty"`
	Text  string     `json:"text,omitempty"`
}

// ExperimentUse states whether an estimate uses an experiment, and why.
type ExperimentUse struct {
	By   string `json:"by" doc:"factor, model or halo."`
	Used bool   `json:"used"`
	Why  string `json:"why"`
}

// ExperimentOutcome classifies the result of an experiment.
type ExperimentOutcome string

// The outcomes.
const (
	EffectFound   ExperimentOutcome = "effect_found"
	NoClearEffect ExperimentOutcome = "no_clear_effect"
	NoResult      ExperimentOutcome = "cannot_be_read"
)

// ExperimentEvidence is the evidence for the result of a geo experiment.
type ExperimentEvidence struct {
	Method    geo.Method     `json:"method"`
	Inference geo.Inference  `json:"inference"`
	Donors    int            `json:"donor_regions"`
	Before    int            `json:"history_days"`
	LeftOut   int            `json:"days_left_out,omitempty" doc:"Excluded days before the test: other experiments ran on these days or shortly before."`
	Fit       answer.Ratio   `json:"scaled_l2" doc:"Fit error before the test: 0 is a perfect fit, 1 is the fit of the donors' mean."`
	Notes     []string       `json:"notes,omitempty"`
	Weeks     []EvidenceWeek `json:"weeks" doc:"Orders of the treated regions by week, without wholesale, at the mean order value. Weeks are counted from the first day of the test."`
	Weights   []DonorWeight  `json:"weights"`
	Placebo   *PlaceboSets   `json:"placebo,omitempty"`
}

// EvidenceWeek contains the observed and expected revenue of the treated regions in one week.
type EvidenceWeek struct {
	Start    civil.Date   `json:"start"`
	Observed answer.Money `json:"observed"`
	Expected answer.Money `json:"expected" doc:"Counterfactual revenue, from the donor regions."`
	Low      answer.Money `json:"low" doc:"low and high contain observed revenue in 90% of weeks before the test."`
	High     answer.Money `json:"high"`
	During   bool         `json:"during,omitempty"`
}

// DonorWeight is the weight of a donor region in the synthetic control.
type DonorWeight struct {
	Region geo.Region     `json:"region"`
	Weight answer.Percent `json:"weight_pct"`
}

// PlaceboSets is a histogram of the effects estimated in sets of untreated regions.
type PlaceboSets struct {
	Sets  int            `json:"sets"`
	Own   answer.Percent `json:"own_effect_pct" doc:"Effect on the treated regions, relative to their revenue before the test."`
	Bins  []PlaceboBin   `json:"bins"`
	Least *float64       `json:"least_p_value,omitempty" doc:"Smallest p-value that this number of placebo sets allows."`
}

// PlaceboBin is a bar of the histogram of placebo effects.
type PlaceboBin struct {
	From answer.Percent `json:"from_pct"`
	To   answer.Percent `json:"to_pct"`
	Sets int            `json:"sets"`
}

// Check rejects parameters of other views.
func (p experimentsParams) Check() error {
	belongs := func(given bool, name string, view ExperimentView) error {
		if !given || p.View == view {
			return nil
		}
		return &mcp.RejectedError{
			Fault: fault.Invalid("%s requires view=%s; the view is %s", name, view, p.View), Drop: []string{name}, Main: "view", Value: view,
		}
	}
	for _, err := range []error{
		belongs(p.ExperimentID != "", "experiment_id", ResultsView),
		belongs(p.Topic != "", "topic", GuideView),
		belongs(!p.StartDate.IsZero(), "start_date", TrueVsReportedView),
		belongs(!p.EndDate.IsZero(), "end_date", TrueVsReportedView),
		p.Last90.Check(),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// estimated describes the intervals of the answer.
func (a *ExperimentsAnswer) estimated() {
	a.Estimates = &answer.Estimates{LevelPct: 100 * answer.Level90, Method: "Incrementality factors come from experiments. The intervals of geo experiments come from placebo sets of regions. Best estimates of incremental ROAS also use a media mix model and a prior.", Basis: measure.Incremental}
}

// GuideTopic is a topic of the guide to experiments.
type GuideTopic string

const (
	overviewTopic  GuideTopic = "overview"
	geoTopic       GuideTopic = "geo_experiments"
	didTopic       GuideTopic = "did"
	syntheticTopic GuideTopic = "synthetic_control"
	factorsTopic   GuideTopic = "factors"
	returnsTopic   GuideTopic = "icpa_iroas"
	readingTopic   GuideTopic = "interpreting_results"
)
