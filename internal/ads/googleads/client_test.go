package googleads

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/internal/ads"
	"assay/internal/ads/adstest"
	"assay/internal/ads/simulator"
	"assay/internal/ads/wire"
	"assay/internal/fault"
	"assay/internal/panics"
)

func TestCredentialsAreParsed(t *testing.T) {
	t.Parallel()
	const rest = `"client_id":"c","client_secret":"s","refresh_token":"r"`
	c, err := ParseCredentials([]byte(`{"customer_id":"123-456-7890",` + rest + `}`))
	if err != nil || c.CustomerID != "1234567890" || c.LoginCustomerID != "" || c.DeveloperToken.Set() ||
		c.RefreshToken.Reveal() != "r" {
		t.Errorf("ParseCredentials = %+v, %v", c, err)
	}
	for _, text := range []string{
		`{"customer_id":"123-456-789",` + rest + `}`, `{` + rest + `}`,
		`{"customer_id":"1",` + rest + `,"login_customer_id":"x"}`,
		`{"customer_id":"1",` + rest + `,"access_token":"x"}`, `{"customer_id":"1","client_id":"c","client_secret":"s"}`,
	} {
		if c, err := ParseCredentials([]byte(text)); fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("ParseCredentials(%s) = %+v, %v; want an error", text, c, err)
		}
	}
}

func TestPrintedClientHasNoSecret(t *testing.T) {
	t.Parallel()
	client, _, _, _ := connect(t, simulatedAccount())
	if _, err := client.Read(t.Context(), "111"); err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d"} {
		text := fmt.Sprintf(verb, client) + fmt.Sprintf(verb, client.credentials) + fmt.Sprintf(verb, client.token)
		for _, hidden := range []string{clientSecret, refreshToken, developer, "ya29"} {
			if strings.Contains(text, hidden) {
				t.Errorf("%s shows a secret: %s", verb, text)
			}
		}
	}
}

// renewals returns the number of access tokens that the simulator has issued.
func renewals(sim *simulator.Google) (n int) {
	sim.Edit(func(a *simulator.GoogleAccount) { n = a.Renewed })
	return n
}

func TestAccessTokenIsKeptUntilItEnds(t *testing.T) {
	t.Parallel()
	client, sim, clock, _ := connect(t, simulatedAccount())
	read := func() {
		if _, err := client.Read(t.Context(), "111"); err != nil {
			t.Error(err)
		}
	}
	var work panics.Group
	for range 8 {
		work.Go(read)
	}
	work.Wait()
	if n := renewals(sim); n != 1 {
		t.Errorf("%d access tokens for reads in parallel, want 1", n)
	}
	clock.Advance(58 * time.Minute)
	read()
	if n := renewals(sim); n != 1 {
		t.Errorf("%d access tokens after 58 minutes, want 1", n)
	}
	clock.Advance(time.Minute) // one minute before its end
	read()
	if n := renewals(sim); n != 2 {
		t.Errorf("%d access tokens after 59 minutes, want 2", n)
	}
}

func TestRefusedRefreshTokenSendsNothing(t *testing.T) {
	t.Parallel()
	for want, edit := range map[ads.Reason]func(*simulator.GoogleAccount){
		ads.TokenExpired:        func(a *simulator.GoogleAccount) { a.RefreshToken = "other" },
		ads.CredentialsRejected: func(a *simulator.GoogleAccount) { a.ClientSecret = "other" },
		ads.PermissionMissing:   func(a *simulator.GoogleAccount) { a.Scope = "openid" },
	} {
		client, sim, _, _ := connect(t, simulatedAccount())
		s, err := client.Read(t.Context(), "111")
		if err != nil {
			t.Fatal(err)
		}
		sim.Edit(func(a *simulator.GoogleAccount) { a.AccessEnds = adstest.Noon })
		sim.Edit(edit)
		sim.Reset()
		client.forget(t.Context(), client.token)
		got := client.Apply(t.Context(), s, set(6000))
		if got.Result != ads.Refused || got.Rejection.Reason != want || !got.Deadline.IsZero() {
			t.Errorf("Apply = %+v, want refused for %s", got, want)
		}
		if slices.ContainsFunc(sim.Log(), func(e simulator.Entry) bool { return e.Mutating }) {
			t.Errorf("%s: a change was sent: %+v", want, sim.Log())
		}
	}
}

func TestRefusalAfterARenewalIsReported(t *testing.T) {
	t.Parallel()
	client, sim, _, _ := connect(t, simulatedAccount())
	s, err := client.Read(t.Context(), "111")
	if err != nil {
		t.Fatal(err)
	}
	sim.Edit(func(a *simulator.GoogleAccount) { a.AccessEnds, a.RefreshToken = adstest.Noon, "other" })
	got := client.Apply(t.Context(), s, set(6000))
	if got.Result != ads.Refused || got.Rejection.Reason != ads.TokenExpired || got.Rejection.Code != "invalid_grant" {
		t.Errorf("Apply = %s %+v, want refused for the refresh token", got.Result, got.Rejection)
	}
}

