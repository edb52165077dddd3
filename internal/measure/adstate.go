package measure

import (
	"cmp"
	"strconv"
	"time"

	"assay/internal/money"
)

// AdLevel is a level of the ad account hierarchy.
type AdLevel string

// An ad set is also called ad group or ad squad.
const (
	AdCampaign AdLevel = "campaign"
	AdSet      AdLevel = "ad_set"
	AdItself   AdLevel = "ad"
)

// AdState is the state of a campaign, ad set or ad from an instant on. Empty fields keep their previous value. The tags
// are those of fact tables, see package facts.
type AdState struct {
	Platform Platform  `column:"platform,key"`
	Level    AdLevel   `column:"level,key"`
	ID       string    `column:"id,key"`
	Since    time.Time `column:"since,key"`       // when the platform changed it, or when it was read if that is unknown
	Read     time.Time `column:"read_at,version"` // when it was read; for equal Since the later one counts
	Account  string    `column:"account"`
	Name     string    `column:"name"`
	Campaign string    `column:"campaign_id"` // ID of the campaign of an ad set or ad
	Status   AdStatus  `column:"status"`
	Told     string    `column:"told"` // the platform's own status
	Budget   AdBudget
}

// Tells reports whether the version is usable: it needs the instant from which it applies.
func (s *AdState) Tells() bool {
	return !s.Since.IsZero() && (s.Name != "" || s.Told != "" || s.Budget.Per != "")
}

// After returns the version with its empty fields filled from the previous one.
func (s *AdState) After(before AdState) AdState {
	next := *s
	next.Name = cmp.Or(s.Name, before.Name)
	if s.Told == "" {
		next.Status, next.Told = before.Status, before.Told
	}
	if s.Budget.Per == "" {
		next.Budget = before.Budget
	}
	return next
}

// AdStatus is the own delivery status; a parent can be paused nevertheless.
type AdStatus string

// "" is an unknown status.
const (
	AdActive  AdStatus = "active"
	AdPaused  AdStatus = "paused"
	AdRemoved AdStatus = "removed" // deleted or archived
	AdOther   AdStatus = "other"   // another status of the platform
)

// AdBudget is the budget of a campaign or ad set. The zero value means unknown.
type AdBudget struct {
	Value int64        `column:"budget"`
	Unit  BudgetUnit   `column:"budget_unit"`
	Per   BudgetPeriod `column:"budget_per"`
}

// BudgetUnit is the unit of a budget. Platforms do not include the account's currency.
type BudgetUnit string

// The units.
const (
	BudgetMinor      BudgetUnit = "minor"     // the smallest unit of the account's currency
	BudgetMillionths BudgetUnit = "millionth" // millionths of the account's currency
)

// BudgetPeriod is the period of a budget.
type BudgetPeriod string

// The periods.
const (
	PerDay   BudgetPeriod = "day"
	Lifetime BudgetPeriod = "lifetime" // from the first day to the last
	NoBudget BudgetPeriod = "none"     // the budget is on the parent or on the children
)

// Amount returns the budget in its account's currency, rounded half away from zero.
func (b AdBudget) Amount(c money.Currency) money.Amount {
	if b.Unit == BudgetMinor {
		return money.Amount{Minor: b.Value, Currency: c}
	}
	return money.Amount{Minor: money.FromMillionths(b.Value, c), Currency: c}
}

// Words formats the budget, such as "USD 50.00 per day"; "" for an unknown one.
func (b AdBudget) Words(c money.Currency) string {
	switch b.Per {
	case "":
		return ""
	case NoBudget:
		return "none of its own"
	case PerDay, Lifetime:
	}
	amount := strconv.FormatInt(b.Value, 10) + " of the smallest unit"
	switch {
	case c != "":
		amount = b.Amount(c).String()
	case b.Unit == BudgetMillionths:
		amount = strconv.FormatFloat(float64(b.Value)/Millionths, 'f', -1, 64)
	}
	if b.Per == PerDay {
		return amount + " per day"
	}
	return amount + " in total"
}

// AdStanding is the state of a campaign at an instant.
type AdStanding struct {
	AdState
	Currency money.Currency // of the account; "" when no report has it
}

// AdHistoryOf selects a part of the campaign history.
type AdHistoryOf struct {
	From, Until time.Time // of changes; until is exclusive, and the instant of the states
	Platform    Platform  // "": all
	Campaign    string    // ID of a campaign with its ad sets and ads; "": all
}

// AdHistory is the state of campaigns and the changes of campaigns, ad sets and ads.
type AdHistory struct {
	Standings []AdStanding
	Changes   []AdChange
}

// AdChange is the state of a campaign, ad set or ad from an instant on, and the previous one.
type AdChange struct {
	Before, Now AdState
	Currency    money.Currency // of the account; "" when no report has it
}

// AdMove is one change: of name, status or budget.
type AdMove struct{ What, Before, Now string }

// Moves returns the changes, with old and new value. A budget is in the account's currency, or in the platform's unit
// when that is unknown.
func (c AdChange) Moves() []AdMove {
	var moves []AdMove
	tell := func(what, before, now string) {
		if before != "" && now != "" && before != now {
			moves = append(moves, AdMove{what, before, now})
		}
	}
	tell("name", c.Before.Name, c.Now.Name)
	tell("status", c.Before.Told, c.Now.Told)
	tell("budget", c.Before.Budget.Words(c.Currency), c.Now.Budget.Words(c.Currency))
	return moves
}
