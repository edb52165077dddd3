package main

import (
	"context"
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"

	"assay/internal/fault"
	"assay/internal/operation"
)

type weeklyCommand struct {
	Show weeklyShow `cmd:"" help:"Print the email with the summary of the last complete week."`
	Add  weeklyAdd  `cmd:"" help:"Send the summary to a member each Monday by email. Requires the setting smtp_url."`
	List weeklyList `cmd:"" help:"List the members who receive the summary."`
	Stop weeklyStop `cmd:"" help:"Stop sending the summary to a member."`
}

type weeklyShow struct {
	dataFlag
	Workspace string `required:"" placeholder:"W" help:"Workspace of the summary."`
}

// Run prints the summary.
func (c *weeklyShow) Run(ctx context.Context, con *console) error {
	letter, err := do(ctx, con, c.dataFlag, operation.ShowWeekly, "weekly show", c.Workspace, operation.None{})
	if err != nil {
		return err
	}
	fmt.Fprint(con.out, letter.Text)
	return nil
}

type weeklyAdd struct {
	dataFlag
	Member    string `arg:"" help:"Email address of the member."`
	Workspace string `required:"" placeholder:"W" help:"Workspace of the summary."`
}

// Run adds the member.
func (c *weeklyAdd) Run(ctx context.Context, con *console) error {
	settings, err := c.settings()
	if err != nil {
		return err
	}
	if settings.SMTPURL.Text() == "" {
		return fault.New(fault.KindMisconfigured, "no SMTP server is configured").WithHint("set smtp_url and smtp_from, then restart the service")
	}
	member, err := findUser(ctx, con, c.dataFlag, c.Member)
	if err != nil {
		return err
	}
	_, err = do(ctx, con, c.dataFlag, operation.ChooseWeekly, "weekly add", c.Workspace, member.ID)
	return err
}

type weeklyList struct {
	dataFlag
	Workspace string `required:"" placeholder:"W" help:"Workspace of the summary."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

type weeklyLine struct {
	Email   string `json:"email"`
	Since   string `json:"since"`
	Week    string `json:"last_week"` // Monday of the last week with a summary that was sent or given up
	Problem string `json:"problem,omitempty"`
}

// Run lists the members.
func (c *weeklyList) Run(ctx context.Context, con *console) error {
	all, err := do(ctx, con, c.dataFlag, operation.ListWeekly, "weekly list", c.Workspace, operation.None{})
	if err != nil {
		return err
	}
	lines := make([]weeklyLine, len(all))
	for i, r := range all {
		lines[i] = weeklyLine{Email: r.Email, Since: orNever(r.At), Week: r.Week.String(), Problem: r.Problem}
	}
	if c.JSON {
		return printJSON(con.out, lines)
	}
	if len(lines) == 0 {
		fmt.Fprintf(con.errs, "no member receives the summary; add a member with: assay weekly add EMAIL --workspace %s\n", c.Workspace)
		return nil
	}
	t := newTable(con.out)
	t.AppendHeader(table.Row{"email", "since", "last week", "problem"})
	for _, l := range lines {
		t.AppendRow(table.Row{l.Email, l.Since, l.Week, l.Problem})
	}
	t.Render()
	return nil
}

type weeklyStop struct {
	dataFlag
	Member    string `arg:"" help:"Email address of the member."`
	Workspace string `required:"" placeholder:"W" help:"Workspace of the summary."`
}

// Run stops the summary.
func (c *weeklyStop) Run(ctx context.Context, con *console) error {
	member, err := findUser(ctx, con, c.dataFlag, c.Member)
	if err != nil {
		return err
	}
	_, err = do(ctx, con, c.dataFlag, operation.StopWeekly, "weekly stop", c.Workspace, member.ID)
	return err
}
