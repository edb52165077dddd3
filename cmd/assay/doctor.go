package main

import (
	"context"
	"fmt"
	"os"

	"assay/internal/app"
	"assay/internal/config"
)

type doctorCommand struct {
	Data string `default:"./assay-data" env:"ASSAY_DATA" placeholder:"D" help:"Data directory."`
	JSON bool   `name:"json" help:"Print JSON."`
}

// Run checks the data directory. It fails when something is broken.
func (c *doctorCommand) Run(ctx context.Context, con *console) error {
	settings, err := config.Load(config.Sources{Environ: os.Environ(), Flags: map[string]string{"data": c.Data}})
	if err != nil {
		return err
	}
	findings := app.Diagnose(ctx, settings, con.now)
	broken := 0
	for _, f := range findings {
		if f.State == app.Broken {
			broken++
		}
	}
	if c.JSON {
		if err := printJSON(con.out, findings); err != nil {
			return err
		}
	} else {
		for _, f := range findings {
			fmt.Fprintf(con.out, "%-8s %-20s %s\n", f.State, f.Check, f.Text)
			if f.Fix != "" {
				fmt.Fprintf(con.out, "%-8s %-20s fix: %s\n", "", "", f.Fix)
			}
		}
	}
	if broken > 0 {
		return exitCode(exitFailed)
	}
	return nil
}
