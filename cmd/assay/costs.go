package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/operation"
)

type costsCommand struct {
	List   costsList   `cmd:"" help:"List the entered costs and the share of units with a known cost."`
	Set    costsSet    `cmd:"" help:"Enter a gross margin, payment fee, shipping cost or cost of handling returns."`
	Remove costsRemove `cmd:"" help:"Remove an entered cost."`
	Import costsImport `cmd:"" help:"Import unit costs of products from a table with the columns sku, cost and valid_from."`
}

type costsList struct {
	dataFlag
	Workspace string `required:"" placeholder:"W" help:"Workspace of the costs."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

// costLine is a cost as the command prints it.
type costLine struct {
	Kind     measure.CostKind `json:"kind"`
	Surface  measure.Surface  `json:"surface,omitempty"`
	Channel  measure.Channel  `json:"channel,omitempty"`
	From     civil.Date       `json:"from,omitzero"`
	Pct      float64          `json:"pct"`
	PerOrder float64          `json:"per_order"`
	Currency money.Currency   `json:"currency,omitempty"`
}

// costsLine is the list of costs as the command prints it.
type costsLine struct {
	Costs     []costLine `json:"costs"`
	Start     civil.Date `json:"start"`
	End       civil.Date `json:"end"`
	Units     int64      `json:"units"`
	Costed    int64      `json:"units_with_cost"`
	MarginPct *float64   `json:"contribution_margin_pct"` // null: too few costs are known
}

// Run lists the costs.
func (c *costsList) Run(ctx context.Context, con *console) error {
	all, err := do(ctx, con, c.dataFlag, operation.ListCosts, "costs list", c.Workspace, operation.None{})
	if err != nil {
		return err
	}
	line := costsLine{Costs: []costLine{}, Start: all.Days.First, End: all.Days.Last, Units: all.Units, Costed: all.Costed}
	for _, r := range all.Rules {
		line.Costs = append(line.Costs, costLine{r.Kind, r.Surface, r.Channel, r.From, r.Share.Percent(), r.Fixed.Major(), r.Fixed.Currency})
	}
	if all.Known {
		line.MarginPct = new(100 * all.Rate)
	}
	if c.JSON {
		return printJSON(con.out, line)
	}
	if len(all.Rules) > 0 {
		t := newTable(con.out)
		t.AppendHeader(table.Row{"cost", "of", "from", "value"})
		for _, r := range all.Rules {
			t.AppendRow(table.Row{r.Kind, cmp.Or(string(r.Surface), string(r.Channel), "all"), cmp.Or(dayOf(r.From), "the beginning"), r.Value()})
		}
		t.Render()
	}
	fmt.Fprintln(con.out, coverageLine(line))
	return nil
}

// coverageLine states the share of units with known costs and the contribution margin.
func coverageLine(l costsLine) string {
	share := 0.0
	if l.Units > 0 {
		share = 100 * float64(l.Costed) / float64(l.Units)
	}
	text := fmt.Sprintf("Costs are known for %.1f%% of the %d units sold from %s to %s.", share, l.Units, l.Start, l.End)
	if l.MarginPct == nil {
		return text + " The contribution is unknown: import unit costs, or enter a gross margin."
	}
	return fmt.Sprintf("%s The contribution margin before ad spend is %.1f%%.", text, *l.MarginPct)
}

func dayOf(d civil.Date) string {
	if d.IsZero() {
		return ""
	}
	return d.String()
}

// costFlags identify a cost.
type costFlags struct {
	dataFlag
	Kind      string `arg:"" enum:"gross_margin,payment_fee,shipping,returns" help:"Cost: gross_margin, payment_fee, shipping or returns."`
	From      string `placeholder:"DATE" help:"First day of the cost, such as 2026-10-01. Default: from the beginning."`
	Surface   string `placeholder:"S" help:"Sales surface of the cost, such as marketplace. Default: all surfaces."`
	Channel   string `placeholder:"C" help:"Channel of a gross margin. Default: all channels."`
	Workspace string `required:"" placeholder:"W" help:"Workspace of the cost."`
}

// rule returns the cost rule without its value.
func (c *costFlags) rule() (r measure.CostRule, err error) {
	r = measure.CostRule{Kind: measure.CostKind(c.Kind), Surface: measure.Surface(c.Surface)}
	if c.Channel != "" {
		r.Channel = measure.ParseChannel(c.Channel)
	}
	if c.From == "" {
		return r, nil
	}
	if r.From, err = civil.Parse(c.From); err != nil {
		return r, fault.Invalid("the first day %q is not a calendar date", c.From).WithHint("use YYYY-MM-DD, such as 2026-10-01")
	}
	return r, nil
}

type costsSet struct {
	costFlags
	Pct      string `placeholder:"N" help:"Percent of merchandise revenue (gross_margin), the amount charged (payment_fee), shipping charged (shipping) or refunds (returns)."`
	PerOrder string `placeholder:"A" help:"Amount per order in the workspace's currency, for payment_fee and shipping."`
}

// Run enters the cost.
func (c *costsSet) Run(ctx context.Context, con *console) error {
	rule, err := c.rule()
	if err != nil {
		return err
	}
	if c.Pct == "" && c.PerOrder == "" {
		return fault.Invalid("the cost has no value").WithHint("add --pct, --per-order or both")
	}
	if c.Pct != "" {
		if rule.Share, err = measure.ParsePercent(c.Pct); err != nil {
			return err
		}
	}
	if c.PerOrder != "" {
		currency, err := c.currency(ctx, con)
		if err != nil {
			return err
		}
		if rule.Fixed, err = money.Parse(c.PerOrder, currency, money.Point); err != nil || rule.Fixed.Minor < 0 {
			return fault.Invalid("per-order %q is not an amount in %s", c.PerOrder, currency).WithHint("use an amount such as 0.30")
		}
	}
	_, err = do(ctx, con, c.dataFlag, operation.SetCost, "costs set", c.Workspace, rule)
	return err
}

// currency returns the currency of the workspace.
func (c *costsSet) currency(ctx context.Context, con *console) (money.Currency, error) {
	store, err := c.open(ctx, con)
	if err != nil {
		return "", err
	}
	defer store.Close()
	w, err := store.Store.Workspace(ctx, measure.WorkspaceID(c.Workspace))
	return w.Currency, err
}

type costsRemove struct{ costFlags }

// Run removes the cost.
func (c *costsRemove) Run(ctx context.Context, con *console) error {
	rule, err := c.rule()
	if err != nil {
		return err
	}
	_, err = do(ctx, con, c.dataFlag, operation.RemoveCost, "costs remove", c.Workspace, rule)
	return err
}

type costsImport struct {
	dataFlag
	Files     []string `arg:"" optional:"" name:"file" help:"Tables with the columns sku, cost and valid_from; - is standard input."`
	Workspace string   `placeholder:"W" help:"Workspace to import into."`
	DryRun    bool     `help:"Read and report; store nothing."`
	Template  bool     `help:"Print a template file; import nothing."`
	JSON      bool     `name:"json" help:"Print the report as JSON."`
}

// costSource is the source of tables with unit costs.
const costSource = "products"

// Run imports the tables like assay import.
func (c *costsImport) Run(ctx context.Context, con *console) error {
	all := importCommand{dataFlag: c.dataFlag, Files: c.Files, Workspace: c.Workspace, Source: costSource, DryRun: c.DryRun, JSON: c.JSON}
	if c.Template {
		all.Template = costSource
	}
	return all.Run(ctx, con)
}
