package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"assay/internal/app"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/ingest"
	"assay/internal/ingest/mapper"
	"assay/internal/measure"
)

type mappingCommand struct {
	Save   mappingSave   `cmd:"" help:"Save a mapping; it replaces one of the same name."`
	List   mappingList   `cmd:"" help:"List a workspace's mappings."`
	Show   mappingShow   `cmd:"" help:"Print a mapping as it was saved."`
	Delete mappingDelete `cmd:"" help:"Delete a mapping. Imported data stays."`
}

type mappingSave struct {
	dataFlag
	File      string `arg:"" help:"YAML or JSON file with the mapping."`
	Workspace string `required:"" placeholder:"W" help:"Workspace of the mapping."`
}

// maxMapping is the maximum size of a mapping file in bytes.
const maxMapping = 256 << 10

// Run validates the mapping and saves it.
func (c *mappingSave) Run(ctx context.Context, con *console) error {
	text, err := os.ReadFile(c.File)
	if err != nil {
		return fault.Invalid("mapping %s cannot be read: %v", c.File, err)
	}
	if len(text) > maxMapping {
		return fault.Invalid("mapping %s is larger than %d kB", c.File, maxMapping>>10)
	}
	m, err := mapper.Parse(text)
	if err != nil {
		return fmt.Errorf("mapping %s: %w", c.File, err)
	}
	store, err := c.open(ctx, con, false)
	if err != nil {
		return err
	}
	defer store.Close()
	if err := c.keepable(ctx, store, m); err != nil {
		return err
	}
	err = store.Store.SaveMapping(ctx, control.Mapping{
		Workspace: measure.WorkspaceID(c.Workspace), Name: m.Name, Content: string(text), At: con.now(),
	}, control.By{Actor: "assay mapping save", At: con.now()})
	if err != nil {
		return err
	}
	fmt.Fprintln(con.out, m.Name)
	fmt.Fprintf(con.errs, "next: assay import FILE... --workspace %s --mapping %q\n", c.Workspace, m.Name)
	return nil
}

// keepable validates the mapping as the mapping page does, except that it may replace a mapping of the same name.
func (c *mappingSave) keepable(ctx context.Context, store *app.Control, m mapper.Mapping) error {
	all, err := store.Store.Mappings(ctx, measure.WorkspaceID(c.Workspace))
	if err != nil {
		return err
	}
	keeping := ingest.Keeping{Mapping: m}
	for _, other := range all {
		parsed, err := mapper.Parse([]byte(other.Content))
		if err != nil {
			parsed = mapper.Mapping{Name: other.Name} // saved by an earlier release; the list shows its problem
		}
		keeping.Kept = append(keeping.Kept, parsed)
		if other.Name == m.Name {
			keeping.Was = m.Name
		}
	}
	mistakes := keeping.Mistakes()
	if len(mistakes) == 0 {
		return nil
	}
	problems := make([]string, 0, len(mistakes))
	for _, each := range mistakes {
		problems = append(problems, each.At+": "+each.Text)
	}
	return fault.Invalid("mapping %q is invalid: %s", m.Name, strings.Join(problems, "; "))
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

// Run lists the mappings, including those of earlier releases that this release cannot use.
func (c *mappingList) Run(ctx context.Context, con *console) error {
	store, err := c.open(ctx, con, false)
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
	store, err := c.open(ctx, con, false)
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
	store, err := c.open(ctx, con, false)
	if err != nil {
		return err
	}
	defer store.Close()
	if err := store.Store.DeleteMapping(ctx, measure.WorkspaceID(c.Workspace), c.Name, control.By{Actor: "assay mapping delete", At: con.now()}); err != nil {
		return err
	}
	fmt.Fprintf(con.errs, "mapping %q is deleted\n", c.Name)
	return nil
}
