package attribution

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay/internal/fault"
	"assay/internal/measure"
)

// Model is an attribution model.
type Model string

// The models.
const (
	First     Model = "first"      // all credit to the first touchpoint
	Last      Model = "last"       // all credit to the last touchpoint
	Linear    Model = "linear"     // equal credit to every touchpoint, including repeats
	TimeDecay Model = "time_decay" // credit halves with every 7 days of age, or with every step back if ages are unknown
	Position  Model = "position"   // 40% first, 40% last, 20% between
	Markov1   Model = "markov:1"   // removal effects of a Markov chain of order one
	Markov2   Model = "markov:2"   // order two
	Markov3   Model = "markov:3"   // order three
	Shapley   Model = "shapley"    // equal credit to the distinct channels of a path
)

// Models lists the models in display order.
func Models() []Model {
	return []Model{First, Last, Linear, TimeDecay, Position, Markov1, Markov2, Markov3, Shapley}
}

// ParseModel returns the model with the given name. The names of [measure.Models] have the same meaning here, and
// "markov" is the chain of order 1.
func ParseModel(s string) (Model, error) {
	switch s {
	case string(measure.FirstTouch):
		return First, nil
	case string(measure.LastTouch):
		return Last, nil
	case string(measure.PositionBased):
		return Position, nil
	case "markov":
		return Markov1, nil
	}
	if m := Model(s); slices.Contains(Models(), m) {
		return m, nil
	}
	names := make([]string, 0, len(Models()))
	for _, m := range Models() {
		names = append(names, string(m))
	}
	return "", fault.Invalid("unknown attribution model %q", s).WithHint("use one of %s", strings.Join(names, ", "))
}

// Credit is the number and value of conversions that a model attributes to a channel.
type Credit struct {
	Channel     measure.Channel
	Conversions float64 // fractional
	Value       float64 // in the unit of [Path.Value], not rounded
	Whole       int64   // Value in whole units; the rows of a result add up to the total exactly
}

// Result contains the credits of a model.
type Result struct {
	Credits      []Credit // one per channel, sorted by channel
	Unattributed Credit   // paths without touchpoints
}

// Attribute assigns the conversions and value of the conversion paths to channels with the model. Paths without
// conversions have zero credit. [RemovalEffects] states the limits of Markov chains.
func Attribute(p *Paths, m Model) (Result, error) {
	switch m {
	case First, Last, Linear, TimeDecay, Position, Shapley:
		return byPath(p, shareOf(m))
	case Markov1, Markov2, Markov3:
		removals, err := RemovalEffects(p, int(m[len(m)-1]-'0'))
		if err != nil {
			return Result{}, err
		}
		return removals.credit(p)
	}
	return Result{}, fault.Invalid("unknown attribution model %q", m)
}

// resultOf returns the result with one row per channel. Conversions of paths without touchpoints are unattributed.
func resultOf(p *Paths, conversions, values []float64) (Result, error) {
	r := Result{Credits: make([]Credit, len(p.names)), Unattributed: untouched(p)}
	for i, name := range p.names {
		r.Credits[i] = Credit{Channel: name, Conversions: conversions[i], Value: values[i]}
	}
	slices.SortFunc(r.Credits, func(a, b Credit) int { return cmp.Compare(a.Channel, b.Channel) })
	return r, r.round(p.totals.Value)
}

func untouched(p *Paths) Credit {
	rest := Credit{Channel: measure.Unattributed}
	from := 0
	for i, end := range p.ends {
		if from == end {
			rest.Conversions += p.conversions[i]
			rest.Value += float64(p.values[i])
		}
		from = end
	}
	return rest
}

// round allots the total to the rows in whole units.
func (r *Result) round(total int64) error {
	weights := make([]float64, 0, len(r.Credits)+1)
	for _, c := range r.Credits {
		weights = append(weights, c.Value)
	}
	weights = append(weights, r.Unattributed.Value)
	whole, err := Allot(total, weights)
	if err != nil {
		return fmt.Errorf("rounding of credits: %w", err)
	}
	for i := range r.Credits {
		r.Credits[i].Whole = whole[i]
	}
	r.Unattributed.Whole = whole[len(whole)-1]
	return nil
}
