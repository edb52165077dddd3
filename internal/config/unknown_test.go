package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUnknownVariablesAreListed(t *testing.T) {
	t.Parallel()
	got := UnknownVariables([]string{
		"PATH=/bin", "ASSAY_ADDR=:1", "ASSAY_KEY=k", "ASSAY_TEST_DIR=x", "ASSAY_RATE_LIMT=600", "ASSAY_KEYS=k", "ASSAY_loglevel=debug", "ASSAY_XYZZY=", "ASSAYER=1",
	}, "ASSAY_KEY")
	want := []string{
		"ASSAY_KEYS is not a setting and has no effect; did you mean ASSAY_KEY?",
		"ASSAY_RATE_LIMT is not a setting and has no effect; did you mean ASSAY_RATE_LIMIT?",
		"ASSAY_XYZZY is not a setting and has no effect",
		"ASSAY_loglevel is not a setting and has no effect; did you mean ASSAY_LOG_LEVEL?",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
