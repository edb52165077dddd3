package lab

import (
	"slices"

	"assay/internal/fault"
	"assay/internal/measure/mmm"
	"assay/internal/measure/mmm/check"
)

// MMMCheck is a check of a media mix model. All checks except the first refit the model.
type MMMCheck string

// The checks.
const (
	PriorCheck   MMMCheck = "prior"   // prior predictive check
	SlicesCheck  MMMCheck = "slices"  // backtest
	PlaceboCheck MMMCheck = "placebo" // placebo test
	WorldsCheck  MMMCheck = "worlds"  // parameter recovery on simulated data sets
)

// dataSets is the number of simulated data sets.
const dataSets = 20

// mmmChecks contains the results of the requested checks.
type mmmChecks struct {
	Prior    *check.PriorCheck `json:"prior,omitempty"`
	Slices   *check.Backtest   `json:"slices,omitempty"`
	Placebo  []check.Placebo   `json:"placebo,omitempty"` // one per channel
	DataSets *check.Recovery   `json:"worlds,omitempty"`
}

// checksKnown rejects unknown checks before the fit.
func (m MMM) checksKnown() error {
	for _, kind := range m.Checks {
		switch kind {
		case PriorCheck, SlicesCheck, PlaceboCheck, WorldsCheck:
		default:
			return fault.Invalid("unknown check %q (want prior, slices, placebo or worlds)", kind)
		}
	}
	if m.Slices == "" {
		return nil
	}
	if !slices.Contains(m.Checks, SlicesCheck) {
		return fault.Invalid("slices %q are given without the check slices", m.Slices).WithHint("add the check slices")
	}
	_, err := check.ParseSlices(m.Slices)
	return err
}

// check runs the requested checks.
func (m MMM) check(p *mmm.Posterior, d mmm.Data, s mmm.Spec) (*mmmChecks, error) {
	out := new(mmmChecks)
	for _, kind := range m.Checks {
		var err error
		switch kind {
		case PriorCheck:
			var prior check.PriorCheck
			prior, err = check.Priors(d, s, m.Sampling.Seed)
			out.Prior = &prior
		case SlicesCheck:
			out.Slices, err = m.backtest(d, s)
		case PlaceboCheck:
			out.Placebo, err = m.placebos(d, s)
		case WorldsCheck:
			out.DataSets, err = check.Recover(p, dataSets, m.Sampling)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (m MMM) backtest(d mmm.Data, s mmm.Spec) (*check.Backtest, error) {
	by := check.LastFour(len(d.Dates))
	if m.Slices != "" {
		var err error
		if by, err = check.ParseSlices(m.Slices); err != nil {
			return nil, err
		}
	}
	return check.Backtested(d, s, m.Sampling, by)
}

func (m MMM) placebos(d mmm.Data, s mmm.Spec) ([]check.Placebo, error) {
	var out []check.Placebo
	for _, media := range d.Media {
		placebo, err := check.PlaceboOf(d, s, m.Sampling, media.Channel)
		if err != nil {
			return nil, err
		}
		out = append(out, *placebo)
	}
	return out, nil
}
