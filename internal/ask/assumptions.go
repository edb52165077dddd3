package ask

import (
	"slices"
	"strings"

	"assay/internal/ask/when"
)

// explain states the interpretations that are not obvious: resolved dates, aliases and corrected words.
func (f *filler) explain() {
	_, dated := f.args["start_date"]
	_, paired := f.args["period1_start"]
	for _, w := range f.clause.whens {
		if w.Kind != when.Absolute || !dated && !paired {
			continue
		}
		typed := source(f.q.Text, f.clause.tokens[w.At:w.End])
		switch {
		case w.Period.Days() == 1:
			f.plan.assume("%q is %s", typed, w.Period.First)
		case w.Unit == "week" && w.Count == 0:
			f.plan.assume("%q is %s; weeks start on Monday", typed, w.Period)
		default:
			f.plan.assume("%q is %s", typed, w.Period)
		}
	}
	f.explainLimits()
	for _, t := range f.clause.tokens {
		lower := strings.NewReplacer("'", "", "’", "").Replace(strings.ToLower(t.raw))
		switch {
		case t.slot == channelSlot && t.first && !strings.EqualFold(t.raw, t.text) && !strings.HasPrefix(t.text, strings.TrimSuffix(lower, "s")):
			f.plan.assume("%q is the channel %s", t.raw, t.text)
		case t.form == word && t.slot == plain && t.text != lower:
			f.plan.assume("%q is interpreted as %s", t.raw, t.text)
		}
	}
}

// explainLimits states the parts of the question that the tool does not support.
func (f *filler) explainLimits() {
	name, c := f.tool.Name, f.clause
	if f.tool.Writes || name == "explain" {
		return
	}
	for _, channel := range c.excluded {
		f.plan.assume("%s cannot exclude a channel, so %s is included", name, channel)
	}
	if slices.ContainsFunc(c.tokens, func(t token) bool { return t.slot == clockSlot }) {
		f.plan.assume("figures are by day; times of day are ignored")
	}
	if place := c.place(); place != "" && name != "geo_experiment_preflight" {
		f.plan.assume("%s does not filter by region, so %q is ignored", name, place)
	}
	if unfiltered[name] && slices.ContainsFunc(f.named(), func(channel string) bool { return !messaging[channel] }) {
		f.plan.assume("%s does not filter by channel, so all channels are included", name)
	}
	if name == "optimize_budget" && f.args["total_budget"] != nil {
		f.plan.assume("optimize_budget allocates the budget over the whole period of the model; for a budget per month, add \"per month\" to the question")
	}
	if name == "optimization" && f.args["budget_constraint"] != nil && len(f.named()) > 1 {
		f.plan.assume("optimization allocates a budget to all channels of the model")
	}
	if p, ok := f.tool.parameter("metric"); ok && f.args["metric"] == nil {
		if named := c.metrics(); len(named) > 0 && !slices.Contains(p.Enum, named[0]) {
			f.plan.assume("%s does not support %s and shows %v instead", name, named[0], p.Default)
		}
	}
	f.explainConditions()
	for _, w := range c.whens {
		if w.Kind == when.Future && f.tr.isDated(name) {
			f.plan.assume("%q is in the future and is not used", source(f.q.Text, c.tokens[w.At:w.End]))
		}
		if name == "forecasting" && (w.Kind == when.Future || w.Kind == when.Absolute && !w.Period.Contains(f.q.Today)) {
			f.plan.assume("forecasting covers the current period, not %q", source(f.q.Text, c.tokens[w.At:w.End]))
		}
	}
}

// explainConditions states the conditions of the question that the tool does not support.
func (f *filler) explainConditions() {
	name, c := f.tool.Name, f.clause
	_, sorts := f.tool.parameter("sort_by")
	if sorts && (c.has("worst lowest bottom weakest smallest") || c.has("least") && !phraseOf("at least").in(c.items)) {
		f.plan.assume("%s lists the largest values first, so the lowest values are at the end", name)
	}
	if !f.tr.isDated(name) {
		return
	}
	if phraseOf("by/per/each/every/which/what/top/best country/countries/state/states/region/regions/city/cities").in(c.items) {
		f.plan.assume("%s does not show figures by region", name)
	}
	for i, t := range c.tokens {
		if i == 0 || t.slot != plain || t.form != amountForm && t.form != numeral {
			continue
		}
		switch before := c.tokens[i-1].text; {
		case setOf("in of for since during")[before] && when.IsYear(t.text) && t.value > float64(f.q.Today.Year()):
			f.plan.assume("%q is in the future and is not used", t.raw)
		case setOf("over above below under than exceeding")[before] && f.args["min_order_value"] == nil:
			f.plan.assume("%s does not filter by value, so %q is ignored", name, strings.TrimSpace(t.raw))
		}
	}
}

// unfiltered lists the data tools that have no parameter for a channel.
var unfiltered = setOf("products creators lifecycle")
