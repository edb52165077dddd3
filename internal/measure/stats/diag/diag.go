// Package diag computes convergence diagnostics: rank-normalized R-hat, effective sample sizes, Monte Carlo standard
// errors and the estimated Bayesian fraction of missing information (E-BFMI).
//
// Most formulas are from Vehtari, Gelman, Simpson, Carpenter, Bürkner: Rank-normalization, folding, and localization:
// An improved R-hat (Bayesian Analysis 2021). The E-BFMI is from Betancourt: A conceptual introduction to Hamiltonian
// Monte Carlo (2017). Draws have one slice per chain. All slices have the same length, at least four. A constant or
// non-finite quantity has no diagnostics: the result is NaN.
package diag

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/measure/stats"
)

// Quality contains the diagnostics of one quantity.
type Quality struct {
	RHat    float64 // near 1 if the chains agree; the larger of the R-hats of the draws and of the folded draws
	ESSBulk float64 // effective sample size for the center
	ESSTail float64 // the smaller of the effective sample sizes for the 5% and 95% quantiles
}

// Of returns the diagnostics of the draws.
func Of(chains [][]float64) Quality {
	if degenerate(chains) {
		return Quality{math.NaN(), math.NaN(), math.NaN()}
	}
	halves := split(chains)
	scores := ranked(halves)
	return Quality{RHat: foldedRHat(halves, scores), ESSBulk: ess(scores), ESSTail: ESSTail(chains)}
}

// foldedRHat returns the larger of two R-hats: of the draws and of the folded draws. The parameter scores contains the
// normal scores of the draws.
func foldedRHat(halves, scores [][]float64) float64 {
	return math.Max(rhat(scores), rhat(ranked(folded(halves))))
}

// rhat returns the potential scale reduction factor of Gelman and Rubin.
func rhat(chains [][]float64) float64 {
	n := float64(len(chains[0]))
	means, within := make([]float64, len(chains)), 0.0
	for i, c := range chains {
		mean, sd := stats.MeanSD(c)
		means[i] = mean
		within += sd * sd / float64(len(chains))
	}
	_, between := stats.MeanSD(means)
	return math.Sqrt(((n-1)/n*within + between*between) / within)
}

// split returns the halves of each chain, so that a drift becomes a difference between halves. If the number of draws
// is odd, it drops the middle draw.
func split(chains [][]float64) [][]float64 {
	out := make([][]float64, 0, 2*len(chains))
	for _, c := range chains {
		half := len(c) / 2
		out = append(out, c[:half], c[len(c)-half:])
	}
	return out
}

// ranked returns the normal scores of the draws' ranks over all chains; ties share their mean rank.
func ranked(chains [][]float64) [][]float64 {
	type place struct {
		value       float64
		chain, draw int
	}
	var places []place
	for i, c := range chains {
		for j, v := range c {
			places = append(places, place{v, i, j})
		}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.value, b.value) })
	out := like(chains)
	size := float64(len(places))
	for from := 0; from < len(places); {
		to := from + 1
		for to < len(places) && places[to].value == places[from].value {
			to++
		}
		rank := float64(from+1+to) / 2
		score := distuv.UnitNormal.Quantile((rank - 0.375) / (size + 0.25))
		for _, p := range places[from:to] {
			out[p.chain][p.draw] = score
		}
		from = to
	}
	return out
}

// folded returns the absolute deviations from the median, which differ between chains if their spreads differ.
func folded(chains [][]float64) [][]float64 {
	median := stats.Quantile(sorted(chains), 0.5)
	return transformed(chains, func(x float64) float64 { return math.Abs(x - median) })
}

func transformed(chains [][]float64, f func(float64) float64) [][]float64 {
	out := like(chains)
	for i, c := range chains {
		for j, x := range c {
			out[i][j] = f(x)
		}
	}
	return out
}

func like(chains [][]float64) [][]float64 {
	out := make([][]float64, len(chains))
	for i, c := range chains {
		out[i] = make([]float64, len(c))
	}
	return out
}

func sorted(chains [][]float64) []float64 {
	all := slices.Concat(chains...)
	stats.Sort(all)
	return all
}

// degenerate reports whether there are too few draws, or they are constant or not finite.
func degenerate(chains [][]float64) bool {
	if len(chains) == 0 || len(chains[0]) < 4 {
		return true
	}
	first, same := chains[0][0], true
	for _, c := range chains {
		for _, x := range c {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return true
			}
			same = same && x == first
		}
	}
	return same
}

// EBFMI returns the estimated Bayesian fraction of missing information (E-BFMI) of each chain, computed from the
// Hamiltonian at each draw. A value below 0.3 means that the sampler explores the tails too slowly.
func EBFMI(energy [][]float64) []float64 {
	out := make([]float64, len(energy))
	for i, e := range energy {
		mean, _ := stats.MeanSD(e)
		var steps, spread float64
		for j, x := range e {
			spread += (x - mean) * (x - mean)
			if j > 0 {
				steps += (x - e[j-1]) * (x - e[j-1])
			}
		}
		out[i] = steps / spread
	}
	return out
}
