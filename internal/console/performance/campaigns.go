package performance

import (
	"slices"

	answers "assay/internal/answer"
	"assay/internal/console/frame"
	"assay/internal/money"
	"assay/internal/toolkit"
	"assay/internal/tools"
	"assay/internal/warehouse"
)

// campaigns shows the spend and the ROAS of each campaign.
func campaigns(r *request) (*reportView, error) {
	if channel := r.Filter.Channel; channel != "" && !slices.Contains(platforms, string(channel)) {
		return &reportView{
			Heading: "No ad platform reports campaigns for " + frame.ChannelName(channel) + ".",
			Lead:    "Select all channels, or the channel of an ad platform with campaign reports.", Bar: r.bar(),
		}, nil
	}
	with := dated(r.Filter.Days)
	if r.URL.Query().Get("level") == string(warehouse.Creatives) {
		with["level"] = string(warehouse.Creatives)
	}
	if r.Filter.Channel != "" {
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
		Heading: campaignsHeading(a, rows), Lead: "Revenue and conversions are platform-reported. Attributed revenue is revenue that last touch attributes to campaigns. " +
			"The incremental ROAS of a campaign is the channel’s best estimate of incremental ROAS, multiplied by the campaign’s relative ROAS. The relative ROAS is shrunk toward the mean of the campaigns. " +
			"The probability of profit is the probability that the marginal ROAS is above the break-even ROAS.",
		Bar: r.bar(), Warnings: sentences(a.Warnings),
	}
	view.KPIs = []frame.KPI{
		kpiOf("Spend", a.Metrics.Spend, money, neutral, ""), kpiOf("Reported revenue", a.Metrics.Revenue, money, moreIsBetter, ""),
		kpiOf("Reported ROAS", a.Metrics.ROAS, ratioText, moreIsBetter, ""), kpiOf("Conversions", a.Metrics.Conversions, countText, moreIsBetter, ""),
	}
	if a.Metrics.Credited != nil {
		view.KPIs[3] = kpiOf("Attributed revenue", *a.Metrics.Credited, money, moreIsBetter, "")
	}
	view.Blocks = []block{block{
		Section: r.section("campaigns", "Campaigns", "", "campaigns report", r.call("campaigns", "campaigns", with)), Table: campaignTable(a, rows),
		After: cut(len(rows), a.Pagination.Total, "the most spend"),
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
		{Key: "campaign", Name: "Campaign", Second: "platform"},
		{Key: "spend", Name: "Spend", Number: true},
		{Key: "reported_revenue", Name: "Reported", Number: true, Minor: true},
		{Key: "reported_roas", Name: "Reported ROAS", Number: true, Minor: true},
		{Key: "incremental_roas", Name: "Incremental ROAS", Second: "incremental_roas_interval", Number: true},
		{Key: "contribution", Name: "Contribution after spend", Second: "contribution_interval", Number: true, Minor: true},
		{Key: "pays", Name: "Probability of profit", Number: true, Minor: true},
		{Key: "verdict", Name: "Verdict"},
		{Key: "conversions", Name: "Conversions", Second: "ctr", Number: true, Minor: true},
		{Key: "cpa", Name: "CPA", Number: true, Minor: true},
		{Key: "credited_revenue", Name: "Attributed", Number: true, Minor: true},
	}}
	for _, row := range rows {
		name := frame.TextCell(row.Name)
		conversions := frame.FigureCell(&row.Conversions, 0)
		if row.CTRPct != nil {
			conversions.Sub = "CTR " + frame.PercentCell(row.CTRPct).Text
		}
		name.Color, name.Sub = frame.ChannelColor(row.Platform), frame.ChannelName(row.Platform)
		t.Rows = append(t.Rows, frame.Row{Cells: []frame.Cell{
			name, frame.MoneyCell(&row.Spend, 0, a.Currency), frame.MoneyCell(&row.Revenue, 0, a.Currency),
			frame.FigureCell(row.ROAS, 2), returnCell(row), contributionCell(row, a.Currency), frame.PercentCell(row.PaysPct), verdictCell(row),
			conversions, frame.MoneyCell(row.CPA, 2, a.Currency),
			frame.MoneyCell(row.CreditedRevenue, 0, a.Currency),
		}})
	}
	return t
}

// returnCell shows the incremental ROAS of a campaign with its interval.
func returnCell(row tools.CampaignRow) frame.Cell {
	if row.Return == nil {
		return frame.None("unknown")
	}
	cell := frame.FigureCell(&row.Return.Value, 2)
	cell.Sub = ratioText(row.Return.Low) + " to " + ratioText(row.Return.High)
	return cell
}

// contributionCell shows the contribution after spend of a campaign with its interval.
func contributionCell(row tools.CampaignRow, c money.Currency) frame.Cell {
	if row.Profit == nil {
		return frame.None("unknown")
	}
	cell := frame.MoneyCell(&row.Profit.Value, 0, c)
	cell.Sub = amount(row.Profit.Low, c) + " to " + amount(row.Profit.High, c)
	return cell
}

// verdictCell shows whether to scale, keep or cut a campaign.
func verdictCell(row tools.CampaignRow) frame.Cell {
	if row.PaysPct == nil {
		return frame.None("")
	}
	cell := frame.Cell{Text: row.Verdict, Tag: true}
	switch row.Verdict {
	case toolkit.ScaleCampaign:
		cell.Tone = "good"
	case toolkit.CutCampaign:
		cell.Tone = "bad"
	}
	return cell
}
