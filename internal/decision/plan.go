package decision

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"assay/internal/ads"
	"assay/internal/ads/facebook"
	"assay/internal/ads/googleads"
	"assay/internal/ads/tiktok"
	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/decide"
	"assay/internal/measure/detect"
	"assay/internal/measure/holiday"
	"assay/internal/measure/mix"
	"assay/internal/measure/mmm"
	"assay/internal/money"
	"assay/internal/toolkit"
)

// StepKind is the kind of a step of a plan.
type StepKind string

// The kinds of steps.
const (
	CheckStep      StepKind = "check"
	BudgetStep     StepKind = "budget"
	ExperimentStep StepKind = "experiment"
	ReviewStep     StepKind = "review"
)

// Step is one step of a plan. Nothing is executed: a person previews and confirms each change.
type Step struct {
	Day      civil.Date                     `json:"date"`
	Kind     StepKind                       `json:"kind" doc:"check, budget, experiment or review."`
	Step     string                         `json:"step"`
	Campaign answer.Foreign                 `json:"campaign,omitempty"`
	From     *answer.Money                  `json:"daily_budget,omitempty" doc:"Current daily budget; estimated from recent spend if the platform's budget is not imported."`
	To       *answer.Money                  `json:"new_daily_budget,omitempty"`
	Effect   *answer.Estimate[answer.Money] `json:"monthly_effect,omitempty" doc:"Expected change of monthly contribution after spend, or of revenue minus spend."`
	Stop     string                         `json:"stop_rule,omitempty" detail:"analyst"`
	Call     *answer.Next                   `json:"call,omitempty" detail:"analyst" doc:"Complete call that previews the step."`
}

// Ask are the parameters of a plan.
type Ask struct {
	Risk string
	Days int
}

// Plan is a schedule of steps, with the reasons for omitted steps. Budgets move toward the optimized allocation of
// current spend. The plan omits an increase that is expected to lower contribution after spend. The planned spend is
// then below current spend.
type Plan struct {
	Steps   []Step
	Reasons []string // reasons why budgets do not change
	Rate    *float64
}

// learningDays is the number of days that platforms need to adapt to a new budget. The plan changes a campaign at most
// once in this number of days.
const learningDays = 7

// planner builds a plan.
type planner struct {
	*toolkit.Call
	Ask
	found  *Results
	plan   Plan
	tested measure.Channel // channel that the plan tests; its budgets do not change
	losing []string        // channels with an increase that is expected to lower contribution after spend
}

// NewPlan returns the plan for the days after today.
func NewPlan(ctx context.Context, c *toolkit.Call, ask Ask) (*Plan, error) {
	insights, found, err := Insights(ctx, c)
	if err != nil {
		return nil, err
	}
	p := &planner{Call: c, Ask: ask, found: found, plan: Plan{Rate: found.Store.Rate}}
	p.checks(insights)
	p.experiments()
	if err := p.moves(ctx); err != nil {
		return nil, err
	}
	p.reviews()
	slices.SortStableFunc(p.plan.Steps, func(a, b Step) int { return a.Day.Compare(b.Day) })
	return &p.plan, nil
}

func (p *planner) last() civil.Date { return p.Today.AddDays(p.Days) }

func (p *planner) add(s Step) { p.plan.Steps = append(p.plan.Steps, s) }

// mostChecks is the maximum number of insights that become steps on the first working day.
const mostChecks = 4

// checks adds the insights that need a decision this week. Only the media mix model proposes budget changes.
func (p *planner) checks(insights []Insight) {
	day := p.workday(p.Today.AddDays(1))
	n := 0
	for _, i := range insights {
		if i.severity == detect.Notice || n == mostChecks {
			continue
		}
		n++
		p.add(Step{Day: day, Kind: CheckStep, Step: i.Finding + " " + i.Action, Effect: i.Value, Call: i.Call})
	}
}

