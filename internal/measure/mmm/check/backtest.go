// Package check evaluates a media mix model: prior predictive check, backtest, placebo test and parameter recovery. All
// checks except the prior predictive check refit the model.
package check

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/mmm"
	"assay/internal/measure/stats"
)

// Slices defines the folds of a backtest with an expanding window. The first fit uses First periods and predicts the
// next Horizon periods. Each later fit uses Step more periods, until the data end.
type Slices struct {
	First   int `json:"first"`
	Horizon int `json:"horizon"`
	Step    int `json:"step"` // at least 1; with at least the horizon, no period is predicted twice
}

// ParseSlices reads "104:1:1": first, horizon and step.
func ParseSlices(s string) (Slices, error) {
	var out Slices
	parts := strings.Split(s, ":")
	if len(parts) == 3 {
		for i, field := range []*int{&out.First, &out.Horizon, &out.Step} {
			n, err := strconv.Atoi(parts[i])
			if err != nil || n < 1 {
				break
			}
			*field = n
		}
	}
	if out.Step == 0 {
		return Slices{}, fault.Invalid("invalid slices %q (want FIRST:HORIZON:STEP in periods, such as 104:1:1)", s)
	}
	return out, nil
}

// LastFour returns the last four non-overlapping folds. The horizon is a tenth of the periods, at least one.
func LastFour(periods int) Slices {
	horizon := max(1, periods/10)
	return Slices{First: periods - 4*horizon, Horizon: horizon, Step: horizon}
}

// Slice is one fold: a fit and its predictions of the following rows. Controls and exposures of these rows are treated
// as known.
type Slice struct {
	Fitted  int                 `json:"fitted"` // number of periods in the fit
	Status  mmm.Status          `json:"status"` // no numbers unless OK
	Reasons []mmm.Reason        `json:"reasons,omitempty"`
	Rows    []Forecast          `json:"rows,omitempty"` // ordered by geo, then period
	Effects []mmm.ChannelEffect `json:"-"`              // effects over the fold's periods, to compare folds
}

// Forecast is a prediction of one row and its observed target, in the target's unit.
type Forecast struct {
	Target   float64       `json:"target"`
	Expected float64       `json:"expected"`
	Spread   stats.Summary `json:"spread"` // posterior predictive, including noise
	// LogScore is the log predictive density of the observed target. Higher is better. Scores are comparable between
	// models of the same rows, and can be added.
	LogScore float64 `json:"log_score"`
	// CRPS is the continuous ranked probability score in the target's unit. For a point forecast it equals the absolute
	// error.
	CRPS float64 `json:"crps"`
}

// Backtest is the out-of-sample performance over all folds. With horizon and step 1, it is exact leave-future-out
// cross-validation (Bürkner, Gabry, Vehtari 2020).
type Backtest struct {
	Slices  []Slice `json:"slices"`
	Refused int     `json:"refused"` // number of folds that are not reportable; the figures below exclude these folds
	Rows    int     `json:"rows"`
	ELPD    float64 `json:"elpd"` // sum of log scores
	SE      float64 `json:"se"`   // standard error of ELPD, from its variation between rows
	CRPS    float64 `json:"crps"` // mean CRPS / mean absolute target
	// Inside50 and Inside90 are the coverage of the 50% and 90% prediction intervals.
	Inside50  float64            `json:"inside_50"`
	Inside90  float64            `json:"inside_90"`
	Accuracy  *mmm.Accuracy      `json:"accuracy,omitempty"` // accuracy of the posterior predictive mean; nil for a single row
	Stability []ChannelStability `json:"stability,omitempty"`
}

// ChannelStability measures how much a channel's ROAS changes between consecutive folds.
type ChannelStability struct {
	Channel measure.Channel `json:"channel"`
	// Overlap is the smallest overlap of the 90% intervals of two consecutive folds, as a share of their union.
	Overlap float64 `json:"overlap"`
}

// Backtested fits the model to each fold. Invalid data, settings or slices result in a fault of kind invalid. The
// result states the number of folds that are not reportable.
func Backtested(d mmm.Data, s mmm.Spec, how mmm.Sampling, by Slices) (*Backtest, error) {
	if by.First < 1 || by.Horizon < 1 || by.Step < 1 || by.First+by.Horizon > len(d.Dates) {
		return nil, fault.Invalid("slices of %d + %d periods, %d apart, cannot be cut from %d periods",
			by.First, by.Horizon, by.Step, len(d.Dates))
	}
	if err := d.Validate(s); err != nil {
		return nil, err
	}
	out := new(Backtest)
	for first := by.First; first+by.Horizon <= len(d.Dates); first += by.Step {
		s.Holdout = by.Horizon
		result, err := mmm.Fit(until(d, first+by.Horizon), s, how)
		if err != nil {
			return nil, fmt.Errorf("fit of the first %d periods: %w", first, err)
		}
		slice := Slice{Fitted: first, Status: result.Status, Reasons: result.Reasons}
		if result.Status == mmm.OK {
			slice.Rows = forecasts(result.Posterior, how.Seed)
			slice.Effects = result.Posterior.Effects()
		}
		out.Slices = append(out.Slices, slice)
	}
	out.judge()
	return out, nil
}

