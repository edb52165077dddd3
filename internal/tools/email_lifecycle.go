package tools

import (
	"context"
	"fmt"
	"slices"

	"assay/internal/answer"
	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/snapshot"
	"assay/internal/toolkit"
	"assay/internal/warehouse"
)

// EmailLifecycle is the `email_lifecycle` tool.
var EmailLifecycle = toolkit.Define(toolkit.Spec{
	Name:        "email_lifecycle",
	Title:       "Email and SMS",
	Description: "Email and SMS results as reported by the sending platform: revenue, opens, clicks, top campaigns and flows.",
	Needs:       "message_days",
}, runEmailLifecycle)

type emailLifecycleParams struct {
	answer.Last30
	Channel    string `json:"channel" enum:"all|email|sms" doc:"Message channel."`
	EntityType string `json:"entity_type" enum:"all|campaign|flow" doc:"Entities to rank."`
	Limit      int    `json:"limit" default:"5" min:"1" max:"100" doc:"Top campaigns and flows."`
	answer.Shared
}

// EmailLifecycleAnswer is the answer of the `email_lifecycle` tool.
type EmailLifecycleAnswer struct {
	answer.Opening
	Channel    string         `json:"channel"`
	EntityType string         `json:"entity_type"`
	Basis      measure.Basis  `json:"basis" doc:"Basis of revenue and conversions: reported by the sending platform."`
	Metrics    MessageMetrics `json:"metrics" doc:"Totals over all campaigns and flows of the channel, regardless of entity_type."`
	Kinds      []MessageRow   `json:"kinds,omitempty" detail:"analyst" doc:"Totals by channel and entity type."`
	Ranked     int            `json:"ranked" doc:"Number of ranked campaigns and flows. The rows show only the first of them."`
	answer.Table[MessageRow]
	answer.Closing
}

// MessageMetrics are totals reported by the sending platforms. Rates are computed from totals.
type MessageMetrics struct {
	Revenue     answer.Metric[answer.Money]   `json:"revenue"`
	Credited    *answer.Metric[answer.Money]  `json:"credited_revenue,omitempty" doc:"Last-touch revenue of the store. Basis attributed."`
	Conversions answer.Metric[answer.Count]   `json:"conversions"`
	Delivered   *answer.Metric[answer.Count]  `json:"delivered,omitempty" detail:"analyst"`
	OpenPct     answer.Share[answer.Percent]  `json:"open_rate_pct" doc:"Opens per delivered email. SMS has no opens."`
	ClickPct    answer.Share[answer.Percent]  `json:"click_rate_pct" doc:"Clicks per delivered message."`
	OrderPct    *answer.Share[answer.Percent] `json:"conversion_rate_pct,omitempty" detail:"analyst" doc:"Conversions per click."`
	UnsubPct    answer.Share[answer.Ratio]    `json:"unsubscribe_rate_pct" doc:"Unsubscribes per delivered message."`
	BouncePct   *answer.Share[answer.Ratio]   `json:"bounce_rate_pct,omitempty" detail:"analyst" doc:"Bounces per recipient."`
	SpamPct     *answer.Share[answer.Ratio]   `json:"spam_rate_pct,omitempty" detail:"analyst" doc:"Spam reports per delivered message."`
	PerMessage  *answer.Metric[answer.Ratio]  `json:"revenue_per_1000_delivered,omitempty" detail:"analyst"`
	Opens       *answer.Metric[answer.Count]  `json:"opens,omitempty" detail:"analyst"`
	Clicks      *answer.Metric[answer.Count]  `json:"clicks,omitempty" detail:"analyst"`
}

