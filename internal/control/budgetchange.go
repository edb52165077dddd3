package control

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/money"
)

// BudgetChangeID identifies a change on an ad platform. It is unique across workspaces.
type BudgetChangeID string

// BudgetChange is an audit row about a change of a campaign on an ad platform. While a row is pending, no other change
// of its campaign may start. If the budget is a separate object, no other change of the budget may start either.
type BudgetChange struct {
	ID           BudgetChangeID
	Workspace    measure.WorkspaceID
	At           time.Time // when the change was requested
	Platform     measure.Platform
	Account      string // the platform's ID of the account
	Campaign     string // the platform's ID of the campaign
	CampaignName string // name on the platform
	Budget       string // name of the budget on the platform, if it is a separate object
	BudgetNamed  bool   // the caller named the budget, so the change applies even if the budget is shared
	Field        ChangeField
	Previous     ChangeValue // live value before the change, as read from the platform
	New          ChangeValue
	Live         ChangeValue // latest live value after the change; the zero value: not read
	Status       ChangeStatus
	Actor        string // who requested the change
	Reason       string // reason in the actor's words
	Rejection    string // reason of package ads why the change failed or has an unknown outcome; "": none
	Problem      string // the same reason as a sentence
	RequestID    string // the platform's ID of the request
	// Deadline is the latest time at which the client stops waiting for the platform's reply. No process sends the change
	// after the deadline.
	Deadline     time.Time
	RollsBack    BudgetChangeID // the change that this one undoes
	RolledBackBy BudgetChangeID // the change that undid this one
	ApprovedBy   string         // the member who approved or rejected the change
	SettledAt    time.Time      // when the row got its final status
	Effect       string         // expected effect as JSON; "" without one
}

// ChangeField is the field that a change sets.
type ChangeField string

// The fields.
const (
	DailyBudget    ChangeField = "daily_budget"
	CampaignStatus ChangeField = "status"
)

// ChangeValue is a value of a campaign: a daily budget or a status.
type ChangeValue struct {
	Text   string       // budget in platform units as a decimal number, or a status such as "paused"; "" for none
	Amount money.Amount // amount of a daily budget
}

// IsZero reports whether there is no value.
func (v ChangeValue) IsZero() bool { return v == ChangeValue{} }

// String formats the value for display: "USD 50.00" or "paused".
func (v ChangeValue) String() string {
	if v.Amount.Currency != "" {
		return v.Amount.String()
	}
	return v.Text
}

// ChangeStatus is the status of a change.
type ChangeStatus string

// The statuses. Applied, failed, rejected and expired are final. A person decides about an unknown outcome.
const (
	ChangeAwaiting ChangeStatus = "awaiting_approval"
	ChangePending  ChangeStatus = "pending"
	ChangeApplied  ChangeStatus = "applied"
	ChangeFailed   ChangeStatus = "failed"
	ChangeUnknown  ChangeStatus = "unknown"
	ChangeRejected ChangeStatus = "rejected"
	ChangeExpired  ChangeStatus = "expired"
)

// ChangeStatuses lists all statuses.
func ChangeStatuses() []ChangeStatus {
	return []ChangeStatus{
		ChangeAwaiting, ChangePending, ChangeApplied, ChangeFailed, ChangeUnknown, ChangeRejected, ChangeExpired,
	}
}

// Follows reports whether a change may move from the given status to the status s. A pending or unknown change may be
// updated without a change of its status.
func (s ChangeStatus) Follows(from ChangeStatus) bool {
	switch from {
	case ChangeAwaiting:
		return s == ChangePending || s == ChangeRejected || s == ChangeExpired
	case ChangePending:
		return s == ChangePending || s == ChangeApplied || s == ChangeFailed || s == ChangeUnknown
	case ChangeUnknown: // a later read of the platform's live value
		return s == ChangeApplied || s == ChangeFailed || s == ChangeUnknown
	case ChangeApplied, ChangeFailed, ChangeRejected, ChangeExpired:
	}
	return false
}

// Done reports whether the status needs neither another read of the live value nor a decision.
func (s ChangeStatus) Done() bool { return s != ChangeAwaiting && s != ChangePending }

// ApprovalTime is the maximum time for which a change waits for approval.
const ApprovalTime = 24 * time.Hour

