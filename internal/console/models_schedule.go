package console

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"assay/internal/chart"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/decide"
	"assay/internal/measure/mix"
	"assay/internal/measure/mmm"
	"assay/internal/measure/stats"
	"assay/internal/money"
	"assay/internal/sheet"
)

// scheduleView is the part of the planner that spreads the budget over weeks, as its form was sent, and the plan where one was
// asked for.
type scheduleView struct {
	Weeks, First string
	Problem      string
	Words        []string
	Channels     []string
	Rows         []scheduleRow
	Query        string // that pictures are asked for with

	plan *weekPlan
}

// scheduleRow is a week of the plan, or a line below the weeks.
type scheduleRow struct {
	Week   string
	Below  bool
	Spends []scheduleCell
	Total  string
	Brings string
}

type scheduleCell struct{ Channel, Spend string }

// weekPlan is a plan over weeks in minor units of money.
type weekPlan struct {
	*mmm.Schedule
	Weeks    []civil.Date // their first days
	Minor    [][]int64    // one row for each channel, one element for each week; they sum to Budget
	Budget   int64
	Steady   []int64 // of a week
	Currency money.Currency
}

const weekDays = 7

// nextWeek returns the first day of a plan where none was entered: of the first week after the model's, counted as they are, that
// begins today or later.
func nextWeek(last civil.Date, now time.Time, w control.Workspace) civil.Date {
	first := last.AddDays(1)
	if late := civil.DayOf(now, w.Location()).Sub(first); late > 0 {
		first = first.AddDays((late + weekDays - 1) / weekDays * weekDays)
	}
	return first
}

// scheduled makes the plan over weeks where the form asks for one.
func (p *planView) scheduled(c *Console, m *mix.Model, w control.Workspace, asked url.Values) {
	s := &p.Schedule
	if s.Weeks == "" || !p.Asked || p.Problem != "" {
		return
	}
	asked.Set("v", strconv.Itoa(m.Version))
	asked.Del("of")
	s.Query = asked.Encode()
	plan, err := c.schedules.of(s.Query, m, func() (*weekPlan, error) { return p.spread(m, w) })
	if err != nil {
		s.Problem = cmp.Or(told(err), "The plan over time cannot be made.")
		return
	}
	s.plan = plan
	s.fill()
	s.Words = s.words()
}

// spread makes the plan over weeks.
func (p *planView) spread(m *mix.Model, w control.Workspace) (*weekPlan, error) {
	ask, err := p.ask(m)
	if err != nil {
		return nil, err
	}
	weeks, err := strconv.Atoi(p.Schedule.Weeks)
	if err != nil || weeks < 1 || weeks > mmm.MostAhead {
		return nil, fault.Invalid("the number of weeks is no whole number from 1 to %d", mmm.MostAhead).WithHint("enter a number such as 12")
	}
	first, err := civil.Parse(p.Schedule.First)
	if err != nil {
		return nil, fault.Invalid("the first day of the plan is no date").WithHint("enter a day such as %s", m.Window.Last.AddDays(1))
	}
	days := first.Sub(m.Window.Last) - 1
	if days < 0 || days > mmm.MostAhead*weekDays {
		return nil, fault.Invalid("the plan begins on %s, and the model's data end on %s", first, m.Window.Last).
			WithHint("choose a first day from %s on, within two years", m.Window.Last.AddDays(1))
	}
	ahead := mmm.Ahead{Periods: weeks, Gap: (days + weekDays/2) / weekDays, Change: map[measure.Channel]float64{}}
	for _, f := range p.Fields {
		step, err := entered("the largest change for "+f.Channel, strings.TrimSuffix(f.Step, "%"))
		if err != nil {
			return nil, err
		}
		if step != nil {
			ahead.Change[measure.Channel(f.Channel)] = *step / 100
		}
	}
	schedule, err := m.Schedule(ask, ahead)
	if err != nil {
		return nil, err
	}
	return inMinor(schedule, ask.Groups, first, w.Currency), nil
}

