package config

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/fault"
)

func TestFormsOfValues(t *testing.T) {
	t.Parallel()
	postgres := func(text string) bool { return isServer(text, "postgres", "postgresql") }
	for name, c := range map[string]struct {
		accepts   func(string) bool
		good, bad []string
	}{
		"address": {
			isAddr,
			[]string{":0", ":65535", "a:1", "[::1]:8080"},
			[]string{":65536", ":-1", ":", "a", "a b:1", "a/b:1", ":x", "::1:80"},
		},
		"base URL": {
			isBaseURL,
			[]string{"https://a.example.com", "https://a.example.com:8443", "http://localhost", "http://127.0.0.2:1", "http://[::1]:1"},
			[]string{"http://a.example.com", "ftp://localhost", "https://", "https://:80", "https://a:", "https://a/", "https://a?x", "https://u@a", "https://[::1", ":", "localhost"},
		},
		"API": {
			isAPI,
			[]string{"https://api.example.com/v1", "https://api.example.com", "http://localhost:8000/v1", "http://[::1]:8000"},
			[]string{"http://api.example.com/v1", "https://u@api.example.com", "https://api.example.com?k=1", "https:///v1", "ftp://localhost", "https://[::1", "localhost:8000"},
		},
		"server": {
			postgres,
			[]string{"postgres://h", "postgresql://u:p@[::1]:5432/assay?sslmode=disable"},
			[]string{"mysql://h", "postgres://", "postgres://:5432", "postgres://[::1", "h"},
		},
		"mail server": {
			isMailServer,
			[]string{"smtps://u:p@mail.example.com:465", "smtp://mail.example.com"},
			[]string{"http://mail.example.com", "smtp://", "smtp://:25", "smtp://m/x", "smtp://m?x=1", "smtp://[::1", "m:25"},
		},
		"ClickHouse": {
			isClickHouse,
			[]string{"clickhouse://h:9000", "clickhouse://h/db", "clickhouse://a:1,b:2/db?quorum=2"},
			[]string{"http://h", "clickhouse:///db", "clickhouse://h/a/b", "clickhouse://h/#x", "clickhouse://[::1"},
		},
		"email address": {isAddress, []string{"a@b.example", "Assay <a@b.example>"}, []string{"", "a", "a@"}},
		"origin": {
			isOrigin,
			[]string{"https://a.example.com", "http://a.example.com:3000"},
			[]string{"https://A.example.com", "https://a.example.com/", "a.example.com", "null", "*"},
		},
		"loopback":   {isLoopback, []string{"localhost", "127.0.0.1", "127.1.2.3", "::1"}, []string{"", "0.0.0.0", "10.0.0.1", "localhost.example", "::"}},
		"everywhere": {isEverywhere, []string{"", "0.0.0.0", "::"}, []string{"127.0.0.1", "localhost", "::1"}},
	} {
		for _, text := range c.good {
			if !c.accepts(text) {
				t.Errorf("%s: %q is rejected", name, text)
			}
		}
		for _, text := range c.bad {
			if c.accepts(text) {
				t.Errorf("%s: %q is accepted", name, text)
			}
		}
	}
}

func TestAddressesWithTheSamePort(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"127.0.0.1:80", "127.0.0.1:80", true},
		{":80", "127.0.0.1:80", true},
		{"127.0.0.1:80", "0.0.0.0:80", true},
		{"[::]:80", "10.0.0.1:80", true},
		{"127.0.0.1:80", "127.0.0.2:80", false},
		{":80", ":81", false},
		{":0", ":0", false},
		{"a", "a", false},
		{"a", "b:", false},
		{"a:", "b", false},
	} {
		if got := samePort(c.a, c.b); got != c.want {
			t.Errorf("%s and %s: %t, want %t", c.a, c.b, got, c.want)
		}
	}
}

