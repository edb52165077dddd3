// Package alert evaluates the alert rules of a store for each day and sends messages about the days that meet a rule.
package alert

import (
	"fmt"
	"math/big"

	"assay/internal/civil"
	"assay/internal/control"
)

// weeks is the number of previous weeks. A value is compared with the mean of the same weekday in these weeks.
const weeks = 4

// verdict is the result of a rule for a day.
type verdict struct {
	Value     control.AlertValue
	Reference *control.AlertValue // reference of change_above
	LastOrder civil.Date          // see [control.AlertEvent]
	Met       bool
	Why       string // reason why the day is not evaluated; "" if it is evaluated
}

// judge applies a rule to a day. The function known returns the value of the rule's metric on a day, or the reason why
// the data of the day are incomplete.
func judge(a control.Alert, day civil.Date, known func(civil.Date) (v control.AlertValue, why string)) verdict {
	v, why := known(day)
	if why != "" {
		return verdict{Why: why}
	}
	switch a.Condition {
	case control.Above:
		return verdict{Value: v, Met: v > a.Threshold}
	case control.Below:
		return verdict{Value: v, Met: v < a.Threshold}
	case control.ChangeAbove:
	}
	var sum control.AlertValue
	for i := range weeks {
		earlier := day.AddDays(-7 * (i + 1))
		each, why := known(earlier)
		if why != "" {
			return verdict{Why: fmt.Sprintf("the data of %s, one of the %d compared days, are incomplete: %s", earlier, weeks, why)}
		}
		sum += each
	}
	if sum == 0 {
		return verdict{Why: fmt.Sprintf("the mean of the same weekday in the previous %d weeks is 0", weeks)}
	}
	return verdict{Value: v, Reference: new(sum / weeks), Met: changeExceeds(v, sum, a.Threshold)}
}

// changeExceeds reports whether v differs from the mean of the previous weeks by more than a percentage. The parameter
// sum is the total of the values in these weeks. The formula is 100 · |v − sum/weeks| / |sum/weeks| > percent. The
// comparison is exact.
func changeExceeds(v, sum, percent control.AlertValue) bool {
	mean := big.NewRat(int64(sum), weeks)
	change := new(big.Rat).Sub(big.NewRat(int64(v), 1), mean)
	change.Mul(change.Quo(change, mean), big.NewRat(100, 1))
	return change.Abs(change).Cmp(big.NewRat(int64(percent), 1_000_000)) > 0
}
