package merge

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/template"

	"assay/internal/measure"
	"assay/internal/warehouse"
)

// Dialect contains the differences between engines in the texts of the merge and the roll-ups.
type Dialect interface {
	warehouse.Dialect
	// Month returns the first day of a day's month.
	Month(day string) string
	// EachDay returns one row per day of a period, including both ends.
	EachDay(first, last string) string
	// Seconds returns an instant as seconds since 1970.
	Seconds(instant string) string
	// Instant converts a number of microseconds since 1970 to an instant.
	Instant(micros string) string
	// Fingerprint returns a number of 60 bits derived from a text.
	Fingerprint(text string) string
	// Variable returns the value of a variable that was set with SET VARIABLE.
	Variable(name string) string
}

//go:embed sql/*.sql rollups/*.sql
var files embed.FS

// args are the values of a text's parameters, by name.
type args map[string]any

// texts renders the statements of one workspace.
type texts struct {
	dialect   Dialect
	workspace measure.WorkspaceID
}

// render returns the SQL text of a template, such as "sql/before" or "rollups/5_days".
func (t texts) render(name string, values args) (string, error) {
	set, err := parsed(t.dialect)
	if err != nil {
		return "", err
	}
	data := args{"table": t.table}
	maps.Copy(data, values)
	var out strings.Builder
	if err := set.ExecuteTemplate(&out, name, data); err != nil {
		return "", err
	}
	return out.String(), nil
}

// table returns the full name of one of the workspace's tables.
func (t texts) table(name string) string { return t.dialect.Table(t.workspace, name) }

// sets contains the parsed SQL templates of each dialect, by the dialect's name.
var sets sync.Map

// parsed returns the SQL templates of a dialect. It parses them on first use.
func parsed(d Dialect) (*template.Template, error) {
	known, ok := sets.Load(d.Name())
	if !ok {
		known, _ = sets.LoadOrStore(d.Name(), sync.OnceValues(func() (*template.Template, error) { return parse(d) }))
	}
	return known.(func() (*template.Template, error))()
}

// tableName matches a table of the workspace, as in queries: {{orders}}.
var tableName = regexp.MustCompile(`\{\{([a-z_]+)\}\}`)

func parse(d Dialect) (*template.Template, error) {
	set := template.New("").Option("missingkey=error").Funcs(template.FuncMap{
		"same": same, "columns": columns, "in": func(name string, list []string) bool { return slices.Contains(list, name) },
		"month": d.Month, "each_day": d.EachDay, "seconds": d.Seconds, "instant": d.Instant, "fingerprint": d.Fingerprint,
		"within": func(relation, span string) string { return within(d, relation, span) },
	})
	names, err := Texts(d)
	if err != nil {
		return nil, err
	}
	for name, file := range names {
		text, err := fs.ReadFile(files, file)
		if err != nil {
			return nil, err
		}
		if _, err := set.New(name).Parse(asTemplate(string(text))); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// asTemplate replaces table names with calls of the template function table, because table names depend on the
// workspace, not only on the dialect.
func asTemplate(text string) string {
	text = tableName.ReplaceAllStringFunc(text, func(found string) string {
		switch name := found[2 : len(found)-2]; name {
		case "else", "end":
			return found
		default:
			return fmt.Sprintf("{{call $.table %q}}", name)
		}
	})
	return strings.ReplaceAll(text, "{{table ", "{{call $.table ")
}

// Texts returns the file of each SQL text for a dialect, by the text's name. The file x.NAME.sql replaces x.sql for the
// engine NAME.
func Texts(d Dialect) (map[string]string, error) {
	names := map[string]string{}
	for _, folder := range []string{"sql", "rollups"} {
		entries, err := fs.ReadDir(files, folder)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			name, engine, _ := strings.Cut(strings.TrimSuffix(entry.Name(), ".sql"), ".")
			name = path.Join(folder, name)
			if engine == d.Name() || engine == "" && names[name] == "" {
				names[name] = path.Join(folder, entry.Name())
			}
		}
	}
	return names, nil
}

// within returns the condition that a relation's key is in a span. The ends of the span are variables.
func within(d Dialect, relation, span string) string {
	return fmt.Sprintf("%[1]s.key >= %[2]s AND %[1]s.key <= %[3]s", relation, d.Variable("first_"+span), d.Variable("last_"+span))
}

// same returns the condition that joins two relations on columns.
func same(a, b string, names []string) string {
	terms := make([]string, len(names))
	for i, name := range names {
		terms[i] = a + "." + name + " = " + b + "." + name
	}
	return strings.Join(terms, " AND ")
}

// columns returns the columns of a relation as a list. If relation is "", the columns are not qualified.
func columns(relation string, names []string) string {
	qualified := make([]string, len(names))
	for i, name := range names {
		if relation != "" {
			name = relation + "." + name
		}
		qualified[i] = name
	}
	return strings.Join(qualified, ", ")
}
