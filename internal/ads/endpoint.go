package ads

import (
	"net"
	"net/url"
	"strings"

	"assay/internal/fault"
)

// Endpoint is the scheme, host and port of a platform. Its zero value is not usable.
type Endpoint struct{ origin string }

// ParseEndpoint parses an endpoint from the settings, such as "https://graph.facebook.com". Plain http is accepted for
// loopback only.
func ParseEndpoint(text string) (Endpoint, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Hostname() == "" {
		shown := Clean(text, 100)
		if strings.Contains(text, "@") { // the text may contain a password
			shown = "the value"
		}
		return Endpoint{}, fault.Invalid("%q is not a URL.", shown).
			WithHint("Use a form such as https://host or https://host:port.")
	}
	if u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return Endpoint{}, fault.Invalid("The URL %s contains more than a scheme, a host and a port.", u.Redacted()).
			WithHint("Omit user, path, query and fragment: the client adds the version and path.")
	}
	switch {
	case u.Scheme == "https":
	case u.Scheme == "http" && isLoopback(u.Hostname()):
	default:
		return Endpoint{}, fault.Invalid("The URL %s does not use https.",
			u.Redacted()).WithHint("Use https. Plain http is accepted for loopback addresses only.")
	}
	return Endpoint{u.Scheme + "://" + u.Host}, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// String returns the endpoint without a trailing slash.
func (e Endpoint) String() string { return e.origin }
