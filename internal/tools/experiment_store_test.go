package tools

import (
	"context"
	"fmt"
	"math/rand/v2"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// fixtureExperiments are the experiments of the workspaces "full" and "tested".
type fixtureExperiments struct{}

func (fixtureExperiments) Experiments(_ context.Context, ws measure.WorkspaceID) ([]control.Experiment, error) {
	days := func(first, last string) civil.Range {
		return civil.Range{First: civil.MustParse(first), Last: civil.MustParse(last)}
	}
	build := func(id control.ExperimentID, channel measure.Channel, kind control.ExperimentKind, status control.ExperimentStatus, when civil.Range) control.Experiment {
		return control.Experiment{ID: id, Workspace: ws, Name: "Test of " + string(channel), Channel: channel, Kind: kind, Status: status, Days: when, Version: 1}
	}
	switch ws {
	case "full":
		study := build("facebook-study", "facebook", control.ConversionLift, control.ExperimentCompleted, days("2025-11-03", "2025-11-30"))
		study.Found, study.Applied = &control.Finding{Return: 1.2, Low: 0.6, High: 1.8, LevelPct: 95}, true
		second := build("facebook-again", "facebook", control.LiftStudy, control.ExperimentCompleted, days("2026-01-05", "2026-02-01"))
		second.Found, second.Applied = &control.Finding{Return: 0.9, Low: 0.7, High: 1.1, LevelPct: 90}, true
		unread := build("google-holdout", "google", control.GeoTest, control.ExperimentCompleted, days("2025-12-01", "2025-12-28"))
		unread.Treated = []string{"CA"}
		running := build("tiktok-holdout", "tiktok", control.GeoTest, control.ExperimentRunning, days("2026-03-01", "2026-03-28"))
		running.Treated, running.Hypothesis = []string{"NY"}, "=1+1 nothing is lost"
		return []control.Experiment{build("podcast-idea", "podcast", control.GeoTest, control.ExperimentDraft, civil.Range{}), running, second, unread, study}, nil
	case "tested":
		test := build("facebook-scale-up", "facebook", control.GeoTest, control.ExperimentCompleted, days("2026-01-19", "2026-02-15"))
		test.Treated = []string{"AL", "IA", "NV", "OR"}
		return []control.Experiment{test}, nil
	}
	return nil, nil
}

// testedRegions are the regions of the workspace "tested".
var testedRegions = []string{"AL", "AR", "AZ", "CO", "CT", "GA", "IA", "KS", "MD", "MN", "NV", "OR", "SC", "UT", "WA", "WI"}

// testedBatch returns 24 weeks of orders, one per day and region. During the four weeks of an experiment, four regions
// have four times the spend and 20% more revenue.
func testedBatch() *warehouse.Batch {
	b := &warehouse.Batch{}
	r := rand.New(rand.NewPCG(11, 12))
	tests, _ := fixtureExperiments{}.Experiments(context.Background(), "tested")
	test := tests[0]
	for day := fixtureToday.AddDays(-167); !day.After(fixtureToday); day = day.AddDays(1) {
		for i, region := range testedRegions {
			charged := int64(float64(5000+400*i) * (1 + 0.1*r.NormFloat64()))
			spend := int64(500)
			for _, treated := range test.Treated {
				if treated == region && test.Days.Contains(day) {
					charged, spend = charged*6/5, 4*spend
				}
			}
			ref := warehouse.OrderRef{Source: "shop", Key: fmt.Sprintf("%s-%s", day, region)}
			at := day.UTC().Add(17 * 3600e9)
			b.Orders = append(b.Orders, warehouse.Order{
				OrderRef: ref, Name: "#" + ref.Key, At: at, Day: day, Surface: measure.OnlineStore, Customer: ref.Key, Charged: charged,
				Original: money.Amount{Minor: charged, Currency: "USD"}, Status: "paid", Country: "US", Region: region, Units: 1,
			})
			if i%2 == 0 {
				b.Touches = append(b.Touches, warehouse.Touch{OrderRef: ref, Seq: 1, At: at.Add(-3600e9), Channel: "facebook", Platform: measure.Facebook, Campaign: "f", Kind: "click"})
			}
			b.AdDays = append(b.AdDays, warehouse.AdDay{
				Source: "facebook_ads", Platform: measure.Facebook, Account: "a", Channel: "facebook", Day: day, CampaignID: "f", AdSetID: "s", AdID: "1",
				Country: "US", Region: region, Spend: spend, Original: money.Amount{Minor: spend, Currency: "USD"},
			})
		}
	}
	return b
}
