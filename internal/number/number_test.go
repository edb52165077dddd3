package number

import "testing"

func TestThousandsAreGrouped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		x        float64
		decimals int
		want     string
	}{
		{0, 0, "0"},
		{999, 0, "999"},
		{1000, 0, "1,000"},
		{-1234567.891, 2, "-1,234,567.89"},
		{123456, 1, "123,456.0"},
		{-0.001, 2, "0.00"},
		{-0.4, 0, "0"},
	} {
		if got := Grouped(c.x, c.decimals); got != c.want {
			t.Errorf("%v with %d decimals: %q, want %q", c.x, c.decimals, got, c.want)
		}
	}
}
