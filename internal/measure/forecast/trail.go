package forecast

import "slices"

// trail is where the searches of a fit ended, for the fit of the same series when it has become longer: it begins there, and ends
// in a few steps. Nil stands for no trail. The searches of different models use it at the same time.
type trail struct {
	forms  map[form]ending
	orders map[order]ending
	best   *order
}

// ending is the parameters of a search, and what they are counted in.
type ending struct {
	params       []float64
	unit, centre float64
}

func newTrail() *trail { return &trail{forms: map[form]ending{}, orders: map[order]ending{}} }

// steepest is the size of a parameter of smoothing beyond which it stands at its limit.
const steepest = 8

// form returns parameters to begin from for a series of another unit, nil where none are known.
func (t *trail) form(f form, season int, unit float64) []float64 {
	if t == nil {
		return nil
	}
	known, ok := t.forms[f]
	if !ok {
		return nil
	}
	l := f.layout(season, unit)
	params := slices.Clone(known.params)
	for i := range params {
		switch {
		case i < l.level:
			params[i] = max(-steepest, min(steepest, params[i]))
		case l.form.season != 'M' || i < l.seasonal:
			params[i] *= known.unit / unit
		}
	}
	return params
}

func (t *trail) leaveForm(c *climb) {
	if t != nil {
		t.forms[c.form] = ending{params: c.params, unit: c.unit}
	}
}

// order sets parameters to begin from, where some are known.
func (t *trail) order(o order, c *candidate, params []float64) {
	if t == nil {
		return
	}
	known, ok := t.orders[o]
	if !ok {
		return
	}
	copy(params, known.params)
	o.hold(params)
	if o.constant {
		params[o.terms()] = (known.centre + known.unit*params[o.terms()] - c.centre) / c.spread
	}
}

func (t *trail) leaveOrder(o order, c *candidate, params []float64) {
	if t != nil {
		t.orders[o] = ending{params: slices.Clone(params), unit: c.spread, centre: c.centre}
	}
}

// chosen returns the order that was chosen, when it has the same differences.
func (t *trail) chosen(base order) (order, bool) {
	if t == nil || t.best == nil || t.best.d != base.d || t.best.sd != base.sd || t.best.season != base.season {
		return order{}, false
	}
	return *t.best, true
}

func (t *trail) choose(o order) {
	if t != nil {
		t.best = &o
	}
}
