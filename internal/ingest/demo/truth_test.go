package demo_test

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/civil"
	"assay/internal/ingest/demo"
	"assay/internal/measure"
)

// noonShare is the share of a day's orders before noon, from docs/methods/demo-store.md.
const noonShare = 24.15 / 87.75

// everySize lists the stores for tests of general properties.
func everySize() []size {
	sizes := []size{full, small, {1, 365, 5_000}, {3, 30, 100}}
	for seed := uint64(1); seed <= 5; seed++ {
		sizes = append(sizes, size{seed, 120, 2_000})
	}
	return sizes
}

func TestIncrementalRevenueFollowsFromTheReportedSpend(t *testing.T) {
	t.Parallel()
	for _, size := range everySize() {
		s := generated(t, size)
		for channel, truth := range s.truth.Channels {
			spend, revenue := s.recompute(channel, truth)
			if math.Abs(spend-truth.Spend) > 0.005 {
				t.Errorf("%v: spend of %s is %.2f by the reports, %.2f by the truth", size, channel, spend, truth.Spend)
			}
			// The truth is rounded to cents.
			if math.Abs(revenue-truth.IncrementalRevenue) > 0.006+1e-9*revenue {
				t.Errorf("%v: incremental revenue of %s is %.4f by the equations, %.4f by the truth", size, channel, revenue, truth.IncrementalRevenue)
			}
			if truth.Spend > 0 && math.Abs(truth.ROAS-revenue/spend) > 1e-4*truth.ROAS {
				t.Errorf("%v: ROAS of %s is %.5f, want %.5f", size, channel, truth.ROAS, revenue/spend)
			}
		}
	}
}

// recompute derives spend and incremental revenue from the emitted rows by the documented equations alone.
func (s *store) recompute(channel measure.Channel, truth demo.ChannelTruth) (spend, revenue float64) {
	people := s.people()
	national := make([]float64, s.opt.Days)
	regional := map[string][]float64{}
	book := func(day civil.Date, region string, cents int64) {
		into := national
		if region != "" {
			if regional[region] == nil {
				regional[region] = make([]float64, s.opt.Days)
			}
			into = regional[region]
		}
		into[day.Sub(s.truth.FirstDay)] += float64(cents) / 100
		spend += float64(cents) / 100
	}
	for _, row := range s.rows.AdDays {
		if row.Channel == channel {
			book(row.Day, row.Region, row.Spend)
		}
	}
	for _, row := range s.rows.ChannelSpend {
		if row.Channel == channel {
			book(row.Day, row.Region, row.Spend)
		}
	}
	if len(regional) == 0 {
		return spend, s.respond(truth, national, 1)
	}
	for region, share := range people {
		days := make([]float64, s.opt.Days)
		for t := range days {
			days[t] = share * national[t]
			if own := regional[region]; own != nil {
				days[t] += own[t]
			}
		}
		revenue += s.respond(truth, days, share)
	}
	return spend, revenue
}

// people returns each state's share of the population.
func (s *store) people() map[string]float64 {
	people, all := map[string]float64{}, 0.0
	for _, row := range s.rows.RegionDays {
		if row.Day == s.truth.FirstDay {
			people[row.Region] = float64(row.Population)
			all += float64(row.Population)
		}
	}
	for region := range people {
		people[region] /= all
	}
	return people
}

func (s *store) respond(truth demo.ChannelTruth, spend []float64, share float64) float64 {
	total := 0.0
	for t := range spend {
		carried, weights := 0.0, 0.0
		for lag := range truth.Adstock.Window {
			power := float64(lag)
			if truth.Adstock.Form == "delayed" {
				power = math.Pow(float64(lag)-truth.Adstock.Theta, 2)
			}
			w := math.Pow(truth.Adstock.Alpha, power)
			weights += w
			if t >= lag {
				carried += w * spend[t-lag]
			}
		}
		total += s.open(t) * share * curve(truth.Saturation, carried/weights/share)
	}
	return total
}

