package attack

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/internal/app"
	"assay/internal/config"
	"assay/internal/fault"
	"assay/internal/operation"
)

// hostileCSV returns a gzip file of orders. It has enough rejected rows for an import to report progress, then rows of
// almost 4 MiB with 1.4 million cells each.
func hostileCSV(t *testing.T, rows int) []byte {
	t.Helper()
	packed := func(text string) []byte {
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	start := packed("order_id,created_at,currency,total\n" + strings.Repeat("x\n", 10_000))
	row := packed(strings.Repeat(`"",`, 1_390_000) + "\n")
	return append(start, bytes.Repeat(row, rows)...) // concatenated gzip parts are one file
}

// The service stops within the shutdown timeout plus two seconds while it reads two hostile files. One is from the Data
// page, and a command imports the other. Each file would take minutes.
func TestAHostileFileDoesNotDelayShutdown(t *testing.T) {
	t.Parallel()
	const timeout = 2 * time.Second
	s, stop, err := run(t.TempDir(), func(c *config.Config) { c.ShutdownTimeout = timeout })
	if err != nil {
		t.Fatal(err)
	}
	b := s.signedIn(t)
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for _, field := range [][2]string{{"csrf", b.get("/data").field("csrf")}, {"workspace", "acme"}} {
		if err := w.WriteField(field[0], field[1]); err != nil {
			t.Fatal(err)
		}
	}
	part, err := w.CreateFormFile("file", "orders.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write(hostileCSV(t, 450)); err != nil { // the page accepts 2 GiB, unpacked
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	sent := b.send(http.MethodPost, "/data/check", body.String(), "Content-Type", w.FormDataContentType(), "Origin", s.url)
	if sent.status != http.StatusSeeOther {
		t.Fatalf("the upload: %d %s", sent.status, sent.body)
	}

	path := filepath.Join(t.TempDir(), "orders.csv.gz")
	if err := os.WriteFile(path, hostileCSV(t, 5000), 0o600); err != nil {
		t.Fatal(err)
	}
	reading, imported := make(chan struct{}, 1), make(chan error, 1)
	go func() {
		call := operation.Call{Workspace: "other", Caller: operation.Operator("test"), Progress: func(int64, int64) {
			select {
			case reading <- struct{}{}:
			default:
			}
		}}
		_, err := app.ImportFiles(t.Context(), config.Config{Data: s.data}, call, operation.Import{Paths: []string{path}}, nil, time.Now)
		imported <- err
	}()
	select {
	case <-reading:
	case err := <-imported:
		t.Fatalf("the import ends before the shutdown: %v", err)
	}
	if page := b.get(sent.header.Get("Location")); page.header.Get("Refresh") == "" {
		t.Fatalf("the file of the page is read before the shutdown: %d %s", page.status, page.body)
	}

	limit, cancel := context.WithTimeout(t.Context(), timeout+2*time.Second)
	defer cancel()
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	select {
	case err := <-stopped:
		if err != nil {
			t.Errorf("the shutdown: %v", err)
		}
	case <-limit.Done():
		t.Fatalf("the service is running %s after the shutdown began", timeout+2*time.Second)
	}
	if err := <-imported; fault.KindOf(err) != fault.KindUnavailable || errors.Is(err, context.Canceled) {
		t.Errorf("the command that imports: %v, want the end of the service", err)
	}
}
