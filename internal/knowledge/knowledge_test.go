package knowledge

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"assay/api"
)

var loaded = sync.OnceValues(Load)

func library(t testing.TB) *Library {
	t.Helper()
	l, err := loaded()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestEveryTopicHasArticles(t *testing.T) {
	t.Parallel()
	l := library(t)
	if n := len(l.Articles("")); n < 150 {
		t.Errorf("%d articles, want 150 or more", n)
	}
	for _, topic := range Topics() {
		if n := len(l.Articles(topic)); n < 8 {
			t.Errorf("topic %s has %d articles, want 8 or more", topic, n)
		}
	}
	var topics []string
	for _, p := range api.Contract() {
		if p.Tool == "explain" && p.Name == "topic" {
			topics = p.Enum
		}
	}
	if got := fmt.Sprint(Topics()); got != fmt.Sprint(topics) {
		t.Errorf("topics %s, the contract has %s", got, topics)
	}
}

func TestEveryFileIsAnArticle(t *testing.T) {
	t.Parallel()
	files := 0
	err := fs.WalkDir(articles, ".", func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			files++
		}
		return err
	})
	if n := len(library(t).Articles("")); err != nil || files != n {
		t.Errorf("%d files and %d articles (%v): a folder is not a topic", files, n, err)
	}
}

func TestCallsFollowTheContract(t *testing.T) {
	t.Parallel()
	tools := map[string]map[string]api.Parameter{}
	for _, p := range api.Contract() {
		if tools[p.Tool] == nil {
			tools[p.Tool] = map[string]api.Parameter{}
		}
		tools[p.Tool][p.Name] = p
	}
	for _, a := range library(t).Articles("") {
		if a.Call == nil {
			continue
		}
		if a.Call.Arguments == nil {
			t.Errorf("%s: the arguments of its call are null in JSON", a.ID)
		}
		parameters := tools[a.Call.Tool]
		if parameters == nil {
			t.Errorf("%s calls the unknown tool %q", a.ID, a.Call.Tool)
		}
		for name, value := range a.Call.Arguments {
			p, ok := parameters[name]
			if !ok {
				t.Errorf("%s: %s has no parameter %q", a.ID, a.Call.Tool, name)
			} else if problem := mismatch(p, value); problem != "" {
				t.Errorf("%s: %s.%s = %v: %s", a.ID, a.Call.Tool, name, value, problem)
			}
		}
		for name, p := range parameters {
			if _, ok := a.Call.Arguments[name]; p.Required && !ok {
				t.Errorf("%s: %s requires %q", a.ID, a.Call.Tool, name)
			}
		}
	}
}

// mismatch returns how a value violates the contract of its parameter, or "".
func mismatch(p api.Parameter, value any) string {
	kinds := map[string]string{"string": "string", "number": "float64", "boolean": "bool", "array": "[]interface {}", "object": "map[string]interface {}"}
	if got := fmt.Sprintf("%T", value); got != kinds[p.Type] {
		return got + " is not a " + p.Type
	}
	if len(p.Enum) > 0 && !slices.Contains(p.Enum, fmt.Sprint(value)) {
		return fmt.Sprintf("want one of %q", p.Enum)
	}
	number, _ := value.(float64)
	if least, err := strconv.ParseFloat(p.Min, 64); err == nil && number < least {
		return "below " + p.Min
	}
	if most, err := strconv.ParseFloat(p.Max, 64); err == nil && number > most {
		return "above " + p.Max
	}
	return ""
}

func TestValuesAgainstTheContractAreRejected(t *testing.T) {
	t.Parallel()
	p := api.Parameter{Type: "number", Min: "3", Max: "30"}
	for value, want := range map[any]string{"14": "string is not a number", 14.0: "", 2.0: "below 3", 31.0: "above 30"} {
		if got := mismatch(p, value); got != want {
			t.Errorf("%v: %q, want %q", value, got, want)
		}
	}
}

