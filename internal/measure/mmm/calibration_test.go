package mmm

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/stats"
	"assay/internal/measure/stats/diag"
	"assay/internal/measure/stats/hmc"
)

// Simulation-based calibration (Talts, Betancourt, Simpson, Vehtari, Gelman 2018): parameters drawn from the prior, data
// drawn from the parameters. The rank of the true value among posterior draws is then uniform, for every parameter
// and every function of them and the data, if and only if the sampler draws from the posterior. The likelihood is such
// a function and finds what the others miss (Modrák et al. 2023).
type calibration struct {
	data       Data
	spec       Spec
	replicates int
	sampling   hmc.Options
	thin       int                          // draws from one that is ranked to the next
	build      func(m *model) stats.Density // nil for the model's own density
}

// ranks returns the ranks of each quantity, and the largest rank there can be.
func (c calibration) ranks(t *testing.T) (ranks map[string][]int, most int) {
	t.Helper()
	design, err := newModel(c.data, c.spec)
	if err != nil {
		t.Fatal(err)
	}
	design.yScale = 1 // the priors speak of scaled targets, and these are made scaled
	ranks = map[string][]int{}
	for i := range uint64(c.replicates) {
		random := stats.Stream(i, 77)
		truth := design.drawPrior(random)
		m := design.withTarget(design.simulate(truth, random))
		m.measureLifts(truth, random)
		build := func() stats.Density { return m.newDensity() }
		if c.build != nil {
			build = func() stats.Density { return c.build(m) }
		}
		o := c.sampling
		o.Seed = i
		run, err := hmc.Sample(build, o)
		if err != nil {
			t.Fatalf("replicate %d: %v", i, err)
		}
		p := newPosterior(m, c.data, run)
		var kept [][]float64
		for k := c.thin - 1; k < len(p.draws); k += c.thin {
			kept = append(kept, p.draws[k])
		}
		most = len(kept)
		for quantity, values := range (&Posterior{m, c.data, 1, append(kept, truth)}).quantities() {
			below := floats.Count(func(v float64) bool { return v < values[most] }, values[:most])
			ranks[quantity] = append(ranks[quantity], below)
		}
	}
	return ranks, most
}

// quantities returns what is ranked: every parameter, what channels bring on the whole and at the margin, which orders
// draws as returns and shares do, the first geo's part, and the log likelihood. One value for each draw.
func (p *Posterior) quantities() map[string][]float64 {
	of := func(f func(theta []float64) float64) []float64 {
		return series(len(p.draws), func(i int) float64 { return f(p.draws[i]) })
	}
	out := map[string][]float64{"likelihood": of(p.logLikelihood)}
	for i, parameter := range p.model.parameters {
		out[parameter.name] = of(func(theta []float64) float64 { return theta[i] })
	}
	for i := range p.model.channels {
		c := &p.model.channels[i]
		out[string(c.name)+".contribution"] = p.contributionTotals(c.name)
		out[string(c.name)+".margin"] = p.slopes(c)
		if p.model.geos > 1 {
			out[string(c.name)+".first_geo"] = of(func(theta []float64) float64 { return theta[p.model.ofGeo(0)+1+i] })
		}
	}
	return out
}

// unevenness returns the quantity whose ranks are least like uniform ones, their probability, and how many quantities lie
// outside their 95 % band.
func (c calibration) unevenness(t *testing.T) (worst string, p float64, outside []string, quantities int) {
	t.Helper()
	ranks, most := c.ranks(t)
	p = 2
	for _, quantity := range slices.Sorted(maps.Keys(ranks)) {
		of := diag.UniformP(ranks[quantity], most)
		if of < p {
			worst, p = quantity, of
		}
		if of < 0.05 {
			outside = append(outside, fmt.Sprintf("%s %.3f", quantity, of))
		}
	}
	return worst, p, outside, len(ranks)
}

// quick is a model of few parameters, for fits of some milliseconds.
func quick(build func(m *model) stats.Density) calibration {
	return calibration{
		data: toy(), replicates: 50, build: build, thin: 5,
		spec:     Spec{Saturation: MichaelisMenten, Adstock: Adstock{Geometric, 2}, Trend: Trend{Kind: NoTrend}},
		sampling: hmc.Options{Chains: 2, Warmup: 100, Draws: 100, Accept: 0.9},
	}
}

