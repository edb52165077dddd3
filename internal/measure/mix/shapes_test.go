package mix

import (
	"math"
	"os"
	"testing"
)

// TestShapesAreRecoveredAsFarAsPriorsAllow fits models to simulated stores with one effective channel and one channel
// without effect. The curve of the effective channel is inside, at the edge of, or outside the model's family. The test
// logs results for docs/validation.md.
func TestShapesAreRecoveredAsFarAsPriorsAllow(t *testing.T) {
	t.Parallel()
	if os.Getenv("ASSAY_NIGHTLY") != "1" {
		t.Skip("fifteen fits; ASSAY_NIGHTLY=1 runs it")
	}
	for _, c := range []struct {
		name   string
		carry  float64
		worth  func(spend float64) float64
		inside int // minimum number of correct intervals of three
	}{
		{"logistic", 0.25, logistic, 2},
		{"logistic without carry-over", 0, logistic, 2},
		{"straight line", 0.25, func(spend float64) float64 { return 3 * spend }, 2},
		{"steep logistic", 0.25, func(spend float64) float64 { return 1000 * math.Tanh(4*spend/500) }, 2},
		// An infinite slope at zero is far in the prior's tail.
		{"root", 0.25, func(spend float64) float64 { return 40 * math.Sqrt(spend) }, 0},
	} {
		inside := 0
		for seed := range uint64(3) {
			s, truth := switched(seed+1, c.carry, c.worth)
			m, err := Train(s, Training{Seed: 1})
			if err != nil || m.Status != Active {
				t.Fatalf("%s: %v, %v", c.name, m, err)
			}
			radio, search := m.Effects[0].ROAS, m.Effects[1].ROAS
			if search.Q05 <= truth && truth <= search.Q95 {
				inside++
			}
			t.Logf("%s: true %.2f, mean / true %.2f, interval %.2f to %.2f; nothing is read as %.2f",
				c.name, truth, search.Mean/truth, search.Q05, search.Q95, radio.Mean)
		}
		if inside < c.inside {
			t.Errorf("%s: %d of 3 intervals hold the truth, want at least %d", c.name, inside, c.inside)
		}
	}
}
