package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"assay/internal/chart"
	"assay/internal/civil"
	"assay/internal/ingest/demo"
	"assay/internal/measure"
	"assay/internal/measure/attribution"
	"assay/internal/measure/cohort"
	"assay/internal/measure/creator"
	"assay/internal/measure/forecast"
	"assay/internal/measure/geo"
	"assay/internal/warehouse"
)

// monday is the first day of the simulated series.
var monday = civil.New(2026, 6, 1)

// rhythm is the share of a week's revenue by weekday, times seven, from Monday.
var rhythm = [7]float64{1.05, 0.95, 0.92, 0.95, 1.02, 1.06, 1.05}

// revenue returns a chart with the parts that all revenue charts share.
func revenue(title string, by civil.Granularity, series ...chart.Series) chart.Chart {
	return chart.Chart{Title: title, Metric: "Revenue", Unit: chart.Money, Currency: "USD", Granularity: by, Series: series}
}

// shop simulates the daily revenue of a store from a Monday on: a growing level, a weekly pattern and noise.
func shop(days int, seed uint64, noise float64) []float64 {
	r := rand.New(rand.NewPCG(seed, 0))
	values := make([]float64, days)
	for t := range values {
		values[t] = 9000 * (1 + .0008*float64(t)) * rhythm[t%7] * math.Exp(noise*r.NormFloat64())
	}
	return values
}

// byDay puts values on consecutive days.
func byDay(from civil.Date, values []float64) []chart.Point {
	points := make([]chart.Point, len(values))
	for t, v := range values {
		points[t] = chart.Point{Date: from.AddDays(t), Value: math.Round(v)}
	}
	return points
}

// byMonth returns the values as points on the first days of the months from July 2026 on.
func byMonth(values ...float64) []chart.Point {
	points := make([]chart.Point, len(values))
	for i, v := range values {
		points[i] = chart.Point{Date: civil.New(2026, 7+time.Month(i), 1), Value: v}
	}
	return points
}

// anomalies simulates an outage and a day with high revenue, and detects anomalies in both directions.
func anomalies() ([]byte, error) {
	values := shop(91, 7, .05)
	values[38] *= .55
	values[66] *= 1.6
	judged, err := forecast.Anomalies(values, 7)
	if err != nil {
		return nil, err
	}
	expected := make([]float64, len(values))
	var marks []chart.Annotation
	for t, o := range judged {
		expected[t] = o.Expected
		if o.Actionable {
			marks = append(marks, chart.Annotation{Date: monday.AddDays(t), Label: strings.Replace(fmt.Sprintf("z = %.1f", o.Z), "-", "−", 1)})
		}
	}
	c := revenue("Two anomalies in three months of revenue", civil.ByDay,
		chart.Series{Name: "revenue", Points: byDay(monday, values)}, chart.Series{Name: "expected", Points: byDay(monday, expected)})
	c.Annotations = marks
	return chart.Draw(c)
}

// attributionModels attributes the same conversions with six attribution models.
func attributionModels() ([]byte, error) {
	paths := []struct {
		channels string
		orders   [4]float64
	}{
		{"podcast > organic_search > google", [4]float64{42, 55, 68, 50}},
		{"podcast > email", [4]float64{30, 36, 41, 35}},
		{"podcast", [4]float64{12, 15, 19, 14}},
		{"facebook > podcast > google", [4]float64{18, 20, 26, 22}},
		{"facebook > google", [4]float64{120, 118, 125, 122}},
		{"google", [4]float64{160, 155, 170, 165}},
		{"email", [4]float64{90, 92, 95, 94}},
	}
	models := []struct {
		name  string
		model attribution.Model
	}{
		{"first touch", attribution.First},
		{"position based", attribution.Position},
		{"Shapley value", attribution.Shapley},
		{"Markov chain", attribution.Markov1},
		{"linear", attribution.Linear},
		{"last touch", attribution.Last},
	}
	credited := make([][]float64, len(models))
	for month := range 4 {
		var all attribution.Paths
		for _, p := range paths {
			var path attribution.Path
			for name := range strings.SplitSeq(p.channels, " > ") {
				path.Channels = append(path.Channels, measure.Channel(name))
			}
			path.Conversions, path.Value = p.orders[month], int64(p.orders[month]*8900)
			if err := all.Add(path); err != nil {
				return nil, err
			}
		}
		for i, m := range models {
			result, err := attribution.Attribute(&all, m.model)
			if err != nil {
				return nil, err
			}
			at := slices.IndexFunc(result.Credits, func(c attribution.Credit) bool { return c.Channel == "podcast" })
			credited[i] = append(credited[i], float64(result.Credits[at].Whole)/100)
		}
	}
	c := revenue("One podcast, six attribution models", civil.ByMonth)
	c.Kind, c.Metric = chart.Bar, "Revenue attributed to the podcast"
	for i, m := range models {
		c.Series = append(c.Series, chart.Series{Name: m.name, Points: byMonth(credited[i]...)})
	}
	return chart.Draw(c)
}

