package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
)

type auditCommand struct {
	dataFlag
	Workspace string   `placeholder:"W" help:"Only events of this workspace and its members. Default: the whole installation."`
	Since     string   `placeholder:"D" help:"Only events since a day such as 2026-11-01 (UTC), or in a recent period such as 36h or 7d."`
	Kind      []string `placeholder:"K,…" help:"Only these kinds of event, such as sign_in_refused."`
	Limit     int      `default:"200" help:"Maximum number of events; the latest are shown."`
	JSON      bool     `name:"json" help:"Print JSON."`
}

const maxAuditLines = 1_000_000

type auditLine struct {
	ID        control.EventID     `json:"id"`
	At        time.Time           `json:"at"`
	Workspace measure.WorkspaceID `json:"workspace"`
	Kind      control.EventKind   `json:"kind"`
	Actor     string              `json:"actor"`
	Subject   string              `json:"subject"`
	Detail    string              `json:"detail"`
}

// Run prints the audit log, newest event first.
func (c *auditCommand) Run(ctx context.Context, con *console) error {
	filter, err := c.filter(con.now())
	if err != nil {
		return err
	}
	store, err := c.open(ctx, con)
	if err != nil {
		return err
	}
	defer store.Close()
	events, err := store.Store.Events(ctx, filter)
	if err != nil {
		return err
	}
	if c.JSON {
		lines := make([]auditLine, 0, len(events))
		for _, e := range events {
			lines = append(lines, auditLine(e))
		}
		return printJSON(con.out, lines)
	}
	if len(events) == 0 {
		fmt.Fprintln(con.errs, "no matching event in the audit log")
		return nil
	}
	people := map[string]string{}
	users, err := store.Store.Users(ctx)
	if err != nil {
		return err
	}
	for _, u := range users {
		people[string(u.ID)] = u.Email
	}
	printAudit(con, events, people)
	if len(events) == filter.Limit {
		fmt.Fprintf(con.errs, "latest %d events only; use --limit for more\n", filter.Limit)
	}
	return nil
}

func (c *auditCommand) filter(now time.Time) (control.EventFilter, error) {
	f := control.EventFilter{Workspace: measure.WorkspaceID(c.Workspace), Members: c.Workspace != "", Limit: c.Limit}
	if c.Limit < 1 || c.Limit > maxAuditLines {
		return f, fault.Invalid("--limit %d is not between 1 and %d", c.Limit, maxAuditLines)
	}
	known := control.EventKinds()
	for _, name := range c.Kind {
		if !slices.Contains(known, control.EventKind(name)) {
			return f, fault.Invalid("--kind %q is not a kind of event", name).WithHint("use one of %s", join(known))
		}
		f.Kinds = append(f.Kinds, control.EventKind(name))
	}
	var err error
	f.Since, err = since(c.Since, now)
	return f, err
}

// since parses a day or a duration before now.
func since(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := civil.Parse(text); err == nil {
		return day.UTC(), nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 && n <= maxDays {
			return now.AddDate(0, 0, -n), nil
		}
	}
	if back, err := time.ParseDuration(text); err == nil && back >= 0 {
		return now.Add(-back), nil
	}
	return time.Time{}, fault.Invalid("--since %q is neither a date nor a duration", text).WithHint("use a form such as 2026-11-01, 36h or 7d")
}

// besidesDetail is the usual total width of all columns except the detail, in characters.
const besidesDetail = 95

// printAudit prints a table. It shows members by email address. The log itself contains only IDs.
func printAudit(con *console, events []control.Event, people map[string]string) {
	t := newTable(con.out)
	t.AppendHeader(table.Row{"time (UTC)", "workspace", "event", "actor", "subject", "detail"})
	if isTerminal(con.out) {
		room := max(minText, width(con.out)-besidesDetail)
		t.SetColumnConfigs([]table.ColumnConfig{{Number: 6, WidthMax: room, WidthMaxEnforcer: text.WrapSoft}})
	}
	for _, e := range events {
		actor, subject := e.Actor, e.Subject
		if id, ok := strings.CutPrefix(actor, "user:"); ok && people[id] != "" {
			actor = people[id]
		}
		if people[subject] != "" {
			subject = people[subject]
		}
		t.AppendRow(table.Row{e.At.UTC().Format("2006-01-02 15:04:05"), e.Workspace, e.Kind, actor, subject, e.Detail})
	}
	t.Render()
}
