package detect

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/civil"
)

var update = flag.Bool("update", false, "rewrite the findings in testdata")

// written returns all fields of a finding as text, with five digits of each number.
func written(f Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q name %q channel %q: confidence %.5g, effort %d, severity %d, score %.5g\n", f.Kind, f.Subject, f.Name, f.Channel, f.Confidence, f.Effort, f.Severity, f.Score())
	if f.Since != (civil.Date{}) {
		fmt.Fprintf(&b, "  since %s\n", f.Since)
	}
	if f.Value != nil {
		fmt.Fprintf(&b, "  value %.5g, %g%% from %.5g to %.5g, %s\n", f.Value.Value, 100*f.Value.Level, f.Value.Low, f.Value.High, f.Value.Basis)
	}
	for _, e := range f.Evidence {
		fmt.Fprintf(&b, "  %s %.5g %s\n", e.Name, e.Value, e.Unit)
	}
	return b.String()
}

// TestFindingsHaveTheirFigures compares every figure of the findings of the planted faults in two stores with
// testdata/findings.txt.
func TestFindingsHaveTheirFigures(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("# The findings in two simulated stores after each fault of detect_test.go, with all figures.\n")
	for _, fault := range faults() {
		for seed := range uint64(2) {
			s := simulated(seed)
			fault.plant(&s)
			fmt.Fprintf(&b, "\n%s in store %d\n", fault.kind, seed)
			for _, f := range Find(s) {
				b.WriteString(written(f))
			}
		}
	}
	const file = "testdata/findings.txt"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// steady is a store with the same sales on each day: 100 orders of 50. New customers place half of the orders. The
// contribution rate is 40%, and spend is 1,000 on one tested channel.
func steady(n int) Store {
	repeated := func(x float64) []float64 {
		out := ones(n)
		for i := range out {
			out[i] = x
		}
		return out
	}
	return Store{
		Days: civil.Range{First: civil.MustParse("2026-01-01"), Last: civil.MustParse("2026-01-01").AddDays(n - 1)}, Rate: new(0.4), CampaignDays: 28, CohortDays: 28,
		Revenue: repeated(5000), Orders: repeated(100), NewOrders: repeated(50), Unattributed: repeated(20), Discounts: repeated(300), Refunds: repeated(200),
		CohortValue: repeated(3000),
		Channels:    []Channel{{Name: "google", Spend: repeated(1000), Revenue: repeated(4000), Orders: repeated(80), NewOrders: repeated(40), Claimed: repeated(90), Tested: true, FactorSD: 0.2}},
	}
}

// TestLimitsOfFindings changes one figure of a finding at a time, across the limit.
func TestLimitsOfFindings(t *testing.T) {
	t.Parallel()
	coupon := func(change func(*Coupon)) func(*Store) {
		return func(s *Store) {
			s.Coupons = []Coupon{{Code: "MIRA", Creator: true, Orders: 160, Before: 60, Discount: 1600, New: 20}}
			change(&s.Coupons[0])
		}
	}
	campaign := func(change func(*Campaign)) func(*Store) {
		return func(s *Store) {
			s.Campaigns = []Campaign{{ID: "c1", Channel: "google", Spend: 6000, Orders: 60, Claimed: 100, Revenue: 30_000, DailyBudget: 100, RecentSpend: 95}}
			change(&s.Campaigns[0])
		}
	}
	goal := func(change func(*Goal)) func(*Store) {
		return func(s *Store) {
			s.Goals = []Goal{{Name: "g", Metric: "revenue", Target: 100, Chance: 0.15, Expected: about(80, 5)}}
			change(&s.Goals[0])
		}
	}
	creator := func(change func(*Creator)) func(*Store) {
		return func(s *Store) {
			s.Creators = []Creator{{ID: "k1", Orders: about(90, 10), AOV: 60, Cost: 500, Days: 180}}
			change(&s.Creators[0])
		}
	}
	halo := func(monthly, chance float64) func(*Store) {
		return func(s *Store) {
			s.Halos = []Halo{{Channel: "google", Surface: "marketplace", Monthly: about(monthly, 100), Chance: chance}}
		}
	}
	product := func(change func(*Product)) func(*Store) {
		return func(s *Store) {
			s.Products = []Product{{SKU: "p1", Units: 3, Before: 160, Price: 40}}
			change(&s.Products[0])
		}
	}
	answers := func(change func(*Answers)) func(*Store) {
		return func(s *Store) {
			s.Answers = []Answers{{Channel: "google", Named: 60, NamedBefore: 100, Credited: 15, CreditBefore: 80}}
			change(&s.Answers[0])
		}
	}
	ads := func(change func(*Ad)) func(*Store) {
		return func(s *Store) {
			s.Ads = []Ad{
				{ID: "a1", Channel: "google", Spend: 900, Clicks: 6500, Views: 1_000_000, ClicksBefore: 20_000, ViewsBefore: 2_000_000, Days: 28},
				{ID: "a2", Channel: "google", Spend: 900, Clicks: 10_000, Views: 1_000_000, ClicksBefore: 20_000, ViewsBefore: 2_000_000, Days: 28},
			}
			change(&s.Ads[0])
		}
	}
	marginal := func(value, sd, spend float64) func(*Store) {
		return func(s *Store) {
			s.Channels[0].Marginal = &Marginal{Step: 0.2, Spend: spend, ROAS: about(value, sd), Less: about(-1000, 100), More: about(5000, 100)}
		}
	}
	channel := func(change func(*Channel)) func(*Store) {
		return func(s *Store) {
			s.Channels[0].Tested, s.Channels[0].FactorSD = false, 0.5
			change(&s.Channels[0])
		}
	}
	for name, c := range map[string]struct {
		plant func(*Store)
		want  string // kinds, with the severity if it is not a notice
	}{
		"nothing":                              {func(*Store) {}, ""},
		"a leaked code":                        {coupon(func(*Coupon) {}), "coupon_leak 1"},
		"a code of new customers":              {coupon(func(c *Coupon) { c.Creator, c.New = false, 81 }), "coupon_leak"},
		"a code of few new customers":          {coupon(func(c *Coupon) { c.Creator, c.New = false, 80 }), "coupon_leak 1"},
		"a creator's code of new customers":    {coupon(func(c *Coupon) { c.New = 81 }), "coupon_leak 1"},
		"a code with 8 earlier uses":           {coupon(func(c *Coupon) { c.Before = 8 }), "coupon_leak 1"},
		"a code with 7 earlier uses":           {coupon(func(c *Coupon) { c.Before = 7 }), ""},
		"a code with 25 uses":                  {coupon(func(c *Coupon) { c.Orders, c.Before = 25, 8 }), ""},
		"a code with three times its use":      {coupon(func(c *Coupon) { c.Orders, c.Before = 300, 400 }), "coupon_leak 1"},
		"a code with less than that":           {coupon(func(c *Coupon) { c.Orders, c.Before = 299, 400 }), ""},
		"a campaign with a full budget":        {campaign(func(*Campaign) {}), "budget_capped_winner"},
		"a campaign with room in its budget":   {campaign(func(c *Campaign) { c.RecentSpend = 94 }), ""},
		"a campaign with an unknown budget":    {campaign(func(c *Campaign) { c.DailyBudget = 0 }), ""},
		"a campaign with 1.5 times break-even": {campaign(func(c *Campaign) { c.Revenue = 22_500 }), "budget_capped_winner"},
		"a campaign with less":                 {campaign(func(c *Campaign) { c.Revenue = 22_400 }), ""},
		"a campaign with 30 orders":            {campaign(func(c *Campaign) { c.Orders = 30 }), "budget_capped_winner"},
		"a campaign with 29 orders":            {campaign(func(c *Campaign) { c.Orders = 29 }), ""},
		"a full budget, rate unknown":          {func(s *Store) { campaign(func(*Campaign) {})(s); s.Rate = nil }, ""},
		"a campaign without orders":            {campaign(func(c *Campaign) { c.Orders, c.Claimed, c.Revenue = 2, 3, 100 }), "campaign_without_effect 1"},
		"a campaign without orders or spend":   {campaign(func(c *Campaign) { c.Orders, c.Claimed, c.Spend = 2, 3, 0 }), ""},
		"a campaign with claimed orders":       {campaign(func(c *Campaign) { c.Orders, c.Claimed, c.Revenue = 2, 120, 100 }), ""},
		"a campaign in a store without sales":  {func(s *Store) { clear(s.Orders); campaign(func(c *Campaign) { c.Orders, c.Claimed = 0, 0 })(s) }, ""},
		"a goal with a chance of 15%":          {goal(func(*Goal) {}), "pacing_risk"},
		"a goal with a chance of 21%":          {goal(func(g *Goal) { g.Chance = 0.21 }), ""},
		"a goal with a chance of 5%":           {goal(func(g *Goal) { g.Chance = 0.04 }), "pacing_risk 1"},
		"a goal of zero":                       {goal(func(g *Goal) { g.Target = 0 }), ""},
		"a limit of spend":                     {goal(func(g *Goal) { g.Metric, g.Chance = "spend", 0.8 }), "pacing_risk"},
		"a limit of spend that is safe":        {goal(func(g *Goal) { g.Metric = "spend" }), ""},
		"two goals and a limit of one channel": {func(s *Store) {
			goal(func(*Goal) {})(s)
			g := s.Goals[0]
			h, l := g, g
			h.Chance, l.Chance, l.Metric = 0.01, 0.9, "spend"
			s.Goals = append(s.Goals, h, l, g)
		}, "pacing_risk 1, pacing_risk"},
		"goals of two channels": {func(s *Store) {
			goal(func(*Goal) {})(s)
			g := s.Goals[0]
			g.Channel = "google"
			s.Goals = append(s.Goals, g)
		}, "pacing_risk, pacing_risk"},
		"a creator":                                 {creator(func(*Creator) {}), "creator_rebooking"},
		"a creator who posted":                      {creator(func(c *Creator) { c.Open = true }), ""},
		"a creator without cost":                    {creator(func(c *Creator) { c.Cost = 0 }), ""},
		"a creator whose lowest gain is zero":       {creator(func(c *Creator) { c.Cost = 0.4 * 60 * c.Orders.Low }), ""},
		"a creator whose lowest gain is above":      {creator(func(c *Creator) { c.Cost = 0.4*60*c.Orders.Low - 1 }), "creator_rebooking"},
		"a creator, rate unknown":                   {func(s *Store) { creator(func(*Creator) {})(s); s.Rate = nil }, ""},
		"a halo":                                    {halo(1522, 0.975), "halo_effect"},
		"a small halo":                              {halo(1521, 0.975), ""},
		"an unsure halo":                            {halo(9000, 0.974), ""},
		"a season":                                  {func(s *Store) { s.Seasons = []Season{{Name: "x", First: s.Days.Last.AddDays(9)}} }, "season_ahead"},
		"a season with a target":                    {func(s *Store) { s.Seasons = []Season{{Name: "x", Planned: true}} }, ""},
		"a product that stopped":                    {product(func(*Product) {}), "product_sales_stopped 1"},
		"a product with more than 15% of its sales": {product(func(p *Product) { p.Units = 3.1 }), ""},
		"a product with 12 units a week":            {product(func(p *Product) { p.Units, p.Before = 0, 96 }), ""},
		"a product with 14 units a week":            {product(func(p *Product) { p.Units, p.Before = 0, 112 }), "product_sales_stopped 1"},
		"lost touchpoints":                          {answers(func(*Answers) {}), "pixel_against_survey 2"},
		"lost touchpoints of 60 answers":            {answers(func(a *Answers) { a.NamedBefore, a.CreditBefore = 60, 48 }), "pixel_against_survey 2"},
		"lost touchpoints of 59 answers":            {answers(func(a *Answers) { a.NamedBefore, a.CreditBefore = 59, 48 }), ""},
		"lost touchpoints of 30 credits":            {answers(func(a *Answers) { a.NamedBefore, a.CreditBefore, a.Credited = 60, 30, 2 }), "pixel_against_survey 2"},
		"lost touchpoints of 29 credits":            {answers(func(a *Answers) { a.NamedBefore, a.CreditBefore, a.Credited = 60, 29, 2 }), ""},
		"touchpoints of nobody":                     {answers(func(a *Answers) { a.Named, a.Credited = 0, 0 }), ""},
		"half of the touchpoints":                   {answers(func(a *Answers) { a.Named, a.Credited = 600, 240 }), "pixel_against_survey 2"},
		"more than half of the touchpoints":         {answers(func(a *Answers) { a.Named, a.Credited = 600, 241 }), ""},
		"a tired ad":                                {ads(func(*Ad) {}), "creative_fatigue"},
		"an ad of 27 days":                          {ads(func(a *Ad) { a.Days = 27 }), ""},
		"an ad with more than 70% of its clicks":    {ads(func(a *Ad) { a.Clicks = 7001 }), ""},
		"an ad with 70% of its clicks":              {ads(func(a *Ad) { a.Clicks = 7000 }), "creative_fatigue"},
		"an ad with little spend":                   {ads(func(a *Ad) { a.Spend = 47 }), ""},
		"an ad with a twentieth of the spend":       {ads(func(a *Ad) { a.Spend = 48 }), "creative_fatigue"},
		"an ad without earlier views":               {ads(func(a *Ad) { a.ViewsBefore = 0 }), ""},
		"an ad without earlier clicks":              {ads(func(a *Ad) { a.ClicksBefore = 0 }), ""},
		"an ad without views":                       {ads(func(a *Ad) { a.Views = 0 }), ""},
		"the only ad":                               {func(s *Store) { ads(func(*Ad) {})(s); s.Ads = s.Ads[:1] }, "creative_fatigue"},
		"an ad among ads that fell alike":           {func(s *Store) { ads(func(*Ad) {})(s); s.Ads[1].Clicks = 6500 }, ""},
		"spend past its optimum":                    {marginal(1.2, 0.3, 12_000), "spend_past_optimum"},
		"spend before its optimum":                  {marginal(5, 0.5, 12_000), "budget_headroom"},
		"spend that may be past its optimum":        {marginal(2.5-1.2*0.3, 0.3, 12_000), ""},
		"spend that is probably past it":            {marginal(2.5-1.3*0.3, 0.3, 12_000), "spend_past_optimum"},
		"spend that may be before its optimum":      {marginal(2.5+1.2*0.3, 0.3, 12_000), ""},
		"spend that is probably before it":          {marginal(2.5+1.3*0.3, 0.3, 12_000), "budget_headroom"},
		"no spend at all":                           {marginal(1.2, 0.3, 0), ""},
		"spend before its optimum, rate unknown":    {func(s *Store) { marginal(5, 0.5, 12_000)(s); s.Rate = nil }, ""},
		"an untested channel":                       {channel(func(*Channel) {}), "untested_channel"},
		"an untested channel with a sure factor":    {channel(func(c *Channel) { c.FactorSD = 0 }), ""},
		"a tested channel":                          {channel(func(c *Channel) { c.Tested = true }), ""},
		"an untested channel far from break-even":   {channel(func(c *Channel) { c.FactorSD = 0.1 }), ""},
		"an outage on the last day":                 {func(s *Store) { s.Orders[199] = 2 }, "outage 2"},
		"an outage that ended":                      {func(s *Store) { s.Orders[198] = 2 }, "outage 1"},
		"two outages":                               {func(s *Store) { s.Orders[195], s.Orders[198] = 2, 2 }, "outage 1, outage 1"},
		"an outage of two days":                     {func(s *Store) { s.Orders[195], s.Orders[196] = 2, 2 }, "outage 1"},
		"an outage of 14 days ago":                  {func(s *Store) { s.Orders[186] = 2 }, "outage 1"},
		"an outage of 15 days ago":                  {func(s *Store) { s.Orders[185] = 2 }, ""},
		"30% of the orders":                         {func(s *Store) { s.Orders[199] = 30 }, "outage 2"},
		"31% of the orders":                         {func(s *Store) { s.Orders[199] = 31 }, ""},
	} {
		s := steady(200)
		c.plant(&s)
		var got []string
		for _, f := range Find(s) {
			text := string(f.Kind)
			if f.Severity > Notice {
				text += fmt.Sprint(" ", int(f.Severity))
			}
			got = append(got, text)
		}
		if joined := strings.Join(got, ", "); joined != c.want {
			t.Errorf("%s: %q, want %q", name, joined, c.want)
		}
	}
}

func TestSpendBeyondAllEarlierDays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		spend []float64
		since int
		up    bool
		want  bool
	}{
		{[]float64{1, 1, 1, 3, 3, 3}, 3, true, true},
		{[]float64{2.5, 2.5, 2.5, 3, 3, 3}, 3, true, true},
		{[]float64{2.6, 2.6, 2.6, 3, 3, 3}, 3, true, false},
		{[]float64{9, 1, 1, 1, 3, 3, 3}, 4, true, false},
		{[]float64{1, 1, 1, 3, 3, 3, 3, 3, 3}, 3, true, true}, // the days of the shift do not count
		{[]float64{9, 9, 9, 1, 1, 1}, 3, false, true},
		{[]float64{1.1, 1.1, 1.1, 1, 1, 1}, 3, false, false},
		{[]float64{1.3, 1.3, 1.3, 1, 1, 1}, 3, false, true},
		{[]float64{0.8, 0.8, 0.8, 1, 1, 1}, 3, false, false},
		{[]float64{0, 9, 9, 9, 1, 1, 1}, 4, false, true},
		{[]float64{0, 0, 0, 9, 9, 9, 0, 0, 0}, 6, false, true},
		{[]float64{9, 9, 9, 0, 0, 0, 9, 9, 9, 0, 0, 0}, 9, false, false},
		{[]float64{9, 9, 9, 0, 0, 0, 0, 0, 0}, 3, false, true},
		{[]float64{3, 3, 3}, 0, true, true},
	} {
		if got := beyond(c.spend, c.since, c.up); got != c.want {
			t.Errorf("beyond(%v, %d, %v) is %v", c.spend, c.since, c.up, got)
		}
	}
}

