package mix

import (
	"fmt"
	"math"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/stats"
)

// Held contains a workspace's model and the changes since its training.
type Held struct {
	// Model is the last model with figures. If no model has figures, it is the last rejected model. It is nil before
	// the first training.
	Model *Model
	// Attempt is a newer, rejected model while Model remains in use; nil if there is none.
	Attempt  *Model
	Drift    Drift    // drift of the data in Model's window
	NewTests []string // descriptions of completed lift tests that Model does not use yet
	Training bool
	DonePct  int // progress of a running training, in percent
}

// Version returns the number of the last training, or 0 before the first training.
func (h Held) Version() int {
	switch {
	case h.Attempt != nil:
		return h.Attempt.Version
	case h.Model != nil:
		return h.Model.Version
	}
	return 0
}

// Drift is the change of the data in a model's window since the training. Typical causes are refunds, late orders, and
// ad reports that were corrected or imported again.
type Drift struct {
	Weeks int     // weeks that differ
	Of    string  // series with the largest change: "revenue" or "spend of" with the channel
	Share float64 // change as a share of the series' sum over the window
}

// staleShare is the change of a series that makes a model stale, as a share of the series' sum over the window. A
// typical correction changes the most recent days of a report by a few percent. Relative to the whole window, the
// correction is about a tenth of the limit. One missing day in two years exceeds the limit.
const staleShare = 0.001

// sameMoney is the maximum rounding error of a week's sum.
const sameMoney = 1e-6

// Drift compares the store's data with the data of the fit. The store must have all days of the model's window. A
// rejected model has no drift.
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

// newcomers returns, for channels outside the model, the increase of their spend in the model's window since training.
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
		if grown := stats.Sum(f.byWeek(days)) - known[channel]; grown > sameMoney {
			out[channel] = grown
		}
	}
	return out
}

// staleAfter is the number of days with sales after the window at which the model becomes stale: five weeks.
const staleAfter = 35

// State returns the status of the model and the reasons why it is not active. The parameter last is the store's last
// day of sales data. The parameter settings has the same meaning as in [Training].
func (h Held) State(last civil.Date, settings string) (Status, []string) {
	m := h.Model
	if m.Status == Refused {
		return Refused, m.Why()
	}
	var why []string
	if m.Settings != settings {
		why = append(why, "the currency or the revenue basis of the workspace has changed since the training")
	}
	if behind := last.Sub(m.Window.Last); behind > staleAfter {
		why = append(why, fmt.Sprintf("the data contain %d days of sales after the training window, which ends on %s", behind, m.Window.Last))
	}
	if h.Drift.Share >= staleShare {
		why = append(why, "since the training, "+h.Drift.String())
	}
	why = append(why, h.NewTests...)
	if len(why) > 0 {
		return Stale, why
	}
	return Active, nil
}

// String describes the drift.
func (d Drift) String() string {
	if d.Share == 0 {
		return "the data in the training window have not changed"
	}
	return fmt.Sprintf("the data in the training window have changed, mainly %s by %.2g%%", d.Of, 100*d.Share)
}

// Why returns the reasons why a model was rejected, each with its remedy.
func (m *Model) Why() []string {
	var why []string
	for _, r := range m.Reasons {
		why = append(why, r.Text+"; "+r.Remedy)
	}
	return why
}
