package attribution_test

import (
	"math/rand/v2"
	"testing"

	"assay/internal/measure"
	"assay/internal/measure/attribution"
)

// million returns a million paths of one to eleven touchpoints in thirty channels.
func million(b *testing.B) []attribution.Path {
	b.Helper()
	names := make([]measure.Channel, 30)
	for i := range names {
		names[i] = measure.Channel([]rune{'c', 'h', 'a', 'n', rune('a' + i/26), rune('a' + i%26)})
	}
	r := rand.New(rand.NewPCG(1, 2))
	list := make([]attribution.Path, 1_000_000)
	for i := range list {
		touches := make([]measure.Channel, 1+r.IntN(11))
		for k := range touches {
			touches[k] = names[int(30*r.Float64()*r.Float64())]
		}
		list[i] = attribution.Path{Channels: touches, Nulls: float64(r.IntN(5)), Conversions: 1, Value: r.Int64N(20_000)}
	}
	return list
}

func BenchmarkAddingAMillionPaths(b *testing.B) {
	list := million(b)
	for b.Loop() {
		pathsOf(b, list...)
	}
}

func BenchmarkModelsOnAMillionPaths(b *testing.B) {
	paths := pathsOf(b, million(b)...)
	for _, m := range attribution.Models() {
		b.Run(string(m), func(b *testing.B) {
			for b.Loop() {
				attribute(b, paths, m)
			}
		})
	}
}
