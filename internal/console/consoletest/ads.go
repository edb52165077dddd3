package consoletest

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"assay/internal/accounts"
	"assay/internal/ads/adstest"
	"assay/internal/ads/connect"
	"assay/internal/ads/simulator"
	"assay/internal/auth"
	"assay/internal/budgetchange"
	"assay/internal/console"
	"assay/internal/control"
	"assay/internal/operation"
)

// AdSite is a site with a simulated TikTok account that can be connected. Its campaign has a budget of USD 50 per day
// and a name that contains HTML and a spreadsheet formula.
type AdSite struct {
	*Site
	Platform   *simulator.TikTok
	Operations *operation.Service
}

// CampaignName is the name of the campaign of an [AdSite].
const CampaignName = `=<script>alert(1)</script>`

// NewAds returns a site whose account is not connected yet.
func NewAds(t *testing.T) *AdSite {
	t.Helper()
	a := &AdSite{}
	a.Site = NewWith(t, func(s *Site, o *console.Options) {
		clock := adstest.NewClock(s.Clock.Now())
		a.Platform = simulator.NewTikTok(simulator.TikTokAccount{
			ID: "7000", Name: "<b>Store</b>", Currency: "USD", TimeZone: "UTC", Token: "the-token", MinHundredths: 1000,
			Campaigns: []simulator.TikTokCampaign{
				{ID: "1800", Advertiser: "7000", Name: CampaignName, Status: "ENABLE", Mode: "BUDGET_MODE_DAY", Hundredths: 5000},
			},
		}, clock.Now)
		client, _ := adstest.Serve(t, a.Platform, clock)
		registry := accounts.New(accounts.Options{
			Store: s.Store, Unseal: auth.NewInstallation(make([]byte, 32)).Unseal, Now: s.Clock.Now, Log: slog.New(slog.DiscardHandler),
			Platforms: connect.Options{Client: client, Endpoints: connect.Endpoints{TikTok: client.Endpoint}},
		})
		budgets := budgetchange.New(budgetchange.Options{
			Store: s.Store, Accounts: registry, Clock: clock, Log: slog.New(slog.DiscardHandler), WriteTime: time.Minute,
		})
		a.Operations = s.NewOperations(operation.Facts{Known: AnyName{}, Accounts: registry, Budgets: budgets})
		o.Operations = a.Operations
		answer := Recorded(t, "campaigns/one_campaign.txtar")
		o.Ask = func(ctx context.Context, p auth.Principal, tool string, with json.RawMessage) (json.RawMessage, error) {
			encoded, err := answer(ctx, p, tool, with)
			return bytes.ReplaceAll(encoded, []byte(`"conversions":56,`), []byte(`"conversions":56,"credited_revenue":2695,`)), err
		}
	})
	return a
}

// Connected signs an owner in and connects the account on the page.
func (a *AdSite) Connected() (control.User, *Browser) {
	a.T.Helper()
	u := a.Member(Email, control.RoleOwner)
	b := a.SignedIn(Email)
	p := b.Form("/connections", "action", "connect", "platform", "tiktok", "advertiser_id", "7000", "access_token", "the-token")
	if p.Status != http.StatusSeeOther || !strings.Contains(p.Header.Get("Location"), "done=connected") || strings.Contains(p.Header.Get("Location"), "token") {
		a.T.Fatalf("connect: %d %s %s", p.Status, p.Header.Get("Location"), p.Body)
	}
	return u, b
}
