package attribution

import (
	"math"
	"slices"
)

// HalfLifeDays is the age at which [TimeDecay] halves a touchpoint's weight.
const HalfLifeDays = 7

// firstShare and lastShare are the shares of the first and last touchpoint in [Position], for conversion paths of three
// or more touchpoints.
const firstShare, lastShare = 0.4, 0.4

// share sets the share of each touchpoint of a conversion path with at least one touchpoint. Shares add up to 1. If the
// ages are unknown, ages is nil.
type share func(shares []float64, touches []uint16, ages []float64)

func shareOf(m Model) share {
	switch m {
	case First:
		return func(shares []float64, _ []uint16, _ []float64) { clear(shares); shares[0] = 1 }
	case Last:
		return func(shares []float64, _ []uint16, _ []float64) { clear(shares); shares[len(shares)-1] = 1 }
	case TimeDecay:
		return timeDecay
	case Position:
		return position
	case Shapley:
		return shapley
	default:
		return linear
	}
}

func linear(shares []float64, _ []uint16, _ []float64) {
	for i := range shares {
		shares[i] = 1 / float64(len(shares))
	}
}

// timeDecay sets each share to the weight 2^(-age in days/7), or 2^-(steps back) without ages, divided by the sum of
// weights. Ages are relative to the conversion path's latest touchpoint. Relative ages avoid underflow for old journeys
// and do not change the shares.
func timeDecay(shares []float64, _ []uint16, ages []float64) {
	youngest := 0.0
	if ages != nil {
		youngest = ages[0]
		for _, age := range ages {
			youngest = min(youngest, age)
		}
	}
	var sum float64
	for i := range shares {
		halvings := float64(len(shares) - 1 - i)
		if ages != nil {
			halvings = (ages[i] - youngest) / HalfLifeDays
		}
		shares[i] = math.Exp2(-halvings)
		sum += shares[i]
	}
	for i := range shares {
		shares[i] /= sum
	}
}

func position(shares []float64, touches []uint16, ages []float64) {
	n := len(shares)
	if n <= 2 {
		linear(shares, touches, ages)
		return
	}
	for i := range shares {
		shares[i] = (1 - firstShare - lastShare) / float64(n-2)
	}
	shares[0], shares[n-1] = firstShare, lastShare
}

// shapley sets the shares to the Shapley value of a game between channels. The value of a set S of channels is the
// number of conversions on conversion paths that contain only channels in S. That game is a sum of unanimity games, one
// per set of channels. The members of a unanimity game share its value equally (Shapley 1953, section 3). For
// attribution, see Zhao, Mahboobi and Bagheri 2018, "Shapley value methods for attribution modeling in online
// advertising", section 4. The result is exact for any number of channels. The credit of a channel goes to the
// channel's first touchpoint.
func shapley(shares []float64, touches []uint16, _ []float64) {
	different := 0
	for i, ch := range touches {
		shares[i] = 1
		if slices.Contains(touches[:i], ch) {
			shares[i] = 0
		}
		different += int(shares[i])
	}
	for i := range shares {
		shares[i] /= float64(different)
	}
}

// byPath returns the result of a model that attributes each path independently of the other paths.
func byPath(p *Paths, set share) (Result, error) {
	conversions := make([]float64, len(p.names))
	values := make([]float64, len(p.names))
	var room []float64
	for i := range p.ends {
		touches, ages := p.touchesOf(i)
		if len(touches) == 0 || p.conversions[i] == 0 {
			continue
		}
		for len(room) < len(touches) {
			room = append(room, 0)
		}
		shares := room[:len(touches)]
		set(shares, touches, ages)
		for k, ch := range touches {
			conversions[ch] += shares[k] * p.conversions[i]
			values[ch] += shares[k] * float64(p.values[i])
		}
	}
	return resultOf(p, conversions, values)
}
