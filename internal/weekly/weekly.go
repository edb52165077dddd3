// Package weekly writes the weekly summary of a store from the answers of tools and sends it by email.
package weekly

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"assay/internal/alert"
	"assay/internal/answer"
	"assay/internal/auth"
	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/number"
	"assay/internal/toolkit"
	"assay/internal/tools"
)

// Store is the part of the control data that the summaries use.
type Store interface {
	Workspaces(ctx context.Context) ([]control.Workspace, error)
	ClaimWeeklyReader(ctx context.Context, ws measure.WorkspaceID, week civil.Date, now time.Time) (*control.WeeklyReader, error)
	SettleWeeklyReader(ctx context.Context, r control.WeeklyReader, week civil.Date, problem string) error
}

// Post sends letters.
type Post interface {
	Post(ctx context.Context, l alert.Letter) error
}

// Options are the parts that summaries need.
type Options struct {
	Store Store
	Post  Post
	// Ask calls a tool for a caller; see [toolkit.Service.Answer].
	Ask   func(ctx context.Context, p auth.Principal, tool string, arguments json.RawMessage) (json.RawMessage, error)
	Now   func() time.Time // the real clock, for the times of attempts
	Clock func() time.Time // the clock that answers use; a demo store may fix its day
	URL   string           // address of the console, "" if it is unknown
	Log   *slog.Logger
}

// Sender writes and sends weekly summaries.
type Sender struct{ Options }

// New returns a sender.
func New(o Options) *Sender { return &Sender{o} }

// sendHour is the hour on Monday, in the workspace's time zone, from which a summary is sent. By then, the ad
// platforms' reports for Sunday are usually available.
const sendHour = 8

// lookEvery is the interval between checks for due summaries.
const lookEvery = 5 * time.Minute

