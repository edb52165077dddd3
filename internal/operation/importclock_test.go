package operation

import (
	"testing"
	"time"
)

// A demo store may have a fixed day. Rows up to that day are not in the future, nor are rows up to the real day.
func TestImportsUseTheLaterOfTwoClocks(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 11, 2, 0, 0, 0, time.UTC)
	clock := func(at time.Time) func() time.Time { return func() time.Time { return at } }
	for name, c := range map[string]struct {
		answers func() time.Time
		want    time.Time
	}{
		"one clock":               {nil, now},
		"a fixed day to come":     {clock(now.AddDate(0, 1, 0)), now.AddDate(0, 1, 0)},
		"a fixed day in the past": {clock(now.AddDate(0, -1, 0)), now},
	} {
		r := &Run{Service: &Service{Control: Control{Now: clock(now)}, Facts: Facts{Clock: c.answers}}}
		if got := r.importClock(); !got.Equal(c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
