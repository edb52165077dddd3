// Package mix trains a store's media mix model from its daily sales and spend. It chooses weeks, channels, calendar
// events, priors and sampling in the same way for every training, so that models are comparable.
//
// Package mmm contains the model itself.
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

// Status indicates whether a model's figures are usable.
type Status string

// The statuses.
const (
	Active  Status = "active"  // fitted to the store's current data
	Stale   Status = "stale"   // fitted, but the data have changed
	Refused Status = "refused" // rejected: the data or the draws do not support a model; it has reasons and no figures
)

// Sampling uses four chains and stores every second draw. A thousand draws determine each bound of a 90% interval to
// about a twentieth of the interval's width.
const (
	chains = 4
	warmup = 500
	drawn  = 500
	thin   = 2
)

// Model is a trained model in its stored form, or the reasons why it was rejected.
type Model struct {
	Version  int           `json:"version"`         // 1 for the workspace's first model
	Status   Status        `json:"status"`          // stored as "active" or "refused"; [Held.State] can also return "stale"
	Reasons  []mmm.Reason  `json:"reasons"`         // reasons why the model was rejected
	Window   civil.Range   `json:"window,omitzero"` // days of the fit; absent if the store has no days
	Weeks    int           `json:"weeks"`           // number of weeks in the window
	Seed     uint64        `json:"seed"`            // seed of the sampler
	DataHash string        `json:"data_hash"`       // SHA-256 of data, specification and seed
	Settings string        `json:"settings"`        // currency and revenue basis, as named by the caller
	LeftOut  []LeftOut     `json:"left_out"`        // channels with spend that are not in the model
	Tests    []Calibration `json:"tests,omitempty"` // completed geo experiments, by date
	Accuracy *mmm.Accuracy `json:"accuracy"`        // in-sample accuracy
	// Holdout is the out-of-sample accuracy in the last HoldoutWeeks weeks; nil if that fit was rejected.
	Holdout     *mmm.Accuracy       `json:"holdout"`
	Diagnostics *mmm.Diagnostics    `json:"diagnostics"` // nil without sampling
	Saved       *mmm.Saved          `json:"posterior"`   // nil if rejected
	Events      []string            `json:"events"`      // calendar events in the model
	Effects     []mmm.ChannelEffect `json:"effects"`     // effects over the window, for all channels; empty if rejected

	posterior *mmm.Posterior // restored from Saved
	curves    *curves        // cached responses; nil if rejected
}

// LeftOut is a channel with too little spend, or spend in too few weeks, for an estimate.
type LeftOut struct {
	Channel measure.Channel `json:"channel"`
	Spend   float64         `json:"spend"`
	Reason  string          `json:"reason"`
}

// Request contains a caller's options for a training. The zero value means a training with lift tests and without
// progress reports.
type Request struct {
	WithoutTests bool                    // fit observational data only
	Progress     func(done, total int64) // draws so far; called concurrently; may be nil
}

// Training contains the input of [Train] apart from the store.
type Training struct {
	Request

	Seed     uint64
	Settings string      // see [Model.Settings]
	Stopped  func() bool // the training ends when it returns true; may be nil

	fits int64 // number of fits
}

// drawsOfFit is the number of draws of one fit.
const drawsOfFit = chains * (warmup + drawn)

// Train fits a store's model. If the data do not support a model, the result has the status [Refused] and reasons. The
// same store and seed give the same model. A stopped training returns hmc.ErrStopped.
//
// For a store with lift tests, Train first fits the model without the tests. It compares this observational fit with
// the tests' results to decide which channels get a confounding term. If a channel's tests are less precise than the
// observational fit, Train omits the term (decision 16). If the chains do not converge with the tests, the model is the
// observational fit, and each test contains the reason.
func Train(s Store, how Training) (*Model, error) {
	f := newFrame(s)
	none := ""
	if how.WithoutTests {
		none = "the training was started without experiments"
	}
	f.addTests(s.Tests, none)
	observational, tested := f.withoutTests(
		"the chains did not converge with the lift tests, so the model is the observational fit"), len(f.lifts()) > 0
	if how.fits = 2; tested {
		how.fits = 3
	}
	m, err := observational.train(how, 0)
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
			f = observational
		}
	}
	if m.Status != Active {
		return m, nil
	}
	m.Holdout, err = f.holdout(how)
	return m, err
}

// train fits the model without its holdout evaluation. The parameter before is the number of draws of earlier fits.
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

// HoldoutWeeks is the number of most recent weeks that a second fit predicts out of sample.
const HoldoutWeeks = 8

// holdout returns the out-of-sample accuracy in the last HoldoutWeeks weeks. The fit excludes these weeks and the lift
// tests in these weeks. holdout returns nil if that fit was rejected.
func (f frame) holdout(how Training) (*mmm.Accuracy, error) {
	early := f.before(f.window.Last.AddDays(1 - week*HoldoutWeeks))
	s := early.spec()
	s.Holdout = HoldoutWeeks
	result, err := mmm.Fit(f.data, s, how.sampling((how.fits-1)*drawsOfFit))
	if err != nil {
		return nil, fmt.Errorf("the last %d weeks: %w", HoldoutWeeks, err)
	}
	if result.Status != mmm.OK {
		return nil, nil
	}
	_, held := result.Posterior.Accuracy()
	return held, nil
}

// sampling returns the sampling settings of one fit. The parameter before is the number of draws of earlier fits.
func (t Training) sampling(before int64) mmm.Sampling {
	return mmm.Sampling{Seed: t.Seed, Chains: chains, Warmup: warmup, Draws: drawn, Stop: t.counter(before)}
}

// counter returns the sampler's stop function. The function also counts draws, starting from the number of draws of
// earlier fits.
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

// hashOf returns the SHA-256 of data, specification and seed.
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

// thinned returns the posterior with every second draw of each chain.
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

// Open prepares a stored model for use. If its parts are inconsistent, Open returns a fault of kind invalid.
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

// Posterior returns the model's draws, or nil if the model was rejected.
func (m *Model) Posterior() *mmm.Posterior { return m.posterior }
