package chart

import (
	"fmt"
	"math"

	"assay/internal/civil"
)

// sample is a chart with a picture in testdata, for review and comparison.
type sample struct {
	name  string
	chart Chart
}

var samplesFrom = civil.MustParse("2026-10-01")

// sales returns n days of simulated sales: a level, a weekly season and slow changes.
func sales(n int, level, change float64, phase int) []Point {
	out := make([]Point, n)
	for i := range out {
		x := float64(i + 3*phase)
		v := level * (1 + change*math.Sin(x*2*math.Pi/7) + .6*change*math.Sin(x/11) + .3*change*math.Sin(x*1.7))
		out[i] = Point{Date: samplesFrom.AddDays(i), Value: math.Round(v*100) / 100}
	}
	return out
}

func waves(names []string, n int) []Series {
	out := make([]Series, len(names))
	for i, name := range names {
		out[i] = Series{Name: name, Points: sales(n, 9000/float64(i+1), .25, i)}
	}
	return out
}

var channels = []string{
	"facebook", "google", "tiktok", "email", "affiliate", "organic search", "pinterest", "snapchat", "microsoft",
	"influencers", "direct mail", "other",
}

// crowd returns n annotations spread over a number of days, as dense as experiments on many channels may be.
func crowd(n, days int) []Annotation {
	out := make([]Annotation, n)
	for i := range out {
		end := "starts"
		if i%2 == 1 {
			end = "ends"
		}
		out[i] = Annotation{Date: samplesFrom.AddDays(i * (days - 1) / max(1, n-1)), Label: channels[i/2%len(channels)] + " test " + end}
	}
	return out
}

