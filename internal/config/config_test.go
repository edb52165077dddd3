package config

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/internal/auth"
	"assay/internal/fault"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

var byValue = cmp.Options{cmp.AllowUnexported(Secret{}), cmpopts.EquateComparable(netip.Prefix{})}

// written returns the path of a settings file that contains the text.
func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "assay.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestNothingSetGivesTheDefaults(t *testing.T) {
	t.Parallel()
	want := Config{
		Addr: "127.0.0.1:8080", Data: "./assay-data", LogLevel: slog.LevelInfo, LogFormat: LogText,
		RateTiers: RateTiers(auth.DefaultTiers()), MaxAttached: 64, ShutdownTimeout: 10 * time.Second, MaxConnections: 512,
		BackupEvery: 24 * time.Hour, BackupKeep: 14, AskNames: NamesWithheld,
		AdsFacebookURL: "https://graph.facebook.com", AdsGoogleURL: "https://googleads.googleapis.com",
		AdsGoogleTokenURL: "https://oauth2.googleapis.com", AdsTikTokURL: "https://business-api.tiktok.com", AdsTimeout: 30 * time.Second,
	}
	for name, from := range map[string]Sources{
		"no sources":         {},
		"empty file":         {File: written(t, "")},
		"lines without text": {File: written(t, "addr:\nrate_limit:\n# base_url: x\n")},
		"zero values":        {File: written(t, "addr: ''\nrate_limit: 0\nlog_level: info\nallowed_origins: []\n")},
		"empty variables":    {Environ: []string{"ASSAY_ADDR=", "ASSAY_RATE_TIERS=", "PATH=/bin", "ASSAY_OTHER=1", "assay_addr=:1"}},
		"empty flags":        {Flags: map[string]string{"addr": "", "log_format": ""}},
	} {
		got, err := Load(from)
		if diff := cmp.Diff(want, got, byValue); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
	if diff := cmp.Diff(want, Default(), byValue); diff != "" {
		t.Errorf("Default (-want +got):\n%s", diff)
	}
	if err := (Config{}).Validate(); err != nil {
		t.Errorf("the zero Config: %v", err)
	}
}

