package demo

import (
	"assay/internal/measure"
)

// Channels of the store.
const (
	facebook      measure.Channel = "facebook"
	google        measure.Channel = "google"
	tiktok        measure.Channel = "tiktok"
	snapchat      measure.Channel = "snapchat"
	amazon        measure.Channel = "amazon"
	podcast       measure.Channel = "podcast"
	influencer    measure.Channel = "influencer"
	affiliate     measure.Channel = "affiliate"
	email         measure.Channel = "email"
	sms           measure.Channel = "sms"
	organicSearch measure.Channel = "organic_search"
	direct        measure.Channel = "direct"
	referral      measure.Channel = "referral"
)

// mediumSpec describes a channel with spend in every demo store.
type mediumSpec struct {
	channel    measure.Channel
	platform   measure.Platform // "" if spend is entered manually
	share      float64          // share of all spend
	roas       float64          // center of the true ROAS over the whole period
	adstock    Adstock
	saturation Saturation // Scale and HalfSaturation in mean daily spend; Beta is derived
	home       int        // surface that the spend targets
	reach      [surfaceCount]float64
	habit      habit
	claim      claim
}

// claim describes how a platform counts conversions.
type claim struct {
	own     float64 // reported conversions per order from the spend
	others  float64 // reported conversions per other order of the home surface
	setting string  // attribution setting in the platform's notation
}

// spendShare is the store's media spend as a share of nominal revenue.
const spendShare = 0.22

// nominalValues contains mean order values by surface, in whole units of the currency. The generator uses these values
// before the first order exists. The truth uses the mean order values of the generated orders.
var nominalValues = [surfaceCount]float64{online: 88.3, marketplace: 55.7, shortVideo: 54.0, retail: 68.1, wholesale: 738}

// nominalOrderValue is the mean order value over all surfaces.
const nominalOrderValue = 85.0

var mediaSpecs = []mediumSpec{
	{
		channel: facebook, platform: measure.Facebook, share: 0.33, roas: 1.90,
		adstock:    Adstock{Form: geometric, Alpha: 0.70, Window: 28},
		saturation: Saturation{Form: logistic, Lam: 0.70, Scale: 1},
		home:       online,
		reach:      [surfaceCount]float64{online: 0.84, marketplace: 0.09, shortVideo: 0.02, retail: 0.05},
		habit:      habit{bursts: 5, pauses: 0.7, weekend: 1.06, season: 0.5, wander: 0.16},
		claim:      claim{own: 1.15, others: 0.085, setting: "7d_click,1d_view"},
	},
	{
		channel: google, platform: measure.Google, share: 0.27, roas: 2.15,
		adstock:    Adstock{Form: geometric, Alpha: 0.45, Window: 28},
		saturation: Saturation{Form: hill, HalfSaturation: 3, Slope: 1},
		home:       online,
		reach:      [surfaceCount]float64{online: 0.90, marketplace: 0.05, retail: 0.05},
		habit:      habit{bursts: 4, pauses: 0, weekend: 0.94, season: 0.6, wander: 0.14},
		claim:      claim{own: 1.10, others: 0.22, setting: "data_driven,30d_click"},
	},
	{
		channel: tiktok, platform: measure.TikTok, share: 0.13, roas: 1.40,
		adstock:    Adstock{Form: geometric, Alpha: 0.60, Window: 28},
		saturation: Saturation{Form: logistic, Lam: 1.1, Scale: 1},
		home:       online,
		reach:      [surfaceCount]float64{online: 0.62, marketplace: 0.12, shortVideo: 0.26},
		habit:      habit{bursts: 6, pauses: 2, weekend: 1.10, season: 0.3, wander: 0.22},
		claim:      claim{own: 1.30, others: 0.02, setting: "7d_click,1d_view"},
	},
	{
		channel: snapchat, platform: measure.Snapchat, share: 0.05, roas: 0.80,
		adstock:    Adstock{Form: geometric, Alpha: 0.50, Window: 28},
		saturation: Saturation{Form: logistic, Lam: 1.5, Scale: 1},
		home:       online,
		reach:      [surfaceCount]float64{online: 0.90, shortVideo: 0.10},
		habit:      habit{bursts: 4, pauses: 3, weekend: 1.15, season: 0.2, wander: 0.25},
		claim:      claim{own: 1.40, others: 0.014, setting: "28d_click,1d_view"},
	},
	{
		channel: amazon, platform: measure.Amazon, share: 0.09, roas: 2.60,
		adstock:    Adstock{Form: geometric, Alpha: 0.30, Window: 28},
		saturation: Saturation{Form: hill, HalfSaturation: 1.8, Slope: 1.2},
		home:       marketplace,
		reach:      [surfaceCount]float64{online: 0.07, marketplace: 0.93},
		habit:      habit{bursts: 5, pauses: 1, weekend: 0.98, season: 0.4, wander: 0.18},
		claim:      claim{own: 1.05, others: 0.25, setting: "14d_click"},
	},
	{
		channel: podcast, share: 0.04, roas: 1.50,
		adstock:    Adstock{Form: delayed, Alpha: 0.95, Theta: 4, Window: 28},
		saturation: Saturation{Form: logistic, Lam: 0.9, Scale: 1},
		home:       online,
		reach:      [surfaceCount]float64{online: 0.74, marketplace: 0.10, retail: 0.16},
		habit:      habit{weekend: 1, season: 0.2, wander: 0.10, flights: true},
	},
	{
		channel: influencer, share: 0.055, roas: 2.30,
		adstock:    Adstock{Form: geometric, Alpha: 0.75, Window: 28},
		saturation: Saturation{Form: logistic, Lam: 0.8, Scale: 1},
		home:       online,
		reach:      [surfaceCount]float64{online: 0.80, marketplace: 0.08, shortVideo: 0.12},
	},
	{
		channel: affiliate, share: 0.035, roas: 1.10,
		adstock:    Adstock{Form: geometric, Alpha: 0.35, Window: 28},
		saturation: Saturation{Form: hill, HalfSaturation: 2, Slope: 1.1},
		home:       online,
		reach:      [surfaceCount]float64{online: 1},
		habit:      habit{bursts: 6, pauses: 1, weekend: 0.90, season: 0.3, wander: 0.25},
	},
}

