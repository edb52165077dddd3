package ask

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/internal/ask/when"
	"assay/internal/civil"
)

// filler fills the parameters of one call.
type filler struct {
	tr      *Translator
	tool    Tool
	clause  *clause
	carried *clause
	q       *Question
	plan    *Plan
	args    map[string]any
}

// call returns the tool call that answers a clause. The dates and the channel of earlier parts of the question also
// apply to the call.
func (tr *Translator) call(tool string, c *clause, q *Question, plan *Plan, carried *clause) Call {
	f := filler{tr: tr, tool: tr.tools[tool], clause: c, carried: carried, q: q, plan: plan, args: map[string]any{}}
	for _, p := range f.tool.Parameters {
		value := f.value(p)
		if value == nil {
			continue
		}
		if !p.accepts(value) {
			if !neverFilled[p.Name] {
				plan.assume("%s does not accept %s %v, so the argument is omitted", tool, p.Name, value)
			}
			continue
		}
		f.args[p.Name] = value
	}
	f.dates()
	f.adjust()
	call := Call{Tool: tool, Arguments: f.args, Metrics: c.metrics(), Writes: f.tool.Writes}
	for _, p := range f.tool.Parameters {
		if _, given := f.args[p.Name]; p.Required && !given {
			call.Missing = append(call.Missing, p.Name)
		}
	}
	call.Missing = append(call.Missing, f.missingParams()...)
	slices.Sort(call.Missing)
	f.explain()
	return call
}

// value returns the value that the clause gives for a parameter, or nil if there is none. Values from cue words have
// priority over values from slots. The default of a required metric is revenue.
func (f *filler) value(p Parameter) any {
	if value, ok := f.tr.cued(f.clause, f.tool.Name, p.Name); ok && p.Type == "string" && f.wanted(p, value) {
		return value
	}
	if read := slotReaders[p.Name]; read != nil {
		if value := read(f, p); value != nil && value != "" {
			return value
		}
	}
	if p.Required && p.Name == "metric" {
		return "revenue"
	}
	return nil
}

// wanted reports whether a value that was inferred from cue words becomes an argument of the call. It rejects ambiguous
// values and values that do not apply to the call.
func (f *filler) wanted(p Parameter, value string) bool {
	if p.Default == value && (p.Name == "aspect" || p.Name == "sort_by" && f.tool.Name == "products") {
		return f.tool.Name != "discover" || value != "overview"
	}
	if p.Name == "topic" && f.tool.Name == "explain" {
		return f.tr.cuesIn(f.clause, f.tool.Name, p.Name) == 1
	}
	if p.Name == "entity_type" {
		return f.tr.cuesIn(f.clause, f.tool.Name, p.Name) == 1
	}
	if p.Name == "sort_by" && f.tool.Name == "campaigns" {
		return f.clause.isRanked()
	}
	if p.Name == "sort_by" && f.tool.Name == "products" {
		return f.args["view"] != "coupons"
	}
	return true
}

// isRanked reports whether the clause asks for a ranking.
func (c *clause) isRanked() bool {
	return c.has("top best worst most highest lowest biggest largest by least sorted ranked rank expensive losing lost lose loses wasting waste low profitable efficient bottom sort leading")
}

// slotReaders read the parameters with values from slots, not from cues.
var slotReaders map[string]func(f *filler, p Parameter) any

func init() { //nolint:gochecknoinits // the readers refer to each other through the table
	slotReaders = map[string]func(f *filler, p Parameter) any{
		"channel":              (*filler).channel,
		"platform":             (*filler).platform,
		"channels":             (*filler).channelList,
		"limit":                (*filler).limit,
		"campaign_id":          (*filler).campaignID,
		"platform_campaign_id": (*filler).campaignID,
		"campaign_name":        (*filler).campaignName,
		"experiment_id":        (*filler).experimentID,
		"code":                 (*filler).code,
		"influencer_id":        (*filler).creatorID,
		"creator_id":           (*filler).creatorID,
		"answer_contains":      (*filler).answerText,
		"min_order_value":      (*filler).leastValue,
		"total_budget":         (*filler).budget,
		"budget_constraint":    (*filler).budget,
		"constraints":          (*filler).constraints,
		"new_budget_value":     (*filler).newBudget,
		"treatmentRegions":     (*filler).regions,
		"horizonDays":          (*filler).horizon,
		"period_type":          (*filler).periodType,
		"include_channels":     (*filler).includeChannels,
		"query":                func(f *filler, _ Parameter) any { return explainQuery(f.clause) },
		"question":             (*filler).modelQuestion,
		"params":               (*filler).params,
	}
}

