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

// flow is an automated series of messages. Rates are parts of what is one step before: opens of delivered, clicks
// of delivered, orders of clicks.
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
	pull    float64 // against an ordinary one
}

// after is the part of a mailing's reading that falls on the day of sending and the days after it.
var after = []float64{0.80, 0.15, 0.05}

// emitMessages writes what mail and text messages did by day. Senders claim every order within days of a click
// or an open, so their revenue overlaps with everybody else's.
func (p *plan) emitMessages(out *feed) {
	r := p.stream("messages")
	for i, f := range flows {
		id := fmt.Sprintf("FL%06d", 410_000+i*7_919)
		for n := range f.messages {
			for t := range p.opt.Days {
				mean := f.reach * math.Pow(0.7, float64(n)) * p.expectedOn(online, t)
				line := p.sent(r, f.channel, count(r, mean), t)
				line.Entity, line.EntityID, line.EntityName = "flow", id, f.name
				line.MessageID, line.MessageName = fmt.Sprintf("%s-%d", id, n+1), fmt.Sprintf("%s #%d", f.name, n+1)
				p.readBy(r, &line, float64(line.Delivered), f)
				p.emitMessage(out, line)
			}
		}
	}
	for i, m := range p.mailings() {
		p.emitMailing(r, out, m, fmt.Sprintf("CM%06d", 520_000+i*131))
	}
}

func (p *plan) emitMessage(out *feed, line warehouse.MessageDay) {
	if line.Recipients == 0 && line.Opens == 0 && line.Clicks == 0 {
		return
	}
	out.batch.Messages = append(out.batch.Messages, line)
	out.added(1)
}

// list is the number of subscribers on a day: 200 for each daily order when the books open, and growing.
func (p *plan) list(c measure.Channel, t int) float64 {
	size := float64(p.opt.Orders) / float64(p.opt.Days) * (200 + 0.42*float64(t))
	if c == sms {
		return 0.3 * size
	}
	return size
}

// mailings plans two mails a week, one text every two weeks, and more of both when a sale starts and ends.
func (p *plan) mailings() []mailing {
	themes := []string{"New scents", "Behind the workshop", "Customer favourites", "Evening ritual", "Restocked", "Small gifts", "Letter from the founder"}
	var all []mailing
	for t := range p.opt.Days - 1 {
		d := p.day(t)
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

// emitMailing writes the day of sending and the days on which people still read it.
func (p *plan) emitMailing(r *rand.Rand, out *feed, m mailing, id string) {
	rates := flow{channel: m.channel, open: 0.36, click: 0.011 * m.pull, order: 0.075}
	if m.channel == sms {
		rates.open, rates.click = 0, 0.028*m.pull // nobody reports whether a text was opened
	}
	delivered := 0.0
	for k, part := range after {
		t := m.day + k
		if t >= p.opt.Days {
			return
		}
		sent := int64(0)
		if k == 0 {
			sent = int64(p.list(m.channel, t) * between(r, 0.86, 0.98))
		}
		line := p.sent(r, m.channel, sent, t)
		delivered += float64(line.Delivered)
		line.Entity, line.EntityID, line.EntityName = "campaign", id, m.name
		line.MessageID, line.MessageName = id+"-1", m.name
		p.readBy(r, &line, delivered*part, rates)
		p.emitMessage(out, line)
	}
}

// sent returns a line for messages that went out on a day.
func (p *plan) sent(r *rand.Rand, c measure.Channel, recipients int64, t int) warehouse.MessageDay {
	line := warehouse.MessageDay{Source: sourceMessages, Channel: c, Day: p.day(t), Recipients: recipients}
	line.Bounces = min(recipients, count(r, 0.006*float64(recipients)))
	line.Delivered = recipients - line.Bounces
	return line
}

// readBy fills in what readers did, none of it more often than the step before.
func (p *plan) readBy(r *rand.Rand, line *warehouse.MessageDay, readers float64, rates flow) {
	line.Opens = min(int64(readers), count(r, rates.open*readers))
	clicks := int64(readers)
	if rates.open > 0 {
		clicks = line.Opens
	}
	line.Clicks = min(clicks, count(r, rates.click*readers))
	line.Conversions = min(line.Clicks, count(r, rates.order*float64(line.Clicks)))
	line.Revenue = p.minor(float64(line.Conversions) * nominalValues[online] * scatter(r, 0.25))
	line.Unsubscribes = min(line.Delivered, count(r, 0.0018*readers))
	line.Spam = min(line.Delivered, count(r, 0.0002*readers))
}