// Without a model, the value of an experiment uses the best estimate of the return: 2 is below the break-even return of
// 2.5, and the last-touch return is 5.
func TestAnUntestedChannelIsValuedAtItsBestEstimate(t *testing.T) {
	t.Parallel()
	value := func(best *float64) float64 {
		s := steady(200)
		c := &s.Channels[0]
		c.Tested, c.FactorSD, c.Return = false, 0.3, best
		scaled(c.Revenue, 200, 5./4)
		for _, f := range Find(s) {
			if f.Kind == Untested {
				return f.Value.Value
			}
		}
		return 0
	}
	if last, best := value(nil), value(new(2.0)); !(best > 5*last) {
		t.Errorf("value %v at the best estimate, %v at last touch", best, last)
	}
}

func TestSumsOfTheLastDays(t *testing.T) {
	t.Parallel()
	s := Store{Revenue: []float64{900, 100, 200}, Orders: []float64{1, 2, 2}}
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"two days", lately(s.Revenue, 2), 300},
		{"more days than there are", lately(s.Revenue, 9), 1200},
		{"a month", perMonth(300, 2), 150 * monthDays},
		{"monthly revenue", s.Monthly(), 400 * monthDays},
		{"monthly revenue of nothing", Store{}.Monthly(), 0},
		{"order value", s.aov(), 240},
		{"order value of nothing", Store{}.aov(), 0},
		{"monthly contribution", Store{Rate: new(0.5), Revenue: []float64{2}}.Monthly(), monthDays},
		{"average return", Channel{Revenue: []float64{600}, Spend: []float64{300}}.average(), 2},
		{"known return", Channel{Return: new(3.0)}.average(), 3},
		{"return of nothing", Channel{Revenue: []float64{5}}.average(), 5},
		{"ratio", ratioOf([]float64{9, 2}, []float64{9, 4}, 1), 0.5},
		{"ratio to nothing", ratioOf([]float64{9}, nil, 1), 0},
		{"inside", at([]float64{4}, 0), 4},
		{"outside", at([]float64{4}, 1), 0},
		{"relative", relative(1, 2, 1, 4), 2},
		{"relative to no clicks", relative(1, 2, 0, 4), 0},
		{"relative to no views", relative(1, 2, 1, 0), 0},
		{"relative of no views", relative(1, 0, 1, 4), 0},
		{"at most", atMost(4, 6, 2), math.Exp(-3) * (1 + 3 + 4.5)},
		{"at least", atLeast(4, 6, 2), 1 - math.Exp(-3)*(1+3)},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
	total := Store{Days: civil.Range{First: civil.MustParse("2026-01-01"), Last: civil.MustParse("2026-01-02")}, Channels: []Channel{{Spend: []float64{1, 2}}, {Spend: []float64{10, 20}}}}.totalSpend()
	if diff := cmp.Diff([]float64{11, 22}, total); diff != "" {
		t.Errorf("total spend (-want +got):\n%s", diff)
	}
}

