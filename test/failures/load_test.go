package failures

import (
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/internal/ads/simulator"
)

// Kinds of requests.
const (
	calls   = "tool calls"
	imports = "imports"
	changes = "budget changes"
	codes   = "codes"
)

// tally counts the outcomes of requests of one kind.
type tally struct {
	answered   int
	refused    int // responses 503 with Retry-After
	tool       int // tool results with an error that asks to try again
	connection int // errors of the connection to a killed node
	other      int
	wrong      int // answers with a wrong figure
}

// ledger has the expected state and the outcomes of all requests.
type ledger struct {
	logf func(format string, args ...any)

	mu       sync.Mutex // guards the fields below
	tallies  map[string]*tally
	problems int            // other and wrong outcomes; the first ones are logged
	stored   []stored       // acknowledged orders over time
	pending  int            // orders of the import that is not acknowledged
	files    int            // acknowledged imports
	writes   map[string]int // accepted changes on the platform, by campaign
	executed map[string]bool
	spent    int // redeemed codes
	double   int // codes that were redeemed twice
}

// stored is the number of orders that were acknowledged up to an instant.
type stored struct {
	at     time.Time
	orders int
}

func newLedger(t *testing.T) *ledger {
	t.Helper()
	l := &ledger{logf: t.Logf, tallies: map[string]*tally{}, stored: []stored{{}}, writes: map[string]int{}, executed: map[string]bool{}}
	for _, kind := range []string{calls, imports, changes, codes} {
		l.tallies[kind] = &tally{}
	}
	return l
}

func (l *ledger) problem(kind, format string, args ...any) {
	if l.problems++; l.problems <= 40 {
		l.logf("%s %s: %s", time.Now().Format("15:04:05.0"), kind, fmt.Sprintf(format, args...))
	}
}

// staleness is the time after which imports of other nodes are visible (docs/scaling.md).
const staleness = 500 * time.Millisecond

// expect returns the minimum and the maximum number of orders in the answer to a call that began at the given time.
func (l *ledger) expect(began time.Time) (least, most int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.stored {
		if s.at.Before(began.Add(-staleness)) {
			least = s.orders
		}
	}
	return least, l.stored[len(l.stored)-1].orders + l.pending
}

// outcome counts a reply and reports whether it is an answer.
func (l *ledger) outcome(kind string, n *node, wasDown bool, r reply) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.tallies[kind]
	switch {
	case r.err != nil && (wasDown || n.down.Load()):
		t.connection++
	case r.refused():
		t.refused++
	case r.err != nil:
		t.other++
		l.problem(kind, "%s: %v", n.name, r.err)
	case r.status == http.StatusOK && strings.Contains(r.body, `"isError":true`):
		if strings.Contains(strings.ToLower(r.body), "try again") {
			t.tool++
			break
		}
		return true // the caller examines it
	case r.status < 500 && r.status != http.StatusTooManyRequests:
		return true
	default:
		t.other++
		l.problem(kind, "%s: HTTP %d %.300s", n.name, r.status, r.body)
	}
	return false
}

// answered counts an answer. An answer with a problem counts as wrong.
func (l *ledger) answered(kind string, n *node, problem string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if problem != "" {
		l.tallies[kind].wrong++
		l.problem(kind, "%s: %s", n.name, problem)
		return
	}
	l.tallies[kind].answered++
}

// load sends requests to all nodes.
type load struct {
	*ledger
	nodes     []*node
	key       string
	campaigns []string
	jar       http.CookieJar
	clientID  string
}

func (l *load) pick() *node { return l.nodes[rand.IntN(len(l.nodes))] }

// call calls a tool.
func (l *load) call(n *node, tool, arguments string) reply { return n.callAs(l.key, tool, arguments) }

// text returns the text of a tool's result.
func (r reply) text() string {
	var a struct {
		Result struct{ Content []struct{ Text string } }
	}
	if json.Unmarshal([]byte(r.body), &a) != nil || len(a.Result.Content) == 0 {
		return ""
	}
	return a.Result.Content[0].Text
}

// march are the arguments for the figures of March.
const march = `{"start_date":"2026-03-01","end_date":"2026-03-31","detail_level":"debug"}`

// figures are the figures of an answer.
type figures struct {
	Metrics struct{ Revenue, Orders struct{ Value float64 } }
}

