package toolkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"assay/internal/answer"
	"assay/internal/auth"
	"assay/internal/budgetchange"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/knowledge"
	"assay/internal/mcp"
	"assay/internal/measure"
	"assay/internal/snapshot"
	"assay/internal/warehouse"
)

// Keys lists a workspace's API keys. The control store implements it.
type Keys interface {
	Keys(ctx context.Context, ws measure.WorkspaceID) ([]control.Key, error)
}

// Connections lists the ad accounts that a workspace has connected. The control store implements it.
type Connections interface {
	Connections(ctx context.Context, ws measure.WorkspaceID) ([]control.Connection, error)
}

// Hooks returns the state of a workspace's webhooks. The control store implements it.
type Hooks interface {
	HookState(ctx context.Context, ws measure.WorkspaceID) (control.HookState, error)
}

// BudgetChanges previews and applies changes on ad platforms for a caller. It checks the caller's permission.
type BudgetChanges interface {
	Preview(ctx context.Context, p auth.Principal, r budgetchange.Request) (budgetchange.Result, error)
	Execute(ctx context.Context, p auth.Principal, r budgetchange.Request) (budgetchange.Result, error)
}

// BackupState is the state of scheduled backups.
type BackupState struct {
	Scheduled bool
	Last      time.Time // zero: there is no backup
	Problem   string    // one sentence; "" if the backups are on schedule
	Fix       string    // what to do about the problem
}

// Call is one tool call: the caller and their permissions, the snapshot of the data and the format of the answer.
type Call struct {
	*snapshot.Snapshot
	answer.Writer

	Principal auth.Principal
	Client    mcp.Client // what the MCP client shows in addition to texts and images
	Vector    bool       // pictures are SVG documents
	Keys      Keys
	Hooks     Hooks
	Accounts  Connections        // connected ad accounts
	Backups   func() BackupState // nil: the service does not schedule backups
	Budgets   BudgetChanges
	Managed   Records
	Tools     []Spec             // specifications of all tools, in the contract's order
	Knowledge *knowledge.Library // articles that explain figures, methods and tools
	Questions Questions          // for tools that answer by calling other tools
	// Reports validates the arguments of a tool that a saved report calls.
	Reports func(tool string, args json.RawMessage) error
	Log     *slog.Logger
}

// CurrentDay returns the day by the clock that answers use, in the workspace's time zone.
func (c *Call) CurrentDay() civil.Date { return c.Today }

// NamedChannels is the maximum number of channels that an error lists.
const NamedChannels = 25

// Period describes a window.
func (c *Call) Period(w civil.Range) *answer.Period {
	return &answer.Period{Start: w.First, End: w.Last, Days: w.Days(), Timezone: c.Workspace.Zone, Partial: !w.Last.Before(c.Today)}
}

// Channel returns the canonical key of the argument channel, or "" for no name. An unknown channel results in a fault
// that lists the known channels, with a corrected call.
func (c *Call) Channel(name string) (measure.Channel, error) {
	key, err := KnownChannel(c.Snapshot, name)
	unknown, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return key, err
	}
	rejected := &mcp.RejectedError{Fault: unknown, Drop: []string{"channel"}}
	if near := mcp.Nearest(name, channelNames(c.Snapshot)); near != "" {
		rejected.Set, rejected.Drop = map[string]any{"channel": near}, nil
	}
	return "", rejected
}

// channelNames lists the channels of the store.
func channelNames(s *snapshot.Snapshot) []string {
	names := make([]string, len(s.Store.Channels))
	for i, v := range s.Store.Channels {
		names[i] = answer.Clean(string(v.Channel))
	}
	return names
}

// KnownChannel returns the canonical key of a channel of the store, or "" for no name. An unknown channel results in a
// fault that lists the known channels.
func KnownChannel(s *snapshot.Snapshot, name string) (measure.Channel, error) {
	if name == "" {
		return "", nil
	}
	key := measure.ParseChannel(name)
	if _, ok := s.Store.Volume(key); ok || key == measure.Unattributed && len(s.Store.Channels) > 0 {
		return key, nil
	}
	if len(s.Store.Channels) == 0 {
		return "", fault.Invalid("channel %q does not exist: this store has no channels yet", answer.Clean(name)).
			WithHint("Import orders or ad reports first, or omit the channel if it is optional.")
	}
	return "", fault.Invalid("channel %q does not exist; the channels of this store are %s", answer.Clean(name), answer.Known(NamedChannels, channelNames(s))).
		WithHint("Use one of these names, or omit the channel if it is optional.")
}

// Suggest adds a next call to the answer if the caller is allowed to make it.
func (c *Call) Suggest(a *answer.Closing, tool string, arguments map[string]any, reason string) {
	if !c.Principal.Has(control.ScopeRead) || !c.Principal.MayCall(tool) || !c.Available(tool) {
		return
	}
	a.Next = append(a.Next, answer.Next{Tool: tool, Arguments: arguments, Reason: reason})
}

// Available reports whether the service has a tool.
func (c *Call) Available(tool string) bool {
	return slices.ContainsFunc(c.Tools, func(s Spec) bool { return s.Name == tool })
}

// Works reports whether a tool call in a knowledge article succeeds on this store. The tool must only read, and the
// store must have the model and the channel that the call needs.
func (c *Call) Works(tool string, arguments map[string]any) bool {
	at := slices.IndexFunc(c.Tools, func(s Spec) bool { return s.Name == tool && !s.Writes })
	if at < 0 {
		return false
	}
	if c.Tools[at].Model {
		if _, err := c.Model(); err != nil {
			return false
		}
	}
	channel, _ := arguments["channel"].(string)
	_, err := c.Channel(channel)
	return err == nil
}

