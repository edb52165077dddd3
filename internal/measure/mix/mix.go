// Package mix makes a store's media mix model of its days of sales and spend: which weeks, which channels, which
// calendar, how the posterior is drawn, and what has to be known of the model before its figures are used.
//
// The mathematics are package mmm's. This package settles what the same store is always asked in the same way, so that
// a model can be trained by a schedule and read by a tool.
package mix

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/mmm"
)

// Status says whether a model's figures may be used.
type Status string

// The statuses.
const (
	Active  Status = "active"  // fitted to the store as it is
	Stale   Status = "stale"   // fitted, and the store has moved on
	Refused Status = "refused" // the data or the draws do not carry a model; there are reasons and no figures
)

// How the posterior is drawn: four chains, of whose draws every second is kept. A thousand draws place the bounds of
// 90 % intervals to about a twentieth of their width.
const (
	chains = 4
	warmup = 500
	drawn  = 500
	thin   = 2
)

// Model is a trained model as it is stored, or the reasons why there is none.
type Model struct {
	Version     int                 `json:"version"`         // of the workspace's model, 1 for the first
	Status      Status              `json:"status"`          // active or refused as stored; [Held.State] knows stale
	Reasons     []mmm.Reason        `json:"reasons"`         // why it was refused
	Window      civil.Range         `json:"window,omitzero"` // days that it was fitted to; absent when the store has none
	Weeks       int                 `json:"weeks"`           // in the window
	Seed        uint64              `json:"seed"`            // of the draws
	DataHash    string              `json:"data_hash"`       // SHA-256 of what it was fitted to and how
	Settings    string              `json:"settings"`        // what money and revenue mean in it, as the caller named it
	LeftOut     []LeftOut           `json:"left_out"`        // channels with spend that are not in the model
	Tests       []Calibration       `json:"tests,omitempty"` // completed tests by region, in the order of their days
	Accuracy    *mmm.Accuracy       `json:"accuracy"`        // of the fit to its own weeks; nil when refused
	Holdout     *mmm.Accuracy       `json:"holdout"`         // of the last heldWeeks as foretold by a fit to those before; nil when that fit was refused
	Diagnostics *mmm.Diagnostics    `json:"diagnostics"`     // nil when nothing was sampled
	Saved       *mmm.Saved          `json:"posterior"`       // nil when refused
	Events      []string            `json:"events"`          // of the calendar, which the model knows
	Effects     []mmm.ChannelEffect `json:"effects"`         // of every channel over the window; empty when refused

	posterior *mmm.Posterior // what Saved restores to
	curves    *curves        // what the posterior says of spends; nil when refused
}

// LeftOut is a channel whose spend is too small or too short to be told from chance.
type LeftOut struct {
	Channel measure.Channel `json:"channel"`
	Spend   float64         `json:"spend"`
	Reason  string          `json:"reason"`
}

// Request says what somebody asks of a training. The zero value asks for nothing.
type Request struct {
	WithoutTests bool                    // fit the weeks alone
	Progress     func(done, total int64) // draws so far, called by several goroutines; may be nil
}

// Training says how a model is trained.
type Training struct {
	Request

	Seed     uint64
	Settings string      // see [Model.Settings]
	Stopped  func() bool // ends the training when it returns true; may be nil

	fits int64 // that it makes
}

// drawsOfFit is how many draws a fit takes.
const drawsOfFit = chains * (warmup + drawn)

// Train fits the model of a store. A store that carries none gives a model that was refused, with reasons. The same
// store and seed give the same model. A training that is stopped ends with hmc.ErrStopped.
//
// Where a store has tests, the first fit is to its weeks alone. It says what the tests found in addition, and which of the two is surer:
// beside a test that is less sure than the weeks these are taken at their word. Where the draws do not come together with the tests, the
// model is that of the weeks alone, and the tests say so.
func Train(s Store, how Training) (*Model, error) {
	f := newFrame(s)
	none := ""
	if how.WithoutTests {
		none = "the training was asked to leave tests out"
	}
	f.addTests(s.Tests, none)
	weeks, tested := f.withoutTests("with the tests the draws did not come together, so that the model is fitted to the weeks alone"), len(f.lifts()) > 0
	if how.fits = 2; tested {
		how.fits = 3
	}
	m, err := weeks.train(how, 0)
	if err != nil {
		return nil, err
	}
	if tested {
		f.compare(m)
		with, err := f.train(how, drawsOfFit)
		switch {
		case err != nil:
			return nil, err
		case with.Status == Active || m.Status != Active:
			m = with
		default:
			f = weeks
		}
	}
	if m.Status != Active {
		return m, nil
	}
	m.Holdout, err = f.foretold(how)
	return m, err
}

