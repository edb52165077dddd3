package simulator

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Google simulates the Google Ads API over REST, and the token service under /token.
type Google struct {
	Server
	account GoogleAccount
}

// GoogleAccount is the state of a client account.
type GoogleAccount struct {
	ID, Name, Currency, TimeZone         string
	LoginCustomerID                      string // ID of the manager account; empty: none is needed
	ClientID, ClientSecret, RefreshToken string
	Access                               string               // newest access token
	AccessEnds                           time.Time            // expiry of the newest access token
	Earlier                              map[string]time.Time // expiry of each earlier access token, valid until then
	Renewed                              int                  // access tokens so far
	Scope                                string
	BillableMicros, MinMicros            int64
	Campaigns                            []GoogleCampaign
	Budgets                              []GoogleBudget
}

// GoogleCampaign is a campaign that uses a budget.
type GoogleCampaign struct{ ID, Name, Status, Experiment, Budget string }

// GoogleBudget is a budget.
type GoogleBudget struct {
	ID, Period string
	Micros     int64
	Shared     bool
}

// NewGoogle returns a simulator with the account.
func NewGoogle(a GoogleAccount, now func() time.Time) *Google {
	g := &Google{account: a}
	g.now, g.backend = now, g
	return g
}

// Edit changes the account like a user of Google Ads.
func (g *Google) Edit(do func(*GoogleAccount)) { change(&g.Server, &g.account, do) }

// Campaign returns the campaign with the ID, or nil if the account does not have it.
func (a *GoogleAccount) Campaign(id string) *GoogleCampaign {
	for i := range a.Campaigns {
		if a.Campaigns[i].ID == id {
			return &a.Campaigns[i]
		}
	}
	return nil
}

// Budget returns the budget with the ID, or nil if the account does not have it.
func (a *GoogleAccount) Budget(id string) *GoogleBudget {
	for i := range a.Budgets {
		if a.Budgets[i].ID == id {
			return &a.Budgets[i]
		}
	}
	return nil
}

func (g *Google) state() any { return &g.account }

func (g *Google) load(text []byte) error { return replace(&g.account, text) }

func (g *Google) mutates(q *request) bool {
	return strings.HasSuffix(q.URL.Path, ":mutate") && !strings.Contains(string(q.body), `"validateOnly":true`)
}

// googleError returns a google.rpc.Status with a GoogleAdsFailure.
func googleError(status int, name, category, value, message string, details object) Reply {
	e := object{"errorCode": object{category: value}, "message": message}
	if details != nil {
		e["details"] = details
	}
	return Reply{Status: status, Body: object{"error": object{
		"code": status, "message": "Request contains an invalid argument.", "status": name, "details": []object{{
			"@type": "type.googleapis.com/google.ads.googleads.v25.errors.GoogleAdsFailure", "errors": []object{e},
			"requestId": "sim-failure",
		}},
	}}.text()}
}