func curve(s demo.Saturation, a float64) float64 {
	if s.Form == "hill" {
		if a == 0 {
			return 0
		}
		return s.Beta / (1 + math.Pow(s.HalfSaturation/a, s.Slope))
	}
	e := math.Exp(-s.Lam * a / s.Scale)
	return s.Beta * (1 - e) / (1 + e)
}

func (s *store) open(t int) float64 {
	part := 1.0
	if t == s.opt.Days-1 {
		part = noonShare
	}
	for _, a := range s.truth.Anomalies {
		if a.Metric == "revenue" && a.Factor < 1 && a.Date.Sub(s.truth.FirstDay) == t {
			part *= a.Factor
		}
	}
	return part
}

// TestHaloIsTheDocumentedShareOfOrders compares the coefficients with the table of docs/methods/demo-store.md.
func TestHaloIsTheDocumentedShareOfOrders(t *testing.T) {
	t.Parallel()
	reach := map[measure.Channel]map[measure.Surface]float64{
		"facebook":   {measure.OnlineStore: .84, measure.Marketplace: .09, measure.ShortVideoShop: .02, measure.Retail: .05},
		"google":     {measure.OnlineStore: .90, measure.Marketplace: .05, measure.Retail: .05},
		"tiktok":     {measure.OnlineStore: .62, measure.Marketplace: .12, measure.ShortVideoShop: .26},
		"snapchat":   {measure.OnlineStore: .90, measure.ShortVideoShop: .10},
		"amazon":     {measure.OnlineStore: .07, measure.Marketplace: .93},
		"podcast":    {measure.OnlineStore: .74, measure.Marketplace: .10, measure.Retail: .16},
		"influencer": {measure.OnlineStore: .80, measure.Marketplace: .08, measure.ShortVideoShop: .12},
		"affiliate":  {measure.OnlineStore: 1},
	}
	s := generated(t, full)
	charged, orders := map[measure.Surface]float64{}, map[measure.Surface]float64{}
	for _, o := range s.rows.Orders {
		orders[o.Surface]++
		if !o.Cancelled && !o.Test {
			charged[o.Surface] += float64(o.Charged)
		}
	}
	if len(s.truth.Halo) != 13 {
		t.Errorf("%d halo coefficients, want 13", len(s.truth.Halo))
	}
	for _, h := range s.truth.Halo {
		all := 0.0
		for _, surface := range measure.Surfaces() {
			if orders[surface] > 0 {
				all += reach[h.Channel][surface] * charged[surface] / orders[surface]
			}
		}
		part := reach[h.Channel][h.Surface] * charged[h.Surface] / orders[h.Surface] / all
		if want := part * s.truth.Channels[h.Channel].ROAS; math.Abs(h.Coefficient-want) > 1e-5 {
			t.Errorf("halo of %s on %s is %.6f, want %.6f", h.Channel, h.Surface, h.Coefficient, want)
		}
	}
}

func TestTheMixOfChannelsIsPlausible(t *testing.T) {
	t.Parallel()
	for _, size := range everySize()[:3] {
		s := generated(t, size)
		spend, revenue := 0.0, 0.0
		for channel, truth := range s.truth.Channels {
			spend, revenue = spend+truth.Spend, revenue+truth.IncrementalRevenue
			if truth.ROAS < 0.3 || truth.ROAS > 4.5 {
				t.Errorf("%v: ROAS of %s is %.2f", size, channel, truth.ROAS)
			}
		}
		store := s.revenue()
		if r := spend / store; r < 0.15 || r > 0.30 {
			t.Errorf("%v: spend is %.0f%% of revenue", size, 100*r)
		}
		if r := revenue / store; r < 0.30 || r > 0.55 {
			t.Errorf("%v: spend generates %.0f%% of revenue", size, 100*r)
		}
	}
}

func (s *store) revenue() float64 {
	total := 0.0
	for _, o := range s.rows.Orders {
		if !o.Cancelled && !o.Test {
			total += float64(o.Charged) / 100
		}
	}
	return total
}

