package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"assay/internal/app"
	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
)

type historyCommand struct {
	dataFlag
	Workspace string `required:"" placeholder:"W" help:"Workspace of the store."`
	Day       string `placeholder:"D" help:"Every version of this day, such as 2026-11-01."`
	AsOf      string `name:"as-of" placeholder:"T" help:"Totals as they stood then: 2026-11-01 for the end of that day, or 2026-11-01T12:00:00Z."`
	From      string `placeholder:"D" help:"With --as-of: only days from this one on."`
	To        string `placeholder:"D" help:"With --as-of: only days up to this one."`
	Settling  bool   `help:"How complete figures are after so many days."`
	Limit     int    `default:"100" help:"At most so many days that changed; 0: all."`
	Offset    int    `help:"Days that changed to pass over."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

// Run prints what days added up to before they changed.
func (c *historyCommand) Run(ctx context.Context, con *console) error {
	request, err := c.request()
	if err != nil {
		return err
	}
	settings, err := c.settings()
	if err != nil {
		return err
	}
	h, err := app.ReadHistory(ctx, settings, request, con.now)
	if err != nil {
		return err
	}
	switch {
	case c.JSON:
		return printJSON(con.out, h)
	case c.Settling:
		printSettling(con, h)
	case c.AsOf != "":
		printTotals(con, h, h.Totals)
		fmt.Fprintf(con.errs, "totals of days in %s as of %s, in %s\n", h.Zone, h.AsOf.UTC().Format("2006-01-02 15:04:05 UTC"), h.Currency)
	case c.Day != "":
		printTotals(con, h, h.Versions)
	default:
		printChanges(con, h)
		if c.Limit > 0 && len(h.Changes) == c.Limit {
			fmt.Fprintf(con.errs, "only %d days; --offset %d shows what follows\n", c.Limit, c.Offset+c.Limit)
		}
	}
	return nil
}

func (c *historyCommand) request() (app.HistoryRequest, error) {
	r := app.HistoryRequest{Workspace: measure.WorkspaceID(c.Workspace), AsOf: c.AsOf, Settling: c.Settling, Limit: c.Limit, Offset: c.Offset}
	asked := 0
	for _, one := range []bool{c.Day != "", c.AsOf != "", c.Settling} {
		if one {
			asked++
		}
	}
	switch {
	case asked > 1:
		return r, fault.Invalid("--day, --as-of and --settling are three questions").WithHint("ask one at a time")
	case c.Limit < 0 || c.Offset < 0:
		return r, fault.Invalid("--limit and --offset cannot be negative")
	case c.AsOf == "" && (c.From != "" || c.To != ""):
		return r, fault.Invalid("--from and --to go with --as-of")
	}
	r.Days = civil.Range{First: civil.New(1900, 1, 1), Last: civil.New(2199, 12, 31)}
	for _, d := range []struct {
		flag, text string
		into       *civil.Date
	}{{"--day", c.Day, &r.Day}, {"--from", c.From, &r.Days.First}, {"--to", c.To, &r.Days.Last}} {
		if d.text == "" {
			continue
		}
		day, err := civil.Parse(d.text)
		if err != nil {
			return r, fault.Invalid("%s %q is no day", d.flag, d.text).WithHint("write 2026-11-01")
		}
		*d.into = day
	}
	if r.Days.Days() <= 0 {
		return r, fault.Invalid("--from is after --to")
	}
	return r, nil
}

func printChanges(con *console, h app.History) {
	if len(h.Changes) == 0 {
		fmt.Fprintln(con.errs, "no day changed after it was first shown")
		return
	}
	t := newTable(con.out)
	t.AppendHeader(table.Row{"day", "of", "what changed", "times", "last (UTC)", "by"})
	for _, c := range h.Changes {
		var moves []string
		for _, m := range c.Moves {
			line := m.Figure + " " + number(m.First) + " → " + number(m.Now)
			if m.Money {
				line += " " + string(h.Currency)
			}
			moves = append(moves, line)
		}
		t.AppendRow(table.Row{c.Now.Day, partName(c.Now.Kind, c.Now.Part), strings.Join(moves, "\n"), c.Changes, stamp(c.Now.At), strings.TrimSpace(c.Now.Source + " " + c.Now.File)})
	}
	t.Render()
}

func printTotals(con *console, h app.History, totals []app.HistoryTotals) {
	if len(totals) == 0 {
		fmt.Fprintln(con.errs, "nothing was known of any such day")
		return
	}
	t := newTable(con.out)
	t.AppendHeader(table.Row{"day", "of", "orders", "charged", "refunds", "spend", "claimed conversions", "since (UTC)", "by"})
	var numbers []table.ColumnConfig
	for column := 3; column <= 7; column++ {
		numbers = append(numbers, table.ColumnConfig{Number: column, Align: text.AlignRight})
	}
	t.SetColumnConfigs(numbers)
	for _, v := range totals {
		f := v.Figures
		row := table.Row{v.Day, partName(v.Kind, v.Part), f["orders"], f["charged"], f["refunds"], f["spend"], f["claimed_conversions"], stamp(v.At), strings.TrimSpace(v.Source + " " + v.File)}
		if v.Gone {
			row[2] = "gone"
		}
		t.AppendRow(row)
	}
	t.Render()
	fmt.Fprintf(con.errs, "amounts in %s; --json has every figure\n", h.Currency)
}

func printSettling(con *console, h app.History) {
	if len(h.Settling) == 0 {
		fmt.Fprintln(con.errs, "there are no days to tell from")
		return
	}
	for _, s := range h.Settling {
		fmt.Fprintln(con.out, text.WrapSoft(fmt.Sprintf("%s, %s: %s", partName(s.Kind, s.Part), s.Quantity, s.Words), width(con.out)))
	}
}

// partName is what a day's totals are of.
func partName(kind measure.TotalsKind, name string) string {
	return measure.DayPart{Kind: kind, Name: name}.Words()
}

func number[T fmt.Stringer](n *T) string {
	if n == nil {
		return "nothing"
	}
	return (*n).String()
}

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02 15:04") }
