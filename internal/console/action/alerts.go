package action

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"assay/internal/alert"
	"assay/internal/console/frame"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/operation"
)

// alertsView is the view of alert rules, the days that met a rule, and the destinations of messages.
type alertsView struct {
	frame.Place
	frame.Messages
	Rules        []ruleRow
	Events       []eventRow
	Destinations []destinationRow
	Form         url.Values            // values of a rejected form
	Emailed      control.DestinationID // the visitor's own destination, "" without one
	Weekly       *control.WeeklyReader // the visitor's choice of the weekly summary, nil without one
	Metrics      []control.AlertMetric
	Conditions   []control.AlertCondition
	Channels     frame.ChannelList
}

// Heading states how many rules there are and how many alerts they raised in the last four weeks.
func (v alertsView) Heading() string {
	if len(v.Rules) == 0 {
		return "No alert rule is set."
	}
	return frame.Plural(len(v.Rules), "alert rule") + ", " + frame.Plural(len(v.Events), "alert") + " in the last four weeks."
}

// CanWrite reports whether the visitor can add and remove rules.
func (v alertsView) CanWrite() bool { return v.Role.Writes() }

// ruleRow is a rule with the value of its metric on the last complete day.
type ruleRow struct {
	alert.State
	Rule string
	Text string // the value, "" if the day was not evaluated
}

// eventRow is a day that met the condition of an alert rule.
type eventRow struct {
	control.AlertEvent
	Text     string
	Messages string
}

// destinationRow is a destination of messages.
type destinationRow struct {
	control.Destination
	Removes bool // the visitor may remove it
}

func (c *pages) alertsPage(w http.ResponseWriter, v frame.Visit) {
	query := v.URL.Query()
	p, ok := c.PlaceOf(w, v, query.Get("workspace"))
	if !ok {
		return
	}
	c.showAlerts(w, v, http.StatusOK, alertsView{Place: p, Messages: frame.Messages{Done: map[string]string{
		"add": "The rule is added.", "remove": "The rule is removed. Past alerts of the rule are still listed.",
		"email": "You receive alerts for this store by email.", "silence": "The recipient is removed.",
		"weekly": "You receive the weekly summary each Monday by email.", "stop": "You no longer receive the weekly summary.",
	}[query.Get("done")]}})
}

// showAlerts completes the view and shows the page.
func (c *pages) showAlerts(w http.ResponseWriter, v frame.Visit, status int, view alertsView) {
	view.Here, view.Metrics, view.Conditions = frame.AlertsPath, control.AlertMetrics(), control.AlertConditions()
	if err := c.fillAlerts(v, &view); err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	c.Render(w, v.Request, status, frame.Page{Name: "alerts", Title: "Alerts", View: view, Visitor: &v.Visitor})
}

func (c *pages) fillAlerts(v frame.Visit, view *alertsView) error {
	ctx, call, currency := v.Context(), v.Calls(view.Workspace.ID), view.Workspace.Currency
	if view.CanWrite() {
		var err error
		if view.Channels, err = c.ChannelListOf(v, view.Place, v.PostForm.Get("channel")); err != nil {
			return err
		}
	}
	states, err := operation.ListAlerts.Do(ctx, c.Operations, call, operation.None{})
	if err != nil {
		return err
	}
	for _, s := range states {
		row := ruleRow{State: s, Rule: s.Alert.Rule(currency)}
		if s.Why == "" {
			row.Text = s.Alert.Text(s.Value, currency)
		}
		view.Rules = append(view.Rules, row)
	}
	events, err := operation.ListAlertEvents.Do(ctx, c.Operations, call, operation.None{})
	if err != nil {
		return err
	}
	for _, e := range events {
		view.Events = append(view.Events, eventRow{AlertEvent: e, Text: alert.Describe(e, view.Workspace), Messages: messagesText(e.Deliveries)})
	}
	all, err := operation.ListDestinations.Do(ctx, c.Operations, call, operation.None{})
	if err != nil {
		return err
	}
	for _, d := range all {
		own := d.Kind == control.EmailDestination && d.Member == v.Visitor.User.ID
		if own {
			view.Emailed = d.ID
		}
		view.Destinations = append(view.Destinations, destinationRow{Destination: d, Removes: own || view.Manages()})
	}
	readers, err := operation.ListWeekly.Do(ctx, c.Operations, call, operation.None{})
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(readers, func(r control.WeeklyReader) bool { return r.Member == v.Visitor.User.ID }); i >= 0 {
		view.Weekly = &readers[i]
	}
	return nil
}

