package attribution_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/mat"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/attribution"
)

func effectsOf(t testing.TB, paths *attribution.Paths, order int) attribution.Removals {
	t.Helper()
	removals, err := attribution.RemovalEffects(paths, order)
	if err != nil {
		t.Fatal(err)
	}
	return removals
}

// TestTextbookChain uses the example of analyzecore.com (2016), "Attribution model with R", part 1.
func TestTextbookChain(t *testing.T) {
	t.Parallel()
	paths := pathsOf(t, path("c1 > c2 > c3", 1, 100, 0), path("c1", 0, 0, 1), path("c2 > c3", 0, 0, 1))
	want := attribution.Removals{
		Order: 1, States: 4, Conversion: 1. / 3,
		Effects: []attribution.Removal{{Channel: "c1", Effect: .5}, {Channel: "c2", Effect: 1}, {Channel: "c3", Effect: 1}},
	}
	if diff := cmp.Diff(want, effectsOf(t, paths, 1), cmpopts.EquateApprox(0, 1e-14)); diff != "" {
		t.Error(diff)
	}
	var whole []int64
	for _, c := range attribute(t, paths, attribution.Markov1).Credits {
		whole = append(whole, c.Whole)
	}
	if diff := cmp.Diff([]int64{20, 40, 40}, whole); diff != "" {
		t.Error(diff)
	}
}

// TestChainsEqualADenseSolution compares the results with a simpler chain. Its states are texts, and it is solved by LU
// decomposition.
func TestChainsEqualADenseSolution(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		list := randomPaths(seed, 120, 5)
		for order := 1; order <= attribution.MaxOrder; order++ {
			got := effectsOf(t, pathsOf(t, list...), order)
			whole := denseConversion(t, list, order, "")
			if math.Abs(got.Conversion-whole) > 1e-12 {
				t.Errorf("seed %d, order %d: P = %v, want %v", seed, order, got.Conversion, whole)
			}
			for _, e := range got.Effects {
				if want := 1 - denseConversion(t, list, order, e.Channel)/whole; math.Abs(e.Effect-want) > 1e-11 {
					t.Errorf("seed %d, order %d, %s: %v, want %v", seed, order, e.Channel, e.Effect, want)
				}
			}
		}
	}
}

// denseConversion returns the conversion probability if every tuple with the removed channel leads to null.
func denseConversion(t *testing.T, list []attribution.Path, order int, removed measure.Channel) float64 {
	t.Helper()
	counts := map[string]map[string]float64{}
	count := func(from, to string, weight float64) {
		if counts[from] == nil {
			counts[from] = map[string]float64{}
		}
		counts[from][to] += weight
	}
	for _, p := range list {
		state := []string{}
		for _, ch := range p.Channels {
			from := strings.Join(state, ">")
			state = append(state, string(ch))
			state = state[max(0, len(state)-order):]
			count(from, strings.Join(state, ">"), p.Conversions+p.Nulls)
		}
		if len(p.Channels) > 0 {
			count(strings.Join(state, ">"), "conversion", p.Conversions)
			count(strings.Join(state, ">"), "null", p.Nulls)
		}
	}
	var states []string
	for state := range counts {
		states = append(states, state)
	}
	slices.Sort(states) // the start, "", comes first
	system, convert := mat.NewDense(len(states), len(states), nil), mat.NewVecDense(len(states), nil)
	for i, state := range states {
		system.Set(i, i, 1)
		var visits float64
		for _, weight := range counts[state] {
			visits += weight
		}
		if visits == 0 || removed != "" && slices.Contains(strings.Split(state, ">"), string(removed)) {
			continue
		}
		convert.SetVec(i, counts[state]["conversion"]/visits)
		for j, next := range states {
			if weight := counts[state][next]; weight > 0 {
				system.Set(i, j, system.At(i, j)-weight/visits)
			}
		}
	}
	var h mat.VecDense
	if err := h.SolveVec(system, convert); err != nil {
		t.Fatal(err)
	}
	return h.AtVec(0)
}

