package warehouse

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/civil"
)

func TestMessageSumsAddEveryFieldAndJoinTheDays(t *testing.T) {
	t.Parallel()
	days := func(first, last string) civil.Range {
		return civil.Range{First: civil.MustParse(first), Last: civil.MustParse(last)}
	}
	s := MessageSums{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, days("2026-05-03", "2026-05-04")}
	other := MessageSums{10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, civil.Range{}}
	for _, c := range []struct{ days, want civil.Range }{
		{civil.Range{}, s.Days},
		{days("2026-05-01", "2026-05-03"), days("2026-05-01", "2026-05-04")},
		{days("2026-05-04", "2026-05-06"), days("2026-05-03", "2026-05-06")},
		{days("2026-05-01", "2026-05-06"), days("2026-05-01", "2026-05-06")},
		{s.Days, s.Days},
	} {
		other.Days = c.days
		want := MessageSums{11, 22, 33, 44, 55, 66, 77, 88, 99, 110, 121, c.want}
		if got := s.Add(other); got != want {
			t.Errorf("sum %+v, want %+v", got, want)
		}
		if got := other.Add(s); got != want {
			t.Errorf("sum in the other order %+v, want %+v", got, want)
		}
	}
}

func TestQuestionsAreParsedOnce(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]question{
		"SELECT 1":                  {pieces: []string{"SELECT 1"}},
		"FROM {{orders}}":           {pieces: []string{"FROM ", ""}, tables: []string{"orders"}},
		"{{a}} x {{b_c}} y {{a}} z": {pieces: []string{"", " x ", " y ", " z"}, tables: []string{"a", "b_c", "a"}},
		"$first < $last, $first":    {pieces: []string{"$first < $last, $first"}, params: []string{"first", "last"}},
		"-- heavy: all rows\n{{a}}": {pieces: []string{"-- heavy: all rows\n", ""}, tables: []string{"a"}, heavy: true},
		"x -- heavy: no header":     {pieces: []string{"x -- heavy: no header"}},
	} {
		if diff := cmp.Diff(&want, newQuestion(text), cmp.AllowUnexported(question{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestAdjacentWindowsHaveNoGapAndNoCommonDay(t *testing.T) {
	t.Parallel()
	day := civil.New(2026, 3, 10)
	from := func(first, last int) civil.Range {
		return civil.Range{First: day.AddDays(first), Last: day.AddDays(last)}
	}
	for name, c := range map[string]struct {
		earlier, recent civil.Range
		want            bool
	}{
		"the previous period":          {from(-7, -1), from(0, 6), true},
		"windows of different lengths": {from(-1, -1), from(0, 6), true},
		"a gap":                        {from(-8, -2), from(0, 6), false},
		"a common day":                 {from(-6, 0), from(0, 6), false},
		"the other order":              {from(7, 13), from(0, 6), false},
		"no earlier window":            {civil.Range{}, from(0, 6), false},
		"an empty earlier window":      {from(0, -1), from(0, 6), false},
		"an empty recent window":       {from(-7, -1), from(0, -1), false},
		"no window":                    {civil.Range{}, civil.Range{}, false},
	} {
		if got := (Windows{Recent: c.recent, Earlier: c.earlier}).adjacent(); got != c.want {
			t.Errorf("%s: %s before %s is adjacent: %t, want %t", name, c.earlier, c.recent, got, c.want)
		}
	}
}
