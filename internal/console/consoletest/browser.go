package consoletest

import (
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"

	"assay/internal/console/frame/cookie"
	"assay/internal/control"
	"assay/internal/oauth/people"
)

// Browser stores cookies and follows no redirects.
type Browser struct {
	*Site
	Client *http.Client
}

// Browser returns a browser without cookies.
func (s *Site) Browser() *Browser {
	s.T.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.T.Fatal(err)
	}
	return &Browser{s, &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Page is the answer to a request.
type Page struct {
	Status int
	Header http.Header
	Body   string
}

// Send sends the request with the cookies of the browser.
func (b *Browser) Send(r *http.Request) Page {
	b.T.Helper()
	response, err := b.Client.Do(r)
	if err != nil {
		b.T.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		b.T.Fatal(err)
	}
	return Page{response.StatusCode, response.Header, string(body)}
}

// Get requests a path with its query.
func (b *Browser) Get(path string) Page {
	b.T.Helper()
	r, err := http.NewRequestWithContext(b.T.Context(), http.MethodGet, b.URL+path, nil)
	if err != nil {
		b.T.Fatal(err)
	}
	return b.Send(r)
}

// Post sends a form as a browser does from a page of the site.
func (b *Browser) Post(path string, fields url.Values) Page {
	b.T.Helper()
	return b.PostFrom(path, fields, b.URL)
}

// PostFrom sends a form as a browser does from a page of another origin.
func (b *Browser) PostFrom(path string, fields url.Values, origin string) Page {
	b.T.Helper()
	r, err := http.NewRequestWithContext(b.T.Context(), http.MethodPost, b.URL+path, strings.NewReader(fields.Encode()))
	if err != nil {
		b.T.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", origin)
	return b.Send(r)
}

// Field returns the value of the first hidden field with the given name. It returns "" if there is no such field.
func (p Page) Field(name string) string {
	found := regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).FindStringSubmatch(p.Body)
	if found == nil {
		return ""
	}
	return html.UnescapeString(found[1])
}

// SignIn fills in the sign-in form.
func (b *Browser) SignIn(email, password, next string) Page {
	b.T.Helper()
	page := b.Get("/sign-in?" + url.Values{"next": {next}}.Encode())
	return b.Post("/sign-in", url.Values{
		"csrf": {page.Field("csrf")}, "next": {page.Field("next")}, "email": {email}, "password": {password},
	})
}

// SignedIn returns a browser in which the user is signed in. It creates the session without the form, because checking
// a password is slow on purpose.
func (s *Site) SignedIn(email string) *Browser {
	s.T.Helper()
	u, err := s.People.Find(s.T.Context(), email)
	if err != nil {
		s.T.Fatal(err)
	}
	secret, now := people.NewSecret(), s.Clock.Now()
	begun := control.NewSession{
		Session:  control.Session{Hash: secret.Hash(), User: u.ID, CreatedAt: now, SeenAt: now, EndsAt: now.Add(cookie.SessionAge)},
		Password: u.Password, From: "from 127.0.0.1",
	}
	if err := s.Store.CreateSession(s.T.Context(), begun, control.By{Actor: control.ActorOf(u.ID), At: now}); err != nil {
		s.T.Fatal(err)
	}
	home, err := url.Parse(s.URL)
	if err != nil {
		s.T.Fatal(err)
	}
	b := s.Browser()
	b.Client.Jar.SetCookies(home, []*http.Cookie{{Name: cookie.Session, Value: string(secret), Path: "/"}}) //nolint:gosec // the service is on loopback
	return b
}

// Form sends a form of the workspace acme. The parameter fields contains alternating names and values.
func (b *Browser) Form(path string, fields ...string) Page {
	b.T.Helper()
	values := url.Values{"csrf": {b.Get("/account").Field("csrf")}, "workspace": {"acme"}}
	for i := 0; i < len(fields); i += 2 {
		values.Set(fields[i], fields[i+1])
	}
	return b.Post(path, values)
}
