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
	Files        []string `arg:"" optional:"" name:"file" help:"Files to import; - is standard input. Gzip and Parquet are recognized."`
	Workspace    string   `placeholder:"W" help:"Workspace to import into."`
	Source       string   `default:"auto" placeholder:"auto" help:"Source of the files. Default: recognized from the header."`
	Channel      string   `placeholder:"C" help:"Channel of the data, if the files do not contain it."`
	Mapping      string   `placeholder:"M" help:"Column mapping for other files: a mapping file or the name of a saved mapping."`
	Currency     string   `placeholder:"USD" help:"Currency of amounts, if the files do not contain it. Default: the workspace currency."`
	Zone         string   `placeholder:"UTC" help:"Time zone of times without an offset. Default: the workspace time zone."`
	Latest       bool     `help:"Replace stored orders even if the files look older."`
	DryRun       bool     `help:"Read and report; store nothing."`
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
	files, remove, err := spoolInput(c.Files)
	if err != nil {
		return err
	}
	defer remove()
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
		Workspace: measure.WorkspaceID(c.Workspace), Files: files, Source: c.Source, Channel: measure.ParseChannel(c.Channel),
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

// print prints the report, also after a failure.
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

// spoolInput copies standard input, if it is named, to a temporary file that remove deletes.
func spoolInput(files []string) (paths []string, remove func(), err error) {
	remove = func() {}
	for i, file := range files {
		if file == "-" && slices.Contains(files[:i], "-") {
			remove()
			return nil, func() {}, fault.Invalid("standard input (-) is given twice")
		}
		if file != "-" {
			paths = append(paths, file)
			continue
		}
		spool, err := os.CreateTemp("", "assay-stdin-*")
		if err != nil {
			return nil, remove, fault.Unavailable("standard input cannot be copied to a temporary file").Wrap(err)
		}
		remove = func() { _ = os.Remove(spool.Name()) }
		_, err = io.Copy(spool, os.Stdin)
		if closing := spool.Close(); err == nil {
			err = closing
		}
		if err != nil {
			remove()
			return nil, func() {}, fault.Unavailable("standard input cannot be copied to a temporary file").Wrap(fmt.Errorf("%s: %w", spool.Name(), err))
		}
		paths = append(paths, spool.Name())
	}
	return paths, remove, nil
}
