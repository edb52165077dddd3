package mmm

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/decide"
)

// If spend is scaled equally in all geos, the geos' responses sum to the channel's response.
func TestResponsesOfGeosSumToTheChannels(t *testing.T) {
	t.Parallel()
	reached := toyGeos()
	reached.Media[0].Frequency = series(reached.rows(), func(t int) float64 { return 1 + float64(t%5) })
	for _, data := range []Data{toyGeos(), reached} {
		p := fromPrior(t, data, Spec{Saturation: MichaelisMenten, TimeVarying: 9}, 12)
		problem, err := p.GeoProblem(1000, decide.Aggressive, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(problem.Channels) != 2*3 || problem.Channels[1].Name != "search[south]" {
			t.Fatalf("%d channels, the second is %s", len(problem.Channels), problem.Channels[1].Name)
		}
		for i, name := range p.Channels() {
			var spend float64
			want := p.Responses(name, []float64{1.3})[0]
			got := make([]float64, len(want))
			for _, c := range problem.Channels[3*i : 3*i+3] {
				spend += c.Current
				floats.Add(got, c.Response.At(1.3*c.Current))
			}
			if !near(spend, p.Spend(name), 1e-12) {
				t.Errorf("%s spends %v in geos and %v in all", name, spend, p.Spend(name))
			}
			for d := range want {
				// Cubic interpolation between 17 grid points has an error of about 1e-6.
				if math.Abs(got[d]-want[d]) > 1e-4*math.Abs(want[d]) {
					t.Errorf("%s, draw %d: geos bring %v, the channel %v", name, d, got[d], want[d])
				}
			}
		}
	}
}

func TestInvalidBudgetsByGeoAreRejected(t *testing.T) {
	t.Parallel()
	if _, err := fromPrior(t, wide(), Spec{}, 8).GeoProblem(1, decide.Balanced, nil); fault.KindOf(
		err) != fault.KindInvalid || !strings.Contains(err.Error(), "needs a model with geos") {
		t.Errorf("a model without geos: %v", err)
	}
	bounds := map[measure.Channel]Bounds{"search": {Min: new(1.0)}}
	_, err := fromPrior(t, toyGeos(), Spec{}, 8).GeoProblem(1, decide.Balanced, bounds)
	if text, hint, _ := fault.Public(err); !strings.Contains(text, `bounds for "search"`) ||
		!strings.Contains(hint, "search[north]") {
		t.Errorf("bounds of a whole channel: %v", err)
	}
}
