package simulator

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Facebook simulates Meta's Marketing API.
type Facebook struct {
	Server
	account FacebookAccount
}

// FacebookAccount is the state of an ad account. Amounts are in Meta's minor units.
type FacebookAccount struct {
	ID, Name, Currency, TimeZone string
	Token, AppSecret             string // no app secret: no proof is needed
	Permissions                  []string
	TokenEnds                    time.Time // zero: never
	MinDaily                     int64
	Quota                        int       // calls per hour; 0: 10,000
	Calls                        int       // number of calls since CallsFrom
	CallsFrom                    time.Time // start of the hour of the quota
	Campaigns                    []FacebookCampaign
}

// FacebookCampaign is a campaign with its budget or with ad sets that have budgets.
type FacebookCampaign struct {
	ID, Account, Name, Status string
	Daily, Lifetime           int64
	AdSets                    []FacebookAdSet
	Changed                   []time.Time // times of budget changes in the last hour
}

// FacebookAdSet is an ad set.
type FacebookAdSet struct {
	ID, Name, Status string
	Daily, Lifetime  int64
}

// The limits of budget changes.
const (
	budgetChanges = 4 // maximum number in an hour; the fifth change is blocked for an hour
	callQuota     = 10_000
)

// NewFacebook returns a simulator with the account.
func NewFacebook(a FacebookAccount, now func() time.Time) *Facebook {
	f := &Facebook{account: a}
	f.now, f.backend = now, f
	return f
}

// Edit changes the account like a user of Meta Ads Manager.
func (f *Facebook) Edit(do func(*FacebookAccount)) { change(&f.Server, &f.account, do) }

// Campaign returns the campaign with the ID, or nil if the account does not have it.
func (a *FacebookAccount) Campaign(id string) *FacebookCampaign {
	for i := range a.Campaigns {
		if a.Campaigns[i].ID == id {
			return &a.Campaigns[i]
		}
	}
	return nil
}

func (f *Facebook) state() any { return &f.account }

func (f *Facebook) load(text []byte) error { return replace(&f.account, text) }

func (f *Facebook) mutates(q *request) bool {
	return q.Method == http.MethodPost && !strings.Contains(q.form.Get("execution_options"), "validate_only")
}

// metaError returns an error in Meta's envelope.
func metaError(status, code, subcode int, message string, more object) Reply {
	e := object{"message": message, "type": "OAuthException", "code": code, "fbtrace_id": "AbCdEf"}
	if subcode != 0 {
		e["error_subcode"] = subcode
	}
	maps.Copy(e, more)
	return Reply{Status: status, Body: object{"error": e}.text()}
}

func (f *Facebook) reply(t Trouble) Reply {
	switch t {
	case ErrorWith200:
		return metaError(http.StatusOK, 31, 3858385, "Confirm your identity",
			object{"error_user_msg": "Confirm your identity before you manage ads."})
	case Limited:
		r := metaError(http.StatusBadRequest, 80004, 2446079, "There have been too many calls to this ad-account.", nil)
		usage := fmt.Sprintf(`{"77":[{"type":"ads_management","call_count":100,"total_cputime":1,"total_time":1,"estimated_time_to_regain_access":%d}]}`, 2)
		r.Header = map[string]string{
			"X-Business-Use-Case-Usage": usage,
			"Retry-After":               strconv.Itoa(int(LimitedFor.Seconds())),
		}
		return r
	case BadToken:
		return metaError(http.StatusUnauthorized, 190, 463,
			"Error validating access token: Session has expired. Token "+f.account.Token, nil)
	case NoPermission:
		return metaError(http.StatusForbidden, 200, 0, "(#200) Ad account owner has NOT grant ads_management or ads_read permission", nil)
	case Policy:
		return metaError(http.StatusBadRequest, 368, 0, "The action attempted has been deemed abusive or is otherwise disallowed", nil)
	case Retired:
		return metaError(http.StatusBadRequest, 2635, 0,
			"You are calling a deprecated version of the Ads API. Please update to the latest version: v27.0.", nil)
	case TooLow:
		return f.tooLow()
	case UnknownCampaign:
		return unknownObject("1")
	case ServerError:
	}
	r := metaError(http.StatusInternalServerError, 1, 0, "An unknown error occurred", object{"is_transient": true})
	return r
}

func (f *Facebook) tooLow() Reply {
	text := fmt.Sprintf("Your budget must be at least %d minor units of %s.", f.account.MinDaily, f.account.Currency)
	return metaError(http.StatusBadRequest, 100, 1885272, "Invalid parameter",
		object{
			"error_user_title": "Budget is too low", "error_user_msg": text,
			"error_data": object{"blame_field_specs": [][]string{{"daily_budget"}}},
		})
}

