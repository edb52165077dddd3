package demo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// flow is an automated series of messages. Rates are relative to the previous step: opens per delivered, clicks per
// delivered, orders per click.
type flow struct {
	name     string
	channel  measure.Channel
	messages int
	reach    float64 // recipients of the first message per expected online order
	open     float64
	click    float64
	order    float64
}

var flows = []flow{
	{"Welcome series", email, 3, 1.10, 0.52, 0.085, 0.110},
	{"Abandoned cart", email, 2, 1.60, 0.46, 0.080, 0.190},
	{"Browse abandonment", email, 1, 1.90, 0.41, 0.040, 0.090},
	{"Post-purchase care", email, 2, 0.85, 0.55, 0.032, 0.060},
	{"Win-back", email, 2, 0.45, 0.30, 0.018, 0.080},
	{"Refill reminder", email, 1, 0.30, 0.44, 0.070, 0.180},
	{"Cart reminder (text)", sms, 1, 0.40, 0, 0.110, 0.150},
	{"Welcome (text)", sms, 1, 0.25, 0, 0.090, 0.100},
}

// mailing is a message to the whole list.
type mailing struct {
	name    string
	channel measure.Channel
	day     int
	pull    float64 // response relative to an ordinary mailing
}

// after contains the distribution of a mailing's opens over the day of sending and the days after it.
var after = []float64{0.80, 0.15, 0.05}

// messenger writes the messages of a store.
type messenger struct {
	p   *plan
	r   *rand.Rand
	out *feed
}

// emitMessages writes the results of emails and text messages by day. Email and SMS tools attribute every order within
// a few days of a click or an open to themselves. Their revenue therefore overlaps with the revenue of other channels.
func (p *plan) emitMessages(out *feed) {
	m := messenger{p: p, r: p.stream("messages"), out: out}
	for i, f := range flows {
		id := fmt.Sprintf("FL%06d", 410_000+i*7_919)
		for n := range f.messages {
			for t := range p.opt.Days {
				mean := f.reach * math.Pow(0.7, float64(n)) * p.expectedOn(online, t)
				line := m.sent(f.channel, count(m.r, mean), t)
				line.Entity, line.EntityID, line.EntityName = "flow", id, f.name
				line.MessageID, line.MessageName = fmt.Sprintf("%s-%d", id, n+1), fmt.Sprintf("%s #%d", f.name, n+1)
				m.readBy(&line, float64(line.Delivered), f)
				m.emit(line)
			}
		}
	}
	for i, mail := range m.mailings() {
		m.emitMailing(mail, fmt.Sprintf("CM%06d", 520_000+i*131))
	}
}

func (m messenger) emit(line warehouse.MessageDay) {
	if line.Recipients == 0 && line.Opens == 0 && line.Clicks == 0 {
		return
	}
	m.out.batch.Messages = append(m.out.batch.Messages, line)
	m.out.added(1)
}

// list returns the number of subscribers on a day. The number starts at 200 subscribers per daily order and grows.
func (m messenger) list(c measure.Channel, t int) float64 {
	size := float64(m.p.opt.Orders) / float64(m.p.opt.Days) * (200 + 0.42*float64(t))
	if c == sms {
		return 0.3 * size
	}
	return size
}

// mailings plans two emails per week, one text message every two weeks, and more of both when a sale starts and ends.
func (m messenger) mailings() []mailing {
	themes := []string{"New scents", "Behind the workshop", "Customer favourites", "Evening ritual", "Restocked", "Small gifts", "Letter from the founder"}
	var all []mailing
	for t := range m.p.opt.Days - 1 {
		d := m.p.day(t)
		theme := themes[(t/3)%len(themes)]
		if s, on := saleOn(d); on && (d == s.first || d == s.first.AddDays(s.days-1)) {
			all = append(all, mailing{"Sale " + s.code + " | " + d.String(), email, t, 2.2}, mailing{"Sale " + s.code + " text | " + d.String(), sms, t, 1.8})
			continue
		}
		switch w := d.Weekday(); {
		case w == time.Tuesday || w == time.Friday:
			all = append(all, mailing{theme + " | " + d.String(), email, t, 1})
		case w == time.Thursday && civil.ByWeek.Start(d).Sub(civil.New(2001, time.January, 1))/7%2 == 0:
			all = append(all, mailing{theme + " text | " + d.String(), sms, t, 1})
		}
	}
	return all
}

// emitMailing writes the rows of the day of sending and of the later days with opens.
func (m messenger) emitMailing(mail mailing, id string) {
	rates := flow{channel: mail.channel, open: 0.36, click: 0.011 * mail.pull, order: 0.075}
	if mail.channel == sms {
		rates.open, rates.click = 0, 0.028*mail.pull // text messages have no reported opens
	}
	delivered := 0.0
	for k, part := range after {
		t := mail.day + k
		if t >= m.p.opt.Days {
			return
		}
		sent := int64(0)
		if k == 0 {
			sent = int64(m.list(mail.channel, t) * between(m.r, 0.86, 0.98))
		}
		line := m.sent(mail.channel, sent, t)
		delivered += float64(line.Delivered)
		line.Entity, line.EntityID, line.EntityName = "campaign", id, mail.name
		line.MessageID, line.MessageName = id+"-1", mail.name
		m.readBy(&line, delivered*part, rates)
		m.emit(line)
	}
}

// sent returns a row for messages sent on a day.
func (m messenger) sent(c measure.Channel, recipients int64, t int) warehouse.MessageDay {
	line := warehouse.MessageDay{Source: sourceMessages, Channel: c, Day: m.p.day(t), Recipients: recipients}
	line.Bounces = min(recipients, count(m.r, 0.006*float64(recipients)))
	line.Delivered = recipients - line.Bounces
	return line
}

// readBy fills in opens, clicks and orders. Each number is at most as large as the number of the previous step.
func (m messenger) readBy(line *warehouse.MessageDay, readers float64, rates flow) {
	line.Opens = min(int64(readers), count(m.r, rates.open*readers))
	clicks := int64(readers)
	if rates.open > 0 {
		clicks = line.Opens
	}
	line.Clicks = min(clicks, count(m.r, rates.click*readers))
	line.Conversions = min(line.Clicks, count(m.r, rates.order*float64(line.Clicks)))
	line.Revenue = m.p.minor(float64(line.Conversions) * nominalValues[online] * scatter(m.r, 0.25))
	line.Unsubscribes = min(line.Delivered, count(m.r, 0.0018*readers))
	line.Spam = min(line.Delivered, count(m.r, 0.0002*readers))
}
