package stats

import "testing"

func TestDotIsTheInnerProductAtEveryLength(t *testing.T) {
	t.Parallel()
	var a, b []float64
	want := 0.0
	for i := range 10 {
		if got := Dot(a, b); got != want { // small integers, so sums are exact
			t.Errorf("Dot of %v and %v = %v, want %v", a, b, got, want)
		}
		x, y := float64(i+2), float64(3*i-5)
		a, b, want = append(a, x), append(b, y), want+x*y
	}
}

// The expected values are the first outputs of the reference implementation of SplitMix64
// (https://prng.di.unimi.it/splitmix64.c) for the seeds 0 and 1234567.
func TestMixIsSplitMix64(t *testing.T) {
	t.Parallel()
	for seed, want := range map[uint64]uint64{0: 0xe220a8397b1dcdaf, 1234567: 6457827717110365317} {
		if got := mix(seed); got != want {
			t.Errorf("mix(%d) = %d, want %d", seed, got, want)
		}
	}
}
