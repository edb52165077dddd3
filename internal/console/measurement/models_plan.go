package measurement

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"

	"assay/internal/console/frame"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/decide"
	"assay/internal/measure/mix"
	"assay/internal/measure/mmm"
	"assay/internal/measure/stats"
	"assay/internal/money"
)

// planView is the budget optimizer: the submitted form and the optimized allocation. Money is per month.
type planView struct {
	Budget  string
	Current string // current spend of all channels
	Fields  []planField
	Groups  []planGroup
	More    bool // another group can be added
	Asked   bool // the form requests an allocation
	Problem string
	Words   []string // expected benefit and its uncertainty
	Rows    []planRow
	Query   string // query of the export

	Schedule scheduleView

	monthly  map[measure.Channel]float64
	currency money.Currency
}

// planField is the limits of a channel in the form.
type planField struct {
	Channel, Min, Max, Step, Now string // Step is the maximum weekly change, in percent of usual spend
}

type planRow struct {
	Channel, Current, Proposed, Change, Marginal, Probability string
	Unseen                                                    bool
}

// planOf reads the form of the budget optimizer and computes the allocation and the weekly allocation.
func (c *modelPages) planOf(m *mix.Model, w control.Workspace, query url.Values) planView {
	view, asked := c.plannerOf(m, w, query)
	if !view.Asked {
		return view
	}
	view.Query = asked.Encode()
	plan, err := view.make(m)
	if err != nil {
		view.Problem = cmp.Or(frame.PublicText(err), "The allocation cannot be computed.")
		return view
	}
	view.fill(m, plan)
	view.scheduled(c, m, w, asked)
	return view
}

// weekPlanOf returns the weekly allocation that the form requests, nil if it requests none.
func (c *modelPages) weekPlanOf(m *mix.Model, w control.Workspace, query url.Values) *weekPlan {
	view, asked := c.plannerOf(m, w, query)
	view.scheduled(c, m, w, asked)
	return view.Schedule.plan
}

// plannerOf reads the form. It also returns the values of the form as a query.
func (c *modelPages) plannerOf(m *mix.Model, w control.Workspace, query url.Values) (view planView, asked url.Values) {
	months := m.Months()
	view = planView{
		Budget: strings.TrimSpace(query.Get("budget")), Current: money.Display(m.Spend()/months, 0, w.Currency), currency: w.Currency,
		Asked: query.Has("budget") && !query.Has("add") && !query.Has("drop"),
	}
	asked = url.Values{"budget": {view.Budget}, "workspace": {string(w.ID)}, "of": {"plan"}}
	for _, e := range m.Effects {
		if e.Spend == 0 {
			continue
		}
		f := planField{
			Channel: string(e.Channel), Now: amount(e.Spend / months),
			Min: strings.TrimSpace(query.Get("min_" + string(e.Channel))), Max: strings.TrimSpace(query.Get("max_" + string(e.Channel))),
			Step: strings.TrimSpace(query.Get("step_" + string(e.Channel))),
		}
		if f.Min != "" {
			asked.Set("min_"+f.Channel, f.Min)
		}
		if f.Max != "" {
			asked.Set("max_"+f.Channel, f.Max)
		}
		if f.Step != "" {
			asked.Set("step_"+f.Channel, f.Step)
		}
		view.Fields = append(view.Fields, f)
	}
	view.Groups = groupsOf(query, view.Fields)
	view.More = len(view.Groups) < mostGroups
	for _, g := range view.Groups {
		g.ask(asked)
	}
	view.Schedule = scheduleView{Weeks: strings.TrimSpace(query.Get("weeks")), First: strings.TrimSpace(query.Get("first"))}
	if view.Schedule.First == "" {
		view.Schedule.First = nextWeek(m.Window.Last, c.Now(), w).String()
	}
	if view.Schedule.Weeks != "" {
		asked.Set("weeks", view.Schedule.Weeks)
		asked.Set("first", view.Schedule.First)
	}
	if !query.Has("budget") {
		view.Budget = strconv.FormatFloat(math.Round(m.Spend()/months), 'f', 0, 64)
	}
	return view, asked
}

// make optimizes the budget.
func (p planView) make(m *mix.Model) (*mix.Plan, error) {
	ask, err := p.ask(m)
	if err != nil {
		return nil, err
	}
	return m.Plan(ask)
}