// question asks for the figures of March and compares them with the expected orders. Each order has a value of USD 10.
func (l *load) question(n *node) bool {
	began, wasDown := time.Now(), n.down.Load()
	r := l.call(n, "performance", march)
	least, _ := l.expect(began)
	_, most := l.expect(time.Now())
	if !l.outcome(calls, n, wasDown, r) {
		return false
	}
	var a figures
	err := json.Unmarshal([]byte(r.text()), &a)
	problem := ""
	if got := a.Metrics.Orders.Value; err != nil || got < float64(least) || got > float64(most) || a.Metrics.Revenue.Value != 10*got {
		problem = fmt.Sprintf("%v orders and revenue %v, want %d to %d orders, %v in %.300s", got, a.Metrics.Revenue.Value, least, most, err, r.body)
	}
	l.answered(calls, n, problem)
	return problem == ""
}

// orders returns the messages of a tap with n orders.
func orders(file, n int) string {
	var b strings.Builder
	b.WriteString(`{"type":"SCHEMA","stream":"orders","key_properties":["id"],"schema":{"properties":{"id":{},"created_at":{},"total_price":{}}}}` + "\n")
	for i := range n {
		fmt.Fprintf(&b, `{"type":"RECORD","stream":"orders","record":{"id":%[1]d,"name":"#%[1]d","created_at":"2026-03-02T15:00:00Z","updated_at":"2026-03-02T15:00:00Z",`+
			`"currency":"USD","financial_status":"paid","total_price":"10.00","line_items":[]}}`+"\n", 1000*file+i)
	}
	return b.String() + fmt.Sprintf(`{"type":"STATE","value":{"file":%d}}`, file) + "\n"
}

// oneImport sends one file to one node after another until a node acknowledges the file.
func (l *load) oneImport(file int, ended <-chan struct{}) {
	n := 1 + file%7
	l.mu.Lock()
	l.pending = n
	l.mu.Unlock()
	for {
		node := l.pick()
		wasDown := node.down.Load()
		r := node.send(node.client, http.MethodPost, base+"/api/ingest/singer", orders(file, n),
			"Content-Type", "application/x-ndjson", "Authorization", "Bearer "+l.key)
		if l.outcome(imports, node, wasDown, r) {
			if r.status == http.StatusOK {
				l.answered(imports, node, "")
				l.mu.Lock()
				l.stored = append(l.stored, stored{time.Now(), l.stored[len(l.stored)-1].orders + n})
				l.pending = 0
				l.files++
				l.mu.Unlock()
				return
			}
			l.answered(imports, node, fmt.Sprintf("HTTP %d %.300s", r.status, r.body))
		}
		select {
		case <-ended:
			return
		case <-time.After(300 * time.Millisecond):
		}
	}
}

// oneChange requests the same change of a new campaign at two nodes at the same time.
func (l *load) oneChange(campaign string) {
	var group sync.WaitGroup
	first := rand.IntN(len(l.nodes))
	for i := range 2 {
		n := l.nodes[(first+i)%len(l.nodes)]
		group.Go(func() {
			wasDown := n.down.Load()
			r := l.call(n, "propose_budget_shift",
				`{"platform":"facebook","platform_campaign_id":"`+campaign+`","new_budget_value":5500,"previous_budget_value":5000,"confirm":true,"reason":"test"}`)
			if !l.outcome(changes, n, wasDown, r) {
				return
			}
			l.answered(changes, n, "")
			if strings.Contains(r.text(), `"executed":true`) {
				l.mu.Lock()
				l.executed[campaign] = true
				l.mu.Unlock()
			}
		})
	}
	group.Wait()
}

const verifier = "a-verifier-that-is-long-enough-for-the-rule_0123"

var hidden = regexp.MustCompile(`name="(request|csrf)" value="([^"]*)"`)

