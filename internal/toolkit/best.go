package toolkit

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"assay/internal/answer"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/measure/decide"
	"assay/internal/measure/geo"
	"assay/internal/measure/mix"
	"assay/internal/snapshot"
)

// Best is the best estimate of a channel's incremental ROAS.
type Best struct {
	Return      *answer.Estimate[answer.Ratio] `json:"incremental_roas,omitempty" doc:"For a channel: best estimate, the same in all tools. For an experiment: its iROAS."`
	Basis       snapshot.ReturnBasis           `json:"return_basis,omitempty" doc:"model: media mix model; experiments: last-touch ROAS × factor; attribution: last-touch ROAS with the interval of the factor's prior."`
	ClaimedOver *answer.Ratio                  `json:"claimed_over_incremental,omitempty" detail:"analyst" doc:"Platform-reported ROAS divided by incremental_roas."`
}

// BestOf converts a channel's best estimate to the form of an answer.
func BestOf(r snapshot.Return) (b Best) {
	if r.Best == nil {
		return b
	}
	b.Return, b.Basis = answer.EstimateOf[answer.Ratio](*r.Best, 1), r.Basis
	b.ClaimedOver = answer.RatioOf(r.ClaimedOver())
	return b
}

// BestSentence returns a sentence with a channel's best estimate, to follow a sentence on its attributed ROAS. It
// returns "" if the best estimate is unknown.
func BestSentence(r snapshot.Return) string {
	if r.Best == nil {
		return ""
	}
	return fmt.Sprintf(" Incremental ROAS is %s (90%% interval %s to %s, basis: %s).",
		answer.Ratio(r.Best.Value), answer.Ratio(r.Best.Low), answer.Ratio(r.Best.High), r.Basis)
}

func originOf(r snapshot.Return) string {
	switch {
	case r.Basis == snapshot.ByModel && r.Tests > 0:
		return "the media mix model with " + answer.Plural(r.Tests, "experiment", "experiments")
	case r.Basis == snapshot.ByModel:
		return "the media mix model without experiments"
	case r.Basis == snapshot.ByExperiments:
		return "last-touch ROAS times the incrementality factor from " + answer.Plural(r.Tests, "experiment", "experiments")
	}
	return "last touch without experiments"
}

// WhyReturnsDiffer explains the best estimate of a channel and how other figures differ from it.
func WhyReturnsDiffer(r snapshot.Return) string {
	if r.Best == nil {
		return "No order is attributed to the channel, and the channel is not in a media mix model."
	}
	text := ""
	times, reports := r.ClaimedOver()
	if reports {
		text = fmt.Sprintf("Platform-reported ROAS is %s times the best estimate of incremental ROAS. ", answer.Ratio(times))
	}
	text += fmt.Sprintf("The best estimate uses %s, with data %s.", originOf(r), answer.Dates(r.Days))
	if r.Basis != snapshot.ByModel && r.Modelled != nil {
		text += fmt.Sprintf(" The media mix model uses no experiment on the channel and estimates an incremental ROAS of %s.", answer.Ratio(r.Modelled.Value))
	}
	if r.LastTouch != nil && r.Basis == snapshot.ByModel {
		text += fmt.Sprintf(" Last-touch ROAS is %s. Last touch attributes the whole order to the last touchpoint that is not direct, even if this touchpoint did not cause the order.", answer.Ratio(*r.LastTouch))
	}
	if reports {
		text += " The platform uses its own attribution window and may count view-through conversions."
	}
	return text
}

// NextTest is a channel in the ranking of channels to test next. Channels without spend are not ranked.
type NextTest struct {
	snapshot.Return
	Gain  float64 // expected monthly gain from an experiment, in whole units; 0: negligible, or no model
	SD    float64 // standard deviation of the ratio of incremental to last-touch ROAS; 0 without last-touch revenue
	Stake float64 // one standard deviation of incremental revenue in [snapshot.ReturnDays] days, in whole units
	Now   string  // the planned or running experiment on the channel, "" without one
}

