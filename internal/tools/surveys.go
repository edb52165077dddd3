package tools

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/mcp"
	"assay/internal/measure"
	"assay/internal/measure/cohort"
	"assay/internal/money"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// Surveys is the `surveys` tool.
var Surveys = toolkit.Define(toolkit.Spec{
	Name:        "surveys",
	Title:       "Post-purchase surveys",
	Description: "Post-purchase survey answers about how customers found the store, as totals or individual answers.",
	Needs:       "survey_responses",
}, runSurveys)

type surveysParams struct {
	answer.Last90
	View           SurveysView `json:"view" enum:"summary|individual" default:"summary" doc:"Totals or individual answers."`
	Question       string      `json:"question" doc:"Such as discovery_channel, purchase_trigger, awareness_duration."`
	AnswerContains string      `json:"answer_contains" doc:"Only answers with this text."`
	Channel        string      `json:"channel" doc:"Only the channel's attributed orders."`
	MinOrderValue  *float64    `json:"min_order_value" doc:"Only orders of at least this value."`
	answer.Paged
	answer.Shared
}

// SurveysView selects the rows of the `surveys` tool.
type SurveysView string

const (
	answersView    SurveysView = "summary"
	individualView SurveysView = "individual"
)

// Check rejects a reversed period and a minimum order value that is not between 0 and 1e12.
func (p surveysParams) Check() error {
	if v := p.MinOrderValue; v != nil && (*v < 0 || *v > 1e12 || math.IsNaN(*v)) {
		return &mcp.RejectedError{
			Fault: fault.Invalid("min_order_value is %v; use an amount from 0 to 1,000,000,000,000", *v),
			Set:   map[string]any{"min_order_value": min(max(*v, 0), 1e12)},
		}
	}
	return p.Last90.Check()
}

// SurveysAnswer is the answer of the `surveys` tool.
type SurveysAnswer struct {
	answer.Opening
	View      SurveysView       `json:"view"`
	Question  answer.Foreign    `json:"question,omitempty"`
	Channel   measure.Channel   `json:"channel,omitempty"`
	Metrics   SurveyMetrics     `json:"metrics" doc:"Metrics over all rows of all pages."`
	Estimates *answer.Estimates `json:"estimates,omitempty"`
	answer.Table[SurveyRow]
	answer.Closing
}

// SurveyMetrics are totals of survey answers.
type SurveyMetrics struct {
	Answers     answer.Metric[answer.Count]      `json:"answers" doc:"Answers in the selection."`
	Responses   answer.Metric[answer.Count]      `json:"responses" doc:"Orders with any answer in the period, before filters."`
	ResponsePct *answer.Estimate[answer.Percent] `json:"response_rate_pct,omitempty" doc:"Share of orders with an answer, on surfaces with answers."`
	NamedPct    *answer.Percent                  `json:"named_channel_pct,omitempty" doc:"Share of answers that name a channel. Only questions with at least one such answer are included."`
}

// SurveyRow is an answer to a question with its count, or one individual answer.
type SurveyRow struct {
	Date       civil.Date                       `json:"date,omitzero"`
	Question   answer.Foreign                   `json:"question"`
	Answer     answer.Foreign                   `json:"answer,omitempty" doc:"Text as written; in totals, the common text of the grouped answers."`
	Channel    measure.Channel                  `json:"channel,omitempty" doc:"Channel that the answer names."`
	Answers    *answer.Count                    `json:"answers,omitempty"`
	Share      *answer.Estimate[answer.Percent] `json:"share_pct,omitempty" doc:"Share of the answers to the question."`
	LastTouch  *answer.Percent                  `json:"last_touch_pct,omitempty" doc:"Last-touch share of the channel in the same orders."`
	NewPct     *answer.Percent                  `json:"new_pct,omitempty" detail:"analyst" doc:"Share of answers by new customers, among answers by known customers."`
	AOV        *answer.Money                    `json:"aov,omitempty" detail:"analyst"`
	OrderValue *answer.Money                    `json:"order_value,omitempty" doc:"Amount charged."`
	Credited   measure.Channel                  `json:"credited_channel,omitempty" doc:"Last-touch channel."`
	Customer   warehouse.Segment                `json:"customer,omitempty"`
}

