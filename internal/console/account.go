package console

import (
	"bytes"
	"errors"
	"net/http"
	"strings"

	"assay/internal/console/cookie"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/oauth/people"
)

// accountView is the view of the account page.
type accountView struct {
	Email    string
	Sessions []sessionRow
	Problem  string
	Changed  bool // the password was changed by the previous request
}

type sessionRow struct {
	control.Session
	Name string // of the browser
	Here bool   // the session of the request
}

func (c *accountPages) accountPage(w http.ResponseWriter, v visit) {
	c.showAccount(w, v, http.StatusOK, accountView{Changed: v.URL.Query().Get("done") == "password"})
}

func (c *accountPages) showAccount(w http.ResponseWriter, v visit, status int, view accountView) {
	sessions, err := c.people.Sessions(v.Context(), v.visitor)
	if err != nil {
		c.fail(w, v.Request, err)
		return
	}
	view.Email = v.visitor.User.Email
	for _, n := range sessions {
		view.Sessions = append(view.Sessions, sessionRow{Session: n, Name: browserName(n.Browser), Here: bytes.Equal(n.Hash, v.visitor.Session)})
	}
	c.render(w, v.Request, status, page{name: "account", title: "Your account", view: view, visitor: &v.visitor})
}

// changeAccount changes the password or signs out the other sessions.
func (c *accountPages) changeAccount(w http.ResponseWriter, v visit) {
	var err error
	done := ""
	switch v.PostForm.Get("action") {
	case "password":
		done = "?done=password"
		err = c.changePassword(w, v)
	case "sign-out-elsewhere":
		err = c.people.SignOutElsewhere(v.Context(), v.visitor)
	default:
		err = errUnknownAction
	}
	_, _, public := fault.Public(err)
	wait, waits := errors.AsType[*people.WaitError](err)
	switch {
	case err == nil:
		see(w, accountPath+done)
	case waits:
		c.showAccount(w, v, http.StatusTooManyRequests, accountView{Problem: waitFor(w, wait.For)})
	case fault.KindOf(err) == fault.KindUnauthenticated:
		c.showAccount(w, v, http.StatusUnprocessableEntity, accountView{Problem: "The current password is incorrect."})
	case public:
		c.showAccount(w, v, http.StatusUnprocessableEntity, accountView{Problem: publicText(err)})
	default:
		c.fail(w, v.Request, err)
	}
}

// changePassword changes the password, which ends all sessions, and starts a new session for this browser.
func (c *accountPages) changePassword(w http.ResponseWriter, v visit) error {
	from := c.addresses.Of(v.Request).String()
	if wait := c.signIns.Take(v.Context(), from, c.now()); wait > 0 {
		return &people.WaitError{For: wait}
	}
	session, err := c.people.ChangePassword(v.Context(), v.visitor, v.PostForm.Get("old"), v.PostForm.Get("password"), c.origin(v.Request))
	if fault.KindOf(err) != fault.KindUnauthenticated {
		c.signIns.Return(v.Context(), from, c.now())
	}
	if err == nil {
		c.cookies.Set(w, cookie.Session, session, cookie.SessionAge)
	}
	return err
}

// browserName returns the browser and system of a user agent: "Firefox on Windows". The order matters: the user agent
// of each browser also contains the names after it.
func browserName(agent string) string {
	first := func(of [][2]string) string {
		for _, known := range of {
			if strings.Contains(agent, known[0]) {
				return known[1]
			}
		}
		return ""
	}
	browser := first([][2]string{
		{"Edg/", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"HeadlessChrome/", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
	})
	system := first([][2]string{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"},
	})
	switch {
	case browser == "":
		return "Unknown browser"
	case system == "":
		return browser
	}
	return browser + " on " + system
}
