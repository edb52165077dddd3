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
	"assay/internal/operation"
)

type importCommand struct {
	dataFlag
	Files        []string `arg:"" optional:"" name:"file" help:"Files to import; - is standard input. Gzip and Parquet are recognized."`
	Workspace    string   `placeholder:"W" help:"Workspace to import into."`
	Source       string   `default:"auto" placeholder:"auto" help:"Source of the files. Default: recognized from the header."`
	Channel      string   `placeholder:"C" help:"Channel of the data, if the files do not contain it."`
	Mapping      string   `placeholder:"M" help:"Column mapping for other files: a mapping file or the name of a saved mapping."`
	Currency     string   `placeholder:"USD" help:"Currency of amounts, if the files do not contain it. Default: the workspace currency."`
	Zone         string   `placeholder:"UTC" help:"Time zone of times without an offset. Default: the workspace time zone."`
	Dates        string   `placeholder:"DD/MM/YYYY" help:"Order of day and month in dates such as 03/04/2026: DD/MM/YYYY or MM/DD/YYYY. Default: detected from unambiguous dates."`
	Latest       bool     `help:"Replace stored orders even if the files look older."`
	DryRun       bool     `help:"Read and report only: store nothing."`
	SkipRejected bool     `help:"Skip invalid rows instead of rejecting the file."`
	Template     string   `placeholder:"NAME" help:"Print a template file of the source; import nothing."`
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
	text.WriteString("\nassay import --template NAME prints a template. docs/importing.md lists the columns of all sources.")
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
		return fault.Invalid("no file is given").WithHint("name the files to import, or - for standard input")
	}
	if first := slices.Index(c.Files, app.StandardInput); first >= 0 && slices.Contains(c.Files[first+1:], app.StandardInput) {
		return fault.Invalid("standard input is named twice")
	}
	settings, err := c.settings()
	if err != nil {
		return err
	}
	bar := newProgress(con.errs, "importing")
	call := operation.Call{Workspace: measure.WorkspaceID(c.Workspace), Caller: operation.Operator("assay import"), Progress: bar.set}
	result, err := app.ImportFiles(ctx, settings, call, operation.Import{
		Paths: c.Files, Source: c.Source, Channel: measure.Channel(c.Channel), MappingName: c.Mapping, Currency: money.Currency(c.Currency),
		Zone: c.Zone, Dates: c.Dates, Latest: c.Latest, DryRun: c.DryRun, SkipRejected: c.SkipRejected,
	}, os.Stdin, con.now)
	bar.end()
	failure := cmp.Or(err, result.Err())
	if failure != nil && !c.JSON {
		result.Report = withoutErrors(result.Report)
	}
	if err := c.print(con, result.Report); err != nil {
		return err
	}
	return failure
}

// withoutErrors removes what the message on standard error repeats: each file's problem and, for a single file, its
// hint.
func withoutErrors(r ingest.Report) ingest.Report {
	r.Files = slices.Clone(r.Files)
	for i := range r.Files {
		r.Files[i].Problem = ""
		if len(r.Files) == 1 {
			r.Files[i].Hint = ""
		}
	}
	return r
}

func (c *importCommand) printTemplate(con *console) error {
	content, err := ingest.Template(c.Template)
	if err != nil {
		return err
	}
	_, err = con.out.Write(content)
	return err
}

// print prints the report, even after a failure.
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