// MessageRow is a campaign, a flow, or the total of a kind.
type MessageRow struct {
	Name         answer.Foreign  `json:"name,omitempty"`
	Channel      measure.Channel `json:"channel"`
	Entity       string          `json:"entity"`
	Revenue      answer.Money    `json:"revenue" doc:"Reported by the sending platform."`
	Conversions  *answer.Count   `json:"conversions,omitempty" detail:"analyst"`
	Delivered    answer.Count    `json:"delivered"`
	OpenPct      *answer.Percent `json:"open_rate_pct,omitempty"`
	ClickPct     *answer.Percent `json:"click_rate_pct,omitempty"`
	OrderPct     *answer.Percent `json:"conversion_rate_pct,omitempty" detail:"analyst"`
	UnsubPct     *answer.Ratio   `json:"unsubscribe_rate_pct,omitempty" detail:"analyst"`
	BouncePct    *answer.Ratio   `json:"bounce_rate_pct,omitempty" detail:"analyst"`
	PerMessage   *answer.Ratio   `json:"revenue_per_1000_delivered,omitempty" detail:"analyst"`
	Recipients   *answer.Count   `json:"recipients,omitempty" detail:"debug"`
	Opens        *answer.Count   `json:"opens,omitempty" detail:"debug"`
	Clicks       *answer.Count   `json:"clicks,omitempty" detail:"debug"`
	Unsubscribes *answer.Count   `json:"unsubscribes,omitempty" detail:"debug"`
	Spam         *answer.Count   `json:"spam_reports,omitempty" detail:"debug"`
	Bounces      *answer.Count   `json:"bounces,omitempty" detail:"debug"`
	ID           answer.Foreign  `json:"id,omitempty" detail:"debug"`
	FirstDay     civil.Date      `json:"first_day,omitzero" detail:"debug"`
	LastDay      civil.Date      `json:"last_day,omitzero" detail:"debug"`
}

const (
	emailChannel measure.Channel = "email"
	smsChannel   measure.Channel = "sms"
	everyKind                    = "all"
)

func runEmailLifecycle(ctx context.Context, c *toolkit.Call, p emailLifecycleParams) (*EmailLifecycleAnswer, error) {
	days, err := p.Window(c.Today)
	if err != nil {
		return nil, err
	}
	a := &EmailLifecycleAnswer{Channel: orAll(p.Channel), EntityType: orAll(p.EntityType), Basis: measure.Reported}
	a.Period, a.Currency = c.Period(days), c.Workspace.Currency
	a.ShowAll(true) // the parameter limit is the number of rows
	in := warehouse.Windows{Recent: days, Earlier: days.Previous()}
	totals, err := c.MessageTotals(ctx, in)
	if err != nil {
		return nil, err
	}
	ranked, err := c.Messages(ctx, warehouse.MessagesOf{Days: days, Channel: measure.Channel(orNone(a.Channel)), Entity: orNone(a.EntityType)})
	if err != nil {
		return nil, err
	}
	now, before := sentBy(totals.Recent, a.Channel), sentBy(totals.Earlier, a.Channel)
	f := c.Figures
	a.Metrics = messageMetricsOf(f, now, before, c.Store.Covers(in.Earlier, snapshot.FromMessages))
	a.Ranked = len(ranked)
	for _, e := range ranked[:min(p.Limit, len(ranked))] {
		a.Rows = append(a.Rows, messageRowOf(f, e))
	}
	for _, t := range totals.Recent {
		if a.Channel == everyKind || string(t.Channel) == a.Channel {
			a.Kinds = append(a.Kinds, messageRowOf(f, warehouse.MessageEntity{MessageTotal: t}))
		}
	}
	if now.all().Rows == 0 {
		a.Summary = c.ExplainEmpty(&a.Closing, days)
	} else {
		credited, err := creditedMessages(ctx, c, a.Channel, in)
		if err != nil {
			return nil, err
		}
		a.Metrics.Credited = credited
		a.Summary = messagesSummary(c, a, now, days)
		warnMessages(c, a, now, days)
		messagesNext(c, a, days)
	}
	c.Describe(&a.Closing, answer.DataQuality{Revenue: "reported by the sending platform; credited_revenue: " + c.Workspace.Basis.String(), Model: measure.LastTouch}, snapshot.FromMessages, snapshot.FromOrders)
	return a, nil
}

func orAll(name string) string {
	if name == "" {
		return everyKind
	}
	return name
}

func orNone(name string) string {
	if name == everyKind {
		return ""
	}
	return name
}

// sent separates the message totals of email and SMS, because SMS has no opens.
type sent struct{ mails, texts warehouse.MessageSums }

func (s sent) all() warehouse.MessageSums { return s.mails.Add(s.texts) }

func sentBy(totals []warehouse.MessageTotal, channel string) (s sent) {
	for _, t := range totals {
		switch {
		case channel != everyKind && string(t.Channel) != channel:
		case t.Channel == smsChannel:
			s.texts = s.texts.Add(t.MessageSums)
		default:
			s.mails = s.mails.Add(t.MessageSums)
		}
	}
	return s
}

