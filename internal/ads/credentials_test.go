package ads

import (
	"strings"
	"testing"

	"assay/internal/fault"
)

func parse(text string) (account, token, secret string, err error) {
	err = ParseMembers([]byte(text), Member{"account_id", true, &account}, Member{"access_token", true, &token},
		Member{"app_secret", false, &secret})
	return account, token, secret, err
}

func TestCredentialsAreReadStrictly(t *testing.T) {
	t.Parallel()
	account, token, secret, err := parse(" {\"account_id\": \"1\",\n\"access_token\":\"abc\", \"app_secret\":\"def\"}\n")
	if err != nil || account != "1" || token != "abc" || secret != "def" {
		t.Fatalf("ParseMembers = %q, %q, %q, %v", account, token, secret, err)
	}
	if _, _, secret, err := parse(`{"account_id":"1","access_token":"abc"}`); err != nil || secret != "" {
		t.Errorf("an optional member is required: %v", err)
	}
	for name, text := range map[string]string{
		"empty":             ``,
		"null":              `null`,
		"list":              `[{"account_id":"1","access_token":"tok"}]`,
		"unclosed":          `{"account_id":"1","access_token":"tok"`,
		"two objects":       `{"account_id":"1","access_token":"tok"}{}`,
		"text after it":     `{"account_id":"1","access_token":"tok"} x`,
		"missing":           `{"access_token":"tok"}`,
		"unknown":           `{"account_id":"1","access_token":"tok","acces_token":"tok"}`,
		"other case":        `{"account_id":"1","Access_Token":"tok"}`,
		"repeated":          `{"account_id":"1","access_token":"tok","access_token":"tok2"}`,
		"number":            `{"account_id":1,"access_token":"tok"}`,
		"null member":       `{"account_id":"1","access_token":null}`,
		"nested":            `{"account_id":"1","access_token":{"a":"tok"}}`,
		"empty member":      `{"account_id":"1","access_token":""}`,
		"empty optional":    `{"account_id":"1","access_token":"tok","app_secret":""}`,
		"blank":             `{"account_id":"1","access_token":"tok en"}`,
		"line break":        `{"account_id":"1","access_token":"tok\r\nX-Evil: 1"}`,
		"not ASCII":         `{"account_id":"1","access_token":"tokén"}`,
		"not UTF-8":         "{\"account_id\":\"1\",\"access_token\":\"tok\xff\"}",
		"long member":       `{"account_id":"1","access_token":"tok` + strings.Repeat("x", maxMember) + `"}`,
		"long text":         `{"account_id":"1","access_token":"tok"}` + strings.Repeat(" ", maxCredentials),
		"byte order mark":   "\ufeff" + `{"account_id":"1","access_token":"tok"}`,
		"trailing comma":    `{"account_id":"1","access_token":"tok",}`,
		"unquoted":          `{account_id:"1",access_token:"tok"}`,
		"single quotes":     `{'account_id':'1','access_token':'tok'}`,
		"deep":              strings.Repeat(`{"a":`, 10_000),
		"escape at the end": `{"account_id":"1","access_token":"tok\`,
	} {
		_, _, _, err := parse(text)
		if fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("%s: error %v, want one of kind %s", name, err, fault.KindInvalid)
			continue
		}
		if shown, hint, _ := fault.Public(err); hint == "" || strings.Contains(shown+hint, "tok") && name != "unknown" &&
			name != "other case" &&
			!strings.Contains(shown+hint, "access_token") {
			t.Errorf("%s: %q, %q: want a hint and no value", name, shown, hint)
		}
	}
}

func TestMissingMemberIsNamedWithAllMembers(t *testing.T) {
	t.Parallel()
	_, _, _, err := parse(`{"account_id":"1"}`)
	text, hint, _ := fault.Public(err)
	if text != `The credentials lack "access_token".` ||
		hint != "Required and optional members: account_id, access_token, app_secret (optional)." {
		t.Errorf("%q, %q: want the missing member and all members", text, hint)
	}
}

func TestAccountIDsAreNormalized(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"act_123": "123", "123": "123", "123-456-7890": "1234567890", "7000": "7000",
		"1234567890123456789": "1234567890123456789",
	} {
		if got, err := AccountID("account_id", text); err != nil || got != want {
			t.Errorf("AccountID(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "act_", "ACT_1", "act_act_1", "12-34", "1234-56-7890", "-1", "+1", "1.0", "１２３",
		"1 2", "act_1/../me", strings.Repeat("9", 21),
	} {
		if got, err := AccountID("account_id", text); err == nil {
			t.Errorf("AccountID(%q) = %q, want an error", text, got)
		}
	}
}

func FuzzCredentials(f *testing.F) {
	f.Add(`{"account_id":"1","access_token":"abc"}`)
	f.Add(`{"account_id":"1","access_token":"abc","app_secret":"x"}`)
	f.Add(`{"a":`)
	f.Add("{\"access_token\":\"\\u0000\"}")
	f.Fuzz(func(t *testing.T, text string) {
		account, token, _, err := parse(text)
		if err == nil && (!usable(account) || !usable(token)) {
			t.Errorf("%q gives the unusable %q and %q", text, account, token)
		}
		if err != nil && fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("%q: %v has no kind", text, err)
		}
		if id, err := AccountID("account_id", account); err == nil && !IsNumber(id, maxID) {
			t.Errorf("account %q", id)
		}
	})
}
