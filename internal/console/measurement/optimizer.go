package measurement

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	answers "assay/internal/answer"
	"assay/internal/console/frame"
	"assay/internal/console/frame/plot"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/money"
	"assay/internal/sheet"
	"assay/internal/toolkit"
	"assay/internal/tools"
)

// optimizerView is the view of the budget optimizer.
type optimizerView struct {
	frame.Place
	frame.Messages
	frame.Section
	Heading, Lead string
	Why           string // why there is no allocation, "" if there is a model
	Plan          *planView
	Bounds        string // largest default change of a channel's share of the budget, in percent

	Allocation     *allocation // nil: none was computed
	Rows           []shiftRow
	Total          shiftRow
	CSV            string
	Result         string
	ResultName     string
	ResultInterval string
	ResultPlot     template.HTML
	Facts          []frame.Fact
	Reasons        []string
	Warnings       []string
}

// shiftRow is the current and the proposed spend of a channel as text.
type shiftRow struct {
	Channel, Name, Color                       string
	Current, Proposed, Change, Marginal, Right string
	Min, Max                                   string
	Low, High                                  string // limits that apply if none is entered
	Most, Step                                 string // largest value and step of the sliders
	AtBound, Unseen                            bool
	Bars                                       template.HTML
}

// allocation is an optimized allocation with its expected effect. Amounts are per month.
type allocation struct {
	Rows          []allocated
	Budget, Spend float64 // budget of the allocation, and the current spend
	Lift          interval
	Change        *interval // change of revenue, compared with current spend; nil if the budget equals current spend
	Profit        *interval // change of contribution after spend; nil if costs are unknown
	Pays          *float64  // probability of a gain, in percent
	BudgetChange  toolkit.BudgetChange
	Better        float64 // probability of more revenue, in percent
	Advice        string
	Reasons       []string
	Test          measure.Channel
	From          string // days of the current spend
	Gap           *float64
	BoundsPct     float64
	Warnings      []string
}

type allocated struct {
	Channel           measure.Channel
	Current, Proposed float64
	Marginal          float64
	Right             *float64 // probability, in percent, that the moved spend has a higher return after the move
	Unseen            bool
}

type interval struct{ Value, Low, High float64 }

func intervalOf[T ~float64](e answers.Estimate[T], times float64) interval {
	return interval{float64(e.Value) * times, float64(e.Low) * times, float64(e.High) * times}
}

func optionalInterval[T ~float64](e *answers.Estimate[T], times float64) *interval {
	if e == nil {
		return nil
	}
	return new(intervalOf(*e, times))
}

func percent[T ~float64](p *T) *float64 {
	if p == nil {
		return nil
	}
	return new(float64(*p))
}

// allocationOf converts the tool's answer, which is for the model's training window, to amounts per month.
func allocationOf(a *tools.OptimizeBudgetAnswer, months float64) *allocation {
	m, times := a.Metrics, 1/months
	out := &allocation{
		Budget: float64(m.Budget) * times, Spend: float64(m.CurrentSpend) * times, Lift: intervalOf(m.Lift, times), Change: optionalInterval(m.Change, times),
		Profit: optionalInterval(m.PlanProfit.Change, times), Pays: percent(m.PaysPct), BudgetChange: m.BudgetChange, Better: float64(m.BetterPct), Advice: m.Advice, Reasons: m.Why,
		Test: m.TestFirst, From: m.SpendFrom, Gap: percent(m.GapPct), BoundsPct: float64(m.BoundsPct),
	}
	for _, r := range a.Rows {
		out.Rows = append(out.Rows, allocated{
			Channel: r.Channel, Current: float64(r.Current) * times, Proposed: float64(r.Proposed) * times, Marginal: float64(r.MarginalROAS),
			Right: percent(r.RightPct), Unseen: r.BeyondData,
		})
	}
	for _, w := range a.Warnings {
		out.Warnings = append(out.Warnings, w.Text)
	}
	return out
}

