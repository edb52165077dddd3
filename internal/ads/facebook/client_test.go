package facebook

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/ads"
	"assay/internal/ads/adstest"
	"assay/internal/ads/simulator"
	"assay/internal/ads/wire"
	"assay/internal/fault"
	"assay/internal/money"
)

func TestCredentialsAreParsed(t *testing.T) {
	t.Parallel()
	c, err := ParseCredentials([]byte(`{"account_id":"act_12","access_token":"abc"}`))
	if err != nil || c.AccountID != "12" || c.AccessToken.Reveal() != "abc" || c.AppSecret.Set() {
		t.Errorf("ParseCredentials = %+v, %v", c, err)
	}
	for _, text := range []string{
		`{"account_id":"12"}`, `{"account_id":"twelve","access_token":"abc"}`,
		`{"account_id":"12","access_token":"abc","app_secret":"not hex"}`,
		`{"account_id":"12","access_token":"abc","app_secret":"xyz"}`,
		`{"account_id":"12","access_token":"abc","app_id":"1"}`,
	} {
		if c, err := ParseCredentials([]byte(text)); fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("ParseCredentials(%s) = %+v, %v; want an error", text, c, err)
		}
	}
}

func TestProofIsTheHMACOfTheToken(t *testing.T) {
	t.Parallel()
	c := Credentials{
		AccessToken: ads.NewSecret("what do ya want for nothing?"),
		AppSecret:   ads.NewSecret("Jefe"),
	} // RFC 4231, test case 2
	if got, want := c.proof().Reveal(), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"; got != want {
		t.Errorf("proof = %s, want %s", got, want)
	}
}

func TestPrintedClientHasNoSecret(t *testing.T) {
	t.Parallel()
	client, _, _, _ := connect(t, simulatedAccount())
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d"} {
		for _, of := range []any{client, *client.wire, client.credentials} {
			text := fmt.Sprintf(verb, of)
			for _, hidden := range []string{token, secret, client.proof.Reveal()} {
				if strings.Contains(text, hidden) {
					t.Errorf("%s of %T shows a secret: %s", verb, of, text)
				}
			}
		}
	}
}

func TestConnectionTestReportsPermissionsAndExpiry(t *testing.T) {
	t.Parallel()
	client, sim, _, _ := connect(t, simulatedAccount())
	got, err := client.Test(t.Context())
	if err != nil || !got.Expires.Equal(adstest.Noon.Add(1000*time.Hour)) ||
		fmt.Sprint(got.Permissions) != "[ads_management ads_read]" {
		t.Errorf("Test = %+v, %v", got, err)
	}
	sim.Edit(func(a *simulator.FacebookAccount) { a.TokenEnds = time.Time{} })
	if got, err := client.Test(t.Context()); err != nil || !got.Expires.IsZero() {
		t.Errorf("Test of a token without an end = %+v, %v", got, err)
	}
	sim.Edit(func(a *simulator.FacebookAccount) { a.Permissions = []string{"ads_read"} })
	if _, err := client.Test(t.Context()); ads.ReasonOf(err) != ads.PermissionMissing ||
		!strings.Contains(err.Error(), needed) {
		t.Errorf("Test without %s: %v", needed, err)
	}
	sim.Edit(func(a *simulator.FacebookAccount) { a.ID = "77" })
	if _, err := client.Test(t.Context()); ads.ReasonOf(err) != ads.PermissionMissing {
		t.Errorf("Test of a foreign account: %v, want %s", err, ads.PermissionMissing)
	}
}

func TestCurrencyOutsideMetasListIsRejected(t *testing.T) {
	t.Parallel()
	account := simulatedAccount()
	account.Currency = "KWD"
	client, sim, _, _ := connect(t, account)
	if _, err := client.Read(t.Context(), "120210000000000001"); ads.ReasonOf(err) != ads.CurrencyUnsupported {
		t.Errorf("Read = %v, want %s", err, ads.CurrencyUnsupported)
	}
	sim.Edit(func(a *simulator.FacebookAccount) { a.Currency = "TWD" })
	s, err := client.Read(t.Context(), "120210000000000001")
	if err != nil || s.Budget.Amount.String() != "TWD 5,000.00" || s.Budget.Step.String() != "TWD 1.00" ||
		s.Budget.Minimum.String() != "TWD 100.00" {
		t.Errorf("Read = %+v, %v; want 5000 TWD in steps of 1 from 100", s.Budget, err)
	}
}

