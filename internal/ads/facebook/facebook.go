// Package facebook is the client of Meta's Marketing API: campaigns and their daily budgets.
package facebook

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"assay/internal/ads"
	"assay/internal/ads/wire"
	"assay/internal/measure"
	"assay/internal/money"
)

const (
	version    = "/v26.0"
	pageSize   = 100
	maxPages   = 50
	maxAdSets  = 50
	accountFor = 10 * time.Minute // age at which the cached account details are read again
)

// Client is the client of one ad account.
type Client struct {
	credentials Credentials
	proof       ads.Secret
	wire        *wire.Client

	mu      sync.Mutex // guards account
	account *account
}

var _ ads.Platform = (*Client)(nil)

// New returns a client.
func New(c Credentials, o ads.Options) *Client {
	proof := c.proof()
	return &Client{credentials: c, proof: proof, wire: wire.New(measure.Facebook, o.Endpoint, o, c.AccessToken,
		c.AppSecret, proof)}
}

// account contains account details that rarely change.
type account struct {
	name     string
	status   int64
	currency money.Currency
	zone     string
	minimum  Minor
	read     time.Time
}

// Account implements [ads.Platform].
func (c *Client) Account() ads.Account {
	return ads.Account{Platform: measure.Facebook, ID: c.credentials.AccountID}
}

// Unit implements [ads.Platform].
func (c *Client) Unit() ads.Unit { return Unit{} }

// Test implements [ads.Platform]. It reports the permissions and the expiry only if Meta discloses them to the token.
func (c *Client) Test(ctx context.Context) (ads.Connection, error) {
	a, err := c.readAccount(ctx)
	if err != nil {
		return ads.Connection{}, err
	}
	if a.status != 1 && a.status != 0 && a.status != 9 { // 1 active, 9 in grace period, 0 not disclosed
		return ads.Connection{}, c.wire.Reject(ads.PermissionMissing,
			"The ad account %s is not active: its account_status is %d.",
			c.credentials.AccountID, a.status)
	}
	found := ads.Connection{Account: c.Account(), Name: a.name, Currency: a.currency, TimeZone: a.zone}
	if found.Permissions, err = c.permissions(ctx); err != nil {
		return ads.Connection{}, err
	}
	found.Expires = c.expiry(ctx)
	return found, nil
}

// needed is the permission that reading and changing campaigns requires.
const needed = "ads_management"

// permissions returns the granted permissions. If Meta does not disclose them, the list is empty.
func (c *Client) permissions(ctx context.Context) ([]string, error) {
	var reply struct {
		Data []struct{ Permission, Status string } `json:"data"`
	}
	if err := c.get(ctx, "/me/permissions", nil, &reply); err != nil {
		return nil, ads.Persistent(err)
	}
	var granted []string
	mayWrite := len(reply.Data) == 0
	for _, p := range reply.Data {
		if p.Status == "granted" {
			granted = append(granted, c.wire.Text(p.Permission, ads.MaxStatus))
			mayWrite = mayWrite || p.Permission == needed
		}
	}
	if !mayWrite {
		return nil, c.wire.Reject(ads.PermissionMissing, "The access token lacks the permission %s.", needed)
	}
	return granted, nil
}

// expiry returns the time at which the token expires. The result is zero if the token does not expire, or if Meta does
// not disclose the expiry.
func (c *Client) expiry(ctx context.Context) time.Time {
	var reply struct {
		Data struct {
			Expires wire.Int `json:"expires_at"`
		} `json:"data"`
	}
	query := url.Values{"input_token": {c.credentials.AccessToken.Reveal()}}
	if err := c.get(ctx, "/debug_token", query, &reply); err != nil || reply.Data.Expires <= 0 {
		return time.Time{}
	}
	return time.Unix(int64(reply.Data.Expires), 0).UTC()
}

// campaign is a campaign as Meta returns it.
type campaign struct {
	ID       wire.Text `json:"id"`
	Account  wire.Text `json:"account_id"`
	Name     string    `json:"name"`
	Status   string    `json:"status"`
	Daily    wire.Int  `json:"daily_budget"`
	Lifetime wire.Int  `json:"lifetime_budget"`
}

// campaignFields are the requested fields of a campaign. An ad set has all of them except buying_type. Meta therefore
// rejects the request if the ID is that of an ad set.
const campaignFields = "id,account_id,name,status,daily_budget,lifetime_budget,buying_type"