// inMinor writes a schedule in minor units that sum to the budget. Sums are rounded and not spends, channels of a group one after
// another, so that a bound that is reached is not missed by more than its own rounding.
func inMinor(s *mmm.Schedule, groups []decide.Group, first civil.Date, currency money.Currency) *weekPlan {
	unit := math.Pow10(currency.Exponent())
	out := &weekPlan{Schedule: s, Minor: make([][]int64, len(s.Channels)), Budget: int64(math.Round(s.Budget * unit)), Currency: currency}
	order := make([]int, len(s.Channels))
	var all float64
	for j, row := range s.Spend {
		order[j] = j
		for _, x := range row {
			all += x
		}
		out.Steady = append(out.Steady, int64(math.Round(s.Steady[j]*unit)))
	}
	group := func(j int) int {
		return slices.IndexFunc(groups, func(g decide.Group) bool { return slices.Contains(g.Channels, s.Channels[j]) })
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(group(a), group(b)) })
	var sum float64
	var given int64
	for _, j := range order {
		out.Minor[j] = make([]int64, len(s.Spend[j]))
		for i, x := range s.Spend[j] {
			sum += x
			to := int64(math.Round(sum / all * float64(out.Budget)))
			out.Minor[j][i], given = to-given, to
		}
	}
	for i := range s.Spend[0] {
		out.Weeks = append(out.Weeks, first.AddDays(weekDays*i))
	}
	return out
}

func (w *weekPlan) money(minor int64) string {
	return figure(money.Major(minor, w.Currency), w.Currency.Exponent())
}

func spanOf(s stats.Summary) string { return between(amount(s.Mean), amount(s.Q05), amount(s.Q95)) }

// fill sets the rows: the weeks, what comes after them, their sum, and the same every week.
func (s *scheduleView) fill() {
	plan := s.plan
	for _, c := range plan.Channels {
		s.Channels = append(s.Channels, string(c))
	}
	row := func(week string, below bool, brings stats.Summary, of func(j int) int64) {
		r := scheduleRow{Week: week, Below: below, Brings: spanOf(brings)}
		var total int64
		for j, c := range s.Channels {
			spend := of(j)
			total += spend
			r.Spends = append(r.Spends, scheduleCell{c, plan.money(spend)})
		}
		r.Total = plan.money(total)
		s.Rows = append(s.Rows, r)
	}
	for i, week := range plan.Weeks {
		row(week.String(), false, plan.Brings.Periods[i], func(j int) int64 { return plan.Minor[j][i] })
	}
	after := scheduleRow{Week: "After the last week", Below: true, Brings: spanOf(plan.Brings.After)}
	for _, c := range s.Channels {
		after.Spends = append(after.Spends, scheduleCell{Channel: c})
	}
	s.Rows = append(s.Rows, after)
	row("In all", true, plan.Brings.Total, func(j int) (sum int64) {
		for _, x := range plan.Minor[j] {
			sum += x
		}
		return sum
	})
	row("Alike every week", true, plan.Steadily.Periods[len(plan.Weeks)-1], func(j int) int64 { return plan.Steady[j] })
}

// Least gain of a plan over time, as a share of what the steady plan brings, and least chance of one, to be called worth it.
const (
	worthFlighting = 0.005
	sureOfIt       = 0.8
)

func (s *scheduleView) words() []string {
	plan := s.plan
	last := plan.Weeks[len(plan.Weeks)-1].AddDays(weekDays - 1)
	words := []string{fmt.Sprintf("%s %s from %s to %s, the monthly budget in proportion.", plan.money(plan.Budget), plan.Currency, plan.Weeks[0], last)}
	share := 0.0
	if plan.Steadily.Total.Mean > 0 {
		share = plan.Lift.Mean / plan.Steadily.Total.Mean
	}
	gain := fmt.Sprintf("%s (90 %% interval %s to %s), %.2f %% of what media bring, with a chance of %.0f %% of a gain", amount(plan.Lift.Mean), amount(plan.Lift.Q05), amount(plan.Lift.Q95), 100*share, 100*plan.Better)
	if share >= worthFlighting && plan.Better >= sureOfIt {
		words = append(words, "Spends that change from week to week are worth it: they bring more than the best plan that spends alike every week by "+gain+".")
	} else {
		words = append(words, "Spends that change from week to week are not worth it here: against the best plan that spends alike every week they change revenue by "+gain+". Spend the same every week.")
	}
	words = append(words, fmt.Sprintf("Media bring %s in these weeks (90 %% interval %s to %s), what is left of earlier spends included, and %s in later ones, beyond what spends bring then by themselves.",
		amount(plan.Brings.Inside.Mean), amount(plan.Brings.Inside.Q05), amount(plan.Brings.Inside.Q95), amount(plan.Brings.After.Mean)))
	if plan.Proven {
		words = append(words, fmt.Sprintf("Certificate: by the model's mean, no other spends over these weeks within these bounds bring more by over %.4f %%.", 100*plan.Certificate.Gap()))
	} else {
		words = append(words, "Some curves are S-shaped in some draws, so this is the best plan found from steady spends and from bursts, and another one may be better.")
	}
	return append(words,
		"No week of a channel gets more than its dearest one in the data, unless the mean week of its most is more. A season lifts sales, but in this model not what money brings, so the plan prefers no week for it.")
}