// messagesText counts messages by state: "2 sent, 1 given up (…)".
func messagesText(all []control.AlertDelivery) string {
	counts, problem := map[control.DeliveryState]int{}, ""
	for _, d := range all {
		counts[d.State]++
		if d.State != control.DeliverySent && d.Problem != "" {
			problem = d.Problem
		}
	}
	var parts []string
	for _, state := range []control.DeliveryState{control.DeliverySent, control.DeliveryWaiting, control.DeliveryGivenUp} {
		if n := counts[state]; n > 0 {
			parts = append(parts, frame.Count(int64(n))+" "+strings.ReplaceAll(string(state), "_", " "))
		}
	}
	text := strings.Join(parts, ", ")
	if problem != "" {
		text += " (" + problem + ")"
	}
	return text
}

// changeAlerts adds and removes rules and destinations. The operations check the permissions.
func (c *pages) changeAlerts(w http.ResponseWriter, v frame.Visit) {
	form := v.PostForm
	p, ok := c.PlaceOf(w, v, form.Get("workspace"))
	if !ok {
		return
	}
	err := c.changeAlert(v, p)
	_, _, public := fault.Public(err)
	kind := fault.KindOf(err)
	switch {
	case err == nil:
		frame.See(w, frame.AlertsPath+"?"+url.Values{"workspace": {string(p.Workspace.ID)}, "done": {form.Get("action")}}.Encode())
	case public && (kind == fault.KindInvalid || kind == fault.KindConflict || kind == fault.KindNotFound):
		c.showAlerts(w, v, http.StatusUnprocessableEntity, alertsView{Place: p, Form: form, Messages: frame.Messages{Problem: frame.PublicText(err)}})
	default:
		c.Fail(w, v.Request, err)
	}
}

func (c *pages) changeAlert(v frame.Visit, p frame.Place) error {
	ctx, call, form := v.Context(), v.Calls(p.Workspace.ID), v.PostForm
	switch form.Get("action") {
	case "add":
		threshold, err := control.ParseAlertValue(form.Get("threshold"))
		if err != nil {
			return err
		}
		_, err = operation.CreateAlert.Do(ctx, c.Operations, call, operation.Alert{
			Name: strings.TrimSpace(form.Get("name")), Metric: control.AlertMetric(form.Get("metric")), Channel: measure.Channel(form.Get("channel")),
			Condition: control.AlertCondition(form.Get("condition")), Threshold: threshold,
		})
		return err
	case "remove":
		_, err := operation.RemoveAlert.Do(ctx, c.Operations, call, control.AlertID(form.Get("rule")))
		return err
	case "email":
		_, err := operation.AddAlertEmail.Do(ctx, c.Operations, call, v.Visitor.User.ID)
		return err
	case "weekly":
		_, err := operation.ChooseWeekly.Do(ctx, c.Operations, call, v.Visitor.User.ID)
		return err
	case "stop":
		_, err := operation.StopWeekly.Do(ctx, c.Operations, call, v.Visitor.User.ID)
		return err
	case "silence":
		_, err := operation.RemoveDestination.Do(ctx, c.Operations, call, control.DestinationID(form.Get("destination")))
		return err
	}
	return frame.ErrUnknownAction
}

// MetricName returns the name of a metric in the form.
func (alertsView) MetricName(m control.AlertMetric) string {
	if m == control.AlertROAS || m == control.AlertAOV {
		return strings.ToUpper(string(m))
	}
	return strings.ToUpper(string(m[:1])) + string(m[1:])
}

// ConditionName returns the name of a condition in the form.
func (alertsView) ConditionName(c control.AlertCondition) string {
	if c == control.ChangeAbove {
		return "changes by more than (%)"
	}
	return "is " + string(c)
}

// KindName returns the name of a kind of destination.
func (alertsView) KindName(k control.DestinationKind) string {
	if k == control.EmailDestination {
		return "Email"
	}
	return "Webhook"
}
