package measurement

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
	"assay/internal/console/frame"
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

// scheduleView is the weekly allocation of the budget optimizer, with the submitted form.
type scheduleView struct {
	Weeks, First string
	Problem      string
	Words        []string
	Channels     []string
	Rows         []scheduleRow
	Query        string // query of the charts

	plan *weekPlan
}

// scheduleRow is a week of the allocation, or a summary row.
type scheduleRow struct {
	Week    string
	Below   bool
	Spends  []scheduleCell
	Total   string
	Revenue string
}

type scheduleCell struct{ Channel, Spend string }

// weekPlan is a weekly allocation in minor units of money.
type weekPlan struct {
	*mmm.Schedule
	Weeks    []civil.Date // first days
	Minor    [][]int64    // spend by channel and week; the sum is Budget
	Budget   int64
	Steady   []int64 // constant weekly spend by channel
	Currency money.Currency
}

const weekDays = 7

// nextWeek returns the default first day of a weekly allocation. Weeks are counted from the end of the model's training
// window. The result is the first day of the first such week that starts today or later.
func nextWeek(last civil.Date, now time.Time, w control.Workspace) civil.Date {
	first := last.AddDays(1)
	if late := civil.DayOf(now, w.Location()).Sub(first); late > 0 {
		first = first.AddDays((late + weekDays - 1) / weekDays * weekDays)
	}
	return first
}

// scheduled computes the weekly allocation if the form requests one.
func (p *planView) scheduled(c *modelPages, m *mix.Model, w control.Workspace, asked url.Values) {
	s := &p.Schedule
	if s.Weeks == "" || p.Changing {
		return
	}
	asked.Set("v", strconv.Itoa(m.Version))
	asked.Del("of")
	s.Query = asked.Encode()
	plan, err := c.schedules.of(s.Query+fmt.Sprint(p.current, p.rates), m, func() (*weekPlan, error) { return p.spread(m, w) })
	if err != nil {
		s.Problem = cmp.Or(frame.PublicText(err), "Assay cannot compute the weekly allocation. Check the values in the form.")
		return
	}
	s.plan = plan
	s.fill()
	s.Words = s.words()
}