func TestEffectsOfSeasons(t *testing.T) {
	t.Parallel()
	s := simulated(3)
	week := func(first string) civil.Range {
		return civil.Range{First: civil.MustParse(first), Last: civil.MustParse(first).AddDays(6)}
	}
	for first, want := range map[string]string{
		"2025-11-21": "1.83 true true", "2025-07-04": "0.90 false true", "2024-02-10": "0.00 false false", "2027-01-01": "0.00 false false",
	} {
		ratio, shows, known := s.SeasonEffect(week(first))
		if got := fmt.Sprintf("%.2f %v %v", ratio, shows, known); got != want {
			t.Errorf("%s: %s, want %s", first, got, want)
		}
	}
	for days, want := range map[int]bool{280: true, 279: false} { // 36 and 35 weeks to compare with
		short := s
		short.Revenue = short.Revenue[:days]
		if _, _, known := short.SeasonEffect(week("2024-09-01")); known != want {
			t.Errorf("known from %d days: %v", days, known)
		}
	}
}

// TestLimitsOfChanges changes the last days of series of a store. Before the change, each series has the same value on
// all 600 days.
func TestLimitsOfChanges(t *testing.T) {
	t.Parallel()
	google := func(s *Store) *Channel { return &s.Channels[0] }
	second := func(s *Store) *Channel {
		c := steady(600).Channels[0]
		c.Name = "bing"
		s.Channels = append(s.Channels, c)
		return &s.Channels[1]
	}
	growth := func(s *Store, factor float64) {
		s.Coupons = []Coupon{{Code: "MIRA", Creator: true, Orders: 160, Before: 60, Discount: 1600, New: 20}}
		for _, series := range [][]float64{s.Orders, s.NewOrders, s.Unattributed, google(s).Orders, google(s).Claimed} {
			scaled(series, 14, factor)
		}
	}
	untested := func(s *Store, spend float64) {
		c := second(s)
		c.Tested, c.FactorSD = false, 0.5
		scaled(c.Spend, 600, spend/1000)
		scaled(c.Revenue, 600, 2.5*spend/4000)
	}
	for name, c := range map[string]struct {
		plant func(*Store)
		want  string
	}{
		"spend of 2.5 times":                         {func(s *Store) { scaled(google(s).Spend, 3, 2.51) }, "spend_shift google"},
		"spend of less than 2.5 times":               {func(s *Store) { scaled(google(s).Spend, 3, 2.49) }, "cac_drift google"},
		"spend of a fifth":                           {func(s *Store) { scaled(google(s).Spend, 3, 0.19) }, "spend_shift google"},
		"spend of more than a fifth":                 {func(s *Store) { scaled(google(s).Spend, 3, 0.21) }, ""},
		"spend as high as last year":                 {func(s *Store) { scaled(google(s).Spend, 3, 3); scaled(google(s).Spend[:100], 3, 2.6) }, "cac_drift google"},
		"spend above last year":                      {func(s *Store) { scaled(google(s).Spend, 3, 3); scaled(google(s).Spend[:100], 3, 2.4) }, "spend_shift google"},
		"spend as low as last year":                  {func(s *Store) { scaled(google(s).Spend, 3, 0.1); scaled(google(s).Spend[:100], 3, 0.08) }, ""},
		"spend as low as once before":                {func(s *Store) { scaled(google(s).Spend, 3, 0.1); scaled(google(s).Spend[:500], 3, 0.1) }, ""},
		"no spend":                                   {func(s *Store) { scaled(google(s).Spend, 3, 0) }, "spend_shift google"},
		"no spend for 9 days":                        {func(s *Store) { scaled(google(s).Spend, 9, 0) }, "spend_shift google"},
		"no spend for 2 days":                        {func(s *Store) { scaled(google(s).Spend, 2, 0) }, ""},
		"no spend as once before":                    {func(s *Store) { scaled(google(s).Spend, 3, 0); scaled(google(s).Spend[:500], 3, 0) }, ""},
		"no spend after days before the first spend": {func(s *Store) { scaled(google(s).Spend, 3, 0); clear(google(s).Spend[:200]) }, "spend_shift google"},
		"no spend on a young channel":                {func(s *Store) { scaled(google(s).Spend, 3, 0); clear(google(s).Spend[:580]) }, ""},
		"no spend in reports that are late":          {func(s *Store) { google(s).Late = 3; scaled(google(s).Spend, 3, 0) }, ""},
		"the first spend":                            {func(s *Store) { clear(google(s).Spend[:597]) }, ""},
		"reports that are 5 days late": {func(s *Store) {
			google(s).Late = 5
			scaled(google(s).Spend, 5, 0)
			scaled(google(s).Claimed, 5, 0)
		}, ""},
		"reports that are 12 days late": {func(s *Store) {
			google(s).Late = 12
			scaled(google(s).Spend, 12, 0)
			scaled(google(s).Claimed, 12, 0)
		}, ""},
		"claims that end before late reports": {func(s *Store) {
			google(s).Late = 2
			scaled(google(s).Claimed, 9, 0.2)
			scaled(google(s).Spend, 2, 0)
			scaled(google(s).Claimed, 2, 0)
		}, "claims_break google"},
		"costs of 15% more":                                 {func(s *Store) { scaled(google(s).Spend, 28, 1.151) }, "cac_drift google"},
		"costs of less than 15% more":                       {func(s *Store) { scaled(google(s).Spend, 28, 1.149) }, ""},
		"costs of 15% less":                                 {func(s *Store) { scaled(google(s).Spend, 28, 0.8) }, ""},
		"costs of 30 new customers":                         {func(s *Store) { scaled(google(s).NewOrders, 600, 1.08/40); scaled(google(s).Spend, 28, 1.2) }, "cac_drift google"},
		"costs of 29 new customers":                         {func(s *Store) { scaled(google(s).NewOrders, 600, 1.05/40); scaled(google(s).Spend, 28, 1.2) }, ""},
		"costs of the second channel":                       {func(s *Store) { scaled(google(s).NewOrders, 600, 0.01); scaled(second(s).Spend, 28, 1.2) }, "cac_drift bing"},
		"costs of only the second channel":                  {func(s *Store) { scaled(second(s).Spend, 28, 1.2) }, "cac_drift bing"},
		"spend of only the second channel":                  {func(s *Store) { scaled(second(s).Spend, 3, 3) }, "spend_shift bing"},
		"claims of only the second channel":                 {func(s *Store) { scaled(second(s).Claimed, 7, 2) }, "claims_break bing"},
		"orders of only the second channel":                 {func(s *Store) { scaled(second(s).Orders, 7, 0.3) }, "tracking_break bing"},
		"claims of a second channel, none of the first":     {func(s *Store) { clear(google(s).Claimed); scaled(second(s).Claimed, 7, 2) }, "claims_break bing"},
		"orders of a second channel, no spend on the first": {func(s *Store) { clear(google(s).Spend); scaled(second(s).Orders, 7, 0.3) }, "tracking_break bing"},
		"a value of customers of zero":                      {func(s *Store) { clear(s.CohortValue) }, ""},
		"costs of both channels":                            {func(s *Store) { scaled(google(s).Spend, 28, 1.2); scaled(second(s).Spend, 28, 1.3) }, "cac_drift bing, cac_drift google"},
		"discounts of 2 points more":                        {func(s *Store) { scaled(s.Discounts, 28, 1.39) }, "discount_dependence "},
		"discounts of less":                                 {func(s *Store) { scaled(s.Discounts, 28, 1.36) }, ""},
		"refunds of 2 points more":                          {func(s *Store) { scaled(s.Refunds, 28, 1.51) }, "refund_rate "},
		"refunds of less":                                   {func(s *Store) { scaled(s.Refunds, 28, 1.49) }, ""},
		"refunds of 2 points less":                          {func(s *Store) { scaled(s.Refunds, 28, 0.4) }, ""},
		"15% fewer new customers":                           {func(s *Store) { scaled(s.NewOrders, 28, 0.849) }, "new_customer_share "},
		"less than 15% fewer":                               {func(s *Store) { scaled(s.NewOrders, 28, 0.851) }, ""},
		"more new customers":                                {func(s *Store) { scaled(s.NewOrders, 28, 1.3) }, ""},
		"new customers of unknown orders":                   {func(s *Store) { scaled(s.NewOrders, 28, 0.5); s.NewOrders = s.NewOrders[1:] }, ""},
		"a value of customers 15% lower":                    {func(s *Store) { scaled(s.CohortValue[:572], 28, 0.849) }, "payback_drift "},
		"a value of less than 15% lower":                    {func(s *Store) { scaled(s.CohortValue[:572], 28, 0.851) }, ""},
		"a value of customers 20% higher":                   {func(s *Store) { scaled(s.CohortValue[:572], 28, 1.2) }, ""},
		"a value of customers of 28 days":                   {func(s *Store) { scaled(s.CohortValue, 28, 0.1) }, ""},
		"10 points more without channel":                    {func(s *Store) { scaled(s.Unattributed, 7, 1.51) }, "tracking_break "},
		"less without channel":                              {func(s *Store) { scaled(s.Unattributed, 7, 1.49) }, ""},
		"40% of a channel's orders":                         {func(s *Store) { scaled(google(s).Orders, 7, 0.39) }, "tracking_break google"},
		"more of a channel's orders":                        {func(s *Store) { scaled(google(s).Orders, 7, 0.41) }, "claims_break google"},
		"40% of its orders, 60% of spend":                   {func(s *Store) { scaled(google(s).Orders, 7, 0.39); scaled(google(s).Spend, 7, 0.61) }, "tracking_break google"},
		"40% of its orders, less spend":                     {func(s *Store) { scaled(google(s).Orders, 7, 0.39); scaled(google(s).Spend, 7, 0.59) }, "claims_break google"},
		"orders of a channel without any": {func(s *Store) {
			scaled(google(s).Orders, 600, 3.1/80)
			scaled(google(s).Claimed, 600, 0)
			scaled(google(s).Orders, 7, 0.1)
		}, ""},
		"1.6 times the claims":            {func(s *Store) { scaled(google(s).Claimed, 7, 1.61) }, "claims_break google"},
		"fewer than 1.6 times the claims": {func(s *Store) { scaled(google(s).Claimed, 7, 1.59) }, ""},
		"1.6 times the claims of 14 days": {func(s *Store) { scaled(google(s).Claimed, 600, 4.0/90); scaled(google(s).Claimed, 14, 1.61) }, "claims_break google"},
		"1.6 times few claims":            {func(s *Store) { scaled(google(s).Claimed, 600, 1.8/90); scaled(google(s).Claimed, 14, 1.61) }, ""},
		"30% of the claims":               {func(s *Store) { scaled(google(s).Claimed, 7, 0.29) }, "claims_break google"},
		"more than 30% of the claims":     {func(s *Store) { scaled(google(s).Claimed, 7, 0.31) }, ""},
		"30% of the claims without spend": {func(s *Store) { scaled(google(s).Claimed, 7, 0.29); clear(google(s).Spend) }, ""},
		"a code of a store that doubled":  {func(s *Store) { growth(s, 2) }, "coupon_leak MIRA"},
		"a code of a store that grew":     {func(s *Store) { growth(s, 4) }, ""},
		"a code of a store that shrank":   {func(s *Store) { growth(s, 0.9) }, "coupon_leak MIRA"},
		"few orders a week before":        {func(s *Store) { s.Orders[599], s.Orders[592] = 0, 9 }, "outage "},
		"few orders two weeks before":     {func(s *Store) { s.Orders[599], s.Orders[585] = 0, 9 }, ""},
		"few orders three weeks before":   {func(s *Store) { s.Orders[599], s.Orders[578] = 0, 9 }, ""},
		"ten orders three weeks before":   {func(s *Store) { s.Orders[599], s.Orders[578] = 0, 20 }, "outage "},
		"a tenth of the spend untested":   {func(s *Store) { untested(s, 112) }, "untested_channel bing"},
		"less of the spend untested":      {func(s *Store) { untested(s, 110) }, ""},
		"an unsure model": {func(s *Store) {
			untested(s, 200)
			second := &s.Channels[1]
			second.FactorSD = 0.1
			second.Marginal = &Marginal{Step: 0.2, Spend: 6000, ROAS: about(2.5, 0.8)}
		}, "untested_channel bing"},
		"a model far from break-even": {func(s *Store) {
			untested(s, 200)
			s.Channels[1].Marginal = &Marginal{Step: 0.2, Spend: 6000, ROAS: about(2.4, 0.01)}
		}, "spend_past_optimum bing"},
	} {
		s := steady(600)
		c.plant(&s)
		var got []string
		for _, f := range Find(s) {
			got = append(got, string(f.Kind)+" "+f.Subject)
		}
		if joined := strings.Join(got, ", "); joined != c.want {
			t.Errorf("%s: %q, want %q", name, joined, c.want)
		}
	}
}

