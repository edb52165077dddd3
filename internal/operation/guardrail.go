package operation

import (
	"strconv"
	"strings"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/money"
)

// EnterGuardrail sets the guardrail with a name of [control.Guardrails.Limits] from a text. The text is a number, an
// amount in the workspace's currency, hours, a boolean, or the word none for no limit.
func EnterGuardrail(g *control.Guardrails, name, text string, c money.Currency) (err error) {
	text = strings.TrimSpace(text)
	switch name {
	case "max-step-pct":
		g.StepPct, err = percentOf(name, text)
	case "floor":
		g.Floor, err = amountOf(name, text, c)
	case "ceiling":
		g.Ceiling, err = amountOf(name, text, c)
	case "approve-above":
		g.ApproveAbove, err = amountOf(name, text, c)
	case "per-hour":
		g.PerHour, err = countOf(name, text)
	case "per-day":
		g.PerDay, err = countOf(name, text)
	case "hours":
		g.Hours, err = control.ParseHours(text)
	case "preview-first":
		if g.PreviewFirst, err = strconv.ParseBool(text); err != nil {
			err = fault.Invalid("preview-first: %q is not true or false", text)
		}
	default:
		err = fault.Invalid("%q is not a guardrail", name)
	}
	return err
}

func percentOf(name, text string) (float64, error) {
	if text == control.Unset {
		return 0, nil
	}
	pct, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil || !(pct > 0) {
		return 0, fault.Invalid("%s %q is not a positive number", name, text).WithHint("use a number such as 20, or %s", control.Unset)
	}
	return pct, nil
}

func amountOf(name, text string, c money.Currency) (money.Amount, error) {
	if text == control.Unset {
		return money.Amount{}, nil
	}
	a, err := money.Parse(text, c, money.Point)
	if err != nil || a.Minor <= 0 {
		return a, fault.Invalid("%s %q is not a positive amount in %s", name, text, c).WithHint("use an amount such as 50, or %s", control.Unset)
	}
	return a, nil
}

func countOf(name, text string) (int, error) {
	if text == control.Unset {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fault.Invalid("%s %q is not a positive whole number", name, text).
			WithHint("use a number such as 3, or %s; the stop blocks all changes", control.Unset)
	}
	return n, nil
}
