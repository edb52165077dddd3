package mmm

import (
	"fmt"
	"testing"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/measure/stats"
)

// wide returns data of 208 weeks and ten channels.
func wide() Data {
	random := stats.Stream(21, 0)
	d := Data{Media: make([]Media, 10)}
	for t := range 208 {
		d.Dates = append(d.Dates, civil.New(2021, 1, 4).AddDays(7*t))
		d.Target = append(d.Target, 1000+100*random.NormFloat64())
		for i := range d.Media {
			d.Media[i].Channel = measure.Channel(fmt.Sprintf("channel%d", i))
			d.Media[i].Exposure = append(d.Media[i].Exposure, 100*random.Float64())
		}
	}
	return d
}

func BenchmarkGradient(b *testing.B) {
	for _, s := range []Saturation{Logistic, MichaelisMenten, Hill, CES} {
		b.Run("208x10/"+string(s), func(b *testing.B) {
			m, err := newModel(wide(), Spec{Saturation: s, Yearly: 2})
			if err != nil {
				b.Fatal(err)
			}
			d := m.newDensity()
			u, grad := make([]float64, d.Dim()), make([]float64, d.Dim())
			for b.Loop() {
				d.LogDensity(u, grad)
			}
		})
	}
}

// regions returns data of 40 geos, 156 weeks and five channels.
func regions() Data {
	random := stats.Stream(22, 0)
	d := Data{Media: make([]Media, 5)}
	for t := range 156 {
		d.Dates = append(d.Dates, civil.New(2021, 1, 4).AddDays(7*t))
	}
	for g := range 40 {
		d.Geos = append(d.Geos, Geo{Name: fmt.Sprintf("geo%d", g), Population: 1000 * (1 + random.Float64())})
		for range d.Dates {
			d.Target = append(d.Target, d.Geos[g].Population*(10+random.NormFloat64()))
			for i := range d.Media {
				d.Media[i].Channel = measure.Channel(fmt.Sprintf("channel%d", i))
				d.Media[i].Exposure = append(d.Media[i].Exposure, d.Geos[g].Population*random.Float64())
			}
		}
	}
	return d
}

func BenchmarkGeoGradient(b *testing.B) {
	for _, s := range []Saturation{Logistic, MichaelisMenten, Hill, CES} {
		b.Run("40x156x5/"+string(s), func(b *testing.B) {
			m, err := newModel(regions(), Spec{Saturation: s, Yearly: 2, Trend: Trend{KnotTrend, 26}})
			if err != nil {
				b.Fatal(err)
			}
			d := m.newDensity()
			u, grad := make([]float64, d.Dim()), make([]float64, d.Dim())
			for b.Loop() {
				d.LogDensity(u, grad)
			}
		})
	}
}
