package mmm

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"assay/internal/fault"
	"assay/internal/measure/stats"
	"assay/internal/measure/stats/diag"
	"assay/internal/measure/stats/hmc"
	"assay/internal/measure/stats/pathfinder"
	"assay/internal/panics"
)

// Sampling contains the settings for sampling the posterior. Zero values mean the defaults.
type Sampling struct {
	Seed   uint64 `json:"seed"`
	Chains int    `json:"chains"` // default 4
	Warmup int    `json:"warmup"` // per chain; default 1000
	Draws  int    `json:"draws"`  // per chain; default 1000, up to four times as many if a convergence check fails
	// Stop is a function that [Fit] calls often and concurrently. If it returns true, [Fit] ends with [hmc.ErrStopped].
	Stop func() bool `json:"-"`
}

func (s Sampling) withDefaults() Sampling {
	s.Chains = cmp.Or(s.Chains, 4)
	s.Warmup = cmp.Or(s.Warmup, 1000)
	s.Draws = cmp.Or(s.Draws, 1000)
	return s
}

// Status indicates whether a result has numbers.
type Status string

// The statuses.
const (
	OK            Status = "ok"
	NotReportable Status = "not_reportable"
)

// Result is the result of a fit. If the status is [NotReportable], the result has reasons and no posterior.
type Result struct {
	Status      Status
	Reasons     []Reason
	Diagnostics *Diagnostics // nil without sampling
	Posterior   *Posterior   // nil unless the status is OK
}

// Diagnostics describes the sampling of all parameters and of the channels' incremental outcomes.
type Diagnostics struct {
	RHatMax     Number `json:"rhat_max"`
	ESSBulkMin  Number `json:"ess_bulk_min"`
	ESSTailMin  Number `json:"ess_tail_min"`
	EBFMIMin    Number `json:"ebfmi_min"`
	Divergences int    `json:"divergences"`
	DepthHits   int    `json:"depth_hits"` // number of trajectories that reached the maximum tree depth
	Gradients   int    `json:"gradients"`  // number of evaluations of the density in the last attempt
	Attempts    int    `json:"attempts"`   // number of attempts; later attempts have smaller steps or more draws
	Worst       string `json:"worst"`      // quantity with the largest R-hat
}

// Number is a diagnostic. NaN, for constant or non-finite draws, is null in JSON.
type Number float64

// MarshalJSON implements [json.Marshaler].
func (n Number) MarshalJSON() ([]byte, error) {
	if v := float64(n); !math.IsNaN(v) && !math.IsInf(v, 0) {
		return json.Marshal(v)
	}
	return []byte("null"), nil
}

// Limits of the convergence checks.
const (
	rHatBelow = 1.01
	essAbove  = 400
)

// attempts is the maximum number of times that Fit samples the posterior.
const attempts = 3

// harder returns the sampling options of the next attempt. After divergent transitions, steps are smaller, to follow a
// curved posterior more closely. After all other failures, there are more draws.
func harder(o hmc.Options, g *Diagnostics) hmc.Options {
	if g.Divergences > 0 {
		o.Accept = 1 - (1-o.Accept)/4
		return o
	}
	o.Warmup *= 2
	o.Draws *= 2
	return o
}

// Fit samples the posterior of the model. Invalid data or settings result in a fault of kind invalid. If the data
// cannot identify the model or the chains do not converge, the result has reasons and no numbers. The same input and
// seed give the same result on any machine of one architecture and with any number of cores.
func Fit(d Data, s Spec, how Sampling) (*Result, error) {
	how = how.withDefaults()
	if how.Chains < 1 || how.Warmup < 1 || how.Draws < 1 {
		return nil, fault.Invalid("invalid sampling: %d chains of %d + %d draws", how.Chains, how.Warmup, how.Draws)
	}
	m, err := newModel(d, s)
	if err != nil {
		return nil, err
	}
	if reasons := m.unidentified(d); len(reasons) > 0 {
		return &Result{Status: NotReportable, Reasons: reasons}, nil
	}
	return m.fit(d, how)
}

