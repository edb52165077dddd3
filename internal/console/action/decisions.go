package action

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"assay/internal/answer"
	"assay/internal/console/frame"
	"assay/internal/control"
	"assay/internal/decision"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/detect"
	"assay/internal/money"
	"assay/internal/operation"
	"assay/internal/tools"
)

// Paths and parameters of the pages.
const (
	insightsPath  = "/insights"
	decisionsPath = "/decisions"
	riskParam     = "risk"
	horizonParam  = "horizon"
	mostItems     = 100 // number of items that a page requests from a tool
)

// decisionsView is the view of insights or of decisions.
type decisionsView struct {
	frame.Place
	frame.Messages
	frame.Section
	Heading   string // the answer
	Lead      string
	Priority  decision.Priority // the filter of insights, "" for all
	Items     []item
	Empty     string
	Dismissed []dismissed
	Plan      *planView // plan on the Decisions page; nil on the Insights page
	Warnings  []answer.Warning

	channels []measure.Channel // channels of the store
}

// named returns a sentence of an answer with the names of channels instead of their keys.
func (v decisionsView) named(sentence string) string { return frame.Named(sentence, v.channels) }

// CanWrite reports whether the visitor can dismiss and restore insights.
func (v decisionsView) CanWrite() bool { return v.Role.Writes() }

// Insights reports whether the page lists insights.
func (v decisionsView) Insights() bool { return v.Plan == nil }

// Priorities returns the choices of the filter.
func (decisionsView) Priorities() []decision.Priority {
	return []decision.Priority{decision.Critical, decision.High, decision.Medium, decision.Low}
}

// dismissed is a dismissed insight with its kind in words.
type dismissed struct {
	control.DismissedInsight
	Kind string
}

// item is an insight or a decision.
type item struct {
	frame.Section // the call of the next step
	Insight       control.InsightID
	Priority      decision.Priority
	About         string // subject, kind and confidence
	Why           string
	Value         string // amount per month, "" if unknown
	Interval      string
	Evidence      []string
}

// about joins the parts that are known.
func about(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " · ")
}

// subjectName returns the proper name of a channel, with the sales surface if there is one. In the subject of a target,
// it replaces the key of the channel with the channel's name. Other subjects are returned with a capital first letter.
func (v decisionsView) subjectName(insight control.InsightID, subject answer.Foreign) string {
	name, rest, _ := strings.Cut(string(subject), " ")
	if slices.Contains(frame.Channels(), measure.Channel(name)) || slices.Contains(v.channels, measure.Channel(name)) {
		return strings.TrimSpace(frame.ChannelName(name) + " " + rest)
	}
	if kindOf(insight) == detect.PacingRisk {
		return frame.Capitalized(v.named(string(subject)))
	}
	return frame.Capitalized(string(subject))
}

// kindOf returns the kind of an insight, which is the beginning of its ID.
func kindOf(id control.InsightID) detect.Kind {
	kind, _, _ := strings.Cut(string(id), "-")
	return detect.Kind(kind)
}

// planView is the plan by day.
type planView struct {
	frame.Section
	Summary  string
	Table    *frame.Table
	Risk     string
	Days     int
	Warnings []answer.Warning
}

// Risks returns the choices of the form.
func (planView) Risks() []string { return []string{"conservative", "balanced", "aggressive"} }

func (c *pages) insightsPage(w http.ResponseWriter, v frame.Visit) {
	query := v.URL.Query()
	p, ok := c.PlaceOf(w, v, query.Get("workspace"))
	if !ok {
		return
	}
	view := decisionsView{Place: p, Priority: decision.Priority(query.Get("priority")), Messages: frame.Messages{Done: map[string]string{
		"dismiss": "The insight is dismissed until its evidence changes.", "restore": "The insight is shown again.",
	}[query.Get("done")]}}
	if err := c.fillInsights(v, &view); err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	c.Render(w, v.Request, http.StatusOK, frame.Page{Name: "decisions", Title: view.Heading, View: view, Visitor: &v.Visitor})
}

