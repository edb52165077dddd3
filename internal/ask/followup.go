package ask

import "maps"

// followWords are the words of a question that continues the previous question. Such a question has only these words,
// dates and channels.
var followWords = setOf(`and what about how for on in the same now then but also only just show me instead of with to please compared vs by is it
	that so ok whats hows do did was were if i mean again channel last`)

// longestFollowUp is the maximum number of items of a question that continues the previous question.
const longestFollowUp = 8

// followUp translates a question such as "and for tiktok?" with the tool and arguments of the previous question.
func (tr *Translator) followUp(tokens []token, q *Question) (Plan, bool) {
	if q.Previous == nil || len(tokens) == 0 {
		return Plan{}, false
	}
	tool, known := tr.tools[q.Previous.Tool]
	c := tr.parse(tokens, q)
	if !known || tool.Writes || len(c.items) > longestFollowUp || len(c.whens)+len(c.channels) == 0 {
		return Plan{}, false
	}
	begins := setOf("and same only instead but now just also for on then ok so")[c.items[0].text] ||
		setOf("what how")[c.items[0].text] && c.has("about that it") // "how was last week" is a new question
	for _, it := range c.items {
		if it.tag == "" && !followWords[it.text] && it.symbol() != "" || it.tag != "" && it.tag != dateTag && it.tag != relativeTag && it.tag != channelTag {
			return Plan{}, false
		}
	}
	if !begins {
		return Plan{}, false
	}
	plan := Plan{Sure: true, FollowUp: true}
	call := tr.call(q.Previous.Tool, c, q, &plan, &clause{})
	merged := maps.Clone(q.Previous.Arguments)
	for _, name := range []string{"start_date", "end_date", "channel", "platform", "channels", "period1_start", "period1_end", "period2_start", "period2_end"} {
		if value, ok := call.Arguments[name]; ok {
			merged[name] = value
		}
	}
	if contains(q.Previous.Arguments, merged) {
		return Plan{}, false
	}
	plan.assume("this continues the previous question, which %s answered", q.Previous.Tool)
	for _, name := range []string{"channel", "platform"} {
		if kept := merged[name]; kept != nil && call.Arguments[name] == nil {
			plan.assume("the %s is still %v", name, kept)
		}
	}
	plan.Calls = []Call{{Tool: q.Previous.Tool, Arguments: merged, Metrics: q.Previous.Metrics}}
	return plan, true
}
