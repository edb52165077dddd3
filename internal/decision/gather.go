package decision

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/detect"
	"assay/internal/measure/geo"
	"assay/internal/measure/holiday"
	"assay/internal/measure/mix"
	"assay/internal/measure/mmm"
	"assay/internal/measure/stats"
	"assay/internal/money"
	"assay/internal/pacing"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// historyDays is the number of days of the series: two years, and the windows for drift detection.
const historyDays = 2*365 + 120

// gatherer reads the input of the detectors from a snapshot.
type gatherer struct {
	*toolkit.Call
	store  detect.Store
	months []civil.Date // first days of months with a target
}

// gather returns the store's data for the detectors, up to the last complete day with orders. See
// [snapshot.Contents.OrdersComplete].
func gather(ctx context.Context, c *toolkit.Call) (detect.Store, error) {
	last := civil.Earliest(c.Today.AddDays(-1), c.Store.OrderDays.Last)
	if !c.Store.OrdersComplete(last, c.Workspace.Location()) {
		last = last.AddDays(-1)
	}
	days := civil.Range{First: last.AddDays(1 - historyDays), Last: last}.Intersect(c.Store.OrderDays)
	g := gatherer{Call: c, store: detect.Store{Days: days}}
	if days.Days() < 1 {
		return g.store, nil
	}
	for _, read := range []func(context.Context) error{g.sales, g.channels, g.cohorts, g.campaigns, g.ads, g.products, g.coupons, g.answers, g.creators, g.halos, g.goals} {
		if err := read(ctx); err != nil {
			return g.store, err
		}
	}
	if err := g.model(ctx); err != nil {
		return g.store, err
	}
	g.seasons()
	return g.store, nil
}

func (g *gatherer) major(minor int64) float64 { return money.Major(minor, g.Workspace.Currency) }

// series returns a figure for each day. Unknown values are zero.
func (g *gatherer) series(s snapshot.Series, of func(snapshot.Point) float64) []float64 {
	out := make([]float64, g.store.Days.Days())
	for i := range out {
		day := g.store.Days.First.AddDays(i)
		if x := of(s.Point(civil.Range{First: day, Last: day})); !math.IsNaN(x) {
			out[i] = x
		}
	}
	return out
}

// known reports whether the spend of a day is known.
func known(s snapshot.Series, day civil.Date) bool {
	return s.Point(civil.Range{First: day, Last: day}).SpendKnown
}

func (g *gatherer) revenueOf(p snapshot.Point) float64 { return g.Value(snapshot.Revenue, p) }

func ordersOf(p snapshot.Point) float64 { return float64(p.Orders) / measure.Millionths }

func newOrdersOf(p snapshot.Point) float64 { return float64(p.NewOrders) / measure.Millionths }

func (g *gatherer) sales(ctx context.Context) (err error) {
	s, err := g.SeriesOf(ctx, "", g.store.Days)
	if err != nil {
		return err
	}
	g.store.Revenue, g.store.Orders, g.store.NewOrders = g.series(s, g.revenueOf), g.series(s, ordersOf), g.series(s, newOrdersOf)
	g.store.Discounts = g.series(s, func(p snapshot.Point) float64 { return g.major(p.Discounts) })
	g.store.Refunds = g.series(s, func(p snapshot.Point) float64 { return g.major(p.Refunds) })
	g.store.Rate, err = g.ContributionRate(ctx)
	return err
}

func (g *gatherer) channels(ctx context.Context) error {
	credited, err := g.ChannelSeries(ctx, g.store.Days)
	if err != nil {
		return err
	}
	claimed, err := snapshot.ChannelSeriesBy(ctx, g.Snapshot, measure.PlatformReported, g.store.Days)
	if err != nil {
		return err
	}
	returns, err := snapshot.Returns(ctx, g.Snapshot)
	if err != nil {
		return err
	}
	for _, named := range snapshot.NamedSorted(credited) {
		orders := g.series(named.Series, ordersOf)
		if named.Name == measure.Unattributed {
			if !g.Store.Untouched() {
				g.store.Unattributed = orders
			}
			continue
		}
		ch := detect.Channel{
			Name: named.Name, Orders: orders, Revenue: g.series(named.Series, g.revenueOf), NewOrders: g.series(named.Series, newOrdersOf),
			Spend: g.series(named.Series, func(p snapshot.Point) float64 { return g.Value(snapshot.Spend, p) }), FactorSD: geo.Uncertainty(nil, 0),
		}
		if s, ok := claimed[named.Name]; ok {
			ch.Claimed = g.series(s, ordersOf)
		}
		for day := g.store.Days.Last; ch.Late < g.store.Days.Days() && !known(named.Series, day); day = day.AddDays(-1) {
			ch.Late++
		}
		best := returns[named.Name]
		if f := best.Factor; f != nil {
			ch.FactorSD, ch.Tested = geo.Uncertainty(&f.Estimate, g.Years(f.Latest)), g.Years(f.Latest) < 1
		}
		if best.Best != nil {
			ch.Return = &best.Best.Value
		}
		ch.Tested = ch.Tested || experimenting(g.Experiments, named.Name)
		g.store.Channels = append(g.store.Channels, ch)
	}
	return nil
}

