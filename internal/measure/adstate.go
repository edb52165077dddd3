package measure

import (
	"cmp"
	"strconv"
	"time"

	"assay/internal/money"
)

// AdLevel is a level of advertising: what a name, a status or a budget belongs to.
type AdLevel string

// The levels. Platforms call an ad set an ad group or an ad squad too.
const (
	AdCampaign AdLevel = "campaign"
	AdSet      AdLevel = "ad_set"
	AdItself   AdLevel = "ad"
)

// AdState is a version of a campaign, an ad set or an ad: how its platform said it stood from an instant on. What a version
// leaves open stands as the one before it said.
type AdState struct {
	Platform Platform
	Level    AdLevel
	ID       string
	Since    time.Time // when the platform changed it, or where that is not told, when it was read
	Read     time.Time // when it was read; of two versions with one Since the one that was read later counts
	Account  string
	Name     string
	Campaign string // id of the campaign that an ad set or ad belongs to
	Status   AdStatus
	Told     string // the status in the platform's own word
	Budget   AdBudget
}

// Tells reports whether the version can be kept: it needs the instant from which on it counts.
func (s *AdState) Tells() bool {
	return !s.Since.IsZero() && (s.Name != "" || s.Told != "" || s.Budget.Per != "")
}

// After returns the version with what it leaves open as the one before it says.
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

// AdStatus is whether an ad may run, for itself: what it belongs to may be paused all the same.
type AdStatus string

// The statuses. "" is one that is not told.
const (
	AdActive  AdStatus = "active"
	AdPaused  AdStatus = "paused"
	AdRemoved AdStatus = "removed" // deleted or archived
	AdOther   AdStatus = "other"   // a word of the platform's that is none of these
)

// AdBudget is what a campaign or an ad set may spend. The zero value is one that is not told.
type AdBudget struct {
	Value int64
	Unit  BudgetUnit
	Per   BudgetPeriod
}

// BudgetUnit is what a budget is counted in. Platforms do not tell the account's currency with it.
type BudgetUnit string

// The units.
const (
	BudgetMinor      BudgetUnit = "minor"     // the smallest unit of the account's currency
	BudgetMillionths BudgetUnit = "millionth" // millionths of the account's currency
)

// BudgetPeriod is what a budget is for.
type BudgetPeriod string

// The periods.
const (
	PerDay   BudgetPeriod = "day"
	Lifetime BudgetPeriod = "lifetime" // from the first day to the last
	NoBudget BudgetPeriod = "none"     // it has none of its own: what it belongs to or what belongs to it has
)

// Amount returns the budget in its account's currency, rounded half away from zero.
func (b AdBudget) Amount(c money.Currency) money.Amount {
	if b.Unit == BudgetMinor {
		return money.Amount{Minor: b.Value, Currency: c}
	}
	return money.Amount{Minor: money.FromMillionths(b.Value, c), Currency: c}
}

// Words writes the budget, such as "50.00 USD a day". It is "" for one that is not told.
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
		return amount + " a day"
	}
	return amount + " in all"
}

// AdStanding is how a campaign stood at an instant.
type AdStanding struct {
	AdState
	Currency money.Currency // of the account; "" where no report tells it
}

// AdHistoryOf selects a part of the history of campaigns.
type AdHistoryOf struct {
	From, Until time.Time // of changes; until is not part of it, and the instant of the standings
	Platform    Platform  // "": all
	Campaign    string    // id of a campaign: it, its ad sets and its ads; "": all
}

// AdHistory is how campaigns stand, and what changed of them, their ad sets and their ads.
type AdHistory struct {
	Standings []AdStanding
	Changes   []AdChange
}

// AdChange is what a platform says of a campaign, an ad set or an ad from an instant on, and what it said before.
type AdChange struct {
	Before, Now AdState
	Currency    money.Currency // of the account; "" where no report tells it
}

// AdMove is one thing that changed: the name, the status or the budget.
type AdMove struct{ What, Before, Now string }

// Moves returns what changed, each as it was and as it is. A budget is written in the account's currency, and where that is
// not known, in the platform's own count.
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
