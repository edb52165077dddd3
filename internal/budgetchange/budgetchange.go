// Package budgetchange changes campaigns on ad platforms: previews, execution at most once, settlement of unknown
// outcomes, rollback, approval and guardrails. It uses neither HTTP nor SQL. Package ads documents the order in which a
// platform is read and written. Package control contains the audit rows.
//
// An execution starts with a preview. If the guardrails pass, the execution stores a pending row. The row claims the
// campaign, so that no other change of the campaign can start. Then the execution reads the campaign again and writes
// once. If someone else changed the campaign since the preview, the execution fails. If a process ends and leaves a row
// pending, the next process determines the outcome of the row; see [Executor.Run].
package budgetchange

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"assay/internal/ads"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/money"
)

// Accounts opens the connected accounts of a workspace.
type Accounts interface {
	// Of returns the accounts that the workspace has connected on the platform, in the order of their IDs.
	Of(ctx context.Context, w measure.WorkspaceID, p measure.Platform) ([]ads.Platform, error)
}

// Rates converts amounts between currencies.
type Rates interface {
	// Convert returns the amount in the currency at the day's exchange rate of the workspace. Without a rate it returns
	// a fault of kind not_ready.
	Convert(ctx context.Context, w control.Workspace, a money.Amount, to money.Currency) (money.Amount, error)
}

// Store contains the audit rows, the previews and the guardrails. The control store implements it.
type Store interface {
	AddBudgetChange(ctx context.Context, c control.BudgetChange, by control.By) (open *control.BudgetChange, err error)
	UpdateBudgetChange(ctx context.Context, c control.BudgetChange, from control.ChangeStatus, by control.By) (
		open *control.BudgetChange, err error)
	BudgetChange(ctx context.Context, id control.BudgetChangeID) (control.BudgetChange, error)
	BudgetChanges(ctx context.Context, f control.BudgetChangeFilter) ([]control.BudgetChange, error)
	SavePreview(ctx context.Context, p control.BudgetPreview) error
	LastPreview(ctx context.Context, p control.BudgetPreview) (time.Time, error)
	Guardrails(ctx context.Context, ws measure.WorkspaceID) (control.Guardrails, error)
}

// Options configure [New].
type Options struct {
	Store    Store
	Accounts Accounts
	Rates    Rates
	Clock    ads.Clock
	Log      *slog.Logger
	// WriteTime is the maximum time from the last check of a claim to the end of the write. It includes the renewal of
	// a token.
	WriteTime time.Duration
	// Shared means that other processes change campaigns with the same store, so a pending row may belong to one of
	// them.
	Shared bool
}

// Executor changes campaigns. Its methods are safe for concurrent use.
type Executor struct {
	Options

	mu      sync.Mutex                      // guards the fields below
	flights map[string]*flight              // executions in progress, by request
	own     map[control.BudgetChangeID]bool // rows that this process executes (false) or that Run settles (true)
	serving bool                            // Run is running and settles the rows in waiting
	waiting []unsettled
	wake    chan struct{} // has a value when rows are added to waiting
}

// New returns an executor.
func New(o Options) *Executor {
	return &Executor{
		Options: o, flights: map[string]*flight{}, own: map[control.BudgetChangeID]bool{}, wake: make(chan struct{}, 1),
	}
}

// Caller identifies the requester of a change.
type Caller struct {
	Actor  string // actor in the audit log
	Person bool   // a member on a page, or a command; not a tool
}

// Request describes a requested change of a campaign.
type Request struct {
	Platform measure.Platform
	Campaign ads.CampaignID
	Action   ads.Action
	Units    int64          // the new daily budget in platform units, for [ads.SetDailyBudget]
	Previous *float64       // the current daily budget in platform units, according to the caller; nil: not given
	Currency money.Currency // currency of the account, according to the caller; "": not given
	Account  string         // the platform's ID of the account; "": the account that has the campaign
	Budget   string         // name of the budget on the platform; needed for a shared budget
	Unshared bool           // Budget was not named by the caller, so it must not be shared
	Name     string         // name of the campaign, for platforms that return none
	Reason   string         // reason for the audit log
	// Effect returns the expected effect of the change as JSON, or nil if there is no estimate. It is called once the
	// live values are known.
	Effect func(ctx context.Context, p Preview) json.RawMessage `json:"-"`
}

// Preview is a change with the replies of the platform and the verdicts of the guardrails.
type Preview struct {
	Account        ads.Account
	Campaign       ads.CampaignID
	Name           string
	Status         ads.Status
	PlatformStatus string // status in the platform's words
	TimeZone       string // time zone of the account's days
	Action         ads.Action
	Field          control.ChangeField
	Unit           string // name of the platform's budget unit, such as micros
	Current, New   control.ChangeValue
	Budget         ads.Budget // budget, with the campaigns that use a shared budget
	Unchanged      bool       // the campaign already has the new value
	DryRun         bool       // the platform's own dry run accepted the change
	Guardrails     []Verdict
	// Daily is the change of the daily spend in the workspace's currency, if the campaign spends its budget fully. It is
	// nil if the campaign has no daily budget of its own, or if there is no exchange rate.
	Daily  *money.Amount
	Effect json.RawMessage // expected effect; nil for no estimate
}

// Blocked returns the first guardrail that blocks the change, or nil if no guardrail blocks it.
func (p *Preview) Blocked() *Verdict { return p.first(Blocks) }

// NeedsApproval returns the guardrail that requires the approval of another member, or nil if no approval is required.
func (p *Preview) NeedsApproval() *Verdict { return p.first(Approval) }

func (p *Preview) first(s State) *Verdict {
	for i := range p.Guardrails {
		if p.Guardrails[i].State == s {
			return &p.Guardrails[i]
		}
	}
	return nil
}

// ChangePct returns the relative change of the daily budget in percent. It returns nil for a change of status, or if
// the current budget is 0.
func (p *Preview) ChangePct() *float64 {
	if p.Field != control.DailyBudget || p.Current.Amount.Minor == 0 {
		return nil
	}
	return new(100 * float64(p.New.Amount.Minor-p.Current.Amount.Minor) / float64(p.Current.Amount.Minor))
}

// Outcome is the result of a request.
type Outcome string

// The outcomes.
const (
	Previewed Outcome = "preview"
	Executed  Outcome = "executed"
	Unchanged Outcome = "unchanged" // the campaign had the new value already; there is no row
	Unknown   Outcome = "unknown"   // the platform may have executed the change
	Refused   Outcome = "refused"   // nothing was changed
	Awaiting  Outcome = "awaiting_approval"
)

// Result is the result of a request.
type Result struct {
	Outcome Outcome
	Preview Preview
	Change  *control.BudgetChange // the audit row; nil for none
	Refusal *Refusal              // why the change was not executed, or why its outcome is unknown
}

// Refusal is the reason why a change was not executed or has an unknown outcome.
type Refusal struct {
	Kind   fault.Kind
	Reason string // a reason of package ads, or the name of a guardrail with the prefix guardrail:
	Text   string
	Hint   string
}

// Err returns the rejection as a fault.
func (r *Refusal) Err() error { return fault.New(r.Kind, "%s", r.Text).WithHint("%s", r.Hint) }

// refusalOf returns an error as a rejection. An internal error has a text without its cause.
func refusalOf(err error) *Refusal {
	r := &Refusal{Kind: fault.KindOf(err), Reason: string(ads.ReasonOf(err))}
	var public bool
	if r.Text, r.Hint, public = fault.Public(err); !public {
		r.Text, r.Hint = "The change failed with an internal error.", "The cause is in the log of the service."
	}
	return r
}
