// Package ask translates a natural-language question to tool calls: it chooses the tools and fills in their arguments.
// It is deterministic, works offline and reads no store data except names, such as names of campaigns.
package ask

//go:generate go run ./generate

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"assay/internal/civil"
)

// MaxCalls is the maximum number of calls of one question.
const MaxCalls = 4

// Question is a question that is asked on a day in the workspace's time zone.
type Question struct {
	Text     string
	Today    civil.Date
	Previous *Call         // the last call of the caller's previous question, if any
	Names    func() []Name // names of the store; nil: none. It is called only for questions with words that may be names
	Decimals int           // decimals of the currency's minor unit

	read *[]knownName // nil: not read yet
}

// Call is a call of a tool.
type Call struct {
	Tool      string
	Arguments map[string]any
	Missing   []string // required arguments that the question does not give
	Metrics   []string // metrics that the question names
	Writes    bool     // the tool writes, so the call is only proposed and never made
}

// Plan is the translation of a question.
type Plan struct {
	Calls        []Call // in the order of the question; empty: the question is out of scope
	Assumptions  []string
	Alternatives []Call // other interpretations, the most probable first
	Sure         bool   // the choice of tools is clear
	FollowUp     bool   // some arguments are from the previous question
}

// Translator translates questions to calls of the tools given to [New].
type Translator struct {
	tools   map[string]Tool
	lexicon lexicon
	rules   []rule
	cues    []cue
	model   *classifier
}

// New returns a translator of questions to calls of the given tools.
func New(tools []Tool) (*Translator, error) {
	tr := &Translator{tools: map[string]Tool{}, lexicon: newLexicon(wordList)}
	for _, t := range tools {
		tr.tools[t.Name] = t
	}
	var err error
	if tr.rules, err = rulesOf(ruleText); err != nil {
		return nil, err
	}
	if tr.cues, err = cuesOf(slotText); err != nil {
		return nil, err
	}
	tr.model, err = decodeClassifier(weightFile)
	return tr, err
}

// Translate returns the calls that answer a question.
func (tr *Translator) Translate(q Question) Plan {
	tokens := tokenize(q.Text)
	var plan Plan
	if len(q.Text) > maxLength {
		plan.assume("only the first %d characters of the question are read", maxLength)
	}
	if plan, ok := tr.followUp(tokens, &q); ok {
		return plan
	}
	plan.Sure = true
	var carried clause
	skipped := 0
	for _, part := range tr.split(tokens, &q) {
		chosen := tr.choose(part)
		if _, known := tr.tools["optimization"]; known && chosen.tool == "optimize_budget" && part.isMonthly() {
			chosen.tool = "optimization" // optimize_budget allocates the budget of the model's whole period
		}
		if chosen.tool == OutOfScope {
			skipped++
			continue
		}
		if pairs := tr.pairs(part, tokens, &q); pairs != nil && tr.isDated(chosen.tool) {
			for _, pair := range pairs {
				plan.add(tr.call(tr.single(chosen.tool), pair, &q, &plan, &carried))
			}
			continue
		}
		call := tr.call(chosen.tool, part, &q, &plan, &carried)
		plan.Sure = plan.Sure && chosen.sure
		if len(plan.Calls) == 0 && !chosen.sure {
			tr.addAlternatives(&plan, chosen, part, &q)
		}
		for _, c := range perPeriod(call, part) {
			plan.add(c)
		}
		carried.carry(part)
	}
	if len(plan.Calls) == 0 {
		return Plan{Sure: skipped > 0}
	}
	if skipped > 0 {
		plan.assume("a part of the question is out of scope and is not answered")
	}
	if more := len(plan.Calls) - MaxCalls; more > 0 {
		plan.Calls = plan.Calls[:MaxCalls]
		plan.assume("only the first %d parts of the question are answered", MaxCalls)
	}
	return plan
}

func (p *Plan) assume(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(p.Assumptions, text) {
		p.Assumptions = append(p.Assumptions, text)
	}
}

// add appends a call. If one of two calls contains the other, they become one call.
func (p *Plan) add(c Call) {
	for i := range p.Calls {
		have := &p.Calls[i]
		if have.Tool != c.Tool || have.Writes {
			continue
		}
		switch {
		case contains(c.Arguments, have.Arguments):
			have.Arguments = c.Arguments
		case contains(have.Arguments, c.Arguments):
		case c.Tool == "email_lifecycle" && sameBut("channel", have.Arguments, c.Arguments):
			have.Arguments["channel"] = "all"
		default:
			continue
		}
		for _, m := range c.Metrics {
			if !slices.Contains(have.Metrics, m) {
				have.Metrics = append(have.Metrics, m)
			}
		}
		return
	}
	p.Calls = append(p.Calls, c)
}