// creators estimates the capture probabilities of a store from eight creators, and one creator's orders by month.
func creators() ([]byte, error) {
	all := make([]creator.Signals, 8)
	for i := range all {
		n := float64(40 + 25*i)
		all[i] = creator.Signals{
			ID: fmt.Sprint(i), HasCode: true, HasLink: true, Code: math.Round(.6 * n), CodeTouched: math.Round(.38 * n),
			Named: math.Round(.3 * n), NamedTouched: math.Round(.2 * n), Both: math.Round(.16 * n), Link: math.Round(.4 * n),
		}
	}
	rates, err := creator.Learn(all, creator.Ground{Orders: 20000, Touched: 300})
	if err != nil {
		return nil, err
	}
	var codes, named, links, estimates []chart.Point
	for i, n := range []float64{62, 118, 95, 40, 74} {
		s := creator.Signals{
			ID: "a", HasCode: true, HasLink: true, Code: math.Round(.58 * n), CodeTouched: math.Round(.36 * n),
			Named: math.Round(.31 * n), NamedTouched: math.Round(.2 * n), Both: math.Round(.16 * n), Link: math.Round(.39 * n),
		}
		e, err := rates.Of(s, .9)
		if err != nil {
			return nil, err
		}
		at := civil.New(2026, 7+time.Month(i), 1)
		named = append(named, chart.Point{Date: at, Value: s.Named})
		links = append(links, chart.Point{Date: at, Value: s.Link})
		codes = append(codes, chart.Point{Date: at, Value: s.Code})
		estimates = append(estimates, chart.Point{Date: at, Value: e.Orders.Value, Band: &chart.Band{Low: e.Orders.Low, High: e.Orders.High}})
	}
	return chart.Draw(chart.Chart{
		Kind: chart.Bar, Title: "Three signals of one creator, and the estimate", Metric: "Orders", Granularity: civil.ByMonth,
		BandName: "90% interval of the estimate",
		Series: []chart.Series{
			{Name: "named in the survey", Points: named},
			{Name: "counted by the link", Points: links},
			{Name: "with the code", Points: codes},
			{Name: "estimated in total", Points: estimates},
		},
	})
}

