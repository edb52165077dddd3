package tools

import (
	"context"
	"fmt"
	"math"
	"slices"

	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/measure/geo"
	"assay/internal/warehouse"
)

// showTruth sets what each channel is reported to return beside what applied experiments make of it.
func (c *Call) showTruth(ctx context.Context, a *experimentsAnswer, p last90) error {
	days, err := p.window(c)
	if err != nil {
		return err
	}
	a.Period = c.period(days)
	rows, err := c.spenders(ctx, a.Channel, warehouse.Windows{Recent: days})
	if err != nil {
		return err
	}
	factors, err := c.appliedFactors(ctx)
	if err != nil {
		return err
	}
	m := &a.Metrics
	var spend, covered, reported, value, low, high float64
	for _, r := range rows {
		spend += float64(*r.Spend)
		if f, ok := factors[r.Channel]; ok && r.ROAS != nil && r.Reported != nil {
			r.Factor, r.Tests, r.LastTest = estimateOf[Ratio](f.Value, f.Interval, 1), f.Tests, f.latest
			roas, in := f.Times(float64(*r.ROAS))
			r.Return = estimateOf[Ratio](roas, in, 1)
			revenue, in := f.Times(float64(*r.Reported))
			r.Incremental = estimateOf[Money](revenue, in, 1)
			covered, reported, value = covered+float64(*r.Spend), reported+float64(*r.Reported), value+revenue
			low, high = math.Hypot(low, revenue-in.Low), math.Hypot(high, in.High-revenue)
		}
		a.Rows = append(a.Rows, r)
	}
	if len(rows) == 0 {
		a.Summary = c.explainEmpty(&a.closing, days)
		if !c.Store.empty() {
			a.Summary = fmt.Sprintf("No channel has spend %s, so there are no returns to correct.", spell(days))
		}
		return nil
	}
	m.Covered = new(Percent(100 * covered / spend))
	if covered > 0 {
		a.estimated()
		m.Spend, m.Reported = new(Money(covered)), new(Money(reported))
		m.Incremental = &Estimate[Money]{Value: Money(value), Low: Money(value - low), High: Money(value + high)}
		a.Summary = fmt.Sprintf("Channels with an applied factor are credited with %s by last touch %s; experiments put what they brought at %s (90 %% interval %s to %s). They have %s %% of the spend. %s",
			c.spelled(*m.Reported), spell(days), c.spelled(m.Incremental.Value), c.spelled(m.Incremental.Low), c.spelled(m.Incremental.High),
			grouped(decimals(float64(*m.Covered), 0), 0), factorAssumes)
	} else {
		a.Summary = fmt.Sprintf("No channel with spend %s has an applied factor: reported returns stand uncorrected.", spell(days))
	}
	if covered < spend {
		a.warn("not_covered", "Channels without a factor show what is reported only: what they really bring is not known.")
	}
	if c.Store.untouched() {
		c.warnUntouched(&a.closing, days, a.Channel)
	}
	c.warnBefore(&a.closing, days)
	c.warnStale(&a.closing, days)
	c.suggest(&a.closing, "experiments", map[string]any{"view": string(nextTestView)}, "See which channel to test next.")
	return nil
}

