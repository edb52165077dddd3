package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVariablesThatAreNoSettingsAreTold(t *testing.T) {
	t.Parallel()
	got := Strangers([]string{
		"PATH=/bin", "ASSAY_ADDR=:1", "ASSAY_KEY=k", "ASSAY_TEST_DIR=x", "ASSAY_RATE_LIMT=600", "ASSAY_KEYS=k", "ASSAY_loglevel=debug", "ASSAY_XYZZY=", "ASSAYER=1",
	}, "ASSAY_KEY")
	want := []string{
		"ASSAY_KEYS is no setting and changes nothing; did you mean ASSAY_KEY?",
		"ASSAY_RATE_LIMT is no setting and changes nothing; did you mean ASSAY_RATE_LIMIT?",
		"ASSAY_XYZZY is no setting and changes nothing",
		"ASSAY_loglevel is no setting and changes nothing; did you mean ASSAY_LOG_LEVEL?",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
