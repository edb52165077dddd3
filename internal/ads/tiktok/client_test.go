package tiktok

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"assay/internal/ads"
	"assay/internal/ads/adstest"
	"assay/internal/ads/simulator"
	"assay/internal/ads/wire"
	"assay/internal/fault"
)

func TestCredentialsAreParsed(t *testing.T) {
	t.Parallel()
	c, err := ParseCredentials([]byte(`{"advertiser_id":"7000","access_token":"abc"}`))
	if err != nil || c.AdvertiserID != "7000" || c.AccessToken.Reveal() != "abc" {
		t.Errorf("ParseCredentials = %+v, %v", c, err)
	}
	for _, text := range []string{
		`{"advertiser_id":"7000"}`, `{"advertiser_id":"x","access_token":"abc"}`,
		`{"advertiser_id":"7000","access_token":"abc","secret":"x"}`,
	} {
		if c, err := ParseCredentials([]byte(text)); fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("ParseCredentials(%s) = %+v, %v; want an error", text, c, err)
		}
	}
}

func TestPrintedClientHasNoSecret(t *testing.T) {
	t.Parallel()
	client, _, _, _ := connect(t, simulatedAccount())
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d"} {
		if text := fmt.Sprintf(verb, client) + fmt.Sprintf(verb, client.credentials); strings.Contains(text, token) {
			t.Errorf("%s shows the token: %s", verb, text)
		}
	}
}