// model adds the marginal ROAS of each channel at current spend, if there is a usable model.
func (g *gatherer) model(ctx context.Context) error {
	m := snapshot.UsableModel(g.Snapshot)
	if m == nil {
		return nil
	}
	start, err := g.PlanStart(ctx, m)
	if err != nil {
		return err
	}
	for i := range g.store.Channels {
		ch := &g.store.Channels[i]
		at := slices.IndexFunc(m.Effects, func(e mmm.ChannelEffect) bool { return e.Channel == ch.Name })
		if at < 0 || m.Effects[at].MarginalROAS == nil {
			continue
		}
		months := m.Months()
		spend := start.Spend(m, ch.Name)
		reach := m.ReachAt(ch.Name, spend)
		monthly := func(s stats.Summary) measure.Estimate { return mmm.EstimateOf(s).Times(1 / months) }
		ch.Marginal = &detect.Marginal{
			Step: mix.Step, Spend: spend / months, Less: monthly(reach.Less), More: monthly(reach.More), ROAS: mmm.EstimateOf(reach.Marginal),
		}
	}
	return nil
}

// cohortDays is the age in days at which the value of new customers is compared with ad spend.
const cohortDays = 28

func (g *gatherer) cohorts(ctx context.Context) error {
	p, err := g.CustomerPanel(ctx, g.store.Days, "")
	if err != nil || len(p.Customers) == 0 {
		return err
	}
	scale := float64(p.Everybody) / float64(len(p.Customers))
	g.store.CohortDays, g.store.CohortValue = cohortDays, make([]float64, g.store.Days.Days())
	for _, customer := range p.Inside {
		at := customer.FirstDay.Sub(g.store.Days.First)
		for _, d := range customer.Days {
			if at < len(g.store.CohortValue) && d.Day.Sub(customer.FirstDay) < cohortDays {
				g.store.CohortValue[at] += scale * g.major(g.NetOf(d))
			}
		}
	}
	return nil
}

// lastDays returns the last n days of the series.
func (g *gatherer) lastDays(n int) civil.Range {
	return civil.Range{First: g.store.Days.Last.AddDays(1 - n), Last: g.store.Days.Last}
}

const campaignDays = 28

func (g *gatherer) campaigns(ctx context.Context) error {
	budgets, idle, err := dailyBudgets(ctx, g.Call)
	if err != nil {
		return err
	}
	week, err := g.Campaigns(ctx, warehouse.CampaignsOf{Windows: warehouse.Windows{Recent: g.lastDays(7)}, Level: warehouse.Campaigns})
	if err != nil {
		return err
	}
	recent := map[campaignKey]float64{}
	for _, t := range week.Rows {
		if !idle[keyOf(t)] {
			recent[keyOf(t)] = g.major(t.Spend) / 7
		}
	}
	found, err := g.Campaigns(ctx, warehouse.CampaignsOf{Windows: warehouse.Windows{Recent: g.lastDays(campaignDays)}, Level: warehouse.Campaigns})
	if err != nil {
		return err
	}
	g.store.CampaignDays = campaignDays
	for _, t := range found.Rows {
		g.store.Campaigns = append(g.store.Campaigns, detect.Campaign{
			ID: t.CampaignID, Name: t.CampaignName, Channel: measure.ParseChannel(string(t.Platform)), Spend: g.major(t.Spend),
			Orders: ordersIn(t.Credited.Orders), Revenue: g.major(g.Workspace.Basis.Revenue(t.Credited)), Claimed: ordersIn(t.Conversions),
			DailyBudget: budgets[keyOf(t)], RecentSpend: recent[keyOf(t)],
		})
	}
	return nil
}