func (g *Google) reply(t Trouble) Reply {
	switch t {
	case ErrorWith200:
		return Reply{Status: http.StatusOK, Body: `{"partialFailureError":{"code":3,"message":"Multiple errors in 'details'.","details":[` +
			`{"@type":"type.googleapis.com/google.ads.googleads.v25.errors.GoogleAdsFailure","errors":[{"errorCode":` +
			`{"mutateError":"EU_POLITICAL_ADVERTISING_DECLARATION_REQUIRED"},"message":"A declaration is required."}]}]},"results":[{}]}`}
	case Limited:
		return googleError(http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "quotaError", "RESOURCE_EXHAUSTED",
			"Too many requests.",
			object{"quotaErrorDetails": object{
				"rateScope": "ACCOUNT", "rateName": "Requests per service",
				"retryDelay": fmt.Sprintf("%ds", int(LimitedFor.Seconds())),
			}})
	case BadToken:
		return googleError(http.StatusUnauthorized, "UNAUTHENTICATED", "authenticationError", "OAUTH_TOKEN_EXPIRED",
			"OAuth token has expired.", nil)
	case NoPermission:
		return googleError(http.StatusForbidden, "PERMISSION_DENIED", "authorizationError", "USER_PERMISSION_DENIED",
			"User doesn't have permission to access customer.", nil)
	case Policy:
		return googleError(http.StatusBadRequest, "INVALID_ARGUMENT", "mutateError",
			"EU_POLITICAL_ADVERTISING_DECLARATION_REQUIRED", "A declaration is required.", nil)
	case Retired:
		return Reply{
			Status: http.StatusNotFound, Header: map[string]string{"Content-Type": "text/html"},
			Body: "<!DOCTYPE html><title>Error 404 (Not Found)!!1</title>",
		}
	case TooLow:
		return googleError(http.StatusBadRequest, "INVALID_ARGUMENT", "campaignBudgetError", "BUDGET_BELOW_PER_DAY_MINIMUM",
			"Too low.",
			object{"budgetPerDayMinimumErrorDetails": object{
				"currencyCode":              g.account.Currency,
				"budgetPerDayMinimumMicros": fmt.Sprint(g.account.MinMicros),
			}})
	case UnknownCampaign:
		return googleError(http.StatusBadRequest, "INVALID_ARGUMENT", "mutateError", "RESOURCE_NOT_FOUND",
			"Resource was not found.", nil)
	case ServerError:
	}
	return Reply{
		Status: http.StatusInternalServerError,
		Body:   `{"error":{"code":500,"message":"Internal error encountered.","status":"INTERNAL"}}`,
	}
}

func (g *Google) serve(q *request) Reply {
	if q.URL.Path == "/token" {
		return g.renew(q)
	}
	path, isVersion := strings.CutPrefix(q.URL.Path, "/v25/")
	if !isVersion || q.Method != http.MethodPost || !strings.HasPrefix(q.Header.Get("Content-Type"), "application/json") {
		return g.reply(Retired)
	}
	a := &g.account
	customer, service, _ := strings.Cut(strings.TrimPrefix(path, "customers/"), "/")
	bearer := strings.TrimPrefix(q.Header.Get("Authorization"), "Bearer ")
	switch {
	case (bearer != a.Access || !q.now.Before(a.AccessEnds)) && !q.now.Before(a.Earlier[bearer]):
		return g.reply(BadToken)
	case customer != a.ID:
		return g.reply(NoPermission)
	case a.LoginCustomerID != "" && q.Header.Get("Login-Customer-Id") != a.LoginCustomerID:
		return g.reply(NoPermission)
	}
	var r Reply
	switch service {
	case "googleAds:search":
		r = g.search(q)
	case "campaigns:mutate", "campaignBudgets:mutate":
		r = g.mutate(q, service)
	default:
		r = g.reply(Retired)
	}
	if r.Header == nil {
		r.Header = map[string]string{}
	}
	r.Header["Request-Id"] = q.id
	return r
}

// renew issues an access token.
func (g *Google) renew(q *request) Reply {
	a := &g.account
	problem := ""
	switch {
	case q.form.Get("grant_type") != "refresh_token":
		problem = "unsupported_grant_type"
	case q.form.Get("client_id") != a.ClientID || q.form.Get("client_secret") != a.ClientSecret:
		problem = "invalid_client"
	case q.form.Get("refresh_token") != a.RefreshToken:
		problem = "invalid_grant"
	}
	if problem != "" {
		return Reply{Status: http.StatusBadRequest, Body: object{"error": problem, "error_description": "Bad Request"}.text()}
	}
	maps.DeleteFunc(a.Earlier, func(_ string, ends time.Time) bool { return !q.now.Before(ends) })
	if a.Earlier == nil {
		a.Earlier = map[string]time.Time{}
	}
	a.Earlier[a.Access] = a.AccessEnds
	a.Renewed++
	a.Access, a.AccessEnds = fmt.Sprintf("ya29.simulated-%d", a.Renewed), q.now.Add(time.Hour)
	return ok(object{"access_token": a.Access, "expires_in": 3599, "token_type": "Bearer", "scope": a.Scope})
}

