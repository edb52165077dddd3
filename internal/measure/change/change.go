// Package change splits the change of a sum or of a product into parts that add up to it exactly.
//
// A sum changes by the changes of its summands. A product is split by the logarithmic mean Divisia index, LMDI-I. See
// Ang 2004, "Decomposition analysis for policymaking in energy", Energy Policy 32:1131-1139; Ang 2005, "The LMDI
// approach to decomposition analysis: a practical guide", Energy Policy 33:867-871. The parts do not identify causes.
package change

import (
	"cmp"
	"math"
	"slices"
)

// Part is a named part of a change, in minor units.
type Part struct {
	Name   string
	Change int64
}

// Factors splits the change of a product into one part per factor. With V0 and V1 the products before and after, and
// positive factors, the part of factor k is
//
//	L(V1, V0) ln(after_k / before_k),  L(a, b) = (a - b) / ln(a / b),  L(a, a) = a.
//
// The parts add up to V1 - V0, and exchanging before and after changes only their signs. Logarithms of zero and of
// negative factors do not exist. With such a factor, the parts are Shapley values. A part is then the mean change of
// the product when the factor changes, over all sequences in which the factors may change. See Sun 1998, "Changes in
// energy consumption and energy intensity", Energy Economics 20:85-100. For two factors x and y, the parts are
// Δx(y0+y1)/2 and Δy(x0+x1)/2. The slices have the same length, at most 16, and contain finite numbers.
func Factors(before, after []float64) []float64 {
	for k := range before {
		if before[k] <= 0 || after[k] <= 0 {
			return shapley(before, after)
		}
	}
	mean := LogMean(product(after), product(before))
	parts := make([]float64, len(before))
	for k := range parts {
		parts[k] = mean * math.Log(after[k]/before[k])
	}
	return parts
}

// LogMean returns the logarithmic mean of two positive numbers.
func LogMean(a, b float64) float64 {
	ratio := math.Log(a / b)
	if math.Abs(ratio) < 1e-6 {
		return math.Sqrt(a*b) * (1 + ratio*ratio/24) // series of the quotient below, which loses all digits here
	}
	return (a - b) / ratio
}

func product(factors []float64) float64 {
	p := 1.0
	for _, f := range factors {
		p *= f
	}
	return p
}

// shapley returns each factor's Shapley value: the weighted mean of its effect over the sets of factors that change
// before it.
func shapley(before, after []float64) []float64 {
	n := len(before)
	parts := make([]float64, n)
	for set := range 1 << n {
		rest, changed := make([]float64, n), 0
		for k := range n {
			rest[k] = before[k]
			if set>>k&1 == 1 {
				rest[k] = after[k]
				changed++
			}
		}
		for k := range n {
			if set>>k&1 == 1 {
				continue
			}
			rest[k] = 1
			parts[k] += weight(changed, n) * (after[k] - before[k]) * product(rest)
			rest[k] = before[k]
		}
	}
	return parts
}

// weight returns the weight of a set of factors in the Shapley value of another factor. It is the share of the
// permutations of n factors in which the set comes first and the given factor comes next. The parameter some is the
// size of the set.
func weight(some, n int) float64 {
	share := 1 / float64(n)
	for k := range some {
		share *= float64(k+1) / float64(n-1-k)
	}
	return share
}

// Rounded rounds parts to minor units that add up to total, by largest remainder. Each part is rounded down, and the
// remaining units go to the largest fractions. Of equal fractions, the earlier part comes first. Before rounding, the
// parts must add up to the total, except for rounding errors. Rounded returns nil if a part is larger than 2^53,
// because such a part is not exact to the unit.
func Rounded(total int64, parts []float64) []int64 {
	whole, order := make([]int64, len(parts)), make([]int, len(parts))
	left := total
	for i, p := range parts {
		if !(math.Abs(p) <= 1<<53) { // not a number, or too large
			return nil
		}
		whole[i], order[i] = int64(math.Floor(p)), i
		left -= whole[i]
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(parts[b]-math.Floor(parts[b]), parts[a]-math.Floor(parts[a]))
	})
	if n := int64(len(parts)); n > 0 { // only rounding errors of large parts exceed one unit per part
		for i := range whole {
			whole[i] += left / n
		}
		left %= n
	}
	for i := 0; left != 0 && len(parts) > 0; i++ {
		if left > 0 {
			whole[order[i]]++
			left--
		} else {
			whole[order[len(order)-1-i]]--
			left++
		}
	}
	return whole
}

// Groups returns the change of each group of a sum, largest first. A group may be absent before or after. Groups
// without a change are omitted.
func Groups[K ~string](before, after map[K]int64) []Part {
	var parts []Part
	for name, now := range after {
		if now != before[name] {
			parts = append(parts, Part{string(name), now - before[name]})
		}
	}
	for name, was := range before {
		if _, stays := after[name]; !stays && was != 0 {
			parts = append(parts, Part{string(name), -was})
		}
	}
	Sort(parts)
	return parts
}

// Sort orders parts by size, and parts of equal size by name.
func Sort(parts []Part) {
	slices.SortFunc(parts, func(a, b Part) int {
		return cmp.Or(cmp.Compare(size(b), size(a)), cmp.Compare(a.Name, b.Name))
	})
}

func size(p Part) int64 {
	if p.Change < 0 {
		return -p.Change
	}
	return p.Change
}

// Sum returns the sum of parts.
func Sum(parts []Part) (sum int64) {
	for _, p := range parts {
		sum += p.Change
	}
	return sum
}

// Top returns the first n parts and one part with the given name for the remainder of total. The remainder is absent if
// it is zero.
func Top(parts []Part, n int, total int64, rest string) []Part {
	top := slices.Clone(parts[:min(n, len(parts))])
	if left := total - Sum(top); left != 0 {
		top = append(top, Part{rest, left})
	}
	return top
}

// Along returns the parts that have the same sign as the total, in their order.
func Along(parts []Part, total int64) []Part {
	return slices.DeleteFunc(slices.Clone(parts), func(p Part) bool { return p.Change == 0 || (p.Change > 0) != (total > 0) })
}

// Step returns the first position after the largest step of a series: the split into two levels with the smallest sum
// of squares. It returns 0 for a constant series and for a series of fewer than two values.
func Step(values []float64) int {
	var sum, head float64
	for _, v := range values {
		sum += v
	}
	best, at := 0.0, 0
	for i := 1; i < len(values); i++ {
		head += values[i-1]
		n, m := float64(i), float64(len(values)-i)
		gap := head/n - (sum-head)/m
		if between := gap * gap * n * m; between > best*(1+1e-9) {
			best, at = between, i
		}
	}
	return at
}
