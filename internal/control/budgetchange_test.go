package control_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/money"
)

func budgetChange() control.BudgetChange {
	value := func(text string, minor int64) control.ChangeValue {
		return control.ChangeValue{Text: text, Amount: usd(minor)}
	}
	return control.BudgetChange{
		ID: "c1", Workspace: "acme", Platform: "google", Account: "123", Campaign: "77", Actor: "user:u1", Field: control.DailyBudget,
		Previous: value("50", 5000), New: value("60", 6000), Status: control.ChangePending,
	}
}

func TestStatusesOfBudgetChanges(t *testing.T) {
	t.Parallel()
	const awaiting, pending, applied = control.ChangeAwaiting, control.ChangePending, control.ChangeApplied
	const failed, unknown, rejected, expired = control.ChangeFailed, control.ChangeUnknown, control.ChangeRejected, control.ChangeExpired
	next := map[control.ChangeStatus][]control.ChangeStatus{
		awaiting: {pending, rejected, expired}, pending: {pending, applied, failed, unknown}, unknown: {applied, failed, unknown},
	}
	for _, from := range control.ChangeStatuses() {
		for _, to := range control.ChangeStatuses() {
			if got, want := to.Follows(from), slices.Contains(next[from], to); got != want {
				t.Errorf("%s follows %s: %t, want %t", to, from, got, want)
			}
		}
		if got, want := from.Done(), from != awaiting && from != pending; got != want {
			t.Errorf("%s is done: %t, want %t", from, got, want)
		}
	}
}

func TestChangesExpireWithoutApproval(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	end := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		status, want control.ChangeStatus
		now          time.Time
	}{
		"in time":        {control.ChangeAwaiting, control.ChangeAwaiting, end.Add(-1)},
		"after 24 hours": {control.ChangeAwaiting, control.ChangeExpired, end},
		"much later":     {control.ChangeAwaiting, control.ChangeExpired, end.Add(time.Hour)},
		"approved":       {control.ChangePending, control.ChangePending, end.Add(time.Hour)},
	} {
		change := control.BudgetChange{At: at, Status: c.status}
		got := change.AsOf(c.now)
		if got.Status != c.want {
			t.Errorf("%s: %s, want %s", name, got.Status, c.want)
		}
		if expired := c.want == control.ChangeExpired; expired != got.SettledAt.Equal(end) || expired != (got.Problem == "No one approved the change within 24 hours.") {
			t.Errorf("%s: settled at %s, problem %q", name, got.SettledAt, got.Problem)
		}
	}
	if control.PreviewTime != 30*time.Minute {
		t.Errorf("a preview is valid for %s", control.PreviewTime)
	}
}

func TestTheSameBudgetChange(t *testing.T) {
	t.Parallel()
	one := budgetChange()
	for name, c := range map[string]struct {
		change func(*control.BudgetChange)
		same   bool
	}{
		"another request":   {func(c *control.BudgetChange) { c.ID, c.Actor, c.Reason = "c2", "user:u2", "later" }, true},
		"another workspace": {func(c *control.BudgetChange) { c.Workspace = "other" }, false},
		"another platform":  {func(c *control.BudgetChange) { c.Platform = "meta" }, false},
		"another account":   {func(c *control.BudgetChange) { c.Account = "124" }, false},
		"another campaign":  {func(c *control.BudgetChange) { c.Campaign = "78" }, false},
		"another field":     {func(c *control.BudgetChange) { c.Field = control.CampaignStatus }, false},
		"another value":     {func(c *control.BudgetChange) { c.New.Text = "61" }, false},
		"a rollback":        {func(c *control.BudgetChange) { c.RollsBack = "c0" }, false},
	} {
		other := one
		c.change(&other)
		if got := one.SameChange(other); got != c.same {
			t.Errorf("%s: the same change is %t", name, got)
		}
	}
}

