package performance

import (
	"net/url"
	"slices"

	"assay/internal/civil"
	"assay/internal/console/frame"
	"assay/internal/fault"
	"assay/internal/measure"
)

// filter selects the figures of a page. Its state is in the query of the page's address, so the page can be shared and
// bookmarked.
type filter struct {
	Preset  string // name of the period, "" for a custom one
	Days    civil.Range
	Compare comparison
	Channel measure.Channel // "": all
	Model   measure.Model
	Today   civil.Date

	channels []measure.Channel
}

// comparison is the earlier period.
type comparison string

const (
	previousPeriod comparison = "previous"
	previousYear   comparison = "year"
	noComparison   comparison = "none"
)

// Names of the parameters of the query.
const (
	rangeParam   = "range"
	startParam   = "start"
	endParam     = "end"
	compareParam = "compare"
	channelParam = "channel"
	modelParam   = "model"
)

// kept lists the query parameters that links to other pages of the group contain.
var kept = []string{rangeParam, startParam, endParam, compareParam, channelParam, modelParam}

// presets are the named periods relative to a day. The first is the default.
var presets = []struct {
	key, name string
	days      func(today civil.Date) civil.Range
}{
	{"30d", "Last 30 days", func(t civil.Date) civil.Range { return civil.Range{First: t.AddDays(-30), Last: t} }},
	{"7d", "Last 7 days", func(t civil.Date) civil.Range { return civil.Range{First: t.AddDays(-7), Last: t} }},
	{"yesterday", "Yesterday", func(t civil.Date) civil.Range { return civil.Range{First: t.AddDays(-1), Last: t.AddDays(-1)} }},
	{"90d", "Last 90 days", func(t civil.Date) civil.Range { return civil.Range{First: t.AddDays(-90), Last: t} }},
	{"month", "Month to date", func(t civil.Date) civil.Range { return civil.Range{First: civil.ByMonth.Start(t), Last: t} }},
	{"last-month", "Last month", func(t civil.Date) civil.Range {
		last := civil.ByMonth.Start(t).AddDays(-1)
		return civil.Range{First: civil.ByMonth.Start(last), Last: last}
	}},
	{"year", "Year to date", func(t civil.Date) civil.Range { return civil.Range{First: civil.New(t.Year(), 1, 1), Last: t} }},
}

// filterIn reads the filter of a query.
func filterIn(query url.Values, today civil.Date) (filter, error) {
	f := filter{Today: today, Compare: previousPeriod, Model: measure.LastTouch, Channel: measure.Channel(query.Get(channelParam))}
	if c := comparison(query.Get(compareParam)); c == previousYear || c == noComparison {
		f.Compare = c
	}
	if m := measure.Model(query.Get(modelParam)); slices.Contains(models(), m) {
		f.Model = m
	}
	if query.Get(startParam) != "" || query.Get(endParam) != "" {
		return f.between(query.Get(startParam), query.Get(endParam))
	}
	chosen := presets[0]
	for _, p := range presets {
		if p.key == query.Get(rangeParam) {
			chosen = p
		}
	}
	f.Preset, f.Days = chosen.key, chosen.days(today)
	return f, nil
}

func (f filter) between(start, end string) (filter, error) {
	for _, one := range []struct {
		text string
		into *civil.Date
	}{{start, &f.Days.First}, {end, &f.Days.Last}} {
		day, err := civil.Parse(one.text)
		if err != nil {
			return f, fault.Invalid("the date %q is not a calendar date", one.text).WithHint("use YYYY-MM-DD, such as 2026-10-01")
		}
		*one.into = day
	}
	if f.Days.Last.Before(f.Days.First) {
		return f, fault.Invalid("the first day %s is after the last day %s", f.Days.First, f.Days.Last).WithHint("swap the dates")
	}
	f.Days = f.Days.UpTo(f.Today)
	return f, nil
}

func models() []measure.Model { return append(measure.Models(), measure.Fitted()...) }

// Earlier returns the comparison period. The same period one year earlier starts 52 weeks earlier, so weekdays match.
func (f filter) Earlier() civil.Range {
	if f.Compare == previousYear {
		return civil.Range{First: f.Days.First.AddDays(-364), Last: f.Days.Last.AddDays(-364)}
	}
	return f.Days.Previous()
}

