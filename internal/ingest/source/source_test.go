package source

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/money"
)

func TestFoldUnifiesSpellings(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		" Montant  dépensé (EUR) ": "montant depense (eur)", "Nom de l’ensemble de publicités": "nom de l'ensemble de publicites",
		"": "", "campaign id": "campaign id", "a  b": "a b", " a": "a", "a ": "a", "\ufeffName": "name", "CAMPAIGN_ID": "campaign id", "7 Day Total Sales ": "7 day total sales", "Käufe": "kaufe", "Größe": "grosse",
	} {
		if got := Fold(name); got != want {
			t.Errorf("Fold(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestHeaderFindsTheCurrencyInAName(t *testing.T) {
	t.Parallel()
	h := NewHeader([]string{"Day", "CPM (cost per 1,000 impressions) (USD)", "Amount spent (usd)"})
	if i, c := h.Currency("amount spent"); i != 2 || c != "USD" {
		t.Errorf("Currency = %d, %q", i, c)
	}
	if i, c := h.Currency("montant depense"); i != -1 {
		t.Errorf("Currency of another name = %d, %q", i, c)
	}
}

func TestCustomersAreKeyedHashes(t *testing.T) {
	t.Parallel()
	mac := hmac.New(sha256.New, []byte("key"))
	mac.Write([]byte("ada@example.com"))
	want := base64.RawURLEncoding.EncodeToString(mac.Sum(nil))[:12]
	people := NewCustomers([]byte("key"))
	for _, spelling := range []string{"ada@example.com", " Ada@Example.COM "} {
		if got := people.Hash(spelling); got != want {
			t.Errorf("Hash(%q) = %s, want %s", spelling, got, want)
		}
	}
	if got := people.Hash("  "); got != "" {
		t.Errorf("nobody's hash is %q", got)
	}
	if NewCustomers([]byte("other")).Hash("ada@example.com") == want {
		t.Error("another key gives the same hash")
	}
}

func TestCountriesAreKnownByCodeAndName(t *testing.T) {
	t.Parallel()
	countries := NewCountries()
	for text, want := range map[string]string{
		"GB": "GB", "gb": "GB", "United Kingdom": "GB", "UK": "GB", "EIRE": "IE", "Germany": "DE", "Allemagne": "DE",
		"Côte d’Ivoire": "CI", "Unspecified": "", "XX": "", "": "",
	} {
		if got, _ := countries.Code(text); got != want {
			t.Errorf("Code(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestRegionsAreCodes(t *testing.T) {
	t.Parallel()
	cases := []struct{ text, country, want string }{
		{"CA", "US", "CA"},
		{"US-CA", "US", "CA"},
		{"ca", "", "CA"},
		{"California", "US", "CA"},
		{"Québec", "CA", "QC"},
		{"California", "", "California"},
		{"Bayern", "DE", "Bayern"},
		{"", "US", ""},
	}
	for _, c := range cases {
		if got := Region(c.text, c.country); got != c.want {
			t.Errorf("Region(%q, %q) = %q, want %q", c.text, c.country, got, c.want)
		}
	}
}

func TestSurfacesHaveManyNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]measure.Surface{
		"web": measure.OnlineStore, "": measure.OnlineStore, "pos": measure.Retail, "TikTok": measure.ShortVideoShop,
		"amazon": measure.Marketplace, "shopify_draft_order": measure.Wholesale,
	} {
		if got, ok := Surface(name); got != want || !ok {
			t.Errorf("Surface(%q) = %s, %v; want %s", name, got, ok, want)
		}
	}
	if _, ok := Surface("580111"); ok {
		t.Error("an app's number is taken for a surface")
	}
}

// fixed contains rates of single days.
type fixed map[string]string

func (f fixed) Rate(day civil.Date, from, to money.Currency) (money.Rate, bool) {
	text, ok := f[day.String()+" "+string(from)+string(to)]
	if !ok {
		return money.Rate{}, false
	}
	rate, err := money.ParseRate(text)
	return rate, err == nil
}

func TestRatesOfTheDaysBeforeAreUsedForAWeek(t *testing.T) {
	t.Parallel()
	c := NewConverter("USD", fixed{"2026-09-01 EURUSD": "1.10", "2026-09-03 EURUSD": "1.20"})
	for day, want := range map[string]int64{"2026-09-01": 1100, "2026-09-02": 1100, "2026-09-03": 1200, "2026-09-10": 1200} {
		amount := int64(1000)
		if err := c.Convert(civil.MustParse(day), "EUR", &amount); err != nil || amount != want {
			t.Errorf("10.00 EUR on %s are %d, %v; want %d", day, amount, err, want)
		}
	}
	for _, day := range []string{"2026-08-31", "2026-09-11"} {
		amount := int64(1000)
		err := c.Convert(civil.MustParse(day), "EUR", &amount)
		var row *RowError
		if !errors.As(err, &row) || !strings.Contains(row.Fix, "import the rates") || amount != 1000 {
			t.Errorf("on %s: %v, %d; want a rejection that explains how to import rates", day, err, amount)
		}
	}
}

func TestConvertedAmountsHaveTheLimitOfAllAmounts(t *testing.T) {
	t.Parallel()
	c := NewConverter("IDR", fixed{"2026-09-01 USDIDR": "10000"})
	tax, amount := int64(100), int64(-Largest/10_000)
	if err := c.Convert(civil.MustParse("2026-09-01"), "USD", &tax, &amount); err != nil || tax != 1_000_000 || amount != -Largest {
		t.Errorf("the largest amount is %d, with a tax of %d (%v)", amount, tax, err)
	}
	for _, minor := range []int64{Largest/10_000 + 1, -Largest/10_000 - 1, Largest} {
		tax, amount := int64(100), minor
		err := c.Convert(civil.MustParse("2026-09-01"), "USD", &tax, &amount)
		if _, ok := errors.AsType[*RowError](err); !ok || !strings.Contains(err.Error(), "in IDR is implausibly large") || tax != 100 || amount != minor {
			t.Errorf("%d cents with a tax of 100 are converted to %d and %d, %v; want a rejection", minor, amount, tax, err)
		}
	}
}

func TestReportsMaskEmailAddresses(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		"ada@example.com":       "(address)",
		"Ada <ada@example.com>": "Ada (address)",
		"a\nb\tc\x00":           "a b c",
		strings.Repeat("x", 99): strings.Repeat("x", 60) + "…",
		"\xff":                  "?",
	} {
		if got := Shown(cell); got != want {
			t.Errorf("Shown(%q) = %q, want %q", cell, got, want)
		}
	}
}

func TestCodesAreDeduplicated(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff([]string{"SAVE10", "ADA"}, Codes(" save10, ADA,save10,")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWarningsAreDeduplicated(t *testing.T) {
	t.Parallel()
	var n Notes
	n.Add("a", "first %d", 1)
	n.Add("b", "other")
	n.Add("a", "second %d", 2)
	if diff := cmp.Diff([]Note{{"a", "first 1", 2}, {"b", "other", 1}}, n.List()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
