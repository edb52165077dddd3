package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/geo"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// GeoExperimentPreflight is the `geo_experiment_preflight` tool.
var GeoExperimentPreflight = toolkit.Define(toolkit.Spec{
	Name:        "geo_experiment_preflight",
	Title:       "Geo experiment readiness",
	Description: "Geo experiment readiness of a channel: score, gates, power and minimum detectable effect (MDE).",
	Needs:       "orders",
	Reads:       snapshot.Wants{Experiments: true},
	Arguments:   map[string]any{"channel": "facebook"},
}, runPreflight)

type geoExperimentPreflightParams struct {
	Channel          string   `json:"channel" required:"true" nonempty:"true" doc:"Channel to test."`
	TreatmentRegions []string `json:"treatmentRegions" doc:"Candidate regions, such as CA."`
	answer.Shared
}

// PreflightAnswer is the answer of the `geo_experiment_preflight` tool.
type PreflightAnswer struct {
	answer.Opening
	Channel   measure.Channel      `json:"channel"`
	Treatment []geo.Region         `json:"treatment_regions,omitempty" doc:"The candidates, or the set with the smallest MDE in backtests."`
	Metrics   PreflightMetrics     `json:"metrics"`
	Power     []PowerPoint         `json:"power,omitempty" detail:"analyst" doc:"Power by lift."`
	Designs   []toolkit.TestDesign `json:"proposed_designs,omitempty" doc:"Cheapest tests with 80% power at the plausible iROAS, at most 3."`
	answer.Table[GateRow]
	answer.Closing
}

// PreflightMetrics are the readiness and the detectable effects of a geo experiment.
type PreflightMetrics struct {
	Score      int             `json:"readiness_score" doc:"0 to 100; at most 40 when a gate fails."`
	Ready      bool            `json:"ready" doc:"true if no gate fails."`
	Regions    int             `json:"regions" doc:"Regions with orders, in the country with the most orders."`
	Donors     int             `json:"donor_regions" doc:"Donor pool: all regions except the treated ones."`
	History    int             `json:"history_days"`
	Duration   int             `json:"test_days"`
	MDE        *answer.Percent `json:"minimum_detectable_effect_pct,omitempty" doc:"Smallest revenue change in the treated regions that the test detects with 80% power at a significance level of 10%; absent above 200%."`
	Optimistic *answer.Percent `json:"optimistic_effect_pct,omitempty" detail:"analyst" doc:"MDE in the backtests that selected the regions; too optimistic for planning. Absent with treatmentRegions."`
	Revenue    *answer.Money   `json:"minimum_detectable_revenue,omitempty" doc:"MDE in revenue over the whole test."`
	Spend      *answer.Money   `json:"holdout_spend,omitempty" doc:"Channel spend in the treated regions over a period as long as the test. If spend by region is unknown, total spend is allocated to regions by revenue."`
	Return     *answer.Ratio   `json:"minimum_detectable_roas,omitempty" doc:"Smallest iROAS that a test detects when it pauses the channel in the treated regions."`
	LastTouch  *answer.Ratio   `json:"last_touch_roas,omitempty" doc:"Last-touch ROAS over the history, which is not incremental ROAS."`
}

// PowerPoint is a lift and the power to detect it.
type PowerPoint struct {
	Lift       answer.Ratio    `json:"lift_pct"`
	Planning   answer.Percent  `json:"planning_pct" doc:"Power in backtests that were not used to select the regions."`
	Optimistic *answer.Percent `json:"optimistic_pct,omitempty" doc:"Power in the backtests that were used to select the regions."`
}

// GateRow is one readiness condition of a geo experiment.
type GateRow struct {
	Gate   string      `json:"gate"`
	Status geo.Verdict `json:"status"`
	Detail string      `json:"detail"`
	Fix    string      `json:"fix,omitempty" doc:"What to change so that the gate passes."`
}

