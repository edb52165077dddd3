package warehouse

import (
	"context"
	"fmt"
	"strings"

	"assay/internal/civil"
	"assay/internal/measure"
)

// Segment is a part of the orders: first orders of customers, later orders, or orders without a customer.
type Segment string

// The constants are the segments of customers. The empty segment selects all three segments.
const (
	NewCustomers       Segment = "new"
	ReturningCustomers Segment = "returning"
	UnknownCustomers   Segment = "unknown" // orders without a customer, and refunds of orders that the store does not have
)

// Segments lists the segments.
func Segments() []Segment { return []Segment{NewCustomers, ReturningCustomers, UnknownCustomers} }

// SegmentTotals are the totals of all segments.
type SegmentTotals struct{ New, Returning, Unknown measure.Sums }

// Of returns the totals of a segment, or of all segments if the segment is empty.
func (t SegmentTotals) Of(s Segment) measure.Sums {
	if s != "" {
		return *t.of(s)
	}
	return t.New.Add(t.Returning).Add(t.Unknown)
}

func (t *SegmentTotals) of(s Segment) *measure.Sums {
	switch s {
	case NewCustomers:
		return &t.New
	case ReturningCustomers:
		return &t.Returning
	case UnknownCustomers:
	}
	return &t.Unknown
}

// SegmentTotals returns the totals of each segment in each window. With a channel, it includes only the orders that
// last touch attributes to the channel. The totals of the segments add up to the total of the store, or of the channel
// under last touch.
func (w *customerQuestions) SegmentTotals(ctx context.Context, ws measure.WorkspaceID, channel measure.Channel, in Windows) (Pair[SegmentTotals], error) {
	bind := in.bind()
	bind["channel"] = string(channel)
	var totals Pair[SegmentTotals]
	err := w.ask(ctx, ws, "segment_totals", bind, func(row Row) error {
		var period int
		var segment Segment
		var sums measure.Sums
		err := row.Scan(append([]any{&period, &segment}, sumsOf(&sums)...)...)
		*totals.of(period).of(segment) = sums
		return err
	})
	return totals, err
}

// SegmentChannels returns the totals of each segment in the period, by last-touch channel.
func (w *customerQuestions) SegmentChannels(ctx context.Context, ws measure.WorkspaceID, days civil.Range) (map[measure.Channel]SegmentTotals, error) {
	totals := map[measure.Channel]SegmentTotals{}
	err := w.ask(ctx, ws, "segment_channels", bindDays(days), func(row Row) error {
		var channel measure.Channel
		var segment Segment
		var sums measure.Sums
		err := row.Scan(append([]any{&channel, &segment}, sumsOf(&sums)...)...)
		t := totals[channel]
		*t.of(segment) = sums
		totals[channel] = t
		return err
	})
	return totals, err
}

// CohortMonth is the number of active customers of a cohort in a month.
type CohortMonth struct {
	Cohort civil.Date // first day of the month of the customers' first orders
	Month  civil.Date // first day of the month of activity; for Cohort itself, Active is the cohort's size
	Active int64      // customers
	Orders int64      // whole orders
}

// Cohorts returns the activity of the cohorts with a first day in the period, sorted by cohort and month. With a
// channel, it includes only customers with this last-touch channel on their first order.
func (w *customerQuestions) Cohorts(ctx context.Context, ws measure.WorkspaceID, channel measure.Channel, months civil.Range) ([]CohortMonth, error) {
	bind := bindDays(months)
	bind["channel"] = string(channel)
	var out []CohortMonth
	err := w.ask(ctx, ws, "cohorts", bind, func(row Row) error {
		var c CohortMonth
		err := row.Scan(&c.Cohort, &c.Month, &c.Active, &c.Orders)
		out = append(out, c)
		return err
	})
	return out, err
}

// Panel contains the customers of a store. For a large store, it contains only the customers with the smallest keys.
// Keys are keyed hashes, so this sample is stable and equivalent to a random sample.
type Panel struct {
	Customers []PanelCustomer
	Everybody int64 // number of customers of the store
}

// PanelCustomer is an anonymous customer.
type PanelCustomer struct {
	FirstDay civil.Date
	Channel  measure.Channel // channel of the first order by last touch
	Days     []PanelDay      // by day
}

