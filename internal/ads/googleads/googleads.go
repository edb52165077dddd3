// Package googleads is the client of the Google Ads API over REST: campaigns and their daily budgets.
package googleads

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
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
	version  = "/v25"
	maxFeeds = 100 // maximum number of campaigns that are listed for a shared budget
	maxList  = 5000
)

// Client is the API client for one Google Ads client account.
type Client struct {
	credentials Credentials
	wire        *wire.Client
	tokens      *wire.Client

	renewing chan struct{} // capacity 1; guards token
	token    token

	mu       sync.Mutex // guards billable
	billable map[money.Currency]Micros
}

var _ ads.Platform = (*Client)(nil)

// New returns a client.
func New(c Credentials, o ads.Options) *Client {
	secrets := []ads.Secret{c.ClientSecret, c.RefreshToken, c.DeveloperToken}
	return &Client{
		credentials: c, wire: wire.New(measure.Google, o.Endpoint, o, secrets...),
		tokens:   wire.New(measure.Google, o.TokenEndpoint, o, secrets...),
		renewing: make(chan struct{}, 1), billable: map[money.Currency]Micros{},
	}
}

// Account implements [ads.Platform].
func (c *Client) Account() ads.Account {
	return ads.Account{Platform: measure.Google, ID: c.credentials.CustomerID}
}

// Unit implements [ads.Platform].
func (c *Client) Unit() ads.Unit { return Unit{} }

// row is a row of a search. Google omits zero and false.
type row struct {
	Customer struct {
		Name     string `json:"descriptiveName"`
		Currency string `json:"currencyCode"`
		Zone     string `json:"timeZone"`
		Status   string `json:"status"`
		Manager  bool   `json:"manager"`
	} `json:"customer"`
	Campaign struct {
		Resource   string    `json:"resourceName"`
		ID         wire.Text `json:"id"`
		Name       string    `json:"name"`
		Status     string    `json:"status"`
		Experiment string    `json:"experimentType"`
		Budget     string    `json:"campaignBudget"`
	} `json:"campaign"`
	Budget struct {
		Resource   string   `json:"resourceName"`
		Amount     wire.Int `json:"amountMicros"`
		Period     string   `json:"period"`
		Shared     bool     `json:"explicitlyShared"`
		References wire.Int `json:"referenceCount"`
	} `json:"campaignBudget"`
	Currency struct {
		Code     string   `json:"code"`
		Billable wire.Int `json:"billableUnitMicros"`
	} `json:"currencyConstant"`
}

// search returns the rows of a query. Queries have a limit, so one page contains all of them.
func (c *Client) search(ctx context.Context, query string) ([]row, error) {
	body, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		return nil, err
	}
	var rows []row
	path := version + "/customers/" + c.credentials.CustomerID + "/googleAds:search"
	err = c.do(ctx, path, body, func(ctx context.Context, call wire.Call, judge wire.Judge) *ads.Rejection {
		return ads.AsRejection(measure.Google, c.wire.Read(ctx, call, judge))
	}, func(body []byte) error {
		var reply struct {
			Results []row `json:"results"`
		}
		err := wire.Decode(body, &reply)
		rows = reply.Results
		return err
	})
	return rows, err
}

// do sends a request with an access token. If Google rejects the token with status 401, Google has not executed the
// request. In that case, do renews the token and sends the request once more.
func (c *Client) do(
	ctx context.Context, path string, body []byte, send func(context.Context, wire.Call, wire.Judge) *ads.Rejection,
	success func([]byte) error,
) error {
	for again := false; ; again = true {
		t, err := c.usableToken(ctx)
		if err != nil {
			return err
		}
		refused := false
		call := wire.Call{
			Method: http.MethodPost, Path: path, Header: c.header(t), ContentType: "application/json",
			Body: body,
		}
		rejection := send(ctx, call, func(r wire.Reply) wire.Verdict {
			v := c.judge(r, t, success)
			refused = r.Status == http.StatusUnauthorized && !v.Unsure
			return v
		})
		switch {
		case rejection == nil:
			return nil
		case refused:
			c.forget(ctx, t)
		}
		if !refused || again {
			return rejection
		}
	}
}

