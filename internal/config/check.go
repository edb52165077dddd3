package config

import (
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// minSecretLen is the minimum key length of HMAC-SHA256 in bytes (RFC 7518, section 3.2).
const minSecretLen = 32

// amountForm is the form of an amount of memory that the fact store accepts.
var amountForm = regexp.MustCompile(`^[0-9]+(\.[0-9]+)? ?([KMGT]i?B)$`)

// Validate checks settings that were built in code. It returns the same fault as [Load].
func (c Config) Validate() error {
	if mistakes := c.WithDefaults().mistakes(nil); len(mistakes) > 0 {
		return misconfigured(mistakes, nil)
	}
	return nil
}

// mistakes checks every setting except the settings in the parameter unread, which have no value to check.
func (c Config) mistakes(unread []mistake) []mistake {
	accepted := map[string]bool{
		"addr":                        isAddr(c.Addr),
		"data":                        !strings.ContainsRune(c.Data, 0),
		"base_url":                    c.BaseURL == "" || isBaseURL(c.BaseURL),
		"oauth_secret":                c.OAuthSecret.Text() == "" || len(c.OAuthSecret.Text()) >= minSecretLen,
		"allowed_origins":             areOrigins(c.AllowedOrigins),
		"max_connections_per_address": c.MaxConnections >= unlimited,
		"metrics_addr":                c.MetricsAddr == "" || isAddr(c.MetricsAddr) && !samePort(c.MetricsAddr, c.Addr),
		"log_format":                  c.LogFormat == LogText || c.LogFormat == LogJSON,
		"facts_url":                   c.FactsURL.Text() == "" || isClickHouse(c.FactsURL.Text()),
		"memory_limit":                c.MemoryLimit == "" || amountForm.MatchString(c.MemoryLimit),
		"max_attached":                c.MaxAttached >= 1,
		"import_threads":              c.ImportThreads >= 0,
		"rate_tiers":                  areTiers(c.RateTiers),
		"rate_limit":                  c.RateLimit >= 0,
		"backup_dir":                  !strings.ContainsRune(c.BackupDir, 0),
		"backup_every":                c.BackupEvery >= time.Minute,
		"backup_keep":                 c.BackupKeep >= 1,
		"ads_facebook_url":            isBaseURL(c.AdsFacebookURL),
		"ads_google_url":              isBaseURL(c.AdsGoogleURL),
		"ads_google_token_url":        isBaseURL(c.AdsGoogleTokenURL),
		"ads_tiktok_url":              isBaseURL(c.AdsTikTokURL),
		"ads_timeout":                 c.AdsTimeout >= time.Second && c.AdsTimeout <= 5*time.Minute,
		"secret_file":                 !strings.ContainsRune(c.SecretFile, 0),
		"control_url":                 c.ControlURL.Text() == "" || isServer(c.ControlURL.Text(), "postgres", "postgresql"),
		"redis_url":                   c.RedisURL.Text() == "" || isServer(c.RedisURL.Text(), "redis", "rediss"),
		"ask_url":                     c.AskURL == "" || isAPI(c.AskURL),
		"ask_model":                   c.AskURL == "" || c.AskModel != "",
		"ask_names":                   c.AskNames == NamesWithheld || c.AskNames == NamesShared,
		"smtp_url":                    c.SMTPURL.Text() == "" || isMailServer(c.SMTPURL.Text()),
		"smtp_from":                   c.SMTPURL.Text() == "" || isAddress(c.SMTPFrom),
		"shutdown_timeout":            c.ShutdownTimeout > 0,
	}
	for _, m := range unread {
		delete(accepted, m.key)
	}
	var all []mistake
	for _, f := range Fields() {
		if ok, checked := accepted[f.Key]; checked && !ok {
			all = append(all, mistake{f.Key, "is " + c.shown(f) + "; use " + f.Want})
		}
	}
	return all
}

// shown returns a value in quotes. For a secret it returns only the length.
func (c Config) shown(f Field) string {
	if secret, ok := reflect.TypeAssert[Secret](reflect.ValueOf(c).Field(f.index)); ok {
		return strconv.Itoa(len(secret.Text())) + " characters long"
	}
	return strconv.Quote(plain(reflect.ValueOf(c).Field(f.index)))
}

// plain returns a value of Config in the form that a user types.
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

// samePort reports whether a process cannot listen on both addresses. Port 0 never conflicts.
func samePort(a, b string) bool {
	hostA, portA, errA := net.SplitHostPort(a)
	hostB, portB, errB := net.SplitHostPort(b)
	if errA != nil || errB != nil || portA != portB || portA == "0" {
		return false
	}
	return hostA == hostB || isEverywhere(hostA) || isEverywhere(hostB)
}

// isEverywhere reports whether the host means all addresses of the machine.
func isEverywhere(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "" || err == nil && addr.IsUnspecified()
}

// PlainHTTP reports whether sign-in and API keys would cross the network without encryption. This is the case if the
// service has no base URL and listens on one network address. Its URL is then that address with http.
func (c Config) PlainHTTP() bool {
	host, _, err := net.SplitHostPort(c.Addr)
	return err == nil && c.BaseURL == "" && !isLoopback(host) && !isEverywhere(host)
}

// isBaseURL accepts https for any host and http for loopback hosts only. It rejects a path, because clients look for
// the well-known documents at the root.
func isBaseURL(text string) bool {
	u, ok := site(text)
	return ok && (u.Scheme == "https" || isLoopback(u.Hostname()))
}

// isAPI accepts the base URL of an API. It accepts http only for a server on this machine, because other http traffic
// would expose the key on the network.
func isAPI(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && u.User == nil && u.RawQuery == "" && (u.Scheme == "https" || u.Scheme == "http" && isLoopback(u.Hostname()))
}

// isServer accepts the URL of a server with one of the schemes.
func isServer(text string, schemes ...string) bool {
	u, err := url.Parse(text)
	return err == nil && slices.Contains(schemes, u.Scheme) && u.Hostname() != ""
}

// isMailServer accepts smtps for TLS and smtp for STARTTLS.
func isMailServer(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "smtps" || u.Scheme == "smtp") && u.Hostname() != "" && u.Path == "" && u.RawQuery == ""
}

// isClickHouse accepts one or more servers of ClickHouse.
func isClickHouse(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Scheme == "clickhouse" && u.Host != "" && strings.Count(u.Path, "/") <= 1 && u.Fragment == ""
}

// isAddress accepts an email address, with or without a name.
func isAddress(text string) bool {
	_, err := mail.ParseAddress(text)
	return err == nil
}

// isOrigin accepts the values that a browser sends in the Origin header.
func isOrigin(text string) bool {
	u, ok := site(text)
	return ok && text == u.Scheme+"://"+strings.ToLower(u.Host)
}

func areOrigins(all Origins) bool {
	return !slices.ContainsFunc(all, func(o string) bool { return !isOrigin(o) })
}

// site parses a URL that consists of a scheme and a host only.
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

// areTiers reports whether the bounds increase and only the last tier has no bound.
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
