package warehouse

import (
	"context"
	"fmt"

	"assay/internal/measure"
)

// Campaigns returns the figures that platforms report.
func (w *campaignQuestions) Campaigns(ctx context.Context, ws measure.WorkspaceID, of CampaignsOf) (CampaignPage, error) {
	var page CampaignPage
	bind := of.bind()
	err := w.ask(ctx, ws, of.text("campaign_totals", "creative_totals"), bind, func(row Row) error {
		var period, entries int
		var t CampaignTotal
		into := append([]any{&period, &entries, &t.FirstDay, &t.LastDay}, t.claims()...)
		err := row.Scan(append(into, of.credited(&t)...)...)
		*page.Totals.of(period) = t
		if period == 0 {
			page.Total = entries
		}
		return err
	})
	if err != nil {
		return CampaignPage{}, fmt.Errorf("campaign totals: %w", err)
	}
	err = w.ask(ctx, ws, of.text("campaigns", "creatives"), bind, func(row Row) error {
		var t CampaignTotal
		err := row.Scan(of.row(&t)...)
		page.Rows = append(page.Rows, t)
		return err
	})
	return page, err
}

func (of CampaignsOf) bind() values {
	bind := of.Windows.bind()
	bind["platform"], bind["campaign"] = string(of.Platform), of.Campaign
	bind["sort"], bind["limit"], bind["offset"] = string(of.Sort), orAll(of.Limit), of.Offset
	return bind
}

// text selects the SQL text for the level.
func (of CampaignsOf) text(campaigns, creatives string) string {
	if of.Level == Creatives {
		return creatives
	}
	return campaigns
}

// row returns the scan destinations of a row at the level.
func (of CampaignsOf) row(t *CampaignTotal) []any {
	into := []any{&t.Platform, &t.CampaignID}
	if of.Level == Creatives {
		into = append(into, &t.AdSetID, &t.AdID)
	}
	into = append(into, &t.Channel, &t.Account, &t.CampaignName, &t.Attribution)
	if of.Level == Creatives {
		into = append(into, &t.AdSetName, &t.AdName)
	}
	into = append(into, &t.FirstDay, &t.LastDay)
	into = append(into, t.claims()...)
	return append(into, of.credited(t)...)
}

func (t *CampaignTotal) claims() []any {
	return []any{&t.Spend, &t.Impressions, &t.Clicks, &t.Conversions, &t.Value}
}

// credited returns the scan destinations of the credit columns. Only campaigns have attributed orders, because
// touchpoints do not name ads.
func (of CampaignsOf) credited(t *CampaignTotal) []any {
	if of.Level == Creatives {
		return nil
	}
	return sumsOf(&t.Credited)
}