func (c *Client) header(t token) http.Header {
	h := http.Header{"Authorization": {"Bearer " + t.text.Reveal()}}
	if c.credentials.LoginCustomerID != "" {
		h.Set("Login-Customer-Id", c.credentials.LoginCustomerID)
	}
	if c.credentials.DeveloperToken.Set() {
		h.Set("Developer-Token", c.credentials.DeveloperToken.Reveal())
	}
	return h
}

// Test implements [ads.Platform].
func (c *Client) Test(ctx context.Context) (ads.Connection, error) {
	rows, err := c.search(ctx, "SELECT customer.id, customer.descriptive_name, customer.currency_code, "+
		"customer.time_zone, customer.status, customer.manager FROM customer LIMIT 1")
	if err != nil {
		return ads.Connection{}, err
	}
	if len(rows) == 0 {
		return ads.Connection{}, c.wire.Reject(ads.UnexpectedReply, "")
	}
	customer := rows[0].Customer
	switch {
	case customer.Manager:
		text := "The account %s is a manager account, which has no campaigns. " +
			"Use it as login_customer_id and a client account as customer_id."
		return ads.Connection{}, c.wire.Reject(ads.CredentialsRejected, text, c.credentials.CustomerID)
	case customer.Status != "" && customer.Status != "ENABLED":
		return ads.Connection{}, c.wire.Reject(ads.PermissionMissing, "The account %s has the status %s.",
			c.credentials.CustomerID, c.wire.Text(customer.Status, ads.MaxStatus))
	}
	currency, err := money.ParseCurrency(customer.Currency)
	if err != nil {
		return ads.Connection{}, c.wire.Reject(ads.UnexpectedReply, "").Because(err)
	}
	t, err := c.usableToken(ctx)
	if err != nil {
		return ads.Connection{}, err
	}
	return ads.Connection{
		Account: c.Account(), Name: c.wire.Text(customer.Name, ads.MaxName), Currency: currency,
		TimeZone: c.wire.Text(customer.Zone, ads.MaxStatus), Expires: t.refresh, Permissions: t.scopes,
	}, nil
}

// Campaigns implements [ads.Platform].
func (c *Client) Campaigns(ctx context.Context, most int) (list []ads.Campaign, more bool, err error) {
	most = min(most, maxList)
	list, err = c.list(ctx, "", most+1)
	if len(list) > most {
		return list[:most], true, err
	}
	return list, false, err
}

// list returns the campaigns that use a budget, except removed campaigns. An empty budget means all budgets.
func (c *Client) list(ctx context.Context, budget string, most int) ([]ads.Campaign, error) {
	query := "SELECT campaign.resource_name, campaign.id, campaign.name, campaign.status, campaign.campaign_budget " +
		"FROM campaign WHERE campaign.status != 'REMOVED'"
	if budget != "" {
		query += " AND campaign.campaign_budget = '" + budget + "'"
	}
	rows, err := c.search(ctx, query+" ORDER BY campaign.id LIMIT "+strconv.Itoa(most))
	var list []ads.Campaign
	for _, r := range rows[:min(most, len(rows))] {
		if id := ads.CampaignID(r.Campaign.ID); id.Valid() && (budget == "" || r.Campaign.Budget == budget) {
			list = append(list, ads.Campaign{
				ID: id, Name: c.wire.Text(r.Campaign.Name, ads.MaxName), Status: statusOf(r.Campaign.Status),
				PlatformStatus: c.wire.Text(r.Campaign.Status, ads.MaxStatus),
			})
		}
	}
	return list, err
}

const campaignQuery = "SELECT campaign.resource_name, campaign.id, campaign.name, campaign.status, campaign.experiment_type, " +
	"campaign.campaign_budget, campaign_budget.resource_name, campaign_budget.amount_micros, campaign_budget.period, " +
	"campaign_budget.explicitly_shared, campaign_budget.reference_count, customer.currency_code, customer.time_zone " +
	"FROM campaign WHERE campaign.id = "

