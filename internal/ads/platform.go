package ads

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"assay/internal/measure"
	"assay/internal/money"
)

// Platform is one account of an ad platform. Its methods are safe for concurrent use. Every error that the platform or
// the connection causes is a [*Rejection].
type Platform interface {
	// Account identifies the account.
	Account() Account
	// Unit returns the converter between the platform's budget numbers and amounts.
	Unit() Unit
	// Test reads the account and reports whether the credentials work.
	Test(ctx context.Context) (Connection, error)
	// Campaigns lists campaigns of the account in the platform's order, up to the limit most. It also reports whether
	// the account has more campaigns.
	Campaigns(ctx context.Context, most int) (list []Campaign, more bool, err error)
	// Read returns the live state of a campaign of this account. The state is never read from a cache.
	Read(ctx context.Context, id CampaignID) (State, error)
	// Validate checks a change against the state by [State.Check], then by the platform's dry run. The result dryRun is
	// false if the platform has no dry run. Validate changes nothing.
	Validate(ctx context.Context, s State, c Change) (dryRun bool, err error)
	// Apply sends the change in at most one mutating request that the platform can execute.
	Apply(ctx context.Context, s State, c Change) Outcome
}

// Account identifies an account of a platform.
type Account struct {
	Platform measure.Platform
	ID       string // in the platform's own form, digits only
}

// CampaignID is the platform's ID of a campaign: decimal digits.
type CampaignID string

// Valid reports whether the ID has the form that all three platforms use. Text of another form is never sent.
func (id CampaignID) Valid() bool { return IsNumber(string(id), maxID) }

// maxID is the maximum length of an ID: the 19 digits of the largest signed 64-bit number, plus one digit.
const maxID = 20

// IsNumber reports whether the text has only decimal digits: at least one, and at most the limit most.
func IsNumber(text string, most int) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != "" && len(text) <= most
}

// Campaign is an entry in a platform's list of campaigns.
type Campaign struct {
	ID             CampaignID
	Name           string
	Status         Status
	PlatformStatus string // status in the platform's words
}

// Connection is the result of a successful connection test of an account.
type Connection struct {
	Account  Account
	Name     string
	Currency money.Currency
	TimeZone string // IANA name
	// Expires is the time when the credential expires. It is zero when the credential does not expire or the platform
	// does not disclose it.
	Expires time.Time
	// Permissions are the granted permissions, as far as the platform discloses them.
	Permissions []string
}

// Unit converts between amounts and the numbers in which callers state budgets, such as micros. Each client has its own
// type of number, so that cents, micros and whole units cannot be confused in the code.
type Unit interface {
	// Name is the unit in words, such as "micros".
	Name() string
	// Amount converts a caller's positive whole number of units to an amount.
	Amount(value int64, c money.Currency) (money.Amount, error)
	// Value returns an amount as a number of units. A live budget may have a fraction on TikTok.
	Value(a money.Amount) (json.Number, error)
}

// Options are the settings of a client.
type Options struct {
	Endpoint      Endpoint          // endpoint of the API
	TokenEndpoint Endpoint          // endpoint of Google's token service
	Timeout       time.Duration     // timeout of one call
	Clock         Clock             // required
	Jitter        func() float64    // required; in [0, 1), spreads retries of reads; safe for parallel use
	Transport     http.RoundTripper // nil: the shared one
}

// Outcome is the result of [Platform.Apply].
type Outcome struct {
	Result    Result
	Rejection *Rejection // reason why the change was rejected or its outcome is unknown; nil if the change was applied
	RequestID string     // request ID of the platform, for the platform's support; may be empty
	// Deadline is the time at which the client stops waiting for the write. Once [Grace] has passed after the deadline,
	// no request of this change can arrive. The deadline is zero when nothing was sent.
	Deadline time.Time
}

// Result is the outcome of a requested change.
type Result string

// The results.
const (
	Applied Result = "applied" // the platform confirmed the change
	Refused Result = "refused" // the platform did not execute the change
	Unknown Result = "unknown" // the request may have been executed; see [Settle]
)
