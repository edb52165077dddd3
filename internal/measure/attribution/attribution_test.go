package attribution_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/attribution"
)

// path returns a path from its text, such as "a > b" or "".
func path(text string, conversions float64, value int64, nulls float64) attribution.Path {
	p := attribution.Path{Conversions: conversions, Value: value, Nulls: nulls}
	for _, name := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '>' }) {
		p.Channels = append(p.Channels, measure.Channel(name))
	}
	return p
}

func pathsOf(t testing.TB, list ...attribution.Path) *attribution.Paths {
	t.Helper()
	var paths attribution.Paths
	for _, p := range list {
		if err := paths.Add(p); err != nil {
			t.Fatal(err)
		}
	}
	return &paths
}

// randomPaths returns paths over the first letters of the alphabet. Half of the paths contain the ages of their
// touchpoints.
func randomPaths(seed uint64, n, channels int) []attribution.Path {
	r := rand.New(rand.NewPCG(seed, 0))
	list := make([]attribution.Path, n)
	for i := range list {
		p := attribution.Path{Conversions: float64(r.IntN(4)), Nulls: float64(r.IntN(9))}
		if p.Conversions > 0 {
			p.Value = r.Int64N(100_000)
		}
		age := 0.0
		for range r.IntN(8) {
			p.Channels = append(p.Channels, measure.Channel(string(rune('a'+r.IntN(channels)))))
			p.AgeDays = append([]float64{age}, p.AgeDays...)
			age += r.Float64() * 10
		}
		if i%2 == 0 {
			p.AgeDays = nil
		}
		list[i] = p
	}
	return list
}

func TestOnePathIsCreditedByEachModelsRule(t *testing.T) {
	t.Parallel()
	aged := path("a > b > c", 1, 1000, 0)
	aged.AgeDays = []float64{14, 7, 0}
	old := path("a > b", 1, 1000, 0)
	old.AgeDays = []float64{100_007, 100_000}
	cases := []struct {
		model attribution.Model
		path  attribution.Path
		want  map[measure.Channel]float64
	}{
		{attribution.First, path("a > b > a > c", 1, 1000, 0), map[measure.Channel]float64{"a": 1, "b": 0, "c": 0}},
		{attribution.Last, path("a > b > a > c", 1, 1000, 0), map[measure.Channel]float64{"a": 0, "b": 0, "c": 1}},
		{attribution.Linear, path("a > b > a > c", 1, 1000, 0), map[measure.Channel]float64{"a": .5, "b": .25, "c": .25}},
		{attribution.Position, path("a > b > d > c", 1, 1000, 0), map[measure.Channel]float64{
			"a": .4, "b": .1, "c": .4, "d": .1,
		}},
		{attribution.Position, path("a > b > a", 1, 1000, 0), map[measure.Channel]float64{"a": .8, "b": .2}},
		{attribution.Position, path("a > b", 1, 1000, 0), map[measure.Channel]float64{"a": .5, "b": .5}},
		{attribution.Position, path("a", 1, 1000, 0), map[measure.Channel]float64{"a": 1}},
		{attribution.TimeDecay, path("a > b > c", 1, 1000, 0), map[measure.Channel]float64{
			"a": 1. / 7, "b": 2. / 7, "c": 4. / 7,
		}},
		{attribution.TimeDecay, aged, map[measure.Channel]float64{"a": 1. / 7, "b": 2. / 7, "c": 4. / 7}},
		{attribution.TimeDecay, old, map[measure.Channel]float64{"a": 1. / 3, "b": 2. / 3}},
		{attribution.Shapley, path("a > b > a > c", 1, 1000, 0), map[measure.Channel]float64{
			"a": 1. / 3, "b": 1. / 3, "c": 1. / 3,
		}},
		{attribution.Markov1, path("a > b > a > c", 1, 1000, 0), map[measure.Channel]float64{"a": .4, "b": .2, "c": .4}},
		{attribution.Markov3, path("a > b > a > c", 1, 1000, 0), map[measure.Channel]float64{
			"a": 1. / 3, "b": 1. / 3, "c": 1. / 3,
		}},
	}
	for _, c := range cases {
		for _, credit := range attribute(t, pathsOf(t, c.path), c.model).Credits {
			if want := c.want[credit.Channel]; math.Abs(credit.Conversions-want) > 1e-12 ||
				math.Abs(credit.Value-1000*want) > 1e-9 {
				t.Errorf("%s of %v: %s has %v conversions, value %v; want %v",
					c.model, c.path.Channels, credit.Channel, credit.Conversions, credit.Value, want)
			}
		}
	}
}