// Campaigns implements [ads.Platform].
func (c *Client) Campaigns(ctx context.Context, most int) (list []ads.Campaign, more bool, err error) {
	after := ""
	for range maxPages {
		var page struct {
			Data   []campaign `json:"data"`
			Paging struct {
				Cursors struct {
					After string `json:"after"`
				} `json:"cursors"`
				Next string `json:"next"`
			} `json:"paging"`
		}
		query := url.Values{"fields": {"id,account_id,name,status"}, "limit": {strconv.Itoa(pageSize)}}
		if after != "" {
			query.Set("after", after)
		}
		if err := c.get(ctx, "/act_"+c.credentials.AccountID+"/campaigns", query, &page); err != nil {
			return nil, false, err
		}
		for _, one := range page.Data {
			if len(list) == most {
				return list, true, nil
			}
			if id := ads.CampaignID(one.ID); id.Valid() {
				list = append(list, ads.Campaign{
					ID: id, Name: c.wire.Text(one.Name, ads.MaxName), Status: statusOf(one.Status),
					PlatformStatus: c.wire.Text(one.Status, ads.MaxStatus),
				})
			}
		}
		if page.Paging.Next == "" || page.Paging.Cursors.After == "" || page.Paging.Cursors.After == after {
			return list, false, nil
		}
		after = page.Paging.Cursors.After // the link is not followed, because it contains a host and the token
	}
	return list, true, nil
}

// Read implements [ads.Platform].
func (c *Client) Read(ctx context.Context, id ads.CampaignID) (ads.State, error) {
	if !id.Valid() {
		return ads.State{}, c.wire.Reject(ads.CampaignNotFound, "A Meta campaign ID has digits only.")
	}
	account, err := c.knownAccount(ctx)
	if err != nil {
		return ads.State{}, err
	}
	var one campaign
	if err := c.get(ctx, "/"+string(id), url.Values{"fields": {campaignFields}}, &one); err != nil {
		return ads.State{}, err
	}
	if one.ID == "" {
		return ads.State{}, c.wire.Reject(ads.UnexpectedReply, "")
	}
	if string(one.ID) != string(id) || string(one.Account) != c.credentials.AccountID {
		return ads.State{}, c.wire.Reject(ads.CampaignNotFound, "The campaign %s is not in the account %s.", id,
			c.credentials.AccountID)
	}
	s := ads.State{
		Account: c.Account(), Campaign: id, Name: c.wire.Text(one.Name, ads.MaxName), Status: statusOf(one.Status),
		PlatformStatus: c.wire.Text(one.Status, ads.MaxStatus), Currency: account.currency, TimeZone: account.zone,
		ReadAt: c.wire.Now(),
	}
	s.Budget, err = c.budget(ctx, one, account)
	return s, err
}

// budget returns the budget of a campaign. A campaign has either its own budget or ad sets with budgets.
func (c *Client) budget(ctx context.Context, one campaign, a account) (ads.Budget, error) {
	b := ads.Budget{Level: ads.CampaignLevel}
	var err error
	switch {
	case one.Daily > 0:
		b.Period = ads.Daily
		if b.Amount, err = Minor(one.Daily).Amount(a.currency); err != nil {
			return b, err
		}
	case one.Lifetime > 0:
		b.Period = ads.Lifetime
		return b, nil
	default:
		b.Level = ads.ChildLevel
		b.Children, err = c.adSets(ctx, ads.CampaignID(one.ID), a.currency)
		return b, err
	}
	if b.Step, err = Minor(1).Amount(a.currency); err != nil {
		return b, err
	}
	b.Minimum, err = a.minimum.Amount(a.currency)
	return b, err
}

func (c *Client) adSets(ctx context.Context, id ads.CampaignID, currency money.Currency) ([]ads.Child, error) {
	var page struct {
		Data []campaign `json:"data"`
	}
	query := url.Values{"fields": {"id,name,status,daily_budget,lifetime_budget"}, "limit": {strconv.Itoa(maxAdSets)}}
	if err := c.get(ctx, "/"+string(id)+"/adsets", query, &page); err != nil {
		return nil, err
	}
	var list []ads.Child
	for _, one := range page.Data[:min(maxAdSets, len(page.Data))] {
		child := ads.Child{
			ID: c.wire.Text(string(one.ID), ads.MaxStatus), Name: c.wire.Text(one.Name, ads.MaxName),
			Period: ads.Daily,
		}
		value := Minor(one.Daily)
		if one.Daily == 0 {
			child.Period, value = ads.Lifetime, Minor(one.Lifetime)
		}
		if value == 0 {
			continue
		}
		var err error
		if child.Amount, err = value.Amount(currency); err != nil {
			return nil, err
		}
		list = append(list, child)
	}
	return list, nil
}

// Validate implements [ads.Platform]. It uses Meta's option validate_only.
func (c *Client) Validate(ctx context.Context, s ads.State, change ads.Change) (dryRun bool, err error) {
	call, err := c.post(s, change)
	if err != nil {
		return false, err
	}
	form := maps.Clone(call.form)
	form.Set("execution_options", `["validate_only"]`)
	v := c.wire.Once(ctx, call.with(form), c.judge(call.succeeded))
	if v.Rejection != nil {
		return false, v.Rejection
	}
	return true, nil
}

// Apply implements [ads.Platform].
func (c *Client) Apply(ctx context.Context, s ads.State, change ads.Change) ads.Outcome {
	call, err := c.post(s, change)
	if err != nil {
		return ads.Refuse(measure.Facebook, err)
	}
	var requestID string
	deadline := c.wire.Deadline()
	outcome := c.wire.Once(ctx, call.with(call.form), func(r wire.Reply) wire.Verdict {
		requestID = c.wire.Text(r.Header.Get("X-Fb-Trace-Id"), ads.MaxName)
		return c.judge(call.succeeded)(r)
	}).Outcome()
	outcome.RequestID, outcome.Deadline = cmp.Or(outcome.RequestID, requestID), deadline
	return outcome
}

