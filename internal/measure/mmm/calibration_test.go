package mmm

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"assay/internal/measure/stats"
	"assay/internal/measure/stats/hmc"
)

// draw returns a value of the prior.
func (p Prior) draw(random *rand.Rand) float64 {
	switch p.Family {
	case NormalPrior:
		return p.A + p.B*random.NormFloat64()
	case LaplacePrior:
		return distuv.Laplace{Mu: p.A, Scale: p.B, Src: random}.Rand()
	case HalfNormalPrior:
		return p.A * math.Abs(random.NormFloat64())
	case LogNormalPrior:
		return math.Exp(p.A + p.B*random.NormFloat64())
	case GammaPrior:
		return distuv.Gamma{Alpha: p.A, Beta: p.B, Src: random}.Rand()
	case BetaPrior:
		return distuv.Beta{Alpha: p.A, Beta: p.B, Src: random}.Rand()
	}
	panic("unknown prior")
}

// Simulation-based calibration (Talts, Betancourt, Simpson, Vehtari, Gelman 2018): parameters drawn from the prior, data
// drawn from the parameters. The rank of the true value among posterior draws is then uniform, for every parameter
// and every function of them, if and only if the sampler draws from the posterior.
func TestRanksOfTrueValuesAreUniform(t *testing.T) {
	t.Parallel()
	const bins, kept = 10, 99
	for name, s := range map[string]Spec{
		"coefficient": {Yearly: 1}, "roi": {Effect: ROI, Saturation: Hill}, "student_t": {Likelihood: StudentT, Saturation: MichaelisMenten},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if os.Getenv("ASSAY_NIGHTLY") != "1" {
				t.Skip("200 fits; set ASSAY_NIGHTLY=1 to run them")
			}
			const replicates = 200
			counts := map[string]*[bins]float64{}
			for i := range uint64(replicates) {
				for quantity, rank := range ranks(t, s, i, kept) {
					if counts[quantity] == nil {
						counts[quantity] = new([bins]float64)
					}
					counts[quantity][rank*bins/(kept+1)]++
				}
			}
			for quantity, seen := range counts {
				var chi2 float64
				for _, n := range seen {
					const expected = float64(replicates) / bins
					chi2 += (n - expected) * (n - expected) / expected
				}
				// About fifteen quantities are looked at in each of three models, with fixed seeds.
				if p := (distuv.ChiSquared{K: bins - 1}).Survival(chi2); p < 1e-4 {
					t.Errorf("ranks of %s are not uniform: %v, p %v", quantity, seen, p)
				}
			}
		})
	}
}

// ranks returns for each parameter and for the first channel's contribution how many of the kept draws lie below the
// value that the data were made from.
func ranks(t *testing.T, s Spec, seed uint64, kept int) map[string]int {
	t.Helper()
	m, err := newModel(toy(), s)
	if err != nil {
		t.Fatal(err)
	}
	random := stats.Stream(seed, 77)
	truth := make([]float64, len(m.parameters))
	for i, p := range m.parameters {
		truth[i] = p.prior.draw(random)
	}
	m.yScale = 1 // the priors speak of scaled targets, and these are made scaled
	m.y = (&Posterior{model: m}).location(truth)
	for i := range m.y {
		noise := random.NormFloat64()
		if s.Likelihood == StudentT {
			noise = distuv.StudentsT{Sigma: 1, Nu: truth[m.noiseAt+1], Src: random}.Rand()
		}
		m.y[i] += truth[m.noiseAt] * noise
	}
	run, err := hmc.Sample(func() stats.Density { return m.newDensity() }, hmc.Options{
		Seed: seed, Chains: 3, Warmup: 300, Draws: kept / 3 * 10, Accept: 0.95,
	})
	if err != nil {
		t.Fatal(err)
	}
	p := newPosterior(m, Data{}, run)
	thinned := Posterior{model: m, chains: 1}
	for i := 0; i < len(p.draws); i += 10 {
		thinned.draws = append(thinned.draws, p.draws[i])
	}
	out := map[string]int{}
	for i, parameter := range m.parameters {
		out[parameter.name] = below(thinned.draws, func(theta []float64) float64 { return theta[i] }, truth)
	}
	contribution := func(theta []float64) float64 {
		one := Posterior{model: m, draws: [][]float64{theta}}
		return floats.Sum(one.Contributions(m.channels[0].name)[0])
	}
	out["contribution"] = below(thinned.draws, contribution, truth)
	return out
}

func below(draws [][]float64, f func(theta []float64) float64, truth []float64) int {
	n, at := 0, f(truth)
	for theta := range slices.Values(draws) {
		if f(theta) < at {
			n++
		}
	}
	return n
}