// oneCode gets an authorization code at one node and redeems it at two nodes at the same time.
func (l *load) oneCode() {
	n := l.pick()
	browser := n.browser()
	browser.Jar = l.jar
	defer browser.CloseIdleConnections()
	wasDown := n.down.Load()
	page := n.send(browser, http.MethodGet, base+"/api/mcp/authorize?"+url.Values{
		"response_type": {"code"}, "client_id": {l.clientID}, "redirect_uri": {redirect}, "state": {"s"}, "scope": {"measurement.read"},
		"code_challenge": {"0TRMOQmYs3WE6xd-sj1GvuXIxzz-wHuDQfcCqrpAcDo"}, "code_challenge_method": {"S256"}, "resource": {base + "/api/mcp/rpc"},
	}.Encode(), "")
	if !l.outcome(codes, n, wasDown, page) {
		return
	}
	form := url.Values{"workspace": {"shop"}, "scope": {"measurement.read"}, "decision": {"approve"}}
	for _, f := range hidden.FindAllStringSubmatch(page.body, -1) {
		form.Set(f[1], html.UnescapeString(f[2]))
	}
	decided := n.send(browser, http.MethodPost, base+"/api/mcp/authorize", form.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Origin", base)
	if !l.outcome(codes, n, wasDown, decided) {
		return
	}
	code := decided.query().Get("code")
	if code == "" {
		l.answered(codes, n, fmt.Sprintf("no code: HTTP %d to %s after HTTP %d to %s: %.200s", decided.status, decided.header.Get("Location"), page.status, page.header.Get("Location"), decided.body))
		return
	}
	var group sync.WaitGroup
	first := rand.IntN(len(l.nodes))
	won := 0
	for i := range 2 {
		n := l.nodes[(first+i)%len(l.nodes)]
		group.Go(func() {
			wasDown := n.down.Load()
			r := n.send(n.client, http.MethodPost, base+"/api/mcp/token", url.Values{
				"grant_type": {"authorization_code"}, "code": {code}, "code_verifier": {verifier}, "redirect_uri": {redirect},
				"client_id": {l.clientID}, "resource": {base + "/api/mcp/rpc"},
			}.Encode(), "Content-Type", "application/x-www-form-urlencoded")
			if !l.outcome(codes, n, wasDown, r) {
				return
			}
			problem := ""
			if r.status != http.StatusOK && !strings.Contains(r.body, "invalid_grant") {
				problem = fmt.Sprintf("exchange: HTTP %d %.300s", r.status, r.body)
			}
			l.answered(codes, n, problem)
			if r.status == http.StatusOK {
				l.mu.Lock()
				won++
				l.mu.Unlock()
			}
		})
	}
	group.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if won > 0 {
		l.spent++
	}
	if won > 1 {
		l.double++
	}
}

// every repeats an action with a pause until the channel is closed.
func every(group *sync.WaitGroup, ended <-chan struct{}, pause time.Duration, do func(i int)) {
	group.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-ended:
				return
			case <-time.After(pause):
				do(i)
			}
		}
	})
}

// run sends requests until the channel is closed. It returns when all requests have ended.
func (l *load) run(ended <-chan struct{}) {
	var group sync.WaitGroup
	for _, n := range l.nodes {
		every(&group, ended, 700*time.Millisecond, func(int) { l.question(n) })
	}
	every(&group, ended, time.Second, func(i int) { l.oneImport(i+1, ended) })
	every(&group, ended, 2*time.Second, func(i int) { l.oneChange(l.campaigns[i%len(l.campaigns)]) })
	every(&group, ended, 3*time.Second, func(int) { l.oneCode() })
	group.Wait()
}

// platform simulates Meta with campaigns that have a daily budget of USD 50. It counts the accepted changes.
func platform(t *testing.T, l *ledger, campaigns []string) (address string) {
	t.Helper()
	account := simulator.FacebookAccount{
		ID: "1234567890", Name: "Store", Currency: "USD", TimeZone: "UTC", Token: "token", Permissions: []string{"ads_management", "ads_read"},
		MinDaily: 100, Quota: 1_000_000_000,
	}
	for _, id := range campaigns {
		account.Campaigns = append(account.Campaigns, simulator.FacebookCampaign{ID: id, Account: account.ID, Name: "Campaign " + id, Status: "ACTIVE", Daily: 5000})
	}
	simulated := simulator.NewFacebook(account, time.Now)
	var one sync.Mutex // one request at a time, so that the log has only its entry
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		one.Lock()
		defer one.Unlock()
		simulated.ServeHTTP(w, r)
		for _, e := range simulated.Log() {
			if e.Applied {
				l.mu.Lock()
				l.writes[path.Base(e.Path)]++
				l.mu.Unlock()
			}
		}
		simulated.Reset()
	}))
	t.Cleanup(server.Close)
	return server.URL
}
