package warehouse

import (
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"regexp"

	"assay/internal/measure"
)

//go:embed sql/*.sql
var texts embed.FS

// placeholder is a table of the workspace: {{orders}}. It is the only way in which a text can name one.
var placeholder = regexp.MustCompile(`\{\{([a-z_]+)\}\}`)

// parameter is a value to bind: $first_day.
var parameter = regexp.MustCompile(`\$([a-z_]+)`)

// heavy is the line in a text's head that sends its question to the heavy lane, and says why.
var heavy = regexp.MustCompile(`(?m)^-- heavy: `)

// Render fills in the full names of the workspace's tables. Text outside {{table}} placeholders stays as it is.
func Render(d Dialect, ws measure.WorkspaceID, text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(found string) string {
		return d.Table(ws, found[2:len(found)-2])
	})
}

// question returns the text of a question in the engine's dialect. A question without a text is a mistake in
// the program.
func question(d Dialect, name string) string {
	for _, file := range []string{"sql/" + name + "." + d.Name() + ".sql", "sql/" + name + ".sql"} {
		text, err := fs.ReadFile(texts, file)
		if err == nil {
			return string(text)
		}
	}
	panic(fmt.Sprintf("warehouse: no text for the question %q", name))
}

// values are what a question's parameters stand for, by name.
type values map[string]any

// statement renders a question and binds the parameters that its text names.
func (w *Warehouse) statement(ws measure.WorkspaceID, name string, bind values) Statement {
	d := w.engine.Dialect()
	text := Render(d, ws, question(d, name))
	s := Statement{Name: name, Text: text, Heavy: heavy.MatchString(text)}
	bound := map[string]bool{}
	for _, match := range parameter.FindAllStringSubmatch(text, -1) {
		param := match[1]
		value, known := bind[param]
		if !known {
			panic(fmt.Sprintf("warehouse: the question %q binds no $%s", name, param))
		}
		if !bound[param] {
			bound[param] = true
			s.Args = append(s.Args, sql.Named(param, value))
		}
	}
	return s
}
