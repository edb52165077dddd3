package mix

import (
	"fmt"
	"math"

	"assay/internal/civil"
	"assay/internal/measure"
)

// Held is what a workspace has: the model that answers, and what is known of it since.
type Held struct {
	// Model is the last one that was not refused. Where every training was refused it is the last of those; nil when
	// there was none.
	Model *Model
	// Attempt is a newer training that was refused while Model goes on to answer; nil when there is none.
	Attempt  *Model
	Drift    Drift    // of the facts inside Model's window
	News     []string // completed tests that Model does not know, in words
	Training bool
	DonePct  int // of the training that runs
}

// Version is the number of the last training, 0 before the first.
func (h Held) Version() int {
	switch {
	case h.Attempt != nil:
		return h.Attempt.Version
	case h.Model != nil:
		return h.Model.Version
	}
	return 0
}

// Drift is how far the facts inside a model's window have moved since it was trained: refunds, late orders, ad reports
// that were corrected or imported again.
type Drift struct {
	Weeks int     // that differ
	Of    string  // what moved most: "revenue", or "spend of" a channel
	Share float64 // by how much, of its sum over the window
}

// staleShare is the part of a series that may change before the model is called stale. Platforms correct the last days of
// a report by a few per cent, which is a tenth of that; a lost day of two years is more.
const staleShare = 0.001

// sameMoney is the difference of a week's sum that is rounding.
const sameMoney = 1e-6

// Drift compares the store, as its facts are now, with what the model was fitted to. The store must know all days of
// the model's window. A model that was refused has none.
func (m *Model) Drift(s Store) Drift {
	if m.Saved == nil {
		return Drift{}
	}
	f := frame{window: m.Window, weeks: m.Weeks}
	f.data.Dates = m.Saved.Data.Dates
	var d Drift
	moved := make([]bool, m.Weeks)
	compare := func(what string, before, now []float64) {
		var apart, all float64
		for i := range before {
			all += math.Abs(before[i])
			if step := math.Abs(now[i] - before[i]); step > sameMoney*math.Max(1, math.Abs(before[i])) {
				apart += step
				moved[i] = true
			}
		}
		if share := apart / math.Max(all, sameMoney); share > d.Share {
			d.Of, d.Share = what, share
		}
	}
	compare("revenue", m.Saved.Data.Target, f.byWeek(s.Revenue))
	for _, media := range m.Saved.Data.Media {
		spend := f.byWeek(s.Spend[media.Channel])
		for i := range spend {
			spend[i] = math.Max(spend[i], 0)
		}
		compare("spend of "+string(media.Channel), media.Exposure, spend)
	}
	for channel, grown := range f.newcomers(m, s) {
		if share := grown / m.Spend(); share > d.Share {
			d.Of, d.Share = "spend of "+string(channel), share
		}
	}
	for _, is := range moved {
		if is {
			d.Weeks++
		}
	}
	return d
}

// newcomers returns the spend of channels outside the model that was not there when it was trained.
func (f *frame) newcomers(m *Model, s Store) map[measure.Channel]float64 {
	known := map[measure.Channel]float64{}
	for _, l := range m.LeftOut {
		known[l.Channel] = l.Spend
	}
	for _, media := range m.Saved.Data.Media {
		known[media.Channel] = math.Inf(1)
	}
	out := map[measure.Channel]float64{}
	for channel, days := range s.Spend {
		if grown := sum(f.byWeek(days)) - known[channel]; grown > sameMoney {
			out[channel] = grown
		}
	}
	return out
}

// staleAfter is how many days of sales may follow the window before the model is called stale: five weeks.
const staleAfter = 35

// State says whether the model may be used for a store whose sales reach to last, and why it is not active. Settings
// are as in [Training].
func (h Held) State(last civil.Date, settings string) (Status, []string) {
	m := h.Model
	if m.Status == Refused {
		return Refused, m.Why()
	}
	var why []string
	if m.Settings != settings {
		why = append(why, "the workspace's currency or meaning of revenue has changed since it was trained")
	}
	if behind := last.Sub(m.Window.Last); behind > staleAfter {
		why = append(why, fmt.Sprintf("%d days of sales follow its window, which ends on %s", behind, m.Window.Last))
	}
	if h.Drift.Share >= staleShare {
		why = append(why, "since it was trained "+h.Drift.String())
	}
	why = append(why, h.News...)
	if len(why) > 0 {
		return Stale, why
	}
	return Active, nil
}

// String says in words what has moved.
func (d Drift) String() string {
	if d.Share == 0 {
		return "nothing inside its window has changed"
	}
	return fmt.Sprintf("figures inside its window have changed, those of %s most, by %.2g %%", d.Of, 100*d.Share)
}

// Why lists the reasons of a refusal, each with its remedy.
func (m *Model) Why() []string {
	var why []string
	for _, r := range m.Reasons {
		why = append(why, r.Text+"; "+r.Remedy)
	}
	return why
}
