package lab

import (
	"slices"

	"assay/internal/fault"
	"assay/internal/measure/mmm"
)

// MMMCheck names a check of a media mix model. All but the first fit the model anew.
type MMMCheck string

// The checks.
const (
	PriorCheck   MMMCheck = "prior"   // what the model believes before the data
	SlicesCheck  MMMCheck = "slices"  // how it would have predicted
	PlaceboCheck MMMCheck = "placebo" // what it credits to channels that cannot have had an effect
	WorldsCheck  MMMCheck = "worlds"  // what it finds out where the truth is known
)

// worlds is how many are simulated.
const dataSets = 20

// mmmChecks holds what the checks found, each absent unless it was asked for.
type mmmChecks struct {
	Prior    *mmm.PriorCheck `json:"prior,omitempty"`
	Slices   *mmm.Backtest   `json:"slices,omitempty"`
	Placebo  []mmm.Placebo   `json:"placebo,omitempty"` // one for each channel
	DataSets *mmm.Recovery   `json:"worlds,omitempty"`
}

// checksKnown refuses checks that there are not, before anything is fitted.
func (m MMM) checksKnown() error {
	for _, check := range m.Checks {
		switch check {
		case PriorCheck, SlicesCheck, PlaceboCheck, WorldsCheck:
		default:
			return fault.Invalid("there is no check %q (want prior, slices, placebo or worlds)", check)
		}
	}
	if m.Slices == "" {
		return nil
	}
	if !slices.Contains(m.Checks, SlicesCheck) {
		return fault.Invalid("there are slices %q and no check that uses them", m.Slices).WithHint("ask for the check slices")
	}
	_, err := mmm.ParseSlices(m.Slices)
	return err
}

// check runs the checks that were asked for.
func (m MMM) check(p *mmm.Posterior, d mmm.Data, s mmm.Spec) (*mmmChecks, error) {
	out := new(mmmChecks)
	for _, check := range m.Checks {
		var err error
		switch check {
		case PriorCheck:
			var prior mmm.PriorCheck
			prior, err = mmm.CheckPriors(d, s, m.Sampling.Seed)
			out.Prior = &prior
		case SlicesCheck:
			out.Slices, err = m.backtest(d, s)
		case PlaceboCheck:
			out.Placebo, err = m.placebos(d, s)
		case WorldsCheck:
			out.DataSets, err = p.Recover(dataSets, m.Sampling)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (m MMM) backtest(d mmm.Data, s mmm.Spec) (*mmm.Backtest, error) {
	by := mmm.LastFour(len(d.Dates))
	if m.Slices != "" {
		var err error
		if by, err = mmm.ParseSlices(m.Slices); err != nil {
			return nil, err
		}
	}
	return mmm.Backtested(d, s, m.Sampling, by)
}

func (m MMM) placebos(d mmm.Data, s mmm.Spec) ([]mmm.Placebo, error) {
	var out []mmm.Placebo
	for _, media := range d.Media {
		placebo, err := mmm.CheckPlacebo(d, s, m.Sampling, media.Channel)
		if err != nil {
			return nil, err
		}
		out = append(out, *placebo)
	}
	return out, nil
}
