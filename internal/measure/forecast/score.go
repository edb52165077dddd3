package forecast

import (
	"assay/internal/fault"
)

// Pinball returns the mean pinball loss of forecasts of the p-quantile (Koenker and Bassett 1978, "Regression
// quantiles"). The loss is p times the excess of the value over the forecast, or (1 - p) times the shortfall. The true
// quantile minimizes the expected loss.
func Pinball(p float64, actual, quantiles []float64) (float64, error) {
	if !(p > 0 && p < 1) {
		return 0, fault.Invalid("the quantile is %v, want a fraction between 0 and 1", p)
	}
	if len(actual) != len(quantiles) || len(actual) == 0 {
		return 0, fault.Invalid("%d values to compare with %d quantiles", len(actual), len(quantiles))
	}
	var sum float64
	for i, y := range actual {
		d := y - quantiles[i]
		sum += max(p*d, (p-1)*d)
	}
	return sum / float64(len(actual)), nil
}