// TestEveryNameIsExplained searches for an article on every tool, warning code, attribution model and experiment
// status.
func TestEveryNameIsExplained(t *testing.T) {
	t.Parallel()
	l := library(t)
	names := map[string]string{} // question about each name
	for _, tool := range api.Tools() {
		names[tool] = tool + " tool"
	}
	for file, match := range map[string]string{
		"../answer/warnings.go":    `WarningCode\s*= "(\w+)"`,
		"../measure/measure.go":    `Model\s*= "(\w+)"`,
		"../control/experiment.go": `ExperimentStatus\s*= "(\w+)"`,
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(match).FindAllStringSubmatch(string(text), -1)
		if len(found) < 5 {
			t.Fatalf("%s: %d names: the search is broken", file, len(found))
		}
		for _, name := range found {
			names[name[1]] = "warning " + name[1]
			if strings.HasSuffix(file, "measure.go") {
				names[name[1]] = name[1]
			}
			if strings.HasSuffix(file, "experiment.go") {
				names[name[1]] = "experiment status " + name[1]
			}
		}
	}
	for name, asked := range names {
		found := l.Find(asked)
		if len(found) == 0 {
			t.Errorf("%q has no article; nearest: %s", asked, listed(l.Nearest(asked, 3)))
			continue
		}
		a := found[0].Article
		if text := a.Title + a.Body + strings.Join(a.Pitfalls, " ") + strings.Join(a.Aliases, " "); !strings.Contains(text, name) {
			t.Errorf("%q finds %s, which does not contain it; nearest: %s", asked, a.ID, listed(found))
		}
	}
}

func TestConstantsEqualTheCode(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, a := range library(t).Articles("") {
		for _, c := range a.Constants {
			got, err := sourceValue(c.Source)
			if err != nil {
				t.Errorf("%s: %v", a.ID, err)
				continue
			}
			checked++
			want := valueOf(t, c.Value)
			if !constant.Compare(got, token.EQL, want) {
				t.Errorf("%s: %s is %s, the article has %s", a.ID, c.Source, got, c.Value)
			}
			if !mentions(a, want) {
				t.Errorf("%s does not mention %s (%s)", a.ID, c.Value, c.Meaning)
			}
		}
	}
	if checked < 50 {
		t.Errorf("%d constants, want 50 or more", checked)
	}
}

// sourceValue returns the value of a constant, read from its package below internal. Durations are in hours.
func sourceValue(source string) (constant.Value, error) {
	pkg, name, _ := strings.Cut(source, ".")
	folder := path.Join("..", pkg)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		text, err := os.ReadFile(path.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(token.NewFileSet(), e.Name(), text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		var value ast.Expr
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok {
				if i := slices.IndexFunc(spec.Names, func(id *ast.Ident) bool { return id.Name == name }); i >= 0 && i < len(spec.Values) {
					value = spec.Values[i]
				}
			}
			return true
		})
		if value != nil {
			expression := string(text[value.Pos()-1 : value.End()-1])
			v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, strings.ReplaceAll(expression, "time.Hour", "1"))
			return v.Value, err
		}
	}
	return nil, fmt.Errorf("package %s has no constant %s", pkg, name)
}

func valueOf(t *testing.T, text string) constant.Value {
	t.Helper()
	v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, text)
	if err != nil {
		t.Fatal(err)
	}
	return v.Value
}

// mentions reports whether an article contains a number: unchanged, in percent, or as days if it is in hours.
func mentions(a *Article, value constant.Value) bool {
	number, _ := constant.Float64Val(constant.ToFloat(value))
	text := strings.ReplaceAll(a.Body+" "+a.Formula+" "+strings.Join(a.Pitfalls, " "), ",", "")
	for form, n := range map[string]float64{"%s": number, "%s%%": 100 * number, "%s days": number / 24} {
		written := fmt.Sprintf(form, strconv.FormatFloat(n, 'g', 6, 64))
		if regexp.MustCompile(`(^|[^\d.])` + regexp.QuoteMeta(written) + `([^\d]|$)`).MatchString(text) {
			return true
		}
	}
	return false
}

func TestAMissingConstantIsFound(t *testing.T) {
	t.Parallel()
	if v, err := sourceValue("measure/attribution.NoSuchConstant"); err == nil {
		t.Errorf("got %v, want an error", v)
	}
}

const filler = "The margin of the store is one number and the spend of a channel is another, so compare both of them first. "

func articleFile(front, body string) string { return "---\n" + front + "---\n\n" + body + "\n" }

