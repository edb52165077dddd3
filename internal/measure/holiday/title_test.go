package holiday

import "testing"

func TestEveryHolidayHasATitle(t *testing.T) {
	t.Parallel()
	for _, h := range calendar {
		if Title(h.Name) == "" {
			t.Errorf("%s has no title", h.Name)
		}
	}
	for name, want := range map[string]string{
		"valentines": "the Valentine's Day season", "fathers_day_se_no_fi": "the Father's Day season", "washington": "the Presidents' Day holiday",
		"national_at": "the national holiday", "christmas": "the Christmas season", "christmas_days": "the Christmas holiday",
		"": "a holiday", "sale": "a holiday", "sale_de": "a holiday",
	} {
		if got := Phrase(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
