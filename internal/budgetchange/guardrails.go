package budgetchange

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"time"

	"assay/internal/control"
	"assay/internal/money"
	"assay/internal/number"
)

// Verdict is a guardrail's decision about a change.
type Verdict struct {
	Guardrail string // name in the command that sets the guardrail
	State     State
	Text      string
}

// State is the result of a guardrail.
type State string

// The states.
const (
	Passes   State = "passes"
	Blocks   State = "blocks"
	Approval State = "needs_approval"
	Off      State = "off" // not set, or it does not apply to the change
)

// Situation is a change with all inputs of the guardrails.
type Situation struct {
	Now           time.Time // in the workspace's time zone
	Field         control.ChangeField
	Previous, New money.Amount // daily budget in the currency of the account
	// Limits is the value of New in the currency of the guardrails' amounts. If New cannot be converted, NoRate is the
	// reason.
	Limits money.Amount
	NoRate string
	Recent []time.Time // executed changes of the campaign in the last 24 hours, rollbacks excluded; in any order
	Seen   time.Time   // when the caller last saw a preview of the change; zero: never

	Rollback bool // undoes a change: exempt from step, hours, number of changes and preview
	Person   bool // requested by a person, not by a tool
	Approved bool // another member has approved it
}

// Verdicts returns the verdict of every guardrail, in the order of [control.Guardrails.Limits].
func Verdicts(g control.Guardrails, s Situation) []Verdict {
	all := []Verdict{
		named("max-step-pct", step(g, s)), named("floor", floor(g, s)), named("ceiling", ceiling(g, s)),
		named("per-hour", count(g.PerHour, time.Hour, "60 minutes", s)), named("per-day", count(g.PerDay, 24*time.Hour, "24 hours", s)),
		named("hours", hours(g, s)), named("stop", stop(g, s)), named("preview-first", previewFirst(g, s)),
		named("approve-above", approveAbove(g, s)),
	}
	return all
}

// named names a verdict.
func named(name string, v Verdict) Verdict {
	v.Guardrail = name
	return v
}

func off(text string) Verdict { return Verdict{State: Off, Text: text} }

func passes(format string, args ...any) Verdict {
	return Verdict{State: Passes, Text: fmt.Sprintf(format, args...)}
}

func blocks(format string, args ...any) Verdict {
	return Verdict{State: Blocks, Text: fmt.Sprintf(format, args...)}
}

const (
	notSet     = "This guardrail is not set."
	noBudget   = "This guardrail applies to daily budgets only."
	isRollback = "Rollbacks are exempt."
)

func step(g control.Guardrails, s Situation) Verdict {
	switch {
	case g.StepPct == 0:
		return off(notSet)
	case s.Field != control.DailyBudget:
		return off(noBudget)
	case s.Rollback:
		return off(isRollback)
	}
	limit := strconv.FormatFloat(g.StepPct, 'f', -1, 64)
	if s.Previous.Minor <= 0 {
		return blocks("The current daily budget is zero, so every increase exceeds the limit of %s%%.", limit)
	}
	moved := big.NewRat(abs(s.New.Minor-s.Previous.Minor), s.Previous.Minor)
	moved.Mul(moved, big.NewRat(100, 1))
	share, _ := moved.Float64()
	if most, ok := new(big.Rat).SetString(limit); ok && moved.Cmp(most) <= 0 {
		return passes("The daily budget change of %s is within the limit of %s%%.", number.Percent(share, 1), limit)
	}
	decimals := 1
	if math.Round(10*share)/10 <= g.StepPct {
		decimals = 3 // with one decimal, the step would not appear to exceed the limit
	}
	return blocks("The daily budget change of %s exceeds the limit of %s%%. Propose a smaller change.", number.Percent(share, decimals), limit)
}

func abs(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}

// amounts handles the cases in which a guardrail on an amount cannot be compared with the new daily budget. In these
// cases it returns the verdict and ok = false. Otherwise the caller compares the amounts.
func amounts(limit money.Amount, s Situation) (v Verdict, ok bool) {
	switch {
	case limit.Minor == 0:
		return off(notSet), false
	case s.Field != control.DailyBudget:
		return off(noBudget), false
	case s.NoRate != "":
		return blocks("The daily budget cannot be compared with %s: %s", limit, s.NoRate), false
	}
	return Verdict{}, true
}

