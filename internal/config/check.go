package config

import (
	"net"
	"net/netip"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// minSecretLen is what HMAC-SHA256 asks of its key (RFC 7518, section 3.2).
const minSecretLen = 32

// amountForm is an amount of memory as the store of facts takes it.
var amountForm = regexp.MustCompile(`^[0-9]+(\.[0-9]+)? ?([KMGT]i?B)$`)

// Validate checks settings that were made in the code. It returns the same fault as [Load].
func (c Config) Validate() error {
	if mistakes := c.WithDefaults().mistakes(nil); len(mistakes) > 0 {
		return misconfigured(mistakes, nil)
	}
	return nil
}

// mistakes checks every setting that was not found unreadable before.
func (c Config) mistakes(unread []mistake) []mistake {
	accepted := map[string]bool{
		"addr":                        isAddr(c.Addr),
		"data":                        !strings.ContainsRune(c.Data, 0),
		"base_url":                    c.BaseURL == "" || isBaseURL(c.BaseURL),
		"oauth_secret":                c.OAuthSecret.Text() == "" || len(c.OAuthSecret.Text()) >= minSecretLen,
		"allowed_origins":             !slices.ContainsFunc(c.AllowedOrigins, func(o string) bool { return !isOrigin(o) }),
		"max_connections_per_address": c.MaxConnections >= unlimited,
		"metrics_addr":                c.MetricsAddr == "" || isAddr(c.MetricsAddr) && !samePort(c.MetricsAddr, c.Addr),
		"log_format":                  c.LogFormat == LogText || c.LogFormat == LogJSON,
		"memory_limit":                c.MemoryLimit == "" || amountForm.MatchString(c.MemoryLimit),
		"rate_tiers":                  areTiers(c.RateTiers),
		"rate_limit":                  c.RateLimit >= 0,
		"shutdown_timeout":            c.ShutdownTimeout > 0,
	}
	for _, m := range unread {
		delete(accepted, m.key)
	}
	var all []mistake
	for _, f := range Fields() {
		if ok, checked := accepted[f.Key]; checked && !ok {
			all = append(all, mistake{f.Key, "cannot be " + c.shown(f) + ": want " + f.Want})
		}
	}
	return all
}

// shown is a value in quotes; secrets are hidden.
func (c Config) shown(f Field) string {
	if f.Key == "oauth_secret" {
		return strconv.Itoa(len(c.OAuthSecret.Text())) + " characters long"
	}
	return strconv.Quote(plain(reflect.ValueOf(c).Field(f.index)))
}

// plain prints a value of Config as one would type it.
func plain(v reflect.Value) string {
	switch value := v.Interface().(type) {
	case Origins:
		return strings.Join(value, ", ")
	case RateTiers:
		pairs := make([]string, len(value))
		for i, t := range value {
			orders := "*"
			if t.UpTo != 0 {
				orders = strconv.FormatInt(t.UpTo, 10)
			}
			pairs[i] = orders + ":" + strconv.Itoa(t.PerMinute)
		}
		return strings.Join(pairs, ", ")
	case interface{ String() string }:
		return value.String()
	case int:
		return strconv.Itoa(value)
	}
	return v.String()
}

func isAddr(addr string) bool {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || strings.ContainsAny(host, "/ ") {
		return false
	}
	n, err := strconv.Atoi(port)
	return err == nil && 0 <= n && n <= 65535
}

// samePort reports whether two addresses cannot be listened on at once. Port 0 is never the same.
func samePort(a, b string) bool {
	hostA, portA, errA := net.SplitHostPort(a)
	hostB, portB, errB := net.SplitHostPort(b)
	if errA != nil || errB != nil || portA != portB || portA == "0" {
		return false
	}
	return hostA == hostB || isEverywhere(hostA) || isEverywhere(hostB)
}

// isEverywhere reports whether the host stands for all addresses of the machine.
func isEverywhere(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "" || err == nil && addr.IsUnspecified()
}

// isBaseURL accepts https anywhere and http where nobody can listen in. A path would move the well-known
// documents away from the root, where clients look for them.
func isBaseURL(text string) bool {
	u, ok := site(text)
	return ok && (u.Scheme == "https" || isLoopback(u.Hostname()))
}

// isOrigin accepts what a browser sends as Origin.
func isOrigin(text string) bool {
	u, ok := site(text)
	return ok && text == u.Scheme+"://"+strings.ToLower(u.Host)
}

// site parses an address that consists of a scheme and a host.
func site(text string) (*url.URL, bool) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, false
	}
	return u, text == u.Scheme+"://"+u.Host && (u.Port() != "" || !strings.HasSuffix(u.Host, ":"))
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// areTiers reports whether the bounds rise and the last tier has none.
func areTiers(tiers RateTiers) bool {
	if len(tiers) == 0 {
		return false
	}
	below := int64(0)
	for i, t := range tiers {
		isLast := i == len(tiers)-1
		if t.PerMinute <= 0 || isLast != (t.UpTo == 0) || !isLast && t.UpTo <= below {
			return false
		}
		below = t.UpTo
	}
	return true
}
