package setup_test

import (
	"html"
	"net/http"
	"strings"
	"testing"

	"assay/internal/civil"
	"assay/internal/console/consoletest"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

func TestChangesAtAdPlatformsAreShown(t *testing.T) {
	t.Parallel()
	d := consoletest.NewData(t)
	d.Member(consoletest.Email, control.RoleViewer)
	var b warehouse.Batch
	for i, told := range []string{"ACTIVE", "PAUSED"} {
		b.AdStates = append(b.AdStates, measure.AdState{
			Platform: measure.Google, Level: measure.AdCampaign, ID: "99", Since: civil.MustParse("2036-09-01").AddDays(i).UTC(), Name: "Brand <b>", Told: told,
			Budget: measure.AdBudget{Value: int64(i+1) * 10_000_000, Unit: measure.BudgetMillionths, Per: measure.PerDay},
		})
	}
	b.AdDays = []warehouse.AdDay{{Source: "google_ads", Platform: measure.Google, Channel: "google", Day: civil.MustParse("2036-09-01"), CampaignID: "99", Spend: 1}}
	b.AdDays[0].Original.Currency = "USD"
	in, err := d.Facts.Begin(t.Context(), warehouse.ImportSpec{Workspace: "acme", Source: "google_names", File: "campaigns.csv", FileHash: "1"})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Abort()
	if err := in.Add(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	browser := d.SignedIn(consoletest.Email)
	for path, shown := range map[string]bool{
		"/data/history?workspace=acme":                true,
		"/data/history?workspace=acme&day=2036-09-02": true,
		"/data/history?workspace=acme&day=2036-09-01": false, // the first version changes nothing
	} {
		page := browser.Get(path)
		text := html.UnescapeString(page.Body)
		for _, want := range []string{"Changes on ad platforms", "Brand <b>", "status <bdi>ACTIVE</bdi> → <bdi>PAUSED</bdi>", "budget <bdi>USD 10.00 per day</bdi> → <bdi>USD 20.00 per day</bdi>"} {
			if page.Status != http.StatusOK || strings.Contains(text, want) != shown {
				t.Errorf("%s: %d, contains %q: %t, want %t", path, page.Status, want, !shown, shown)
			}
		}
		if strings.Contains(page.Body, "Brand <b>") {
			t.Errorf("%s: a campaign's name is interpreted as HTML", path)
		}
	}
}
