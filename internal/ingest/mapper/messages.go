package mapper

import (
	"cmp"

	"assay/internal/civil"
	"assay/internal/ingest/source"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// The fields of messages.
const (
	messageDate = iota
	messageChannel
	messageEntity
	messageEntityID
	messageEntityName
	messageID
	messageName
	messageRecipients
	messageDelivered
	messageOpens
	messageClicks
	messageConversions
	messageRevenue
	messageCurrency
	messageUnsubscribes
	messageSpam
	messageBounces
	messageUnsubscribeRate
	messageSpamRate
	messageBounceRate
	messageSinceSend
)

var messageForm = form{title: "emails and text messages", columns: []source.Column{
	messageDate:            {Field: "date", Names: []string{"date", "day", "send time"}},
	messageChannel:         {Field: "channel", Names: []string{"message channel", "channel"}},
	messageEntity:          {Field: "entity", Names: []string{"entity", "message type"}},
	messageEntityID:        {Field: "entity_id", Names: []string{"entity id", "campaign or flow id"}},
	messageEntityName:      {Field: "entity_name", Names: []string{"entity name", "campaign or flow"}},
	messageID:              {Field: "message_id", Names: []string{"message id"}},
	messageName:            {Field: "message_name", Names: []string{"message name", "message"}},
	messageRecipients:      {Field: "recipients", Names: []string{"recipients", "total recipients", "sent"}},
	messageDelivered:       {Field: "delivered", Names: []string{"delivered", "deliveries"}},
	messageOpens:           {Field: "opens", Names: []string{"unique opens", "opens"}},
	messageClicks:          {Field: "clicks", Names: []string{"unique clicks", "clicks"}},
	messageConversions:     {Field: "conversions", Names: []string{"conversions", "orders", "placed order"}},
	messageRevenue:         {Field: "revenue", Names: []string{"revenue", "conversion value"}},
	messageCurrency:        {Field: "currency", Names: []string{"currency", "currency code"}},
	messageUnsubscribes:    {Field: "unsubscribes", Names: []string{"unsubscribes"}},
	messageSpam:            {Field: "spam", Names: []string{"spam complaints", "complaints"}},
	messageBounces:         {Field: "bounces", Names: []string{"bounces"}},
	messageUnsubscribeRate: {Field: "unsubscribe_rate", Names: []string{"unsubscribe rate"}},
	messageSpamRate:        {Field: "spam_rate", Names: []string{"complaint rate"}},
	messageBounceRate:      {Field: "bounce_rate", Names: []string{"bounce rate"}},
	messageSinceSend:       {Field: "since_send", Names: []string{"since send"}},
}, required: []string{"date", "entity", "entity_name", "delivered"}, open: opening(newMessageRows)}

type messageKey struct {
	channel             measure.Channel
	entity, id, message string
	day                 civil.Date
}

// newMessageRows reads results of messages, per day or in total since sending. It sums rows with the same message and
// day, such as variants of an A/B test.
func newMessageRows(b *binding) *factRows {
	rates := source.NewConverter(b.options.Base, b.options.Rates)
	known := gathered[messageKey, warehouse.MessageDay]{}
	var rows *factRows
	rows = newFactRows(b, func(r *row, _ *warehouse.Batch) {
		if r.text(messageDate) == "" {
			b.options.Notes.Add("messages_not_sent", "messages without a day are not sent yet: they are skipped")
			return
		}
		m := warehouse.MessageDay{
			Source: b.origin(), Day: r.date(messageDate), Entity: source.Fold(r.text(messageEntity)),
			EntityName: r.text(messageEntityName), MessageID: r.text(messageID), MessageName: r.text(messageName),
			Recipients: r.counted(messageRecipients), Delivered: r.counted(messageDelivered), Opens: r.counted(messageOpens),
			Clicks: r.counted(messageClicks), Conversions: r.counted(messageConversions),
			Unsubscribes: r.counted(messageUnsubscribes), Spam: r.counted(messageSpam), Bounces: r.counted(messageBounces),
			SinceSend: isTrue(r.text(messageSinceSend)),
		}
		m.EntityID = cmp.Or(r.text(messageEntityID), m.EntityName)
		if m.Entity != "campaign" && m.Entity != "flow" {
			r.wrong(messageEntity, "must be campaign or flow")
		}
		if m.EntityID == "" {
			r.wrong(messageEntityName, "the row has no campaign or flow")
		}
		c := r.money(messageCurrency)
		m.Revenue = r.sum(messageRevenue, c)
		r.exchange(rates, m.Day, c, &m.Revenue)
		r.fromRates(&m)
		switch m.Channel = r.channel(r.cells, messageChannel); m.Channel {
		case "":
			m.Channel = "email"
		case "email", "sms":
		case "text", "text_message":
			m.Channel = "sms"
		default:
			b.options.Notes.Add("send_channel_unknown", "messages by %q are skipped: only email and SMS messages are imported", source.Shown(string(m.Channel)))
			return
		}
		if r.fault != nil {
			return
		}
		rows.totals.See(m.Day)
		if into, again := known.at(messageKey{m.Channel, m.Entity, m.EntityID, m.MessageID, m.Day}); again {
			b.options.Notes.Add("rows_added", "several rows have the same message and day: the import uses their total")
			addMessages(into, &m)
		} else {
			*into = m
		}
	}, func(into *warehouse.Batch) { into.Messages = append(into.Messages, known.facts...) })
	return rows
}

// fromRates computes counts from the rates of a report. Rates are rounded, so these counts are approximate.
func (r *row) fromRates(m *warehouse.MessageDay) {
	bounced := r.share(messageBounceRate)
	left, complained := r.share(messageUnsubscribeRate), r.share(messageSpamRate)
	if r.fault != nil {
		return
	}
	had := *m
	if m.Bounces == 0 && bounced > 0 && bounced < 1e6 {
		m.Bounces = portionOf(m.Delivered, bounced, 1e6-bounced)
	}
	if m.Unsubscribes == 0 {
		m.Unsubscribes = portionOf(m.Delivered, left, 1e6)
	}
	if m.Spam == 0 {
		m.Spam = portionOf(m.Delivered, complained, 1e6)
	}
	if *m != had {
		r.options.Notes.Add("counts_from_rates", "the report contains unsubscribes, complaints and bounces as rates: numbers computed from rates have a rounding error")
	}
	if m.Recipients == 0 {
		m.Recipients = m.Delivered + m.Bounces
	}
}

// portionOf returns n · part / whole, rounded half up. If n · part overflows, n / whole is rounded down first.
func portionOf(n, part, whole int64) int64 {
	product, ok := source.Times(n, part)
	if !ok {
		return n / whole * part
	}
	return (product + whole/2) / whole
}

func addMessages(into, m *warehouse.MessageDay) {
	into.Recipients += m.Recipients
	into.Delivered += m.Delivered
	into.Opens += m.Opens
	into.Clicks += m.Clicks
	into.Conversions += m.Conversions
	into.Revenue += m.Revenue
	into.Unsubscribes += m.Unsubscribes
	into.Spam += m.Spam
	into.Bounces += m.Bounces
}
