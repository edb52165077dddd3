package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"assay/internal/app"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/operation"
)

type trainCommand struct {
	MMM trainMMMCommand `cmd:"" name:"mmm" help:"Train the media mix model. If the service runs, the training runs in the service."`
}

type trainMMMCommand struct {
	dataFlag
	Workspace    string `required:"" placeholder:"W" help:"Workspace of the model."`
	WithoutTests bool   `help:"Fit observational data only, without completed geo experiments."`
	Cancel       bool   `help:"Cancel the training in the running service."`
	JSON         bool   `name:"json" help:"Print the result as JSON."`
}

// Run trains the model and prints its results. With --cancel, it cancels a running training instead. If the model fails
// the quality checks, the command exits with exitNotReady.
func (c *trainMMMCommand) Run(ctx context.Context, con *console) error {
	settings, err := c.settings()
	if err != nil {
		return err
	}
	if c.Cancel {
		_, err := do(ctx, con, c.dataFlag, operation.CancelTraining, "train mmm", c.Workspace, operation.None{})
		return err
	}
	bar := newProgress(con.errs, "training")
	call := operation.Call{Workspace: measure.WorkspaceID(c.Workspace), Caller: operation.Operator("assay train mmm"), Progress: bar.set}
	trained, err := app.Do(ctx, settings, operation.TrainModel, call, operation.Training{WithoutTests: c.WithoutTests}, con.now)
	bar.end()
	if err != nil {
		return err
	}
	if c.JSON {
		err = printJSON(con.out, trained)
	} else {
		err = printTrained(con.out, trained)
	}
	if err == nil && trained.Status == mix.Refused {
		return exitError(exitNotReady)
	}
	return err
}

func printTrained(out io.Writer, t operation.Trained) error {
	fmt.Fprintf(out, "model %d of %s: %s, %d weeks", t.Version, t.Workspace, t.Status, t.Weeks)
	if !t.Start.IsZero() {
		fmt.Fprintf(out, " from %s to %s", t.Start, t.End)
	}
	fmt.Fprintln(out)
	for _, r := range t.Reasons {
		fmt.Fprintf(out, "  %s; %s\n", r.Text, r.Remedy)
	}
	if t.Kept > 0 {
		fmt.Fprintf(out, "model %d remains in use\n", t.Kept)
	}
	if t.Accuracy != nil {
		fmt.Fprintf(out, "R² %.0f%% on weekly data; maximum R-hat %.3f\n\n", 100*t.Accuracy.R2, float64(t.Diagnostics.RHatMax))
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for i, e := range t.Channels {
		if i == 0 {
			fmt.Fprintln(w, "channel\tspend\tROAS\t90% interval\tmarginal ROAS")
		}
		if e.ROAS != nil && e.MarginalROAS != nil {
			fmt.Fprintf(w, "%s\t%.0f\t%.2f\t%.2f to %.2f\t%.2f\n", e.Channel, e.Spend, e.ROAS.Mean, e.ROAS.Q05, e.ROAS.Q95, e.MarginalROAS.Mean)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, l := range t.LeftOut {
		fmt.Fprintf(out, "excluded: %s, %s\n", l.Channel, l.Reason)
	}
	for i, t := range t.Tests {
		if i == 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintln(out, t)
	}
	return nil
}
