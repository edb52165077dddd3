package decide

import "testing"

func BenchmarkOptimize(b *testing.B) {
	for name, risk := range map[string]Risk{"conservative": Conservative, "balanced": Balanced, "aggressive": Aggressive} {
		b.Run("10 channels, 4000 draws/"+name, func(b *testing.B) {
			p := uncertain(1, 4000, risk.Move)
			p.Risk = risk
			for b.Loop() {
				if _, err := Optimize(p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