// Values that code sets are checked like values of a file.
func TestSettingsThatCodeSets(t *testing.T) {
	t.Parallel()
	const url, model = "https://api.example.com/v1", "small"
	mail := NewSecret("smtps://mail.example.com:465")
	for name, c := range map[string]struct {
		config Config
		want   string // "": accepted
	}{
		"no limit of connections":       {Config{MaxConnections: unlimited}, ""},
		"a negative limit":              {Config{MaxConnections: -2}, `max_connections_per_address is "-2"; use a whole number, 0 or more`},
		"one connection":                {Config{MaxConnections: 1}, ""},
		"a data directory":              {Config{Data: "a\x01b"}, ""},
		"NUL in the data directory":     {Config{Data: "a\x00b"}, `data is "a\x00b"; use a directory`},
		"NUL in the backup directory":   {Config{BackupDir: "a\x00b"}, `backup_dir is "a\x00b"; use a folder outside of the data directory`},
		"NUL in the secret's file":      {Config{SecretFile: "a\x00b"}, `secret_file is "a\x00b"; use a file`},
		"a short secret":                {Config{OAuthSecret: NewSecret(strings.Repeat("x", 31))}, `oauth_secret is 31 characters long; use at least 32 characters`},
		"a nanosecond":                  {Config{ShutdownTimeout: 1}, ""},
		"a negative duration":           {Config{ShutdownTimeout: -time.Second}, `shutdown_timeout is "-1s"; use a duration such as 10s, above 0`},
		"a minute":                      {Config{BackupEvery: time.Minute}, ""},
		"less than a minute":            {Config{BackupEvery: time.Minute - 1}, "backup_every is "},
		"one backup":                    {Config{BackupKeep: 1}, ""},
		"one file":                      {Config{MaxAttached: 1}, ""},
		"no files":                      {Config{MaxAttached: -1}, `max_attached is "-1"`},
		"a negative rate":               {Config{RateLimit: -1}, `rate_limit is "-1"`},
		"negative threads":              {Config{ImportThreads: -1}, `import_threads is "-1"`},
		"a tier without requests":       {Config{RateTiers: RateTiers{{UpTo: 5, PerMinute: 1}, {}}}, `rate_tiers is "5:1, *:0"`},
		"origins":                       {Config{AllowedOrigins: Origins{"https://a.example.com", "https://b.example.com/"}}, `allowed_origins is "https://a.example.com, https://b.example.com/"`},
		"an API with a model":           {Config{AskURL: url, AskModel: model}, ""},
		"an API without a model":        {Config{AskURL: url}, `ask_model is ""; use the name of a model`},
		"a model without an API":        {Config{AskModel: model}, ""},
		"an API without https":          {Config{AskURL: "http://api.example.com", AskModel: model}, `ask_url is "http://api.example.com"`},
		"names":                         {Config{AskNames: "all"}, `ask_names is "all"; use withheld or shared`},
		"mail with a sender":            {Config{SMTPURL: mail, SMTPFrom: "a@b.example"}, ""},
		"mail without a sender":         {Config{SMTPURL: mail}, `smtp_from is ""; use an email address`},
		"a sender without mail":         {Config{SMTPFrom: "nobody"}, ""},
		"no mail server":                {Config{SMTPURL: NewSecret("http://m"), SMTPFrom: "a@b.example"}, "smtp_url is 8 characters long"},
		"log format":                    {Config{LogFormat: "xml"}, `log_format is "xml"; use text or json`},
		"memory":                        {Config{MemoryLimit: "4"}, `memory_limit is "4"; use an amount such as 4GB or 512MB`},
		"five minutes":                  {Config{AdsTimeout: 5 * time.Minute}, ""},
		"more than five minutes":        {Config{AdsTimeout: 5*time.Minute + 1}, "ads_timeout is "},
		"a second":                      {Config{AdsTimeout: time.Second}, ""},
		"less than a second":            {Config{AdsTimeout: time.Second - 1}, "ads_timeout is "},
		"Google over http":              {Config{AdsGoogleURL: "http://a.example"}, "ads_google_url is "},
		"Google's tokens over http":     {Config{AdsGoogleTokenURL: "http://a.example"}, "ads_google_token_url is "},
		"TikTok over http":              {Config{AdsTikTokURL: "http://a.example"}, "ads_tiktok_url is "},
		"metrics on another port":       {Config{MetricsAddr: ":9090"}, ""},
		"metrics on the service's port": {Config{MetricsAddr: ":8080"}, `metrics_addr is ":8080"; use host:port or :port, other than addr`},
		"metrics without a port":        {Config{MetricsAddr: "localhost"}, `metrics_addr is "localhost"`},
	} {
		err := c.config.Validate()
		if c.want == "" && err != nil || c.want != "" && (fault.KindOf(err) != fault.KindMisconfigured || !strings.HasPrefix(err.Error(), "invalid settings:\n  "+c.want)) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func TestTheNearestName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		known []string
		want  string
	}{
		{"abcd", []string{"abxy"}, "; did you mean abxy?"}, // half of the characters differ
		{"abcd", []string{"axyz"}, ""},
		{"abc", []string{"axc"}, "; did you mean axc?"},
		{"abc", []string{"axy"}, ""},
		{"addx", []string{"data", "addr", "addy"}, "; did you mean addr?"}, // the first of two
		{"Addr", []string{"addy", "addr"}, "; did you mean addr?"},
		{"ASSAY_ADR", []string{"ASSAY_KEY", "ASSAY_ADDR"}, "; did you mean ASSAY_ADDR?"},
	} {
		if got := nearest(c.name, c.known); got != c.want {
			t.Errorf("%s near %q: %q, want %q", c.name, c.known, got, c.want)
		}
	}
}