// slots returns the weeks where a chart of weeks from Monday has them: at the Monday of most of their days.
func (w *weekPlan) slots() (mondays []civil.Date) {
	for _, first := range w.Weeks {
		mondays = append(mondays, civil.ByWeek.Start(first.AddDays(weekDays/2)))
	}
	return mondays
}

// spendChart stacks the weekly spends of channels. Of more channels than a chart shows, the smallest are one.
func (w *weekPlan) spendChart() chart.Chart {
	drawing := chart.Chart{
		Kind: chart.Bar, Stacked: true, Title: "Spend by week", Metric: "Spend a week", Unit: chart.Money, Currency: w.Currency,
		Granularity: civil.ByWeek,
	}
	sums := make([]int64, len(w.Minor))
	order := make([]int, len(w.Minor))
	for j, row := range w.Minor {
		order[j] = j
		for _, x := range row {
			sums[j] += x
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sums[b], sums[a]) })
	rest := make([]float64, len(w.Weeks))
	for i, j := range order {
		spends := make([]float64, len(w.Weeks))
		for t, x := range w.Minor[j] {
			spends[t] = money.Major(x, w.Currency)
		}
		if i < chart.MaxSeries-1 || len(order) == chart.MaxSeries {
			drawing.Series = append(drawing.Series, chart.Series{Name: string(w.Channels[j]), Points: points(w.slots(), spends)})
			continue
		}
		for t, x := range spends {
			rest[t] += x
		}
	}
	if len(order) > chart.MaxSeries {
		drawing.Series = append(drawing.Series, chart.Series{Name: "other channels", Points: points(w.slots(), rest)})
	}
	return drawing
}

// revenueChart shows what media bring by week under the plan, with its interval, and under the steady one.
func (w *weekPlan) revenueChart() chart.Chart {
	line := func(of mmm.Flow, band bool) (out []chart.Point) {
		for i, week := range w.slots() {
			point := chart.Point{Date: week, Value: of.Periods[i].Mean}
			if band {
				point.Band = &chart.Band{Low: of.Periods[i].Q05, High: of.Periods[i].Q95}
			}
			out = append(out, point)
		}
		return out
	}
	return chart.Chart{
		Title: "Revenue that media bring by week", Metric: "Revenue a week", Unit: chart.Money, Currency: w.Currency, Granularity: civil.ByWeek,
		BandName: "90 % interval", Series: []chart.Series{{Name: "this plan", Points: line(w.Brings, true)}, {Name: "alike every week", Points: line(w.Steadily, false)}},
	}
}

// table returns the plan as rows of text, in major units of money.
func (w *weekPlan) table() [][]string {
	head := []string{"week", "spend_" + string(w.Currency)}
	for _, c := range w.Channels {
		head = append(head, sheet.Text(string(c)))
	}
	rows := [][]string{append(head, "media_bring", "media_bring_low", "media_bring_high", "steady_media_bring")}
	plain := func(minor int64) string {
		return strconv.FormatFloat(money.Major(minor, w.Currency), 'f', w.Currency.Exponent(), 64)
	}
	for i, week := range w.Weeks {
		var total int64
		var spends []string
		for _, row := range w.Minor {
			total += row[i]
			spends = append(spends, plain(row[i]))
		}
		brings := w.Brings.Periods[i]
		rows = append(rows, slices.Concat([]string{week.String(), plain(total)}, spends,
			[]string{exact(brings.Mean), exact(brings.Q05), exact(brings.Q95), exact(w.Steadily.Periods[i].Mean)}))
	}
	after := append([]string{"after"}, make([]string, len(w.Channels)+1)...)
	return append(rows, append(after, exact(w.Brings.After.Mean), exact(w.Brings.After.Q05), exact(w.Brings.After.Q95), exact(w.Steadily.After.Mean)))
}

// schedules keeps the plans over weeks that were made last, because a page's pictures and its export are of the same plan.
type schedules struct {
	mu   sync.Mutex // guards kept
	kept []keptSchedule
}

type keptSchedule struct {
	model *mix.Model
	query string
	plan  *weekPlan
}

const mostSchedules = 8

// of returns the plan of a model that a query asks for, made where it is not kept.
func (s *schedules) of(query string, m *mix.Model, made func() (*weekPlan, error)) (*weekPlan, error) {
	s.mu.Lock()
	for _, k := range s.kept {
		if k.model == m && k.query == query {
			s.mu.Unlock()
			return k.plan, nil
		}
	}
	s.mu.Unlock()
	plan, err := made()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.kept) >= mostSchedules {
		s.kept = slices.Delete(s.kept, 0, 1)
	}
	s.kept = append(s.kept, keptSchedule{m, query, plan})
	return plan, nil
}
