package chart

import (
	"time"

	"assay/internal/civil"
)

// dateTick is a slot with a label on the date axis.
type dateTick struct {
	slot  int
	label string
	year  int // year under the label; 0 if the previous label has the same year
}

// rhythm reports whether the axis labels the slot that begins on a date.
type rhythm func(civil.Date) bool

// rhythms lists the readable spacings of date labels, finest first.
func rhythms(g civil.Granularity) []rhythm {
	var out []rhythm
	if g == civil.ByDay {
		out = append(out,
			func(civil.Date) bool { return true },
			func(d civil.Date) bool { return d.Sub(aMonday)%2 == 0 },
			func(d civil.Date) bool { return d.Weekday() == time.Monday },
			func(d civil.Date) bool { return d.Weekday() == time.Monday && d.Sub(aMonday)/7%2 == 0 })
	}
	if g == civil.ByWeek {
		for _, weeks := range []int{1, 2, 4, 8} {
			out = append(out, func(d civil.Date) bool { return d.Sub(aMonday)/7%weeks == 0 })
		}
	}
	for _, months := range []int{1, 2, 3, 6, 12, 24, 60, 120} {
		out = append(out, func(d civil.Date) bool {
			// A week that contains the first day of a month belongs to that month.
			first := g != civil.ByWeek && d.Day() == 1 || g == civil.ByWeek && d.AddDays(6).Day() <= 7
			if g == civil.ByWeek {
				d = d.AddDays(6)
			}
			return first && (12*d.Year()+int(d.Month())-1)%months == 0
		})
	}
	return out
}

// aMonday is the day from which intervals between labels are counted. A chart drawn a day later therefore labels the
// same dates.
var aMonday = civil.New(1900, time.January, 1)

// dateTicks returns the densest ticks that leave space between their labels. The function wide returns the width of a
// label, and the function at returns the position of a slot in the same unit.
func (s sheet) dateTicks(wide func(string) float64, at func(slot int) float64) []dateTick {
	const apart = 14
	for _, named := range rhythms(s.Granularity) {
		ticks := s.ticksIn(named)
		if len(ticks) > 0 && !crowded(ticks, apart, wide, at) {
			return ticks
		}
	}
	return []dateTick{{slot: 0, label: dayLabel(s.day(0), s.Granularity), year: s.day(0).Year()}}
}

// ticksIn labels the slots that the rhythm selects. The year appears under the first label and wherever it changes.
func (s sheet) ticksIn(named rhythm) []dateTick {
	var out []dateTick
	year := 0
	for slot := range s.slots {
		d := s.day(slot)
		if !named(d) {
			continue
		}
		t := dateTick{slot: slot, label: dayLabel(d, s.Granularity)}
		if d.Year() != year {
			year = d.Year()
			t.year = year
		}
		out = append(out, t)
	}
	return out
}

func crowded(ticks []dateTick, apart float64, wide func(string) float64, at func(int) float64) bool {
	for i := 1; i < len(ticks); i++ {
		a, b := ticks[i-1], ticks[i]
		if at(b.slot)-wide(b.label)/2 < at(a.slot)+wide(a.label)/2+apart {
			return true
		}
	}
	return false
}

// dayLabel labels a day or week with its first day, and a month with its name.
func dayLabel(d civil.Date, g civil.Granularity) string {
	if g == civil.ByMonth {
		return d.UTC().Format("Jan")
	}
	return d.Short()
}

// period formats the chart's days and their granularity, such as "By week (from Monday), Oct 1 – Oct 31, 2026".
func (s sheet) period() string {
	dates := s.days.Words()
	if s.Kind == Pie {
		return dates
	}
	switch s.Granularity {
	case civil.ByWeek:
		return "By week (from Monday), " + dates
	case civil.ByMonth:
		return "By month, " + dates
	case civil.ByDay:
		return "By day, " + dates
	}
	return dates
}
