package stats

import (
	"math"
	"slices"
)

// Every summary sorts thousands of draws. In a comparison sort, the processor mispredicts half of the branches. The
// radix sort by digits, lowest first (Knuth, The Art of Computer Programming 3, 5.2.5), has no data-dependent branches.
const (
	digitBits = 11
	digits    = (64 + digitBits - 1) / digitBits
	fewToSort = 400 // for fewer values, a comparison sort is as fast
)

// Sort sorts values in increasing order. NaN is not allowed.
func Sort(values []float64) {
	n := len(values)
	if n < fewToSort {
		slices.Sort(values)
		return
	}
	room := make([]uint64, 2*n)
	keys, sorted := room[:n], room[n:]
	var counts [digits][1 << digitBits]uint32
	for i, v := range values {
		key := sortable(v)
		keys[i] = key
		for d := range counts {
			counts[d][key>>(d*digitBits)&(1<<digitBits-1)]++
		}
	}
	for d := range counts {
		count, shift := &counts[d], d*digitBits
		if count[keys[0]>>shift&(1<<digitBits-1)] == uint32(n) {
			continue // all values have this digit in common
		}
		var from uint32
		for i, c := range count {
			count[i] = from
			from += c
		}
		for _, key := range keys {
			at := &count[key>>shift&(1<<digitBits-1)]
			sorted[*at] = key
			*at++
		}
		keys, sorted = sorted, keys
	}
	for i, key := range keys {
		values[i] = unsortable(key)
	}
}

// sortable returns bits that sort in the order of the values. It inverts all bits of negative values and the sign bit
// of other values.
func sortable(v float64) uint64 {
	bits := math.Float64bits(v)
	return bits ^ (uint64(int64(bits)>>63) | 1<<63)
}

// unsortable returns the value of [sortable] bits.
func unsortable(bits uint64) float64 {
	return math.Float64frombits(bits ^ (uint64(int64(^bits)>>63) | 1<<63))
}
