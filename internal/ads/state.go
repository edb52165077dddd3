package ads

import (
	"fmt"
	"strings"
	"time"

	"assay/internal/measure"
	"assay/internal/money"
)

// Status is the delivery status that is set on the campaign itself. In contrast, [measure.AdStatus] of imported facts
// has no separate archived status.
type Status string

// The statuses.
const (
	Active        Status = "active"
	Paused        Status = "paused"
	Archived      Status = "archived"
	Removed       Status = "removed"
	UnknownStatus Status = "unknown"
)

// Kind is a kind of campaign that the ordinary endpoints cannot change.
type Kind string

// The kinds.
const (
	Ordinary   Kind = ""
	SmartPlus  Kind = "smart_plus" // TikTok Smart+
	GMVMax     Kind = "gmv_max"    // TikTok GMV Max
	Experiment Kind = "experiment" // a campaign of a Google Ads experiment
)

// Level is the object on which the budget of a campaign is set.
type Level string

// The levels.
const (
	CampaignLevel Level = "campaign"
	ChildLevel    Level = "ad_set" // ad set or ad group
)

// Period is the period of a budget.
type Period string

// The periods.
const (
	Daily    Period = "daily"
	Lifetime Period = "lifetime"
	Custom   Period = "custom" // between two dates
)

// State is the live state of a campaign.
type State struct {
	Account        Account
	Campaign       CampaignID
	Name           string
	Status         Status
	PlatformStatus string // status in the platform's words, such as ARCHIVED
	Kind           Kind
	Budget         Budget
	Currency       money.Currency
	TimeZone       string // time zone of the account's days; IANA name
	ReadAt         time.Time
}

// Budget is the budget of a campaign.
type Budget struct {
	Level  Level
	Period Period
	// Amount is the daily budget. It is the zero value unless Level is the campaign, Period is daily and Inexact is false.
	Amount money.Amount
	// Inexact means that the live value is finer than the currency's minor unit, so that a rollback could not restore it.
	Inexact bool
	Minimum money.Amount // smallest accepted amount; the zero value when the platform does not publish it
	Step    money.Amount // billable unit: amounts are multiples of it
	// Resource is the name of the budget if it is a separate object (Google Ads).
	Resource string
	Shared   bool
	Uses     int        // campaigns that use the budget, if it is a separate object
	Feeds    []Campaign // the campaigns that use a shared budget, at most 100
	Children []Child    // ad sets that have the budget, at most 50
}

// Child is an ad set with its own budget.
type Child struct {
	ID, Name string
	Period   Period
	Amount   money.Amount
}

// Action is the kind of a change.
type Action string

// The actions.
const (
	SetDailyBudget Action = "set_daily_budget"
	Pause          Action = "pause"
	Resume         Action = "resume"
)

// Change is one change of one campaign.
type Change struct {
	Action Action
	Amount money.Amount // new amount for SetDailyBudget
	// BudgetResource is the budget that the campaign must use. A shared budget is changed only when the caller names it.
	BudgetResource string
	// Unshared means that BudgetResource was not named by the caller, so the change is rejected if the budget is shared.
	Unshared bool
}

// Value is the old, new or live value of what a change sets: an amount or a status. The other field is the zero value.
// Values are compared with ==.
type Value struct {
	Amount money.Amount
	Status Status
}

// Want returns the value after the change.
func (c Change) Want() Value {
	switch c.Action {
	case SetDailyBudget:
		return Value{Amount: c.Amount}
	case Pause:
		return Value{Status: Paused}
	case Resume:
		return Value{Status: Active}
	}
	panic(fmt.Sprintf("unknown action %q", c.Action))
}

// Value returns the live value that the action changes. For a budget without a daily amount, it returns the zero value.
func (s *State) Value(a Action) Value {
	if a == SetDailyBudget {
		return Value{Amount: s.Budget.Amount}
	}
	return Value{Status: s.Status}
}

// Check returns an error if the change is impossible in this state. It checks the rules that all platforms share. A
// platform may have further rules.
func (s *State) Check(c Change) error {
	if r := s.check(c); r != nil {
		return r
	}
	return nil
}