func TestLaterSourcesWin(t *testing.T) {
	t.Parallel()
	from := Sources{
		File:    written(t, "addr: :1\ndata: /file\nlog_format: json\nrate_limit: 5\n"),
		Environ: []string{"ASSAY_ADDR=:2", "ASSAY_DATA=/env", "ASSAY_LOG_FORMAT="},
		Flags:   map[string]string{"addr": ":3"},
	}
	got, err := Load(from)
	if err != nil {
		t.Fatal(err)
	}
	want := Default()
	want.Addr, want.Data, want.LogFormat, want.RateLimit = ":3", "/env", LogJSON, 5
	if diff := cmp.Diff(want, got, byValue); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

func TestEverySettingIsReadFromFileAndEnvironmentAndFlagsAlike(t *testing.T) {
	t.Parallel()
	secret := strings.Repeat("s", 32)
	want := Config{
		Addr: "0.0.0.0:9000", Data: "/var/lib/assay", BaseURL: "https://assay.example.com", OAuthSecret: NewSecret(secret),
		AllowedOrigins: Origins{"https://a.example.com", "http://localhost:3000"},
		TrustedProxies: Proxies{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("192.0.2.7/32"), netip.MustParsePrefix("fd00::/8")},
		MetricsAddr:    "127.0.0.1:9001", LogLevel: slog.LevelDebug, LogFormat: LogJSON, MemoryLimit: "1.5GB", MaxAttached: 9, ImportThreads: 3,
		RateTiers: RateTiers{{UpTo: 100, PerMinute: 1}, {PerMinute: 2}}, RateLimit: 7, ShutdownTimeout: 90 * time.Second, MaxConnections: 100,
		BackupDir: "/backup", BackupEvery: 6 * time.Hour, BackupKeep: 30,
		AdsFacebookURL: "http://127.0.0.1:1", AdsGoogleURL: "http://127.0.0.1:2", AdsGoogleTokenURL: "http://127.0.0.1:3",
		AdsTikTokURL: "https://tiktok.example.com", AdsTimeout: 5 * time.Second, SecretFile: "/run/secret",
		AskURL: "https://api.example.com/v1", AskModel: "small", AskKey: NewSecret("k1"), AskNames: NamesShared,
		ControlURL: NewSecret("postgres://u:p@db.example.com/assay"), RedisURL: NewSecret("rediss://:p@redis.example.com:6380/1"),
		SMTPURL: NewSecret("smtps://u:p@mail.example.com:465"), SMTPFrom: "Assay <assay@example.com>",
		FactsURL: NewSecret("clickhouse://u:p@a:9000,b:9000/assay?cluster=main"),
	}
	values := map[string]string{
		"addr": "0.0.0.0:9000", "data": "/var/lib/assay", "base_url": "https://assay.example.com/", "oauth_secret": secret,
		"allowed_origins": "https://a.example.com, http://localhost:3000,", "trusted_proxies": "10.1.2.3/8,192.0.2.7 , fd00::1/8",
		"metrics_addr": "127.0.0.1:9001", "log_level": "DEBUG", "log_format": "json", "memory_limit": "1.5GB", "max_attached": "9", "import_threads": "3",
		"rate_tiers": "100:1,*:2", "rate_limit": "7", "shutdown_timeout": "1m30s", "max_connections_per_address": "100",
		"backup_dir": "/backup", "backup_every": "6h", "backup_keep": "30",
		"ads_facebook_url": "http://127.0.0.1:1", "ads_google_url": "http://127.0.0.1:2", "ads_google_token_url": "http://127.0.0.1:3",
		"ads_tiktok_url": "https://tiktok.example.com", "ads_timeout": "5s", "secret_file": "/run/secret",
		"ask_url": "https://api.example.com/v1", "ask_model": "small", "ask_key": "k1", "ask_names": "shared",
		"control_url": "postgres://u:p@db.example.com/assay", "redis_url": "rediss://:p@redis.example.com:6380/1",
		"smtp_url": "smtps://u:p@mail.example.com:465", "smtp_from": "Assay <assay@example.com>",
		"facts_url": "clickhouse://u:p@a:9000,b:9000/assay?cluster=main",
	}
	var environ []string
	var lines strings.Builder
	for _, f := range Fields() {
		value, given := values[f.Key]
		if !given {
			t.Errorf("this test has no value for %s", f.Key)
		}
		environ = append(environ, f.Env+"="+value)
		fmt.Fprintf(&lines, "%s: %q\n", f.Key, value)
	}
	lists := strings.NewReplacer(
		`"https://a.example.com, http://localhost:3000,"`, `["https://a.example.com", "http://localhost:3000"]`,
		`"10.1.2.3/8,192.0.2.7 , fd00::1/8"`, "\n  - 10.1.2.3/8\n  - 192.0.2.7\n  - fd00::1/8", `rate_limit: "7"`, "rate_limit: 7",
	).Replace(lines.String())
	for name, from := range map[string]Sources{
		"file": {File: written(t, lines.String())}, "file with lists": {File: written(t, lists)},
		"environment": {Environ: environ}, "flags": {Flags: values},
	} {
		got, err := Load(from)
		if diff := cmp.Diff(want, got, byValue); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
	if err := want.Validate(); err != nil {
		t.Errorf("Validate: %v", err)
	}
}

func TestZeroConnectionsMeansNoLimit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 512, "0": -1, "7": 7} {
		got, err := Load(Sources{Environ: []string{"ASSAY_MAX_CONNECTIONS_PER_ADDRESS=" + text}})
		if err != nil || int(got.MaxConnections) != want || got.MaxConnections.IsUnlimited() != (text == "0") {
			t.Errorf("%q: %d, %v; want %d", text, got.MaxConnections, err, want)
		}
	}
	for _, text := range []string{"-1", "many", "1.5"} {
		if _, err := Load(Sources{Environ: []string{"ASSAY_MAX_CONNECTIONS_PER_ADDRESS=" + text}}); fault.KindOf(err) != fault.KindMisconfigured {
			t.Errorf("%q: %v, want a mistake", text, err)
		}
	}
}

func TestSecretThatIsSetButEmptyIsNotAbsent(t *testing.T) {
	t.Parallel()
	full := "oauth_secret: " + strings.Repeat("s", 40)
	cases := []struct {
		name    string
		from    Sources
		set     bool
		textLen int
	}{
		{"absent", Sources{}, false, 0},
		{"empty in the environment", Sources{Environ: []string{"ASSAY_OAUTH_SECRET="}}, true, 0},
		{"empty in the environment, given in the file", Sources{File: written(t, full), Environ: []string{"ASSAY_OAUTH_SECRET="}}, true, 0},
		{"empty in the file", Sources{File: written(t, `oauth_secret: ""`)}, true, 0},
		{"given", Sources{File: written(t, full)}, true, 40},
	}
	for _, c := range cases {
		got, err := Load(c.from)
		if err != nil || got.OAuthSecret.IsSet() != c.set || len(got.OAuthSecret.Text()) != c.textLen {
			t.Errorf("%s: set %v with %d characters, %v; want %v with %d",
				c.name, got.OAuthSecret.IsSet(), len(got.OAuthSecret.Text()), err, c.set, c.textLen)
		}
	}
}

