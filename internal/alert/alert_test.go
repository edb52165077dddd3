package alert

import (
	"context"
	"crypto/hmac"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/control/sqlstore"
	"assay/internal/measure"
)

var (
	now  = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
	day  = civil.New(2026, time.November, 19)
	shop = control.Workspace{ID: "shop", Name: "Shop", Currency: "USD", Zone: "UTC"}
)

func TestRulesJudgeADay(t *testing.T) {
	t.Parallel()
	const unit = 1_000_000
	rule := func(c control.AlertCondition, threshold control.AlertValue) control.Alert {
		return control.Alert{Metric: control.AlertOrders, Condition: c, Threshold: threshold * unit}
	}
	for _, c := range []struct {
		name   string
		rule   control.Alert
		values [5]control.AlertValue // values on the day and 1 to 4 weeks before; -1: unknown
		met    bool
		why    string // part of the reason
	}{
		{"below", rule(control.Below, 10), [5]control.AlertValue{9}, true, ""},
		{"not below", rule(control.Below, 10), [5]control.AlertValue{10}, false, ""},
		{"above", rule(control.Above, 10), [5]control.AlertValue{11}, true, ""},
		{"not above", rule(control.Above, 10), [5]control.AlertValue{10}, false, ""},
		{"unknown", rule(control.Below, 10), [5]control.AlertValue{-1}, false, "no data"},
		{"fall", rule(control.ChangeAbove, 30), [5]control.AlertValue{69, 100, 90, 110, 100}, true, ""},
		{"exactly at the threshold", rule(control.ChangeAbove, 30), [5]control.AlertValue{70, 100, 90, 110, 100}, false, ""},
		{"rise", rule(control.ChangeAbove, 30), [5]control.AlertValue{131, 100, 90, 110, 100}, true, ""},
		{"mean that is no whole number", rule(control.ChangeAbove, 100), [5]control.AlertValue{1, 1, 0, 0, 0}, true, ""},
		{"three weeks", rule(control.ChangeAbove, 30), [5]control.AlertValue{1, 100, 100, 100, -1}, false, "2026-10-22"},
		{"no mean", rule(control.ChangeAbove, 30), [5]control.AlertValue{1, 0, 0, 0, 0}, false, "is 0"},
	} {
		got := judge(c.rule, day, func(d civil.Date) (control.AlertValue, string) {
			v := c.values[day.Sub(d)/7]
			if v < 0 {
				return 0, "no data"
			}
			return v * unit, ""
		})
		if got.Met != c.met || (got.Why == "") != (c.why == "") || !strings.Contains(got.Why, c.why) {
			t.Errorf("%s: %+v, want met %v, why %q", c.name, got, c.met, c.why)
		}
	}
}

func TestEventsAreDescribed(t *testing.T) {
	t.Parallel()
	change := control.AlertEvent{Alert: control.Alert{Name: "Dip", Metric: control.AlertRevenue, Channel: "google", Condition: control.ChangeAbove, Threshold: 30_000_000}, Day: day, Value: 600_000_000, Reference: new(control.AlertValue(1_000_000_000))}
	below := control.AlertEvent{Alert: control.Alert{Name: "Low", Metric: control.AlertROAS, Condition: control.Below, Threshold: 1_500_000}, Day: day, Value: 1_250_000}
	for want, e := range map[string]control.AlertEvent{
		"Dip: revenue of google was USD 600.00 on 2026-11-19, -40.0% compared with USD 1,000.00, the mean of the same weekday in the previous 4 weeks. The threshold is a change of 30%.": change,
		"Low: ROAS was 1.25 on 2026-11-19, below the threshold of 1.5.": below,
	} {
		if got := Describe(e, shop); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// receiver starts an HTTPS server and returns a sender that reaches the server under a public name.
func receiver(t *testing.T, handle http.HandlerFunc) *Hooks {
	t.Helper()
	server := httptest.NewTLSServer(handle)
	t.Cleanup(server.Close)
	client := newClient(func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
	})
	client.Transport.(*http.Transport).TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig
	return &Hooks{client: client, unseal: func(measure.WorkspaceID, []byte) (string, error) { return "secret", nil }, now: func() time.Time { return now }}
}

func message() control.AlertMessage {
	e := control.AlertEvent{Alert: control.Alert{ID: "a1", Name: "Low", Metric: control.AlertROAS, Condition: control.Below, Threshold: 1_500_000}, Day: day, Value: 1_250_000}
	return control.AlertMessage{ID: "m1", Workspace: shop, Destination: control.Destination{URL: "https://example.com/token"}, Events: []control.AlertEvent{e}, Created: now}
}

func TestWebhooksAreSigned(t *testing.T) {
	t.Parallel()
	var body []byte
	var signature string
	h := receiver(t, func(_ http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		signature = r.Header.Get(SignatureHeader)
	})
	if err := h.Send(t.Context(), message()); err != nil {
		t.Fatal(err)
	}
	if !hmac.Equal([]byte(signature), []byte(Sign("secret", now, body))) || !strings.HasPrefix(signature, "t=1795176000,v1=") {
		t.Errorf("signature %s of %s", signature, body)
	}
	if Sign("other", now, body) == signature || Sign("secret", now.Add(time.Second), body) == signature || Sign("secret", now, append(body, ' ')) == signature {
		t.Error("the signature does not depend on secret, time and body")
	}
	var got payload
	if err := json.Unmarshal(body, &got); err != nil || got.ID != "m1" || len(got.Events) != 1 || got.Events[0].Value != 1_250_000 {
		t.Errorf("body %s, %v", body, err)
	}
}

func TestRepliesOtherThanSuccessAreFailures(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	for name, handle := range map[string]http.HandlerFunc{
		"an error":      func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"a redirect":    func(w http.ResponseWriter, r *http.Request) { asked.Add(1); http.Redirect(w, r, "/", http.StatusFound) },
		"a huge header": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 1<<20)) },
	} {
		err := receiver(t, handle).Send(t.Context(), message())
		if err == nil || strings.Contains(err.Error(), "token") {
			t.Errorf("%s: %v, want an error without the URL", name, err)
		}
	}
	if asked.Load() != 1 {
		t.Errorf("%d requests, want 1: a redirect was followed", asked.Load())
	}
}

