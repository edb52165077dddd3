package money

import "testing"

func TestMillionthsAreRoundedToMinorUnits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		millionths int64
		currency   Currency
		want       int64
	}{
		{12_345_678, "USD", 1235},
		{12_344_999, "USD", 1234},
		{12_345_000, "USD", 1235},
		{-12_345_000, "USD", -1235},
		{0, "USD", 0},
		{12_500_000, "JPY", 13},
		{12_499_999, "JPY", 12},
	} {
		if got := FromMillionths(c.millionths, c.currency); got != c.want {
			t.Errorf("FromMillionths(%d, %s) = %d, want %d", c.millionths, c.currency, got, c.want)
		}
	}
}
