// Package tiktok is the client of TikTok's Business API: campaigns and their daily budgets.
package tiktok

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"assay/internal/ads"
	"assay/internal/ads/wire"
	"assay/internal/measure"
	"assay/internal/money"
)

const (
	version    = "/open_api/v1.3"
	pageSize   = 100
	maxPages   = 50
	accountFor = 10 * time.Minute // age at which the cached account details are read again
)

// Client is the client of one advertiser account.
type Client struct {
	credentials Credentials
	wire        *wire.Client

	mu      sync.Mutex // guards account
	account *account
}

var _ ads.Platform = (*Client)(nil)

// New returns a client.
func New(c Credentials, o ads.Options) *Client {
	return &Client{credentials: c, wire: wire.New(measure.TikTok, o.Endpoint, o, c.AccessToken)}
}

// account contains account details that rarely change.
type account struct {
	name, zone, status string
	currency           money.Currency
	read               time.Time
}

// Account implements [ads.Platform].
func (c *Client) Account() ads.Account {
	return ads.Account{Platform: measure.TikTok, ID: c.credentials.AdvertiserID}
}

// Unit implements [ads.Platform].
func (c *Client) Unit() ads.Unit { return Unit{} }

// Test implements [ads.Platform]. TikTok does not disclose the permissions and the expiry of a token.
func (c *Client) Test(ctx context.Context) (ads.Connection, error) {
	a, err := c.readAccount(ctx)
	if err != nil {
		return ads.Connection{}, err
	}
	if a.status != "" && a.status != "STATUS_ENABLE" {
		return ads.Connection{}, c.wire.Reject(ads.PermissionMissing, "The account %s has the status %s.",
			c.credentials.AdvertiserID, a.status)
	}
	if _, _, err := c.page(ctx, 1, 1, nil); err != nil { // reading campaigns requires a separate permission
		return ads.Connection{}, err
	}
	return ads.Connection{Account: c.Account(), Name: a.name, Currency: a.currency, TimeZone: a.zone}, nil
}

// campaign is a campaign as TikTok returns it.
type campaign struct {
	Advertiser wire.Text   `json:"advertiser_id"`
	ID         wire.Text   `json:"campaign_id"`
	Name       string      `json:"campaign_name"`
	Budget     json.Number `json:"budget"`
	Mode       string      `json:"budget_mode"`
	Operation  string      `json:"operation_status"`
	Secondary  string      `json:"secondary_status"`
	SmartPlus  bool        `json:"is_smart_performance_campaign"`
	Automation string      `json:"campaign_automation_type"`
	Type       string      `json:"campaign_type"`
	Objective  string      `json:"objective_type"`
}

// page reads one page of campaigns.
func (c *Client) page(ctx context.Context, number, size int, filter map[string]any) (list []campaign, pages int,
	err error,
) {
	query := url.Values{
		"advertiser_id": {c.credentials.AdvertiserID}, "page": {strconv.Itoa(number)},
		"page_size": {strconv.Itoa(size)},
	}
	if filter != nil {
		text, err := json.Marshal(filter)
		if err != nil {
			return nil, 0, err
		}
		query.Set("filtering", string(text))
	}
	var data struct {
		List []campaign `json:"list"`
		Page struct {
			Total wire.Int `json:"total_page"`
		} `json:"page_info"`
	}
	err = c.get(ctx, "/campaign/get/", query, &data)
	return data.List, int(min(data.Page.Total, maxPages+1)), err
}

// Campaigns implements [ads.Platform].
func (c *Client) Campaigns(ctx context.Context, most int) (list []ads.Campaign, more bool, err error) {
	for number := 1; number <= maxPages; number++ {
		page, pages, err := c.page(ctx, number, pageSize, nil)
		if err != nil {
			return nil, false, err
		}
		for _, one := range page {
			if len(list) == most {
				return list, true, nil
			}
			if id := ads.CampaignID(one.ID); id.Valid() && string(one.Advertiser) == c.credentials.AdvertiserID {
				status, words := c.status(one)
				list = append(list, ads.Campaign{
					ID: id, Name: c.wire.Text(one.Name, ads.MaxName), Status: status,
					PlatformStatus: words,
				})
			}
		}
		if len(page) == 0 || number >= pages {
			return list, false, nil
		}
	}
	return list, true, nil
}

