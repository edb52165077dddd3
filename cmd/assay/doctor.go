package main

import (
	"context"
	"fmt"

	"assay/internal/doctor"
)

type doctorCommand struct {
	dataFlag
	JSON bool `name:"json" help:"Print JSON."`
}

// Run checks the data directory. It fails if a check finds a problem.
func (c *doctorCommand) Run(ctx context.Context, con *console) error {
	settings, err := c.settings()
	if err != nil {
		return err
	}
	findings := doctor.Diagnose(ctx, settings, con.now)
	broken := 0
	for _, f := range findings {
		if f.State == doctor.Broken {
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
		return exitError(exitFailed)
	}
	return nil
}