// fit samples the model of the data d until the draws pass the convergence checks, or the maximum number of attempts is
// reached.
func (m *model) fit(d Data, how Sampling) (*Result, error) {
	o := hmc.Options{Seed: how.Seed, Chains: how.Chains, Warmup: how.Warmup, Draws: how.Draws, Accept: 0.9, Stop: how.Stop}
	for attempt := 1; ; attempt++ {
		run, err := hmc.Sample(func() stats.Density { return m.newDensity() }, o)
		switch {
		case errors.Is(err, pathfinder.ErrNoStart):
			return nil, fault.Invalid("the likelihood is zero everywhere near the priors").
				WithHint("check the scale of priors and controls").Wrap(err)
		case err != nil:
			return nil, fmt.Errorf("sampling of the media mix model: %w", err)
		}
		result := m.judge(d, run)
		result.Diagnostics.Attempts = attempt
		if result.Status == OK || attempt == attempts {
			return result, nil
		}
		o = harder(o, result.Diagnostics)
	}
}

// judge returns the result of a run: the posterior, or the reasons why the draws fail the convergence checks.
func (m *model) judge(d Data, run *hmc.Run) *Result {
	p := newPosterior(m, d, run)
	g, reasons := m.diagnose(run, p)
	if len(reasons) > 0 {
		return &Result{Status: NotReportable, Reasons: reasons, Diagnostics: g}
	}
	return &Result{Status: OK, Diagnostics: g, Posterior: p}
}

// diagnose returns the diagnostics and the reasons why they do not pass the convergence checks.
func (m *model) diagnose(run *hmc.Run, p *Posterior) (*Diagnostics, []Reason) {
	g := &Diagnostics{
		EBFMIMin:    Number(slices.Min(run.EBFMI())),
		Divergences: run.Divergences(), DepthHits: run.DepthHits(), Gradients: run.Gradients(),
	}
	fewest := ""
	rHat, bulk, tail := 0.0, math.Inf(1), math.Inf(1)
	see := func(name string, q diag.Quality) {
		// The first quantity without diagnostics remains the worst, because Max and Min propagate NaN.
		if !math.IsNaN(rHat) && !(q.RHat <= rHat) {
			g.Worst = name
		}
		if least := math.Min(bulk, tail); !math.IsNaN(least) && !(math.Min(q.ESSBulk, q.ESSTail) >= least) {
			fewest = name
		}
		rHat, bulk, tail = math.Max(rHat, q.RHat), math.Min(bulk, q.ESSBulk), math.Min(tail, q.ESSTail)
	}
	names, qualities := p.qualities()
	for i, name := range names {
		see(name, qualities[i])
	}
	g.RHatMax, g.ESSBulkMin, g.ESSTailMin = Number(rHat), Number(bulk), Number(tail)
	return g, g.complaints(fewest)
}

// qualities returns the diagnostics of every parameter and of every channel's incremental outcome.
func (p *Posterior) qualities() (names []string, qualities []diag.Quality) {
	names = p.model.parameterNames()
	for _, c := range p.model.channels {
		names = append(names, string(c.name)+".contribution")
	}
	qualities = make([]diag.Quality, len(names))
	var work panics.Group
	for i := range qualities {
		work.Go(func() {
			value := func(draw int) float64 { return p.draws[draw][i] }
			if c := i - len(p.model.parameters); c >= 0 {
				totals := p.ContributionTotals(p.model.channels[c].name)
				value = func(draw int) float64 { return totals[draw] }
			}
			qualities[i] = diag.Of(p.perChain(value))
		})
	}
	work.Wait()
	return names, qualities
}

func (g *Diagnostics) complaints(fewest string) []Reason {
	var reasons []Reason
	if g.Divergences > 0 {
		reasons = append(reasons, Reason{
			Diverged, "", fmt.Sprintf("%d divergent transitions: the sampler did not explore the whole posterior", g.Divergences),
			"use a saturation with fewer parameters, tighter priors, or a longer window",
		})
	}
	if !(g.RHatMax < rHatBelow) {
		reasons = append(reasons, Reason{
			NotConverged, g.Worst,
			fmt.Sprintf("the chains have not converged: R-hat of %s is %.3f, want below %v", g.Worst, g.RHatMax, rHatBelow),
			"sample longer; if R-hat remains high, the parameters are not identified: merge similar channels or add a lift test",
		})
	}
	if !(g.ESSBulkMin > essAbove) || !(g.ESSTailMin > essAbove) {
		reasons = append(reasons, Reason{
			FewDraws, fewest, fmt.Sprintf(
				"the effective sample size of %s is too small (bulk %.0f, tail %.0f over all quantities, want above %d)",
				fewest, g.ESSBulkMin, g.ESSTailMin, essAbove),
			"increase the number of draws",
		})
	}
	return reasons
}
