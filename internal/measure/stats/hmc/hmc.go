// Package hmc draws from a density by Hamiltonian Monte Carlo: the multinomial No-U-Turn sampler with a metric
// learnt from draws and gradients.
//
// The trajectory is that of Betancourt: A conceptual introduction to Hamiltonian Monte Carlo (2017), with the
// additional U-turn checks across subtrees that Stan uses since 2.21. The metric minimises the Fisher divergence
// (Seyboldt, Carlson, Carpenter 2026): a diagonal, and where the window of draws shows more, a low-rank correction.
// Chains start from package pathfinder. A seed gives the same draws to the byte on any number of cores.
package hmc

import (
	"errors"
	"fmt"

	"assay/internal/measure/stats"
	"assay/internal/measure/stats/diag"
	"assay/internal/measure/stats/pathfinder"
	"assay/internal/panics"
)

// Options says how to sample. Zero values take the defaults.
type Options struct {
	Seed     uint64
	Chains   int     // default 4
	Warmup   int     // draws of each chain that adapt step size and metric and are thrown away; default 500
	Draws    int     // draws kept of each chain; default 1000
	Accept   float64 // target acceptance statistic, between 0 and 1; default 0.8
	MaxDepth int     // a trajectory has at most 2^MaxDepth steps; default 10
	Diagonal bool    // keeps the metric diagonal
	// Stop is asked before each draw, by several goroutines at once; when it returns true sampling ends with
	// ErrStopped. Nil never stops.
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

// Chain is what one chain drew. The slices without another word have one element for each draw kept.
type Chain struct {
	Draws     [][]float64 // each of the density's dimension, unconstrained
	LogP      []float64   // log density
	Energy    []float64   // Hamiltonian
	Accept    []float64   // mean acceptance statistic of the trajectory
	Divergent []bool      // the trajectory left the level set it should have followed
	Depth     []int       // doublings of the trajectory
	StepSize  float64     // after warm-up
	Gradients int         // evaluations of the density, warm-up included
}

// Run is what all chains drew.
type Run struct {
	Chains   []Chain
	MaxDepth int // the limit that the depths were held to
}

// ErrStopped says that the caller's Stop ended the sampling.
var ErrStopped = errors.New("sampling was stopped")

// Sample draws from the density. newDensity is called once for each chain and each path to a start, from this
// goroutine, so that each has its own scratch space; all must compute the same numbers. The error wraps [ErrStopped] or
// [pathfinder.ErrNoStart].
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

// Values returns a function of the draws, one slice for each chain, in the form package diag takes. The slice that
// f is given must not be kept.
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

// Divergences returns the number of draws whose trajectory diverged. One is enough to doubt all of them.
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

// DepthHits returns the number of draws whose trajectory reached the greatest depth allowed: it was cut short, which
// costs efficiency and not correctness.
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

// EBFMI returns the energy's fraction of missing information of each chain; see [diag.EBFMI].
func (r *Run) EBFMI() []float64 {
	energy := make([][]float64, len(r.Chains))
	for i, c := range r.Chains {
		energy[i] = c.Energy
	}
	return diag.EBFMI(energy)
}
