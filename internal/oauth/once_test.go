package oauth_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/oauth"
	"assay/internal/oauth/people"
)

// triesAtOnce is the number of goroutines that use each single-use object at the same time. Half of them use another
// process.
const triesAtOnce = 4

// rounds is the number of codes and of refresh tokens; `make race` uses more.
func rounds() int {
	if os.Getenv("ASSAY_TEST_THOROUGH") != "" {
		return 300
	}
	return 40
}

// codes creates n authorization codes for the client, as if a person had approved n requests.
func (s *service) codes(c client, n int) []people.Secret {
	s.t.Helper()
	by, now := s.by(), s.clock.now()
	codes := make([]people.Secret, n)
	for i := range codes {
		codes[i] = people.NewSecret()
		request := control.AuthRequest{
			Hash: people.NewSecret().Hash(), Session: s.session.Hash(), User: s.owner.ID, Client: control.ClientID(c.id), Redirect: c.redirect, ExpiresAt: now.Add(time.Minute),
		}
		g := control.Grant{
			ID: control.GrantID(people.NewSecret()), User: s.owner.ID, Workspace: "acme", Client: request.Client, ClientName: "Ledger Owl",
			Redirect: c.redirect, Scopes: control.Scopes()[:1], CreatedAt: now, EndsAt: now.Add(time.Hour),
		}
		code := control.Code{Hash: codes[i].Hash(), Grant: g.ID, Redirect: c.redirect, Challenge: challengeOf(verifier), ExpiresAt: now.Add(time.Minute)}
		if err := s.store.KeepRequest(s.t.Context(), request); err != nil {
			s.t.Fatal(err)
		}
		if err := s.store.ApproveRequest(s.t.Context(), request.Hash, g, code, by); err != nil {
			s.t.Fatal(err)
		}
	}
	return codes
}

// secondServer returns a second server on the same data, like a server in another process.
func (s *service) secondServer() http.Handler {
	s.t.Helper()
	store := s.elsewhere()
	server, err := oauth.New(oauth.Options{BaseURL: base, Store: store, Secrets: [][]byte{secret}, Now: s.clock.now})
	if err != nil {
		s.t.Fatal(err)
	}
	return server.Handler(&pages{people: people.New(people.Options{Store: store, Now: s.clock.now})})
}

// race sends each form twice to both servers at the same time. For each form it returns how many answers had the
// status, and one of these answers.
func race(handlers [2]http.Handler, path string, forms []url.Values, session people.Secret, status int) (won []int, answers []string) {
	counts, bodies := make([]atomic.Int64, len(forms)), make([]atomic.Value, len(forms))
	for i, fields := range forms {
		var wg sync.WaitGroup
		text := fields.Encode()
		for try := range triesAtOnce {
			wg.Go(func() {
				r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(text))
				r.Host = "assay.example"
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				w := httptest.NewRecorder()
				handlers[try%2].ServeHTTP(w, withSession(r, session))
				if w.Code == status {
					counts[i].Add(1)
					bodies[i].Store(w.Body.String())
				}
			})
		}
		wg.Wait()
	}
	for i := range forms {
		won = append(won, int(counts[i].Load()))
		text, _ := bodies[i].Load().(string)
		answers = append(answers, text)
	}
	return won, answers
}

func wantOneEach(t *testing.T, what string, won []int) {
	t.Helper()
	for i, n := range won {
		if n != 1 {
			t.Errorf("%s %d of %d was used %d times in %d concurrent attempts, want once", what, i+1, len(won), n, triesAtOnce)
		}
	}
}