func TestReceiversCannotHoldASender(t *testing.T) {
	t.Parallel()
	silent := receiver(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // after the body, the server detects that the client has disconnected
		<-r.Context().Done()
	})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := silent.Send(ctx, message()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a silent receiver: %v", err)
	}
	var sent atomic.Int64
	endless := receiver(t, func(w http.ResponseWriter, _ *http.Request) {
		for chunk := make([]byte, 32<<10); ; {
			n, err := w.Write(chunk)
			if sent.Add(int64(n)); err != nil {
				return
			}
		}
	})
	if err := endless.Send(t.Context(), message()); err != nil {
		t.Errorf("an endless reply: %v", err)
	}
}

func TestOnlyPublicAddressesAreReached(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(server.Close)
	h := NewHooks(func(measure.WorkspaceID, []byte) (string, error) { return "secret", nil }, func() time.Time { return now })
	h.client.Transport.(*http.Transport).TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig
	for _, target := range []string{
		server.URL, "https://localhost/", "https://127.0.0.1/", "https://10.0.0.1/", "https://169.254.169.254/latest", "https://[::1]/",
		"https://[::ffff:127.0.0.1]/", "https://[fe80::1]/",
	} {
		m := message()
		m.Destination.URL = target
		if err := h.Send(t.Context(), m); err == nil || err.Error() != "not a public address" {
			t.Errorf("%s: %v", target, err)
		}
	}
	if asked.Load() > 0 {
		t.Error("a server on loopback was reached")
	}
}

func TestWebhookURLsAreChecked(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"https://hooks.example.com/x?y=z", "https://hooks.example.com:443"} {
		if err := CheckURL(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{
		"", "http://hooks.example.com/", "https:///x", "https://user:pass@hooks.example.com/", "https://hooks.example.com:8443/",
		"https://hooks.example.com/#x", "https://hooks.example.com/\r\nX: y", "https://hooks.example.com/" + strings.Repeat("x", maxHookURL),
	} {
		if CheckURL(text) == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

// TestTwoProcessesDeliverOnce opens one database twice, as two processes do.
func TestTwoProcessesDeliverOnce(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	h := receiver(t, func(http.ResponseWriter, *http.Request) { requests.Add(1) })
	path := filepath.Join(t.TempDir(), "control.db")
	var stores []*sqlstore.Store
	for range 2 {
		s, err := sqlstore.Open(t.Context(), sqlstore.Options{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		stores = append(stores, s)
	}
	by := control.By{Actor: "test", At: now}
	w, err := stores[0].CreateWorkspace(t.Context(), control.NewWorkspace("Acme"), by)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := stores[0].CreateAlert(t.Context(), control.Alert{
		ID: "a1", Workspace: w.ID, Name: "Low", Metric: control.AlertROAS, Condition: control.Below, Threshold: 1_500_000,
	}, by)
	if err != nil {
		t.Fatal(err)
	}
	if err := stores[0].AddDestination(t.Context(), control.Destination{
		ID: "d1", Workspace: w.ID, Kind: control.WebhookDestination, URL: "https://example.com/", At: now,
	}, by); err != nil {
		t.Fatal(err)
	}
	var work sync.WaitGroup
	var fresh atomic.Int64
	for _, s := range stores {
		work.Go(func() {
			n, err := s.RaiseAlerts(t.Context(), w.ID, []control.AlertEvent{{Alert: kept.Record, Day: day, Value: 1, Raised: now}})
			fresh.Add(int64(n))
			if err == nil {
				err = Deliver(t.Context(), s, Sender{Hooks: h}, slog.New(slog.DiscardHandler))
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	if fresh.Load() != 1 || requests.Load() != 1 {
		t.Errorf("%d events and %d messages, want 1 and 1", fresh.Load(), requests.Load())
	}
}
