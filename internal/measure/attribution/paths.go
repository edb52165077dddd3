// Package attribution attributes conversions and their value to channels by touchpoints.
//
// Rule-based models divide the credit of each conversion path according to the position or age of its touchpoints.
// Markov chains and the Shapley value use all conversion paths together. Survey blending adjusts the credits of any
// model by survey answers. Every model conserves totals: credits and the unattributed remainder add up to the input, to
// the minor unit. Attribution does not measure causal effects; experiments do.
package attribution

import (
	"math"
	"slices"

	"assay/internal/fault"
	"assay/internal/measure"
)

// MaxChannels is the maximum number of distinct channels in [Paths].
const MaxChannels = 10_000

// maxTotal is the maximum sum of values. A float64 represents every whole number up to this maximum exactly.
const maxTotal = 1 << 53

// Path is a conversion path with the number and value of its conversions.
type Path struct {
	// Channels are the touchpoints, oldest first, including repeats. Without touchpoints, no channel gets credit.
	Channels []measure.Channel
	// AgeDays is the age of each touchpoint at the conversion, in days; nil if unknown.
	AgeDays []float64
	// Conversions is the number of times that the path ended with a conversion.
	Conversions float64
	// Value is the total value of the conversions, in minor units or a smaller unit.
	Value int64
	// Nulls is the number of journeys that ended without a conversion. Zero on every path means unknown.
	Nulls float64
}

// Paths stores conversion paths compactly: a million paths with thirty channels take about 60 MB. The zero value is
// ready to use. After the last [Paths.Add], Paths is safe for concurrent reads.
type Paths struct {
	names   []measure.Channel
	index   map[measure.Channel]uint16
	touches []uint16  // touchpoints of all paths, concatenated
	ages    []float64 // aligned with touches, NaN if unknown; nil while no age is known
	ends    []int     // ends[i] is the end of path i in touches

	conversions []float64
	values      []int64
	nulls       []float64
	totals      Totals
}

// Totals are the totals over all paths.
type Totals struct {
	Conversions float64
	Value       int64 // in the unit of [Path.Value]
	Nulls       float64
}

// Add appends a conversion path. It rejects negative and infinite numbers, empty channels, ages that do not match the
// touchpoints, and value without a conversion. The error names the index of the path and of the element. A rejected
// path changes nothing.
func (p *Paths) Add(path Path) error {
	if err := p.check(path); err != nil {
		return err
	}
	for i, name := range path.Channels {
		p.touches = append(p.touches, p.intern(name))
		p.addAge(path.AgeDays, i)
	}
	p.ends = append(p.ends, len(p.touches))
	p.conversions = append(p.conversions, path.Conversions)
	p.values = append(p.values, path.Value)
	p.nulls = append(p.nulls, path.Nulls)
	p.totals.Conversions += path.Conversions
	p.totals.Value += path.Value
	p.totals.Nulls += path.Nulls
	return nil
}

func (p *Paths) check(path Path) error {
	n := p.Len()
	if !isCount(path.Conversions) {
		return fault.Invalid("path %d: conversions is %v, want a number of at least 0", n, path.Conversions)
	}
	if !isCount(path.Nulls) {
		return fault.Invalid("path %d: nulls is %v, want a number of at least 0", n, path.Nulls)
	}
	if path.Value < 0 {
		return fault.Invalid("path %d: value is %d, want a number of at least 0", n, path.Value)
	}
	if path.Value > 0 && path.Conversions == 0 {
		return fault.Invalid("path %d: value is %d without a conversion", n, path.Value)
	}
	if path.Value > maxTotal-p.totals.Value {
		return fault.Invalid("path %d: the total of values exceeds %d", n, int64(maxTotal))
	}
	return p.checkTouches(path)
}

func (p *Paths) checkTouches(path Path) error {
	n := p.Len()
	if path.AgeDays != nil && len(path.AgeDays) != len(path.Channels) {
		return fault.Invalid("path %d: %d ages for %d touchpoints", n, len(path.AgeDays), len(path.Channels))
	}
	for i, age := range path.AgeDays {
		if !isCount(age) {
			return fault.Invalid("path %d: age of touchpoint %d is %v, want at least 0 days", n, i, age)
		}
	}
	for i, name := range path.Channels {
		if name == "" {
			return fault.Invalid("path %d: touchpoint %d has no channel", n, i)
		}
	}
	if len(p.names)+len(path.Channels) > MaxChannels && p.unknown(path.Channels) > MaxChannels-len(p.names) {
		return fault.Invalid("path %d: more than %d different channels", n, MaxChannels)
	}
	return nil
}

func (p *Paths) unknown(names []measure.Channel) int {
	found := map[measure.Channel]bool{}
	for _, name := range names {
		if _, ok := p.index[name]; !ok {
			found[name] = true
		}
	}
	return len(found)
}

func isCount(x float64) bool { return x >= 0 && !math.IsInf(x, 1) }

func (p *Paths) intern(name measure.Channel) uint16 {
	if i, ok := p.index[name]; ok {
		return i
	}
	if p.index == nil {
		p.index = map[measure.Channel]uint16{}
	}
	i := uint16(len(p.names))
	p.index[name] = i
	p.names = append(p.names, name)
	return i
}

// addAge stores the age of the last touchpoint. It allocates the slice of ages for the first path with ages.
func (p *Paths) addAge(ages []float64, i int) {
	if ages == nil && p.ages == nil {
		return
	}
	for len(p.ages) < len(p.touches)-1 {
		p.ages = append(p.ages, math.NaN())
	}
	age := math.NaN()
	if ages != nil {
		age = ages[i]
	}
	p.ages = append(p.ages, age)
}

// Len returns the number of paths.
func (p *Paths) Len() int { return len(p.ends) }

// Totals returns the totals over all paths.
func (p *Paths) Totals() Totals { return p.totals }

// Channels returns all channels, sorted.
func (p *Paths) Channels() []measure.Channel {
	names := slices.Clone(p.names)
	slices.Sort(names)
	return names
}

// touchesOf returns the touchpoints of path i and their ages. Unknown ages are nil.
func (p *Paths) touchesOf(i int) (touches []uint16, ages []float64) {
	from := 0
	if i > 0 {
		from = p.ends[i-1]
	}
	touches = p.touches[from:p.ends[i]]
	if len(touches) > 0 && p.ages != nil && !math.IsNaN(p.ages[from]) {
		ages = p.ages[from:p.ends[i]]
	}
	return touches, ages
}
