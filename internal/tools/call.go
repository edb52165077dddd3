package tools

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"assay/internal/auth"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/attribution"
	"assay/internal/measure/mix"
	"assay/internal/measure/reportlag"
	"assay/internal/warehouse"
)

// Facts are the questions about a store that the tools ask. [warehouse.Warehouse] answers them.
type Facts interface {
	ChannelTotals(ctx context.Context, ws measure.WorkspaceID, model measure.Model, in warehouse.Windows) (warehouse.Pair[[]warehouse.ChannelTotal], error)
	ChannelBriefs(ctx context.Context, ws measure.WorkspaceID, model measure.Model, in warehouse.Windows) (warehouse.Pair[[]warehouse.ChannelTotal], error)
	StoreDays(ctx context.Context, ws measure.WorkspaceID, days civil.Range) ([]warehouse.DayTotal, error)
	ChannelDays(ctx context.Context, ws measure.WorkspaceID, model measure.Model, days civil.Range, channels ...measure.Channel) ([]warehouse.ChannelDay, error)
	Campaigns(ctx context.Context, ws measure.WorkspaceID, of warehouse.CampaignsOf) (warehouse.CampaignPage, error)
	AdHistory(ctx context.Context, ws measure.WorkspaceID, of measure.AdHistoryOf) (measure.AdHistory, error)
	Products(ctx context.Context, ws measure.WorkspaceID, of warehouse.ProductsOf) (warehouse.ProductPage, error)
	Coupons(ctx context.Context, ws measure.WorkspaceID, of warehouse.CouponsOf) (warehouse.CouponPage, error)
	SegmentTotals(ctx context.Context, ws measure.WorkspaceID, channel measure.Channel, in warehouse.Windows) (warehouse.Pair[warehouse.SegmentTotals], error)
	SegmentChannels(ctx context.Context, ws measure.WorkspaceID, days civil.Range) (map[measure.Channel]warehouse.SegmentTotals, error)
	Cohorts(ctx context.Context, ws measure.WorkspaceID, channel measure.Channel, months civil.Range) ([]warehouse.CohortMonth, error)
	Panel(ctx context.Context, ws measure.WorkspaceID) (warehouse.Panel, error)
	TopPaths(ctx context.Context, ws measure.WorkspaceID, of warehouse.PathsOf) (warehouse.PathRanking, error)
	Paths(ctx context.Context, ws measure.WorkspaceID, segment warehouse.Segment, in warehouse.Windows) (warehouse.Pair[[]warehouse.PathTotal], error)
	Journeys(ctx context.Context, ws measure.WorkspaceID, segment warehouse.Segment, days civil.Range) ([]warehouse.JourneyCount, error)
	Answers(ctx context.Context, ws measure.WorkspaceID, of warehouse.AnswersOf) (warehouse.AnswerSummary, error)
	AnswerRows(ctx context.Context, ws measure.WorkspaceID, of warehouse.AnswersOf) (warehouse.AnswerPage, error)
	MessageTotals(ctx context.Context, ws measure.WorkspaceID, in warehouse.Windows) (warehouse.Pair[[]warehouse.MessageTotal], error)
	Messages(ctx context.Context, ws measure.WorkspaceID, of warehouse.MessagesOf) ([]warehouse.MessageEntity, error)
	Creators(ctx context.Context, ws measure.WorkspaceID) ([]warehouse.CreatorProfile, error)
	CreatorTotals(ctx context.Context, ws measure.WorkspaceID, in warehouse.Windows) (warehouse.Pair[warehouse.CreatorTotals], error)
	SurfaceTotals(ctx context.Context, ws measure.WorkspaceID, in warehouse.Windows) (warehouse.Pair[[]warehouse.SurfaceTotal], error)
	SurfaceDays(ctx context.Context, ws measure.WorkspaceID, days civil.Range) ([]warehouse.SurfaceDay, error)
	SpendDays(ctx context.Context, ws measure.WorkspaceID, days civil.Range) ([]warehouse.SpendDay, error)
	RegionDays(ctx context.Context, ws measure.WorkspaceID, days civil.Range) ([]warehouse.RegionTotal, error)
	SurfaceRegionDays(ctx context.Context, ws measure.WorkspaceID, days civil.Range) ([]warehouse.SurfaceRegionDay, error)
	RegionSpend(ctx context.Context, ws measure.WorkspaceID, channel measure.Channel, days civil.Range) ([]warehouse.RegionSpend, error)
	Targets(ctx context.Context, ws measure.WorkspaceID) ([]warehouse.Target, error)
	Coverage(ctx context.Context, ws measure.WorkspaceID) (warehouse.Coverage, error)
	Channels(ctx context.Context, ws measure.WorkspaceID) ([]warehouse.ChannelVolume, error)
	Sources(ctx context.Context, ws measure.WorkspaceID) ([]warehouse.SourceState, error)
	SourceDays(ctx context.Context, ws measure.WorkspaceID, days civil.Range) ([]warehouse.SourceDay, error)
	Settling(ctx context.Context, ws measure.WorkspaceID, kind measure.TotalsKind, days civil.Range) ([]measure.DayVersion, []measure.Look, error)
	LateChanges(ctx context.Context, ws measure.WorkspaceID, imported civil.Range) (parts int, days civil.Range, err error)
	Imports(ctx context.Context, ws measure.WorkspaceID, limit int) ([]warehouse.ImportRecord, error)
	Version(ctx context.Context, ws measure.WorkspaceID) (uint64, error)
}