// The contribution rate is 0.4. The marginal return of extra spend is between zero and the average return, and the
// value of a cut is never negative.
func TestExtraSpendIsWorthWhatItsReturnDoesNotPay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ roas, value, low float64 }{ // value and low are shares of the extra spend
		{0, 1, 1}, {1, 0.8, 0.6}, {2.5, 0.5, 0}, {3, 0.4, 0}, {5, 0, 0}, {7.5, 0, 0},
	} {
		s := simulated(1)
		s.Channels[1].Return = &c.roas
		scaled(s.Channels[1].Spend, 3, 6)
		all := spendShifts(s)
		if len(all) != 1 || all[0].Channel != "google" || all[0].Value == nil {
			t.Fatalf("ROAS %v: %+v, want one shift of google", c.roas, all)
		}
		f := all[0]
		extra := monthDays * (f.Evidence[0].Value - f.Evidence[1].Value)
		got := []float64{f.Value.Value / extra, f.Value.Low / extra, f.Value.High / extra}
		for i, want := range []float64{c.value, c.low, 1} {
			if math.Abs(got[i]-want) > 1e-9 {
				t.Errorf("ROAS %v: value, low and high are %v of the extra spend, want %v, %v and 1", c.roas, got, c.value, c.low)
				break
			}
		}
	}
	s := simulated(1)
	scaled(s.Channels[1].Spend, 3, 0.01)
	if all := spendShifts(s); len(all) != 1 || all[0].Value != nil {
		t.Errorf("less spend: %+v, want one shift without a value", all)
	}
}

