// Command assay is the service, its demo and its tools for the terminal.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
	_ "time/tzdata" // zones are known on machines without a zone database

	"github.com/alecthomas/kong"

	"assay/internal/config"
	"assay/internal/fault"
)

// Exit codes. docs/operations.md lists them for scripts.
const (
	exitOK          = 0
	exitFailed      = 1   // something does not work: disk, network, a defect
	exitUsage       = 2   // the command, a file or a value cannot be accepted
	exitNotReady    = 3   // something has to be made first, or a result is not reportable
	exitRefused     = 4   // no credential, a wrong one, or one that may not do this
	exitToolError   = 5   // the tool that was called answers with an error
	exitInterrupted = 130 // ended by a signal
)

type commands struct {
	Demo      demoCommand      `cmd:"" help:"Make a demo store and serve it."`
	Serve     serveCommand     `cmd:"" help:"Serve the stores of a data directory."`
	Import    importCommands   `cmd:"" help:"Read exports of shops and ad platforms into a workspace."`
	Mapping   mappingCommand   `cmd:"" help:"Keep mappings of files' columns for a workspace."`
	Call      callCommand      `cmd:"" help:"Call a tool of a running service."`
	Keys      keysCommand      `cmd:"" help:"Create, list, revoke and rotate API keys."`
	Webhooks  webhooksCommand  `cmd:"" help:"Add, list and remove the secrets of Shopify webhooks."`
	Workspace workspaceCommand `cmd:"" help:"Create, list and delete workspaces."`
	User      userCommand      `cmd:"" help:"Make accounts for people, list them, reset passwords."`
	Customer  customerCommand  `cmd:"" help:"Forget a customer of the store."`
	Targets   targetsCommand   `cmd:"" help:"List and remove targets."`
	Export    exportCommand    `cmd:"" help:"Write every table of a workspace to files."`
	History   historyCommand   `cmd:"" help:"Show which days changed after they were shown, and what they were before."`
	Audit     auditCommand     `cmd:"" help:"Show the security log: who signed in, and what was allowed, changed and refused."`
	Train     trainCommand     `cmd:"" help:"Train a model on a workspace's facts."`
	Doctor    doctorCommand    `cmd:"" help:"Check the data directory and say what is wrong."`
	Lab       labCommand       `cmd:"" help:"Run a method of measurement on a CSV file."`
	OpenAPI   openAPICommand   `cmd:"" name:"openapi" help:"Print the OpenAPI 3.1 contract."`
	Version   versionCommand   `cmd:"" help:"Print the version."`
}

// console is where a command speaks: results to out, everything else to errs.
type console struct {
	out  io.Writer
	errs io.Writer
	now  func() time.Time
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	code := run(ctx, os.Args[1:], &console{out: os.Stdout, errs: os.Stderr, now: time.Now})
	stop()
	os.Exit(code)
}

// run parses the arguments and runs the command they name. It returns the exit code.
func run(ctx context.Context, args []string, con *console) int {
	syscall.Umask(0o077) // whatever writes a file, the database engines too: only this user may read it
	var cmds commands
	exited := -1
	parser, err := kong.New(&cmds,
		kong.Name("assay"),
		kong.Description("Assay measures what marketing does for an online store.\n\nStart with: assay demo"),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Writers(con.out, con.errs),
		kong.Exit(func(code int) { exited = code }),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(con),
	)
	if err != nil {
		fmt.Fprintln(con.errs, "assay:", err)
		return exitFailed
	}
	parsed, err := parser.Parse(args)
	if exited >= 0 {
		return exited
	}
	if err != nil {
		fmt.Fprintf(con.errs, "assay: %v\nhint: assay --help lists the commands, assay COMMAND --help its flags\n", err)
		return exitUsage
	}
	for _, strange := range config.Strangers(os.Environ(), variables(parser.Model.Node)...) {
		fmt.Fprintf(con.errs, "assay: %s\n", strange)
	}
	return report(ctx, con, parsed.Run())
}

// variables returns the names of what flags of a command, and of those below it, take from the environment.
func variables(n *kong.Node) (names []string) {
	for _, f := range n.Flags {
		names = append(names, f.Envs...)
	}
	for _, below := range n.Children {
		names = append(names, variables(below)...)
	}
	return names
}

// report prints an error with its hint and returns the exit code that stands for its kind.
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

// exitError ends a command that has already said what it had to say.
type exitError int

// Error names the code.
func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }
