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
		{"facebook", "USD", 6000, "60.00 USD"}, // two decimals
		{"facebook", "USD", 1, "0.01 USD"},
		{"facebook", "JPY", 6000, "6000 JPY"}, // no decimals
		{"facebook", "KRW", 6000, "6000 KRW"},
		{"facebook", "TWD", 600, "600.00 TWD"}, // Meta has no decimals, ISO 4217 has two
		{"facebook", "HUF", 600, "600.00 HUF"},
		{"facebook", "COP", 600, "600.00 COP"},
		{"facebook", "IDR", 600, "600.00 IDR"},
		{"facebook", "CRC", 600, "600.00 CRC"},
		{"facebook", "BHD", 600, "6.000 BHD"}, // Meta has two decimals, ISO 4217 has three
		{"facebook", "JOD", 1, "0.010 JOD"},
		{"google", "USD", 60_000_000, "60.00 USD"},
		{"google", "USD", 10_000, "0.01 USD"},
		{"google", "JPY", 6_000_000_000, "6000 JPY"},
		{"google", "KWD", 1_000, "0.001 KWD"},
		{"google", "TWD", 600_000_000, "600.00 TWD"},
		{"tiktok", "USD", 60, "60.00 USD"},
		{"tiktok", "JPY", 6000, "6000 JPY"},
		{"tiktok", "KWD", 60, "60.000 KWD"},
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
		"100.5": "100.50 USD", "100": "100.00 USD", "1e2": "100.00 USD",
		"0.1": "0.10 USD", "1.0E+2": "100.00 USD",
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
