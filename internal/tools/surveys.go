package tools

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/cohort"
	"assay/internal/money"
	"assay/internal/number"
	"assay/internal/warehouse"
)

var surveys = define(Spec{
	Name:        "surveys",
	Title:       "Post-purchase surveys",
	Description: "What customers say after a purchase about how they found the store, in sum or answer by answer.",
	Needs:       "survey_responses",
}, runSurveys)

type surveysParams struct {
	last90
	View           surveysView `json:"view" enum:"summary|individual" default:"summary" doc:"Sums or single answers."`
	Question       string      `json:"question" doc:"Such as discovery_channel, purchase_trigger, awareness_duration."`
	AnswerContains string      `json:"answer_contains" doc:"Only answers with this text."`
	Channel        string      `json:"channel" doc:"Only orders credited to this channel."`
	MinOrderValue  *float64    `json:"min_order_value" doc:"Only orders of at least this value."`
	paged
	shared
}

// surveysView is what the rows of surveys are.
type surveysView string

const (
	answersView    surveysView = "summary"
	individualView surveysView = "individual"
)

// Check refuses a reversed period and a value that no order has.
func (p surveysParams) Check() error {
	if v := p.MinOrderValue; v != nil && (*v < 0 || *v > 1e12 || math.IsNaN(*v)) {
		return fault.Invalid("min_order_value is %v, want an amount from 0 up", *v).WithHint(`Corrected arguments: {"min_order_value":0}`)
	}
	return p.last90.Check()
}

type surveysAnswer struct {
	opening
	View      surveysView     `json:"view"`
	Question  Foreign         `json:"question,omitempty"`
	Channel   measure.Channel `json:"channel,omitempty"`
	Metrics   surveyMetrics   `json:"metrics" doc:"Over all rows of all pages."`
	Estimates *Estimates      `json:"estimates,omitempty"`
	table[surveyRow]
	closing
}

type surveyMetrics struct {
	Answers     Metric[Count]      `json:"answers" doc:"Of the selection."`
	Responses   Metric[Count]      `json:"responses" doc:"Orders that answered anything in the period, whatever was selected."`
	ResponsePct *Estimate[Percent] `json:"response_rate_pct,omitempty" doc:"Of the orders on the surfaces on which anybody answered."`
	NamedPct    *Percent           `json:"named_channel_pct,omitempty" doc:"Of the answers to questions to which anybody named a channel."`
}

// surveyRow is an answer to a question with how often it was given, or one single answer.
type surveyRow struct {
	Date       civil.Date         `json:"date,omitzero"`
	Question   Foreign            `json:"question"`
	Answer     Foreign            `json:"answer,omitempty" doc:"As it was written; many in one row: what they say."`
	Channel    measure.Channel    `json:"channel,omitempty" doc:"What the answer means."`
	Answers    *Count             `json:"answers,omitempty"`
	Share      *Estimate[Percent] `json:"share_pct,omitempty" doc:"Of the answers to the question."`
	LastTouch  *Percent           `json:"last_touch_pct,omitempty" doc:"Of the same orders, credited to the channel by last touch."`
	NewPct     *Percent           `json:"new_pct,omitempty" detail:"analyst" doc:"From orders of new customers."`
	AOV        *Money             `json:"aov,omitempty" detail:"analyst"`
	OrderValue *Money             `json:"order_value,omitempty" doc:"Charged."`
	Credited   measure.Channel    `json:"credited_channel,omitempty" doc:"By last touch."`
	Customer   warehouse.Segment  `json:"customer,omitempty"`
}

func runSurveys(ctx context.Context, c *Call, p surveysParams) (*surveysAnswer, error) {
	days, err := p.window(c.Today)
	if err != nil {
		return nil, err
	}
	channel, err := c.channel(p.Channel)
	if err != nil {
		return nil, err
	}
	page := p.page(&c.Writer)
	of := warehouse.AnswersOf{
		Windows:  warehouse.Windows{Recent: days, Earlier: days.Previous()},
		Question: p.Question, Contains: p.AnswerContains, Channel: channel, MinValue: c.minor(p.MinOrderValue),
	}
	a := &surveysAnswer{View: p.View, Question: Foreign(p.Question), Channel: channel}
	a.Period, a.Currency = c.period(days), c.Workspace.Currency
	switch p.View {
	case answersView:
		err = c.surveySums(ctx, a, of, page)
	case individualView:
		of.Limit, of.Offset = page.limit, page.offset
		err = c.surveyRows(ctx, a, of, page)
	}
	if err != nil {
		return nil, err
	}
	if a.Pagination.Total == 0 {
		a.Estimates = nil
		a.Summary = c.explainEmpty(&a.closing, days)
	} else {
		c.warnPartial(&a.closing, days)
		c.surveysNext(a, days)
	}
	c.describe(&a.closing, DataQuality{Revenue: "order_value and aov: charged to customers", Model: measure.LastTouch}, "surveys", fromOrders)
	return a, nil
}

