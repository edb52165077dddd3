package demo

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"assay/internal/measure"
	"assay/internal/warehouse"
)

// untrackedShare is the share of orders without a known source.
const untrackedShare = 0.10

// company is the distribution of the channels of additional touchpoints before an order. Branded search, retargeting,
// email and coupon sites have high weights, because these channels reach people who are about to buy.
type company struct {
	channels []measure.Channel
	pick     picker
}

func newCompany(weights map[measure.Channel]float64) company {
	var c company
	for channel := range weights {
		c.channels = append(c.channels, channel)
	}
	slices.Sort(c.channels)
	ordered := make([]float64, len(c.channels))
	for i, channel := range c.channels {
		ordered[i] = weights[channel]
	}
	c.pick = newPicker(ordered)
	return c
}

// paths draws the touchpoints of orders.
type paths struct {
	p         *plan
	r         *rand.Rand
	onlineNew company
	onlineOld company
	elsewhere [surfaceCount]company
	newSteps  picker
	oldSteps  picker
	media     map[measure.Channel]*medium
}

func (p *plan) newPaths() *paths {
	w := &paths{
		p: p, r: p.stream("paths"), media: map[measure.Channel]*medium{},
		onlineNew: newCompany(map[measure.Channel]float64{
			facebook: 0.16, google: 0.20, tiktok: 0.06, snapchat: 0.02, email: 0.09, sms: 0.02, organicSearch: 0.18, direct: 0.16,
			referral: 0.05, affiliate: 0.03, influencer: 0.02, podcast: 0.01,
		}),
		onlineOld: newCompany(map[measure.Channel]float64{
			email: 0.27, sms: 0.09, direct: 0.27, organicSearch: 0.12, google: 0.12, facebook: 0.09, affiliate: 0.02, referral: 0.02,
		}),
		newSteps: newPicker([]float64{0.30, 0.27, 0.18, 0.12, 0.08, 0.05}),
		oldSteps: newPicker([]float64{0.45, 0.28, 0.14, 0.07, 0.04, 0.02}),
	}
	w.elsewhere[marketplace] = newCompany(map[measure.Channel]float64{amazon: 0.35, direct: 0.35, organicSearch: 0.20, google: 0.05, facebook: 0.05})
	w.elsewhere[shortVideo] = newCompany(map[measure.Channel]float64{tiktok: 0.55, direct: 0.25, influencer: 0.12, facebook: 0.08})
	w.elsewhere[retail] = newCompany(map[measure.Channel]float64{direct: 0.35, organicSearch: 0.25, email: 0.20, google: 0.15, facebook: 0.05})
	w.elsewhere[wholesale] = newCompany(map[measure.Channel]float64{direct: 0.45, email: 0.30, referral: 0.15, organicSearch: 0.10})
	for _, m := range p.media {
		w.media[m.channel] = m
	}
	return w
}

// recorded returns the probability that an order's touchpoints include the channel that caused the order. Most channels
// have clicks. Media such as podcasts often leave no touchpoint.
func recorded(c measure.Channel) float64 {
	switch c {
	case podcast:
		return 0.35
	case influencer:
		return 0.70
	default:
		return 0.92
	}
}

// walk writes the touchpoints of an order and reports whether there are any.
func (w *paths) walk(out *feed, v visit, ref warehouse.OrderRef) bool {
	if !chance(w.r, (1-untrackedShare)*w.p.seen(v.day)) {
		return false
	}
	channels := w.channels(v)
	times := w.times(v.at, len(channels))
	seq := 0
	for i, at := range times {
		// The data start on the first day, so older touchpoints are unknown.
		if i < len(times)-1 && w.p.dayOf(at) < 0 {
			continue
		}
		seq++
		touch := w.touch(v, channels[i], at)
		touch.OrderRef, touch.Seq = ref, seq
		out.batch.Touches = append(out.batch.Touches, touch)
		out.added(1)
	}
	return true
}

// channels draws the channels of a conversion path in order of time. The cause of the order is usually first.
func (w *paths) channels(v visit) []measure.Channel {
	with, steps := w.elsewhere[v.surface], w.oldSteps
	if v.isNew {
		steps = w.newSteps
	}
	if v.surface == online {
		with = w.onlineOld
		if v.isNew {
			with = w.onlineNew
		}
	}
	path := make([]measure.Channel, 1+steps.pick(w.r))
	for i := range path {
		path[i] = with.channels[with.pick.pick(w.r)]
	}
	if v.medium == nil || !chance(w.r, recorded(v.medium.channel)) {
		return path
	}
	at := 0
	if chance(w.r, 0.3) {
		at = w.r.IntN(len(path))
	}
	path[at] = v.medium.channel
	if len(path) > 2 && chance(w.r, 0.35) {
		path[w.r.IntN(len(path)-1)] = v.medium.channel
	}
	return path
}

// times draws n ascending instants in the 30 days before an order. On average, the last instant is 40 minutes before
// the order, and the instants are 2.4 days apart.
func (w *paths) times(order time.Time, n int) []time.Time {
	times := make([]time.Time, n)
	back := 20 + 2400*w.r.ExpFloat64()
	for i := n - 1; i >= 0; i-- {
		back = min(back, 30*86400-float64(i))
		times[i] = order.Add(-time.Duration(math.Round(back)) * time.Second)
		back += 60 + 2.4*86400*w.r.ExpFloat64()
	}
	slices.SortFunc(times, time.Time.Compare)
	return times
}

// dayOf returns the day index of an instant, which is negative before the first day.
func (f *frame) dayOf(at time.Time) int {
	y, m, d := at.In(f.opt.Zone).Date()
	return int(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Sub(f.first.UTC()) / (24 * time.Hour))
}

// touch creates a touchpoint of a channel. If the platform had no campaign with spend on that day, the touchpoint
// becomes organic search (for Google) or direct (for other platforms).
func (w *paths) touch(v visit, c measure.Channel, at time.Time) warehouse.Touch {
	touch := warehouse.Touch{At: at, Channel: c, Kind: "visit"}
	m := w.media[c]
	if m == nil || m.platform == "" {
		if slices.Contains(linked, c) {
			touch.Kind = "click"
		}
		return touch
	}
	found, ok := w.campaignOn(m, max(0, w.p.dayOf(at)), v.medium == m)
	if !ok {
		touch.Channel = direct
		if c == google {
			touch.Channel = organicSearch
		}
		return touch
	}
	touch.Platform, touch.Campaign, touch.Kind = m.platform, found.id, "click"
	if c != google && c != amazon && chance(w.r, 0.25) {
		touch.Kind = "view"
	}
	return touch
}

// linked lists the channels without an ad platform that use links with UTM parameters.
var linked = []measure.Channel{email, sms, affiliate, influencer}

// campaignOn draws an active campaign, weighted by its spend of the day. If the channel caused the order, the campaign
// is mostly a prospecting campaign. Otherwise, it is mostly a retargeting or brand campaign.
func (w *paths) campaignOn(m *medium, t int, brought bool) (*campaign, bool) {
	var wanted, others [8]float64
	anyWanted := false
	for k, c := range m.campaigns {
		if (c.role == prospecting) == brought && c.spend[t] > 0 {
			wanted[k], anyWanted = c.spend[t], true
		}
		others[k] = c.spend[t]
	}
	weights := others[:len(m.campaigns)]
	if anyWanted && chance(w.r, 0.8) {
		weights = wanted[:len(m.campaigns)]
	}
	k := newPicker(weights).pick(w.r)
	if k < 0 {
		return nil, false
	}
	return m.campaigns[k], true
}
