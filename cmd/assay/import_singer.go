package main

import (
	"context"
	"io"
	"os"

	"assay/internal/app"
	"assay/internal/measure"
)

// importCommands are the ways to import. Files are what comes without another word.
type importCommands struct {
	Files  importCommand `cmd:"" name:"files" default:"withargs" help:"Read exports of shops and ad platforms into a workspace."`
	Singer importSinger  `cmd:"" help:"Read the messages of a Singer tap from standard input."`
}

// Help lists the sources of files, which come without another word.
func (importCommands) Help() string {
	return "assay import FILE... --workspace W reads files; assay import files --help has its flags.\n\n" + sourcesHelp()
}

type importSinger struct {
	dataFlag
	Workspace    string `required:"" placeholder:"W" help:"Workspace that the facts are for."`
	DryRun       bool   `help:"Read everything, report, keep nothing and print no state."`
	SkipRejected bool   `help:"Go on after records that cannot be used, instead of ending."`
	JSON         bool   `name:"json" help:"Print the report as JSON."`
}

// Run takes the messages. Standard output gets a state once everything before it is kept, standard error the report.
func (c *importSinger) Run(ctx context.Context, con *console) error {
	settings, err := c.settings()
	if err != nil {
		return err
	}
	report, err := app.ImportSinger(ctx, settings, app.SingerRequest{
		Workspace: measure.WorkspaceID(c.Workspace), DryRun: c.DryRun, SkipRejected: c.SkipRejected,
	}, os.Stdin, func(state []byte) error {
		_, err := con.out.Write(append(state, '\n'))
		return err
	}, con.now)
	if report.Lines == 0 {
		return err
	}
	if c.JSON {
		if printing := printJSON(con.errs, report); printing != nil {
			return printing
		}
		return err
	}
	if _, writing := io.WriteString(con.errs, report.Text()); writing != nil {
		return writing
	}
	return err
}