func (c *pages) fillInsights(v frame.Visit, view *decisionsView) error {
	with := frame.Arguments{"detail_level": "analyst", "limit": mostItems}
	if view.Priority != "" {
		with["priority"] = view.Priority
	}
	a, err := frame.AnswerOf(c.Frame, v, view.Place, tools.Insights, with)
	if err != nil {
		return err
	}
	if view.channels, err = c.ChannelsOf(v, view.Place); err != nil {
		return err
	}
	view.Section = c.section(view.Place, "insights", "Insights", tools.Insights.Name, with)
	n := a.Metrics
	view.Heading, view.Empty = "No insights.", a.Summary
	if n != (decision.InsightCounts{}) {
		view.Empty = "No insight has this priority."
		view.Heading = answer.Plural(n.Critical+n.High+n.Medium+n.Low, "insight", "insights") + ", " + frame.Count(int64(n.Critical+n.High)) + " of critical or high priority."
	}
	if a.Estimates != nil {
		view.Note = a.Estimates.Method
	}
	for i, row := range a.Rows {
		one := item{
			Insight: row.ID, Priority: row.Priority, Why: view.named(row.Finding),
		}
		one.Section = c.itemSection(i, view.named(row.Action), row.Call)
		one.setValue(row.Value, a.Currency)
		confidence := ""
		if row.Certainty != nil {
			confidence = frame.Figure(*row.Certainty, 1) + "% confidence"
		}
		one.About = about(view.subjectName(row.ID, row.Subject), frame.Capitalized(frame.Words(string(row.Kind))), confidence)
		for _, e := range row.Evidence {
			one.Evidence = append(one.Evidence, frame.Capitalized(frame.Words(e.Name))+": "+evidenceText(e, a.Currency))
		}
		view.Items = append(view.Items, one)
	}
	if len(view.Items) > 0 && view.Priority == "" {
		view.Lead = "Start with this: " + view.Items[0].Why
	}
	view.Warnings = a.Warnings
	all, err := c.Store.DismissedInsights(v.Context(), view.Workspace.ID)
	for _, one := range all {
		view.Dismissed = append(view.Dismissed, dismissed{one, frame.Capitalized(frame.Words(string(kindOf(one.Insight))))})
	}
	return err
}

func (c *pages) decisionsPage(w http.ResponseWriter, v frame.Visit) {
	p, ok := c.PlaceOf(w, v, v.URL.Query().Get("workspace"))
	if !ok {
		return
	}
	view := decisionsView{Place: p}
	err := c.fillDecisions(v, &view)
	if err == nil {
		err = c.fillPlan(v, &view)
	}
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	c.Render(w, v.Request, http.StatusOK, frame.Page{Name: "decisions", Title: view.Heading, View: view, Visitor: &v.Visitor})
}

func (c *pages) fillDecisions(v frame.Visit, view *decisionsView) error {
	with := frame.Arguments{"detail_level": "analyst", "limit": mostItems}
	a, err := frame.AnswerOf(c.Frame, v, view.Place, tools.DecisionFeed, with)
	if err != nil {
		return err
	}
	if view.channels, err = c.ChannelsOf(v, view.Place); err != nil {
		return err
	}
	view.Section = c.section(view.Place, "feed", "Open decisions", tools.DecisionFeed.Name, with)
	view.Heading = "No decision is open."
	if n := a.Metrics.Decisions; n > 0 {
		view.Heading = answer.Plural(n, "decision is", "decisions are") + " open."
	}
	view.Empty, view.Warnings = a.Summary, a.Warnings
	for i, row := range a.Rows {
		one := item{Priority: row.Priority, About: about(view.subjectName(row.InsightID, row.Subject), frame.Capitalized(string(row.Area))), Why: view.named(row.Why)}
		one.Section = c.itemSection(i, view.named(row.Decision), row.Call)
		one.setValue(row.Value, a.Currency)
		view.Items = append(view.Items, one)
	}
	if len(view.Items) > 0 {
		view.Lead = "Start with this: " + view.Items[0].Why + " " + view.Items[0].Title
	}
	return nil
}

