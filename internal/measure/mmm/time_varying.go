package mmm

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"assay/internal/measure"
	"assay/internal/measure/stats"
)

// timeVarying is a channel's time-varying effect. s_t is multiplied by exp(g_t). g is a Gaussian process with squared
// exponential covariance, in the Hilbert space approximation (HSGP):
//
//	g_t = amplitude x sum over j of phi_j(t) r_j z_j,   r_j^2 = sqrt(2 pi) length exp(-(length omega_j)^2 / 2),   z_j ~ Normal(0, 1)
//	phi_j(t) = sin(omega_j (t + L)) / sqrt(L),   omega_j = j pi / (2 L)
//
// Here t is in periods from the middle of the window and L is [intervalFactor] times half the window's length. See
// Solin and Särkkä 2020, and Riutort-Mayol, Bürkner, Andersen, Solin, Vehtari 2023. The length scale in periods is a
// setting, because the data contain little information on it. The process is common to all geos.
type timeVarying struct {
	multiple []float64 // exp(g) of each period
	s        []float64 // saturated exposure of the curve, times multiple
	by       []float64 // derivatives with respect to g
}

// intervalFactor is the boundary factor of the HSGP approximation: the interval's length divided by the window's
// length.
const intervalFactor = 1.5

// minLength is the shortest length scale that the basis can represent, as a share of the window.
const minLength = 1.0 / 16

// timeVaryingParameters lists the parameters of a channel's time-varying effect. The amplitude's prior has a median of
// 15% and a 90% interval from 6% to 40%. With prior mass at 0, the posterior of amplitude and coefficients would have
// the shape of a funnel.
func (m *model) timeVaryingParameters() []parameter {
	if m.hsgp == nil {
		return nil
	}
	out := []parameter{{name: "amplitude", support: positive, prior: Prior{LogNormalPrior, -1.9, 0.6}}}
	for j := range m.hsgp {
		out = append(out, parameter{name: fmt.Sprintf("wave.%d", j+1), support: real, prior: Prior{NormalPrior, 0, 1}})
	}
	return out
}

// timeVaryingOf returns the channel's time-varying part of a parameter vector.
func (m *model) timeVaryingOf(c *channel, theta []float64) (amplitude *float64, z []float64) {
	from := c.at + 1 + m.carryOver + m.shape
	return &theta[from], theta[from+1 : from+1+len(m.hsgp)]
}

// hsgpBasis returns phi times r over the periods, for all basis functions that contribute at the length scale.
func hsgpBasis(span, length int) [][]float64 {
	half := intervalFactor * float64(span) / 2
	middle := float64(span-1) / 2
	var basis [][]float64
	for j := 1; ; j++ {
		omega := float64(j) * math.Pi / (2 * half)
		reach := omega * float64(length)
		if reach > 3.5 { // r is below a twentieth of the first function's r
			return basis
		}
		r := math.Sqrt(math.Sqrt(2*math.Pi)*float64(length)) * math.Exp(-reach*reach/4)
		basis = append(basis, series(span, func(t int) float64 {
			return r * math.Sin(omega*(float64(t)-middle+half)) / math.Sqrt(half)
		}))
	}
}

func (m *model) newTimeVarying(rows int) *timeVarying {
	if m.hsgp == nil {
		return nil
	}
	periods := rows / m.geos
	return &timeVarying{make([]float64, periods), make([]float64, rows), make([]float64, periods)}
}

// set evaluates exp(g). The length of w.multiple determines the number of periods.
func (w *timeVarying) set(basis [][]float64, amplitude float64, z []float64) {
	clear(w.multiple)
	for j, phi := range basis {
		floats.AddScaled(w.multiple, amplitude*z[j], phi[:len(w.multiple)])
	}
	for t, g := range w.multiple {
		w.multiple[t] = math.Exp(g)
	}
}

// vary multiplies a series of all geos by exp(g).
func (w *timeVarying) vary(values []float64) {
	for n := len(w.multiple); len(values) > 0; values = values[n:] {
		floats.Mul(values[:n], w.multiple)
	}
}

// timeVaryingGradient adds the gradient with respect to the time-varying effect's parameters. It converts byS to the
// gradient with respect to the s of a constant effect.
func (d *density) timeVaryingGradient(w *timeVarying, c *channel, byS []float64) {
	clear(w.by)
	for t, by := range byS {
		w.by[t%len(w.by)] += by * w.s[t]
	}
	w.vary(byS)
	amplitude, z := d.timeVaryingOf(c, d.theta)
	byAmplitude, byZ := d.timeVaryingOf(c, d.gradient)
	for j, phi := range d.hsgp {
		along := floats.Dot(w.by, phi[:len(w.by)])
		*byAmplitude += along * z[j]
		byZ[j] += along * *amplitude
	}
}

// Multiples returns a channel's effect in each period divided by the channel's mean effect, or nil if effects are
// constant.
func (p *Posterior) Multiples(name measure.Channel) []stats.Summary {
	m, c := p.model, p.channel(name)
	if m.hsgp == nil {
		return nil
	}
	w := m.newTimeVarying(len(m.y))
	draws := make([][]float64, m.span)
	for _, theta := range p.draws {
		amplitude, z := m.timeVaryingOf(c, theta)
		w.set(m.hsgp, *amplitude, z)
		mean, _ := stats.MeanSD(w.multiple)
		for t, v := range w.multiple {
			draws[t] = append(draws[t], v/mean)
		}
	}
	out := make([]stats.Summary, m.span)
	for t := range out {
		out[t] = stats.Summarize(draws[t])
	}
	return out
}
