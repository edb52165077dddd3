package attack

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/internal/app"
	"assay/internal/config"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/servertest"
)

func TestTheServiceRunsOnPostgreSQL(t *testing.T) {
	t.Parallel()
	database := servertest.StartPostgres(t)
	address := database.NewDatabase(t)
	first := start(t, func(c *config.Config) { c.ControlURL = config.NewSecret(address) })
	data := t.TempDir()
	change := func(c *config.Config) { c.ControlURL = config.NewSecret(address) }

	// A node with a secret of its own cannot join.
	_, _, err := run(data, change)
	if fault.KindOf(err) != fault.KindMisconfigured || !strings.Contains(err.Error(), "another secret") {
		t.Fatalf("a node without the secret: %v", err)
	}
	secret, err := os.ReadFile(filepath.Join(first.data, "secret"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "secret"), secret, 0o600); err != nil {
		t.Fatal(err)
	}
	// A node with facts of its own would answer from them, so it is rejected until the first one has ended.
	_, _, err = run(data, change)
	if fault.KindOf(err) != fault.KindUnavailable || !strings.Contains(err.Error(), "facts on its own disk") {
		t.Fatalf("a second node with facts of its own: %v", err)
	}

	first.goods(t)
	here := first.signedIn(t)
	if a := here.call(first.key, "performance", nil); a.status != http.StatusOK || a.code() != 0 {
		t.Errorf("a call with a key: %d %s", a.status, a.body)
	}

	// A code is spent once.
	c := first.client(t, "https://owl.example/cb")
	for range 5 {
		decided := here.post("/api/mcp/authorize", here.consent(first.asking(c, readOnly), readOnly))
		code := decided.query().Get("code")
		if code == "" {
			t.Fatalf("no code: %d to %s %s", decided.status, decided.header.Get("Location"), decided.body)
		}
		var won, refused int
		var mu sync.Mutex // guards both
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				_, a := here.exchange(first.redeeming(c, code))
				mu.Lock()
				defer mu.Unlock()
				switch {
				case a.status == http.StatusOK:
					won++
				case a.status == http.StatusBadRequest && a.failure() == "invalid_grant":
					refused++
				default:
					t.Errorf("an exchange: %d %s", a.status, a.body)
				}
			})
		}
		group.Wait()
		if won != 1 || refused != 7 {
			t.Errorf("the code was spent %d times and refused %d times", won, refused)
		}
	}

	// A grant that another process revokes ends on the next call.
	got := here.tokens(c, readOnly)
	if a := here.say(got.Access, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); a.status != http.StatusOK {
		t.Errorf("the token: %d %s", a.status, a.body)
	}
	grants, err := first.control.Store.Grants(t.Context(), "acme")
	if err != nil || len(grants) == 0 {
		t.Fatal(grants, err)
	}
	for _, g := range grants {
		if _, err := first.control.Store.RevokeGrant(t.Context(), g.ID, "test", control.By{Actor: "test", At: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	if a := here.say(got.Access, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); a.status != http.StatusUnauthorized {
		t.Errorf("the revoked token: %d %s", a.status, a.body)
	}

	// Without the database the service is not ready, and the log has no password.
	database.Kill(t)
	if a := here.get("/readyz"); a.status != http.StatusServiceUnavailable {
		t.Errorf("/readyz without the database: %d %s", a.status, a.body)
	}
	refresh := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {got.Refresh}, "client_id": {c.id}}
	if _, a := here.exchange(refresh); a.status != http.StatusServiceUnavailable {
		t.Errorf("a refresh without the database: %d %s", a.status, a.body)
	}
	database.Start(t)
	deadline := time.Now().Add(20 * time.Second)
	for here.get("/readyz").status != http.StatusOK && time.Now().Before(deadline) {
		time.Sleep(50 * time.Millisecond)
	}
	if a := here.call(first.key, "performance", nil); a.status != http.StatusOK || a.code() != 0 {
		t.Errorf("a call after the start: %d %s", a.status, a.body)
	}
	if strings.Contains(first.log.String(), servertest.Password) {
		t.Error("the log contains the password of the database")
	}
}

func TestAMovedInstallationKeepsItsKeys(t *testing.T) {
	t.Parallel()
	address := servertest.StartPostgres(t).NewDatabase(t)
	data := t.TempDir()
	before, stop, err := run(data, nil)
	if err != nil {
		t.Fatal(err)
	}
	before.goods(t)
	want := before.browser(t).call(before.key, "performance", map[string]any{"start_date": "2026-03-01", "end_date": "2026-03-31"})
	c := config.Config{Data: data}.WithDefaults()
	if _, err := app.MoveControl(t.Context(), c, address, time.Now); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("a move while the service runs: %v", err)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	moved, err := app.MoveControl(t.Context(), c, address, time.Now)
	if err != nil || len(moved) == 0 {
		t.Fatalf("moved %v, %v", moved, err)
	}
	if _, err := app.MoveControl(t.Context(), c, address, time.Now); fault.KindOf(err) != fault.KindConflict {
		t.Errorf("a second move: %v, want a conflict", err)
	}
	if err := os.Rename(filepath.Join(data, "control.db"), filepath.Join(data, "control.db.moved")); err != nil {
		t.Fatal(err)
	}
	after, stop, err := run(data, func(c *config.Config) { c.ControlURL = config.NewSecret(address) })
	if err != nil {
		t.Fatal(err)
	}
	got := after.browser(t).call(before.key, "performance", map[string]any{"start_date": "2026-03-01", "end_date": "2026-03-31"})
	if got.status != http.StatusOK || got.body != want.body {
		t.Errorf("the answer after the move: %d %s\nwant %s", got.status, got.body, want.body)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// Two services without common data share the limit of a workspace, as nodes do.
func TestNodesWithRedisShareTheRateLimit(t *testing.T) {
	t.Parallel()
	server := servertest.StartRedis(t)
	change := func(c *config.Config) { c.RedisURL, c.RateLimit = config.NewSecret(server.URL()), 10 }
	nodes := []*service{start(t, change), start(t, change)}
	if until := time.Now().Truncate(time.Minute).Add(time.Minute); time.Until(until) < 15*time.Second {
		time.Sleep(time.Until(until)) // the calls are made in one minute
	}
	calls := func() (allowed int) {
		for i := range 24 {
			s := nodes[i%2]
			if a := s.browser(t).say(s.key, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); a.status == http.StatusOK {
				allowed++
			} else if a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") == "" {
				t.Errorf("call %d: %d %s", i, a.status, a.body)
			}
		}
		return allowed
	}
	if got := calls(); got != 10 {
		t.Errorf("%d calls were allowed on two nodes, want 10", got)
	}
	server.Kill(t)
	if got := calls(); got != 20 {
		t.Errorf("%d calls were allowed without Redis, want 10 on each node", got)
	}
	for _, s := range nodes {
		if strings.Contains(s.log.String(), servertest.Password) {
			t.Error("the log contains the password of Redis")
		}
	}
}
