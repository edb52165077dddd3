package tools

import (
	"context"
	"fmt"

	"assay/internal/answer"
	"assay/internal/experiment"
	"assay/internal/measure"
	"assay/internal/measure/mmm"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// showTruth compares each channel's last-touch ROAS and platform-reported ROAS with its best estimate.
func showTruth(ctx context.Context, c *toolkit.Call, a *ExperimentsAnswer, p answer.Last90) error {
	days, err := p.Window(c.Today)
	if err != nil {
		return err
	}
	a.Period = c.Period(days)
	totals, err := c.LastTouchTotals(ctx, warehouse.Windows{Recent: days}, a.Channel)
	if err != nil {
		return err
	}
	returns, err := snapshot.Returns(ctx, c.Snapshot)
	if err != nil {
		return err
	}
	m, f := &a.Metrics, c.Figures
	var spend, covered, credited float64
	var sum measure.Estimate
	modelled := map[measure.Channel]float64{} // spend
	for _, t := range totals.Recent {
		if !t.SpendKnown || t.Spend <= 0 {
			continue
		}
		best := returns[t.Channel]
		row := truthRow(c, t, best)
		spent := float64(f.Money(t.Spend))
		spend += spent
		if best.Best != nil {
			revenue := best.Best.Times(spent)
			row.Incremental = answer.EstimateOf[answer.Money](revenue, 1)
			if best.Basis != snapshot.ByAttribution {
				covered += spent
				if best.Basis == snapshot.ByModel {
					modelled[t.Channel] = spent
				} else {
					sum = sum.Plus(revenue)
				}
				credited += float64(f.Revenue(t.Sums))
			}
		}
		a.Rows = append(a.Rows, row)
	}
	if len(modelled) > 0 {
		sum = sum.Plus(mmm.EstimateOf(snapshot.UsableModel(c.Snapshot).Incremental(modelled)))
	}
	toolkit.SortBy(a.Rows, func(r ExperimentRow) float64 { return -float64(*r.Spend) })
	if len(a.Rows) == 0 {
		a.Summary = c.ExplainEmpty(&a.Closing, days)
		if !c.Store.Empty() {
			a.Summary = fmt.Sprintf("No channel has spend %s, so there is no ROAS to correct.", answer.Dates(days))
		}
		return nil
	}
	m.Covered = new(answer.Percent(100 * covered / spend))
	if covered > 0 {
		m.Spend, m.LastTouch = new(answer.Money(covered)), new(answer.Money(credited))
		m.Incremental = answer.EstimateOf[answer.Money](sum, 1)
		a.Summary = fmt.Sprintf("Incremental revenue of channels in the media mix model or with an applied incrementality factor is %s %s. The 90%% interval is %s to %s. Last touch attributes %s of revenue to these channels, which account for %s of spend.",
			c.Spelled(m.Incremental.Value), answer.Dates(days), c.Spelled(m.Incremental.Low), c.Spelled(m.Incremental.High), c.Spelled(*m.LastTouch), m.Covered.Whole())
	} else {
		a.Summary = fmt.Sprintf("No channel with spend %s is in a media mix model or has an applied incrementality factor: the best estimates are last-touch ROAS with wide intervals.", answer.Dates(days))
	}
	if a.Channel != "" {
		a.Summary += toolkit.BestSentence(returns[a.Channel])
	}
	a.estimated()
	if covered < spend {
		a.Warn(answer.WarnNotCovered, "For channels without a media mix model and without an applied incrementality factor, the best estimate is last-touch ROAS. Its interval is the 90% interval of the factor's prior: 0.2 to 1.8 times last-touch ROAS.")
	}
	if c.Store.Untouched() {
		c.WarnUntouched(&a.Closing, days, a.Channel)
	}
	c.WarnStale(&a.Closing, days)
	c.Suggest(&a.Closing, "experiments", map[string]any{"view": string(NextTestView)}, "See which channel to test next.")
	return nil
}

// truthRow returns a channel's best estimate, with the last-touch and reported figures of the same days.
func truthRow(c *toolkit.Call, t warehouse.ChannelTotal, best snapshot.Return) ExperimentRow {
	row := ExperimentRow{Channel: t.Channel, Spend: new(c.Figures.Money(t.Spend)), Best: toolkit.BestOf(best), Why: toolkit.WhyReturnsDiffer(best)}
	if !c.Store.Untouched() {
		row.LastTouch, row.ROAS = new(c.Figures.Revenue(t.Sums)), c.Figures.ROAS(t.Sums, t.Spend)
	}
	if t.ClaimedSum > 0 {
		row.Claimed = answer.RatioOf(measure.ROAS(t.ClaimedSum, t.Spend))
	}
	if best.Modelled != nil {
		row.Modelled = answer.EstimateOf[answer.Ratio](*best.Modelled, 1)
	}
	row.factor(best.Factor)
	return row
}

// factor adds the factor of a channel's applied experiments.
func (r *ExperimentRow) factor(f *experiment.ChannelFactor) {
	if f != nil {
		r.Factor, r.Tests, r.LastTest = answer.EstimateOf[answer.Ratio](f.Estimate, 1), f.Tests, f.Latest
	}
}

// showNextTest lists the channels in the order in which to test them; see [toolkit.Call.NextTests].
func showNextTest(ctx context.Context, c *toolkit.Call, a *ExperimentsAnswer) error {
	days := c.LastDays(snapshot.ReturnDays)
	a.Period = c.Period(days)
	all, err := c.NextTests(ctx)
	if err != nil {
		return err
	}
	for _, t := range all {
		if a.Channel != "" && t.Channel != a.Channel {
			continue
		}
		row := ExperimentRow{Channel: t.Channel, Spend: new(c.Figures.Money(t.Spend)), Best: toolkit.BestOf(t.Return), ROAS: ratioOf(t.LastTouch), Claimed: ratioOf(t.Claimed), Why: t.Now}
		row.factor(t.Factor)
		if t.SD > 0 {
			row.FactorSD = new(answer.Ratio(t.SD))
		}
		if t.Best != nil {
			row.Stake = new(answer.Money(t.Stake))
		}
		if t.Gain > 0 {
			row.Gain = new(answer.Money(t.Gain))
		}
		a.Rows = append(a.Rows, row)
	}
	if len(a.Rows) == 0 {
		a.Summary = "No channel has spend " + answer.Dates(days) + ", so there is nothing to test."
		c.Suggest(&a.Closing, "diagnose", map[string]any{}, "See which data exist and which are missing.")
		return nil
	}
	nextTestSummary(c, a)
	return nil
}

func nextTestSummary(c *toolkit.Call, a *ExperimentsAnswer) {
	r := a.Rows[0]
	switch {
	case r.Why != "":
		a.Summary = "Every channel with spend has a running or planned experiment."
		return
	case r.Stake == nil:
		a.Summary = fmt.Sprintf("Test %s next: this channel has the most spend. The revenue at stake is unknown, because no order is attributed to any channel.", answer.ChannelName(r.Channel))
	case r.Gain != nil:
		a.Summary = fmt.Sprintf("Test %s next: an experiment is expected to improve the budget allocation by %s of revenue per month, before the cost of the experiment.",
			answer.ChannelName(r.Channel), c.Spelled(*r.Gain))
	default:
		a.Summary = fmt.Sprintf("Test %s next: its incremental ROAS is the most valuable unknown, with %s of 90-day incremental revenue at stake. The best estimate of iROAS is %s (90%% interval %s to %s).",
			answer.ChannelName(r.Channel), c.Spelled(*r.Stake), r.Return.Value, r.Return.Low, r.Return.High)
	}
	a.Warn(answer.WarnRanking, "For channels without a media mix model and without an applied incrementality factor, the ranking uses the factor's prior: mean 1, standard deviation 0.5.")
	c.Suggest(&a.Closing, "geo_experiment_preflight", map[string]any{"channel": string(r.Channel)}, "Check whether a geo experiment can detect the effect.")
	c.Suggest(&a.Closing, "experiments", map[string]any{"view": string(GuideView), "topic": string(geoTopic)}, "Read how to run a geo experiment.")
}