func TestOneOfConcurrentUsesSucceeds(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	handlers := [2]http.Handler{s.handler, s.secondServer()}
	c := s.register("https://owl.example/cb")

	var redemptions []url.Values
	for _, code := range s.codes(c, rounds()) {
		redemptions = append(redemptions, c.redeeming(string(code)))
	}
	won, _ := race(handlers, "/api/mcp/token", redemptions, "", http.StatusOK)
	wantOneEach(t, "code", won)

	var refreshes []url.Values
	for _, code := range s.codes(c, rounds()) {
		got, a := s.exchange(c.redeeming(string(code)))
		if a.status != http.StatusOK {
			t.Fatal(a.body)
		}
		refreshes = append(refreshes, c.refreshing(got.Refresh))
	}
	won, answers := race(handlers, "/api/mcp/token", refreshes, "", http.StatusOK)
	wantOneEach(t, "refresh token", won)
	for _, answer := range answers[:10] {
		_, after, _ := strings.Cut(answer, `"refresh_token":"`)
		token, _, _ := strings.Cut(after, `"`)
		if _, a := s.exchange(c.refreshing(token)); a.status != http.StatusOK {
			t.Errorf("after a race the successor is invalid: %s", a.body)
		}
	}

	var decisions []url.Values
	for range rounds() / 10 {
		decisions = append(decisions, s.consent(s.session, c.asking(readWrite)).approving("measurement.read"))
	}
	won, _ = race(handlers, "/api/mcp/authorize", decisions, s.session, http.StatusSeeOther)
	wantOneEach(t, "request", won)
}

// path returns the path of the service's control database.
func (s *service) path() string { return filepath.Join(s.dir, "control.db") }

// The first invitation creates an account, and the second is for an existing account. The unique email address prevents
// a second account from the first invitation. Only the single use of the link protects the second invitation.
func TestASetUpLinkAdmitsOneOfConcurrentUses(t *testing.T) {
	t.Parallel()
	s := newService(t, secret)
	processes := [2]*people.People{s.people, people.New(people.Options{Store: s.elsewhere(), Now: s.clock.now})}
	by := control.Membership{User: s.owner.ID, Workspace: control.Workspace{ID: "acme"}, Role: control.RoleOwner}
	invite := func(email string) people.Secret {
		t.Helper()
		link, _, err := s.people.Invite(t.Context(), by, email, control.RoleAnalyst)
		if err != nil {
			t.Fatal(err)
		}
		return link
	}
	atOnce := func(try func(i int, p *people.People) error) (won []int) {
		errs := make([]error, triesAtOnce)
		var wg sync.WaitGroup
		for i := range triesAtOnce {
			wg.Go(func() { errs[i] = try(i, processes[i%2]) })
		}
		wg.Wait()
		for i, err := range errs {
			switch kind := fault.KindOf(err); {
			case err == nil:
				won = append(won, i)
			case kind != fault.KindConflict && kind != fault.KindNotFound:
				t.Errorf("a late caller gets: %v", err)
			}
		}
		return won
	}

	link := invite("new@acme.example")
	won := atOnce(func(i int, p *people.People) error {
		_, err := p.SetUp(t.Context(), link, fmt.Sprint("a password of ", i), people.Origin{})
		return err
	})
	if len(won) != 1 {
		t.Errorf("a link created accounts for %v of %d concurrent attempts, want one", won, triesAtOnce)
	}
	for i := range triesAtOnce {
		_, err := s.people.SignIn(t.Context(), people.Attempt{Email: "new@acme.example", Password: fmt.Sprint("a password of ", i)})
		if (err == nil) != slices.Contains(won, i) {
			t.Errorf("the link let %v in, and the password of %d: %v", won, i, err)
		}
	}

	known, err := s.people.Create(t.Context(), "known@acme.example", password, "test")
	if err != nil {
		t.Fatal(err)
	}
	for range rounds() {
		link = invite(known.Email)
		won = atOnce(func(_ int, p *people.People) error { return p.Accept(t.Context(), link, people.Visitor{User: known}) })
		if len(won) != 1 {
			t.Errorf("a link was accepted by %v of %d concurrent attempts, want one", won, triesAtOnce)
		}
		if err := s.people.Leave(t.Context(), known.ID, "acme", "test"); err != nil {
			t.Fatal(err)
		}
	}
}
