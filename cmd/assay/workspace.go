package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"assay/internal/app"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/operation"
)

type workspaceCommand struct {
	Create workspaceCreate `cmd:"" help:"Create a workspace for a store."`
	List   workspaceList   `cmd:"" help:"List workspaces."`
	Delete workspaceDelete `cmd:"" help:"Delete a workspace with its data and keys."`
}

type workspaceCreate struct {
	dataFlag
	Name            string `arg:"" help:"Name of the store. The workspace ID is derived from it."`
	Currency        string `default:"USD" placeholder:"USD" help:"Reporting currency."`
	Timezone        string `default:"UTC" placeholder:"UTC" help:"Time zone of the store (IANA name). Days begin at midnight in this time zone."`
	WithoutTax      bool   `help:"Exclude tax from revenue."`
	WithoutShipping bool   `help:"Exclude shipping from revenue."`
	NetOfRefunds    bool   `help:"Subtract refunds from revenue."`
	RateLimit       int    `placeholder:"N" help:"Requests per minute. Default: by order volume."`
	JSON            bool   `name:"json" help:"Print JSON."`
}

type workspaceLine struct {
	ID        measure.WorkspaceID  `json:"id"`
	Name      string               `json:"name"`
	Currency  money.Currency       `json:"currency"`
	Timezone  string               `json:"timezone"`
	Basis     measure.RevenueBasis `json:"revenue_basis"`
	RateLimit int                  `json:"rate_limit,omitempty"`
	CreatedAt *time.Time           `json:"created_at"`
}

func lineOf(w control.Workspace) workspaceLine {
	return workspaceLine{
		ID: w.ID, Name: w.Name, Currency: w.Currency, Timezone: w.Zone, Basis: w.Basis, RateLimit: w.RatePerMin, CreatedAt: instant(w.CreatedAt),
	}
}

// Run creates the workspace.
func (c *workspaceCreate) Run(ctx context.Context, con *console) error {
	w := control.NewWorkspace(c.Name)
	w.Currency, w.Zone, w.RatePerMin = money.Currency(c.Currency), c.Timezone, c.RateLimit
	w.Basis = measure.RevenueBasis{WithoutTax: c.WithoutTax, WithoutShipping: c.WithoutShipping, NetOfRefunds: c.NetOfRefunds}
	w, err := do(ctx, con, c.dataFlag, operation.CreateWorkspace, "workspace create", "", w)
	if err != nil {
		return err
	}
	settings, err := c.settings()
	if err != nil {
		return err
	}
	if err := app.ClearFacts(ctx, settings, w.ID, operation.Operator("assay workspace create"), con.now); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(con.out, lineOf(w))
	}
	fmt.Fprintln(con.out, w.ID)
	fmt.Fprintf(con.errs, "workspace %s: currency %s, time zone %s\nnext: assay import FILE... --workspace %s\n", w.ID, w.Currency, w.Zone, w.ID)
	return nil
}

type workspaceList struct {
	dataFlag
	JSON bool `name:"json" help:"Print JSON."`
}

// Run lists the workspaces.
func (c *workspaceList) Run(ctx context.Context, con *console) error {
	store, err := c.open(ctx, con)
	if err != nil {
		return err
	}
	defer store.Close()
	all, err := store.Store.Workspaces(ctx)
	if err != nil {
		return err
	}
	lines := make([]workspaceLine, 0, len(all))
	for _, w := range all {
		lines = append(lines, lineOf(w))
	}
	if c.JSON {
		return printJSON(con.out, lines)
	}
	if len(lines) == 0 {
		fmt.Fprintln(con.errs, "no workspaces; create one with: assay workspace create NAME")
		return nil
	}
	t := newTable(con.out)
	t.AppendHeader(table.Row{"id", "name", "currency", "timezone", "created"})
	for i, l := range lines {
		t.AppendRow(table.Row{l.ID, l.Name, l.Currency, l.Timezone, orNever(all[i].CreatedAt)})
	}
	t.Render()
	return nil
}

type workspaceDelete struct {
	dataFlag
	ID  string `arg:"" help:"ID of the workspace."`
	Yes bool   `help:"Confirm. You cannot undo the deletion."`
}

// Run deletes the workspace, its keys and its data.
func (c *workspaceDelete) Run(ctx context.Context, con *console) error {
	if !c.Yes {
		return fault.Invalid("deleting workspace %s removes its data and keys permanently", c.ID).WithHint("repeat with --yes to confirm")
	}
	if _, err := do(ctx, con, c.dataFlag, operation.DeleteWorkspace, "workspace delete", c.ID, operation.None{}); err != nil {
		return err
	}
	fmt.Fprintf(con.errs, "workspace %s is deleted\n", c.ID)
	return nil
}
