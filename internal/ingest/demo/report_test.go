package demo_test

import (
	"math"
	"testing"

	"assay/internal/civil"
	"assay/internal/ingest/demo"
	"assay/internal/measure"
)

func TestAdRowsAreSane(t *testing.T) {
	t.Parallel()
	for _, size := range everySize() {
		s := generated(t, size)
		platforms := map[measure.Platform]bool{}
		for _, row := range s.rows.AdDays {
			platforms[row.Platform] = true
			if row.Spend <= 0 || row.Clicks > row.Impressions || row.Impressions < 1 || row.Conversions < 0 ||
				(row.Conversions == 0) != (row.Value == 0) || row.Attribution == "" || row.Original.Minor != row.Spend ||
				row.Day.Before(s.truth.FirstDay) || row.Day.After(s.truth.LastDay) {
				t.Fatalf("%v: ad row %+v", size, row)
			}
			if measure.ParseChannel(string(row.Channel)) != row.Channel || row.CampaignID == "" || row.AdID == "" {
				t.Fatalf("%v: ad row %+v", size, row)
			}
		}
		if len(platforms) != 5 {
			t.Errorf("%v: platforms are %v", size, platforms)
		}
		for _, row := range s.rows.ChannelSpend {
			if row.Spend <= 0 {
				t.Errorf("%v: channel spend %+v", size, row)
			}
		}
	}
}

func TestThereAreFewEnoughRows(t *testing.T) {
	t.Parallel()
	b := generated(t, full).rows
	if n := len(b.AdDays); n > 600_000 {
		t.Errorf("%d ad rows", n)
	}
	all := len(b.Orders) + len(b.Lines) + len(b.Touches) + len(b.AdDays) + len(b.Messages) + len(b.Surveys) +
		len(b.RegionDays) + len(b.LinkDays) + len(b.Coupons) + len(b.Refunds)
	if all > 1_000_000 {
		t.Errorf("%d rows", all)
	}
}

func TestAMonthHasDataForEveryTool(t *testing.T) {
	t.Parallel()
	s := generated(t, full)
	month := civil.Range{First: civil.MustParse("2026-10-01"), Last: civil.MustParse("2026-10-31")}
	campaigns, ads, regions := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, row := range s.rows.AdDays {
		if month.Contains(row.Day) {
			campaigns[row.CampaignID], ads[row.AdID] = true, true
			if row.Region != "" {
				regions[row.Region] = true
			}
		}
	}
	skus, codes, channels := map[string]bool{}, map[string]bool{}, map[measure.Channel]bool{}
	orders := byKey(s.rows.Orders)
	for _, l := range s.rows.Lines {
		if month.Contains(orders[l.Key].Day) {
			skus[l.SKU] = true
		}
	}
	for _, c := range s.rows.Coupons {
		if month.Contains(orders[c.Key].Day) {
			codes[c.Code] = true
		}
	}
	for _, x := range s.rows.Touches {
		if month.Contains(orders[x.Key].Day) {
			channels[x.Channel] = true
		}
	}
	if len(campaigns) < 15 || len(ads) <= len(campaigns) || len(regions) != 51 {
		t.Errorf("%d campaigns, %d ads, %d states with spend", len(campaigns), len(ads), len(regions))
	}
	if len(skus) < 40 || len(codes) < 12 || len(channels) < 12 {
		t.Errorf("%d products, %d coupons, %d channels", len(skus), len(codes), len(channels))
	}
}

func TestPlatformsClaimTooManyConversionsWithDelay(t *testing.T) {
	t.Parallel()
	s := generated(t, full)
	claimed := map[measure.Channel]float64{}
	late, settled := 0.0, 0.0
	for _, row := range s.rows.AdDays {
		claimed[row.Channel] += float64(row.Value) / 100
		if row.Channel != "facebook" {
			continue
		}
		switch age := s.truth.LastDay.Sub(row.Day); {
		case age >= 1 && age <= 2:
			late += float64(row.Conversions) / measure.Millionths / 2
		case age >= 8 && age <= 21:
			settled += float64(row.Conversions) / measure.Millionths / 14
		}
	}
	for channel, value := range claimed {
		if ratio := value / s.truth.Channels[channel].IncrementalRevenue; ratio < 1.1 || ratio > 3 {
			t.Errorf("%s reports %.2f of the revenue that it generates", channel, ratio)
		}
	}
	if r := late / settled; r > 0.85 || r < 0.25 {
		t.Errorf("the last two full days have %.2f of the usual conversions", r)
	}
}

