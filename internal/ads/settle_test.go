package ads

import (
	"testing"
	"time"

	"assay/internal/money"
)

func TestLiveValueSettlesAnUnknownOutcome(t *testing.T) {
	t.Parallel()
	budget := func(minor int64) Value { return Value{Amount: money.Amount{Minor: minor, Currency: "USD"}} }
	status := func(s Status) Value { return Value{Status: s} }
	euros := Value{Amount: money.Amount{Minor: 6000, Currency: "EUR"}}
	for _, c := range []struct {
		name          string
		before, after Value
		live          *Value
		since         time.Duration
		want          Settlement
	}{
		{"new value before the deadline", budget(5000), budget(6000), new(budget(6000)), -30 * time.Second, SettleApplied},
		{"new value after the deadline", budget(5000), budget(6000), new(budget(6000)), time.Hour, SettleApplied},
		{"old value before the deadline", budget(5000), budget(6000), new(budget(5000)), -time.Second, SettleWait},
		{"old value at the deadline", budget(5000), budget(6000), new(budget(5000)), 0, SettleWait},
		{"old value just before the end of the grace", budget(5000), budget(6000), new(budget(5000)), Grace - 1, SettleWait},
		{"old value at the end of the grace", budget(5000), budget(6000), new(budget(5000)), Grace, SettleFailed},
		{"third value before the deadline", budget(5000), budget(6000), new(budget(7000)), -time.Second, SettleUnknown},
		{"third value after the deadline", budget(5000), budget(6000), new(budget(7000)), time.Hour, SettleUnknown},
		{"same number in another currency", budget(5000), budget(6000), &euros, time.Hour, SettleUnknown},
		{"budget without a daily amount", budget(5000), budget(6000), new(Value{}), time.Hour, SettleUnknown},
		{"no live value before the deadline", budget(5000), budget(6000), nil, -time.Second, SettleUnread},
		{"no live value after the deadline", budget(5000), budget(6000), nil, time.Hour, SettleUnread},
		{"paused", status(Active), status(Paused), new(status(Paused)), 0, SettleApplied},
		{"still active", status(Active), status(Paused), new(status(Active)), Grace, SettleFailed},
		{"archived meanwhile", status(Active), status(Paused), new(status(Archived)), Grace, SettleUnknown},
		{"unknown status", status(Active), status(Paused), new(status(UnknownStatus)), Grace, SettleUnknown},
	} {
		if got := Settle(c.before, c.after, c.live, c.since); got != c.want {
			t.Errorf("%s: Settle = %s, want %s", c.name, got, c.want)
		}
	}
}

func TestLooksEndAfterTheDeadline(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		untilDeadline time.Duration
		want          []time.Duration
	}{
		{0, []time.Duration{0, 1, 5, 15, 60}},
		{-time.Hour, []time.Duration{0, 1, 5, 15, 60}},
		{55 * time.Second, []time.Duration{0, 1, 5, 15, 60}},
		{56 * time.Second, []time.Duration{0, 1, 5, 15, 60, 61}},
		{2 * time.Minute, []time.Duration{0, 1, 5, 15, 60, 125}},
	} {
		for n, want := range c.want {
			if got, more := NextLook(n, c.untilDeadline); got != want*time.Second || !more {
				t.Errorf("NextLook(%d, %s) = %s, %v; want %ds", n, c.untilDeadline, got, more, want)
			}
		}
		for n := len(c.want); n < len(c.want)+3; n++ {
			if got, more := NextLook(n, c.untilDeadline); more {
				t.Errorf("NextLook(%d, %s) = %s, want the end of the series", n, c.untilDeadline, got)
			}
		}
		last := c.want[len(c.want)-1] * time.Second
		if since := last - c.untilDeadline; since < Grace {
			t.Errorf("the last look is %s after the deadline, want %s or more", since, Grace)
		}
	}
}
