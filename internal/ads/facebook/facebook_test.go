package facebook

import (
	"testing"
	"time"

	"assay/internal/ads"
	"assay/internal/ads/adstest"
	"assay/internal/ads/simulator"
	"assay/internal/money"
)

const (
	token  = "EAABsimulatedToken123"
	secret = "0123456789abcdef0123456789abcdef"
)

func simulatedAccount() simulator.FacebookAccount {
	const own = "1234567890"
	return simulator.FacebookAccount{
		ID: own, Name: "Store US", Currency: "USD", TimeZone: "America/New_York", Token: token, AppSecret: secret,
		Permissions: []string{"ads_management", "ads_read"}, MinDaily: 100, TokenEnds: adstest.Noon.Add(1000 * time.Hour),
		Campaigns: []simulator.FacebookCampaign{
			{ID: "120210000000000001", Account: own, Name: "Prospecting", Status: "ACTIVE", Daily: 5000},
			{ID: "120210000000000002", Account: own, Name: "Retargeting", Status: "PAUSED", AdSets: []simulator.FacebookAdSet{
				{ID: "1202", Name: "Broad", Status: "ACTIVE", Daily: 2000},
				{ID: "1203", Name: "Narrow", Status: "ACTIVE", Lifetime: 90000},
			}},
			{ID: "120210000000000003", Account: own, Name: "Holiday", Status: "ACTIVE", Lifetime: 500000},
			{ID: "120210000000000004", Account: own, Name: "Old", Status: "ARCHIVED", Daily: 5000},
			{ID: "120210000000000005", Account: own, Name: "Gone", Status: "DELETED", Daily: 5000},
			{ID: "120210000000000006", Account: "999", Name: "Foreign", Status: "ACTIVE", Daily: 5000},
			{ID: "120210000000000007", Account: own, Name: "Odd", Status: "IN_REVIEW", Daily: 5000},
		},
	}
}

// connect returns a client of a simulated account.
func connect(t *testing.T, account simulator.FacebookAccount) (*Client, *simulator.Facebook, *adstest.Clock, func()) {
	t.Helper()
	clock := adstest.NewClock(adstest.Noon)
	sim := simulator.NewFacebook(account, clock.Now)
	options, stop := adstest.Serve(t, sim, clock)
	c, err := ParseCredentials([]byte(`{"account_id":"act_1234567890","access_token":"` + token + `","app_secret":"` +
		secret + `"}`))
	if err != nil {
		t.Fatal(err)
	}
	return New(c, options), sim, clock, stop
}

func usd(minor int64) money.Amount { return money.Amount{Minor: minor, Currency: "USD"} }

func set(minor int64) ads.Change { return ads.Change{Action: ads.SetDailyBudget, Amount: usd(minor)} }

func sandbox(t *testing.T) *adstest.Sandbox {
	client, sim, clock, stop := connect(t, simulatedAccount())
	const id = "120210000000000001"
	edit := func(do func(*simulator.FacebookCampaign)) {
		sim.Edit(func(a *simulator.FacebookAccount) { do(a.Campaign(id)) })
	}
	return &adstest.Sandbox{
		Platform: client, Campaign: id, Other: usd(6000), Changes: true, Clock: clock, Simulator: &sim.Server, Close: stop,
		DryRun:  true,
		Secrets: []string{token, secret, client.proof.Reveal()},
		Amount: func() (a money.Amount) {
			edit(func(c *simulator.FacebookCampaign) { a = usd(c.Daily) })
			return a
		},
		Person: func(a money.Amount) {
			edit(func(c *simulator.FacebookCampaign) { c.Daily, c.Changed = a.Minor, nil })
		},
		Rename: func(name string) { edit(func(c *simulator.FacebookCampaign) { c.Name = name }) },
		Expire: func() { sim.Edit(func(a *simulator.FacebookAccount) { a.TokenEnds = clock.Now() }) },
		Rules: []adstest.Rule{
			{
				Name: "ad set budgets", Campaign: "120210000000000002", Change: set(6000), Want: ads.WrongBudgetLevel,
				Quote: "Broad (1202): USD 20.00 daily",
			},
			{Name: "lifetime budget", Campaign: "120210000000000003", Change: set(6000), Want: ads.LifetimeBudget},
			{Name: "archived", Campaign: "120210000000000004", Change: set(6000), Want: ads.CampaignEnded, Quote: "ARCHIVED"},
			{
				Name: "archived resume", Campaign: "120210000000000004", Change: ads.Change{Action: ads.Resume},
				Want: ads.CampaignEnded, Quote: "ARCHIVED",
			},
			{
				Name: "deleted", Campaign: "120210000000000005", Change: ads.Change{Action: ads.Pause}, Want: ads.CampaignEnded,
				Quote: "DELETED",
			},
			{
				Name: "another account", Campaign: "120210000000000006", Change: set(6000), Want: ads.CampaignNotFound,
				Quote: "1234567890",
			},
			{
				Name: "unknown status", Campaign: "120210000000000007", Change: ads.Change{Action: ads.Pause},
				Want: ads.StatusUnsupported, Quote: "IN_REVIEW",
			},
			{Name: "below minimum", Campaign: id, Change: set(99), Want: ads.BelowMinimum, Quote: "USD 1.00"},
			{Name: "zero", Campaign: id, Change: set(0), Want: ads.BelowMinimum, Quote: "not positive"},
			{Name: "another currency", Campaign: id, Change: ads.Change{
				Action: ads.SetDailyBudget,
				Amount: money.Amount{Minor: 6000, Currency: "EUR"},
			}, Want: ads.WrongCurrency, Quote: "USD"},
			{Name: "a budget resource", Campaign: id, Change: ads.Change{
				Action: ads.SetDailyBudget, Amount: usd(6000),
				BudgetResource: "x",
			}, Want: ads.OtherBudget, Quote: "none"},
		},
	}
}

func TestClientAgainstSimulator(t *testing.T) {
	t.Parallel()
	adstest.Run(t, sandbox)
}

func TestClientAgainstRealAccount(t *testing.T) {
	t.Parallel()
	adstest.RunReal(t, "facebook", true, func(credentials []byte) (ads.Platform, error) {
		c, err := ParseCredentials(credentials)
		if err != nil {
			return nil, err
		}
		endpoint, err := ads.ParseEndpoint("https://graph.facebook.com")
		return New(c, ads.Options{
			Endpoint: endpoint, Timeout: adstest.Timeout, Clock: ads.RealClock(time.Now),
			Jitter: func() float64 { return 0.5 },
		}), err
	})
}