func TestRateTiersAreParsed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"5": `"5" is not an ORDERS:REQUESTS pair`, "0:1": `"0" is not a number of orders`, "-1:1": `"-1" is not a number of orders`,
		"x:1": `"x" is not a number of orders`, "99999999999999999999:1": `"99999999999999999999" is not a number of orders`,
		"5:0": `"0" is not a number of requests`, "5:-1": `"-1" is not a number of requests`, "*:x": `"x" is not a number of requests`,
		"*:99999999999999999999": `"99999999999999999999" is not a number of requests`,
	} {
		var tiers RateTiers
		if err := tiers.UnmarshalText([]byte(text)); err == nil || err.Error() != want || tiers != nil {
			t.Errorf("%q: %v, %v, want %s", text, tiers, err, want)
		}
	}
	var tiers RateTiers
	err := tiers.UnmarshalText([]byte(" 1 : 1 ,, * : 2 "))
	if diff := cmp.Diff(RateTiers{{UpTo: 1, PerMinute: 1}, {PerMinute: 2}}, tiers); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestValuesAreShownAsTyped(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		Secret{}.String(): "not set", NewSecret("").String(): "empty", NewSecret("x").GoString(): "hidden", unlimited.String(): "0", Connections(7).String(): "7",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	var proxies Proxies
	if err := proxies.UnmarshalText([]byte("::ffff:10.0.0.1, fd00::1")); err != nil || len(proxies) != 2 ||
		proxies[0] != netip.MustParsePrefix("10.0.0.1/32") || proxies[1] != netip.MustParsePrefix("fd00::1/128") {
		t.Errorf("%v, %v", proxies, err)
	}
	var c Connections
	if err := c.UnmarshalText([]byte("-1")); err == nil || err.Error() != `"-1" is not a whole number of 0 or more` {
		t.Errorf("-1 connections: %v", err)
	}
	if err := c.UnmarshalText([]byte(" 1\n")); err != nil || c != 1 {
		t.Errorf("%d connections, %v", c, err)
	}
}

func TestListsOfAFile(t *testing.T) {
	t.Parallel()
	if text, ok := textOf([]any{"a", []any{1, true}}); !ok || text != "a,1,true" {
		t.Errorf("%q, %t", text, ok)
	}
	for _, value := range []any{map[string]any{"a": 1}, []any{"a", map[string]any{"a": 1}}} {
		if text, ok := textOf(value); ok || text != "" {
			t.Errorf("%v is %q", value, text)
		}
	}
}
