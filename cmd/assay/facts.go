package main

import (
	"context"
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"

	"assay/internal/app"
	"assay/internal/measure"
)

type factsCommands struct {
	Move factsMoveCommand `cmd:"" help:"Copy the facts of a workspace to the other engine, compare the totals of all tables by day, then switch. Requires the setting facts_url. Stop the service on all nodes first."`
}

type factsMoveCommand struct {
	dataFlag
	Workspace string `required:"" placeholder:"W" help:"Workspace of the facts."`
	To        string `required:"" enum:"duckdb,clickhouse" placeholder:"ENGINE" help:"duckdb or clickhouse."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

// Run moves the facts and prints the tables that have rows.
func (c *factsMoveCommand) Run(ctx context.Context, con *console) error {
	settings, err := c.settings()
	if err != nil {
		return err
	}
	moved, err := app.MoveFacts(ctx, settings, logger(con, settings), con.now, measure.WorkspaceID(c.Workspace), c.To)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(con.out, moved)
	}
	t := newTable(con.out)
	t.AppendHeader(table.Row{"table", "rows", "totals by day"})
	for _, of := range moved.Tables {
		if of.Rows > 0 {
			t.AppendRow(table.Row{of.Table, of.Rows, "equal"})
		}
	}
	t.Render()
	fmt.Fprintf(con.out, "the facts of %s are now in %s\n", moved.Workspace, moved.To)
	if moved.Kept != "" {
		fmt.Fprintf(con.errs, "Assay no longer uses the file %s: check the answers, then remove the file\n", moved.Kept)
	}
	return nil
}