func runSurveys(ctx context.Context, c *toolkit.Call, p surveysParams) (*SurveysAnswer, error) {
	days, err := p.Window(c.Today)
	if err != nil {
		return nil, err
	}
	channel, err := c.Channel(p.Channel)
	if err != nil {
		return nil, err
	}
	page := p.Page(&c.Writer)
	of := warehouse.AnswersOf{
		Windows:  warehouse.Windows{Recent: days, Earlier: days.Previous()},
		Question: p.Question, Contains: p.AnswerContains, Channel: channel, MinValue: minor(c, p.MinOrderValue),
	}
	a := &SurveysAnswer{View: p.View, Question: answer.Foreign(p.Question), Channel: channel}
	a.Period, a.Currency = c.Period(days), c.Workspace.Currency
	switch p.View {
	case answersView:
		err = surveySums(ctx, c, a, of, page)
	case individualView:
		of.Limit, of.Offset = page.Limit, page.Offset
		err = surveyRows(ctx, c, a, of, page)
	}
	if err != nil {
		return nil, err
	}
	if a.Pagination.Total == 0 {
		a.Estimates = nil
		a.Summary = c.ExplainEmpty(&a.Closing, days)
	} else {
		c.WarnStart(&a.Closing, days, "Survey answers", snapshot.FromSurveys)
		c.WarnPartial(&a.Closing, days)
		surveysNext(c, a, days)
	}
	c.Describe(&a.Closing, answer.DataQuality{Revenue: "order_value and aov: charged to customers", Model: measure.LastTouch}, snapshot.FromSurveys, snapshot.FromOrders)
	return a, nil
}

// minor converts an amount in major units to minor units, rounded up. nil stays nil.
func minor(c *toolkit.Call, major *float64) *int64 {
	if major == nil {
		return nil
	}
	return new(int64(math.Ceil(*major/money.Major(1, c.Workspace.Currency) - 1e-6)))
}

func surveyMetricsOf(t warehouse.Pair[warehouse.AnswerTotals], comparable bool) SurveyMetrics {
	return SurveyMetrics{
		Answers:   answer.MetricOf(answer.Count(t.Recent.Selected), answer.Count(t.Earlier.Selected)).Where(true, comparable),
		Responses: answer.MetricOf(answer.Count(t.Recent.Responses), answer.Count(t.Earlier.Responses)).Where(true, comparable),
	}
}

// surveySums fills in the count of each answer.
func surveySums(ctx context.Context, c *toolkit.Call, a *SurveysAnswer, of warehouse.AnswersOf, page answer.Page) error {
	found, err := c.Answers(ctx, of)
	if err != nil {
		return err
	}
	a.Metrics = surveyMetricsOf(found.Totals, c.Store.Covers(of.Windows.Earlier, snapshot.FromSurveys))
	if asked := found.Answerable / measure.Millionths; asked > 0 {
		answered := min(found.Totals.Recent.Responses, asked)
		share, err := cohort.Wilson(int(answered), int(asked), answer.Level90)
		if err != nil {
			return err
		}
		a.Metrics.ResponsePct = answer.Percents(share)
	}
	a.Metrics.NamedPct = namedShare(found.Counts)
	rows, err := answerRows(c, found)
	if err != nil {
		return err
	}
	a.Rows = answer.Cut(page, rows)
	a.Pagination = page.Pagination(len(a.Rows), len(rows))
	a.Estimates = &answer.Estimates{LevelPct: int(100 * answer.Level90), Method: "Intervals of shares are 90% Wilson intervals. They include sampling error, not recall bias."}
	if len(rows) > 0 {
		a.Summary = surveysSummary(a, rows, of.Windows.Recent)
		warnSurvey(a)
	}
	return nil
}

// namedShare returns the share of answers that name a channel. It excludes questions without any such answer.
func namedShare(counts []warehouse.AnswerCount) *answer.Percent {
	var named, all int64
	naming := snapshot.NamingQuestions(counts)
	for _, n := range counts {
		if naming[n.Question] {
			all += n.Answers
		}
		if n.Channel != "" {
			named += n.Answers
		}
	}
	return answer.PercentOf(measure.Share(named, all))
}

// unnamed is the text of answers without a channel, in questions where other answers name a channel.
const unnamed = "(no channel named)"

// answerRows returns a row for each channel named in answers to a question, and a row for answers without a channel.
// Questions where no answer names a channel have a row for each text. Questions and answers are sorted by count.
func answerRows(c *toolkit.Call, found warehouse.AnswerSummary) ([]SurveyRow, error) {
	naming, totals := snapshot.NamingQuestions(found.Counts), map[string]warehouse.AnswerCount{}
	var counts []warehouse.AnswerCount
	at := map[warehouse.AnswerCount]int{}
	for _, n := range found.Counts {
		totals[n.Question] = plus(totals[n.Question], n)
		if naming[n.Question] && n.Channel == "" {
			n.Answer = unnamed
		}
		key := warehouse.AnswerCount{Question: n.Question, Channel: n.Channel, Answer: n.Answer}
		if i, ok := at[key]; ok {
			counts[i] = plus(counts[i], n)
			continue
		}
		at[key] = len(counts)
		counts = append(counts, n)
	}
	slices.SortStableFunc(counts, func(a, b warehouse.AnswerCount) int {
		return cmp.Or(cmp.Compare(totals[b.Question].Answers, totals[a.Question].Answers), cmp.Compare(a.Question, b.Question),
			cmp.Compare(b.Answers, a.Answers))
	})
	credited := map[warehouse.AnswerCredit]int64{}
	for _, n := range found.Credits {
		credited[warehouse.AnswerCredit{Question: n.Question, Channel: n.Channel}] = n.Answers
	}
	rows := make([]SurveyRow, len(counts))
	for i, n := range counts {
		all := totals[n.Question]
		share, err := cohort.Wilson(int(n.Answers), int(all.Answers), answer.Level90)
		if err != nil {
			return nil, err
		}
		rows[i] = SurveyRow{
			Question: answer.Foreign(n.Question), Channel: n.Channel, Answer: answer.Foreign(n.Answer), Answers: new(answer.Count(n.Answers)),
			Share:  answer.Percents(share),
			NewPct: answer.PercentOf(measure.Share(n.New, n.New+n.Returning)), AOV: each(c.Figures, n.Charged, n.Known),
		}
		if n.Channel != "" {
			rows[i].LastTouch = answer.PercentOf(measure.Share(credited[warehouse.AnswerCredit{Question: n.Question, Channel: n.Channel}], all.Known))
		}
	}
	return rows, nil
}

