package when_test

import "testing"

func TestDaysOfOneMonth(t *testing.T) {
	t.Parallel()
	checkPeriods(t, friday, map[string]string{
		"1 to 15 of this month":                   "2026-11-01 to 2026-11-15",
		"the 1st to the 15th of this month":       "2026-11-01 to 2026-11-15",
		"from 1 to 15 of last month":              "2026-10-01 to 2026-10-15",
		"between the 1st and the 15th last month": "2026-10-01 to 2026-10-15",
		"1 to 31 of last month":                   "2026-10-01 to 2026-10-31",
		"1 - 25 of this month":                    "2026-11-01 to 2026-11-20",
		"from 1 to 15 november":                   "2026-11-01 to 2026-11-15",
		"1 to 15 of october last year":            "2025-10-01 to 2025-10-15",
		"november 1 to 15":                        "2026-11-01 to 2026-11-15",
		"november 1 to 25":                        "2026-11-01 to 2026-11-20",
		"november 20 to 25":                       "2026-11-20 to 2026-11-20",
		"november 1 to 15 2024":                   "2024-11-01 to 2024-11-15",
		"november 1 - 15 , 2025":                  "2025-11-01 to 2025-11-15",
		"october 1st through 10th":                "2026-10-01 to 2026-10-10",
		"between october 5 and the 10th":          "2026-10-05 to 2026-10-10",
		"the 1st of last month to the 15th":       "2026-10-01 to 2026-10-15",
		"10/5 to the 10th":                        "2026-10-05 to 2026-10-10",
		"2026-10-05 to the 10th":                  "2026-10-05 to 2026-10-10",
		"oct 28 to the 3rd":                       "2026-10-28 to 2026-11-03",
		"oct 28 to 3rd november":                  "2026-10-28 to 2026-11-03",
	})
	checkPeriods(t, "2026-11-10", map[string]string{
		"1 to 15 of this month":               "2026-11-01 to 2026-11-10",
		"1 to 15 november":                    "2026-11-01 to 2026-11-10",
		"11 to 15 november":                   "2025-11-11 to 2025-11-15",
		"1 to 15 november 2025":               "2025-11-01 to 2025-11-15",
		"1 to 15 november last year":          "2025-11-01 to 2025-11-15",
		"november 1 to 15":                    "2026-11-01 to 2026-11-10",
		"between november 1 and the 15th":     "2026-11-01 to 2026-11-10",
		"the 1st to the 15th":                 "2026-10-01 to 2026-10-15",
		"1 to 29 february":                    "2024-02-01 to 2024-02-29",
		"between the 3rd and 10th of october": "2026-10-03 to 2026-10-10",
	})
	checkAll(t, friday, map[string][]string{
		"november 1 2026 to 15 2025": {"2026-11-01 to 2026-11-01"},
		"1 to 31 of this month":      {"2026-11-01 to 2026-11-20"}, // November has 30 days
	})
}

// The last month of a range has begun. The first month is the latest one before it.
func TestMonthsAcrossTheNewYear(t *testing.T) {
	t.Parallel()
	checkPeriods(t, friday, map[string]string{
		"october to march":             "2025-10-01 to 2026-03-31",
		"from october to march":        "2025-10-01 to 2026-03-31",
		"oct - mar":                    "2025-10-01 to 2026-03-31",
		"october through march":        "2025-10-01 to 2026-03-31",
		"between november and january": "2025-11-01 to 2026-01-31",
		"october to december":          "2025-10-01 to 2025-12-31",
		"october to november":          "2026-10-01 to 2026-11-20",
		"october to march 2025":        "2024-10-01 to 2025-03-31",
		"june to august 2025":          "2025-06-01 to 2025-08-31",
		"december to november":         "2025-12-01 to 2026-11-20",
		"last october to march":        "2025-10-01 to 2026-03-31",
	})
	checkPeriods(t, "2027-01-10", map[string]string{
		"november to january":  "2026-11-01 to 2027-01-10",
		"october to march":     "2025-10-01 to 2026-03-31",
		"december to february": "2025-12-01 to 2026-02-28",
	})
	checkAll(t, friday, map[string][]string{
		"this october to march":           {"2026-10-01 to 2026-10-31", "2026-03-01 to 2026-03-31"},
		"october this year to march":      {"2026-10-01 to 2026-10-31", "2026-03-01 to 2026-03-31"},
		"october 2026 to march":           {"2026-10-01 to 2026-10-31", "2026-03-01 to 2026-03-31"},
		"october to last september":       {"2025-10-01 to 2026-09-30"},
		"october last year to march 2025": {"2025-10-01 to 2025-10-31", "2025-03-01 to 2025-03-31"},
		"october to october 2025":         {"2026-10-01 to 2026-10-31", "2025-10-01 to 2025-10-31"},
		"october to q1":                   {"2026-10-01 to 2026-10-31", "2026-01-01 to 2026-03-31"},
		"last month to march":             {"2026-10-01 to 2026-10-31", "2026-03-01 to 2026-03-31"},
		"november to last month":          {"2026-11-01 to 2026-11-20", "2026-10-01 to 2026-10-31"},
	})
}

// The months of "compare October to September" are two periods. The months of "compare October to March with last year"
// are a range.
func TestComparedMonthsAreNoRange(t *testing.T) {
	t.Parallel()
	checkAll(t, friday, map[string][]string{
		"compare october to september":                      {"2026-10-01 to 2026-10-31", "2026-09-01 to 2026-09-30"},
		"revenue compared from october to september":        {"2026-10-01 to 2026-10-31", "2026-09-01 to 2026-09-30"},
		"difference between october and september":          {"2026-10-01 to 2026-10-31", "2026-09-01 to 2026-09-30"},
		"compare october to march with last year":           {"2025-10-01 to 2026-03-31", "2025-01-01 to 2025-12-31"},
		"compare january to march with october to december": {"2026-01-01 to 2026-03-31", "2025-10-01 to 2025-12-31"},
		"better between october and september":              {"2026-10-01 to 2026-10-31", "2026-09-01 to 2026-09-30"},
		"better between january and december":               {"2026-01-01 to 2026-01-31", "2025-12-01 to 2025-12-31"},
		"october to march compared with last year":          {"2025-10-01 to 2026-03-31", "2025-01-01 to 2025-12-31"},
	})
}