// moves adds moves of daily budgets toward the optimized allocation, within the guardrails.
func (p *planner) moves(ctx context.Context) error {
	m, err := p.Model()
	switch {
	case err != nil:
		text, hint, _ := fault.Public(err)
		p.plan.Reasons = append(p.plan.Reasons, "The plan has no budget changes: "+text+". "+hint)
		return nil
	case p.Guardrails.Stop:
		p.plan.Reasons = append(p.plan.Reasons, "The plan has no budget changes: the guardrail stop blocks changes by tools.")
		return nil
	}
	risk, err := decide.ParseRisk(p.Risk)
	if err != nil {
		return err
	}
	start, err := p.PlanStart(ctx, m)
	if err != nil {
		return err
	}
	fixed := map[measure.Channel]mmm.Bounds{} // without them, the moves of the other channels would change the total budget
	for _, channel := range m.Posterior().Channels() {
		if spend := start.Spend(m, channel); !p.movable(channel) {
			fixed[channel] = mmm.Bounds{Min: &spend, Max: &spend}
		}
	}
	plan, err := m.Plan(start.Ask(mix.Ask{Budget: start.Budget(m), Bounds: fixed, Risk: &risk}))
	if err != nil {
		return err
	}
	if why := whyHold(plan, len(fixed)); why != "" {
		p.plan.Reasons = append(p.plan.Reasons, "The plan has no budget changes: "+why+".")
		return nil
	}
	before := len(p.plan.Steps)
	for _, a := range plan.Allocations {
		p.move(m, start, a)
	}
	if len(p.losing) > 0 {
		p.plan.Reasons = append(p.plan.Reasons, "The plan does not increase the budgets of "+answer.Listed(p.losing)+", because their marginal ROAS is below break-even. Total spend therefore falls.")
	}
	if len(p.plan.Steps) == before && len(p.losing) == 0 {
		p.plan.Reasons = append(p.plan.Reasons, "The plan has no budget changes: tools cannot change any campaign with recent spend on the affected channels.")
	}
	return nil
}

// whyHold returns the reason to keep the allocation, or "" if there is none. The parameter fixed is the number of
// channels with campaigns that tools cannot change.
func whyHold(plan *mix.Plan, fixed int) string {
	why := plan.Advice.WhyHold()
	if why != "" && fixed >= len(plan.Allocations)-1 {
		return "tools can change campaigns of at most one channel, so no budget can move between channels"
	}
	return why
}

// leastMove is the minimum planned change of a channel, as a share of its spend.
const leastMove = 0.03

// move adds the steps of one channel. Once per learning period, it changes the budgets of the channel's largest
// campaigns. It stops when the planned change is reached or the plan ends, or before an increase that is expected to
// lower contribution after spend.
func (p *planner) move(m *mix.Model, start toolkit.PlanStart, a decide.Allocation) {
	if !p.movable(a.Channel) || a.Current <= 0 || math.Abs(a.Proposed/a.Current-1) < leastMove {
		return
	}
	budgets, spend := p.campaignsOf(a.Channel)
	perDay, before := spend*(a.Proposed/a.Current-1), 0.0 // recent spend can differ from the spend that the allocation starts from
	for day := p.tuesday(p.Today.AddDays(1)); !day.After(p.last()) && len(budgets) > 0; day = p.tuesday(day.AddDays(learningDays)) {
		for i := range min(len(budgets), mostCampaigns) {
			moved := p.changed(budgets[i].daily, perDay)
			if moved == 0 {
				continue
			}
			var effect *answer.Estimate[answer.Money]
			if shift, ok := start.Shift(m, a.Channel, before, moved); ok && shift.Profit != nil {
				if moved > 0 && shift.Profit.Change.Mean <= 0 {
					if before == 0 {
						p.losing = append(p.losing, answer.ChannelName(a.Channel))
					}
					return
				}
				effect = new(toolkit.Posterior[answer.Money](shift.Profit.Change, 1/m.Months()))
			}
			s := p.budgetStep(day, measure.Platform(a.Channel), &budgets[i], moved)
			if s.Effect = effect; effect != nil {
				s.Stop += stopBelowEffect
			}
			p.add(s)
			perDay, before = perDay-moved, before+moved
		}
	}
}

// movable reports whether the plan may change the channel's budgets. A change of spend would bias an experiment.
func (p *planner) movable(channel measure.Channel) bool {
	budgets, _ := p.campaignsOf(channel)
	return len(budgets) > 0 && writable(measure.Platform(channel)) && channel != p.tested && !experimenting(p.Experiments, channel)
}

// mostCampaigns is the maximum number of campaigns that the plan changes in a channel.
const mostCampaigns = 2