func TestNamedSharedBudgetIsChanged(t *testing.T) {
	t.Parallel()
	client, sim, _, _ := connect(t, simulatedAccount())
	s, err := client.Read(t.Context(), "112")
	if err != nil || !s.Budget.Shared || len(s.Budget.Feeds) != 2 || s.Budget.Uses != 2 {
		t.Fatalf("Read = %+v, %v; want a budget that feeds two campaigns", s.Budget, err)
	}
	change := set(9000)
	change.BudgetResource = "customers/1234567890/campaignBudgets/202"
	if got := client.Apply(t.Context(), s, change); got.Result != ads.Applied {
		t.Errorf("Apply = %+v", got.Rejection)
	}
	sim.Edit(func(a *simulator.GoogleAccount) {
		if micros := a.Budget("202").Micros; micros != 90_000_000 {
			t.Errorf("the budget has %d micros, want 90,000,000", micros)
		}
	})
}

func TestBillableUnitIsRead(t *testing.T) {
	t.Parallel()
	account := simulatedAccount()
	account.BillableMicros = 50_000
	client, _, _, _ := connect(t, account)
	s, err := client.Read(t.Context(), "111")
	if err != nil || s.Budget.Step != usd(5) {
		t.Fatalf("Read = %+v, %v; want a step of USD 0.05", s.Budget, err)
	}
	if got := client.Apply(t.Context(), s, set(6001)); got.Result != ads.Refused ||
		got.Rejection.Reason != ads.NotBillable {
		t.Errorf("Apply(60.01) = %+v, want refused", got)
	}
}

func TestDryRunReportsTheMinimum(t *testing.T) {
	t.Parallel()
	client, sim, _, _ := connect(t, simulatedAccount())
	s, err := client.Read(t.Context(), "111")
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Validate(t.Context(), s, set(50))
	if ads.ReasonOf(err) != ads.BelowMinimum || !strings.Contains(err.Error(), "USD 1.00") {
		t.Errorf("Validate(0.50) = %v, want %s with USD 1.00", err, ads.BelowMinimum)
	}
	if slices.ContainsFunc(sim.Log(), func(e simulator.Entry) bool { return e.Mutating || e.Applied }) {
		t.Errorf("the dry run is a mutation: %+v", sim.Log())
	}
}

func TestErrorCodesHaveTheirReason(t *testing.T) {
	t.Parallel()
	client, _, _, _ := connect(t, simulatedAccount())
	const access = "ya29.secret"
	judge := func(status int, body string) wire.Verdict {
		return client.judge(wire.Reply{Status: status, Header: http.Header{}, Body: []byte(body)},
			token{text: ads.NewSecret(access)},
			mutation{resource: "r"}.applied)
	}
	for value, want := range reasons {
		body := fmt.Sprintf(`{"error":{"code":400,"message":"%s","status":"X","details":[{"errors":[{"errorCode":{"someError":"%s"},`+
			`"message":"m %s %s","details":{"quotaErrorDetails":{"retryDelay":"30s"}}}],"requestId":"R"}]}}`, access, value,
			access, refreshToken)
		v := judge(400, body)
		if v.Rejection == nil || v.Rejection.Reason != want || v.Rejection.RequestID != "R" ||
			v.Unsure != (want == ads.Unavailable) || v.Retry != (v.Unsure || want == ads.RateLimited) {
			t.Errorf("%s: %+v, want %s", value, v, want)
			continue
		}
		if text := v.Rejection.Error(); strings.Contains(text, access) || strings.Contains(text, refreshToken) ||
			!strings.Contains(text, value) {
			t.Errorf("%s: %q, want the code and no token", value, text)
		}
		if want == ads.RateLimited && v.Rejection.Wait != 30*time.Second {
			t.Errorf("%s: Wait = %s, want 30s", value, v.Rejection.Wait)
		}
	}
	for _, c := range []struct {
		status int
		body   string
		want   ads.Reason
		unsure bool
	}{
		{400, `{"error":{"code":400,"message":"m","status":"INVALID_ARGUMENT"}}`, ads.InvalidRequest, false},
		{401, `{"error":{"code":401,"message":"m","status":"UNAUTHENTICATED"}}`, ads.TokenExpired, false},
		{401, ``, ads.TokenExpired, false},
		{403, `{"error":{"code":403,"message":"m"}}`, ads.PermissionMissing, false},
		{404, `<html>not found</html>`, ads.VersionRetired, false},
		{
			404, `{"error":{"code":404,"message":"Requested entity was not found.","status":"NOT_FOUND"}}`, ads.VersionRetired,
			false,
		},
		{409, `{"error":{"code":409,"message":"m"}}`, ads.ChangedMeanwhile, false},
		{429, `{"error":{"code":429,"message":"m"}}`, ads.RateLimited, false},
		{500, `{"error":{"code":500,"message":"m"}}`, ads.Unavailable, true},
		{503, ``, ads.Unavailable, true},
		{200, `{"partialFailureError":{"code":3,"message":"m"},"results":[{"resourceName":"r"}]}`, ads.InvalidRequest, false},
		{200, `{"partialFailureError":{"code":13,"message":"m"}}`, ads.Unavailable, true},
		{200, `{"results":[]}`, ads.UnexpectedReply, true},
		{200, `{"results":[{"resourceName":"other"}]}`, ads.UnexpectedReply, true},
		{200, `{"results":[{"resourceName":"r"},{"resourceName":"r"}]}`, ads.UnexpectedReply, true},
	} {
		if v := judge(c.status, c.body); v.Rejection == nil || v.Rejection.Reason != c.want || v.Unsure != c.unsure {
			t.Errorf("HTTP %d %s: %+v, want %s, unsure %v", c.status, c.body, v, c.want, c.unsure)
		}
	}
	v := judge(400, `{"error":{"code":400,"status":"`+access+`","details":[{"requestId":"`+access+`"}]}}`)
	if text := v.Rejection.Error(); strings.Contains(text, access) || strings.Contains(v.Rejection.RequestID, access) {
		t.Errorf("%q has the token", text)
	}
	if v := judge(200, `{"results":[{"resourceName":"r"}]}`); v.Rejection != nil {
		t.Errorf("success is rejected: %v", v.Rejection)
	}
}

