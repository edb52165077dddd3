package setup_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"assay/internal/console/consoletest"
	"assay/internal/control"
)

func TestAdAccountsAreConnectedTestedAndDisconnected(t *testing.T) {
	t.Parallel()
	a := consoletest.NewAds(t)
	_, b := a.Connected()
	p := b.Get("/connections?workspace=acme")
	for _, want := range []string{"&lt;b&gt;Store", "7000", "Connected", "USD", "UTC", "Nov 20, 2026"} {
		if !strings.Contains(p.Body, want) {
			t.Errorf("the page lacks %q: %s", want, p.Body)
		}
	}
	if p = b.Form("/connections", "action", "test", "platform", "tiktok"); !strings.Contains(p.Header.Get("Location"), "done=tested") {
		t.Errorf("test: %d %s", p.Status, p.Body)
	}
	wrong := b.Form("/connections", "action", "connect", "platform", "tiktok", "advertiser_id", "not-a-number", "access_token", "another-secret")
	if wrong.Status != http.StatusUnprocessableEntity || strings.Contains(wrong.Body, "another-secret") || !strings.Contains(wrong.Body, `value="not-a-number"`) {
		t.Errorf("a wrong account: %d %s", wrong.Status, wrong.Body)
	}
	b.Form("/connections", "action", "connect", "platform", "tiktok", "advertiser_id", "7000", "access_token", "expired-token")
	if p = b.Get("/connections?workspace=acme"); !strings.Contains(p.Body, `class="status error"`) || strings.Contains(p.Body, "expired-token") {
		t.Errorf("a rejected token is not shown as an error, or is shown itself: %s", p.Body)
	}
	a.Member("vera@example.com", control.RoleViewer)
	viewer := a.SignedIn("vera@example.com")
	for _, action := range []string{"connect", "disconnect", "test", "Disconnect"} {
		fields := []string{"action", action, "platform", "tiktok", "account", "7000", "advertiser_id", "7000", "access_token", "x"}
		if p := viewer.Form("/connections", fields...); p.Status != http.StatusForbidden && p.Status != http.StatusUnprocessableEntity {
			t.Errorf("a viewer can %s: %d", action, p.Status)
		}
	}
	if foreign := b.Post("/connections", url.Values{"workspace": {"acme"}, "action": {"disconnect"}, "platform": {"tiktok"}, "account": {"7000"}}); foreign.Status != http.StatusForbidden {
		t.Errorf("without a token: %d, want 403", foreign.Status)
	}
	if p = b.Get("/connections?workspace=acme&disconnect=tiktok&account=7000"); !strings.Contains(p.Body, "Disconnect TikTok account") {
		t.Errorf("no confirmation: %s", p.Body)
	}
	b.Form("/connections", "action", "disconnect", "platform", "tiktok", "account", "7000")
	if p = b.Get("/connections?workspace=acme"); !strings.Contains(p.Body, "No ad account is connected") {
		t.Errorf("not disconnected: %s", p.Body)
	}
}