// Against names the comparison period.
func (f filter) Against() string {
	if f.Compare == noComparison {
		return "nothing"
	}
	if f.Compare == previousYear {
		return "one year earlier"
	}
	if n := f.Days.Days(); n > 1 {
		return "previous " + frame.Count(int64(n)) + " days"
	}
	return "previous day"
}

// Granularity returns days, weeks or months, so that a chart has at most about 100 points.
func (f filter) Granularity() civil.Granularity {
	switch n := f.Days.Days(); {
	case n <= 100:
		return civil.ByDay
	case n <= 694: // at most 100 calendar weeks, regardless of the first weekday
		return civil.ByWeek
	}
	return civil.ByMonth
}

// dated returns the arguments of a tool for a period.
func dated(days civil.Range) frame.Arguments {
	return frame.Arguments{"start_date": days.First.String(), "end_date": days.Last.String(), "detail_level": "analyst", "compact": true}
}

// chip is a control of the filter bar: a menu of links, and for the period a form.
type chip struct {
	Label, Value string
	Options      []option
	Dates        *dates
}

func choice(name, address string, here bool) option {
	return option{Name: name, Address: address, Here: here}
}

// dates is the form of a custom period.
type dates struct {
	Path       string
	First      civil.Date
	Last       civil.Date
	Hidden     [][2]string
	Difference string
}

// uses selects the filters of a page. A page has only the filters that its tool supports.
type uses struct{ compare, channel, model bool }

// has reports whether a page uses the filter of a query parameter.
func (u uses) has(parameter string) bool {
	switch parameter {
	case compareParam:
		return u.compare
	case channelParam:
		return u.channel
	case modelParam:
		return u.model
	}
	return true
}

// bar returns the filter bar of the page.
func (r *request) bar() []chip {
	f, u, use := r.Filter, r.URL, r.uses
	change := func(pairs ...string) string {
		next := url.Values{"workspace": u.Query()["workspace"]}
		for _, name := range kept {
			if v := u.Query().Get(name); v != "" {
				next.Set(name, v)
			}
		}
		for i := 0; i < len(pairs); i += 2 {
			next.Set(pairs[i], pairs[i+1])
			if pairs[i+1] == "" {
				next.Del(pairs[i])
			}
		}
		return u.Path + "?" + next.Encode()
	}
	period := chip{Label: "Period", Value: f.Days.Words(), Dates: &dates{Path: u.Path, First: f.Days.First, Last: f.Days.Last}}
	for _, p := range presets {
		period.Options = append(period.Options, choice(p.name, change(rangeParam, p.key, startParam, "", endParam, ""), f.Preset == p.key))
	}
	for _, name := range []string{"workspace", compareParam, channelParam, modelParam} {
		if v := u.Query().Get(name); v != "" {
			period.Dates.Hidden = append(period.Dates.Hidden, [2]string{name, v})
		}
	}
	bar := []chip{period}
	if use.compare {
		bar = append(bar, chip{Label: "compared with", Value: f.Against(), Options: []option{
			choice("Previous period", change(compareParam, ""), f.Compare == previousPeriod),
			choice("One year earlier", change(compareParam, string(previousYear)), f.Compare == previousYear),
			choice("No comparison", change(compareParam, string(noComparison)), f.Compare == noComparison),
		}})
	}
	if use.channel {
		bar = append(bar, f.channelChip(change))
	}
	if use.model {
		attribution := chip{Label: "Attribution", Value: modelName(f.Model)}
		for _, m := range models() {
			attribution.Options = append(attribution.Options, choice(modelName(m), change(modelParam, string(m)), f.Model == m))
		}
		bar = append(bar, attribution)
	}
	return bar
}

func (f filter) channelChip(change func(...string) string) chip {
	c := chip{Label: "Channel", Value: "All channels", Options: []option{choice("All channels", change(channelParam, ""), f.Channel == "")}}
	if f.Channel != "" {
		c.Value = frame.ChannelName(f.Channel)
	}
	for _, one := range f.channels {
		c.Options = append(c.Options, choice(frame.ChannelName(one), change(channelParam, string(one)), f.Channel == one))
	}
	return c
}

// modelName returns the display name of an attribution model.
func modelName(m measure.Model) string {
	switch m {
	case measure.Markov:
		return "Markov chain"
	case measure.Shapley:
		return "Shapley value"
	default:
	}
	return frame.Capitalized(frame.Words(string(m)))
}
