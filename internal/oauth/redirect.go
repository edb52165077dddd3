package oauth

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"assay/internal/control"
)

const (
	maxRedirects   = 10
	maxRedirectLen = 2048
)

// privateRedirects are the registrable redirect URIs with a private-use scheme. Any app on a machine can claim a
// scheme, so each URI was approved individually.
var privateRedirects = []string{"cursor://anysphere.cursor-mcp/oauth/callback"}

// loopbackHosts are the only hosts of redirect URIs with plain http.
var loopbackHosts = []string{"localhost", "127.0.0.1", "[::1]"}

// checkRedirects returns a description of the first invalid redirect URI of a client, or "" if all are valid.
func checkRedirects(all []string) string {
	if len(all) == 0 || len(all) > maxRedirects {
		return "1 to " + strconv.Itoa(maxRedirects) + " redirect_uris are needed"
	}
	for _, one := range all {
		if problem := checkRedirect(one); problem != "" {
			return problem
		}
	}
	return ""
}

func checkRedirect(uri string) string {
	if slices.Contains(privateRedirects, uri) {
		return ""
	}
	if len(uri) > maxRedirectLen {
		return "a redirect_uri is longer than " + strconv.Itoa(maxRedirectLen) + " bytes"
	}
	for i := range len(uri) {
		if c := uri[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\\*\"<>^`{|}", c) >= 0 {
			return "a redirect_uri contains a character that is not allowed"
		}
	}
	u, err := url.Parse(uri)
	switch {
	case err != nil || u.Opaque != "":
		return "a redirect_uri is not an absolute address"
	case strings.Contains(uri, "#"):
		return "a redirect_uri has a fragment"
	case u.User != nil || strings.Contains(u.Host, "@"):
		return "a redirect_uri contains user information"
	case strings.HasPrefix(uri, "https://") && u.Hostname() != "" && isPort(u.Host):
		return ""
	}
	if _, _, ok := splitLoopback(uri); ok {
		return ""
	}
	return "a redirect_uri must use https, or http on localhost, 127.0.0.1 or [::1]"
}

// isPort reports whether the text after a host's last colon outside brackets, if any, is a port.
func isPort(host string) bool {
	at := strings.LastIndexByte(host, ':')
	if at < 0 || strings.HasSuffix(host, "]") {
		return true
	}
	n, err := strconv.Atoi(host[at+1:])
	return err == nil && 0 < n && n < 1<<16
}

// splitLoopback splits http://HOST:PORT/rest on a loopback host into the host and the rest. The port may be missing.
func splitLoopback(uri string) (host, rest string, ok bool) {
	after, found := strings.CutPrefix(uri, "http://")
	if !found {
		return "", "", false
	}
	for _, host := range loopbackHosts {
		rest, found := strings.CutPrefix(after, host)
		if !found {
			continue
		}
		if end := strings.IndexAny(rest, "/?"); strings.HasPrefix(rest, ":") {
			if end < 0 {
				end = len(rest)
			}
			if !isPort(rest[:end]) {
				return "", "", false
			}
			rest = rest[end:]
		}
		if rest == "" || rest[0] == '/' || rest[0] == '?' {
			return host, rest, true
		}
	}
	return "", "", false
}

// matches reports whether the URI is registered, compared byte for byte. The port of a loopback host may differ,
// because a native app uses any free port (RFC 8252, section 7.3).
func matches(registered []string, uri string) bool {
	if slices.Contains(registered, uri) {
		return true
	}
	host, rest, ok := splitLoopback(uri)
	return ok && checkRedirect(uri) == "" && slices.ContainsFunc(registered, func(one string) bool {
		h, r, ok := splitLoopback(one)
		return ok && h == host && r == rest
	})
}

// onlyLocal reports whether all URIs are on the user's own machine, where any app can listen on a port or claim a
// scheme.
func onlyLocal(redirects []string) bool {
	return !slices.ContainsFunc(redirects, func(one string) bool {
		_, _, local := splitLoopback(one)
		return !local && !slices.Contains(privateRedirects, one)
	})
}

// hostOf returns the part of a verified URI that the consent page shows.
func hostOf(redirect string) string {
	u, err := url.Parse(redirect)
	if err != nil || u.Host == "" {
		return redirect
	}
	if u.Scheme != "https" && u.Scheme != "http" {
		return u.Scheme + "://" + u.Host
	}
	return u.Host
}

// withQuery adds the parameters to the URI and keeps the URI's own query unchanged.
func withQuery(redirect string, params url.Values) string {
	separator := "?"
	if strings.Contains(redirect, "?") {
		separator = "&"
		if strings.HasSuffix(redirect, "?") || strings.HasSuffix(redirect, "&") {
			separator = ""
		}
	}
	return redirect + separator + params.Encode()
}

// isResource reports whether the text is the URL of this service. The comparison ignores the case of scheme and host,
// and a final slash is optional.
func (s *Server) isResource(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Opaque != "" || u.User != nil || strings.ContainsAny(text, "?#") {
		return false
	}
	got := strings.ToLower(u.Scheme) + "://" + strings.ToLower(u.Host) + strings.TrimSuffix(u.EscapedPath(), "/")
	base, path := s.issuer, s.resource[len(s.issuer):]
	return got == strings.ToLower(base)+path
}

// parseScopes parses names separated by single spaces. The result ok is false if a name is unknown. For an empty string,
// it returns the minimum scope.
func parseScopes(text string) (scopes []control.Scope, ok bool) {
	if text == "" {
		return []control.Scope{control.ScopeRead}, true
	}
	for name := range strings.SplitSeq(text, " ") {
		if !slices.Contains(control.Scopes(), control.Scope(name)) {
			return nil, false
		}
		scopes = append(scopes, control.Scope(name))
	}
	return control.CommonScopes(scopes, control.Scopes()), true
}

// scopeText joins scopes in OAuth's format.
func scopeText(scopes []control.Scope) string {
	names := make([]string, len(scopes))
	for i, scope := range scopes {
		names[i] = string(scope)
	}
	return strings.Join(names, " ")
}
