package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"assay/internal/fault"
	"assay/internal/ingest/mapper"
	"assay/internal/measure"
	"assay/internal/operation"
)

type mappingCommand struct {
	Save   mappingSave   `cmd:"" help:"Save a mapping. An existing mapping with the same name is replaced."`
	List   mappingList   `cmd:"" help:"List a workspace's mappings."`
	Show   mappingShow   `cmd:"" help:"Print a mapping as it was saved."`
	Delete mappingDelete `cmd:"" help:"Delete a mapping. Imported data remain."`
}

type mappingSave struct {
	dataFlag
	File      string `arg:"" help:"YAML or JSON file with the mapping."`
	Workspace string `required:"" placeholder:"W" help:"Workspace of the mapping."`
}

// Run validates the mapping and saves it.
func (c *mappingSave) Run(ctx context.Context, con *console) error {
	text, err := os.ReadFile(c.File)
	if err != nil {
		return fault.Invalid("mapping %s cannot be read: %v", c.File, err)
	}
	name, err := do(ctx, con, c.dataFlag, operation.SaveMapping, "mapping save", c.Workspace, string(text))
	if err != nil {
		return fmt.Errorf("mapping %s: %w", c.File, err)
	}
	fmt.Fprintln(con.out, name)
	fmt.Fprintf(con.errs, "next: assay import FILE... --workspace %s --mapping %q\n", c.Workspace, name)
	return nil
}

type mappingList struct {
	dataFlag
	Workspace string `required:"" placeholder:"W" help:"Workspace of the mappings."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

type mappingLine struct {
	Name    string      `json:"name"`
	Kind    mapper.Kind `json:"kind,omitempty"`
	At      time.Time   `json:"saved_at"`
	Problem string      `json:"problem,omitempty"` // why this release cannot use it
}

// Run lists the mappings, including mappings of earlier releases that this release cannot use.
func (c *mappingList) Run(ctx context.Context, con *console) error {
	store, err := c.open(ctx, con)
	if err != nil {
		return err
	}
	defer store.Close()
	id := measure.WorkspaceID(c.Workspace)
	if _, err := store.Store.Workspace(ctx, id); err != nil {
		return err
	}
	all, err := store.Store.Mappings(ctx, id)
	if err != nil {
		return err
	}
	lines := make([]mappingLine, 0, len(all))
	for _, kept := range all {
		line := mappingLine{Name: kept.Name, At: kept.At.UTC()}
		m, err := mapper.Parse([]byte(kept.Content))
		if err != nil {
			line.Problem = err.Error()
		}
		line.Kind = m.Kind
		lines = append(lines, line)
	}
	if c.JSON {
		return printJSON(con.out, lines)
	}
	if len(lines) == 0 {
		fmt.Fprintln(con.errs, "no mappings; save one with: assay mapping save FILE --workspace "+c.Workspace)
		return nil
	}
	t := newTable(con.out)
	t.AppendHeader(table.Row{"name", "kind", "saved"})
	for _, l := range lines {
		t.AppendRow(table.Row{l.Name, l.Kind, orNever(l.At)})
	}
	t.Render()
	for _, l := range lines {
		if l.Problem != "" {
			fmt.Fprintf(con.errs, "%s cannot be used: %s\nnext: assay mapping show %q --workspace %s, correct it and save it again\n", l.Name, l.Problem, l.Name, c.Workspace)
		}
	}
	return nil
}

type mappingShow struct {
	dataFlag
	Name      string `arg:"" help:"Name of the mapping."`
	Workspace string `required:"" placeholder:"W" help:"Workspace of the mapping."`
}

// Run prints the mapping.
func (c *mappingShow) Run(ctx context.Context, con *console) error {
	store, err := c.open(ctx, con)
	if err != nil {
		return err
	}
	defer store.Close()
	m, err := store.Store.Mapping(ctx, measure.WorkspaceID(c.Workspace), c.Name)
	if err != nil {
		return err
	}
	_, err = io.WriteString(con.out, m.Content)
	return err
}

type mappingDelete struct {
	dataFlag
	Name      string `arg:"" help:"Name of the mapping."`
	Workspace string `required:"" placeholder:"W" help:"Workspace of the mapping."`
}

// Run deletes the mapping.
func (c *mappingDelete) Run(ctx context.Context, con *console) error {
	if _, err := do(ctx, con, c.dataFlag, operation.DeleteMapping, "mapping delete", c.Workspace, c.Name); err != nil {
		return err
	}
	fmt.Fprintf(con.errs, "mapping %q is deleted\n", c.Name)
	return nil
}
