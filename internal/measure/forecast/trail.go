package forecast

import "slices"

// trail contains the final parameters of a fit's searches. Refits of the same series with more values start from these
// parameters. A nil trail is empty. A trail is safe for concurrent use by different models.
type trail struct {
	forms  map[form]ending
	orders map[order]ending
	best   *order
}

// ending contains the parameters at the end of a search, and the unit and center of the values.
type ending struct {
	params       []float64
	unit, center float64
}

func newTrail() *trail { return &trail{forms: map[form]ending{}, orders: map[order]ending{}} }

// steepest is the maximum absolute value of a smoothing parameter on the optimizer's scale. A larger value is treated
// as the maximum.
const steepest = 8

// form returns starting parameters, converted to another unit, or nil if none are known.
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

// order sets the starting parameters to the result of the last search for this order, if there is one.
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
		params[o.terms()] = (known.center + known.unit*params[o.terms()] - c.center) / c.spread
	}
}

func (t *trail) leaveOrder(o order, c *candidate, params []float64) {
	if t != nil {
		t.orders[o] = ending{params: slices.Clone(params), unit: c.spread, center: c.center}
	}
}

// chosen returns the previously chosen order if it has the same differences and season as base.
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