func TestFifthBudgetChangeInAnHourIsRateLimited(t *testing.T) {
	t.Parallel()
	client, _, clock, _ := connect(t, simulatedAccount())
	change := func(minor int64) ads.Outcome {
		s, err := client.Read(t.Context(), "120210000000000001")
		if err != nil {
			t.Fatal(err)
		}
		return client.Apply(t.Context(), s, set(minor))
	}
	for i := range int64(4) {
		if got := change(5100 + i); got.Result != ads.Applied {
			t.Fatalf("change %d: %+v", i, got.Rejection)
		}
	}
	got := change(5200)
	if got.Result != ads.Refused || got.Rejection.Reason != ads.RateLimited || got.Rejection.Wait != time.Hour ||
		got.Rejection.Code != "613/1487632" {
		t.Errorf("fifth change = %s %+v, want a rate limit of an hour", got.Result, got.Rejection)
	}
	clock.Advance(time.Hour)
	if got := change(5200); got.Result != ads.Applied {
		t.Errorf("after an hour: %+v", got.Rejection)
	}
}

func TestUsedUpQuotaIsARateLimitWithAWait(t *testing.T) {
	t.Parallel()
	client, sim, clock, _ := connect(t, simulatedAccount())
	sim.Edit(func(a *simulator.FacebookAccount) { a.Quota = 1 })
	_, err := client.Read(t.Context(), "120210000000000001")
	if r := ads.AsRejection("facebook", err); r.Reason != ads.RateLimited || r.Wait != 2*time.Minute {
		t.Errorf("Read = %v with the wait %s, want a rate limit of 2 minutes", err, r.Wait)
	}
	sim.Edit(func(a *simulator.FacebookAccount) { a.Quota = 0 })
	clock.Advance(time.Hour)
	if _, err := client.Read(t.Context(), "120210000000000001"); err != nil {
		t.Errorf("Read in the next hour: %v", err)
	}
}

func TestErrorCodesHaveTheirReason(t *testing.T) {
	t.Parallel()
	client, _, _, _ := connect(t, simulatedAccount())
	for _, c := range []struct {
		status, code, subcode int
		transient             bool
		want                  ads.Reason
		unsure                bool
	}{
		{400, 190, 463, false, ads.TokenExpired, false},
		{400, 190, 460, false, ads.TokenExpired, false},
		{400, 102, 0, false, ads.TokenExpired, false},
		{400, 10, 0, false, ads.PermissionMissing, false},
		{403, 200, 0, false, ads.PermissionMissing, false},
		{403, 299, 0, false, ads.PermissionMissing, false},
		{400, 3, 0, false, ads.PermissionMissing, false},
		{400, 270, 0, false, ads.PermissionMissing, false},
		{400, 368, 0, false, ads.PolicyBlocked, false},
		{200, 31, 3858385, false, ads.PolicyBlocked, false},
		{400, 2635, 0, false, ads.VersionRetired, false},
		{400, 100, 33, false, ads.CampaignNotFound, false},
		{404, 803, 0, false, ads.CampaignNotFound, false},
		{400, 100, 1885272, false, ads.BelowMinimum, false},
		{400, 100, 0, false, ads.InvalidRequest, false},
		{400, 4, 1504022, false, ads.RateLimited, false},
		{400, 17, 2446079, false, ads.RateLimited, false},
		{400, 32, 0, false, ads.RateLimited, false},
		{400, 341, 0, false, ads.RateLimited, false},
		{400, 613, 5044001, false, ads.RateLimited, false},
		{400, 80000, 0, false, ads.RateLimited, false},
		{400, 80014, 0, true, ads.RateLimited, false},
		{400, 80015, 0, false, ads.InvalidRequest, false},
		{400, 79999, 0, false, ads.InvalidRequest, false},
		{500, 1, 0, false, ads.Unavailable, true},
		{200, 2, 0, true, ads.Unavailable, true},
		{400, 999, 0, true, ads.Unavailable, true},
		{503, 999, 0, false, ads.Unavailable, true},
		{400, 999, 0, false, ads.InvalidRequest, false},
	} {
		body := fmt.Sprintf(`{"error":{"message":"m %s","code":%d,"error_subcode":%d,"is_transient":%t,"error_data":"{\"a\":1}","fbtrace_id":"T"}}`,
			token, c.code, c.subcode, c.transient)
		v := client.judge(func([]byte) error { return nil })(wire.Reply{Status: c.status, Body: []byte(body)})
		if v.Rejection == nil || v.Rejection.Reason != c.want || v.Unsure != c.unsure ||
			v.Retry != (c.unsure || c.want == ads.RateLimited) || v.Rejection.RequestID != "T" {
			t.Errorf("HTTP %d code %d/%d: %+v, want %s, unsure %v", c.status, c.code, c.subcode, v, c.want, c.unsure)
			continue
		}
		if want := fmt.Sprint(c.code); !strings.HasPrefix(v.Rejection.Code, want) ||
			strings.Contains(v.Rejection.Error(), token) {
			t.Errorf("%v: want the code %s and no token", v.Rejection, want)
		}
	}
}

