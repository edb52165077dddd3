package hmc_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"assay/internal/measure/stats"
	"assay/internal/measure/stats/diag"
	"assay/internal/measure/stats/hmc"
)

// posterior is a posterior of posteriordb: a density and the parameters to compare.
type posterior struct {
	name, data string
	model      func(data map[string]json.RawMessage) target
	accept     float64
	// divergent is the allowed share of divergent transitions. The reference sampler also has some.
	divergent float64
}

// target is a density with named functions of its unconstrained parameters. The density has no scratch space.
type target struct {
	density stats.Density
	names   []string
	values  func(x []float64) []float64
}

func posteriors() []posterior {
	return []posterior{
		{"eight_schools-eight_schools_noncentered", "eight_schools", eightSchools, 0.95, 0.001},
		{"sblrc-blr", "sblrc", blr, 0, 0},
		{"sblri-blr", "sblri", blr, 0, 0},
		{"arma-arma11", "arma", arma11, 0.9, 0},
		{"garch-garch11", "garch", garch11, 0.95, 0},
		{"kilpisjarvi_mod-kilpisjarvi", "kilpisjarvi_mod", kilpisjarvi, 0, 0},
		{"low_dim_gauss_mix-low_dim_gauss_mix", "low_dim_gauss_mix", gaussMix, 0, 0},
		{"gp_pois_regr-gp_regr", "gp_pois_regr", gpRegression, 0, 0},
		{"earnings-logearn_interaction", "earnings", earnings, 0, 0},
		{"nes1980-nes", "nes1980", nes, 0, 0},
		{"diamonds-diamonds", "diamonds", diamonds, 0, 0},
	}
}

// shared is the directory of the reference posteriors next to the repository.
const shared = "../../../../../shared/data/posteriordb"

func TestReferencePosteriorsAreReproduced(t *testing.T) {
	t.Parallel()
	for _, p := range posteriors() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			o := hmc.Options{Seed: 1, Accept: p.accept, Warmup: 500, Draws: 1000}
			if nightly() {
				o.Warmup, o.Draws = 1000, 10000
			}
			tgt := load(t, p)
			run, err := hmc.Sample(func() stats.Density { return tgt.density }, o)
			if err != nil {
				t.Fatal(err)
			}
			all := float64(o.Draws * len(run.Chains))
			if d := float64(run.Divergences()); d > p.divergent*all {
				t.Errorf("%v divergences in %v draws", d, all)
			}
			for _, complaint := range compare(t, p, tgt, run) {
				t.Error(complaint)
			}
			t.Logf("%d gradients", run.Gradients())
		})
	}
}

func nightly() bool { return os.Getenv("ASSAY_NIGHTLY") == "1" }

func load(t *testing.T, p posterior) target {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(shared, p.data+".data.json"))
	if err != nil {
		t.Skipf("the reference posteriors are not beside this project: %v", err)
	}
	var data map[string]json.RawMessage
	if err := json.Unmarshal(text, &data); err != nil {
		t.Fatal(err)
	}
	return p.model(data)
}

// reference is the published posterior of one parameter, from 10,000 draws.
type reference struct{ mean, meanSquare, mcse float64 }