// contains reports whether all arguments of b are in a.
func contains(a, b map[string]any) bool {
	for name, value := range b {
		if fmt.Sprint(a[name]) != fmt.Sprint(value) {
			return false
		}
	}
	return true
}

func sameBut(name string, a, b map[string]any) bool {
	x, y := maps.Clone(a), maps.Clone(b)
	delete(x, name)
	delete(y, name)
	return contains(x, y) && contains(y, x)
}

// choice contains the tool of a clause and the next best tools.
type choice struct {
	tool   string
	sure   bool
	others []string
}

const (
	sureMargin   = 1.5 // minimum difference of scores for a clear choice
	leastVotes   = 1.5 // minimum votes of a question in scope that names no channel or date
	strangeness  = 3.0 // added to the score of OutOfScope if the clause has no cue
	leastChance  = 1e-3
	strangeWords = 5.0 // added if no question in scope has the clause's words
	trust        = 1.0 // weight of the classifier relative to the rules
	closeChoices = 3.0 // maximum difference between the best score and the score of an alternative
	mostOthers   = 2
)

// choose returns the tool with the highest score. A score is the weighted logarithm of the classifier's probability
// plus the weights of the matching rules. Unknown words increase the score of OutOfScope.
func (tr *Translator) choose(c *clause) choice {
	scores := tr.votes(c)
	support := 0.0
	for tool, votes := range scores {
		if tool != OutOfScope {
			support = max(support, votes)
		}
	}
	chances := tr.model.probabilities(c.items)
	for tool, p := range chances {
		scores[tool] += trust * math.Log(max(p, leastChance))
	}
	scores[OutOfScope] += strangeWords * tr.strangeness(c)
	if support < leastVotes {
		scores[OutOfScope] += strangeness
		if len(c.channels) > 0 || len(c.names) > 0 || len(c.whens) > 0 {
			scores[OutOfScope] -= strangeness
		}
	}
	ranked := slices.SortedFunc(maps.Keys(scores), func(a, b string) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b))
	})
	ranked = slices.DeleteFunc(ranked, func(name string) bool { _, known := tr.tools[name]; return !known && name != OutOfScope })
	best := choice{tool: ranked[0], sure: scores[ranked[0]]-scores[ranked[1]] >= sureMargin}
	for _, other := range ranked[1:] {
		if other != OutOfScope && scores[ranked[0]]-scores[other] < closeChoices && len(best.others) < mostOthers {
			best.others = append(best.others, other)
		}
	}
	return best
}

// strangeness returns the share of the clause's words and slots that occur in no training question in scope.
func (tr *Translator) strangeness(c *clause) float64 {
	strange, all := 0, 0
	for _, it := range c.items {
		switch {
		case it.tag == numberTag || it.tag == dateTag || it.tag == futureTag || it.symbol() == "":
			continue
		case it.tag == "" && wrappers[it.text]:
			continue
		case it.tag == "" && !tr.lexicon.inScope[it.text] && !tr.lexicon.inScope[strings.TrimSuffix(it.text, "s")]:
			strange++
		}
		all++
	}
	if all == 0 {
		return 0
	}
	return float64(strange) / float64(all)
}

// addAlternatives adds the calls of the other tools that the clause may mean.
func (tr *Translator) addAlternatives(plan *Plan, chosen choice, c *clause, q *Question) {
	for _, tool := range chosen.others {
		var ignored Plan
		call := tr.call(tool, c, q, &ignored, &clause{})
		if len(call.Missing) == 0 && !call.Writes {
			plan.Alternatives = append(plan.Alternatives, call)
		}
	}
}

// carry stores the dates and the channel of a part of the question. Later parts use them.
func (c *clause) carry(from *clause) {
	if len(from.whens) > 0 {
		c.tokens, c.items, c.whens = from.tokens, from.items, from.whens
	}
	if len(from.channels) == 1 {
		c.channels = from.channels
	}
}

// source returns the text of tokens as typed.
func source(question string, tokens []token) string {
	if len(tokens) == 0 {
		return ""
	}
	return strings.TrimRight(strings.TrimSpace(question[tokens[0].start:tokens[len(tokens)-1].end]), ",")
}