// medium contains a channel of one store with its spend and its effect.
type medium struct {
	mediumSpec
	campaigns []*campaign
	rows      []adRow     // rows of the ad report, by day
	national  []float64   // by day: spend without a region, minor units
	regional  [][]float64 // by state and day, minor units; nil if no spend has a region
	untested  [][]float64 // regional without the experiments
	peak      float64     // expected orders per day at full saturation
	orders    []float64   // by day: expected orders from the spend
	byState   [][]float64 // by state and day; nil like regional
}

// planMedia plans each channel's spend and response.
func (p *plan) planMedia() []*medium {
	media := make([]*medium, 0, len(mediaSpecs))
	for _, spec := range mediaSpecs {
		m := &medium{mediumSpec: spec, national: make([]float64, p.opt.Days)}
		m.roas *= scatter(p.stream("roas", string(spec.channel)), 0.08)
		switch {
		case spec.platform != "":
			p.planCampaigns(m)
		case spec.channel == influencer:
			m.national = p.creatorSpend()
		default:
			m.national = p.booked(spec)
		}
		m.scaleCurve(p)
		m.respond(p)
		media = append(media, m)
	}
	p.weighSlips(media)
	return media
}

// scaleCurve converts the curve's scale from mean daily spend to whole units of the currency.
func (m *medium) scaleCurve(p *plan) {
	daily := float64(m.totalSpend()) / p.unit / float64(p.opt.Days)
	if m.saturation.Form == hill {
		m.saturation.HalfSaturation = rounded(m.saturation.HalfSaturation*daily, 4)
	} else {
		m.saturation.Scale = rounded(m.saturation.Scale*daily, 4)
	}
}

// spendOn returns the channel's spend on a day in minor units.
func (m *medium) spendOn(t int) float64 {
	total := m.national[t]
	for _, days := range m.regional {
		total += days[t]
	}
	return total
}

func (m *medium) totalSpend() int64 {
	total := 0.0
	for t := range m.national {
		total += m.spendOn(t)
	}
	return int64(total)
}

// statePicker returns the picker that draws the state of an order of the channel on a day.
func (m *medium) statePicker(p *plan, t int) picker {
	if m.byState == nil {
		return newPicker(p.places.people)
	}
	weights := make([]float64, len(states))
	for i := range weights {
		weights[i] = m.byState[i][t]
	}
	return newPicker(weights)
}