// post is the request of a change.
type post struct {
	call wire.Call
	form url.Values
}

func (p post) with(form url.Values) wire.Call {
	call := p.call
	call.Body = []byte(form.Encode())
	return call
}

// succeeded returns an error unless the reply to a change reports success.
func (post) succeeded(body []byte) error {
	var reply struct {
		Success bool `json:"success"`
	}
	if err := wire.Decode(body, &reply); err != nil {
		return err
	}
	if !reply.Success {
		return errors.New("the reply has no field success")
	}
	return nil
}

func (c *Client) post(s ads.State, change ads.Change) (post, error) {
	if s.Account != c.Account() || !s.Campaign.Valid() {
		return post{}, c.wire.Reject(ads.CampaignNotFound, "")
	}
	if err := s.Check(change); err != nil {
		return post{}, err
	}
	form := url.Values{}
	switch change.Action {
	case ads.SetDailyBudget:
		value, err := MinorOf(change.Amount)
		if err != nil {
			return post{}, err
		}
		form.Set("daily_budget", strconv.FormatInt(int64(value), 10))
	case ads.Pause:
		form.Set("status", "PAUSED")
	case ads.Resume:
		form.Set("status", "ACTIVE")
	}
	if c.credentials.AppSecret.Set() {
		form.Set("appsecret_proof", c.proof.Reveal())
	}
	return post{form: form, call: wire.Call{
		Method: http.MethodPost, Path: version + "/" + string(s.Campaign), Header: c.header(),
		ContentType: "application/x-www-form-urlencoded",
	}}, nil
}

func (c *Client) header() http.Header {
	return http.Header{"Authorization": {"Bearer " + c.credentials.AccessToken.Reveal()}}
}

// get reads a path into the value.
func (c *Client) get(ctx context.Context, path string, query url.Values, into any) error {
	all := maps.Clone(query)
	if all == nil {
		all = url.Values{}
	}
	if c.credentials.AppSecret.Set() {
		all.Set("appsecret_proof", c.proof.Reveal())
	}
	call := wire.Call{Method: http.MethodGet, Path: version + path, Query: all, Header: c.header()}
	return c.wire.Read(ctx, call, c.judge(func(body []byte) error { return wire.Decode(body, into) }))
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
	var reply struct {
		Name     string   `json:"name"`
		Currency string   `json:"currency"`
		Zone     string   `json:"timezone_name"`
		Status   wire.Int `json:"account_status"`
		Minimum  wire.Int `json:"min_daily_budget"`
	}
	path := "/act_" + c.credentials.AccountID
	err := c.get(ctx, path, url.Values{"fields": {"name,currency,timezone_name,account_status,min_daily_budget"}}, &reply)
	if ads.ReasonOf(err) == ads.CampaignNotFound {
		text := "The ad account %s does not exist or the access token has no access to it."
		err = c.wire.Reject(ads.PermissionMissing, text, c.credentials.AccountID).Because(err)
	}
	if err != nil {
		return account{}, err
	}
	currency, err := money.ParseCurrency(reply.Currency)
	if err != nil {
		return account{}, c.wire.Reject(ads.UnexpectedReply, "").Because(err)
	}
	if _, _, err := scale(currency); err != nil {
		return account{}, err
	}
	a := account{
		name: c.wire.Text(reply.Name, ads.MaxName), status: int64(reply.Status), currency: currency,
		zone: c.wire.Text(reply.Zone, ads.MaxStatus), minimum: max(Minor(reply.Minimum), 0), read: c.wire.Now(),
	}
	if err := c.readMinimum(ctx, &a); err != nil {
		return account{}, err
	}
	c.mu.Lock()
	c.account = &a
	c.mu.Unlock()
	return a, nil
}

// readMinimum sets the account's minimum daily budget to Meta's minimum for campaigns that pay per impression. This is
// the lowest of Meta's minimums. The dry run checks the other minimums.
func (c *Client) readMinimum(ctx context.Context, a *account) error {
	var reply struct {
		Data []struct {
			Currency string   `json:"currency"`
			Minimum  wire.Int `json:"min_daily_budget_imp"`
		} `json:"data"`
	}
	if err := c.get(ctx, "/act_"+c.credentials.AccountID+"/minimum_budgets", nil, &reply); err != nil {
		return ads.Persistent(err)
	}
	for _, row := range reply.Data {
		if row.Currency == string(a.currency) && row.Minimum > 0 {
			a.minimum = Minor(row.Minimum)
		}
	}
	return nil
}

func statusOf(text string) ads.Status {
	switch text {
	case "ACTIVE":
		return ads.Active
	case "PAUSED":
		return ads.Paused
	case "ARCHIVED":
		return ads.Archived
	case "DELETED":
		return ads.Removed
	}
	return ads.UnknownStatus
}
