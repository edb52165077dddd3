package console

import (
	"bytes"
	"embed"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/ingest"
	"assay/internal/ingest/source"
	"assay/internal/money"
	"assay/internal/number"
	"assay/internal/oauth/people"
)

//go:embed templates
var templateFiles embed.FS

//go:embed assets
var assetFiles embed.FS

// parseTemplates returns the template of each page, including the frame.
func parseTemplates() map[string]*template.Template {
	functions := template.FuncMap{
		"scope": scopeWords, "role": roleWords, "when": when, "moment": moment, "machine": machine, "day": day,
		"count": count, "tab": tabOf, "took": took, "date": civil.Date.Words, "days": daysText, "size": size, "outcome": outcomeWords, "words": words,
		"sentence": sentence, "span": civil.Range.Words, "cadence": cadenceWords, "picture": pictureOf,
		"schedule": scheduleOf, "figure": anyFigure, "gate": gateWords,
		"sum":   func(decimal, currency string) string { return money.DisplayOf(decimal, money.Currency(currency)) },
		"int64": func(n int) int64 { return int64(n) },
		"same":  func(a, b string) bool { return source.Fold(a) == source.Fold(b) },
		"pair":  func(first, second any) any { return struct{ First, Second any }{first, second} },
		"deref": func(b *bool) bool { return b != nil && *b },
	}
	frame := template.Must(template.New("frame.html").Funcs(functions).ParseFS(templateFiles, "templates/frame.html", "templates/parts/*.html"))
	names, err := fs.Glob(templateFiles, "templates/*.html")
	if err != nil {
		panic(err) // the pattern is invalid
	}
	all := make(map[string]*template.Template)
	for _, name := range names {
		key := strings.TrimSuffix(path.Base(name), ".html")
		all[key] = template.Must(template.Must(frame.Clone()).ParseFS(templateFiles, name))
	}
	return all
}

// page is one HTML page.
type page struct {
	name       string // name of the template
	title      string
	view       any
	visitor    *people.Visitor // nil: no user is signed in
	wide       bool            // wide layout for tables
	formAction string          // additional form-action source of the content security policy
}

// frameView is the data of a template.
type frameView struct {
	Title string
	Email string // "": no user is signed in
	Token string // CSRF token
	Wide  bool
	View  any
}

// render writes a page. Its headers prevent caching, framing and scripts.
func (c *core) render(w http.ResponseWriter, r *http.Request, status int, p page) {
	f := frameView{Title: p.title, Wide: p.wide, View: p.view}
	if p.visitor != nil {
		f.Email, f.Token = p.visitor.User.Email, p.visitor.Secret.FormToken(formPurpose)
	}
	var text bytes.Buffer
	if err := c.templates[p.name].ExecuteTemplate(&text, "frame.html", f); err != nil {
		panic("page " + p.name + ": " + err.Error()) // the template is wrong
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Content-Security-Policy", strings.TrimSpace("default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self' "+p.formAction))
	w.WriteHeader(status)
	if r.Method == http.MethodHead {
		return
	}
	if _, err := w.Write(text.Bytes()); err != nil {
		return // the browser closed the connection
	}
}

// Refuse shows an error page.
func (c *core) Refuse(w http.ResponseWriter, r *http.Request, status int, text string) {
	p := page{name: "refusal", title: http.StatusText(status), view: text}
	if visitor, err := c.Visitor(r); err == nil {
		p.visitor = &visitor
	}
	c.render(w, r, status, p)
}

// asset serves a style sheet or an icon.
func asset(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "max-age=3600")
	h.Set("X-Content-Type-Options", "nosniff")
	http.ServeFileFS(w, r, assetFiles, path.Join("assets", path.Base(r.PathValue("name"))))
}

// scopeWords describes what a scope allows.
func scopeWords(s control.Scope) string {
	switch s {
	case control.ScopeRead:
		return "Read your store's figures, reports and recommendations"
	case control.ScopeWrite:
		return "Create notes, alerts, reports and experiments"
	case control.ScopeApprove:
		return "Change budgets and pause or resume campaigns on your ad platforms"
	}
	return string(s)
}

// roleWords describes what a role allows.
func roleWords(r control.Role) string {
	switch r {
	case control.RoleOwner:
		return "manage everything, including owners"
	case control.RoleAdmin:
		return "manage keys, apps and members up to admins; change budgets"
	case control.RoleAnalyst:
		return "view everything; create notes, alerts and experiments"
	case control.RoleViewer:
		return "view everything"
	}
	return string(r)
}

// outcomeWords describes the result of checking or importing a file.
func outcomeWords(s ingest.Status) string {
	switch s {
	case ingest.Imported:
		return "imported"
	case ingest.Checked:
		return "can be imported"
	case ingest.Already:
		return "already imported"
	case ingest.Empty:
		return "no rows"
	case ingest.Refused:
		return "rejected, nothing changed"
	}
	return string(s)
}

// words replaces the underscores of a name with spaces.
func words(name string) string { return strings.ReplaceAll(name, "_", " ") }

// took formats a duration.
func took(d time.Duration) string {
	ms := float64(d.Microseconds()) / 1000
	switch {
	case ms < 0.1:
		return "< 0.1 ms"
	case ms < 10:
		return strconv.FormatFloat(ms, 'f', 1, 64) + " ms"
	case ms < 10_000:
		return strconv.FormatFloat(ms, 'f', 0, 64) + " ms"
	}
	return strconv.FormatFloat(ms/1000, 'f', 1, 64) + " s"
}

// count formats a whole number with commas between thousands.
func count(n int64) string { return number.Grouped(float64(n), 0) }

// size formats a number of bytes.
func size(bytes int) string {
	if bytes < 1000 {
		return strconv.Itoa(bytes) + " B"
	}
	if bytes >= 1<<20 && bytes%(1<<20) == 0 {
		return strconv.Itoa(bytes>>20) + " MiB" // limits are powers of two
	}
	if bytes >= 1e6 {
		return strconv.FormatFloat(float64(bytes)/1e6, 'f', 1, 64) + " MB"
	}
	return strconv.FormatFloat(float64(bytes)/1000, 'f', 1, 64) + " kB"
}

// sentence capitalizes the first letter and appends a period.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}

// publicText returns the public message and hint of an error, "" if it has none.
func publicText(err error) string {
	text, hint, _ := fault.Public(err)
	return strings.TrimSpace(sentence(text) + " " + sentence(hint))
}

// writeSVG sends an SVG with a policy that allows inline styles only.
func writeSVG(w http.ResponseWriter, svg []byte, cacheControl string) {
	h := w.Header()
	h.Set("Content-Type", "image/svg+xml")
	h.Set("Cache-Control", cacheControl)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox")
	if _, err := w.Write(svg); err != nil {
		return // the browser closed the connection
	}
}