func TestRepeatsOfAChannelHaveNoEffectAtOrderOne(t *testing.T) {
	t.Parallel()
	list := randomPaths(4, 100, 4)
	repeated := randomPaths(4, 100, 4)
	for i, p := range repeated {
		if len(p.Channels) > 0 {
			repeated[i].AgeDays = nil
			repeated[i].Channels = append(slices.Repeat(p.Channels[:1], 1+i%5), p.Channels...)
		}
	}
	// Repeats at the start are steps from a state to itself. The proportions of the state's other transitions do not
	// change.
	want, got := effectsOf(t, pathsOf(t, list...), 1), effectsOf(t, pathsOf(t, repeated...), 1)
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error(diff)
	}
}

func TestLongCyclesAreSolved(t *testing.T) {
	t.Parallel()
	// Each journey repeats a cycle of two or three channels thousands of times.
	round := func(text string, times int) string {
		return strings.TrimSuffix(strings.Repeat(text+" > ", times), " > ")
	}
	paths := pathsOf(t, path(round("a > b", 3000), 1, 0, 1), path(round("a > b > c", 2000), 1, 0, 0), path("d", 1, 0, 1))
	for order := 1; order <= attribution.MaxOrder; order++ {
		removals := effectsOf(t, paths, order)
		if p := removals.Conversion; !(p > 0.5 && p < 0.7) {
			t.Errorf("order %d: P = %v", order, p)
		}
		// Without channel a, only the journeys of channel d convert. These are two of the five journeys, and one of the
		// two converts.
		if want := 1 - 0.2/removals.Conversion; math.Abs(removals.Effects[0].Effect-want) > 1e-9 {
			t.Errorf("order %d: effect of a is %v, want %v", order, removals.Effects[0].Effect, want)
		}
	}
}

func TestLongJourneysThroughManyChannelsAreSolved(t *testing.T) {
	t.Parallel()
	var touches []measure.Channel
	for i := range 700 {
		touches = append(touches, measure.Channel(fmt.Sprintf("c%03d", i)))
	}
	paths := pathsOf(t, attribution.Path{Channels: touches, Conversions: 3, Nulls: 1})
	for order := 1; order <= attribution.MaxOrder; order++ {
		removals := effectsOf(t, paths, order)
		if removals.States != 701 || math.Abs(removals.Conversion-.75) > 1e-12 {
			t.Errorf("order %d: %d states, P = %v; want 701, 0.75", order, removals.States, removals.Conversion)
		}
		for _, e := range removals.Effects {
			if math.Abs(e.Effect-1) > 1e-12 {
				t.Fatalf("order %d, %s: effect %v, want 1", order, e.Channel, e.Effect)
			}
		}
	}
}

func TestWithoutKnownNullsEveryJourneyConverts(t *testing.T) {
	t.Parallel()
	removals := effectsOf(t, pathsOf(t, path("a > b", 3, 0, 0), path("b", 1, 0, 0)), 1)
	want := []attribution.Removal{{Channel: "a", Effect: .75}, {Channel: "b", Effect: 1}}
	if diff := cmp.Diff(want, removals.Effects, cmpopts.EquateApprox(0, 1e-14)); diff != "" ||
		math.Abs(removals.Conversion-1) > 1e-14 {
		t.Errorf("P = %v\n%s", removals.Conversion, diff)
	}
}

func TestOrdersOutsideOneToThreeAreRejected(t *testing.T) {
	t.Parallel()
	for _, order := range []int{-1, 0, 4} {
		if _, err := attribution.RemovalEffects(pathsOf(t, path("a", 1, 0, 0)), order); fault.KindOf(
			err) != fault.KindInvalid {
			t.Errorf("order %d: %v", order, err)
		}
	}
}
