package geo

import "math"

// estimator applies a method to a frame, for any choice of treated regions and donors.
type estimator struct {
	*frame
	method Method
	lambda float64 // ridge of the augmented form, in squared units of the frame
	// The following fields are only for synthetic difference in differences.
	sigma float64   // standard deviation of the donors' first differences before the test
	zeta  float64   // ridge of the unit weights, in units of the frame
	time  []float64 // products of the periods before the test over all regions, period × period
}

// bench is the scratch space of one goroutine.
type bench struct {
	simplex
	periods  simplex // the time weights
	lin, tim []float64
	timeGram []float64
	center   []float64
	all      []int
	rest     []int
	kept     []int
	start    []int // positions with weight in a similar problem with the same donors; nil if there is none
	solver   cholesky
}

func newBench() *bench { return &bench{} }

// weights returns the donors' weights, by position in donors. The next call with the same bench overwrites the slice.
//
//	synthetic control   minimize ‖z₁ - Σ w_j z_j‖² over the simplex (Abadie, Diamond and Hainmueller 2010)
//	                    on demeaned series: Doudchenko and Imbens 2016, Ferman and Pinto 2021
//	augmented           w + (z₁ - Zᵀw)ᵀ(ZᵀZ + λI)⁻¹Zᵀ, where Z is the donors minus their mean in each period
//	                    (Ben-Michael, Feller and Rothstein 2021, section 4)
//	SDID                synthetic control on demeaned series with ridge T ζ² (Arkhangelsky et al. 2021, equation 4)
//	DiD                 equal weights
//	scaled DiD          weights in proportion to the donors' level
func (e *estimator) weights(b *bench, t target, donors []int) []float64 {
	if e.method.fixed() {
		return e.fixed(b, donors)
	}
	b.lin = grow(b.lin, len(e.z))
	e.linear(b.lin, t)
	q := quadratic{gram: e.gram, size: len(e.z), donors: donors, linear: b.lin}
	if e.method == SynthDiD {
		q.ridge = float64(e.fit) * e.zeta * e.zeta
	}
	w := b.solve(&q, b.start)
	if e.method == Augmented {
		e.augment(b, &q, w)
	}
	return w
}

// fixed returns the weights of a method that does not fit them.
func (e *estimator) fixed(b *bench, donors []int) []float64 {
	b.reset(len(donors))
	all := 0.0
	for _, r := range donors {
		all += e.level[r]
	}
	for i, r := range donors {
		b.w[i] = 1 / float64(len(donors))
		if e.method == ScaledDiD && all > 0 {
			b.w[i] = e.level[r] / all
		}
	}
	return b.w
}

// effect returns the mean effect on the target over the test, in units of the frame's series.
func (e *estimator) effect(b *bench, t target, donors []int) float64 {
	return e.contrast(b, t, donors, e.weights(b, t, donors))
}

func (e *estimator) contrast(b *bench, t target, donors []int, w []float64) float64 {
	gap := t.combine(e.after)
	for i, r := range donors {
		gap -= w[i] * e.after[r]
	}
	if e.method == SynthDiD {
		gap -= e.earlier(b, t, donors, w)
	}
	return gap
}

// read returns the effect on a set of regions and the quality of the donors' fit before the test.
func (e *estimator) read(b *bench, set, donors []int) reading {
	t := e.target(set)
	w := e.weights(b, t, donors)
	share := t.unit / t.level
	return reading{
		effect: e.contrast(b, t, donors, w) * share,
		fit:    math.Sqrt(e.loss(b, t, donors, w)/float64(e.fit)) * share,
		level:  t.level,
		fixed:  e.method.contrasts(),
	}
}

// loss returns the sum of squared gaps over the matched periods: z₁ᵀz₁ - 2wᵀc + wᵀQw.
func (e *estimator) loss(b *bench, t target, donors []int, w []float64) float64 {
	n := len(e.z)
	b.lin = grow(b.lin, n)
	e.linear(b.lin, t)
	sum := t.combine(b.lin)
	b.kept = b.kept[:0]
	for i := range donors {
		if w[i] != 0 {
			b.kept = append(b.kept, i)
		}
	}
	for _, i := range b.kept {
		row := e.gram[donors[i]*n : (donors[i]+1)*n]
		product := -2 * b.lin[donors[i]]
		for _, j := range b.kept {
			product += row[donors[j]] * w[j]
		}
		sum += w[i] * product
	}
	return max(0, sum)
}

