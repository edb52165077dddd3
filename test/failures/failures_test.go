// Package failures runs three nodes of the service with PostgreSQL, Redis and a ClickHouse cluster under a steady load.
// It makes processes, servers, connections and disks fail. It counts answers, rejected requests, wrong figures, lost
// imports, repeated budget changes and codes that are redeemed twice.
//
//	test/cluster/up go test -v ./test/failures
//
// One round of all failures takes about four minutes. ASSAY_FAILURES_FOR=1h repeats rounds for that time, with the
// failures in random order. ASSAY_FAILURES_SEED repeats the order of an earlier run. ASSAY_FAILURES_ONLY=TEXT selects
// the failures whose names contain the text.
package failures

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"assay/internal/servertest"
)

const (
	base     = "http://127.0.0.1:8080" // base URL of the installation; no process listens there
	redirect = "https://owl.example/cb"
	email    = "anna@acme.example"
	password = "correct horse battery"

	patience  = 75 * time.Second // maximum wait for the answer to a request
	recovery  = 2 * time.Minute  // maximum time until all nodes answer after a failure
	failing   = 5 * time.Second  // duration of a failure
	startTime = 20 * time.Second // maximum time for the start of a ClickHouse server
	cutFor    = 15 * time.Second // duration of a cut, longer than the time limits of connections

	slowWrite = 50 * time.Millisecond // delay of each write and sync of a slow disk
)

// site is the installation with its servers.
type site struct {
	t        *testing.T
	cluster  cluster
	postgres *servertest.Postgres
	redis    *servertest.Redis
	nodes    []*node
	load     *load
	random   *rand.Rand // order of failures

	noSmallDisk   string // reason why the third node's data directory has no disk of its own; "": it has one
	noDisturbance string // reason why clocks and disks cannot be disturbed; "": they can be
	database      *disturbance
	disturbed     []*disturbance // disturbances of the nodes

	databaseURL string
	bulkKey     string
	bulkFiles   int // files that were imported into the workspace bulk
}

func newSite(t *testing.T) *site {
	t.Helper()
	dir := os.Getenv("ASSAY_TEST_CLUSTER_DIR")
	if _, err := os.Stat(filepath.Join(dir, "pid.zookeeper")); dir == "" || err != nil {
		t.Skip("needs the cluster: run the test under test/cluster/up")
	}
	s := &site{t: t, cluster: newCluster(t, dir), random: random(t), redis: servertest.StartRedis(t)}
	s.disturbed, s.noDisturbance = disturbances(t, "postgres", "node1", "node2", "node3")
	s.database, s.disturbed = s.disturbed[0], s.disturbed[1:]
	s.postgres = servertest.StartPostgres(t, s.database.env()...)
	program := filepath.Join(t.TempDir(), "assay")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "assay/cmd/assay").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	l := newLedger(t)
	var campaigns []string
	for i := range 3000 + int(duration(t).Seconds()) { // more than the load can change
		campaigns = append(campaigns, fmt.Sprint(120_000_000_000+i))
	}
	ads := platform(t, l, campaigns)
	secret := filepath.Join(filepath.Dir(program), "secret")
	s.databaseURL = s.postgres.NewDatabase(t)
	for i, name := range []string{"node1", "node2", "node3"} {
		n := &node{t: t, name: name, program: program, dir: t.TempDir(), address: "127.0.0.1:" + servertest.FreePort(t), links: map[string]*link{}, preload: s.disturbed[i].env()}
		link := func(server, text string) string {
			u, err := url.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			var hosts []string
			for i, host := range strings.Split(u.Host, ",") {
				l := newLink(t, host)
				n.links[fmt.Sprintf("%s%d", server, i)] = l
				hosts = append(hosts, l.address())
			}
			u.Host = strings.Join(hosts, ",")
			return u.String()
		}
		own := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "ASSAY_") }) // the variables of tests
		n.env = append(own, "ASSAY_DATA="+n.dir, "ASSAY_ADDR="+n.address, "ASSAY_BASE_URL="+base, "ASSAY_SECRET_FILE="+secret,
			"ASSAY_OAUTH_SECRET=a signing secret of more than 32 bytes", "ASSAY_RATE_LIMIT=1000000", "ASSAY_ADS_FACEBOOK_URL="+ads,
			"ASSAY_CONTROL_URL="+link("postgres", s.databaseURL), "ASSAY_REDIS_URL="+link("redis", s.redis.URL()),
			"ASSAY_FACTS_URL="+link("clickhouse", os.Getenv("ASSAY_TEST_CLICKHOUSE")))
		n.client = n.browser()
		n.client.Jar = nil
		s.nodes = append(s.nodes, n)
	}
	if err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "size=256m", "tmpfs", s.nodes[2].dir).Run(); err != nil {
		s.noSmallDisk = fmt.Sprintf("a tmpfs cannot be mounted: %v", err)
	} else {
		t.Cleanup(func() { _ = exec.Command("umount", s.nodes[2].dir).Run() })
	}
	s.load = &load{ledger: l, nodes: s.nodes, campaigns: campaigns}
	s.furnish()
	return s
}

