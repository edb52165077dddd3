// Package config holds the settings of the service: defaults in the code, then a file, then the environment, then
// flags. They are checked once, with all mistakes in one message.
package config

import (
	"log/slog"
	"reflect"
	"strings"
	"time"
)

// Config holds all settings. The tags of a field give its key in the file, its default as text, what is accepted,
// and its meaning; the names in the environment and among the flags are made of the key. The zero value of every
// field stands for its default.
type Config struct {
	Addr            string        `key:"addr" default:"127.0.0.1:8080" want:"host:port or :port" doc:"Address that calls are answered on. Port 0 takes a free one."`
	Data            string        `key:"data" default:"./assay-data" want:"a folder" doc:"Folder that holds all data."`
	BaseURL         string        `key:"base_url" want:"an address such as https://assay.example.com without a path; http only on loopback" doc:"Address that clients use. By default it is made of the address above."`
	OAuthSecret     Secret        `key:"oauth_secret" want:"at least 32 characters, or nothing" doc:"Secret that access tokens are signed with. Set but empty: there is none, and only API keys work."`
	AllowedOrigins  Origins       `key:"allowed_origins" want:"a list such as https://app.example.com, each without a path" doc:"Origins of other sites whose pages may call the service in a browser."`
	TrustedProxies  Proxies       `key:"trusted_proxies" want:"a list of addresses or networks such as 10.0.0.0/8" doc:"Proxies whose X-Forwarded-For is believed."`
	MaxConnections  Connections   `key:"max_connections_per_address" default:"512" want:"a whole number from 0 up" doc:"Open connections of one client address; more are closed. Addresses in trusted_proxies are exempt. 0: no limit."`
	MetricsAddr     string        `key:"metrics_addr" want:"host:port or :port, other than addr" doc:"Separate address of /metrics. By default there are no metrics."`
	LogLevel        slog.Level    `key:"log_level" default:"info" want:"debug, info, warn or error" doc:"Least level that is logged."`
	LogFormat       LogFormat     `key:"log_format" default:"text" want:"text or json" doc:"Form of log lines."`
	MemoryLimit     string        `key:"memory_limit" want:"an amount such as 4GB or 512MB" doc:"Memory that the store of facts may use. By default 80 % of the machine's."`
	RateTiers       RateTiers     `key:"rate_tiers" default:"5000:10, 25000:60, *:300" want:"ORDERS:CALLS pairs with rising orders, the last *:CALLS" doc:"Calls a minute of a workspace, by its orders of the last 30 days."`
	RateLimit       int           `key:"rate_limit" default:"0" want:"a whole number from 0 up" doc:"Calls a minute of every workspace, whatever else is set. 0: by workspace and tier."`
	ShutdownTimeout time.Duration `key:"shutdown_timeout" default:"10s" want:"a time such as 10s, above 0" doc:"How long running calls may take to end when the service stops."`
}

// Field describes one setting.
type Field struct {
	Key     string // in the file
	Env     string // in the environment
	Flag    string // on the command line, with its dashes
	Default string // as text; "" when there is none
	Want    string // what is accepted
	Doc     string // meaning, in sentences
	index   int    // in Config
}

// envPrefix begins the names of settings in the environment.
const envPrefix = "ASSAY_"

// Fields describes all settings in their order.
func Fields() []Field {
	var all []Field
	for i, f := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		key := f.Tag.Get("key")
		all = append(all, Field{
			Key:     key,
			Env:     envPrefix + strings.ToUpper(key),
			Flag:    "--" + strings.ReplaceAll(key, "_", "-"),
			Default: f.Tag.Get("default"),
			Want:    f.Tag.Get("want"),
			Doc:     f.Tag.Get("doc"),
			index:   i,
		})
	}
	return all
}

// Table returns all settings as a Markdown table, for the manual.
func Table() string {
	var b strings.Builder
	b.WriteString("| key | environment | flag | default | meaning |\n|---|---|---|---|---|\n")
	for _, f := range Fields() {
		value := "–"
		if f.Default != "" {
			value = "`" + f.Default + "`"
		}
		b.WriteString("| `" + f.Key + "` | `" + f.Env + "` | `" + f.Flag + "` | " + value + " | " + f.Doc + " |\n")
	}
	return b.String()
}

// Default returns the settings of an installation that sets nothing.
func Default() Config { return Config{}.WithDefaults() }

// WithDefaults returns the settings with the default in place of every zero value.
func (c Config) WithDefaults() Config {
	fields := reflect.ValueOf(&c).Elem()
	for _, f := range Fields() {
		if field := fields.Field(f.index); field.IsZero() && f.Default != "" {
			if err := parse(field, f.Default); err != nil {
				panic("default of " + f.Key + ": " + err.Error()) // a mistake in the tags above
			}
		}
	}
	c.BaseURL = strings.TrimSuffix(c.BaseURL, "/")
	return c
}