func TestSecretIsNotPrinted(t *testing.T) {
	t.Parallel()
	c := Default()
	c.OAuthSecret = NewSecret("open sesame")
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("settings", slog.Any("config", c), slog.Any("secret", c.OAuthSecret))
	encoded, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	printed := fmt.Sprintf("%v %+v %#v %s", c, c, c, c.OAuthSecret) + log.String() + string(encoded) + c.Validate().Error()
	if strings.Contains(printed, "sesame") {
		t.Errorf("the secret is shown: %s", printed)
	}
}

func TestAllMistakesAreInOneMessage(t *testing.T) {
	t.Parallel()
	from := Sources{
		File: written(t, strings.Join([]string{
			"adr: 127.0.0.1:80", "oauth: {secret: x}", "port: 80", "base_url: http://assay.example.com", "rate_limit: many", "log_level: loud",
			"shutdown_timeout: 10",
		}, "\n")),
		Environ: []string{"ASSAY_RATE_TIERS=25000:300,5000:120,*:600", "ASSAY_OAUTH_SECRET=short and secret"},
		Flags:   map[string]string{"addr": "localhost", "verbose": "1"},
	}
	_, err := Load(from)
	if fault.KindOf(err) != fault.KindMisconfigured {
		t.Fatalf("error = %v, want a fault of kind misconfigured", err)
	}
	got := strings.ReplaceAll(err.Error(), from.File, "assay.yaml") + "\n"
	path := filepath.Join("testdata", "mistakes.txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
}

func TestValuesAreCheckedOneByOne(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ good, bad []string }{
		"addr":             {[]string{":0", "[::1]:8080", "assay.local:65535"}, []string{"8080", "127.0.0.1", "::1:80", ":65536", ":-1", ":http", "http://x:80"}},
		"base_url":         {[]string{"http://127.0.0.1:80", "http://localhost:8080", "http://[::1]:1", "https://a.example.com:8443/"}, []string{"http://10.0.0.1", "a.example.com", "https://a.example.com/assay", "https://a.example.com?x", "https://u@a.example.com", "ftp://a", "https://", "https://a:", "http://localhost.evil.com"}},
		"allowed_origins":  {[]string{"https://a.example.com,http://a.local:3000"}, []string{"*", "null", "https://a.example.com/", "a.example.com", "https://A.example.com", "https://*.example.com/x"}},
		"trusted_proxies":  {[]string{"10.0.0.1", "::1", "10.0.0.0/8"}, []string{"proxy", "10.0.0.0/33", "10.0.0"}},
		"metrics_addr":     {[]string{":9090", "127.0.0.1:8081", "127.0.0.2:8080"}, []string{"9090", "127.0.0.1:8080", ":8080", "0.0.0.0:8080"}},
		"log_level":        {[]string{"debug", "WARN", "error"}, []string{"loud", "3"}},
		"log_format":       {[]string{"text", "json"}, []string{"JSON", "logfmt"}},
		"memory_limit":     {[]string{"4GB", "512 MB", "1.5GiB"}, []string{"4", "GB", "-4GB", "4GB; x", "80%"}},
		"max_attached":     {[]string{"1", "1000"}, []string{"-1", "0", "many"}},
		"import_threads":   {[]string{"0", "1", "16"}, []string{"-1", "1.5", "all"}},
		"rate_tiers":       {[]string{"*:5", "1:1,2:2,*:3"}, []string{"5000:10", "*:1,*:2", "5:1,5:2,*:3", "5:0,*:1", "0:1,*:2", "-5:1,*:2", "5", "*", "x:1,*:1", "5:x,*:1", ","}},
		"rate_limit":       {[]string{"1", "600"}, []string{"-1", "1.5", "ten", "99999999999999999999"}},
		"shutdown_timeout": {[]string{"1s", "2m"}, []string{"-1s", "0s", "10", "soon"}},
		"backup_every":     {[]string{"1m", "24h", "168h"}, []string{"59s", "0", "-1h", "daily", "24"}},
		"ads_facebook_url": {[]string{"https://a.example.com", "http://127.0.0.1:1"}, []string{"http://10.0.0.1", "https://a.example.com/v1", "a"}},
		"ads_timeout":      {[]string{"1s", "5m"}, []string{"999ms", "0s", "301s", "soon"}},
		"backup_keep":      {[]string{"1", "365"}, []string{"-1", "0", "1.5", "all"}},
		"ask_url":          {nil, []string{"api.example.com", "http://api.example.com/v1", "https://u:p@api.example.com", "https://api.example.com?k=1", "https://api.example.com"}},
		"ask_names":        {[]string{"withheld", "shared"}, []string{"yes", "all"}},
		"control_url":      {[]string{"", "postgresql://u:p@[::1]:5432/assay?sslmode=disable"}, []string{"mysql://u:p@host/assay", "postgres://", "host=a dbname=b"}},
		"redis_url":        {[]string{"", "redis://127.0.0.1:6379"}, []string{"127.0.0.1:6379", "http://127.0.0.1:6379", "redis://"}},
		"facts_url":        {[]string{"clickhouse://h:9000", "clickhouse://u:p@a:1,b:2/db?cluster=c&quorum=2"}, []string{"h:9000", "http://h:8123", "clickhouse:///db", "clickhouse://h/a/b"}},
		"smtp_url":         {nil, []string{"mail.example.com:465", "https://mail.example.com", "smtps://", "smtps://mail.example.com/x"}},
		"oauth_secret":     {[]string{strings.Repeat("x", 32)}, []string{strings.Repeat("x", 31)}},
	}
	for key, c := range cases {
		for _, value := range c.good {
			if _, err := Load(Sources{Flags: map[string]string{key: value}}); err != nil {
				t.Errorf("%s = %q: %v", key, value, err)
			}
		}
		for _, value := range c.bad {
			_, err := Load(Sources{Flags: map[string]string{key: value}})
			if fault.KindOf(err) != fault.KindMisconfigured || err == nil || !strings.Contains(err.Error(), key) {
				t.Errorf("%s = %q: %v; want a fault that names the setting", key, value, err)
			}
		}
	}
}