// grouped computes the allocation again with the spend limits of channel groups, because the tool has no such limits.
// The current spend and the contribution rates do not change.
func (a *allocation) grouped(m *mix.Model, ask mix.Ask) (*allocation, error) {
	months := m.Months()
	plan, err := m.Plan(ask)
	if err != nil {
		return nil, err
	}
	out := *a
	out.Rows, out.Profit, out.Pays, out.Change, out.Gap, out.BudgetChange = nil, nil, nil, nil, nil, toolkit.BudgetChangeOf(plan)
	out.Better, out.Advice, out.Reasons = 100*plan.BeatsCurrent, string(plan.Advice.Action), plan.Advice.Reasons
	out.Lift = interval{plan.Lift.Mean / months, plan.Lift.Q05 / months, plan.Lift.Q95 / months}
	if math.Abs(plan.Times-1) > 0.001 {
		out.Change = &interval{plan.Change.Mean / months, plan.Change.Q05 / months, plan.Change.Q95 / months}
	}
	if p := plan.Profit; p != nil {
		out.Profit, out.Pays = &interval{p.Change.Mean / months, p.Change.Q05 / months, p.Change.Q95 / months}, new(100*p.Pays)
	}
	if plan.Certificate.UpperBound > 0 {
		out.Gap = new(100 * plan.Certificate.Gap())
	}
	for _, one := range plan.Allocations {
		row := allocated{Channel: one.Channel, Current: one.Current / plan.Times / months, Proposed: one.Proposed / months, Marginal: one.MarginalROAS, Unseen: one.Unseen}
		if one.RightWay != nil {
			row.Right = new(100 * *one.RightWay)
		}
		out.Rows = append(out.Rows, row)
	}
	return &out, nil
}

func (c *modelPages) optimizerPage(w http.ResponseWriter, v frame.Visit) {
	p, ok := c.PlaceOf(w, v, v.URL.Query().Get("workspace"))
	if !ok {
		return
	}
	state, err := c.models.State(v.Context(), p.Workspace)
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	view := optimizerView{Place: p, Heading: "Budget optimizer"}
	if state.Model == nil || state.Model.Status == mix.Refused {
		view.Why = "The optimizer requires a media mix model that was trained on at least 40 weeks of sales and spend."
	} else if err := c.optimize(v, &view, state.Model); err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	c.Render(w, v.Request, http.StatusOK, frame.Page{Name: "optimizer", Title: view.Heading, View: view, Visitor: &v.Visitor})
}

// optimize fills in the allocation that the query requests. Invalid values result in a message on the page.
func (c *modelPages) optimize(v frame.Visit, view *optimizerView, m *mix.Model) error {
	plan, asked, found, err := c.planned(v, view.Place, m)
	view.Plan, view.Bounds = plan, frame.Figure(boundsPct, 0)
	kind := fault.KindOf(err)
	switch {
	case err == nil:
	case kind == fault.KindInvalid:
		view.Problem = cmp.Or(frame.PublicText(err), "Assay cannot compute the allocation. Check the values in the form.")
		return nil
	default:
		return err
	}
	if found == nil {
		return nil
	}
	view.fill(found)
	view.Section = frame.Section{
		ID: "allocation", Title: "Allocation", Article: frame.ArticleAddress(view.Place, "budget optimizer"),
		Call: c.CallOf("allocation", tools.OptimizeBudget.Name, plan.arguments(m.Months())),
	}
	asked.Set("of", "plan")
	view.CSV = frame.ModelsPath + "/export.csv?" + asked.Encode()
	view.Section.CSV = view.CSV
	plan.scheduled(c, m, view.Workspace, asked)
	return nil
}

// boundsPct is the default limit for the relative change of a channel's share of the budget, in percent.
const boundsPct = 30.0