// demoStore sums the orders of the demo store by week and marks the experiments and the revenue anomalies
// that the generator planted.
func demoStore() ([]byte, error) {
	opt := demo.Options{
		Seed: 7, Days: 730, Orders: 60_000, Today: civil.New(2026, 11, 23), Zone: time.UTC, Currency: demo.StoreCurrency,
		HashKey: []byte("pictures of the method documents"),
	}
	weeks := map[civil.Date]int64{}
	truth, err := demo.Generate(opt, func(b *warehouse.Batch) error {
		for _, o := range b.Orders {
			if !o.Cancelled && !o.Test {
				weeks[civil.ByWeek.Start(o.Day)] += o.Charged
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var points []chart.Point
	for day := civil.ByWeek.Start(opt.Today).AddDays(-7 * 60); day.AddDays(6).Before(opt.Today); day = day.AddDays(7) {
		points = append(points, chart.Point{Date: day, Value: float64(weeks[day]) / 100})
	}
	c := revenue("The demo store: revenue of 60 weeks, and what is planted", civil.ByWeek, chart.Series{Name: "revenue", Points: points})
	c.Width = 1000
	for _, e := range truth.Experiments {
		if e.Start.Before(points[0].Date) {
			continue
		}
		c.Annotations = append(c.Annotations, chart.Annotation{Date: e.Start, Label: e.ID})
	}
	for _, a := range truth.Anomalies {
		if a.Metric == "revenue" {
			c.Annotations = append(c.Annotations, chart.Annotation{Date: a.Date, Label: fmt.Sprintf("× %.2g", a.Factor)})
		}
	}
	return chart.Draw(c)
}

// forecasts predicts four weeks of a simulated store from twenty weeks of data.
func forecasts() ([]byte, error) {
	const shown, ahead = 42, 28
	values := shop(140, 11, .07)
	p, err := forecast.Predict(values, forecast.Ask{Horizon: ahead, Season: 7, Levels: []float64{.8, .95}})
	if err != nil {
		return nil, err
	}
	past := byDay(monday.AddDays(len(values)-shown), values[len(values)-shown:])
	future := byDay(monday.AddDays(len(values)), p.Points)
	for i := range future {
		inner, outer := p.Bands[0][i], p.Bands[1][i]
		future[i].Inner, future[i].Band = &chart.Band{Low: inner.Low, High: inner.High}, &chart.Band{Low: outer.Low, High: outer.High}
	}
	c := revenue("Four weeks ahead, with prediction intervals", civil.ByDay,
		chart.Series{Name: "reported", Points: past}, chart.Series{Name: "forecast", Points: future})
	c.BandName = "80% and 95% prediction interval"
	return chart.Draw(c)
}

// geoExperiment simulates 20 regions, raises two of them by 12% for five weeks, and assesses the experiment.
func geoExperiment() ([]byte, error) {
	const regions, weeks, start, end, lift = 20, 22, 15 * 7, 20*7 - 1, .12
	r := rand.New(rand.NewPCG(6, 0))
	common := shop(weeks*7, 21, .04)
	var rows []geo.Row
	for region := range regions {
		size := .03 + .05*r.Float64()
		for t, v := range common {
			v *= size * math.Exp(.06*r.NormFloat64())
			if region < 2 && t >= start && t <= end {
				v *= 1 + lift
			}
			rows = append(rows, geo.Row{Region: geo.Region(fmt.Sprintf("region %02d", region+1)), Period: geo.Day(monday.AddDays(t)), Value: v})
		}
	}
	panel, err := geo.NewPanel(rows, geo.Refuse)
	if err != nil {
		return nil, err
	}
	test := geo.Test{Treated: panel.Regions[:2], Start: start, End: end}
	found, err := geo.Assess(panel, test, 7, geo.Options{Alpha: .1, Seed: 1})
	if err != nil {
		return nil, err
	}
	var observed, expected []chart.Point
	for i, b := range found.Blocks {
		at := monday.AddDays(7 * i)
		observed = append(observed, chart.Point{Date: at, Value: b.Observed})
		expected = append(expected, chart.Point{Date: at, Value: b.Expected, Band: &chart.Band{Low: b.Low, High: b.High}})
	}
	title := fmt.Sprintf("Lift %.1f%% (90%% interval %.1f%% to %.1f%%); planted: 12%%", 100*found.Lift, 100*found.LiftEstimate.Low, 100*found.LiftEstimate.High)
	c := revenue(title, civil.ByWeek, chart.Series{Name: "treated regions", Points: observed}, chart.Series{Name: "synthetic control", Points: expected})
	c.BandName = "range of nine in ten weeks before the experiment"
	c.Annotations = []chart.Annotation{
		{Date: monday.AddDays(start), Label: "experiment starts"}, {Date: monday.AddDays(end + 1), Label: "experiment ends"},
	}
	return chart.Draw(c)
}

// haloEffect simulates a marketplace that sells more while another channel's ads run.
func haloEffect() ([]byte, error) {
	const weeks, perUnit, keep = 40, .22, .5
	r := rand.New(rand.NewPCG(3, 0))
	var with, without []chart.Point
	var marks []chart.Annotation
	stock := 0.0
	for w := range weeks {
		spend := 4000.0
		if w%13 >= 6 && w%13 < 10 {
			spend = 22000
		}
		if w%13 == 6 {
			marks = append(marks, chart.Annotation{Date: monday.AddDays(7 * w), Label: "extra spend"})
		}
		stock = keep*stock + (1-keep)*spend
		base := 21000 * (1 + .004*float64(w)) * math.Exp(.02*r.NormFloat64())
		at := monday.AddDays(7 * w)
		with = append(with, chart.Point{Date: at, Value: math.Round(base + perUnit*stock)})
		without = append(without, chart.Point{Date: at, Value: math.Round(base)})
	}
	c := revenue("Ads for the online store sell on the marketplace, too", civil.ByWeek,
		chart.Series{Name: "revenue", Points: with}, chart.Series{Name: "without the ads", Points: without})
	c.Metric, c.Annotations = "Marketplace revenue", marks
	return chart.Draw(c)
}

// lifetimeValue simulates customers of one channel and draws their contribution by age.
func lifetimeValue() ([]byte, error) {
	const customers, longest, cost = 900, 360, 46.0
	r := rand.New(rand.NewPCG(9, 0))
	members := make([]cohort.Member, customers)
	for i := range members {
		m := cohort.Member{Channel: "tiktok", AgeDays: 20 + r.IntN(longest)}
		m.Gains = []cohort.Gain{{Amount: int64(2200 + 1400*r.Float64())}}
		for day := 0; ; {
			day += 20 + int(90*r.ExpFloat64())
			if day > m.AgeDays || r.Float64() < .45 {
				break
			}
			m.Gains = append(m.Gains, cohort.Gain{Day: day, Amount: int64(2000 + 1600*r.Float64())})
		}
		members[i] = m
	}
	curves, err := cohort.Curves(members, 30, .9)
	if err != nil {
		return nil, err
	}
	c := chart.Curve{
		Title: "Contribution per customer and payback", Across: "Days after the first order", Up: "Contribution per customer in US dollars",
		BandName: "90% interval",
	}
	for day := 0; day < len(curves[0].Points); day += 3 {
		p := curves[0].Points[day]
		c.Points = append(c.Points, chart.CurvePoint{
			At: float64(day), Value: p.Value / 100, Band: chart.Band{Low: p.Low / 100, High: p.High / 100},
		})
		if len(c.Marks) == 0 && p.Value/100 >= cost {
			c.Marks = []chart.CurveMark{{At: float64(day), Label: fmt.Sprintf("payback of a CAC of $%.0f: day %d", cost, day)}}
		}
	}
	return chart.DrawCurve(c)
}

// bases draws one channel's revenue on three bases: platform report, last touch and experiment.
func bases() ([]byte, error) {
	c := revenue("One channel's revenue on three bases", civil.ByMonth,
		chart.Series{Name: "reported by the platform", Points: byMonth(48200, 51900, 61300, 57400)},
		chart.Series{Name: "attributed by last touch", Points: byMonth(31800, 33100, 39700, 36900)},
		chart.Series{Name: "incremental by experiment", Points: byMonth(23600, 24500, 29400, 27300)})
	for i := range c.Series[2].Points {
		p := &c.Series[2].Points[i]
		p.Band = &chart.Band{Low: math.Round(p.Value * .72), High: math.Round(p.Value * 1.28)}
	}
	c.Kind, c.BandName = chart.Bar, "90% interval of the incremental revenue"
	return chart.Draw(c)
}

// adstock draws a chart of the effect of one week's spend over eight weeks, for three rates of geometric adstock.
func adstock() ([]byte, error) {
	c := chart.Chart{
		Kind: chart.Bar, Title: "Geometric adstock: when the effect of one week's spend arrives", Metric: "Share of the effect, %",
		Granularity: civil.ByWeek,
	}
	for _, alpha := range []float64{.2, .5, .8} {
		var weights []float64
		total := 0.0
		for lag := range 8 {
			weights = append(weights, math.Pow(alpha, float64(lag)))
			total += weights[lag]
		}
		s := chart.Series{Name: fmt.Sprintf("alpha = %.1f", alpha)}
		for lag, w := range weights {
			s.Points = append(s.Points, chart.Point{Date: monday.AddDays(7 * lag), Value: 100 * w / total})
		}
		c.Series = append(c.Series, s)
	}
	return chart.Draw(c)
}

// responseCurve draws a logistic response from 400 draws of its two parameters, with the marginal ROAS at two spends.
func responseCurve() ([]byte, error) {
	const current, seen, most, step = 12000.0, 26000.0, 40000.0, 500.0
	r := rand.New(rand.NewPCG(2, 0))
	lam, top := make([]float64, 400), make([]float64, 400)
	for i := range lam {
		lam[i] = 1.2 * math.Exp(.25*r.NormFloat64())
		top[i] = 47000 * math.Exp(.16*r.NormFloat64()) * math.Pow(1.2/lam[i], .6)
	}
	at := func(spend float64) (mean, low, high float64) {
		values := make([]float64, len(lam))
		for i := range lam {
			e := math.Exp(-lam[i] * spend / current)
			values[i] = top[i] * (1 - e) / (1 + e)
			mean += values[i] / float64(len(lam))
		}
		slices.Sort(values)
		return mean, values[len(values)/20], values[len(values)-1-len(values)/20]
	}
	marginal := func(spend float64) float64 {
		above, _, _ := at(spend + 50)
		below, _, _ := at(spend - 50)
		return (above - below) / 100
	}
	c := chart.Curve{
		Title: "Response curve: the marginal ROAS falls as spend rises", Across: "Spend per week", Up: "Incremental revenue per week",
		Currency: "USD", BandName: "90% credible interval", KnownTo: seen,
	}
	even := 0.0
	for spend := 0.0; spend <= most; spend += step {
		mean, low, high := at(spend)
		c.Points = append(c.Points, chart.CurvePoint{At: spend, Value: mean, Band: chart.Band{Low: low, High: high}})
		if even == 0 && spend > 0 && marginal(spend) <= 1 {
			even = spend
		}
	}
	c.Marks = []chart.CurveMark{
		{At: current, Label: fmt.Sprintf("current: marginal ROAS %.2f", marginal(current))}, {At: even, Label: "marginal ROAS 1.00"},
	}
	return chart.DrawCurve(c)
}

// surveys shows a podcast's share of orders by survey answers and by last touch.
func surveys() ([]byte, error) {
	answers, named, last := []int{310, 295, 340, 365, 420}, []int{28, 31, 39, 44, 57}, []float64{2.1, 2.4, 2.3, 2.8, 3.0}
	var asked, touched []chart.Point
	for i, n := range answers {
		at := civil.New(2026, 7+time.Month(i), 1)
		interval, err := cohort.Wilson(named[i], n, .9)
		if err != nil {
			return nil, err
		}
		asked = append(asked, chart.Point{
			Date: at, Value: 100 * float64(named[i]) / float64(n), Band: &chart.Band{Low: 100 * interval.Low, High: 100 * interval.High},
		})
		touched = append(touched, chart.Point{Date: at, Value: last[i]})
	}
	return chart.Draw(chart.Chart{
		Kind: chart.Bar, Title: "A podcast: share by survey and by last touch", Metric: "Share of orders, %", Granularity: civil.ByMonth,
		BandName: "90% interval of the survey share",
		Series:   []chart.Series{{Name: "post-purchase survey", Points: asked}, {Name: "last touch", Points: touched}},
	})
}
