package assay

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// phrases lists expressions that must not be used in documents, pages, comments and texts of the program, with the terms to use
// instead. Readers search for the standard terms of the field and read English as a second language.
var phrases = []struct{ phrase, instead string }{
	{`tests? by region|region tests?`, "geo experiment"},
	{`weeks (say|know|knew|are taken)|(the|from) weeks alone`, "observational data, the observational fit"},
	{`at (their|its) word`, "name the assumption"},
	{`what moves with (the|a) budget|moves? with (the|a) budget and not`, "confounding"},
	{`nobody sees`, "unobserved"},
	{`surer|surest`, "more precise, most precise"},
	{`holds? the truth`, "has nominal coverage"},
	{`foretells?|foretold`, "predicts, predicted"},
	{`made[- ]up (data|store|customers?|orders?)`, "simulated"},
	{`held (against|to)`, "compared with, tested against"},
	{`anew`, "again"},
	{`seldom`, "rarely"},
	{`whom`, "rewrite the sentence"},
	{`thereby`, "rewrite the sentence"},
	{`whether or no`, "whether"},
	{`next unit of money`, "marginal ROAS"},
	{`more money,? less money`, "response curves"},
	{`kin`, "partial pooling, group"},
	{`rungs?|ladders?`, "grid"},
	{`(twenty|simulated|such|\d+) worlds`, "simulated data sets"},
	{`mail address(es)?`, "email address"},
	{`telephones?( numbers?)?`, "phone number"},
	{`strangers?`, "untrusted input, anonymous callers, unknown variables"},
	{`the page (data|models|forecasts|experiments|keys|people|calls|connect|programs)`, "the Data page, the Models page"},
	{`at the stop`, "on shutdown"},
	{`begun again`, "resumed, restarted"},
	{`(is|are|be|been|was|were) told`, "is reported, gets"},
	{`tells? of|told (of|from|apart)|tells? apart`, "describes, distinguishes"},
	{`calls a minute`, "requests per minute"},
	{`least level`, "minimum log level"},
	{`form of log lines`, "log format"},
	{`takes? the factor back|taken? a factor back`, "removes the factor"},
	{`keeps? (it )?as a draft`, "saves the draft"},
	{`trains? (by|of) itself`, "scheduled training"},
	{`impaired`, "degraded"},
	{`what (it|they|he|she) (is|are|was|were) (worth|made of)`, "its value, its parts"},
	{`the one who|who asked`, "the caller, the user"},
	{`of a \w+ there is`, "rewrite the sentence"},
	{`stands? (in|at|for|on|beside|under|there)`, "is"},
	{`(lies|lie) (in|at|on|beside|under|there)`, "is"},
	{`brings? in|brought in`, "imports, generates"},
	{`puts? right`, "corrects"},
	{`pass(es|ed)? over`, "skips"},
	{`came out|comes out`, "results, resulted"},
	{`by (itself|themselves)`, "automatically, alone"},
	{`whatever`, "any, regardless of"},
	{`not known (yet|of)|is not known`, "unknown"},
	{`beside`, "next to, compared with, during"},
	{`doubt`, "uncertainty"},
	{`witness(es)?`, "evidence, source"},
	{`divides? (a|the) budget|divided by the plan`, "allocates, optimizes the budget"},
	{`gives? way|given way`, "yields"},
	{`nobody|nobody's`, "no user, no one; name who"},
	{`take(s|n)? apart`, "decompose, parse"},
	{`worth (a|the|making)`, "rewrite the sentence"},
	{`what was thought`, "prior"},
	{`came to no end`, "was interrupted"},
	{`security log`, "audit log"},
	{`people who (own|run) the (shop|store)`, "store owners"},
}

// quoted lists the correct uses of a phrase: the phrase in its context, with the reason.
var quoted = []struct{ context, reason string }{
	{"no doubt", "an idiom"},
	{"pass over the ", "the usual word for reading data once"},
	{"a pass over a ", "the same"},
	{"The security log is called", "the changelog names the old term"},
	{`"status":"impaired"`, "a value of the readiness response that monitors read"},
	{"The status is impaired", "the same"},
	{"`impaired`", "the same"},
	{"telephone", "a column name in exported files"},
}

var (
	unwanted    = compilePhrases()
	pageMarkup  = regexp.MustCompile(`(?s)\{\{.*?\}\}|<[^>]*>`)
	fieldKey    = regexp.MustCompile(`json:"[^"]*"`)
	wordsOfName = regexp.MustCompile(`([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])`)
)

// compilePhrases returns one regular expression for all phrases, with a group for each phrase. A single scan of a text
// is fast.
func compilePhrases() *regexp.Regexp {
	var all []string
	for _, p := range phrases {
		all = append(all, "("+strings.ReplaceAll(p.phrase, "(", "(?:")+")")
	}
	return regexp.MustCompile(`(?i)\b(?:` + strings.Join(all, "|") + `)\b`)
}

// passage is a text in a file that people read, with its line.
type passage struct {
	line int
	text string
}

