package demo

import (
	"math"
	"time"

	"assay/internal/measure"
	"assay/internal/warehouse"
)

// habit describes the spending pattern of a channel.
type habit struct {
	bursts  float64 // per year: 7 to 14 days at 1.6 to 2.4 times the level
	pauses  float64 // per year: 3 to 8 days without spend
	weekend float64 // Saturdays and Sundays relative to other days
	season  float64 // 0: spend ignores the season; 1: spend follows demand
	wander  float64 // standard deviation of the daily noise, on the log scale
	flights bool    // active on Tuesdays and Thursdays, for several weeks at a time
}

// budget returns a channel's planned spend by day, in minor units. The pattern has an always-on level, bursts, pauses,
// a weekly pattern, the season and noise. The level changes every three to six weeks. On the last day, spend ends at
// noon.
func (p *plan) budget(m mediumSpec) []float64 {
	on := p.onDays("budget", string(m.channel))
	n := p.opt.Days
	days := drift(on, p.span, 0.5, m.habit.wander)
	for _, pattern := range [][]float64{
		levels(on, p.span), p.bursts(on, m.habit.bursts), p.pauses(on, m), p.pace(m.habit),
	} {
		for t := range days {
			days[t] *= pattern[t]
		}
	}
	if m.habit.flights {
		onAir := p.flights(on)
		for t := range days {
			days[t] *= onAir[t]
		}
	}
	if all := sum(days[:n]); all > 0 {
		scale(days, float64(n)/all*spendShare*m.share*p.dailyRevenue()*p.unit)
	}
	for _, a := range p.anomalies {
		if a.metric == metricSpend && m.channel == a.channel {
			days[a.day] *= a.factor
		}
	}
	days[n-1] *= p.dayShare(n - 1)
	return days
}

// levels returns a level that changes every three to six weeks.
func levels(on byDay, n int) []float64 {
	days := make([]float64, n)
	level, left := 1.0, 0
	for t := range days {
		if left == 0 {
			level, left = scatter(on(t), 0.30), whole(on(t), 21, 42)
		}
		days[t] = level
		left--
	}
	return days
}

func (f *frame) bursts(on byDay, perYear float64) []float64 {
	days := ones(f.span)
	for _, part := range f.parts() {
		r := on(part.first)
		for range count(r, perYear*float64(part.days)/365) {
			start, length, height := part.first+r.IntN(part.days), whole(r, 7, 14), between(r, 1.6, 2.4)
			for t := start; t < min(f.span, start+length); t++ {
				days[t] = height
			}
		}
	}
	return days
}

// part is a range of days with its own random numbers.
type part struct{ first, days int }

// parts returns the store's days and, if they are simulated, the days after today.
func (f *frame) parts() []part {
	all := []part{{0, f.opt.Days}}
	if ahead := f.span - f.opt.Days; ahead > 0 {
		all = append(all, part{f.opt.Days, ahead})
	}
	return all
}

// pauses returns a factor for each day: 0 during random pauses, otherwise 1. No pause is near an experiment of the
// channel, Thanksgiving, an anomaly or today.
func (p *plan) pauses(on byDay, m mediumSpec) []float64 {
	days := ones(p.span)
	for _, part := range p.parts() {
		r := on(part.first)
		for range count(r, m.habit.pauses*float64(part.days)/365) {
			start, length := part.first+r.IntN(part.days), whole(r, 3, 8)
			if !p.quiet(m, start, start+length) {
				continue
			}
			for t := start; t < min(p.span, start+length); t++ {
				days[t] = 0
			}
		}
	}
	return days
}

// quiet reports whether a pause is possible on these days.
func (p *plan) quiet(m mediumSpec, from, to int) bool {
	if from < 14 || to > p.opt.Days-30 && from < p.opt.Days {
		return false
	}
	for _, e := range p.tests {
		if e.channel == m.channel && from <= e.last+14 && to >= e.first-56 {
			return false
		}
	}
	for _, a := range p.anomalies {
		if from <= a.day && a.day <= to {
			return false
		}
	}
	sinceThanksgiving := p.day(from).Sub(thanksgiving(p.day(from).Year()))
	return sinceThanksgiving < -20 || sinceThanksgiving > 10
}

// pace returns the part of the spending pattern that follows growth, season and weekday.
func (f *frame) pace(h habit) []float64 {
	days := make([]float64, f.span)
	for t := range days {
		d := f.day(t)
		smooth := (f.demandWithout(t-2) + f.demandWithout(t) + f.demandWithout(t+2)) / 3
		days[t] = math.Pow(growthPerYear[online], float64(t)/365.25) * math.Pow(smooth, h.season)
		if w := d.Weekday(); w == time.Saturday || w == time.Sunday {
			days[t] *= h.weekend
		}
	}
	return days
}

// demandWithout returns the online store's demand on a day, without the effects of the trend and the weekday.
func (f *frame) demandWithout(t int) float64 {
	d := f.day(t)
	return season(d) * occasion(online, d) * saleLift(online, d)
}

// flights returns a pattern that is active on Tuesdays and Thursdays for three to five weeks, then inactive for one to
// three weeks.
func (f *frame) flights(on byDay) []float64 {
	days := make([]float64, f.span)
	onAir, left := true, whole(on(0), 21, 35)
	for t := range days {
		if w := f.day(t).Weekday(); onAir && (w == time.Tuesday || w == time.Thursday) {
			days[t] = 1
		}
		if left--; left == 0 && onAir {
			onAir, left = false, whole(on(t), 7, 21)
		} else if left == 0 {
			onAir, left = true, whole(on(t), 21, 35)
		}
	}
	return days
}

// booked returns the spend of a channel without an ad report, in whole minor units.
func (p *plan) booked(m mediumSpec) []float64 {
	days := p.budget(m)
	for t := range days {
		days[t] = math.Round(days[t])
	}
	return days
}

func ones(n int) []float64 {
	days := make([]float64, n)
	for t := range days {
		days[t] = 1
	}
	return days
}

// notes describes spend without an ad report.
var notes = map[measure.Channel]string{
	podcast: "host-read spots", influencer: "creator fees and gifts", affiliate: "network placements",
}

func (p *plan) emitChannelSpend(out *feed) {
	for _, m := range p.media {
		if m.platform != "" {
			continue
		}
		for t, spend := range m.national {
			if spend == 0 {
				continue
			}
			out.batch.ChannelSpend = append(out.batch.ChannelSpend, warehouse.ChannelSpend{
				Source: sourceSpend, Channel: m.channel, Day: p.day(t), Spend: int64(spend), Note: notes[m.channel],
			})
			out.added(1)
		}
	}
}