func floor(g control.Guardrails, s Situation) Verdict {
	v, ok := amounts(g.Floor, s)
	switch {
	case !ok:
		return v
	case s.Limits.Minor < g.Floor.Minor:
		return blocks("The daily budget of %s is below the floor of %s.", written(s), g.Floor)
	}
	return passes("The daily budget of %s is at least the floor of %s.", written(s), g.Floor)
}

func ceiling(g control.Guardrails, s Situation) Verdict {
	v, ok := amounts(g.Ceiling, s)
	switch {
	case !ok:
		return v
	case s.Limits.Minor > g.Ceiling.Minor:
		return blocks("The daily budget of %s is above the ceiling of %s.", written(s), g.Ceiling)
	}
	return passes("The daily budget of %s is at most the ceiling of %s.", written(s), g.Ceiling)
}

// written formats the new daily budget. If the limits have another currency, it adds the converted amount.
func written(s Situation) string {
	if s.Limits.Currency == s.New.Currency {
		return s.New.String()
	}
	return s.New.String() + " (" + s.Limits.String() + ")"
}

// count returns the verdict of a limit on the number of changes in a sliding window.
func count(most int, window time.Duration, words string, s Situation) Verdict {
	switch {
	case most == 0:
		return off(notSet)
	case s.Rollback:
		return off(isRollback)
	}
	n := 0
	var oldest time.Time
	for _, at := range s.Recent {
		if !at.After(s.Now.Add(-window)) {
			continue
		}
		if n++; oldest.IsZero() || at.Before(oldest) {
			oldest = at
		}
	}
	if n < most {
		return passes("The number of changes to this campaign in the last %s is %d (limit: %d).", words, n, most)
	}
	return blocks("This campaign had %d changes in the last %s, and the limit is %d. The next change is possible at %s.", n, words, most,
		oldest.Add(window).In(s.Now.Location()).Format("2006-01-02 15:04 MST"))
}

func hours(g control.Guardrails, s Situation) Verdict {
	switch {
	case !g.Hours.Set():
		return off(notSet)
	case s.Rollback:
		return off(isRollback)
	case !g.Hours.Contain(s.Now.Hour()):
		return blocks("It is %s in the store's time zone. Changes are allowed only during the hours %s.", s.Now.Format("15:04"), g.Hours)
	}
	return passes("It is %s in the store's time zone, which is within the allowed hours %s.", s.Now.Format("15:04"), g.Hours)
}

func stop(g control.Guardrails, s Situation) Verdict {
	switch {
	case !g.Stop:
		return off("Changes by tools are allowed.")
	case s.Rollback && s.Person:
		return off("A rollback by a person is possible.")
	}
	return blocks("Changes by tools are stopped in this workspace. An owner or admin can allow them again: assay guardrails set --go.")
}

func previewFirst(g control.Guardrails, s Situation) Verdict {
	switch {
	case !g.PreviewFirst:
		return off(notSet)
	case s.Rollback:
		return off(isRollback)
	case s.Approved:
		return off("The change was previewed before it was sent for approval.")
	case s.Seen.IsZero() || s.Now.Sub(s.Seen) > control.PreviewTime:
		return blocks("A preview of the same change by the same caller within 30 minutes is required. Request the preview first.")
	}
	return passes("The caller requested a preview at %s.", s.Seen.In(s.Now.Location()).Format("15:04"))
}

func approveAbove(g control.Guardrails, s Situation) Verdict {
	v, ok := amounts(g.ApproveAbove, s)
	switch {
	case !ok:
		return v
	case s.Limits.Minor <= g.ApproveAbove.Minor:
		return passes("The daily budget of %s needs no approval, because it is at most %s.", written(s), g.ApproveAbove)
	case s.Approved:
		return passes("Another member has approved the daily budget of %s.", written(s))
	}
	return Verdict{State: Approval, Text: fmt.Sprintf(
		"The daily budget of %s is above %s, so another member must approve it.", written(s), g.ApproveAbove)}
}
