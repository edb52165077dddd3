package demo

import (
	"fmt"
	"math"
	"math/rand/v2"

	"assay/internal/measure"
)

// role is the purpose of a campaign. It affects touchpoints and platform-reported conversions.
type role string

const (
	prospecting role = "prospecting"
	retargeting role = "retargeting" // previous visitors; many would return without ads
	brand       role = "brand"       // people who searched for the store's name
)

// campaignSpec is a campaign of every demo store. From and to are fractions of the store's lifetime.
type campaignSpec struct {
	name     string
	renamed  string  // name after 60% of the store's lifetime; "": no second name
	role     role    // empty: prospecting
	share    float64 // share of the platform's spend, relative to other active campaigns
	from, to float64 // start and end; an end of 0 means the end of the store
	holiday  bool    // runs only from 1 November to 24 December
	regional bool    // the report has one row per state
	slots    int     // number of ads that run in parallel
	set      string  // name of the ad set or ad group
}

var campaignSpecs = map[measure.Platform][]campaignSpec{
	measure.Facebook: {
		{name: "Prospecting | Broad", share: 0.36, regional: true, slots: 2, set: "US 18-65 | Broad"},
		{name: "Prospecting | LAL 1%", renamed: "Prospecting | LAL 1-3%", share: 0.26, regional: true, slots: 2, set: "Lookalike buyers"},
		{name: "Advantage+ Shopping", share: 0.30, from: 0.3, regional: true, slots: 2, set: "Advantage+ catalogue"},
		{name: "Retargeting | 30d visitors", role: retargeting, share: 0.10, slots: 3, set: "Visitors 30d"},
		{name: "Retargeting | Cart 7d", role: retargeting, share: 0.05, slots: 2, set: "Cart 7d"},
		{name: "Creator whitelisting", share: 0.07, from: 0.2, to: 0.75, slots: 2, set: "Creator handles"},
		{name: "Holiday gifting", share: 0.14, holiday: true, slots: 2, set: "Gift givers"},
	},
	measure.Google: {
		{name: "Search | Brand", role: brand, share: 0.10, slots: 1, set: "Brand exact"},
		{name: "Search | Non-brand", share: 0.34, regional: true, slots: 1, set: "Gifts and home"},
		{name: "Shopping | All products", renamed: "Shopping | Best sellers", share: 0.36, regional: true, slots: 2, set: "All products"},
		{name: "Performance Max", share: 0.14, from: 0.35, slots: 2, set: "Asset group A"},
		{name: "Demand Gen | YouTube", share: 0.08, from: 0.1, to: 0.95, slots: 2, set: "In-market home"},
		{name: "Search | Competitors", share: 0.06, to: 0.45, slots: 1, set: "Competitors phrase"},
	},
	measure.TikTok: {
		{name: "Spark Ads | Prospecting", share: 0.46, slots: 3, set: "Broad 18-44"},
		{name: "Smart+ Catalogue", share: 0.30, from: 0.4, slots: 2, set: "Catalogue"},
		{name: "Video Shop Ads", renamed: "Shop | Video Shop Ads", share: 0.24, slots: 2, set: "Shop buyers"},
		{name: "Retargeting | Engaged 14d", role: retargeting, share: 0.08, slots: 2, set: "Engaged 14d"},
	},
	measure.Snapchat: {
		{name: "Snap | Prospecting", share: 0.6, slots: 2, set: "US 18-34"},
		{name: "Snap | Dynamic products", role: retargeting, share: 0.25, slots: 2, set: "Viewers"},
		{name: "Snap | Story test", share: 0.15, from: 0.15, to: 0.5, slots: 1, set: "Story"},
	},
	measure.Amazon: {
		{name: "SP | Auto | All", share: 0.30, slots: 2, set: "Auto"},
		{name: "SP | Exact | Top terms", share: 0.36, slots: 2, set: "Exact"},
		{name: "SB | Brand defence", role: brand, share: 0.16, slots: 2, set: "Brand"},
		{name: "SD | Competitor products", share: 0.18, from: 0.25, slots: 2, set: "Competitor ASINs"},
	},
}

// renameAt is the time at which campaigns change to their second name, as a fraction of the store's lifetime.
const renameAt = 0.6

// campaign is a campaign of one store.
type campaign struct {
	campaignSpec
	id, setID string
	ads       []ad
	running   [][]int   // by slot and day: index in ads
	spend     []float64 // by day, minor units
}

// ad is a creative. It runs for several weeks, with increasing ad fatigue.
type ad struct {
	id, name string
	first    int     // day
	appeal   float64 // relative click-through rate
}

// adRow is the spend of one row of an ad report.
type adRow struct {
	day, campaign, ad int32
	state             int32 // -1: no region
	spend             int64 // minor units
}

// planCampaigns creates a platform's campaigns and ads and allocates the channel's budget to them.
func (p *plan) planCampaigns(m *medium) {
	r := p.stream("campaigns", string(m.channel))
	for _, spec := range campaignSpecs[m.platform] {
		m.campaigns = append(m.campaigns, p.newCampaign(r, m.platform, spec))
		if spec.regional && m.regional == nil {
			m.regional, m.untested = p.byState(), p.byState()
		}
	}
	budget := p.budget(m.mediumSpec)
	wander := make([][]float64, len(m.campaigns))
	for k := range wander {
		wander[k] = drift(always(r), p.opt.Days, 0.93, 0.22)
	}
	weights := make([]float64, len(m.campaigns))
	for t := range budget {
		all := 0.0
		for k, c := range m.campaigns {
			weights[k] = 0
			if p.runs(c.campaignSpec, t) {
				weights[k] = c.share * wander[k][t]
			}
			all += weights[k]
		}
		for k := range m.campaigns {
			if weights[k] > 0 {
				p.spread(r, m, k, t, budget[t]*weights[k]/all)
			}
		}
	}
}

