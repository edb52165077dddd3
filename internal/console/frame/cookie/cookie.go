// Package cookie reads and writes the two cookies of the console.
package cookie

import (
	"net/http"
	"time"

	"assay/internal/oauth/people"
)

// Cookies reads and writes cookies. On https their names begin with __Host-, so other hosts of the same domain cannot
// set them.
type Cookies struct{ Secure bool }

// The base names of the cookies, and the maximum age of the session cookie.
const (
	Session = "assay_session" // secret of the session
	Visit   = "assay_visit"   // secret that binds forms before sign-in to the browser

	SessionAge = 7 * 24 * time.Hour // the server ends the session by its own clock
)

func (k Cookies) name(base string) string {
	if k.Secure {
		return "__Host-" + base
	}
	return base
}

// Read returns the secret in the cookie, or "" if there is none.
func (k Cookies) Read(r *http.Request, base string) people.Secret {
	cookie, err := r.Cookie(k.name(base))
	if err != nil {
		return ""
	}
	return people.Secret(cookie.Value)
}

// Set stores the secret in the browser. If age is 0, the secret lasts until the browser closes.
func (k Cookies) Set(w http.ResponseWriter, base string, secret people.Secret, age time.Duration) {
	http.SetCookie(w, k.cookie(base, string(secret), int(age.Seconds())))
}

// Clear removes the cookie.
func (k Cookies) Clear(w http.ResponseWriter, base string) {
	http.SetCookie(w, k.cookie(base, "", -1))
}

// cookie returns a cookie that scripts cannot read. SameSite is Lax because clients redirect users here from other
// sites.
func (k Cookies) cookie(base, value string, maxAge int) *http.Cookie {
	return &http.Cookie{ //nolint:gosec // Secure on https; without https the service is on loopback only
		Name: k.name(base), Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, Secure: k.Secure, SameSite: http.SameSiteLaxMode,
	}
}
