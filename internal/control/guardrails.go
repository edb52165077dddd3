package control

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/money"
)

// Guardrails limit the changes on ad platforms that a workspace allows. A limit with the zero value is off.
type Guardrails struct {
	Workspace    measure.WorkspaceID
	StepPct      float64      // largest change of a daily budget in percent
	Floor        money.Amount // smallest new daily budget
	Ceiling      money.Amount // largest new daily budget
	PerHour      int          // maximum changes of one campaign in 60 minutes
	PerDay       int          // maximum changes of one campaign in 24 hours
	Hours        Hours        // hours of the day, in the workspace's time zone, in which changes are allowed
	Stop         bool         // tools cannot make changes
	PreviewFirst bool         // a change needs a preview by the same caller within [PreviewTime]
	ApproveAbove money.Amount // a new daily budget above this amount needs the approval of another member
	Version      int64        // increases with each change; 0: never changed
}

// NewGuardrails returns the guardrails of a new workspace.
func NewGuardrails(ws measure.WorkspaceID) Guardrails {
	return Guardrails{Workspace: ws, StepPct: 20, PerHour: 3, PerDay: 10}
}

// Hours is a range of hours of the day. The end is exclusive. The range 22-6 includes midnight. The zero value includes
// all hours.
type Hours struct{ From, To int }

// Set reports whether the hours are limited.
func (h Hours) Set() bool { return h != Hours{} }

// Contain reports whether the hours include the given hour of the day, 0 to 23. Without a limit, every hour is
// included.
func (h Hours) Contain(hour int) bool {
	switch {
	case !h.Set():
		return true
	case h.From < h.To:
		return h.From <= hour && hour < h.To
	}
	return hour >= h.From || hour < h.To
}

// String formats the hours as they are set, such as "8-20". It returns "none" if there is no limit.
func (h Hours) String() string {
	if !h.Set() {
		return Unset
	}
	return fmt.Sprintf("%d-%d", h.From, h.To)
}

// Unset is the word that removes a limit.
const Unset = "none"

// ParseHours parses hours such as "8-20", or the word none.
func ParseHours(text string) (Hours, error) {
	text = strings.TrimSpace(text)
	if text == Unset {
		return Hours{}, nil
	}
	from, to, found := strings.Cut(text, "-")
	first, errFrom := strconv.Atoi(from)
	last, errTo := strconv.Atoi(to)
	h := Hours{first, last}
	if !found || errFrom != nil || errTo != nil || h.check() != nil {
		return Hours{}, fault.Invalid("hours: %q is not a range of hours", text).
			WithHint("write the first hour and the hour after the last one, such as 8-20 or 22-6, or %s", Unset)
	}
	return h, nil
}

func (h Hours) check() error {
	if h.Set() && (h.From < 0 || h.From > 23 || h.To < 0 || h.To > 24 || h.From == h.To) {
		return fault.Invalid("hours: %d-%d is not a range of hours", h.From, h.To).
			WithHint("write the first hour and the hour after the last one, such as 8-20 or 22-6")
	}
	return nil
}

// The limits of guardrails.
const (
	maxStepPct     = 1000
	maxChangeCount = 1000
)

// Check returns a fault of kind invalid for guardrails that are out of range or contradict each other.
func (g Guardrails) Check() error {
	switch {
	case math.IsNaN(g.StepPct) || g.StepPct < 0 || g.StepPct > maxStepPct:
		return fault.Invalid("max-step-pct: %v is not a percentage from 0 to %d", g.StepPct, maxStepPct)
	case g.PerHour < 0 || g.PerHour > maxChangeCount:
		return fault.Invalid("per-hour: %d is not a number from 1 to %d", g.PerHour, maxChangeCount)
	case g.PerDay < 0 || g.PerDay > maxChangeCount:
		return fault.Invalid("per-day: %d is not a number from 1 to %d", g.PerDay, maxChangeCount)
	}
	for _, limit := range []struct {
		name   string
		amount money.Amount
	}{{"floor", g.Floor}, {"ceiling", g.Ceiling}, {"approve-above", g.ApproveAbove}} {
		if limit.amount != (money.Amount{}) && (limit.amount.Minor <= 0 || limit.amount.Currency == "") {
			return fault.Invalid("%s: %s is not a positive amount", limit.name, limit.amount)
		}
	}
	if g.Floor.Minor > 0 && g.Ceiling.Minor > 0 && g.Floor.Currency == g.Ceiling.Currency && g.Floor.Minor > g.Ceiling.Minor {
		return fault.Invalid("floor: %s is above the ceiling of %s", g.Floor, g.Ceiling).WithHint("lower the floor, or raise the ceiling")
	}
	return g.Hours.check()
}

// Differences describes a change of guardrails for the audit log. It returns "" if nothing changed.
func (g Guardrails) Differences(before Guardrails) string {
	var parts []string
	now, was := g.Limits(), before.Limits()
	for i := range now {
		if now[i].Value != was[i].Value {
			parts = append(parts, fmt.Sprintf("%s: %s, was %s", now[i].Name, now[i].Value, was[i].Value))
		}
	}
	return strings.Join(parts, "; ")
}

// Limit is one guardrail in the form of the command that sets it.
type Limit struct{ Name, Value string }

// Limits lists the guardrails with the names and values of the command that sets them.
func (g Guardrails) Limits() []Limit {
	amount := func(a money.Amount) string {
		if a == (money.Amount{}) {
			return Unset
		}
		return a.String()
	}
	count := func(n int) string {
		if n == 0 {
			return Unset
		}
		return strconv.Itoa(n)
	}
	step := Unset
	if g.StepPct > 0 {
		step = strconv.FormatFloat(g.StepPct, 'f', -1, 64) + "%"
	}
	return []Limit{
		{"max-step-pct", step},
		{"floor", amount(g.Floor)},
		{"ceiling", amount(g.Ceiling)},
		{"per-hour", count(g.PerHour)},
		{"per-day", count(g.PerDay)},
		{"hours", g.Hours.String()},
		{"stop", strconv.FormatBool(g.Stop)},
		{"preview-first", strconv.FormatBool(g.PreviewFirst)},
		{"approve-above", amount(g.ApproveAbove)},
	}
}
