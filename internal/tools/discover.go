package tools

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/health"
	"assay/internal/measure"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// Discover is the `discover` tool.
var Discover = toolkit.Define(toolkit.Spec{
	Name:        "discover",
	Title:       "Store data overview",
	Description: "Lists the store's data, channels, sources and tools. It needs no dates. Call it first for an unknown store.",
	Uncached:    true, // the answer depends on the connected ad accounts
}, runDiscover)

type discoverParams struct {
	Aspect DiscoverAspect `json:"aspect" enum:"overview|channels|integrations|capabilities" default:"overview" doc:"What to list."`
	answer.Shared
}

// DiscoverAspect selects the rows of the `discover` tool.
type DiscoverAspect string

const (
	overviewAspect     DiscoverAspect = "overview"
	channelsAspect     DiscoverAspect = "channels"
	integrationsAspect DiscoverAspect = "integrations"
	capabilitiesAspect DiscoverAspect = "capabilities"
)

// DiscoverAnswer is the answer of the `discover` tool.
type DiscoverAnswer struct {
	answer.Opening
	Aspect    DiscoverAspect `json:"aspect"`
	Workspace WorkspaceInfo  `json:"workspace"`
	answer.Table[DiscoverRow]
	answer.Closing
}

// WorkspaceInfo is the identity and settings of the workspace.
type WorkspaceInfo struct {
	Name     string     `json:"name"`
	Currency string     `json:"currency"`
	Timezone string     `json:"timezone"`
	Today    civil.Date `json:"today"`
	Fixed    bool       `json:"today_fixed,omitempty" doc:"The date is fixed, as in a demo store. Times of imports are actual times."`
	Revenue  string     `json:"revenue_basis,omitempty" detail:"analyst"`
}

// DiscoverRow is a kind of data, a channel, a source or a tool. Each kind of row sets only its own fields.
type DiscoverRow struct {
	Facts     string           `json:"facts,omitempty"`
	Channel   measure.Channel  `json:"channel,omitempty"`
	Platform  measure.Platform `json:"platform,omitempty"`
	Source    answer.Foreign   `json:"source,omitempty"`
	Kind      string           `json:"kind,omitempty"`
	Tool      string           `json:"tool,omitempty"`
	Status    string           `json:"status,omitempty" doc:"Source: current, stale or gaps. Ad account: ok, error or untested. Tool: has_data or empty."`
	Rows      int64            `json:"rows,omitempty"`
	Delivered int64            `json:"rows_delivered,omitempty" detail:"analyst"`
	Orders    *answer.Count    `json:"orders,omitempty" doc:"Last-touch orders."`
	Revenue   *answer.Money    `json:"revenue,omitempty" doc:"Amount charged for the last-touch orders."`
	Spend     *answer.Money    `json:"spend,omitempty"`
	FirstDay  civil.Date       `json:"first_day,omitzero" detail:"analyst"`
	LastDay   civil.Date       `json:"last_day,omitzero"`
	Missing   int64            `json:"missing_days,omitempty"`
	Account   string           `json:"account,omitempty" doc:"Ad account that budget changes can use."`
	Expires   time.Time        `json:"token_expires,omitzero" doc:"Expiry of the account's credentials."`
	Why       string           `json:"why,omitempty" detail:"analyst"`
	Imported  time.Time        `json:"last_import,omitzero" detail:"debug" doc:"Time of the last import on the actual clock, not on the clock of a demo store."`
}

func runDiscover(ctx context.Context, c *toolkit.Call, p discoverParams) (*DiscoverAnswer, error) {
	a := &DiscoverAnswer{Aspect: p.Aspect, Workspace: WorkspaceInfo{
		Name: c.Workspace.Name, Currency: string(c.Workspace.Currency), Timezone: c.Workspace.Zone,
		Today: c.Today, Fixed: c.Frozen(), Revenue: c.Workspace.Basis.String(),
	}}
	a.ShowAll(true)
	switch p.Aspect {
	case overviewAspect:
		a.Rows = factRows(c)
	case channelsAspect:
		a.Rows = channelVolumes(c)
	case integrationsAspect:
		accounts, err := accountRows(ctx, c)
		if err != nil {
			return nil, err
		}
		a.Rows = append(sourceRows(c), accounts...)
	case capabilitiesAspect:
		accounts, err := accountRows(ctx, c)
		if err != nil {
			return nil, err
		}
		a.Rows = capabilities(c, len(accounts) > 0)
	}
	a.Summary = discoverSummary(c, p.Aspect, a.Rows)
	if c.Store.Empty() {
		a.Warn(answer.WarnNoData, "No data have been imported into this workspace.")
		c.Suggest(&a.Closing, "diagnose", map[string]any{}, "Check which data are missing and how to import them.")
	} else {
		c.Suggest(&a.Closing, "performance", map[string]any{}, "See revenue, spend and ROAS of the last 30 days and today.")
		if p.Aspect != channelsAspect {
			c.Suggest(&a.Closing, "discover", map[string]any{"aspect": string(channelsAspect)}, "See the channels and their volume.")
		}
	}
	c.Describe(&a.Closing, answer.DataQuality{Revenue: c.Workspace.Basis.String()}, snapshot.FromOrders, snapshot.FromAds)
	return a, nil
}

// factRows lists the kinds of data that the store has.
func factRows(c *toolkit.Call) []DiscoverRow {
	var rows []DiscoverRow
	for _, name := range slices.Sorted(maps.Keys(c.Store.Counts)) {
		if c.Store.Counts[name] == 0 {
			continue
		}
		row := DiscoverRow{Facts: name, Rows: c.Store.Counts[name]}
		switch name {
		case "orders":
			row.FirstDay, row.LastDay = c.Store.OrderDays.First, c.Store.OrderDays.Last
		case "ad_days":
			row.FirstDay, row.LastDay = c.Store.AdDays.First, c.Store.AdDays.Last
		}
		rows = append(rows, row)
	}
	return rows
}

