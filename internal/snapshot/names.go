package snapshot

import (
	"context"
	"fmt"

	"assay/internal/civil"
	"assay/internal/warehouse"
)

// Names contains names of the store's campaigns, coupons and creators. The tools use the names to interpret questions.
type Names struct {
	Campaigns []warehouse.CampaignTotal // campaigns with the largest spend
	Coupons   []warehouse.CouponTotal   // coupons with the largest revenue
	Creators  []warehouse.CreatorProfile
}

const (
	namedDays = 730 // number of days up to the last day of the data
	mostNames = 500 // maximum number of names of each kind
)

// Names returns the names of campaigns, coupons and creators. They are cached by data version.
func (c *Snapshot) Names(ctx context.Context) (Names, error) {
	if !c.Versioned() {
		return readNames(ctx, c)
	}
	return c.reader.names.Get(ctx, c.dataKey, Loading(func(ctx context.Context, _ dataKey) (Names, error) {
		return readNames(ctx, c)
	}))
}

func readNames(ctx context.Context, c *Snapshot) (names Names, err error) {
	last := c.Store.Days().Last
	if last.IsZero() {
		return Names{}, nil
	}
	days := civil.Range{First: last.AddDays(1 - namedDays), Last: last}
	in := warehouse.Windows{Recent: days, Earlier: days}
	campaigns, err := c.facts.Campaigns(ctx, c.workspace, warehouse.CampaignsOf{Windows: in, Level: warehouse.Campaigns, Limit: mostNames})
	if err != nil {
		return Names{}, fmt.Errorf("names of campaigns: %w", err)
	}
	coupons, err := c.facts.Coupons(ctx, c.workspace, warehouse.CouponsOf{Windows: in, Limit: mostNames})
	if err != nil {
		return Names{}, fmt.Errorf("names of coupons: %w", err)
	}
	names = Names{Campaigns: campaigns.Rows, Coupons: coupons.Rows}
	if names.Creators, err = c.facts.Creators(ctx, c.workspace); err != nil {
		return Names{}, fmt.Errorf("names of creators: %w", err)
	}
	return names, nil
}
