package tools

import (
	"context"
	"fmt"
	"slices"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/number"
	"assay/internal/warehouse"
)

var emailLifecycle = define(Spec{
	Name:        "email_lifecycle",
	Title:       "Email and SMS",
	Description: "Mail and text-message figures as the sending tool reports them: revenue, opens, clicks, top campaigns and flows.",
	Needs:       "message_days",
}, runEmailLifecycle)

type emailLifecycleParams struct {
	last30
	Channel    string `json:"channel" enum:"all|email|sms" doc:"Kind of message."`
	EntityType string `json:"entity_type" enum:"all|campaign|flow" doc:"What is ranked."`
	Limit      int    `json:"limit" default:"5" min:"1" max:"100" doc:"Top campaigns and flows."`
	shared
}

type emailLifecycleAnswer struct {
	opening
	Channel    string         `json:"channel"`
	EntityType string         `json:"entity_type"`
	Basis      measure.Basis  `json:"basis" doc:"Of revenue and conversions: what the sending tool claims."`
	Metrics    messageMetrics `json:"metrics" doc:"Over all campaigns and flows of the channel, whatever is ranked."`
	Kinds      []messageRow   `json:"kinds,omitempty" detail:"analyst" doc:"The channels' campaigns and flows in sum."`
	Ranked     int            `json:"ranked" doc:"Campaigns and flows that the rows are the top of."`
	table[messageRow]
	closing
}

// messageMetrics are sums of what the sending tools report; rates come from sums.
type messageMetrics struct {
	Revenue     Metric[Money]    `json:"revenue"`
	Credited    *Metric[Money]   `json:"credited_revenue,omitempty" doc:"Of the store's orders, by last touch. Basis attributed."`
	Conversions Metric[Count]    `json:"conversions"`
	Delivered   *Metric[Count]   `json:"delivered,omitempty" detail:"analyst"`
	OpenPct     Metric[Percent]  `json:"open_rate_pct" doc:"Opens of delivered mails. Opens of text messages are not known."`
	ClickPct    Metric[Percent]  `json:"click_rate_pct" doc:"Of delivered."`
	OrderPct    *Metric[Percent] `json:"conversion_rate_pct,omitempty" detail:"analyst" doc:"Conversions of clicks."`
	UnsubPct    Metric[Ratio]    `json:"unsubscribe_rate_pct" doc:"Of delivered."`
	BouncePct   *Metric[Ratio]   `json:"bounce_rate_pct,omitempty" detail:"analyst" doc:"Of recipients."`
	SpamPct     *Metric[Ratio]   `json:"spam_rate_pct,omitempty" detail:"analyst" doc:"Of delivered."`
	PerMessage  *Metric[Ratio]   `json:"revenue_per_1000_delivered,omitempty" detail:"analyst"`
	Opens       *Metric[Count]   `json:"opens,omitempty" detail:"analyst"`
	Clicks      *Metric[Count]   `json:"clicks,omitempty" detail:"analyst"`
}

// messageRow is a campaign, a flow, or all of a kind.
type messageRow struct {
	Name         Foreign         `json:"name,omitempty"`
	Channel      measure.Channel `json:"channel"`
	Entity       string          `json:"entity"`
	Revenue      Money           `json:"revenue" doc:"Claimed by the sending tool."`
	Conversions  *Count          `json:"conversions,omitempty" detail:"analyst"`
	Delivered    Count           `json:"delivered"`
	OpenPct      *Percent        `json:"open_rate_pct,omitempty"`
	ClickPct     *Percent        `json:"click_rate_pct,omitempty"`
	OrderPct     *Percent        `json:"conversion_rate_pct,omitempty" detail:"analyst"`
	UnsubPct     *Ratio          `json:"unsubscribe_rate_pct,omitempty" detail:"analyst"`
	BouncePct    *Ratio          `json:"bounce_rate_pct,omitempty" detail:"analyst"`
	PerMessage   *Ratio          `json:"revenue_per_1000_delivered,omitempty" detail:"analyst"`
	Recipients   *Count          `json:"recipients,omitempty" detail:"debug"`
	Opens        *Count          `json:"opens,omitempty" detail:"debug"`
	Clicks       *Count          `json:"clicks,omitempty" detail:"debug"`
	Unsubscribes *Count          `json:"unsubscribes,omitempty" detail:"debug"`
	Spam         *Count          `json:"spam_reports,omitempty" detail:"debug"`
	Bounces      *Count          `json:"bounces,omitempty" detail:"debug"`
	ID           Foreign         `json:"id,omitempty" detail:"debug"`
	FirstDay     civil.Date      `json:"first_day,omitzero" detail:"debug"`
	LastDay      civil.Date      `json:"last_day,omitzero" detail:"debug"`
}

const (
	emailChannel measure.Channel = "email"
	smsChannel   measure.Channel = "sms"
	everyKind                    = "all"
)

