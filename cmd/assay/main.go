// Command assay runs the service, the demo and the command-line tools.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"
	_ "time/tzdata" // for machines without a time zone database

	"github.com/alecthomas/kong"

	"assay/internal/config"
	"assay/internal/fault"
)

// Exit codes. docs/operations.md lists them for scripts.
const (
	exitOK          = 0
	exitFailed      = 1   // a failure: disk, network, a defect
	exitUsage       = 2   // an invalid command, file or value
	exitNotReady    = 3   // a prerequisite is missing, or the result is not reportable
	exitRefused     = 4   // a missing, invalid or insufficient credential, or the rate limit
	exitToolError   = 5   // assay call: the tool returned an error
	exitInterrupted = 130 // interrupted by a signal
)

type commands struct {
	Demo          demoCommand          `cmd:"" help:"Create a demo store and serve it."`
	Serve         serveCommand         `cmd:"" help:"Run the service on a data directory."`
	Import        importCommands       `cmd:"" help:"Import exports of shops and ad platforms into a workspace."`
	Mapping       mappingCommand       `cmd:"" help:"Save, list, show and delete column mappings of a workspace."`
	Call          callCommand          `cmd:"" help:"Call a tool of a running service."`
	Keys          keysCommand          `cmd:"" help:"Create, list, revoke and rotate API keys."`
	Webhooks      webhooksCommand      `cmd:"" help:"Add, list and remove webhook secrets of Shopify stores."`
	Connections   connectionsCommand   `cmd:"" help:"Add, list, test and remove connections to ad accounts."`
	Workspace     workspaceCommand     `cmd:"" help:"Create, list and delete workspaces."`
	User          userCommand          `cmd:"" help:"Create and list user accounts, and reset passwords."`
	Customer      customerCommand      `cmd:"" help:"Forget a customer (privacy request)."`
	Targets       targetsCommand       `cmd:"" help:"List and remove targets."`
	Costs         costsCommand         `cmd:"" help:"Enter margins, fees and shipping costs; list, remove and import costs."`
	Annotations   annotationsCommand   `cmd:"" help:"List, add and remove annotations."`
	Reports       reportsCommand       `cmd:"" help:"List and remove saved reports."`
	Weekly        weeklyCommand        `cmd:"" help:"Show the weekly summary of a store and send it to members by email."`
	Alerts        alertsCommand        `cmd:"" help:"Add, list and remove alert rules and their destinations."`
	Export        exportCommand        `cmd:"" help:"Export all tables of a workspace to files."`
	History       historyCommand       `cmd:"" help:"Show restated days with their previous figures."`
	Audit         auditCommand         `cmd:"" help:"Show the audit log: sign-ins, changes and rejected requests."`
	Guardrails    guardrailsCommand    `cmd:"" help:"Show and set the guardrails for changes on ad platforms."`
	BudgetChanges budgetChangesCommand `cmd:"" help:"List, show, roll back, approve and reject changes on ad platforms."`
	Train         trainCommand         `cmd:"" help:"Train a model on the data of a workspace."`
	Jobs          jobsCommand          `cmd:"" help:"List and cancel imports, trainings and forecasts of a workspace."`
	Facts         factsCommands        `cmd:"" help:"Move the facts of a workspace between DuckDB and ClickHouse."`
	Backup        backupCommand        `cmd:"" help:"Back up the data directory to a folder, also while the service runs."`
	Restore       restoreCommand       `cmd:"" help:"Restore a backup into an empty data directory."`
	Control       controlCommand       `cmd:"" help:"Move the control data to PostgreSQL."`
	Doctor        doctorCommand        `cmd:"" help:"Check the data directory and report problems."`
	Lab           labCommand           `cmd:"" help:"Run a measurement method on a CSV file."`
	OpenAPI       openAPICommand       `cmd:"" name:"openapi" help:"Print the OpenAPI 3.1 document."`
	Version       versionCommand       `cmd:"" help:"Print the version."`

	ShowVersion versionFlag `name:"version" help:"Print the version."`
}

// console is the output of a command: results go to out, everything else to errs.
type console struct {
	out  io.Writer
	errs io.Writer
	now  func() time.Time
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process immediately
	code := run(ctx, os.Args[1:], &console{out: os.Stdout, errs: os.Stderr, now: time.Now})
	stop()
	os.Exit(code)
}

// run parses the arguments, runs the command and returns the exit code.
func run(ctx context.Context, args []string, con *console) int {
	syscall.Umask(0o077) // only this user can read new files, including files of the database engines
	var cmds commands
	exited := -1
	parser, err := kong.New(&cmds,
		kong.Name("assay"),
		kong.Description("Assay measures the effect of marketing on the sales of an online store.\n\nStart with: assay demo"),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Writers(con.out, con.errs),
		kong.Exit(func(code int) { exited = code }),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(con),
		kong.Vars{"version": versionLine()},
	)
	if err != nil {
		fmt.Fprintln(con.errs, "assay:", err)
		return exitFailed
	}
	parsed, err := parser.Parse(helpArguments(args))
	if exited >= 0 {
		return exited
	}
	if err != nil {
		fmt.Fprintf(con.errs, "assay: %v\nhint: assay --help lists the commands, assay COMMAND --help its flags\n", err)
		return exitUsage
	}
	for _, unknown := range config.UnknownVariables(os.Environ(), variables(parser.Model.Node)...) {
		fmt.Fprintf(con.errs, "assay: %s\n", unknown)
	}
	return report(ctx, con, parsed.Run())
}

// helpArguments turns "help COMMAND" into "COMMAND --help".
func helpArguments(args []string) []string {
	if len(args) > 0 && args[0] == "help" {
		return append(slices.Clone(args[1:]), "--help")
	}
	return args
}

// variables returns the environment variables that set flags of a command and of its subcommands.
func variables(n *kong.Node) (names []string) {
	for _, f := range n.Flags {
		names = append(names, f.Envs...)
	}
	for _, below := range n.Children {
		names = append(names, variables(below)...)
	}
	return names
}

// report prints an error with its hint and returns the exit code of its kind.
func report(ctx context.Context, con *console, err error) int {
	if err == nil {
		return exitOK
	}
	if silent, ok := errors.AsType[exitError](err); ok {
		return int(silent)
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		fmt.Fprintln(con.errs, "assay: interrupted")
		return exitInterrupted
	}
	fmt.Fprintf(con.errs, "assay: %v\n", err)
	if _, hint, ok := fault.Public(err); ok && hint != "" {
		fmt.Fprintf(con.errs, "hint: %s\n", hint)
	}
	switch fault.KindOf(err) {
	case fault.KindInvalid, fault.KindNotFound, fault.KindConflict, fault.KindMisconfigured:
		return exitUsage
	case fault.KindNotReady:
		return exitNotReady
	case fault.KindUnauthenticated, fault.KindForbidden, fault.KindRateLimited:
		return exitRefused
	case fault.KindUnavailable, fault.KindInternal:
		return exitFailed
	}
	return exitFailed
}

// exitError ends a command that has already printed its message.
type exitError int

// Error returns the code as text.
func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }
