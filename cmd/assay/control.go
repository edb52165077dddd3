package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/jedib0t/go-pretty/v6/table"

	"assay/internal/app"
	"assay/internal/datadir"
)

type controlCommand struct {
	Move controlMove `cmd:"" help:"Copy the control data from SQLite to an empty PostgreSQL database, and compare both."`
}

type controlMove struct {
	dataFlag
	To   string `required:"" env:"ASSAY_CONTROL_URL" placeholder:"URL" help:"PostgreSQL database: postgres://user:password@host:port/database. Prefer ASSAY_CONTROL_URL: arguments are visible to other users."`
	JSON bool   `name:"json" help:"Print JSON."`
}

// Run copies the control data. The service must not be running.
func (c *controlMove) Run(ctx context.Context, con *console) error {
	settings, err := c.settings()
	if err != nil {
		return err
	}
	moved, err := app.MoveControl(ctx, settings, c.To, con.now)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(con.out, moved)
	}
	t := newTable(con.out)
	t.AppendHeader(table.Row{"table", "rows", "checksum", "copy"})
	for _, m := range moved {
		t.AppendRow(table.Row{m.Table, m.Rows, m.Checksum, "equal"})
	}
	t.Render()
	fmt.Fprintf(con.errs, `%d tables are equal in SQLite and PostgreSQL. Next:
  1. set control_url (ASSAY_CONTROL_URL) for the service and for all commands
  2. start the service and check it: assay doctor --data %s
  3. move %s to a safe place: Assay no longer reads this file
`, len(moved), quotedArgument(c.Data), quotedArgument(filepath.Join(c.Data, datadir.Control)))
	return nil
}
