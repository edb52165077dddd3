package main

import (
	"context"
	"io"
	"os"

	"assay/internal/app"
	"assay/internal/measure"
	"assay/internal/operation"
)

// importCommands are the subcommands of import. The default subcommand imports files.
type importCommands struct {
	Files  importCommand `cmd:"" name:"files" default:"withargs" help:"Import exports of shops and ad platforms into a workspace."`
	Singer importSinger  `cmd:"" help:"Import the messages of a Singer tap from standard input."`
}

// Help lists the sources of files, which the default command imports.
func (importCommands) Help() string {
	return "assay import FILE... --workspace W imports files. assay import files --help lists its flags.\n\n" + sourcesHelp()
}

type importSinger struct {
	dataFlag
	Workspace    string `required:"" placeholder:"W" help:"Workspace to import into."`
	DryRun       bool   `help:"Read and report only: store nothing and print no state."`
	SkipRejected bool   `help:"Skip invalid records instead of stopping."`
	JSON         bool   `name:"json" help:"Print the report as JSON."`
}

// Run imports the messages from standard input. It prints a state on standard output once all records before the state
// are stored. It prints the report on standard error.
func (c *importSinger) Run(ctx context.Context, con *console) error {
	settings, err := c.settings()
	if err != nil {
		return err
	}
	call := operation.Call{Workspace: measure.WorkspaceID(c.Workspace), Caller: operation.Operator("assay import singer")}
	report, err := app.ImportSinger(ctx, settings, call, operation.Stream{
		Messages: os.Stdin, DryRun: c.DryRun, SkipRejected: c.SkipRejected,
		Emit: func(state []byte) error {
			_, err := con.out.Write(append(state, '\n'))
			return err
		},
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
