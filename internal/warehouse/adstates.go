package warehouse

import (
	"cmp"
	"context"
	"slices"
	"time"

	"assay/internal/measure"
)

// AdHistory returns the state of campaigns at the end of a period, and the changes of campaigns, ad sets and ads in the
// period. Versions come from connector tables of campaigns, ad sets and ads. The result excludes objects that occur
// only in reports. The first known version of an object is not a change. States are sorted by platform and ID. Changes
// are sorted newest first.
func (w *campaignQuestions) AdHistory(ctx context.Context, ws measure.WorkspaceID, of measure.AdHistoryOf) (measure.AdHistory, error) {
	var h measure.AdHistory
	var now measure.AdStanding
	bind := values{"platform": string(of.Platform), "campaign": of.Campaign, "since": instantText(of.From), "until": instantText(of.Until)}
	end := func() {
		if now.Level == measure.AdCampaign {
			h.Standings = append(h.Standings, now)
		}
	}
	err := w.ask(ctx, ws, "ad_versions", bind, func(row Row) error {
		var v measure.AdStanding
		err := row.Scan(&v.Platform, &v.Level, &v.ID, &v.Since, &v.Name, &v.Status, &v.Told, &v.Budget.Value, &v.Budget.Unit, &v.Budget.Per, &v.Currency)
		if v.Platform != now.Platform || v.Level != now.Level || v.ID != now.ID {
			end()
			now = v
			return err
		}
		v.AdState = v.After(now.AdState)
		change := measure.AdChange{Before: now.AdState, Now: v.AdState, Currency: v.Currency}
		if !v.Since.Before(of.From) && len(change.Moves()) > 0 {
			h.Changes = append(h.Changes, change)
		}
		now = v
		return err
	})
	end()
	slices.SortStableFunc(h.Changes, func(a, b measure.AdChange) int {
		return cmp.Or(b.Now.Since.Compare(a.Now.Since), cmp.Compare(a.Now.Platform, b.Now.Platform), cmp.Compare(a.Now.Level, b.Now.Level), cmp.Compare(a.Now.ID, b.Now.ID))
	})
	return h, err
}

// instantText formats an instant in the form that the SQL statements compare.
func instantText(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05.999999") }
