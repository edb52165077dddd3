package forecast

import "assay/internal/measure/stats"

// track is a fitted model in its state after the observed points. Later points change only the state.
type track interface {
	String() string
	observe(y float64)
	ahead(out []float64) // sets the elements of out to the forecasts of the next points
	clone() track
}

// last repeats the last season, or the last point if the season is 1.
type last struct {
	recent []float64
	place  int
}

func naive(values []float64, season int) *last {
	season = min(max(1, season), len(values))
	return &last{recent: append([]float64(nil), values[len(values)-season:]...)}
}

func (l *last) String() string {
	if len(l.recent) > 1 {
		return "SeasonalNaive"
	}
	return "Naive"
}

func (l *last) observe(y float64) {
	l.recent[l.place] = y
	l.place = (l.place + 1) % len(l.recent)
}

func (l *last) ahead(out []float64) {
	for h := range out {
		out[h] = l.recent[(l.place+h)%len(l.recent)]
	}
}

// smooth fits one form of exponential smoothing without a season.
func smooth(f form, values []float64) track {
	f.season = 'N'
	start := initialOf(values, 1, false)
	if s, ok := f.fit(values, 1, start); ok {
		return s
	}
	return naive(values, 1)
}

// theta is the average of two forecasts. One is the line through the series (θ = 0). The other is simple exponential
// smoothing of the series with doubled curvature (θ = 2). See Assimakopoulos and Nikolopoulos (2000), "The theta
// model".
type theta struct {
	intercept, slope float64
	points           int
	smoothed         track
}

func fitTheta(values []float64) track {
	if len(values) < 4 {
		return naive(values, 1)
	}
	m := &theta{points: len(values)}
	m.intercept, m.slope = line(values)
	bent := make([]float64, len(values))
	for t, y := range values {
		bent[t] = 2*y - m.intercept - m.slope*float64(t)
	}
	m.smoothed = smooth(form{}, bent)
	return m
}

func (m *theta) String() string { return "Theta" }

func (m *theta) observe(y float64) {
	m.smoothed.observe(2*y - m.intercept - m.slope*float64(m.points))
	m.points++
}

func (m *theta) ahead(out []float64) {
	m.smoothed.ahead(out)
	for h := range out {
		out[h] = (out[h] + m.intercept + m.slope*float64(m.points+h)) / 2
	}
}

// pool is the pointwise median of the forecasts of several models, or their weighted mean. The median needs no weights
// and is robust to one bad model.
type pool struct {
	members []track
	room    []float64 // members × horizon
	sorted  []float64
	name    string
	weights []float64 // weights of the mean; nil: the median
}

func (p *pool) String() string { return p.name }

func (p *pool) observe(y float64) {
	for _, m := range p.members {
		m.observe(y)
	}
}

func (p *pool) ahead(out []float64) {
	n, h := len(p.members), len(out)
	if len(p.room) < n*h {
		p.room = make([]float64, n*h)
	}
	for i, m := range p.members {
		m.ahead(p.room[i*h : (i+1)*h])
	}
	for t := range out {
		p.sorted = p.sorted[:0]
		for i := range n {
			p.sorted = append(p.sorted, p.room[i*h+t])
		}
		if p.weights != nil {
			out[t] = stats.Dot(p.weights, p.sorted)
		} else {
			out[t] = median(p.sorted)
		}
	}
}