func TestUntrackedShareIsThatOfTheOrders(t *testing.T) {
	t.Parallel()
	for _, size := range everySize() {
		s := generated(t, size)
		touched := s.touched()
		all, without := 0.0, 0.0
		for _, o := range s.rows.Orders {
			if o.Cancelled || o.Test {
				continue
			}
			all++
			if !touched[o.Key] {
				without++
			}
		}
		if math.Abs(without/all-s.truth.UntrackedShare) > 1e-6 {
			t.Errorf("%v: %.6f of the orders have no touchpoint, the truth has %.6f", size, without/all, s.truth.UntrackedShare)
		}
		// The tolerance is three standard errors, plus up to one percentage point for the day without tracking.
		if room := 0.01 + 3*math.Sqrt(0.09/all); math.Abs(s.truth.UntrackedShare-0.10) > room {
			t.Errorf("%v: untracked share is %.3f", size, s.truth.UntrackedShare)
		}
	}
}

func TestTruthHasTheKeysThatScriptsRead(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(generated(t, full).truth)
	if err != nil {
		t.Fatal(err)
	}
	var truth map[string]any
	if err := json.Unmarshal(text, &truth); err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{
		"":            {"anomalies", "channels", "creators", "currency", "experiments", "first_day", "halo", "last_day", "seed", "untracked_share"},
		"channels":    {"adstock", "incremental_revenue", "roas", "saturation", "spend"},
		"halo":        {"channel", "coefficient", "surface"},
		"experiments": {"channel", "end", "id", "spend_factor", "start", "treated", "true_lift"},
		"creators":    {"id", "name", "true_orders", "true_revenue"},
		"anomalies":   {"date", "factor", "metric"},
	}
	for part, keys := range want {
		object := truth
		switch list := truth[part].(type) {
		case []any:
			object, _ = list[0].(map[string]any)
		case map[string]any:
			object, _ = list["facebook"].(map[string]any)
		}
		if diff := cmp.Diff(keys, slices.Sorted(maps.Keys(object))); diff != "" {
			t.Errorf("keys of %q (-want +got):\n%s", part, diff)
		}
	}
	if truth["first_day"] != "2024-11-19" || truth["last_day"] != "2026-11-18" {
		t.Errorf("from %v to %v", truth["first_day"], truth["last_day"])
	}
}

func TestResponsesEqualTheTruthAndSaturate(t *testing.T) {
	t.Parallel()
	responses, err := demo.NewResponses(options(t, small))
	if err != nil {
		t.Fatal(err)
	}
	s := generated(t, small)
	for channel, truth := range s.truth.Channels {
		at := func(factor float64) (all float64) {
			for _, share := range responses.Of(channel, factor) {
				all += share
			}
			return all
		}
		if truth.Spend == 0 {
			continue
		}
		if now := at(1); math.Abs(now-1) > 1e-12 {
			t.Errorf("%s generates %v of its expected revenue", channel, now)
		}
		if none, half, twice := at(0), at(0.5), at(2); none != 0 || half <= 0.5-0.1 || half >= 1 || twice <= 1 || twice >= 2.1 {
			t.Errorf("%s: %v, %v and %v at no, half and twice the spend", channel, none, half, twice)
		}
		// Adstock is linear in spend, so the reported spend with half the saturation scales gives the revenue at twice
		// the spend.
		doubled := truth
		doubled.Saturation.Scale /= 2
		doubled.Saturation.HalfSaturation /= 2
		if _, revenue := s.recompute(channel, doubled); math.Abs(at(2)*truth.IncrementalRevenue-revenue) > 0.02+1e-9*revenue {
			t.Errorf("%s generates %v at twice the spend, and %v by the equations", channel, at(2)*truth.IncrementalRevenue, revenue)
		}
	}
	if responses.Of("billboard", 1) != nil {
		t.Error("a channel that the store does not have responds")
	}
}