// Dated returns the date arguments for a window.
func Dated(w civil.Range) map[string]any {
	return map[string]any{"start_date": w.First.String(), "end_date": w.Last.String()}
}

// With adds an argument.
func With(arguments map[string]any, name string, value any) map[string]any {
	arguments[name] = value
	return arguments
}

// Describe adds to the answer the sources of the given kinds, the method of the figures and the date range of the
// store's data.
func (c *Call) Describe(a *answer.Closing, quality answer.DataQuality, kinds ...string) {
	a.Sources = []answer.Source{}
	for _, s := range c.Store.Sources {
		if len(kinds) == 0 || slices.Contains(kinds, s.Kind) {
			a.Sources = append(a.Sources, answer.Source{
				Source: answer.Clean(s.Source), Kind: s.Kind, Rows: s.Rows, FirstDay: s.Days.First, LastDay: s.Days.Last, MissingDays: s.MissingDays,
			})
		}
	}
	if c.View.DetailLevel == answer.SummaryLevel {
		a.Sources = together(a.Sources)
	}
	quality.DataVersion = c.Store.Version
	for _, r := range c.Reads() {
		quality.Read = append(quality.Read, answer.Read(r))
	}
	a.DataQuality = &quality
	orders, ads := c.Store.OrderDays, c.Store.AdDays
	a.StoreDataRange = &answer.StoreDataRange{Start: orders.First, End: orders.Last, AdStart: ads.First, AdEnd: ads.Last}
}

// together combines sources of one kind that end on the same day into one line.
func together(sources []answer.Source) []answer.Source {
	out := []answer.Source{}
	for _, s := range sources {
		at := slices.IndexFunc(out, func(o answer.Source) bool { return o.Kind == s.Kind && o.LastDay == s.LastDay })
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

// stillGrowing returns a sentence for each platform with days in the window w that may still change, although the
// platform's documented restatement window has passed.
func (c *Call) stillGrowing(w civil.Range) string {
	var text strings.Builder
	for _, curve := range c.Store.Late {
		oldest := curve.Shares[len(curve.Shares)-1].Age
		if curve.Settled != nil {
			oldest = *curve.Settled
		}
		open := civil.Range{First: c.Today.AddDays(1 - oldest), Last: measure.Platform(curve.Name).FirstProvisional(c.Today).AddDays(-1)}
		if open.Intersect(w).Days() > 0 {
			fmt.Fprintf(&text, " The %s of %s still changed after %d days, so figures since %s may still change.",
				curve.Noun(), answer.ChannelName(measure.Channel(curve.Name)), curve.Window, open.First)
		}
	}
	return text.String()
}

// BiggestMover returns a sentence on the channel with the largest change of revenue in the direction of the total. It
// also names the channel with the largest change against that direction.
func (c *Call) BiggestMover(totals warehouse.Pair[[]warehouse.ChannelTotal]) string {
	if len(totals.Earlier) == 0 {
		return ""
	}
	change, total := map[measure.Channel]int64{}, int64(0)
	for _, t := range totals.Recent {
		change[t.Channel] += c.Workspace.Basis.Revenue(t.Sums)
		total += c.Workspace.Basis.Revenue(t.Sums)
	}
	for _, t := range totals.Earlier {
		change[t.Channel] -= c.Workspace.Basis.Revenue(t.Sums)
		total -= c.Workspace.Basis.Revenue(t.Sums)
	}
	var up, down measure.Channel
	for _, channel := range slices.Sorted(maps.Keys(change)) {
		switch {
		case change[channel] > max(0, change[up]):
			up = channel
		case change[channel] < min(0, change[down]):
			down = channel
		}
	}
	rise, fall := c.moved(up, "up", change[up]), c.moved(down, "down", change[down])
	switch {
	case total == 0 && rise != "" && fall != "":
		return fmt.Sprintf(" The largest changes in revenue by channel are in %s and %s.", rise, fall)
	case total < 0:
		rise, fall = fall, rise
	}
	switch {
	case rise != "" && fall != "":
		return fmt.Sprintf(" The largest change in revenue by channel is in %s. The largest opposite change is in %s.", rise, fall)
	case rise != "":
		return fmt.Sprintf(" The largest change in revenue by channel is in %s.", rise)
	}
	return ""
}

// moved describes the change of a channel's revenue. It returns "" if the revenue did not change.
func (c *Call) moved(channel measure.Channel, way string, by int64) string {
	if by == 0 {
		return ""
	}
	return fmt.Sprintf("%s (%s %s)", answer.ChannelName(channel), way, c.Amount(abs(by)))
}

// Quality describes how the figures of a window were calculated.
func (c *Call) Quality(model measure.Model, of snapshot.Total) answer.DataQuality {
	q := answer.DataQuality{Revenue: c.Workspace.Basis.String(), Model: model}
	if of.Undated > 0 {
		q.UndatedRefund = new(c.Figures.Money(of.Undated))
	}
	return q
}

func abs(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}

// Rounding returns the function that rounds the metric's figures. NaN becomes nil.
func (c *Call) Rounding(metric snapshot.Metric) func(float64) *float64 {
	return func(x float64) *float64 {
		switch {
		case math.IsNaN(x):
			return nil
		case metric == snapshot.Revenue || metric == snapshot.Spend || metric == snapshot.AOV:
			return new(c.RoundMoney(x))
		}
		return new(answer.Decimals(x, 2))
	}
}
