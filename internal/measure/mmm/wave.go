package mmm

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"assay/internal/measure"
	"assay/internal/measure/stats"
)

// wave is how a channel's effect changes over time: s_t is multiplied by exp(g_t) with
//
//	g_t = amplitude x sum over j of phi_j(t) r_j z_j,   r_j^2 = sqrt(2 pi) length exp(-(length omega_j)^2 / 2),   z_j ~ Normal(0, 1)
//
// a Gaussian process with a squared exponential covariance, approximated by the first eigenfunctions of the Laplacian on an
// interval half as long again as the window: phi_j(t) = sin(omega_j (t + L)) / sqrt(L), omega_j = j pi / (2 L), t counted
// from the middle (Solin and Särkkä 2020; Riutort-Mayol, Bürkner, Andersen, Solin, Vehtari 2023). The length is given, in
// periods: data that show how much an effect changes hardly show how fast. The changes are common to all geos.
type wave struct {
	multiple []float64 // exp(g) of each period
	s        []float64 // of the curve, changes included
	by       []float64 // derivatives by g
}

// waveMargin is the interval by the window.
const waveMargin = 1.5

// leastLength is the shortest length, as a share of the window, that the functions below can follow.
const leastLength = 1.0 / 16

// waveParameters lists the parameters of a channel's changes. Effects are believed to change by about 15 %, 6 to 40:
// a prior that reaches to no change at all would make a funnel of amplitude and coefficients.
func (m *model) waveParameters() []parameter {
	if m.waves == nil {
		return nil
	}
	out := []parameter{{name: "amplitude", support: positive, prior: Prior{LogNormalPrior, -1.9, 0.6}}}
	for j := range m.waves {
		out = append(out, parameter{name: fmt.Sprintf("wave.%d", j+1), support: real, prior: Prior{NormalPrior, 0, 1}})
	}
	return out
}

// waveOf returns the part of a parameter vector that belongs to the channel's changes.
func (m *model) waveOf(c *channel, theta []float64) (amplitude *float64, z []float64) {
	from := c.at + 1 + m.carryOver + m.shape
	return &theta[from], theta[from+1 : from+1+len(m.waves)]
}

// waveBasis returns phi times r over the periods, for as many functions as have a part in changes of that length.
func waveBasis(span, length int) [][]float64 {
	half := waveMargin * float64(span) / 2
	middle := float64(span-1) / 2
	var basis [][]float64
	for j := 1; ; j++ {
		omega := float64(j) * math.Pi / (2 * half)
		reach := omega * float64(length)
		if reach > 3.5 { // r is below a twentieth of the first
			return basis
		}
		r := math.Sqrt(math.Sqrt(2*math.Pi)*float64(length)) * math.Exp(-reach*reach/4)
		basis = append(basis, series(span, func(t int) float64 {
			return r * math.Sin(omega*(float64(t)-middle+half)) / math.Sqrt(half)
		}))
	}
}

func (m *model) newWave(rows int) *wave {
	if m.waves == nil {
		return nil
	}
	periods := rows / m.geos
	return &wave{make([]float64, periods), make([]float64, rows), make([]float64, periods)}
}

// set evaluates the changes over as many periods as there is room for.
func (w *wave) set(basis [][]float64, amplitude float64, z []float64) {
	clear(w.multiple)
	for j, phi := range basis {
		floats.AddScaled(w.multiple, amplitude*z[j], phi[:len(w.multiple)])
	}
	for t, g := range w.multiple {
		w.multiple[t] = math.Exp(g)
	}
}

// vary multiplies a series of all geos by the changes.
func (w *wave) vary(values []float64) {
	for n := len(w.multiple); len(values) > 0; values = values[n:] {
		floats.Mul(values[:n], w.multiple)
	}
}

// waveGradient adds to the gradient by the changes' parameters and turns that by s into that by s without changes.
func (d *density) waveGradient(w *wave, c *channel, byS []float64) {
	clear(w.by)
	for t, by := range byS {
		w.by[t%len(w.by)] += by * w.s[t]
	}
	w.vary(byS)
	amplitude, z := d.waveOf(c, d.theta)
	byAmplitude, byZ := d.waveOf(c, d.gradient)
	for j, phi := range d.waves {
		along := floats.Dot(w.by, phi[:len(w.by)])
		*byAmplitude += along * z[j]
		byZ[j] += along * *amplitude
	}
}

// Multiples returns by how much a channel's effect in each period differs from its mean over the periods, as a factor; nil
// when effects are constant.
func (p *Posterior) Multiples(name measure.Channel) []stats.Summary {
	m, c := p.model, p.channel(name)
	if m.waves == nil {
		return nil
	}
	w := m.newWave(len(m.y))
	draws := make([][]float64, m.span)
	for _, theta := range p.draws {
		amplitude, z := m.waveOf(c, theta)
		w.set(m.waves, *amplitude, z)
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
