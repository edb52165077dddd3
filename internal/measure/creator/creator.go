// Package creator estimates how many orders a creator brought, from signals that each see a part of them: discount codes,
// answers that name the creator, and links.
//
// It is capture and recapture (Lincoln 1930; Chapman 1951; Seber 1982, "The Estimation of Animal Abundance", chapter 3):
// surveys and codes mark orders independently, so the part of the named orders that used the code is the part of all
// orders that did. Codes also travel without their creator, to coupon sites; the part of code orders whose path never
// met a creator tells how many. Links name no orders and are scaled to the level that codes and surveys give.
package creator

import (
	"math"

	"assay/internal/fault"
)

// Signals are one creator's orders in a period, as numbers of orders.
type Signals struct {
	ID           string
	HasCode      bool    // a code belongs to the creator; without one Code says nothing
	HasLink      bool    // a link belongs to the creator
	Code         float64 // orders that used one of the codes
	CodeTouched  float64 // of them, those whose path met a creator
	Named        float64 // orders whose customer named the creator
	NamedTouched float64 // of them, those whose path met a creator
	Both         float64 // orders with both
	Link         float64 // orders that the links' tool counts
}

// Ground are the orders that nothing ties to a creator.
type Ground struct {
	Orders  float64
	Touched float64 // of them, those whose path met a creator
}

// Rates say which part of the orders that creators bring each signal sees. They are learnt once, from all of a store's
// history, and hold for all of its creators.
type Rates struct {
	Code   float64 // part of a creator's orders that uses the code
	Survey float64 // part that is named in a survey
	Link   float64 // part that the links count
	Met    float64 // part whose path meets a creator
	Stray  float64 // part of other orders whose path does
	// Cleaned says that code orders without a creator were told from the others by their paths. Otherwise a fixed part
	// of the code orders counts, Assumed.
	Cleaned bool
	// Spread is the relative standard error that all estimates share: that of the level of the rates.
	Spread float64
	// Noise is by how much the signals of one creator differ more than chance explains, at least 1. It widens intervals.
	Noise float64
	Known Evidence
}

// Evidence is what rates were learnt from.
type Evidence struct {
	Named, Both, Code, Link float64
}

// What is taken where the data do not say.
const (
	Assumed       = 0.8 // part of code orders that the creator brought, when paths cannot tell
	assumedSpread = 0.15

	// Priors of the rates, as Beta distributions.
	codeYes, codeNo     = 2, 2
	linkYes, linkNo     = 2, 3
	surveyYes, surveyNo = 1, 8

	leastNamed    = 10  // named orders from which on paths can tell code orders apart
	leastContrast = 0.2 // by how much more the paths of creators' orders must meet a creator
)

// Learn returns the rates of a store. Counts are refused when negative or not finite, naming the creator.
func Learn(all []Signals, ground Ground) (Rates, error) {
	for _, s := range all {
		for _, n := range []float64{s.Code, s.CodeTouched, s.Named, s.NamedTouched, s.Both, s.Link} {
			if !(n >= 0) || math.IsInf(n, 1) {
				return Rates{}, fault.Invalid("creator %q has %v orders by a signal", s.ID, n)
			}
		}
	}
	var t, coded Signals
	for _, s := range all {
		t = t.plus(s)
		if s.HasCode {
			coded = coded.plus(s)
		}
	}
	r := Rates{Known: Evidence{Named: t.Named, Both: coded.Both, Code: coded.Code, Link: t.Link}, Noise: 1}
	// Named orders of a creator with a code are the sample that tells how often the code is used.
	r.Code = (coded.Both + codeYes) / (coded.Named + codeYes + codeNo)
	r.Spread = math.Sqrt((1 - r.Code) / (r.Code * (coded.Named + codeYes + codeNo + 1)))
	r.learnPaths(t, coded, ground)
	brought := r.codeOrders(coded) / r.Code // of the creators with a code
	switch {
	case coded.Code > 0 && brought > 0:
		r.Survey = clamped((coded.Named + surveyYes) / (brought + surveyYes + surveyNo))
		r.Link = linkYes / float64(linkYes+linkNo)
		if linked, of := r.linked(all); of > 0 {
			r.Link = clamped((linked + linkYes) / (of + linkYes + linkNo))
		}
		r.Spread = math.Hypot(r.Spread, r.cleaningSpread(coded))
	default: // no level but that of the priors
		r.Link, r.Survey = linkYes/float64(linkYes+linkNo), surveyYes/float64(surveyYes+surveyNo)
		r.Spread = 0.5
	}
	r.Noise = r.noise(all)
	return r, nil
}

