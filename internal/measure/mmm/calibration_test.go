package mmm

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/stats"
	"assay/internal/measure/stats/hmc"
)

// calibration is a simulation-based calibration (Talts, Betancourt, Simpson, Vehtari, Gelman 2018). It draws parameters
// from the prior and data from the parameters. If and only if the sampler is correct, the rank of the true value among
// posterior draws is uniform. This holds for every parameter and every function of parameters and data. The likelihood
// is one of these functions. Its rank detects errors that the ranks of parameters miss (Modrák et al. 2023).
type calibration struct {
	name       string // name of the checkpoint; "": none
	data       Data
	spec       Spec
	replicates int
	sampling   hmc.Options
	thin       int                          // every thin-th draw is ranked
	build      func(m *model) stats.Density // nil for the model's own density
}

// ranks returns the ranks of each quantity and the maximum rank.
func (c calibration) ranks(t *testing.T) (ranks map[string][]int, most int) {
	t.Helper()
	design, err := newModel(c.data, c.spec)
	if err != nil {
		t.Fatal(err)
	}
	design.yScale = 1 // the priors are for scaled targets, and simulated targets are scaled
	ranks = map[string][]int{}
	done := c.checkpoint(t)
	for i := range uint64(c.replicates) {
		one, known := done.known[i]
		if !known {
			one = c.replicate(t, design, i)
			done.add(t, i, one)
		}
		for quantity, rank := range one {
			ranks[quantity] = append(ranks[quantity], rank)
		}
	}
	return ranks, c.kept()
}

// kept returns the number of ranked draws per replicate.
func (c calibration) kept() int { return c.sampling.Chains * c.sampling.Draws / c.thin }

// replicate returns the rank of each quantity in one replicate.
func (c calibration) replicate(t *testing.T, design *model, i uint64) map[string]int {
	t.Helper()
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
	var draws [][]float64
	for k := c.thin - 1; k < len(p.draws); k += c.thin {
		draws = append(draws, p.draws[k])
	}
	ranks := map[string]int{}
	for quantity, values := range (&Posterior{m, c.data, 1, append(draws, truth)}).quantities() {
		ranks[quantity] = floats.Count(func(v float64) bool { return v < values[len(draws)] }, values[:len(draws)])
	}
	return ranks
}

// checkpoint is a file with the ranks of an earlier run's replicates, one JSON object per line. The current run appends
// its ranks.
type checkpoint struct {
	form  string
	known map[uint64]map[string]int
	file  *os.File // nil if nothing is stored
}

// ranked is one line of a checkpoint.
type ranked struct {
	Form      string         `json:"form"` // a hash of data, settings and sampling
	Replicate uint64         `json:"replicate"`
	Ranks     map[string]int `json:"ranks"`
}

// form returns a hash of data, settings and sampling, which identifies the simulation.
func (c calibration) form(t *testing.T) string {
	t.Helper()
	design, err := newModel(c.data, c.spec)
	if err != nil {
		t.Fatal(err)
	}
	h := fnv.New64a()
	for _, p := range design.parameters {
		fmt.Fprintln(h, p.name, p.support, p.prior)
	}
	fmt.Fprintln(h, design.spec, c.data, c.sampling.Chains, c.sampling.Warmup, c.sampling.Draws, c.sampling.Accept, c.thin)
	return strconv.FormatUint(h.Sum64(), 16)
}

// checkpoint resumes an earlier run from its file in the directory that the environment variable ASSAY_CALIBRATION
// names. Without the variable, nothing is stored.
func (c calibration) checkpoint(t *testing.T) *checkpoint {
	t.Helper()
	done := &checkpoint{known: map[uint64]map[string]int{}}
	dir := os.Getenv("ASSAY_CALIBRATION")
	if dir == "" || c.name == "" {
		return done
	}
	done.form = c.form(t)
	path := filepath.Join(dir, strings.ReplaceAll(c.name, " ", "_")+".jsonl")
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var one ranked
		if json.Unmarshal([]byte(line), &one) == nil && one.Form == done.form { // skip truncated lines
			done.known[one.Replicate] = one.Ranks
		}
	}
	if done.file, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = done.file.Close() })
	return done
}

func (k *checkpoint) add(t *testing.T, replicate uint64, ranks map[string]int) {
	t.Helper()
	if k.file == nil {
		return
	}
	line, err := json.Marshal(ranked{k.form, replicate, ranks})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.file.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
}