// The queries that the simulator answers.
var (
	oneCampaign = regexp.MustCompile(`FROM campaign WHERE campaign\.id = (\d+)$`)
	fedBy       = regexp.MustCompile(`FROM campaign WHERE .*campaign\.campaign_budget = '([^']*)'`)
	fewRows     = regexp.MustCompile(` LIMIT (\d+)$`)
)

func (g *Google) search(q *request) Reply {
	var asked struct{ Query string }
	if err := json.Unmarshal(q.body, &asked); err != nil {
		return googleError(http.StatusBadRequest, "INVALID_ARGUMENT", "queryError", "UNEXPECTED_INPUT", "Not a query.", nil)
	}
	a, query := &g.account, asked.Query
	most := len(a.Campaigns)
	if m := fewRows.FindStringSubmatch(query); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			most = n
		}
	}
	customer := object{
		"resourceName": "customers/" + a.ID, "id": a.ID, "descriptiveName": a.Name,
		"currencyCode": a.Currency, "timeZone": a.TimeZone, "status": "ENABLED",
	}
	var rows []object
	switch {
	case strings.Contains(query, "FROM customer LIMIT"):
		rows = []object{{"customer": customer}}
	case strings.Contains(query, "FROM currency_constant"):
		rows = []object{{"currencyConstant": object{
			"resourceName": "currencyConstants/" + a.Currency, "code": a.Currency,
			"billableUnitMicros": fmt.Sprint(a.BillableMicros),
		}}}
	case strings.Contains(query, "FROM campaign WHERE "):
		removed := !strings.Contains(query, "campaign.status != 'REMOVED'")
		one, fed := oneCampaign.FindStringSubmatch(query), fedBy.FindStringSubmatch(query)
		for _, c := range a.Campaigns {
			name := "customers/" + a.ID + "/campaignBudgets/" + c.Budget
			if one != nil && c.ID != one[1] || fed != nil && fed[1] != name || c.Status == "REMOVED" && !removed {
				continue
			}
			rows = append(rows, object{
				"customer": customer, "campaign": g.campaign(c, name),
				"campaignBudget": g.budget(c.Budget, name),
			})
		}
	default:
		return googleError(http.StatusBadRequest, "INVALID_ARGUMENT", "queryError", "BAD_RESOURCE_TYPE_IN_FROM_CLAUSE",
			"Unknown resource.", nil)
	}
	if len(rows) == 0 {
		return ok(object{"fieldMask": ""}) // Google omits empty results
	}
	return ok(object{"results": rows[:min(most, len(rows))], "fieldMask": ""})
}

func (g *Google) campaign(c GoogleCampaign, budget string) object {
	o := object{
		"resourceName": "customers/" + g.account.ID + "/campaigns/" + c.ID, "id": c.ID, "name": c.Name, "status": c.Status,
		"servingStatus": "SERVING", "experimentType": "BASE", "campaignBudget": budget,
	}
	if c.Experiment != "" {
		o["experimentType"] = c.Experiment
	}
	return o
}

// users returns the number of campaigns of a budget that are not removed.
func (g *Google) users(budget string) int {
	n := 0
	for _, c := range g.account.Campaigns {
		if c.Budget == budget && c.Status != "REMOVED" {
			n++
		}
	}
	return n
}

// budget returns a budget as a JSON object. Zero and false are omitted.
func (g *Google) budget(id, name string) object {
	b := g.account.Budget(id)
	o := object{"resourceName": name, "period": b.Period, "status": "ENABLED", "referenceCount": fmt.Sprint(g.users(id))}
	amount := "amountMicros"
	if b.Period == "CUSTOM_PERIOD" {
		amount = "totalAmountMicros"
	}
	if b.Micros != 0 {
		o[amount] = strconv.FormatInt(b.Micros, 10)
	}
	if b.Shared {
		o["explicitlyShared"] = true
	}
	return o
}