// PanelDay contains a customer's totals on a day with orders or refunds.
type PanelDay struct {
	Day      civil.Date
	Orders   int64 // whole orders
	Charged  int64
	Tax      int64
	Shipping int64
	Refunds  int64
	Net      int64 // amount charged for order lines
	Costed   int64 // part of Net with a known cost
	Cost     int64
}

// Panel returns the customers of the panel.
func (w *customerQuestions) Panel(ctx context.Context, ws measure.WorkspaceID) (Panel, error) {
	var p Panel
	var size int64
	err := w.ask(ctx, ws, "panel_size", nil, func(row Row) error { return row.Scan(&size, &p.Everybody) })
	if err != nil {
		return Panel{}, fmt.Errorf("size of the panel: %w", err)
	}
	ids := make(map[int64]int, size)
	p.Customers = make([]PanelCustomer, 0, size)
	err = w.ask(ctx, ws, "panel_customers", nil, func(row Row) error {
		var id int64
		var c PanelCustomer
		err := row.Scan(&id, &c.FirstDay, &c.Channel)
		ids[id] = len(p.Customers)
		p.Customers = append(p.Customers, c)
		return err
	})
	if err != nil {
		return Panel{}, fmt.Errorf("customers of the panel: %w", err)
	}
	err = w.ask(ctx, ws, "panel_days", nil, func(row Row) error {
		var id int64
		var d PanelDay
		err := row.Scan(&id, &d.Day, &d.Orders, &d.Charged, &d.Tax, &d.Shipping, &d.Refunds, &d.Net, &d.Costed, &d.Cost)
		if at, ok := ids[id]; ok {
			p.Customers[at].Days = append(p.Customers[at].Days, d)
		}
		return err
	})
	if err != nil {
		return Panel{}, fmt.Errorf("days of the panel: %w", err)
	}
	return p, nil
}

// PathTotal is a conversion path and the totals of its orders.
type PathTotal struct {
	Channels []measure.Channel // oldest first; consecutive touchpoints of one channel are merged
	Sums     measure.Sums
	Touches  int64 // touchpoints of all orders with this path
	Seconds  int64 // sum over the orders, from first touchpoint to order
}

// pathSeparator separates the channels of a path. No channel name contains it.
const pathSeparator = "\x1f"

// channelsOf splits a path into its channels.
func channelsOf(path string) []measure.Channel {
	channels := make([]measure.Channel, 0, strings.Count(path, pathSeparator)+1)
	for name := range strings.SplitSeq(path, pathSeparator) {
		channels = append(channels, measure.Channel(name))
	}
	return channels
}

// Paths returns the conversion paths of the orders in each window, sorted by the paths' channels. A refund has its own
// day and the path of its order.
func (w *customerQuestions) Paths(ctx context.Context, ws measure.WorkspaceID, segment Segment, in Windows) (Pair[[]PathTotal], error) {
	bind := in.bind()
	bind["segment"] = string(segment)
	var totals Pair[[]PathTotal]
	err := w.ask(ctx, ws, "paths", bind, func(row Row) error {
		var period int
		var path string
		var t PathTotal
		err := row.Scan(append(append([]any{&period, &path}, sumsOf(&t.Sums)...), &t.Touches, &t.Seconds)...)
		t.Channels = channelsOf(path)
		rows := totals.of(period)
		*rows = append(*rows, t)
		return err
	})
	return totals, err
}

// PathsOf selects conversion paths.
type PathsOf struct {
	Windows Windows // totals are for both windows, paths for the recent one
	Segment Segment
	Channel measure.Channel // only paths with this channel; "": all
	Limit   int             // 0: all
	Offset  int
}

// PathRanking contains the most frequent conversion paths of a window, and the totals of all paths.
type PathRanking struct {
	First  PathTotal     // the most frequent path; without channels if there is no path
	Paths  []PathTotal   // the selected paths, most orders first
	Ranked int64         // number of paths
	Totals Pair[Touched] // totals of all paths
}

// Touched contains the number of orders with touchpoints and the number of these touchpoints.
type Touched struct {
	Orders  int64 // millionths
	Touches int64
}