// until returns the data of the first periods.
func until(d mmm.Data, periods int) mmm.Data {
	n := len(d.Dates)
	cut := func(values []float64) []float64 {
		var out []float64
		for from := 0; from < len(values); from += n {
			out = append(out, values[from:from+periods]...)
		}
		return out
	}
	out := mmm.Data{Dates: d.Dates[:periods], Geos: d.Geos, Target: cut(d.Target)}
	for _, m := range d.Media {
		out.Media = append(out.Media, mmm.Media{
			Channel: m.Channel, Exposure: cut(m.Exposure), Frequency: cut(m.Frequency), Spend: cut(m.Spend),
		})
	}
	for _, c := range d.Controls {
		out.Controls = append(out.Controls, mmm.Control{Name: c.Name, Values: cut(c.Values), Group: c.Group})
	}
	return out
}

// forecasts returns the posterior predictive distributions of the held-out rows.
func forecasts(p *mmm.Posterior, seed uint64) []Forecast {
	scores, expected, target := p.LogScores(), p.HeldOut(p.Fitted()), p.HeldOut(p.Target())
	draws := make([][]float64, len(target))
	for _, y := range p.Predictive(seed) {
		for k, v := range p.HeldOut(y) {
			draws[k] = append(draws[k], v)
		}
	}
	out := make([]Forecast, len(target))
	for k := range out {
		slices.Sort(draws[k])
		out[k] = Forecast{
			Target: target[k], Expected: expected[k], Spread: stats.Summarize(draws[k]), LogScore: scores[k],
			CRPS: crps(draws[k], target[k]),
		}
	}
	return out
}

// crps returns E|X - y| - E|X - X'| / 2 for sorted draws X (Gneiting and Raftery 2007).
func crps(sorted []float64, y float64) float64 {
	n := float64(len(sorted))
	var miss, spread float64
	for i, x := range sorted {
		miss += math.Abs(x-y) / n
		spread += (2*float64(i) + 1 - n) * x / (n * n)
	}
	return miss - spread
}

// judge summarizes the folds.
func (b *Backtest) judge() {
	var target, expected, scores []float64
	for _, slice := range b.Slices {
		if slice.Status != mmm.OK {
			b.Refused++
		}
		for _, row := range slice.Rows {
			target, expected, scores = append(target, row.Target), append(expected, row.Expected), append(scores, row.LogScore)
			b.CRPS += row.CRPS
			if s := row.Spread; s.Q05 <= row.Target && row.Target <= s.Q95 {
				b.Inside90++
				if s.Q25 <= row.Target && row.Target <= s.Q75 {
					b.Inside50++
				}
			}
		}
	}
	b.Rows = len(target)
	if b.Rows == 0 {
		return
	}
	b.ELPD = floats.Sum(scores)
	b.Inside50 /= float64(b.Rows)
	b.Inside90 /= float64(b.Rows)
	b.CRPS /= math.Max(floats.Norm(target, 1), math.SmallestNonzeroFloat64)
	if b.Rows > 1 {
		_, sd := stats.MeanSD(scores)
		b.SE = sd * math.Sqrt(float64(b.Rows))
		a := mmm.AccuracyOf(target, expected)
		b.Accuracy = &a
	}
	b.compare()
}

// compare computes the stability of each channel's ROAS between consecutive folds.
func (b *Backtest) compare() {
	var before []mmm.ChannelEffect
	for _, slice := range b.Slices {
		for i, e := range slice.Effects {
			if before == nil || e.ROAS == nil || before[i].ROAS == nil {
				continue
			}
			overlap := overlap(*before[i].ROAS, *e.ROAS)
			at := slices.IndexFunc(b.Stability, func(s ChannelStability) bool { return s.Channel == e.Channel })
			if at < 0 {
				b.Stability = append(b.Stability, ChannelStability{e.Channel, overlap})
			} else {
				b.Stability[at].Overlap = math.Min(b.Stability[at].Overlap, overlap)
			}
		}
		if slice.Effects != nil {
			before = slice.Effects
		}
	}
}

// overlap returns the intersection of two 90% intervals as a share of their union.
func overlap(a, b stats.Summary) float64 {
	common := math.Min(a.Q95, b.Q95) - math.Max(a.Q05, b.Q05)
	covered := math.Max(a.Q95, b.Q95) - math.Min(a.Q05, b.Q05)
	if !(covered > 0) {
		return 1 // both intervals are the same point
	}
	return math.Max(0, common/covered)
}