// plus returns the sum of a and b.
func plus(a, b warehouse.AnswerCount) warehouse.AnswerCount {
	a.Answers, a.New, a.Returning = a.Answers+b.Answers, a.New+b.New, a.Returning+b.Returning
	a.Known, a.Charged = a.Known+b.Known, a.Charged+b.Charged
	return a
}

// surveyRows fills in individual answers, latest first.
func surveyRows(ctx context.Context, c *toolkit.Call, a *SurveysAnswer, of warehouse.AnswersOf, page answer.Page) error {
	found, err := c.AnswerRows(ctx, of)
	if err != nil {
		return err
	}
	a.Metrics = surveyMetricsOf(found.Totals, c.Store.Covers(of.Windows.Earlier, snapshot.FromSurveys))
	f := c.Figures
	for _, r := range found.Rows {
		row := SurveyRow{Date: r.Day, Question: answer.Foreign(r.Question), Answer: answer.Foreign(r.Answer), Channel: r.Channel}
		if r.Known {
			row.OrderValue, row.Credited, row.Customer = new(f.Money(r.Charged)), r.Credited, r.Segment
		}
		a.Rows = append(a.Rows, row)
	}
	total := int(found.Totals.Recent.Selected)
	a.Pagination = page.Pagination(len(a.Rows), total)
	a.Summary = fmt.Sprintf("The selection has %s %s. The rows contain the original answer texts, latest first.", answer.Plural(total, "survey answer", "survey answers"), answer.Dates(of.Windows.Recent))
	return nil
}

func surveysSummary(a *SurveysAnswer, rows []SurveyRow, days civil.Range) string {
	// The filters apply only to answers. The responses and the response rate cover all orders.
	text := fmt.Sprintf("The selection has %s %s. Without filters, %s an answer", answer.Plural(int(*a.Metrics.Answers.Value), "survey answer", "survey answers"), answer.Dates(days),
		answer.Plural(int(*a.Metrics.Responses.Value), "order has", "orders have"))
	if r := a.Metrics.ResponsePct; r != nil {
		text += fmt.Sprintf(" (response rate %s)", r.Value)
	}
	text += "."
	named := slices.IndexFunc(rows, func(r SurveyRow) bool { return r.Channel != "" })
	if named < 0 {
		return text
	}
	top := rows[named]
	text += fmt.Sprintf(" %s has the largest share of answers to channel questions: %s (90%% interval %s to %s)", title(answer.ChannelName(top.Channel)),
		top.Share.Value, top.Share.Low, top.Share.High)
	if top.LastTouch != nil {
		text += fmt.Sprintf(". Of all orders with answers to channel questions, last touch attributes %s to %s", *top.LastTouch, answer.ChannelName(top.Channel))
	}
	return text + "."
}

const (
	fewAnswers  = 100 // below this count, shares are imprecise
	lowResponse = 10  // percent; below it, nonresponse bias is likely
)

// warnSurvey reports the limits of the answers.
func warnSurvey(a *SurveysAnswer) {
	if n := *a.Metrics.Answers.Value; n < fewAnswers {
		a.Warn(answer.WarnLowSample, fmt.Sprintf("Shares are based on %s and are imprecise.", answer.Plural(int(n), "answer", "answers")))
	}
	if r := a.Metrics.ResponsePct; r != nil && r.Value < lowResponse {
		a.Warn(answer.WarnLowResponse, fmt.Sprintf("The response rate is only %s: customers who answered may differ from customers who did not.", r.Value))
	}
}

func surveysNext(c *toolkit.Call, a *SurveysAnswer, days civil.Range) {
	if a.View == answersView {
		arguments := toolkit.With(toolkit.Dated(days), "view", string(individualView))
		if a.Question != "" {
			arguments["question"] = string(a.Question)
		}
		c.Suggest(&a.Closing, "surveys", arguments, "Read individual answers.")
		c.Suggest(&a.Closing, "performance", toolkit.With(toolkit.Dated(days), "model", string(measure.SurveyBlended)), "See attribution by channel, blended with survey answers.")
		return
	}
	c.Suggest(&a.Closing, "surveys", toolkit.Dated(days), "See totals by answer.")
}
