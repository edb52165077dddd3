package ask

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The values are FNV-1a hashes of the bytes, computed in Python. The upper half is XOR-folded into the lower half.
func TestFeaturesAreHashes(t *testing.T) {
	t.Parallel()
	for want, parts := range map[uint32][]string{323: {"w", "revenue"}, 4207: {"b", "^", "top"}, 2551: {"c", "<tik"}} {
		if got := hash(parts[0][0], parts[1:]...); got != want {
			t.Errorf("hash of %q is %d, want %d", parts, got, want)
		}
	}
	want := map[uint32]string{}
	for _, parts := range [][]string{
		{"w", "up"},
		{"w", "<date>"},
		{"w", "sms"},
		{"w", "tik"},
		{"b", "^", "up"},
		{"b", "up", "<date>"},
		{"b", "<date>", "sms"},
		{"b", "sms", "tik"},
		{"b", "tik", "$"},
		{"c", "<ti"},
		{"c", "tik"},
		{"c", "ik>"},
		{"c", "<tik"},
		{"c", "tik>"},
	} {
		want[hash(parts[0][0], parts[1:]...)] = fmt.Sprint(parts)
	}
	got := features([]item{{text: "up"}, {text: ","}, {text: "today", tag: dateTag}, {text: "sms", tag: channelTag}, {text: "-"}, {text: "tik"}})
	for i, f := range got {
		if want[f] == "" {
			t.Errorf("unknown feature %d", f)
		}
		if i > 0 && got[i-1] >= f {
			t.Errorf("features are not in order: %v", got)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d features, want %d", len(got), len(want))
	}
	if twice := features([]item{{text: "up"}, {text: "up"}}); len(twice) != 4 { // up; ^ up, up up, up $
		t.Errorf("%d features of a word that occurs twice, want 4", len(twice))
	}
}

func TestSymbols(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		item item
		want string
	}{
		{item{text: "revenue"}, "revenue"},
		{item{text: "facebook", tag: channelTag}, channelTag},
		{item{text: "sms", tag: channelTag}, "sms"},
		{item{text: "sms", tag: campaignTag}, campaignTag},
		{item{text: "?"}, ""},
		{item{text: "–"}, ""},
		{item{text: ""}, ""},
		{item{text: "?", tag: dateTag}, dateTag},
	} {
		if got := c.item.symbol(); got != c.want {
			t.Errorf("%+v is %q, want %q", c.item, got, c.want)
		}
	}
}

func TestProbabilities(t *testing.T) {
	t.Parallel()
	x := []float64{1000, 1000 + math.Log(3)}
	softmax(x)
	if math.Abs(x[0]-0.25) > 1e-12 || math.Abs(x[1]-0.75) > 1e-12 {
		t.Errorf("softmax %v, want 0.25 and 0.75", x)
	}
	// The scale of the weights is 0.5. The stored weights of the word's bucket are 4 for class a and -4 for class b.
	// The biases are 0.25 and 0.
	file := []byte("a b\n")
	for _, v := range []float32{0.5, 0.25, 0} {
		file = binary.LittleEndian.AppendUint32(file, math.Float32bits(v))
	}
	weights := make([]byte, 2*buckets)
	low := int8(-4)
	up := hash('w', "up")
	weights[2*up], weights[2*up+1] = 4, byte(low)
	m, err := decodeClassifier(append(file, weights...))
	if err != nil {
		t.Fatal(err)
	}
	for items, logit := range map[string]float64{
		"up": 0.5*8/math.Sqrt(3) + 0.25, // three features: the word and its two pairs
		"":   0.25,
		"no": 0.25,
	} {
		got := m.probabilities(itemsOf(items))
		if want := 1 / (1 + math.Exp(-logit)); len(got) != 2 || math.Abs(got["a"]-want) > 1e-9 || math.Abs(got["a"]+got["b"]-1) > 1e-12 {
			t.Errorf("%q: %v, want a %v", items, got, want)
		}
	}
	for text, want := range map[string]string{
		"":                                   "weights have 0 bytes, want 4",
		"a b":                                "weights have 0 bytes, want 16396",
		"a b\n":                              "weights have 0 bytes, want 16396",
		string(append(file, weights[1:]...)): "weights have 16395 bytes, want 16396",
	} {
		if _, err := decodeClassifier([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%.10q: error %v, want %s", text, err, want)
		}
	}
}

func TestTraining(t *testing.T) {
	t.Parallel()
	examples := []Example{
		{"trends", "revenue trend"},
		{"trends", "trend of orders"},
		{"none", "tell me a joke"},
		{"none", "a poem"},
		{"campaigns", "top campaigns"},
		{"campaigns", "best ads"},
		{"trends", "weekly trend"},
		{"none", ""},
	}
	file, err := Train(examples, "revenue trend orders campaigns")
	if err != nil {
		t.Fatal(err)
	}
	again, _ := Train(examples, "revenue trend orders campaigns")
	if string(file) != string(again) {
		t.Error("two trainings differ")
	}
	m, err := decodeClassifier(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"campaigns", "none", "trends"}, m.classes); diff != "" {
		t.Errorf("classes (-want +got):\n%s", diff)
	}
	got := fmt.Sprintf("scale %.6g, biases %.5g", m.scale, m.bias)
	if want := "scale 0.0125841, biases [-0.0097879 0.02729 -0.017502]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	sum, largest := 0, int8(0)
	for _, w := range m.weights {
		sum += int(w)
		largest = max(largest, w, -w)
	}
	if largest != quantum || sum != -6754 {
		t.Errorf("the largest weight is %d, the sum %d; want %d and -6754", largest, sum, quantum)
	}
	for question, want := range map[string]string{"trend of revenue": "trends", "campaigns": "campaigns", "a joke": "none"} {
		p := m.probabilities(itemsOf(strings.ToLower(question)))
		for class, share := range p {
			if class != want && share >= p[want] {
				t.Errorf("%q: %v, want %s", question, p, want)
			}
		}
	}
}
