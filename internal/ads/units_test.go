package ads_test

import (
	"strings"
	"testing"

	"assay/internal/ads"
	"assay/internal/ads/facebook"
	"assay/internal/ads/googleads"
	"assay/internal/ads/tiktok"
	"assay/internal/money"
)

// units are the platforms' units. The types facebook.Minor, googleads.Micros and tiktok.Whole do not convert into
// each other.
var units = map[string]ads.Unit{"facebook": facebook.Unit{}, "google": googleads.Unit{}, "tiktok": tiktok.Unit{}}

func TestUnitsConvertExactlyInEveryCurrency(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		platform string
		currency money.Currency
		value    int64
		want     string
	}{
		{"facebook", "USD", 6000, "USD 60.00"}, // two decimals
		{"facebook", "USD", 1, "USD 0.01"},
		{"facebook", "JPY", 6000, "JPY 6,000"}, // no decimals
		{"facebook", "KRW", 6000, "KRW 6,000"},
		{"facebook", "TWD", 600, "TWD 600.00"}, // Meta has no decimals, ISO 4217 has two
		{"facebook", "HUF", 600, "HUF 600.00"},
		{"facebook", "COP", 600, "COP 600.00"},
		{"facebook", "IDR", 600, "IDR 600.00"},
		{"facebook", "CRC", 600, "CRC 600.00"},
		{"facebook", "BHD", 600, "BHD 6.000"}, // Meta has two decimals, ISO 4217 has three
		{"facebook", "JOD", 1, "JOD 0.010"},
		{"google", "USD", 60_000_000, "USD 60.00"},
		{"google", "USD", 10_000, "USD 0.01"},
		{"google", "JPY", 6_000_000_000, "JPY 6,000"},
		{"google", "KWD", 1_000, "KWD 0.001"},
		{"google", "TWD", 600_000_000, "TWD 600.00"},
		{"tiktok", "USD", 60, "USD 60.00"},
		{"tiktok", "JPY", 6000, "JPY 6,000"},
		{"tiktok", "KWD", 60, "KWD 60.000"},
	} {
		unit := units[c.platform]
		got, err := unit.Amount(c.value, c.currency)
		if err != nil || got.String() != c.want {
			t.Errorf("%s: %d %s = %s, %v; want %s", c.platform, c.value, c.currency, got, err, c.want)
			continue
		}
		back, err := unit.Value(got)
		if n, nerr := back.Int64(); err != nil || nerr != nil || n != c.value {
			t.Errorf("%s: %s = %s %s, %v; want %d", c.platform, got, back, unit.Name(), err, c.value)
		}
	}
}

func TestUnitsDoNotRound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		platform string
		currency money.Currency
		value    int64
		want     ads.Reason
	}{
		{"facebook", "KWD", 100, ads.CurrencyUnsupported},
		{"facebook", "XXX", 100, ads.CurrencyUnsupported},
		{"facebook", "", 100, ads.CurrencyUnsupported},
		{"facebook", "BHD", 1 << 62, ads.NotBillable},
		{"google", "USD", 9_999, ads.NotBillable},
		{"google", "USD", 60_000_001, ads.NotBillable},
		{"google", "JPY", 999_999, ads.NotBillable},
		{"google", "KWD", 999, ads.NotBillable},
		{"tiktok", "USD", 1 << 62, ads.AboveMaximum},
	} {
		if got, err := units[c.platform].Amount(c.value, c.currency); ads.ReasonOf(err) != c.want {
			t.Errorf("%s: %d %s = %s, %v; want %s", c.platform, c.value, c.currency, got, err, c.want)
		}
	}
	for _, c := range []struct {
		platform string
		amount   money.Amount
		want     ads.Reason
	}{
		{"facebook", money.Amount{Minor: 1050, Currency: "TWD"}, ads.NotBillable},
		{"facebook", money.Amount{Minor: 5, Currency: "BHD"}, ads.NotBillable},
		{"facebook", money.Amount{Minor: 5, Currency: "KWD"}, ads.CurrencyUnsupported},
		{"google", money.Amount{Minor: 1 << 62, Currency: "USD"}, ads.AboveMaximum},
	} {
		if got, err := units[c.platform].Value(c.amount); ads.ReasonOf(err) != c.want {
			t.Errorf("%s: %s = %s, %v; want %s", c.platform, c.amount, got, err, c.want)
		}
	}
}

func TestTikTokFractionsAreExact(t *testing.T) {
	t.Parallel()
	for text, want := range map[tiktok.Decimal]string{
		"100.5": "USD 100.50", "100": "USD 100.00", "1e2": "USD 100.00",
		"0.1": "USD 0.10", "1.0E+2": "USD 100.00",
	} {
		got, exact := text.Amount("USD")
		if !exact || got.String() != want {
			t.Errorf("%s = %s, %v; want %s", text, got, exact, want)
		}
	}
	for _, text := range []tiktok.Decimal{
		"100.005", "", "x", "1/2", "0x10", "1e999999999", "1e-999999999", "NaN", "Inf",
		"1_000", "1e30", "99999999999999999999",
	} {
		if got, exact := text.Amount("USD"); exact {
			t.Errorf("%s = %s, want no exact amount", text, got)
		}
	}
	for minor, want := range map[int64]tiktok.Decimal{
		10050: "100.5", 10000: "100", 10: "0.1", 1: "0.01", 0: "0",
		12345: "123.45",
	} {
		if got := tiktok.DecimalOf(money.Amount{Minor: minor, Currency: "USD"}); got != want {
			t.Errorf("DecimalOf(%d cents) = %s, want %s", minor, got, want)
		}
	}
	if got := tiktok.DecimalOf(money.Amount{Minor: 12000, Currency: "JPY"}); got != "12000" {
		t.Errorf("DecimalOf(12000 JPY) = %s", got)
	}
	if name := (tiktok.Unit{}).Name(); !strings.Contains(name, "whole") {
		t.Errorf("Name = %s", name)
	}
}
