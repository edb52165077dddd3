package hmc

import "testing"

// A scale is the square root of the draws' standard deviation divided by the gradients' standard deviation. If the
// draws or the gradients do not vary, the metric does not change.
func TestScalesHaveLimits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		draws, gradients float64 // difference between the two draws
		learned          bool
	}{
		{1, 1, true}, {1e20, 1, true}, {1.01e20, 1, false}, {1, 1.01e20, false}, {1, 0.99e20, true}, {0, 1, false}, {1, 0, false}, {0, 0, false},
	} {
		m := metric{scale: []float64{7}}
		if got := m.learn([][]float64{{0}, {c.draws}}, [][]float64{{0}, {-c.gradients}}, true); got != c.learned || !got && m.scale[0] != 7 {
			t.Errorf("draws %v and gradients %v apart: learned %t with the scale %v, want %t", c.draws, c.gradients, got, m.scale[0], c.learned)
		}
	}
}
