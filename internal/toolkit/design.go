package toolkit

import (
	"context"
	"fmt"
	"math"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/geo"
	"assay/internal/measure/mix"
	"assay/internal/warehouse"
)

// TestDesign is a geo experiment that detects a plausible incremental ROAS with the required power.
type TestDesign struct {
	Regions []geo.Region   `json:"treatment_regions"`
	Days    int            `json:"test_days"`
	Factor  answer.Ratio   `json:"spend_factor" doc:"Spend multiplier in the treated regions; 0 pauses the channel."`
	Change  answer.Money   `json:"spend_change" doc:"Change of spend over the whole test."`
	Effect  answer.Money   `json:"plausible_revenue_change" doc:"Change of revenue at the plausible iROAS, over the whole test."`
	MDE     answer.Percent `json:"minimum_detectable_effect_pct"`
	Cost    answer.Money   `json:"expected_cost" doc:"Expected loss of contribution, negative for a gain; without costs of goods, the absolute change of spend."`
}

// Designs are proposed experiments on a channel.
type Designs struct {
	Return float64 // plausible incremental ROAS of the channel's current spend
	Least  float64 // smallest incremental ROAS that a pause detects, among all searched designs
	Tests  []TestDesign
}

// spendDays is the number of recent days from which the spend of a test is estimated.
const spendDays = 28

// Designs searches for the cheapest experiments with sufficient power to detect the plausible incremental ROAS. This
// value is last-touch ROAS times the applied incrementality factor. If this product is unknown or not positive, the
// value is the mean of the ROAS prior. A channel without spend has no designs.
func (c *Call) Designs(ctx context.Context, channel measure.Channel, panel *geo.Panel, spent []warehouse.RegionSpend, days civil.Range) (Designs, error) {
	s, err := c.SeriesOf(ctx, channel, days)
	if err != nil {
		return Designs{}, err
	}
	out := Designs{Return: mix.PlausibleReturn()}
	factors, err := c.AppliedFactors(ctx)
	if err != nil {
		return out, err
	}
	if f, ok := factors[channel]; ok {
		if roas := RoasOf(c.Figures, s.Total(days)); roas != nil && f.Value > 0 && *roas > 0 {
			out.Return = f.Value * float64(*roas)
		}
	}
	o := geo.ProposeOptions{Return: out.Return, Seed: 1, Spend: func(treated []geo.Region) float64 {
		return c.TreatedSpend(s, panel, treated, spent, c.LastDays(spendDays)) / spendDays
	}}
	rate, err := c.ContributionRate(ctx)
	if err != nil {
		return out, err
	}
	if rate != nil {
		o.Rate = *rate
	}
	found, least, err := geo.Propose(panel, o)
	if fault.KindOf(err) == fault.KindNotReady {
		return out, nil
	}
	if err != nil {
		return out, fmt.Errorf("designs of %d regions: %w", len(panel.Regions), err)
	}
	out.Least = least
	for _, p := range found {
		out.Tests = append(out.Tests, TestDesign{
			p.Treated, p.Days, answer.Ratio(p.Factor), answer.Money(p.Change), answer.Money(p.Effect), answer.Percent(100 * p.Lift), answer.Money(p.Cost),
		})
	}
	return out, nil
}

// rateDays is the number of days before today from which the store's contribution rate is computed.
const rateDays = 90

// ContributionRate returns the contribution per unit of revenue of the last [rateDays] days, as in `performance`. It
// returns nil if the rate is unknown or not above 0.
func (c *Call) ContributionRate(ctx context.Context) (*float64, error) {
	p, err := c.Contribution(ctx, c.LastDays(rateDays))
	if err != nil {
		return nil, err
	}
	if rate, known := p.ChannelRate(""); known && rate > 0 {
		return &rate, nil
	}
	return nil, nil //nolint:nilnil // without costs there is no rate
}

// Sentence describes the cheapest design, or the smallest incremental ROAS that a pause detects.
func (d Designs) Sentence(c *Call, channel measure.Channel) string {
	switch {
	case len(d.Tests) > 0 && d.Tests[0].Factor == 0:
		t := d.Tests[0]
		return fmt.Sprintf(" The cheapest design at an iROAS of %s pauses %s in %s for %d days. The design saves %s of spend.",
			answer.Ratio(d.Return), answer.ChannelName(channel), answer.Plural(len(t.Regions), "region", "regions"), t.Days, c.Spelled(-t.Change))
	case len(d.Tests) > 0:
		t := d.Tests[0]
		return fmt.Sprintf(" The cheapest design at an iROAS of %[1]s multiplies spend on %[3]s in %[4]s by %[2]s for %[5]d days. The design requires %[6]s of additional spend.",
			answer.Ratio(d.Return), t.Factor, answer.ChannelName(channel), answer.Plural(len(t.Regions), "region", "regions"), t.Days, c.Spelled(t.Change))
	case d.Least > 0 && !math.IsInf(d.Least, 0):
		return fmt.Sprintf(" No design of at most six weeks detects an iROAS of %s. A test that pauses the channel detects an iROAS of %s or more.", answer.Ratio(d.Return), answer.Ratio(d.Least))
	}
	return ""
}
