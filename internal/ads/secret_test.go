package ads

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"testing"
)

const hush = "EAAB-not-for-logs"

func TestSecretsAreNeverPrinted(t *testing.T) {
	t.Parallel()
	type inner struct{ token Secret }
	type outer struct {
		Token  Secret
		hidden Secret
		inner  *inner
		list   []Secret
	}
	secret := NewSecret(hush)
	value := outer{secret, secret, &inner{secret}, []Secret{secret}}
	var texts []string
	for _, of := range []any{secret, &secret, value, &value, value.list, map[string]any{"a": value}} {
		for _, verb := range []string{
			"%v", "%+v", "%#v", "%s", "%q", "%x", "% X", "%d", "%t", "%c", "%p", "%5.2v", "%U",
			"%e", "%w",
		} {
			texts = append(texts, fmt.Sprintf(verb, of))
		}
		plain, err := json.Marshal(of)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(plain))
		if plain, err := xml.Marshal(of); err == nil {
			texts = append(texts, string(plain))
		}
		var file bytes.Buffer
		_ = gob.NewEncoder(&file).Encode(of) // an error is allowed, the secret is not
		texts = append(texts, file.String())
		for _, handler := range []slog.Handler{slog.NewTextHandler(&file, nil), slog.NewJSONHandler(&file, nil)} {
			slog.New(handler).LogAttrs(t.Context(), slog.LevelInfo, "x", slog.Any("token", of))
		}
		texts = append(texts, file.String())
	}
	for _, text := range append(texts, secret.String(), secret.GoString(), secret.LogValue().String()) {
		if strings.Contains(text, hush) || strings.Contains(text, fmt.Sprintf("%x", hush)) {
			t.Errorf("the secret is printed: %q", text)
		}
	}
	if secret.Reveal() != hush || !secret.Set() || (Secret{}).Set() || (Secret{}).Reveal() != "" {
		t.Errorf("Reveal = %q, want %q", secret.Reveal(), hush)
	}
}

func TestRedactReplacesAllOccurrences(t *testing.T) {
	t.Parallel()
	got := Redact("token "+hush+" and "+hush+".", NewSecret(hush), NewSecret(""), Secret{})
	if want := "token [secret] and [secret]."; got != want {
		t.Errorf("Redact = %q, want %q", got, want)
	}
	form := url.Values{"refresh_token": {"1//0a=+b"}}.Encode() // a token service repeats the form
	if got := Redact(form, NewSecret("1//0a=+b")); got != "refresh_token=[secret]" {
		t.Errorf("Redact = %q", got)
	}
}
