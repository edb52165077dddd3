package tools

import (
	"slices"

	"assay/internal/answer"
	"assay/internal/toolkit"
)

// passage is what the guide says of a topic. The first sentence is its summary.
type passage struct {
	topic guideTopic
	gist  string
	text  []string
}

// passages are the whole guide, in the order of the contract.
var passages = []passage{
	{
		overviewTopic,
		"An experiment changes a channel's spend somewhere on purpose and compares with where it stayed: the difference is what the channel causes, and not what it is credited with.",
		[]string{
			"Platforms and last touch report orders that had a touch. Some of them would have come anyway, and some that the channel caused had no touch. Only a comparison tells.",
			"An experiment here goes from draft to planned, running and completed; drafts, plans and running ones can be cancelled. Tests by region (kind geo) are measured from the store's own orders. Studies that a platform ran (lift_study, conversion_lift) are entered with the return they found and its interval.",
			"A completed experiment gives a factor. It corrects reported returns once somebody has applied it.",
			"Start with view=next_test, then geo_experiment_preflight for the channel; view=results shows what was found.",
		},
	},
	{
		geoTopic,
		"In a test by region some regions get more, less or no spend of a channel for some weeks, and the others show what would have happened.",
		[]string{
			"Choose the regions before the start, by geo_experiment_preflight or by lot, and leave them alone until the end. Take four weeks or more: carry-over needs time to show.",
			"Switching the channel off (a holdout) measures what its present spend brings. Raising it (a scale-up) measures what more spend brings, which is less where the channel is saturated. The two answer different questions.",
			"Nothing else may differ between the two groups: no other test on the same channel or region at the same time, no promotion in some regions only. Overlapping experiments are refused when they are planned.",
			"The result is not shown before the test is completed. Who looks daily and stops when it looks well finds effects that are not there.",
		},
	},
	{
		didTopic,
		"Difference in differences takes the change of the treated regions less the change of the others.",
		[]string{
			"It needs both groups to have moved in parallel without the test. Regions of different size and season seldom do, so its error is larger: on one panel of 40 cities 3.5 % of the level against 2.6 % of the scaled synthetic control.",
			"Daily differences are alike from day to day. A t-test that takes them for independent finds an effect in one of ten tests without any where one in twenty is meant; intervals here come from placebo sets of regions.",
			"assay lab geo fit computes it beside the other methods from a CSV.",
		},
	},
	{
		syntheticTopic,
		"A synthetic control is the mix of untreated regions that followed the treated ones most closely before the test; it stands for them during the test.",
		[]string{
			"Weights are not negative and add up to one, so the mix never reaches beyond what was seen. Each region is divided by its mean before the test first, so that large and small regions can stand for each other.",
			"scaled_l2 says how well the match is: 0 is perfect, 1 no better than the plain mean of the others. Above 0.6 the answer says so.",
			"How sure the result is comes from placebo sets: the same estimate for sets of regions where nothing was done. The treated regions have to stand out among them.",
			"Days on which other tests ran are left out of the history, and regions of other tests are not compared with.",
		},
	},
	{
		factorsTopic,
		"A factor is the incremental return of an experiment divided by the return that last touch reports for the same days; reported returns are multiplied by it.",
		[]string{
			"0.6 means that six of ten credited units of revenue would not have come without the channel. Above 1 the channel brings more than it is credited with.",
			"The interval of the experiment is carried through to every corrected figure. Several tests of a channel are pooled by how sure they are, and the interval widens by how much they disagree.",
			"A factor holds for the level of spend and the season it was measured in. It ages: view=next_test counts a year as additional doubt.",
			"Only applied factors correct anything. Who may make experiments applies one on the page Experiments.",
		},
	},
	{
		returnsTopic,
		"iROAS is incremental revenue per unit of spend that the test added or took away; iCPA is that spend per incremental order.",
		[]string{
			"The spend is the difference between what the treated regions spent and what they would have, by the growth of the others. It is set and not drawn, so it counts as exact.",
			"Taking spend away has a negative cost and, when it hurts, a negative effect: the ratio is positive either way.",
			"Where the interval of the effect holds zero, the cost of one more order has no upper end, and none is given. Revenue is what customers were charged: compare with the margin before judging whether 1.5 is good.",
			"Carry-over beyond the last day of the test is not in it, so a scale-up tends to look a little smaller than it is.",
		},
	},
	{
		readingTopic,
		"Read the interval first: if it holds zero the test shows no clear effect, which is not the same as no effect.",
		[]string{
			"A 90 % interval holds the truth in nine of ten tests when the method's assumptions hold. The value in its middle is the best guess, not a result by itself.",
			"no_clear_effect with a wide interval means that the test was too small: more regions, more weeks or a larger change of spend. With a narrow one it means that the channel brings little.",
			"p_value is how often regions without treatment look as different. It has a least value that the number of regions sets.",
			"cannot_be_read comes with the reason: no orders from a treated region, days that the store does not have, spend by region that is not known.",
			"Distrust a large effect of a small change of spend, and a result that one other region decides: evidence shows the weights.",
		},
	},
}

// showGuide shows a topic, or where none is named the overview and what else there is.
func showGuide(c *toolkit.Call, a *experimentsAnswer, topic guideTopic) {
	a.Metrics = experimentMetrics{}
	a.Topic = topic
	a.ShowAll(true)
	if topic == "" {
		a.Topic = overviewTopic
	}
	at := slices.IndexFunc(passages, func(p passage) bool { return p.topic == a.Topic })
	a.Summary = passages[at].gist
	for _, text := range passages[at].text {
		a.Rows = append(a.Rows, experimentRow{Topic: a.Topic, Text: text})
	}
	next := passages[(at+1)%len(passages)]
	c.Suggest(&a.Closing, "experiments", map[string]any{"view": string(guideView), "topic": string(next.topic)}, "Read on.")
	c.Suggest(&a.Closing, "experiments", map[string]any{"view": string(nextTestView)}, "See which channel to test next.")
	c.Describe(&a.Closing, answer.DataQuality{}, "none")
}