// logLikelihood returns the log density of the fitted rows under one draw, up to a constant.
func (p *Posterior) logLikelihood(theta []float64) float64 {
	m := p.model
	mu := m.fitted(m.newLocator().location(theta))
	noise := theta[m.noiseAt:m.pooledAt]
	return m.spec.Likelihood.logp(m.fitted(m.y), mu, noise, make([]float64, len(mu)), make([]float64, len(noise)))
}

// quantities returns the ranked quantities, one value per draw. They are every parameter, the channels' incremental
// outcomes and their marginal values, the channels' effects in the first geo, and the log likelihood. Returns and
// shares have the same ranks as incremental outcomes and marginal values.
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
		out[string(c.name)+".contribution"] = p.ContributionTotals(c.name)
		out[string(c.name)+".margin"] = p.slopes(c)
		if p.model.geos > 1 {
			out[string(c.name)+".first_geo"] = of(func(theta []float64) float64 { return theta[p.model.ofGeo(0)+1+i] })
		}
	}
	return out
}

// unevenness returns the quantity with the smallest p-value of a uniformity test, that p-value, the quantities with a
// p-value below 0.05, and the number of all quantities.
func (c calibration) unevenness(t *testing.T) (worst string, p float64, outside []string, quantities int) {
	t.Helper()
	ranks, most := c.ranks(t)
	p = 2
	for _, quantity := range slices.Sorted(maps.Keys(ranks)) {
		of := uniformP(ranks[quantity], most)
		if of < p {
			worst, p = quantity, of
		}
		if of < 0.05 {
			outside = append(outside, fmt.Sprintf("%s %.3f", quantity, of))
		}
	}
	return worst, p, outside, len(ranks)
}

// quick returns the calibration of a model with few parameters, which fits in milliseconds.
func quick(replicates int, build func(m *model) stats.Density) calibration {
	return calibration{
		data: toy(), replicates: replicates, build: build, thin: 5,
		spec:     Spec{Saturation: MichaelisMenten, Adstock: Adstock{Geometric, 2}, Trend: Trend{Kind: NoTrend}},
		sampling: hmc.Options{Chains: 2, Warmup: 100, Draws: 100, Accept: 0.9},
	}
}

// warped is a wrong density that omits the Jacobian of positive parameters.
type warped struct{ *density }

func (d warped) LogDensity(u, grad []float64) float64 {
	logp := d.density.LogDensity(u, grad)
	for i, p := range d.parameters {
		if p.support == positive { // other supports are improper without the Jacobian
			_, _, logJacobian, slope := p.support.constrain(u[i])
			logp -= logJacobian
			grad[i] -= slope
		}
	}
	return logp
}

// turned is a wrong density that changes the sign of one coordinate.
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

func TestSBCRanksAreUniformAndPlantedBugsAreDetected(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		replicates int
		build      func(m *model) stats.Density
		right      bool
	}{
		"as it is":          {50, nil, true},
		"without Jacobians": {70, func(m *model) stats.Density { return warped{m.newDensity()} }, false},
		"the control's sign turned": {35, func(m *model) stats.Density {
			return turned{m.newDensity(), slices.Index(m.parameterNames(), "price")}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			worst, p, _, quantities := quick(c.replicates, c.build).unevenness(t)
			t.Logf("least even: %s, p %.2g", worst, p)
			// A correct implementation fails for one seed in a thousand.
			if even := p > 1e-3/float64(quantities); even != c.right {
				t.Errorf("the least even ranks are those of %s with p %v: uniform %v, want %v", worst, p, even, c.right)
			}
		})
	}
}

