package main

import (
	"context"

	"github.com/jedib0t/go-pretty/v6/table"

	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/operation"
)

type guardrailsCommand struct {
	Show guardrailsShow `cmd:"" help:"Show the guardrails for changes on ad platforms."`
	Set  guardrailsSet  `cmd:"" help:"Set guardrails. Omitted guardrails keep their value; the word none removes a guardrail."`
}

type guardrailsShow struct {
	dataFlag
	Workspace string `required:"" placeholder:"W" help:"Workspace of the guardrails."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

// guardrailsLine contains the guardrails as the command prints them. A guardrail that is off is null.
type guardrailsLine struct {
	Workspace    measure.WorkspaceID `json:"workspace"`
	StepPct      *float64            `json:"max_step_pct"`
	Floor        *float64            `json:"floor"`
	Ceiling      *float64            `json:"ceiling"`
	Currency     money.Currency      `json:"currency,omitempty"`
	PerHour      *int                `json:"per_hour"`
	PerDay       *int                `json:"per_day"`
	Hours        *string             `json:"hours"`
	Stop         bool                `json:"stop"`
	PreviewFirst bool                `json:"preview_first"`
	ApproveAbove *float64            `json:"approve_above"`
}

func guardrailsLineOf(g control.Guardrails) guardrailsLine {
	l := guardrailsLine{
		Workspace: g.Workspace, Stop: g.Stop, PreviewFirst: g.PreviewFirst, Floor: major(g.Floor), Ceiling: major(g.Ceiling),
		ApproveAbove: major(g.ApproveAbove), PerHour: positive(g.PerHour), PerDay: positive(g.PerDay), StepPct: positive(g.StepPct),
	}
	for _, a := range []money.Amount{g.Floor, g.Ceiling, g.ApproveAbove} {
		if a.Currency != "" {
			l.Currency = a.Currency
		}
	}
	if g.Hours.Set() {
		l.Hours = new(g.Hours.String())
	}
	return l
}

func major(a money.Amount) *float64 { return positive(a.Major()) }

// positive returns the number, or nil for zero.
func positive[T int | float64](n T) *T {
	if n == 0 {
		return nil
	}
	return &n
}

// Run shows the guardrails.
func (c *guardrailsShow) Run(ctx context.Context, con *console) error {
	g, err := do(ctx, con, c.dataFlag, operation.ShowGuardrails, "guardrails show", c.Workspace, operation.None{})
	if err != nil {
		return err
	}
	return printGuardrails(con, g, c.JSON)
}

func printGuardrails(con *console, g control.Guardrails, asJSON bool) error {
	if asJSON {
		return printJSON(con.out, guardrailsLineOf(g))
	}
	t := newTable(con.out)
	t.AppendHeader(table.Row{"guardrail", "value"})
	for _, limit := range g.Limits() {
		t.AppendRow(table.Row{limit.Name, limit.Value})
	}
	t.Render()
	return nil
}

type guardrailsSet struct {
	dataFlag
	Workspace    string `required:"" placeholder:"W" help:"Workspace of the guardrails."`
	MaxStepPct   string `placeholder:"N" help:"Maximum change of a daily budget in percent."`
	Floor        string `placeholder:"A" help:"Minimum daily budget, in the workspace's currency."`
	Ceiling      string `placeholder:"A" help:"Maximum daily budget, in the workspace's currency."`
	PerHour      string `placeholder:"N" help:"Maximum number of changes of a campaign in 60 minutes."`
	PerDay       string `placeholder:"N" help:"Maximum number of changes of a campaign in 24 hours."`
	Hours        string `placeholder:"8-20" help:"Allowed hours of the day in the store's time zone, end exclusive; 22-6 includes midnight."`
	Stop         bool   `xor:"stop" help:"Block every change by tools."`
	Go           bool   `xor:"stop" help:"Allow changes by tools again."`
	PreviewFirst *bool  `placeholder:"true" help:"Require a preview by the same caller within 30 minutes: true or false."`
	ApproveAbove string `placeholder:"A" help:"Maximum daily budget without the approval of another member."`
	JSON         bool   `name:"json" help:"Print JSON."`
}

// Run sets the guardrails that the command line names, and prints all guardrails.
func (c *guardrailsSet) Run(ctx context.Context, con *console) error {
	g, err := do(ctx, con, c.dataFlag, operation.ShowGuardrails, "guardrails set", c.Workspace, operation.None{})
	if err != nil {
		return err
	}
	currency, err := c.currency(ctx, con)
	if err != nil {
		return err
	}
	if err := c.enter(&g, currency); err != nil {
		return err
	}
	if g, err = do(ctx, con, c.dataFlag, operation.SetGuardrails, "guardrails set", c.Workspace, g); err != nil {
		return err
	}
	return printGuardrails(con, g, c.JSON)
}

// currency returns the currency of the workspace.
func (c *guardrailsSet) currency(ctx context.Context, con *console) (money.Currency, error) {
	store, err := c.open(ctx, con)
	if err != nil {
		return "", err
	}
	defer store.Close()
	w, err := store.Store.Workspace(ctx, measure.WorkspaceID(c.Workspace))
	return w.Currency, err
}

// enter changes the guardrails that the command line names.
func (c *guardrailsSet) enter(g *control.Guardrails, currency money.Currency) error {
	for _, limit := range []struct{ name, text string }{
		{"max-step-pct", c.MaxStepPct},
		{"floor", c.Floor},
		{"ceiling", c.Ceiling},
		{"per-hour", c.PerHour},
		{"per-day", c.PerDay},
		{"hours", c.Hours},
		{"approve-above", c.ApproveAbove},
	} {
		if limit.text == "" {
			continue
		}
		if err := operation.EnterGuardrail(g, limit.name, limit.text, currency); err != nil {
			return err
		}
	}
	g.Stop = (g.Stop || c.Stop) && !c.Go
	if c.PreviewFirst != nil {
		g.PreviewFirst = *c.PreviewFirst
	}
	return nil
}
