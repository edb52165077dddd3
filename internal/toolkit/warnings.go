package toolkit

import (
	"fmt"
	"strings"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/snapshot"
)

// WarnUntouched says that no order names its channel, and offers what platforms claim before anything else.
func (c *Call) WarnUntouched(a *answer.Closing, w civil.Range, channel measure.Channel) {
	text := "No order says which channel it came from, so channel revenue and ROAS cannot be told"
	if c.Store.AdDays.Days() == 0 {
		a.Warn(answer.WarnNoTouchpoints, text+".")
		return
	}
	a.Warn(answer.WarnNoTouchpoints, text+"; model=platform_reported shows what platforms claim.")
	arguments := With(Dated(w), "model", string(measure.PlatformReported))
	if channel != "" {
		arguments["channel"] = string(channel)
	}
	c.Suggest(a, "performance", arguments, "See what the platforms claim.")
}

// UntoldSummary is what there is to say of a channel when no order names one.
func (c *Call) UntoldSummary(channel measure.Channel, days civil.Range, now snapshot.Total) string {
	if !now.SpendKnown {
		return fmt.Sprintf("What %s brought %s cannot be told: no order says which channel it came from.", answer.ChannelName(channel), answer.Dates(days))
	}
	return fmt.Sprintf("%s spent %s %s; what it brought cannot be told, because no order says which channel it came from.",
		answer.ChannelName(channel), c.Amount(now.Spend), answer.Dates(days))
}

// WarnSpend says that spend is not known where it is a part of the question. A channel that no ad platform runs, such
// as mail, is not expected to have any.
func (c *Call) WarnSpend(a *answer.Closing, now snapshot.Total, channel measure.Channel) {
	if v, ok := c.Store.Volume(channel); now.SpendKnown || channel != "" && (!ok || v.SpendDays == 0) {
		return
	}
	a.Warn(answer.WarnSpendUnknown, "No ad report covers the period: spend and ROAS are unknown, which is not zero.")
}

// WarnDays says what there is to know about the days of a window: a day that is not over, days without data, days that
// platforms may still change, refunds without a date.
func (c *Call) WarnDays(a *answer.Closing, w civil.Range, undated int64, withAds bool) {
	c.WarnPartial(a, w)
	c.warnEnd(a, w)
	if withAds {
		c.WarnStale(a, w)
		c.WarnProvisional(a, w)
	}
	if undated > 0 {
		a.Warn(answer.WarnUndatedRefunds, fmt.Sprintf("%s of refunds have no date and are dated by their orders.",
			c.Amount(undated)))
	}
}

// WarnBefore tells of a window before that the store's orders do not fill, so that a change against it says little.
func (c *Call) WarnBefore(a *answer.Closing, w civil.Range) {
	first := c.Store.OrderDays.First
	if !first.IsZero() && w.Previous().First.Before(first) && !w.Last.Before(first) {
		a.Warn(answer.WarnDataStart, fmt.Sprintf("Orders begin on %s: the window before is not whole, and changes against it say little.", first))
	}
}

// WarnPartial says that today is not over.
func (c *Call) WarnPartial(a *answer.Closing, w civil.Range) {
	if w.Contains(c.Today) {
		a.Warn(answer.WarnPartialDay, fmt.Sprintf("%s is not over: changes against whole days look worse than they are.", c.Today))
	}
}

// warnEnd tells of whole days at the window's end on which the store has no orders at all.
func (c *Call) warnEnd(a *answer.Closing, w civil.Range) {
	last := c.Store.OrderDays.Last
	end := w.Last
	if !end.Before(c.Today) {
		end = c.Today.AddDays(-1)
	}
	if !last.IsZero() && !last.Before(w.First) && last.Before(end) {
		a.Warn(answer.WarnDataEnd, fmt.Sprintf("The last order is of %s: later days have no orders.", last))
	}
}

// WarnStale tells of ad reports that end inside the window.
func (c *Call) WarnStale(a *answer.Closing, w civil.Range) {
	var late []string
	for _, s := range c.Store.Sources {
		expected := c.Today.AddDays(-2)
		if w.Last.Before(expected) {
			expected = w.Last
		}
		if s.Kind == snapshot.FromAds && s.Days.Last.Before(expected) && !s.Days.Last.Before(w.First) {
			late = append(late, fmt.Sprintf("%s %s", answer.Clean(s.Source), s.Days.Last))
		}
	}
	if len(late) > 0 {
		a.Warn(answer.WarnSourceStale, "Spend is missing after the last reports: "+answer.Listed(late)+".")
	}
}

// WarnProvisional tells of days that ad platforms may still restate: so many before today, as far as their reports
// and the window reach. Where one was seen to do so later than it is known for, it says that too.
func (c *Call) WarnProvisional(a *answer.Closing, w civil.Range) {
	var days civil.Range
	for _, s := range c.Store.Sources {
		if s.Kind == snapshot.FromAds {
			open := civil.Range{First: s.Platform.FirstProvisional(c.Today), Last: s.Days.Last}
			days = days.Span(open.Intersect(w))
		}
	}
	text := c.stillGrowing(w)
	if days.Days() > 0 {
		text = fmt.Sprintf("Platforms may still change what they report %s.", answer.Dates(days)) + text
	}
	if text != "" {
		a.Warn(answer.WarnProvisional, strings.TrimSpace(text))
	}
}

// ExplainEmpty says why there are no rows, and where to look.
func (c *Call) ExplainEmpty(a *answer.Closing, w civil.Range) string {
	have := c.Store.Days()
	c.Suggest(a, "diagnose", map[string]any{}, "See what the store has and what is missing.")
	if c.Store.Empty() {
		a.Warn(answer.WarnNoData, "Nothing was imported into this workspace yet.")
		return "There are no data yet: nothing was imported into this workspace."
	}
	if have.Intersect(w).Days() == 0 {
		a.Warn(answer.WarnNoData, fmt.Sprintf("The store's data reach from %s to %s.", have.First, have.Last))
		return fmt.Sprintf("There are no data from %s to %s; the store's data reach from %s to %s.", w.First, w.Last, have.First, have.Last)
	}
	a.Warn(answer.WarnNoData, "Nothing in this window matches.")
	return fmt.Sprintf("There is nothing to show from %s to %s.", w.First, w.Last)
}
