package singer

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"assay/internal/civil"
	"assay/internal/ingest/document"
	"assay/internal/ingest/source"
	"assay/internal/measure"
	"assay/internal/money"
	"assay/internal/warehouse"
)

// messages collects Klaviyo's reports, which have one record per statistic. The figures of a message and day stay in
// memory during the run, because a later statistic changes the row.
type messages struct {
	options source.Options
	words   *source.Words
	rows    map[messageKey]*messageRow
	named   map[string]named // campaigns and flows, by ID
	changed map[messageKey]bool
}

type messageKey struct {
	entity, id, message string
	channel             measure.Channel
	day                 civil.Date // zero: totals since sending
}

type messageRow struct {
	warehouse.MessageDay
}

type named struct {
	name string
	sent civil.Date
}

func newMessages(o source.Options) *messages {
	return &messages{options: o, words: source.NewWords(), rows: map[messageKey]*messageRow{}, named: map[string]named{}, changed: map[messageKey]bool{}}
}

// name stores the name of a campaign or flow, and the send time of a campaign.
func (c *messages) name(record *document.Object) {
	id, attributes := c.words.Of(record.Get("id").Text()), record.Get("attributes")
	n := named{name: strings.Clone(attributes.Path("name").Text())}
	for _, field := range []string{"send_time", "scheduled_at"} {
		if at, err := source.ParseInstant(attributes.Path(field).Text(), source.UnknownOrder, time.UTC); err == nil && n.sent.IsZero() {
			n.sent = civil.DayOf(at, c.options.Zone)
		}
	}
	c.named[id] = n
	for key := range c.rows {
		if key.id == id {
			c.changed[key] = true
		}
	}
}

// add adds a statistic. Its error is a [*source.RowError].
func (c *messages) add(record *document.Object) error {
	key := messageKey{
		entity: "campaign", id: c.words.Of(record.First("campaign_id").Text()), message: c.words.Of(record.First("campaign_message_id", "flow_message_id").Text()),
	}
	if flow := record.First("flow_id").Text(); flow != "" {
		key.entity, key.id = "flow", c.words.Of(flow)
	}
	if key.id == "" {
		return &source.RowError{Column: "campaign_id", Reason: "the statistic has no campaign or flow"}
	}
	channel := strings.ToLower(record.First("send_channel").Text())
	switch channel {
	case "email", "sms":
		key.channel = measure.Channel(c.words.Of(channel))
	case "":
		key.channel = "email"
	default:
		c.options.Notes.Add("send_channel_unknown", "messages by %q are skipped: only email and SMS messages are imported", source.Shown(channel))
		return nil
	}
	if cell := record.First("date").Text(); cell != "" {
		day, err := source.ParseDay(cell, source.UnknownOrder)
		if err != nil {
			return source.Unreadable(0, "date", cell, err)
		}
		key.day = day
	}
	row := c.rows[key]
	if row == nil {
		row = &messageRow{MessageDay: warehouse.MessageDay{
			Source: "klaviyo", Channel: key.channel, Entity: key.entity, EntityID: key.id, MessageID: key.message, Day: key.day, SinceSend: key.day.IsZero(),
		}}
		c.rows[key] = row
	}
	c.changed[key] = true
	return c.set(&row.MessageDay, record.First("statistic_name").Text(), record.First("statistic_value").Text())
}

// set sets the figure of a statistic.
func (c *messages) set(row *warehouse.MessageDay, statistic, cell string) error {
	if cell == "" {
		return nil
	}
	if statistic == "conversion_value" {
		amount, err := source.MoneyRounded(cell, c.options.Base, money.Point)
		if err != nil {
			return source.Unreadable(0, "statistic_value", cell, err)
		}
		row.Revenue = amount
		c.options.Notes.Add("klaviyo_currency", "Klaviyo's reports have no currency: %s is assumed", c.options.Base)
		return nil
	}
	into := map[string]*int64{
		"recipients": &row.Recipients, "delivered": &row.Delivered, "opens_unique": &row.Opens, "clicks_unique": &row.Clicks,
		"conversions": &row.Conversions, "unsubscribes": &row.Unsubscribes, "unsubscribe_uniques": &row.Unsubscribes,
		"spam_complaints": &row.Spam, "bounced": &row.Bounces,
	}[statistic]
	if into == nil {
		return nil // rates follow from the counts
	}
	n, err := number(cell)
	if err != nil {
		return source.Unreadable(0, "statistic_value", cell, errors.New("is not a number"))
	}
	*into = n
	return nil
}

// waits reports whether some totals have neither a day nor a known send date.
func (c *messages) waits() bool {
	for key := range c.changed {
		if key.day.IsZero() && c.named[key.id].sent.IsZero() {
			return true
		}
	}
	return false
}

// loads returns the changed rows with a known day.
func (c *messages) loads(end bool) []load {
	l, added := load{source: "klaviyo", what: "reports"}, map[messageKey]bool{}
	for _, key := range slices.SortedFunc(maps.Keys(c.changed), func(a, b messageKey) int {
		return cmp.Or(a.day.Compare(b.day), cmp.Compare(a.id, b.id), cmp.Compare(a.message, b.message), cmp.Compare(a.channel, b.channel), cmp.Compare(a.entity, b.entity))
	}) {
		row := c.rows[key].MessageDay
		row.EntityName = c.named[key.id].name
		if row.Day.IsZero() {
			row.Day = c.named[key.id].sent
		}
		if row.Day.IsZero() {
			if end {
				c.options.Notes.Add("campaign_without_day", "totals of campaigns without a send date were not imported: select the tap's stream of campaigns")
			}
			continue
		}
		delete(c.changed, key)
		if row.SinceSend {
			whole := messageKey{entity: key.entity, id: key.id, channel: key.channel}
			if added[whole] {
				continue
			}
			added[whole] = true
			row = c.sinceSend(whole, row)
		}
		l.batch.Messages = append(l.batch.Messages, row)
	}
	if len(l.batch.Messages) == 0 {
		return nil
	}
	return []load{l}
}

// sinceSend returns the totals of a campaign over all of its messages, as in Klaviyo's campaign export.
func (c *messages) sinceSend(of messageKey, row warehouse.MessageDay) warehouse.MessageDay {
	whole := warehouse.MessageDay{
		Source: row.Source, Channel: row.Channel, Entity: row.Entity, EntityID: row.EntityID, EntityName: row.EntityName, Day: row.Day, SinceSend: true,
	}
	for key, m := range c.rows {
		if key.id != of.id || key.entity != of.entity || key.channel != of.channel || !key.day.IsZero() {
			continue
		}
		whole.Recipients += m.Recipients
		whole.Delivered += m.Delivered
		whole.Opens += m.Opens
		whole.Clicks += m.Clicks
		whole.Conversions += m.Conversions
		whole.Revenue += m.Revenue
		whole.Unsubscribes += m.Unsubscribes
		whole.Spam += m.Spam
		whole.Bounces += m.Bounces
	}
	return whole
}
