package civil

import "testing"

func TestPeriodsOnPagesNameEachYearOnce(t *testing.T) {
	t.Parallel()
	day := MustParse
	for want, r := range map[string]Range{
		"Oct 23 – Nov 22, 2026":       {day("2026-10-23"), day("2026-11-22")},
		"Nov 3, 2026":                 {day("2026-11-03"), day("2026-11-03")},
		"Dec 20, 2025 – Jan 19, 2026": {day("2025-12-20"), day("2026-01-19")},
	} {
		if got := r.Words(); got != want {
			t.Errorf("%s = %q, want %q", r, got, want)
		}
	}
}
