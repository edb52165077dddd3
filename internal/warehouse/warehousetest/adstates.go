package warehousetest

import (
	"fmt"
	"time"

	"assay/internal/measure"
	"assay/internal/warehouse"
)

// campaignsKeepTheirVersions imports versions of campaigns in several sequences, each of them twice. A field that a
// version omits keeps its previous value. A later import of a version replaces the version of the same instant.
func campaignsKeepTheirVersions(on trial) {
	t, w := on.t, on.w
	version := func(since, read, name, fields string, status measure.AdStatus, budget int64) measure.AdState {
		s := measure.AdState{
			Platform: measure.Facebook, Level: measure.AdCampaign, ID: "1201", Since: instant(since), Read: instant(read), Account: "a", Name: name, Told: fields, Status: status,
		}
		if budget > 0 {
			s.Budget = measure.AdBudget{Value: budget, Unit: measure.BudgetMinor, Per: measure.PerDay}
		}
		return s
	}
	const first, second, third, fourth = "2026-01-01T08:00:00Z", "2026-01-03T08:00:00Z", "2026-01-05T08:00:00Z", "2026-01-07T08:00:00Z"
	spend := warehouse.AdDay{Source: "meta_ads", Platform: measure.Facebook, Account: "a", Channel: "facebook", Day: date("2026-01-05"), CampaignID: "1201", Spend: 100}
	spend.Original.Currency = "EUR"
	pieces := map[byte]warehouse.Batch{
		'd': {AdDays: []warehouse.AdDay{spend}},
		'a': {AdStates: []measure.AdState{version(first, first, "Brand", "ACTIVE", measure.AdActive, 50_00)}},
		'n': {AdStates: []measure.AdState{version(second, second, "Brand II", "", "", 0)}},
		'p': {AdStates: []measure.AdState{version(third, fourth, "Brand II", "PAUSED", measure.AdPaused, 80_00)}},
		'o': {AdStates: []measure.AdState{version(third, third, "Brand II", "PAUSED", measure.AdPaused, 70_00)}},
		's': {AdStates: []measure.AdState{version(fourth, fourth, "Brand II", "PAUSED", measure.AdPaused, 80_00)}},
	}
	adSet := func(id, since, name string) measure.AdState {
		return measure.AdState{Platform: measure.Facebook, Level: measure.AdSet, ID: id, Since: instant(since), Name: name, Campaign: "1201"}
	}
	pieces['s'] = warehouse.Batch{AdStates: append(pieces['s'].AdStates, adSet("7", first, "Old"), adSet("7", second, "Older"), adSet("8", first, "Broad"), adSet("8", third, "Narrow"))}
	standing := func(ws measure.WorkspaceID, at string) string {
		for _, s := range answer[measure.AdHistory](t)(w.AdHistory(t.Context(), ws, measure.AdHistoryOf{Until: instant(at)})).Standings {
			return fmt.Sprintf("%s %s %s %s %s since %s", s.Platform, s.ID, s.Status, s.Told, s.Budget.Words(s.Currency), s.Since.Format(time.RFC3339))
		}
		return "nothing"
	}
	for _, order := range []string{"danpos", "sopnad", "ospands"} {
		ws := measure.WorkspaceID("states-" + order)
		for _, piece := range []byte(order + order) {
			load(t, w, warehouse.ImportSpec{Workspace: ws}, pieces[piece])
		}
		same(t, "before the first version, imported as "+order, "nothing", standing(ws, first))
		same(t, "a version that tells a name only, imported as "+order, "facebook 1201 active ACTIVE EUR 50.00 per day since "+second, standing(ws, third))
		same(t, "the last version, imported as "+order, "facebook 1201 paused PAUSED EUR 80.00 per day since "+fourth, standing(ws, "2026-02-01T00:00:00Z"))
		var got []string
		of := measure.AdHistoryOf{From: instant("2025-01-01T00:00:00Z"), Until: instant("2027-01-01T00:00:00Z")}
		for _, c := range answer[measure.AdHistory](t)(w.AdHistory(t.Context(), ws, of)).Changes {
			got = append(got, fmt.Sprint(c.Now.Since.Format(time.DateOnly), c.Moves()))
		}
		want := []string{
			"2026-01-05[{name Broad Narrow}]", "2026-01-05[{status ACTIVE PAUSED} {budget EUR 50.00 per day EUR 80.00 per day}]",
			"2026-01-03[{name Old Older}]", "2026-01-03[{name Brand Brand II}]",
		}
		same(t, "changes, imported as "+order, want, got)
		since := measure.AdHistoryOf{From: instant(third), Until: of.Until}
		quiet := measure.AdHistoryOf{From: instant("2026-01-08T00:00:00Z"), Until: of.Until}
		same(t, "campaigns of a period without a version, imported as "+order, 1, len(answer[measure.AdHistory](t)(w.AdHistory(t.Context(), ws, quiet)).Standings))
		same(t, "changes of a later period, imported as "+order, 2, len(answer[measure.AdHistory](t)(w.AdHistory(t.Context(), ws, since)).Changes))
		for what, narrow := range map[string]measure.AdHistoryOf{
			"before the period":  {From: instant(fourth), Until: of.Until},
			"another platform's": {From: of.From, Until: of.Until, Platform: measure.Google},
			"another campaign's": {From: of.From, Until: of.Until, Campaign: "1202"},
		} {
			same(t, what+", imported as "+order, 0, len(answer[measure.AdHistory](t)(w.AdHistory(t.Context(), ws, narrow)).Changes))
		}
	}
}