func TestABudgetChangeInOneLine(t *testing.T) {
	t.Parallel()
	change := budgetChange()
	if got, want := change.Summary(), "pending: google campaign 77, daily budget from USD 50.00 to USD 60.00"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	change.Field, change.Previous, change.New = control.CampaignStatus, control.ChangeValue{Text: "active"}, control.ChangeValue{Text: "paused"}
	change.RollsBack, change.Problem, change.Status = "c0", "The platform is down.", control.ChangeFailed
	if got, want := change.Summary(), "failed: google campaign 77, status from active to paused, rolls back c0. The platform is down."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestBudgetChangesAreChecked(t *testing.T) {
	t.Parallel()
	const missing = "needs an ID, workspace, platform, account, campaign and actor"
	const values, positive, reason = "two different values", "a positive amount in the currency", "at most 500 printable characters"
	for name, c := range map[string]struct {
		change func(*control.BudgetChange)
		want   string // "": accepted
	}{
		"complete":         {func(*control.BudgetChange) {}, ""},
		"no ID":            {func(c *control.BudgetChange) { c.ID = "" }, missing},
		"no workspace":     {func(c *control.BudgetChange) { c.Workspace = "" }, missing},
		"no platform":      {func(c *control.BudgetChange) { c.Platform = "" }, missing},
		"no account":       {func(c *control.BudgetChange) { c.Account = "" }, missing},
		"no campaign":      {func(c *control.BudgetChange) { c.Campaign = "" }, missing},
		"no actor":         {func(c *control.BudgetChange) { c.Actor = "" }, missing},
		"another field":    {func(c *control.BudgetChange) { c.Field = "name" }, `"name" is not a field of a campaign`},
		"no previous":      {func(c *control.BudgetChange) { c.Previous = control.ChangeValue{} }, values},
		"no new value":     {func(c *control.BudgetChange) { c.New = control.ChangeValue{} }, values},
		"no change":        {func(c *control.BudgetChange) { c.New = c.Previous }, values},
		"nothing":          {func(c *control.BudgetChange) { c.New.Amount = usd(0) }, positive},
		"a cent":           {func(c *control.BudgetChange) { c.New.Amount = usd(1) }, ""},
		"another currency": {func(c *control.BudgetChange) { c.New.Amount = money.Amount{Minor: 1, Currency: "EUR"} }, positive},
		"a status": {func(c *control.BudgetChange) {
			c.Field, c.Previous, c.New = control.CampaignStatus, control.ChangeValue{Text: "active"}, control.ChangeValue{Text: "paused"}
		}, ""},
		"unknown status":   {func(c *control.BudgetChange) { c.Status = "done" }, `"done" is not a status of a budget change`},
		"longest reason":   {func(c *control.BudgetChange) { c.Reason = " " + strings.Repeat("é", 500) + " " }, ""},
		"longer reason":    {func(c *control.BudgetChange) { c.Reason = strings.Repeat("é", 501) }, reason},
		"reason of bytes":  {func(c *control.BudgetChange) { c.Reason = "\xff" }, reason},
		"reason with ESC":  {func(c *control.BudgetChange) { c.Reason = "a\x1bb" }, reason},
		"reason in lines":  {func(c *control.BudgetChange) { c.Reason = "a\nb" }, ""},
		"long description": {func(c *control.BudgetChange) { c.Problem = strings.Repeat("a", 5000) }, ""},
	} {
		change := budgetChange()
		c.change(&change)
		got, err := change.Checked()
		if c.want == "" && (err != nil || got.Reason != strings.TrimSpace(change.Reason)) ||
			c.want != "" && (fault.KindOf(err) != fault.KindInvalid || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// Texts of platforms are cut to 1,000 characters.
func TestTextsOfPlatformsAreCut(t *testing.T) {
	t.Parallel()
	change := budgetChange()
	change.CampaignName, change.Problem = strings.Repeat("é", 1000), strings.Repeat("é", 1001)
	got, err := change.Checked()
	if err != nil || got.CampaignName != change.CampaignName || got.Problem != strings.Repeat("é", 999)+"…" {
		t.Errorf("%v: %d and %d bytes", err, len(got.CampaignName), len(got.Problem))
	}
}
