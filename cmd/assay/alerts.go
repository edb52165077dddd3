package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/operation"
	"assay/internal/snapshot"
)

type alertsCommand struct {
	Add          alertsAdd           `cmd:"" help:"Add an alert rule for a daily metric."`
	List         alertsList          `cmd:"" help:"List alert rules with their values on the last complete day."`
	Remove       alertsRemove        `cmd:"" help:"Remove an alert rule. Past alerts of the rule remain."`
	Events       alertsEvents        `cmd:"" help:"List the days of the last four weeks that met a rule, and whether messages were delivered."`
	Test         alertsTest          `cmd:"" help:"Send a test message to each destination."`
	Destinations destinationsCommand `cmd:"" help:"Add, list and remove webhooks and members that receive alert messages."`
}

type alertsAdd struct {
	dataFlag
	Metric    string `arg:"" enum:"revenue,orders,spend,roas,aov" help:"Metric: revenue, orders, spend, roas or aov."`
	Condition string `arg:"" enum:"above,below,change_above" help:"Condition: above, below or change_above."`
	Threshold string `arg:"" help:"Threshold in the unit of the metric; for change_above, the change in percent, up or down."`
	Channel   string `placeholder:"C" help:"Channel of the metric. Default: the whole store."`
	Name      string `placeholder:"N" help:"Name of the rule. Default: its condition."`
	Workspace string `required:"" placeholder:"W" help:"Workspace of the rule."`
}

// Run adds the rule and prints its ID.
func (c *alertsAdd) Run(ctx context.Context, con *console) error {
	threshold, err := control.ParseAlertValue(c.Threshold)
	if err != nil {
		return err
	}
	kept, err := do(ctx, con, c.dataFlag, operation.CreateAlert, "alerts add", c.Workspace, operation.Alert{
		Name: c.Name, Metric: control.AlertMetric(c.Metric), Channel: measure.Channel(c.Channel),
		Condition: control.AlertCondition(c.Condition), Threshold: threshold,
	})
	if err != nil {
		return err
	}
	if !kept.Changed {
		fmt.Fprintln(con.errs, "the rule already exists")
	}
	fmt.Fprintln(con.out, kept.Record.ID)
	return nil
}

