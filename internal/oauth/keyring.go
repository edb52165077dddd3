package oauth

import (
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"assay/internal/control"
)

// The info strings for keys derived from a signing secret (HKDF-SHA256, RFC 5869). They never change their meaning.
const (
	accessKeyName = "assay/access-token/v1"
	keyIDName     = "assay/access-token-id/v1"
)

// tokenType is the type of access tokens (RFC 9068). It distinguishes them from everything else signed with the same
// secret.
const tokenType = "at+jwt"

const maxTokenLen = 4096

// claims are the claims of an access token. Claim names are case-sensitive, and duplicate names are rejected.
type claims struct {
	Issuer    string          `json:"iss"`
	Audience  string          `json:"aud"` // exactly one: a list is not accepted
	Subject   string          `json:"sub"`
	Client    string          `json:"client_id"`
	Scope     string          `json:"scope"`
	IssuedAt  int64           `json:"iat"` // seconds since 1970
	ExpiresAt int64           `json:"exp"`
	NotBefore int64           `json:"nbf,omitempty"` // never issued
	ID        string          `json:"jti"`
	Workspace string          `json:"workspace"`
	Family    control.GrantID `json:"family"` // grant ID
}

// current reports whether the token is valid at the instant now.
func (c claims) current(now time.Time) bool {
	late, early := now.Add(-leeway).Unix(), now.Add(leeway).Unix()
	return c.ExpiresAt > late && c.IssuedAt <= early && c.NotBefore <= early && c.IssuedAt > 0
}

// ends returns the instant from which the token is invalid.
func (c claims) ends() time.Time { return time.Unix(c.ExpiresAt, 0).Add(leeway) }

// keyring signs with the newest secret and verifies with all secrets.
type keyring struct {
	signer jose.Signer
	byID   map[string][]byte
}

// newKeyring returns the keyring of the secrets, or nil if there is no secret.
func newKeyring(secrets [][]byte) (*keyring, error) {
	if len(secrets) == 0 {
		return nil, nil
	}
	k := &keyring{byID: make(map[string][]byte)}
	for _, secret := range secrets {
		key, id, err := deriveKey(secret)
		if err != nil {
			return nil, err
		}
		k.byID[id] = key
		if k.signer != nil {
			continue
		}
		options := (&jose.SignerOptions{}).WithType(tokenType).WithHeader("kid", id)
		if k.signer, err = jose.NewSigner(jose.SigningKey{Algorithm: jose.HS256, Key: key}, options); err != nil {
			return nil, err
		}
	}
	return k, nil
}

func deriveKey(secret []byte) (key []byte, id string, err error) {
	key, err = hkdf.Key(sha256.New, secret, nil, accessKeyName, sha256.Size)
	if err != nil {
		return nil, "", err
	}
	name, err := hkdf.Key(sha256.New, secret, nil, keyIDName, 8)
	return key, hex.EncodeToString(name), err
}

// sign returns the claims as a token.
func (k *keyring) sign(c claims) (string, error) { return jwt.Signed(k.signer).Claims(c).Serialize() }

var errNoToken = errors.New("not a token of this server")

// open returns the claims of a token signed with one of the secrets. The caller checks the claims.
func (k *keyring) open(token string) (claims, error) {
	if !isCompact(token) {
		return claims{}, errNoToken
	}
	parsed, err := jwt.ParseSigned(token, []jose.SignatureAlgorithm{jose.HS256})
	if err != nil {
		return claims{}, err
	}
	if len(parsed.Headers) != 1 || parsed.Headers[0].ExtraHeaders[jose.HeaderType] != tokenType {
		return claims{}, errNoToken
	}
	key, known := k.byID[parsed.Headers[0].KeyID]
	if !known {
		return claims{}, errNoToken
	}
	var c claims
	return c, parsed.Claims(key, &c)
}

// isCompact reports whether the text is three parts of canonical base64url without padding. This check is necessary
// because the parser's decoder ignores line breaks and unused bits.
func isCompact(token string) bool {
	if len(token) > maxTokenLen || strings.ContainsAny(token, "\r\n") {
		return false
	}
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return false
	}
	for _, part := range parts {
		if _, err := base64.RawURLEncoding.Strict().DecodeString(part); err != nil || part == "" {
			return false
		}
	}
	return true
}