func TestRollbackRestoresAFraction(t *testing.T) {
	t.Parallel()
	client, _, _, _ := connect(t, simulatedAccount())
	read := func() ads.State {
		s, err := client.Read(t.Context(), "1808")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	before := read()
	if value, err := client.Unit().Value(before.Budget.Amount); err != nil || value != "125.5" {
		t.Errorf("Value = %s, %v; want 125.5", value, err)
	}
	for _, amount := range []int64{13000, before.Budget.Amount.Minor} {
		if got := client.Apply(t.Context(), read(), set(amount)); got.Result != ads.Applied {
			t.Fatalf("Apply(%d) = %+v", amount, got.Rejection)
		}
		if got := read().Budget.Amount; got != usd(amount) {
			t.Errorf("the live budget is %s, want %s", got, usd(amount))
		}
	}
}

func TestInexactBudgetIsNotChanged(t *testing.T) {
	t.Parallel()
	b := budget(campaign{Mode: "BUDGET_MODE_DAY", Budget: "100.005"}, "USD")
	s := ads.State{Status: ads.Active, Currency: "USD", Budget: b}
	if err := s.Check(set(12000)); ads.ReasonOf(err) != ads.NotBillable || b.Amount.Minor != 0 {
		t.Errorf("Check of %+v = %v, want %s", b, err, ads.NotBillable)
	}
	if err := s.Check(ads.Change{Action: ads.Pause}); err != nil {
		t.Errorf("a pause is rejected: %v", err)
	}
}

func TestMinimumIsKnownInDollarsOnly(t *testing.T) {
	t.Parallel()
	account := simulatedAccount()
	account.Currency = "EUR"
	client, _, _, _ := connect(t, account)
	s, err := client.Read(t.Context(), "1800")
	if err != nil || s.Budget.Minimum.Minor != 0 {
		t.Fatalf("Read = %+v, %v; want no minimum in EUR", s.Budget, err)
	}
	change := set(5000)
	change.Amount.Currency = "EUR"
	got := client.Apply(t.Context(), s, change)
	if got.Result != ads.Refused || got.Rejection.Reason != ads.BelowMinimum ||
		!strings.Contains(got.Rejection.Said, "greater than 50") {
		t.Errorf("Apply = %s %+v, want the minimum of the platform", got.Result, got.Rejection)
	}
}

func TestListHasSeveralPages(t *testing.T) {
	t.Parallel()
	account := simulatedAccount()
	for i := range 250 {
		account.Campaigns = append(account.Campaigns, simulator.TikTokCampaign{
			ID: fmt.Sprint(5000 + i), Advertiser: "7000", Name: "More", Status: "ENABLE", Mode: "BUDGET_MODE_DAY",
			Hundredths: 10000,
		})
	}
	client, sim, _, _ := connect(t, account)
	list, more, err := client.Campaigns(t.Context(), 1000)
	if err != nil || more || len(list) != 258 {
		t.Errorf("Campaigns = %d, %v, %v; want 258 on three pages", len(list), more, err)
	}
	if n := len(sim.Log()); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
}

func TestErrorCodesHaveTheirReason(t *testing.T) {
	t.Parallel()
	client, _, _, _ := connect(t, simulatedAccount())
	for _, c := range []struct {
		status, code int
		message      string
		want         ads.Reason
		unsure       bool
	}{
		{200, 40100, "Too many requests", ads.RateLimited, false},
		{200, 40105, "Access token is incorrect", ads.TokenExpired, false},
		{200, 40104, "Access token is empty", ads.TokenExpired, false},
		{200, 40001, "No permission to operate advertiser 7000", ads.PermissionMissing, false},
		{200, 40002, "budget: must exceed 50", ads.BelowMinimum, false},
		{200, 40002, "budget: must be greater than 50", ads.BelowMinimum, false},
		{200, 40002, "budget: exceeds the maximum", ads.AboveMaximum, false},
		{200, 40002, "campaign does not exist", ads.CampaignNotFound, false},
		{200, 40002, "The campaign has been deleted", ads.CampaignEnded, false},
		{200, 40002, "Smart+ campaigns are not supported", ads.SmartPlusCampaign, false},
		{200, 40002, "GMV Max campaigns are not supported", ads.GMVMaxCampaign, false},
		{200, 40002, "The account violates the policy", ads.PolicyBlocked, false},
		{200, 40002, "objective_type: invalid", ads.InvalidRequest, false},
		{200, 40200, "Task error", ads.Unavailable, true},
		{200, 40700, "Internal service error", ads.Unavailable, true},
		{200, 50000, "System error", ads.Unavailable, true},
		{200, 50002, "Timeout", ads.Unavailable, true},
		{200, 51010, "Timeout", ads.Unavailable, true},
		{500, 40002, "invalid", ads.Unavailable, true},
	} {
		body := fmt.Sprintf(`{"code":%d,"message":%q,"request_id":"R","data":{}}`, c.code, c.message+" "+token)
		v := client.judge(func(envelope) error { return nil })(wire.Reply{
			Status: c.status, Header: http.Header{},
			Body: []byte(body),
		})
		if v.Rejection == nil || v.Rejection.Reason != c.want || v.Unsure != c.unsure ||
			v.Retry != (c.unsure || c.want == ads.RateLimited) || v.Rejection.RequestID != "R" {
			t.Errorf("HTTP %d code %d %q: %+v, want %s, unsure %v", c.status, c.code, c.message, v, c.want, c.unsure)
			continue
		}
		if text := v.Rejection.Error(); strings.Contains(text, token) || !strings.Contains(text, c.message) ||
			!strings.Contains(text, fmt.Sprint(c.code)) {
			t.Errorf("%q: want message and code, and no token", text)
		}
	}
}

func FuzzReply(f *testing.F) {
	for _, seed := range []string{
		`{"code":0,"message":"OK","request_id":"1","data":{}}`, `{"code":40105,"message":"x"}`, `{"code":null}`, `{}`,
		`{"code":"0"}`, ``, `[`,
		`{"code":0,"data":{"list":[{"campaign_id":"1","budget":100.0,"budget_mode":"BUDGET_MODE_DAY"}],"page_info":{"total_page":1}}}`,
		`{"code":0,"data":{"list":[{"campaign_id":1,"budget":"1e400"}]}}`, strings.Repeat(`{"data":`, 60),
	} {
		f.Add(200, seed)
		f.Add(500, seed)
	}
	client := New(Credentials{AdvertiserID: "7000", AccessToken: ads.NewSecret(token)},
		ads.Options{Clock: adstest.NewClock(adstest.Noon)})
	f.Fuzz(func(t *testing.T, status int, body string) {
		var data struct{ List []campaign }
		v := client.judge(func(e envelope) error { return json.Unmarshal(e.Data, &data) })(
			wire.Reply{Status: status, Header: http.Header{"Retry-After": {body}}, Body: []byte(body)})
		if v.Rejection == nil && (status != 200 || !strings.Contains(body, "code")) &&
			!strings.Contains(strings.ToLower(body), "code") {
			t.Errorf("HTTP %d %q is success", status, body)
		}
		if v.Rejection != nil && (v.Rejection.Wait < 0 || v.Rejection.Wait > 24*time.Hour) {
			t.Errorf("Wait = %s", v.Rejection.Wait)
		}
		for _, one := range data.List {
			if b := budget(one, "USD"); b.Amount.Minor != 0 && b.Inexact {
				t.Errorf("%+v has an amount and is inexact", b)
			}
		}
	})
}

func TestAccountIsReadEveryTenMinutes(t *testing.T) {
	t.Parallel()
	client, sim, clock, _ := connect(t, simulatedAccount())
	requests := func() int {
		sim.Reset()
		if _, err := client.Read(t.Context(), "1800"); err != nil {
			t.Fatal(err)
		}
		return len(sim.Log())
	}
	if n := requests(); n != 2 {
		t.Errorf("%d requests of the first read, want account and campaign", n)
	}
	clock.Advance(10*time.Minute - 1)
	if n := requests(); n != 1 {
		t.Errorf("%d requests before ten minutes, want 1", n)
	}
	clock.Advance(1)
	if n := requests(); n != 2 {
		t.Errorf("%d requests after ten minutes, want 2", n)
	}
}

func TestUnsupportedSearchForDeletedCampaignsIsNotAnError(t *testing.T) {
	t.Parallel()
	client, sim, _, _ := connect(t, simulatedAccount())
	if _, err := client.Read(t.Context(), "1800"); err != nil {
		t.Fatal(err)
	}
	answer := func(body string) simulator.Fault {
		return simulator.Fault{Do: simulator.Answer, Reply: simulator.Reply{Status: 200, Body: body}}
	}
	sim.Script(answer(`{"code":0,"data":{"list":[]}}`), answer(`{"code":40002,"message":"filtering: unknown status"}`))
	if _, err := client.Read(t.Context(), "1800"); ads.ReasonOf(err) != ads.CampaignNotFound {
		t.Errorf("Read = %v, want %s", err, ads.CampaignNotFound)
	}
	sim.Script(answer(`{"code":40002,"message":"filtering: wrong"}`))
	if _, err := client.Read(t.Context(), "1800"); ads.ReasonOf(err) != ads.InvalidRequest {
		t.Errorf("Read = %v, want %s", err, ads.InvalidRequest)
	}
}

func TestUnusableAccountsAreNamed(t *testing.T) {
	t.Parallel()
	client, sim, _, _ := connect(t, simulatedAccount())
	for body, want := range map[string]ads.Reason{
		`{"code":0,"data":{"list":[{"advertiser_id":"7000","currency":"USD","status":"STATUS_DISABLE"}]}}`: ads.PermissionMissing,
		`{"code":0,"data":{"list":[{"advertiser_id":"7001","currency":"USD"}]}}`:                           ads.PermissionMissing,
		`{"code":0,"data":{"list":[]}}`:                                             ads.PermissionMissing,
		`{"code":0,"data":{"list":[{"advertiser_id":"7000","currency":"dollar"}]}}`: ads.UnexpectedReply,
		`{"code":0}`: ads.UnexpectedReply,
	} {
		sim.Script(simulator.Fault{Do: simulator.Answer, Reply: simulator.Reply{Status: 200, Body: body}})
		if _, err := client.Test(t.Context()); ads.ReasonOf(err) != want {
			t.Errorf("Test with %s: %v, want %s", body, err, want)
		}
	}
}
