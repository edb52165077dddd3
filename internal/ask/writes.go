package ask

import (
	"math"
	"slices"
	"strings"

	"assay/internal/ask/when"
)

// newBudget converts the amount of a question to platform units: minor units on facebook, micros on google_ads, whole
// units on tiktok. For a change relative to the current budget, it returns nil, because the question does not contain
// the current budget.
func (f *filler) newBudget(Parameter) any {
	if slices.ContainsFunc(f.clause.tokens, func(t token) bool { return t.form == percent }) {
		return nil
	}
	id := f.campaignID(Parameter{})
	amount := -1.0
	for i, t := range f.clause.tokens {
		if t.slot != plain || t.form != amountForm && t.form != numeral || t.raw == id {
			continue
		}
		if t.form == amountForm || i > 0 && setOf("to at of")[f.clause.tokens[i-1].text] {
			amount = t.value
		}
	}
	if amount < 0 {
		return nil
	}
	if f.clause.has("by another extra more additional") && !f.clause.has("to") {
		return nil
	}
	switch f.platform(f.platformParameter()) {
	case "facebook":
		return math.Round(amount * math.Pow10(f.q.Decimals))
	case "google_ads":
		return math.Round(amount * 1e6)
	case "tiktok":
		return amount
	}
	return nil
}

func (f *filler) platformParameter() Parameter {
	p, _ := f.tool.parameter("platform")
	return p
}

// params returns the parameters of an action of the manage tool.
func (f *filler) params(Parameter) any {
	out := map[string]any{}
	set := func(name string, value any) {
		if value != nil && value != "" {
			out[name] = value
		}
	}
	switch f.args["action"] {
	case "create_annotation":
		if w, ok := f.clause.span(); ok {
			set("date", w.Period.First.String())
		}
		set("label", f.label())
	case "create_alert":
		metric, _ := f.tr.cued(f.clause, "trends", "metric")
		set("metric", metric)
		set("condition", f.condition())
		for _, t := range f.clause.tokens {
			if (t.form == numeral || t.form == amountForm || t.form == percent) && t.slot == plain {
				set("threshold", t.value)
			}
		}
	case "map_coupon":
		set("code", f.code(Parameter{}))
		if len(f.clause.channels) > 0 {
			set("channel", f.clause.channels[0])
		}
	case "create_experiment":
		if len(f.clause.channels) > 0 {
			set("channel", f.clause.channels[0])
		}
	case "save_report":
		set("name", f.label())
	case "update_experiment":
		set("experiment_id", f.identifier())
		for _, status := range []string{"draft", "planned", "running", "completed", "cancelled"} {
			if f.clause.has(status) || status == "cancelled" && f.clause.has("canceled cancel") || status == "completed" && f.clause.has("complete done finished") {
				set("status", status)
			}
		}
	case "dismiss_insight":
		set("insight_id", f.identifier())
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// neededParams are the parameters that each action of the manage tool needs.
var neededParams = map[string]string{
	"create_annotation": "date label", "create_alert": "metric condition threshold", "map_coupon": "code channel",
	"create_experiment": "channel", "save_report": "name", "update_experiment": "experiment_id status", "dismiss_insight": "insight_id",
}

func (f *filler) missingParams() []string {
	action, _ := f.args["action"].(string)
	given, _ := f.args["params"].(map[string]any)
	var out []string
	for name := range strings.FieldsSeq(neededParams[action]) {
		if _, ok := given[name]; !ok && f.tool.Name == "manage" {
			out = append(out, "params."+name)
		}
	}
	return out
}

func (f *filler) identifier() any {
	for _, t := range f.clause.tokens {
		if t.slot == idSlot {
			return t.raw
		}
	}
	return nil
}

func (f *filler) condition() any {
	switch {
	case f.clause.has("changes change moves"):
		return "change_above"
	case f.clause.has("below under falls drops less lower fall drop beneath"):
		return "below"
	case f.clause.has("above over exceeds more higher rises goes beyond reaches"):
		return "above"
	}
	return nil
}

// label returns the quoted text, or the text after a colon or after a word such as "called".
func (f *filler) label() any {
	if i := slices.IndexFunc(f.clause.tokens, func(t token) bool { return t.form == quoted }); i >= 0 {
		return strings.Trim(f.clause.tokens[i].raw, `"'“”‘’`)
	}
	for i, t := range f.clause.tokens {
		if t.form == mark && t.text == ":" || t.form == word && setOf("called named saying titled as")[t.text] {
			if rest := f.clause.tokens[i+1:]; len(rest) > 0 {
				if t.text == "as" && i+2 < len(f.clause.tokens) && rest[0].text == "a" {
					continue
				}
				return source(f.q.Text, rest)
			}
		}
	}
	if i := slices.IndexFunc(f.clause.whens, func(w when.Expression) bool { return w.Kind == when.Absolute }); i >= 0 {
		if rest := f.clause.tokens[f.clause.whens[i].End:]; len(rest) > 0 {
			return strings.TrimLeft(source(f.q.Text, rest), ",:-–— ")
		}
	}
	return nil
}