func TestEveryModelConservesTotalsAndKeepsOrdersWithoutTouchpoints(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		paths := pathsOf(t, randomPaths(seed, 200, 6)...)
		totals := paths.Totals()
		var untouched attribution.Result
		for i, m := range attribution.Models() {
			result := attribute(t, paths, m)
			conversions, whole := result.Totals()
			if math.Abs(conversions-totals.Conversions) > 1e-9*totals.Conversions || whole != totals.Value {
				t.Errorf("seed %d, %s: %v conversions, value %d; want %v, %d",
					seed, m, conversions, whole, totals.Conversions, totals.Value)
			}
			for _, c := range append(result.Credits, result.Unattributed) {
				if c.Conversions < 0 || c.Value < 0 || math.Abs(c.Value-float64(c.Whole)) > 1+1e-6 {
					t.Errorf("seed %d, %s: %+v", seed, m, c)
				}
			}
			if i == 0 {
				untouched = result
			} else if result.Unattributed != untouched.Unattributed {
				t.Errorf("seed %d, %s: unattributed %+v, want %+v", seed, m, result.Unattributed, untouched.Unattributed)
			}
		}
	}
}

func TestModelsDoNotDependOnTheOrderOfPathsNorOnTheirAggregation(t *testing.T) {
	t.Parallel()
	list := randomPaths(7, 150, 5)
	var split []attribution.Path
	for _, p := range list {
		half := p
		half.Conversions, half.Nulls, half.Value = p.Conversions/2, p.Nulls/2, p.Value/2
		rest := half
		rest.Value = p.Value - half.Value
		split = append(split, half, rest)
	}
	r := rand.New(rand.NewPCG(1, 1))
	r.Shuffle(len(split), func(i, j int) { split[i], split[j] = split[j], split[i] })
	for _, m := range attribution.Models() {
		want, got := attribute(t, pathsOf(t, list...), m), attribute(t, pathsOf(t, split...), m)
		for i := range want.Credits {
			// Sums are computed in another order, so results differ by rounding.
			if w, g := want.Credits[i], got.Credits[i]; g.Channel != w.Channel || math.Abs(g.Conversions-w.Conversions) > 1e-9 ||
				math.Abs(g.Value-w.Value) > 1e-5 {
				t.Errorf("%s: %+v, want %+v", m, g, w)
			}
		}
	}
}

func TestScalingEveryCountScalesEveryCredit(t *testing.T) {
	t.Parallel()
	list := randomPaths(9, 150, 5)
	scaled := randomPaths(9, 150, 5)
	for i := range scaled {
		scaled[i].Conversions *= 3
		scaled[i].Nulls *= 3
		scaled[i].Value *= 3
	}
	for _, m := range attribution.Models() {
		want, got := attribute(t, pathsOf(t, list...), m), attribute(t, pathsOf(t, scaled...), m)
		for i := range want.Credits {
			if w, g := want.Credits[i], got.Credits[i]; math.Abs(g.Conversions-3*w.Conversions) > 1e-9 ||
				math.Abs(g.Value-3*w.Value) > 1e-5 {
				t.Errorf("%s: %+v is not three times %+v", m, g, w)
			}
		}
	}
}

func TestWithoutConversionsAllCreditsAreZero(t *testing.T) {
	t.Parallel()
	for _, paths := range []*attribution.Paths{{}, pathsOf(t, path("a > b", 0, 0, 5)), pathsOf(t, path("", 0, 0, 5))} {
		for _, m := range attribution.Models() {
			if conversions, whole := attribute(t, paths, m).Totals(); conversions != 0 || whole != 0 {
				t.Errorf("%s: %v conversions, value %d", m, conversions, whole)
			}
		}
	}
}