type dailyBudget struct {
	id, name string
	daily    float64
	known    bool // the platform reports the budget
}

// campaignsOf lists the channel's campaigns that have recent spend, the largest daily budget first. The result spend is
// the sum of their recent spend per day.
func (p *planner) campaignsOf(channel measure.Channel) (all []dailyBudget, spend float64) {
	for _, c := range p.found.Store.Campaigns {
		if c.Channel != channel || c.RecentSpend <= 0 {
			continue
		}
		b := dailyBudget{c.ID, c.Name, c.RecentSpend, false}
		if c.DailyBudget > 0 {
			b.daily, b.known = c.DailyBudget, true
		}
		all, spend = append(all, b), spend+c.RecentSpend
	}
	toolkit.SortBy(all, func(b dailyBudget) float64 { return -b.daily })
	return all, spend
}

// changed returns the change of a daily budget in whole units of the currency. The change is at most the guardrail's
// step (default: 20%). The new budget is between floor and ceiling. The result is 0 if no such change is possible.
func (p *planner) changed(daily, wanted float64) float64 {
	step := p.Guardrails.StepPct / 100
	if step == 0 {
		step = 0.2
	}
	to := daily + math.Max(-step*daily, math.Min(step*daily, wanted))
	if floor := p.Guardrails.Floor; floor.Minor > 0 {
		to = math.Max(to, math.Ceil(floor.Major()))
	}
	if ceiling := p.Guardrails.Ceiling; ceiling.Minor > 0 {
		to = math.Min(to, ceiling.Major())
	}
	if wanted > 0 {
		to = math.Floor(to)
	} else {
		to = math.Ceil(to)
	}
	if to <= 0 || math.Abs(to-daily) > step*daily || math.Abs(to-daily) < 1 || (to-daily)*wanted <= 0 {
		return 0
	}
	return to - daily
}

// stopBelowEffect is the sentence after the stop rule of a step that has an expected effect.
const stopBelowEffect = " Also roll it back if the observed change in the channel's monthly contribution after spend is below the lower limit of monthly_effect."

func (p *planner) budgetStep(day civil.Date, platform measure.Platform, b *dailyBudget, moved float64) Step {
	verb := "Increase"
	if moved < 0 {
		verb = "Decrease"
	}
	s := Step{
		Day: day, Kind: BudgetStep, Campaign: answer.Foreign(b.name), From: new(answer.Money(b.daily)), To: new(answer.Money(b.daily + moved)),
		Step: fmt.Sprintf("%s the daily budget of a campaign on %s by %s.", verb, answer.ChannelName(measure.Channel(platform)), answer.Percent(100*math.Abs(moved)/b.daily)),
		Stop: "Roll back the budget change if, after 7 days, the channel's cost per order is at least 25% higher than before the change.",
	}
	if value := unitsOf(platform, b.daily+moved, p.Workspace.Currency); value != "" {
		s.Call = next(p.Call, "propose_budget_shift", map[string]any{
			"platform": ads.WritingName(platform), "platform_campaign_id": b.id, "new_budget_value": value,
		}, "Preview the change. The preview reads the live budget.")
	}
	if !b.known {
		s.Step += " The current budget is estimated from recent spend."
	}
	if h := p.Guardrails.Hours; h.Set() {
		s.Step += fmt.Sprintf(" The guardrails allow changes from %d:00 to %d:00.", h.From, h.To)
	}
	b.daily += moved
	return s
}

const daysPerMonth = 30.4375

// unitsOf returns a budget in the unit of the platform's API. It returns "" if Assay does not change budgets on the
// platform or the unit cannot express the amount.
func unitsOf(p measure.Platform, budget float64, c money.Currency) json.Number {
	var unit ads.Unit
	switch p {
	case measure.Facebook:
		unit = facebook.Unit{}
	case measure.Google:
		unit = googleads.Unit{}
	case measure.TikTok:
		unit = tiktok.Unit{}
	default:
		return ""
	}
	n, err := unit.Value(money.Amount{Minor: int64(math.Round(budget * math.Pow10(c.Exponent()))), Currency: c})
	if err != nil {
		return ""
	}
	return n
}

