package action

import (
	"net/http"
	"strconv"
	"time"

	"assay/internal/ads"
	"assay/internal/console/frame"
	"assay/internal/sheet"
)

// export sends the changes of a filter as CSV.
func (c *pages) export(w http.ResponseWriter, v frame.Visit) {
	p, ok := c.PlaceOf(w, v, v.URL.Query().Get("workspace"))
	if !ok {
		return
	}
	f, err := filterIn(v.URL.Query(), p.Workspace.ID)
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	rows, err := c.selected(v, p, f)
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	frame.WriteCSV(w, string(p.Workspace.ID)+"-budget-changes.csv", table(rows))
}

// table returns the changes with a header. A cell that a spreadsheet would run as a formula begins with an apostrophe.
func table(rows []changeRow) [][]string {
	all := [][]string{{
		"id", "requested_at", "platform", "account", "campaign_id", "campaign", "field", "previous", "new", "currency", "change_pct",
		"status", "requested_by", "reason", "decided_by", "problem", "rolls_back", "rolled_back_by",
	}}
	for _, r := range rows {
		from, to, pct := sheet.Text(r.Previous.Text), sheet.Text(r.New.Text), ""
		if currency := r.New.Amount.Currency; currency != "" {
			from, to = r.Previous.Amount.Decimal(), r.New.Amount.Decimal()
		}
		if p := r.Percent(); p != nil {
			pct = strconv.FormatFloat(*p, 'f', 2, 64)
		}
		all = append(all, []string{
			string(r.ID), r.At.UTC().Format(time.RFC3339), ads.WritingName(r.Platform), sheet.Text(r.Account), sheet.Text(r.Campaign),
			sheet.Text(r.CampaignName), string(r.Field), from, to, string(r.New.Amount.Currency), pct, string(r.Status), sheet.Text(r.By),
			sheet.Text(r.Reason), sheet.Text(r.Decider), sheet.Text(r.Problem), string(r.RollsBack), string(r.RolledBackBy),
		})
	}
	return all
}
