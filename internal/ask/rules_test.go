package ask

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// itemsOf returns words and tags such as <date>. A tag with a text is written channel=facebook.
func itemsOf(text string) []item {
	var out []item
	for w := range strings.FieldsSeq(text) {
		it := item{text: w}
		if tag, of, ok := strings.Cut(w, "="); ok {
			it = item{text: of, tag: "<" + tag + ">"}
		}
		out = append(out, it)
	}
	return out
}

func TestPhrases(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		phrase, items string
		want          bool
	}{
		{"a b", "a b", true},
		{"a b", "x a b y", true},
		{"a b", "a x b", false},
		{"a b", "a", false},
		{"a/c b", "c b", true},
		{"a", "", false},
		{"^ a", "a b", true},
		{"^ b", "a b", false},
		{"b $", "a b", true},
		{"a $", "a b", false},
		{"^ a b $", "a b", true},
		{"^ a $", "a b", false},
		{"^ a", "", false},
		{"a .. b", "a b", true},
		{"a .. b", "a 1 2 3 4 5 6 b", true},
		{"a .. b", "a 1 2 3 4 5 6 7 b", false},
		{"a ..", "a", true},
		{"..", "a", true},
		{"rev*", "revenue", true},
		{"rev*", "rerev", false},
		{"rev*", "date=revenue", false},
		{"rev*", "future=revenue", false},
		{"rev*", "channel=revenue", true},
		{"may", "date=may", false},
		{"may", "future=may", false},
		{"may", "campaign=may", true},
		{"<date>", "date=may", true},
		{"<date>", "future=may", false},
		{"<channel>", "channel=facebook", true},
		{"<channel>", "channel=email", false},
		{"<channel>", "facebook", false},
		{"email", "channel=email", true},
		{"*", "anything", true},
		{"*", "date=may", false},
	} {
		if got := phraseOf(c.phrase).in(itemsOf(c.items)); got != c.want {
			t.Errorf("%q in %q is %v", c.phrase, c.items, got)
		}
	}
}