// Read implements [ads.Platform].
func (c *Client) Read(ctx context.Context, id ads.CampaignID) (ads.State, error) {
	if !id.Valid() {
		return ads.State{}, c.wire.Reject(ads.CampaignNotFound, "A Google Ads campaign ID has digits only.")
	}
	rows, err := c.search(ctx, campaignQuery+string(id))
	if err != nil {
		return ads.State{}, err
	}
	at := slices.IndexFunc(rows, func(r row) bool { return r.Campaign.Resource == c.resource("campaigns", string(id)) })
	if at < 0 {
		return ads.State{}, c.wire.Reject(ads.CampaignNotFound, "The campaign %s is not in the account %s.", id,
			c.credentials.CustomerID)
	}
	r := rows[at]
	currency, err := money.ParseCurrency(r.Customer.Currency)
	if err != nil {
		return ads.State{}, c.wire.Reject(ads.UnexpectedReply, "").Because(err)
	}
	s := ads.State{
		Account: c.Account(), Campaign: id, Name: c.wire.Text(r.Campaign.Name, ads.MaxName),
		Status:         statusOf(r.Campaign.Status),
		PlatformStatus: c.wire.Text(r.Campaign.Status, ads.MaxStatus), Currency: currency,
		TimeZone: c.wire.Text(r.Customer.Zone, ads.MaxStatus), ReadAt: c.wire.Now(),
	}
	if r.Campaign.Experiment == "EXPERIMENT" {
		s.Kind = ads.Experiment
	}
	if s.Status == ads.Removed { // its budget may be removed as well
		return s, nil
	}
	s.Budget, err = c.budget(ctx, r, currency)
	return s, err
}

func (c *Client) resource(kind, id string) string {
	return "customers/" + c.credentials.CustomerID + "/" + kind + "/" + id
}

func (c *Client) budget(ctx context.Context, r row, currency money.Currency) (ads.Budget, error) {
	b := ads.Budget{
		Level: ads.CampaignLevel, Shared: r.Budget.Shared || r.Budget.References > 1,
		Uses: int(min(max(r.Budget.References, 0), math.MaxInt32)),
	}
	id, own := strings.CutPrefix(r.Campaign.Budget, c.resource("campaignBudgets", ""))
	if !own || !ads.IsNumber(id, 20) { // the resource name becomes part of queries and writes
		return b, c.wire.Reject(ads.UnexpectedReply, "").Because(errors.New("the budget does not belong to the account"))
	}
	b.Resource = r.Campaign.Budget
	switch r.Budget.Period {
	case "DAILY":
		b.Period = ads.Daily
		var exact bool
		b.Amount, exact = Micros(r.Budget.Amount).Amount(currency)
		b.Inexact = !exact
	case "CUSTOM_PERIOD":
		b.Period = ads.Custom
	default:
		return b, c.wire.Reject(ads.UnexpectedReply, "").Because(fmt.Errorf("budget period %q",
			ads.Clean(r.Budget.Period, ads.MaxStatus)))
	}
	unit, err := c.billableUnit(ctx, currency)
	if err != nil {
		return b, err
	}
	b.Step, _ = unit.Amount(currency)
	if b.Shared {
		b.Feeds, err = c.list(ctx, b.Resource, maxFeeds)
	}
	return b, err
}

// billableUnit returns the billable unit of the currency, or the minor unit if Google publishes no larger multiple of
// the minor unit. The billable unit does not change, so the client reads it once per currency.
func (c *Client) billableUnit(ctx context.Context, currency money.Currency) (Micros, error) {
	c.mu.Lock()
	unit, known := c.billable[currency]
	c.mu.Unlock()
	if known {
		return unit, nil
	}
	rows, err := c.search(ctx, "SELECT currency_constant.code, currency_constant.billable_unit_micros "+
		"FROM currency_constant WHERE currency_constant.code = '"+string(currency)+"' LIMIT 1")
	if err := ads.Persistent(err); err != nil {
		return 0, err
	}
	unit = minorUnit(currency)
	for _, r := range rows {
		published := Micros(r.Currency.Billable)
		if r.Currency.Code == string(currency) && published > unit && published%unit == 0 {
			unit = published
		}
	}
	c.mu.Lock()
	c.billable[currency] = unit
	c.mu.Unlock()
	return unit, nil
}

