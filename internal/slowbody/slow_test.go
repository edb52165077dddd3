package slowbody_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"assay/internal/fault"
	"assay/internal/slowbody"
)

// received posts a body to a server that reads it at the given pace, and returns the received text.
func received(t *testing.T, at slowbody.Pace, body io.ReadCloser) (text string, err error) {
	t.Helper()
	done := make(chan struct{})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(done)
		defer body.Close() // a client waits for its body, even if the server has ended the connection
		var read []byte
		read, err = io.ReadAll(slowbody.Slowly(w, r.Body, at))
		text = string(read)
	}))
	slowbody.Watch(server.Config, time.Now)
	server.Start()
	defer server.Close()
	post, broken := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, body)
	if broken != nil {
		t.Fatal(broken)
	}
	if answer, failed := server.Client().Do(post); failed == nil { // else the server ended the connection
		answer.Body.Close()
	}
	<-done
	return text, err
}

func TestABodyMayComeSlowlyAndNotForEver(t *testing.T) {
	t.Parallel()
	const long, short = time.Hour, 100 * time.Millisecond
	if text, err := received(t, slowbody.Pace{Silence: long, Total: long, Now: time.Now}, io.NopCloser(strings.NewReader("all of it"))); text != "all of it" || err != nil {
		t.Errorf("a body in time: %q, %v", text, err)
	}
	silent := func() io.ReadCloser { // after a part
		body, feed := io.Pipe()
		go func() { _, _ = io.WriteString(feed, "the first part") }()
		return body
	}
	text, err := received(t, slowbody.Pace{Silence: short, Total: long, Now: time.Now}, silent())
	if text != "the first part" || !errors.Is(err, os.ErrDeadlineExceeded) || fault.KindOf(err) != fault.KindInternal {
		t.Errorf("after a silence: %q, %v; want the part and a timeout", text, err)
	}
	asked := 0
	later := func() time.Time { // the body began two hours ago
		if asked++; asked == 1 {
			return time.Now().Add(-2 * long)
		}
		return time.Now()
	}
	if text, err := received(t, slowbody.Pace{Silence: long, Total: long, Now: later}, silent()); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a body that never ends: %q, %v", text, err)
	}
}
