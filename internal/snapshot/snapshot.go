// Package snapshot reads and calculates the data of one workspace at one version of its data, settings, model and
// experiments. The data are totals, series, customer panels, cohorts, results of experiments, and forecasts. The
// package caches these data. Tools, pages and jobs use snapshots. The package contains no user-facing text.
package snapshot

import (
	"context"
	"slices"
	"time"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/measure"
	"assay/internal/measure/attribution"
	"assay/internal/measure/mix"
	"assay/internal/measure/reportlag"
	"assay/internal/warehouse"
)

// Facts are the warehouse queries of the tools. [warehouse.Warehouse] implements them.
type Facts interface {
	ChannelTotals(ctx context.Context, ws measure.WorkspaceID, model measure.Model, in warehouse.Windows) (
		warehouse.Pair[[]warehouse.ChannelTotal], error)
	ChannelBriefs(ctx context.Context, ws measure.WorkspaceID, model measure.Model, in warehouse.Windows) (
		warehouse.Pair[[]warehouse.ChannelTotal], error)
	StoreDays(ctx context.Context, ws measure.WorkspaceID, days civil.Range) ([]warehouse.DayTotal, error)
	GoodsDays(ctx context.Context, ws measure.WorkspaceID, days civil.Range) ([]measure.Goods, error)
	ChannelDays(ctx context.Context, ws measure.WorkspaceID, model measure.Model, days civil.Range,
		channels ...measure.Channel) ([]warehouse.ChannelDay, error)
	Campaigns(ctx context.Context, ws measure.WorkspaceID, of warehouse.CampaignsOf) (warehouse.CampaignPage, error)
	AdHistory(ctx context.Context, ws measure.WorkspaceID, of measure.AdHistoryOf) (measure.AdHistory, error)
	Products(ctx context.Context, ws measure.WorkspaceID, of warehouse.ProductsOf) (warehouse.ProductPage, error)
	ProductSpans(ctx context.Context, ws measure.WorkspaceID, in warehouse.Windows) (
		warehouse.Pair[[]warehouse.ProductSpan], error)
	CouponChannel(ctx context.Context, ws measure.WorkspaceID, code string) (warehouse.CouponChannel, error)
	Coupons(ctx context.Context, ws measure.WorkspaceID, of warehouse.CouponsOf) (warehouse.CouponPage, error)
	SegmentTotals(ctx context.Context, ws measure.WorkspaceID, channel measure.Channel, in warehouse.Windows) (
		warehouse.Pair[warehouse.SegmentTotals], error)
	SegmentChannels(ctx context.Context, ws measure.WorkspaceID, days civil.Range) (
		map[measure.Channel]warehouse.SegmentTotals, error)
	Cohorts(ctx context.Context, ws measure.WorkspaceID, channel measure.Channel, months civil.Range) (
		[]warehouse.CohortMonth, error)
	Panel(ctx context.Context, ws measure.WorkspaceID) (warehouse.Panel, error)
	TopPaths(ctx context.Context, ws measure.WorkspaceID, of warehouse.PathsOf) (warehouse.PathRanking, error)
	Paths(ctx context.Context, ws measure.WorkspaceID, segment warehouse.Segment, in warehouse.Windows) (
		warehouse.Pair[[]warehouse.PathTotal], error)
	Journeys(ctx context.Context, ws measure.WorkspaceID, segment warehouse.Segment, days civil.Range) (
		[]warehouse.JourneyCount, error)
	Answers(ctx context.Context, ws measure.WorkspaceID, of warehouse.AnswersOf) (warehouse.AnswerSummary, error)
	AnswerRows(ctx context.Context, ws measure.WorkspaceID, of warehouse.AnswersOf) (warehouse.AnswerPage, error)
	MessageTotals(ctx context.Context, ws measure.WorkspaceID, in warehouse.Windows) (
		warehouse.Pair[[]warehouse.MessageTotal], error)
	Messages(ctx context.Context, ws measure.WorkspaceID, of warehouse.MessagesOf) ([]warehouse.MessageEntity, error)
	Creators(ctx context.Context, ws measure.WorkspaceID) ([]warehouse.CreatorProfile, error)
	CreatorTotals(ctx context.Context, ws measure.WorkspaceID, in warehouse.Windows) (
		warehouse.Pair[warehouse.CreatorTotals], error)
	SurfaceTotals(ctx context.Context, ws measure.WorkspaceID, in warehouse.Windows) (
		warehouse.Pair[[]warehouse.SurfaceTotal], error)
	SurfaceDays(ctx context.Context, ws measure.WorkspaceID, days civil.Range) ([]measure.SalesDay, error)
	SpendDays(ctx context.Context, ws measure.WorkspaceID, days civil.Range) ([]warehouse.SpendDay, error)
	RegionDays(ctx context.Context, ws measure.WorkspaceID, days civil.Range) ([]warehouse.RegionTotal, error)
	SurfaceRegionDays(ctx context.Context, ws measure.WorkspaceID, days civil.Range) ([]warehouse.SurfaceRegionDay, error)
	RegionSpend(ctx context.Context, ws measure.WorkspaceID, channel measure.Channel, days civil.Range) (
		[]warehouse.RegionSpend, error)
	Targets(ctx context.Context, ws measure.WorkspaceID) ([]warehouse.Target, error)
	Coverage(ctx context.Context, ws measure.WorkspaceID) (warehouse.Coverage, error)
	Channels(ctx context.Context, ws measure.WorkspaceID) ([]warehouse.ChannelVolume, error)
	Sources(ctx context.Context, ws measure.WorkspaceID) ([]warehouse.SourceState, error)
	SourceDays(ctx context.Context, ws measure.WorkspaceID, days civil.Range) ([]warehouse.SourceDay, error)
	Settling(ctx context.Context, ws measure.WorkspaceID, kind measure.TotalsKind, days civil.Range) (
		[]measure.DayVersion, []measure.Look, error)
	LateChanges(ctx context.Context, ws measure.WorkspaceID, imported civil.Range) (parts int, days civil.Range, err error)
	Imports(ctx context.Context, ws measure.WorkspaceID, limit int) ([]warehouse.ImportRecord, error)
	Version(ctx context.Context, ws measure.WorkspaceID) (uint64, error)
}

