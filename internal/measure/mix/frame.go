package mix

import (
	"fmt"
	"maps"
	"slices"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/holiday"
	"assay/internal/measure/mmm"
	"assay/internal/measure/stats"
)

// Store is the input of a model: a store's sales and spend, in one currency.
type Store struct {
	// Days contains the days with final data for both sales and spend.
	Days    civil.Range
	Revenue map[civil.Date]float64                     // a day without an entry has no revenue
	Spend   map[measure.Channel]map[civil.Date]float64 // a day without an entry has no spend
	Tests   []Test                                     // lift tests of the scope, in any order
}

// The minimum and maximum length of a window and the length of a year, in weeks. The length of a week is in days.
const (
	mostWeeks  = 156 // effects are assumed to be constant, which is implausible for longer windows
	leastWeeks = 40
	yearWeeks  = 52
	week       = 7
)

// Minimum data for a channel to be in the model.
const (
	leastActive = 8     // minimum number of weeks with spend
	leastShare  = 0.005 // minimum share of all spend
)

// adstockWeeks is the length of the adstock in weeks, including the week of the exposure.
const adstockWeeks = 5

// Scope contains the channels and days that a model covers.
type Scope struct {
	Channels []measure.Channel
	Days     civil.Range
}

// Scope returns the days and channels that a model of the store covers. If no model is possible, the scope has no
// channel.
func (s Store) Scope() Scope {
	f := newFrame(s)
	of := Scope{Days: f.window}
	for _, m := range f.data.Media {
		of.Channels = append(of.Channels, m.Channel)
	}
	return of
}

// Scope returns the channels and days that the model covers.
func (m *Model) Scope() Scope {
	of := Scope{Days: m.Window}
	for _, e := range m.Effects {
		of.Channels = append(of.Channels, e.Channel)
	}
	return of
}

// frame contains a store's weekly data for a fit.
type frame struct {
	window  civil.Range
	weeks   int
	data    mmm.Data
	leftOut []LeftOut
	tests   []Calibration
	reasons []mmm.Reason
}

// newFrame returns the weekly data of a store. The last week ends on the last day. If no model is possible, the frame
// contains the reasons.
func newFrame(s Store) frame {
	var f frame
	f.weeks = min(s.Days.Days()/week, mostWeeks)
	if f.weeks < leastWeeks {
		f.window, f.reasons = s.Days, []mmm.Reason{{
			Code:   mmm.TooFewPeriods,
			Text:   fmt.Sprintf("sales and spend both cover %d whole weeks, but a model needs at least %d weeks", f.weeks, leastWeeks),
			Remedy: "import older orders and ad reports, or train again when there are more weeks",
		}}
		return f
	}
	f.window = civil.Range{First: s.Days.Last.AddDays(1 - week*f.weeks), Last: s.Days.Last}
	for i := range f.weeks {
		f.data.Dates = append(f.data.Dates, f.window.First.AddDays(week*i))
	}
	f.data.Target = f.byWeek(s.Revenue)
	f.addChannels(s)
	f.data.Controls = f.events()
	return f
}

// byWeek returns the sums of daily values by week. Refunds can make a week's revenue negative.
func (f *frame) byWeek(days map[civil.Date]float64) []float64 {
	out := make([]float64, f.weeks)
	for i, first := range f.data.Dates {
		for k := range week {
			out[i] += days[first.AddDays(k)]
		}
	}
	return out
}

// addChannels adds every channel with enough spend to estimate an effect, and lists the other channels.
func (f *frame) addChannels(s Store) {
	var total float64
	weekly := map[measure.Channel][]float64{}
	for channel, days := range s.Spend {
		weekly[channel] = f.byWeek(days)
	}
	names := slices.Sorted(maps.Keys(weekly))
	for _, channel := range names {
		total += stats.Sum(weekly[channel])
	}
	for _, channel := range names {
		spend, active := weekly[channel], 0
		for i := range spend {
			spend[i] = max(spend[i], 0) // a credit from the platform is not a negative exposure
			if spend[i] > 0 {
				active++
			}
		}
		all := stats.Sum(spend)
		switch {
		case all == 0:
		case active < leastActive:
			f.leftOut = append(f.leftOut, LeftOut{
				channel, all, fmt.Sprintf("spend in only %d weeks; at least %d weeks are required", active, leastActive),
			})
		case all < leastShare*total:
			f.leftOut = append(f.leftOut, LeftOut{channel, all, fmt.Sprintf("less than %.1f%% of all spend", 100*leastShare)})
		default:
			f.data.Media = append(f.data.Media, mmm.Media{Channel: channel, Exposure: spend})
		}
	}
	if len(f.data.Media) == 0 {
		f.reasons = append(f.reasons, mmm.Reason{
			Code: mmm.NoSpend, Text: fmt.Sprintf("no channel has spend in %d weeks of the window", leastActive),
			Remedy: "import the ad platforms' reports, or spend by channel and day",
		})
	}
}

// occasions lists the calendar events that affect all stores and are too short for seasonal terms. Spend is also
// higher on these days, so a model without the events attributes sales of the events to the channels.
var occasions = []string{"cyber_weekend", "christmas"}

// events returns the occasions in the window as controls.
func (f *frame) events() []mmm.Control {
	var out []mmm.Control
	for _, name := range occasions {
		c := mmm.EventControl(name, f.data.Dates, holiday.Named(name).Within(f.window)...)
		if stats.Sum(c.Values) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// spec returns the model's specification. Priors are on the ROAS of each channel, with partial pooling, because
// analysts have expectations of ROAS. Yearly seasonality depends on the length of the window. Other settings are the
// defaults of package mmm.
func (f *frame) spec() mmm.Spec {
	s := mmm.Spec{
		Adstock: mmm.Adstock{Kind: mmm.Geometric, Lags: adstockWeeks}, Saturation: mmm.CES, Effect: mmm.ROI,
		Trend: mmm.Trend{Kind: mmm.LinearTrend}, Likelihood: mmm.Normal, PoolEffects: true, Priors: maps.Clone(priors),
		Lifts: f.lifts(), Unconfounded: f.unconfounded(),
	}
	switch {
	case f.weeks >= 2*yearWeeks-2:
		s.Yearly = 3
	case f.weeks >= yearWeeks:
		s.Yearly = 1
	}
	return s
}