// planned reads the form and calls the tool that computes the allocation. If the query adds or removes a group, the
// allocation is nil.
func (c *modelPages) planned(v frame.Visit, p frame.Place, m *mix.Model) (*planView, url.Values, *allocation, error) {
	results, err := c.results(v, p)
	if err != nil {
		return nil, nil, nil, err
	}
	view, asked := c.plannerOf(m, p.Workspace, v.URL.Query(), results)
	if view.Changing {
		return &view, asked, nil, nil
	}
	ask, err := view.ask(m)
	if err != nil {
		return &view, asked, nil, err
	}
	a, err := frame.AnswerOf(c.Frame, v, p, tools.OptimizeBudget, view.arguments(m.Months()))
	if err != nil {
		return &view, asked, nil, err
	}
	found := allocationOf(a, m.Months())
	if len(ask.Groups) > 0 {
		found, err = found.grouped(m, ask)
	}
	return &view, asked, found, err
}

// arguments converts the form to the arguments of the tool. It converts monthly amounts to amounts for the model's
// training window.
func (p planView) arguments(months float64) frame.Arguments {
	with := frame.Arguments{"detail_level": answers.AnalystLevel, "compact": true}
	if budget, err := entered("the budget", p.Budget); err == nil && budget != nil {
		with["total_budget"] = math.Round(*budget * months)
	}
	limits := map[string]map[string]float64{}
	for _, f := range p.Fields {
		one := map[string]float64{}
		for name, text := range map[string]string{"min": f.Min, "max": f.Max} {
			if amount, err := entered(name, text); err == nil && amount != nil {
				one[name] = *amount * months
			}
		}
		if len(one) > 0 {
			limits[f.Channel] = one
		}
	}
	if len(limits) > 0 {
		with["constraints"] = limits
	}
	return with
}

// moved returns the amount that the allocation moves between channels, compared with the same budget in the current
// shares.
func (a *allocation) moved() (sum float64) {
	times := 1.0
	if a.Spend > 0 {
		times = a.Budget / a.Spend
	}
	for _, r := range a.Rows {
		sum += math.Max(0, r.Proposed-times*r.Current)
	}
	return sum
}

// fill sets the texts of the page.
func (v *optimizerView) fill(a *allocation) {
	v.Allocation, v.Warnings = a, a.Warnings
	currency := v.Workspace.Currency
	whole := func(x float64) string { return money.Display(x, 0, currency) }
	v.Bounds = frame.Figure(a.BoundsPct, 0)
	v.headings(a, whole)
	largest := 0.0
	for _, r := range a.Rows {
		largest = max(largest, r.Current, r.Proposed)
	}
	atBound, current, proposed := 0, 0.0, 0.0
	for _, r := range a.Rows {
		row := v.shift(a, r, largest*1.3, whole)
		if row.AtBound {
			atBound++
		}
		current, proposed = current+r.Current, proposed+r.Proposed
		v.Rows = append(v.Rows, row)
	}
	slices.SortStableFunc(v.Rows, func(x, y shiftRow) int { return cmp.Compare(spendOf(a, y.Channel), spendOf(a, x.Channel)) })
	v.Total = shiftRow{Current: whole(current), Proposed: whole(proposed), Change: changeText(current, proposed)}
	v.result(a, whole)
	v.Facts = append(v.Facts,
		frame.Fact{Name: "Spend", Value: whole(a.Spend) + " → " + whole(a.Budget)},
		frame.Fact{Name: "Channels at a limit", Value: fmt.Sprintf("%d of %d", atBound, len(a.Rows))},
	)
	if a.Test != "" {
		address := planPath + "?" + url.Values{"workspace": {string(v.Workspace.ID)}, "channel": {string(a.Test)}}.Encode()
		v.Facts = append(v.Facts, frame.Fact{Name: "Channel to test first", Value: frame.ChannelName(a.Test), Href: address})
	}
	for _, why := range a.Reasons {
		v.Reasons = append(v.Reasons, frame.Sentence(why))
	}
	if a.Gap != nil {
		v.Reasons = append(v.Reasons, fmt.Sprintf("Compared with the best possible allocation within the spend limits, the risk-adjusted expected result of this allocation is lower by at most %.4f%%.", *a.Gap))
	}
	for _, g := range v.Plan.Groups {
		var sum float64
		for _, r := range a.Rows {
			if slices.Contains(g.members(), r.Channel) {
				sum += r.Proposed
			}
		}
		v.Reasons = append(v.Reasons, fmt.Sprintf("The proposed combined spend of %s is %s per month.", g.title(), whole(sum)))
	}
}