func TestInvalidPathsAreRejectedByIndex(t *testing.T) {
	t.Parallel()
	ages := path("a > b", 1, 0, 0)
	ages.AgeDays = []float64{1}
	future := path("a > b", 1, 0, 0)
	future.AgeDays = []float64{1, -2}
	cases := []struct {
		path attribution.Path
		want string
	}{
		{path("a", -1, 0, 0), "path 1: conversions is -1"},
		{path("a", math.NaN(), 0, 0), "path 1: conversions is NaN"},
		{path("a", 1, -5, 0), "path 1: value is -5"},
		{path("a", 0, 5, 3), "path 1: value is 5 without a conversion"},
		{path("a", 1, 0, math.Inf(1)), "path 1: nulls is +Inf"},
		{path("a", 1, math.MaxInt64, 0), "path 1: the total of values exceeds"},
		{attribution.Path{Channels: []measure.Channel{"a", ""}}, "path 1: touchpoint 1 has no channel"},
		{ages, "path 1: 1 ages for 2 touchpoints"},
		{future, "path 1: age of touchpoint 1 is -2"},
	}
	for _, c := range cases {
		paths := pathsOf(t, path("b", 1, 10, 0))
		err := paths.Add(c.path)
		if err == nil || !strings.Contains(err.Error(), c.want) || fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("Add(%+v) = %v, want %q", c.path, err, c.want)
		}
		if paths.Len() != 1 || paths.Totals() != (attribution.Totals{Conversions: 1, Value: 10}) {
			t.Errorf("after %v the paths hold %d rows, %+v", err, paths.Len(), paths.Totals())
		}
	}
}

func TestModelsAreFoundByTheirNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]attribution.Model{
		"first": attribution.First, "last_touch": attribution.Last, "position_based": attribution.Position,
		"markov": attribution.Markov1, "markov:3": attribution.Markov3, "shapley": attribution.Shapley,
	} {
		if got, err := attribution.ParseModel(name); err != nil || got != want {
			t.Errorf("ParseModel(%q) = %q, %v; want %q", name, got, err, want)
		}
	}
	for _, name := range []string{"", "markov:4", "Markov", "data_driven"} {
		if got, err := attribution.ParseModel(name); fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("ParseModel(%q) = %q, %v", name, got, err)
		}
	}
}

// TestShapleyEqualsItsDefinition averages the marginal conversions of each channel over all orders in which channels
// can join.
func TestShapleyEqualsItsDefinition(t *testing.T) {
	t.Parallel()
	list := randomPaths(3, 60, 5)
	result := attribute(t, pathsOf(t, list...), attribution.Shapley)
	want := map[measure.Channel]float64{}
	orders := permutations([]measure.Channel{"a", "b", "c", "d", "e"})
	for _, order := range orders {
		joined := map[measure.Channel]bool{}
		before := worth(list, joined)
		for _, ch := range order {
			joined[ch] = true
			after := worth(list, joined)
			want[ch] += (after - before) / float64(len(orders))
			before = after
		}
	}
	for _, c := range result.Credits {
		if math.Abs(c.Conversions-want[c.Channel]) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.Channel, c.Conversions, want[c.Channel])
		}
	}
}

// worth returns the conversions of the paths that have touchpoints only in these channels.
func worth(list []attribution.Path, joined map[measure.Channel]bool) float64 {
	var sum float64
	for _, p := range list {
		inside := true
		for _, ch := range p.Channels {
			inside = inside && joined[ch]
		}
		if inside {
			sum += p.Conversions
		}
	}
	return sum
}

func permutations(list []measure.Channel) [][]measure.Channel {
	if len(list) == 0 {
		return [][]measure.Channel{nil}
	}
	var all [][]measure.Channel
	for i, first := range list {
		rest := append(append([]measure.Channel{}, list[:i]...), list[i+1:]...)
		for _, tail := range permutations(rest) {
			all = append(all, append([]measure.Channel{first}, tail...))
		}
	}
	return all
}