// Read implements [ads.Platform].
func (c *Client) Read(ctx context.Context, id ads.CampaignID) (ads.State, error) {
	if !id.Valid() {
		return ads.State{}, c.wire.Reject(ads.CampaignNotFound, "A TikTok campaign ID has digits only.")
	}
	account, err := c.knownAccount(ctx)
	if err != nil {
		return ads.State{}, err
	}
	one, err := c.find(ctx, id)
	if err != nil {
		return ads.State{}, err
	}
	s := ads.State{
		Account: c.Account(), Campaign: id, Name: c.wire.Text(one.Name, ads.MaxName), Kind: kindOf(one),
		Currency: account.currency, TimeZone: account.zone, ReadAt: c.wire.Now(),
	}
	s.Status, s.PlatformStatus = c.status(one)
	s.Budget = budget(one, account.currency)
	return s, nil
}

// find reads the campaign. The ordinary list does not contain deleted campaigns. After an empty reply, find therefore
// also searches the deleted campaigns.
func (c *Client) find(ctx context.Context, id ads.CampaignID) (campaign, error) {
	for _, filter := range []map[string]any{
		{"campaign_ids": []string{string(id)}},
		{"campaign_ids": []string{string(id)}, "primary_status": "STATUS_DELETE"},
	} {
		list, _, err := c.page(ctx, 1, 10, filter)
		if ads.ReasonOf(err) == ads.InvalidRequest && filter["primary_status"] != nil {
			break
		}
		if err != nil {
			return campaign{}, err
		}
		for _, one := range list {
			if string(one.ID) == string(id) && string(one.Advertiser) == c.credentials.AdvertiserID {
				return one, nil
			}
		}
	}
	return campaign{}, c.wire.Reject(ads.CampaignNotFound, "The campaign %s is not in the account %s.", id,
		c.credentials.AdvertiserID)
}

// kindOf returns the kind of a campaign. Smart+ and GMV Max campaigns have their own endpoints.
func kindOf(one campaign) ads.Kind {
	switch {
	case strings.Contains(one.Type+one.Automation+one.Objective, "GMV_MAX"):
		return ads.GMVMax
	case one.SmartPlus, strings.Contains(one.Automation, "SMART_PLUS"):
		return ads.SmartPlus
	}
	return ads.Ordinary
}

// status returns the status and TikTok's own text for the status.
func (c *Client) status(one campaign) (ads.Status, string) {
	words := c.wire.Text(cmp.Or(one.Secondary, one.Operation), ads.MaxStatus)
	switch {
	case one.Secondary == "CAMPAIGN_STATUS_DELETE", one.Operation == "DELETE":
		return ads.Removed, words
	case one.Operation == "ENABLE":
		return ads.Active, one.Operation
	case one.Operation == "DISABLE":
		return ads.Paused, one.Operation
	}
	return ads.UnknownStatus, c.wire.Text(one.Operation, ads.MaxStatus)
}

// minimumUSD is the published minimum of a daily campaign budget in US dollars. TikTok does not publish the minimum in
// other currencies.
const minimumUSD = Whole(50)

func budget(one campaign, currency money.Currency) ads.Budget {
	b := ads.Budget{Level: ads.CampaignLevel, Step: money.Amount{Minor: 1, Currency: currency}}
	switch one.Mode {
	case "BUDGET_MODE_DAY", "BUDGET_MODE_DYNAMIC_DAILY_BUDGET":
		b.Period = ads.Daily
		var exact bool
		b.Amount, exact = Decimal(one.Budget).Amount(currency)
		b.Inexact = !exact
		least := money.Amount{Minor: int64(minimumUSD) * minorUnits(currency), Currency: currency}
		if currency == "USD" && b.Amount.Minor >= least.Minor { // a lower live budget means that TikTok accepts less
			b.Minimum = least
		}
	case "BUDGET_MODE_TOTAL":
		b.Period = ads.Lifetime
	case "BUDGET_MODE_INFINITE":
		b.Level = ads.ChildLevel
	}
	return b
}

// Validate implements [ads.Platform]. TikTok has no dry run, so only the rules of [ads.State.Check] are checked.
func (c *Client) Validate(_ context.Context, s ads.State, change ads.Change) (dryRun bool, err error) {
	_, err = c.post(s, change)
	return false, err
}

