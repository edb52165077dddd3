package toolkit

import (
	"fmt"
	"strings"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/snapshot"
)

// WarnUntouched warns that no order has a channel and suggests a call for the platform-reported figures.
func (c *Call) WarnUntouched(a *answer.Closing, w civil.Range, channel measure.Channel) {
	text := "No order is attributed to any channel, so channel revenue and ROAS are unknown"
	if c.Store.AdDays.Days() == 0 {
		a.Warn(answer.WarnNoTouchpoints, text+".")
		return
	}
	a.Warn(answer.WarnNoTouchpoints, text+". The platform_reported model shows platform-reported figures.")
	arguments := With(Dated(w), "model", string(measure.PlatformReported))
	if channel != "" {
		arguments["channel"] = string(channel)
	}
	c.Suggest(a, "performance", arguments, "See platform-reported figures.")
}

// UnknownRevenueSummary returns the summary for a channel when no order has a channel.
func (c *Call) UnknownRevenueSummary(channel measure.Channel, days civil.Range, now snapshot.Total) string {
	if !now.SpendKnown {
		return fmt.Sprintf("Revenue of %s %s is unknown: no order is attributed to any channel.", answer.ChannelName(channel), answer.Dates(days))
	}
	return fmt.Sprintf("Spend on %s was %s %s. The channel's revenue is unknown because no order is attributed to any channel.",
		answer.ChannelName(channel), c.Amount(now.Spend), answer.Dates(days))
}

// WarnSpend warns that spend is unknown. It does not warn for channels without ad reports, such as email.
func (c *Call) WarnSpend(a *answer.Closing, now snapshot.Total, channel measure.Channel) {
	if v, ok := c.Store.Volume(channel); now.SpendKnown || channel != "" && (!ok || v.SpendDays == 0) {
		return
	}
	a.Warn(answer.WarnSpendUnknown, "No ad report covers the period: spend and ROAS are unknown, not zero.")
}

// WarnDays warns about the days of a window: an incomplete day, days without data, days that platforms may still
// restate, and refunds without a date.
func (c *Call) WarnDays(a *answer.Closing, w civil.Range, undated int64, withAds bool) {
	c.WarnPartial(a, w)
	c.warnEnd(a, w)
	if withAds {
		c.WarnStale(a, w)
		c.WarnProvisional(a, w)
	}
	if undated > 0 {
		a.Warn(answer.WarnUndatedRefunds, fmt.Sprintf("Refunds of %s have no date and are reported on the order date.",
			c.Amount(undated)))
	}
}

// WarnBefore warns that the previous window starts before the store's first order, or, with ads, before its first
// spend. The figures of the previous window and the changes from it are then absent. If one kind of data starts inside
// the window and other data start earlier, figures of the window may be incomplete.
func (c *Call) WarnBefore(a *answer.Closing, w civil.Range, withAds bool) {
	text := c.lateStart(w, "Orders", "values", snapshot.FromOrders)
	if withAds {
		text += c.lateStart(w, "Ad reports", "spend and ROAS", snapshot.FromAds, snapshot.FromSpend)
	}
	c.warnStart(a, text)
}

// WarnStart warns that the previous window starts before the store's first data from a kind of source. The answer then
// omits the figures of the previous window and the changes from them.
func (c *Call) WarnStart(a *answer.Closing, w civil.Range, what, kind string) {
	c.warnStart(a, c.lateStart(w, what, "values", kind))
}

func (c *Call) warnStart(a *answer.Closing, text string) {
	if text != "" {
		a.Warn(answer.WarnDataStart, strings.TrimSpace(text))
	}
}

// lateStart returns a sentence if the store's data of these kinds of sources start late. Late means after the start of
// the previous window and no later than the end of the window w.
func (c *Call) lateStart(w civil.Range, what, figures string, kinds ...string) string {
	before, first := w.Previous(), c.Store.FirstDay(kinds...)
	if w.Last.Before(first) {
		return ""
	}
	return c.startsLate(before, "the previous period", what, figures, kinds...) + startsInside(c.Store, w, "this period", what, figures, kinds...)
}

