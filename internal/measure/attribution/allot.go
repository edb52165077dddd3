package attribution

import (
	"cmp"
	"math"
	"slices"

	"assay/internal/fault"
)

// Allot splits a total of whole units by weights. The parts add up to the total exactly (largest remainder method).
// Each part is its exact share rounded down; the remaining units go to the largest fractions. Fractions that agree to
// nine decimals are treated as equal, and the earlier part gets the unit. Rounding errors therefore have no effect. A
// part differs from its exact share by at most one unit.
//
// The total is between 0 and 2^53. Weights are finite and not negative. If all weights are zero, the total must be zero
// too.
func Allot(total int64, weights []float64) ([]int64, error) {
	if total < 0 || total > maxTotal {
		return nil, fault.Invalid("total %d cannot be allotted, want 0 to %d", total, int64(maxTotal))
	}
	var sum float64
	for i, w := range weights {
		if !isCount(w) {
			return nil, fault.Invalid("weight %d is %v, want a number of at least 0", i, w)
		}
		sum += w
	}
	if total == 0 {
		return make([]int64, len(weights)), nil
	}
	if sum <= 0 || math.IsInf(sum, 1) {
		return nil, fault.Invalid("weights with the total %v cannot share %d", sum, total)
	}
	return largestRemainders(total, weights, sum), nil
}

func largestRemainders(total int64, weights []float64, sum float64) []int64 {
	type part struct {
		at        int
		remainder int64 // fraction of the exact share, in billionths
	}
	parts := make([]part, 0, len(weights))
	whole := make([]int64, len(weights))
	left := total
	for i, w := range weights {
		if w == 0 {
			continue
		}
		share := float64(total) * (w / sum)
		floor := math.Floor(share)
		whole[i] = int64(floor)
		left -= whole[i]
		parts = append(parts, part{i, int64(math.Round((share - floor) * 1e9))})
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.remainder, a.remainder) })
	for i := 0; left > 0; i = (i + 1) % len(parts) {
		whole[parts[i].at]++
		left--
	}
	// Near 2^53, a rounded share can exceed the exact share. In that case, the parts with the smallest fractions lose
	// units.
	for i := len(parts) - 1; left < 0; i = (i + len(parts) - 1) % len(parts) {
		if whole[parts[i].at] > 0 {
			whole[parts[i].at]--
			left++
		}
	}
	return whole
}
