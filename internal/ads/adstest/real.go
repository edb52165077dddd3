package adstest

import (
	"os"
	"strings"
	"testing"

	"assay/internal/ads"
	"assay/internal/money"
)

// RunReal runs the suite against a real account. It skips the suite unless two environment variables are set, for
// example for facebook:
//
//	ASSAY_TEST_ADS_FACEBOOK           the credentials as JSON
//	ASSAY_TEST_ADS_FACEBOOK_CAMPAIGN  an active campaign with a daily budget of its own
//
// With ASSAY_TEST_ADS_CHANGE=1, RunReal also changes the campaign's budget by one percent and back, and pauses and
// resumes the campaign.
func RunReal(t *testing.T, name string, dryRun bool, connect func(credentials []byte) (ads.Platform, error)) {
	variable := "ASSAY_TEST_ADS_" + strings.ToUpper(name)
	credentials, campaign := os.Getenv(variable), os.Getenv(variable+"_CAMPAIGN")
	if credentials == "" || campaign == "" {
		t.Skipf("set %s to credentials and %s_CAMPAIGN to a campaign to test a real account", variable, variable)
	}
	run(t, func(t *testing.T) *Sandbox {
		platform, err := connect([]byte(credentials))
		if err != nil {
			t.Fatal(err)
		}
		s := &Sandbox{
			Platform: platform, Campaign: ads.CampaignID(campaign),
			Changes: os.Getenv("ASSAY_TEST_ADS_CHANGE") == "1", DryRun: dryRun,
		}
		state := s.read(t)
		step := max(state.Budget.Step.Minor, 1)
		more := (state.Budget.Amount.Minor/100/step + 1) * step
		s.Other = money.Amount{Minor: state.Budget.Amount.Minor + more, Currency: state.Currency}
		return s
	})
}
