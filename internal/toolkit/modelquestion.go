package toolkit

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"assay/internal/answer"
	"assay/internal/measure"
	"assay/internal/measure/mix"
)

// ModelResults are the results of the media mix model that an answer shows.
type ModelResults struct {
	Rows    []MixRow
	Model   ModelInfo
	Metrics PlanMetrics
}

// modelTopics maps topics to answers. A topic has word prefixes and phrases. The topic with the most matches answers
// the question. If several topics have the same number of matches, the first of them answers it.
var modelTopics = []struct {
	words  []string
	answer func(*Call, []MixRow, ModelResults) string
}{
	{[]string{"test", "experiment", "holdout", "prove", "learn"}, sayTests},
	{[]string{"trust", "reliab", "accura", "confiden", "fit", "valid", "certain", "uncertain", "how good", "how sure"}, sayTrust},
	{[]string{"saturat", "diminish", "headroom", "room", "ceiling", "maxed"}, saySaturation},
	{[]string{"carry", "carries", "adstock", "lag", "lags", "delay", "how long", "decay", "half life", "half-life"}, sayCarryOver},
	{[]string{"margin", "next dollar", "next euro", "next unit", "increment", "extra", "more", "scale", "scaling", "increas", "grow", "raise", "double"}, sayMarginal},
	{[]string{"less", "cut", "reduc", "decreas", "save", "saving", "lower", "pause", "stop", "drop"}, sayLess},
	{[]string{"budget", "shift", "realloc", "alloc", "optimi", "move", "best mix", "split", "divid", "should i spend", "should we spend"}, sayPlan},
	{[]string{"roas", "roi", "return", "effic", "best", "worst", "perform", "contribut", "share", "bring", "brought", "drive", "revenue", "profit", "work", "spend"}, sayReturns},
}

// AnswerAboutModel answers a question from the model's results. It matches channels and topics by keyword. Without a
// match it lists the supported topics.
func AnswerAboutModel(c *Call, question string, a ModelResults) string {
	text := strings.ToLower(answer.Clean(question))
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
	about, without := mixChannels(words, a)
	named := len(about) > 0
	if !named && without != "" {
		return without
	}
	if !named {
		about = a.Rows
	}
	best, most := -1, 0
	for i, t := range modelTopics {
		if n := mentions(t.words, text, words); n > most {
			best, most = i, n
		}
	}
	if best >= 0 {
		return strings.TrimSpace(modelTopics[best].answer(c, about, a) + otherStep(text) + " " + without)
	}
	if named {
		return strings.TrimSpace(sayReturns(c, about, a) + " " + without)
	}
	return "No answer matches the question. Ask about channels of the model: ROAS, marginal ROAS, saturation, " +
		"adstock (carryover), the effect of less or more spend, the optimized allocation, the next experiment, or the model fit."
}

// mentions counts the words of a question that begin with a prefix of the topic. A phrase that the question contains is
// treated as two words.
func mentions(topic []string, text string, words []string) (n int) {
	for _, phrase := range topic {
		if strings.ContainsAny(phrase, " -") && strings.Contains(text, phrase) {
			n += 2
		}
	}
	for _, w := range words {
		if slices.ContainsFunc(topic, func(prefix string) bool { return strings.HasPrefix(w, prefix) }) {
			n++
		}
	}
	return n
}

// percents matches the percentages of a question.
var percents = regexp.MustCompile(`(\d+(?:\.\d+)?) ?(?:%|percent)`)

// otherStep returns a note if the question is about a different change of spend than the answer, otherwise "".
func otherStep(text string) string {
	for _, found := range percents.FindAllStringSubmatch(text, -1) {
		if found[1] != strconv.Itoa(int(100*mix.Step)) && found[1] != "90" {
			return fmt.Sprintf(" Changes of spend are calculated for %d%% only, not for %s%%. Use `optimize_budget` for another budget or for limits by channel.", int(100*mix.Step), found[1])
		}
	}
	return ""
}

// mixChannels returns the model's channels that the words name, by channel or platform name. It also returns a note on
// named channels that are not in the model.
func mixChannels(words []string, a ModelResults) (about []MixRow, without string) {
	names := map[measure.Channel]bool{}
	for i, w := range words {
		names[measure.ParseChannel(w)] = true
		if i > 0 {
			names[measure.ParseChannel(words[i-1]+" "+w)] = true
		}
	}
	for _, r := range a.Rows {
		if names[r.Channel] {
			about = append(about, r)
		}
	}
	for _, name := range a.Model.LeftOut {
		if names[measure.Channel(name)] {
			without += " " + name + " is not in the model because it has too little spend."
		}
	}
	return about, strings.TrimLeft(without, " ")
}

// mixLines describes the first few channels.
func mixLines(rows []MixRow, say func(MixRow) string) string {
	const most = 5
	var lines []string
	for _, r := range rows[:min(most, len(rows))] {
		lines = append(lines, answer.ChannelName(r.Channel)+" "+say(r))
	}
	return strings.Join(lines, "; ") + "."
}

// sortedRows returns the rows, largest value first.
func sortedRows(rows []MixRow, of func(MixRow) float64) []MixRow {
	return slices.SortedStableFunc(slices.Values(rows), func(a, b MixRow) int { return cmp.Compare(of(b), of(a)) })
}

