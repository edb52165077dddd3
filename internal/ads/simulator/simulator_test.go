package simulator

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// exchange is a request with the parts of its reply.
type exchange struct {
	name, method, target string
	header               map[string]string
	body                 string
	status               int
	want, lack           []string // parts that the reply must and must not have
	mutating, applied    bool
}

// play sends the requests in order and compares the replies and the log with the expected values.
func play(t *testing.T, s *Server, list []exchange) {
	t.Helper()
	for _, x := range list {
		s.Reset()
		r := httptest.NewRequestWithContext(t.Context(), x.method, x.target, strings.NewReader(x.body))
		for name, value := range x.header {
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != x.status {
			t.Errorf("%s: HTTP %d, want %d: %s", x.name, w.Code, x.status, w.Body)
		}
		for _, part := range x.want {
			if !strings.Contains(w.Body.String(), part) {
				t.Errorf("%s: the reply lacks %s: %s", x.name, part, w.Body)
			}
		}
		for _, part := range x.lack {
			if strings.Contains(w.Body.String(), part) {
				t.Errorf("%s: the reply has %s: %s", x.name, part, w.Body)
			}
		}
		log := s.Log()
		if len(log) != 1 || log[0].Mutating != x.mutating || log[0].Applied != x.applied || log[0].Status != x.status {
			t.Errorf("%s: log %+v, want mutating %v, applied %v", x.name, log, x.mutating, x.applied)
		}
	}
}

func TestFacebookEnforcesItsRules(t *testing.T) {
	t.Parallel()
	f := NewFacebook(FacebookAccount{
		ID: "12", Name: "Store", Currency: "USD", TimeZone: "America/New_York", Token: "tok", AppSecret: "Jefe",
		MinDaily:    100,
		Permissions: []string{"ads_management"},
		Campaigns: []FacebookCampaign{
			{ID: "1", Account: "12", Name: "A", Status: "ACTIVE", Daily: 5000},
			{ID: "2", Account: "12", Name: "B", Status: "ARCHIVED", Daily: 5000},
			{
				ID: "3", Account: "12", Name: "C", Status: "PAUSED",
				AdSets: []FacebookAdSet{{ID: "31", Name: "S", Status: "ACTIVE", Daily: 700}},
			},
			{ID: "4", Account: "99", Name: "D", Status: "ACTIVE", Daily: 5000},
		},
	}, func() time.Time { return noon })
	const proof = "appsecret_proof=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
	const valid = "appsecret_proof=f1fa01712a02f374f94f8ed5a8d9cc071474f99e1e50444c4bf0bf267261c7c6"
	bearer := map[string]string{"Authorization": "Bearer tok"}
	form := map[string]string{"Authorization": "Bearer tok", "Content-Type": "application/x-www-form-urlencoded"}
	play(t, &f.Server, []exchange{
		{
			name: "no version", method: "GET", target: "/1?" + valid, header: bearer, status: 400,
			want: []string{`"code":2635`},
		},
		{
			name: "old version", method: "GET", target: "/v25.0/1?" + valid, header: bearer, status: 400,
			want: []string{`"code":2635`},
		},
		{name: "no token", method: "GET", target: "/v26.0/1?" + valid, status: 401, want: []string{`"code":2500`}},
		{name: "wrong token", method: "GET", target: "/v26.0/1?access_token=x", status: 401, want: []string{`"code":190`}},
		{name: "no proof", method: "GET", target: "/v26.0/1", header: bearer, status: 400, want: []string{"appsecret_proof"}},
		{
			name: "wrong proof", method: "GET", target: "/v26.0/1?" + proof, header: bearer, status: 400,
			want: []string{"appsecret_proof"},
		},
		{
			name: "token in the query", method: "GET", target: "/v26.0/1?access_token=tok&" + valid, status: 200,
			want: []string{`"daily_budget":"5000"`},
		},
		{
			name: "unknown campaign", method: "GET", target: "/v26.0/9?" + valid, header: bearer, status: 400,
			want: []string{`"error_subcode":33`},
		},
		{
			name: "ad sets", method: "GET", target: "/v26.0/3/adsets?" + valid, header: bearer, status: 200,
			want: []string{`"daily_budget":"700"`},
		},
		{
			name: "ad set", method: "GET", target: "/v26.0/31?fields=id,daily_budget&" + valid, header: bearer, status: 200,
			want: []string{`"daily_budget":"700"`, `"campaign_id":"3"`},
		},
		{
			name: "campaign field of an ad set", method: "GET", target: "/v26.0/31?fields=id,buying_type&" + valid, header: bearer,
			status: 400, want: []string{"nonexisting field (buying_type) on node type (AdSet)"},
		},
		{
			name: "unknown edge", method: "GET", target: "/v26.0/1/x?" + valid, header: bearer, status: 400,
			want: []string{"nonexisting field (x)"},
		},
		{
			name: "dry run", method: "POST", target: "/v26.0/1", header: form,
			body:   valid + `&daily_budget=6000&execution_options=["validate_only"]`,
			status: 200, want: []string{`"success":true`},
		},
		{
			name: "dry run of too little", method: "POST", target: "/v26.0/1", header: form,
			body:   valid + `&daily_budget=99&execution_options=["validate_only"]`,
			status: 400, want: []string{`"error_subcode":1885272`},
		},
		{
			name: "the dry run changed nothing", method: "GET", target: "/v26.0/1?" + valid, header: bearer, status: 200,
			want: []string{`"daily_budget":"5000"`},
		},
		{
			name: "change", method: "POST", target: "/v26.0/1", header: form, body: valid + "&daily_budget=6000", status: 200,
			want:     []string{`"success":true`},
			mutating: true, applied: true,
		},
		{
			name: "the change is live", method: "GET", target: "/v26.0/1?" + valid, header: bearer, status: 200,
			want: []string{`"daily_budget":"6000"`},
		},
		{
			name: "a fraction", method: "POST", target: "/v26.0/1", header: form, body: valid + "&daily_budget=60.5",
			status: 400, want: []string{"integer"}, mutating: true,
		},
		{
			name: "too little", method: "POST", target: "/v26.0/1", header: form, body: valid + "&daily_budget=99",
			status: 400, want: []string{"1885272"}, mutating: true,
		},
		{
			name: "unknown status", method: "POST", target: "/v26.0/1", header: form, body: valid + "&status=STOPPED",
			status: 400, want: []string{"status"}, mutating: true,
		},
		{
			name: "archived", method: "POST", target: "/v26.0/2", header: form, body: valid + "&status=ACTIVE", status: 400,
			want: []string{"ARCHIVED"}, mutating: true,
		},
		{
			name: "ad set budgets", method: "POST", target: "/v26.0/3", header: form, body: valid + "&daily_budget=6000",
			status: 400, want: []string{"no daily budget", `"error_subcode":1885650`}, mutating: true,
		},
		{
			name: "another account", method: "POST", target: "/v26.0/4", header: form, body: valid + "&status=PAUSED",
			status: 400, want: []string{`"error_subcode":33`}, mutating: true,
		},
		{
			name: "list", method: "GET", target: "/v26.0/act_12/campaigns?limit=1&" + valid, header: bearer, status: 200,
			want: []string{`"id":"1"`, `"after":"1"`, `"next"`},
		},
		{
			name: "second page", method: "GET", target: "/v26.0/act_12/campaigns?limit=1&after=1&" + valid, header: bearer,
			status: 200, want: []string{`"id":"3"`},
		},
	})
	if got := callsUsed(f); got != 19 {
		t.Errorf("%d calls are counted, want 19: refused tokens and versions use none", got)
	}
}

func callsUsed(f *Facebook) (n int) {
	f.Edit(func(a *FacebookAccount) { n = a.Calls })
	return n
}

func TestGoogleEnforcesItsRules(t *testing.T) {
	t.Parallel()
	g := NewGoogle(GoogleAccount{
		ID: "12", Name: "Store", Currency: "USD", TimeZone: "America/New_York", LoginCustomerID: "5", ClientID: "c",
		ClientSecret: "s", RefreshToken: "r",
		Access: "a", AccessEnds: noon.Add(time.Hour), Scope: "adwords", BillableMicros: 10_000, MinMicros: 1_000_000,
		Campaigns: []GoogleCampaign{
			{ID: "1", Name: "A", Status: "ENABLED", Budget: "11"},
			{ID: "2", Name: "B", Status: "REMOVED", Budget: "11"},
			{ID: "3", Name: "C", Status: "ENABLED", Budget: "13", Experiment: "EXPERIMENT"},
		},
		Budgets: []GoogleBudget{
			{ID: "11", Period: "DAILY", Micros: 50_000_000},
			{ID: "13", Period: "CUSTOM_PERIOD", Micros: 7},
		},
	}, func() time.Time { return noon })
	with := map[string]string{"Authorization": "Bearer a", "Login-Customer-Id": "5", "Content-Type": "application/json"}
	search := func(q string) string { return `{"query":"` + q + `"}` }
	mutate := func(name, field, value, mask string) string {
		return `{"operations":[{"update":{"resourceName":"customers/12/` + name + `","` + field + `":"` + value +
			`"},"updateMask":"` + mask + `"}]}`
	}
	const path, budgets, campaigns = "/v25/customers/12/googleAds:search", "/v25/customers/12/campaignBudgets:mutate",
		"/v25/customers/12/campaigns:mutate"
	one := search("SELECT campaign.id FROM campaign WHERE campaign.id = 1")
	play(t, &g.Server, []exchange{
		{
			name: "old version", method: "POST", target: "/v22/customers/12/googleAds:search", header: with, body: one,
			status: 404, want: []string{"<!DOCTYPE"},
		},
		{name: "GET", method: "GET", target: path, header: with, status: 404},
		{
			name: "no JSON", method: "POST", target: path, header: map[string]string{"Authorization": "Bearer a"}, body: one,
			status: 404,
		},
		{
			name: "wrong token", method: "POST", target: path,
			header: map[string]string{"Authorization": "Bearer b", "Content-Type": "application/json"}, body: one,
			status: 401, want: []string{"UNAUTHENTICATED"},
		},
		{
			name: "no manager", method: "POST", target: path,
			header: map[string]string{"Authorization": "Bearer a", "Content-Type": "application/json"}, body: one,
			status: 403, want: []string{"USER_PERMISSION_DENIED"},
		},
		{
			name: "another account", method: "POST", target: "/v25/customers/13/googleAds:search", header: with, body: one,
			status: 403,
		},
		{name: "unknown service", method: "POST", target: "/v25/customers/12/x:search", header: with, body: one, status: 404},
		{
			name: "campaign", method: "POST", target: path, header: with, body: one, status: 200,
			lack: []string{`"id":"2"`, `"id":"3"`}, want: []string{
				`"amountMicros":"50000000"`, `"campaignBudget":"customers/12/campaignBudgets/11"`, `"referenceCount":"1"`,
				`"currencyCode":"USD"`,
			},
		},
		{
			name: "unknown query", method: "POST", target: path, header: with, body: search("SELECT x FROM y"), status: 400,
			want: []string{"queryError"},
		},
		{
			name: "dry run", method: "POST", target: budgets, header: with, status: 200, want: []string{"{}"},
			body: strings.Replace(mutate("campaignBudgets/11", "amountMicros", "60000000", "amount_micros"), "{",
				`{"validateOnly":true,`, 1),
		},
		{
			name: "change", method: "POST", target: budgets, header: with,
			body:   mutate("campaignBudgets/11", "amountMicros", "60000000", "amountMicros"),
			status: 200, want: []string{`"resourceName":"customers/12/campaignBudgets/11"`}, mutating: true, applied: true,
		},
		{
			name: "the change is live", method: "POST", target: path, header: with, body: one, status: 200,
			want: []string{`"amountMicros":"60000000"`},
		},
		{
			name: "unknown mask", method: "POST", target: budgets, header: with,
			body:   mutate("campaignBudgets/11", "amountMicros", "60000000", "amount"),
			status: 400, want: []string{"FIELD_NOT_FOUND"}, mutating: true,
		},
		{
			name: "not billable", method: "POST", target: budgets, header: with,
			body:   mutate("campaignBudgets/11", "amountMicros", "60000001", "amount_micros"),
			status: 400, want: []string{"NON_MULTIPLE_OF_MINIMUM_CURRENCY_UNIT"}, mutating: true,
		},
		{
			name: "below the minimum", method: "POST", target: budgets, header: with,
			body:   mutate("campaignBudgets/11", "amountMicros", "990000", "amount_micros"),
			status: 400, want: []string{"BUDGET_BELOW_PER_DAY_MINIMUM", `"budgetPerDayMinimumMicros":"1000000"`},
			mutating: true,
		},
		{
			name: "negative", method: "POST", target: budgets, header: with,
			body:   mutate("campaignBudgets/11", "amountMicros", "-10000", "amount_micros"),
			status: 400, want: []string{"NEGATIVE_MONEY_AMOUNT"}, mutating: true,
		},
		{
			name: "custom period", method: "POST", target: budgets, header: with,
			body:   mutate("campaignBudgets/13", "amountMicros", "60000000", "amount_micros"),
			status: 400, want: []string{"BUDGET_AMOUNT_MUST_BE_UNSET_FOR_CUSTOM_BUDGET_PERIOD"}, mutating: true,
		},
		{
			name: "unknown budget", method: "POST", target: budgets, header: with,
			body:   mutate("campaignBudgets/99", "amountMicros", "60000000", "amount_micros"),
			status: 400, want: []string{"RESOURCE_NOT_FOUND"}, mutating: true,
		},
		{
			name: "pause", method: "POST", target: campaigns, header: with,
			body: mutate("campaigns/1", "status", "PAUSED", "status"), status: 200, mutating: true, applied: true,
		},
		{
			name: "removed", method: "POST", target: campaigns, header: with,
			body:   mutate("campaigns/2", "status", "ENABLED", "status"),
			status: 400, want: []string{"OPERATION_NOT_PERMITTED_FOR_REMOVED_RESOURCE"}, mutating: true,
		},
		{
			name: "trial", method: "POST", target: campaigns, header: with,
			body:   mutate("campaigns/3", "status", "PAUSED", "status"),
			status: 400, want: []string{"CANNOT_MODIFY_FOR_TRIAL_CAMPAIGN"}, mutating: true,
		},
		{
			name: "unknown status", method: "POST", target: campaigns, header: with,
			body:   mutate("campaigns/1", "status", "ACTIVE", "status"),
			status: 400, want: []string{"INVALID_STATUS_CHANGE"}, mutating: true,
		},
		{
			name: "wrong refresh token", method: "POST", target: "/token",
			header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
			body:   "grant_type=refresh_token&client_id=c&client_secret=s&refresh_token=x", status: 400,
			want: []string{"invalid_grant"},
		},
		{
			name: "wrong client", method: "POST", target: "/token",
			header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
			body:   "grant_type=refresh_token&client_id=c&client_secret=x&refresh_token=r", status: 400,
			want: []string{"invalid_client"},
		},
		{
			name: "wrong grant", method: "POST", target: "/token",
			header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
			body:   "grant_type=password&client_id=c&client_secret=s&refresh_token=r", status: 400,
			want: []string{"unsupported_grant_type"},
		},
		{
			name: "token", method: "POST", target: "/token",
			header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
			body:   "grant_type=refresh_token&client_id=c&client_secret=s&refresh_token=r", status: 200,
			want: []string{`"access_token":"ya29.simulated-1"`, `"expires_in":3599`},
		},
		{name: "the earlier token is still valid", method: "POST", target: path, header: with, body: one, status: 200},
	})
}

func TestTikTokEnforcesItsRules(t *testing.T) {
	t.Parallel()
	x := NewTikTok(TikTokAccount{
		ID: "7", Name: "Store", Currency: "USD", TimeZone: "America/New_York", Token: "tok", MinHundredths: 5000,
		Campaigns: []TikTokCampaign{
			{ID: "1", Advertiser: "7", Name: "A", Status: "ENABLE", Mode: "BUDGET_MODE_DAY", Hundredths: 10050},
			{ID: "2", Advertiser: "7", Name: "B", Status: "ENABLE", Mode: "BUDGET_MODE_INFINITE"},
			{ID: "3", Advertiser: "7", Name: "C", Status: "DISABLE", Mode: "BUDGET_MODE_DAY", Hundredths: 10000, Deleted: true},
			{
				ID: "4", Advertiser: "7", Name: "D", Status: "ENABLE", Mode: "BUDGET_MODE_DAY", Hundredths: 10000,
				Automation: "UPGRADED_SMART_PLUS",
			},
		},
	}, func() time.Time { return noon })
	with := map[string]string{"Access-Token": "tok", "Content-Type": "application/json"}
	const get, update, status = "/open_api/v1.3/campaign/get/", "/open_api/v1.3/campaign/update/",
		"/open_api/v1.3/campaign/status/update/"
	const page = "?advertiser_id=7&page=1&page_size=10"
	play(t, &x.Server, []exchange{
		{name: "old version", method: "GET", target: "/open_api/v1.2/campaign/get/" + page, header: with, status: 404},
		{
			name: "wrong header", method: "GET", target: get + page, header: map[string]string{"Authorization": "Bearer tok"},
			status: 200, want: []string{`"code":40104`},
		},
		{
			name: "wrong token", method: "GET", target: get + page, header: map[string]string{"Access-Token": "x"},
			status: 200, want: []string{`"code":40105`},
		},
		{
			name: "another account", method: "GET", target: get + "?advertiser_id=8&page=1&page_size=10", header: with,
			status: 200, want: []string{`"code":40001`},
		},
		{
			name: "no page size", method: "GET", target: get + "?advertiser_id=7&page=1", header: with, status: 200,
			want: []string{`"code":40002`},
		},
		{
			name: "list", method: "GET", target: get + page, header: with, status: 200,
			want: []string{`"budget":100.5`, `"total_number":3`, `"campaign_id":"1"`, `"request_id"`},
		},
		{
			name: "deleted", method: "GET", target: get + page +
				`&filtering={"campaign_ids":["3"],"primary_status":"STATUS_DELETE"}`, header: with,
			status: 200, want: []string{"CAMPAIGN_STATUS_DELETE"},
		},
		{
			name: "not deleted", method: "GET", target: get + page + `&filtering={"campaign_ids":["3"]}`, header: with,
			status: 200, want: []string{`"list":[]`},
		},
		{
			name: "account", method: "GET", target: `/open_api/v1.3/advertiser/info/?advertiser_ids=["7"]`, header: with,
			status: 200, want: []string{`"currency":"USD"`},
		},
		{
			name: "foreign account", method: "GET", target: `/open_api/v1.3/advertiser/info/?advertiser_ids=["8"]`,
			header: with, status: 200, want: []string{`"code":40001`},
		},
		{
			name: "change", method: "POST", target: update, header: with,
			body: `{"advertiser_id":"7","campaign_id":"1","budget":120}`, status: 200,
			want: []string{`"code":0`}, mutating: true, applied: true,
		},
		{
			name: "the change is live", method: "GET", target: get + page, header: with, status: 200,
			want: []string{`"budget":120`},
		},
		{
			name: "at the minimum", method: "POST", target: update, header: with,
			body: `{"advertiser_id":"7","campaign_id":"1","budget":50}`, status: 200,
			want: []string{`"code":40002`, "greater than 50"}, mutating: true,
		},
		{
			name: "infinite", method: "POST", target: update, header: with,
			body: `{"advertiser_id":"7","campaign_id":"2","budget":120}`, status: 200,
			want: []string{"budget mode"}, mutating: true,
		},
		{
			name: "deleted change", method: "POST", target: update, header: with,
			body: `{"advertiser_id":"7","campaign_id":"3","budget":120}`, status: 200,
			want: []string{"deleted"}, mutating: true,
		},
		{
			name: "Smart+", method: "POST", target: update, header: with,
			body: `{"advertiser_id":"7","campaign_id":"4","budget":120}`, status: 200,
			want: []string{"Smart+"}, mutating: true,
		},
		{
			name: "unknown campaign", method: "POST", target: update, header: with,
			body: `{"advertiser_id":"7","campaign_id":"9","budget":120}`, status: 200,
			want: []string{"does not exist"}, mutating: true,
		},
		{
			name: "another advertiser", method: "POST", target: update, header: with,
			body: `{"advertiser_id":"8","campaign_id":"1","budget":120}`, status: 200,
			want: []string{`"code":40001`}, mutating: true,
		},
		{
			name: "form", method: "POST", target: update, header: map[string]string{"Access-Token": "tok"},
			body: `{"advertiser_id":"7"}`, status: 200,
			want: []string{"Content-Type"}, mutating: true,
		},
		{
			name: "pause", method: "POST", target: status, header: with,
			body: `{"advertiser_id":"7","campaign_ids":["1"],"operation_status":"DISABLE"}`, status: 200,
			want: []string{`"code":0`}, mutating: true, applied: true,
		},
		{
			name: "old field", method: "POST", target: status, header: with,
			body: `{"advertiser_id":"7","campaign_ids":["1"],"opt_status":"ENABLE"}`, status: 200,
			want: []string{"operation_status"}, mutating: true,
		},
		{
			name: "the pause is live", method: "GET", target: get + page, header: with, status: 200,
			want: []string{`"operation_status":"DISABLE"`},
		},
	})
}

func TestFaultsApplyOnceInOrder(t *testing.T) {
	t.Parallel()
	x := NewTikTok(TikTokAccount{ID: "7", Token: "tok"}, func() time.Time { return noon })
	x.Script(Fault{On: Writes, Do: Fail, Trouble: Limited}, Fault{On: Reads, Do: Fail, Trouble: Retired},
		Fault{Do: Malform})
	for i, want := range []string{"404", "<html>", "40104"} {
		w := httptest.NewRecorder()
		x.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/open_api/v1.3/campaign/get/",
			http.NoBody))
		if body, _ := io.ReadAll(w.Body); !strings.Contains(string(body), want) {
			t.Errorf("request %d: %s, want %s", i, body, want)
		}
	}
	w := httptest.NewRecorder()
	x.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/open_api/v1.3/campaign/update/",
		http.NoBody))
	if !strings.Contains(w.Body.String(), "40100") || w.Header().Get("Retry-After") != "90" {
		t.Errorf("the write: %s, want the fault of writes", w.Body)
	}
}

