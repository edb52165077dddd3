package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"assay/internal/app"
	"assay/internal/civil"
	"assay/internal/config"
	"assay/internal/demostore"
	"assay/internal/fault"
)

type demoCommand struct {
	Addr      string `default:"127.0.0.1:8080" env:"ASSAY_ADDR" placeholder:"HOST:PORT" help:"Address to listen on."`
	Data      string `default:"./assay-data" env:"ASSAY_DATA" placeholder:"D" help:"Data directory; created if missing."`
	Seed      uint64 `default:"7" help:"Random seed. The same seed creates the same store."`
	Days      int    `default:"730" help:"Length of the store's history in days."`
	Orders    int    `default:"60000" help:"Number of orders in the whole history."`
	Today     string `placeholder:"YYYY-MM-DD" help:"Use this date as a fixed current date."`
	Future    int    `default:"0" help:"Days after today to simulate in truth.json only. These days do not change the store."`
	RateLimit int    `default:"600" help:"Requests per minute."`
	Reset     bool   `help:"Replace an existing demo store."`
}

// Run creates the demo store if there is none, and serves it.
func (c *demoCommand) Run(ctx context.Context, con *console) error {
	made := demostore.Store{Seed: c.Seed, Days: c.Days, Orders: c.Orders, Future: c.Future}
	if c.Today != "" {
		today, err := civil.Parse(c.Today)
		if err != nil {
			return fault.Invalid("--today: %v", err)
		}
		made.Today = today
	}
	settings, err := config.Load(config.Sources{Environ: os.Environ(), Flags: map[string]string{
		"addr": c.Addr, "data": c.Data, "rate_limit": strconv.Itoa(c.RateLimit), "log_level": quiet(os.Getenv("ASSAY_LOG_LEVEL")),
	}})
	if err != nil {
		return err
	}
	if err := app.CanListen(ctx, settings.Addr); err != nil {
		return err
	}
	setMemory()
	log := logger(con, settings)
	progress := newProgress(con.errs, "creating the demo store")
	service, demo, err := app.OpenDemo(ctx, settings, demostore.Options{Store: made, Reset: c.Reset, Progress: progress.set}, log, con.now)
	progress.end()
	if err != nil {
		return err
	}
	err = service.Serve(ctx, func(baseURL string) error {
		access, err := demo.Announce(baseURL)
		if err != nil {
			return err
		}
		return welcome(con, access)
	})
	return closeAfter(service, err)
}

// quiet returns the log level of a demo: warn by default, because a person reads the output.
func quiet(level string) string {
	if level == "" {
		return "warn"
	}
	return level
}

// closeAfter closes the service and returns the first failure.
func closeAfter(service *app.App, err error) error {
	if closing := service.Close(); err == nil {
		return closing
	}
	return err
}

func welcome(con *console, a demostore.Access) error {
	_, err := fmt.Fprintf(con.out, `
Assay serves a demo store: %s, figures as of %s.

  endpoint   %s
  key        %s      (all scopes)
  read key   %s      (%s)

Claude Code
  claude mcp add --transport http assay %s --header "Authorization: Bearer %s"

Cursor, in ~/.cursor/mcp.json
  {"mcpServers":{"assay":{"url":"%s","headers":{"Authorization":"Bearer %s"}}}}

Inspector
  npx @modelcontextprotocol/inspector --cli %s --transport http --header "Authorization: Bearer %s" --method tools/list

curl
  curl -s %s -H "Authorization: Bearer %s" -H "Content-Type: application/json" \
    -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"performance","arguments":{}}}'

Sign in at %s as %s with the password %s

  %s call performance --data %s

Stop with Ctrl-C. The true effects of the simulated data are in %s.

ready: %s
`, a.Title, a.Today, a.RPCURL, a.APIKey, a.ReadKey, "measurement.read",
		a.RPCURL, a.ReadKey, a.RPCURL, a.ReadKey, a.RPCURL, a.ReadKey, a.RPCURL, a.ReadKey,
		a.BaseURL, a.Email, a.Password, programName(), quotedArgument(filepath.Dir(a.TruthFile)), a.TruthFile, a.BaseURL)
	return err
}