// warped is a density that forgets that the coordinates of positive parameters are logarithms.
type warped struct{ *density }

func (d warped) LogDensity(u, grad []float64) float64 {
	logp := d.density.LogDensity(u, grad)
	for i, p := range d.parameters {
		if p.support == positive { // without theirs, others would have no proper density
			_, _, logJacobian, slope := p.support.constrain(u[i])
			logp -= logJacobian
			grad[i] -= slope
		}
	}
	return logp
}

// turned is a density that sees one coordinate with the other sign.
type turned struct {
	stats.Density
	i int
}

func (d turned) LogDensity(u, grad []float64) float64 {
	other := slices.Clone(u)
	other[d.i] *= -1
	logp := d.Density.LogDensity(other, grad)
	grad[d.i] *= -1
	return logp
}

func TestRanksOfTrueValuesAreUniformAndThoseOfWrongBuildsAreNot(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		build func(m *model) stats.Density
		right bool
	}{
		"as it is":          {nil, true},
		"without Jacobians": {func(m *model) stats.Density { return warped{m.newDensity()} }, false},
		"the control's sign turned": {func(m *model) stats.Density {
			return turned{m.newDensity(), slices.Index(m.parameterNames(), "price")}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			worst, p, _, quantities := quick(c.build).unevenness(t)
			t.Logf("least even: %s, p %.2g", worst, p)
			// A right build fails this with one choice of seeds in a thousand.
			if even := p > 1e-3/float64(quantities); even != c.right {
				t.Errorf("the least even ranks are those of %s with p %v: uniform %v, want %v", worst, p, even, c.right)
			}
		})
	}
}

// pairs is two years of weeks of two channels and a promotion.
func pairs() Data {
	random := stats.Stream(12, 0)
	d := Data{Media: []Media{{Channel: "search"}, {Channel: "social"}}, Controls: []Control{{Name: "price"}}}
	for t := range 104 {
		d.Dates = append(d.Dates, civil.New(2024, 1, 1).AddDays(7*t))
		for i := range d.Media {
			d.Media[i].Exposure = append(d.Media[i].Exposure, 100*max(0, random.Float64()*1.2-0.2))
		}
		d.Controls[0].Values = append(d.Controls[0].Values, 20-5*random.Float64())
		d.Target = append(d.Target, 900+50*random.NormFloat64())
	}
	return d
}

// spot is three small towns.
func spot() Data {
	d := toyGeos()
	d.Media = d.Media[:1]
	return d
}

// The long run: a thousand replicates of each form of the national model, a hundred of a model of several geos.
func TestPosteriorIsCalibrated(t *testing.T) {
	t.Parallel()
	if os.Getenv("ASSAY_NIGHTLY") != "1" {
		t.Skip("some thousands of fits; set ASSAY_NIGHTLY=1 to run them")
	}
	lifts := []Lift{{Channel: measure.Channel("social"), X: 20, DeltaX: 30, Sigma: 0.05, DeltaY: 1}}
	national := hmc.Options{Chains: 4, Warmup: 300, Draws: 500, Accept: 0.95}
	for name, c := range map[string]calibration{
		"coefficient": {data: pairs(), spec: Spec{Yearly: 2}},
		"returns":     {data: pairs(), spec: Spec{Effect: ROI, Saturation: Hill, Yearly: 1}},
		"lift tests":  {data: pairs(), spec: Spec{Saturation: MichaelisMenten, Lifts: lifts}},
		"student_t":   {data: pairs(), spec: Spec{Likelihood: StudentT, Saturation: MichaelisMenten}},
		"log_normal":  {data: pairs(), spec: Spec{Likelihood: LogNormal, Yearly: 1}},
		"geos":        {data: spot(), spec: Spec{Saturation: MichaelisMenten, Trend: Trend{Kind: NoTrend}}, replicates: 100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.sampling, c.thin = national, 20
			if c.replicates == 0 {
				c.replicates = 1000
			}
			worst, p, outside, quantities := c.unevenness(t)
			t.Logf("%d quantities, outside their 95 %% band: %v; least even: %s, p %.2g", quantities, outside, worst, p)
			if p < 1e-3/float64(quantities) {
				t.Errorf("ranks of %s are not uniform: p %v", worst, p)
			}
		})
	}
}
