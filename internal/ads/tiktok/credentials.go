package tiktok

import "assay/internal/ads"

// Credentials are the credentials of one advertiser account.
type Credentials struct {
	AdvertiserID string // digits
	AccessToken  ads.Secret
}

// ParseCredentials reads {advertiser_id, access_token}.
func ParseCredentials(text []byte) (Credentials, error) {
	var c Credentials
	var token string
	err := ads.ParseMembers(text, ads.Member{Name: "advertiser_id", Required: true, Into: &c.AdvertiserID},
		ads.Member{Name: "access_token", Required: true, Into: &token})
	if err != nil {
		return Credentials{}, err
	}
	if c.AdvertiserID, err = ads.AccountID("advertiser_id", c.AdvertiserID); err != nil {
		return Credentials{}, err
	}
	c.AccessToken = ads.NewSecret(token)
	return c, nil
}
