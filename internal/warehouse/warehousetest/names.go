package warehousetest

import (
	"fmt"

	"assay/internal/measure"
	"assay/internal/warehouse"
)

// namesFillReports imports names, and spend with IDs only, in different sequences. Reports must have the last version
// of a name.
func namesFillReports(on trial) {
	t, w := on.t, on.w
	spend := func(campaign, ad string, minor int64) warehouse.AdDay {
		return warehouse.AdDay{
			Source: "meta_ads", Platform: measure.Facebook, Account: "a", Channel: "facebook", Day: date("2026-01-05"), CampaignID: campaign, AdID: ad, Spend: minor,
		}
	}
	name := func(level measure.AdLevel, id, called, campaign, adSet, updated string) warehouse.AdName {
		n := warehouse.AdName{Platform: measure.Facebook, Level: level, ID: id, Name: called, Campaign: campaign, AdSet: adSet}
		if updated != "" {
			n.UpdatedAt = instant(updated)
		}
		return n
	}
	const early, late = "2026-01-01T00:00:00Z", "2026-01-03T00:00:00Z"
	pieces := map[byte]warehouse.Batch{
		's': {AdDays: []warehouse.AdDay{spend("1203", "1203", 100), spend("1204", "1204", 10), spend("77", "", 50)}},
		'a': {AdNames: []warehouse.AdName{name(measure.AdItself, "1203", "Video", "", "1202", late), name(measure.AdItself, "1204", "Still", "1201", "1202", late)}},
		'g': {AdNames: []warehouse.AdName{name(measure.AdSet, "1202", "Broad", "1201", "", "")}},
		'c': {AdNames: []warehouse.AdName{
			name(measure.AdCampaign, "1201", "Prospecting", "", "", late), name(measure.AdCampaign, "1201", "Before", "", "", early),
			name(measure.AdCampaign, "77", "Brand", "", "", ""),
			{Platform: measure.TikTok, Level: measure.AdCampaign, ID: "77", Name: "Another platform's"},
		}},
		'o': {AdNames: []warehouse.AdName{name(measure.AdCampaign, "1201", "Long ago", "", "", early)}},
	}
	want := []string{"1201/1202/1203 Prospecting, Broad, Video: 100", "77// Brand, , : 50", "1201/1202/1204 Prospecting, Broad, Still: 10"}
	for _, order := range []string{"sagco", "cgas", "gsaoc", "ocsga"} {
		ws := measure.WorkspaceID("names-" + order)
		for _, piece := range []byte(order) {
			load(t, w, warehouse.ImportSpec{Workspace: ws}, pieces[piece])
		}
		of := warehouse.CampaignsOf{Windows: warehouse.Windows{Recent: january}, Level: warehouse.Creatives, Sort: warehouse.BySpend, Limit: 10}
		var got []string
		for _, r := range answer[warehouse.CampaignPage](t)(w.Campaigns(t.Context(), ws, of)).Rows {
			got = append(got, fmt.Sprintf("%s/%s/%s %s, %s, %s: %d", r.CampaignID, r.AdSetID, r.AdID, r.CampaignName, r.AdSetName, r.AdName, r.Spend))
		}
		same(t, "ads imported as "+order, want, got)
		of.Level = warehouse.Campaigns
		page := answer[warehouse.CampaignPage](t)(w.Campaigns(t.Context(), ws, of))
		same(t, "campaigns imported as "+order, []any{2, "Prospecting", int64(110)}, []any{len(page.Rows), page.Rows[0].CampaignName, page.Rows[0].Spend})
		again := load(t, w, warehouse.ImportSpec{Workspace: ws}, pieces['c'])
		same(t, "days that change with the same names", 0, again.DaysHit)
	}
}
