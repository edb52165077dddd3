package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/internal/ads/simulator"
)

// deadline is the time limit of a call to a platform in these tests.
const deadline = 2 * time.Second

// platform is a simulated ad account that the program connects to over HTTP, with one campaign for each case.
type platform struct {
	name        string
	credentials string
	secrets     []string
	flags       func(url string) []string // the settings that name the simulator
	server      *simulator.Server
	handler     http.Handler
	old, other  int64 // daily budgets in platform units
	third       int64 // a budget that someone else sets
	live        func(campaign string) int64
	person      func(campaign string, units int64)
	renews      bool // the client renews its token
}

// campaignOf returns the ID of the campaign of case n.
func campaignOf(n int) string { return fmt.Sprint(7_000_000 + n) }

func facebookPlatform(campaigns int) *platform {
	a := simulator.FacebookAccount{
		ID: "1234567890", Name: "Store", Currency: "USD", TimeZone: "America/New_York", Token: "EAABactingToken4711",
		AppSecret: "fedcba9876543210fedcba9876543210", Permissions: []string{"ads_management", "ads_read"}, MinDaily: 100,
	}
	for n := range campaigns {
		a.Campaigns = append(a.Campaigns, simulator.FacebookCampaign{
			ID: campaignOf(n), Account: a.ID, Name: "Prospecting", Status: "ACTIVE", Daily: 5000,
		})
	}
	sim := simulator.NewFacebook(a, time.Now)
	p := &platform{
		name: "facebook", secrets: []string{a.Token, a.AppSecret}, server: &sim.Server, handler: sim, old: 5000, other: 5500, third: 5100,
		credentials: `{"account_id":"act_1234567890","access_token":"` + a.Token + `","app_secret":"` + a.AppSecret + `"}`,
		flags:       func(url string) []string { return []string{"--ads-facebook-url", url} },
	}
	p.person = func(id string, units int64) {
		sim.Edit(func(a *simulator.FacebookAccount) { a.Campaign(id).Daily = units })
	}
	p.live = func(id string) (units int64) {
		sim.Edit(func(a *simulator.FacebookAccount) { units = a.Campaign(id).Daily })
		return units
	}
	return p
}

func googlePlatform(campaigns int) *platform {
	a := simulator.GoogleAccount{
		ID: "1234567890", Name: "Store", Currency: "USD", TimeZone: "America/New_York", ClientID: "client.apps",
		ClientSecret: "GOCSPX-actingSecret4711", RefreshToken: "1//actingRefresh4711", Scope: "https://www.googleapis.com/auth/adwords",
		BillableMicros: 10_000, MinMicros: 1_000_000,
	}
	for n := range campaigns {
		a.Campaigns = append(a.Campaigns, simulator.GoogleCampaign{ID: campaignOf(n), Name: "Brand", Status: "ENABLED", Budget: campaignOf(n)})
		a.Budgets = append(a.Budgets, simulator.GoogleBudget{ID: campaignOf(n), Period: "DAILY", Micros: 50_000_000})
	}
	sim := simulator.NewGoogle(a, time.Now)
	p := &platform{
		name: "google_ads", secrets: []string{a.ClientSecret, a.RefreshToken, "ya29.simulated", "actingDeveloper4711"},
		server: &sim.Server, handler: sim, renews: true, old: 50_000_000, other: 55_000_000, third: 51_000_000,
		credentials: `{"customer_id":"123-456-7890","client_id":"client.apps","client_secret":"` + a.ClientSecret +
			`","refresh_token":"` + a.RefreshToken + `","developer_token":"actingDeveloper4711"}`,
		flags: func(url string) []string { return []string{"--ads-google-url", url, "--ads-google-token-url", url} },
	}
	p.person = func(id string, units int64) {
		sim.Edit(func(a *simulator.GoogleAccount) { a.Budget(id).Micros = units })
	}
	p.live = func(id string) (units int64) {
		sim.Edit(func(a *simulator.GoogleAccount) { units = a.Budget(id).Micros })
		return units
	}
	return p
}

