// Package adstate parses the statuses and budgets of campaigns, ad sets and ads in the notation of ad platforms.
// Warehouse tables and records of Singer taps use the same words and units.
package adstate

import (
	"strings"

	"assay/internal/ingest/source"
	"assay/internal/measure"
	"assay/internal/money"
)

// StatusOf returns the delivery status for a platform's status text.
func StatusOf(word string) measure.AdStatus {
	word = strings.ToLower(strings.TrimSpace(word))
	switch word {
	case "":
		return ""
	case "active", "enabled", "enable", "live", "running":
		return measure.AdActive
	case "paused", "disable", "disabled", "inactive", "suspended":
		return measure.AdPaused
	case "archived", "deleted", "delete", "removed":
		return measure.AdRemoved
	}
	return measure.AdOther
}

// BudgetColumn is a column of budgets.
type BudgetColumn struct {
	Names []string             // folded names, the preferred one first
	Unit  measure.BudgetUnit   // "": whole units of the account's currency, with decimals
	Per   measure.BudgetPeriod // "": another column contains the period
}

// Budgets returns the budget columns of a platform's tables. The first column with a value applies.
func Budgets(p measure.Platform) []BudgetColumn {
	plain := measure.BudgetUnit("")
	if p == measure.Facebook {
		plain = measure.BudgetMinor // https://developers.facebook.com/docs/marketing-api/reference/ad-campaign-group: in the account's smallest unit
	}
	return []BudgetColumn{
		{[]string{"daily budget micro", "daily spend cap"}, measure.BudgetMillionths, measure.PerDay},
		{[]string{"lifetime budget micro", "lifetime spend cap"}, measure.BudgetMillionths, measure.Lifetime},
		{[]string{"budget in micro currency"}, measure.BudgetMillionths, ""},
		{[]string{"campaign budget.amount micros", "campaign budget amount micros"}, measure.BudgetMillionths, measure.PerDay},
		{[]string{"daily budget"}, plain, measure.PerDay},
		{[]string{"lifetime budget"}, plain, measure.Lifetime},
		{[]string{"budget"}, "", ""},
	}
}

// Statuses and Periods list the names of the columns with the status and with the budget period.
var (
	Statuses = []string{"status", "operation status", "state", "campaign.status", "ad group.status", "ad group ad.status", "effective status"}
	Periods  = []string{"budget type", "budget mode"}
)

// PeriodOf returns the budget period for a platform's word. It returns false for a word that means no budget.
func PeriodOf(word string) (measure.BudgetPeriod, bool) {
	switch word = strings.ToLower(strings.TrimSpace(word)); {
	case strings.Contains(word, "infinite"):
		return "", false
	case strings.Contains(word, "total") || strings.Contains(word, "lifetime"):
		return measure.Lifetime, true
	}
	return measure.PerDay, true
}

// Read reads a budget. An empty cell, zero or a negative number is [measure.NoBudget]. The error describes the cell.
func (c BudgetColumn) Read(cell, period string) (measure.AdBudget, error) {
	none := measure.AdBudget{Per: measure.NoBudget}
	b := measure.AdBudget{Unit: c.Unit, Per: c.Per}
	if b.Per == "" {
		per, limited := PeriodOf(period)
		if !limited {
			return none, nil
		}
		b.Per = per
	}
	if strings.TrimSpace(cell) == "" {
		return none, nil
	}
	var err error
	if b.Unit == "" {
		b.Unit = measure.BudgetMillionths
		b.Value, err = source.Millionths(cell, money.Point)
	} else {
		b.Value, err = source.Count(cell, money.Point)
	}
	if err != nil || b.Value <= 0 {
		return none, err
	}
	return b, nil
}