// ask converts the form to a request. Amounts are per month in the form and per window in the model.
func (p planView) ask(m *mix.Model) (ask mix.Ask, err error) {
	months := m.Months()
	budget, err := entered("the budget", p.Budget)
	if err != nil {
		return ask, err
	}
	if budget == nil {
		return ask, fault.Invalid("the budget is missing").WithHint("enter a monthly amount")
	}
	bounds := map[measure.Channel]mmm.Bounds{}
	for _, f := range p.Fields {
		least, err := entered("the minimum of "+f.Channel, f.Min)
		if err != nil {
			return ask, err
		}
		most, err := entered("the maximum of "+f.Channel, f.Max)
		if err != nil {
			return ask, err
		}
		if least != nil && most != nil && *least > *most {
			return ask, fault.Invalid("the minimum of %s exceeds its maximum", f.Channel).WithHint("lower the minimum or raise the maximum; equal values fix the spend")
		}
		if least != nil || most != nil {
			bounds[measure.Channel(f.Channel)] = mmm.Bounds{Min: times(least, months), Max: times(most, months)}
		}
	}
	groups, err := p.groups(months)
	if err != nil {
		return ask, err
	}
	return mix.Ask{Budget: *budget * months, Bounds: bounds, Groups: groups, MessageUnit: months}, nil
}

// entered parses an amount of money, nil for an empty field.
func entered(what, text string) (*float64, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // an empty field is valid and sets no limit
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
		return nil, fault.Invalid("%s is not an amount of money", what).WithHint("enter a number such as 12000")
	}
	return &v, nil
}

func times(v *float64, by float64) *float64 {
	if v == nil {
		return nil
	}
	product := *v * by
	return &product
}

// money formats an amount in whole units with the currency.
func (p planView) money(v float64) string { return money.Display(v, 0, p.currency) }

// fill sets the rows and sentences of the allocation.
func (p *planView) fill(m *mix.Model, plan *mix.Plan) {
	months := m.Months()
	p.monthly = map[measure.Channel]float64{}
	for _, a := range plan.Allocations {
		current, proposed := m.Posterior().Spend(a.Channel)/months, a.Proposed/months
		p.monthly[a.Channel] = proposed
		row := planRow{
			Channel: string(a.Channel), Current: amount(current), Proposed: amount(proposed), Marginal: ratio(a.MarginalROAS), Unseen: a.Unseen,
			Change: fmt.Sprintf("%+.0f%%", 100*(proposed/current-1)),
		}
		if a.RightWay != nil {
			row.Probability = fmt.Sprintf("%.0f%%", 100**a.RightWay)
		}
		p.Rows = append(p.Rows, row)
	}
	say := func(s stats.Summary) string {
		return fmt.Sprintf("%s per month (90%% interval %s to %s)", p.money(s.Mean/months), p.money(s.Q05/months), p.money(s.Q95/months))
	}
	advice := "Recommendation: reallocate."
	if plan.Advice.Action == decide.Hold {
		advice = "Recommendation: hold the current allocation."
	}
	for _, why := range plan.Advice.Reasons {
		advice += " " + frame.Sentence(why)
	}
	p.Words = append(p.Words, advice,
		fmt.Sprintf("The expected change of revenue compared with the current allocation of the same budget is %s. The probability of a gain is %.0f%%.", say(plan.Lift), 100*plan.BeatsCurrent))
	p.Words = append(p.Words, p.togetherWords()...)
	if math.Abs(plan.Times-1) > 0.001 {
		p.Words = append(p.Words, "Compared with the current budget and allocation, the expected change of revenue is "+say(plan.Change)+".")
	}
	if plan.Certificate.UpperBound > 0 {
		p.Words = append(p.Words, fmt.Sprintf("No other allocation within these limits improves the objective by more than %.4f%%.", 100*plan.Certificate.Gap()))
	}
	if settle := plan.Advice.BestExperiment; settle != nil {
		p.Words = append(p.Words, fmt.Sprintf("The most valuable experiment is on %s. Knowing its incremental revenue would raise the return of the best allocation by %s per month, before the cost of the experiment.",
			settle.Channel, p.money(settle.Gain/months)))
	}
}