// furnish starts the nodes and creates a workspace with a key, an account, a connected ad account and an OAuth client.
func (s *site) furnish() {
	s.t.Helper()
	first := s.nodes[0]
	first.run("", "workspace", "create", "shop")
	s.load.key = first.run("", "keys", "create", "--workspace", "shop", "--scopes", "measurement.read,measurement.write,measurement.approve_execution")
	first.run("", "workspace", "create", bulk)
	s.bulkKey = first.run("", "keys", "create", "--workspace", bulk, "--scopes", "measurement.read")
	first.run(password+"\n", "user", "create", email, "--workspace", "shop", "--password-stdin")
	first.run(`{"account_id":"act_1234567890","access_token":"token"}`, "connections", "add", "facebook", "--workspace", "shop")
	for _, n := range s.nodes {
		s.restart(n)
		if s.t.Failed() {
			s.t.FailNow()
		}
		s.t.Cleanup(n.kill)
	}
	browser := first.browser()
	s.load.jar = browser.Jar
	page := first.send(browser, http.MethodGet, base+"/sign-in", "")
	token := regexp.MustCompile(`name="csrf" value="([^"]*)"`).FindStringSubmatch(page.body)
	if token == nil {
		s.t.Fatalf("sign-in page: %d %s %v", page.status, page.body, page.err)
	}
	form := url.Values{"csrf": {token[1]}, "next": {"/"}, "email": {email}, "password": {password}}
	signed := first.send(browser, http.MethodPost, base+"/sign-in", form.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Origin", base)
	if signed.status != http.StatusSeeOther {
		s.t.Fatalf("sign-in: %d %s %v", signed.status, signed.body, signed.err)
	}
	registered := first.send(first.client, http.MethodPost, base+"/api/mcp/register",
		`{"client_name":"Ledger Owl","redirect_uris":["`+redirect+`"],"token_endpoint_auth_method":"none"}`, "Content-Type", "application/json")
	id := regexp.MustCompile(`"client_id": ?"([^"]*)"`).FindStringSubmatch(registered.body)
	if id == nil {
		s.t.Fatalf("registration: %d %s %v", registered.status, registered.body, registered.err)
	}
	s.load.clientID = id[1]
}

// restart starts a node, and tries again while its servers do not answer.
func (s *site) restart(n *node) {
	s.t.Helper()
	deadline := time.Now().Add(recovery)
	for {
		err := n.start()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			s.t.Error(err)
			return
		}
		s.t.Log(err)
		time.Sleep(time.Second)
	}
}

// cutOff cuts the links of nodes to a server for a while.
func (s *site) cutOff(server string, nodes ...*node) {
	for _, n := range nodes {
		for name, l := range n.links {
			if strings.HasPrefix(name, server) {
				l.cut()
				defer l.mend()
			}
		}
	}
	time.Sleep(cutFor)
}

// failure is a failure that the function do causes. The failure ends before do returns.
type failure struct {
	name string
	do   func()
	skip string // reason why this machine cannot have the failure; "": it can
}

