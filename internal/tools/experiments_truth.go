package tools

import (
	"context"
	"fmt"
	"math"
	"slices"

	"assay/internal/answer"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/measure/geo"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// showTruth compares each channel's last-touch return with its return after applied factors.
func showTruth(ctx context.Context, c *toolkit.Call, a *ExperimentsAnswer, p answer.Last90) error {
	days, err := p.Window(c.Today)
	if err != nil {
		return err
	}
	a.Period = c.Period(days)
	rows, err := spenders(ctx, c, a.Channel, warehouse.Windows{Recent: days})
	if err != nil {
		return err
	}
	factors, err := c.AppliedFactors(ctx)
	if err != nil {
		return err
	}
	m := &a.Metrics
	var spend, covered, credited float64
	var sum measure.Estimate
	for _, r := range rows {
		spend += float64(*r.Spend)
		if f, ok := factors[r.Channel]; ok && r.ROAS != nil && r.LastTouch != nil {
			r.Factor, r.Tests, r.LastTest = answer.EstimateOf[answer.Ratio](f.Estimate, 1), f.Tests, f.Latest
			r.Return = answer.EstimateOf[answer.Ratio](f.Estimate, float64(*r.ROAS))
			revenue := f.Times(float64(*r.LastTouch))
			r.Incremental = answer.EstimateOf[answer.Money](revenue, 1)
			covered, credited = covered+float64(*r.Spend), credited+float64(*r.LastTouch)
			sum = sum.Plus(revenue)
		}
		a.Rows = append(a.Rows, r)
	}
	if len(rows) == 0 {
		a.Summary = c.ExplainEmpty(&a.Closing, days)
		if !c.Store.Empty() {
			a.Summary = fmt.Sprintf("No channel has spend %s, so there are no returns to correct.", answer.Dates(days))
		}
		return nil
	}
	m.Covered = new(answer.Percent(100 * covered / spend))
	if covered > 0 {
		a.estimated()
		m.Spend, m.LastTouch = new(answer.Money(covered)), new(answer.Money(credited))
		m.Incremental = answer.EstimateOf[answer.Money](sum, 1)
		a.Summary = fmt.Sprintf("Incremental revenue of channels with an applied factor is %s %s (90%% interval %s to %s), compared with %s by last touch. These channels have %s of spend. %s",
			c.Spelled(m.Incremental.Value), answer.Dates(days), c.Spelled(m.Incremental.Low), c.Spelled(m.Incremental.High), c.Spelled(*m.LastTouch),
			m.Covered.Whole(), factorAssumes)
	} else {
		a.Summary = fmt.Sprintf("No channel with spend %s has an applied factor: last-touch returns are not corrected.", answer.Dates(days))
	}
	if covered < spend {
		a.Warn(answer.WarnNotCovered, "Channels without an applied factor show last-touch returns only: their incremental revenue is unknown.")
	}
	if c.Store.Untouched() {
		c.WarnUntouched(&a.Closing, days, a.Channel)
	}
	c.WarnStale(&a.Closing, days)
	c.Suggest(&a.Closing, "experiments", map[string]any{"view": string(NextTestView)}, "See which channel to test next.")
	return nil
}

// spenders returns the channels with spend and their last-touch returns, largest spend first.
func spenders(ctx context.Context, c *toolkit.Call, only measure.Channel, in warehouse.Windows) ([]ExperimentRow, error) {
	totals, err := c.LastTouchTotals(ctx, in, only)
	if err != nil {
		return nil, err
	}
	f := c.Figures
	var rows []ExperimentRow
	for _, t := range totals.Recent {
		if !t.SpendKnown || t.Spend <= 0 {
			continue
		}
		row := ExperimentRow{Channel: t.Channel, Spend: new(f.Money(t.Spend))}
		if !c.Store.Untouched() {
			row.LastTouch, row.ROAS = new(f.Revenue(t.Sums)), f.ROAS(t.Sums, t.Spend)
		}
		if t.ClaimedSum > 0 {
			row.Claimed = answer.RatioOf(measure.ROAS(t.ClaimedSum, t.Spend))
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(x, y ExperimentRow) int {
		if *x.Spend != *y.Spend {
			return int(math.Copysign(1, float64(*y.Spend-*x.Spend)))
		}
		return slices.Compare([]byte(x.Channel), []byte(y.Channel))
	})
	return rows, nil
}

// showNextTest ranks channels by revenue at stake: last-touch revenue times the standard deviation of the factor.
func showNextTest(ctx context.Context, c *toolkit.Call, a *ExperimentsAnswer) error {
	days := c.LastDays(lookBack)
	a.Period = c.Period(days)
	rows, err := spenders(ctx, c, a.Channel, warehouse.Windows{Recent: days})
	if err != nil {
		return err
	}
	factors, err := c.AppliedFactors(ctx)
	if err != nil {
		return err
	}
	for _, r := range rows {
		sd := geo.Uncertainty(nil, 0)
		if f, ok := factors[r.Channel]; ok {
			sd = geo.Uncertainty(&f.Estimate, c.Years(f.Latest))
			r.Factor, r.Tests, r.LastTest = answer.EstimateOf[answer.Ratio](f.Estimate, 1), f.Tests, f.Latest
		}
		r.FactorSD = new(answer.Ratio(sd))
		if r.LastTouch != nil {
			r.Stake = new(answer.Money(sd * float64(*r.LastTouch)))
		}
		r.Why = testedNow(c, r.Channel)
		a.Rows = append(a.Rows, r)
	}
	toolkit.SortBy(a.Rows, func(r ExperimentRow) float64 {
		switch {
		case r.Why != "":
			return math.Inf(1)
		case r.Stake == nil:
			return 0
		}
		return -float64(*r.Stake)
	})
	if len(a.Rows) == 0 {
		a.Summary = "No channel has spend " + answer.Dates(days) + ", so there is nothing to test."
		c.Suggest(&a.Closing, "diagnose", map[string]any{}, "See which data exist and which are missing.")
		return nil
	}
	nextTestSummary(c, a)
	return nil
}

const lookBack = 90 // days of spend and revenue that the ranking uses

// testedNow describes the running or planned experiment on a channel, "" if there is none.
func testedNow(c *toolkit.Call, channel measure.Channel) string {
	for _, e := range c.Experiments {
		if e.Channel == channel && (e.Status == control.ExperimentRunning || e.Status == control.ExperimentPlanned) {
			return fmt.Sprintf("%s is %s %s", e.ID, e.Status, answer.Dates(e.Days))
		}
	}
	return ""
}

func nextTestSummary(c *toolkit.Call, a *ExperimentsAnswer) {
	r := a.Rows[0]
	switch {
	case r.Why != "":
		a.Summary = "Every channel with spend has a running or planned experiment."
		return
	case r.Stake == nil:
		a.Summary = fmt.Sprintf("Test %s next: it has the most spend. The revenue at stake is unknown because no order has a channel.", answer.ChannelName(r.Channel))
	case r.Tests == 0:
		a.Summary = fmt.Sprintf("Test %s next: its incrementality factor is the most valuable unknown, with %s of 90-day attributed revenue at stake. It has no applied factor.", answer.ChannelName(r.Channel), c.Spelled(*r.Stake))
	default:
		a.Summary = fmt.Sprintf("Test %s next: its incrementality factor is the most valuable unknown, with %s of 90-day attributed revenue at stake. Its latest experiment ended on %s.",
			answer.ChannelName(r.Channel), c.Spelled(*r.Stake), r.LastTest)
	}
	a.Warn(answer.WarnRanking, "The ranking assumes a factor standard deviation of 0.5 for channels without an applied factor. Results do not use this assumption.")
	c.Suggest(&a.Closing, "geo_experiment_preflight", map[string]any{"channel": string(r.Channel)}, "Check whether a geo experiment can detect its effect.")
	c.Suggest(&a.Closing, "experiments", map[string]any{"view": string(GuideView), "topic": string(geoTopic)}, "Read how to run a geo experiment.")
}