// channel returns the only channel in the clause, or the channel of an earlier part of the question.
func (f *filler) channel(p Parameter) any {
	named := f.named()
	if len(named) == 0 && len(f.carried.channels) == 1 && !f.clause.has("channels channel") {
		named = f.carried.channels
	}
	if p.Enum != nil { // parameter of the tool email_lifecycle
		var of []string
		for _, c := range f.clause.channels {
			if slices.Contains(p.Enum, c) {
				of = append(of, c)
			}
		}
		if len(of) > 1 {
			return "all"
		}
		if len(of) == 1 {
			return of[0]
		}
		return nil
	}
	if f.args["channels"] != nil || f.args["answer_contains"] != nil || f.args["breakdown"] == "channel" {
		return nil
	}
	if len(named) > 1 {
		f.plan.assume("%s can filter by only one channel, so all channels are included", f.tool.Name)
	}
	if len(named) != 1 {
		return nil
	}
	return named[0]
}

// named returns the channels of the clause, except channels that only name the subject of the tool.
func (f *filler) named() []string {
	return slices.DeleteFunc(slices.Clone(f.clause.channels), func(c string) bool {
		return c == "influencer" && (f.tool.Name == "influencers" || f.tool.Name == "creators") || c == "affiliate" && f.tool.Name == "influencers"
	})
}

func (f *filler) platform(p Parameter) any {
	named := f.named()
	if len(named) == 0 {
		named = f.carried.channels
	}
	for _, n := range f.clause.names {
		if n.Kind == CampaignName && n.Platform != "" && f.tool.Name != "influencers" {
			named = append(named, n.Platform)
		}
	}
	if len(named) == 0 {
		return nil
	}
	key := named[0]
	if f.tool.Name == "influencers" {
		if messaging[key] {
			return nil
		}
		return key
	}
	platform := platforms[key]
	if platform == "google" && slices.Contains(p.Enum, "google_ads") {
		platform = "google_ads"
	}
	if platform == "" || !slices.Contains(p.Enum, platform) {
		f.plan.assume("%s does not filter by %s", f.tool.Name, key)
		return nil
	}
	if platform != key && platform != "google_ads" {
		f.plan.assume("%s ads are bought on %s", key, platform)
	}
	return platform
}

func (f *filler) channelList(Parameter) any {
	named := f.named()
	if len(named) < 2 && (f.tool.Name != "optimize_budget" || len(named) == 0 || f.args["constraints"] != nil || f.clause.has("all most least")) {
		return nil
	}
	return slices.Clone(named)
}

// limit reads "top 5" and "5 campaigns".
func (f *filler) limit(Parameter) any {
	for i, t := range f.clause.tokens {
		if t.form != numeral || t.slot != plain || t.value < 1 || t.value > 100 || !whole(t.value) || t.text == "one" || ordinal.MatchString(t.text) {
			continue
		}
		last, next := "", ""
		if i > 0 {
			last = f.clause.tokens[i-1].text
		}
		if i+1 < len(f.clause.tokens) {
			next = f.clause.tokens[i+1].text
		}
		if setOf("over above below under than least by to at")[last] || when.UnitOf(next) != "" {
			continue
		}
		if setOf("top best first worst next your our biggest largest main bottom the show me list most")[last] || listedNouns[strings.TrimSuffix(next, "s")] || listedNouns[next] {
			return t.value
		}
	}
	return nil
}

var listedNouns = setOf(`campaign product creator influencer affiliate insight decision coupon code flow newsletter item creative ad
	journey path seller sku answer response recommendation finding expensive best most top worst`)

func (f *filler) campaignID(Parameter) any {
	for _, n := range f.clause.names {
		if n.Kind == CampaignName && n.ID != "" {
			return n.ID
		}
	}
	for _, t := range f.clause.tokens {
		if t.slot == idSlot && strings.Trim(t.text, "0123456789") == "" {
			return t.raw
		}
	}
	for i, t := range f.clause.tokens {
		if (t.form == numeral || t.slot == idSlot) && i > 0 && f.clause.tokens[i-1].text == "campaign" && t.slot != dateSlot {
			return t.raw
		}
	}
	return nil
}

func (f *filler) campaignName(Parameter) any {
	for _, n := range f.clause.names {
		if n.Kind == CampaignName {
			return n.Text
		}
	}
	return nil
}

func (f *filler) experimentID(Parameter) any {
	for _, t := range f.clause.tokens {
		if t.slot == idSlot {
			if f.tool.Name == "experiments" {
				f.args["view"] = "results"
			}
			return t.raw
		}
	}
	return nil
}