// shortForms returns models with few parameters. Together, they use the likelihoods, effects, adstocks and saturations
// that the calibration of the full model does not use.
func shortForms() map[string]Spec {
	lifts := []Lift{{Channel: "social", X: 20, DeltaX: 30, Sigma: 50, DeltaY: 1}} // the simulation replaces DeltaY
	flat := Trend{Kind: NoTrend}
	return map[string]Spec{
		"coefficient": {Trend: flat, Adstock: Adstock{Geometric, 3}},
		"returns":     {Trend: flat, Adstock: Adstock{WeibullCDF, 3}, Saturation: Hill, Effect: ROI},
		"shares":      {Trend: flat, Adstock: Adstock{Immediately, 1}, Saturation: Root, Effect: Share},
		"alike":       {Trend: flat, Adstock: Adstock{Geometric, 2}, Saturation: CES, Effect: ROI, PoolEffects: true},
		"lift tests":  {Trend: flat, Adstock: Adstock{Binomial, 3}, Saturation: MichaelisMenten, Lifts: lifts},
		"student_t":   {Trend: flat, Adstock: Adstock{Delayed, 3}, Saturation: Tanh, Likelihood: StudentT},
		"log_normal":  {Trend: flat, Adstock: Adstock{WeibullPDF, 3}, Saturation: Log, Likelihood: LogNormal},
		"tests in geos": {Trend: flat, Adstock: Adstock{Immediately, 1}, Saturation: MichaelisMenten, Lifts: []Lift{
			{Channel: "search", X: 200, DeltaX: -200, Sigma: 150, DeltaY: 1},
			{Channel: "search", X: 100, DeltaX: 60, Sigma: 60, DeltaY: 1, Geo: "south"},
		}},
		"holidays": {Trend: flat, Adstock: Adstock{Immediately, 1}, Saturation: MichaelisMenten},
	}
}

func TestRanksAreUniformInEveryForm(t *testing.T) {
	t.Parallel()
	replicates := 10 // this small number detects only large errors
	if os.Getenv("ASSAY_NIGHTLY") == "1" {
		replicates = 50
	}
	for name, spec := range shortForms() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := quick(replicates, nil)
			c.spec = spec
			switch name {
			case "holidays":
				c.data = festive()
			case "tests in geos":
				c.data = spot()
			}
			worst, p, _, quantities := c.unevenness(t)
			t.Logf("%d quantities, least even: %s, p %.2g", quantities, worst, p)
			if p < 1e-3/float64(quantities) {
				t.Errorf("ranks of %s are not uniform: p %v", worst, p)
			}
		})
	}
}

// pairs returns two years of weekly data with two channels and a price.
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

// spot returns data of three small towns.
func spot() Data {
	d := toyGeos()
	d.Media = d.Media[:1]
	return d
}

// The long run has a thousand replicates of each national model and a hundred of a geo model. It takes hours and
// resumes from the directory in ASSAY_CALIBRATION.
func TestPosteriorIsCalibrated(t *testing.T) {
	t.Parallel()
	if os.Getenv("ASSAY_NIGHTLY") != "1" {
		t.Skip("some thousands of fits; set ASSAY_NIGHTLY=1 to run them")
	}
	// Sigma is a twentieth of the largest weekly target.
	lifts := []Lift{{Channel: measure.Channel("social"), X: 20, DeltaX: 30, Sigma: 50, DeltaY: 1}}
	sampling := hmc.Options{Chains: 2, Warmup: 300, Draws: 500, Accept: 0.95}
	// These settings are from package mix.
	served := Spec{Effect: ROI, Saturation: CES, Adstock: Adstock{Geometric, 5}, Yearly: 3, PoolEffects: true}
	apart := Spec{Effect: ROI, Adstock: Adstock{Geometric, 5}, Yearly: 3, Priors: map[string]Prior{
		"lam": {GammaPrior, 2, 1},
	}}
	for name, c := range map[string]calibration{
		"served":      {data: pairs(), spec: served},
		"apart":       {data: pairs(), spec: apart},
		"coefficient": {data: pairs(), spec: Spec{Yearly: 2}},
		"returns":     {data: pairs(), spec: Spec{Effect: ROI, Saturation: Hill, Yearly: 1}},
		"lift tests":  {data: pairs(), spec: Spec{Saturation: MichaelisMenten, Lifts: lifts}},
		"student_t":   {data: pairs(), spec: Spec{Likelihood: StudentT, Saturation: MichaelisMenten}},
		"log_normal":  {data: pairs(), spec: Spec{Likelihood: LogNormal, Yearly: 1}},
		"geos":        {data: spot(), spec: Spec{Saturation: MichaelisMenten, Trend: Trend{Kind: NoTrend}}, replicates: 100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.name, c.sampling, c.thin = name, sampling, 10
			if c.replicates == 0 {
				c.replicates = 1000
			}
			worst, p, outside, quantities := c.unevenness(t)
			t.Logf("%d quantities, outside their 95%% band: %v; least even: %s, p %.2g", quantities, outside, worst, p)
			if p < 1e-3/float64(quantities) {
				t.Errorf("ranks of %s are not uniform: p %v", worst, p)
			}
		})
	}
}