func unknownObject(id string) Reply {
	return metaError(http.StatusBadRequest, 100, 33, "Unsupported request. Object with ID '"+id+"' does not exist, cannot be loaded due to missing permissions", nil)
}

func (f *Facebook) serve(q *request) Reply {
	path, ok := strings.CutPrefix(q.URL.Path, "/v26.0/")
	if !ok {
		return f.reply(Retired)
	}
	if r, refused := f.refuse(q); refused {
		return r
	}
	r := f.route(q, path)
	f.account.Calls++
	percent := f.usage(q.now)
	usage := fmt.Sprintf(`{"call_count":%d,"total_time":%d,"total_cputime":%d}`, percent, percent, percent)
	if r.Header == nil {
		r.Header = map[string]string{}
	}
	r.Header["X-App-Usage"], r.Header["X-Fb-Trace-Id"] = usage, q.id
	return r
}

// usage returns the percentage of the hourly quota that the calls since CallsFrom have used.
func (f *Facebook) usage(now time.Time) int {
	a := &f.account
	if now.Sub(a.CallsFrom) >= time.Hour {
		a.CallsFrom, a.Calls = now, 0
	}
	return a.Calls * 100 / cmp.Or(a.Quota, callQuota)
}

// refuse checks the token and its proof. It returns the error reply and true if one of them is invalid.
func (f *Facebook) refuse(q *request) (Reply, bool) {
	token := q.form.Get("access_token")
	if bearer, ok := strings.CutPrefix(q.Header.Get("Authorization"), "Bearer "); ok {
		token = bearer
	}
	a := &f.account
	switch {
	case token == "":
		return metaError(http.StatusUnauthorized, 2500, 0,
			"An active access token must be used to query information about the current user.", nil), true
	case token != a.Token:
		return metaError(http.StatusUnauthorized, 190, 0, "Malformed access token "+token, nil), true
	case !a.TokenEnds.IsZero() && !q.now.Before(a.TokenEnds):
		return f.reply(BadToken), true
	case f.usage(q.now) >= 100:
		return f.reply(Limited), true
	case a.AppSecret == "":
		return Reply{}, false
	}
	mac := hmac.New(sha256.New, []byte(a.AppSecret))
	mac.Write([]byte(token))
	if q.form.Get("appsecret_proof") != hex.EncodeToString(mac.Sum(nil)) {
		return metaError(http.StatusBadRequest, 100, 0, "Invalid appsecret_proof provided in the API argument", nil), true
	}
	return Reply{}, false
}

func (f *Facebook) route(q *request, path string) Reply {
	a := &f.account
	id, edge, _ := strings.Cut(path, "/")
	switch {
	case path == "me/permissions":
		rows := []object{}
		for _, p := range a.Permissions {
			rows = append(rows, object{"permission": p, "status": "granted"})
		}
		return ok(object{"data": rows})
	case path == "debug_token":
		end := int64(0)
		if !a.TokenEnds.IsZero() {
			end = a.TokenEnds.Unix()
		}
		return ok(object{"data": object{"is_valid": true, "expires_at": end, "scopes": a.Permissions}})
	case id == "act_"+a.ID && q.Method == http.MethodGet:
		return f.serveAccount(q, edge)
	case q.Method == http.MethodPost && edge == "":
		return f.update(q, id)
	}
	if r, found := f.adSet(q, path); found {
		return r
	}
	c := a.Campaign(id)
	switch {
	case c == nil:
		return unknownObject(id)
	case edge == "adsets":
		rows := []object{}
		for _, s := range c.AdSets {
			rows = append(rows, budgets(object{"id": s.ID, "name": s.Name, "status": s.Status}, s.Daily, s.Lifetime))
		}
		return ok(object{"data": rows})
	case edge != "":
		return metaError(http.StatusBadRequest, 100, 0, "(#100) Tried accessing nonexisting field ("+edge+")", nil)
	}
	return ok(budgets(object{
		"id": c.ID, "account_id": c.Account, "name": c.Name, "status": c.Status,
		"effective_status": c.Status, "buying_type": "AUCTION",
	}, c.Daily, c.Lifetime))
}

// adSet returns the ad set with the ID. An ad set has the fields of a campaign except buying_type. The result found is
// false if the account has no ad set with the ID.
func (f *Facebook) adSet(q *request, id string) (r Reply, found bool) {
	for _, c := range f.account.Campaigns {
		for _, s := range c.AdSets {
			switch {
			case s.ID != id:
				continue
			case strings.Contains(q.form.Get("fields"), "buying_type"):
				return metaError(http.StatusBadRequest, 100, 0,
					"(#100) Tried accessing nonexisting field (buying_type) on node type (AdSet)", nil), true
			}
			return ok(budgets(object{
				"id": s.ID, "account_id": c.Account, "campaign_id": c.ID, "name": s.Name, "status": s.Status,
			}, s.Daily, s.Lifetime)), true
		}
	}
	return Reply{}, false
}