func (f *filler) code(Parameter) any {
	for _, n := range f.clause.names {
		if n.Kind == CouponCode {
			return n.Text
		}
	}
	for i, t := range f.clause.tokens {
		if t.slot == codeSlot {
			return strings.ToUpper(t.raw)
		}
		if t.form == word && t.slot == plain && i > 0 && couponWords[f.clause.tokens[i-1].text] && strings.ToUpper(t.raw) == t.raw && len(t.raw) > 2 {
			return t.raw
		}
	}
	return nil
}

func (f *filler) creatorID(Parameter) any {
	for _, n := range f.clause.names {
		if n.Kind == CreatorName {
			if f.tool.Name == "influencers" {
				f.args["action"] = "performance"
			}
			return n.ID
		}
	}
	return nil
}

// answerText reads the text to search for in survey answers. The text is in quotes or follows "mentioning".
func (f *filler) answerText(Parameter) any {
	for i, t := range f.clause.tokens {
		if t.form == quoted {
			return t.text
		}
		if !setOf("mention mentions mentioning mentioned contain contains containing named naming")[t.text] {
			continue
		}
		for _, next := range f.clause.tokens[i+1:] {
			if next.form == word && next.slot != dateSlot && !setOf("the a an word words text our in our us")[next.text] {
				return strings.ToLower(next.raw)
			}
		}
	}
	return nil
}

// leastValue reads "orders over $200".
func (f *filler) leastValue(Parameter) any {
	for i, t := range f.clause.tokens {
		if (t.form == amountForm || t.form == numeral) && t.slot == plain && i > 0 && setOf("over above than exceeding least from")[f.clause.tokens[i-1].text] {
			return t.value
		}
	}
	return nil
}

func (f *filler) regions(Parameter) any {
	var out []string
	for i := range f.clause.tokens {
		for n := 2; n > 0; n-- {
			if i+n > len(f.clause.tokens) {
				continue
			}
			var words []string
			for _, t := range f.clause.tokens[i : i+n] {
				words = append(words, t.text)
			}
			code := states[strings.Join(words, " ")]
			if n == 1 && isStateCode(f.clause.tokens[i].raw) {
				code = f.clause.tokens[i].raw
			}
			if code != "" && !slices.Contains(out, code) {
				out = append(out, code)
				break
			}
		}
	}
	if out == nil {
		return nil
	}
	return out
}

// horizon reads the length of a plan in days.
func (f *filler) horizon(Parameter) any {
	for _, w := range f.clause.whens {
		if w.Kind == when.Future || w.Count > 0 {
			return float64(daysOf(max(1, w.Count), w.Unit))
		}
	}
	for i, t := range f.clause.tokens {
		if t.form == numeral && i+1 < len(f.clause.tokens) && when.UnitOf(f.clause.tokens[i+1].text) != "" {
			return float64(daysOf(int(t.value), when.UnitOf(f.clause.tokens[i+1].text)))
		}
	}
	return nil
}

// periodType returns the period type of the clause, such as daily or weekly.
func (f *filler) periodType(p Parameter) any {
	for _, w := range f.clause.whens {
		name := map[string]string{"day": "daily", "week": "weekly", "month": "monthly", "quarter": "quarterly"}[w.Unit]
		if name != "" && !w.Since {
			return name
		}
	}
	return nil
}

func (f *filler) includeChannels(Parameter) any {
	if len(f.named()) > 1 || len(f.clause.excluded) > 0 {
		return true
	}
	for i, it := range f.clause.items {
		if it.tag != "" || it.text != "channel" && it.text != "channels" {
			continue
		}
		if it.text == "channels" || i > 0 && setOf("by per each every")[f.clause.items[i-1].text] {
			return true
		}
	}
	return nil
}

// modelQuestion returns the text of the clause for the tool optimization if the clause names a channel. This tool
// interprets the question itself.
func (f *filler) modelQuestion(Parameter) any {
	if f.tool.Name != "optimization" || len(f.clause.channels) == 0 {
		return nil
	}
	return source(f.q.Text, f.clause.tokens)
}

