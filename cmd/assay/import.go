package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"assay/internal/app"
	"assay/internal/fault"
	"assay/internal/ingest"
	"assay/internal/measure"
	"assay/internal/money"
)

type importCommand struct {
	dataFlag
	Files        []string `arg:"" optional:"" name:"file" help:"Exports to read; - is standard input. Gzip and Parquet are recognised."`
	Workspace    string   `placeholder:"W" help:"Workspace that the facts are for."`
	Source       string   `default:"auto" placeholder:"auto" help:"What the files are. By default their headers tell."`
	Channel      string   `placeholder:"C" help:"Channel the files are about, where they do not tell."`
	Mapping      string   `placeholder:"M" help:"Mapping of columns, for files that no reader knows: a file, or the name of one that the workspace keeps."`
	Currency     string   `placeholder:"USD" help:"Currency of amounts, where the files do not tell. Default: the workspace's."`
	Zone         string   `placeholder:"UTC" help:"Zone of times, where the files do not tell. Default: the workspace's."`
	Latest       bool     `help:"Take the files' orders as newer than what the store has, even where they look older."`
	DryRun       bool     `help:"Read everything, report, keep nothing."`
	SkipRejected bool     `help:"Import a file without the rows that cannot be used, instead of refusing it."`
	Template     string   `placeholder:"NAME" help:"Print a table that the source reads, and import nothing."`
	JSON         bool     `name:"json" help:"Print the report as JSON."`
}

// Help lists the sources.
func (*importCommand) Help() string { return sourcesHelp() }

func sourcesHelp() string {
	var text strings.Builder
	text.WriteString("Sources:\n\n")
	for _, d := range ingest.Catalogue() {
		fmt.Fprintf(&text, "  %-22s %s\n", d.Name, d.Title)
	}
	text.WriteString("\nassay import --template NAME prints the columns of one. docs/importing.md has them all.")
	return text.String()
}

// Run imports the files and prints the report.
func (c *importCommand) Run(ctx context.Context, con *console) error {
	switch {
	case c.Template != "":
		return c.printTemplate(con)
	case c.Workspace == "":
		return fault.Invalid("--workspace is missing").WithHint("assay workspace list shows the workspaces")
	case len(c.Files) == 0:
		return fault.Invalid("no file is named").WithHint("name exports to read, or - for standard input")
	}
	if first := slices.Index(c.Files, app.StandardInput); first >= 0 && slices.Contains(c.Files[first+1:], app.StandardInput) {
		return fault.Invalid("standard input is named twice")
	}
	settings, err := c.settings()
	if err != nil {
		return err
	}
	var currency money.Currency
	if c.Currency != "" {
		if currency, err = money.ParseCurrency(c.Currency); err != nil {
			return fault.Invalid("currency: %v", err)
		}
	}
	bar := newProgress(con.errs, "importing")
	result, err := app.ImportFiles(ctx, settings, app.ImportRequest{
		Workspace: measure.WorkspaceID(c.Workspace), Files: c.Files, Input: os.Stdin, Source: c.Source, Channel: measure.ParseChannel(c.Channel),
		Mapping: c.Mapping, Currency: currency, Zone: c.Zone, Latest: c.Latest, DryRun: c.DryRun, SkipRejected: c.SkipRejected,
	}, bar.set, con.now)
	bar.end()
	if err := c.print(con, result.Report); err != nil {
		return err
	}
	return cmp.Or(err, result.Err())
}

func (c *importCommand) printTemplate(con *console) error {
	content, err := ingest.Template(c.Template)
	if err != nil {
		return err
	}
	_, err = con.out.Write(content)
	return err
}

// print shows what was done, also when the work ended half-way.
func (c *importCommand) print(con *console, report ingest.Report) error {
	if len(report.Files) == 0 {
		return nil
	}
	if c.JSON {
		return printJSON(con.out, report)
	}
	_, err := io.WriteString(con.out, report.Text())
	return err
}
