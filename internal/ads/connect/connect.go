// Package connect opens the client of an ad platform from credentials.
package connect

import (
	"assay/internal/ads"
	"assay/internal/ads/facebook"
	"assay/internal/ads/googleads"
	"assay/internal/ads/tiktok"
	"assay/internal/fault"
	"assay/internal/measure"
)

// Endpoints are the endpoints of all platforms.
type Endpoints struct{ Facebook, Google, GoogleToken, TikTok ads.Endpoint }

// Options are the settings that all clients share: the fields of [ads.Options] except the endpoints, which [Open] sets.
type Options struct {
	Endpoints Endpoints
	Client    ads.Options
}

// Open returns a client for the credentials, which are one JSON object. It sends no request. [ads.Platform.Test] tests
// the credentials with a request.
func Open(p measure.Platform, credentials []byte, o Options) (ads.Platform, error) {
	client := o.Client
	switch p {
	case measure.Facebook:
		c, err := facebook.ParseCredentials(credentials)
		if err != nil {
			return nil, err
		}
		client.Endpoint = o.Endpoints.Facebook
		return facebook.New(c, client), nil
	case measure.Google:
		c, err := googleads.ParseCredentials(credentials)
		if err != nil {
			return nil, err
		}
		client.Endpoint, client.TokenEndpoint = o.Endpoints.Google, o.Endpoints.GoogleToken
		return googleads.New(c, client), nil
	case measure.TikTok:
		c, err := tiktok.ParseCredentials(credentials)
		if err != nil {
			return nil, err
		}
		client.Endpoint = o.Endpoints.TikTok
		return tiktok.New(c, client), nil
	default:
		return nil, fault.Invalid("%q is not an ad platform that can be connected.", ads.Clean(string(p), ads.MaxStatus)).
			WithHint("Use facebook, google_ads or tiktok.")
	}
}