// learnPaths learns how often paths meet a creator, of orders that are a creator's for sure and of all others. Among the
// others there are orders that a creator brought without a trace; they are taken out.
func (r *Rates) learnPaths(t, coded Signals, ground Ground) {
	r.Met = (t.NamedTouched + 1) / (t.Named + 2)
	if ground.Orders <= 0 {
		return
	}
	r.Stray = ground.Touched / ground.Orders
	for range 5 {
		if r.Cleaned = t.Named >= leastNamed && r.Met-r.Stray >= leastContrast; !r.Cleaned {
			return
		}
		k := r.codeOrders(coded)
		hidden := max(0, k/r.Code-(k+coded.Named-coded.Both))
		hidden = min(hidden, ground.Touched/r.Met)
		r.Stray = max(0, ground.Touched-hidden*r.Met) / max(1, ground.Orders-hidden)
	}
}

// codeOrders returns how many of the orders with a code the creator brought. Paths of those meet a creator with
// probability Met and paths of the others with Stray, so the excess over Stray counts them without bias. It may fall
// below zero by chance.
func (r Rates) codeOrders(s Signals) float64 {
	if !r.Cleaned {
		return Assumed * s.Code
	}
	return (s.CodeTouched - r.Stray*s.Code) / (r.Met - r.Stray)
}

// linked sums the orders by links and the orders brought of creators who have both a link and a code.
func (r Rates) linked(all []Signals) (linked, of float64) {
	for _, s := range all {
		if s.HasLink && s.HasCode {
			linked += s.Link
			of += r.codeOrders(s) / r.Code
		}
	}
	return linked, of
}

// cleaningSpread is the relative standard error of the code orders that creators brought, over all creators.
func (r Rates) cleaningSpread(coded Signals) float64 {
	if !r.Cleaned {
		return assumedSpread
	}
	k := max(1, r.codeOrders(coded))
	strays := max(0, coded.Code-k)
	variance := (k*r.Met*(1-r.Met) + strays*r.Stray*(1-r.Stray)) / ((r.Met - r.Stray) * (r.Met - r.Stray))
	met := r.Met * (1 - r.Met) / (r.Known.Named + 3) / ((r.Met - r.Stray) * (r.Met - r.Stray))
	return math.Sqrt(variance/(k*k) + met)
}

// noise returns how much more than chance the signals of creators disagree: the mean square of the standardised
// distances (Birge 1932), at least 1.
func (r Rates) noise(all []Signals) float64 {
	sum, free := 0.0, 0
	for _, s := range all {
		parts := r.parts(s)
		if len(parts) < 2 {
			continue
		}
		mean := max(1, blend(parts))
		for _, p := range parts {
			sum += (p.Orders - mean) * (p.Orders - mean) / (p.perOrder*mean + p.fixed)
		}
		free += len(parts) - 1
	}
	if free == 0 {
		return 1
	}
	return max(1, sum/float64(free))
}

func clamped(p float64) float64 { return min(max(p, 0.005), 0.95) }

func (s Signals) plus(t Signals) Signals {
	s.Code += t.Code
	s.CodeTouched += t.CodeTouched
	s.Named += t.Named
	s.NamedTouched += t.NamedTouched
	s.Both += t.Both
	s.Link += t.Link
	return s
}