// Models has the workspaces' trained models. The keeper of package training does.
type Models interface {
	MMM(ctx context.Context, w control.Workspace) (mix.Held, error)
}

// Keys lists a workspace's API keys. The store of control data does.
type Keys interface {
	Keys(ctx context.Context, ws measure.WorkspaceID) ([]control.Key, error)
}

// Hooks tells how a workspace's webhooks go. The store of control data does.
type Hooks interface {
	HookState(ctx context.Context, ws measure.WorkspaceID) (control.HookState, error)
}

// Call is one call of a tool: who calls, when, and what may be asked.
type Call struct {
	Workspace   control.Workspace
	Principal   auth.Principal
	Now         time.Time  // by the clock of answers, in UTC
	Today       civil.Date // the day of Now in the workspace's zone
	Real        time.Time  // by the clock that keys end by, in UTC
	Facts       Facts
	Store       store                    // what the workspace has, as of this call
	MMM         mix.Held                 // the workspace's media mix model
	Experiments []control.Experiment     // of the workspace, the latest first; only of tools that answer from them
	Forecasts   Forecasts                // nil: forecasts are not kept
	Records     []control.ForecastRecord // how past forecasts did; only of tools that answer from them
	Keys        Keys                     // nil: the workspace's keys are not looked at
	Hooks       Hooks                    // nil: the workspace's webhooks are not looked at
	Tools       []string                 // the names of all tools, in the contract's order
	Log         *slog.Logger

	key    storeKey // the state of the data
	trials *trials  // what experiments found
	people *people  // panels of customers

	view       shared // how the answer is to be written
	limitGiven bool   // the caller set a limit, which then wins over the level's
	reads      []Read // what was asked, for the debug level

	daysRead map[daysRead][]warehouse.DayTotal    // what this call has read of days already
	spent    map[civil.Range][]warehouse.SpendDay // and of the channels' spend

	blended *attribution.BlendedSums // how a survey was blended into the recent window, if it was
}

// daysRead names days of a channel, or of the store when none is named.
type daysRead struct {
	channel measure.Channel
	days    civil.Range
}

// store is what a workspace has. It changes only with an import.
type store struct {
	warehouse.Coverage
	channels []warehouse.ChannelVolume
	sources  []warehouse.SourceState
	late     []reportlag.Curve // of platforms that were seen to settle after the days that they may restate
}

// empty reports whether nothing was ever imported that a figure could come from.
func (s store) empty() bool { return s.days().Days() == 0 }

// days is from the first to the last day of anything: orders, refunds, reports or spend.
func (s store) days() civil.Range {
	all := join(s.OrderDays, s.AdDays)
	for _, v := range s.channels {
		all = join(all, v.Days)
	}
	return all
}

// untouched reports whether no order says which channel it came from.
func (s store) untouched() bool {
	return !slices.ContainsFunc(s.channels, func(v warehouse.ChannelVolume) bool {
		return v.Channel != measure.Unattributed && v.Credited != 0
	})
}

// active is how many channels have orders or spend.
func (s store) active() int {
	n := 0
	for _, v := range s.channels {
		if v.Channel != measure.Unattributed && (v.Credited != 0 || v.SpendDays > 0) {
			n++
		}
	}
	return n
}

// join returns the shortest period that holds both.
func join(a, b civil.Range) civil.Range {
	switch {
	case a.Days() == 0:
		return b
	case b.Days() == 0:
		return a
	}
	if b.First.Before(a.First) {
		a.First = b.First
	}
	if b.Last.After(a.Last) {
		a.Last = b.Last
	}
	return a
}

func (s store) volume(of measure.Channel) (warehouse.ChannelVolume, bool) {
	at := slices.IndexFunc(s.channels, func(v warehouse.ChannelVolume) bool { return v.Channel == of })
	if at < 0 {
		return warehouse.ChannelVolume{}, false
	}
	return s.channels[at], true
}

