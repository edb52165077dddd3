package ask

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"assay/internal/money"
	"assay/internal/number"
)

// mostFigures is the maximum number of metrics in an interpretation.
const mostFigures = 5

// figure is a metric of an answer.
type figure struct {
	name                    string
	value, previous, change *float64
	perDay                  *float64 // change per day, if the two periods have different lengths
}

// Interpret states the figures of an answer in one sentence. It uses numbers, dates and the names of metrics only:
// texts of an answer may be untrusted input and contain instructions.
func Interpret(c Call, answer json.RawMessage) string {
	var a struct {
		Period, Period1, Period2 *struct{ Start, End string }
		Currency                 string
		Metrics                  json.RawMessage
		Rows                     []json.RawMessage
		Pagination               *struct{ Total int }
		Drivers                  []driver
		Events                   []event
	}
	if json.Unmarshal(answer, &a) != nil {
		return ""
	}
	var days []string
	for _, p := range []*struct{ Start, End string }{a.Period, a.Period2, a.Period1} {
		if p != nil && isDay.MatchString(p.Start) && isDay.MatchString(p.End) {
			days = append(days, p.Start+" to "+p.End)
		}
	}
	figures := leading(figuresOf(a.Metrics), c.Metrics)
	var parts []string
	for _, f := range figures {
		parts = append(parts, f.text(a.Currency))
	}
	rows := len(a.Rows)
	if a.Pagination != nil {
		rows = a.Pagination.Total
	}
	head := c.Tool
	if len(days) > 0 {
		head += ", " + strings.Join(days, " compared with ")
	}
	switch {
	case len(days) > 0 && len(parts) > 0 && figures[0].change != nil: // results of a past period
		parts[0] = figures[0].result(days, a.Currency)
		return c.Tool + ": " + strings.Join(parts, ", ") + "." + reasons(days, a.Drivers, a.Events, a.Currency)
	case len(parts) > 0:
		return head + ": " + strings.Join(parts, ", ") + "." + budgetAdvice(a.Metrics) + reasons(days, a.Drivers, a.Events, a.Currency)
	case rows == 1:
		return head + ": 1 row."
	}
	return fmt.Sprintf("%s: %s rows.", head, number.Grouped(float64(rows), 0))
}

// budgetAdvice returns a sentence with the advice on a budget that differs from current spend. The sentence includes
// the probability that the change increases contribution after spend.
func budgetAdvice(metrics json.RawMessage) string {
	var m struct {
		Advice  string   `json:"budget_advice"`
		Pays    *float64 `json:"budget_pays_pct"`
		Budget  float64
		Current float64 `json:"current_spend"`
	}
	if json.Unmarshal(metrics, &m) != nil || m.Pays == nil {
		return ""
	}
	budget, is := "Less budget", "is"
	if m.Budget > m.Current {
		budget = "More budget"
	}
	switch m.Advice {
	case "raise", "lower":
	case "keep":
		is = "is not"
	default:
		return ""
	}
	return fmt.Sprintf(" %s %s advised: the probability that the change is profitable is %s.", budget, is, number.Percent(*m.Pays, 0))
}

// driver is a part of a change in an answer.
type driver struct {
	Part   string
	Change float64
	Share  float64 `json:"share_pct"`
}

// event is an event of an answer that explains a change.
type event struct {
	Date, Kind string
	EndDate    string `json:"end_date"`
	Effect     *float64
	Cause      bool
}

// reasons names the first driver in the direction of a change and the change's first possible cause. It omits drivers
// and events if their names do not look like names of metrics. The first element of periods is the period of
// the figures. An event before it is in the other period.
func reasons(periods []string, drivers []driver, events []event, unit string) (text string) {
	change := func(up, down string, by float64) string {
		f := figure{name: "revenue", value: new(math.Abs(by))}
		way := up
		if by < 0 {
			way = down
		}
		return way + strings.TrimPrefix(f.text(unit), "revenue ")
	}
	other := "earlier"
	if len(periods) == 1 {
		other = "previous"
	}
	at := slices.IndexFunc(drivers, func(d driver) bool { return d.Share > 0 && isMetric.MatchString(d.Part) })
	if at >= 0 {
		text = fmt.Sprintf(" The largest driver is %s, which %s.", spelled(drivers[at].Part),
			change("raised revenue by ", "lowered revenue by ", drivers[at].Change))
	}
	for _, e := range events {
		if !e.Cause || e.Effect == nil || !isMetric.MatchString(e.Kind) || !isDay.MatchString(e.Date) {
			continue
		}
		days := "on " + e.Date
		if isDay.MatchString(e.EndDate) {
			days = "from " + e.Date + " to " + e.EndDate
		}
		if len(periods) > 0 && e.Date < periods[0][:len(e.Date)] {
			days += " in the " + other + " period"
		}
		return text + fmt.Sprintf(" A possible cause: %s %s (effect on revenue: %s).", spelled(e.Kind), days, change("up about ", "down about ", *e.Effect))
	}
	return text
}