// TopPaths returns the most frequent conversion paths. A large store has almost as many paths as orders, so most calls
// read only the most frequent paths.
func (w *customerQuestions) TopPaths(ctx context.Context, ws measure.WorkspaceID, of PathsOf) (PathRanking, error) {
	var r PathRanking
	bind := of.Windows.bind()
	of.bindTo(bind)
	question := "path_totals"
	if of.Channel != "" { // a search in all paths, which takes longer
		question = "path_totals_met"
	}
	err := w.ask(ctx, ws, question, bind, func(row Row) error {
		var period int
		var t Touched
		err := row.Scan(&period, &t.Orders, &t.Touches)
		*r.Totals.of(period) = t
		return err
	})
	if err != nil {
		return PathRanking{}, fmt.Errorf("sums of journeys: %w", err)
	}
	ranks, err := w.pathRanks(ctx, ws, of)
	if err != nil {
		return PathRanking{}, fmt.Errorf("ranks of journeys: %w", err)
	}
	for _, rank := range ranks {
		r.Ranked += rank.paths
	}
	if of.Offset > 0 {
		first := of
		first.Limit, first.Offset = 1, 0
		top, err := w.topPaths(ctx, ws, first, ranks)
		if err != nil || len(top) == 0 {
			return r, err
		}
		r.First = top[0]
	}
	if r.Paths, err = w.topPaths(ctx, ws, of, ranks); err != nil {
		return PathRanking{}, err
	}
	if of.Offset == 0 && len(r.Paths) > 0 {
		r.First = r.Paths[0]
	}
	return r, nil
}

func (of PathsOf) bindTo(bind values) {
	bind["segment"], bind["separator"], bind["met"] = string(of.Segment), pathSeparator, ""
	if of.Channel != "" {
		bind["met"] = pathSeparator + string(of.Channel) + pathSeparator
	}
}

// pathRank describes the paths with the same number of orders, and the range of their keys.
type pathRank struct{ orders, paths, lowest, highest int64 }

// pathRanks returns the number of paths by number of orders, most orders first.
func (w *customerQuestions) pathRanks(ctx context.Context, ws measure.WorkspaceID, of PathsOf) (ranks []pathRank, err error) {
	bind := bindDays(of.Windows.Recent)
	of.bindTo(bind)
	question := "path_ranks"
	if of.Channel != "" {
		question = "path_ranks_met"
	}
	err = w.ask(ctx, ws, question, bind, func(row Row) error {
		var r pathRank
		err := row.Scan(&r.orders, &r.paths, &r.lowest, &r.highest)
		ranks = append(ranks, r)
		return err
	})
	return ranks, err
}

// topPaths returns a page of the ranking. It uses the ranks to read only paths that may be on this page or on earlier
// pages.
func (w *customerQuestions) topPaths(ctx context.Context, ws measure.WorkspaceID, of PathsOf, ranks []pathRank) ([]PathTotal, error) {
	if len(ranks) == 0 {
		return nil, nil
	}
	bind := bindDays(of.Windows.Recent)
	of.bindTo(bind)
	limit := orAll(of.Limit)
	bind["limit"], bind["offset"] = limit, of.Offset
	upTo := ranks[0]
	for _, rank := range ranks[1:] {
		if upTo.paths >= int64(of.Offset+limit) {
			break
		}
		upTo = pathRank{rank.orders, upTo.paths + rank.paths, min(upTo.lowest, rank.lowest), max(upTo.highest, rank.highest)}
	}
	bind["least"], bind["lowest"], bind["highest"] = upTo.orders, upTo.lowest, upTo.highest
	var paths []PathTotal
	err := w.ask(ctx, ws, "path_tops", bind, func(row Row) error {
		var path string
		var t PathTotal
		err := row.Scan(append(append([]any{&path}, sumsOf(&t.Sums)...), &t.Touches, &t.Seconds)...)
		t.Channels = channelsOf(path)
		paths = append(paths, t)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("most frequent journeys: %w", err)
	}
	return paths, nil
}

// JourneyCount is the number of orders with the same number of touchpoints and time to conversion.
type JourneyCount struct {
	Touches int64
	LagDays int64 // whole days from the first touchpoint to the order
	Orders  int64 // whole orders
}

// Journeys returns the number of orders by number of touchpoints and time to conversion, sorted by both.
func (w *customerQuestions) Journeys(ctx context.Context, ws measure.WorkspaceID, segment Segment, days civil.Range) ([]JourneyCount, error) {
	bind := bindDays(days)
	bind["segment"] = string(segment)
	var out []JourneyCount
	err := w.ask(ctx, ws, "journeys", bind, func(row Row) error {
		var c JourneyCount
		err := row.Scan(&c.Touches, &c.LagDays, &c.Orders)
		out = append(out, c)
		return err
	})
	return out, err
}
