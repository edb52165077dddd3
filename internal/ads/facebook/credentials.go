package facebook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"

	"assay/internal/ads"
	"assay/internal/fault"
)

// Credentials are the credentials of one ad account.
type Credentials struct {
	AccountID   string // digits, without act_
	AccessToken ads.Secret
	AppSecret   ads.Secret // optional; with it every call has an appsecret_proof
}

// ParseCredentials reads {account_id, access_token, app_secret?}.
func ParseCredentials(text []byte) (Credentials, error) {
	var account, token, secret string
	err := ads.ParseMembers(text, ads.Member{Name: "account_id", Required: true, Into: &account},
		ads.Member{Name: "access_token", Required: true, Into: &token}, ads.Member{Name: "app_secret", Into: &secret})
	if err != nil {
		return Credentials{}, err
	}
	if account, err = ads.AccountID("account_id", account); err != nil {
		return Credentials{}, err
	}
	if _, err := hex.DecodeString(secret); err != nil {
		return Credentials{}, fault.Invalid("\"app_secret\" is not hexadecimal.").
			WithHint("Copy the app secret from the app's basic settings.")
	}
	return Credentials{AccountID: account, AccessToken: ads.NewSecret(token), AppSecret: ads.NewSecret(secret)}, nil
}

// proof returns the appsecret_proof of the token: HMAC-SHA256 of the token with the app secret as the key.
func (c Credentials) proof() ads.Secret {
	mac := hmac.New(sha256.New, []byte(c.AppSecret.Reveal()))
	mac.Write([]byte(c.AccessToken.Reveal()))
	return ads.NewSecret(hex.EncodeToString(mac.Sum(nil)))
}
