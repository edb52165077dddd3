package warehouse

import (
	"context"

	"assay/internal/civil"
	"assay/internal/measure"
)

// MessageSums contains the results of emails and text messages, as the sending tool reports them. Opens and clicks are
// unique within a report row, so the sum over days may count a recipient more than once.
type MessageSums struct {
	Rows         int64 // report rows
	Recipients   int64
	Delivered    int64
	Opens        int64
	Clicks       int64
	Conversions  int64 // reported by the sending tool, whole conversions
	Revenue      int64 // reported by the sending tool
	Unsubscribes int64
	Spam         int64
	Bounces      int64
	SinceSend    int64 // rows with totals since sending, on the day of sending
	Days         civil.Range
}

// Add returns the sum of s and t.
func (s MessageSums) Add(t MessageSums) MessageSums {
	s.Rows += t.Rows
	s.Recipients += t.Recipients
	s.Delivered += t.Delivered
	s.Opens += t.Opens
	s.Clicks += t.Clicks
	s.Conversions += t.Conversions
	s.Revenue += t.Revenue
	s.Unsubscribes += t.Unsubscribes
	s.Spam += t.Spam
	s.Bounces += t.Bounces
	s.SinceSend += t.SinceSend
	switch {
	case s.Days.Days() == 0:
		s.Days = t.Days
	case t.Days.Days() > 0:
		if t.Days.First.Before(s.Days.First) {
			s.Days.First = t.Days.First
		}
		if t.Days.Last.After(s.Days.Last) {
			s.Days.Last = t.Days.Last
		}
	}
	return s
}

// MessageTotal contains a channel's totals of one kind of message in a window.
type MessageTotal struct {
	Channel measure.Channel // email or sms
	Entity  string          // campaign or flow
	MessageSums
}

// MessageTotals returns the totals of messages in each window, sorted by channel and kind.
func (w *campaignQuestions) MessageTotals(ctx context.Context, ws measure.WorkspaceID, in Windows) (Pair[[]MessageTotal], error) {
	var totals Pair[[]MessageTotal]
	err := w.ask(ctx, ws, "message_totals", in.bind(), func(row Row) error {
		var period int
		var t MessageTotal
		err := row.Scan(append([]any{&period, &t.Channel, &t.Entity}, t.sums()...)...)
		rows := totals.of(period)
		*rows = append(*rows, t)
		return err
	})
	return totals, err
}

// MessagesOf selects campaigns and flows of messages.
type MessagesOf struct {
	Days    civil.Range
	Channel measure.Channel // "" for all
	Entity  string          // campaign or flow; "": both
}

// MessageEntity is a campaign or a flow of emails or text messages.
type MessageEntity struct {
	MessageTotal
	ID   string
	Name string
}

// Messages returns the campaigns and flows with reports in the period, largest reported revenue first.
func (w *campaignQuestions) Messages(ctx context.Context, ws measure.WorkspaceID, of MessagesOf) ([]MessageEntity, error) {
	bind := bindDays(of.Days)
	bind["channel"], bind["entity"] = string(of.Channel), of.Entity
	var out []MessageEntity
	err := w.ask(ctx, ws, "messages", bind, func(row Row) error {
		var e MessageEntity
		err := row.Scan(append([]any{&e.Channel, &e.Entity, &e.ID, &e.Name}, e.sums()...)...)
		out = append(out, e)
		return err
	})
	return out, err
}

func (s *MessageSums) sums() []any {
	return []any{
		&s.Rows, &s.Recipients, &s.Delivered, &s.Opens, &s.Clicks, &s.Conversions, &s.Revenue, &s.Unsubscribes, &s.Spam,
		&s.Bounces, &s.SinceSend, &s.Days.First, &s.Days.Last,
	}
}
