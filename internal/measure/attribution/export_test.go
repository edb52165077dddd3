package attribution

import (
	"cmp"
	"slices"

	"assay/internal/measure"
)

// Blended is an attribution result adjusted by a survey.
type Blended struct {
	Result
	Shares           []Share // one per row of the result, in the same order, the unattributed row last
	SurveyWeight     float64 // the weight of the clicks is 1 - SurveyWeight
	Answers          float64 // answers that name a channel
	EffectiveAnswers float64 // after weighting strata by their orders
	UnmappedShare    float64 // share of all answers that name no channel
	Coverage         float64 // share of orders in strata with an answer
	Level            float64
}

// WithSurvey applies the rule of [BlendSums] to a result of paths, so that tests can compare the results.
func (r Result) WithSurvey(strata []Stratum, b Blend) (Blended, error) {
	b = b.withDefaults()
	if err := b.check(strata); err != nil {
		return Blended{}, err
	}
	survey := poolStrata(strata)
	w := 0.0
	if survey.effective > 0 {
		w = survey.effective / (survey.effective + b.ClickWorth)
	}
	out := Blended{
		Result: r.mix(survey, w), SurveyWeight: w, Answers: survey.answers, EffectiveAnswers: survey.effective,
		UnmappedShare: survey.unmapped, Coverage: survey.coverage, Level: b.Level,
	}
	conversions, whole := r.Totals()
	if err := out.round(whole); err != nil {
		return Blended{}, err
	}
	clicks := r.byChannel()
	for _, c := range append(slices.Clone(out.Credits), out.Unattributed) {
		s := Share{Channel: c.Channel, Survey: survey.byOrders[c.Channel]}
		if conversions > 0 {
			s.Clicks, s.Blended.Value = clicks[c.Channel].Conversions/conversions, c.Conversions/conversions
		}
		s.Blended = betaEstimate(s.Blended.Value, survey.effective+b.ClickWorth, b.Level)
		out.Shares = append(out.Shares, s)
	}
	return out, nil
}

func (r Result) byChannel() map[measure.Channel]Credit {
	rows := map[measure.Channel]Credit{measure.Unattributed: r.Unattributed}
	for _, c := range r.Credits {
		rows[c.Channel] = c
	}
	return rows
}

// mix shrinks the credits toward the survey's shares with weight w.
func (r Result) mix(s pooled, w float64) Result {
	conversions, whole := r.Totals()
	row := func(c Credit) Credit {
		c.Conversions = (1-w)*c.Conversions + w*s.byOrders[c.Channel]*conversions
		c.Value = (1-w)*c.Value + w*s.byValue[c.Channel]*float64(whole)
		return c
	}
	out := Result{Unattributed: row(r.Unattributed)}
	known := r.byChannel()
	for _, c := range r.Credits {
		out.Credits = append(out.Credits, row(c))
	}
	for ch := range s.byOrders {
		if _, ok := known[ch]; !ok {
			out.Credits = append(out.Credits, row(Credit{Channel: ch}))
		}
	}
	slices.SortFunc(out.Credits, func(a, b Credit) int { return cmp.Compare(a.Channel, b.Channel) })
	return out
}

// Totals returns the sums over all rows, including the unattributed row.
func (r Result) Totals() (conversions float64, whole int64) {
	conversions, whole = r.Unattributed.Conversions, r.Unattributed.Whole
	for _, c := range r.Credits {
		conversions += c.Conversions
		whole += c.Whole
	}
	return conversions, whole
}