func (s *State) check(c Change) *Rejection {
	switch s.Status {
	case Archived, Removed:
		return s.reject(CampaignEnded, "The campaign %s has the status %s.", s.Campaign, s.PlatformStatus)
	case UnknownStatus:
		return s.reject(StatusUnsupported, "The campaign %s has the status %s.", s.Campaign, orNone(s.PlatformStatus))
	case Active, Paused:
	}
	switch s.Kind {
	case SmartPlus:
		return s.reject(SmartPlusCampaign, "")
	case GMVMax:
		return s.reject(GMVMaxCampaign, "")
	case Experiment:
		return s.reject(ExperimentCampaign, "")
	case Ordinary:
	}
	switch c.Action {
	case SetDailyBudget:
		return s.checkBudget(c)
	case Pause, Resume:
		return nil
	}
	return s.reject(InvalidRequest, "The action %q is unknown.", c.Action)
}

func (s *State) checkBudget(c Change) *Rejection {
	b := &s.Budget
	switch {
	case b.Level != CampaignLevel:
		return s.reject(WrongBudgetLevel, "The campaign %s has no budget of its own; its ad sets have budgets.%s", s.Campaign,
			b.children())
	case b.Period == Lifetime:
		return s.reject(LifetimeBudget, "")
	case b.Period == Custom:
		return s.reject(CustomPeriodBudget, "")
	case b.Period != Daily:
		return s.reject(LifetimeBudget, "The budget of campaign %s is not a daily budget.", s.Campaign)
	case b.Shared && (c.BudgetResource == "" || c.Unshared):
		return s.reject(SharedBudget, "The budget %s is shared by %s.", b.Resource, campaigns(b))
	case c.BudgetResource != "" && c.BudgetResource != b.Resource:
		return s.reject(OtherBudget, "The campaign %s uses the budget %s.", s.Campaign, orNone(b.Resource))
	case b.Inexact:
		return s.reject(NotBillable, "The live budget has a fraction of a minor unit of %s, so a rollback could not restore the budget.",
			s.Currency)
	case c.Amount.Currency != s.Currency:
		return s.reject(WrongCurrency, "The account uses %s, not %s.", s.Currency, orNone(string(c.Amount.Currency)))
	case c.Amount.Minor <= 0:
		return s.reject(BelowMinimum, "The daily budget %s is not positive.", c.Amount)
	case b.Minimum.Minor > 0 && c.Amount.Minor < b.Minimum.Minor:
		return s.reject(BelowMinimum, "The daily budget %s is below the minimum of %s.", c.Amount, b.Minimum)
	case b.Step.Minor > 0 && c.Amount.Minor%b.Step.Minor != 0:
		return s.reject(NotBillable, "The daily budget %s is not a multiple of %s.", c.Amount, b.Step)
	}
	return nil
}

func (s *State) reject(r Reason, format string, args ...any) *Rejection {
	return Reject(s.Account.Platform, r, format, args...)
}

// shown is the maximum number of names in a sentence.
const shown = 5

// campaigns returns the campaigns that share the budget, as a part of a sentence.
func campaigns(b *Budget) string {
	if len(b.Feeds) == 0 {
		return "several campaigns"
	}
	var names []string
	for _, c := range b.Feeds[:min(shown, len(b.Feeds))] {
		names = append(names, fmt.Sprintf("%s (%s)", c.Name, c.ID))
	}
	if more := max(b.Uses, len(b.Feeds)) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// children returns a sentence that lists the ad sets.
func (b *Budget) children() string {
	if len(b.Children) == 0 {
		return ""
	}
	var names []string
	for _, c := range b.Children[:min(shown, len(b.Children))] {
		names = append(names, fmt.Sprintf("%s (%s): %s %s", c.Name, c.ID, c.Amount, c.Period))
	}
	if more := len(b.Children) - shown; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return " Ad sets: " + strings.Join(names, ", ") + "."
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// DisplayName returns the name of a platform in sentences.
func DisplayName(p measure.Platform) string {
	switch p {
	case measure.Facebook:
		return "Meta"
	case measure.Google:
		return "Google Ads"
	case measure.TikTok:
		return "TikTok"
	default:
		return string(p)
	}
}
