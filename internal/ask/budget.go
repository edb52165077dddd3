package ask

import (
	"slices"
)

// budget reads the largest amount of money in the clause. The amount of a change, as in "another $5,000", is not a
// total budget.
func (f *filler) budget(p Parameter) any {
	most := 0.0
	for i, t := range f.clause.tokens {
		bounded := i > 0 && setOf("most least than")[f.clause.tokens[i-1].text] && f.tool.Name == "optimize_budget"
		isMoney := (t.form == amountForm || t.form == numeral && t.value >= 1000) && t.slot == plain
		switch {
		case !isMoney || bounded:
		case p.Name == "budget_constraint" && f.clause.isChange(i):
			f.plan.assume("%q is a change of spend, not the total budget, so it is not used", source(f.q.Text, f.clause.tokens[i:i+1]))
		default:
			most = max(most, t.value)
		}
	}
	if most == 0 {
		return nil
	}
	return most
}

// changing lists the words that come shortly before the amount of a change of spend.
var changing = setOf(`add adds added adding another extra additional move moves moved moving shift shifts shifted shifting
	cut cuts cutting reduce reduced reducing raise raised raising increase increased increasing decrease decreased decreasing`)

// isChange reports whether the amount at a token is a change of spend, as in "add $5,000", "by $5,000" or "$5,000
// more".
func (c *clause) isChange(i int) bool {
	if i+1 < len(c.tokens) && setOf("more less extra")[c.tokens[i+1].text] {
		return true
	}
	before := c.tokens[max(0, i-3):i]
	if len(before) == 0 || setOf("to at of is was were budget cap limit")[before[len(before)-1].text] {
		return false
	}
	return before[len(before)-1].text == "by" || slices.ContainsFunc(before, func(t token) bool { return t.slot == plain && changing[t.text] })
}

// constraints reads "tiktok at most 20k".
func (f *filler) constraints(Parameter) any {
	out := map[string]any{}
	channel := ""
	for i, t := range f.clause.tokens {
		if t.slot == channelSlot && t.first {
			channel = t.text
		}
		if channel == "" || t.form != amountForm && t.form != numeral || i < 2 {
			continue
		}
		negated := i > 2 && setOf("no not")[f.clause.tokens[i-3].text]
		switch last := f.clause.tokens[i-2].text + " " + f.clause.tokens[i-1].text; {
		case last == "at most", last == "to max", last == "up to", last == "more than" && negated, last == "less than" && !negated:
			out[channel] = map[string]any{"max": t.value}
		case last == "at least", last == "more than", last == "less than":
			out[channel] = map[string]any{"min": t.value}
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}