func ratios(e answer.Estimate[answer.Ratio]) string {
	return fmt.Sprintf("%s (%s to %s)", e.Value, e.Low, e.High)
}

func wholes(e answer.Estimate[answer.Percent]) string {
	return fmt.Sprintf("%s (%s to %s)", e.Value.Whole(), e.Low.Whole(), e.High.Whole())
}

func amounts(c *Call, e answer.Estimate[answer.Money]) string {
	return fmt.Sprintf("%s (%s to %s)", c.Spelled(e.Value), c.Spelled(e.Low), c.Spelled(e.High))
}

func sayReturns(c *Call, rows []MixRow, _ ModelResults) string {
	return "ROAS with its 90% interval, and monthly incremental revenue: " + mixLines(sortedRows(rows, func(r MixRow) float64 { return float64(r.ROAS.Value) }),
		func(r MixRow) string {
			return ratios(r.ROAS) + ", " + c.Spelled(r.Incremental.Value) + " per month"
		})
}

func saySaturation(c *Call, rows []MixRow, _ ModelResults) string {
	return "Saturation (the percentage by which marginal ROAS is below average ROAS) with its 90% interval: " +
		mixLines(sortedRows(rows, func(r MixRow) float64 { return float64(r.Saturation.Value) }), func(r MixRow) string {
			return wholes(*r.Saturation)
		})
}

func sayMarginal(c *Call, rows []MixRow, _ ModelResults) string {
	return "Marginal ROAS, and monthly revenue change with 20% more spend, with 90% intervals: " +
		mixLines(sortedRows(rows, func(r MixRow) float64 { return float64(r.MarginalROAS.Value) }),
			func(r MixRow) string { return ratios(r.MarginalROAS) + ", " + amounts(c, *r.More) })
}

func sayLess(c *Call, rows []MixRow, _ ModelResults) string {
	return "Monthly revenue change with 20% less spend, with 90% intervals, smallest loss first: " +
		mixLines(sortedRows(rows, func(r MixRow) float64 { return float64(r.Less.Value) / max(float64(r.Spend), 1) }),
			func(r MixRow) string {
				return amounts(c, *r.Less) + ", saving " + c.Spelled(answer.Money(mix.Step)*r.Spend)
			})
}

func sayPlan(c *Call, rows []MixRow, a ModelResults) string {
	return fmt.Sprintf("Recommendation: %s (%s confidence, %s probability of more revenue). Optimized monthly allocation: ", a.Metrics.Advice, a.Metrics.Confidence, a.Metrics.BetterPct.Whole()) +
		mixLines(sortedRows(rows, func(r MixRow) float64 { return max(float64(r.Proposed-r.Spend), float64(r.Spend-r.Proposed)) }),
			func(r MixRow) string { return "from " + c.Spelled(r.Spend) + " to " + c.Spelled(r.Proposed) }) + a.Metrics.budgetSentence(c, "per month")
}

func sayCarryOver(c *Call, rows []MixRow, _ ModelResults) string {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r MixRow) bool { return r.CarryOver == nil })
	if len(rows) == 0 {
		return "The model has no adstock (carryover)."
	}
	return "Adstock (carryover), the share of a week's effect that carries over to the next week, with its 90% interval: " +
		mixLines(sortedRows(rows, func(r MixRow) float64 { return float64(r.CarryOver.Value) }), func(r MixRow) string {
			return wholes(*r.CarryOver)
		})
}

func sayTests(c *Call, rows []MixRow, a ModelResults) string {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r MixRow) bool { return r.ExperimentValue == nil || *r.ExperimentValue <= 0 })
	if a.Metrics.TestFirst == "" || len(rows) == 0 {
		return "No experiment would change the optimized allocation: the allocation does not depend on the uncertainty of these channels."
	}
	return "Expected gain in monthly revenue if an experiment measures the iROAS of a channel, before the cost of the experiment: " +
		mixLines(sortedRows(rows, func(r MixRow) float64 { return float64(*r.ExperimentValue) }), func(r MixRow) string { return c.Spelled(*r.ExperimentValue) })
}

func sayTrust(c *Call, rows []MixRow, a ModelResults) string {
	return fmt.Sprintf("The model explains %.0f%% of the variance in weekly sales over %d weeks, and its sampler converged. A good fit does not prove causality. "+
		"A precise experiment on a channel narrows the channel's interval. ", 100*a.Model.R2, a.Model.Weeks) + testedSentence(a.Rows) + "ROAS by channel with its 90% interval, widest first: " +
		mixLines(sortedRows(rows, func(r MixRow) float64 { return float64(r.ROAS.High - r.ROAS.Low) }), func(r MixRow) string { return ratios(r.ROAS) })
}

// testedSentence lists the channels with experiments that calibrate the model. It returns "" if there are none.
func testedSentence(rows []MixRow) string {
	var tested []string
	for _, r := range rows {
		if len(r.Tested) > 0 {
			tested = append(tested, answer.ChannelName(r.Channel)+" ("+strings.Join(r.Tested, ", ")+")")
		}
	}
	if len(tested) == 0 {
		return ""
	}
	return "Geo experiments calibrate the model on these channels: " + answer.Listed(tested) + ". "
}
