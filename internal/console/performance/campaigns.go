package performance

import (
	"slices"

	answers "assay/internal/answer"
	"assay/internal/console/frame"
	"assay/internal/tools"
	"assay/internal/warehouse"
)

// campaigns answers which campaigns spend, and what they return.
func campaigns(r *request) (*reportView, error) {
	with := dated(r.Filter.Days)
	if r.URL.Query().Get("level") == string(warehouse.Creatives) {
		with["level"] = string(warehouse.Creatives)
	}
	if slices.Contains(platforms, string(r.Filter.Channel)) {
		with["platform"] = string(r.Filter.Channel)
	}
	var a *tools.CampaignsAnswer
	var rows []tools.CampaignRow
	err := askAll(r, tools.Campaigns, with, func(one *tools.CampaignsAnswer) *answers.Pagination {
		if a == nil {
			a = one
		}
		rows = append(rows, one.Rows...)
		return one.Pagination
	})
	if err != nil {
		return nil, err
	}
	c := a.Currency
	money := func(x answers.Money) string { return amount(x, c) }
	view := &reportView{
		Heading: campaignsHeading(a, rows), Lead: "Revenue and conversions are reported by the platforms. Credited revenue is the store's last-touch revenue.",
		Bar: r.Filter.bar(r.URL, uses{channel: true}), Warnings: sentences(a.Warnings),
	}
	view.KPIs = []frame.KPI{
		kpiOf("Spend", a.Metrics.Spend, money, neutral, ""), kpiOf("Reported revenue", a.Metrics.Revenue, money, moreIsBetter, ""),
		kpiOf("Reported ROAS", a.Metrics.ROAS, ratioText, moreIsBetter, ""), kpiOf("Conversions", a.Metrics.Conversions, countText, moreIsBetter, ""),
	}
	if a.Metrics.Credited != nil {
		view.KPIs[3] = kpiOf("Credited revenue", *a.Metrics.Credited, money, moreIsBetter, "")
	}
	view.Blocks = []block{block{
		Section: r.section("campaigns", "Campaigns", "", "campaigns report", r.call("campaigns", "campaigns", with)), Table: campaignTable(a, rows),
	}.WithCSV(r.csv(""))}
	return view, nil
}

func campaignsHeading(a *tools.CampaignsAnswer, rows []tools.CampaignRow) string {
	if len(rows) == 0 || a.Metrics.Spend.Value == nil {
		return "No campaign is reported in this period."
	}
	text := answers.Plural(a.Pagination.Total, "campaign", "campaigns") + " spent " + amount(*a.Metrics.Spend.Value, a.Currency) + "."
	if a.Metrics.ROAS.Value != nil {
		text += " Platforms report a ROAS of " + ratioText(*a.Metrics.ROAS.Value) + "."
	}
	return text
}

func campaignTable(a *tools.CampaignsAnswer, rows []tools.CampaignRow) *frame.Table {
	t := &frame.Table{Caption: "Campaigns", Columns: []frame.Column{
		{Key: "campaign", Name: "Campaign"},
		{Key: "platform", Name: "Platform", Minor: true},
		{Key: "spend", Name: "Spend", Number: true},
		{Key: "reported_revenue", Name: "Reported", Number: true, Minor: true},
		{Key: "reported_roas", Name: "ROAS", Number: true},
		{Key: "conversions", Name: "Conversions", Number: true, Minor: true},
		{Key: "cpa", Name: "CPA", Number: true, Minor: true},
		{Key: "ctr_pct", Name: "CTR", Number: true, Minor: true},
		{Key: "credited_revenue", Name: "Credited", Number: true, Minor: true},
	}}
	for _, row := range rows {
		name := frame.TextCell(row.Name)
		name.Color = frame.ChannelColor(row.Platform)
		t.Rows = append(t.Rows, frame.Row{Cells: []frame.Cell{
			name, frame.TextCell(frame.ChannelName(row.Platform)), frame.MoneyCell(&row.Spend, 0, a.Currency), frame.MoneyCell(&row.Revenue, 0, a.Currency),
			frame.FigureCell(row.ROAS, 2),
			frame.FigureCell(&row.Conversions, 0), frame.MoneyCell(row.CPA, 2, a.Currency), frame.PercentCell(row.CTRPct),
			frame.MoneyCell(row.CreditedRevenue, 0, a.Currency),
		}})
	}
	return t
}