// dates fills in the parameters of periods.
func (f *filler) dates() {
	if _, ok := f.tool.parameter("period1_start"); ok {
		c := f.clause
		if len(c.whens) == 0 && len(f.carried.whens) > 0 {
			c = f.carried
		}
		p, ok := c.periods(f.q.Today)
		if w, one := f.carried.span(); ok && one && len(f.clause.whens) == 1 && f.clause.has("that this it they") { // "how does that compare to September"
			switch other := f.clause.whens[0]; {
			case other.Kind != when.Absolute:
				p = pair{relate(w, other), w.Period}
			case other.Period != w.Period:
				p = sorted(w.Period, other.Period)
			}
		}
		if ok {
			f.args["period1_start"], f.args["period1_end"] = p.earlier.First.String(), p.earlier.Last.String()
			f.args["period2_start"], f.args["period2_end"] = p.recent.First.String(), p.recent.Last.String()
			f.plan.assume("the earlier period is %s; the later period is %s", p.earlier, p.recent)
		}
		return
	}
	if _, ok := f.tool.parameter("start_date"); !ok || f.tool.Name == "experiments" && f.args["view"] != "true_vs_reported" {
		return
	}
	w, ok := f.clause.span()
	switch {
	case !ok && len(f.clause.whens) > 0 && f.clause.whens[0].Kind != when.Future:
		if p, named := f.clause.periods(f.q.Today); named {
			f.setDates(p.earlier)
			w := f.clause.whens[0]
			f.plan.assume("%q is %s", source(f.q.Text, f.clause.tokens[w.At:w.End]), p.earlier)
		}
		return
	case !ok:
		if w, ok = f.carried.span(); !ok {
			return
		}
		if p, compared := f.carried.periods(f.q.Today); compared && len(f.carried.whens) > 1 {
			w.Period = p.recent
		}
	}
	f.setDates(w.Period)
}

func (f *filler) setDates(r civil.Range) {
	f.args["start_date"], f.args["end_date"] = r.First.String(), r.Last.String()
}

// perPeriod repeats the call of a tool with one period for each period of a clause.
func perPeriod(call Call, c *clause) []Call {
	periods := c.each()
	if call.Arguments["start_date"] == nil || call.Writes || len(periods) < 2 {
		return []Call{call}
	}
	out := make([]Call, len(periods))
	for i, p := range periods {
		out[i] = call
		out[i].Arguments = maps.Clone(call.Arguments)
		out[i].Arguments["start_date"], out[i].Arguments["end_date"] = p.First.String(), p.Last.String()
	}
	return out
}

// adjust removes arguments that contradict each other.
func (f *filler) adjust() {
	switch f.tool.Name {
	case "products":
		if f.args["code"] != nil || f.args["view"] == "coupons" {
			f.args["view"] = "coupons"
			delete(f.args, "sort_by")
		}
	case "influencers":
		if f.args["action"] == "compare" {
			f.args["action"] = "top_performers" // the question does not give the identifiers that compare needs
		}
		if f.args["action"] != "top_performers" && f.args["action"] != "list" {
			delete(f.args, "sort_by")
		}
		if f.args["sort_by"] != nil && f.args["action"] == "list" && f.clause.isRanked() {
			f.args["action"] = "top_performers"
		}
	case "creators":
		if f.args["creator_id"] != nil {
			delete(f.args, "sort_by")
		}
	case "experiments":
		if f.args["view"] != "guide" {
			delete(f.args, "topic")
		}
		if f.args["view"] != "results" {
			delete(f.args, "experiment_id")
		}
	case "chart":
		if f.args["channels"] != nil {
			delete(f.args, "breakdown")
		}
	case "customers":
		if f.args["view"] == "segments" && f.clause.has("new") && f.clause.has("returning") {
			delete(f.args, "segment")
		}
	}
}

// metricWords maps words to the metrics in answers.
var metricWords = map[string]string{
	"revenue": "revenue", "sales": "revenue", "turnover": "revenue", "money": "revenue", "sell": "revenue", "sold": "revenue", "earn": "revenue",
	"orders": "orders", "purchases": "orders", "aov": "aov", "spend": "spend", "spent": "spend", "cost": "spend", "roas": "roas", "mer": "roas",
	"refunds": "refunds", "refund": "refunds", "refunded": "refunds", "units": "units", "clicks": "clicks", "opens": "opens", "conversions": "conversions",
}

// metrics lists the metrics that the clause names.
func (c *clause) metrics() []string {
	var out []string
	for _, it := range c.items {
		if m := metricWords[it.text]; m != "" && it.tag == "" && !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

// Describe returns a call as "tool argument=value".
func (c Call) Describe() string {
	var b strings.Builder
	b.WriteString(c.Tool)
	names := make([]string, 0, len(c.Arguments))
	for name := range c.Arguments {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, " %s=%v", name, c.Arguments[name])
	}
	return b.String()
}