// minor turns an amount in whole units into minor units, rounded up, nil when there is none.
func (c *Call) minor(major *float64) *int64 {
	if major == nil {
		return nil
	}
	return new(int64(math.Ceil(*major/money.Major(1, c.Workspace.Currency) - 1e-6)))
}

func surveyMetricsOf(t warehouse.Pair[warehouse.AnswerTotals]) surveyMetrics {
	return surveyMetrics{
		Answers:   metricOf(Count(t.Recent.Selected), Count(t.Earlier.Selected)),
		Responses: metricOf(Count(t.Recent.Responses), Count(t.Earlier.Responses)),
	}
}

// surveySums fills in how often each answer was given.
func (c *Call) surveySums(ctx context.Context, a *surveysAnswer, of warehouse.AnswersOf, page page) error {
	found, err := c.Facts.Answers(ctx, c.Workspace.ID, of)
	if err != nil {
		return fmt.Errorf("answers %s: %w", of.Windows.Recent, err)
	}
	c.read("answers", len(found.Counts))
	c.read("answer_credits", len(found.Credits))
	a.Metrics = surveyMetricsOf(found.Totals)
	if asked := found.Answerable / measure.Millionths; asked > 0 {
		answered := min(found.Totals.Recent.Responses, asked)
		interval, err := cohort.Wilson(int(answered), int(asked), level90)
		if err != nil {
			return err
		}
		a.Metrics.ResponsePct = percents(float64(answered)/float64(asked), interval)
	}
	a.Metrics.NamedPct = namedShare(found.Counts)
	rows, err := c.answerRows(found)
	if err != nil {
		return err
	}
	a.Rows = cut(page, rows)
	a.Pagination = page.pagination(len(a.Rows), len(rows))
	a.Estimates = &Estimates{LevelPct: int(100 * level90), Method: "Wilson interval of a share: chance in who answered, not the bias of what people remember"}
	if len(rows) > 0 {
		a.Summary = c.surveysSummary(a, rows, of.Windows.Recent)
		c.warnSurvey(a)
	}
	return nil
}

// namedShare is the part of the answers that name a channel, where they could.
func namedShare(counts []warehouse.AnswerCount) *Percent {
	var named, all int64
	naming := namingQuestions(counts)
	for _, n := range counts {
		if naming[n.Question] {
			all += n.Answers
		}
		if n.Channel != "" {
			named += n.Answers
		}
	}
	return percent(measure.Share(named, all))
}

// unnamed is what a row of answers that name no channel says, of a question to which others do.
const unnamed = "(no channel named)"

// answerRows makes a row for each channel that answers to a question name, and one for those that name none; where none
// does, a row for each text. Questions that were answered most come first, and in each the commonest answer.
func (c *Call) answerRows(found warehouse.AnswerSummary) ([]surveyRow, error) {
	naming, totals := namingQuestions(found.Counts), map[string]warehouse.AnswerCount{}
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
	rows := make([]surveyRow, len(counts))
	for i, n := range counts {
		all := totals[n.Question]
		interval, err := cohort.Wilson(int(n.Answers), int(all.Answers), level90)
		if err != nil {
			return nil, err
		}
		rows[i] = surveyRow{
			Question: Foreign(n.Question), Channel: n.Channel, Answer: Foreign(n.Answer), Answers: new(Count(n.Answers)),
			Share:  percents(float64(n.Answers)/float64(all.Answers), interval),
			NewPct: percent(measure.Share(n.New, n.Known)), AOV: c.figures.each(n.Charged, n.Known),
		}
		if n.Channel != "" {
			rows[i].LastTouch = percent(measure.Share(credited[warehouse.AnswerCredit{Question: n.Question, Channel: n.Channel}], all.Known))
		}
	}
	return rows, nil
}

