package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/operation"
)

type historyCommand struct {
	dataFlag
	Workspace string `required:"" placeholder:"W" help:"Workspace of the store."`
	Day       string `placeholder:"D" help:"Show every version of this day, such as 2026-11-01."`
	AsOf      string `name:"as-of" placeholder:"T" help:"Show totals as of this time: 2026-11-01 (end of day) or 2026-11-01T12:00:00Z."`
	From      string `placeholder:"D" help:"With --as-of: first day."`
	To        string `placeholder:"D" help:"With --as-of: last day."`
	Settling  bool   `help:"Show how complete daily figures are by age in days."`
	Limit     int    `default:"100" help:"Maximum number of restated days; 0: all."`
	Offset    int    `help:"Number of restated days to skip."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

// Run prints the previous totals of restated days.
func (c *historyCommand) Run(ctx context.Context, con *console) error {
	request, err := c.request()
	if err != nil {
		return err
	}
	h, err := do(ctx, con, c.dataFlag, operation.ReadHistory, "history", c.Workspace, request)
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
		fmt.Fprintf(con.errs, "daily totals (time zone %s) as of %s, in %s\n", h.Zone, h.AsOf.UTC().Format("2006-01-02 15:04:05 UTC"), h.Currency)
	case c.Day != "":
		printTotals(con, h, h.Versions)
	default:
		printChanges(con, h)
		if c.Limit > 0 && len(h.Changes) == c.Limit {
			fmt.Fprintf(con.errs, "first %d days; use --offset %d for the next days\n", c.Limit, c.Offset+c.Limit)
		}
	}
	return nil
}

func (c *historyCommand) request() (operation.HistoryRequest, error) {
	r := operation.HistoryRequest{AsOf: c.AsOf, Settling: c.Settling, Limit: c.Limit, Offset: c.Offset}
	asked := 0
	for _, one := range []bool{c.Day != "", c.AsOf != "", c.Settling} {
		if one {
			asked++
		}
	}
	switch {
	case asked > 1:
		return r, fault.Invalid("--day, --as-of and --settling cannot be combined").WithHint("use one of these flags")
	case c.Limit < 0 || c.Offset < 0:
		return r, fault.Invalid("--limit and --offset cannot be negative")
	case c.AsOf == "" && (c.From != "" || c.To != ""):
		return r, fault.Invalid("--from and --to require --as-of")
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
			return r, fault.Invalid("%s %q is not a calendar date", d.flag, d.text).WithHint("use YYYY-MM-DD, such as 2026-11-01")
		}
		*d.into = day
	}
	if r.Days.Days() <= 0 {
		return r, fault.Invalid("--from is after --to").WithHint("exchange the dates")
	}
	return r, nil
}

func printChanges(con *console, h operation.History) {
	if len(h.Changes) == 0 {
		fmt.Fprintln(con.errs, "no day was restated")
		return
	}
	t := newTable(con.out)
	t.AppendHeader(table.Row{"day", "part", "change", "changes", "last change (UTC)", "import"})
	for _, c := range h.Changes {
		var moves []string
		for _, m := range c.Moves {
			write := number[json.Number]
			if m.Money {
				write = func(n *json.Number) string { return amount(n, h.Currency) }
			}
			moves = append(moves, m.Figure+" "+write(m.First)+" → "+write(m.Now))
		}
		t.AppendRow(table.Row{c.Now.Day, partName(c.Now.Kind, c.Now.Part), strings.Join(moves, "\n"), c.Changes, stamp(c.Now.At), strings.TrimSpace(c.Now.Source + " " + c.Now.File)})
	}
	t.Render()
}

func printTotals(con *console, h operation.History, totals []operation.HistoryTotals) {
	if len(totals) == 0 {
		fmt.Fprintln(con.errs, "no data for these days at that time")
		return
	}
	t := newTable(con.out)
	t.AppendHeader(table.Row{"day", "part", "orders", "charged", "refunds", "spend", "reported conversions", "since (UTC)", "import"})
	var numbers []table.ColumnConfig
	for column := 3; column <= 7; column++ {
		numbers = append(numbers, table.ColumnConfig{Number: column, Align: text.AlignRight})
	}
	t.SetColumnConfigs(numbers)
	for _, v := range totals {
		f := v.Figures
		row := table.Row{v.Day, partName(v.Kind, v.Part), f["orders"], f["charged"], f["refunds"], f["spend"], f["claimed_conversions"], stamp(v.At), strings.TrimSpace(v.Source + " " + v.File)}
		if v.Gone {
			row[2] = "removed"
		}
		t.AppendRow(row)
	}
	t.Render()
	fmt.Fprintf(con.errs, "Amounts in %s. --json prints every figure.\n", h.Currency)
}

func printSettling(con *console, h operation.History) {
	if len(h.Settling) == 0 {
		fmt.Fprintln(con.errs, "not enough days to estimate completeness")
		return
	}
	for _, s := range h.Settling {
		fmt.Fprintln(con.out, text.WrapSoft(fmt.Sprintf("%s, %s: %s", partName(s.Kind, s.Part), s.Quantity, s.Words), width(con.out)))
	}
}

// partName returns the name of the surface or platform of a day's totals.
func partName(kind measure.TotalsKind, name string) string {
	return measure.DayPart{Kind: kind, Name: name}.Words()
}

func number[T fmt.Stringer](n *T) string {
	if n == nil {
		return "nothing"
	}
	return (*n).String()
}

// amount formats an exact amount in whole units: "USD 1,234.50".
func amount(n *json.Number, currency money.Currency) string {
	if n == nil {
		return number(n)
	}
	return money.TextOf(n.String(), currency)
}

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02 15:04") }
