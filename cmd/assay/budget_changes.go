package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"assay/internal/ads"
	"assay/internal/budgetchange"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/operation"
)

type budgetChangesCommand struct {
	List     budgetChangesList     `cmd:"" help:"List changes on ad platforms, newest first."`
	Show     budgetChangesShow     `cmd:"" help:"Show one change with its values, reason and outcome."`
	Rollback budgetChangesRollback `cmd:"" help:"Roll back a change: restore the campaign's previous value."`
	Approve  budgetChangesApprove  `cmd:"" help:"Approve and execute a change that awaits approval."`
	Reject   budgetChangesReject   `cmd:"" help:"Reject a change that awaits approval."`
}

// budgetChangeLine is a change as the command prints it. Budgets are numbers in platform units, and statuses are text.
type budgetChangeLine struct {
	ID           control.BudgetChangeID `json:"id"`
	At           time.Time              `json:"at"`
	Workspace    measure.WorkspaceID    `json:"workspace"`
	Platform     string                 `json:"platform"`
	Account      string                 `json:"account"`
	Campaign     string                 `json:"platform_campaign_id"`
	CampaignName string                 `json:"campaign_name"`
	Field        control.ChangeField    `json:"field"`
	Previous     any                    `json:"previous_value"`
	New          any                    `json:"new_value"`
	Live         any                    `json:"live_value"`
	PreviousSum  *json.Number           `json:"previous_amount"`
	NewSum       *json.Number           `json:"new_amount"`
	Currency     money.Currency         `json:"currency"`
	Actor        string                 `json:"actor"`
	Status       control.ChangeStatus   `json:"status"`
	Reason       string                 `json:"reason"`
	Rejection    string                 `json:"rejection,omitempty"`
	Problem      string                 `json:"problem,omitempty"`
	RequestID    string                 `json:"request_id,omitempty"`
	RollsBack    control.BudgetChangeID `json:"rolls_back,omitempty"`
	RolledBackBy control.BudgetChangeID `json:"rolled_back_by"`
	ApprovedBy   string                 `json:"approved_by,omitempty"`
	SettledAt    *time.Time             `json:"settled_at"`
	Effect       json.RawMessage        `json:"expected_effect,omitempty"`
}

func budgetChangeLineOf(c control.BudgetChange) budgetChangeLine {
	return budgetChangeLine{
		ID: c.ID, At: c.At, Workspace: c.Workspace, Platform: ads.WritingName(c.Platform), Account: c.Account, Campaign: c.Campaign,
		CampaignName: c.CampaignName, Field: c.Field, Previous: changeValue(c.Field, c.Previous), New: changeValue(c.Field, c.New),
		Live: changeValue(c.Field, c.Live), PreviousSum: changeAmount(c.Previous), NewSum: changeAmount(c.New),
		Currency: c.New.Amount.Currency, Actor: c.Actor, Status: c.Status, Reason: c.Reason, Rejection: c.Rejection, Problem: c.Problem,
		RequestID: c.RequestID, RollsBack: c.RollsBack, RolledBackBy: c.RolledBackBy, ApprovedBy: c.ApprovedBy,
		SettledAt: instant(c.SettledAt), Effect: json.RawMessage(c.Effect),
	}
}

func changeValue(f control.ChangeField, v control.ChangeValue) any {
	switch {
	case v.IsZero():
		return nil
	case f == control.DailyBudget:
		return json.Number(v.Text)
	}
	return v.Text
}

func changeAmount(v control.ChangeValue) *json.Number {
	if v.Amount.Currency == "" {
		return nil
	}
	return new(json.Number(v.Amount.Decimal()))
}

