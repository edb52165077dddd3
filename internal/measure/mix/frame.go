package mix

import (
	"fmt"
	"maps"
	"slices"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/holiday"
	"assay/internal/measure/mmm"
)

// Store is what a model is made of: what a store took and spent, in one unit of money.
type Store struct {
	// Days are those on which both sales and spend are known as far as they ever will be.
	Days    civil.Range
	Revenue map[civil.Date]float64                     // a day without an entry took nothing
	Spend   map[measure.Channel]map[civil.Date]float64 // likewise
	Tests   []Test                                     // completed tests of channels, in any order
}

// The weeks that a model is made of.
const (
	mostWeeks  = 156 // effects are taken not to change, which three years strain enough
	leastWeeks = 40
	yearWeeks  = 52
	week       = 7
)

// What a channel needs to be in the model.
const (
	leastActive = 8     // weeks with spend
	leastShare  = 0.005 // of all spend
)

// carryOver is how many weeks an exposure works, its own included.
const carryOver = 5

// frame is a store's weeks, ready to be fitted.
type frame struct {
	window  civil.Range
	weeks   int
	data    mmm.Data
	leftOut []LeftOut
	tests   []Calibration
	reasons []mmm.Reason
}

// newFrame cuts the days into weeks that end with the last day. Reasons say why no model can be made of them.
func newFrame(s Store) frame {
	var f frame
	f.weeks = min(s.Days.Days()/week, mostWeeks)
	if f.weeks < leastWeeks {
		f.window, f.reasons = s.Days, []mmm.Reason{{
			Code: mmm.TooFewPeriods, Text: fmt.Sprintf("sales and spend are both known for %d whole weeks, and a model needs at least %d", f.weeks, leastWeeks),
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

// byWeek sums days to weeks. Refunds can turn a week's revenue negative, which is what it was.
func (f *frame) byWeek(days map[civil.Date]float64) []float64 {
	out := make([]float64, f.weeks)
	for i, first := range f.data.Dates {
		for k := range week {
			out[i] += days[first.AddDays(k)]
		}
	}
	return out
}

// addChannels adds every channel that spent enough to be told from chance, and notes the others.
func (f *frame) addChannels(s Store) {
	var total float64
	weekly := map[measure.Channel][]float64{}
	for channel, days := range s.Spend {
		weekly[channel] = f.byWeek(days)
	}
	names := slices.Sorted(maps.Keys(weekly))
	for _, channel := range names {
		total += sum(weekly[channel])
	}
	for _, channel := range names {
		spend, active := weekly[channel], 0
		for i := range spend {
			spend[i] = max(spend[i], 0) // credits after the fact are no negative exposure
			if spend[i] > 0 {
				active++
			}
		}
		all := sum(spend)
		switch {
		case all == 0:
		case active < leastActive:
			f.leftOut = append(f.leftOut, LeftOut{channel, all, fmt.Sprintf("spend in %d weeks, fewer than %d", active, leastActive)})
		case all < leastShare*total:
			f.leftOut = append(f.leftOut, LeftOut{channel, all, fmt.Sprintf("less than %.1f %% of all spend", 100*leastShare)})
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

// occasions are the days of the calendar that move shops everywhere and that waves over the year are too broad for. Budgets rise
// with them, so a model that does not know them gives their sales to the channels.
var occasions = []string{"cyber_weekend", "christmas"}

// events returns the occasions as controls. One that the window never sees is left out.
func (f *frame) events() []mmm.Control {
	var out []mmm.Control
	for _, name := range occasions {
		c := mmm.EventControl(name, f.data.Dates, holiday.Named(name).Within(f.window)...)
		if sum(c.Values) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// spec is the model: priors on the return of each channel, because that is what an analyst has an opinion on, and as alike as
// they turn out to be; waves of the year as far as the window has years; everything else as package mmm does it.
func (f *frame) spec() mmm.Spec {
	s := mmm.Spec{
		Adstock: mmm.Adstock{Kind: mmm.Geometric, Lags: carryOver}, Saturation: mmm.CES, Effect: mmm.ROI,
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

func sum(values []float64) float64 {
	var s float64
	for _, v := range values {
		s += v
	}
	return s
}