func spendOf(a *allocation, channel string) float64 {
	for _, r := range a.Rows {
		if string(r.Channel) == channel {
			return r.Current
		}
	}
	return 0
}

// headings sets the heading and the lead: the advice, the effect and the probability of a gain.
func (v *optimizerView) headings(a *allocation, whole func(float64) string) {
	effect, name := v.effect(a)
	if a.BudgetChange.BudgetAdvice == toolkit.KeepBudget {
		v.Heading = "Keep the total budget at the current spend of " + whole(a.Spend) + " per month."
	} else if a.Advice == "shift" {
		v.Heading = "Shift " + whole(a.moved()) + " between channels"
		if a.Change != nil { // the effect includes the change of the budget
			v.Heading += " and spend " + whole(a.Budget) + " in total"
		}
		v.Heading += ": " + signedText(effect.Value, whole) + " " + name + " per month."
	} else {
		v.Heading = "Keep the current allocation. Shifting spend between channels has no clear benefit."
	}
	if a.Pays != nil {
		v.Lead = "Probability that the shift is profitable: " + frame.Figure(*a.Pays, 0) + "%. "
	} else {
		v.Lead = "Probability of more revenue: " + frame.Figure(a.Better, 0) + "%. "
	}
	if math.Abs(a.Budget-a.Spend) < 0.005*a.Spend {
		v.Lead += "The total budget stays at " + whole(a.Budget) + "."
	} else {
		v.Lead += "The budget is " + whole(a.Budget) + ". Current spend is " + whole(a.Spend) + "."
	}
	if text := a.BudgetChange.Sentence(a.Budget > a.Spend, whole(math.Abs(a.Budget-a.Spend))+" per month"); text != "" {
		v.Lead += " " + text
	}
}

// effect returns the change of contribution after spend, or of revenue if costs are unknown, and its name.
func (v *optimizerView) effect(a *allocation) (interval, string) {
	switch {
	case a.Profit != nil:
		return *a.Profit, "contribution after spend"
	case a.Change != nil:
		return *a.Change, "revenue"
	}
	return a.Lift, "revenue"
}

func (v *optimizerView) shift(a *allocation, r allocated, largest float64, whole func(float64) string) shiftRow {
	row := shiftRow{
		Channel: string(r.Channel), Name: frame.ChannelName(r.Channel), Color: frame.ChannelColor(r.Channel), Current: whole(r.Current), Proposed: whole(r.Proposed),
		Change: changeText(r.Current, r.Proposed), Marginal: ratio(r.Marginal), Unseen: r.Unseen,
	}
	if r.Right != nil {
		row.Right = frame.Figure(*r.Right, 0) + "%"
	}
	share := 0.0
	if a.Spend > 0 {
		share = r.Current / a.Spend * a.Budget
	}
	low, high := share*(1-a.BoundsPct/100), share*(1+a.BoundsPct/100)
	for _, f := range v.Plan.Fields {
		if f.Channel != string(r.Channel) {
			continue
		}
		row.Min, row.Max = f.Min, f.Max
		if least, err := entered("", f.Min); err == nil && least != nil {
			low, high = *least, max(high, largest)
		}
		if most, err := entered("", f.Max); err == nil && most != nil {
			high = *most
			if f.Min == "" {
				low = 0
			}
		}
	}
	most, step := sliderScale(largest)
	row.Low, row.High = plainAmount(math.Max(0, low)), plainAmount(high)
	row.Most, row.Step = plainAmount(math.Max(most, math.Ceil(high/step)*step)), plainAmount(step)
	row.AtBound = near(r.Proposed, low) || near(r.Proposed, high)
	row.Bars = plot.Shift(r.Current, r.Proposed, low, high, largest, 92, row.Color)
	return row
}

