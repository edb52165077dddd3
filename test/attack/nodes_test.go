package attack

import (
	"bufio"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
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
	if fault.KindOf(err) != fault.KindMisconfigured || !strings.Contains(err.Error(), "does not contain the secret") {
		t.Fatalf("a node without the secret: %v", err)
	}
	secret, err := os.ReadFile(filepath.Join(first.data, "secret"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "secret"), secret, 0o600); err != nil {
		t.Fatal(err)
	}
	// A node with facts on its own disk would answer from these facts, so it is rejected until the first node has
	// ended.
	_, _, err = run(data, change)
	if fault.KindOf(err) != fault.KindUnavailable || !strings.Contains(err.Error(), "facts on its own disk") {
		t.Fatalf("a second node with facts of its own: %v", err)
	}

	first.goods(t)
	here := first.signedIn(t)
	if a := here.call(first.key, "performance", nil); a.status != http.StatusOK || a.code() != 0 {
		t.Errorf("a call with a key: %d %s", a.status, a.body)
	}

	// A code can be used once.
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

// Two services that share only a Redis server also share the rate limit of a workspace, as nodes do.
func TestNodesWithRedisShareTheRateLimit(t *testing.T) {
	t.Parallel()
	server := servertest.StartRedis(t)
	change := func(c *config.Config) { c.RedisURL, c.RateLimit = config.NewSecret(server.URL()), 10 }
	nodes := []*service{start(t, change), start(t, change)}
	nextMinute := func() { time.Sleep(time.Until(time.Now().Truncate(time.Minute).Add(time.Minute))) }
	if time.Now().Second() > 45 {
		nextMinute() // the calls are made in one minute
	}
	fallbacks := func() (n int) {
		for _, s := range nodes {
			n += strings.Count(s.log.String(), "Redis does not answer")
		}
		return n
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
	before, got := fallbacks(), calls()
	for try := 0; try < 3 && fallbacks() > before; try++ { // the machine is too busy for an answer in time
		nextMinute()
		before, got = fallbacks(), calls()
	}
	if got != 10 {
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

// startClickHouse starts a server that ends with the test, and returns its URL.
func startClickHouse(t *testing.T) string {
	t.Helper()
	servertest.SkipShort(t)
	cmd := exec.Command("../cluster/up", "--single")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	line, _ := bufio.NewReader(out).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "ready: ")
	if !ok {
		t.Skip("ClickHouse is not installed; apt-get install clickhouse-server clickhouse-client installs it")
	}
	return address
}

// orders writes a file of n orders on March 2, with IDs that begin with a name.
func orders(t *testing.T, name string, n int) string {
	t.Helper()
	text := "order_id,created_at,currency,total,channel\n"
	for i := range n {
		text += fmt.Sprintf("%s-%d,2026-03-02T15:00:00Z,USD,10.00,facebook\n", name, i)
	}
	path := filepath.Join(t.TempDir(), name+".csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Two nodes with common servers give the same answers. If both import into a workspace at the same time, an import is
// either acknowledged and stored, or rejected and not stored.
func TestNodesShareControlDataAndFacts(t *testing.T) {
	t.Parallel()
	database, facts, redis := servertest.StartPostgres(t).NewDatabase(t), startClickHouse(t), servertest.StartRedis(t)
	change := func(c *config.Config) {
		c.ControlURL, c.FactsURL, c.RedisURL = config.NewSecret(database), config.NewSecret(facts), config.NewSecret(redis.URL())
	}
	first := start(t, change)
	secret, err := os.ReadFile(filepath.Join(first.data, "secret"))
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	if err := os.WriteFile(filepath.Join(data, "secret"), secret, 0o600); err != nil {
		t.Fatal(err)
	}
	second, stop, err := run(data, change)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})

	first.goods(t)
	march := map[string]any{"start_date": "2026-03-01", "end_date": "2026-03-31"}
	answers := func() (here, there string) {
		return first.browser(t).call(first.key, "performance", march).body, second.browser(t).call(first.key, "performance", march).body
	}
	same := func(part string) {
		t.Helper()
		var here, there string
		for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
			if here, there = answers(); here == there && strings.Contains(here, part) {
				return
			}
		}
		t.Fatalf("the nodes answer\n%s\n%s\nand should contain %s", here, there, part)
	}
	same(`\"orders\":{\"value\":2,`)

	kept, rejected := 2, 0
	for round := range 4 {
		var mu sync.Mutex // guards the counts
		var group sync.WaitGroup
		for i, s := range []*service{first, second} {
			n := 10*round + i + 1
			path := orders(t, fmt.Sprintf("r%dn%d", round, i), n)
			group.Go(func() {
				result, err := s.imported(t, "acme", path)
				if err == nil {
					err = result.Err()
				}
				mu.Lock()
				defer mu.Unlock()
				switch kind := fault.KindOf(err); {
				case err == nil:
					kept += n
				case kind == fault.KindUnavailable || kind == fault.KindConflict:
					rejected++
				default:
					t.Errorf("round %d, node %d: %v", round, i, err)
				}
			})
		}
		group.Wait()
		same(fmt.Sprintf(`\"orders\":{\"value\":%d,`, kept))
	}
	t.Logf("%d orders kept, %d imports rejected", kept, rejected)
	for _, s := range []*service{first, second} {
		if strings.Contains(s.log.String(), servertest.Password) {
			t.Error("the log contains a password")
		}
	}
}