// Validate implements [ads.Platform]. It sends the change with validateOnly.
func (c *Client) Validate(ctx context.Context, s ads.State, change ads.Change) (dryRun bool, err error) {
	m, err := c.mutate(s, change)
	if err != nil {
		return false, err
	}
	body, err := m.body(true)
	if err != nil {
		return false, err
	}
	once := func(ctx context.Context, call wire.Call, judge wire.Judge) *ads.Rejection {
		return c.wire.Once(ctx, call, judge).Rejection
	}
	err = c.do(ctx, m.path, body, once, func(body []byte) error {
		var reply mutated
		return wire.Decode(body, &reply)
	})
	return err == nil, err
}

// Apply implements [ads.Platform].
func (c *Client) Apply(ctx context.Context, s ads.State, change ads.Change) ads.Outcome {
	m, err := c.mutate(s, change)
	if err != nil {
		return ads.Refuse(measure.Google, err)
	}
	body, err := m.body(false)
	if err != nil {
		return ads.Refuse(measure.Google, err)
	}
	var last wire.Verdict
	var deadline time.Time
	requestID := ""
	err = c.do(ctx, m.path, body, func(ctx context.Context, call wire.Call, judge wire.Judge) *ads.Rejection {
		deadline = c.wire.Deadline()
		last = c.wire.Once(ctx, call, func(r wire.Reply) wire.Verdict {
			requestID = c.wire.Text(r.Header.Get("Request-Id"), ads.MaxName)
			return judge(r)
		})
		return last.Rejection
	}, m.applied)
	outcome := last.Outcome()
	if err != nil && !last.Unsure { // includes a missing access token
		outcome = ads.Refuse(measure.Google, err)
	}
	outcome.RequestID, outcome.Deadline = cmp.Or(outcome.RequestID, requestID), deadline
	return outcome
}

// mutation is a change of one field of one resource.
type mutation struct {
	path, resource, field, mask string
	value                       string
}

func (c *Client) mutate(s ads.State, change ads.Change) (mutation, error) {
	if s.Account != c.Account() || !s.Campaign.Valid() {
		return mutation{}, c.wire.Reject(ads.CampaignNotFound, "")
	}
	if err := s.Check(change); err != nil {
		return mutation{}, err
	}
	base := version + "/customers/" + c.credentials.CustomerID
	status := mutation{
		path: base + "/campaigns:mutate", resource: c.resource("campaigns", string(s.Campaign)),
		field: "status", mask: "status",
	}
	switch change.Action {
	case ads.Pause:
		status.value = "PAUSED"
	case ads.Resume:
		status.value = "ENABLED"
	case ads.SetDailyBudget:
		micros, err := MicrosOf(change.Amount)
		if err != nil {
			return mutation{}, err
		}
		return mutation{
			path: base + "/campaignBudgets:mutate", resource: s.Budget.Resource, field: "amountMicros", mask: "amount_micros",
			value: strconv.FormatInt(int64(micros), 10),
		}, nil
	}
	return status, nil
}

func (m mutation) body(validateOnly bool) ([]byte, error) {
	return json.Marshal(map[string]any{
		"operations": []any{map[string]any{
			"update":     map[string]string{"resourceName": m.resource, m.field: m.value},
			"updateMask": m.mask,
		}},
		"partialFailure": false, "validateOnly": validateOnly,
	})
}

// mutated is the reply to a mutation.
type mutated struct {
	Results []struct {
		Resource string `json:"resourceName"`
	} `json:"results"`
}

// applied returns an error unless the reply contains exactly one result, with the name of the changed resource.
func (m mutation) applied(body []byte) error {
	var reply mutated
	if err := wire.Decode(body, &reply); err != nil {
		return err
	}
	if len(reply.Results) != 1 || reply.Results[0].Resource != m.resource {
		return errors.New("the reply does not name the changed resource")
	}
	return nil
}

func statusOf(text string) ads.Status {
	switch text {
	case "ENABLED":
		return ads.Active
	case "PAUSED":
		return ads.Paused
	case "REMOVED":
		return ads.Removed
	}
	return ads.UnknownStatus
}