// experiments adds the steps of an experiment on the most valuable untested channel: a preflight on the second working
// day after today, and the start on the following Monday.
func (p *planner) experiments() {
	for _, f := range p.found.findings {
		if f.Kind != detect.Untested {
			continue
		}
		name := answer.ChannelName(f.Channel)
		day := p.workday(p.workday(p.Today.AddDays(1)).AddDays(1))
		p.add(Step{
			Day: day, Kind: ExperimentStep, Step: "Check whether a geo experiment on " + name + " can detect the effect.", Effect: answer.EstimateOf[answer.Money](*f.Value, 1),
			Call: next(p.Call, "geo_experiment_preflight", map[string]any{"channel": string(f.Channel)}, "Check the regions and the power of the experiment."),
		})
		start := civil.ByWeek.Next(civil.ByWeek.Start(day))
		if start.After(p.last()) {
			return
		}
		p.tested = f.Channel
		p.add(Step{
			Day: start, Kind: ExperimentStep, Step: "Start the geo experiment on " + name + " if the check passes. Change nothing else on the channel.",
			Stop: "Do not read the result before the experiment ends. Stop early only if an error changes spend or sales in the treated regions.",
			Call: next(p.Call, "manage", map[string]any{"action": "create_experiment", "params": map[string]any{
				"channel": string(f.Channel), "start_date": start.String(), "end_date": start.AddDays(27).String(),
			}}, "Preview the draft of the experiment."),
		})
		return
	}
}

// reviews adds two reviews: one learning period after the first budget changes, and on the last day.
func (p *planner) reviews() {
	if p.Store.Empty() {
		return
	}
	var first civil.Date
	for _, s := range p.plan.Steps {
		if s.Kind == BudgetStep && (first.IsZero() || s.Day.Before(first)) {
			first = s.Day
		}
	}
	days := []civil.Date{p.last()}
	if review := first.AddDays(learningDays - 1); !first.IsZero() && review.Before(p.last()) {
		days = append(days, review)
	}
	for _, day := range days {
		p.add(Step{
			Day: day, Kind: ReviewStep, Step: "Compare the results with the plan. Then keep or roll back each change.",
			Call: next(p.Call, "performance", toolkit.Dated(civil.Range{First: p.Today, Last: day}), "Compare the results with the days before the plan."),
		})
	}
}

// workday returns the first working day on or after a day. Weekends, holidays and shopping events are not working days.
func (p *planner) workday(day civil.Date) civil.Date {
	for range 14 {
		if w := day.Weekday(); w != 0 && w != 6 && !p.holiday(day) {
			return day
		}
		day = day.AddDays(1)
	}
	return day
}

// tuesday returns the first day on or after a day that is suitable for a budget move. Suitable days are Tuesday to
// Thursday without a holiday or shopping event on the day or the next day. Demand is then usual after the move.
func (p *planner) tuesday(day civil.Date) civil.Date {
	for range 28 {
		if w := day.Weekday(); w >= 2 && w <= 4 && !p.holiday(day) && !p.holiday(day.AddDays(1)) {
			return day
		}
		day = day.AddDays(1)
	}
	return day
}

// holiday reports whether a day is a holiday or a shopping event of at most a week in the store's country.
func (p *planner) holiday(day civil.Date) bool {
	country := holiday.CountryOf(p.Workspace.Zone)
	if country == "" {
		return false
	}
	all, err := holiday.Of([]string{country}, true)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(all, func(h holiday.Holiday) bool {
		return slices.ContainsFunc(h.Within(civil.Range{First: day, Last: day}), func(r civil.Range) bool { return r.Days() <= 7 })
	})
}

// Dismissable returns the current insight with an ID. A missing insight results in a fault of kind not_found.
func Dismissable(ctx context.Context, c *toolkit.Call, id control.InsightID) (Insight, error) {
	all, _, err := Insights(ctx, c)
	if err != nil {
		return Insight{}, err
	}
	if at := slices.IndexFunc(all, func(i Insight) bool { return i.ID == id }); at >= 0 {
		return all[at], nil
	}
	return Insight{}, fault.NotFound("insight_id: %q is not a current insight", answer.Clean(string(id))).
		WithHint("Use the insights tool to list current insights: {\"limit\":100,\"detail_level\":\"analyst\"}.")
}
