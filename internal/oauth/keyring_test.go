package oauth

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"hash"
	"strings"
	"testing"
	"time"
)

var testSecret = []byte("a signing secret of more than 32 bytes")

func testKeyring(t *testing.T) (k *keyring, key []byte, id string) {
	t.Helper()
	k, err := newKeyring([][]byte{testSecret})
	if err != nil {
		t.Fatal(err)
	}
	key, id, err = deriveKey(testSecret)
	if err != nil {
		t.Fatal(err)
	}
	return k, key, id
}

// forge signs arbitrary texts as header and claims.
func forge(header, body string, key []byte, newHash func() hash.Hash) string {
	part := base64.RawURLEncoding.EncodeToString
	signed := part([]byte(header)) + "." + part([]byte(body))
	mac := hmac.New(newHash, key)
	mac.Write([]byte(signed))
	return signed + "." + part(mac.Sum(nil))
}

const goodBody = `{"iss":"i","aud":"a","sub":"s","client_id":"c","scope":"x","iat":1000,"exp":1600,"jti":"j","workspace":"w","family":"f"}`

func TestWellFormedTokensAreAccepted(t *testing.T) {
	t.Parallel()
	k, key, id := testKeyring(t)
	c, err := k.open(forge(fmt.Sprintf(`{"alg":"HS256","typ":"at+jwt","kid":%q}`, id), goodBody, key, sha256.New))
	if err != nil || c.Audience != "a" || c.ExpiresAt != 1600 {
		t.Errorf("claims = %+v, %v", c, err)
	}
}

func TestForgedTokensAreRejected(t *testing.T) {
	t.Parallel()
	k, key, id := testKeyring(t)
	header := func(format string) string { return fmt.Sprintf(format, id) }
	good := forge(header(`{"alg":"HS256","typ":"at+jwt","kid":%q}`), goodBody, key, sha256.New)
	signed := good[:strings.LastIndexByte(good, '.')]
	signature := good[len(signed)+1:]
	sign := func(head string) string { return forge(head, goodBody, key, sha256.New) }
	body := func(text string) string {
		return forge(header(`{"alg":"HS256","typ":"at+jwt","kid":%q}`), text, key, sha256.New)
	}
	with := func(old, new string) string { return body(strings.Replace(goodBody, old, new, 1)) }
	cases := map[string]string{
		"empty":                     "",
		"alg none":                  forge(header(`{"alg":"none","typ":"at+jwt","kid":%q}`), goodBody, nil, sha256.New),
		"alg none, unsigned":        base64.RawURLEncoding.EncodeToString([]byte(header(`{"alg":"none","typ":"at+jwt","kid":%q}`))) + "." + strings.Split(good, ".")[1] + ".",
		"alg None":                  sign(header(`{"alg":"None","typ":"at+jwt","kid":%q}`)),
		"alg nOnE":                  sign(header(`{"alg":"nOnE","typ":"at+jwt","kid":%q}`)),
		"alg hs256":                 sign(header(`{"alg":"hs256","typ":"at+jwt","kid":%q}`)),
		"no alg":                    sign(header(`{"typ":"at+jwt","kid":%q}`)),
		"HS384":                     forge(header(`{"alg":"HS384","typ":"at+jwt","kid":%q}`), goodBody, key, sha512.New384),
		"HS512":                     forge(header(`{"alg":"HS512","typ":"at+jwt","kid":%q}`), goodBody, key, sha512.New),
		"RS256":                     sign(header(`{"alg":"RS256","typ":"at+jwt","kid":%q}`)),
		"the secret itself as key":  forge(header(`{"alg":"HS256","typ":"at+jwt","kid":%q}`), goodBody, testSecret, sha256.New),
		"an empty key":              forge(header(`{"alg":"HS256","typ":"at+jwt","kid":%q}`), goodBody, nil, sha256.New),
		"typ JWT":                   sign(header(`{"alg":"HS256","typ":"JWT","kid":%q}`)),
		"no typ":                    sign(header(`{"alg":"HS256","kid":%q}`)),
		"no kid":                    sign(`{"alg":"HS256","typ":"at+jwt"}`),
		"kid of a file":             sign(`{"alg":"HS256","typ":"at+jwt","kid":"../../etc/passwd"}`),
		"kid of SQL":                sign(`{"alg":"HS256","typ":"at+jwt","kid":"' OR 1=1 --"}`),
		"kid of 8 KiB":              sign(`{"alg":"HS256","typ":"at+jwt","kid":"` + strings.Repeat("x", 8<<10) + `"}`),
		"unknown crit":              sign(header(`{"alg":"HS256","typ":"at+jwt","crit":["x"],"x":1,"kid":%q}`)),
		"b64 false":                 sign(header(`{"alg":"HS256","typ":"at+jwt","crit":["b64"],"b64":false,"kid":%q}`)),
		"duplicate alg":             sign(header(`{"alg":"none","alg":"HS256","typ":"at+jwt","kid":%q}`)),
		"hostile jwk":               sign(header(`{"alg":"HS256","typ":"at+jwt","jwk":{"kty":"oct","k":"AAAA"},"kid":%q}`)),
		"no signature":              signed + ".",
		"signature cut":             good[:len(good)-1],
		"other signature":           signed + "." + flip(signature, 0),
		"last character":            signed + "." + flip(signature, len(signature)-1),
		"padding":                   good + "=",
		"newline at the end":        good + "\n",
		"newline inside":            good[:20] + "\n" + good[20:],
		"four parts":                good + ".x",
		"two parts":                 signed,
		"JSON form":                 `{"payload":"e30","signatures":[]}`,
		"aud a list":                with(`"aud":"a"`, `"aud":["a","b"]`),
		"aud a list of one":         with(`"aud":"a"`, `"aud":["a"]`),
		"duplicate aud":             with(`"aud":"a"`, `"aud":"b","aud":"a"`),
		"duplicate exp":             with(`"exp":1600`, `"exp":1600,"exp":9600`),
		"exp a text":                with(`"exp":1600`, `"exp":"1600"`),
		"exp beyond":                with(`"exp":1600`, `"exp":1e400`),
		"exp large":                 with(`"exp":1600`, `"exp":1e30`),
		"exp broken":                with(`"exp":1600`, `"exp":1600.5`),
		"more after the claims":     body(goodBody + `{}`),
		"claims a list":             body(`[]`),
		"claims no JSON":            body(`x`),
		"another secret's key":      forge(header(`{"alg":"HS256","typ":"at+jwt","kid":%q}`), goodBody, []byte(strings.Repeat("k", 32)), sha256.New),
		"larger than every token":   forge(header(`{"alg":"HS256","typ":"at+jwt","kid":%q}`), `{"x":"`+strings.Repeat("x", 9<<10)+`"}`, key, sha256.New),
		"claims changed afterwards": strings.Split(good, ".")[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(goodBody, "1600", "9600", 1))) + "." + signature,
	}
	for what, token := range cases {
		if c, err := k.open(token); err == nil {
			t.Errorf("%s: accepted with claims %+v", what, c)
		}
	}
}