func references(t *testing.T, p posterior) map[string]reference {
	t.Helper()
	file, err := os.Open(filepath.Join(shared, p.name+".reference.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := func(row []string, name string) float64 {
		v, err := strconv.ParseFloat(row[slices.Index(rows[0], name)], 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	out := map[string]reference{}
	for _, row := range rows[1:] {
		out[row[0]] = reference{at(row, "mean"), at(row, "mean_sq"), at(row, "mcse_mean")}
	}
	return out
}

// compare returns disagreements. It reports draws that did not mix. It also reports means of parameters or squares that
// differ from the reference by more than 4 standard errors of both. By chance, one comparison in 16,000 fails.
func compare(t *testing.T, p posterior, tgt target, run *hmc.Run) (complaints []string) {
	t.Helper()
	want := references(t, p)
	if len(want) != len(tgt.names) {
		t.Fatalf("the reference has %d parameters, the model %d", len(want), len(tgt.names))
	}
	for i, name := range tgt.names {
		ref := want[name]
		theta := run.Values(func(x []float64) float64 { return tgt.values(x)[i] })
		square := run.Values(func(x []float64) float64 { v := tgt.values(x)[i]; return v * v })
		_, sdSquare := stats.MeanSD(slices.Concat(square...))
		for _, c := range []struct {
			name       string
			draws      [][]float64
			want, mcse float64
		}{
			{name, theta, ref.mean, ref.mcse},
			{name + "^2", square, ref.meanSquare, sdSquare / math.Sqrt(10000)},
		} {
			got, _ := stats.MeanSD(slices.Concat(c.draws...))
			z := (got - c.want) / math.Hypot(standardError(c.draws), c.mcse)
			if !(math.Abs(z) < 4) {
				complaints = append(
					complaints, fmt.Sprintf("mean of %s: got %v, want %v, %.1f standard errors off", c.name, got, c.want, z))
			}
		}
		if q := diag.Of(theta); !(q.RHat < 1.01) || !(math.Min(q.ESSBulk, q.ESSTail) > 400) {
			complaints = append(complaints, fmt.Sprintf("%s did not mix: %+v", name, q))
		}
	}
	return complaints
}

func TestGradientsOfReferencePosteriors(t *testing.T) {
	t.Parallel()
	for _, p := range posteriors() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			tgt := load(t, p)
			random := stats.Stream(2, 2)
			x, grad := make([]float64, tgt.density.Dim()), make([]float64, tgt.density.Dim())
			for i := range x {
				x[i] = random.Float64() - 0.5
			}
			tgt.density.LogDensity(x, grad)
			scratch := make([]float64, len(x))
			for i := range x {
				const h = 1e-5
				at := func(d float64) float64 {
					moved := slices.Clone(x)
					moved[i] += d
					return tgt.density.LogDensity(moved, scratch)
				}
				// want is a fourth-order finite difference. The log densities are up to 1e9 here, so rounding leaves an
				// error of 1e-6.
				want := (8*(at(h)-at(-h)) - (at(2*h) - at(-2*h))) / (12 * h)
				if math.Abs(grad[i]-want) > 1e-5*(1+math.Abs(want)) {
					t.Errorf("derivative %d: got %v, want %v", i, grad[i], want)
				}
			}
		})
	}
}

// flawed is a density with a planted bug.
type flawed struct {
	stats.Density
	slip func(x, grad []float64, logp float64) float64
}

func (f flawed) LogDensity(x, grad []float64) float64 {
	return f.slip(x, grad, f.Density.LogDensity(x, grad))
}

func TestTheComparisonDetectsAWrongDensity(t *testing.T) {
	t.Parallel()
	p := posteriors()[slices.IndexFunc(posteriors(), func(p posterior) bool { return p.data == "gp_pois_regr" })]
	slips := map[string]func(x, grad []float64, logp float64) float64{
		"none": func(_, _ []float64, logp float64) float64 { return logp },
		"a missing Jacobian": func(x, grad []float64, logp float64) float64 {
			grad[2]--
			return logp - x[2]
		},
		"a wrong sign in the gradient": func(_, grad []float64, logp float64) float64 {
			grad[1] = -grad[1]
			return logp
		},
	}
	for name, slip := range slips {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tgt := load(t, p)
			run, err := hmc.Sample(func() stats.Density { return flawed{tgt.density, slip} },
				hmc.Options{Seed: 1, Warmup: 300, Draws: 500, MaxDepth: 5})
			if err != nil {
				t.Fatal(err)
			}
			complaints := compare(t, p, tgt, run)
			if noticed := len(complaints) > 0; noticed != (name != "none") {
				t.Errorf("noticed: %v; complaints: %v", noticed, complaints)
			}
		})
	}
}