func TestRulesAndCues(t *testing.T) {
	t.Parallel()
	rules, err := rulesOf("# a comment: with a colon\n\nperformance 1.5: how | a b\nnone -3: c\n")
	if err != nil || len(rules) != 2 {
		t.Fatalf("%+v, %v", rules, err)
	}
	cues, err := cuesOf("# a comment: x\nchart.metric=aov: aov\n*.metric=spend: spend | cost\nchart.metric=revenue: .. <any>\n")
	if err != nil || len(cues) != 3 {
		t.Fatalf("%+v, %v", cues, err)
	}
	tr := Translator{rules: append(rules, rules[0]), cues: cues}
	votes := tr.votes(&clause{items: itemsOf("how c")})
	if diff := cmp.Diff(map[string]float64{"performance": 3, "none": -3}, votes); diff != "" {
		t.Errorf("votes (-want +got):\n%s", diff)
	}
	for _, c := range []struct{ items, tool, parameter, want string }{
		{"aov cost", "chart", "metric", "aov"},
		{"cost", "chart", "metric", "spend"},
		{"cost", "trends", "metric", "spend"},
		{"aov", "trends", "metric", ""},
		{"x", "chart", "metric", "revenue"},
		{"aov", "chart", "view", ""},
	} {
		got, ok := tr.cued(&clause{items: itemsOf(c.items)}, c.tool, c.parameter)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%q: %s of %s is %q, %v", c.items, c.parameter, c.tool, got, ok)
		}
	}
	for items, want := range map[string]int{"aov cost": 2, "x": 1} {
		if got := tr.cuesIn(&clause{items: itemsOf(items)}, "chart", "metric"); got != want {
			t.Errorf("%q has %d cues, want %d", items, got, want)
		}
	}
	if got := tr.cuesIn(&clause{items: itemsOf("aov")}, "trends", "metric"); got != 0 {
		t.Errorf("%d cues of another tool", got)
	}
	if _, err := rulesOf("performance x: how"); err == nil || !strings.HasPrefix(err.Error(), `rule "performance x": strconv.ParseFloat`) {
		t.Errorf("a rule without a weight: %v", err)
	}
	for _, line := range []string{"chart.metric: aov", "metric=aov: aov"} {
		head, _, _ := strings.Cut(line, ":")
		if _, err := cuesOf(line); err == nil || err.Error() != `cue "`+head+`" is not tool.parameter=value` {
			t.Errorf("%q: %v", line, err)
		}
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	for question, want := range map[string][]link{
		"a b":          nil,
		"a and b":      {{1, 2, false}},
		"a & b":        {{1, 2, false}},
		"a, b":         {{1, 2, false}},
		"a; b":         {{1, 2, true}},
		"a? b":         {{1, 2, true}},
		"a. b":         {{1, 2, true}},
		"a! b":         {{1, 2, true}},
		"a then b":     {{1, 2, true}},
		"a also b":     {{1, 2, true}},
		"a plus b":     {{1, 2, true}},
		"a, and b":     {{1, 3, false}},
		"a, and the b": {{1, 4, false}},
		"a, then b":    {{1, 3, true}},
		"a and also b": {{1, 3, true}},
		"a, plus b":    {{1, 3, true}},
		"a and ? b":    {{1, 3, true}},
		"a and ; b":    {{1, 3, true}},
		"a and . b":    {{1, 3, false}},
		"a - b":        nil,
		"and a":        nil,
		"a and":        nil,
		"a ?":          nil,
		"a: b and c":   nil,
		"a and b: c d": {{1, 2, false}},
		"a, : b":       {{1, 2, false}},
		"a and b, c":   {{1, 2, false}, {3, 4, false}},
		`a "then" b`:   nil,
		`a, "so" b`:    {{1, 2, false}},
	} {
		if diff := cmp.Diff(want, links(tokenize(question)), cmp.AllowUnexported(link{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", question, diff)
		}
	}
}

func TestPlansJoinCalls(t *testing.T) {
	t.Parallel()
	args := func(pairs ...any) map[string]any {
		out := map[string]any{}
		for i := 0; i < len(pairs); i += 2 {
			out[pairs[i].(string)] = pairs[i+1] //nolint:forcetypeassert // names are texts
		}
		return out
	}
	call := func(tool string, metric string, pairs ...any) Call {
		return Call{Tool: tool, Arguments: args(pairs...), Metrics: []string{metric}}
	}
	for name, c := range map[string]struct {
		calls []Call
		want  string
	}{
		"the second contains the first": {[]Call{call("trends", "a", "x", 1), call("trends", "b", "x", 1, "y", 2)}, "trends x=1 y=2 [a b]"},
		"the first contains the second": {[]Call{call("trends", "a", "x", 1, "y", 2), call("trends", "b", "x", 1)}, "trends x=1 y=2 [a b]"},
		"other values":                  {[]Call{call("trends", "a", "x", 1), call("trends", "b", "x", 2)}, "trends x=1 [a]; trends x=2 [b]"},
		"other tools":                   {[]Call{call("trends", "a", "x", 1), call("chart", "b", "x", 1)}, "trends x=1 [a]; chart x=1 [b]"},
		"the third joins the first":     {[]Call{call("trends", "a", "x", 1), call("trends", "b", "x", 2), call("trends", "c", "x", 1)}, "trends x=1 [a c]; trends x=2 [b]"},
		"email and sms":                 {[]Call{call("email_lifecycle", "a", "channel", "email"), call("email_lifecycle", "b", "channel", "sms")}, "email_lifecycle channel=all [a b]"},
		"email and sms of other days": {
			[]Call{call("email_lifecycle", "a", "channel", "email", "d", 1), call("email_lifecycle", "b", "channel", "sms", "d", 2)},
			"email_lifecycle channel=email d=1 [a]; email_lifecycle channel=sms d=2 [b]",
		},
		"channels of another tool": {[]Call{call("trends", "a", "channel", "x"), call("trends", "b", "channel", "y")}, "trends channel=x [a]; trends channel=y [b]"},
		"writes":                   {[]Call{{Tool: "pause", Writes: true, Arguments: args()}, {Tool: "pause", Writes: true, Arguments: args()}}, "pause []; pause []"},
	} {
		var p Plan
		for _, each := range c.calls {
			p.add(each)
		}
		var got []string
		for _, each := range p.Calls {
			got = append(got, each.Describe()+" ["+strings.Join(each.Metrics, " ")+"]")
		}
		if joined := strings.Join(got, "; "); joined != c.want {
			t.Errorf("%s: %s, want %s", name, joined, c.want)
		}
	}
	var p Plan
	p.assume("%d days", 3)
	p.assume("%d days", 3)
	p.assume("%d days", 4)
	if diff := cmp.Diff([]string{"3 days", "4 days"}, p.Assumptions); diff != "" {
		t.Errorf("assumptions (-want +got):\n%s", diff)
	}
}
