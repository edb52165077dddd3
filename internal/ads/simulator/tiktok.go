package simulator

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// TikTok simulates TikTok's Business API.
type TikTok struct {
	Server
	account TikTokAccount
}

// TikTokAccount is the state of an advertiser account. Budgets are in hundredths of the currency's unit.
type TikTokAccount struct {
	ID, Name, Currency, TimeZone string
	Token                        string
	TokenEnds                    time.Time // zero: never
	MinHundredths                int64     // budgets must exceed it
	Campaigns                    []TikTokCampaign
}

// TikTokCampaign is a campaign.
type TikTokCampaign struct {
	ID, Advertiser, Name, Status, Mode string
	Automation, Type                   string
	Hundredths                         int64
	Deleted                            bool
}

// NewTikTok returns a simulator with the account.
func NewTikTok(a TikTokAccount, now func() time.Time) *TikTok {
	t := &TikTok{account: a}
	t.now, t.backend = now, t
	return t
}

// Edit changes the account like a user of TikTok Ads Manager.
func (t *TikTok) Edit(do func(*TikTokAccount)) { change(&t.Server, &t.account, do) }

// Campaign returns the campaign with the ID, or nil if the account does not have it.
func (a *TikTokAccount) Campaign(id string) *TikTokCampaign {
	for i := range a.Campaigns {
		if a.Campaigns[i].ID == id {
			return &a.Campaigns[i]
		}
	}
	return nil
}

func (t *TikTok) state() any { return &t.account }

func (t *TikTok) load(text []byte) error { return replace(&t.account, text) }

func (t *TikTok) mutates(q *request) bool { return q.Method == http.MethodPost }

// tikTokReply returns a reply in the envelope of all replies, with HTTP 200.
func tikTokReply(code int, message string, data object) Reply {
	if data == nil {
		data = object{}
	}
	return ok(object{"code": code, "message": message, "request_id": "20261123SIM", "data": data})
}

func (t *TikTok) reply(x Trouble) Reply {
	switch x {
	case ErrorWith200:
		return tikTokReply(40002, "The advertiser account is suspended because it violates the advertising policy.", nil)
	case Limited:
		r := tikTokReply(40100, "Requests made too frequently.", nil)
		r.Header = map[string]string{"Retry-After": strconv.Itoa(int(LimitedFor.Seconds()))}
		return r
	case BadToken:
		return tikTokReply(40105, "Access token is incorrect or has been revoked: "+t.account.Token, nil)
	case NoPermission:
		return tikTokReply(40001, "No permission to operate advertiser "+t.account.ID, nil)
	case Policy:
		return t.reply(ErrorWith200)
	case Retired:
		return Reply{
			Status: http.StatusNotFound, Header: map[string]string{"Content-Type": "text/plain"},
			Body: "404 page not found",
		}
	case TooLow:
		return tikTokReply(40002, fmt.Sprintf("budget: must be greater than %d", t.account.MinHundredths/100), nil)
	case UnknownCampaign:
		return tikTokReply(40002, "campaign does not exist", nil)
	case ServerError:
	}
	r := tikTokReply(50000, "System error.", nil)
	r.Status = http.StatusInternalServerError
	return r
}

func (t *TikTok) serve(q *request) Reply {
	path, isVersion := strings.CutPrefix(q.URL.Path, "/open_api/v1.3")
	a := &t.account
	switch {
	case !isVersion:
		return t.reply(Retired)
	case q.Header.Get("Access-Token") == "":
		return tikTokReply(40104, "Access token is empty", nil)
	case q.Header.Get("Access-Token") != a.Token || !a.TokenEnds.IsZero() && !q.now.Before(a.TokenEnds):
		return t.reply(BadToken)
	case q.Method == http.MethodGet && path == "/advertiser/info/":
		return t.info(q)
	case q.Method == http.MethodGet && path == "/campaign/get/":
		return t.list(q)
	case q.Method == http.MethodPost && (path == "/campaign/update/" || path == "/campaign/status/update/"):
		return t.update(q, path)
	}
	return t.reply(Retired)
}

func (t *TikTok) info(q *request) Reply {
	var ids []string
	if err := json.Unmarshal([]byte(q.form.Get("advertiser_ids")), &ids); err != nil {
		return tikTokReply(40002, "advertiser_ids: Not a valid list.", nil)
	}
	if len(ids) != 1 || ids[0] != t.account.ID {
		return t.reply(NoPermission)
	}
	return tikTokReply(0, "OK", object{"list": []object{{
		"advertiser_id": t.account.ID, "name": t.account.Name, "currency": t.account.Currency,
		"timezone": t.account.TimeZone, "status": "STATUS_ENABLE",
	}}})
}

