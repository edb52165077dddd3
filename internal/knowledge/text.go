package knowledge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"assay/internal/fault"
)

// Length is the part of an article that a text contains.
type Length string

// The lengths have the names of the levels of detail of answers.
const (
	Summary Length = "summary" // one paragraph: definition and formula
	Analyst Length = "analyst" // the whole article
	Debug   Length = "debug"   // also its other names, constants of the code and related articles
)

// Text returns an article as Markdown.
func (l *Library) Text(id ID, length Length) (string, error) {
	a, err := l.Article(id)
	if err != nil {
		return "", err
	}
	switch length {
	case Summary:
		return a.summary(), nil
	case Analyst:
		return "# " + a.Title + "\n\n" + a.whole(), nil
	case Debug:
		return "# " + a.Title + "\n\n" + a.whole() + l.details(a), nil
	}
	return "", fault.Invalid("unknown length %q (want summary, analyst or debug)", length)
}

// HTML returns an article without its title as HTML for a page. Raw HTML of the text is omitted.
func (l *Library) HTML(id ID) (string, error) {
	a, err := l.Article(id)
	if err != nil {
		return "", err
	}
	var page bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.Table)).Convert([]byte(a.whole()), &page); err != nil {
		return "", fmt.Errorf("article %s: %w", id, err)
	}
	return page.String(), nil
}

func (a *Article) summary() string {
	if a.Formula == "" {
		return a.Lead
	}
	return a.Lead + " Formula: " + a.Formula + "."
}

// whole returns the article without its title.
func (a *Article) whole() string {
	var b strings.Builder
	b.WriteString(a.Body + "\n")
	if a.Formula != "" {
		b.WriteString("\n**Formula:** `" + a.Formula + "`\n")
	}
	writeList(&b, "Pitfalls", a.Pitfalls)
	if a.Call != nil {
		b.WriteString("\n**Your own figure:** call `" + a.Call.Tool + "`" + a.Call.with() + ".\n")
	}
	return b.String()
}

// with returns the arguments of a call as text after the word "with". It returns "" without arguments.
func (c *Call) with() string {
	if len(c.Arguments) == 0 {
		return ""
	}
	text, err := json.Marshal(c.Arguments)
	if err != nil {
		return "" // values from YAML can be encoded
	}
	return " with `" + string(text) + "`"
}

// details returns the additional text of an article for the length [Debug].
func (l *Library) details(a *Article) string {
	var b strings.Builder
	var constants, related []string
	for _, c := range a.Constants {
		constants = append(constants, fmt.Sprintf("%s: %s (`%s`)", c.Meaning, c.Value, c.Source))
	}
	for _, id := range a.Related {
		related = append(related, fmt.Sprintf("%s (`%s`)", l.byID[id].Title, id))
	}
	b.WriteString("\n**Also called:** " + strings.Join(a.Aliases, "; ") + "\n")
	writeList(&b, "Constants in the code", constants)
	writeList(&b, "Related articles", related)
	return b.String()
}

func writeList(b *strings.Builder, title string, items []string) {
	if len(items) == 0 {
		return
	}
	b.WriteString("\n**" + title + ":**\n\n")
	for _, item := range items {
		b.WriteString("- " + item + "\n")
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func countWords(n int) string {
	if n == 1 {
		return "1 word"
	}
	return strconv.Itoa(n) + " words"
}
