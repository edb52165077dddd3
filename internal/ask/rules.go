package ask

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

//go:embed rules.txt
var ruleText string

//go:embed slots.txt
var slotText string

// rule adds a weight to a tool's score if a clause contains one of its phrases.
type rule struct {
	tool    string
	weight  float64
	phrases []phrase
}

// cue sets a parameter of a tool if a clause contains one of the cue's phrases.
type cue struct {
	tool, parameter, value string // tool "*": all tools
	phrases                []phrase
}

func rulesOf(text string) ([]rule, error) {
	var out []rule
	for line := range strings.Lines(text) {
		head, phrases, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || strings.HasPrefix(head, "#") {
			continue
		}
		tool, number, _ := strings.Cut(head, " ")
		weight, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return nil, fmt.Errorf("rule %q: %w", head, err)
		}
		out = append(out, rule{tool, weight, phrasesOf(phrases)})
	}
	return out, nil
}

func cuesOf(text string) ([]cue, error) {
	var out []cue
	for line := range strings.Lines(text) {
		head, phrases, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || strings.HasPrefix(head, "#") {
			continue
		}
		name, value, valued := strings.Cut(head, "=")
		tool, parameter, named := strings.Cut(name, ".")
		if !valued || !named {
			return nil, fmt.Errorf("cue %q is not tool.parameter=value", head)
		}
		out = append(out, cue{tool, parameter, value, phrasesOf(phrases)})
	}
	return out, nil
}

func phrasesOf(text string) []phrase {
	var out []phrase
	for p := range strings.SplitSeq(text, "|") {
		if strings.TrimSpace(p) == ".. <any>" {
			p = ".."
		}
		out = append(out, phraseOf(p))
	}
	return out
}

func anyOf(phrases []phrase, items []item) bool {
	for _, p := range phrases {
		if p.in(items) {
			return true
		}
	}
	return false
}

// votes returns the sum of the weights of matching rules by tool.
func (tr *Translator) votes(c *clause) map[string]float64 {
	sums := map[string]float64{}
	for _, r := range tr.rules {
		if anyOf(r.phrases, c.items) {
			sums[r.tool] += r.weight
		}
	}
	return sums
}

// cued returns the value of a parameter that follows from the clause's words.
func (tr *Translator) cued(c *clause, tool, parameter string) (string, bool) {
	for _, q := range tr.cues {
		if q.parameter == parameter && (q.tool == tool || q.tool == "*") && anyOf(q.phrases, c.items) {
			return q.value, true
		}
	}
	return "", false
}

// cuesIn counts the values of a parameter that follow from the clause's words.
func (tr *Translator) cuesIn(c *clause, tool, parameter string) int {
	n := 0
	for _, q := range tr.cues {
		if q.parameter == parameter && q.tool == tool && anyOf(q.phrases, c.items) {
			n++
		}
	}
	return n
}