func ok(o object) Reply { return Reply{Status: http.StatusOK, Body: o.text()} }

// budgets adds the budgets. Meta writes budgets as strings and omits missing budgets.
func budgets(o object, daily, lifetime int64) object {
	if daily > 0 {
		o["daily_budget"], o["budget_remaining"] = strconv.FormatInt(daily, 10), strconv.FormatInt(daily/2, 10)
	}
	if lifetime > 0 {
		o["lifetime_budget"] = strconv.FormatInt(lifetime, 10)
	}
	return o
}

func (f *Facebook) serveAccount(q *request, edge string) Reply {
	a := &f.account
	switch edge {
	case "":
		return ok(object{
			"id": "act_" + a.ID, "name": a.Name, "currency": a.Currency, "timezone_name": a.TimeZone, "account_status": 1,
			"min_daily_budget": a.MinDaily, "spend_cap": "0", "amount_spent": "0",
		})
	case "minimum_budgets":
		return ok(object{"data": []object{{
			"currency": a.Currency, "min_daily_budget_imp": a.MinDaily, "min_daily_budget_low_freq": a.MinDaily * 40,
			"min_daily_budget_high_freq": a.MinDaily * 5, "min_daily_budget_video_views": a.MinDaily * 5,
		}}})
	case "campaigns":
		return f.list(q)
	}
	return metaError(http.StatusBadRequest, 100, 0, "(#100) Tried accessing nonexisting field ("+edge+")", nil)
}

// list returns a page of campaigns. Without a filter, archived and deleted campaigns are omitted.
func (f *Facebook) list(q *request) Reply {
	size, err := strconv.Atoi(q.form.Get("limit"))
	if err != nil || size < 1 {
		size = 25
	}
	from, err := strconv.Atoi(q.form.Get("after"))
	if err != nil {
		from = 0
	}
	var shown []object
	for _, c := range f.account.Campaigns {
		if c.Account == f.account.ID && (c.Status == "ACTIVE" || c.Status == "PAUSED") {
			shown = append(shown, object{"id": c.ID, "account_id": c.Account, "name": c.Name, "status": c.Status})
		}
	}
	from = min(max(from, 0), len(shown))
	to := min(from+size, len(shown))
	paging := object{"cursors": object{"before": strconv.Itoa(from), "after": strconv.Itoa(to)}}
	if to < len(shown) {
		paging["next"] = "https://graph.invalid/next?access_token=" + f.account.Token
	}
	return ok(object{"data": append([]object{}, shown[from:to]...), "paging": paging})
}

func (f *Facebook) update(q *request, id string) Reply {
	c := f.account.Campaign(id)
	status, daily := q.form.Get("status"), q.form.Get("daily_budget")
	switch {
	case c == nil || c.Account != f.account.ID:
		return unknownObject(id)
	case c.Status == "DELETED" || c.Status == "ARCHIVED":
		return metaError(http.StatusBadRequest, 100, 1487056, "Invalid parameter",
			object{"error_user_msg": "The campaign is " + c.Status + " and cannot be edited."})
	}
	var value int64
	if daily != "" {
		n, err := strconv.ParseInt(daily, 10, 64)
		switch {
		case err != nil:
			return metaError(http.StatusBadRequest, 100, 0, "(#100) Param daily_budget must be an integer", nil)
		case c.Daily == 0:
			return metaError(http.StatusBadRequest, 100, 1885650, "Invalid parameter",
				object{"error_user_msg": "The campaign has no daily budget."})
		case n < f.account.MinDaily:
			return f.tooLow()
		}
		recent := c.Changed[:0:0]
		for _, at := range c.Changed {
			if q.now.Sub(at) < time.Hour {
				recent = append(recent, at)
			}
		}
		if c.Changed = recent; len(recent) >= budgetChanges {
			return metaError(http.StatusBadRequest, 613, 1487632, "(#613) Calls to this api have exceeded the rate limit.",
				object{"error_user_msg": "You can change the budget 4 times in an hour."})
		}
		value = n
	}
	if status != "" && status != "ACTIVE" && status != "PAUSED" {
		return metaError(http.StatusBadRequest, 100, 0, "(#100) Param status must be one of {ACTIVE, PAUSED, DELETED, ARCHIVED}", nil)
	}
	success := ok(object{"success": true})
	if !f.mutates(q) {
		return success
	}
	if daily != "" {
		c.Daily, c.Changed, success.applied = value, append(c.Changed, q.now), true
	}
	if status != "" {
		c.Status, success.applied = status, true
	}
	return success
}
