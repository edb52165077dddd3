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

// Secret is a setting that is not printed. It can be absent, or set and empty, which are different things.
type Secret struct {
	text string
	set  bool
}

// NewSecret returns a secret that is set, perhaps to nothing.
func NewSecret(text string) Secret { return Secret{text: text, set: true} }

// Text returns the secret; "" when it is absent or empty.
func (s Secret) Text() string { return s.text }

// IsSet reports whether the setting was given at all.
func (s Secret) IsSet() bool { return s.set }

// String says whether there is a secret.
func (s Secret) String() string {
	switch {
	case !s.set:
		return "not set"
	case s.text == "":
		return "empty"
	}
	return "hidden"
}

// GoString says whether there is a secret.
func (s Secret) GoString() string { return s.String() }

// LogValue says whether there is a secret.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// UnmarshalText takes any text.
func (s *Secret) UnmarshalText(text []byte) error {
	*s = NewSecret(string(text))
	return nil
}

// Origins are origins of web pages, such as "https://app.example.com".
type Origins []string

// UnmarshalText reads a list with commas between.
func (o *Origins) UnmarshalText(text []byte) error {
	*o = list(string(text))
	return nil
}

// Proxies are networks of proxies.
type Proxies []netip.Prefix

// UnmarshalText reads a list of addresses and networks with commas between.
func (p *Proxies) UnmarshalText(text []byte) error {
	var all Proxies
	for _, one := range list(string(text)) {
		network, err := netip.ParsePrefix(one)
		if err != nil {
			addr, err := netip.ParseAddr(one)
			if err != nil {
				return fmt.Errorf("%q is neither an address nor a network", one)
			}
			network = netip.PrefixFrom(addr.Unmap(), addr.Unmap().BitLen())
		}
		all = append(all, network.Masked())
	}
	*p = all
	return nil
}

// Connections is a number of connections. 0 as text means that there is no limit; the zero value stands for the default.
type Connections int

// unlimited is what the text 0 is stored as.
const unlimited Connections = -1

// IsUnlimited reports whether there is no limit.
func (c Connections) IsUnlimited() bool { return c == unlimited }

// String returns the number as it is typed.
func (c Connections) String() string {
	if c.IsUnlimited() {
		return "0"
	}
	return strconv.Itoa(int(c))
}

// UnmarshalText reads a whole number from 0 up.
func (c *Connections) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || n < 0 {
		return fmt.Errorf("%q is not a whole number from 0 up", text)
	}
	if *c = Connections(n); n == 0 {
		*c = unlimited
	}
	return nil
}

// LogFormat is the form of log lines.
type LogFormat string

// The forms.
const (
	LogText LogFormat = "text"
	LogJSON LogFormat = "json"
)

// Tier is how many calls a minute a workspace of some size may make. It is an alias, so that settings are handed
// over as they are while neither package knows the other.
type Tier = struct {
	UpTo      int64 // orders in the last 30 days; 0: any number
	PerMinute int
}

// RateTiers are the tiers from small to large.
type RateTiers []Tier

// UnmarshalText reads a list such as "5000:10, 25000:60, *:300".
func (t *RateTiers) UnmarshalText(text []byte) error {
	var all RateTiers
	for _, pair := range list(string(text)) {
		orders, calls, found := strings.Cut(pair, ":")
		if !found {
			return fmt.Errorf("%q is no pair of orders and calls", pair)
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
			return fmt.Errorf("%q is not a number of calls", calls)
		}
		all = append(all, tier)
	}
	*t = all
	return nil
}

// list cuts a text at its commas and leaves out what is blank.
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
		panic("config: a field of type " + field.Type().String() + " cannot be read from text")
	}
	return err
}

// textOf returns a value of a YAML file as the text that the environment would give: lists with commas between. A
// group of values has none.
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
