package consoletest

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"hash/crc32"
	"html"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	diff "github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"assay/internal/auth"
	"assay/internal/console/frame"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Calls records the calls of tools.
type Calls struct {
	mu    sync.Mutex
	calls []string // tool, workspace, actor, scopes and arguments
}

// Recording returns ask with a record of its calls.
func (c *Calls) Recording(ask frame.Ask) frame.Ask {
	return func(ctx context.Context, p auth.Principal, tool string, args json.RawMessage) (json.RawMessage, error) {
		c.mu.Lock()
		var scopes []string
		for _, s := range p.Scopes {
			scopes = append(scopes, string(s))
		}
		c.calls = append(c.calls, strings.Join([]string{tool, string(p.Workspace.ID), p.Actor, strings.Join(scopes, " "), string(args)}, "|"))
		c.mu.Unlock()
		return ask(ctx, p, tool, args)
	}
}

// Taken returns the recorded calls and deletes them.
func (c *Calls) Taken() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.calls
	c.calls = nil
	return all
}

// Golden compares pages with a golden file, a txtar archive in the folder testdata of the package. The archive states
// its purpose. The name of each file in the archive is a request. For a page, it is the path with the query. For a
// form, it is "POST " and the path, with the fields as the query. The file contains the text of the answer and the
// calls of tools. The requests run in the order of the archive, one second apart. The flag -update rewrites the
// contents.
func Golden(t *testing.T, b *Browser, calls *Calls, file string) {
	t.Helper()
	a, err := txtar.ParseFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(string(a.Comment)) == "" {
		t.Errorf("%s does not state its purpose", file)
	}
	for i, f := range a.Files {
		calls.Taken()
		b.Clock.Move(time.Second)
		var got strings.Builder
		got.WriteString(random.ReplaceAllString(strings.ReplaceAll(b.request(f.Name).Text(), b.URL, "http://site"), "ID"))
		taken := calls.Taken()
		slices.Sort(taken) // pages call tools in parallel
		for _, call := range taken {
			part := strings.SplitN(call, "|", 5)
			fmt.Fprintf(&got, "calls %s %s\n", part[0], part[4])
		}
		if *update {
			a.Files[i].Data = []byte(got.String())
		} else if d := diff.Diff(string(f.Data), got.String()); d != "" {
			t.Errorf("%s (-want +got):\n%s", f.Name, d)
		}
	}
	if *update {
		if err := os.WriteFile("testdata/"+file, txtar.Format(a), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// request sends the request of a name in a golden file. A form without a workspace belongs to the workspace acme.
func (b *Browser) request(name string) Page {
	b.T.Helper()
	path, isForm := strings.CutPrefix(name, "POST ")
	if !isForm {
		return b.Get(path)
	}
	address, err := url.Parse(path)
	if err != nil {
		b.T.Fatal(err)
	}
	fields := address.Query()
	fields.Set("csrf", b.Get("/account").Field("csrf"))
	if !fields.Has("workspace") {
		fields.Set("workspace", "acme")
	}
	return b.Post(address.Path, fields)
}

var (
	random     = regexp.MustCompile(`\basy_[0-9A-Za-z]+|\b[a-z2-7]{26}\b|[\w-]{43,}|\b[a-z]+-[a-z2-7]{12}\b|\bkey:[a-z2-7]{12}\b|\[(?:rule|destination|id|job|experiment|change)=[a-z2-7]+\]`) // identifiers and secrets
	curl       = regexp.MustCompile(`(?s)<pre id="[^"]*-curl".*?</pre>`)                                                                                                                       // repeats the JSON-RPC call
	tokens     = regexp.MustCompile(`(?s)<svg\b.*?</svg>|<[^>]*>|[^<]+`)
	tagName    = regexp.MustCompile(`^<(/?[a-z0-9]+)`)
	attributes = regexp.MustCompile(`([a-z-]+)(?:="([^"]*)")?`)
	tones      = regexp.MustCompile(`\b(good|bad|warning|error)\b`)
	spaces     = regexp.MustCompile(`\s+`)
)

// inline lists the HTML elements that do not begin a new line in the text of a page.
var inline = []string{"a", "abbr", "b", "bdi", "button", "code", "em", "i", "input", "kbd", "select", "small", "span", "strong", "time", "td", "th"}

// Text returns the main part of a page as lines of text, with its links, fields and tones. Each drawing is replaced by
// its checksum. Other content, such as a CSV file, is unchanged.
func (p Page) Text() string {
	var out strings.Builder
	if p.Status != http.StatusOK {
		fmt.Fprintf(&out, "HTTP %d %s\n", p.Status, p.Header.Get("Location"))
	}
	_, main, found := strings.Cut(p.Body, "<main")
	if !found {
		main = p.Body
		if strings.Contains(p.Header.Get("Content-Type"), "svg") {
			main = drawing(main)
		}
		return out.String() + strings.TrimSpace(strings.ReplaceAll(main, "\r\n", "\n")) + "\n"
	}
	main, _, _ = strings.Cut("<main"+main, "</main>")
	main = curl.ReplaceAllString(main, "")
	href := ""
	for _, token := range tokens.FindAllString(main, -1) {
		name := tagName.FindStringSubmatch(token)
		switch {
		case strings.HasPrefix(token, "<svg"):
			out.WriteString(drawing(token))
		case name == nil:
			out.WriteString(spaces.ReplaceAllString(html.UnescapeString(token), " "))
		case name[1] == "/a":
			out.WriteString(" <" + html.UnescapeString(href) + ">")
		default:
			has := map[string]string{}
			for _, a := range attributes.FindAllStringSubmatch(strings.TrimPrefix(token, name[0]), -1) {
				has[a[1]] = html.UnescapeString(a[2])
			}
			href = cmp.Or(has["href"], href)
			out.WriteString(mark(name[1], has))
		}
	}
	var lines []string
	for line := range strings.Lines(out.String()) {
		if line = strings.TrimSpace(spaces.ReplaceAllString(line, " ")); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// mark returns the text of a tag.
func mark(name string, has map[string]string) string {
	text := ""
	if !slices.Contains(inline, strings.TrimPrefix(name, "/")) {
		text = "\n"
	}
	switch name {
	case "td", "th":
		text = " | "
	case "input", "button", "select", "textarea":
		if has["name"] != "" && has["name"] != "csrf" {
			text += "[" + has["name"] + "=" + has["value"] + "]"
		}
	case "span":
		if has["class"] == "sub" { // the second line of a cell
			text = " / "
		}
	case "option":
		text += "(" + has["value"] + ") "
	case "form":
		text += "form " + has["action"] + "\n"
	}
	if tone := tones.FindString(has["class"]); tone != "" {
		text += "{" + tone + "}"
	}
	for _, state := range []string{"aria-sort", "aria-current", "checked", "selected", "open", "disabled"} {
		if value, ok := has[state]; ok {
			text += "{" + cmp.Or(value, state) + "}"
		}
	}
	return text
}

func drawing(svg string) string { return fmt.Sprintf("[svg %08x]", crc32.ChecksumIEEE([]byte(svg))) }