// sliderScale returns the end and the step of the sliders for a largest amount. The step is 1, 2 or 5 times a power of
// ten and about a hundredth of the largest amount.
func sliderScale(largest float64) (most, step float64) {
	step = 1.0
	for i := 0; step*100 < largest; i++ {
		step *= []float64{2, 2.5, 2}[i%3]
	}
	return math.Ceil(largest/step) * step, step
}

// plainAmount formats an amount as people type it.
func plainAmount(x float64) string { return strconv.FormatFloat(math.Round(x), 'f', 0, 64) }

// near reports whether two amounts differ by at most 0.1% of the second amount.
func near(x, y float64) bool { return math.Abs(x-y) <= 0.001*math.Max(math.Abs(y), 1) }

func changeText(from, to float64) string {
	if from <= 0 {
		return "new"
	}
	change := 100 * (to/from - 1)
	return frame.Arrow(math.Round(change)) + frame.Figure(math.Abs(change), 0) + "%"
}

func signedText(x float64, whole func(float64) string) string {
	if x > 0 {
		return "+" + whole(x)
	}
	return whole(x)
}

// result sets the expected effect with its interval.
func (v *optimizerView) result(a *allocation, whole func(float64) string) {
	signed := func(x float64) string { return signedText(x, whole) }
	words := func(i interval) string { return "90% interval " + signed(i.Low) + " to " + signed(i.High) }
	effect, name := v.effect(a)
	v.Result, v.ResultName, v.ResultInterval = signed(effect.Value), name, words(effect)
	v.ResultPlot = plot.Range(effect.Value, effect.Low, effect.High, 264, signed)
	advice := frame.Fact{Name: "Recommendation", Value: "Hold", Tone: "warning"}
	if a.Advice == "shift" {
		advice.Value, advice.Tone = "Shift", "good"
	}
	v.Facts = append(v.Facts, advice)
	if change := a.BudgetChange; change.BudgetPays != nil {
		total := frame.Fact{Name: "Recommendation for the total budget", Value: "Keep current spend", Tone: "warning"}
		switch change.BudgetAdvice {
		case toolkit.RaiseBudget:
			total.Value, total.Tone = "Raise", "good"
		case toolkit.LowerBudget:
			total.Value, total.Tone = "Lower", "good"
		case toolkit.KeepBudget:
		}
		v.Facts = append(v.Facts, total, frame.Fact{Name: "Probability that the budget change is profitable", Value: change.BudgetPays.Whole()})
	}
	if a.Pays != nil {
		v.Facts = append(v.Facts, frame.Fact{Name: "Probability that the shift is profitable", Value: frame.Figure(*a.Pays, 0) + "%"})
	}
	v.Facts = append(v.Facts, frame.Fact{Name: "Probability of more revenue", Value: frame.Figure(a.Better, 0) + "%"})
	revenue := a.Lift
	if a.Change != nil {
		revenue = *a.Change
	}
	v.Facts = append(v.Facts, frame.Fact{Name: "Change in revenue", Value: signed(revenue.Value)}, frame.Fact{Name: "Change in revenue, 90% interval", Value: signed(revenue.Low) + " to " + signed(revenue.High)})
	if a.Profit == nil {
		v.Facts = append(v.Facts, frame.Fact{Name: "Contribution", Value: "enter costs", Href: "/costs?workspace=" + string(v.Workspace.ID)})
	}
}

// allocationTable returns the allocation as rows of a file, with money per month and without rounding.
func allocationTable(a *allocation, w control.Workspace) [][]string {
	rows := [][]string{{"channel", "current_monthly_spend_" + string(w.Currency), "proposed_monthly_spend", "marginal_roas"}}
	for _, r := range a.Rows {
		rows = append(rows, []string{sheet.Text(string(r.Channel)), exact(r.Current), exact(r.Proposed), strconv.FormatFloat(r.Marginal, 'f', 2, 64)})
	}
	return rows
}