func (g *Google) mutate(q *request, service string) Reply {
	var asked struct {
		Operations []struct {
			Update     map[string]any
			UpdateMask string
		}
		ValidateOnly   bool
		PartialFailure bool
	}
	if err := json.Unmarshal(q.body, &asked); err != nil || len(asked.Operations) != 1 {
		return googleError(http.StatusBadRequest, "INVALID_ARGUMENT", "requestError", "REQUIRED_FIELD_MISSING",
			"One operation is required.", nil)
	}
	op := asked.Operations[0]
	name, isText := op.Update["resourceName"].(string)
	kind, _, _ := strings.Cut(service, ":")
	id, own := strings.CutPrefix(name, "customers/"+g.account.ID+"/"+kind+"/")
	if !isText || !own {
		return g.reply(UnknownCampaign)
	}
	var apply func()
	var r Reply
	if kind == "campaigns" {
		apply, r = g.changeStatus(id, op.Update, op.UpdateMask)
	} else {
		apply, r = g.changeBudget(id, op.Update, op.UpdateMask)
	}
	switch {
	case apply == nil:
		return r
	case asked.ValidateOnly:
		return ok(object{})
	}
	apply()
	r = ok(object{"results": []object{{"resourceName": name}}})
	r.applied = true
	return r
}

func badMask() Reply {
	return googleError(http.StatusBadRequest, "INVALID_ARGUMENT", "fieldMaskError", "FIELD_NOT_FOUND",
		"The field mask has an unknown field.", nil)
}

func (g *Google) changeStatus(id string, update map[string]any, mask string) (func(), Reply) {
	c := g.account.Campaign(id)
	status, isText := update["status"].(string)
	switch {
	case c == nil:
		return nil, g.reply(UnknownCampaign)
	case mask != "status":
		return nil, badMask()
	case c.Status == "REMOVED":
		return nil, googleError(http.StatusBadRequest, "INVALID_ARGUMENT", "operationAccessDeniedError",
			"OPERATION_NOT_PERMITTED_FOR_REMOVED_RESOURCE", "The campaign is removed.", nil)
	case !isText || status != "PAUSED" && status != "ENABLED":
		return nil, googleError(http.StatusBadRequest, "INVALID_ARGUMENT", "campaignError", "INVALID_STATUS_CHANGE",
			"The status is invalid.", nil)
	case c.Experiment == "EXPERIMENT":
		return nil, googleError(http.StatusBadRequest, "INVALID_ARGUMENT", "campaignError",
			"CANNOT_MODIFY_FOR_TRIAL_CAMPAIGN", "A trial.", nil)
	}
	return func() { c.Status = status }, Reply{}
}

func (g *Google) changeBudget(id string, update map[string]any, mask string) (func(), Reply) {
	b := g.account.Budget(id)
	text, isText := update["amountMicros"].(string)
	micros, err := strconv.ParseInt(text, 10, 64)
	rejected := func(value string) (func(), Reply) {
		return nil, googleError(http.StatusBadRequest, "INVALID_ARGUMENT", "campaignBudgetError", value,
			"The budget is invalid.", nil)
	}
	switch {
	case b == nil:
		return nil, g.reply(UnknownCampaign)
	case mask != "amount_micros" && mask != "amountMicros":
		return nil, badMask()
	case !isText || err != nil:
		return nil, googleError(http.StatusBadRequest, "INVALID_ARGUMENT", "requestError", "INVALID_INPUT",
			"amount_micros is not a number.", nil)
	case b.Period == "CUSTOM_PERIOD":
		return rejected("BUDGET_AMOUNT_MUST_BE_UNSET_FOR_CUSTOM_BUDGET_PERIOD")
	case micros < 0:
		return rejected("NEGATIVE_MONEY_AMOUNT")
	case micros%g.account.BillableMicros != 0:
		return rejected("NON_MULTIPLE_OF_MINIMUM_CURRENCY_UNIT")
	case micros < g.account.MinMicros:
		return nil, g.reply(TooLow)
	}
	return func() { b.Micros = micros }, Reply{}
}
