package performance

import (
	"math"
	"slices"

	answers "assay/internal/answer"
	"assay/internal/console/frame"
	"assay/internal/console/frame/plot"
	"assay/internal/snapshot"
	"assay/internal/tools"
)

// returns contains the channels with attributed and platform-reported revenue, and the best estimate of their
// incremental ROAS.
type returns struct {
	*tools.PerformanceAnswer
}

// returns calls the performance tool and returns its answer.
func (r *request) returns() (out returns, err error) {
	out.PerformanceAnswer, err = ask(r, tools.Performance, r.performing())
	return out, err
}

// measured reports whether the best estimate for a channel is based on more evidence than attribution.
func measured(row tools.ChannelRow) bool {
	return row.Return != nil && row.Basis != snapshot.ByAttribution
}

func (r *request) performing() frame.Arguments {
	with := dated(r.Filter.Days)
	with["model"] = string(r.Filter.Model)
	if r.Filter.Channel != "" {
		with["channel"] = string(r.Filter.Channel)
	}
	return with
}

// channelColumn is a column of the table of channels.
type channelColumn int

const (
	spendColumn channelColumn = iota
	attributedColumn
	changeColumn
	roasColumn
	claimedColumn
	bestColumn
	intervalColumn
	ordersColumn
)

var (
	overviewColumns = []channelColumn{spendColumn, attributedColumn, claimedColumn, bestColumn, intervalColumn}
	allColumns      = []channelColumn{spendColumn, attributedColumn, changeColumn, roasColumn, claimedColumn, bestColumn, intervalColumn}
)

// breakEven returns the ROAS at which contribution equals spend. If costs are unknown, it is the ROAS at which revenue
// equals spend. If costs are at least the revenue, it is infinite.
func (a returns) breakEven() float64 {
	if b := a.Metrics.BreakEven; b != nil && b.Value != nil {
		return float64(*b.Value)
	}
	if c := a.Metrics.Contribution; c != nil && c.Value != nil {
		return math.Inf(1)
	}
	return 1
}

// neverBreaksEven reports whether no ROAS covers the costs.
func (a returns) neverBreaksEven() bool { return math.IsInf(a.breakEven(), 1) }

// breakEvenWords describes the break-even.
func (a returns) breakEvenWords() string {
	if b := a.Metrics.BreakEven; b != nil && b.Value != nil {
		return "the break-even ROAS of " + ratioText(*b.Value) + ", where contribution equals spend"
	}
	return "1, where incremental revenue equals spend"
}

func (a returns) scale(width float64) plot.Scale {
	var highs []float64
	for _, row := range a.Rows {
		if measured(row) {
			highs = append(highs, float64(row.Return.High))
		}
	}
	marker := a.breakEven()
	if a.neverBreaksEven() {
		marker = 0 // no line
	}
	return plot.NewScale(highs, marker, width)
}

func (k channelColumn) column(s plot.Scale) frame.Column {
	switch k {
	case spendColumn:
		return frame.Column{Key: "spend", Name: "Spend", Number: true, Minor: true}
	case attributedColumn:
		return frame.Column{Key: "attributed", Name: "Attributed", Number: true}
	case changeColumn:
		return frame.Column{Key: "change_pct", Name: "Change", Number: true, Minor: true}
	case roasColumn:
		return frame.Column{Key: "roas", Name: "ROAS", Number: true, Minor: true}
	case claimedColumn:
		return frame.Column{Key: "claimed", Name: "Reported", Number: true, Minor: true}
	case bestColumn:
		return frame.Column{Key: "incremental_roas", Name: "Incremental", Number: true}
	case intervalColumn:
		return frame.Column{Fixed: true, Axis: s.Axis(), Minor: true}
	case ordersColumn:
	}
	return frame.Column{Key: "orders", Name: "Orders", Number: true, Minor: true}
}

func (k channelColumn) cell(a returns, row tools.ChannelRow, s plot.Scale) frame.Cell {
	switch k {
	case spendColumn:
		return frame.MoneyCell(row.Spend, 0, a.Currency)
	case attributedColumn:
		return frame.MoneyCell(&row.Revenue, 0, a.Currency)
	case changeColumn:
		return frame.ChangeCell(row.RevenueChange)
	case roasColumn:
		return frame.FigureCell(row.ROAS, 2)
	case claimedColumn:
		return frame.MoneyCell(row.Claimed, 0, a.Currency)
	case bestColumn:
		if row.Return == nil {
			return frame.None("untested")
		}
		cell := frame.FigureCell(&row.Return.Value, 2)
		cell.Sub = ratioText(row.Return.Low) + " – " + ratioText(row.Return.High)
		if !measured(row) {
			cell.Sub += " untested"
		}
		return cell
	case intervalColumn:
		if !measured(row) {
			return frame.Cell{}
		}
		return frame.Cell{Picture: s.Interval(float64(row.Return.Value), float64(row.Return.Low), float64(row.Return.High), frame.ChannelColor(row.Channel))}
	case ordersColumn:
	}
	return frame.FigureCell(&row.Orders, 0)
}

