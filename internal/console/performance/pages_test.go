package performance_test

import (
	"testing"

	"assay/internal/console"
	"assay/internal/console/consoletest"
	"assay/internal/control"
)

// The golden files contain the pages for several sets of recorded answers.
func TestPagesAreGolden(t *testing.T) {
	t.Parallel()
	for file, answers := range map[string]map[string]string{
		"pages.txtar": {"performance": "debug"}, "filters.txtar": {},
		"empty.txtar": {
			"performance": "empty_store", "compare": "empty_store", "trends": "empty_store", "forecasting": "empty_store", "diagnose": "empty_store",
			"campaigns": "empty_store", "customers": "empty_store", "products": "empty_store", "creators": "empty_store", "email_lifecycle": "empty_store",
			"surveys": "empty_store", "omnichannel": "empty_store", "explain": "empty_store", "ask": "empty_store",
		},
		"channel.txtar": {
			"performance": "channel", "compare": "channel", "trends": "weeks", "campaigns": "platform", "customers": "ltv_expected", "creators": "debug",
			"email_lifecycle": "sms_flows", "surveys": "channel", "products": "coupons", "explain": "nothing", "ask": "write", "forecasting": "channel",
		},
		"untouched.txtar": {
			"performance": "no_touchpoints", "compare": "no_touchpoints", "trends": "no_touchpoints", "campaigns": "no_touchpoints", "surveys": "no_answers",
			"email_lifecycle": "no_messages", "omnichannel": "orders_only", "diagnose": "no_touchpoints", "customers": "ltv_once", "explain": "debug", "ask": "failed",
			"forecasting": "no_targets",
		},
		"costs.txtar": {"performance": "survey_blended", "compare": "defaults", "trends": "spend", "surveys": "one_question", "creators": "one", "ask": "coupon"},
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