func (f *frame) byState() [][]float64 {
	table := make([][]float64, len(states))
	for i := range table {
		table[i] = make([]float64, f.opt.Days)
	}
	return table
}

// runs reports whether a campaign is active on a day.
func (f *frame) runs(c campaignSpec, t int) bool {
	if c.holiday {
		d := f.day(t)
		md := int(d.Month())*100 + d.Day()
		return md >= 1101 && md <= 1224
	}
	at := float64(t) / float64(f.opt.Days)
	return at >= c.from && (c.to == 0 || at < c.to)
}

func (f *frame) newCampaign(r *rand.Rand, platform measure.Platform, spec campaignSpec) *campaign {
	if spec.role == "" {
		spec.role = prospecting
	}
	c := &campaign{
		campaignSpec: spec, id: newID(r, platform), setID: newID(r, platform),
		running: make([][]int, spec.slots), spend: make([]float64, f.opt.Days),
	}
	for slot := range c.running {
		c.running[slot] = make([]int, f.opt.Days)
		left := 0
		for t := range f.opt.Days {
			if left == 0 {
				left = whole(r, 40, 85)
				c.ads = append(c.ads, ad{id: newID(r, platform), name: adName(r, len(c.ads)+1), first: t, appeal: scatter(r, 0.3)})
			}
			c.running[slot][t] = len(c.ads) - 1
			left--
		}
	}
	return c
}

// newID returns an ID in the platform's format.
func newID(r *rand.Rand, platform measure.Platform) string {
	switch platform {
	case measure.Facebook:
		return fmt.Sprintf("1202%014d", r.Int64N(1e14))
	case measure.Google:
		return fmt.Sprintf("2%010d", r.Int64N(1e10))
	case measure.TikTok:
		return fmt.Sprintf("18%014d", r.Int64N(1e14))
	case measure.Snapchat:
		return newUUID(r)
	default:
		return fmt.Sprintf("4%014d", r.Int64N(1e14))
	}
}

// newUUID returns a version 4 UUID.
func newUUID(r *rand.Rand) string {
	a, b := r.Uint64(), r.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>50|0x8000, b&0xffffffffffff)
}

var (
	adFormats = []string{"UGC", "Static", "Carousel", "Founder video", "Review", "Before and after", "Bundle"}
	adThemes  = []string{"Unboxing", "Gift guide", "Bestsellers", "Evening routine", "New scents", "Free shipping", "Made by hand", "Refill"}
)

func adName(r *rand.Rand, n int) string {
	return fmt.Sprintf("%s | %s v%d", adFormats[r.IntN(len(adFormats))], adThemes[r.IntN(len(adThemes))], n)
}

// spread allocates a campaign's spend of a day to its ads, and to states if the report has regions. An experiment
// changes only the spend of the treated states.
func (p *plan) spread(r *rand.Rand, m *medium, k, t int, money float64) {
	c := m.campaigns[k]
	factors, tested := p.multiples(m.channel, t)
	places := 1
	if c.regional {
		places = len(states)
	}
	weights := make([]float64, 0, c.slots*places)
	due, all := 0.0, 0.0
	for slot := range c.slots {
		liking := c.ads[c.running[slot][t]].appeal
		all += liking
		if !c.regional {
			weights = append(weights, liking)
			due += liking
			continue
		}
		for i, people := range p.places.people {
			w := liking * people
			if tested {
				w *= factors[i]
			}
			due += w
			weights = append(weights, w*scatter(r, 0.10))
		}
	}
	parts := make([]int64, len(weights))
	divide(int64(math.Round(money*due/all)), weights, parts)
	for j, spend := range parts {
		state := -1
		if c.regional {
			state = j % places
		}
		m.book(adRow{day: int32(t), campaign: int32(k), ad: int32(c.running[j/places][t]), state: int32(state), spend: spend})
	}
	if c.regional {
		p.withoutTest(m, c, t, money, parts, factors)
	}
}

// book adds a row with spend to the report. It ignores a row without spend.
func (m *medium) book(row adRow) {
	if row.spend <= 0 {
		return
	}
	spend := float64(row.spend)
	m.rows = append(m.rows, row)
	m.campaigns[row.campaign].spend[row.day] += spend
	if row.state < 0 {
		m.national[row.day] += spend
	} else {
		m.regional[row.state][row.day] += spend
	}
}

// withoutTest records each state's spend as if there were no experiment. For states in which the experiment changes
// spend, it records the planned spend. For other states, it records the actual spend.
func (p *plan) withoutTest(m *medium, c *campaign, t int, money float64, parts []int64, factors []float64) {
	for i, people := range p.places.people {
		if factors != nil && factors[i] != 1 {
			m.untested[i][t] += money * people
			continue
		}
		for slot := range c.slots {
			m.untested[i][t] += float64(parts[slot*len(states)+i])
		}
	}
}

// nameOn returns the campaign's name on a day.
func (f *frame) nameOn(c *campaign, t int) string {
	if c.renamed != "" && float64(t) >= renameAt*float64(f.opt.Days) {
		return c.renamed
	}
	return c.name
}