func FuzzReply(f *testing.F) {
	for _, seed := range []string{
		`{"results":[{"resourceName":"r"}]}`, `{"error":{"code":400,"details":[{"errors":[{"errorCode":{"a":"B"}}]}]}}`,
		`{"partialFailureError":{}}`,
		`{"results":[{"campaign":{"id":"1"},"campaignBudget":{"amountMicros":"5"}}]}`,
		`{"access_token":"a","expires_in":3599}`,
		`{"error":"invalid_grant"}`, ``, `[`, strings.Repeat(`{"error":`, 60), `{"error":{"code":"x"}}`,
	} {
		f.Add(200, seed)
		f.Add(429, seed)
	}
	client := New(Credentials{CustomerID: "1", RefreshToken: ads.NewSecret(refreshToken)},
		ads.Options{Clock: adstest.NewClock(adstest.Noon)})
	f.Fuzz(func(t *testing.T, status int, body string) {
		r := wire.Reply{Status: status, Header: http.Header{"Retry-After": {body}}, Body: []byte(body)}
		v := client.judge(r, token{text: ads.NewSecret("t")}, mutation{resource: "r"}.applied)
		if v.Rejection == nil && (status != 200 || !strings.Contains(body, "r")) {
			t.Errorf("HTTP %d %q is success", status, body)
		}
		if v.Rejection != nil && (v.Rejection.Wait < 0 || v.Rejection.Wait > 24*time.Hour) {
			t.Errorf("Wait = %s", v.Rejection.Wait)
		}
		var reply tokenReply
		if v := client.judgeToken(r, &reply); v.Rejection == nil && (status != 200 || reply.Token == "") {
			t.Errorf("HTTP %d %q is an access token", status, body)
		}
		_ = client.judge(r, token{}, func(b []byte) error { return wire.Decode(b, new([]row)) })
	})
}

func TestTokenRepliesHaveTheirReason(t *testing.T) {
	t.Parallel()
	client, _, _, _ := connect(t, simulatedAccount())
	for _, c := range []struct {
		status int
		body   string
		want   ads.Reason
		retry  bool
	}{
		{200, `{"access_token":"a","expires_in":"3599"}`, "", false},
		{400, `{"error":"invalid_grant","error_description":"Token has been expired or revoked."}`, ads.TokenExpired, false},
		{401, `{"error":"invalid_client"}`, ads.CredentialsRejected, false},
		{401, `{"error":"unauthorized_client"}`, ads.CredentialsRejected, false},
		{400, `{"error":"invalid_request"}`, ads.CredentialsRejected, false},
		{403, `{"error":"org_internal"}`, ads.CredentialsRejected, false},
		{429, `{"error":"rate_limited"}`, ads.RateLimited, true},
		{500, `{"error":"internal_failure"}`, ads.Unavailable, true},
		{503, `sorry`, ads.Unavailable, true},
		{200, `sorry`, ads.UnexpectedReply, false},
		{200, `{}`, ads.UnexpectedReply, false},
		{200, `{"access_token":""}`, ads.UnexpectedReply, false},
		{200, "{\"access_token\":\"a\\r\\nX: 1\"}", ads.UnexpectedReply, false},
		{302, `{"access_token":"a"}`, ads.UnexpectedReply, false},
	} {
		var reply tokenReply
		v := client.judgeToken(wire.Reply{Status: c.status, Header: http.Header{}, Body: []byte(c.body)}, &reply)
		var got ads.Reason
		if v.Rejection != nil {
			got = v.Rejection.Reason
		}
		if got != c.want || v.Retry != c.retry || (reply.Token != "") != (c.want == "") {
			t.Errorf("HTTP %d %s: %+v, want %q, retry %v", c.status, c.body, v, c.want, c.retry)
		}
	}
}