var (
	isDay    = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	isMetric = regexp.MustCompile(`^[a-z][a-z0-9_]{0,40}$`)
	isMoney  = regexp.MustCompile(`revenue|spend|aov|cac|cost|refund|budget|amount|discount|ltv`)
	currency = regexp.MustCompile(`^[A-Z]{3}$`)
)

// figuresOf reads the metrics of an answer in their order.
func figuresOf(metrics json.RawMessage) []figure {
	d := json.NewDecoder(bytes.NewReader(metrics))
	if _, err := d.Token(); err != nil {
		return nil
	}
	var out []figure
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return out
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return out
		}
		text, _ := name.(string)
		f := figure{name: text}
		var m struct {
			Value, Previous *float64
			Change          *float64 `json:"change_pct"`
			PerDay          *float64 `json:"change_pct_per_day"`
		}
		var plain float64
		switch {
		case !isMetric.MatchString(text):
			continue
		case json.Unmarshal(value, &plain) == nil && string(value) != "null":
			f.value = &plain
		case json.Unmarshal(value, &m) == nil:
			f.value, f.previous, f.change, f.perDay = m.Value, m.Previous, m.Change, m.PerDay
		}
		if f.value != nil {
			out = append(out, f)
		}
	}
	return out
}

// leading returns at most mostFigures figures. Figures that the question names come first.
func leading(all []figure, asked []string) []figure {
	rank := func(f figure) int {
		for i, name := range asked {
			if f.name == name || strings.HasSuffix(f.name, "_"+name) {
				return i
			}
		}
		return len(asked)
	}
	slices.SortStableFunc(all, func(a, b figure) int { return rank(a) - rank(b) })
	return all[:min(len(all), mostFigures)]
}

// acronyms are the names of metrics that sentences show in capital letters.
var acronyms = map[string]bool{"aov": true, "cac": true, "cpa": true, "ltv": true, "roas": true, "roi": true}

// spelled returns the name of a metric for a sentence: "platform ROAS" for platform_roas.
func spelled(name string) string {
	words := strings.Split(name, "_")
	for i, word := range words {
		if acronyms[word] {
			words[i] = strings.ToUpper(word)
		}
	}
	return strings.Join(words, " ")
}

// result states a figure and its change in a sentence. If there is a second period, the sentence names it as the period
// of comparison. Otherwise, the change is from the previous period.
func (f figure) result(days []string, unit string) string {
	name := f.spelled()
	verb := "was"
	if last := name[len(name)-1]; last == 's' {
		verb = "were"
	}
	of := "from " + days[0]
	if len(days) > 1 {
		of += ", compared with " + days[1] + ","
	}
	text := name + " " + of + " " + verb + strings.TrimPrefix(f.text(unit), name)
	if len(days) == 1 {
		text = strings.TrimSuffix(text, ")") + " from the previous period)"
	}
	return text
}

func (f figure) spelled() string { return spelled(strings.TrimSuffix(f.name, "_pct")) }

func (f figure) text(unit string) string {
	text := f.spelled() + " "
	places := 2
	if whole := math.Abs(*f.value) >= 1000 || *f.value == math.Trunc(*f.value); whole {
		places = 0
	}
	switch {
	case strings.HasSuffix(f.name, "_pct"):
		text += number.Percent(*f.value, 1)
	case isMoney.MatchString(f.name) && currency.MatchString(unit):
		text += money.Text(*f.value, places, money.Currency(unit))
	default:
		text += number.Grouped(*f.value, places)
	}
	switch {
	case f.change == nil:
		return text
	case f.perDay != nil:
		return text + " (" + moved(*f.change) + " in total, " + moved(*f.perDay) + " per day)"
	}
	return text + " (" + moved(*f.change) + ")"
}

// moved states a change in percent: "up 9.0%".
func moved(change float64) string {
	switch x := math.Round(10*change) / 10; {
	case x > 0:
		return "up " + number.Percent(x, 1)
	case x < 0:
		return "down " + number.Percent(-x, 1)
	}
	return "unchanged"
}