func TestLargeRequestsAreRejected(t *testing.T) {
	t.Parallel()
	x := NewTikTok(TikTokAccount{ID: "7", Token: "tok"}, func() time.Time { return noon })
	w := httptest.NewRecorder()
	x.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/",
		strings.NewReader(strings.Repeat("x", maxRequest+1))))
	if w.Code != http.StatusBadRequest || len(x.Log()) != 0 {
		t.Errorf("HTTP %d and the log %+v, want 400 and none", w.Code, x.Log())
	}
}

func TestChangesAreReported(t *testing.T) {
	t.Parallel()
	x := NewTikTok(TikTokAccount{ID: "7", Token: "tok", Campaigns: []TikTokCampaign{
		{ID: "1", Advertiser: "7", Name: "A", Status: "ENABLE", Mode: "BUDGET_MODE_DAY", Hundredths: 10000},
	}}, func() time.Time { return noon })
	saved := ""
	x.OnChange(func() {
		var file strings.Builder
		if err := x.Save(&file); err != nil {
			t.Error(err)
		}
		saved = file.String()
	})
	send := func(status string) {
		body := `{"advertiser_id":"7","campaign_ids":["1"],"operation_status":"` + status + `"}`
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/open_api/v1.3/campaign/status/update/",
			strings.NewReader(body))
		r.Header.Set("Access-Token", "tok")
		r.Header.Set("Content-Type", "application/json")
		x.ServeHTTP(httptest.NewRecorder(), r)
	}
	if send("STOP"); saved != "" {
		t.Error("a rejected change is reported")
	}
	if send("DISABLE"); !strings.Contains(saved, `"Status": "DISABLE"`) {
		t.Errorf("saved state %q, want the change", saved)
	}
	saved = ""
	if x.Edit(func(a *TikTokAccount) { a.Name = "Renamed" }); !strings.Contains(saved, "Renamed") {
		t.Errorf("saved state %q, want the edit", saved)
	}
	saved = ""
	x.Script(Fault{On: Writes, Do: Malform, Executed: true})
	if send("ENABLE"); !strings.Contains(saved, `"Status": "ENABLE"`) {
		t.Errorf("saved state %q, want the change whose reply was lost", saved)
	}
}

