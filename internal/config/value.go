package config

import (
	"encoding"
	"fmt"
	"log/slog"
	"net/netip"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Secret is a setting that is never printed. An absent secret is not set. An empty secret is set.
type Secret struct {
	text string
	set  bool
}

// NewSecret returns a secret that is set. The text may be empty.
func NewSecret(text string) Secret { return Secret{text: text, set: true} }

// Text returns the secret, or "" if it is absent or empty.
func (s Secret) Text() string { return s.text }

// IsSet reports whether the setting is present, even if empty.
func (s Secret) IsSet() bool { return s.set }

// String states whether the secret is set. It never returns the text of the secret.
func (s Secret) String() string {
	switch {
	case !s.set:
		return "not set"
	case s.text == "":
		return "empty"
	}
	return "hidden"
}

// GoString states whether the secret is set. It never returns the text of the secret.
func (s Secret) GoString() string { return s.String() }

// LogValue states whether the secret is set. It never returns the text of the secret.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// UnmarshalText accepts any text.
func (s *Secret) UnmarshalText(text []byte) error {
	*s = NewSecret(string(text))
	return nil
}

// Origins are origins of web pages, such as "https://app.example.com".
type Origins []string

// UnmarshalText parses a comma-separated list.
func (o *Origins) UnmarshalText(text []byte) error {
	*o = list(string(text))
	return nil
}

// Proxies are the networks of trusted reverse proxies.
type Proxies []netip.Prefix

// UnmarshalText parses a comma-separated list of IP addresses and networks.
func (p *Proxies) UnmarshalText(text []byte) error {
	var all Proxies
	for _, one := range list(string(text)) {
		network, err := netip.ParsePrefix(one)
		if err != nil {
			addr, err := netip.ParseAddr(one)
			if err != nil {
				return fmt.Errorf("%q is neither an IP address nor a network", one)
			}
			network = netip.PrefixFrom(addr.Unmap(), addr.Unmap().BitLen())
		}
		all = append(all, network.Masked())
	}
	*p = all
	return nil
}

// Connections is a number of connections. The text 0 means that there is no limit. The zero value means the default.
type Connections int

// unlimited is the internal value of the setting 0, because the zero value means the default.
const unlimited Connections = -1

// IsUnlimited reports whether there is no limit.
func (c Connections) IsUnlimited() bool { return c == unlimited }

// String returns the number as a user types it.
func (c Connections) String() string {
	if c.IsUnlimited() {
		return "0"
	}
	return strconv.Itoa(int(c))
}

// UnmarshalText reads a whole number of 0 or more.
func (c *Connections) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || n < 0 {
		return fmt.Errorf("%q is not a whole number of 0 or more", text)
	}
	if *c = Connections(n); n == 0 {
		*c = unlimited
	}
	return nil
}

// LogFormat is the format of log lines.
type LogFormat string

// The log formats.
const (
	LogText LogFormat = "text"
	LogJSON LogFormat = "json"
)

// AskNames states whether the store's names are sent to a language model.
type AskNames string

// The values.
const (
	NamesWithheld AskNames = "withheld"
	NamesShared   AskNames = "shared"
)

// Tier is a rate limit, in requests per minute, for workspaces with up to a number of orders in the last 30 days. It is
// an alias, so that config and auth exchange values without importing each other.
type Tier = struct {
	UpTo      int64 // orders in the last 30 days; 0: unlimited
	PerMinute int   // requests
}

// RateTiers are the tiers in increasing order.
type RateTiers []Tier

// UnmarshalText parses a list such as "5000:120, 25000:300, *:600".
func (t *RateTiers) UnmarshalText(text []byte) error {
	var all RateTiers
	for _, pair := range list(string(text)) {
		orders, calls, found := strings.Cut(pair, ":")
		if !found {
			return fmt.Errorf("%q is not an ORDERS:REQUESTS pair", pair)
		}
		var tier Tier
		var err error
		if orders = strings.TrimSpace(orders); orders != "*" {
			tier.UpTo, err = strconv.ParseInt(orders, 10, 64)
			if err != nil || tier.UpTo <= 0 {
				return fmt.Errorf("%q is not a number of orders", orders)
			}
		}
		if tier.PerMinute, err = strconv.Atoi(strings.TrimSpace(calls)); err != nil || tier.PerMinute <= 0 {
			return fmt.Errorf("%q is not a number of requests", calls)
		}
		all = append(all, tier)
	}
	*t = all
	return nil
}

// list splits a text at its commas and drops blank parts.
func list(text string) []string {
	var all []string
	for one := range strings.SplitSeq(text, ",") {
		if one = strings.TrimSpace(one); one != "" {
			all = append(all, one)
		}
	}
	return all
}

// parse sets a field of Config from a text.
func parse(field reflect.Value, text string) (err error) {
	if u, ok := reflect.TypeAssert[encoding.TextUnmarshaler](field.Addr()); ok {
		return u.UnmarshalText([]byte(text))
	}
	text = strings.TrimSpace(text)
	switch {
	case field.Type() == reflect.TypeFor[time.Duration]():
		var d time.Duration
		if d, err = time.ParseDuration(text); err == nil {
			field.SetInt(int64(d))
		}
	case field.CanInt():
		var n int64
		if n, err = strconv.ParseInt(text, 10, field.Type().Bits()); err == nil {
			field.SetInt(n)
		}
	case field.Kind() == reflect.String:
		field.SetString(text)
	default:
		panic("config: no parser for a field of type " + field.Type().String())
	}
	return err
}

// textOf returns a value of a YAML file in the form of an environment variable. It joins a list with commas. A mapping
// has no such form.
func textOf(value any) (text string, ok bool) {
	switch v := value.(type) {
	case []any:
		parts := make([]string, len(v))
		for i, one := range v {
			if parts[i], ok = textOf(one); !ok {
				return "", false
			}
		}
		return strings.Join(parts, ","), true
	case map[string]any:
		return "", false
	}
	return fmt.Sprint(value), true
}
