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
)

type workspaceCommand struct {
	Create workspaceCreate `cmd:"" help:"Make a workspace for a store."`
	List   workspaceList   `cmd:"" help:"List workspaces."`
	Delete workspaceDelete `cmd:"" help:"Delete a workspace with its facts and keys."`
}

type workspaceCreate struct {
	dataFlag
	Name            string `arg:"" help:"Name of the store. The workspace's id is made of it."`
	Currency        string `default:"USD" placeholder:"USD" help:"Currency that figures are given in."`
	Timezone        string `default:"UTC" placeholder:"UTC" help:"The store's zone: a day begins at its midnight. An IANA name."`
	WithoutTax      bool   `help:"Count revenue without tax."`
	WithoutShipping bool   `help:"Count revenue without shipping."`
	NetOfRefunds    bool   `help:"Take refunds off revenue."`
	RateLimit       int    `placeholder:"N" help:"Calls a minute. Default: by the volume of orders."`
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

// Run makes the workspace.
func (c *workspaceCreate) Run(ctx context.Context, con *console) error {
	store, err := c.open(ctx, con, true)
	if err != nil {
		return err
	}
	defer store.Close()
	w := control.NewWorkspace(c.Name)
	w.Currency, w.Zone, w.RatePerMin = money.Currency(c.Currency), c.Timezone, c.RateLimit
	w.Basis = measure.RevenueBasis{WithoutTax: c.WithoutTax, WithoutShipping: c.WithoutShipping, NetOfRefunds: c.NetOfRefunds}
	w, err = store.Store.CreateWorkspace(ctx, w, control.By{Actor: "assay workspace create", At: con.now()})
	if err != nil {
		return err
	}
	settings, err := c.settings()
	if err != nil {
		return err
	}
	if err := app.ClearFacts(ctx, settings, w.ID, con.now); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(con.out, lineOf(w))
	}
	fmt.Fprintln(con.out, w.ID)
	fmt.Fprintf(con.errs, "workspace %s: figures in %s, days of %s\nnext: assay import FILE... --workspace %s\n", w.ID, w.Currency, w.Zone, w.ID)
	return nil
}

type workspaceList struct {
	dataFlag
	JSON bool `name:"json" help:"Print JSON."`
}

// Run lists the workspaces.
func (c *workspaceList) Run(ctx context.Context, con *console) error {
	store, err := c.open(ctx, con, false)
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
		fmt.Fprintln(con.errs, "no workspaces; make one with: assay workspace create NAME")
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
	ID  string `arg:"" help:"Id of the workspace."`
	Yes bool   `help:"Delete without asking. The facts cannot be had back."`
}

// Run deletes the workspace, its keys and its facts.
func (c *workspaceDelete) Run(ctx context.Context, con *console) error {
	if !c.Yes {
		return fault.Invalid("deleting workspace %s removes its facts and keys for good", c.ID).WithHint("repeat with --yes if that is meant")
	}
	store, err := c.open(ctx, con, false)
	if err != nil {
		return err
	}
	defer store.Close()
	id := measure.WorkspaceID(c.ID)
	if _, err := store.Store.Workspace(ctx, id); err != nil {
		return err
	}
	settings, err := c.settings()
	if err != nil {
		return err
	}
	if err := app.DeleteWorkspace(ctx, settings, id, "assay workspace delete", con.now); err != nil {
		return err
	}
	fmt.Fprintf(con.errs, "workspace %s is deleted\n", c.ID)
	return nil
}