func tiktokPlatform(campaigns int) *platform {
	a := simulator.TikTokAccount{
		ID: "7000", Name: "Store", Currency: "USD", TimeZone: "America/New_York", Token: "actingTikTokToken4711", MinHundredths: 5000,
	}
	for n := range campaigns {
		a.Campaigns = append(a.Campaigns, simulator.TikTokCampaign{
			ID: campaignOf(n), Advertiser: a.ID, Name: "UGC", Status: "ENABLE", Mode: "BUDGET_MODE_DAY", Hundredths: 10_000,
		})
	}
	sim := simulator.NewTikTok(a, time.Now)
	p := &platform{
		name: "tiktok", secrets: []string{a.Token}, server: &sim.Server, handler: sim, old: 100, other: 110, third: 105,
		credentials: `{"advertiser_id":"7000","access_token":"` + a.Token + `"}`,
		flags:       func(url string) []string { return []string{"--ads-tiktok-url", url} },
	}
	p.person = func(id string, units int64) {
		sim.Edit(func(a *simulator.TikTokAccount) { a.Campaign(id).Hundredths = units * 100 })
	}
	p.live = func(id string) (units int64) {
		sim.Edit(func(a *simulator.TikTokAccount) { units = a.Campaign(id).Hundredths / 100 })
		return units
	}
	return p
}

// failure is one execution of a budget change with a simulated fault.
type failure struct {
	name    string
	fault   simulator.Fault
	status  string // status of the audit row when it is settled
	applied bool   // the platform has the new budget
	meddles bool   // someone else sets the budget when the request arrives
	kills   bool   // the service is killed when the request arrives
}

// failures lists the faults with the expected status of the audit row.
var failures = []failure{
	{name: "no fault", status: "applied", applied: true},
	{name: "dropped after executing", fault: simulator.Fault{Do: simulator.Drop, Executed: true}, status: "applied", applied: true},
	{name: "dropped before executing", fault: simulator.Fault{Do: simulator.Drop}, status: "failed"},
	{name: "500 before executing", fault: simulator.Fault{Do: simulator.Fail, Trouble: simulator.ServerError}, status: "failed"},
	{name: "error with 200", fault: simulator.Fault{Do: simulator.Fail, Trouble: simulator.ErrorWith200}, status: "failed"},
	{name: "malformed", fault: simulator.Fault{Do: simulator.Malform, Executed: true}, status: "applied", applied: true},
	{name: "truncated", fault: simulator.Fault{Do: simulator.Truncate, Executed: true}, status: "applied", applied: true},
	{name: "too large", fault: simulator.Fault{Do: simulator.Flood, Executed: true}, status: "applied", applied: true},
	{name: "someone else", fault: simulator.Fault{Do: simulator.Drop}, meddles: true, status: "unknown"},
	{name: "rate limited", fault: simulator.Fault{Do: simulator.Fail, Trouble: simulator.Limited}, status: "failed"},
	{name: "token expired", fault: simulator.Fault{Do: simulator.Fail, Trouble: simulator.BadToken}, status: "failed"},
	{name: "after the deadline", fault: simulator.Fault{Do: simulator.Stall, Executed: true}, status: "applied", applied: true},
	{name: "killed before executing", fault: simulator.Fault{Do: simulator.Drop}, kills: true, status: "failed"},
	{
		name: "killed after executing", fault: simulator.Fault{Do: simulator.Stall, Executed: true}, kills: true, status: "applied",
		applied: true,
	},
}

// acting is a service with one connected platform.
type acting struct {
	*platform
	data, key string
	url       string
	process   *os.Process
	flags     []string
}

func (a *acting) start(t *testing.T) (wait func()) {
	t.Helper()
	url, process, end := serving(t, a.data, append([]string{"serve", "--addr", "127.0.0.1:0"}, a.flags...)...)
	a.url, a.process = url, process
	return end
}