// AsOf returns the change as of the instant now. A change that waited too long for approval is expired.
func (c BudgetChange) AsOf(now time.Time) BudgetChange {
	if c.Status == ChangeAwaiting && !now.Before(c.At.Add(ApprovalTime)) {
		c.Status, c.SettledAt = ChangeExpired, c.At.Add(ApprovalTime)
		c.Problem = "No one approved the change within 24 hours."
	}
	return c
}

// SameChange reports whether both rows request the same change of the same campaign.
func (c BudgetChange) SameChange(other BudgetChange) bool {
	return c.Workspace == other.Workspace && c.Platform == other.Platform && c.Account == other.Account &&
		c.Campaign == other.Campaign && c.Field == other.Field && c.New == other.New && c.RollsBack == other.RollsBack
}

// Summary describes the change in one line, for the audit log.
func (c BudgetChange) Summary() string {
	text := string(c.Status) + ": " + string(c.Platform) + " campaign " + c.Campaign + ", " +
		strings.ReplaceAll(string(c.Field), "_", " ") + " from " + c.Previous.String() + " to " + c.New.String()
	if c.RollsBack != "" {
		text += ", rolls back " + string(c.RollsBack)
	}
	if c.Problem != "" {
		text += ". " + c.Problem
	}
	return text
}

const (
	maxReason = 500 // characters of a reason
	// maxNote is the maximum length of texts from platforms. The clients of the platforms have cleaned these texts.
	maxNote = 1000
)

// Checked returns the change as stored. A missing or invalid value is a fault of kind invalid.
func (c BudgetChange) Checked() (BudgetChange, error) {
	c.Reason = strings.TrimSpace(c.Reason)
	switch {
	case c.ID == "" || c.Workspace == "" || c.Platform == "" || c.Account == "" || c.Campaign == "" || c.Actor == "":
		return c, fault.Invalid("a budget change needs an ID, workspace, platform, account, campaign and actor")
	case c.Field != DailyBudget && c.Field != CampaignStatus:
		return c, fault.Invalid("%q is not a field of a campaign", c.Field)
	case c.Previous.IsZero() || c.New.IsZero() || c.Previous == c.New:
		return c, fault.Invalid("a budget change needs two different values")
	case c.Field == DailyBudget && (c.New.Amount.Minor <= 0 || c.New.Amount.Currency != c.Previous.Amount.Currency):
		return c, fault.Invalid("a daily budget is a positive amount in the currency of the account")
	case !slices.Contains(ChangeStatuses(), c.Status):
		return c, fault.Invalid("%q is not a status of a budget change", c.Status)
	case utf8.RuneCountInString(c.Reason) > maxReason || !utf8.ValidString(c.Reason) || strings.ContainsFunc(c.Reason, unprintable):
		return c, fault.Invalid("reason: use at most %d printable characters", maxReason)
	}
	c.CampaignName, c.Problem = bounded(c.CampaignName), bounded(c.Problem)
	return c, nil
}

// bounded cuts a text to the maximum length.
func bounded(text string) string {
	if utf8.RuneCountInString(text) <= maxNote {
		return text
	}
	return string([]rune(text)[:maxNote-1]) + "…"
}

// BudgetChangeFilter selects changes. The zero value of every field but Limit selects all.
type BudgetChangeFilter struct {
	Workspace measure.WorkspaceID
	Platform  measure.Platform
	Account   string
	Campaign  string
	Budget    string // if Campaign is also set: changes of the campaign or of this budget
	Statuses  []ChangeStatus
	Since     time.Time // requested or settled at this instant or later
	Limit     int
}

// BudgetPreview records that a caller has seen a preview of a change.
type BudgetPreview struct {
	Workspace measure.WorkspaceID
	Actor     string
	Platform  measure.Platform
	Account   string
	Campaign  string
	Field     ChangeField
	New       string // the new value, as in [ChangeValue].Text
	At        time.Time
}

// PreviewTime is the time after a preview in which the same caller may make the same change, if previews are required.
const PreviewTime = 30 * time.Minute

// The kinds of audit events about changes on ad platforms. The subject of an event about a change is the ID of the
// change. Each new status of the change is one event.
const (
	BudgetChanged     EventKind = "budget_change"
	GuardrailsChanged EventKind = "guardrails_changed"
)