func FuzzReply(f *testing.F) {
	for _, seed := range []string{
		`{"success":true}`, `{"success":false}`, `{"error":{"message":"m","code":190,"error_subcode":463}}`,
		`{"error":null}`, `{"error":{}}`, `[]`, ``, `{`,
		`{"id":"1","account_id":"2","name":"n","status":"ACTIVE","daily_budget":"5000"}`,
		`{"id":1,"daily_budget":5e3,"lifetime_budget":null}`,
		strings.Repeat("[", 100), `{"error":{"code":"190","error_data":"{}"}}`,
	} {
		f.Add(200, seed, `{"1":[{"estimated_time_to_regain_access":3}]}`)
		f.Add(400, seed, ``)
	}
	client := New(Credentials{AccountID: "2", AccessToken: ads.NewSecret(token)},
		ads.Options{Clock: adstest.NewClock(adstest.Noon)})
	f.Fuzz(func(t *testing.T, status int, body, usage string) {
		header := http.Header{"X-Business-Use-Case-Usage": {usage}, "Retry-After": {usage}, "X-Ad-Account-Usage": {usage}}
		for name, success := range map[string]func([]byte) error{
			"change": post{}.succeeded,
			"read":   func(b []byte) error { return wire.Decode(b, new(campaign)) },
		} {
			v := client.judge(success)(wire.Reply{Status: status, Header: header, Body: []byte(body)})
			switch {
			case v.Rejection == nil && (status != 200 || name == "change" && !strings.Contains(body, "true")):
				t.Errorf("%s: HTTP %d %q is success", name, status, body)
			case v.Rejection != nil && (v.Rejection.Wait < 0 || v.Rejection.Wait > 24*time.Hour ||
				len(v.Rejection.Said) > 5*ads.MaxMessage):
				t.Errorf("%s: %+v", name, v.Rejection)
			}
		}
	})
}

func TestOffsetsAreThoseOfMetasList(t *testing.T) {
	t.Parallel()
	whole := map[money.Currency]bool{
		"CLP": true, "COP": true, "CRC": true, "HUF": true, "IDR": true, "ISK": true, "JPY": true, "KRW": true, "PYG": true,
		"TWD": true, "VND": true,
	}
	found := 0
	for c, offset := range offsets {
		if want := map[bool]int64{true: 1, false: 100}[whole[c]]; offset != want || len(c) != 3 {
			t.Errorf("%s has the offset %d, want %d", c, offset, want)
		}
		if whole[c] {
			found++
		}
	}
	if found != len(whole) {
		t.Errorf("%d currencies without decimals, want %d", found, len(whole))
	}
}