func (s *site) failures() []failure {
	killed := func(name string) func() {
		return func() {
			s.cluster.signal(name, syscall.SIGKILL)
			time.Sleep(failing)
			s.cluster.start(name)
		}
	}
	return []failure{
		{name: "a node is killed", do: func() {
			s.nodes[1].kill()
			time.Sleep(failing)
			s.restart(s.nodes[1])
		}},
		{name: "a replica of ClickHouse is killed", do: killed("s1r2")},
		{name: "a replica is killed while it removes parts", do: func() {
			s.cluster.signal("s1r1", syscall.SIGKILL)
			s.cluster.leaveParts("s1r1")
			s.cluster.start("s1r1")
		}},
		{name: "PostgreSQL is killed", do: func() {
			s.postgres.Kill(s.t)
			time.Sleep(failing)
			s.postgres.Start(s.t)
		}},
		{name: "PostgreSQL is killed during an import", do: s.interruptImport},
		{name: "Redis is killed", do: func() {
			s.redis.Kill(s.t)
			time.Sleep(failing)
			s.redis.Start(s.t)
		}},
		{name: "ZooKeeper is killed", do: killed("zookeeper")},
		{name: "a replica of ClickHouse stops", do: func() {
			s.cluster.signal("s2r1", syscall.SIGSTOP)
			time.Sleep(failing)
			s.cluster.signal("s2r1", syscall.SIGCONT)
		}},
		{name: "PostgreSQL is cut off", do: func() { s.cutOff("postgres", s.nodes...) }},
		{name: "ClickHouse is cut off", do: func() { s.cutOff("clickhouse", s.nodes...) }},
		{name: "Redis is cut off", do: func() { s.cutOff("redis", s.nodes...) }},
		{name: "a node is cut off from all servers", do: func() { s.cutOff("", s.nodes[0]) }},
		{name: "the disk of a node is full", do: s.fillDisk, skip: s.noSmallDisk},
		{name: "disks are slow", do: s.slowDisks, skip: s.noDisturbance},
		{name: "the clock of a node jumps ahead", do: s.jump(time.Hour), skip: s.noDisturbance},
		{name: "the clock of a node jumps back", do: s.jump(-time.Hour), skip: s.noDisturbance},
		{name: "everything restarts in random order", do: s.restartAll},
	}
}

// fillDisk fills the third node's disk, which is a file system in memory (tmpfs), and frees it later.
func (s *site) fillDisk() {
	full := filepath.Join(s.nodes[2].dir, "full")
	f, err := os.Create(full)
	if err != nil {
		s.t.Fatal(err)
	}
	block := make([]byte, 1<<16)
	for err == nil {
		_, err = f.Write(block)
	}
	f.Close()
	time.Sleep(failing)
	if err := os.Remove(full); err != nil {
		s.t.Fatal(err)
	}
}

// restartAll kills all processes and servers in random order, and starts them in another random order.
func (s *site) restartAll() {
	type part struct{ kill, start func() }
	parts := []part{
		{func() { s.postgres.Kill(s.t) }, func() { s.postgres.Start(s.t) }},
		{func() { s.redis.Kill(s.t) }, func() { s.redis.Start(s.t) }},
	}
	for _, name := range servers {
		parts = append(parts, part{func() { s.cluster.signal(name, syscall.SIGKILL) }, func() { s.cluster.start(name) }})
	}
	var group sync.WaitGroup
	for _, n := range s.nodes {
		parts = append(parts, part{n.kill, func() { group.Go(func() { s.restart(n) }) }})
	}
	s.random.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	for _, p := range parts {
		p.kill()
		time.Sleep(200 * time.Millisecond)
	}
	s.random.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	for _, p := range parts {
		p.start()
		time.Sleep(200 * time.Millisecond)
	}
	nodes := make(chan struct{})
	go func() {
		group.Wait()
		close(nodes)
	}()
	for started := false; !started; {
		select {
		case <-nodes:
			started = true
		case <-time.After(time.Second):
			s.cluster.revive()
		}
	}
}

// recovered waits until all nodes are ready and an import is acknowledged. It returns the duration of the wait.
func (s *site) recovered() time.Duration {
	s.t.Helper()
	began := time.Now()
	files := func() int {
		s.load.mu.Lock()
		defer s.load.mu.Unlock()
		return s.load.files
	}
	before := files()
	for time.Since(began) < recovery {
		s.cluster.revive()
		ready := files() > before
		for _, n := range s.nodes {
			ready = ready && n.send(n.client, http.MethodGet, base+"/readyz", "").status == http.StatusOK && s.load.question(n)
		}
		if ready {
			return time.Since(began)
		}
		time.Sleep(200 * time.Millisecond)
	}
	s.t.Errorf("not all nodes answer %s after the failure", recovery)
	return time.Since(began)
}

