package tools

import (
	"slices"

	"assay/internal/answer"
	"assay/internal/toolkit"
)

// passage is the guide's text on a topic. The gist is its summary.
type passage struct {
	topic GuideTopic
	gist  string
	text  []string
}

// passages are the whole guide, in the order of the contract.
var passages = []passage{
	{
		overviewTopic,
		"An experiment changes a channel's spend in some regions and compares them with unchanged regions: the difference is the channel's incremental effect.",
		[]string{
			"Platforms and last touch report orders with a touchpoint. Some of these orders would have happened anyway, and some orders that the channel caused have no touchpoint. Only a comparison separates them.",
			"An experiment goes from draft to planned, running and completed; before completion it can be cancelled. Geo experiments (kind geo) are measured from the store's own orders. Platform studies (lift_study, conversion_lift) are entered with their iROAS and its interval.",
			"A completed experiment gives an incrementality factor. It corrects reported returns once a member applies it.",
			"Start with view=next_test, then run geo_experiment_preflight for the channel; view=results shows the results.",
		},
	},
	{
		geoTopic,
		"In a geo experiment some regions get more, less or no spend on a channel for some weeks, and the other regions give the counterfactual.",
		[]string{
			"Choose the regions before the start, with geo_experiment_preflight or at random, and do not change them until the end. Plan four weeks or more: adstock (carryover) delays part of the effect.",
			"Pausing the channel (a holdout) measures the iROAS of its current spend. Raising spend (a scale-up) measures the iROAS of additional spend, which is lower when the channel is saturated.",
			"Nothing else may differ between the two groups: no other experiment on the same channel or region at the same time, no promotion in some regions only. Overlapping experiments cannot be planned.",
			"A running experiment is not read before it is completed: ending a test when it looks good finds effects that are not there.",
		},
	},
	{
		didTopic,
		"Difference in differences (DiD) is the change of the treated regions minus the change of the control regions.",
		[]string{
			"It assumes parallel trends without the test. Regions of different size and seasonality rarely have them, so its error is larger: on one panel of 40 cities 3.5% of the level, compared with 2.6% for the scaled synthetic control.",
			"Daily differences are autocorrelated. A t-test that assumes independence has a false positive rate of about 10% at a nominal level of 5%. Intervals here come from placebo sets of regions.",
			"The command assay lab geo fit computes it from a CSV file, together with the other methods.",
		},
	},
	{
		syntheticTopic,
		"A synthetic control is the weighted mix of untreated regions that best fits the treated regions before the test; during the test it is their counterfactual.",
		[]string{
			"Weights are not negative and sum to one, so the mix does not extrapolate. Each region is first divided by its mean before the test, so that large and small regions are comparable.",
			"scaled_l2 is the fit error before the test: 0 is perfect, 1 equals the donors' mean. The answer notes values above 0.6.",
			"Uncertainty comes from placebo sets: the same estimate for sets of untreated regions. A clear effect is larger than nearly all placebo effects.",
			"The history excludes days on which other experiments ran, and the donor pool excludes their regions.",
		},
	},
	{
		factorsTopic,
		"An incrementality factor is the iROAS of an experiment divided by the last-touch ROAS on the same days; it multiplies reported returns.",
		[]string{
			"0.6 means that 60% of attributed revenue is incremental. Above 1, incremental revenue exceeds attributed revenue.",
			"Every corrected value has an interval from the experiment. Several experiments on a channel are pooled by precision, and the interval widens when they disagree.",
			"A factor applies to the spend level and season of its experiment. In view=next_test its uncertainty grows with age.",
			"Only applied factors correct reported returns. Members who can edit experiments apply them on the Experiments page.",
		},
	},
	{
		returnsTopic,
		"iROAS is incremental revenue per unit of spend that the experiment added or removed; iCPA is that spend per incremental order.",
		[]string{
			"The spend change is actual minus counterfactual spend in the treated regions; the counterfactual follows the growth of the control regions. Spend is set by the advertiser, so it is treated as exact.",
			"Removing spend has a negative cost and, when sales fall, a negative effect: the ratio is positive either way.",
			"When the interval of the effect includes zero, iCPA has no upper bound and is not shown. Revenue is the amount charged to customers: compare iROAS with the margin before judging it.",
			"Adstock (carryover) after the last day of the test is not included, so iROAS of a scale-up tends to be slightly low.",
		},
	},
	{
		readingTopic,
		"Read the interval first: if it includes zero the experiment shows no clear effect, which is not the same as no effect.",
		[]string{
			"A 90% interval covers the true effect in nine of ten experiments when the method's assumptions are met. The point estimate alone is not a result.",
			"no_clear_effect with a wide interval means that the experiment is too small: use more regions, more weeks or a larger spend change. With a narrow interval it means that the channel has little effect.",
			"p_value is the share of placebo sets with an effect at least as large. The number of regions limits its minimum.",
			"cannot_be_read has a reason: no orders from a treated region, days without data, unknown spend by region.",
			"Distrust a large effect of a small spend change, and a result that depends on one donor region: evidence shows the weights.",
		},
	},
}

// showGuide shows a topic, by default the overview.
func showGuide(c *toolkit.Call, a *ExperimentsAnswer, topic GuideTopic) {
	a.Metrics = ExperimentMetrics{}
	a.Topic = topic
	a.ShowAll(true)
	if topic == "" {
		a.Topic = overviewTopic
	}
	at := slices.IndexFunc(passages, func(p passage) bool { return p.topic == a.Topic })
	a.Summary = passages[at].gist
	for _, text := range passages[at].text {
		a.Rows = append(a.Rows, ExperimentRow{Topic: a.Topic, Text: text})
	}
	next := passages[(at+1)%len(passages)]
	c.Suggest(&a.Closing, "experiments", map[string]any{"view": string(GuideView), "topic": string(next.topic)}, "Read the next topic.")
	c.Suggest(&a.Closing, "experiments", map[string]any{"view": string(NextTestView)}, "See which channel to test next.")
	c.Describe(&a.Closing, answer.DataQuality{}, "none")
}