func messageMetricsOf(f answer.Figures, now, before sent, comparable bool) MessageMetrics {
	a, b := now.all(), before.all()
	of := func(part, whole func(warehouse.MessageSums) int64) answer.Share[answer.Percent] {
		return answer.ShareOf(answer.PercentOf(measure.Share(part(a), whole(a))), answer.PercentOf(measure.Share(part(b), whole(b))))
	}
	fine := func(part, whole func(warehouse.MessageSums) int64) answer.Share[answer.Ratio] {
		return answer.ShareOf(answer.RatioOf(measure.Share(part(a), whole(a))), answer.RatioOf(measure.Share(part(b), whole(b))))
	}
	delivered := func(s warehouse.MessageSums) int64 { return s.Delivered }
	m := MessageMetrics{
		Revenue:     answer.MetricOf(f.Money(a.Revenue), f.Money(b.Revenue)),
		Conversions: answer.MetricOf(answer.Count(a.Conversions), answer.Count(b.Conversions)),
		Delivered:   new(answer.MetricOf(answer.Count(a.Delivered), answer.Count(b.Delivered))),
		OpenPct: answer.ShareOf(answer.PercentOf(measure.Share(now.mails.Opens, now.mails.Delivered)),
			answer.PercentOf(measure.Share(before.mails.Opens, before.mails.Delivered))),
		ClickPct: of(func(s warehouse.MessageSums) int64 { return s.Clicks }, delivered),
		OrderPct: new(of(func(s warehouse.MessageSums) int64 { return s.Conversions }, func(s warehouse.MessageSums) int64 { return s.Clicks })),
		UnsubPct: fine(func(s warehouse.MessageSums) int64 { return s.Unsubscribes }, delivered),
		BouncePct: new(fine(func(s warehouse.MessageSums) int64 { return s.Bounces },
			func(s warehouse.MessageSums) int64 { return s.Recipients })),
		SpamPct:    new(fine(func(s warehouse.MessageSums) int64 { return s.Spam }, delivered)),
		PerMessage: new(answer.MetricOfKnown(perThousand(f, a), perThousand(f, b))),
		Opens:      new(answer.MetricOf(answer.Count(a.Opens), answer.Count(b.Opens))), Clicks: new(answer.MetricOf(answer.Count(a.Clicks), answer.Count(b.Clicks))),
	}
	m.known(a.Rows > 0, comparable && b.Rows > 0)
	return m
}

// known clears the totals of a window without any report: its messages are unknown, not zero.
func (m *MessageMetrics) known(now, before bool) {
	m.Revenue, m.Conversions = m.Revenue.Where(now, before), m.Conversions.Where(now, before)
	*m.Delivered, *m.Opens, *m.Clicks = m.Delivered.Where(now, before), m.Opens.Where(now, before), m.Clicks.Where(now, before)
	m.OpenPct, m.ClickPct, m.UnsubPct = m.OpenPct.Where(now, before), m.ClickPct.Where(now, before), m.UnsubPct.Where(now, before)
	*m.OrderPct, *m.BouncePct, *m.SpamPct = m.OrderPct.Where(now, before), m.BouncePct.Where(now, before), m.SpamPct.Where(now, before)
	*m.PerMessage = m.PerMessage.Where(now, before)
}

// perThousand returns the revenue per 1,000 delivered messages, in major units.
func perThousand(f answer.Figures, s warehouse.MessageSums) *answer.Ratio {
	m := each(f, 1000*s.Revenue, s.Delivered)
	if m == nil {
		return nil
	}
	return new(answer.Ratio(*m))
}

func messageRowOf(f answer.Figures, e warehouse.MessageEntity) MessageRow {
	row := MessageRow{
		Name: answer.Foreign(e.Name), Channel: e.Channel, Entity: e.Entity, Revenue: f.Money(e.Revenue), Conversions: new(answer.Count(e.Conversions)),
		Delivered: answer.Count(e.Delivered), ClickPct: answer.PercentOf(measure.Share(e.Clicks, e.Delivered)),
		OrderPct: answer.PercentOf(measure.Share(e.Conversions, e.Clicks)), UnsubPct: answer.RatioOf(measure.Share(e.Unsubscribes, e.Delivered)),
		BouncePct: answer.RatioOf(measure.Share(e.Bounces, e.Recipients)), PerMessage: perThousand(f, e.MessageSums),
		Recipients: new(answer.Count(e.Recipients)), Opens: new(answer.Count(e.Opens)), Clicks: new(answer.Count(e.Clicks)), Unsubscribes: new(answer.Count(e.Unsubscribes)),
		Spam: new(answer.Count(e.Spam)), Bounces: new(answer.Count(e.Bounces)), ID: answer.Foreign(e.ID), FirstDay: e.Days.First, LastDay: e.Days.Last,
	}
	if e.Channel != smsChannel {
		row.OpenPct = answer.PercentOf(measure.Share(e.Opens, e.Delivered))
	}
	return row
}

