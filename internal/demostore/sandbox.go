package demostore

import (
	"context"
	"strings"

	"assay/internal/ads/sandbox"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/ingest/demo"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// A campaign's simulated budget is derived from its mean daily spend in the store's last four weeks. A campaign without
// spend in the store's last week is paused.
const (
	budgetDays = 28
	activeDays = 7
)

// connect simulates the demo's ad accounts and connects the workspace to them. It skips platforms with an account from
// an earlier start.
func (a Directory) connect(ctx context.Context, made Store) error {
	for _, p := range sandbox.Platforms() {
		if a.Sandbox.Has(p) {
			continue
		}
		account, err := a.account(ctx, p, made)
		if err != nil {
			return err
		}
		if len(account.Campaigns) == 0 { // a very short store
			continue
		}
		credentials, err := a.Sandbox.Create(account)
		if err != nil {
			return err
		}
		by := control.By{Actor: Actor, At: a.Control.Now()}
		err = a.Control.Store.AddConnection(ctx, control.Connection{
			Workspace: Workspace, Platform: p, Account: account.ID, Sandbox: true, CreatedAt: by.At,
			Sealed:          a.Control.Installation.Seal(Workspace, credentials),
			ConnectionState: control.ConnectionState{Status: control.ConnectionUntested},
		}, by)
		if err != nil {
			return err
		}
	}
	return nil
}

// account describes the account of a platform from the demo's ad reports.
func (a Directory) account(ctx context.Context, p measure.Platform, made Store) (sandbox.Account, error) {
	today := made.Today
	account := sandbox.Account{Platform: p, Name: demo.StoreName, Currency: demo.StoreCurrency, Zone: demo.StoreZone}
	all, err := a.campaigns(ctx, p, civil.Range{First: today.AddDays(-made.Days), Last: today})
	if err != nil {
		return account, err
	}
	spent, err := a.campaigns(ctx, p, civil.Range{First: today.AddDays(-budgetDays), Last: today.AddDays(-1)})
	if err != nil {
		return account, err
	}
	daily := map[string]int64{}
	for _, c := range spent {
		daily[c.CampaignID] = c.Spend / budgetDays
	}
	for _, c := range all {
		account.ID = digits(c.Account)
		account.Campaigns = append(account.Campaigns, sandbox.Campaign{
			ID: c.CampaignID, Name: c.CampaignName, Daily: budget(daily[c.CampaignID]),
			Paused: today.Sub(c.LastDay) > activeDays,
		})
	}
	return account, nil
}

func (a Directory) campaigns(ctx context.Context, p measure.Platform, days civil.Range) ([]warehouse.CampaignTotal, error) {
	page, err := a.Facts.Campaigns(ctx, Workspace, warehouse.CampaignsOf{Windows: warehouse.Windows{Recent: days}, Platform: p})
	return page.Rows, err
}

// budget returns a daily budget for a mean daily spend in minor units. It is the next higher multiple of 5 currency
// units and at least 25 units, because platforms often spend less than the budget.
func budget(mean int64) money.Amount {
	const step, least = 500, 2500
	return money.Amount{Minor: max((mean/step+1)*step, least), Currency: demo.StoreCurrency}
}

// digits returns the digits of an account ID.
func digits(account string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, account)
}
