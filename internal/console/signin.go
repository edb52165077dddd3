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

	"assay/internal/console/frame"
	"assay/internal/console/frame/cookie"
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

func (c *accountPages) signInPage(w http.ResponseWriter, r *http.Request) {
	next := localPath(r.URL.Query().Get("next"))
	if _, err := c.Visitor(r); err == nil {
		frame.See(w, next)
		return
	}
	c.showSignIn(w, r, http.StatusOK, signInView{Next: next})
}

// visitToken returns the CSRF token of a form before sign-in. A cookie binds the token to the browser.
func (c *accountPages) visitToken(w http.ResponseWriter, r *http.Request, form string) string {
	visit := c.Cookies.Read(r, cookie.Visit)
	if visit == "" {
		visit = people.NewSecret()
		c.Cookies.Set(w, cookie.Visit, visit, 0)
	}
	return visit.FormToken(form)
}

func (c *accountPages) showSignIn(w http.ResponseWriter, r *http.Request, status int, v signInView) {
	v.Token = c.visitToken(w, r, signInForm)
	all, err := c.People.List(r.Context())
	if err != nil {
		c.Fail(w, r, err)
		return
	}
	v.Accounts = len(all) > 0
	c.Render(w, r, status, frame.Page{Name: "signin", Title: "Sign in", View: v})
}

// signIn starts a session. Each sign-in sets a new cookie, which prevents session fixation.
func (c *accountPages) signIn(w http.ResponseWriter, r *http.Request) {
	if !c.ReadForm(w, r) {
		return
	}
	if !c.Cookies.Read(r, cookie.Visit).AcceptsForm(signInForm, r.PostForm.Get("csrf")) {
		c.Refuse(w, r, http.StatusForbidden, frame.ForeignForm)
		return
	}
	view := signInView{Next: localPath(r.PostForm.Get("next")), Email: r.PostForm.Get("email")}
	from := c.addresses.Of(r).String()
	if wait := c.signIns.Take(r.Context(), from, c.Now()); wait > 0 {
		c.tooMany(w, r, view, wait)
		return
	}
	secret, err := c.People.SignIn(r.Context(), people.Attempt{
		Email: view.Email, Password: r.PostForm.Get("password"), Origin: c.origin(r),
	})
	wait, waits := errors.AsType[*people.WaitError](err)
	switch {
	case err == nil:
		c.signIns.Return(r.Context(), from, c.Now())
		c.endEarlier(r)
		c.Cookies.Set(w, cookie.Session, secret, cookie.SessionAge)
		c.Cookies.Clear(w, cookie.Visit)
		frame.See(w, view.Next)
	case waits:
		c.tooMany(w, r, view, wait.For)
	case fault.KindOf(err) == fault.KindUnauthenticated:
		view.Problem = "The email address or password is incorrect."
		c.showSignIn(w, r, http.StatusUnprocessableEntity, view)
	default:
		c.Fail(w, r, err)
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
	return "Too many failed attempts. Wait " + seconds + " s and try again."
}

// endEarlier ends the previous session of the browser.
func (c *accountPages) endEarlier(r *http.Request) {
	visitor, err := c.Visitor(r)
	if err != nil {
		return // no previous session
	}
	if err := c.People.SignOut(r.Context(), visitor); err != nil {
		c.Log.WarnContext(r.Context(), "earlier session not ended", slog.Any("error", err))
	}
}

func (c *accountPages) signOut(w http.ResponseWriter, v frame.Visit) {
	if err := c.People.SignOut(v.Context(), v.Visitor); err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	c.Cookies.Clear(w, cookie.Session)
	frame.See(w, frame.SignInPath)
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