// channelBlock returns the table of the channels with spend.
func (r *request) channelBlock(a returns, columns []channelColumn) block {
	width := 170.0
	if len(columns) > len(overviewColumns) {
		width = 230
	}
	s := a.scale(width)
	t := &frame.Table{Caption: "Channels with spend", Empty: "No channel has spend in this period."}
	t.Columns = []frame.Column{{Key: "channel", Name: "Channel"}}
	for _, k := range columns {
		t.Columns = append(t.Columns, k.column(s))
	}
	var spend, revenue, claimed float64
	for _, row := range a.Rows {
		if row.Spend == nil {
			continue
		}
		cells := []frame.Cell{frame.ChannelCell(row.Channel)}
		for _, k := range columns {
			cells = append(cells, k.cell(a, row, s))
		}
		t.Rows = append(t.Rows, frame.Row{Cells: cells})
		spend, revenue = spend+float64(*row.Spend), revenue+float64(row.Revenue)
		if row.Claimed != nil {
			claimed += float64(*row.Claimed)
		}
	}
	slices.SortStableFunc(t.Rows, func(x, y frame.Row) int {
		switch a, b := *x.Cells[1].Number, *y.Cells[1].Number; {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
	if len(t.Rows) > 1 {
		t.Total = &frame.Row{Cells: totalCells(a, columns, spend, revenue, claimed)}
	}
	b := block{Section: r.section("channels", "Channels", a.evidence(), "incremental revenue", r.call("channels", "performance", r.performing())), Table: t}
	b.CSV = r.csv("")
	if len(columns) == len(overviewColumns) {
		b.More = option{Name: "All channels", Address: r.to("/channels")}
	}
	return b
}

func (a returns) evidence() string {
	if !slices.ContainsFunc(a.Rows, measured) {
		return "A precise incremental ROAS requires a trained media mix model or an experiment"
	}
	text := "Incremental ROAS from the media mix model, experiments or attribution, with 90% intervals · "
	if a.neverBreaksEven() {
		return text + "no break-even ROAS"
	}
	return text + "dotted line: break-even ROAS " + frame.Figure(a.breakEven(), 2)
}

func totalCells(a returns, columns []channelColumn, spend, revenue, claimed float64) []frame.Cell {
	cells := []frame.Cell{frame.TextCell("Channels with spend")}
	for _, k := range columns {
		switch k {
		case spendColumn:
			cells = append(cells, frame.MoneyCell(&spend, 0, a.Currency))
		case attributedColumn:
			cells = append(cells, frame.MoneyCell(&revenue, 0, a.Currency))
		case claimedColumn:
			cells = append(cells, frame.MoneyCell(&claimed, 0, a.Currency))
		case roasColumn:
			var ratio *float64
			if spend > 0 && slices.ContainsFunc(a.Rows, func(row tools.ChannelRow) bool { return row.Spend != nil && row.ROAS != nil }) {
				ratio = new(revenue / spend)
			}
			cells = append(cells, frame.FigureCell(ratio, 2))
		case changeColumn, bestColumn, intervalColumn, ordersColumn:
			cells = append(cells, frame.Cell{})
		}
	}
	return cells
}

// channels shows the revenue of each channel, and why attributed and incremental ROAS differ.
func channels(r *request) (*reportView, error) {
	a, err := r.returns()
	if err != nil {
		return nil, err
	}
	view := &reportView{
		Heading: channelsHeading(a), Lead: channelsLead(a), Bar: r.bar(), Warnings: sentences(a.Warnings),
	}
	money := func(x answers.Money) string { return amount(x, a.Currency) }
	view.KPIs = []frame.KPI{
		kpiOf("Revenue", a.Metrics.Revenue, money, moreIsBetter, ""), kpiOf("Spend", a.Metrics.Spend, money, neutral, ""),
		kpiOf(returnName(a.Channel), a.Metrics.ROAS, ratioText, moreIsBetter, ""), kpiOf("Orders", a.Metrics.Orders, countText, moreIsBetter, ""),
	}
	paid := r.channelBlock(a, allColumns)
	if err := r.drill(paid.Table, a); err != nil {
		return nil, err
	}
	view.Blocks = []block{paid, r.ownedBlock(a)}
	return view, nil
}

func channelsHeading(a returns) string {
	if len(a.Rows) == 0 {
		return "No channel has revenue in this period."
	}
	var best *tools.ChannelRow
	for i, row := range a.Rows {
		if row.Spend != nil && (best == nil || row.Revenue > best.Revenue) {
			best = &a.Rows[i]
		}
	}
	if best == nil {
		return "No channel has spend in this period."
	}
	text := frame.ChannelName(best.Channel) + " has the most attributed revenue of the channels with spend: " + amount(best.Revenue, a.Currency) + "."
	return text
}

func channelsLead(a returns) string {
	certain := 0
	for _, row := range a.Rows {
		if measured(row) && float64(row.Return.Low) > a.breakEven() {
			certain++
		}
	}
	switch {
	case !slices.ContainsFunc(a.Rows, measured):
		return "Attributed revenue is not incremental revenue. Train the media mix model to estimate the incremental revenue of each channel."
	case a.neverBreaksEven():
		return "There is no break-even ROAS, because costs before ad spend are at least as high as revenue."
	case certain == 0:
		return "No channel has an incremental ROAS with a 90% interval entirely above " + a.breakEvenWords() + "."
	}
	return answers.Plural(certain, "channel has", "channels have") + " an incremental ROAS with a 90% interval entirely above " + a.breakEvenWords() + "."
}

// ownedBlock returns the table of channels without spend. Unattributed revenue is last.
func (r *request) ownedBlock(a returns) block {
	t := &frame.Table{Name: "owned", Caption: "Channels without spend", Columns: []frame.Column{
		{Key: "channel", Name: "Channel"},
		{Name: "", Fixed: true, Minor: true},
		{Key: "attributed", Name: "Attributed", Number: true},
		{Key: "change_pct", Name: "Change", Number: true},
		{Key: "orders", Name: "Orders", Number: true, Minor: true},
		{Key: "aov", Name: "AOV", Number: true, Minor: true},
	}}
	largest := 0.0
	for _, row := range a.Rows {
		if row.Spend == nil {
			largest = max(largest, float64(row.Revenue))
		}
	}
	var last []frame.Row
	for _, row := range a.Rows {
		if row.Spend != nil {
			continue
		}
		one := frame.Row{Cells: []frame.Cell{
			frame.ChannelCell(row.Channel),
			{Picture: plot.Bar(float64(row.Revenue), largest, 280, false, "c-"+frame.ChannelColor(row.Channel))},
			frame.MoneyCell(&row.Revenue, 0, a.Currency), frame.ChangeCell(row.RevenueChange), frame.FigureCell(&row.Orders, 0), frame.MoneyCell(row.AOV, 2, a.Currency),
		}}
		if row.Channel == "unattributed" {
			last = append(last, one)
			continue
		}
		t.Rows = append(t.Rows, one)
	}
	t.Rows = append(t.Rows, last...)
	return block{Section: r.section("owned", "Owned and organic", "no spend, so no ROAS", "unattributed", nil), Table: t}.WithCSV(r.csv("owned"))
}

// drill adds the campaigns of the opened channel below its row.
func (r *request) drill(t *frame.Table, a returns) error {
	opened := r.URL.Query().Get("open")
	for i := range t.Rows {
		channel := channelOf(a, t.Rows[i].Cells[0].Text)
		if !slices.Contains(platforms, channel) {
			continue
		}
		t.Rows[i].Toggle, t.Rows[i].Open = r.to("/channels", "open", channel), channel == opened
		if !t.Rows[i].Open {
			continue
		}
		t.Rows[i].Toggle = r.to("/channels")
		if err := r.detail(&t.Rows[i], channel, a); err != nil {
			return err
		}
	}
	return nil
}

// platforms are the channels with campaigns in their reports.
var platforms = []string{"facebook", "google", "tiktok", "amazon", "snapchat"}

func channelOf(a returns, name string) string {
	for _, row := range a.Rows {
		if frame.ChannelName(row.Channel) == name {
			return string(row.Channel)
		}
	}
	return ""
}

// shownCampaigns is the number of campaigns below an opened channel.
const shownCampaigns = 10

// detail adds the campaigns of a channel as rows, with the columns of the table of channels.
func (r *request) detail(row *frame.Row, channel string, a returns) error {
	with := dated(r.Filter.Days)
	with["platform"], with["limit"] = channel, shownCampaigns
	found, err := ask(r, tools.Campaigns, with)
	if err != nil {
		return err
	}
	for _, one := range found.Rows {
		name := frame.TextCell(one.Name)
		row.Detail = append(row.Detail, frame.Row{Cells: []frame.Cell{
			name, frame.MoneyCell(&one.Spend, 0, a.Currency), frame.MoneyCell(one.CreditedRevenue, 0, a.Currency),
			{},
			frame.FigureCell(one.ROAS, 2),
			frame.MoneyCell(&one.Revenue, 0, a.Currency),
			{},
			{},
		}})
	}
	row.Note = "The attributed revenue of campaigns uses last touch. The ROAS of campaigns and the revenue in the Reported column are platform-reported."
	if p := found.Pagination; p != nil && p.HasMore {
		row.Note = "The table shows the " + frame.Count(shownCampaigns) + " campaigns with the most spend, out of " + frame.Count(int64(p.Total)) + ". " + row.Note
	}
	return nil
}