// Apply implements [ads.Platform].
func (c *Client) Apply(ctx context.Context, s ads.State, change ads.Change) ads.Outcome {
	call, err := c.post(s, change)
	if err != nil {
		return ads.Refuse(measure.TikTok, err)
	}
	requestID, deadline := "", c.wire.Deadline()
	outcome := c.wire.Once(ctx, call, c.judge(func(e envelope) error {
		requestID = c.wire.Text(e.RequestID, ads.MaxName)
		return nil
	})).Outcome()
	outcome.RequestID, outcome.Deadline = cmp.Or(outcome.RequestID, requestID), deadline
	return outcome
}

func (c *Client) post(s ads.State, change ads.Change) (wire.Call, error) {
	if s.Account != c.Account() || !s.Campaign.Valid() {
		return wire.Call{}, c.wire.Reject(ads.CampaignNotFound, "")
	}
	if err := s.Check(change); err != nil {
		return wire.Call{}, err
	}
	path, fields := "/campaign/status/update/", map[string]any{"advertiser_id": c.credentials.AdvertiserID}
	switch change.Action {
	case ads.SetDailyBudget:
		path = "/campaign/update/"
		fields["campaign_id"] = string(s.Campaign)
		fields["budget"] = json.Number(DecimalOf(change.Amount))
	case ads.Pause:
		fields["campaign_ids"], fields["operation_status"] = []string{string(s.Campaign)}, "DISABLE"
	case ads.Resume:
		fields["campaign_ids"], fields["operation_status"] = []string{string(s.Campaign)}, "ENABLE"
	}
	body, err := json.Marshal(fields)
	return wire.Call{
		Method: http.MethodPost, Path: version + path, Header: c.header(), ContentType: "application/json",
		Body: body,
	}, err
}

func (c *Client) header() http.Header {
	return http.Header{"Access-Token": {c.credentials.AccessToken.Reveal()}}
}

// get reads the data of a path.
func (c *Client) get(ctx context.Context, path string, query url.Values, into any) error {
	call := wire.Call{Method: http.MethodGet, Path: version + path, Query: query, Header: c.header()}
	return c.wire.Read(ctx, call, c.judge(func(e envelope) error { return json.Unmarshal(e.Data, into) }))
}

// knownAccount returns the cached account details. It reads them again when they are older than accountFor.
func (c *Client) knownAccount(ctx context.Context) (account, error) {
	c.mu.Lock()
	known := c.account
	c.mu.Unlock()
	if known != nil && c.wire.Now().Sub(known.read).Abs() < accountFor {
		return *known, nil
	}
	return c.readAccount(ctx)
}

func (c *Client) readAccount(ctx context.Context) (account, error) {
	var data struct {
		List []struct {
			ID       wire.Text `json:"advertiser_id"`
			Name     string    `json:"name"`
			Currency string    `json:"currency"`
			Zone     string    `json:"timezone"`
			Display  string    `json:"display_timezone"`
			Status   string    `json:"status"`
		} `json:"list"`
	}
	ids, err := json.Marshal([]string{c.credentials.AdvertiserID})
	if err != nil {
		return account{}, err
	}
	if err := c.get(ctx, "/advertiser/info/", url.Values{"advertiser_ids": {string(ids)}}, &data); err != nil {
		return account{}, err
	}
	if len(data.List) != 1 || string(data.List[0].ID) != c.credentials.AdvertiserID {
		text := "The access token has no access to the account %s."
		return account{}, c.wire.Reject(ads.PermissionMissing, text, c.credentials.AdvertiserID)
	}
	one := data.List[0]
	currency, err := money.ParseCurrency(one.Currency)
	if err != nil {
		return account{}, c.wire.Reject(ads.UnexpectedReply, "").Because(err)
	}
	zone := cmp.Or(one.Display, one.Zone) // the display form is an IANA name; the other form may be "Etc/GMT+5"
	a := account{
		name: c.wire.Text(one.Name, ads.MaxName), zone: c.wire.Text(zone, ads.MaxStatus),
		status:   c.wire.Text(one.Status, ads.MaxStatus),
		currency: currency, read: c.wire.Now(),
	}
	c.mu.Lock()
	c.account = &a
	c.mu.Unlock()
	return a, nil
}
