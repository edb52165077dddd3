package demo

import (
	"math"
	"math/rand/v2"

	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// tariff contains a platform's prices and the response to its ads.
type tariff struct {
	source, account string
	perThousand     float64 // price of a thousand impressions, whole units of the currency
	clickRate       float64 // clicks per impression
	fractions       bool    // conversions are split among touchpoints, so they have fractions
}

var tariffs = map[measure.Platform]tariff{
	measure.Facebook: {source: "facebook_ads", account: "act_487120935516204", perThousand: 12.8, clickRate: 0.0135},
	measure.Google:   {source: "google_ads", account: "538-214-7706", perThousand: 31, clickRate: 0.036, fractions: true},
	measure.TikTok:   {source: "tiktok_ads", account: "7148820316655", perThousand: 8.4, clickRate: 0.0092},
	measure.Snapchat: {source: "snapchat_ads", account: "b2f0c1d4-77aa-4e0b-9d35-6a1c0e94f2aa", perThousand: 6.9, clickRate: 0.0064},
	measure.Amazon:   {source: "amazon_ads", account: "ENTITY2K7Q4H1ZC9", perThousand: 11.2, clickRate: 0.0061},
}

// eagerness is the number of platform-reported conversions of campaigns by role, relative to prospecting campaigns with
// the same spend.
var eagerness = map[role]float64{prospecting: 1, retargeting: 3, brand: 5}

// restated returns the share of a day's conversions that a platform has reported age days later. An order occurs up to
// a few days after the click, but the platform assigns it to the day of the click.
func restated(age int) float64 { return 1 - 0.65*math.Exp(-float64(age)/3) }

// wear returns the remaining share of an ad's click-through rate (CTR) after a number of days. The share approaches 55%
// with a time constant of 40 days.
func wear(age int) float64 { return 0.55 + 0.45*math.Exp(-float64(age)/40) }

// emitAds writes the ad reports, by platform and day.
func (p *plan) emitAds(out *feed) {
	for _, m := range p.media {
		if m.platform == "" {
			continue
		}
		w := adReport{p: p, m: m, r: p.stream("ad reports", string(m.channel)), out: out}
		noise := drift(always(w.r), p.opt.Days, 0.3, 0.10)
		for start := 0; start < len(m.rows); {
			end := start
			for end < len(m.rows) && m.rows[end].day == m.rows[start].day {
				end++
			}
			w.emitDay(m.rows[start:end], noise[m.rows[start].day])
			start = end
		}
	}
}

// adReport writes the reports of one channel.
type adReport struct {
	p   *plan
	m   *medium
	r   *rand.Rand
	out *feed
}

// claimed returns the number of conversions that the platform reports for a day, as of today.
func (w adReport) claimed(t int) float64 {
	orders := w.m.claim.own*w.m.orders[t] + w.m.claim.others*w.p.base[w.m.home][t]
	return orders * restated(w.p.opt.Days-1-t) * (0.15 + 0.85*w.p.seen(t))
}

// emitDay writes the report of one day.
func (w adReport) emitDay(rows []adRow, noise float64) {
	t := int(rows[0].day)
	claims, all := w.claimed(t)*noise, 0.0
	for _, row := range rows {
		all += w.m.pull(row)
	}
	costs := tariffs[w.m.platform].perThousand * (1 + 0.25*(occasion(online, w.p.day(t))-1))
	for _, row := range rows {
		line := w.line(row)
		line.Impressions = int64(math.Round(1000 * float64(row.spend) / w.p.unit / costs * scatter(w.r, 0.12)))
		line.Impressions = max(1, line.Impressions)
		creative := w.m.campaigns[row.campaign].ads[row.ad]
		rate := tariffs[w.m.platform].clickRate * creative.appeal * wear(t-creative.first)
		line.Clicks = min(line.Impressions, count(w.r, rate*float64(line.Impressions)))
		line.Conversions, line.Value = w.conversions(claims * w.m.pull(row) / all)
		w.out.batch.AdDays = append(w.out.batch.AdDays, line)
		w.out.added(1)
	}
}

// pull returns the weight of a row for the allocation of the day's platform-reported conversions to rows.
func (m *medium) pull(row adRow) float64 {
	c := m.campaigns[row.campaign]
	return float64(row.spend) * eagerness[c.role] * c.ads[row.ad].appeal
}

// conversions draws a row's platform-reported conversions: their number in millionths and their value in minor units.
func (w adReport) conversions(mean float64) (millionths, value int64) {
	n := count(w.r, mean)
	if n == 0 {
		return 0, 0
	}
	credit := float64(n)
	if tariffs[w.m.platform].fractions {
		credit = rounded(credit*between(w.r, 0.75, 1.25), 2)
	}
	revenue := credit * nominalValues[w.m.home] * scatter(w.r, 0.5/math.Sqrt(float64(n)))
	return int64(math.Round(credit * measure.Millionths)), w.p.minor(revenue)
}

func (w adReport) line(row adRow) warehouse.AdDay {
	c := w.m.campaigns[row.campaign]
	creative := c.ads[row.ad]
	of := tariffs[w.m.platform]
	line := warehouse.AdDay{
		Source: of.source, Platform: w.m.platform, Account: of.account, Channel: w.m.channel, Day: w.p.day(int(row.day)),
		CampaignID: c.id, CampaignName: w.p.nameOn(c, int(row.day)), AdSetID: c.setID, AdSetName: c.set,
		AdID: creative.id, AdName: creative.name, Country: country,
		Spend: row.spend, Original: money.Amount{Minor: row.spend, Currency: w.p.opt.Currency},
		Attribution: w.m.claim.setting,
	}
	if row.state >= 0 {
		line.Region = states[row.state].code
	}
	return line
}