// creditedMessages returns the revenue that last touch attributes to the message channels, or nil if no order has
// touchpoints.
func creditedMessages(ctx context.Context, c *toolkit.Call, channel string, in warehouse.Windows) (*answer.Metric[answer.Money], error) {
	if c.Store.Untouched() {
		return nil, nil
	}
	totals, err := c.LastTouchTotals(ctx, in, "")
	if err != nil {
		return nil, err
	}
	f := c.Figures
	sum := func(rows []warehouse.ChannelTotal) (s measure.Sums) {
		for _, t := range rows {
			if string(t.Channel) == channel || channel == everyKind && (t.Channel == emailChannel || t.Channel == smsChannel) {
				s = s.Add(t.Sums)
			}
		}
		return s
	}
	credited := answer.MetricOf(f.Revenue(sum(totals.Recent)), f.Revenue(sum(totals.Earlier)))
	return new(credited.Where(true, c.Store.Covers(in.Earlier, snapshot.FromOrders))), nil
}

func messagesSummary(c *toolkit.Call, a *EmailLifecycleAnswer, now sent, days civil.Range) string {
	what := "Email and SMS"
	switch a.Channel {
	case string(emailChannel):
		what = "Email"
	case string(smsChannel):
		what = "SMS"
	}
	text := fmt.Sprintf("%s revenue reported by the sending platform is %s %s, %s. The platform delivered %s.", what, c.Amount(now.all().Revenue), answer.Dates(days),
		answer.Against(a.Metrics.Revenue.ChangePct, days), plural(answer.Count(now.all().Delivered), "message", "messages"))
	if m := a.Metrics.Credited; m != nil {
		text += fmt.Sprintf(" %s revenue by last touch is %s.", what, c.Spelled(*m.Value))
	}
	if open := a.Metrics.OpenPct.Value; open != nil && now.mails.Rows > 0 {
		text += fmt.Sprintf(" The email open rate is %s", *open)
		if click := a.Metrics.ClickPct.Value; click != nil {
			text += fmt.Sprintf(" and the click rate of all messages is %s", *click)
		}
		text += "."
	}
	return text
}

// staleMessages is the maximum age of the sending platform's last report, in days.
const staleMessages = 2

// warnMessages warns that the figures are platform-reported. It also warns of gaps in the reports.
func warnMessages(c *toolkit.Call, a *EmailLifecycleAnswer, now sent, days civil.Range) {
	text := "The sending platform reports revenue and conversions in its own attribution window. Other platforms may report the same orders."
	if m := a.Metrics.Credited; m != nil && *m.Value > 0 {
		text = fmt.Sprintf("Revenue reported by the sending platform is %s times last-touch revenue.",
			answer.Ratio(*a.Metrics.Revenue.Value / *m.Value))
	}
	a.Warn(answer.WarnPlatformReported, text)
	if c.View.DetailLevel != answer.SummaryLevel {
		a.Warn(answer.WarnOpensInflated, "Some email clients load images automatically, and the platform counts these loads as opens. Clicks are more reliable.")
	}
	if all := now.all(); all.SinceSend > 0 {
		a.Warn(answer.WarnSinceSend, fmt.Sprintf("%s all later activity to the send date.", answer.Plural(int(all.SinceSend), "row assigns", "rows assign")))
	}
	c.WarnStart(&a.Closing, days, "Email and SMS reports", snapshot.FromMessages)
	c.WarnPartial(&a.Closing, days)
	last := now.all().Days.Last
	expected := c.Today.AddDays(-staleMessages)
	if days.Last.Before(expected) {
		expected = days.Last
	}
	flows := slices.ContainsFunc(a.Kinds, func(r MessageRow) bool { return r.Entity == "flow" })
	if flows && last.Before(expected) {
		a.Warn(answer.WarnSourceStale, fmt.Sprintf("The last report of the sending platform is dated %s.", last))
	}
}

func messagesNext(c *toolkit.Call, a *EmailLifecycleAnswer, days civil.Range) {
	if a.Channel == everyKind && a.EntityType == everyKind {
		c.Suggest(&a.Closing, "email_lifecycle", toolkit.With(toolkit.Dated(days), "entity_type", "flow"), "Rank flows only.")
	}
	c.Suggest(&a.Closing, "performance", toolkit.Dated(days), "Compare email with the other channels.")
}
