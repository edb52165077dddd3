package warehouse

import (
	"context"
	"fmt"

	"assay/internal/civil"
	"assay/internal/measure"
)

// AnswersOf selects survey answers by day.
type AnswersOf struct {
	Windows  Windows         // totals are for both windows, all other results for the recent window
	Question string          // "" for all
	Contains string          // substring of the answer, case-insensitive; "": any
	Channel  measure.Channel // channel of the order by last touch; "": any
	MinValue *int64          // value of the order in minor units; nil: any. If set, answers without an order are excluded
	Limit    int             // 0: all
	Offset   int
}

// AnswerTotals are the totals of a window.
type AnswerTotals struct {
	All       int64 // answers, regardless of the selection
	Selected  int64
	Named     int64 // selected answers that name a channel
	Responses int64 // orders with an answer, and persons who answered without an order; regardless of the selection
}

// AnswerCount counts the answers that name a channel. If the answers name no channel, it counts the answers with the
// same text.
type AnswerCount struct {
	Question  string
	Channel   measure.Channel // "" if the answers name no channel
	Answer    string          // "" if the answers name a channel
	Answers   int64
	New       int64 // answers with the first order of a customer
	Returning int64 // answers with a later order
	Known     int64 // answers with an order in the store
	Charged   int64 // revenue of the orders in Known
}

// AnswerCredit is the number of respondents to a question by last-touch channel.
type AnswerCredit struct {
	Question string
	Channel  measure.Channel
	Answers  int64
}

// AnswerSummary aggregates survey answers.
type AnswerSummary struct {
	Totals     Pair[AnswerTotals]
	Counts     []AnswerCount
	Credits    []AnswerCredit
	Answerable int64 // orders on surfaces with at least one answer, in millionths
}

// Answers returns aggregates of survey answers.
func (w *customerQuestions) Answers(ctx context.Context, ws measure.WorkspaceID, of AnswersOf) (AnswerSummary, error) {
	var s AnswerSummary
	var err error
	if s.Totals, err = w.answerTotals(ctx, ws, of); err != nil {
		return AnswerSummary{}, err
	}
	bind := of.bind()
	err = w.ask(ctx, ws, "answers", bind, func(row Row) error {
		var c AnswerCount
		err := row.Scan(&c.Question, &c.Channel, &c.Answer, &c.Answers, &c.New, &c.Returning, &c.Known, &c.Charged)
		s.Counts = append(s.Counts, c)
		return err
	})
	if err != nil {
		return AnswerSummary{}, fmt.Errorf("answers by question: %w", err)
	}
	err = w.ask(ctx, ws, "answer_credits", bind, func(row Row) error {
		var c AnswerCredit
		err := row.Scan(&c.Question, &c.Channel, &c.Answers)
		s.Credits = append(s.Credits, c)
		return err
	})
	if err != nil {
		return AnswerSummary{}, fmt.Errorf("credits of respondents: %w", err)
	}
	err = w.ask(ctx, ws, "answerable", bind, func(row Row) error { return row.Scan(&s.Answerable) })
	if err != nil {
		return AnswerSummary{}, fmt.Errorf("orders that could be answered: %w", err)
	}
	return s, nil
}

// AnswerRow is one answer.
type AnswerRow struct {
	Day      civil.Date
	Question string
	Answer   string
	Channel  measure.Channel // channel in the answer; "": none
	Credited measure.Channel // channel of the order by last touch
	Charged  int64           // revenue of the order
	Segment  Segment         // segment of the order; unknown without an order
	Known    bool            // the store has the order; otherwise the three fields above are empty
}

// AnswerPage contains a page of answers, latest first, and the totals of the whole selection.
type AnswerPage struct {
	Rows   []AnswerRow
	Totals Pair[AnswerTotals]
}

// AnswerRows returns individual answers.
func (w *customerQuestions) AnswerRows(ctx context.Context, ws measure.WorkspaceID, of AnswersOf) (AnswerPage, error) {
	var page AnswerPage
	var err error
	if page.Totals, err = w.answerTotals(ctx, ws, of); err != nil {
		return AnswerPage{}, err
	}
	bind := of.bind()
	bind["limit"], bind["offset"] = orAll(of.Limit), of.Offset
	err = w.ask(ctx, ws, "answer_rows", bind, func(row Row) error {
		var r AnswerRow
		var known int
		err := row.Scan(&r.Day, &r.Question, &r.Answer, &r.Channel, &r.Credited, &r.Charged, &r.Segment, &known)
		r.Known = known == 1
		page.Rows = append(page.Rows, r)
		return err
	})
	return page, err
}

func (w *customerQuestions) answerTotals(ctx context.Context, ws measure.WorkspaceID, of AnswersOf) (Pair[AnswerTotals], error) {
	var totals Pair[AnswerTotals]
	err := w.ask(ctx, ws, "answer_totals", of.bind(), func(row Row) error {
		var period int
		var t AnswerTotals
		err := row.Scan(&period, &t.All, &t.Selected, &t.Named, &t.Responses)
		*totals.of(period) = t
		return err
	})
	if err != nil {
		return totals, fmt.Errorf("totals of answers: %w", err)
	}
	return totals, nil
}

func (of AnswersOf) bind() values {
	bind := of.Windows.bind()
	bind["first"], bind["last"] = bind["recent_first"], bind["recent_last"]
	bind["question"], bind["contains"], bind["channel"] = of.Question, of.Contains, string(of.Channel)
	bind["least"] = int64(-1)
	if of.MinValue != nil {
		bind["least"] = *of.MinValue
	}
	return bind
}