func TestLoadRejectsBrokenArticles(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(filler, 6)
	valid := "title: A\naliases: [a]\nrelated: [b]\n"
	other := articleFile("title: B\naliases: [b]\nrelated: [a]\n", "B is a subject.\n\n"+long)
	for name, c := range map[string]struct{ file, want string }{
		"valid":             {articleFile(valid, "A is a subject.\n\n"+long), ""},
		"no front matter":   {"A is a subject.\n", "no front matter"},
		"unknown key":       {articleFile(valid+"topik: x\n", "A is a subject.\n\n"+long), "unknown field"},
		"no title":          {articleFile("aliases: [a]\nrelated: [b]\n", "A is a subject.\n\n"+long), "no title"},
		"no aliases":        {articleFile("title: A\nrelated: [b]\n", "A is a subject.\n\n"+long), "no aliases"},
		"no related":        {articleFile("title: A\naliases: [a]\n", "A is a subject.\n\n"+long), "no related"},
		"unknown related":   {articleFile("title: A\naliases: [a]\nrelated: [c]\n", "A is a subject.\n\n"+long), `"c" does not exist`},
		"related to itself": {articleFile("title: A\naliases: [a]\nrelated: [a]\n", "A is a subject.\n\n"+long), `"a" does not exist or is the article`},
		"too short":         {articleFile(valid, "A is a subject."), "outside of 120 to 500"},
		"too long":          {articleFile(valid, "A is a subject.\n\n"+strings.Repeat(filler, 30)), "outside of 120 to 500"},
		"long lead":         {articleFile(valid, long), "first paragraph has"},
		"lead without end":  {articleFile(valid, "A is a subject\n\n"+long), "end with a period"},
		"call without tool": {articleFile(valid+"call: {arguments: {a: 1}}\n", "A is a subject.\n\n"+long), "no tool"},
		"broken constant":   {articleFile(valid+"constants: {days: 7}\n", "A is a subject.\n\n"+long), "cannot unmarshal"},
		"constant":          {articleFile(valid+"constants: {days: \"7\"}\n", "A is a subject.\n\n"+long), "not SOURCE = VALUE"},
	} {
		_, err := load(fstest.MapFS{"mmm/a.md": {Data: []byte(c.file)}, "mmm/b.md": {Data: []byte(other)}})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	if _, err := load(fstest.MapFS{"mmm/a.md": {Data: []byte(other)}, "pixel/a.md": {Data: []byte(other)}}); err == nil || !strings.Contains(err.Error(), "same name") {
		t.Errorf("two articles with one ID: got %v", err)
	}
}

func TestTextHasThreeLengths(t *testing.T) {
	t.Parallel()
	l := library(t)
	for _, a := range l.Articles("") {
		var sizes []int
		for _, length := range []Length{Summary, Analyst, Debug} {
			text, err := l.Text(a.ID, length)
			if err != nil {
				t.Fatal(err)
			}
			sizes = append(sizes, len(text))
			if length == Summary && (strings.Contains(text, "\n") || !strings.HasPrefix(text, a.Lead)) {
				t.Errorf("%s: the summary is not one paragraph: %q", a.ID, text)
			}
			if length == Debug && !strings.Contains(text, string(a.Related[0])) {
				t.Errorf("%s: the debug text does not name %s", a.ID, a.Related[0])
			}
		}
		if !slices.IsSorted(sizes) {
			t.Errorf("%s: lengths %v do not grow", a.ID, sizes)
		}
	}
	text, err := l.Text("time-decay", Debug)
	if err != nil || !strings.Contains(text, "half-life, days: 7 (`measure/attribution.HalfLifeDays`)") ||
		!strings.Contains(text, "call `performance` with `{\"model\":\"time_decay\"}`") {
		t.Errorf("got %v %s", err, text)
	}
	if _, err := l.Text("time-decay", "long"); err == nil {
		t.Error("an unknown length is accepted")
	}
	if _, err := l.Text("no-such-article", Summary); err == nil {
		t.Error("an unknown article is accepted")
	}
}

func TestPagesContainNoRawHTML(t *testing.T) {
	t.Parallel()
	body := "A is a <b>subject</b><script>x()</script> with [a link](javascript:x).\n\n<script>y()</script>\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n" + strings.Repeat(filler, 6)
	other := articleFile("title: B\naliases: [b]\nrelated: [a]\n", "B is a subject.\n\n"+strings.Repeat(filler, 6))
	l, err := load(fstest.MapFS{
		"mmm/a.md": {Data: []byte(articleFile("title: A\naliases: [a]\nrelated: [b]\n", body))}, "mmm/b.md": {Data: []byte(other)},
	})
	if err != nil {
		t.Fatal(err)
	}
	page, err := l.HTML("a")
	if err != nil || strings.Contains(page, "<script") || strings.Contains(page, "<b>") || strings.Contains(page, "javascript:") {
		t.Errorf("raw HTML is part of the page (%v):\n%s", err, page)
	}
	if !strings.Contains(page, "<table>") {
		t.Errorf("the table is missing:\n%s", page)
	}
	if _, err := l.HTML("no-such-article"); err == nil {
		t.Error("an unknown article is accepted")
	}
}
