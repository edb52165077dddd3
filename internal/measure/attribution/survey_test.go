package attribution_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/attribution"
)

func clicks(t *testing.T) attribution.Result {
	t.Helper()
	return attribute(t, pathsOf(t, path("search", 60, 6000, 0), path("social", 20, 2000, 0), path("", 20, 2000, 0)),
		attribution.Last)
}

func TestSurveyDrawsSharesByTheStatedWeight(t *testing.T) {
	t.Parallel()
	strata := []attribution.Stratum{{
		Name: "all", Orders: 100, Value: 10_000, Unmapped: 50,
		Answers: map[measure.Channel]float64{"search": 50, "social": 100, "podcast": 50},
	}}
	got, err := clicks(t).WithSurvey(strata, attribution.Blend{ClickWorth: 200})
	if err != nil {
		t.Fatal(err)
	}
	// The result is the mean of click data and survey. There are 200 answers, and the click data have the weight of 200
	// answers.
	want := []attribution.Credit{
		{Channel: "podcast", Conversions: 12.5, Value: 1250, Whole: 1250},
		{Channel: "search", Conversions: 42.5, Value: 4250, Whole: 4250},
		{Channel: "social", Conversions: 35, Value: 3500, Whole: 3500},
	}
	if diff := cmp.Diff(want, got.Credits, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Error(diff)
	}
	if u := got.Unattributed; math.Abs(u.Conversions-10) > 1e-9 || u.Whole != 1000 {
		t.Errorf("unattributed is %+v, want half of what it was", u)
	}
	if got.SurveyWeight != .5 || got.UnmappedShare != .2 || got.Coverage != 1 || got.EffectiveAnswers != 200 {
		t.Errorf("weights are %+v", got)
	}
	for _, s := range got.Shares {
		// The interval of a share p with 400 equivalent observations extends about 1.64 standard errors to each side.
		e := s.Blended
		if se := math.Sqrt(e.Value * (1 - e.Value) / 401); math.Abs((e.High-e.Low)/2-1.645*se) > .05*se || e.Low > e.Value ||
			e.High < e.Value {
			t.Errorf("%s: %+v", s.Channel, e)
		}
	}
}

func TestStrataAreWeightedByOrdersNotByResponse(t *testing.T) {
	t.Parallel()
	strata := []attribution.Stratum{
		{Name: "new", Orders: 50, Value: 9000, Answers: map[measure.Channel]float64{"social": 10}},
		{Name: "returning", Orders: 50, Value: 1000, Answers: map[measure.Channel]float64{"search": 90}},
		{Name: "silent", Orders: 100, Value: 10_000},
	}
	got, err := clicks(t).WithSurvey(strata, attribution.Blend{ClickWorth: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	// With zero weight of the clicks, the shares come from the survey only. Each channel has half of the orders, but one
	// channel has nine tenths of the value.
	want := []attribution.Credit{
		{Channel: "search", Conversions: 50, Value: 1000, Whole: 1000},
		{Channel: "social", Conversions: 50, Value: 9000, Whole: 9000},
	}
	if diff := cmp.Diff(want, got.Credits, cmpopts.EquateApprox(0, 1e-4)); diff != "" {
		t.Error(diff)
	}
	if n := 1 / (.25/10 + .25/90); math.Abs(got.EffectiveAnswers-n) > 1e-9 || got.Coverage != .5 {
		t.Errorf("effective answers %v, coverage %v; want %v, 0.5", got.EffectiveAnswers, got.Coverage, n)
	}
}

func TestWithoutAnswersTheClickDataAreUsed(t *testing.T) {
	t.Parallel()
	r := clicks(t)
	got, err := r.WithSurvey([]attribution.Stratum{{Name: "all", Orders: 100, Unmapped: 3}}, attribution.Blend{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, got.Result); diff != "" || got.SurveyWeight != 0 || got.UnmappedShare != 1 {
		t.Errorf("weight %v, unmapped %v\n%s", got.SurveyWeight, got.UnmappedShare, diff)
	}
}

func TestInvalidSurveysAreRejected(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		stratum attribution.Stratum
		blend   attribution.Blend
		want    string
	}{
		{attribution.Stratum{Name: "new", Orders: -1}, attribution.Blend{}, `stratum "new": orders -1`},
		{
			attribution.Stratum{Name: "new", Answers: map[measure.Channel]float64{"tv": -2}},
			attribution.Blend{},
			`-2 answers for channel "tv"`,
		},
		{attribution.Stratum{}, attribution.Blend{Level: 1.5}, "level of the interval is 1.5"},
		{attribution.Stratum{}, attribution.Blend{ClickWorth: -1}, "is -1 answers"},
	} {
		_, err := clicks(t).WithSurvey([]attribution.Stratum{c.stratum}, c.blend)
		if fault.KindOf(err) != fault.KindInvalid || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.stratum, err, c.want)
		}
	}
}
