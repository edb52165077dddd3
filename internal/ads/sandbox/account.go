package sandbox

import (
	"fmt"
	"strconv"
	"time"

	"assay/internal/ads/simulator"
	"assay/internal/measure"
	"assay/internal/money"
)

// Account is an account to simulate.
type Account struct {
	Platform  measure.Platform
	ID        string // digits
	Name      string
	Currency  money.Currency
	Zone      string // IANA name
	Campaigns []Campaign
}

// Campaign is a campaign with its own daily budget.
type Campaign struct {
	ID, Name string
	Daily    money.Amount // a whole number of currency units, because TikTok has no smaller units
	Paused   bool
}

// These are the credentials of simulated accounts. They give access only to simulated accounts, so they are not
// secrets.
const (
	token  = "sandbox-token"
	client = "sandbox-client"
	scope  = "https://www.googleapis.com/auth/adwords"
)

// credentials returns the credentials in the form of the platform.
func (a Account) credentials() string {
	switch a.Platform {
	case measure.Facebook:
		return fmt.Sprintf(`{"account_id":%q,"access_token":%q}`, a.ID, token)
	case measure.Google:
		return fmt.Sprintf(`{"customer_id":%q,"client_id":%q,"client_secret":%q,"refresh_token":%q}`, a.ID, client, token, token)
	default:
		return fmt.Sprintf(`{"advertiser_id":%q,"access_token":%q}`, a.ID, token)
	}
}

// Smallest daily budgets, in whole currency units.
const (
	facebookMinimum = 1
	googleMinimum   = 1
	tikTokMinimum   = 20
)

func newPlatform(a Account, now func() time.Time) platform {
	switch a.Platform {
	case measure.Facebook:
		return simulator.NewFacebook(a.facebook(), now)
	case measure.Google:
		return simulator.NewGoogle(a.google(), now)
	default:
		return simulator.NewTikTok(a.tikTok(), now)
	}
}

func (a Account) facebook() simulator.FacebookAccount {
	account := simulator.FacebookAccount{
		ID: a.ID, Name: a.Name, Currency: string(a.Currency), TimeZone: a.Zone, Token: token,
		Permissions: []string{"ads_management", "ads_read"}, MinDaily: facebookMinimum * 100,
	}
	for _, c := range a.Campaigns {
		account.Campaigns = append(account.Campaigns, simulator.FacebookCampaign{
			ID: c.ID, Account: a.ID, Name: c.Name, Status: either(c.Paused, "PAUSED", "ACTIVE"), Daily: c.Daily.Minor,
		})
	}
	return account
}

// micros is the number of micros in a hundredth of a currency unit.
const micros = 10_000

func (a Account) google() simulator.GoogleAccount {
	account := simulator.GoogleAccount{
		ID: a.ID, Name: a.Name, Currency: string(a.Currency), TimeZone: a.Zone,
		ClientID: client, ClientSecret: token, RefreshToken: token, Scope: scope,
		BillableMicros: micros, MinMicros: googleMinimum * 100 * micros,
	}
	for i, c := range a.Campaigns {
		budget := strconv.Itoa(firstBudget + i)
		account.Campaigns = append(account.Campaigns, simulator.GoogleCampaign{
			ID: c.ID, Name: c.Name, Status: either(c.Paused, "PAUSED", "ENABLED"), Budget: budget,
		})
		account.Budgets = append(account.Budgets, simulator.GoogleBudget{ID: budget, Period: "DAILY", Micros: c.Daily.Minor * micros})
	}
	return account
}

// firstBudget is the ID of an account's first budget. Budgets in Google Ads have their own IDs.
const firstBudget = 13_400_000_001

func (a Account) tikTok() simulator.TikTokAccount {
	account := simulator.TikTokAccount{
		ID: a.ID, Name: a.Name, Currency: string(a.Currency), TimeZone: a.Zone, Token: token, MinHundredths: tikTokMinimum * 100,
	}
	for _, c := range a.Campaigns {
		account.Campaigns = append(account.Campaigns, simulator.TikTokCampaign{
			ID: c.ID, Advertiser: a.ID, Name: c.Name, Status: either(c.Paused, "DISABLE", "ENABLE"),
			Mode: "BUDGET_MODE_DAY", Hundredths: c.Daily.Minor,
		})
	}
	return account
}

func either(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}
