package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"assay/internal/app"
	"assay/internal/fault"
	"assay/internal/ingest"
	"assay/internal/measure"
)

type importCommand struct {
	dataFlag
	Files        []string `arg:"" name:"file" help:"Exports to read; - is standard input. Gzip is recognised."`
	Workspace    string   `required:"" placeholder:"W" help:"Workspace that the facts are for."`
	Source       string   `default:"auto" placeholder:"auto" help:"What the files are. By default their headers tell."`
	Channel      string   `placeholder:"C" help:"Channel the files are about, where they do not tell."`
	Mapping      string   `placeholder:"FILE" help:"Mapping of columns, for files that no reader knows."`
	DryRun       bool     `help:"Read everything, report, keep nothing."`
	SkipRejected bool     `help:"Import a file without the rows that cannot be used, instead of refusing it."`
	JSON         bool     `name:"json" help:"Print the report as JSON."`
}

// Run imports the files and prints the report.
func (c *importCommand) Run(ctx context.Context, con *console) error {
	files, remove, err := spoolInput(c.Files)
	if err != nil {
		return err
	}
	defer remove()
	settings, err := c.settings()
	if err != nil {
		return err
	}
	bar := newProgress(con.errs, "importing")
	result, err := app.ImportFiles(ctx, settings, app.ImportRequest{
		Workspace: measure.WorkspaceID(c.Workspace), Files: files, Source: c.Source, Channel: measure.ParseChannel(c.Channel),
		Mapping: c.Mapping, DryRun: c.DryRun, SkipRejected: c.SkipRejected,
	}, bar.set, con.now)
	bar.end()
	if err := c.print(con, result.Report); err != nil {
		return err
	}
	return cmp.Or(err, result.Err())
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

// spoolInput puts standard input, where it is named, into a temporary file that remove deletes.
func spoolInput(files []string) (paths []string, remove func(), err error) {
	remove = func() {}
	for i, file := range files {
		if file == "-" && slices.Contains(files[:i], "-") {
			remove()
			return nil, func() {}, fault.Invalid("standard input is named twice")
		}
		if file != "-" {
			paths = append(paths, file)
			continue
		}
		spool, err := os.CreateTemp("", "assay-stdin-*")
		if err != nil {
			return nil, remove, fault.Unavailable("standard input cannot be kept").Wrap(err)
		}
		remove = func() { _ = os.Remove(spool.Name()) }
		_, err = io.Copy(spool, os.Stdin)
		if closing := spool.Close(); err == nil {
			err = closing
		}
		if err != nil {
			remove()
			return nil, func() {}, fault.Unavailable("standard input cannot be kept").Wrap(fmt.Errorf("%s: %w", spool.Name(), err))
		}
		paths = append(paths, spool.Name())
	}
	return paths, remove, nil
}
