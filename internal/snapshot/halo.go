package snapshot

import (
	"context"
	"fmt"
	"slices"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/halo"
	"assay/internal/money"
	"assay/internal/panics"
	"assay/internal/warehouse"
)

// Settings of the halo estimate.
const (
	HaloSeed  = 1
	HaloDraws = 800
	HaloLevel = 0.9 // level of the intervals
)

// HaloEffects contains the estimated effects of channels on other sales surfaces, and the channels' spend.
type HaloEffects struct {
	Days    civil.Range // days of the data for the estimate
	Effects []halo.Effect
	Spend   map[measure.Channel]float64 // spend in the window, in whole units
}

// HaloEffects estimates the halo effects from up to three years before the end of the window, because these effects are
// assumed to be constant. It excludes today, because today is incomplete.
func (c *Snapshot) HaloEffects(ctx context.Context, window civil.Range) (HaloEffects, error) {
	found := HaloEffects{Days: haloDays(c, window)}
	if found.Days.Days() == 0 {
		return found, nil
	}
	data, err := c.haloData(ctx, found.Days)
	if err != nil || len(data.Channels) == 0 {
		return found, err
	}
	if data.Experiments, err = c.surfaceTests(ctx); err != nil {
		return found, err
	}
	all, err := halo.Estimate(data, halo.Options{Seed: HaloSeed, Draws: HaloDraws, Level: HaloLevel})
	if err != nil {
		return found, fmt.Errorf("halo %s: %w", found.Days, err)
	}
	found.Effects = slices.DeleteFunc(all, func(e halo.Effect) bool { return e.Home })
	found.Spend = map[measure.Channel]float64{}
	inside := window.Intersect(found.Days)
	for _, channel := range data.Channels {
		for i := range inside.Days() {
			found.Spend[channel.Name] += channel.Spend[inside.First.AddDays(i).Sub(found.Days.First)]
		}
	}
	return found, nil
}

// haloYears is the number of years of data for the estimate.
const haloYears = 3

// haloDays returns the days that the halo estimate uses: up to three years with order and ad data.
func haloDays(c *Snapshot, window civil.Range) civil.Range {
	last := civil.Earliest(window.Last, c.Today.AddDays(-1))
	days := civil.Range{First: last.AddDays(-365*haloYears + 1), Last: last}
	return days.Intersect(c.Store.OrderDays).Intersect(c.Store.AdDays)
}

// haloData reads the sales and the spend of the days. A channel's spend is zero on days without a report.
func (c *Snapshot) haloData(ctx context.Context, days civil.Range) (halo.Data, error) {
	var sold []measure.SalesDay
	var spent []warehouse.SpendDay
	err := panics.Together(
		func() (err error) {
			if sold, err = c.facts.SurfaceDays(ctx, c.Workspace.ID, days); err != nil {
				err = fmt.Errorf("days of surfaces %s: %w", days, err)
			}
			return err
		},
		func() (err error) {
			if spent, err = c.facts.SpendDays(ctx, c.Workspace.ID, days); err != nil {
				err = fmt.Errorf("days of spend %s: %w", days, err)
			}
			return err
		},
	)
	if err != nil {
		return halo.Data{}, err
	}
	c.note("surface_days", len(sold))
	c.note("spend_days", len(spent))
	data := halo.Data{First: days.First}
	for _, s := range sold {
		if n := len(data.Surfaces); n == 0 || data.Surfaces[n-1].Name != s.Surface {
			data.Surfaces = append(data.Surfaces, halo.Surface{Name: s.Surface, Revenue: make([]float64, days.Days())})
		}
		data.Surfaces[len(data.Surfaces)-1].Revenue[s.Day.Sub(days.First)] = money.Major(
			c.Workspace.Basis.Revenue(s.Sums), c.Workspace.Currency)
	}
	for _, s := range spent {
		if n := len(data.Channels); n == 0 || data.Channels[n-1].Name != s.Channel {
			data.Channels = append(
				data.Channels, halo.Channel{Name: s.Channel, Spend: make([]float64, days.Days()), Home: homeOf(s.Channel)})
		}
		data.Channels[len(data.Channels)-1].Spend[s.Day.Sub(days.First)] = money.Major(s.Spend, c.Workspace.Currency)
	}
	return data, nil
}

// homeOf returns the target surface of a channel: the marketplace for a marketplace's ads, the online store for all
// other channels.
func homeOf(channel measure.Channel) measure.Surface {
	if channel == measure.Channel(measure.Amazon) {
		return measure.Marketplace
	}
	return measure.OnlineStore
}
