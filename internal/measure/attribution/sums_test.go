package attribution_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/attribution"
)

// randomJourneys returns journeys with uneven amounts, exchanges with negative amounts, and refunds without an order.
func randomJourneys(r *rand.Rand, n int) (journeys []attribution.Journey, total measure.Sums) {
	names := []measure.Channel{"facebook", "google", "direct", "email", "tiktok"}
	for i := range n {
		var j attribution.Journey
		for range 1 + r.IntN(4) {
			j.Channels = append(j.Channels, names[r.IntN(len(names))])
		}
		orders := r.Int64N(4) * measure.Millionths
		j.Sums = measure.Sums{
			Orders: orders, Charged: r.Int64N(50_000) - 3000, Tax: r.Int64N(900) - 40, Shipping: r.Int64N(2) * 495,
			Discounts: r.Int64N(700),
			Refunds:   r.Int64N(4000), Undated: r.Int64N(10), NewOrders: orders / 2, Units: r.Int64N(9),
		}
		if i%7 == 0 {
			j.Sums = measure.Sums{Refunds: 333}
		}
		journeys, total = append(journeys, j), total.Add(j.Sums)
	}
	return journeys, total
}

func TestCreditedSumsAddUpToTheUnit(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		journeys, total := randomJourneys(rand.New(rand.NewPCG(seed, 0)), 1+int(seed))
		for _, m := range []attribution.Model{
			attribution.Last, attribution.Shapley, attribution.Markov1, attribution.Markov2,
			attribution.Markov3,
		} {
			got, err := attribution.CreditSums(journeys, m)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(total, got.Total()); diff != "" {
				t.Errorf("seed %d, %s (-in +attributed):\n%s", seed, m, diff)
			}
			blended, err := attribution.BlendSums(got, []attribution.Stratum{
				{Name: "new", Orders: 30, Value: 900, Answers: map[measure.Channel]float64{"podcast": 7, "google": 3}, Unmapped: 2},
				{Name: "returning", Orders: 10, Value: 500, Answers: map[measure.Channel]float64{"email": 1}},
			}, attribution.Blend{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(total, blended.Credits.Total()); diff != "" {
				t.Errorf("seed %d, %s blended (-in +attributed):\n%s", seed, m, diff)
			}
		}
	}
}

func TestCreditedSumsFollowTheModels(t *testing.T) {
	t.Parallel()
	order := measure.Sums{Orders: measure.Millionths, Charged: 10_01}
	journeys := []attribution.Journey{
		{Channels: []measure.Channel{"facebook", "google", "direct"}, Sums: order},
		{Channels: []measure.Channel{"direct"}, Sums: order},
		{Channels: []measure.Channel{"google", "facebook", "google"}, Sums: measure.Sums{Charged: -5, Refunds: 7}},
	}
	for m, want := range map[attribution.Model]string{
		attribution.Last: "direct 1001 0, google 996 7",
		// The amount 1001 splits into 333, 334 and 334. The amount -5 splits into -3 and -2, and 7 into 3 and 4.
		attribution.Shapley: "direct 1334 0, facebook 331 3, google 332 4",
	} {
		got, err := attribution.CreditSums(journeys, m)
		if err != nil {
			t.Fatal(err)
		}
		var parts []string
		for _, name := range []measure.Channel{"direct", "facebook", "google"} {
			if s, ok := got[name]; ok {
				parts = append(parts, fmt.Sprintf("%s %d %d", name, s.Charged, s.Refunds))
			}
		}
		if text := strings.Join(parts, ", "); text != want {
			t.Errorf("%s: %s, want %s", m, text, want)
		}
	}
	if _, err := attribution.CreditSums([]attribution.Journey{{Sums: order}}, attribution.Shapley); fault.KindOf(
		err) != fault.KindInvalid {
		t.Errorf("a journey without channels: %v", err)
	}
	if _, err := attribution.CreditSums(journeys, attribution.Linear); fault.KindOf(err) != fault.KindInvalid {
		t.Errorf("a model that is kept by day: %v", err)
	}
}

// Attribution of sums and attribution of paths give the same shares of orders.
func TestCreditedOrdersEqualTheModelsOnPaths(t *testing.T) {
	t.Parallel()
	journeys, _ := randomJourneys(rand.New(rand.NewPCG(9, 0)), 60)
	var paths attribution.Paths
	for _, j := range journeys {
		if err := paths.Add(attribution.Path{Channels: j.Channels, Conversions: j.Sums.OrderCount()}); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range []attribution.Model{attribution.Shapley, attribution.Markov1, attribution.Markov2} {
		want, err := attribution.Attribute(&paths, m)
		if err != nil {
			t.Fatal(err)
		}
		got, err := attribution.CreditSums(journeys, m)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range want.Credits {
			// Attributed orders are whole numbers of millionths. A journey may lose one millionth to rounding.
			if have := got[c.Channel].OrderCount(); math.Abs(have-c.Conversions) > 1e-6*float64(len(journeys)) {
				t.Errorf("%s attributes to %s %v orders, want %v", m, c.Channel, have, c.Conversions)
			}
		}
	}
}

func TestBlendedSumsWithoutAnswersAreUnchanged(t *testing.T) {
	t.Parallel()
	credits := attribution.Sums{"google": {Orders: 5, Charged: -3}, measure.Unattributed: {Orders: 2, Charged: 9}}
	got, err := attribution.BlendSums(credits, []attribution.Stratum{
		{Name: "all", Orders: 7, Unmapped: 3},
	}, attribution.Blend{})
	if err != nil || got.SurveyWeight != 0 {
		t.Fatalf("weight %v, %v", got.SurveyWeight, err)
	}
	if diff := cmp.Diff(credits, got.Credits); diff != "" {
		t.Error(diff)
	}
}