func (c *pages) fillPlan(v frame.Visit, view *decisionsView) error {
	query, plan := v.URL.Query(), &planView{Risk: "balanced", Days: 14}
	plan.Risk = cmp.Or(query.Get(riskParam), plan.Risk)
	if text := query.Get(horizonParam); text != "" {
		days, err := strconv.Atoi(text)
		if err != nil {
			return fault.Invalid("the horizon is not a whole number of days").WithHint("enter a whole number of days from 3 to 30, such as 14")
		}
		plan.Days = days
	}
	with := frame.Arguments{"riskTolerance": plan.Risk, "horizonDays": plan.Days, "detail_level": "analyst"}
	a, err := frame.AnswerOf(c.Frame, v, view.Place, tools.AutopilotPlan, with)
	if err != nil {
		return err
	}
	plan.Section, plan.Summary = c.section(view.Place, "plan", "Plan by day", tools.AutopilotPlan.Name, with), a.Summary
	for _, w := range a.Warnings {
		w.Text = view.named(w.Text)
		plan.Warnings = append(plan.Warnings, w)
	}
	plan.Table = &frame.Table{Name: "plan-days", Caption: "Plan by day", Size: mostItems, Empty: "The plan has no steps.", Columns: []frame.Column{
		{Key: "date", Name: "Day", Fixed: true},
		{Key: "kind", Name: "Kind", Fixed: true, Minor: true},
		{Key: "step", Name: "Step", Fixed: true},
		{Key: "monthly_effect", Name: "Effect per month", Number: true, Fixed: true},
	}}
	for _, s := range a.Rows {
		s.Step = view.named(s.Step)
		plan.Table.Rows = append(plan.Table.Rows, stepRow(s, a.Currency))
	}
	plan.Table.Show(v.URL)
	view.Plan = plan
	return nil
}

func stepRow(s decision.Step, c money.Currency) frame.Row {
	step := frame.TextCell(s.Step)
	if s.From != nil && s.To != nil {
		step.Sub = string(s.Campaign) + ": " + money.Display(float64(*s.From), 2, c) + " → " + money.Display(float64(*s.To), 2, c) + " per day"
	}
	effect := frame.None("none")
	if e := s.Effect; e != nil {
		effect = frame.MoneyCell(&e.Value, 0, c)
		effect.Sub = interval(e, c)
	}
	return frame.Row{Cells: []frame.Cell{frame.TextCell(s.Day.Words()), frame.TextCell(frame.Capitalized(string(s.Kind))), step, effect}}
}

// changeInsight dismisses or restores an insight. The operations check the permission.
func (c *pages) changeInsight(w http.ResponseWriter, v frame.Visit) {
	form := v.PostForm
	p, ok := c.PlaceOf(w, v, form.Get("workspace"))
	if !ok {
		return
	}
	id, call, err := control.InsightID(form.Get("insight")), v.Calls(p.Workspace.ID), error(frame.ErrUnknownAction)
	switch form.Get("action") {
	case "dismiss":
		_, err = operation.DismissInsight.Do(v.Context(), c.Operations, call, control.DismissedInsight{Insight: id, Reason: strings.TrimSpace(form.Get("reason"))})
	case "restore":
		_, err = operation.RestoreInsight.Do(v.Context(), c.Operations, call, id)
	}
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	frame.See(w, insightsPath+"?"+url.Values{"workspace": {string(p.Workspace.ID)}, "done": {form.Get("action")}}.Encode())
}

// section returns the heading of a list with the tool call and the article about the tool.
func (c *pages) section(p frame.Place, id, title, tool string, with frame.Arguments) frame.Section {
	return frame.Section{ID: id, Title: title, Article: frame.ArticleAddress(p, tool), Call: c.CallOf(id, tool, with)}
}

// itemSection returns the heading of an item with the call of its next step.
func (c *pages) itemSection(at int, title string, next *answer.Next) frame.Section {
	s := frame.Section{ID: "item-" + strconv.Itoa(at+1), Title: title}
	if next != nil {
		s.Note, s.Call = next.Reason, c.CallOf(s.ID, next.Tool, next.Arguments)
	}
	return s
}

func (i *item) setValue(e *answer.Estimate[answer.Money], c money.Currency) {
	if e != nil {
		i.Value, i.Interval = money.Display(float64(e.Value), 0, c)+" per month", "90% interval "+interval(e, c)
	}
}

func interval(e *answer.Estimate[answer.Money], c money.Currency) string {
	return money.Display(float64(e.Low), 0, c) + " – " + money.Display(float64(e.High), 0, c)
}

// evidenceText formats a figure that supports an insight.
func evidenceText(f decision.Figure, c money.Currency) string {
	switch f.Unit {
	case detect.Money:
		return money.Display(f.Value, 2, c)
	case detect.Share:
		return frame.Figure(100*f.Value, 1) + "%"
	case detect.Count:
		return frame.Figure(f.Value, 0)
	case detect.Ratio:
	}
	return frame.Figure(f.Value, 2)
}