func TestEndOfALimitedRefreshTokenIsReported(t *testing.T) {
	t.Parallel()
	client, sim, _, _ := connect(t, simulatedAccount())
	issued := simulator.Fault{Do: simulator.Answer, Reply: simulator.Reply{
		Status: 200, Body: `{"access_token":"ya29.simulated-1","expires_in":3599,"refresh_token_expires_in":604800}`,
	}}
	sim.Edit(func(a *simulator.GoogleAccount) {
		a.Access, a.AccessEnds = "ya29.simulated-1", adstest.Noon.Add(time.Hour)
	})
	sim.Script(issued)
	got, err := client.Test(t.Context())
	if want := adstest.Noon.Add(7 * 24 * time.Hour); err != nil || !got.Expires.Equal(want) {
		t.Errorf("Test = %+v, %v; want the end %s", got, err, want)
	}
}

func TestUnusableAccountsAreNamed(t *testing.T) {
	t.Parallel()
	client, sim, _, _ := connect(t, simulatedAccount())
	if _, err := client.Read(t.Context(), "111"); err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]ads.Reason{
		`{"results":[{"customer":{"currencyCode":"USD","manager":true}}]}`:        ads.CredentialsRejected,
		`{"results":[{"customer":{"currencyCode":"USD","status":"SUSPENDED"}}]}`:  ads.PermissionMissing,
		`{"results":[{"customer":{"currencyCode":"dollar","status":"ENABLED"}}]}`: ads.UnexpectedReply,
		`{}`: ads.UnexpectedReply,
	} {
		sim.Script(simulator.Fault{Do: simulator.Answer, Reply: simulator.Reply{Status: 200, Body: body}})
		if _, err := client.Test(t.Context()); ads.ReasonOf(err) != want {
			t.Errorf("Test with %s: %v, want %s", body, err, want)
		}
	}
}

func TestForeignResourcesAreNotUsed(t *testing.T) {
	t.Parallel()
	client, sim, _, _ := connect(t, simulatedAccount())
	const row = `{"results":[{"customer":{"currencyCode":"USD","timeZone":"UTC"},"campaign":{"resourceName":"%s","id":"111","status":"ENABLED","campaignBudget":"%s"},` +
		`"campaignBudget":{"amountMicros":"50000000","period":"%s"}}]}`
	const campaign, budget = "customers/1234567890/campaigns/111", "customers/1234567890/campaignBudgets/201"
	for _, c := range []struct {
		campaign, budget, period string
		want                     ads.Reason
	}{
		{campaign, budget, "DAILY", ""},
		{"customers/99/campaigns/111", budget, "DAILY", ads.CampaignNotFound},
		{campaign, "customers/99/campaignBudgets/201", "DAILY", ads.UnexpectedReply},
		{campaign, budget + "' OR 1", "DAILY", ads.UnexpectedReply},
		{campaign, "", "DAILY", ads.UnexpectedReply},
		{campaign, budget, "WEEKLY", ads.UnexpectedReply},
	} {
		sim.Script(simulator.Fault{On: simulator.Campaign, Do: simulator.Answer, Reply: simulator.Reply{
			Status: 200, Body: fmt.Sprintf(row, c.campaign, c.budget, c.period),
		}})
		if _, err := client.Read(t.Context(), "111"); ads.ReasonOf(err) != c.want {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestCancelledCallDoesNotWaitForARenewal(t *testing.T) {
	t.Parallel()
	client, sim, _, _ := connect(t, simulatedAccount())
	s, err := client.Read(t.Context(), "111")
	if err != nil {
		t.Fatal(err)
	}
	sim.Reset()
	client.renewing <- struct{}{} // another call renews the token
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := client.Apply(ctx, s, set(6000)); got.Result != ads.Refused || got.Rejection.Reason != ads.NoReply ||
		len(sim.Log()) != 0 {
		t.Errorf("Apply = %+v after %+v, want refused without a request", got, sim.Log())
	}
}
