package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/jedib0t/go-pretty/v6/table"

	"assay/internal/fault"
	"assay/internal/operation"
	"assay/internal/warehouse"
)

type exportCommand struct {
	dataFlag
	Dir       string `arg:"" help:"Target directory; it must be new or empty."`
	Workspace string `required:"" placeholder:"W" help:"Workspace to export."`
	Format    string `default:"parquet" enum:"csv,parquet" placeholder:"parquet" help:"File format: csv or parquet."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

// Run exports a consistent snapshot of the tables and prints their row counts.
func (c *exportCommand) Run(ctx context.Context, con *console) error {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return fault.Invalid("folder %s: %v", c.Dir, err)
	}
	tables, err := do(ctx, con, c.dataFlag, operation.Export, "export", c.Workspace, operation.Folder{Dir: dir, Format: warehouse.ExportFormat(c.Format)})
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(con.out, tables)
	}
	t := newTable(con.out)
	t.AppendHeader(table.Row{"table", "file", "rows"})
	for _, one := range tables {
		t.AppendRow(table.Row{one.Table, one.File, one.Rows})
	}
	t.Render()
	fmt.Fprintf(con.errs, "Amounts are in minor units of the workspace currency. Times are UTC. Customers are keyed hashes.\n")
	return nil
}
