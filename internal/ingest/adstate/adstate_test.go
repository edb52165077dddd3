package adstate_test

import (
	"testing"

	"assay/internal/ingest/adstate"
	"assay/internal/measure"
)

func TestStatusesOfThePlatforms(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]measure.AdStatus{
		"": "", "  ": "",
		"ACTIVE": measure.AdActive, "ENABLED": measure.AdActive, "enable": measure.AdActive, " Live ": measure.AdActive, "running": measure.AdActive,
		"PAUSED": measure.AdPaused, "DISABLE": measure.AdPaused, "disabled": measure.AdPaused, "inactive": measure.AdPaused, "suspended": measure.AdPaused,
		"ARCHIVED": measure.AdRemoved, "DELETED": measure.AdRemoved, "delete": measure.AdRemoved, "REMOVED": measure.AdRemoved,
		"WITH_ISSUES": measure.AdOther, "?": measure.AdOther,
	} {
		if got := adstate.StatusOf(word); got != want {
			t.Errorf("StatusOf(%q) is %q, want %q", word, got, want)
		}
	}
}

func TestPeriodsOfBudgets(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]struct {
		per     measure.BudgetPeriod
		limited bool
	}{
		"BUDGET_MODE_INFINITE": {"", false},
		"BUDGET_MODE_TOTAL":    {measure.Lifetime, true},
		" Lifetime Budget ":    {measure.Lifetime, true},
		"BUDGET_MODE_DAY":      {measure.PerDay, true},
		"DAILY":                {measure.PerDay, true},
		"":                     {measure.PerDay, true},
	} {
		if per, limited := adstate.PeriodOf(word); per != want.per || limited != want.limited {
			t.Errorf("PeriodOf(%q) is %q, %t; want %q, %t", word, per, limited, want.per, want.limited)
		}
	}
}

// columnOf returns the platform's budget column with the given name.
func columnOf(t *testing.T, p measure.Platform, name string) adstate.BudgetColumn {
	t.Helper()
	for _, c := range adstate.Budgets(p) {
		if c.Names[0] == name {
			return c
		}
	}
	t.Fatalf("%s has no column %q", p, name)
	return adstate.BudgetColumn{}
}

// Meta writes a budget in the smallest unit of the account's currency. Other platforms use whole units or millionths.
func TestBudgetsHaveTheUnitOfThePlatform(t *testing.T) {
	t.Parallel()
	none := measure.AdBudget{Per: measure.NoBudget}
	for _, c := range []struct {
		platform             measure.Platform
		column, cell, period string
		want                 measure.AdBudget
	}{
		{measure.Facebook, "daily budget", "5000", "", measure.AdBudget{Value: 5000, Unit: measure.BudgetMinor, Per: measure.PerDay}},
		{measure.Facebook, "lifetime budget", "1", "", measure.AdBudget{Value: 1, Unit: measure.BudgetMinor, Per: measure.Lifetime}},
		{measure.TikTok, "daily budget", "50.5", "", measure.AdBudget{Value: 50_500_000, Unit: measure.BudgetMillionths, Per: measure.PerDay}},
		{measure.TikTok, "lifetime budget", "2", "", measure.AdBudget{Value: 2_000_000, Unit: measure.BudgetMillionths, Per: measure.Lifetime}},
		{measure.Snapchat, "daily budget micro", "7000000", "", measure.AdBudget{Value: 7_000_000, Unit: measure.BudgetMillionths, Per: measure.PerDay}},
		{measure.Snapchat, "lifetime budget micro", "9", "", measure.AdBudget{Value: 9, Unit: measure.BudgetMillionths, Per: measure.Lifetime}},
		{measure.Google, "campaign budget.amount micros", "3", "", measure.AdBudget{Value: 3, Unit: measure.BudgetMillionths, Per: measure.PerDay}},
		{measure.Pinterest, "budget in micro currency", "4", "LIFETIME", measure.AdBudget{Value: 4, Unit: measure.BudgetMillionths, Per: measure.Lifetime}},
		{measure.TikTok, "budget", "900", "BUDGET_MODE_TOTAL", measure.AdBudget{Value: 900_000_000, Unit: measure.BudgetMillionths, Per: measure.Lifetime}},
		{measure.TikTok, "budget", "900", "BUDGET_MODE_DAY", measure.AdBudget{Value: 900_000_000, Unit: measure.BudgetMillionths, Per: measure.PerDay}},
		{measure.TikTok, "budget", "900", "BUDGET_MODE_INFINITE", none},
		{measure.TikTok, "budget", " ", "BUDGET_MODE_DAY", none},
		{measure.TikTok, "budget", "0", "BUDGET_MODE_DAY", none},
		{measure.TikTok, "budget", "-1", "BUDGET_MODE_DAY", none},
		{measure.Facebook, "daily budget", "0", "", none},
		{measure.Facebook, "daily budget", "", "", none},
	} {
		got, err := columnOf(t, c.platform, c.column).Read(c.cell, c.period)
		if err != nil || got != c.want {
			t.Errorf("%s %q: %q, %q is %+v (%v), want %+v", c.platform, c.column, c.cell, c.period, got, err, c.want)
		}
	}
	for _, c := range []struct {
		platform     measure.Platform
		column, cell string
	}{
		{measure.Facebook, "daily budget", "a lot"},
		{measure.Facebook, "daily budget", "50.5"}, // a part of the smallest unit
		{measure.TikTok, "budget", "a lot"},
	} {
		if got, err := columnOf(t, c.platform, c.column).Read(c.cell, ""); err == nil || got != none {
			t.Errorf("%s %q: %q is %+v (%v), want an error and no budget", c.platform, c.column, c.cell, got, err)
		}
	}
}

// Columns with a unit come first, because the first column with a value applies. Some tables contain the same budget in
// a column with a unit and in one without.
func TestBudgetColumnsHaveAnOrder(t *testing.T) {
	t.Parallel()
	var got []string
	for _, c := range adstate.Budgets(measure.Snapchat) {
		got = append(got, c.Names[0])
	}
	last := len(got) - 1
	if last != 6 || got[0] != "daily budget micro" || got[last] != "budget" {
		t.Errorf("columns are %q, want daily budget micro first and budget last", got)
	}
}
