package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/jedib0t/go-pretty/v6/table"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/operation"
)

type connectionsCommand struct {
	Add    connectionsAdd    `cmd:"" help:"Connect an ad account with credentials from standard input."`
	List   connectionsList   `cmd:"" help:"List connections with their status; credentials are not shown."`
	Test   connectionsTest   `cmd:"" help:"Test connections now."`
	Remove connectionsRemove `cmd:"" help:"Remove a connection and its credentials."`
}

type connectionsAdd struct {
	dataFlag
	Platform  string `arg:"" help:"facebook, google_ads or tiktok."`
	Workspace string `required:"" placeholder:"W" help:"Workspace of the connection."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

// maxCredentials is the maximum number of bytes that are read from standard input.
const maxCredentials = 128 << 10

// Run stores the credentials, tests the connection and prints the connection's state. Credentials are not arguments,
// because other users of the machine can see arguments.
func (c *connectionsAdd) Run(ctx context.Context, con *console) error {
	credentials, err := io.ReadAll(io.LimitReader(os.Stdin, maxCredentials))
	if err != nil {
		return fault.Invalid("standard input is not readable").Wrap(err)
	}
	line, err := do(ctx, con, c.dataFlag, operation.AddConnection, "connections add", c.Workspace,
		operation.NewConnection{Platform: c.Platform, Credentials: string(credentials)})
	if err != nil {
		return err
	}
	return printConnections(con, c.JSON, line)
}

type connectionsList struct {
	dataFlag
	Workspace string `required:"" placeholder:"W" help:"Workspace of the connections."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

// Run lists the connections.
func (c *connectionsList) Run(ctx context.Context, con *console) error {
	lines, err := do(ctx, con, c.dataFlag, operation.ListConnections, "connections list", c.Workspace, operation.None{})
	if err != nil {
		return err
	}
	if len(lines) == 0 && !c.JSON {
		fmt.Fprintf(con.errs, "no connections; add one with: assay connections add PLATFORM --workspace %s < credentials.json\n", c.Workspace)
		return nil
	}
	return printConnections(con, c.JSON, lines...)
}

type connectionsTest struct {
	dataFlag
	Platform  string `arg:"" optional:"" help:"facebook, google_ads or tiktok. Default: all."`
	Workspace string `required:"" placeholder:"W" help:"Workspace of the connections."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

// Run tests the connections. It fails if a connection does not work.
func (c *connectionsTest) Run(ctx context.Context, con *console) error {
	lines, err := do(ctx, con, c.dataFlag, operation.TestConnections, "connections test", c.Workspace,
		operation.TestedConnections{Platform: c.Platform})
	if err != nil {
		return err
	}
	if err := printConnections(con, c.JSON, lines...); err != nil {
		return err
	}
	for _, line := range lines {
		if line.Status == control.ConnectionError {
			return exitError(exitNotReady)
		}
	}
	return nil
}

type connectionsRemove struct {
	dataFlag
	Platform  string `arg:"" help:"facebook, google_ads or tiktok."`
	Account   string `placeholder:"ID" help:"Account to disconnect, if the platform has several accounts."`
	Workspace string `required:"" placeholder:"W" help:"Workspace of the connection."`
}

// Run removes the connection.
func (c *connectionsRemove) Run(ctx context.Context, con *console) error {
	line, err := do(ctx, con, c.dataFlag, operation.RemoveConnection, "connections remove", c.Workspace,
		operation.OldConnection{Platform: c.Platform, Account: c.Account})
	if err != nil {
		return err
	}
	fmt.Fprintf(con.errs, "removed the connection to account %s of %s\n", line.Account, line.Platform)
	return nil
}

// printConnections prints the connections as a table with the problems below it, or as JSON.
func printConnections(con *console, asJSON bool, lines ...operation.ConnectionLine) error {
	if asJSON {
		if lines == nil {
			lines = []operation.ConnectionLine{}
		}
		return printJSON(con.out, lines)
	}
	t := newTable(con.out)
	t.AppendHeader(table.Row{"platform", "account", "name", "status", "currency", "token expires", "tested"})
	for _, line := range lines {
		name, expires, tested := line.Name, "never", "never"
		if line.Sandbox {
			name += " (simulated)"
		}
		if line.Expires != nil {
			expires = orNever(*line.Expires)
		}
		if line.TestedAt != nil {
			tested = orNever(*line.TestedAt)
		}
		t.AppendRow(table.Row{line.Platform, line.Account, name, line.Status, line.Currency, expires, tested})
	}
	t.Render()
	for _, line := range lines {
		if line.Problem != "" {
			fmt.Fprintf(con.errs, "%s %s: %s\n", line.Platform, line.Account, line.Problem)
			if line.Hint != "" {
				fmt.Fprintf(con.errs, "hint: %s\n", line.Hint)
			}
		}
	}
	return nil
}
