package demo

import (
	"math"

	"assay/internal/measure"
)

// Campaign is a campaign as its platform knows it today. A stand-in for the platform starts from it.
type Campaign struct {
	Platform    measure.Platform
	Account     string
	ID          string
	Name        string
	DailyBudget int64 // minor units, a multiple of the whole unit: about what it spent on its last seven full days
	Active      bool  // it is on air today
}

// Campaigns returns the campaigns of the store that [Generate] makes of the same options, by platform in the order
// of the channels. Options that make no store are [fault.KindInvalid].
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

// recentBudget rounds the mean spend of the last seven full days on which the campaign spent, at least 1 unit.
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