func TestListFollowsCursorsAndNoLinks(t *testing.T) {
	t.Parallel()
	account := simulatedAccount()
	for i := range 250 {
		account.Campaigns = append(account.Campaigns, simulator.FacebookCampaign{
			ID:      fmt.Sprint(5000 + i),
			Account: account.ID, Name: "More", Status: "PAUSED", Daily: 5000,
		})
	}
	client, sim, _, _ := connect(t, account)
	list, more, err := client.Campaigns(t.Context(), 1000)
	if err != nil || more || len(list) != 253 || list[252].ID != "5249" { // archived, deleted, foreign and unknown campaigns are not listed
		t.Errorf("Campaigns = %d, %v, %v; want 253 on three pages", len(list), more, err)
	}
	if n := len(sim.Log()); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
	sim.Reset()
	endless := simulator.Fault{Do: simulator.Answer, Reply: simulator.Reply{
		Status: 200, Body: `{"data":[],"paging":{"cursors":{"after":"x"},"next":"https://graph.invalid/"}}`,
	}}
	sim.Script(endless, endless, endless)
	if list, more, err := client.Campaigns(t.Context(), 10); err != nil || more || len(list) != 0 || len(sim.Log()) != 2 {
		t.Errorf("a repeated cursor: %d, %v, %v after %d requests, want an end after 2", len(list), more, err, len(sim.Log()))
	}
	sim.Reset()
	for i := range maxPages + 1 {
		sim.Script(simulator.Fault{Do: simulator.Answer, Reply: simulator.Reply{
			Status: 200, Body: fmt.Sprintf(`{"data":[],"paging":{"cursors":{"after":"%d"},"next":"x"}}`, i),
		}})
	}
	if _, more, err := client.Campaigns(t.Context(), 10); err != nil || !more || len(sim.Log()) != maxPages {
		t.Errorf("endless pages: %v, %v after %d requests, want an end after %d", more, err, len(sim.Log()), maxPages)
	}
}

func TestAccountIsReadEveryTenMinutes(t *testing.T) {
	t.Parallel()
	client, sim, clock, _ := connect(t, simulatedAccount())
	requests := func() int {
		sim.Reset()
		if _, err := client.Read(t.Context(), "120210000000000001"); err != nil {
			t.Fatal(err)
		}
		return len(sim.Log())
	}
	if n := requests(); n != 3 {
		t.Errorf("%d requests of the first read, want account, minimum and campaign", n)
	}
	clock.Advance(10*time.Minute - 1)
	if n := requests(); n != 1 {
		t.Errorf("%d requests before ten minutes, want 1", n)
	}
	clock.Advance(1)
	if n := requests(); n != 3 {
		t.Errorf("%d requests after ten minutes, want 3", n)
	}
}

func TestWaitOfARateLimitComesFromTheHeaders(t *testing.T) {
	t.Parallel()
	client, _, _, _ := connect(t, simulatedAccount())
	for _, c := range []struct {
		name, value string
		want        time.Duration
	}{
		{"Retry-After", "9", 9 * time.Second},
		{"X-Ad-Account-Usage", `{"acc_id_util_pct":100,"reset_time_duration":100}`, 100 * time.Second},
		{"X-Business-Use-Case-Usage", `{"1":[{"estimated_time_to_regain_access":3},{"estimated_time_to_regain_access":7}],"2":[{}]}`, 7 * time.Minute},
		{"X-Business-Use-Case-Usage", `{"1":[{"estimated_time_to_regain_access":9000000000000}]}`, 24 * time.Hour},
		{"X-Ad-Account-Usage", `{"reset_time_duration":9000000000000}`, 24 * time.Hour},
		{"X-Ad-Account-Usage", `{"reset_time_duration":-5}`, 0},
		{"X-Business-Use-Case-Usage", `not JSON`, 0},
	} {
		h := http.Header{}
		h.Set(c.name, c.value)
		v := client.judge(func([]byte) error { return nil })(wire.Reply{
			Status: 400, Header: h,
			Body: []byte(`{"error":{"code":17}}`),
		})
		if v.Rejection.Wait != c.want {
			t.Errorf("%s: %s: Wait = %s, want %s", c.name, c.value, v.Rejection.Wait, c.want)
		}
	}
}

func TestEndedTokenIsExplained(t *testing.T) {
	t.Parallel()
	client, _, _, _ := connect(t, simulatedAccount())
	for subcode, want := range map[int]string{
		458: "removed the app", 459: "sign in", 460: "password",
		463: "has expired", 467: "no longer valid", 0: "expired or was revoked",
	} {
		body := fmt.Sprintf(`{"error":{"message":"technical","error_user_msg":"for people","code":190,"error_subcode":%d}}`,
			subcode)
		r := client.judge(nil)(wire.Reply{Status: 400, Body: []byte(body)}).Rejection
		if !strings.Contains(r.Text, want) || r.Said != "for people" {
			t.Errorf("subcode %d: %q, %q; want %q and the message for people", subcode, r.Text, r.Said, want)
		}
	}
}

