package source

import (
	"testing"

	"assay/internal/money"
)

func TestNumbersAreReadExactly(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]int64{"0": 0, "17.85": 1785, "-3": -300, "1,234.5": 123450, "$4": 400, "(4.00)": -400, "2.500": 250, "007.10": 710} {
		if got, err := Money(cell, "USD", money.Point); err != nil || got != want {
			t.Errorf("Money(%q) = %d, %v; want %d", cell, got, err, want)
		}
	}
	for cell, want := range map[string]int64{"1.234,5": 123450, "3,1": 310, "12": 1200, "1.234": 123400} {
		if got, err := Money(cell, "EUR", money.Comma); err != nil || got != want {
			t.Errorf("Money(%q) with a decimal comma = %d, %v; want %d", cell, got, err, want)
		}
	}
	for _, cell := range []string{"", "x", "1.005", "1e5", "10000000000000.01", "99999999999999999999"} {
		if got, err := Money(cell, "USD", money.Point); err == nil {
			t.Errorf("Money(%q) = %d, want an error", cell, got)
		}
	}
	for cell, want := range map[string]int64{"3": 3_000_000, "2.5": 2_500_000, "1,204.25": 1_204_250_000, "0.3333333": 333_333, "0.6666666": 666_667, "-0.5": -500_000, ".5": 500_000} {
		if got, err := Millionths(cell, money.Point); err != nil || got != want {
			t.Errorf("Millionths(%q) = %d, %v; want %d", cell, got, err, want)
		}
	}
	for cell, want := range map[string]int64{"1,204": 1204, "12": 12, "12.0": 12, "-3": -3} {
		if got, err := Count(cell, money.Point); err != nil || got != want {
			t.Errorf("Count(%q) = %d, %v; want %d", cell, got, err, want)
		}
	}
	if got, err := Count("1.5", money.Point); err == nil {
		t.Errorf("Count(1.5) = %d, want an error", got)
	}
}

func TestProductRoundsThePriceOnlyAtTheEnd(t *testing.T) {
	t.Parallel()
	cases := []struct {
		price string
		count int64
		want  int64
	}{{"2.55", 6, 1530}, {"0.001", 1000, 100}, {"0.001", 5, 1}, {"0.001", -5, -1}, {"0.004", 1, 0}, {"", 3, 0}}
	for _, c := range cases {
		if got, err := Product(c.price, c.count, "GBP", money.Point); err != nil || got != c.want {
			t.Errorf("Product(%q, %d) = %d, %v; want %d", c.price, c.count, got, err, c.want)
		}
	}
	if got, err := Product("9999999999", 9999999999, "GBP", money.Point); err == nil {
		t.Errorf("a product beyond belief is %d", got)
	}
}

func TestNotationIsDetectedFromUnambiguousCells(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		cells []string
		want  money.Notation
	}{
		"points":                       {[]string{"12.50", "1,234.00"}, money.Point},
		"commas":                       {[]string{"12,50", "1.234"}, money.Comma},
		"both marks":                   {[]string{"1.234,567"}, money.Comma},
		"a mark twice parts thousands": {[]string{"1.234.567"}, money.Comma},
		"nothing to go by":             {[]string{"12", "", "1.234"}, money.Point},
	}
	for name, c := range cases {
		if got := NotationOf(c.cells); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// FuzzMoney checks that the fast path agrees with money.Parse on every accepted cell.
func FuzzMoney(f *testing.F) {
	for _, seed := range []string{"1,234.50", "-12.3", "(4.00)", "0.001", "99999999999999.99", "5."} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, cell string) {
		for _, c := range []money.Currency{"USD", "JPY", "KWD"} {
			want, wantErr := money.Parse(cell, c, money.Point)
			got, err := Money(cell, c, money.Point)
			if err == nil && (wantErr != nil || got != want.Minor) {
				t.Errorf("%q in %s is read as %d, and as %s, %v by money.Parse", cell, c, got, want, wantErr)
			}
			if err != nil && wantErr == nil && want.Minor <= Largest && want.Minor >= -Largest {
				t.Errorf("%q in %s is rejected: %v", cell, c, err)
			}
		}
		if m, err := Millionths(cell, money.Point); err == nil {
			if whole, err := Count(cell, money.Point); err == nil && whole*1e6 != m {
				t.Errorf("%q is %d and %d millionths", cell, whole, m)
			}
		}
	})
}
