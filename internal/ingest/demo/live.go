package demo

import (
	"math"

	"assay/internal/measure"
)

// Campaign is the current state of a campaign on its platform. It is the initial state of a simulated platform.
type Campaign struct {
	Platform    measure.Platform
	Account     string
	ID          string
	Name        string
	DailyBudget int64 // minor units, rounded to whole units: the mean spend of the last seven full days
	Active      bool  // runs today
}

// Campaigns returns the campaigns of the store that [Generate] simulates for the same options. They are grouped by
// platform, in the order of the channels. Invalid options result in a fault of kind invalid.
func Campaigns(opt Options) ([]Campaign, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	p := newPlan(opt)
	today := p.opt.Days - 1
	var all []Campaign
	for _, m := range p.media {
		for _, c := range m.campaigns {
			all = append(all, Campaign{
				Platform: m.platform, Account: tariffs[m.platform].account, ID: c.id, Name: p.nameOn(c, today),
				DailyBudget: p.recentBudget(c), Active: p.runs(c.campaignSpec, today),
			})
		}
	}
	return all, nil
}

// recentBudget returns the mean spend of the campaign's last seven full days with spend, rounded to whole units of the
// currency. The minimum is 1 unit.
func (p *plan) recentBudget(c *campaign) int64 {
	spent, days := 0.0, 0.0
	for t := p.opt.Days - 2; t >= 0 && days < 7; t-- {
		if c.spend[t] > 0 {
			spent += c.spend[t]
			days++
		}
	}
	return int64(math.Max(1, math.Round(spent/max(1, days)/p.unit)) * p.unit)
}