func TestFileThatCannotBeReadIsNamed(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{
		"missing": filepath.Join(t.TempDir(), "nothing.yaml"), "no YAML": written(t, "addr: [\n"), "no settings": written(t, "- a\n- b\n"),
	} {
		_, err := Load(Sources{File: path})
		if fault.KindOf(err) != fault.KindMisconfigured || err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v; want a fault that names %s", name, err, path)
		}
	}
}

func TestEveryFieldIsDescribed(t *testing.T) {
	t.Parallel()
	fields := Fields()
	if got, want := len(fields), reflect.TypeFor[Config]().NumField(); got != want {
		t.Errorf("%d fields are described, want %d", got, want)
	}
	table := Table()
	for _, f := range fields {
		if f.Key == "" || f.Want == "" || !strings.HasSuffix(f.Doc, ".") {
			t.Errorf("%+v lacks a key, accepted values, or a description in sentences", f)
		}
		if !strings.Contains(table, "| `"+f.Key+"` | `"+f.Env+"` | `"+f.Flag+"` |") {
			t.Errorf("the table has no row for %s", f.Key)
		}
	}
	if n := strings.Count(table, "\n"); n != len(fields)+2 {
		t.Errorf("the table has %d lines, want %d", n, len(fields)+2)
	}
}

func TestRateTiersIncreaseAndEndWithoutABound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tiers RateTiers
		want  bool
	}{
		"none":                        {nil, false},
		"one without a bound":         {RateTiers{{PerMinute: 1}}, true},
		"one with a bound":            {RateTiers{{UpTo: 5, PerMinute: 1}}, false},
		"increasing":                  {RateTiers{{UpTo: 1, PerMinute: 1}, {UpTo: 2, PerMinute: 2}, {PerMinute: 3}}, true},
		"equal bounds":                {RateTiers{{UpTo: 5, PerMinute: 1}, {UpTo: 5, PerMinute: 2}, {PerMinute: 3}}, false},
		"decreasing":                  {RateTiers{{UpTo: 5, PerMinute: 1}, {UpTo: 4, PerMinute: 2}, {PerMinute: 3}}, false},
		"negative bound":              {RateTiers{{UpTo: -5, PerMinute: 1}, {PerMinute: 2}}, false},
		"no bound before the last":    {RateTiers{{PerMinute: 1}, {PerMinute: 2}}, false},
		"no requests in the first":    {RateTiers{{UpTo: 5}, {PerMinute: 1}}, false},
		"no requests in the last":     {RateTiers{{UpTo: 5, PerMinute: 1}, {}}, false},
		"negative number of requests": {RateTiers{{PerMinute: -1}}, false},
	} {
		if got := areTiers(c.tiers); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestPlainHTTPNeedsANetworkAddressWithoutABaseURL(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{"192.168.1.10:8080", "[2001:db8::1]:8080", "shop.example:80"} {
		if !(Config{Addr: addr}).PlainHTTP() {
			t.Errorf("%s: false, want true", addr)
		}
		if (Config{Addr: addr, BaseURL: "https://shop.example"}).PlainHTTP() {
			t.Errorf("%s with a base URL: true, want false", addr)
		}
	}
	for _, addr := range []string{":8080", "0.0.0.0:8080", "[::]:8080", "127.0.0.1:8080", "localhost:8080", "[::1]:8080"} {
		if (Config{Addr: addr}).PlainHTTP() {
			t.Errorf("%s: true, want false", addr)
		}
	}
}
