package control

import (
	"time"

	"assay/internal/civil"
	"assay/internal/measure"
)

// WeeklyReader is a member who receives the weekly summary of a workspace by email. The record is removed when the
// membership ends.
type WeeklyReader struct {
	Workspace measure.WorkspaceID
	Member    UserID
	Email     string // email address of the member, set by the store
	At        time.Time
	Week      civil.Date // Monday of the last week that was sent or given up
	Attempts  int        // attempts for the next week, including the current attempt
	Problem   string     // problem of the last attempt; "" if it succeeded
}

// LastWeek returns the most recent complete week before a day, Monday to Sunday.
func LastWeek(today civil.Date) civil.Range {
	monday := civil.ByWeek.Start(today).AddDays(-7)
	return civil.Range{First: monday, Last: monday.AddDays(6)}
}

// The kinds of audit events about the weekly summary. The subject is the member.
const (
	WeeklyChosen  EventKind = "weekly_summary_chosen"
	WeeklyStopped EventKind = "weekly_summary_stopped"
)
