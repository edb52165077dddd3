// Package config contains the settings of the service: defaults in the code, then a file, then the environment, then
// flags. Settings are validated once, and one message lists all mistakes.
package config

import (
	"log/slog"
	"reflect"
	"strings"
	"time"
)

// Config contains all settings. The tags of a field give its key in the file, its default as text, the accepted values
// and its description. The environment variable and the flag are derived from the key. The zero value of every field
// means its default.
type Config struct {
	Addr              string        `key:"addr" default:"127.0.0.1:8080" want:"host:port or :port" doc:"Address to listen on. Port 0 selects a free port."`
	Data              string        `key:"data" default:"./assay-data" want:"a directory" doc:"Data directory."`
	BaseURL           string        `key:"base_url" want:"a URL such as https://assay.example.com without a path; http only on loopback" doc:"Public URL of the service. Default: derived from addr."`
	OAuthSecret       Secret        `key:"oauth_secret" want:"at least 32 characters, or nothing" doc:"Secret that signs OAuth access tokens. Set to an empty value to accept API keys only."`
	AllowedOrigins    Origins       `key:"allowed_origins" want:"a list such as https://app.example.com, each without a path" doc:"Additional allowed CORS origins."`
	TrustedProxies    Proxies       `key:"trusted_proxies" want:"a list of IP addresses or networks such as 10.0.0.0/8" doc:"Reverse proxies with a trusted X-Forwarded-For header."`
	MaxConnections    Connections   `key:"max_connections_per_address" default:"512" want:"a whole number, 0 or more" doc:"Maximum number of open connections of one client address; the service closes further connections. Addresses in trusted_proxies are exempt. 0: no limit."`
	MetricsAddr       string        `key:"metrics_addr" want:"host:port or :port, other than addr" doc:"Address of /metrics. Default: no metrics endpoint."`
	LogLevel          slog.Level    `key:"log_level" default:"info" want:"debug, info, warn or error" doc:"Minimum log level: debug, info, warn or error."`
	LogFormat         LogFormat     `key:"log_format" default:"text" want:"text or json" doc:"Log format: text or json."`
	FactsURL          Secret        `key:"facts_url" want:"a URL such as clickhouse://user:password@host:9000,host:9000/database" doc:"ClickHouse servers that store the facts, for several nodes; add ?cluster=NAME for replicated tables and quorum=N for writes to N replicas. Default: DuckDB files in the data directory."`
	MemoryLimit       string        `key:"memory_limit" want:"an amount such as 4GB or 512MB" doc:"Memory limit of the fact store. Default: 80% of the machine's memory."`
	MaxAttached       int           `key:"max_attached" default:"64" want:"a whole number, 1 or more" doc:"Maximum number of workspaces with open facts files. At this number, the service closes the least recently used file. If at least a quarter of this number are open, it also closes files that are unused for five minutes. The first answer of a workspace with a closed file takes a few milliseconds longer."`
	ImportThreads     int           `key:"import_threads" default:"0" want:"a whole number, 0 or more" doc:"Processor cores that an import or a query uses in the fact store: DuckDB has one setting for both. With 1, an import alternates between reading and writing. 0: all cores."`
	RateTiers         RateTiers     `key:"rate_tiers" default:"5000:120, 25000:300, *:600" want:"ORDERS:REQUESTS pairs with increasing orders, the last *:REQUESTS" doc:"Requests per minute of a workspace, by its orders of the last 30 days."`
	RateLimit         int           `key:"rate_limit" default:"0" want:"a whole number, 0 or more" doc:"Requests per minute of every workspace; overrides tiers and workspace limits. 0: no override."`
	BackupDir         string        `key:"backup_dir" want:"a folder outside of the data directory" doc:"Folder of scheduled backups. Default: no scheduled backups."`
	BackupEvery       time.Duration `key:"backup_every" default:"24h" want:"a duration such as 24h, 1m or more" doc:"Interval between scheduled backups."`
	BackupKeep        int           `key:"backup_keep" default:"14" want:"a whole number, 1 or more" doc:"Number of backups to keep; each scheduled backup removes older ones."`
	AdsFacebookURL    string        `key:"ads_facebook_url" default:"https://graph.facebook.com" want:"a URL such as https://graph.facebook.com without a path; http only on loopback" doc:"Meta's Marketing API."`
	AdsGoogleURL      string        `key:"ads_google_url" default:"https://googleads.googleapis.com" want:"a URL such as https://googleads.googleapis.com without a path; http only on loopback" doc:"Google Ads API."`
	AdsGoogleTokenURL string        `key:"ads_google_token_url" default:"https://oauth2.googleapis.com" want:"a URL such as https://oauth2.googleapis.com without a path; http only on loopback" doc:"Google's token service."`
	AdsTikTokURL      string        `key:"ads_tiktok_url" default:"https://business-api.tiktok.com" want:"a URL such as https://business-api.tiktok.com without a path; http only on loopback" doc:"TikTok's Business API."`
	AdsTimeout        time.Duration `key:"ads_timeout" default:"30s" want:"a duration such as 30s, 1s to 5m" doc:"Timeout of one call to an ad platform."`
	SecretFile        string        `key:"secret_file" want:"a file" doc:"File of the installation's secret, which encrypts credentials. Default: the file secret in the data directory."`
	ControlURL        Secret        `key:"control_url" want:"a URL such as postgres://user:password@host:5432/assay?sslmode=verify-full" doc:"PostgreSQL database of the control data. Default: SQLite in the data directory."`
	RedisURL          Secret        `key:"redis_url" want:"a URL such as redis://:password@host:6379/0, or rediss:// with TLS" doc:"Redis server that several nodes share for rate limits and messages. Default: each process counts its own requests."`
	AskURL            string        `key:"ask_url" want:"a URL such as https://api.example.com/v1" doc:"Base URL of an OpenAI-compatible API that chooses tools for questions if the rules find no clear match. The API receives the question, the tools' parameters and the date. Default: no language model."`
	AskModel          string        `key:"ask_model" want:"the name of a model; required with ask_url" doc:"Language model of ask_url."`
	AskKey            Secret        `key:"ask_key" want:"a key" doc:"API key of ask_url."`
	AskNames          AskNames      `key:"ask_names" default:"withheld" want:"withheld or shared" doc:"Whether the language model receives names of campaigns, coupons and creators: withheld or shared."`
	SMTPURL           Secret        `key:"smtp_url" want:"a URL such as smtps://user:password@mail.example.com:465, or smtp:// with STARTTLS" doc:"SMTP server that sends alert messages by email. Default: no email."`
	SMTPFrom          string        `key:"smtp_from" want:"an email address; required with smtp_url" doc:"Sender of emails, such as Assay <assay@example.com>."`
	ShutdownTimeout   time.Duration `key:"shutdown_timeout" default:"10s" want:"a duration such as 10s, above 0" doc:"Time that running calls have to finish on shutdown."`
}

// Field describes one setting.
type Field struct {
	Key     string // key in the file
	Env     string // name in the environment
	Flag    string // name on the command line, with its dashes
	Default string // default as text; "" when there is none
	Want    string // accepted values
	Doc     string // description, in sentences
	index   int    // index of the field in Config
}

// envPrefix is the prefix of settings in the environment.
const envPrefix = "ASSAY_"

// Fields describes all settings, in the order of Config.
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

// Table returns all settings as a Markdown table for docs/operations.md.
func Table() string {
	var b strings.Builder
	b.WriteString("| key | environment | flag | default | description |\n|---|---|---|---|---|\n")
	for _, f := range Fields() {
		value := "–"
		if f.Default != "" {
			value = "`" + f.Default + "`"
		}
		b.WriteString("| `" + f.Key + "` | `" + f.Env + "` | `" + f.Flag + "` | " + value + " | " + f.Doc + " |\n")
	}
	return b.String()
}

// Default returns the settings of an installation without a file, variables or flags.
func Default() Config { return Config{}.WithDefaults() }

// WithDefaults returns the settings with every zero value replaced by its default.
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
