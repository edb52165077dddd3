package console

import (
	"bytes"
	"errors"
	"net/http"
	"strings"

	"assay/internal/console/frame"
	"assay/internal/console/frame/cookie"
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
	Name string // name of the browser
	Here bool   // this is the session of the request
}

func (c *accountPages) accountPage(w http.ResponseWriter, v frame.Visit) {
	c.showAccount(w, v, http.StatusOK, accountView{Changed: v.URL.Query().Get("done") == "password"})
}

func (c *accountPages) showAccount(w http.ResponseWriter, v frame.Visit, status int, view accountView) {
	sessions, err := c.People.Sessions(v.Context(), v.Visitor)
	if err != nil {
		c.Fail(w, v.Request, err)
		return
	}
	view.Email = v.Visitor.User.Email
	for _, n := range sessions {
		view.Sessions = append(view.Sessions, sessionRow{Session: n, Name: browserName(n.Browser), Here: bytes.Equal(n.Hash, v.Visitor.Session)})
	}
	c.Render(w, v.Request, status, frame.Page{Name: "account", Title: "Your account", View: view, Visitor: &v.Visitor})
}

// changeAccount changes the password or signs out the other sessions.
func (c *accountPages) changeAccount(w http.ResponseWriter, v frame.Visit) {
	var err error
	done := ""
	switch v.PostForm.Get("action") {
	case "password":
		done = "?done=password"
		err = c.changePassword(w, v)
	case "sign-out-elsewhere":
		err = c.People.SignOutElsewhere(v.Context(), v.Visitor)
	default:
		err = frame.ErrUnknownAction
	}
	_, _, public := fault.Public(err)
	wait, waits := errors.AsType[*people.WaitError](err)
	switch {
	case err == nil:
		frame.See(w, accountPath+done)
	case waits:
		c.showAccount(w, v, http.StatusTooManyRequests, accountView{Problem: waitFor(w, wait.For)})
	case fault.KindOf(err) == fault.KindUnauthenticated:
		c.showAccount(w, v, http.StatusUnprocessableEntity, accountView{Problem: "The current password is incorrect."})
	case public:
		c.showAccount(w, v, http.StatusUnprocessableEntity, accountView{Problem: frame.PublicText(err)})
	default:
		c.Fail(w, v.Request, err)
	}
}

// changePassword changes the password, which ends all sessions, and starts a new session for this browser.
func (c *accountPages) changePassword(w http.ResponseWriter, v frame.Visit) error {
	from := c.addresses.Of(v.Request).String()
	if wait := c.signIns.Take(v.Context(), from, c.Now()); wait > 0 {
		return &people.WaitError{For: wait}
	}
	session, err := c.People.ChangePassword(v.Context(), v.Visitor, v.PostForm.Get("old"), v.PostForm.Get("password"), c.origin(v.Request))
	if fault.KindOf(err) != fault.KindUnauthenticated {
		c.signIns.Return(v.Context(), from, c.Now())
	}
	if err == nil {
		c.Cookies.Set(w, cookie.Session, session, cookie.SessionAge)
	}
	return err
}

// browserName returns the browser and system of a user agent: "Firefox on Windows". The order of the list matters,
// because the user agent of each browser also contains the names after it.
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