func runEmailLifecycle(ctx context.Context, c *Call, p emailLifecycleParams) (*emailLifecycleAnswer, error) {
	days, err := p.window(c.Today)
	if err != nil {
		return nil, err
	}
	a := &emailLifecycleAnswer{Channel: orAll(p.Channel), EntityType: orAll(p.EntityType), Basis: measure.Reported}
	a.Period, a.Currency = c.period(days), c.Workspace.Currency
	a.showAll(true) // the limit is how many there are
	in := warehouse.Windows{Recent: days, Earlier: days.Previous()}
	totals, err := c.Facts.MessageTotals(ctx, c.Workspace.ID, in)
	if err != nil {
		return nil, fmt.Errorf("messages %s: %w", days, err)
	}
	c.read("message_totals", len(totals.Recent)+len(totals.Earlier))
	ranked, err := c.Facts.Messages(ctx, c.Workspace.ID, warehouse.MessagesOf{Days: days, Channel: measure.Channel(orNone(a.Channel)), Entity: orNone(a.EntityType)})
	if err != nil {
		return nil, fmt.Errorf("campaigns and flows %s: %w", days, err)
	}
	c.read("messages", len(ranked))
	now, before := sentBy(totals.Recent, a.Channel), sentBy(totals.Earlier, a.Channel)
	f := c.figures
	a.Metrics = f.messageMetrics(now, before)
	a.Ranked = len(ranked)
	for _, e := range ranked[:min(p.Limit, len(ranked))] {
		a.Rows = append(a.Rows, f.messageRow(e))
	}
	for _, t := range totals.Recent {
		if a.Channel == everyKind || string(t.Channel) == a.Channel {
			a.Kinds = append(a.Kinds, f.messageRow(warehouse.MessageEntity{MessageTotal: t}))
		}
	}
	if now.all().Rows == 0 {
		a.Summary = c.explainEmpty(&a.closing, days)
	} else {
		credited, err := c.creditedMessages(ctx, a.Channel, in)
		if err != nil {
			return nil, err
		}
		a.Metrics.Credited = credited
		a.Summary = c.messagesSummary(a, now, days)
		c.warnMessages(a, now, days)
		c.messagesNext(a, days)
	}
	c.describe(&a.closing, DataQuality{Revenue: "claimed by the sending tool; credited_revenue: " + c.Workspace.Basis.String(), Model: measure.LastTouch}, "messages", fromOrders)
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

// sent is what messages did, mails apart: text messages do not tell whether they were opened.
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

func (f figures) messageMetrics(now, before sent) messageMetrics {
	a, b := now.all(), before.all()
	of := func(part, whole func(warehouse.MessageSums) int64) Metric[Percent] {
		return metricOfKnown(percent(measure.Share(part(a), whole(a))), percent(measure.Share(part(b), whole(b))))
	}
	fine := func(part, whole func(warehouse.MessageSums) int64) Metric[Ratio] {
		return metricOfKnown(ratio(measure.Share(part(a), whole(a))), ratio(measure.Share(part(b), whole(b))))
	}
	delivered := func(s warehouse.MessageSums) int64 { return s.Delivered }
	m := messageMetrics{
		Revenue:     metricOf(f.money(a.Revenue), f.money(b.Revenue)),
		Conversions: metricOf(Count(a.Conversions), Count(b.Conversions)),
		Delivered:   new(metricOf(Count(a.Delivered), Count(b.Delivered))),
		OpenPct: metricOfKnown(percent(measure.Share(now.mails.Opens, now.mails.Delivered)),
			percent(measure.Share(before.mails.Opens, before.mails.Delivered))),
		ClickPct: of(func(s warehouse.MessageSums) int64 { return s.Clicks }, delivered),
		OrderPct: new(of(func(s warehouse.MessageSums) int64 { return s.Conversions }, func(s warehouse.MessageSums) int64 { return s.Clicks })),
		UnsubPct: fine(func(s warehouse.MessageSums) int64 { return s.Unsubscribes }, delivered),
		BouncePct: new(fine(func(s warehouse.MessageSums) int64 { return s.Bounces },
			func(s warehouse.MessageSums) int64 { return s.Recipients })),
		SpamPct:    new(fine(func(s warehouse.MessageSums) int64 { return s.Spam }, delivered)),
		PerMessage: new(metricOfKnown(f.perThousand(a), f.perThousand(b))),
		Opens:      new(metricOf(Count(a.Opens), Count(b.Opens))), Clicks: new(metricOf(Count(a.Clicks), Count(b.Clicks))),
	}
	m.known(a.Rows > 0, b.Rows > 0)
	return m
}

// known leaves out the sums of a window without any report: nothing reported is not nothing sent.
func (m *messageMetrics) known(now, before bool) {
	m.Revenue, m.Conversions = m.Revenue.where(now, before), m.Conversions.where(now, before)
	*m.Delivered, *m.Opens, *m.Clicks = m.Delivered.where(now, before), m.Opens.where(now, before), m.Clicks.where(now, before)
}

// perThousand is the revenue per 1,000 messages delivered, in whole units.
func (f figures) perThousand(s warehouse.MessageSums) *Ratio {
	m := f.each(1000*s.Revenue, s.Delivered)
	if m == nil {
		return nil
	}
	return new(Ratio(*m))
}

func (f figures) messageRow(e warehouse.MessageEntity) messageRow {
	row := messageRow{
		Name: Foreign(e.Name), Channel: e.Channel, Entity: e.Entity, Revenue: f.money(e.Revenue), Conversions: new(Count(e.Conversions)),
		Delivered: Count(e.Delivered), ClickPct: percent(measure.Share(e.Clicks, e.Delivered)),
		OrderPct: percent(measure.Share(e.Conversions, e.Clicks)), UnsubPct: ratio(measure.Share(e.Unsubscribes, e.Delivered)),
		BouncePct: ratio(measure.Share(e.Bounces, e.Recipients)), PerMessage: f.perThousand(e.MessageSums),
		Recipients: new(Count(e.Recipients)), Opens: new(Count(e.Opens)), Clicks: new(Count(e.Clicks)), Unsubscribes: new(Count(e.Unsubscribes)),
		Spam: new(Count(e.Spam)), Bounces: new(Count(e.Bounces)), ID: Foreign(e.ID), FirstDay: e.Days.First, LastDay: e.Days.Last,
	}
	if e.Channel != smsChannel {
		row.OpenPct = percent(measure.Share(e.Opens, e.Delivered))
	}
	return row
}

// creditedMessages returns what last touch credits the channel of messages with, nil when no order says where it came
// from.
func (c *Call) creditedMessages(ctx context.Context, channel string, in warehouse.Windows) (*Metric[Money], error) {
	if c.Store.untouched() {
		return nil, nil
	}
	totals, err := c.lastTouchTotals(ctx, in, "")
	if err != nil {
		return nil, err
	}
	f := c.figures
	sum := func(rows []warehouse.ChannelTotal) (s measure.Sums) {
		for _, t := range rows {
			if string(t.Channel) == channel || channel == everyKind && (t.Channel == emailChannel || t.Channel == smsChannel) {
				s = s.Add(t.Sums)
			}
		}
		return s
	}
	return new(metricOf(f.revenue(sum(totals.Recent)), f.revenue(sum(totals.Earlier)))), nil
}

func (c *Call) messagesSummary(a *emailLifecycleAnswer, now sent, days civil.Range) string {
	what := "Mails and text messages"
	switch a.Channel {
	case string(emailChannel):
		what = "Mails"
	case string(smsChannel):
		what = "Text messages"
	}
	text := fmt.Sprintf("%s claim %s %s, %s, from %s delivered.", what, c.amount(now.all().Revenue), spell(days),
		against(a.Metrics.Revenue.ChangePct, days), quantity(float64(now.all().Delivered)))
	if m := a.Metrics.Credited; m != nil {
		text += fmt.Sprintf(" Last touch credits them with %s.", c.majorAmount(float64(*m.Value)))
	}
	if open := a.Metrics.OpenPct.Value; open != nil && now.mails.Rows > 0 {
		text += fmt.Sprintf(" %s %% of the mails were opened", number.Grouped(decimals(float64(*open), 1), 1))
		if click := a.Metrics.ClickPct.Value; click != nil {
			text += fmt.Sprintf(", and %s %% of all messages clicked", number.Grouped(decimals(float64(*click), 1), 1))
		}
		text += "."
	}
	return text
}

// staleMessages is how many days behind today the sending tool's last report may be.
const staleMessages = 2

// warnMessages says first of all that the figures are claims, then what the reports do not cover.
func (c *Call) warnMessages(a *emailLifecycleAnswer, now sent, days civil.Range) {
	text := "revenue and conversions are what the sending tool claims, in its own window; other channels claim some of the same orders."
	if m := a.Metrics.Credited; m != nil && *m.Value > 0 {
		text = fmt.Sprintf("revenue is what the sending tool claims: %s times what orders credit the channel with by last touch.",
			number.Grouped(decimals(float64(*a.Metrics.Revenue.Value)/float64(*m.Value), 2), 2))
	}
	a.warn(warnPlatformReported, text)
	if c.view.DetailLevel != summaryLevel {
		a.warn(warnOpensInflated, "Mail programs that load pictures by themselves count as opens: clicks are the safer figure.")
	}
	if all := now.all(); all.SinceSend > 0 {
		a.warn(warnSinceSend, fmt.Sprintf("%s hold all since the send and are dated by it.", plural(int(all.SinceSend), "row", "rows")))
	}
	c.warnPartial(&a.closing, days)
	last := now.all().Days.Last
	expected := c.Today.AddDays(-staleMessages)
	if days.Last.Before(expected) {
		expected = days.Last
	}
	flows := slices.ContainsFunc(a.Kinds, func(r messageRow) bool { return r.Entity == "flow" })
	if flows && last.Before(expected) {
		a.warn(warnSourceStale, fmt.Sprintf("The last report of the sending tool is of %s.", last))
	}
}

func (c *Call) messagesNext(a *emailLifecycleAnswer, days civil.Range) {
	if a.Channel == everyKind && a.EntityType == everyKind {
		c.suggest(&a.closing, "email_lifecycle", with(dated(days), "entity_type", "flow"), "See the flows alone.")
	}
	c.suggest(&a.closing, "performance", dated(days), "See mail beside the other channels.")
}