// spread computes the weekly allocation.
func (p *planView) spread(m *mix.Model, w control.Workspace) (*weekPlan, error) {
	ask, err := p.ask(m)
	if err != nil {
		return nil, err
	}
	weeks, err := strconv.Atoi(p.Schedule.Weeks)
	if err != nil || weeks < 1 || weeks > mmm.MostAhead {
		return nil, fault.Invalid("the number of weeks is not a whole number from 1 to %d", mmm.MostAhead).WithHint("enter a whole number of weeks, such as 12")
	}
	first, err := civil.Parse(p.Schedule.First)
	if err != nil {
		return nil, fault.Invalid("the first day of the weekly allocation is not a calendar date").WithHint("use YYYY-MM-DD, such as %s", m.Window.Last.AddDays(1))
	}
	days := first.Sub(m.Window.Last) - 1
	if days < 0 || days > mmm.MostAhead*weekDays {
		return nil, fault.Invalid("the first day %s is not in the two years after %s, the last day of the model's data", first, m.Window.Last).
			WithHint("choose a first day in the two years that start on %s", m.Window.Last.AddDays(1))
	}
	ahead := mmm.Ahead{Periods: weeks, Gap: (days + weekDays/2) / weekDays, Change: map[measure.Channel]float64{}}
	for _, f := range p.Fields {
		step, err := entered("the weekly change of "+f.Name, strings.TrimSuffix(f.Step, "%"))
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

// inMinor converts a schedule to minor units that sum to the budget. It rounds cumulative sums, channel by channel and
// group by group, so spend at a limit differs from the limit at most by rounding.
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

// money formats an amount with the currency.
func (w *weekPlan) money(minor int64) string {
	return money.Display(money.Major(minor, w.Currency), w.Currency.Exponent(), w.Currency)
}

func intervalText(s stats.Summary) string {
	return between(amount(s.Mean), amount(s.Q05), amount(s.Q95))
}

// figure formats an amount without the currency.
func (w *weekPlan) figure(minor int64) string {
	return frame.Figure(money.Major(minor, w.Currency), w.Currency.Exponent())
}

// fill sets the rows: the weeks, later weeks, the total, and constant weekly spend.
func (s *scheduleView) fill() {
	plan := s.plan
	for _, c := range plan.Channels {
		s.Channels = append(s.Channels, string(c))
	}
	row := func(week string, below bool, revenue stats.Summary, of func(j int) int64) {
		r := scheduleRow{Week: week, Below: below, Revenue: intervalText(revenue)}
		var total int64
		for j, c := range s.Channels {
			spend := of(j)
			total += spend
			r.Spends = append(r.Spends, scheduleCell{c, plan.figure(spend)})
		}
		r.Total = plan.figure(total)
		s.Rows = append(s.Rows, r)
	}
	for i, week := range plan.Weeks {
		row(week.Words(), false, plan.Brings.Periods[i], func(j int) int64 { return plan.Minor[j][i] })
	}
	after := scheduleRow{Week: "Later weeks", Below: true, Revenue: intervalText(plan.Brings.After)}
	for _, c := range s.Channels {
		after.Spends = append(after.Spends, scheduleCell{Channel: c})
	}
	s.Rows = append(s.Rows, after)
	row("Total", true, plan.Brings.Total, func(j int) (sum int64) {
		for _, x := range plan.Minor[j] {
			sum += x
		}
		return sum
	})
	row("Constant weekly spend", true, plan.Steadily.Periods[len(plan.Weeks)-1], func(j int) int64 { return plan.Steady[j] })
}

// A weekly allocation is recommended if its relative gain over the best constant weekly spend and the probability of a
// gain reach these minimums.
const (
	minWeeklyGain  = 0.005
	minProbability = 0.8
)

// gain returns the expected gain over the best constant weekly spend: in contribution if the contribution rates are
// known, otherwise in incremental revenue. It also returns the names of this quantity and of the base of its relative
// gain.
func (w *weekPlan) gain() (gain mmm.Gain, name, of string) {
	if w.Weighted != nil {
		return *w.Weighted, "contribution", "the contribution from incremental revenue"
	}
	return w.Gain, "incremental revenue", "the incremental revenue"
}

func (s *scheduleView) words() []string {
	plan := s.plan
	whole := func(v float64) string { return money.Display(v, 0, plan.Currency) }
	last := plan.Weeks[len(plan.Weeks)-1].AddDays(weekDays - 1)
	words := []string{fmt.Sprintf("Total spend is %s (%s), in proportion to the monthly budget.", plan.money(plan.Budget), frame.DaysText(plan.Weeks[0], last))}
	gain, name, of := plan.gain()
	text := fmt.Sprintf("The expected gain in %s over the best constant weekly spend is %s (90%% interval %s to %s)", name, whole(gain.Lift.Mean), whole(gain.Lift.Q05), whole(gain.Lift.Q95))
	share := 0.0
	if gain.Base > 0 {
		share = gain.Lift.Mean / gain.Base
		text += fmt.Sprintf(". This gain is %.2f%% of %s with constant spend", 100*share, of)
	}
	text += fmt.Sprintf(". The probability of a gain is %.0f%%.", 100*gain.Better)
	if share >= minWeeklyGain && gain.Better >= minProbability {
		words = append(words, text+" Recommendation: vary spend by week.")
	} else {
		words = append(words, text+" Varying spend by week has no clear benefit. Recommendation: keep weekly spend constant.")
	}
	words = append(words, fmt.Sprintf("Expected incremental revenue is %s in these weeks (90%% interval %s to %s), including the adstock of earlier spend. The adstock of this allocation adds %s of incremental revenue in later weeks.",
		whole(plan.Brings.Inside.Mean), whole(plan.Brings.Inside.Q05), whole(plan.Brings.Inside.Q95), whole(plan.Brings.After.Mean)))
	if plan.Proven {
		words = append(words, fmt.Sprintf("Compared with the best possible weekly allocation within the spend limits, the expected result of this allocation is lower by at most %.4f%%.", 100*plan.Certificate.Gap()))
	} else {
		words = append(words, "A better allocation may exist, because some response curves are S-shaped in some posterior draws. The search started from constant spend and from bursts of spend.")
	}
	return append(words,
		"A channel’s weekly maximum is the larger of two values: its highest weekly spend in the data and its monthly maximum, converted to one week. In this model, seasonality changes sales but not ROAS, so the allocation favors no season.")
}

// slots returns the Monday of the calendar week that contains most days of each week, for charts.
func (w *weekPlan) slots() (mondays []civil.Date) {
	for _, first := range w.Weeks {
		mondays = append(mondays, civil.ByWeek.Start(first.AddDays(weekDays/2)))
	}
	return mondays
}

// spendChart stacks weekly spend by channel. If there are more channels than a chart can show, it combines the channels
// with the least spend.
func (w *weekPlan) spendChart() chart.Chart {
	drawing := chart.Chart{
		Kind: chart.Bar, Stacked: true, Title: "Spend by week", Metric: "Spend per week", Unit: chart.Money, Currency: w.Currency,
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
			drawing.Series = append(drawing.Series, chart.Series{Name: frame.ChannelName(w.Channels[j]), Points: points(w.slots(), spends)})
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

// revenueChart shows incremental revenue by week for the weekly allocation, with an interval, and for constant spend.
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
		Title: "Incremental revenue by week", Metric: "Revenue per week", Unit: chart.Money, Currency: w.Currency, Granularity: civil.ByWeek,
		BandName: "90% interval", Series: []chart.Series{{Name: "this allocation", Points: line(w.Brings, true)}, {Name: "constant spend", Points: line(w.Steadily, false)}},
	}
}

// table returns the weekly allocation as rows of text, in major units of money.
func (w *weekPlan) table() [][]string {
	head := []string{"week", "spend_" + string(w.Currency)}
	for _, c := range w.Channels {
		head = append(head, sheet.Text(string(c)))
	}
	rows := [][]string{append(head, "incremental_revenue", "low", "high", "incremental_revenue_at_constant_spend")}
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

// schedules caches the latest weekly allocations, because a page, its charts and its export show the same allocation.
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

// of returns the cached weekly allocation of a model and query, or computes it.
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
