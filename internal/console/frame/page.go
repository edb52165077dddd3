package frame

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/ingest/source"
	"assay/internal/number"
	"assay/internal/oauth/people"
)

//go:embed templates
var files embed.FS

// Templates are the templates of a group of pages.
type Templates struct {
	Files     fs.FS            // a page is templates/NAME.html, a part of several pages is in templates/parts
	Functions template.FuncMap // functions that only these templates call
}

// parseTemplates returns the template of each page, including the frame.
func parseTemplates(groups []Templates, own assets) map[string]*template.Template {
	functions := template.FuncMap{
		"scope": scopeWords, "permission": permission, "role": roleWords, "when": when, "moment": moment, "machine": machine, "day": day,
		"count": Count, "asset": own.address, "date": civil.Date.Words, "days": DaysText, "size": Size, "words": Words,
		"sentence": Sentence, "span": civil.Range.Words, "figure": anyFigure,
		"rowIn": rowIn, "channel": func(name any) string { return ChannelName(fmt.Sprint(name)) },
		"capital": func(name any) string { return Capitalized(fmt.Sprint(name)) },
		"int64":   func(n int) int64 { return int64(n) },
		"same":    func(a, b string) bool { return source.Fold(a) == source.Fold(b) },
	}
	frame := template.Must(template.New("frame.html").Funcs(functions).ParseFS(files, "templates/frame.html", "templates/parts/*.html"))
	all := make(map[string]*template.Template)
	for _, g := range append([]Templates{{Files: files}}, groups...) {
		shared := template.Must(frame.Clone()).Funcs(g.Functions)
		for _, name := range namesOf(g.Files, "templates/parts/*.html") {
			shared = template.Must(shared.ParseFS(g.Files, name))
		}
		for _, name := range namesOf(g.Files, "templates/*.html") {
			key := strings.TrimSuffix(path.Base(name), ".html")
			if all[key] != nil {
				panic("two pages " + key) // two groups have a page with this name
			}
			all[key] = template.Must(template.Must(shared.Clone()).ParseFS(g.Files, name))
		}
	}
	return all
}

func namesOf(files fs.FS, pattern string) []string {
	names, err := fs.Glob(files, pattern)
	if err != nil {
		panic(err) // the pattern is invalid
	}
	return names
}

// Page is one HTML page.
type Page struct {
	Name       string // name of the template
	Title      string
	View       any
	Visitor    *people.Visitor // nil: no user is signed in
	FormAction string          // additional form-action source of the content security policy
	Shared     *Shared         // page of a share link; nil for other pages
}

// Shared describes the page of a share link. An error page has the zero value.
type Shared struct {
	Workspace, Page, Filters string
	Ends                     time.Time
}

// frameView is the data of a template.
type frameView struct {
	Title string
	Email string // "": no user is signed in
	Token string // CSRF token
	Nav   *nav   // nil: outside a workspace
	View  any

	Shared *Shared // nil: the page is not opened by a share link
}

// Render writes a page. Its headers prevent caching, framing and inline scripts. Pages outside a workspace have no
// script.
func (c *Frame) Render(w http.ResponseWriter, r *http.Request, status int, p Page) {
	f := frameView{Title: p.Title, View: p.View, Shared: p.Shared}
	scripts, images := "", "img-src 'self'; "
	if in, ok := p.View.(interface{ at() Place }); ok && p.Visitor != nil {
		f.Nav, scripts = navOf(in.at(), c.Ask != nil), "script-src 'self'; "
		images = "img-src 'self' blob:; " // the script saves charts as PNG
	}
	if p.Visitor != nil {
		f.Email, f.Token = p.Visitor.User.Email, p.Visitor.Secret.FormToken(FormPurpose)
	}
	var text bytes.Buffer
	if err := c.templates[p.Name].ExecuteTemplate(&text, "frame.html", f); err != nil {
		panic("page " + p.Name + ": " + err.Error()) // the template is wrong
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	forms := "'self' "
	if p.Shared != nil {
		forms = "'none'"
		h.Set("X-Robots-Tag", "noindex, nofollow")
	}
	h.Set("Content-Security-Policy", strings.TrimSpace("default-src 'none'; "+scripts+"style-src 'self'; "+images+"base-uri 'none'; frame-ancestors 'none'; form-action "+forms+p.FormAction))
	w.WriteHeader(status)
	if r.Method == http.MethodHead {
		return
	}
	if _, err := w.Write(text.Bytes()); err != nil {
		return // the browser closed the connection
	}
}

// Refuse shows an error page.
func (c *Frame) Refuse(w http.ResponseWriter, r *http.Request, status int, text string) {
	p := Page{Name: "refusal", Title: http.StatusText(status), View: text}
	if visitor, err := c.Visitor(r); err == nil {
		p.Visitor = &visitor
	}
	c.Render(w, r, status, p)
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

// permission names a scope in a table.
func permission(s control.Scope) string {
	switch s {
	case control.ScopeRead:
		return "Read"
	case control.ScopeWrite:
		return "Write"
	case control.ScopeApprove:
		return "Change budgets"
	}
	return string(s)
}

// roleWords describes what a role allows.
func roleWords(r control.Role) string {
	switch r {
	case control.RoleOwner:
		return "manage everything, including owners"
	case control.RoleAdmin:
		return "manage keys, apps and all members except owners; change budgets"
	case control.RoleAnalyst:
		return "view all figures; import data, train models, and create notes, alerts and experiments"
	case control.RoleViewer:
		return "view all figures"
	}
	return string(r)
}

// Words replaces the underscores of a name with spaces.
func Words(name string) string { return strings.ReplaceAll(name, "_", " ") }

// Count formats a whole number with commas between thousands.
func Count(n int64) string { return number.Grouped(float64(n), 0) }

// Plural returns a number with its noun: "1 member", "3 members".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Count(int64(n)) + " " + noun + "s"
}

// Size formats a number of bytes.
func Size(bytes int) string {
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

// Sentence capitalizes the first letter and appends a period.
func Sentence(text string) string {
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

// PublicText returns the public message and hint of an error, or "" if it has none.
func PublicText(err error) string {
	text, hint, _ := fault.Public(err)
	return strings.TrimSpace(Sentence(text) + " " + Sentence(hint))
}

// FormTarget returns the source expression of a redirect address for the form-action policy. Browsers apply this policy
// also to redirects of forms. A policy cannot contain a host in brackets. For such an address, FormTarget returns only
// the scheme.
func FormTarget(redirect string) string {
	u, err := url.Parse(redirect)
	if err != nil {
		return ""
	}
	plain := u.Scheme == "http" || u.Scheme == "https"
	if !plain || strings.Trim(u.Host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:") != "" {
		return u.Scheme + ":"
	}
	return u.Scheme + "://" + u.Host
}
