package mmm

import (
	"math"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"assay/internal/measure/stats"
)

// shown returns two years of weekly data in which video has varying frequency. The effect per impression is largest at the
// frequency kappa (slope - 1)^(1 / slope) = 0.4 of the largest frequency.
func shown() (d Data, total float64) {
	const weeks, most, kappa, slope = 104, 8, 0.4, 2.0
	random := stats.Stream(41, 0)
	plant, _ := planted(41)
	d = Data{Dates: plant.Dates[:weeks]}
	video := Media{Channel: "video", Spend: slices.Repeat([]float64{100}, weeks)}
	for range weeks {
		video.Exposure = append(video.Exposure, 1000*random.Float64())
		video.Frequency = append(video.Frequency, 1+(most-1)*random.Float64())
	}
	k := Adstock{Geometric, 8}.newKernel()
	Adstock{Geometric, 8}.weights(k, []float64{0.3})
	response := make([]float64, weeks)
	for t := range response {
		s, _, _ := Hill.value(video.Frequency[t]/slices.Max(video.Frequency), []float64{kappa, slope})
		response[t] = 5 * video.Exposure[t] * s
	}
	carried := make([]float64, weeks)
	k.spread(carried, response)
	d.Media = []Media{video}
	d.Target = series(weeks, func(t int) float64 { return 8000 + carried[t] + 100*random.NormFloat64() })
	return d, floats.Sum(carried)
}

func TestReachAndFrequencyAreSeparated(t *testing.T) {
	t.Parallel()
	d, total := shown()
	s := Spec{Saturation: Hill, Trend: Trend{Kind: NoTrend}, Priors: map[string]Prior{"slope": {LogNormalPrior, 0.3, 0.5}}}
	p := reportable(t, d, s, Sampling{Seed: 1, Warmup: 500, Draws: 500})
	e := p.Effects()[0]
	if e.Contribution.Q05 > total || e.Contribution.Q95 < total {
		t.Errorf("contribution %v to %v misses %v", e.Contribution.Q05, e.Contribution.Q95, total)
	}
	f := p.BestFrequency("video")
	// The effect per impression s(f) / f is largest at kappa (slope - 1)^(1/slope) = 0.4 of the largest frequency.
	want := 0.4 * slices.Max(d.Media[0].Frequency)
	if f.Best.Q05 > want || f.Best.Q95 < want || f.Best.Q95-f.Best.Q05 > 3 {
		t.Errorf("best frequency %v to %v, want around %v", f.Best.Q05, f.Best.Q95, want)
	}
	if f.Mean < 3 || f.Mean > 6 || len(f.Points) != frequencySteps+1 {
		t.Errorf("mean frequency %v, %d points", f.Mean, len(f.Points))
	}
	m, err := newModel(toy(), Spec{})
	if err != nil {
		t.Fatal(err)
	}
	if (&Posterior{model: m}).BestFrequency("search") != nil {
		t.Error("a channel without frequency has a best one")
	}
}

func TestTimeVaryingEffectIsRecovered(t *testing.T) {
	t.Parallel()
	if os.Getenv("ASSAY_NIGHTLY") != "1" {
		t.Skip("two fits of three years; set ASSAY_NIGHTLY=1 to run them")
	}
	const weeks = 156
	random := stats.Stream(42, 0)
	plant, _ := planted(1)
	d := Data{Media: []Media{{Channel: "tv"}}}
	truth := series(weeks, func(t int) float64 { return math.Exp(0.4 * math.Sin(2*math.Pi*float64(t)/weeks)) })
	for t := range weeks {
		d.Dates = append(d.Dates, plant.Dates[0].AddDays(7*t))
		x := 100 * random.Float64()
		d.Media[0].Exposure = append(d.Media[0].Exposure, x)
		d.Target = append(d.Target, 1000+8*truth[t]*x/(1+x/100)+15*random.NormFloat64())
	}
	s := Spec{Saturation: MichaelisMenten, Adstock: Adstock{Immediately, 1}, Trend: Trend{Kind: NoTrend}}
	how := Sampling{Seed: 1, Warmup: 400, Draws: 400}
	constant := reportable(t, d, s, how)
	s.TimeVarying = 39
	varying := reportable(t, d, s, how)
	mean, _ := stats.MeanSD(truth)
	inside := 0
	for i, m := range varying.Multiples("tv") {
		if v := truth[i] / mean; m.Q05 <= v && v <= m.Q95 {
			inside++
		}
	}
	// Neighboring weeks are correlated, so this comparison does not test whether coverage is nominal.
	if inside < weeks*7/10 {
		t.Errorf("%d of %d weeks have their true multiple in its 90%% interval", inside, weeks)
	}
	if a, b := varying.LeaveOneOut().ELPD, constant.LeaveOneOut().ELPD; a < b+20 {
		t.Errorf("log score %v with changes, %v without", a, b)
	}
	if constant.Multiples("tv") != nil {
		t.Error("a constant effect has multiples")
	}
}
