package tiktok

import (
	"testing"
	"time"

	"assay/internal/ads"
	"assay/internal/ads/adstest"
	"assay/internal/ads/simulator"
	"assay/internal/money"
)

const token = "simulatedTikTokToken"

func simulatedAccount() simulator.TikTokAccount {
	const own = "7000"
	return simulator.TikTokAccount{
		ID: own, Name: "Store US", Currency: "USD", TimeZone: "America/New_York", Token: token, MinHundredths: 5000,
		Campaigns: []simulator.TikTokCampaign{
			{ID: "1800", Advertiser: own, Name: "UGC", Status: "ENABLE", Mode: "BUDGET_MODE_DAY", Hundredths: 10000},
			{ID: "1801", Advertiser: own, Name: "Ad groups", Status: "ENABLE", Mode: "BUDGET_MODE_INFINITE"},
			{ID: "1802", Advertiser: own, Name: "Launch", Status: "DISABLE", Mode: "BUDGET_MODE_TOTAL", Hundredths: 500000},
			{
				ID: "1803", Advertiser: own, Name: "Gone", Status: "DISABLE", Mode: "BUDGET_MODE_DAY", Hundredths: 10000,
				Deleted: true,
			},
			{
				ID: "1804", Advertiser: own, Name: "Smart", Status: "ENABLE", Mode: "BUDGET_MODE_DAY", Hundredths: 10000,
				Automation: "SMART_PLUS",
			},
			{
				ID: "1805", Advertiser: own, Name: "New Smart", Status: "ENABLE", Mode: "BUDGET_MODE_DAY", Hundredths: 10000,
				Automation: "UPGRADED_SMART_PLUS",
			},
			{
				ID: "1806", Advertiser: own, Name: "Shop", Status: "ENABLE", Mode: "BUDGET_MODE_DAY", Hundredths: 10000,
				Type: "GMV_MAX",
			},
			{ID: "1807", Advertiser: "7999", Name: "Foreign", Status: "ENABLE", Mode: "BUDGET_MODE_DAY", Hundredths: 10000},
			{
				ID: "1808", Advertiser: own, Name: "Dynamic", Status: "ENABLE", Mode: "BUDGET_MODE_DYNAMIC_DAILY_BUDGET",
				Hundredths: 12550,
			},
			{ID: "1809", Advertiser: own, Name: "Strange", Status: "ENABLE", Mode: "BUDGET_MODE_NEW", Hundredths: 10000},
		},
	}
}

// connect returns a client of a simulated account.
func connect(t *testing.T, account simulator.TikTokAccount) (*Client, *simulator.TikTok, *adstest.Clock, func()) {
	t.Helper()
	clock := adstest.NewClock(adstest.Noon)
	sim := simulator.NewTikTok(account, clock.Now)
	options, stop := adstest.Serve(t, sim, clock)
	c, err := ParseCredentials([]byte(`{"advertiser_id":"7000","access_token":"` + token + `"}`))
	if err != nil {
		t.Fatal(err)
	}
	return New(c, options), sim, clock, stop
}

func usd(minor int64) money.Amount { return money.Amount{Minor: minor, Currency: "USD"} }

func set(minor int64) ads.Change { return ads.Change{Action: ads.SetDailyBudget, Amount: usd(minor)} }

func sandbox(t *testing.T) *adstest.Sandbox {
	client, sim, clock, stop := connect(t, simulatedAccount())
	edit := func(do func(*simulator.TikTokCampaign)) {
		sim.Edit(func(a *simulator.TikTokAccount) { do(a.Campaign("1800")) })
	}
	return &adstest.Sandbox{
		Platform: client, Campaign: "1800", Other: usd(12000), Changes: true, Clock: clock, Simulator: &sim.Server,
		Close:   stop,
		Secrets: []string{token},
		Amount: func() (a money.Amount) {
			edit(func(c *simulator.TikTokCampaign) { a = usd(c.Hundredths) })
			return a
		},
		Person: func(a money.Amount) { edit(func(c *simulator.TikTokCampaign) { c.Hundredths = a.Minor }) },
		Rename: func(name string) { edit(func(c *simulator.TikTokCampaign) { c.Name = name }) },
		Expire: func() { sim.Edit(func(a *simulator.TikTokAccount) { a.TokenEnds = clock.Now() }) },
		Rules: []adstest.Rule{
			{
				Name: "ad group budgets", Campaign: "1801", Change: set(12000), Want: ads.WrongBudgetLevel,
				Quote: "no budget of its own",
			},
			{Name: "lifetime budget", Campaign: "1802", Change: set(12000), Want: ads.LifetimeBudget},
			{Name: "deleted", Campaign: "1803", Change: set(12000), Want: ads.CampaignEnded, Quote: "CAMPAIGN_STATUS_DELETE"},
			{
				Name: "deleted resume", Campaign: "1803", Change: ads.Change{Action: ads.Resume}, Want: ads.CampaignEnded,
				Quote: "CAMPAIGN_STATUS_DELETE",
			},
			{
				Name: "Smart+", Campaign: "1804", Change: ads.Change{Action: ads.Pause}, Want: ads.SmartPlusCampaign,
				Quote: "Smart+",
			},
			{Name: "upgraded Smart+", Campaign: "1805", Change: set(12000), Want: ads.SmartPlusCampaign, Quote: "Smart+"},
			{Name: "GMV Max", Campaign: "1806", Change: set(12000), Want: ads.GMVMaxCampaign, Quote: "GMV Max"},
			{Name: "another account", Campaign: "1807", Change: set(12000), Want: ads.CampaignNotFound, Quote: "7000"},
			{Name: "unknown mode", Campaign: "1809", Change: set(12000), Want: ads.LifetimeBudget, Quote: "not a daily budget"},
			{Name: "below minimum", Campaign: "1800", Change: set(4999), Want: ads.BelowMinimum, Quote: "USD 50.00"},
			{Name: "zero", Campaign: "1800", Change: set(0), Want: ads.BelowMinimum, Quote: "not positive"},
			{Name: "another currency", Campaign: "1800", Change: ads.Change{
				Action: ads.SetDailyBudget,
				Amount: money.Amount{Minor: 6000, Currency: "EUR"},
			}, Want: ads.WrongCurrency, Quote: "USD"},
		},
	}
}

func TestClientAgainstSimulator(t *testing.T) {
	t.Parallel()
	adstest.Run(t, sandbox)
}

func TestClientAgainstRealAccount(t *testing.T) {
	t.Parallel()
	adstest.RunReal(t, "tiktok", false, func(credentials []byte) (ads.Platform, error) {
		c, err := ParseCredentials(credentials)
		if err != nil {
			return nil, err
		}
		endpoint, err := ads.ParseEndpoint("https://business-api.tiktok.com")
		return New(c, ads.Options{
			Endpoint: endpoint, Timeout: adstest.Timeout, Clock: ads.RealClock(time.Now),
			Jitter: func() float64 { return 0.5 },
		}), err
	})
}