func TestAReplyWithoutACampaignIsUnexpected(t *testing.T) {
	t.Parallel()
	client, sim, _, _ := connect(t, simulatedAccount())
	if _, err := client.Test(t.Context()); err != nil { // the account is known from here on
		t.Fatal(err)
	}
	for body, want := range map[string]ads.Reason{
		`{}`:            ads.UnexpectedReply,
		`null`:          ads.UnexpectedReply,
		`{"error":"x"}`: ads.UnexpectedReply,
		`{"id":"120210000000000002","account_id":"1"}`: ads.CampaignNotFound,
	} {
		sim.Script(simulator.Fault{Do: simulator.Answer, Reply: simulator.Reply{Status: 200, Body: body}})
		if _, err := client.Read(t.Context(), "120210000000000002"); ads.ReasonOf(err) != want {
			t.Errorf("Read with %s: %v, want %q", body, err, want)
		}
	}
}

func TestAnAdSetIsNotACampaign(t *testing.T) {
	t.Parallel()
	client, _, _, _ := connect(t, simulatedAccount())
	s, err := client.Read(t.Context(), "120210000000000002")
	if err != nil || len(s.Budget.Children) == 0 {
		t.Fatalf("Read = %+v, %v; want a campaign with ad sets", s, err)
	}
	set := ads.CampaignID(s.Budget.Children[0].ID)
	if s, err := client.Read(t.Context(), set); ads.ReasonOf(err) != ads.InvalidRequest || !strings.Contains(err.Error(), "AdSet") {
		t.Errorf("Read of the ad set %s = %+v, %v; want %s", set, s, err, ads.InvalidRequest)
	}
}

func TestAdSetsWithoutABudgetAreNotListed(t *testing.T) {
	t.Parallel()
	account := simulatedAccount()
	account.Campaigns[1].AdSets = append(account.Campaigns[1].AdSets,
		simulator.FacebookAdSet{ID: "1204", Name: "None", Status: "ACTIVE"},
		simulator.FacebookAdSet{ID: "1205", Name: "One cent", Status: "ACTIVE", Daily: 1})
	client, _, _, _ := connect(t, account)
	s, err := client.Read(t.Context(), "120210000000000002")
	if err != nil {
		t.Fatal(err)
	}
	want := []ads.Child{
		{ID: "1202", Name: "Broad", Period: ads.Daily, Amount: usd(2000)},
		{ID: "1203", Name: "Narrow", Period: ads.Lifetime, Amount: usd(90000)},
		{ID: "1205", Name: "One cent", Period: ads.Daily, Amount: usd(1)},
	}
	if diff := cmp.Diff(want, s.Budget.Children); diff != "" {
		t.Errorf("ad sets (-want +got):\n%s", diff)
	}
}

func TestUnusableAccountsAreNamed(t *testing.T) {
	t.Parallel()
	client, sim, _, _ := connect(t, simulatedAccount())
	for body, want := range map[string]ads.Reason{
		`{"currency":"USD","account_status":1}`:    "",
		`{"currency":"USD","account_status":9}`:    "",
		`{"currency":"USD","account_status":2}`:    ads.PermissionMissing,
		`{"currency":"USD","account_status":101}`:  ads.PermissionMissing,
		`{"currency":"KWD","account_status":1}`:    ads.CurrencyUnsupported,
		`{"currency":"dollar","account_status":1}`: ads.UnexpectedReply,
		`{}`:   ads.UnexpectedReply,
		`"x"`:  ads.UnexpectedReply,
		`null`: ads.UnexpectedReply,
	} {
		sim.Script(simulator.Fault{Do: simulator.Answer, Reply: simulator.Reply{Status: 200, Body: body}})
		if _, err := client.Test(t.Context()); ads.ReasonOf(err) != want {
			t.Errorf("Test with %s: %v, want %q", body, err, want)
		}
	}
}