// TestTextsUseStandardTerms reads Markdown, pages, Go comments, strings and the names of tests.
func TestTextsUseStandardTerms(t *testing.T) {
	t.Parallel()
	read := 0
	for _, file := range textFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		passages, err := passagesOf(file, text)
		if err != nil {
			t.Fatal(err)
		}
		read += len(passages)
		for _, found := range unwantedIn(passages) {
			t.Errorf("%s:%s", file, found)
		}
	}
	if read < 10_000 {
		t.Errorf("read %d passages, want 10,000 or more: the search is broken", read)
	}
}

func TestUnwantedPhrasesAreFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, text, want string }{
		{"a.md", "# Title\n\nIt is made anew.\n", `3: "anew": use again`},
		{"a.md", "Code: `--beside`\n\n```\nanew\n```\n", ""},
		{"a.html", "<p class=\"beside\">{{if .beside}}Results{{end}}</p>\n<p>Nobody sees it</p>", `2: "Nobody sees": use unobserved`},
		{"a.go", "package a\n\n// B is told once.\nvar B = 1\n", `3: "is told": use is reported, gets`},
		{"a.go", "package a\n\nvar B = \"the page Data\"\n", `3: "the page Data": use the Data page, the Models page`},
		{"a.go", "package a\n\nvar B = `x\ny beside z`\n", `4: "beside": use next to, compared with, during`},
		{"a.go", "package a\n\nvar beside = \"inside\"\n", ""},
		{"a_test.go", "package a\n\nfunc TestStrangersAreRejected() {}\n", `3: "Strangers": use untrusted input, anonymous callers, unknown variables`},
		{"a.md", "There is no doubt.\n", ""},
	} {
		passages, err := passagesOf(c.file, []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		found := unwantedIn(passages)
		if got := strings.Join(found, "\n"); !strings.HasPrefix(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%s %q: got %q, want %q", c.file, c.text, got, c.want)
		}
	}
}

// unwantedIn returns the unwanted phrases of texts, each with its line and what to use instead.
func unwantedIn(passages []passage) []string {
	var all []string
	for _, p := range passages {
		for _, groups := range unwanted.FindAllStringSubmatchIndex(p.text, -1) {
			start, end := groups[0], groups[1]
			if isQuoted(p.text, start, end) {
				continue
			}
			which := slices.IndexFunc(phrases, func(struct{ phrase, instead string }) bool {
				groups = groups[2:]
				return groups[0] >= 0
			})
			line := p.line + strings.Count(p.text[:start], "\n")
			all = append(all, fmt.Sprintf("%d: %q: use %s", line, p.text[start:end], phrases[which].instead))
		}
	}
	return all
}

// isQuoted reports whether a phrase is part of an allowed context.
func isQuoted(text string, start, end int) bool {
	for _, q := range quoted {
		for from := 0; ; {
			n := strings.Index(text[from:], q.context)
			if n < 0 {
				break
			}
			if at := from + n; at <= start && end <= at+len(q.context) {
				return true
			}
			from += n + 1
		}
	}
	return false
}

// textFiles returns the paths of Markdown, pages and Go files, without test data.
func textFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && file != "." && (name[0] == '.' || name == "testdata" || name == "node_modules" || name == "bin" || hasOwnModule(file)) {
			return filepath.SkipDir
		}
		if !entry.IsDir() && (path.Ext(name) == ".md" || path.Ext(name) == ".html" || path.Ext(name) == ".go") && name != "words_test.go" {
			files = append(files, filepath.ToSlash(file))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// passagesOf returns the texts of a file: Markdown without code, pages without markup, or the comments, strings and
// test names of a Go file.
func passagesOf(file string, text []byte) ([]passage, error) {
	switch path.Ext(file) {
	case ".md":
		return []passage{{1, blank(string(text), markdownFence, markdownCode)}}, nil
	case ".html":
		return []passage{{1, blank(string(text), pageMarkup)}}, nil
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var all []passage
	add := func(at token.Pos, text string) {
		all = append(all, passage{files.Position(at).Line, text})
	}
	for _, group := range parsed.Comments {
		for _, comment := range group.List {
			add(comment.Pos(), comment.Text)
		}
	}
	test := strings.HasSuffix(file, "_test.go")
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.BasicLit:
			if n.Kind == token.STRING && !test { // strings of tests are data
				add(n.Pos(), blank(n.Value, fieldKey))
			}
		case *ast.FuncDecl:
			if name, ok := strings.CutPrefix(n.Name.Name, "Test"); ok && test {
				add(n.Pos(), wordsOfName.ReplaceAllString(name, "$1$3 $2$4"))
			}
		}
		return true
	})
	return all, nil
}

// blank replaces matches with spaces, so that lines keep their numbers.
func blank(text string, matches ...*regexp.Regexp) string {
	for _, match := range matches {
		text = match.ReplaceAllStringFunc(text, func(found string) string {
			return strings.Map(func(r rune) rune {
				if r == '\n' {
					return r
				}
				return ' '
			}, found)
		})
	}
	return text
}
