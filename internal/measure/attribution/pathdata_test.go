package attribution_test

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"assay/internal/measure"
	"assay/internal/measure/attribution"
)

// unit is the resolution of values in tests on PathData: eleven decimals, so that the sum stays below 2^53. The file
// has up to seventeen decimals. The last decimals are rounding errors.
const unit = 1e11

// pathData returns the data set PathData of the R package ChannelAttribution 2.2.4.
func pathData(t testing.TB) *attribution.Paths {
	t.Helper()
	file, err := os.Open("../../../../shared/data/attribution/channelattribution_pathdata.csv")
	if err != nil {
		t.Skip("the reference data of ChannelAttribution are not next to the project")
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var paths attribution.Paths
	for _, row := range rows[1:] {
		path := attribution.Path{Conversions: number(t, row[1]), Nulls: number(t, row[3])}
		path.Value = int64(math.Round(number(t, row[2]) * unit))
		for name := range strings.SplitSeq(row[0], " > ") {
			path.Channels = append(path.Channels, measure.Channel(name))
		}
		if err := paths.Add(path); err != nil {
			t.Fatal(err)
		}
	}
	return &paths
}

func number(t testing.TB, s string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// published contains the results of ChannelAttribution (R 4.2.2) for the rule-based models, to the printed digits. For
// the chain of order 1, it contains the linear-algebra solution of the absorbing chain and the package's simulation.
var published = []struct {
	channel                       measure.Channel
	first, last, linear           float64
	firstSum, lastSum, linearSum  float64
	effect, conversions, simulate float64
}{
	{
		"alpha", 6308, 8447, 7574.718593751, 19121.2723558, 28414.2142744, 24524.709568834, .5583994895, 5344.947682,
		.5580394,
	},
	{"beta", 2831, 989, 2083.500144589, 12235.5917444, 3850.0209873, 8954.266716608, .2640385357, 2527.352167, .2635891},
	{"delta", 1, 5, 1.725, 6.119, 10.972, 4.40405, .0004819958, 4.613618, .0004661},
	{"epsilon", 99, 531, 272.170437720, 412.3012429, 2202.6122893, 1106.270065267, .0626385823, 599.570650, .0630955},
	{"eta", 3164, 4167, 3539.951157101, 11909.4762130, 16754.2038001, 13783.497050920, .3490263319, 3340.847402, .3480624},
	{"gamma", 165, 92, 121.041639020, 718.9779918, 506.0139918, 569.417357891, .0178799744, 171.145443, .0180804},
	{
		"iota", 4606, 3355, 3857.096221018, 19597.2612770, 13487.9742714, 15988.988995024, .4058350045, 3884.614702,
		.4062145,
	},
	{"kappa", 74, 230, 137.964077922, 305.7432500, 1069.3842500, 599.747786255, .0286633867, 274.363256, .0282399},
	{"lambda", 902, 1207, 1035.257572286, 3735.6021649, 5249.9499854, 4430.316169428, .1340221228, 1282.847223, .1336541},
	{"mi", 2, 2, 2.222222222, 5.273, 5.273, 6.081444444, .0001799458, 1.722425, .0002115},
	{"theta", 1606, 653, 1022.801393904, 6652.3493474, 2799.0919876, 4295.743619487, .2060104628, 1971.912880, .2064458},
	{"zeta", 27, 107, 136.551540466, 103.0040000, 453.2607500, 539.528763053, .0398105178, 381.062553, .0398060},
}

func TestHeuristicsMatchThePackageToThePrintedDigits(t *testing.T) {
	t.Parallel()
	paths := pathData(t)
	for _, m := range []attribution.Model{attribution.First, attribution.Last, attribution.Linear} {
		result := attribute(t, paths, m)
		for i, p := range published {
			got := result.Credits[i]
			want, wantSum := p.first, p.firstSum
			switch m {
			case attribution.Last:
				want, wantSum = p.last, p.lastSum
			case attribution.Linear:
				want, wantSum = p.linear, p.linearSum
			default: // first touch
			}
			// The tolerance is half of the last printed digit: nine decimals of conversions, seven of most values.
			if got.Channel != p.channel || math.Abs(got.Conversions-want) > 1e-9 || math.Abs(got.Value/unit-wantSum) > 1e-7 {
				t.Errorf("%s %s: %.10f conversions, value %.10f; want %v, %v",
					m, got.Channel, got.Conversions, got.Value/unit, want, wantSum)
			}
		}
	}
}

func TestChainOfOrderOneMatchesLinearAlgebraAndTheSimulation(t *testing.T) {
	t.Parallel()
	paths := pathData(t)
	removals, err := attribution.RemovalEffects(paths, 1)
	if err != nil {
		t.Fatal(err)
	}
	if want := .22384513559686; math.Abs(removals.Conversion-want) > 1e-13 {
		t.Errorf("P(conversion) = %.15f, want %v", removals.Conversion, want)
	}
	result := attribute(t, paths, attribution.Markov1)
	for i, p := range published {
		got := removals.Effects[i]
		if math.Abs(got.Effect-p.effect) > 1e-10 || math.Abs(result.Credits[i].Conversions-p.conversions) > 1e-6 {
			t.Errorf("%s: effect %.12f, conversions %.8f; want %v, %v",
				got.Channel, got.Effect, result.Credits[i].Conversions, p.effect, p.conversions)
		}
		// The R package ChannelAttribution simulates a million journeys. The standard error of its largest effect is
		// about .0004.
		if math.Abs(got.Effect-p.simulate) > 3*.0004 {
			t.Errorf("%s: effect %.7f is far from the package's simulation %v", got.Channel, got.Effect, p.simulate)
		}
	}
}

func TestEveryModelConservesThePublishedTotals(t *testing.T) {
	t.Parallel()
	paths := pathData(t)
	for _, m := range attribution.Models() {
		conversions, whole := attribute(t, paths, m).Totals()
		if math.Abs(conversions-19785) > 1e-8 || whole != paths.Totals().Value {
			t.Errorf("%s: %v conversions and value %d, want 19785 and %d", m, conversions, whole, paths.Totals().Value)
		}
	}
	if got := float64(paths.Totals().Value) / unit; math.Abs(got-74802.97158721) > 1e-8 {
		t.Errorf("the values add up to %.10f, want 74802.97158721", got)
	}
}

func attribute(t testing.TB, paths *attribution.Paths, m attribution.Model) attribution.Result {
	t.Helper()
	result, err := attribution.Attribute(paths, m)
	if err != nil {
		t.Fatalf("%s: %v", m, err)
	}
	return result
}
