package forecast

import "testing"

// The OWA of Auto is at most 3% above the best model of the pool on each set. Auto also meets the goals: OWA 0.60 on M4
// hourly, OWA 0.77 on M4 weekly, and sMAPE 13.6 on M3 monthly. By default, a part of each set is tested, with a larger
// tolerance for the smaller number of series.
func TestAutoIsNearItsBestModel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file                string
		season, scale, skip int
		owa, smape          float64
	}{
		{"m4_hourly_part.csv", 24, 24, 18, .60, 100},
		{"m4_weekly.csv", 52, 1, 15, .77, 100},
		{"m3_monthly.csv", 12, 12, 40, .9, 13.6},
	} {
		series, room := readCompetition(t, c.file), 1.
		if !nightly() {
			series, room = every(c.skip, series), 1.1
		}
		deseasonalized := c.season
		if c.scale == 1 {
			deseasonalized = 1
		}
		naive2 := accuracy(t, series, c.scale, func(v []float64, h int) []float64 {
			return ahead(classical(v, deseasonalized, func(v []float64) track { return naive(v, 1) }), h)
		})
		of := func(kind Kind) figures {
			got := accuracy(t, series, c.scale, func(v []float64, h int) []float64 {
				return predicted(t, v, Ask{Horizon: h, Season: c.season, Model: kind}).Points
			})
			t.Logf("%s, %d series, %s: sMAPE %.3f, MASE %.3f, OWA %.3f", c.file, len(series), kind, got.smape, got.mase, got.owa(naive2))
			return got
		}
		got := of(Auto)
		if got.owa(naive2) > room*c.owa || nightly() && got.smape > c.smape {
			t.Errorf("%s: OWA %.3f and sMAPE %.3f, want at most %v and %v", c.file, got.owa(naive2), got.smape, room*c.owa, c.smape)
		}
		for _, kind := range []Kind{ETS, ARIMA, Theta, Pool} {
			if m := of(kind); got.owa(naive2) > 1.03*room*m.owa(naive2) {
				t.Errorf("%s: OWA %.3f, %s has %.3f", c.file, got.owa(naive2), kind, m.owa(naive2))
			}
		}
	}
}
