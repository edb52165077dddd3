package ads

import "time"

// Settlement is the conclusion from a live read about a write with an unknown outcome.
type Settlement string

// The settlements.
const (
	SettleApplied Settlement = "applied" // the new value is live
	SettleFailed  Settlement = "failed"  // the old value is live and the write can no longer arrive
	SettleWait    Settlement = "wait"    // the old value is live, but the write may still arrive
	SettleUnread  Settlement = "unread"  // the live value could not be read
	SettleUnknown Settlement = "unknown" // another value is live; a person decides
)

// Grace is the time after the deadline of a write during which the platform may still execute the write.
const Grace = 5 * time.Second

// Lag is the time after a confirmed write during which the platform may still return the old value. It ends [Grace]
// before the last read, so only the last read settles a confirmed write as failed.
const Lag = time.Minute - Grace

// Settle draws a conclusion from the live value and the values before and after the change. The parameter live is nil
// if the value could not be read. The parameter sinceDeadline is the time from the deadline of the write to the read.
// It is negative before the deadline. For a row that no process is writing, sinceDeadline is the time since the first
// read.
func Settle(before, after Value, live *Value, sinceDeadline time.Duration) Settlement {
	switch {
	case live == nil:
		return SettleUnread
	case *live == after:
		return SettleApplied
	case *live != before:
		return SettleUnknown
	case sinceDeadline < Grace:
		return SettleWait
	}
	return SettleFailed
}

// looks lists the times of the reads of the live value, counted as in [NextLook].
var looks = []time.Duration{0, time.Second, 5 * time.Second, 15 * time.Second, 60 * time.Second}

// NextLook returns the time of the n-th read of the live value, starting with n = 0. The time is counted from the
// unknown outcome or from the start of the process. The parameter untilDeadline is the time from the same start to the
// deadline of the write. If the deadline plus [Grace] is after the last read, NextLook adds one more read at that time.
// The result more is false if there is no n-th read.
func NextLook(n int, untilDeadline time.Duration) (after time.Duration, more bool) {
	if n < len(looks) {
		return looks[n], true
	}
	last := untilDeadline + Grace
	return last, n == len(looks) && last > looks[n-1]
}
