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

// AdState is the state of a campaign, ad set or ad, starting at an instant. Empty fields keep their previous value.
// Package facts explains the struct tags.
type AdState struct {
	Platform Platform  `column:"platform,key"`
	Level    AdLevel   `column:"level,key"`
	ID       string    `column:"id,key"`
	Since    time.Time `column:"since,key"`       // time of the platform's change; if unknown, time of reading
	Read     time.Time `column:"read_at,version"` // time of reading; with equal Since, the latest reading applies
	Account  string    `column:"account"`
	Name     string    `column:"name"`
	Campaign string    `column:"campaign_id"` // campaign ID of an ad set or ad
	Status   AdStatus  `column:"status"`
	Told     string    `column:"told"` // status on the platform
	Budget   AdBudget
}

// Tells reports whether the version is usable. A usable version has Since and a name, a status or a budget.
func (s *AdState) Tells() bool {
	return !s.Since.IsZero() && (s.Name != "" || s.Told != "" || s.Budget.Per != "")
}

// After returns the version with its empty fields filled from the previous version.
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

// AdStatus is the delivery status of the object itself. Its parent may still be paused.
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

// BudgetUnit is the unit of a budget. Platforms report budgets without a currency.
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
	Lifetime BudgetPeriod = "lifetime" // for the whole run of the campaign or ad set
	NoBudget BudgetPeriod = "none"     // the budget is on the parent or on the children
)

// Amount returns the budget in its account's currency, rounded half away from zero.
func (b AdBudget) Amount(c money.Currency) money.Amount {
	if b.Unit == BudgetMinor {
		return money.Amount{Minor: b.Value, Currency: c}
	}
	return money.Amount{Minor: money.FromMillionths(b.Value, c), Currency: c}
}

// Words formats the budget, such as "USD 50.00 per day". For an unknown budget, it returns "".
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
	Currency money.Currency // currency of the account; "" if no report has it
}

// AdHistoryOf selects part of the campaign history.
type AdHistoryOf struct {
	From, Until time.Time // changes at or after From and before Until; states at Until
	Platform    Platform  // "": all platforms
	Campaign    string    // ID of a campaign, which also selects its ad sets and ads; "": all campaigns
}

// AdHistory contains the states of campaigns and the changes of campaigns, ad sets and ads.
type AdHistory struct {
	Standings []AdStanding
	Changes   []AdChange
}

// AdChange is the state of a campaign, ad set or ad, starting at an instant, and the previous state.
type AdChange struct {
	Before, Now AdState
	Currency    money.Currency // currency of the account; "" if no report has it
}

// AdMove is a change of the name, status or budget of a campaign, ad set or ad.
type AdMove struct{ What, Before, Now string }

// Moves returns the changes of name, status and budget, with old and new values. Budgets are in the account's currency,
// or in the platform's unit if the currency is unknown.
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