// duration returns the time during which rounds are repeated. 0 means one round.
func duration(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("ASSAY_FAILURES_FOR")
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("ASSAY_FAILURES_FOR: %v", err)
	}
	return d
}

// random returns the random number generator for the order of failures, and prints its seed.
func random(t *testing.T) *rand.Rand {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv("ASSAY_FAILURES_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("ASSAY_FAILURES_SEED: %v", err)
		}
	}
	t.Logf("ASSAY_FAILURES_SEED=%d repeats this order", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// round runs every failure once and stops at the deadline. A zero deadline means no deadline.
func (s *site) round(all []failure, deadline time.Time) {
	s.t.Helper()
	for _, f := range all {
		if !deadline.IsZero() && time.Now().After(deadline) {
			return
		}
		if f.skip != "" {
			s.t.Logf("%-40s skipped: %s", f.name, f.skip)
			continue
		}
		s.t.Logf("%s %s", time.Now().Format("15:04:05.0"), f.name)
		f.do()
		s.t.Logf("%-40s recovered after %.1f s", f.name, s.recovered().Seconds())
	}
}

func TestFailuresLoseAndRepeatNothing(t *testing.T) { //nolint:paralleltest // it stops servers of other tests
	s := newSite(t)
	ended := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() { s.load.run(ended) })
	all := slices.DeleteFunc(s.failures(), func(f failure) bool { return !strings.Contains(f.name, os.Getenv("ASSAY_FAILURES_ONLY")) })
	if len(all) == 0 {
		t.Fatal("no failure has the name of ASSAY_FAILURES_ONLY")
	}
	if long := duration(t); long > 0 {
		for deadline := time.Now().Add(long); time.Now().Before(deadline); {
			s.random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			s.round(all, deadline)
		}
	} else {
		s.round(all, time.Time{})
	}
	close(ended)
	group.Wait()
	s.report(t)
}

// report prints the counts of outcomes and compares the final figures of each node with the expected figures.
func (s *site) report(t *testing.T) {
	t.Helper()
	time.Sleep(staleness)
	l := s.load
	l.mu.Lock()
	wrong := l.tallies[calls].wrong
	l.mu.Unlock()
	for _, n := range s.nodes {
		s.load.question(n)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	lost := l.tallies[calls].wrong - wrong // the final figure of a node differs
	repeated, missing := 0, 0
	for _, n := range l.writes {
		if n > 1 {
			repeated++
		}
	}
	for id := range l.executed {
		if l.writes[id] == 0 {
			missing++
		}
	}
	t.Logf("%-15s %9s %9s %11s %11s %7s %7s", "requests", "answered", "HTTP 503", "tool error", "connection", "other", "wrong")
	other, wrong := 0, 0
	for _, kind := range []string{calls, imports, changes, codes} {
		c := l.tallies[kind]
		t.Logf("%-15s %9d %9d %11d %11d %7d %7d", kind, c.answered, c.refused, c.tool, c.connection, c.other, c.wrong)
		other, wrong = other+c.other, wrong+c.wrong
		if c.answered == 0 {
			t.Errorf("no answers to %s", kind)
		}
	}
	t.Logf("%d imports with %d orders acknowledged, %d nodes with another final figure", l.files, l.stored[len(l.stored)-1].orders, lost)
	t.Logf("%d campaigns changed, %d more than once, %d reported as changed and not changed", len(l.writes), repeated, missing)
	t.Logf("%d codes redeemed, %d more than once", l.spent, l.double)
	for what, n := range map[string]int{
		"other failures": other, "wrong answers": wrong, "nodes without an acknowledged import": lost, "repeated budget changes": repeated,
		"missing budget changes": missing, "codes redeemed twice": l.double,
	} {
		if n != 0 {
			t.Errorf("%d %s, want 0", n, what)
		}
	}
}
