package httpapi

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the answers in testdata")

// everywhere lists the headers that every response has. A separate test checks them.
var everywhere = []string{"X-Content-Type-Options", "X-Frame-Options", "Referrer-Policy", "X-Request-Id", "Cache-Control", "Vary"}

// TestWire runs the scripts of testdata, each on its own service that allows 20 requests per minute. A section is a
// request: the method and path, headers, an empty line and the body. The section with the same name followed by
// "answer" is the expected response.
func TestWire(t *testing.T) {
	t.Parallel()
	scripts, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, script := range scripts {
		t.Run(strings.TrimSuffix(filepath.Base(script), ".txtar"), func(t *testing.T) {
			t.Parallel()
			play(t, script)
		})
	}
}

func play(t *testing.T, script string) {
	t.Helper()
	archive, err := txtar.ParseFile(script)
	if err != nil {
		t.Fatal(err)
	}
	if len(bytes.TrimSpace(archive.Comment)) == 0 {
		t.Error("the script does not state its purpose")
	}
	service := testService(t, nil)
	answers := map[string]string{}
	played := &txtar.Archive{Comment: archive.Comment}
	for _, section := range archive.Files {
		if strings.HasSuffix(section.Name, " answer") {
			answers[section.Name] = string(section.Data)
			continue
		}
		recorder := httptest.NewRecorder()
		service.ServeHTTP(recorder, requestOf(t, section.Data))
		answer := txtar.File{Name: section.Name + " answer", Data: []byte(written(recorder.Result(), recorder.Body.String()))}
		played.Files = append(played.Files, section, answer)
	}
	if *update {
		if err := os.WriteFile(script, txtar.Format(played), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, section := range played.Files {
		if strings.HasSuffix(section.Name, " answer") {
			if diff := cmp.Diff(answers[section.Name], string(section.Data)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", section.Name, diff)
			}
		}
	}
}

func requestOf(t *testing.T, text []byte) *http.Request {
	t.Helper()
	head, body, _ := strings.Cut(string(text), "\n\n")
	line, headers, _ := strings.Cut(head, "\n")
	method, target, _ := strings.Cut(strings.TrimSpace(line), " ")
	r := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(strings.TrimSuffix(body, "\n")))
	parsed, err := textproto.NewReader(bufio.NewReader(strings.NewReader(strings.TrimSpace(headers) + "\r\n\r\n"))).ReadMIMEHeader()
	if err != nil && strings.TrimSpace(headers) != "" {
		t.Fatalf("headers of %s: %v", line, err)
	}
	r.Header = http.Header(parsed)
	r.Host = "127.0.0.1:8080"
	if host := r.Header.Get("Host"); host != "" {
		r.Host = host
		r.Header.Del("Host")
	}
	return r
}

func written(r *http.Response, body string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d\n", r.StatusCode)
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		if !slices.Contains(everywhere, name) {
			fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(r.Header[name], " | "))
		}
	}
	if body != "" {
		b.WriteString("\n" + body + "\n")
	}
	return b.String()
}