// flip replaces one base64url character.
func flip(text string, at int) string {
	other := byte('A')
	if text[at] == other {
		other = 'B'
	}
	return text[:at] + string(other) + text[at+1:]
}

func TestTokensAreValidWithinTheirTimes(t *testing.T) {
	t.Parallel()
	k, key, id := testKeyring(t)
	header := fmt.Sprintf(`{"alg":"HS256","typ":"at+jwt","kid":%q}`, id)
	now := time.Unix(1000, 0)
	cases := map[string]bool{
		`{"iat":1000,"exp":1600}`:             true,
		`{"iat":1000,"exp":971}`:              true, // 29 s ago
		`{"iat":1000,"exp":970}`:              false,
		`{"iat":1030,"exp":1600}`:             true,
		`{"iat":1031,"exp":1600}`:             false,
		`{"iat":1000,"exp":1600,"nbf":1031}`:  false,
		`{"iat":1000,"EXP":1600}`:             false,
		`{"iat":1000,"exp":null}`:             false,
		`{"iat":1000,"exp":-1}`:               false,
		`{"iat":1000}`:                        false,
		`{"exp":1600}`:                        false,
		`{"iat":-1000,"exp":1600}`:            false,
		`{"iat":1000,"exp":1600,"nbf":-9999}`: true,
	}
	for body, want := range cases {
		c, err := k.open(forge(header, body, key, sha256.New))
		if got := err == nil && c.current(now); got != want {
			t.Errorf("%s: valid is %v, want %v (%v)", body, got, want, err)
		}
	}
}

func TestShortSecretsAreRejected(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]bool{31: false, 32: true} {
		_, err := New(Options{BaseURL: "https://a.example", Secrets: [][]byte{make([]byte, n)}, Now: time.Now})
		if (err == nil) != want {
			t.Errorf("secret of %d bytes: %v", n, err)
		}
	}
}

func FuzzTokens(f *testing.F) {
	k, err := newKeyring([][]byte{testSecret})
	if err != nil {
		f.Fatal(err)
	}
	good, err := k.sign(claims{Issuer: "i", IssuedAt: 1, ExpiresAt: 2})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add("a.b.c")
	f.Fuzz(func(t *testing.T, token string) {
		if _, err := k.open(token); err == nil && token != good {
			t.Errorf("%q is accepted", token)
		}
	})
}