func ordersIn(millionths int64) float64 { return float64(millionths) / measure.Millionths }

type campaignKey struct {
	platform measure.Platform
	id       string
}

func keyOf(t warehouse.CampaignTotal) campaignKey { return campaignKey{t.Platform, t.CampaignID} }

// dailyBudgets returns the most recently reported daily budgets of active campaigns, and the campaigns that are paused
// or removed. It omits budgets in a currency other than the workspace's.
func dailyBudgets(ctx context.Context, c *toolkit.Call) (budgets map[campaignKey]float64, idle map[campaignKey]bool, err error) {
	if c.Store.Counts["ad_states"] == 0 {
		return nil, nil, nil
	}
	until := civil.StartOf(c.Today.AddDays(1), c.Workspace.Location())
	history, err := c.AdHistory(ctx, measure.AdHistoryOf{From: until.Add(-time.Hour), Until: until}, civil.Range{})
	if err != nil {
		return nil, nil, err
	}
	budgets, idle = map[campaignKey]float64{}, map[campaignKey]bool{}
	for _, s := range history.Standings {
		idle[campaignKey{s.Platform, s.ID}] = s.Status == measure.AdPaused || s.Status == measure.AdRemoved
		if s.Status == measure.AdActive && s.Budget.Per == measure.PerDay && s.Currency == c.Workspace.Currency {
			budgets[campaignKey{s.Platform, s.ID}] = s.Budget.Amount(s.Currency).Major()
		}
	}
	return budgets, idle, nil
}

func (g *gatherer) ads(ctx context.Context) error {
	read := func(days civil.Range) (map[string]warehouse.CampaignTotal, error) {
		page, err := g.Campaigns(ctx, warehouse.CampaignsOf{Windows: warehouse.Windows{Recent: days}, Level: warehouse.Creatives})
		ads := map[string]warehouse.CampaignTotal{}
		for _, t := range page.Rows {
			if t.AdID != "" {
				ads[string(t.Platform)+" "+t.AdID] = t
			}
		}
		return ads, err
	}
	recent := g.lastDays(detect.FatigueDays)
	now, err := read(recent)
	if err != nil {
		return err
	}
	before, err := read(civil.Range{First: recent.First.AddDays(-28), Last: recent.First.AddDays(-1)})
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(now)) {
		t, was := now[key], before[key]
		if was.Impressions == 0 {
			continue
		}
		g.store.Ads = append(g.store.Ads, detect.Ad{
			ID: t.AdID, Name: t.AdName, Channel: measure.ParseChannel(string(t.Platform)), Spend: g.major(t.Spend), Clicks: float64(t.Clicks),
			Views: float64(t.Impressions), ClicksBefore: float64(was.Clicks), ViewsBefore: float64(was.Impressions), Days: g.store.Days.Last.Sub(was.FirstDay) + 1,
		})
	}
	return nil
}

func (g *gatherer) products(ctx context.Context) error {
	now, err := g.Products(ctx, warehouse.ProductsOf{Windows: warehouse.Windows{Recent: g.lastDays(7)}})
	if err != nil {
		return err
	}
	units := map[string]int64{}
	for _, t := range now.Rows {
		units[t.SKU+" "+t.Title] = t.Units
	}
	before := civil.Range{First: g.store.Days.Last.AddDays(-62), Last: g.store.Days.Last.AddDays(-7)}
	earlier, err := g.Products(ctx, warehouse.ProductsOf{Windows: warehouse.Windows{Recent: before}})
	if err != nil {
		return err
	}
	for _, t := range earlier.Rows {
		if t.Units > 0 {
			g.store.Products = append(g.store.Products, detect.Product{
				SKU: t.SKU, Title: t.Title, Units: float64(units[t.SKU+" "+t.Title]), Before: float64(t.Units), Price: g.major(t.Net) / float64(t.Units),
			})
		}
	}
	return nil
}

