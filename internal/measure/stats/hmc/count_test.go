package hmc_test

import (
	"testing"

	"assay/internal/measure/stats/hmc"
)

func TestAChainCountsItsGradients(t *testing.T) {
	t.Parallel()
	run := sample(t, walk(2), hmc.Options{Chains: 1, Warmup: 50, Draws: 50, Seed: 1})
	if c := run.Chains[0]; c.Gradients < len(c.Draws) {
		t.Errorf("%d gradients for %d draws, want at least one for each", c.Gradients, len(c.Draws))
	}
}