// channelVolumes lists the channels, most orders first.
func channelVolumes(c *toolkit.Call) []DiscoverRow {
	f := c.Figures
	sorted := slices.Clone(c.Store.Channels)
	toolkit.SortBy(sorted, func(v warehouse.ChannelVolume) float64 { return -float64(v.Credited) })
	rows := make([]DiscoverRow, len(sorted))
	for i, v := range sorted {
		rows[i] = DiscoverRow{
			Channel: v.Channel, Platform: v.Platform, Orders: new(answer.Orders(v.Credited)), Revenue: new(f.Money(v.Charged)),
			FirstDay: v.Days.First, LastDay: v.Days.Last,
		}
		if v.SpendDays > 0 {
			rows[i].Spend = new(f.Money(v.Spend))
		}
	}
	return rows
}

// sourceRows lists the sources and whether they are up to date.
func sourceRows(c *toolkit.Call) []DiscoverRow {
	rows := make([]DiscoverRow, len(c.Store.Sources))
	for i, s := range c.Store.Sources {
		rows[i] = DiscoverRow{
			Source: answer.Foreign(s.Source), Kind: s.Kind, Status: c.SourceStatus(s), Delivered: s.Rows,
			FirstDay: s.Days.First, LastDay: s.Days.Last, Missing: s.MissingDays,
			Imported: health.UTC(s.LastImport),
		}
		if s.Account != "" {
			rows[i].Why = "account " + answer.Clean(s.Account)
		}
	}
	return rows
}

// adAccount is the kind of rows about connected ad accounts.
const adAccount = "ad_account"

// accountRows lists the ad accounts that the workspace has connected.
func accountRows(ctx context.Context, c *toolkit.Call) ([]DiscoverRow, error) {
	if c.Accounts == nil {
		return nil, nil
	}
	all, err := c.Accounts.Connections(ctx, c.Workspace.ID)
	if err != nil {
		return nil, err
	}
	rows := make([]DiscoverRow, len(all))
	for i, a := range all {
		rows[i] = DiscoverRow{
			Kind: adAccount, Platform: a.Platform, Account: a.Account, Status: string(a.Status), Expires: health.UTC(a.Expires),
			Why: answer.Clean(a.Problem),
		}
		if a.Sandbox {
			rows[i].Why = "simulated"
		}
	}
	return rows, nil
}

// capabilities lists every tool and whether its data are available. Changes of campaigns need a connected ad account.
func capabilities(c *toolkit.Call, connected bool) []DiscoverRow {
	var rows []DiscoverRow
	for _, t := range c.Tools {
		row := DiscoverRow{Tool: t.Name, Status: "has_data"}
		switch {
		case t.Model:
			row.Status, row.Why = c.ModelCapability()
		case t.OpenWorld && !connected:
			row.Status, row.Why = "empty", "No ad platform is connected."
		case t.Needs != "" && c.Store.Counts[t.Needs] == 0:
			row.Status, row.Why = "empty", "The store has no "+t.Needs+"."
		}
		rows = append(rows, row)
	}
	return rows
}

func discoverSummary(c *toolkit.Call, what DiscoverAspect, rows []DiscoverRow) string {
	switch what {
	case channelsAspect:
		if len(rows) == 0 {
			return "The store has no channels. Import orders with touchpoints or ad reports."
		}
		if c.Store.Untouched() {
			return fmt.Sprintf("The store has %s with spend, but no order is attributed to any channel.", answer.Plural(c.Store.Active(), "channel", "channels"))
		}
		return fmt.Sprintf("The store has %s; %s has the most orders by last touch.", answer.Plural(c.Store.Active(), "channel", "channels"), answer.ChannelName(rows[0].Channel))
	case integrationsAspect:
		return integrationsSummary(rows)
	case capabilitiesAspect:
		return fmt.Sprintf("%d of %d tools have data, and %d have no data.", countOf(rows, "has_data"), len(rows), countOf(rows, "empty"))
	case overviewAspect:
	}
	if c.Store.Empty() {
		return "The store is empty: no data have been imported into this workspace."
	}
	channels := answer.Plural(c.Store.Active(), "channel", "channels") + " with orders or spend"
	text := fmt.Sprintf("The store has %s from %s to %s and %s", answer.Plural(int(c.Store.Orders), "order", "orders"),
		c.Store.OrderDays.First, c.Store.OrderDays.Last, channels)
	if c.Store.OrderDays.Days() == 0 {
		text = "The store has no orders and " + channels
	}
	if c.Store.AdDays.Days() > 0 {
		text += fmt.Sprintf(". The ad reports cover %s to %s", c.Store.AdDays.First, c.Store.AdDays.Last)
	}
	return text + "."
}

func integrationsSummary(rows []DiscoverRow) string {
	accounts := 0
	for _, r := range rows {
		if r.Kind == adAccount {
			accounts++
		}
	}
	text := "No data source has delivered data."
	if sources := len(rows) - accounts; sources > 0 {
		text = fmt.Sprintf("%s delivered data. Of these sources, %s stale.", answer.Plural(sources, "data source has", "data sources have"),
			answer.Plural(countOf(rows, "stale"), "is", "are"))
	}
	if accounts > 0 {
		text += fmt.Sprintf(" %s connected, %d with an error.", answer.Plural(accounts, "ad account is", "ad accounts are"),
			countOf(rows, string(control.ConnectionError)))
	}
	return text
}

func countOf(rows []DiscoverRow, status string) int {
	n := 0
	for _, r := range rows {
		if r.Status == status {
			n++
		}
	}
	return n
}