// earlier returns the gap between target and donors before the test, with the time weights of synthetic difference in
// differences. The weights give the convex combination of the donors' past periods that is nearest, up to a constant,
// to their mean in the test. See Arkhangelsky et al. 2021, equation 6, with its vanishing ridge.
func (e *estimator) earlier(b *bench, t target, donors []int, w []float64) float64 {
	lambda := e.timeWeights(b, donors)
	var gap float64
	for i, s := range b.all {
		if lambda[i] == 0 {
			continue
		}
		at := 0.0
		for k, r := range t.rows {
			at += t.weights[k] * e.z[r][s]
		}
		for k, r := range donors {
			at -= w[k] * e.z[r][s]
		}
		gap += lambda[i] * at
	}
	return gap
}

func (e *estimator) timeWeights(b *bench, donors []int) []float64 {
	p := e.start
	b.timeGram, b.tim, b.center = grow(b.timeGram, p*p), grow(b.tim, p), grow(b.center, p+1)
	b.all = b.all[:0]
	for s := range p {
		b.all = append(b.all, s)
	}
	e.timeProducts(b, donors)
	ridge := 1e-6 * e.sigma
	q := quadratic{gram: b.timeGram, size: p, donors: b.all, linear: b.tim, ridge: float64(len(donors)) * ridge * ridge}
	return b.periods.solve(&q, nil)
}

// timeProducts sets the dot products of periods over the donors. Each period is centered over the donors.
func (e *estimator) timeProducts(b *bench, donors []int) {
	p := e.start
	copy(b.timeGram, e.time)
	isDonor := make([]bool, len(e.z))
	for _, r := range donors {
		isDonor[r] = true
	}
	clear(b.tim)
	clear(b.center)
	for r, z := range e.z {
		if !isDonor[r] {
			for s := range p {
				row := b.timeGram[s*p : s*p+p]
				for u, v := range z[:p] {
					row[u] -= z[s] * v
				}
			}
			continue
		}
		for s, v := range z[:p] {
			b.center[s] += v
			b.tim[s] += v * e.after[r]
		}
		b.center[p] += e.after[r]
	}
	n := float64(len(donors))
	for s := range p {
		b.tim[s] -= b.center[s] * b.center[p] / n
		row := b.timeGram[s*p : s*p+p]
		for u := range p {
			row[u] -= b.center[s] * b.center[u] / n
		}
	}
}

// newEstimator returns the estimator of a method for a test. The test's own donors determine the ridge penalties.
func newEstimator(p *Panel, m Method, s span, treated, donors []int) *estimator {
	e := &estimator{frame: newFrame(p, m.form(), s), method: m}
	switch m {
	case Augmented:
		e.lambda = e.crossValidate(e.target(treated), donors)
	case SynthDiD:
		e.sigma = noise(e.z, donors, s.start)
		e.zeta = math.Pow(float64(len(treated)*(s.end-s.start+1)), .25) * e.sigma
		e.periodProducts()
	default:
	}
	return e
}

func (e *estimator) periodProducts() {
	p := e.start
	e.time = make([]float64, p*p)
	for _, z := range e.z {
		for s := range p {
			row := e.time[s*p : (s+1)*p]
			for u, v := range z[:p] {
				row[u] += z[s] * v
			}
		}
	}
}

// noise returns the standard deviation of the rows' first differences before the test.
func noise(z [][]float64, rows []int, start int) float64 {
	var n, sum, squares float64
	for _, r := range rows {
		for t := 1; t < start; t++ {
			d := z[r][t] - z[r][t-1]
			n, sum, squares = n+1, sum+d, squares+d*d
		}
	}
	return math.Sqrt(max(0, (squares-sum*sum/n)/max(1, n-1)))
}

func grow(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	return x[:n]
}