type alertsList struct {
	dataFlag
	Workspace string `required:"" placeholder:"W" help:"Workspace of the rules."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

type alertLine struct {
	ID        control.AlertID        `json:"id"`
	Name      string                 `json:"name"`
	Metric    control.AlertMetric    `json:"metric"`
	Channel   measure.Channel        `json:"channel,omitempty"`
	Condition control.AlertCondition `json:"condition"`
	Threshold control.AlertValue     `json:"threshold"`
	Day       civil.Date             `json:"day"`
	Value     *control.AlertValue    `json:"value,omitempty"`
	Reference *control.AlertValue    `json:"reference,omitempty"`
	Met       bool                   `json:"met"`
	Unjudged  string                 `json:"not_judged,omitempty"` // why the day was not evaluated
}

// Run lists the rules.
func (c *alertsList) Run(ctx context.Context, con *console) error {
	all, err := do(ctx, con, c.dataFlag, operation.ListAlerts, "alerts list", c.Workspace, operation.None{})
	if err != nil {
		return err
	}
	lines := make([]alertLine, len(all))
	for i, s := range all {
		a := s.Alert
		lines[i] = alertLine{
			ID: a.ID, Name: a.Name, Metric: a.Metric, Channel: a.Channel, Condition: a.Condition, Threshold: a.Threshold,
			Day: s.Day, Reference: s.Reference, Met: s.Met, Unjudged: s.Why,
		}
		if s.Why == "" {
			lines[i].Value = &s.Value
		}
	}
	if c.JSON {
		return printJSON(con.out, lines)
	}
	if len(lines) == 0 {
		fmt.Fprintf(con.errs, "no alert rules; add one with: assay alerts add revenue below 500 --workspace %s\n", c.Workspace)
		return nil
	}
	t := newTable(con.out)
	t.AppendHeader(table.Row{"id", "name", "metric", "channel", "condition", "threshold", "day", "value", "met"})
	for _, l := range lines {
		value, met := l.Unjudged, "not evaluated"
		if l.Value != nil {
			value, met = l.Value.String(), map[bool]string{true: "yes", false: "no"}[l.Met]
		}
		t.AppendRow(table.Row{l.ID, l.Name, l.Metric, storeOr(l.Channel), l.Condition, l.Threshold, l.Day, value, met})
	}
	t.Render()
	return nil
}

func storeOr(c measure.Channel) string {
	if c == "" {
		return "whole store"
	}
	return string(c)
}

type alertsRemove struct {
	dataFlag
	ID        control.AlertID `arg:"" help:"ID of the rule (assay alerts list)."`
	Workspace string          `required:"" placeholder:"W" help:"Workspace of the rule."`
}

// Run removes the rule.
func (c *alertsRemove) Run(ctx context.Context, con *console) error {
	a, err := do(ctx, con, c.dataFlag, operation.RemoveAlert, "alerts remove", c.Workspace, c.ID)
	if err != nil {
		return err
	}
	fmt.Fprintf(con.errs, "removed the alert rule %s\n", a.Name)
	return nil
}

type alertsEvents struct {
	dataFlag
	Workspace string `required:"" placeholder:"W" help:"Workspace of the events."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

type alertEventLine struct {
	Rule       control.AlertID         `json:"rule"`
	Name       string                  `json:"name"`
	Day        civil.Date              `json:"day"`
	Value      control.AlertValue      `json:"value"`
	Reference  *control.AlertValue     `json:"reference,omitempty"`
	Threshold  control.AlertValue      `json:"threshold"`
	Raised     time.Time               `json:"raised_at"`
	Deliveries []control.AlertDelivery `json:"deliveries"`
}

// Run lists the events, newest first.
func (c *alertsEvents) Run(ctx context.Context, con *console) error {
	all, err := do(ctx, con, c.dataFlag, operation.ListAlertEvents, "alerts events", c.Workspace, operation.None{})
	if err != nil {
		return err
	}
	lines := make([]alertEventLine, len(all))
	for i, e := range all {
		lines[i] = alertEventLine{
			Rule: e.Alert.ID, Name: e.Alert.Name, Day: e.Day, Value: e.Value, Reference: e.Reference, Threshold: e.Alert.Threshold,
			Raised: e.Raised, Deliveries: append([]control.AlertDelivery{}, e.Deliveries...),
		}
	}
	if c.JSON {
		return printJSON(con.out, lines)
	}
	if len(lines) == 0 {
		fmt.Fprintf(con.errs, "no alerts in the last %d days\n", snapshot.AlertDays)
		return nil
	}
	t := newTable(con.out)
	t.AppendHeader(table.Row{"day", "rule", "value", "threshold", "messages"})
	for _, l := range lines {
		var states []string
		for _, d := range l.Deliveries {
			state := string(d.Destination) + " " + strings.ReplaceAll(string(d.State), "_", " ")
			if d.Problem != "" && d.State != control.DeliverySent {
				state += " (" + d.Problem + ")"
			}
			states = append(states, state)
		}
		t.AppendRow(table.Row{l.Day, l.Name, l.Value, l.Threshold, strings.Join(states, "; ")})
	}
	t.Render()
	return nil
}

type alertsTest struct {
	dataFlag
	Workspace string `required:"" placeholder:"W" help:"Workspace of the destinations."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

// Run sends a test message to each destination. A failed delivery is an error.
func (c *alertsTest) Run(ctx context.Context, con *console) error {
	all, err := do(ctx, con, c.dataFlag, operation.TestAlerts, "alerts test", c.Workspace, operation.None{})
	if err != nil {
		return err
	}
	if c.JSON {
		err = printJSON(con.out, all)
	} else if len(all) == 0 {
		fmt.Fprintln(con.errs, "no destinations")
	}
	failed := 0
	for _, d := range all {
		result := "delivered"
		if d.Problem != "" {
			failed++
			result = d.Problem
		}
		if !c.JSON {
			fmt.Fprintf(con.out, "%s: %s\n", d.ID, result)
		}
	}
	if err == nil && failed > 0 {
		return fault.Unavailable("%d of %d test messages were not delivered", failed, len(all))
	}
	return err
}

type destinationsCommand struct {
	Add    destinationsAdd    `cmd:"" help:"Add a webhook and print its signing secret once."`
	Email  destinationsEmail  `cmd:"" help:"Send alert messages to a member by email. Requires the setting smtp_url."`
	List   destinationsList   `cmd:"" help:"List destinations."`
	Remove destinationsRemove `cmd:"" help:"Remove a destination and its pending messages."`
}

type destinationsAdd struct {
	dataFlag
	URL       string `arg:"" help:"URL with https, on port 443 of a public address."`
	Workspace string `required:"" placeholder:"W" help:"Workspace of the alerts."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

// Run adds the webhook.
func (c *destinationsAdd) Run(ctx context.Context, con *console) error {
	added, err := do(ctx, con, c.dataFlag, operation.AddAlertWebhook, "alerts destinations add", c.Workspace, operation.Webhook{URL: c.URL})
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(con.out, added)
	}
	fmt.Fprintf(con.out, "id: %s\nsecret: %s\n", added.ID, added.Secret)
	fmt.Fprintln(con.errs, "The secret signs each message and is not shown again.")
	return nil
}

type destinationsEmail struct {
	dataFlag
	Member    string `arg:"" help:"Email address of the member."`
	Workspace string `required:"" placeholder:"W" help:"Workspace of the alerts."`
}

// Run adds the member's email address.
func (c *destinationsEmail) Run(ctx context.Context, con *console) error {
	member, err := findUser(ctx, con, c.dataFlag, c.Member)
	if err != nil {
		return err
	}
	id, err := do(ctx, con, c.dataFlag, operation.AddAlertEmail, "alerts destinations email", c.Workspace, member.ID)
	if err != nil {
		return err
	}
	fmt.Fprintf(con.out, "id: %s\n", id)
	return nil
}

type destinationsList struct {
	dataFlag
	Workspace string `required:"" placeholder:"W" help:"Workspace of the destinations."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

type destinationLine struct {
	ID    control.DestinationID   `json:"id"`
	Kind  control.DestinationKind `json:"kind"`
	Place string                  `json:"to"` // a URL without its path, because the path may be a secret
	At    time.Time               `json:"created_at"`
}

// Run lists the destinations.
func (c *destinationsList) Run(ctx context.Context, con *console) error {
	store, err := c.open(ctx, con)
	if err != nil {
		return err
	}
	defer store.Close()
	w, err := store.Store.Workspace(ctx, measure.WorkspaceID(c.Workspace))
	if err != nil {
		return err
	}
	all, err := store.Store.Destinations(ctx, w.ID)
	if err != nil {
		return err
	}
	lines := make([]destinationLine, len(all))
	for i, d := range all {
		lines[i] = destinationLine{ID: d.ID, Kind: d.Kind, Place: d.Place(), At: d.At}
	}
	if c.JSON {
		return printJSON(con.out, lines)
	}
	if len(lines) == 0 {
		fmt.Fprintf(con.errs, "no destinations; add one with: assay alerts destinations add URL --workspace %s\n", c.Workspace)
		return nil
	}
	t := newTable(con.out)
	t.AppendHeader(table.Row{"id", "kind", "to", "added"})
	for _, l := range lines {
		t.AppendRow(table.Row{l.ID, l.Kind, l.Place, orNever(l.At)})
	}
	t.Render()
	return nil
}

type destinationsRemove struct {
	dataFlag
	ID        control.DestinationID `arg:"" help:"ID of the destination (assay alerts destinations list)."`
	Workspace string                `required:"" placeholder:"W" help:"Workspace of the destination."`
}

// Run removes the destination.
func (c *destinationsRemove) Run(ctx context.Context, con *console) error {
	_, err := do(ctx, con, c.dataFlag, operation.RemoveDestination, "alerts destinations remove", c.Workspace, c.ID)
	return err
}