type budgetChangesList struct {
	dataFlag
	Workspace string `placeholder:"W" help:"Only changes of this workspace. Default: all workspaces."`
	Limit     int    `default:"200" help:"Maximum number of changes; the latest are shown."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

// Run lists the changes.
func (c *budgetChangesList) Run(ctx context.Context, con *console) error {
	if c.Limit < 1 || c.Limit > operation.MostBudgetChanges {
		return fault.Invalid("--limit %d is not between 1 and %d", c.Limit, operation.MostBudgetChanges)
	}
	store, err := c.open(ctx, con)
	if err != nil {
		return err
	}
	defer store.Close()
	f := control.BudgetChangeFilter{Workspace: measure.WorkspaceID(c.Workspace), Limit: c.Limit}
	if c.Workspace != "" {
		if _, err := store.Store.Workspace(ctx, f.Workspace); err != nil {
			return err
		}
	}
	all, err := store.Store.BudgetChanges(ctx, f)
	if err != nil {
		return err
	}
	lines := make([]budgetChangeLine, len(all))
	for i := range all {
		all[i] = all[i].AsOf(con.now())
		lines[i] = budgetChangeLineOf(all[i])
	}
	if c.JSON {
		return printJSON(con.out, lines)
	}
	if len(all) == 0 {
		fmt.Fprintln(con.errs, "no changes on ad platforms; the propose_budget_shift tool previews one")
		return nil
	}
	t := newTable(con.out)
	t.AppendHeader(table.Row{"id", "at", "workspace", "platform", "campaign", "field", "from", "to", "status", "by"})
	for _, one := range all {
		status := string(one.Status)
		if one.RolledBackBy != "" {
			status += ", rolled back"
		}
		t.AppendRow(table.Row{
			one.ID, one.At.UTC().Format("2006-01-02 15:04"), one.Workspace, ads.WritingName(one.Platform), one.Campaign, one.Field, one.Previous,
			one.New, status, one.Actor,
		})
	}
	t.Render()
	return nil
}

// changeFlags name a change.
type changeFlags struct {
	dataFlag
	ID        control.BudgetChangeID `arg:"" help:"ID of the change (assay budget-changes list)."`
	Workspace string                 `placeholder:"W" help:"Workspace of the change. Default: found by the ID."`
}

// find returns the change and sets Workspace to the workspace of the change.
func (f *changeFlags) find(ctx context.Context, con *console) (control.BudgetChange, error) {
	store, err := f.open(ctx, con)
	if err != nil {
		return control.BudgetChange{}, err
	}
	defer store.Close()
	c, err := store.Store.BudgetChange(ctx, f.ID)
	if err == nil && f.Workspace != "" && string(c.Workspace) != f.Workspace {
		err = fault.NotFound("there is no budget change %q in workspace %q", f.ID, f.Workspace).WithHint("list the budget changes with: assay budget-changes list")
	}
	f.Workspace = string(c.Workspace)
	return c.AsOf(con.now()), err
}

type budgetChangesShow struct {
	changeFlags
	JSON bool `name:"json" help:"Print JSON."`
}

// Run shows the change.
func (c *budgetChangesShow) Run(ctx context.Context, con *console) error {
	found, err := c.find(ctx, con)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(con.out, budgetChangeLineOf(found))
	}
	printChange(con.out, found)
	return nil
}

func printChange(w io.Writer, c control.BudgetChange) {
	t := newTable(w)
	for _, row := range []struct{ name, value string }{
		{"id", string(c.ID)},
		{"status", string(c.Status)},
		{"requested", c.At.UTC().Format(time.RFC3339) + " by " + c.Actor},
		{"campaign", fmt.Sprintf("%s %s, account %s, %s", ads.DisplayName(c.Platform), c.Campaign, c.Account, c.CampaignName)},
		{"budget", c.Budget},
		{"field", string(c.Field)},
		{"from", withUnits(c.Previous)},
		{"to", withUnits(c.New)},
		{"live value", withUnits(c.Live)},
		{"reason", c.Reason},
		{"problem", c.Problem},
		{"rejection", c.Rejection},
		{"platform's request", c.RequestID},
		{"decided by", c.ApprovedBy},
		{"rolls back", string(c.RollsBack)},
		{"rolled back by", string(c.RolledBackBy)},
		{"expected effect", c.Effect},
	} {
		if row.value != "" {
			t.AppendRow(table.Row{row.name, row.value})
		}
	}
	if !c.SettledAt.IsZero() {
		t.AppendRow(table.Row{"settled", c.SettledAt.UTC().Format(time.RFC3339)})
	}
	t.Render()
}

// withUnits formats a value with its platform units: "USD 50.00 (5000 in platform units)".
func withUnits(v control.ChangeValue) string {
	if v.Amount.Currency == "" {
		return v.Text
	}
	return fmt.Sprintf("%s (%s in platform units)", v.Amount, v.Text)
}

type budgetChangesRollback struct {
	changeFlags
	Reason string `placeholder:"R" help:"Reason, for the audit log."`
	Yes    bool   `help:"Confirm. Without this flag, the command prints a preview and asks for confirmation on a terminal."`
}

// Run rolls the change back. Without a confirmation it prints the preview.
func (c *budgetChangesRollback) Run(ctx context.Context, con *console) error {
	if _, err := c.find(ctx, con); err != nil {
		return err
	}
	in := operation.BudgetRollback{ID: c.ID, Reason: c.Reason}
	if !c.Yes {
		seen, err := c.run(ctx, con, in)
		if err != nil {
			return err
		}
		p := seen.Preview
		fmt.Fprintf(con.out, "Rollback of %s: %s of %s campaign %s from %s to %s.\n", c.ID, strings.ReplaceAll(string(p.Field), "_", " "),
			ads.DisplayName(p.Account.Platform), p.Campaign, p.Current, p.New)
		if v := p.Blocked(); v != nil {
			return fault.Conflict("the guardrail %s blocks the rollback: %s", v.Guardrail, v.Text).WithHint("nothing was changed")
		}
		if !confirmed(con, "Roll back the change?") {
			fmt.Fprintln(con.errs, "nothing was changed; repeat with --yes to confirm")
			return exitError(exitUsage)
		}
	}
	in.Confirm = true
	done, err := c.run(ctx, con, in)
	if err != nil {
		return err
	}
	return reportChange(con, done)
}

func (c *budgetChangesRollback) run(ctx context.Context, con *console, in operation.BudgetRollback) (budgetchange.Result, error) {
	return do(ctx, con, c.dataFlag, operation.RollBackBudgetChange, "budget-changes rollback", c.Workspace, in)
}

// confirmed asks the question on the terminal and reports whether the answer is y or yes. Without a terminal, it
// returns false.
func confirmed(con *console, question string) bool {
	if !isTerminal(os.Stdin) || !isTerminal(os.Stderr) {
		return false
	}
	fmt.Fprintf(con.errs, "%s [y/N] ", question)
	answer, err := bufio.NewReader(os.Stdin).ReadString('\n')
	return err == nil && slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(answer)))
}

// reportChange prints the outcome. A rejected change or an unknown outcome is an error.
func reportChange(con *console, r budgetchange.Result) error {
	switch {
	case r.Refusal != nil:
		return r.Refusal.Err()
	case r.Outcome == budgetchange.Unchanged:
		fmt.Fprintf(con.errs, "nothing was changed: the live value is already %s\n", r.Preview.New)
	case r.Change != nil:
		fmt.Fprintf(con.out, "%s\n", r.Change.ID)
		fmt.Fprintf(con.errs, "%s: %s of campaign %s from %s to %s\n", r.Outcome, strings.ReplaceAll(string(r.Change.Field), "_", " "),
			r.Change.Campaign, r.Change.Previous, r.Change.New)
	}
	return nil
}

type budgetChangesApprove struct {
	changeFlags
	As string `required:"" placeholder:"MEMBER" help:"Email address of the member who approves. Members cannot approve their own requests."`
}

// Run approves the change as a member. The approval executes the change.
func (c *budgetChangesApprove) Run(ctx context.Context, con *console) error {
	if _, err := c.find(ctx, con); err != nil {
		return err
	}
	done, err := do(ctx, con, c.dataFlag, operation.ApproveBudgetChange, "budget-changes approve", c.Workspace,
		operation.BudgetDecision{ID: c.ID, As: c.As})
	if err != nil {
		return err
	}
	return reportChange(con, done)
}

type budgetChangesReject struct {
	changeFlags
	As     string `required:"" placeholder:"MEMBER" help:"Email address of the member who rejects."`
	Reason string `placeholder:"R" help:"Reason, for the audit log."`
}

// Run rejects the change as a member.
func (c *budgetChangesReject) Run(ctx context.Context, con *console) error {
	if _, err := c.find(ctx, con); err != nil {
		return err
	}
	_, err := do(ctx, con, c.dataFlag, operation.RejectBudgetChange, "budget-changes reject", c.Workspace,
		operation.BudgetDecision{ID: c.ID, As: c.As, Reason: c.Reason})
	if err == nil {
		fmt.Fprintf(con.errs, "change %s is rejected\n", c.ID)
	}
	return err
}