func (t *TikTok) list(q *request) Reply {
	if q.form.Get("advertiser_id") != t.account.ID {
		return t.reply(NoPermission)
	}
	var filter struct {
		Campaigns []string `json:"campaign_ids"`
		Primary   string   `json:"primary_status"`
	}
	if text := q.form.Get("filtering"); text != "" {
		if err := json.Unmarshal([]byte(text), &filter); err != nil {
			return tikTokReply(40002, "filtering: Not a valid object.", nil)
		}
	}
	page, errPage := strconv.Atoi(q.form.Get("page"))
	size, errSize := strconv.Atoi(q.form.Get("page_size"))
	if errPage != nil || errSize != nil || page < 1 || size < 1 || size > 1000 {
		return tikTokReply(40002, "page, page_size: Out of range.", nil)
	}
	var rows []object
	for _, c := range t.account.Campaigns {
		listed := len(filter.Campaigns) == 0 || slices.Contains(filter.Campaigns, c.ID)
		if listed && c.Advertiser == t.account.ID && c.Deleted == (filter.Primary == "STATUS_DELETE") {
			rows = append(rows, t.campaign(c))
		}
	}
	from := min((page-1)*size, len(rows))
	to := min(from+size, len(rows))
	return tikTokReply(0, "OK", object{
		"list": append([]object{}, rows[from:to]...),
		"page_info": object{
			"page": page, "page_size": size, "total_number": len(rows),
			"total_page": (len(rows) + size - 1) / size,
		},
	})
}

func (t *TikTok) campaign(c TikTokCampaign) object {
	secondary := "CAMPAIGN_STATUS_" + c.Status
	if c.Deleted {
		secondary = "CAMPAIGN_STATUS_DELETE"
	}
	automation := c.Automation
	if automation == "" {
		automation = "MANUAL"
	}
	return object{
		"advertiser_id": c.Advertiser, "campaign_id": c.ID, "campaign_name": c.Name, "budget": float64(c.Hundredths) / 100,
		"budget_mode":      c.Mode,
		"operation_status": c.Status, "secondary_status": secondary, "budget_optimize_on": c.Mode != "BUDGET_MODE_INFINITE",
		"is_smart_performance_campaign": automation == "SMART_PLUS", "campaign_automation_type": automation,
		"campaign_type":  c.Type,
		"objective_type": "WEB_CONVERSIONS", "create_time": "2026-10-01 00:00:00", "modify_time": "2026-11-01 00:00:00",
	}
}

func (t *TikTok) update(q *request, path string) Reply {
	if !strings.HasPrefix(q.Header.Get("Content-Type"), "application/json") {
		return tikTokReply(40002, "Content-Type must be application/json", nil)
	}
	var asked struct {
		Advertiser string      `json:"advertiser_id"`
		Campaign   string      `json:"campaign_id"`
		Campaigns  []string    `json:"campaign_ids"`
		Budget     json.Number `json:"budget"`
		Status     string      `json:"operation_status"`
	}
	if err := json.Unmarshal(q.body, &asked); err != nil {
		return tikTokReply(40002, "The body is not valid.", nil)
	}
	id := asked.Campaign
	if path == "/campaign/status/update/" && len(asked.Campaigns) == 1 {
		id = asked.Campaigns[0]
	}
	c := t.account.Campaign(id)
	switch {
	case asked.Advertiser != t.account.ID:
		return t.reply(NoPermission)
	case c == nil || c.Advertiser != t.account.ID:
		return t.reply(UnknownCampaign)
	case c.Deleted:
		return tikTokReply(40002, "The campaign is deleted.", nil)
	case c.Automation == "SMART_PLUS" || c.Automation == "UPGRADED_SMART_PLUS":
		return tikTokReply(40002, "Use the Smart+ endpoint for this campaign.", nil)
	case c.Type == "GMV_MAX":
		return tikTokReply(40002, "Use the GMV Max endpoint for this campaign.", nil)
	case path == "/campaign/status/update/":
		if asked.Status != "ENABLE" && asked.Status != "DISABLE" {
			return tikTokReply(40002, "operation_status: Not a valid choice.", nil)
		}
		c.Status = asked.Status
	default:
		value, err := asked.Budget.Float64()
		hundredths := int64(value*100 + 0.5)
		switch {
		case err != nil:
			return tikTokReply(40002, "budget: Not a valid number.", nil)
		case c.Mode == "BUDGET_MODE_INFINITE" || c.Mode == "BUDGET_MODE_TOTAL":
			return tikTokReply(40002, "budget: The budget mode does not allow a daily budget.", nil)
		case hundredths <= t.account.MinHundredths:
			return t.reply(TooLow)
		}
		c.Hundredths = hundredths
	}
	r := tikTokReply(0, "OK", object{"campaign_id": c.ID})
	r.applied = true
	return r
}
