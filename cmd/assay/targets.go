package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/operation"
)

type targetsCommand struct {
	List   targetsList   `cmd:"" help:"List a workspace's targets."`
	Remove targetsRemove `cmd:"" help:"Remove a target."`
}

type targetsList struct {
	dataFlag
	Workspace string `required:"" placeholder:"W" help:"Workspace of the targets."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

// Run lists the targets.
func (c *targetsList) Run(ctx context.Context, con *console) error {
	all, err := do(ctx, con, c.dataFlag, operation.ListTargets, "targets list", c.Workspace, operation.None{})
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(con.out, all)
	}
	if len(all) == 0 {
		fmt.Fprintf(con.errs, "no targets; set targets on the Forecasts & targets page, or import a table of metric, period, start and value\n")
		return nil
	}
	t := newTable(con.out)
	t.AppendHeader(table.Row{"metric", "period", "start", "channel", "value"})
	for _, goal := range all {
		channel := string(goal.Channel)
		if channel == "" {
			channel = "whole store"
		}
		t.AppendRow(table.Row{goal.Metric, goal.Period, goal.Start, channel, strconv.FormatFloat(goal.Value, 'f', -1, 64)})
	}
	t.Render()
	return nil
}

type targetsRemove struct {
	dataFlag
	Metric    string `arg:"" enum:"revenue,orders,spend,roas" help:"Metric: revenue, orders, spend or roas."`
	Period    string `arg:"" enum:"daily,weekly,monthly,quarterly" help:"Period: daily, weekly, monthly or quarterly."`
	Start     string `arg:"" help:"First day of the period, such as 2026-10-01."`
	Channel   string `placeholder:"C" help:"Channel of the target. Default: the target of the whole store."`
	Workspace string `required:"" placeholder:"W" help:"Workspace of the target."`
}

// Run removes the target.
func (c *targetsRemove) Run(ctx context.Context, con *console) error {
	start, err := civil.Parse(c.Start)
	if err != nil {
		return fault.Invalid("the first day %q is not a calendar date", c.Start).WithHint("use YYYY-MM-DD, such as 2026-10-01")
	}
	_, err = do(ctx, con, c.dataFlag, operation.RemoveTarget, "targets remove", c.Workspace, operation.Target{
		Metric: c.Metric, Period: c.Period, Start: start, Channel: measure.ParseChannel(c.Channel),
	})
	return err
}