// NextTests sorts the channels for experiments. The first criterion is the expected gain from an experiment for the
// model's allocation of the current budget. The second is the revenue at stake. Channels with a planned or running
// experiment are last.
func (c *Call) NextTests(ctx context.Context) ([]NextTest, error) {
	returns, err := snapshot.Returns(ctx, c.Snapshot)
	if err != nil {
		return nil, err
	}
	current, err := c.CurrentPlan(ctx)
	if err != nil {
		return nil, err
	}
	all := []NextTest{}
	for _, r := range returns {
		if r.Spend <= 0 {
			continue
		}
		t := NextTest{Return: r, Now: c.testedNow(r.Channel)}
		spend := float64(c.Figures.Money(r.Spend))
		if r.Best != nil {
			sd := r.Best.NormalSD()
			if r.Basis == snapshot.ByExperiments {
				sd = geo.Uncertainty(&r.Factor.Estimate, c.Years(r.Factor.Latest)) * *r.LastTouch
			}
			t.Stake = sd * spend
			if r.LastTouch != nil && *r.LastTouch > 0 {
				t.SD = sd / *r.LastTouch
			}
		}
		if current != nil && current.Plan.Advice.BestExperiment != nil {
			for _, v := range current.Plan.Advice.Experiments {
				if v.Channel == r.Channel && v.Gain > 0 {
					t.Gain = v.Gain / current.Model.Months()
				}
			}
		}
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b NextTest) int {
		return cmp.Or(cmp.Compare(min(1, len(a.Now)), min(1, len(b.Now))), cmp.Compare(b.Gain, a.Gain), cmp.Compare(b.Stake, a.Stake),
			cmp.Compare(b.Spend, a.Spend), cmp.Compare(a.Channel, b.Channel))
	})
	return all, nil
}

// TestFirst returns the channel to test first, or "" if no channel can be tested now.
func (c *Call) TestFirst(ctx context.Context) (measure.Channel, error) {
	all, err := c.NextTests(ctx)
	if err != nil || len(all) == 0 || all[0].Now != "" {
		return "", err
	}
	return all[0].Channel, nil
}

// AddBest adds the channel to test first to the results of an allocation. It adds the best estimates to the rows,
// unless they are the model's own estimates.
func (c *Call) AddBest(ctx context.Context, m *PlanMetrics, rows []MixRow) (err error) {
	if m.TestFirst, err = c.TestFirst(ctx); err != nil {
		return err
	}
	returns, err := snapshot.Returns(ctx, c.Snapshot)
	for i, row := range rows {
		if r := returns[row.Channel]; r.Basis != snapshot.ByModel && r.Best != nil {
			rows[i].Best = answer.EstimateOf[answer.Ratio](*r.Best, 1)
		}
	}
	return err
}

// testedNow describes the running or planned experiment on a channel. It returns "" if there is none.
func (c *Call) testedNow(channel measure.Channel) string {
	for _, e := range c.Experiments {
		if e.Channel == channel && (e.Status == control.ExperimentRunning || e.Status == control.ExperimentPlanned) {
			return fmt.Sprintf("%s is %s %s", e.ID, e.Status, answer.Dates(e.Days))
		}
	}
	return ""
}

// CurrentPlan is the model's allocation of the current budget.
type CurrentPlan struct {
	Model  *mix.Model
	Start  PlanStart
	Budget float64 // per window of the model
	Plan   *mix.Plan
}

// Shifts reports whether the recommendation is to use the optimized allocation.
func (p *CurrentPlan) Shifts() bool { return p.Plan.Advice.Action == decide.Shift }

// CurrentPlan optimizes the allocation of the current budget once per state of the data. It returns nil without a
// usable model.
func (c *Call) CurrentPlan(ctx context.Context) (*CurrentPlan, error) {
	return snapshot.Shared(ctx, c.Snapshot, "current plan", func(ctx context.Context, own *snapshot.Snapshot) (*CurrentPlan, error) {
		m := snapshot.UsableModel(own)
		if m == nil {
			return nil, nil //nolint:nilnil // there is no plan
		}
		call := *c
		call.Snapshot = own
		start, err := call.PlanStart(ctx, m)
		if err != nil {
			return nil, err
		}
		p := &CurrentPlan{Model: m, Start: start, Budget: start.Budget(m)}
		if p.Plan, err = m.Plan(start.Ask(mix.Ask{Budget: p.Budget})); err != nil {
			return nil, fmt.Errorf("allocation of the current budget: %w", err)
		}
		return p, nil
	})
}
