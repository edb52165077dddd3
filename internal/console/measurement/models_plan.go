package measurement

import (
	"math"
	"net/url"
	"strconv"
	"strings"

	"assay/internal/console/frame"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/measure/mmm"
	"assay/internal/money"
	"assay/internal/tools"
)

// planView is the form of the budget optimizer. Money is per month.
type planView struct {
	Budget   string
	Current  string // current spend of all channels
	Fields   []planField
	Groups   []planGroup
	More     bool // another group can be added
	Changing bool // the form adds or removes a group

	Schedule scheduleView

	current  map[measure.Channel]float64 // spend per training window of the model, from which allocations start
	rates    map[measure.Channel]float64 // contribution per unit of revenue; nil: unknown
	currency money.Currency
}

// planField contains the limits of a channel in the form.
type planField struct {
	Channel, Name, Min, Max, Step, Now string // Step is the maximum weekly change, in percent of mean weekly spend
}

// weekPlanOf returns the weekly allocation that the form requests, or nil if it requests none.
func (c *modelPages) weekPlanOf(v frame.Visit, p frame.Place, m *mix.Model) (*weekPlan, error) {
	results, err := c.results(v, p)
	if err != nil {
		return nil, err
	}
	view, asked := c.plannerOf(m, p.Workspace, v.URL.Query(), results)
	view.scheduled(c, m, p.Workspace, asked)
	return view.Schedule.plan, nil
}

// plannerOf reads the form. It also returns the values of the form as a query. Without a budget in the query, the form
// contains the current monthly spend as the budget.
func (c *modelPages) plannerOf(m *mix.Model, w control.Workspace, query url.Values, results *tools.OptimizationAnswer) (view planView, asked url.Values) {
	months, current := m.Months(), float64(results.Metrics.CurrentSpend)
	view = planView{
		Budget: strings.TrimSpace(query.Get("budget")), Current: money.Display(current, 0, w.Currency), currency: w.Currency,
		Changing: query.Has("add") || query.Has("drop"), current: map[measure.Channel]float64{},
	}
	for _, r := range results.Rows {
		view.current[r.Channel] = float64(r.Spend) * months
		if r.MarginPct != nil {
			if view.rates == nil {
				view.rates = map[measure.Channel]float64{}
			}
			view.rates[r.Channel] = float64(*r.MarginPct) / 100
		}
	}
	if !query.Has("budget") {
		view.Budget = strconv.FormatFloat(math.Round(current), 'f', 0, 64)
	}
	asked = url.Values{"budget": {view.Budget}, "workspace": {string(w.ID)}, "of": {"plan"}}
	for _, e := range m.Effects {
		if e.Spend == 0 {
			continue
		}
		f := planField{
			Channel: string(e.Channel), Name: frame.ChannelName(e.Channel), Now: amount(view.current[e.Channel] / months),
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
	return view, asked
}

// ask converts the form to a request with the tool's current spend and contribution rates. Amounts are per month in the
// form and per training window in the model.
func (p planView) ask(m *mix.Model) (ask mix.Ask, err error) {
	months := m.Months()
	budget, err := entered("the budget", p.Budget)
	if err != nil {
		return ask, err
	}
	if budget == nil {
		return ask, fault.Invalid("the budget is missing").WithHint("enter a monthly amount such as 12,000")
	}
	if *budget == 0 {
		return ask, fault.Invalid("the budget is 0").WithHint("enter a monthly amount such as 12,000")
	}
	bounds, minimums := map[measure.Channel]mmm.Bounds{}, 0.0
	for _, f := range p.Fields {
		least, err := entered("the minimum of "+f.Name, f.Min)
		if err != nil {
			return ask, err
		}
		most, err := entered("the maximum of "+f.Name, f.Max)
		if err != nil {
			return ask, err
		}
		if least != nil && most != nil && *least > *most {
			return ask, fault.Invalid("the minimum of %s exceeds its maximum", f.Name).WithHint("lower the minimum or raise the maximum. For a constant spend, enter the same value for both")
		}
		if least != nil {
			minimums += *least
		}
		if least != nil || most != nil {
			bounds[measure.Channel(f.Channel)] = mmm.Bounds{Min: times(least, months), Max: times(most, months)}
		}
	}
	if minimums > *budget {
		return ask, fault.Invalid("the minimums of the channels add up to %s, more than the monthly budget of %s", p.money(minimums), p.money(*budget)).WithHint("raise the budget or lower a minimum")
	}
	groups, err := p.groups(months)
	if err != nil {
		return ask, err
	}
	return mix.Ask{
		Budget: *budget * months, Bounds: bounds, Groups: groups, MessageUnit: months, Current: p.current, Rates: p.rates,
	}, nil
}

// entered parses an amount of money. It returns nil for an empty field.
func entered(what, text string) (*float64, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // an empty field is valid and sets no limit
	}
	if groupedNumber.MatchString(text) {
		text = strings.ReplaceAll(text, ",", "")
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
		return nil, fault.Invalid("%s is not zero or a positive number", what).WithHint("enter a number such as 12,000 or 12.5")
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