// Models returns the workspaces' trained models. Package training implements it.
type Models interface {
	MMM(ctx context.Context, w control.Workspace) (mix.Held, error)
}

// Snapshot is one workspace at one version of its data, settings, model and experiments. It belongs to one call and
// reads the same data once per call.
type Snapshot struct {
	State
	questions

	Real  time.Time // time by the real clock, in UTC
	Store Contents  // available data of the store

	reader   *Reader
	daysRead map[daysRead][]warehouse.DayTotal    // days that this call has read
	spent    map[civil.Range][]warehouse.SpendDay // channel spend that this call has read
	goods    map[civil.Range]goodsAndSales        // sales with costs that this call has read
	Blended  *attribution.BlendedSums             // survey blending of the recent window, if any
}

// daysRead identifies days of a channel, or of the store for an empty channel.
type daysRead struct {
	channel measure.Channel
	days    civil.Range
}

// Contents describes the available data of a workspace. It changes only with an import.
type Contents struct {
	warehouse.Coverage
	Channels []warehouse.ChannelVolume
	Sources  []warehouse.SourceState
	Late     []reportlag.Curve // platforms with figures that settle later than documented
}

// Empty reports whether the workspace has no orders, refunds, ad reports or spend.
func (s Contents) Empty() bool { return s.Days().Days() == 0 }

// Days returns the range of days with orders, refunds, ad reports or spend.
func (s Contents) Days() civil.Range {
	all := s.OrderDays.Span(s.AdDays)
	for _, v := range s.Channels {
		all = all.Span(v.Days)
	}
	return all
}

// Untouched reports whether no order is attributed to any channel.
func (s Contents) Untouched() bool {
	return !slices.ContainsFunc(s.Channels, func(v warehouse.ChannelVolume) bool {
		return v.Channel != measure.Unattributed && v.Credited != 0
	})
}

// Active returns the number of channels with orders or spend.
func (s Contents) Active() int {
	n := 0
	for _, v := range s.Channels {
		if v.Channel != measure.Unattributed && (v.Credited != 0 || v.SpendDays > 0) {
			n++
		}
	}
	return n
}

// Volume returns the store's data volume in a channel.
func (s Contents) Volume(of measure.Channel) (warehouse.ChannelVolume, bool) {
	at := slices.IndexFunc(s.Channels, func(v warehouse.ChannelVolume) bool { return v.Channel == of })
	if at < 0 {
		return warehouse.ChannelVolume{}, false
	}
	return s.Channels[at], true
}

// Frozen reports whether the clock that answers use differs from the real clock, as in a demo store with a fixed day.
// Days of data follow the first clock. Times of imports follow the real clock.
func (c *Snapshot) Frozen() bool { return c.Real.Sub(c.Now).Abs() > time.Hour }

// RevenueUnknown reports whether the channel's revenue is unknown because no order is attributed to any channel.
func (c *Snapshot) RevenueUnknown(channel measure.Channel) bool {
	return channel != "" && channel != measure.Unattributed && c.Store.Untouched()
}

// ModelState returns the status of the workspace's model and the reasons why it is not active. The status is "" without
// a model.
func (c *Snapshot) ModelState() (status mix.Status, why []string) {
	if c.MMM.Model == nil {
		return "", nil
	}
	last := c.Store.OrderDays.Last
	if c.Today.Before(last) {
		last = c.Today
	}
	return c.MMM.State(last, c.Workspace.ModelSettings())
}

// fresh returns a snapshot of the same state without this call's reads, for results that several calls share.
func (c *Snapshot) fresh() *Snapshot {
	return &Snapshot{
		State: c.State, questions: questions{facts: c.facts, workspace: c.workspace}, Real: c.Real,
		Store: c.Store, reader: c.reader,
	}
}
