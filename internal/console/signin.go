package console

import (
	"errors"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"assay/internal/console/cookie"
	"assay/internal/fault"
	"assay/internal/oauth/people"
)

// signInForm is the purpose of the CSRF token of the sign-in form.
const signInForm = "sign-in"

// signInView is the view of the sign-in page.
type signInView struct {
	Token    string
	Next     string
	Email    string
	Problem  string
	Accounts bool // at least one account exists
}

// Visitor returns the signed-in user of a request, or a fault of kind unauthenticated.
func (c *core) Visitor(r *http.Request) (people.Visitor, error) {
	return c.people.Visitor(r.Context(), c.cookies.Read(r, cookie.Session))
}

// SignIn redirects to the sign-in page, which redirects to the path next.
func (c *core) SignIn(w http.ResponseWriter, _ *http.Request, next string) {
	see(w, signInPath+"?"+url.Values{"next": {next}}.Encode())
}

// see redirects to a path of this service with 303 See Other.
func see(w http.ResponseWriter, path string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", path)
	w.WriteHeader(http.StatusSeeOther)
}

func (c *accountPages) signInPage(w http.ResponseWriter, r *http.Request) {
	next := localPath(r.URL.Query().Get("next"))
	if _, err := c.Visitor(r); err == nil {
		see(w, next)
		return
	}
	c.showSignIn(w, r, http.StatusOK, signInView{Next: next})
}

// visitToken returns the CSRF token of a form before sign-in. It is bound to the browser by a cookie.
func (c *core) visitToken(w http.ResponseWriter, r *http.Request, form string) string {
	visit := c.cookies.Read(r, cookie.Visit)
	if visit == "" {
		visit = people.NewSecret()
		c.cookies.Set(w, cookie.Visit, visit, 0)
	}
	return visit.FormToken(form)
}

func (c *accountPages) showSignIn(w http.ResponseWriter, r *http.Request, status int, v signInView) {
	v.Token = c.visitToken(w, r, signInForm)
	all, err := c.people.List(r.Context())
	if err != nil {
		c.fail(w, r, err)
		return
	}
	v.Accounts = len(all) > 0
	c.render(w, r, status, page{name: "signin", title: "Sign in", view: v})
}

// signIn starts a session. Each sign-in sets a new cookie, which prevents session fixation.
func (c *accountPages) signIn(w http.ResponseWriter, r *http.Request) {
	if !c.readForm(w, r) {
		return
	}
	if !c.cookies.Read(r, cookie.Visit).AcceptsForm(signInForm, r.PostForm.Get("csrf")) {
		c.Refuse(w, r, http.StatusForbidden, foreignForm)
		return
	}
	view := signInView{Next: localPath(r.PostForm.Get("next")), Email: r.PostForm.Get("email")}
	from := c.addresses.Of(r).String()
	if wait := c.signIns.Take(r.Context(), from, c.now()); wait > 0 {
		c.tooMany(w, r, view, wait)
		return
	}
	secret, err := c.people.SignIn(r.Context(), people.Attempt{
		Email: view.Email, Password: r.PostForm.Get("password"), Origin: c.origin(r),
	})
	wait, waits := errors.AsType[*people.WaitError](err)
	switch {
	case err == nil:
		c.signIns.Return(r.Context(), from, c.now())
		c.endEarlier(r)
		c.cookies.Set(w, cookie.Session, secret, cookie.SessionAge)
		c.cookies.Clear(w, cookie.Visit)
		see(w, view.Next)
	case waits:
		c.tooMany(w, r, view, wait.For)
	case fault.KindOf(err) == fault.KindUnauthenticated:
		view.Problem = "Email address or password is incorrect."
		c.showSignIn(w, r, http.StatusUnprocessableEntity, view)
	default:
		c.fail(w, r, err)
	}
}

// origin returns the browser and the IP address of a request.
func (c *accountPages) origin(r *http.Request) people.Origin {
	from := people.Origin{Browser: r.UserAgent()}
	if address := c.addresses.Of(r); address.IsValid() {
		from.Address = address.String()
	}
	return from
}

func (c *accountPages) tooMany(w http.ResponseWriter, r *http.Request, view signInView, wait time.Duration) {
	view.Problem = waitFor(w, wait)
	c.showSignIn(w, r, http.StatusTooManyRequests, view)
}

// waitFor sets the Retry-After header and returns the wait as a message.
func waitFor(w http.ResponseWriter, wait time.Duration) string {
	seconds := strconv.Itoa(max(1, int(math.Ceil(wait.Seconds()))))
	w.Header().Set("Retry-After", seconds)
	return "Too many failed attempts. Try again in " + seconds + " seconds."
}

// endEarlier ends the previous session of the browser.
func (c *accountPages) endEarlier(r *http.Request) {
	visitor, err := c.Visitor(r)
	if err != nil {
		return // no previous session
	}
	if err := c.people.SignOut(r.Context(), visitor); err != nil {
		c.log.WarnContext(r.Context(), "earlier session not ended", slog.Any("error", err))
	}
}

func (c *accountPages) signOut(w http.ResponseWriter, v visit) {
	if err := c.people.SignOut(v.Context(), v.visitor); err != nil {
		c.fail(w, v.Request, err)
		return
	}
	c.cookies.Clear(w, cookie.Session)
	see(w, signInPath)
}

// localPath returns the text if it is a path of this service, otherwise "/". Text that a browser interprets as another
// host, such as //evil or /\evil, is not a path.
func localPath(text string) string {
	u, err := url.Parse(text)
	outside := err != nil || u.IsAbs() || u.Host != "" || u.User != nil ||
		!strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") || strings.Contains(text, `\`)
	if outside || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return "/"
	}
	// Formatting a URL escapes some paths again, which can turn %2F into a slash.
	if path := u.RequestURI(); !strings.HasPrefix(path, "//") {
		return path
	}
	return "/"
}