func (g *gatherer) coupons(ctx context.Context) error {
	recent := g.lastDays(14)
	now, err := g.Coupons(ctx, warehouse.CouponsOf{Windows: warehouse.Windows{Recent: recent}})
	if err != nil {
		return err
	}
	earlier, err := g.Coupons(ctx, warehouse.CouponsOf{Windows: warehouse.Windows{Recent: civil.Range{First: recent.First.AddDays(-56), Last: recent.First.AddDays(-1)}}})
	if err != nil {
		return err
	}
	before := map[string]float64{}
	for _, t := range earlier.Rows {
		before[t.Code] = float64(t.Orders)
	}
	for _, t := range now.Rows {
		g.store.Coupons = append(g.store.Coupons, detect.Coupon{
			Code: t.Code, Creator: t.Creator != "", Orders: float64(t.Orders), Before: before[t.Code], Discount: g.major(t.Discount), New: float64(t.NewOrders),
		})
	}
	return nil
}

// answers reads two numbers per channel: survey respondents who name the channel, and respondents with an order that
// last touch attributes to the channel. It reads both for the last [detect.AnswerDays] days and for the 84 days before
// them.
func (g *gatherer) answers(ctx context.Context) error {
	if g.Store.Counts["survey_responses"] == 0 {
		return nil
	}
	recent := g.lastDays(detect.AnswerDays)
	found := map[measure.Channel]*detect.Answers{}
	of := func(channel measure.Channel) *detect.Answers {
		if found[channel] == nil {
			found[channel] = &detect.Answers{Channel: channel}
		}
		return found[channel]
	}
	for _, days := range []civil.Range{recent, {First: recent.First.AddDays(-84), Last: recent.First.AddDays(-1)}} {
		a, err := g.Answers(ctx, warehouse.AnswersOf{Windows: warehouse.Windows{Recent: days}})
		if err != nil {
			return err
		}
		naming := snapshot.NamingQuestions(a.Counts)
		for _, n := range a.Counts {
			switch {
			case n.Channel == "" || !naming[n.Question]:
			case days == recent:
				of(n.Channel).Named += float64(n.Known)
			default:
				of(n.Channel).NamedBefore += float64(n.Known)
			}
		}
		for _, n := range a.Credits {
			switch {
			case n.Channel == measure.Unattributed || !naming[n.Question]:
			case days == recent:
				of(n.Channel).Credited += float64(n.Answers)
			default:
				of(n.Channel).CreditBefore += float64(n.Answers)
			}
		}
	}
	for _, channel := range slices.Sorted(maps.Keys(found)) {
		g.store.Answers = append(g.store.Answers, *found[channel])
	}
	return nil
}

const haloDays = 28

// halos reads the effects of channels on other sales surfaces. It omits effects for which the method has a warning.
func (g *gatherer) halos(ctx context.Context) error {
	found, err := g.HaloEffects(ctx, g.lastDays(haloDays))
	if err != nil {
		return err
	}
	for _, e := range found.Effects {
		if e.Reason == "" {
			g.store.Halos = append(g.store.Halos, detect.Halo{
				Channel: e.Channel, Surface: e.Surface, Monthly: e.Coefficient.Times(daysPerMonth / haloDays * found.Spend[e.Channel]), Chance: e.Positive,
			})
		}
	}
	return nil
}

const creatorDays = 180

func (g *gatherer) creators(ctx context.Context) error {
	all, err := g.CreatorsIn(ctx, warehouse.Windows{Recent: g.lastDays(creatorDays), Earlier: g.lastDays(30)})
	if err != nil || len(all.Now) == 0 {
		return err
	}
	rates, err := g.CreatorRates(ctx)
	if err != nil {
		return nil //nolint:nilerr // too few signals for an estimate
	}
	estimates, err := g.CreatorEstimates(rates, all.Now, all.Now)
	if err != nil {
		return err
	}
	open := map[string]bool{}
	for _, f := range all.Before {
		open[f.ID] = f.CostKnown
	}
	for _, e := range estimates {
		g.store.Creators = append(g.store.Creators, detect.Creator{
			ID: e.ID, Name: e.Name, Orders: e.Orders, AOV: g.major(int64(e.Value)), Cost: g.major(e.Cost), Days: creatorDays, Open: open[e.ID],
		})
	}
	return nil
}

// forecastGoals is the maximum number of targets that are forecast.
const forecastGoals = 6