func TestFailuresAreDocumentedReplies(t *testing.T) {
	t.Parallel()
	clock := func() time.Time { return noon }
	servers := map[string]*Server{
		"facebook": &NewFacebook(FacebookAccount{ID: "12", Currency: "USD", Token: "tok", MinDaily: 100}, clock).Server,
		"google":   &NewGoogle(GoogleAccount{ID: "12", Currency: "USD", MinMicros: 1_000_000}, clock).Server,
		"tiktok":   &NewTikTok(TikTokAccount{ID: "12", Token: "tok", MinHundredths: 5000}, clock).Server,
	}
	for _, c := range []struct {
		platform string
		trouble  Trouble
		status   int
		want     string
	}{
		{"facebook", ServerError, 500, `"code":1,"fbtrace_id":"AbCdEf","is_transient":true`},
		{"facebook", ErrorWith200, 200, `"code":31,"error_subcode":3858385`},
		{"facebook", Limited, 400, `"code":80004,"error_subcode":2446079`},
		{"facebook", BadToken, 401, `"code":190,"error_subcode":463`},
		{"facebook", NoPermission, 403, `"code":200,`},
		{"facebook", Policy, 400, `"code":368,`},
		{"facebook", Retired, 400, `"code":2635,`},
		{"facebook", TooLow, 400, `"code":100,"error_data":{"blame_field_specs":[["daily_budget"]]},"error_subcode":1885272`},
		{"facebook", UnknownCampaign, 400, `"code":100,"error_subcode":33`},
		{"google", ServerError, 500, `"code":500,"message":"Internal error encountered.","status":"INTERNAL"`},
		{"google", ErrorWith200, 200, `"partialFailureError":{"code":3`},
		{"google", Limited, 429, `"retryDelay":"90s"`},
		{"google", BadToken, 401, `"authenticationError":"OAUTH_TOKEN_EXPIRED"`},
		{"google", NoPermission, 403, `"authorizationError":"USER_PERMISSION_DENIED"`},
		{"google", Policy, 400, `"mutateError":"EU_POLITICAL_ADVERTISING_DECLARATION_REQUIRED"`},
		{"google", Retired, 404, `<!DOCTYPE html>`},
		{"google", TooLow, 400, `"budgetPerDayMinimumErrorDetails":{"budgetPerDayMinimumMicros":"1000000","currencyCode":"USD"}`},
		{"google", UnknownCampaign, 400, `"mutateError":"RESOURCE_NOT_FOUND"`},
		{"tiktok", ServerError, 500, `"code":50000`},
		{"tiktok", ErrorWith200, 200, `"code":40002`},
		{"tiktok", Limited, 200, `"code":40100`},
		{"tiktok", BadToken, 200, `"code":40105`},
		{"tiktok", NoPermission, 200, `"code":40001`},
		{"tiktok", Policy, 200, `violates the advertising policy`},
		{"tiktok", Retired, 404, `404 page not found`},
		{"tiktok", TooLow, 200, `must be greater than 50`},
		{"tiktok", UnknownCampaign, 200, `does not exist`},
	} {
		s := servers[c.platform]
		s.Script(Fault{Do: Fail, Trouble: c.trouble})
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody))
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s %s: HTTP %d %s, want %d with %s", c.platform, c.trouble, w.Code, w.Body, c.status, c.want)
		}
	}
}

func TestFacebookBlocksCallsAboveTheQuota(t *testing.T) {
	t.Parallel()
	now := noon
	f := NewFacebook(FacebookAccount{ID: "12", Token: "tok", Quota: 2}, func() time.Time { return now })
	call := func() *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		f.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v26.0/act_12?access_token=tok",
			http.NoBody))
		return w
	}
	for i, want := range []struct {
		status int
		usage  string
	}{{200, `"call_count":50,`}, {200, `"call_count":100,`}, {400, ""}, {400, ""}} {
		w := call()
		if w.Code != want.status || !strings.Contains(w.Header().Get("X-App-Usage"), want.usage) {
			t.Errorf("call %d: HTTP %d with usage %s, want %d with %s", i, w.Code, w.Header().Get("X-App-Usage"), want.status,
				want.usage)
		}
		if blocked := strings.Contains(w.Body.String(), "80004"); blocked != (want.status == 400) {
			t.Errorf("call %d: %s", i, w.Body)
		}
	}
	if now = noon.Add(time.Hour); call().Code != http.StatusOK {
		t.Error("the quota does not begin again after an hour")
	}
}