const (
	testDays      = 28
	preflightSeed = 1
)

func runPreflight(ctx context.Context, c *toolkit.Call, p geoExperimentPreflightParams) (*PreflightAnswer, error) {
	a := &PreflightAnswer{Metrics: PreflightMetrics{Duration: testDays}}
	a.Rows, a.Currency = []GateRow{}, c.Workspace.Currency
	a.ShowAll(true)
	days := c.LastDays(snapshot.GeoHistoryDays).Intersect(c.Store.OrderDays)
	if days.Days() == 0 {
		a.Channel = measure.ParseChannel(p.Channel)
		a.Summary = c.ExplainEmpty(&a.Closing, c.LastDays(snapshot.GeoHistoryDays))
		c.Describe(&a.Closing, answer.DataQuality{}, snapshot.FromOrders, snapshot.FromAds)
		return a, nil
	}
	var err error
	if a.Channel, err = toolkit.Testable(c.Snapshot, p.Channel); err != nil {
		return nil, err
	}
	panel, err := c.RegionPanel(ctx, days)
	if err != nil {
		return nil, err
	}
	if panel != nil {
		a.Metrics.Regions, a.Metrics.History = len(panel.Regions), len(panel.Periods)
	}
	treated, err := toolkit.NamedRegions(panel, p.TreatmentRegions)
	if err != nil {
		return nil, err
	}
	spent, err := c.RegionSpend(ctx, a.Channel, c.LastDays(snapshot.GeoHistoryDays))
	if err != nil {
		return nil, err
	}
	if err := judgePreflight(ctx, c, a, panel, treated, spent, days); err != nil {
		return nil, err
	}
	c.Describe(&a.Closing, answer.DataQuality{
		Revenue: "amount charged to customers before refunds, by region of the order",
		Method:  "The gates and the power come from backtests of the scaled synthetic control with placebo sets. See methods/geo.",
	}, snapshot.FromOrders, snapshot.FromAds)
	return a, nil
}

// judgePreflight runs the readiness check. For a store with too little data it returns an answer, not an error.
func judgePreflight(ctx context.Context, c *toolkit.Call, a *PreflightAnswer, panel *geo.Panel, treated []geo.Region, spent []warehouse.RegionSpend, days civil.Range) error {
	if panel == nil {
		notReady(c, a, "no order has a region")
		return nil
	}
	o := geo.PreflightOptions{Treated: treated, Duration: testDays, Seed: preflightSeed, Conflicts: conflicts(c, a.Channel)}
	if len(spent) > 0 {
		o.Targetable = new(true)
	}
	found, err := geo.Check(panel, o)
	if fault.KindOf(err) == fault.KindNotReady {
		text, _, _ := fault.Public(err)
		notReady(c, a, text)
		return nil
	}
	if err != nil {
		return fmt.Errorf("preflight of %d regions: %w", len(panel.Regions), err)
	}
	a.Treatment = found.Plan.Treated
	for _, g := range found.Gates {
		a.Rows = append(a.Rows, GateRow{Gate: g.Name, Status: g.Verdict, Detail: g.Detail, Fix: g.Fix()})
	}
	weight := []geo.Verdict{geo.Fail, geo.Warn, geo.Unknown, geo.Pass}
	toolkit.SortBy(a.Rows, func(g GateRow) float64 { return float64(slices.Index(weight, g.Status)) })
	m := &a.Metrics
	m.Score, m.Ready, m.Donors = found.Score, found.Ready, len(panel.Regions)-len(found.Plan.Treated)
	if found.Plan.Planning != nil {
		m.MDE, m.Revenue = new(answer.Percent(100**found.Plan.Planning)), new(answer.Money(*found.Outcome))
	}
	if found.Plan.Optimistic != nil {
		m.Optimistic = new(answer.Percent(100 * *found.Plan.Optimistic))
	}
	for _, at := range found.Plan.Curve {
		point := PowerPoint{Lift: answer.Ratio(100 * at.Lift), Planning: answer.Percent(100 * at.Planning)}
		if at.Optimistic != nil {
			point.Optimistic = new(answer.Percent(100 * *at.Optimistic))
		}
		a.Power = append(a.Power, point)
	}
	if err := holdout(ctx, c, a, panel, spent, days); err != nil {
		return err
	}
	designs, err := c.Designs(ctx, a.Channel, panel, spent, days)
	if err != nil {
		return err
	}
	a.Designs, a.Summary = designs.Tests, preflightSummary(a)+designs.Sentence(c, a.Channel)
	a.Warn(answer.WarnConflictsUnknown, "The check covers only orders, spend and experiments of this workspace. Also check that no promotion or holiday differs by region.")
	c.Suggest(&a.Closing, "performance", map[string]any{"channel": string(a.Channel)}, "See the channel's spend and attributed revenue.")
	return nil
}

