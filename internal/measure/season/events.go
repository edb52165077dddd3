package season

import (
	"time"

	"assay/internal/civil"
	"assay/internal/measure/holiday"
)

// effect is a coefficient of the calendar with its prior.
type effect struct {
	season   string // name of the season; empty for amplitudes and for effects that are negligible if unseen
	group    int    // effects of one group vary together between years
	mean, sd float64
	days     []loading
}

// loading is the weight of an effect on a day. Days are counted from the first day of the history.
type loading struct {
	day int
	by  float64
}

// Seasons that change a month's total.
const (
	cyberSeason     = "Black Friday week"
	christmasSeason = "the Christmas season"
)

// seasonNames has one entry per group of [seasons].
var seasonNames = []string{cyberSeason, christmasSeason}

// block is a period of an event with the prior mean of its log effect.
type block struct {
	first, last int // days after the event's date
	mean        float64
}

// cyber contains the days around Thanksgiving. The means are from stores with sales events. The standard deviations in
// [amplitude] also cover stores without sales events.
var cyber = []block{
	{-3, -3, .10}, {-2, -2, .10}, {-1, -1, .15}, {0, 0, .25}, {1, 1, .80}, {2, 2, .45}, {3, 3, .40}, {4, 4, .65}, {5, 5, .20},
}

// christmas contains the days around December 25: gift shopping from the end of the cyber weekend, the last days for
// delivery before Christmas, the holidays and January.
var christmas = []block{
	{-27, -18, .20},
	{-17, -11, .25},
	{-10, -6, .15},
	{-5, -2, -.05},
	{-1, -1, -.40},
	{0, 0, -.60},
	{1, 5, -.15},
	{6, 7, -.15},
	{8, 16, -.10},
	{17, 37, -.10},
}

// lastNamed is the last day on which a block with the name of its season may begin, relative to the season's date. The
// effects of January's blocks are negligible.
const lastNamed = 7

// Prior standard deviations. Effects differ between stores in size (amplitudeSD) and in shape (cyberSD and
// christmasSD).
const (
	amplitudeSD = 0.6
	cyberSD     = 0.25
	christmasSD = 0.15
	holidaySD   = 0.07
	// yearlySD is the standard deviation of an event's effect between years. The constant alike is the correlation of
	// these differences among the days of one group.
	yearlySD = 0.10
	alike    = 0.5
)

// seasons returns the effects of the seasons on the given days.
func seasons(days civil.Range) []effect {
	c := collector{days: days}
	c.season(cyberSeason, holiday.Thanksgiving, cyber, cyberSD, nil)
	c.season(christmasSeason, func(year int) civil.Date { return civil.New(year, time.December, 25) }, christmas, christmasSD,
		func(day civil.Date) bool {
			return day.Month() <= time.February || day.Sub(holiday.Thanksgiving(day.Year())) > cyber[len(cyber)-1].last
		})
	return c.all
}

// events returns the effects of the calendar on the given days, in a fixed order.
func events(days civil.Range, countries []string) ([]effect, error) {
	c := collector{days: days, all: seasons(days), group: len(seasonNames)}
	national, err := holiday.Of(countries, true)
	if err != nil {
		return nil, err
	}
	if len(countries) == 0 {
		national = []holiday.Holiday{holiday.Named("valentines")}
	}
	for _, h := range national {
		switch h.Name {
		case "cyber_weekend", "black_friday", "cyber_monday", "thanksgiving", "christmas", "after_christmas", "christmas_days", "new_year":
		default:
			c.holiday(h)
		}
	}
	return c.all, nil
}

// collector adds effects that have a day in the range.
type collector struct {
	days  civil.Range
	all   []effect
	group int
}

// loadings returns the days of the ranges, with a weight.
func (c *collector) loadings(by float64, ranges ...civil.Range) []loading {
	var all []loading
	for _, r := range ranges {
		for inside := r.Intersect(c.days); inside.Days() > 0; inside.First = inside.First.AddDays(1) {
			all = append(all, loading{inside.First.Sub(c.days.First), by})
		}
	}
	return all
}

// add adds an effect on ranges of days as a separate group.
func (c *collector) add(e effect, ranges ...civil.Range) {
	if e.days = c.loadings(1, ranges...); len(e.days) > 0 {
		c.group++
		e.group = c.group
		c.all = append(c.all, e)
	}
}

// season adds a season: an amplitude of the prior shape, and the deviation of each block from this shape. Days that are
// not allowed belong to another season.
func (c *collector) season(name string, date func(year int) civil.Date, shape []block, sd float64, allowed func(civil.Date) bool) {
	c.group++
	amplitude := effect{group: c.group, mean: 1, sd: amplitudeSD}
	var blocks []effect
	for _, b := range shape {
		own := effect{group: c.group, sd: sd}
		if b.first <= lastNamed {
			own.season = name
		}
		for year := c.days.First.Year() - 1; year <= c.days.Last.Year()+1; year++ {
			for k := b.first; k <= b.last; k++ {
				if day := date(year).AddDays(k); allowed == nil || allowed(day) {
					own.days = append(own.days, c.loadings(1, civil.Range{First: day, Last: day})...)
				}
			}
		}
		for _, at := range own.days {
			amplitude.days = append(amplitude.days, loading{at.day, b.mean})
		}
		if len(own.days) > 0 {
			blocks = append(blocks, own)
		}
	}
	if len(blocks) > 0 {
		c.all = append(append(c.all, amplitude), blocks...)
	}
}

// holiday adds a national holiday or a gift day, such as Mother's Day. A holiday on a Monday or Friday includes the
// weekend before or after it. A gift day has two effects. The first is for the days from nine to two days before it.
// The second is for the last two days, when delivery would be too late.
func (c *collector) holiday(h holiday.Holiday) {
	var before, itself []civil.Range
	for _, r := range h.Within(civil.Range{First: c.days.First.AddDays(-14), Last: c.days.Last.AddDays(14)}) {
		day := r.Last
		switch {
		case h.Kind == holiday.Shopping:
			before = append(before, civil.Range{First: day.AddDays(-9), Last: day.AddDays(-2)})
			itself = append(itself, civil.Range{First: day.AddDays(-1), Last: day})
			continue
		case r.Days() > 1:
		case day.Weekday() == time.Monday:
			before = append(before, civil.Range{First: day.AddDays(-3), Last: day.AddDays(-1)})
		case day.Weekday() == time.Friday:
			before = append(before, civil.Range{First: day.AddDays(1), Last: day.AddDays(2)})
		}
		itself = append(itself, r)
	}
	c.add(effect{sd: holidaySD}, before...)
	c.add(effect{sd: holidaySD}, itself...)
}
