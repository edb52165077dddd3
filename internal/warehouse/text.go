package warehouse

import (
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"assay/internal/measure"
)

//go:embed sql/*.sql
var texts embed.FS

// placeholder matches a table of the workspace, such as {{orders}}. SQL texts name tables only in this form.
var placeholder = regexp.MustCompile(`\{\{([a-z_]+)\}\}`)

// parameter matches the placeholder of a bound value, such as $first_day.
var parameter = regexp.MustCompile(`\$([a-z_]+)`)

// heavy matches the header line that assigns a query to the pool for heavy queries, with the reason.
var heavy = regexp.MustCompile(`(?m)^-- heavy: `)

// Render fills in the full names of the workspace's tables. Text outside of {{table}} placeholders does not change.
func Render(d Dialect, ws measure.WorkspaceID, text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(found string) string {
		return d.Table(ws, found[2:len(found)-2])
	})
}

// questionText returns the text of a query in the engine's dialect. A missing text is a programming error.
func questionText(d Dialect, name string) string {
	for _, file := range []string{"sql/" + name + "." + d.Name() + ".sql", "sql/" + name + ".sql"} {
		text, err := fs.ReadFile(texts, file)
		if err == nil {
			return string(text)
		}
	}
	panic(fmt.Sprintf("warehouse: no text for the question %q", name))
}

// question is the parsed text of a query: the pieces before, between and after table names.
type question struct {
	pieces []string
	tables []string // one fewer than pieces
	params []string // without duplicates, in order of first use
	heavy  bool
}

func newQuestion(text string) *question {
	q := &question{heavy: heavy.MatchString(text)}
	from := 0
	for _, at := range placeholder.FindAllStringSubmatchIndex(text, -1) {
		q.pieces, q.tables = append(q.pieces, text[from:at[0]]), append(q.tables, text[at[2]:at[3]])
		from = at[1]
	}
	q.pieces = append(q.pieces, text[from:])
	for _, match := range parameter.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(q.params, match[1]) {
			q.params = append(q.params, match[1])
		}
	}
	return q
}

// text returns the query with the full names of the workspace's tables, as [Render] fills them in.
func (q *question) text(d Dialect, ws measure.WorkspaceID) string {
	var out strings.Builder
	for i, table := range q.tables {
		out.WriteString(q.pieces[i])
		out.WriteString(d.Table(ws, table))
	}
	out.WriteString(q.pieces[len(q.tables)])
	return out.String()
}

// values are the values of a query's parameters, by name.
type values map[string]any

// statement renders a query and binds its parameters.
func (a *asker) statement(ws measure.WorkspaceID, name string, bind values) Statement {
	d := a.engine.Dialect()
	known, ok := a.questions.Load(name)
	if !ok {
		known, _ = a.questions.LoadOrStore(name, newQuestion(questionText(d, name)))
	}
	q := known.(*question)
	s := Statement{Name: name, Text: q.text(d, ws), Heavy: q.heavy, Args: make([]sql.NamedArg, len(q.params))}
	for i, param := range q.params {
		value, known := bind[param]
		if !known {
			panic(fmt.Sprintf("warehouse: the question %q binds no $%s", name, param))
		}
		s.Args[i] = sql.Named(param, value)
	}
	return s
}
