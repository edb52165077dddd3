package action_test

import (
	"testing"

	"assay/internal/console"
	"assay/internal/console/consoletest"
	"assay/internal/control"
)

// The golden files contain the pages on insights for several sets of recorded answers.
func TestInsightAndDecisionPagesAreGolden(t *testing.T) {
	t.Parallel()
	for file, answers := range map[string]map[string]string{
		"decisions.txtar": {}, "empty.txtar": {"insights": "empty_store", "decision_feed": "empty_store", "autopilot_plan": "empty_store"},
		"limited.txtar": {"insights": "priority", "decision_feed": "limited", "autopilot_plan": "defaults"},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			ask := consoletest.RecordedTools(t)
			for tool, name := range answers {
				ask = consoletest.ForTool(tool, consoletest.Recorded(t, tool+"/"+name+".txtar"), ask)
			}
			calls := &consoletest.Calls{}
			s := consoletest.NewWith(t, func(_ *consoletest.Site, o *console.Options) { o.Ask = calls.Recording(ask) })
			s.Member(consoletest.Email, control.RoleOwner)
			consoletest.Golden(t, s.SignedIn(consoletest.Email), calls, file)
		})
	}
}

func TestAlertPagesAreGolden(t *testing.T) {
	t.Parallel()
	d := consoletest.NewData(t)
	d.Member(consoletest.Email, control.RoleOwner)
	d.Stock("a tee")
	consoletest.Golden(t, d.SignedIn(consoletest.Email), &consoletest.Calls{}, "alerts.txtar")
}

func TestChangePagesAreGolden(t *testing.T) {
	t.Parallel()
	a := consoletest.NewAds(t)
	owner, b := a.Connected()
	executed(a, owner, 55)
	consoletest.Golden(t, b, &consoletest.Calls{}, "changes.txtar")
}
