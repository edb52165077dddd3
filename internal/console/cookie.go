package console

import (
	"net/http"
	"time"

	"assay/internal/oauth/people"
)

// cookies reads and writes the two cookies of the console. On https their names begin with __Host-, so other hosts of the
// same domain cannot set them.
type cookies struct{ secure bool }

const (
	sessionCookie = "assay_session" // secret of the session
	visitCookie   = "assay_visit"   // secret that binds forms before sign-in to the browser

	sessionCookieAge = 7 * 24 * time.Hour // the server ends the session by its own clock
)

func (k cookies) name(base string) string {
	if k.secure {
		return "__Host-" + base
	}
	return base
}

// read returns the secret in the cookie, "" if there is none.
func (k cookies) read(r *http.Request, base string) people.Secret {
	cookie, err := r.Cookie(k.name(base))
	if err != nil {
		return ""
	}
	return people.Secret(cookie.Value)
}

// set stores the secret in the browser, until the browser closes if age is 0.
func (k cookies) set(w http.ResponseWriter, base string, secret people.Secret, age time.Duration) {
	http.SetCookie(w, k.cookie(base, string(secret), int(age.Seconds())))
}

// clear removes the cookie.
func (k cookies) clear(w http.ResponseWriter, base string) {
	http.SetCookie(w, k.cookie(base, "", -1))
}

// cookie returns a cookie that scripts cannot read. SameSite is Lax because clients redirect users here from other sites.
func (k cookies) cookie(base, value string, maxAge int) *http.Cookie {
	return &http.Cookie{ //nolint:gosec // Secure on https; without https the service is on loopback only
		Name: k.name(base), Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, Secure: k.secure, SameSite: http.SameSiteLaxMode,
	}
}