func TestDrifts(t *testing.T) {
	t.Parallel()
	week := windows{recent: 7, base: 56}
	// changed returns n days with the value 1, except for days with a factor.
	changed := func(n int, factors map[[2]int]float64) []float64 {
		out := ones(n)
		for days, factor := range factors {
			for i := days[0]; i < days[1]; i++ {
				out[i] = factor
			}
		}
		return out
	}
	rise := map[[2]int]float64{{193, 200}: math.E}
	for name, c := range map[string]struct {
		num  []float64
		w    windows
		want string // score, change, first day, and whether it was compared with the year before
	}{
		"a rise":                        {changed(200, rise), week, "16.667 1.718 193 false"},
		"a fall":                        {changed(200, map[[2]int]float64{{193, 200}: 1 / math.E}), week, "-16.667 -0.632 194 false"},
		"no change":                     {ones(200), week, "0.000 0.000 199 false"},
		"a rise without seasons":        {changed(200, rise), windows{recent: 7, base: 56, anySeason: true}, "33.333 1.718 193 false"},
		"a rise of a long series":       {changed(600, map[[2]int]float64{{593, 600}: math.E}), week, "33.333 1.718 593 true"},
		"a rise as in the year before":  {changed(600, map[[2]int]float64{{593, 600}: math.E, {229, 236}: math.E}), week, "0.000 1.718 599 true"},
		"a rise below the year before":  {changed(600, map[[2]int]float64{{593, 600}: math.E, {229, 236}: 9}), week, "0.000 1.718 599 true"},
		"an ordinary rise a year ago":   {changed(600, map[[2]int]float64{{593, 600}: math.E, {229, 236}: 1.05}), week, "33.333 1.718 593 true"},
		"an unusual rise a year ago":    {changed(600, map[[2]int]float64{{593, 600}: math.E, {229, 236}: 1.07}), week, "31.078 1.718 593 true"},
		"a rise 14 days after that":     {changed(600, map[[2]int]float64{{593, 600}: math.E, {215, 222}: math.E}), week, "0.000 1.718 599 true"},
		"a rise 21 days after that":     {changed(600, map[[2]int]float64{{593, 600}: math.E, {208, 215}: math.E}), week, "33.333 1.718 596 true"},
		"a rise of 147 days":            {changed(147, map[[2]int]float64{{140, 147}: math.E}), week, "16.667 1.718 146 false"},
		"a rise of 146 days":            {changed(146, map[[2]int]float64{{139, 146}: math.E}), week, "none"},
		"a rise that began 65 days ago": {changed(300, map[[2]int]float64{{235, 300}: 1000}), quarter, "13.644 1.267 240 false"},
		"nothing at the end":            {changed(200, map[[2]int]float64{{193, 200}: 0}), week, "none"},
		"nothing in the base":           {changed(200, map[[2]int]float64{{137, 193}: 0}), week, "none"},
	} {
		d, ok := driftOf(c.num, ones(len(c.num)), c.w)
		got := "none"
		if ok {
			got = fmt.Sprintf("%.3f %.3f %d %v", d.z, d.change(), d.since, d.yearly)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	for _, c := range []struct {
		d    drift
		want float64
	}{
		{drift{z: 3, yearly: true}, 0.8}, {drift{z: -5, yearly: true}, 0.9}, {drift{z: 9, yearly: true}, 0.99}, {drift{z: 3}, 0.64},
	} {
		if got := c.d.confidence(); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("confidence of %+v is %v, want %v", c.d, got, c.want)
		}
	}
	if low, high := (drift{before: 2, now: 4, sd: 0.1}).span(); math.Abs(low-0.5*math.Exp(-0.1644854)) > 1e-6 || math.Abs(high-0.5*math.Exp(0.1644854)) > 1e-6 {
		t.Errorf("span from %v to %v", low, high)
	}
	if middle, scale := robust([]float64{1, 2, 3, 4, 100}); middle != 3 || math.Abs(scale-1.4826) > 1e-12 {
		t.Errorf("median %v, scale %v", middle, scale)
	}
	if _, scale := robust([]float64{0, 2, 0, 2}); math.Abs(scale-1) > 1e-12 {
		t.Errorf("scale %v of alternating values, want their standard deviation", scale)
	}
	if _, scale := robust([]float64{3, 3, 3}); scale != leastScale {
		t.Errorf("scale %v of equal values", scale)
	}
}
