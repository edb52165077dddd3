package money

import (
	"math/big"
	"strings"
	"testing"
)

func TestParseReadsWhatExportsContain(t *testing.T) {
	t.Parallel()
	cases := []struct {
		text     string
		currency Currency
		notation Notation
		want     int64
	}{
		{"0", "USD", Point, 0},
		{"17.85", "GBP", Point, 1785},
		{"1,234.50", "USD", Point, 123450},
		{"1.234,50", "EUR", Comma, 123450},
		{"1 234,5", "EUR", Comma, 123450},
		{"1\u202f234,50 €", "EUR", Comma, 123450},
		{"$1,234", "USD", Point, 123400},
		{"-20.00", "USD", Point, -2000},
		{"-$20", "USD", Point, -2000},
		{"$-20", "USD", Point, -2000},
		{"(4.00)", "USD", Point, -400},
		{"20-", "USD", Point, -2000},
		{"20.5 -", "USD", Point, -2050},
		{"20- USD", "USD", Point, -2000},
		{"\u221220", "USD", Point, -2000},
		{"+5", "USD", Point, 500},
		{"+ $5", "USD", Point, 500},
		{"3 zł", "PLN", Point, 300},
		{"US$ 3", "USD", Point, 300},
		{"USD 3.10", "USD", Point, 310},
		{"3.10 USD", "USD", Point, 310},
		{"1500", "JPY", Point, 1500},
		{"1500.000", "JPY", Point, 1500},
		{"1.234", "KWD", Point, 1234},
		{".5", "USD", Point, 50},
		{"5.", "USD", Point, 500},
		{"2.5000", "USD", Point, 250},
		{"92233720368547758.07", "USD", Point, 9223372036854775807},
	}
	for _, c := range cases {
		if got, err := Parse(c.text, c.currency, c.notation); err != nil || got.Minor != c.want {
			t.Errorf("Parse(%q, %s) = %d, %v; want %d", c.text, c.currency, got.Minor, err, c.want)
		}
	}
	for _, s := range []string{"", "-", ".", "abc", "1.2.3", "1,23.4", "12,3456", "--5", "1e5", "NaN", "0x10", "1.005", "99999999999999999999", "92233720368547758.08"} {
		if got, err := Parse(s, "USD", Point); err == nil {
			t.Errorf("Parse(%q) = %s, want an error", s, got)
		}
	}
}

func TestParseRoundedRoundsHalfAwayFromZero(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"1.004": 100, "1.005": 101, "1.0049999": 100, "-1.005": -101, "62.1049": 6210, "0.999": 100, "2": 200} {
		if got, err := ParseRounded(text, "USD", Point); err != nil || got.Minor != want {
			t.Errorf("ParseRounded(%q) = %d, %v; want %d", text, got.Minor, err, want)
		}
	}
}

func TestAddingTwoCurrenciesIsAnError(t *testing.T) {
	t.Parallel()
	if sum, err := (Amount{1, "USD"}).Add(Amount{1, "EUR"}); err == nil {
		t.Errorf("1 cent + 1 euro cent = %s", sum)
	}
	if sum, err := (Amount{1 << 62, "USD"}).Add(Amount{1 << 62, "USD"}); err == nil {
		t.Errorf("overflow gives %s", sum)
	}
	if sum, err := (Amount{150, "USD"}).Add(Amount{-50, "USD"}); err != nil || sum.String() != "USD 1.00" {
		t.Errorf("1.50 - 0.50 = %s, %v", sum, err)
	}
}

func TestConvertRoundsOnce(t *testing.T) {
	t.Parallel()
	cases := []struct {
		from Amount
		rate string
		to   Currency
		want string
	}{
		{Amount{10000, "EUR"}, "1.0842", "USD", "USD 108.42"},
		{Amount{1, "USD"}, "0.5", "EUR", "EUR 0.01"},
		{Amount{-1, "USD"}, "0.5", "EUR", "-EUR 0.01"},
		{Amount{10000, "USD"}, "149.337", "JPY", "JPY 14,934"},
		{Amount{14934, "JPY"}, "0.0067", "USD", "USD 100.06"},
	}
	for _, c := range cases {
		rate, err := ParseRate(c.rate)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := c.from.Convert(c.to, rate); err != nil || got.String() != c.want {
			t.Errorf("%s at %s = %s, %v; want %s", c.from, c.rate, got, err, c.want)
		}
	}
	for _, s := range []string{"", "0", "-1", "1/2", "1e3", "x", "1e1000000", "0x1p10000000", "1_0", "1.2.3", "0." + strings.Repeat("1", 64)} {
		if _, err := ParseRate(s); err == nil {
			t.Errorf("ParseRate(%q) is accepted", s)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("1,234.50")
	f.Add("(4.00)")
	f.Fuzz(func(t *testing.T, s string) {
		a, err := Parse(s, "USD", Point)
		if err != nil {
			return
		}
		again, err := Parse(a.String(), "USD", Point)
		if err != nil || again != a {
			t.Errorf("%q is %s, which reads as %s, %v", s, a, again, err)
		}
		rounded, err := ParseRounded(s, "USD", Point)
		if err != nil || rounded != a {
			t.Errorf("exact %q rounds to %s", s, rounded)
		}
	})
}

func TestRoundHalfAway(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"5/2": 3, "-5/2": -3, "7/3": 2, "-7/3": -2, "0": 0} {
		x, _ := new(big.Rat).SetString(text)
		if got, ok := roundHalfAway(x); !ok || got != want {
			t.Errorf("round(%s) = %d, want %d", text, got, want)
		}
	}
}
