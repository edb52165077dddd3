package googleads

import "assay/internal/ads"

// Credentials are the credentials of one client account.
type Credentials struct {
	CustomerID      string // digits
	ClientID        string
	ClientSecret    ads.Secret
	RefreshToken    ads.Secret
	LoginCustomerID string     // ID of the manager account that gives access to the account; optional
	DeveloperToken  ads.Secret // optional
}

// ParseCredentials reads {customer_id, client_id, client_secret, refresh_token, login_customer_id?, developer_token?}.
func ParseCredentials(text []byte) (Credentials, error) {
	var c Credentials
	var secret, refresh, developer string
	err := ads.ParseMembers(text, ads.Member{Name: "customer_id", Required: true, Into: &c.CustomerID},
		ads.Member{Name: "client_id", Required: true, Into: &c.ClientID},
		ads.Member{Name: "client_secret", Required: true, Into: &secret},
		ads.Member{Name: "refresh_token", Required: true, Into: &refresh},
		ads.Member{Name: "login_customer_id", Into: &c.LoginCustomerID},
		ads.Member{Name: "developer_token", Into: &developer})
	if err != nil {
		return Credentials{}, err
	}
	if c.CustomerID, err = ads.AccountID("customer_id", c.CustomerID); err != nil {
		return Credentials{}, err
	}
	if c.LoginCustomerID != "" {
		if c.LoginCustomerID, err = ads.AccountID("login_customer_id", c.LoginCustomerID); err != nil {
			return Credentials{}, err
		}
	}
	c.ClientSecret, c.RefreshToken, c.DeveloperToken = ads.NewSecret(secret), ads.NewSecret(refresh),
		ads.NewSecret(developer)
	return c, nil
}