func samples() []sample {
	revenue := Chart{Metric: "Revenue", Unit: Money, Currency: "USD"}
	with := func(change func(*Chart)) Chart {
		c := revenue
		change(&c)
		return c
	}
	single := sales(31, 42000, .12, 0)
	single[30].Partial, single[30].Value = true, 18000
	gaps := sales(31, 4200, .4, 2)
	for _, i := range []int{4, 5, 9, 11, 20} {
		gaps[i].Missing = true
	}
	months := make([]Point, 24)
	for i := range months {
		months[i] = Point{Date: civil.New(2025, 1, 1).AddDays(31 * i), Value: 2.4 + math.Sin(float64(i)/3), Partial: i == 23}
	}
	forecast := sales(60, 52000, .1, 1)
	for i := 40; i < 60; i++ {
		wide := 1500 * math.Sqrt(float64(i-38))
		forecast[i].Band = &Band{Low: forecast[i].Value - wide, High: forecast[i].Value + wide}
	}
	weeks := func(level float64, phase int) []Point {
		out := make([]Point, 9)
		for i := range out {
			out[i] = Point{Date: civil.MustParse("2026-09-28").AddDays(7 * i), Value: level * (1 + .3*math.Sin(float64(i+phase))), Partial: i == 8}
		}
		return out
	}
	return []sample{
		{"line-one", with(func(c *Chart) {
			c.Title, c.Series = "Revenue by day", []Series{{Points: single}}
			c.Annotations = []Annotation{{samplesFrom.AddDays(9), "Autumn sale"}, {samplesFrom.AddDays(11), "Price change on all winter coats"}, {samplesFrom.AddDays(29), "Site outage"}}
		})},
		{"line-five-dark", with(func(c *Chart) {
			c.Title, c.Theme, c.Series = "Revenue by channel", Dark, waves(channels[:5], 92)
		})},
		{"line-twelve-narrow", with(func(c *Chart) {
			c.Title, c.Width, c.Height = "Revenue by channel, all twelve of them", 600, 400
			c.Series = waves(channels, 92)
		})},
		{"line-gaps", with(func(c *Chart) { c.Series = []Series{{Name: "tiktok", Points: gaps}} })},
		{"line-point", with(func(c *Chart) { c.Series = []Series{{Name: "email", Points: single[:1]}} })},
		{"line-months", Chart{Title: "Return on ad spend", Metric: "ROAS", Unit: Ratio, Granularity: civil.ByMonth, Series: []Series{{Points: months}}}},
		{"line-cut-dark", with(func(c *Chart) {
			c.Title, c.Theme, c.Series = "Revenue, nearly level", Dark, []Series{{Name: "facebook", Points: sales(45, 52000, .04, 0)}, {Name: "google", Points: sales(45, 50000, .03, 2)}}
		})},
		{"line-band", with(func(c *Chart) {
			c.Title, c.BandName, c.Series = "Forecast of revenue", "90 % interval", []Series{{Points: forecast}}
		})},
		{"line-two-years", with(func(c *Chart) { c.Series, c.Width = waves(channels[:3], 731), 600 })},
		{"bar-grouped", with(func(c *Chart) {
			c.Title, c.Kind, c.Granularity, c.Metric = "Spend by week", Bar, civil.ByWeek, "Spend"
			c.Series = []Series{{Name: "facebook", Points: weeks(12000, 0)}, {Name: "google", Points: weeks(9000, 1)}, {Name: "tiktok", Points: weeks(4000, 2)}}
		})},
		{"bar-stacked-dark", with(func(c *Chart) {
			c.Title, c.Kind, c.Stacked, c.Theme, c.Width = "Orders by channel", Bar, true, Dark, 600
			c.Unit, c.Metric, c.Series = Count, "Orders", waves(channels[:8], 31)
		})},
		{"bar-negative", with(func(c *Chart) {
			c.Title, c.Kind, c.Granularity = "Net change against last year", Bar, civil.ByWeek
			c.Series = []Series{{Points: []Point{
				{Date: samplesFrom, Value: 12000, Band: &Band{9000, 15500}},
				{Date: samplesFrom.AddDays(7), Value: -8000, Band: &Band{-13000, -1000}},
				{Date: samplesFrom.AddDays(14), Value: 3000, Band: &Band{-500, 6000}},
			}}}
		})},
		{"pie", with(func(c *Chart) { c.Title, c.Kind, c.Series = "Where revenue comes from", Pie, waves(channels[:6], 31) })},
		{"pie-twelve-dark-narrow", with(func(c *Chart) {
			c.Title, c.Kind, c.Theme, c.Width, c.Height = "Where revenue comes from", Pie, Dark, 600, 400
			c.Series = append(waves(channels[:11], 31), Series{Name: "refund corrections", Points: []Point{{Date: samplesFrom, Value: -900}}})
		})},
		{"line-smallest-dark", with(func(c *Chart) {
			c.Title, c.Theme, c.Width, c.Height = "Revenue by channel, all twelve of them", Dark, 320, 200
			c.Series = waves(channels, 31)
		})},
		{"pie-narrow", with(func(c *Chart) {
			c.Title, c.Kind, c.Width, c.Height, c.Series = "Where revenue comes from", Pie, 320, 240, waves(channels[:5], 31)
		})},
		{"line-marks-dark-narrow", with(func(c *Chart) {
			c.Title, c.Theme, c.Width, c.Height, c.Series = "Revenue by channel", Dark, 600, 380, waves(channels[:2], 120)
			c.Annotations = crowd(12, 120)
		})},
		{"bar-marks", with(func(c *Chart) {
			c.Title, c.Kind, c.Width, c.Height, c.Series = "Revenue by day", Bar, 600, 380, []Series{{Points: single}}
			c.Annotations = []Annotation{{samplesFrom, "tiktok test starts"}, {samplesFrom.AddDays(8), "unusually high"}, {samplesFrom.AddDays(9), "tiktok test ends"}, {samplesFrom.AddDays(27), "facebook study starts"}}
		})},
		{"empty", with(func(c *Chart) {
			c.Title, c.Period = "Revenue by channel", civil.Range{First: samplesFrom, Last: samplesFrom.AddDays(30)}
		})},
		{"untrusted", with(func(c *Chart) {
			c.Title = "<b>Sale</b> & \"more\" 🛍️ מבצע سعر \x00\x1b[31m\u202eevil\u202c " + fmt.Sprintf("%0120d", 7) + " and so on until it ends"
			c.Series = []Series{
				{Name: "<script>alert(1)</script>", Points: sales(20, 300, .3, 0)},
				{Name: "a campaign name that goes on and on and on", Points: sales(20, 200, .3, 1)},
				{Name: "夏のセール 🏖️🏖️🏖️🏖️🏖️🏖️", Points: sales(20, 250, .3, 2)},
			}
		})},
	}
}