// train fits the model, all but the judgement by the last weeks, after so many draws of earlier fits.
func (f frame) train(how Training, before int64) (*Model, error) {
	m := &Model{
		Version: 1, Status: Refused, Reasons: f.reasons, Window: f.window, Weeks: f.weeks, Seed: how.Seed,
		Settings: how.Settings, LeftOut: f.leftOut, Tests: slices.Clone(f.tests),
	}
	if len(f.reasons) > 0 {
		return m, nil
	}
	spec := f.spec()
	for _, c := range f.data.Controls {
		m.Events = append(m.Events, c.Name)
	}
	var err error
	if m.DataHash, err = hashOf(f.data, spec, how.Seed); err != nil {
		return nil, err
	}
	result, err := mmm.Fit(f.data, spec, how.sampling(before))
	if err != nil {
		return nil, fmt.Errorf("media mix model from %s: %w", f.window, err)
	}
	m.Diagnostics, m.Reasons = result.Diagnostics, result.Reasons
	if result.Status != mmm.OK {
		return m, nil
	}
	saved := thinned(result.Posterior.Save())
	m.Saved = &saved
	if err := m.Open(); err != nil {
		return nil, err
	}
	fitted, _ := m.Posterior().Accuracy()
	m.Status, m.Accuracy, m.Effects = Active, &fitted, m.Posterior().Effects()
	return m, nil
}

// HeldWeeks is how many last weeks are foretold by a fit that does not see them.
const HeldWeeks = 8

// foretold judges the model by the last weeks, which another fit does not see, nor tests of those weeks. It is nil when that fit was
// refused.
func (f frame) foretold(how Training) (*mmm.Accuracy, error) {
	early := f.before(f.window.Last.AddDays(1 - week*HeldWeeks))
	s := early.spec()
	s.Holdout = HeldWeeks
	result, err := mmm.Fit(f.data, s, how.sampling((how.fits-1)*drawsOfFit))
	if err != nil {
		return nil, fmt.Errorf("the last %d weeks: %w", HeldWeeks, err)
	}
	if result.Status != mmm.OK {
		return nil, nil
	}
	_, held := result.Posterior.Accuracy()
	return held, nil
}

// sampling is how each fit of the training draws, after so many draws of earlier ones.
func (t Training) sampling(before int64) mmm.Sampling {
	return mmm.Sampling{Seed: t.Seed, Chains: chains, Warmup: warmup, Draws: drawn, Stop: t.counter(before)}
}

// counter returns what the sampler asks before each draw: it counts the draws, on from those before, and passes the
// question on.
func (t Training) counter(before int64) func() bool {
	var done atomic.Int64
	done.Store(before)
	return func() bool {
		if n := done.Add(1); t.Progress != nil && n%100 == 0 {
			t.Progress(n, max(n, t.fits*drawsOfFit))
		}
		return t.Stopped != nil && t.Stopped()
	}
}

// hashOf names what a model is fitted to, and how.
func hashOf(d mmm.Data, s mmm.Spec, seed uint64) (string, error) {
	text, err := json.Marshal(struct {
		Data mmm.Data
		Spec mmm.Spec
		Seed uint64
	}{d, s, seed})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// thinned keeps every second draw of each chain.
func thinned(s mmm.Saved) mmm.Saved {
	kept := make([][]float64, 0, len(s.Draws)/thin)
	perChain := len(s.Draws) / s.Chains
	for c := range s.Chains {
		for i := thin - 1; i < perChain; i += thin {
			kept = append(kept, s.Draws[c*perChain+i])
		}
	}
	s.Draws = kept
	return s
}

// Open makes a model that was read from where it is stored ready for questions. A fault of kind invalid says that its
// parts do not belong together.
func (m *Model) Open() error {
	if m.Status != Refused && m.Saved == nil {
		return fault.Invalid("model %d is %s and has no posterior", m.Version, m.Status)
	}
	if m.Saved == nil {
		return nil
	}
	p, err := mmm.Restore(*m.Saved)
	if err != nil {
		return fmt.Errorf("model %d: %w", m.Version, err)
	}
	m.posterior, m.curves = p, newCurves(p, m.Saved.Data.Target)
	return nil
}

// Posterior returns the draws behind the model, nil when it was refused.
func (m *Model) Posterior() *mmm.Posterior { return m.posterior }
