package httpapi

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"assay/internal/bodybudget"
	"assay/internal/fault"
)

func TestAShopsMessageIsAnsweredOnceItIsKept(t *testing.T) {
	t.Parallel()
	var got ShopMessage
	var read string
	service := testService(t, func(o *Options) {
		o.Shopify = func(_ context.Context, m ShopMessage) (string, error) {
			got = m
			if m.Topic == "forged" {
				return "", fault.New(fault.KindUnauthenticated, "no secret of workspace %q signed it", m.Workspace)
			}
			body, err := io.ReadAll(m.Body)
			if err != nil {
				return "", err
			}
			read = string(body)
			switch m.Topic {
			case "crowded":
				return "", fmt.Errorf("body: %w", bodybudget.ErrFull)
			case "wrong":
				return "", fault.Invalid("the body is no order")
			case "down":
				return "", fault.Unavailable("the disk is full")
			case "defect":
				return "", http.ErrBodyNotAllowed
			}
			return "accepted", nil
		}
	})
	for name, c := range map[string]struct {
		path, method, media, topic, body string
		status                           int
		want                             string
	}{
		"kept":             {"shop", "POST", "application/json", "orders/create", `{"id":1}`, 200, `{"status":"accepted"}`},
		"forged":           {"shop", "POST", "application/json", "forged", `{}`, 401, "the signature does not match the workspace"},
		"wrong":            {"shop", "POST", "application/json; charset=utf-8", "wrong", `{}`, 422, "the body is no order"},
		"down":             {"shop", "POST", "application/json", "down", `{}`, 503, "the disk is full"},
		"crowded":          {"shop", "POST", "application/json", "crowded", `{}`, 503, "too many messages"},
		"defect":           {"shop", "POST", "application/json", "defect", `{}`, 500, `"the message could not be stored"`},
		"method":           {"shop", "GET", "", "", "", 405, ""},
		"media type":       {"shop", "POST", "text/plain", "orders/create", `{}`, 415, ""},
		"compressed":       {"shop", "POST", "application/json", "orders/create", "\x1f\x8b", 415, ""},
		"too large":        {"shop", "POST", "application/json", "orders/create", strings.Repeat(" ", maxShopMessage+1), 413, "larger than 8 MiB"},
		"large and forged": {"shop", "POST", "application/json", "forged", strings.Repeat(" ", maxShopMessage+1), 413, "larger than 8 MiB"},
		"deeper":           {"shop/x", "POST", "application/json", "orders/create", `{}`, 404, ""},
	} {
		r := httptest.NewRequestWithContext(t.Context(), c.method, shopifyPath+c.path, strings.NewReader(c.body))
		r.Host = "127.0.0.1:8080"
		r.Header.Set("Content-Type", c.media)
		r.Header.Set("X-Shopify-Topic", c.topic)
		r.Header.Set("X-Shopify-Webhook-Id", "w1")
		if name == "compressed" {
			r.Header.Set("Content-Encoding", "gzip")
		}
		recorder := httptest.NewRecorder()
		service.ServeHTTP(recorder, r)
		if recorder.Code != c.status || !strings.Contains(recorder.Body.String(), c.want) {
			t.Errorf("%s: HTTP %d %s, want %d with %s", name, recorder.Code, recorder.Body, c.status, c.want)
		}
		if after := recorder.Header().Get("Retry-After"); (after != "") != (c.status == http.StatusServiceUnavailable) {
			t.Errorf("%s: Retry-After %q", name, after)
		}
		if name == "kept" && (got.Workspace != "shop" || got.ID != "w1" || read != c.body) {
			t.Errorf("the message is %+v with %q", got, read)
		}
	}
}
