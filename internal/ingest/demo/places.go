package demo

import "math/rand/v2"

// state is a state of the United States.
type state struct {
	code       string  // ISO 3166-2 without the country
	population int64   // thousands, estimate for 2024
	tax        float64 // combined sales tax, rounded
}

var states = []state{
	{"AL", 5158, .093},
	{"AK", 740, .018},
	{"AZ", 7583, .084},
	{"AR", 3088, .095},
	{"CA", 39431, .088},
	{"CO", 5957, .078},
	{"CT", 3675, .0635},
	{"DE", 1052, 0},
	{"DC", 702, .06},
	{"FL", 23372, .07},
	{"GA", 11181, .074},
	{"HI", 1446, .045},
	{"ID", 2002, .06},
	{"IL", 12710, .089},
	{"IN", 6924, .07},
	{"IA", 3241, .069},
	{"KS", 2971, .087},
	{"KY", 4588, .06},
	{"LA", 4598, .0956},
	{"ME", 1405, .055},
	{"MD", 6263, .06},
	{"MA", 7136, .0625},
	{"MI", 10140, .06},
	{"MN", 5793, .08},
	{"MS", 2943, .0706},
	{"MO", 6245, .084},
	{"MT", 1137, 0},
	{"NE", 2005, .0697},
	{"NV", 3267, .0824},
	{"NH", 1409, 0},
	{"NJ", 9501, .066},
	{"NM", 2130, .0762},
	{"NY", 19867, .0853},
	{"NC", 11046, .07},
	{"ND", 797, .0704},
	{"OH", 11883, .0724},
	{"OK", 4096, .0899},
	{"OR", 4272, 0},
	{"PA", 13079, .0634},
	{"RI", 1112, .07},
	{"SC", 5479, .075},
	{"SD", 925, .0611},
	{"TN", 7228, .0955},
	{"TX", 31290, .082},
	{"UT", 3504, .0725},
	{"VT", 648, .0636},
	{"VA", 8811, .0577},
	{"WA", 7958, .0938},
	{"WV", 1770, .0657},
	{"WI", 5961, .057},
	{"WY", 588, .0544},
}

// country is the country of all orders.
const country = "US"

// places describes the distribution of people and demand over the states.
type places struct {
	people []float64 // share of the population; media reach people
	own    []float64 // share of demand without media: people x the state's affinity for the store
}

func newPlaces(r *rand.Rand) places {
	p := places{people: make([]float64, len(states)), own: make([]float64, len(states))}
	all, liked := 0.0, 0.0
	for i, s := range states {
		p.people[i] = float64(s.population)
		p.own[i] = p.people[i] * scatter(r, 0.15)
		all += p.people[i]
		liked += p.own[i]
	}
	for i := range states {
		p.people[i] /= all
		p.own[i] /= liked
	}
	return p
}
