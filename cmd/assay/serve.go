package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"strings"

	"assay/internal/app"
	"assay/internal/config"
)

type serveCommand struct {
	Config string `placeholder:"FILE" env:"ASSAY_CONFIG" help:"YAML file with settings."`
	settings
}

// settings contains one flag for each field of [config.Config], as text. A test checks that no flag is missing.
type settings struct {
	Addr              *string `placeholder:"HOST:PORT" help:"Address to listen on (127.0.0.1:8080)."`
	Data              *string `placeholder:"D" help:"Data directory (./assay-data)."`
	BaseURL           *string `name:"base-url" placeholder:"U" help:"Public URL of the service."`
	OAuthSecret       *string `name:"oauth-secret" placeholder:"S" help:"Secret that signs access tokens. Prefer ASSAY_OAUTH_SECRET: arguments are visible to other users."`
	AllowedOrigins    *string `placeholder:"O,…" help:"Additional allowed CORS origins."`
	TrustedProxies    *string `placeholder:"A,…" help:"Reverse proxies with a trusted X-Forwarded-For header."`
	MaxConnections    *string `name:"max-connections-per-address" placeholder:"512" help:"Maximum number of open connections of one client address (0: no limit)."`
	MetricsAddr       *string `placeholder:"HOST:PORT" help:"Address of /metrics (off)."`
	LogLevel          *string `placeholder:"info" help:"Minimum log level: debug, info, warn or error."`
	LogFormat         *string `placeholder:"text" help:"Log format: text or json."`
	FactsURL          *string `name:"facts-url" placeholder:"URL" help:"ClickHouse servers that store the facts. Prefer ASSAY_FACTS_URL."`
	MemoryLimit       *string `placeholder:"4GB" help:"Memory limit of the fact store."`
	MaxAttached       *string `name:"max-attached" placeholder:"64" help:"Maximum number of workspaces with open facts files."`
	ImportThreads     *string `placeholder:"N" help:"Processor cores that an import uses in the fact store (0: all)."`
	RateTiers         *string `placeholder:"ORDERS:REQUESTS,…" help:"Requests per minute by orders of the last 30 days."`
	RateLimit         *string `placeholder:"N" help:"Requests per minute of every workspace (0: by tier)."`
	BackupDir         *string `placeholder:"DIR" help:"Folder of scheduled backups (none)."`
	BackupEvery       *string `placeholder:"24h" help:"Interval between scheduled backups."`
	BackupKeep        *string `placeholder:"14" help:"Number of backups to keep."`
	AdsFacebookURL    *string `name:"ads-facebook-url" placeholder:"U" help:"Meta's Marketing API."`
	AdsGoogleURL      *string `name:"ads-google-url" placeholder:"U" help:"Google Ads API."`
	AdsGoogleTokenURL *string `name:"ads-google-token-url" placeholder:"U" help:"Google's token service."`
	AdsTikTokURL      *string `name:"ads-tiktok-url" placeholder:"U" help:"TikTok's Business API."`
	AdsTimeout        *string `placeholder:"30s" help:"Timeout of one call to an ad platform."`
	SecretFile        *string `placeholder:"FILE" help:"File of the installation's secret (in the data directory)."`
	ControlURL        *string `name:"control-url" placeholder:"URL" help:"PostgreSQL database of the control data. Prefer ASSAY_CONTROL_URL."`
	RedisURL          *string `name:"redis-url" placeholder:"URL" help:"Redis server for rate limits of several nodes. Prefer ASSAY_REDIS_URL."`
	AskURL            *string `name:"ask-url" placeholder:"URL" help:"OpenAI-compatible API for questions (none)."`
	AskModel          *string `placeholder:"NAME" help:"Language model of --ask-url."`
	AskKey            *string `placeholder:"KEY" help:"API key of --ask-url. Prefer ASSAY_ASK_KEY."`
	AskNames          *string `placeholder:"withheld" help:"Names of campaigns, coupons and creators for the language model: withheld or shared."`
	SMTPURL           *string `name:"smtp-url" placeholder:"URL" help:"SMTP server for alert messages by email. Prefer ASSAY_SMTP_URL."`
	SMTPFrom          *string `name:"smtp-from" placeholder:"ADDRESS" help:"Sender of emails."`
	ShutdownTimeout   *string `placeholder:"10s" help:"Time that running calls have to finish on shutdown."`
}

// given returns the flags that are set, by configuration key.
func (s settings) given() map[string]string {
	flags := map[string]string{}
	fields := config.Fields()
	value := reflect.ValueOf(s)
	for i := range value.NumField() {
		if text, ok := reflect.TypeAssert[*string](value.Field(i)); ok && text != nil {
			flags[fields[i].Key] = *text
		}
	}
	return flags
}

// Run serves until it is stopped.
func (c *serveCommand) Run(ctx context.Context, con *console) error {
	settings, err := config.Load(config.Sources{File: c.Config, Environ: os.Environ(), Flags: c.given()})
	if err != nil {
		return err
	}
	setMemory()
	log := logger(con, settings)
	service, err := app.Open(ctx, settings, log, con.now)
	if err != nil {
		return err
	}
	err = service.Serve(ctx, func(baseURL string) error {
		if err := firstSteps(ctx, con, service, settings.Data); err != nil {
			return err
		}
		_, err := fmt.Fprintf(con.out, "ready: %s\n", baseURL)
		return err
	})
	return closeAfter(service, err)
}

// firstSteps prints the next commands if the data directory has no workspace.
func firstSteps(ctx context.Context, con *console, service *app.App, data string) error {
	has, err := service.HasWorkspaces(ctx)
	if err != nil || has {
		return err
	}
	assay, where := programName(), ""
	if data != config.Default().Data {
		where = " --data " + quotedArgument(data)
	}
	_, err = fmt.Fprintf(con.errs, `
The data directory %[3]s has no workspace yet. In a second terminal:

  %[1]s workspace create "My Shop" --currency USD --timezone UTC%[2]s
  %[1]s user create you@example.com --workspace my-shop%[2]s
  %[1]s keys create --workspace my-shop --name laptop%[2]s
  %[1]s import FILE... --workspace my-shop%[2]s

The commands create a workspace, an account for the console and an API key, and import files.
They take effect while this service runs. For a store with simulated data, use %[1]s demo.

`, assay, where, data)
	return err
}

// programName returns the command with which the user started the program: its path as typed, or go run.
func programName() string {
	name := os.Args[0]
	switch {
	case strings.Contains(name, "/go-build") && strings.Contains(name, "/exe/"):
		return "go run ./cmd/assay"
	case strings.ContainsRune(name, '/'):
		return quotedArgument(name)
	}
	return "assay"
}

// quotedArgument quotes an argument for a shell if necessary.
func quotedArgument(text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:@%+,=", r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// logger returns a logger that writes to standard error in the configured format.
func logger(con *console, c config.Config) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.LogLevel}
	if strings.EqualFold(string(c.LogFormat), "json") {
		return slog.New(slog.NewJSONHandler(con.errs, options))
	}
	return slog.New(slog.NewTextHandler(con.errs, options))
}
