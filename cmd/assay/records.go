package main

import (
	"context"
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/operation"
)

type annotationsCommand struct {
	List   annotationsList   `cmd:"" help:"List a workspace's annotations."`
	Add    annotationsAdd    `cmd:"" help:"Add an annotation to charts and time series."`
	Remove annotationsRemove `cmd:"" help:"Remove an annotation."`
}

type annotationsList struct {
	dataFlag
	Workspace string `required:"" placeholder:"W" help:"Workspace of the annotations."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

// annotationLine is an annotation as the command prints it.
type annotationLine struct {
	ID      control.AnnotationID   `json:"id"`
	Date    civil.Date             `json:"date"`
	EndDate civil.Date             `json:"end_date"`
	Type    control.AnnotationType `json:"type"`
	Label   string                 `json:"label"`
	Author  string                 `json:"author"`
	At      string                 `json:"at"`
}

func lineOfAnnotation(a control.Annotation) annotationLine {
	return annotationLine{
		ID: a.ID, Date: a.Days.First, EndDate: a.Days.Last, Type: a.Type, Label: a.Label, Author: a.Author, At: a.At.UTC().Format("2006-01-02T15:04:05Z"),
	}
}

// Run lists the annotations.
func (c *annotationsList) Run(ctx context.Context, con *console) error {
	all, err := do(ctx, con, c.dataFlag, operation.ListAnnotations, "annotations list", c.Workspace, operation.None{})
	if err != nil {
		return err
	}
	lines := make([]annotationLine, len(all))
	for i, a := range all {
		lines[i] = lineOfAnnotation(a)
	}
	if c.JSON {
		return printJSON(con.out, lines)
	}
	if len(all) == 0 {
		fmt.Fprintf(con.errs, "no annotations; add one with assay annotations add\n")
		return nil
	}
	t := newTable(con.out)
	t.AppendHeader(table.Row{"id", "first day", "last day", "type", "label"})
	for _, a := range lines {
		t.AppendRow(table.Row{a.ID, a.Date, a.EndDate, a.Type, a.Label})
	}
	t.Render()
	return nil
}

type annotationsAdd struct {
	dataFlag
	Date      string `arg:"" help:"First day, such as 2026-11-27."`
	Label     string `arg:"" help:"What happened, in one line."`
	End       string `name:"end-date" placeholder:"DATE" help:"Last day. Default: the first day."`
	Type      string `enum:"promotion,outage,launch,other" default:"other" help:"Type: promotion, outage, launch or other."`
	Workspace string `required:"" placeholder:"W" help:"Workspace of the annotation."`
}

// Run adds the annotation.
func (c *annotationsAdd) Run(ctx context.Context, con *console) error {
	a := control.Annotation{Label: c.Label, Type: control.AnnotationType(c.Type)}
	for _, day := range []struct {
		name, text string
		into       *civil.Date
	}{{"date", c.Date, &a.Days.First}, {"end date", c.End, &a.Days.Last}} {
		if day.text == "" {
			continue
		}
		var err error
		if *day.into, err = civil.Parse(day.text); err != nil {
			return fault.Invalid("the %s %q is not a calendar date", day.name, day.text).WithHint("use YYYY-MM-DD, such as 2026-11-27")
		}
	}
	a, err := a.Checked()
	if err != nil {
		return err
	}
	kept, err := do(ctx, con, c.dataFlag, operation.AddAnnotation, "annotations add", c.Workspace, a)
	if err != nil {
		return err
	}
	if !kept.Changed {
		fmt.Fprintf(con.errs, "the annotation already exists\n")
	}
	fmt.Fprintln(con.out, kept.Record.ID)
	return nil
}

type annotationsRemove struct {
	dataFlag
	ID        string `arg:"" name:"id" help:"Annotation to remove."`
	Workspace string `required:"" placeholder:"W" help:"Workspace of the annotation."`
}

// Run removes the annotation.
func (c *annotationsRemove) Run(ctx context.Context, con *console) error {
	_, err := do(ctx, con, c.dataFlag, operation.RemoveAnnotation, "annotations remove", c.Workspace, control.AnnotationID(c.ID))
	return err
}

type reportsCommand struct {
	List   reportsList   `cmd:"" help:"List a workspace's saved reports."`
	Remove reportsRemove `cmd:"" help:"Remove a saved report."`
}

type reportsList struct {
	dataFlag
	Workspace string `required:"" placeholder:"W" help:"Workspace of the reports."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

// Run lists the reports.
func (c *reportsList) Run(ctx context.Context, con *console) error {
	all, err := do(ctx, con, c.dataFlag, operation.ListReports, "reports list", c.Workspace, operation.None{})
	if err != nil {
		return err
	}
	if c.JSON {
		if all == nil {
			all = []control.SavedReport{}
		}
		return printJSON(con.out, all)
	}
	if len(all) == 0 {
		fmt.Fprintf(con.errs, "no saved reports; save a report with the manage tool\n")
		return nil
	}
	t := newTable(con.out)
	t.AppendHeader(table.Row{"id", "name", "tool", "arguments"})
	for _, r := range all {
		t.AppendRow(table.Row{r.ID, r.Name, r.Tool, string(r.Arguments)})
	}
	t.Render()
	return nil
}

type reportsRemove struct {
	dataFlag
	ID        string `arg:"" name:"id" help:"Report to remove."`
	Workspace string `required:"" placeholder:"W" help:"Workspace of the report."`
}

// Run removes the report.
func (c *reportsRemove) Run(ctx context.Context, con *console) error {
	_, err := do(ctx, con, c.dataFlag, operation.RemoveReport, "reports remove", c.Workspace, control.ReportID(c.ID))
	return err
}