func TestCampaignsStartEndAndAreRenamed(t *testing.T) {
	t.Parallel()
	s := generated(t, full)
	type life struct {
		first, last civil.Date
		names       map[string]bool
	}
	lives := map[string]*life{}
	for _, row := range s.rows.AdDays {
		l := lives[row.CampaignID]
		if l == nil {
			l = &life{first: row.Day, names: map[string]bool{}}
			lives[row.CampaignID] = l
		}
		l.last = row.Day
		l.names[row.CampaignName] = true
	}
	started, ended, renamed := 0, 0, 0
	for _, l := range lives {
		if l.first.Sub(s.truth.FirstDay) > 60 {
			started++
		}
		if s.truth.LastDay.Sub(l.last) > 20 {
			ended++
		}
		if len(l.names) > 1 {
			renamed++
		}
	}
	if started < 4 || ended < 3 || renamed < 3 {
		t.Errorf("%d campaigns start late, %d end, %d are renamed", started, ended, renamed)
	}
}

func TestLiveCampaignsAreThoseOfTheReports(t *testing.T) {
	t.Parallel()
	s := generated(t, full)
	campaigns, err := demo.Campaigns(s.opt)
	if err != nil {
		t.Fatal(err)
	}
	yesterday, names := map[string]float64{}, map[string]string{}
	for _, row := range s.rows.AdDays {
		names[row.CampaignID] = row.CampaignName
		if row.Day == s.truth.LastDay.AddDays(-1) {
			yesterday[row.CampaignID] += float64(row.Spend)
		}
	}
	if len(campaigns) != len(names) {
		t.Errorf("%d campaigns, %d in the reports", len(campaigns), len(names))
	}
	for _, c := range campaigns {
		if names[c.ID] != c.Name && c.Active {
			t.Errorf("%+v is called %q in the reports", c, names[c.ID])
		}
		if (yesterday[c.ID] > 0) != c.Active || c.DailyBudget < 100 || c.DailyBudget%100 != 0 {
			t.Errorf("%+v spent %.0f yesterday", c, yesterday[c.ID])
		}
		if c.Active && math.Abs(math.Log(yesterday[c.ID]/float64(c.DailyBudget))) > 1.2 {
			t.Errorf("%+v spent %.0f yesterday", c, yesterday[c.ID])
		}
	}
}

func TestMessagesLoseReadersAtEachStep(t *testing.T) {
	t.Parallel()
	for _, size := range everySize() {
		s := generated(t, size)
		kinds := map[string]bool{}
		claimed := 0.0
		for _, m := range s.rows.Messages {
			kinds[string(m.Channel)+" "+m.Entity] = true
			claimed += float64(m.Revenue) / 100
			if m.Delivered > m.Recipients || m.Conversions > m.Clicks || m.Bounces+m.Delivered != m.Recipients || m.Channel == "sms" && m.Opens != 0 ||
				m.Channel == "email" && m.Clicks > m.Opens || (m.Conversions == 0) != (m.Revenue == 0) {
				t.Errorf("%v: message %+v", size, m)
			}
		}
		if len(kinds) != 4 {
			t.Errorf("%v: kinds of messages are %v", size, kinds)
		}
		if r := claimed / s.revenue(); size == full && (r < 0.12 || r > 0.35) {
			t.Errorf("%v: senders report %.2f of revenue", size, r)
		}
	}
}

func TestTargetsCoverTodayInEveryPeriod(t *testing.T) {
	t.Parallel()
	for _, size := range everySize() {
		s := generated(t, size)
		starts := map[string]civil.Date{
			"daily": s.opt.Today, "weekly": civil.ByWeek.Start(s.opt.Today), "monthly": civil.MustParse("2026-11-01"), "quarterly": civil.MustParse("2026-10-01"),
		}
		found := map[string]int{}
		for _, g := range s.rows.Targets {
			if g.Value <= 0 {
				t.Errorf("%v: target %+v", size, g)
			}
			if g.Channel == "" && g.Start == starts[g.Period] {
				found[g.Metric+" "+g.Period]++
			}
		}
		if len(found) != 8 {
			t.Errorf("%v: targets of the running periods are %v", size, found)
		}
	}
}