// conflicts lists the planned and running experiments on the channel or with treated regions.
func conflicts(c *toolkit.Call, channel measure.Channel) []string {
	var found []string
	for _, e := range c.Experiments {
		if e.Status != control.ExperimentPlanned && e.Status != control.ExperimentRunning {
			continue
		}
		if e.Channel == channel || len(e.Treated) > 0 {
			found = append(found, fmt.Sprintf("%s is %s %s on %s", e.ID, e.Status, answer.Dates(e.Days), answer.ChannelName(e.Channel)))
		}
	}
	return found
}

func notReady(c *toolkit.Call, a *PreflightAnswer, why string) {
	a.Summary = fmt.Sprintf("The store is not ready for a geo experiment: %s.", strings.TrimSuffix(why, "."))
	a.Warn(answer.WarnNoData, "A geo experiment requires orders with regions, at least 4 regions, and a history at least four times as long as the experiment.")
	c.Suggest(&a.Closing, "diagnose", map[string]any{}, "See which data exist and which are missing.")
}

// holdout compares the minimum detectable revenue with the spend that pausing the channel saves.
func holdout(ctx context.Context, c *toolkit.Call, a *PreflightAnswer, panel *geo.Panel, spent []warehouse.RegionSpend, days civil.Range) error {
	s, err := c.SeriesOf(ctx, a.Channel, days)
	if err != nil {
		return err
	}
	a.Metrics.LastTouch = toolkit.RoasOf(c.Figures, s.Total(days))
	spend := c.TreatedSpend(s, panel, a.Treatment, spent, c.LastDays(testDays))
	if spend > 0 {
		a.Metrics.Spend = new(answer.Money(spend))
		if a.Metrics.Revenue != nil {
			a.Metrics.Return = new(answer.Ratio(float64(*a.Metrics.Revenue) / spend))
		}
	}
	return nil
}

func preflightSummary(a *PreflightAnswer) string {
	m := a.Metrics
	var failed []string
	for _, g := range a.Rows {
		if g.Status == geo.Fail {
			failed = append(failed, g.Gate)
		}
	}
	text := fmt.Sprintf("The geo experiment readiness score of %s is %d of 100", answer.ChannelName(a.Channel), m.Score)
	if len(failed) > 0 {
		text += ". Failed gates: " + answer.Listed(failed)
	}
	if m.MDE == nil {
		return text + ". The minimum detectable effect exceeds 200% of revenue."
	}
	text += fmt.Sprintf(". A %d-day test in %s detects a revenue change of %s or more with 80%% power",
		m.Duration, answer.Plural(len(a.Treatment), "region", "regions"), *m.MDE)
	if m.Return == nil {
		return text + "."
	}
	text += fmt.Sprintf(". A test that pauses the channel in these regions detects an iROAS of %s or more", *m.Return)
	if m.LastTouch != nil {
		text += fmt.Sprintf(". The last-touch ROAS of the channel is %s", *m.LastTouch)
	}
	return text + "."
}