func (g *gatherer) goals(ctx context.Context) error {
	found, _, err := pacing.Goals(ctx, g.Call, "", "")
	if err != nil {
		return err
	}
	for _, t := range found {
		g.months = append(g.months, civil.ByMonth.Start(t.Days.First))
	}
	found = slices.DeleteFunc(found, func(t pacing.Goal) bool {
		return !t.Days.Contains(g.Today) || t.Days.Days() < 28 || t.Metric == snapshot.ROAS
	})
	found = found[:min(len(found), forecastGoals)]
	out, err := pacing.NewOutlook(ctx, g.Call, found)
	if err != nil {
		return err
	}
	for _, t := range found {
		row, err := out.Row(t)
		if err != nil {
			return err
		}
		if row.Expected == nil || row.Low == nil || row.High == nil || row.Chance == nil {
			continue
		}
		g.store.Goals = append(g.store.Goals, detect.Goal{
			Name: goalName(t), Channel: t.Channel, Metric: string(t.Metric), Target: t.Value, Days: t.Days,
			Expected: measure.Estimate{Value: *row.Expected, Interval: measure.Interval{Low: *row.Low, High: *row.High, Level: detect.Level}}, Chance: float64(*row.Chance) / 100,
		})
	}
	return nil
}

// goalName names a target, such as monthly revenue of google.
func goalName(t pacing.Goal) string {
	name := string(t.Period) + " " + string(t.Metric)
	switch {
	case t.Channel == "":
		return name
	case t.Metric == snapshot.Spend:
		return name + " on " + answer.ChannelName(t.Channel)
	}
	return name + " of " + answer.ChannelName(t.Channel)
}

// seasonDays limits the seasons that need a plan to those that start within this number of days.
const seasonDays = 45

// season is a period of the year that needs a plan.
type season struct {
	name, title string
	in          func(year int) (civil.Range, bool)
}

// seasonNames are the shopping seasons of the holiday calendar that have insights. Names in the calendar that differ by
// country start with a name in this list.
var seasonNames = []string{
	"valentines", "mothers_day", "mothering_sunday", "fathers_day", "halloween", "cyber_weekend", "sinterklaas", "christmas",
}

// seasonsOf lists the shopping seasons of a country. If the country is unknown (""), the list contains only the seasons
// that all countries share. The holiday calendar has no school terms and no days that platforms announce. Back to
// school is therefore August, and Singles' Day is November 11.
func seasonsOf(country string) []season {
	fixed := func(first, last time.Month, firstDay, lastDay int) func(int) (civil.Range, bool) {
		return func(year int) (civil.Range, bool) {
			return civil.Range{First: civil.New(year, first, firstDay), Last: civil.New(year, last, lastDay)}, true
		}
	}
	all := []season{
		{"easter", "Easter", func(year int) (civil.Range, bool) {
			day := holiday.Easter(year)
			return civil.Range{First: day.AddDays(-10), Last: day.AddDays(-1)}, true
		}},
		{"back_to_school", "Back to school", fixed(time.August, time.August, 1, 31)},
		{"singles_day", "Singles' Day", fixed(time.November, time.November, 11, 11)},
	}
	known, err := holiday.Of([]string{cmp.Or(country, "US")}, false)
	if err != nil {
		return all
	}
	for _, h := range known {
		if country == "" && h.Countries != nil {
			continue // only seasons of all countries
		}
		if h.Kind == holiday.Shopping && slices.ContainsFunc(seasonNames, func(name string) bool { return strings.HasPrefix(h.Name, name) }) {
			all = append(all, season{h.Name, holiday.Title(h.Name), h.In})
		}
	}
	return all
}

// seasons adds the coming seasons in which the store's revenue rose in the previous year. Without a year of history, it
// adds Black Friday and Christmas.
func (g *gatherer) seasons() {
	ahead := civil.Range{First: g.Today, Last: g.Today.AddDays(seasonDays)}
	for _, s := range seasonsOf(holiday.CountryOf(g.Workspace.Zone)) {
		days, ok := s.in(g.Today.Year())
		if ok && days.First.Before(g.Today) { // the season of this year has begun
			days, ok = s.in(g.Today.Year() + 1)
		}
		before, had := s.in(days.First.Year() - 1)
		if !ok || !had || !ahead.Contains(days.First) {
			continue
		}
		ratio, shows, known := g.store.SeasonEffect(before)
		if known && !shows || !known && s.name != "cyber_weekend" && s.name != "christmas" {
			continue
		}
		month := civil.ByMonth.Start(days.First)
		g.store.Seasons = append(g.store.Seasons, detect.Season{
			Name: s.name, Title: s.title, First: days.First, Planned: slices.Contains(g.months, month), Usual: ratio,
		})
	}
}
