// Package hmc samples a density by Hamiltonian Monte Carlo: the multinomial No-U-Turn sampler with a metric estimated
// from draws and gradients.
//
// The trajectory is from Betancourt: A conceptual introduction to Hamiltonian Monte Carlo (2017). It has the additional
// U-turn checks across subtrees that Stan has used since 2.21. The metric minimizes the Fisher divergence (Seyboldt,
// Carlson, Carpenter 2026). It is diagonal, with a low-rank correction for directions with a variance that differs
// clearly from the diagonal. Chains start from package pathfinder. The same seed gives identical draws on any number of
// cores.
package hmc

import (
	"errors"
	"fmt"

	"assay/internal/measure/stats"
	"assay/internal/measure/stats/diag"
	"assay/internal/measure/stats/pathfinder"
	"assay/internal/panics"
)

// Options contains the settings of the sampler. Zero values mean the defaults.
type Options struct {
	Seed     uint64
	Chains   int     // default 4
	Warmup   int     // draws per chain that adapt step size and metric and are discarded; default 500
	Draws    int     // stored draws per chain; default 1000
	Accept   float64 // target acceptance statistic, between 0 and 1; default 0.8
	MaxDepth int     // a trajectory has at most 2^MaxDepth steps; default 10
	Diagonal bool    // keeps the metric diagonal
	// Stop is called before each draw, by several goroutines at once. If it returns true, sampling ends with
	// ErrStopped. If Stop is nil, sampling runs to the end.
	Stop func() bool
}

func (o Options) withDefaults() Options {
	o.Chains = or(o.Chains, 4)
	o.Warmup = or(o.Warmup, 500)
	o.Draws = or(o.Draws, 1000)
	o.Accept = or(o.Accept, 0.8)
	o.MaxDepth = or(o.MaxDepth, 10)
	return o
}

func or[T int | float64](v, fallback T) T {
	if v == 0 {
		return fallback
	}
	return v
}

// Chain contains one chain's draws. Slices have one element per stored draw.
type Chain struct {
	Draws     [][]float64 // unconstrained parameters; each draw has the density's dimension
	LogP      []float64   // log density
	Energy    []float64   // Hamiltonian
	Accept    []float64   // mean acceptance statistic of the trajectory
	Divergent []bool      // divergent transition: the trajectory left its level set
	Depth     []int       // number of doublings of the trajectory
	StepSize  float64     // after warm-up
	Gradients int         // number of evaluations of the density, including warm-up
}

// Run contains the draws of all chains.
type Run struct {
	Chains   []Chain
	MaxDepth int // maximum depth of the trajectories
}

// ErrStopped is the error if Stop ended the sampling.
var ErrStopped = errors.New("sampling was stopped")

// Sample draws from the density. It calls newDensity from the caller's goroutine, once for each chain and each
// Pathfinder path to a starting point. Each chain and each path therefore has separate scratch space. All densities
// must compute the same numbers. The error wraps [ErrStopped] or [pathfinder.ErrNoStart].
func Sample(newDensity func() stats.Density, o Options) (*Run, error) {
	o = o.withDefaults()
	starts, err := pathfinder.Find(newDensity, o.Chains, pathfinder.Options{Seed: o.Seed, Stop: o.Stop})
	if o.Stop != nil && o.Stop() {
		return nil, ErrStopped
	}
	if err != nil {
		return nil, fmt.Errorf("starting points: %w", err)
	}
	run := &Run{Chains: make([]Chain, o.Chains), MaxDepth: o.MaxDepth}
	finished := make([]bool, o.Chains)
	var chains panics.Group
	for i := range run.Chains {
		s := newSampler(newDensity(), o, stats.Stream(o.Seed, uint64(i)))
		chains.Go(func() { run.Chains[i], finished[i] = s.chain(starts[i]) })
	}
	chains.Wait()
	for _, ok := range finished {
		if !ok {
			return nil, ErrStopped
		}
	}
	return run, nil
}

// Values returns the values of f at the draws, one slice per chain, for package diag. f must not keep its argument.
func (r *Run) Values(f func(draw []float64) float64) [][]float64 {
	out := make([][]float64, len(r.Chains))
	for i, c := range r.Chains {
		out[i] = make([]float64, len(c.Draws))
		for j, d := range c.Draws {
			out[i][j] = f(d)
		}
	}
	return out
}

// Divergences returns the number of divergent transitions. A single divergent transition makes the draws unreliable.
func (r *Run) Divergences() int {
	n := 0
	for _, c := range r.Chains {
		for _, d := range c.Divergent {
			if d {
				n++
			}
		}
	}
	return n
}

// DepthHits returns the number of trajectories that ended early at the maximum depth. These trajectories reduce
// efficiency but cause no bias.
func (r *Run) DepthHits() int {
	n := 0
	for _, c := range r.Chains {
		for _, d := range c.Depth {
			if d >= r.MaxDepth {
				n++
			}
		}
	}
	return n
}

// Gradients returns the number of evaluations of the density by all chains.
func (r *Run) Gradients() int {
	n := 0
	for _, c := range r.Chains {
		n += c.Gradients
	}
	return n
}

// EBFMI returns the estimated Bayesian fraction of missing information of each chain; see [diag.EBFMI].
func (r *Run) EBFMI() []float64 {
	energy := make([][]float64, len(r.Chains))
	for i, c := range r.Chains {
		energy[i] = c.Energy
	}
	return diag.EBFMI(energy)
}