// startsLate returns a sentence if the store's data of these kinds of sources start after the start of a window.
func (c *Call) startsLate(before civil.Range, window, what, figures string, kinds ...string) string {
	first := c.Store.FirstDay(kinds...)
	if first.IsZero() || !before.First.Before(first) {
		return ""
	}
	return fmt.Sprintf(" %s start on %s, after the start of %s (%s). Previous %s and their changes are absent.",
		what, first, window, before.First, figures)
}

// startsInside returns a sentence if the store's data of these kinds of sources start inside a window, after other data
// of the store. Ratios such as ROAS then divide figures of different days.
func startsInside(store snapshot.Contents, w civil.Range, window, what, figures string, kinds ...string) string {
	first := store.FirstDay(kinds...)
	if !w.Contains(first) || first == w.First || !store.Days().First.Before(first) {
		return ""
	}
	return fmt.Sprintf(" The %s of %s may be incomplete: before %s, there are no %s.", figures, window, first, strings.ToLower(what))
}

// WarnPeriod adds the warnings of [Call.WarnBefore] for a period that the caller compares with the window w.
func (c *Call) WarnPeriod(a *answer.Closing, earlier, w civil.Range) {
	of := func(what, figures string, kinds ...string) string {
		return c.startsLate(earlier, "period 1", what, figures, kinds...) + startsInside(c.Store, w, "period 2", what, figures, kinds...)
	}
	c.warnStart(a, of("Orders", "values", snapshot.FromOrders)+of("Ad reports", "spend and ROAS", snapshot.FromAds, snapshot.FromSpend))
}

// WarnPartial warns that the window includes today.
func (c *Call) WarnPartial(a *answer.Closing, w civil.Range) {
	if w.Contains(c.Today) {
		a.Warn(answer.WarnPartialDay, fmt.Sprintf("%s is incomplete, so totals and changes are too low.", c.Today))
	}
}

// warnEnd warns that the store has no orders on the last complete days of the window, or on all days of the window.
func (c *Call) warnEnd(a *answer.Closing, w civil.Range) {
	last := c.Store.OrderDays.Last
	end := w.Last
	if !end.Before(c.Today) {
		end = c.Today.AddDays(-1)
	}
	if !last.IsZero() && last.Before(end) && !end.Before(w.First) {
		a.Warn(answer.WarnDataEnd, fmt.Sprintf("The last order is from %s: later days have no orders.", last))
	}
}

// WarnStale warns of ad reports that end inside the window.
func (c *Call) WarnStale(a *answer.Closing, w civil.Range) {
	var late []string
	for _, s := range c.Store.Sources {
		expected := c.Today.AddDays(-2)
		if w.Last.Before(expected) {
			expected = w.Last
		}
		if s.Kind == snapshot.FromAds && s.Days.Last.Before(expected) && !s.Days.Last.Before(w.First) {
			late = append(late, fmt.Sprintf("%s (%s)", answer.Clean(s.Source), s.Days.Last))
		}
	}
	if len(late) > 0 {
		a.Warn(answer.WarnSourceStale, "Spend is missing after the last reported day of "+answer.Listed(late)+".")
	}
}

// WarnProvisional warns of days in the window that ad platforms may still restate, including restatements that were
// observed after a platform's documented window.
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
		text = fmt.Sprintf("Ad figures %s are provisional: platforms may still restate them.", answer.Dates(days)) + text
	}
	if text != "" {
		a.Warn(answer.WarnProvisional, strings.TrimSpace(text))
	}
}

// ExplainEmpty returns the summary of an answer without rows, with the reason and a next call.
func (c *Call) ExplainEmpty(a *answer.Closing, w civil.Range) string {
	have := c.Store.Days()
	c.Suggest(a, "diagnose", map[string]any{}, "Check which data are missing.")
	if c.Store.Empty() {
		a.Warn(answer.WarnNoData, "No data have been imported into this workspace.")
		return "No data have been imported into this workspace."
	}
	if have.Intersect(w).Days() == 0 {
		a.Warn(answer.WarnNoData, fmt.Sprintf("The store's data cover %s to %s.", have.First, have.Last))
		return fmt.Sprintf("There are no data from %s to %s. The store's data cover %s to %s.", w.First, w.Last, have.First, have.Last)
	}
	a.Warn(answer.WarnNoData, "No data in this period match the request.")
	return fmt.Sprintf("No data from %s to %s match the request.", w.First, w.Last)
}
