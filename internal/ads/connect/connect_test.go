package connect

import (
	"testing"

	"assay/internal/ads"
	"assay/internal/ads/adstest"
	"assay/internal/ads/simulator"
	"assay/internal/fault"
	"assay/internal/measure"
)

func TestEachPlatformHasItsEndpoint(t *testing.T) {
	t.Parallel()
	clock := adstest.NewClock(adstest.Noon)
	f := simulator.NewFacebook(simulator.FacebookAccount{
		ID: "1", Name: "F", Currency: "USD", TimeZone: "UTC",
		Token: "t",
	}, clock.Now)
	g := simulator.NewGoogle(simulator.GoogleAccount{
		ID: "2", Name: "G", Currency: "USD", TimeZone: "UTC", ClientID: "c", ClientSecret: "s", RefreshToken: "r",
		Access: "ya29.simulated-1", AccessEnds: adstest.Noon.AddDate(1, 0, 0),
	}, clock.Now)
	tokens := simulator.NewGoogle(simulator.GoogleAccount{ClientID: "c", ClientSecret: "s", RefreshToken: "r"}, clock.Now)
	x := simulator.NewTikTok(simulator.TikTokAccount{ID: "3", Name: "T", Currency: "USD", TimeZone: "UTC", Token: "t"},
		clock.Now)
	client, _ := adstest.Serve(t, f, clock)
	o := Options{Client: client, Endpoints: Endpoints{Facebook: client.Endpoint}}
	served, _ := adstest.Serve(t, g, clock)
	o.Endpoints.Google = served.Endpoint
	served, _ = adstest.Serve(t, tokens, clock)
	o.Endpoints.GoogleToken = served.Endpoint
	served, _ = adstest.Serve(t, x, clock)
	o.Endpoints.TikTok = served.Endpoint
	o.Client.Endpoint, o.Client.TokenEndpoint = ads.Endpoint{}, ads.Endpoint{}
	for name, c := range map[string]struct{ credentials, account, shown string }{
		"meta":       {`{"account_id":"act_1","access_token":"t"}`, "1", "F"},
		"google_ads": {`{"customer_id":"2","client_id":"c","client_secret":"s","refresh_token":"r"}`, "2", "G"},
		"tiktok":     {`{"advertiser_id":"3","access_token":"t"}`, "3", "T"},
	} {
		platform := measure.ParsePlatform(name)
		client, err := Open(platform, []byte(c.credentials), o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := client.Test(t.Context())
		if err != nil || got.Name != c.shown || got.Account != (ads.Account{Platform: platform, ID: c.account}) {
			t.Errorf("%s: Test = %+v, %v; want account %s of %s", name, got, err, c.account, platform)
		}
		if client, err := Open(platform, []byte(`{"token":"x"}`), o); fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("%s: Open with wrong credentials = %v, %v", name, client, err)
		}
	}
}

func TestOtherPlatformsAreRejected(t *testing.T) {
	t.Parallel()
	for _, p := range []measure.Platform{"", "snapchat", "facebook\n"} {
		client, err := Open(p, []byte(`{}`), Options{})
		if _, hint, ok := fault.Public(err); client != nil || !ok || hint == "" || fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("Open(%q) = %v, %v; want an error with a hint", p, client, err)
		}
	}
}

func FuzzCredentials(f *testing.F) {
	f.Add(`{"account_id":"act_1","access_token":"t","app_secret":"00"}`)
	f.Add(`{"customer_id":"123-456-7890","client_id":"c","client_secret":"s","refresh_token":"r","login_customer_id":"1"}`)
	f.Add(`{"advertiser_id":"3","access_token":"t"}`)
	f.Add(`{"access_token":`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range []measure.Platform{measure.Facebook, measure.Google, measure.TikTok} {
			client, err := Open(p, []byte(text), Options{})
			switch {
			case err != nil && (fault.KindOf(err) != fault.KindInvalid || client != nil):
				t.Errorf("%s: %q: %v, want an error of the kind invalid and no client", p, text, err)
			case err == nil && !ads.IsNumber(client.Account().ID, 20):
				t.Errorf("%s: %q: account %q", p, text, client.Account().ID)
			}
		}
	})
}
