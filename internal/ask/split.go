package ask

import "slices"

// starters are words that can begin a separate request in a question.
var starters = setOf(`what whats which how hows why when where who is are was were do does did can could will would should
	show tell give list compare plot graph chart draw make any explain define pause stop resume set alert create add find rank
	run break best top forecast predict optimize split also then please if summarize check visualize`)

// fillers are skipped before a starter.
var fillers = setOf("and also then the our please maybe finally lastly so plus as well too")

// link is a place where a question may be split. The first part ends at the token left. The second part starts at the
// token right.
type link struct {
	left, right int
	strong      bool // a question mark, a semicolon or "then", not only a comma or "and"
}

// links lists the places where a question may be split.
func links(tokens []token) []link {
	var out []link
	for i := 0; i < len(tokens); i++ {
		strong, weak := false, false
		switch t := tokens[i]; {
		case t.form == mark && t.text == ":":
			return out // a label follows
		case t.form == mark:
			strong = t.text == "?" || t.text == ";" || t.text == "." || t.text == "!"
			weak = t.text == "," || t.text == "&"
		case t.form == word:
			strong = t.text == "then" || t.text == "also" || t.text == "plus"
			weak = t.text == "and"
		}
		if !strong && !weak {
			continue
		}
		l := link{left: i, right: i + 1, strong: strong}
		for l.right < len(tokens) && (tokens[l.right].form == mark && tokens[l.right].text != ":" || fillers[tokens[l.right].text] && tokens[l.right].form == word) {
			w := tokens[l.right].text
			l.strong = l.strong || w == "then" || w == "also" || w == "plus" || w == "?" || w == ";"
			l.right++
		}
		if l.left > 0 && l.right < len(tokens) {
			out = append(out, l)
		}
		i = l.right - 1
	}
	return out
}

// evidence is a minimum sum of rule weights. With this sum, a part is a separate request even if it needs the same tool
// as the previous part.
const evidence = 3

// split returns the parts of a question that need separate tools.
func (tr *Translator) split(tokens []token, q *Question) []*clause {
	all := links(tokens)
	var out []*clause
	start := 0
	for n, l := range all {
		if l.left <= start {
			continue
		}
		end := len(tokens)
		for _, later := range all[n+1:] {
			if later.strong {
				end = later.left
				break
			}
		}
		left, right := tr.parse(tokens[start:l.left], q), tr.parse(tokens[l.right:end], q)
		tr.inherit(left, right)
		if !tr.separate(left, right, l) {
			continue
		}
		out = append(out, left)
		start = l.right
	}
	last := tr.parse(tokens[start:], q)
	if len(out) > 0 {
		tr.inherit(out[len(out)-1], last)
	}
	return append(out, last)
}

// separate reports whether both sides of a link are requests.
func (tr *Translator) separate(left, right *clause, l link) bool {
	if len(left.items) == 0 || len(right.items) == 0 {
		return false
	}
	leftTool, leftVotes := tr.favorite(left)
	rightTool, rightVotes := tr.favorite(right)
	begins := starters[right.items[0].text] && right.items[0].tag == ""
	if leftVotes < leastVotes || rightVotes < leastVotes {
		return false
	}
	if l.strong {
		return rightVotes >= evidence || begins
	}
	if slices.ContainsFunc(left.items, func(it item) bool { return it.text == "difference" || it.text == "between" || it.text == "if" }) {
		return false
	}
	return begins && (leftTool != rightTool || rightVotes >= evidence)
}

// favorite returns the tool with the most votes.
func (tr *Translator) favorite(c *clause) (tool string, votes float64) {
	for name, v := range tr.votes(c) {
		if v > votes || v == votes && name < tool {
			tool, votes = name, v
		}
	}
	return tool, votes
}

// pairs splits "facebook last week and google today" into a clause for each channel with its own period. It returns no
// clauses if the clause does not alternate between channels and periods. The words before the first and after the last
// pair apply to all pairs.
func (tr *Translator) pairs(c *clause, question []token, q *Question) []*clause {
	var at []int // positions of the channels and periods
	for i, t := range c.tokens {
		if t.first && (t.slot == channelSlot || t.slot == dateSlot) {
			at = append(at, i)
		}
	}
	if len(at) < 4 || len(at)%2 > 0 || len(c.channels) != len(at)/2 || len(c.whens) != len(at)/2 {
		return nil
	}
	for n, i := range at {
		if c.tokens[i].slot != c.tokens[at[n%2]].slot || n%2 > 0 && c.tokens[i].slot == c.tokens[at[0]].slot {
			return nil
		}
	}
	last := at[len(at)-1]
	for end := last; last < len(c.tokens) && c.tokens[last].slot == c.tokens[end].slot; {
		last++
	}
	ends := make([]int, 0, len(at)/2)
	for n := 1; n+1 < len(at); n += 2 {
		joint := slices.IndexFunc(c.tokens[at[n]:at[n+1]], func(t token) bool { return t.slot == plain && joints[t.text] })
		if joint < 0 {
			return nil
		}
		ends = append(ends, at[n]+joint)
	}
	original := func(from, to int) []token { // the tokens before the slots were recognized
		return slices.DeleteFunc(slices.Clone(question), func(t token) bool {
			return !slices.ContainsFunc(c.tokens[from:to], func(of token) bool { return of.start == t.start })
		})
	}
	var out []*clause
	start := at[0]
	for _, end := range append(ends, last) {
		out = append(out, tr.parse(slices.Concat(original(0, at[0]), original(start, end), original(last, len(c.tokens))), q))
		start = end + 1
	}
	return out
}

// joints are the words between two channels with their own periods.
var joints = setOf("and vs versus with against to than or , & compared")

// isDated reports whether a tool reads one or two periods.
func (tr *Translator) isDated(name string) bool {
	tool := tr.tools[name]
	_, one := tool.parameter("start_date")
	_, two := tool.parameter("period1_start")
	return (one || two) && !tool.Writes
}

// single returns the tool to use for one period: performance for a tool that compares two periods, otherwise the tool
// itself.
func (tr *Translator) single(name string) string {
	if _, two := tr.tools[name].parameter("period1_start"); two {
		return "performance"
	}
	return name
}

// inherit completes "which of my channels has the highest" with the subject of the previous part.
func (tr *Translator) inherit(left, right *clause) {
	if !right.has("highest lowest best worst most least") || right.has("revenue sales orders spend roas campaigns campaign products creators") {
		return
	}
	if tool, _ := tr.favorite(left); tool != "explain" {
		return
	}
	for _, t := range tokenize(explainQuery(left)) {
		right.items = append(right.items, item{text: t.text})
	}
}