// change calls propose_budget_shift and returns the status of its answer, or "" if the service did not answer.
func (a *acting) change(t *testing.T, campaign string, confirm bool) string {
	t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"propose_budget_shift","arguments":`+
		`{"platform":%q,"platform_campaign_id":%q,"new_budget_value":%d,"previous_budget_value":%d,"confirm":%t}}}`,
		a.name, campaign, a.other, a.old, confirm)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, a.url+"/api/mcp/rpc", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+a.key)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "" // the service was killed
	}
	defer response.Body.Close()
	var reply struct {
		Result struct {
			Content []struct{ Text string }
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&reply); err != nil || len(reply.Result.Content) == 0 {
		return ""
	}
	text := reply.Result.Content[0].Text
	for _, secret := range a.secrets {
		if strings.Contains(text, secret) {
			t.Errorf("the answer contains a secret: %s", text)
		}
	}
	var answer struct{ Status string }
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		return "error: " + text
	}
	return answer.Status
}

// row waits until the campaign's only row is settled, and returns its status.
func (a *acting) row(t *testing.T, campaign string, want string) string {
	t.Helper()
	status := ""
	for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(250 * time.Millisecond) {
		var rows []struct {
			Campaign string `json:"platform_campaign_id"`
			Status   string
		}
		if err := json.Unmarshal([]byte(must(t, a.data, "budget-changes", "list", "--workspace", "shop", "--json")), &rows); err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, row := range rows {
			if row.Campaign == campaign {
				found, status = found+1, row.Status
			}
		}
		if found != 1 {
			t.Fatalf("%d rows of campaign %s, want 1", found, campaign)
		}
		if status == want {
			return status
		}
	}
	return status
}

// TestTheProgramChangesABudgetAtMostOnce runs the program against simulators of the platforms, which fail or are cut off
// in the middle of an execution. The audit row is correct afterwards, and a change is sent at most once.
func TestTheProgramChangesABudgetAtMostOnce(t *testing.T) {
	t.Parallel()
	for i, open := range []func(int) *platform{facebookPlatform, googlePlatform, tiktokPlatform} {
		if testing.Short() && i > 0 {
			break
		}
		p := open(len(failures))
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			actsOnce(t, p)
		})
	}
}

func actsOnce(t *testing.T, p *platform) {
	server := httptest.NewServer(p.handler)
	t.Cleanup(server.Close)
	data, _ := shop(t)
	a := &acting{platform: p, data: data, flags: append(p.flags(server.URL), "--ads-timeout", deadline.String(), "--log-level", "debug")}
	a.key = strings.TrimSpace(must(t, data, "keys", "create", "--workspace", "shop", "--scopes", "measurement.read,measurement.approve_execution"))
	end := a.start(t)
	add := program(t, data, "connections", "add", p.name, "--workspace", "shop")
	add.Stdin = strings.NewReader(p.credentials)
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatalf("connections add: %v\n%s", err, out)
	}
	for n, f := range failures {
		if got := a.change(t, campaignOf(n), false); got != "preview" {
			t.Fatalf("%s: preview: %s", f.name, got)
		}
	}
	wantWrites(t, p.server, 0)
	sent := 0
	for n, f := range failures {
		campaign := campaignOf(n)
		f.fault.On = simulator.Writes
		if f.meddles {
			f.fault.Before = func() { p.person(campaign, p.third) }
		}
		if f.kills {
			f.fault.Before = func() {
				_ = a.process.Kill()
				time.Sleep(200 * time.Millisecond) // the connection ends with the process
			}
		}
		p.server.Script(f.fault)
		t.Logf("%s: answered %q", f.name, a.change(t, campaign, true))
		if f.kills {
			_, _ = a.process.Wait()
			end = a.start(t)
		}
		sent++
		if f.renewed(p) {
			sent++ // the platform rejects the first request with 401
		}
	}
	// A change whose result was not seen is settled later. The service settles all of them while this test waits.
	for n, f := range failures {
		t.Run(f.name, func(t *testing.T) {
			campaign := campaignOf(n)
			if f.renewed(p) {
				f.status, f.applied = "applied", true
			}
			if got := a.row(t, campaign, f.status); got != f.status {
				t.Errorf("the row is %s, want %s", got, f.status)
			}
			want := p.old
			if f.applied {
				want = p.other
			}
			if f.meddles {
				want = p.third
			}
			if got := p.live(campaign); got != want {
				t.Errorf("the live budget is %d, want %d", got, want)
			}
		})
	}
	wantWrites(t, p.server, sent)
	end()
	hidden(t, data, p.secrets)
}

// renewed reports whether the client renews its token and repeats the request.
func (f failure) renewed(p *platform) bool { return f.fault.Trouble == simulator.BadToken && p.renews }

// wantWrites checks the number of mutating requests that the simulator received.
func wantWrites(t *testing.T, s *simulator.Server, want int) {
	t.Helper()
	n := 0
	for _, e := range s.Log() {
		if e.Mutating {
			n++
		}
	}
	if n != want {
		t.Errorf("%d mutating requests, want %d: %+v", n, want, s.Log())
	}
}

// hidden checks that no file of the data directory contains a secret in plain text.
func hidden(t *testing.T, data string, secrets []string) {
	t.Helper()
	err := filepath.WalkDir(data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		for _, secret := range secrets {
			if bytes.Contains(content, []byte(secret)) {
				t.Errorf("%s contains a secret in plain text", path)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