// spenders returns the channels with spend, largest first, with what they are reported to return.
func (c *Call) spenders(ctx context.Context, only measure.Channel, in warehouse.Windows) ([]experimentRow, error) {
	totals, err := c.lastTouchTotals(ctx, in, only)
	if err != nil {
		return nil, err
	}
	f := c.figures()
	var rows []experimentRow
	for _, t := range totals.Recent {
		if !t.SpendKnown || t.Spend <= 0 {
			continue
		}
		row := experimentRow{Channel: t.Channel, Spend: new(f.money(t.Spend))}
		if !c.Store.untouched() {
			row.Reported, row.ROAS = new(f.revenue(t.Sums)), f.roas(t.Sums, t.Spend)
		}
		if t.ClaimedSum > 0 {
			row.Claimed = ratio(measure.ROAS(t.ClaimedSum, t.Spend))
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(x, y experimentRow) int {
		if *x.Spend != *y.Spend {
			return int(math.Copysign(1, float64(*y.Spend-*x.Spend)))
		}
		return slices.Compare([]byte(x.Channel), []byte(y.Channel))
	})
	return rows, nil
}

// appliedFactors returns the factors that correct reported returns, by channel.
func (c *Call) appliedFactors(ctx context.Context) (map[measure.Channel]channelFactor, error) {
	all, err := c.trialsOf(ctx, "")
	if err != nil {
		return nil, err
	}
	factors, err := channelFactors(all)
	if err != nil {
		return nil, err
	}
	out := map[measure.Channel]channelFactor{}
	for _, f := range factors {
		if f.applied {
			out[f.channel] = f
		}
	}
	return out, nil
}

// showNextTest ranks channels by how much revenue hangs on what is not known of them.
func (c *Call) showNextTest(ctx context.Context, a *experimentsAnswer) error {
	days := c.lastDays(lookBack)
	a.Period = c.period(days)
	rows, err := c.spenders(ctx, a.Channel, warehouse.Windows{Recent: days})
	if err != nil {
		return err
	}
	factors, err := c.appliedFactors(ctx)
	if err != nil {
		return err
	}
	for _, r := range rows {
		doubt := geo.Uncertainty(nil, 0)
		if f, ok := factors[r.Channel]; ok {
			doubt = geo.Uncertainty(&f.Factor, c.years(f.latest))
			r.Factor, r.Tests, r.LastTest = estimateOf[Ratio](f.Value, f.Interval, 1), f.Tests, f.latest
		}
		r.Doubt = new(Ratio(doubt))
		if r.Reported != nil {
			r.Stake = new(Money(doubt * float64(*r.Reported)))
		}
		r.Why = c.testedNow(r.Channel)
		a.Rows = append(a.Rows, r)
	}
	sortBy(a.Rows, func(r experimentRow) float64 {
		switch {
		case r.Why != "":
			return math.Inf(1)
		case r.Stake == nil:
			return 0
		}
		return -float64(*r.Stake)
	})
	if len(a.Rows) == 0 {
		a.Summary = "No channel has spend " + spell(days) + ", so there is nothing to test."
		c.suggest(&a.closing, "diagnose", map[string]any{}, "See what the store has and what is missing.")
		return nil
	}
	c.nextTestSummary(a)
	return nil
}

const lookBack = 90 // days whose spend says what is worth testing

// testedNow says that a channel is being tested, or is about to be.
func (c *Call) testedNow(channel measure.Channel) string {
	for _, e := range c.Experiments {
		if e.Channel == channel && (e.Status == control.ExperimentRunning || e.Status == control.ExperimentPlanned) {
			return fmt.Sprintf("%s is %s %s", e.ID, e.Status, spell(e.Days))
		}
	}
	return ""
}

func (c *Call) nextTestSummary(a *experimentsAnswer) {
	r := a.Rows[0]
	switch {
	case r.Why != "":
		a.Summary = "Every channel with spend is being tested or about to be."
		return
	case r.Stake == nil:
		a.Summary = fmt.Sprintf("Test %s next: it has the most spend. What is at stake cannot be told, because no order says which channel it came from.", spoken(r.Channel))
	case r.Tests == 0:
		a.Summary = fmt.Sprintf("Test %s next: it was never tested, and about %s of what it is credited with in 90 days hangs on what it really brings.", spoken(r.Channel), c.spelled(*r.Stake))
	default:
		a.Summary = fmt.Sprintf("Test %s next: its latest test ended on %s, and about %s of what it is credited with in 90 days hangs on what is not known of it.",
			spoken(r.Channel), r.LastTest, c.spelled(*r.Stake))
	}
	a.warn("ranking", "What is not known of a channel without a test is taken to be a standard deviation of 0.5 of its factor; the ranking rests on it, no result does.")
	c.suggest(&a.closing, "geo_experiment_preflight", map[string]any{"channel": string(r.Channel)}, "See whether a test by region can find its effect.")
	c.suggest(&a.closing, "experiments", map[string]any{"view": string(guideView), "topic": string(geoTopic)}, "Read how a test by region is made.")
}