// plus adds the numbers of b to a.
func plus(a, b warehouse.AnswerCount) warehouse.AnswerCount {
	a.Answers, a.New, a.Known, a.Charged = a.Answers+b.Answers, a.New+b.New, a.Known+b.Known, a.Charged+b.Charged
	return a
}

// surveyRows fills in single answers, the latest first.
func (c *Call) surveyRows(ctx context.Context, a *surveysAnswer, of warehouse.AnswersOf, page page) error {
	found, err := c.Facts.AnswerRows(ctx, c.Workspace.ID, of)
	if err != nil {
		return fmt.Errorf("single answers %s: %w", of.Windows.Recent, err)
	}
	c.read("answer_rows", len(found.Rows))
	a.Metrics = surveyMetricsOf(found.Totals)
	f := c.figures
	for _, r := range found.Rows {
		row := surveyRow{Date: r.Day, Question: Foreign(r.Question), Answer: Foreign(r.Answer), Channel: r.Channel}
		if r.Known {
			row.OrderValue, row.Credited, row.Customer = new(f.money(r.Charged)), r.Credited, warehouse.ReturningCustomers
			if r.IsNew {
				row.Customer = warehouse.NewCustomers
			}
		}
		a.Rows = append(a.Rows, row)
	}
	total := int(found.Totals.Recent.Selected)
	a.Pagination = page.pagination(len(a.Rows), total)
	a.Summary = fmt.Sprintf("%s %s, the latest first; answers are what customers wrote.", plural(total, "answer", "answers"), spell(of.Windows.Recent))
	return nil
}

func (c *Call) surveysSummary(a *surveysAnswer, rows []surveyRow, days civil.Range) string {
	text := fmt.Sprintf("%s %s from %s", plural(int(*a.Metrics.Answers.Value), "answer", "answers"), spell(days),
		plural(int(*a.Metrics.Responses.Value), "order", "orders"))
	if r := a.Metrics.ResponsePct; r != nil {
		text += fmt.Sprintf(", %s %% of those that could answer", number.Grouped(decimals(float64(r.Value), 1), 1))
	}
	text += "."
	named := slices.IndexFunc(rows, func(r surveyRow) bool { return r.Channel != "" })
	if named < 0 {
		return text
	}
	top := rows[named]
	text += fmt.Sprintf(" %s is named most, in %s %% of the answers that could name a channel (90 %% interval %s to %s)", title(spoken(top.Channel)),
		number.Grouped(decimals(float64(top.Share.Value), 1), 1), number.Grouped(decimals(float64(top.Share.Low), 1), 1), number.Grouped(decimals(float64(top.Share.High), 1), 1))
	if top.LastTouch != nil {
		text += fmt.Sprintf("; last touch credits it with %s %% of the same orders", number.Grouped(decimals(float64(*top.LastTouch), 1), 1))
	}
	return text + "."
}

const (
	fewAnswers  = 100 // below which shares say little
	lowResponse = 10  // percent, below which those who answer may be special
)

// warnSurvey says what the answers cannot tell.
func (c *Call) warnSurvey(a *surveysAnswer) {
	if n := *a.Metrics.Answers.Value; n < fewAnswers {
		a.warn(warnLowSample, fmt.Sprintf("%s: shares can move a lot by chance.", plural(int(n), "answer", "answers")))
	}
	if r := a.Metrics.ResponsePct; r != nil && r.Value < lowResponse {
		a.warn(warnLowResponse, fmt.Sprintf("Only %s %% answered; those who did may differ from those who did not.", number.Grouped(decimals(float64(r.Value), 1), 1)))
	}
}

func (c *Call) surveysNext(a *surveysAnswer, days civil.Range) {
	if a.View == answersView {
		arguments := with(dated(days), "view", string(individualView))
		if a.Question != "" {
			arguments["question"] = string(a.Question)
		}
		c.suggest(&a.closing, "surveys", arguments, "Read the answers.")
		c.suggest(&a.closing, "performance", with(dated(days), "model", string(measure.SurveyBlended)), "See channels credited with the help of the answers.")
		return
	}
	c.suggest(&a.closing, "surveys", dated(days), "See the answers in sum.")
}
