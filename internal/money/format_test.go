package money

import "testing"

func TestAmountsHaveOneFormatForTextAndOneForPages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		x             float64
		decimals      int
		currency      Currency
		text, display string
	}{
		{241995, 0, "USD", "USD 241,995", "$241,995"},
		{-12.5, 2, "USD", "-USD 12.50", "−$12.50"},
		{-0.004, 2, "USD", "USD 0.00", "$0.00"},
		{2.5, 0, "EUR", "EUR 3", "€3"},
		{1234567.891, 3, "KWD", "KWD 1,234,567.891", "KWD 1,234,567.891"},
		{-1500, 0, "CHF", "-CHF 1,500", "−CHF 1,500"},
	} {
		if got := Text(c.x, c.decimals, c.currency); got != c.text {
			t.Errorf("Text(%v, %d, %s) = %q, want %q", c.x, c.decimals, c.currency, got, c.text)
		}
		if got := Display(c.x, c.decimals, c.currency); got != c.display {
			t.Errorf("Display(%v, %d, %s) = %q, want %q", c.x, c.decimals, c.currency, got, c.display)
		}
	}
}

func TestExactAmountsHaveAllDecimals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		amount                 Amount
		decimal, text, display string
	}{
		{Amount{123450, "USD"}, "1234.50", "USD 1,234.50", "$1,234.50"},
		{Amount{-5, "USD"}, "-0.05", "-USD 0.05", "−$0.05"},
		{Amount{1234567, "JPY"}, "1234567", "JPY 1,234,567", "¥1,234,567"},
		{Amount{-1 << 63, "USD"}, "-92233720368547758.08", "-USD 92,233,720,368,547,758.08", "−$92,233,720,368,547,758.08"},
	} {
		if got := c.amount.Decimal(); got != c.decimal {
			t.Errorf("Decimal of %d %s = %q, want %q", c.amount.Minor, c.amount.Currency, got, c.decimal)
		}
		if got := DisplayOf(c.amount.Decimal(), c.amount.Currency); got != c.display {
			t.Errorf("DisplayOf(%q, %s) = %q, want %q", c.amount.Decimal(), c.amount.Currency, got, c.display)
		}
		if got := c.amount.String(); got != c.text {
			t.Errorf("String of %d %s = %q, want %q", c.amount.Minor, c.amount.Currency, got, c.text)
		}
	}
}