// figures makes figures in the workspace's currency.
func (c *Call) figures() figures {
	return figures{currency: c.Workspace.Currency, basis: c.Workspace.Basis}
}

// window returns the period between two days. An end that was not given is today, a start lies that many days before
// the end.
func (c *Call) window(start, end civil.Date, daysBack int) (civil.Range, error) {
	w := civil.Range{Last: end.Or(c.Today)}
	w.First = start.Or(w.Last.AddDays(-daysBack))
	if w.Last.Before(w.First) {
		return w, fault.Invalid("start_date %s lies after end_date %s", w.First, w.Last).
			WithHint(`Corrected arguments: {"start_date":"%s","end_date":"%s"}`, w.First.AddDays(-daysBack), w.First)
	}
	return w, nil
}

// untold reports whether what a channel brought cannot be told: no order says where it came from.
func (c *Call) untold(channel measure.Channel) bool {
	return channel != "" && channel != measure.Unattributed && c.Store.untouched()
}

// namedChannels is how many channels an error names.
const namedChannels = 25

// period describes a window.
func (c *Call) period(w civil.Range) *Period {
	return &Period{Start: w.First, End: w.Last, Days: w.Days(), Timezone: c.Workspace.Zone, Partial: !w.Last.Before(c.Today)}
}

// channel returns the canonical key of a channel that the caller named, "" when none was named. A channel that the
// store does not know is a fault that lists those it knows.
func (c *Call) channel(name string) (measure.Channel, error) {
	if name == "" {
		return "", nil
	}
	key := measure.ParseChannel(name)
	if _, ok := c.Store.volume(key); ok || key == measure.Unattributed && len(c.Store.channels) > 0 {
		return key, nil
	}
	if len(c.Store.channels) == 0 {
		return "", fault.Invalid("channel %q is not known: this store has no channels yet", clean(name)).
			WithHint("Leave channel out, or import orders or ad reports first.")
	}
	known := make([]string, len(c.Store.channels))
	for i, v := range c.Store.channels {
		known[i] = clean(string(v.Channel))
	}
	return "", fault.Invalid("channel %q is not known; known are %s", clean(name), listedUpTo(namedChannels, known)).
		WithHint("Leave channel out for the whole store, or use one of these names.")
}

// read notes a question for the debug level.
func (c *Call) read(question string, rows int) {
	c.reads = append(c.reads, Read{Question: question, Rows: rows})
}

// suggest offers a call to make after this one, unless this caller may not make it.
func (c *Call) suggest(a *closing, tool string, arguments map[string]any, reason string) {
	if !c.Principal.Has(control.ScopeRead) || !c.Principal.MayCall(tool) || unavailable(tool) != nil {
		return
	}
	a.Next = append(a.Next, Next{Tool: tool, Arguments: arguments, Reason: reason})
}

// dated are the arguments that name a window.
func dated(w civil.Range) map[string]any {
	return map[string]any{"start_date": w.First.String(), "end_date": w.Last.String()}
}

// with adds an argument.
func with(arguments map[string]any, name string, value any) map[string]any {
	arguments[name] = value
	return arguments
}

// describe adds what the answer rests on: the sources of these kinds, how the figures were made and how far the data
// reach.
func (c *Call) describe(a *closing, quality DataQuality, kinds ...string) {
	a.Sources = []Source{}
	for _, s := range c.Store.sources {
		if len(kinds) == 0 || slices.Contains(kinds, s.Kind) {
			a.Sources = append(a.Sources, Source{
				Source: clean(s.Source), Kind: s.Kind, Rows: s.Rows, FirstDay: s.Days.First, LastDay: s.Days.Last, MissingDays: s.MissingDays,
			})
		}
	}
	if c.view.DetailLevel == summaryLevel {
		a.Sources = together(a.Sources)
	}
	quality.DataVersion, quality.Read = c.Store.Version, c.reads
	a.DataQuality = &quality
	orders, ads := c.Store.OrderDays, c.Store.AdDays
	a.StoreDataRange = &StoreDataRange{Start: orders.First, End: orders.Last, AdStart: ads.First, AdEnd: ads.Last}
}

// together puts sources of one kind that end on the same day into one line.
func together(sources []Source) []Source {
	out := []Source{}
	for _, s := range sources {
		at := slices.IndexFunc(out, func(o Source) bool { return o.Kind == s.Kind && o.LastDay == s.LastDay })
		if at < 0 {
			out = append(out, s)
			continue
		}
		if !slices.Contains(strings.Split(out[at].Source, ", "), s.Source) {
			out[at].Source += ", " + s.Source
		}
	}
	return out
}
