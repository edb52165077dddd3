package console

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/decide"
	"assay/internal/measure/mix"
	"assay/internal/measure/mmm"
	"assay/internal/measure/stats"
)

// planView is the planner: its form as it was sent, and the plan where one was asked for. Money is a month's.
type planView struct {
	Budget  string
	Current string // spend of all channels
	Fields  []planField
	Groups  []planGroup
	More    bool // there is room for another group
	Asked   bool // for a plan, and not only for another form
	Problem string
	Words   []string // what the plan promises and how sure that is
	Rows    []planRow
	Query   string // that the plan is exported with

	Schedule scheduleView

	monthly map[measure.Channel]float64
}

// planField is a channel's bounds in the form.
type planField struct {
	Channel, Min, Max, Step, Now string // Step is its largest change from week to week, in per cent of its usual spend
}

type planRow struct {
	Channel, Current, Proposed, Change, Marginal, Right string
	Unseen                                              bool
}

// planOf reads the planner's form and makes its plans.
func (c *Console) planOf(m *mix.Model, w control.Workspace, query url.Values) planView {
	view, asked := c.plannerOf(m, w, query)
	if !view.Asked {
		return view
	}
	view.Query = asked.Encode()
	plan, err := view.make(m)
	if err != nil {
		view.Problem = cmp.Or(told(err), "The plan cannot be made.")
		return view
	}
	view.fill(m, plan)
	view.scheduled(c, m, w, asked)
	return view
}

// weekPlanOf returns the plan over weeks that the planner's form asks for; nil where there is none.
func (c *Console) weekPlanOf(m *mix.Model, w control.Workspace, query url.Values) *weekPlan {
	view, asked := c.plannerOf(m, w, query)
	view.scheduled(c, m, w, asked)
	return view.Schedule.plan
}

// plannerOf reads the planner's form, and what was entered as a query of its own.
func (c *Console) plannerOf(m *mix.Model, w control.Workspace, query url.Values) (view planView, asked url.Values) {
	months := m.Months()
	view = planView{
		Budget: strings.TrimSpace(query.Get("budget")), Current: amount(m.Spend() / months),
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
		view.Schedule.First = nextWeek(m.Window.Last, c.now(), w).String()
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

// make divides the budget.
func (p planView) make(m *mix.Model) (*mix.Plan, error) {
	ask, err := p.ask(m)
	if err != nil {
		return nil, err
	}
	return m.Plan(ask)
}

// ask reads what the form asks for. Its amounts are a month's, those of the model are the window's.
func (p planView) ask(m *mix.Model) (ask mix.Ask, err error) {
	months := m.Months()
	budget, err := entered("the budget", p.Budget)
	if err != nil {
		return ask, err
	}
	if budget == nil {
		return ask, fault.Invalid("the budget is missing").WithHint("enter an amount a month")
	}
	bounds := map[measure.Channel]mmm.Bounds{}
	for _, f := range p.Fields {
		least, err := entered("the least for "+f.Channel, f.Min)
		if err != nil {
			return ask, err
		}
		most, err := entered("the most for "+f.Channel, f.Max)
		if err != nil {
			return ask, err
		}
		if least != nil && most != nil && *least > *most {
			return ask, fault.Invalid("the least for %s is above the most", f.Channel).WithHint("exchange them, or make them equal to hold the channel")
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

// entered reads an amount of money; nil where the field is empty.
func entered(what, text string) (*float64, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // an empty field is no bound, and no mistake
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

func (p *planView) fill(m *mix.Model, plan *mix.Plan) {
	months := m.Months()
	p.monthly = map[measure.Channel]float64{}
	for _, a := range plan.Allocations {
		current, proposed := m.Posterior().Spend(a.Channel)/months, a.Proposed/months
		p.monthly[a.Channel] = proposed
		row := planRow{
			Channel: string(a.Channel), Current: amount(current), Proposed: amount(proposed), Marginal: ratio(a.MarginalROAS), Unseen: a.Unseen,
			Change: fmt.Sprintf("%+.0f %%", 100*(proposed/current-1)),
		}
		if a.RightWay != nil {
			row.Right = fmt.Sprintf("%.0f %%", 100**a.RightWay)
		}
		p.Rows = append(p.Rows, row)
	}
	say := func(s stats.Summary) string {
		return fmt.Sprintf("%s a month (90 %% interval %s to %s)", amount(s.Mean/months), amount(s.Q05/months), amount(s.Q95/months))
	}
	advice := "The advice is to move the money."
	if plan.Advice.Action == decide.Hold {
		advice = "The advice is to leave the money where it is until more is known."
	}
	for _, why := range plan.Advice.Reasons {
		advice += " " + sentence(why)
	}
	p.Words = append(p.Words, advice,
		fmt.Sprintf("Change of revenue against the same budget divided as today: %s. The chance that it is a gain is %.0f %%.", say(plan.Lift), 100*plan.BeatsCurrent))
	p.Words = append(p.Words, p.togetherWords()...)
	if math.Abs(plan.Times-1) > 0.001 {
		p.Words = append(p.Words, "Change of revenue against what is spent now, money and division together: "+say(plan.Change)+".")
	}
	if plan.Certificate.UpperBound > 0 {
		p.Words = append(p.Words, fmt.Sprintf("Certificate: by the model, no other plan within these bounds is better by more than %.4f %% of what this one is worth to it.", 100*plan.Certificate.Gap()))
	}
	if settle := plan.Advice.BestExperiment; settle != nil {
		p.Words = append(p.Words, fmt.Sprintf("The experiment that would be worth most is one on %s: knowing what it brings would raise what the best plan brings by %s a month, before the experiment's cost.",
			settle.Channel, amount(settle.Gain/months)))
	}
}
