package console

import (
	"net/http"
	"time"

	"assay/internal/oauth/people"
)

// cookies are the two that the console sets. On https their names begin with __Host-, which keeps other hosts of the
// same domain from setting them.
type cookies struct{ secure bool }

const (
	sessionCookie = "assay_session" // who is signed in
	visitCookie   = "assay_visit"   // what the sign-in form is bound to

	sessionCookieAge = 7 * 24 * time.Hour // the session itself ends by the server's own clock
)

func (k cookies) name(base string) string {
	if k.secure {
		return "__Host-" + base
	}
	return base
}

// read returns the cookie's secret, "" when there is none.
func (k cookies) read(r *http.Request, base string) people.Secret {
	cookie, err := r.Cookie(k.name(base))
	if err != nil {
		return ""
	}
	return people.Secret(cookie.Value)
}

// set keeps the secret in the browser; until it is closed when age is 0.
func (k cookies) set(w http.ResponseWriter, base string, secret people.Secret, age time.Duration) {
	http.SetCookie(w, k.cookie(base, string(secret), int(age.Seconds())))
}

// clear removes the cookie.
func (k cookies) clear(w http.ResponseWriter, base string) {
	http.SetCookie(w, k.cookie(base, "", -1))
}

// cookie is one that scripts cannot read. Lax, because a program sends people here from another site.
func (k cookies) cookie(base, value string, maxAge int) *http.Cookie {
	return &http.Cookie{ //nolint:gosec // Secure on https; without it the service is reached on loopback only
		Name: k.name(base), Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, Secure: k.secure, SameSite: http.SameSiteLaxMode,
	}
}