// Run sends summaries until ctx ends.
func (s *Sender) Run(ctx context.Context) error {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		s.Send(ctx)
		select {
		case <-look.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// Send sends the summaries that are due. A failure does not affect other workspaces. Several processes may send at the
// same time. Each member receives one email per week.
func (s *Sender) Send(ctx context.Context) {
	all, err := s.Store.Workspaces(ctx)
	if err != nil && ctx.Err() == nil {
		s.Log.WarnContext(ctx, "workspaces cannot be read for weekly summaries", slog.Any("error", err))
	}
	for _, w := range all {
		if err := s.sendOf(ctx, w); err != nil && ctx.Err() == nil && fault.KindOf(err) != fault.KindNotFound {
			s.Log.WarnContext(ctx, "weekly summary was not sent", slog.String("workspace", string(w.ID)), slog.Any("error", err))
		}
	}
}

// sendOf sends the summary of the most recent complete week to the members of a workspace who have not received it.
func (s *Sender) sendOf(ctx context.Context, w control.Workspace) error {
	now := s.Clock().In(w.Location())
	if now.Weekday() == time.Monday && now.Hour() < sendHour {
		return nil
	}
	week := control.LastWeek(civil.DayOf(now, w.Location())).First
	var letter *alert.Letter
	for ctx.Err() == nil {
		r, err := s.Store.ClaimWeeklyReader(ctx, w.ID, week, s.Now())
		if err != nil || r == nil {
			return err
		}
		problem := ""
		if letter == nil {
			if written, err := s.Write(ctx, w); err != nil {
				problem = "the summary could not be written"
				s.Log.WarnContext(ctx, "weekly summary could not be written", slog.String("workspace", string(w.ID)), slog.Any("error", err))
			} else {
				letter = &written
			}
		}
		if letter != nil {
			own := *letter
			own.To, own.ID, own.Created = r.Email, fmt.Sprintf("week-%s-%s-%s", week, w.ID, r.Member), s.Now()
			if err := s.Post.Post(ctx, own); err != nil {
				problem = err.Error()
				s.Log.WarnContext(ctx, "weekly summary was not delivered", slog.String("workspace", string(w.ID)),
					slog.Int("attempt", r.Attempts), slog.String("problem", problem))
			}
		}
		if ctx.Err() != nil {
			return nil // the service shuts down; the next attempt is due after its delay
		}
		if err := s.Store.SettleWeeklyReader(ctx, *r, week, problem); err != nil {
			return err
		}
	}
	return nil
}

// mostDecisions is the maximum number of insights in a summary.
const mostDecisions = 3

// Write writes the summary of the most recent complete week: results, causes of their changes, the forecast and the
// next steps. The text comes from the answers of tools, so its figures agree with pages and assistants.
func (s *Sender) Write(ctx context.Context, w control.Workspace) (alert.Letter, error) {
	week := control.LastWeek(civil.DayOf(s.Clock(), w.Location()))
	sales, err := ask(ctx, s, w, tools.Performance, map[string]any{
		"start_date": week.First, "end_date": week.Last, "detail_level": answer.AnalystLevel,
	})
	if err != nil {
		return alert.Letter{}, err
	}
	title := fmt.Sprintf("%s, week from %s to %s", answer.Clean(w.Name), week.First, week.Last)
	var text strings.Builder
	part := func(name string, lines ...string) {
		if text.Len() > 0 {
			text.WriteString("\n")
		}
		text.WriteString(name + "\n" + strings.Repeat("-", len(name)) + "\n" + strings.Join(lines, "\n") + "\n")
	}
	part(title, figures(sales.Metrics, w.Currency)...)
	causes, err := why(ctx, s, w, week)
	if fault.KindOf(err) == fault.KindUnavailable {
		return alert.Letter{}, err // the next attempt writes the whole summary
	}
	part("Why", s.summaryOf(causes, err))
	forecast, err := outlook(ctx, s, w)
	if fault.KindOf(err) == fault.KindUnavailable {
		return alert.Letter{}, err
	}
	part("Outlook", s.summaryOf(forecast, err))
	if lines := s.decisions(ctx, w); len(lines) > 0 {
		part("What to do next", lines...)
	}
	var notes []string
	for _, warning := range sales.Warnings {
		notes = append(notes, warning.Text)
	}
	if len(notes) > 0 {
		part("Data", notes...)
	}
	text.WriteString("\n")
	if s.URL != "" {
		text.WriteString("Console: " + s.URL + "\n")
	}
	text.WriteString("You receive this summary each Monday because you subscribed to it. To stop it, use the Alerts page.\n")
	return alert.Letter{Subject: title, Text: text.String()}, nil
}

// ask calls a tool with only the read scope.
func ask[A answer.Answer](ctx context.Context, s *Sender, w control.Workspace, tool toolkit.Typed[A], with map[string]any) (a A, err error) {
	encoded, err := json.Marshal(with)
	if err != nil {
		return a, err
	}
	who := auth.Principal{Workspace: w, Actor: "weekly summary", Kind: auth.ByOAuth, Scopes: []control.Scope{control.ScopeRead}}
	result, err := s.Ask(ctx, who, tool.Name, encoded)
	if err != nil {
		return a, fmt.Errorf("%s: %w", tool.Name, err)
	}
	return tool.Result(result)
}

func why(ctx context.Context, s *Sender, w control.Workspace, week civil.Range) (string, error) {
	a, err := ask(ctx, s, w, tools.Compare, map[string]any{
		"period1_start": week.First.AddDays(-7), "period1_end": week.Last.AddDays(-7), "period2_start": week.First, "period2_end": week.Last,
	})
	if err != nil {
		return "", err
	}
	return a.Summary, nil
}

func outlook(ctx context.Context, s *Sender, w control.Workspace) (string, error) {
	a, err := ask(ctx, s, w, tools.Forecasting, map[string]any{})
	if err != nil {
		return "", err
	}
	return a.Summary, nil
}

// summaryOf returns a summary, or the reason why there is none.
func (s *Sender) summaryOf(summary string, err error) string {
	if err == nil {
		return summary
	}
	if text, _, public := fault.Public(err); public {
		return "Not available: " + text + "."
	}
	return "Not available."
}

// decisions lists the most valuable insights.
func (s *Sender) decisions(ctx context.Context, w control.Workspace) (lines []string) {
	a, err := ask(ctx, s, w, tools.Insights, map[string]any{"limit": mostDecisions, "detail_level": answer.AnalystLevel})
	if err != nil {
		return nil
	}
	for i, each := range a.Rows {
		line := fmt.Sprintf("%d. %s %s", i+1, each.Finding, each.Action)
		if v := each.Value; v != nil {
			line += fmt.Sprintf(" Expected gain per month: %s (90%% interval %s to %s).", whole(v.Value, w.Currency), whole(v.Low, w.Currency), whole(v.High, w.Currency))
		}
		lines = append(lines, line)
	}
	return lines
}

func whole(m answer.Money, c money.Currency) string { return money.Text(float64(m), 0, c) }

// figures lists the key figures with their change from the previous week.
func figures(m toolkit.StoreMetrics, c money.Currency) []string {
	lines := []string{
		line("Revenue", m.Revenue, func(v answer.Money) string { return whole(v, c) }),
		line("Orders", m.Orders, func(v answer.Count) string { return number.Grouped(float64(v), 0) }),
		line("Average order value", m.AOV, func(v answer.Money) string { return money.Text(float64(v), c.Exponent(), c) }),
		line("Ad spend", m.Spend, func(v answer.Money) string { return whole(v, c) }),
		line("ROAS", m.ROAS, func(v answer.Ratio) string { return v.String() }),
	}
	if m.Contribution != nil {
		lines = append(lines, line("Contribution", *m.Contribution, func(v answer.Money) string { return whole(v, c) }))
	}
	return lines
}

// line formats a figure: "Revenue: USD 12,345 (+4.2%)".
func line[T ~float64](name string, m answer.Metric[T], format func(T) string) string {
	if m.Value == nil {
		return name + ": unknown"
	}
	text := name + ": " + format(*m.Value)
	if m.ChangePct != nil {
		sign := ""
		if *m.ChangePct > 0 {
			sign = "+"
		}
		text += " (" + sign + m.ChangePct.String() + ")"
	}
	return text
}
