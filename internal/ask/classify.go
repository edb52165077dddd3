package ask

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

//go:embed weights.bin
var weightFile []byte

// OutOfScope is the class of questions that no tool answers.
const OutOfScope = "none"

const (
	buckets  = 1 << 13 // number of buckets of hashed features
	quantum  = 127     // largest quantized weight
	shortest = 3       // number of characters in the shortest n-gram
	longest  = 4
)

// classifier is a multinomial logistic model of hashed word and character n-grams. Weights are quantized to one byte.
type classifier struct {
	classes []string
	scale   float32
	weights []int8 // one weight per class for each bucket
	bias    []float32
}

// features hashes the items: words and tags, their bigrams, and character n-grams of words.
func features(items []item) []uint32 {
	var out []uint32
	add := func(kind byte, parts ...string) { out = append(out, hash(kind, parts...)) }
	last := "^"
	for _, it := range items {
		s := it.symbol()
		if s == "" {
			continue
		}
		add('w', s)
		add('b', last, s)
		last = s
		if it.tag != "" || len(s) < shortest {
			continue
		}
		padded := "<" + s + ">"
		for n := shortest; n <= longest; n++ {
			for i := 0; i+n <= len(padded); i++ {
				add('c', padded[i:i+n])
			}
		}
	}
	add('b', last, "$")
	slices.Sort(out)
	return slices.Compact(out)
}

// symbol returns the word, or the tag of a slot. For a channel with its own tool, such as email, it returns the
// channel's name.
func (it item) symbol() string {
	switch {
	case it.tag == channelTag && messaging[it.text]:
		return it.text
	case it.tag != "":
		return it.tag
	case strings.Trim(it.text, ",.!-–&+:;?") == "":
		return ""
	}
	return it.text
}

// hash returns the FNV-1a hash, folded to the number of buckets.
func hash(kind byte, parts ...string) uint32 {
	h := uint32(2166136261)
	h = (h ^ uint32(kind)) * 16777619
	for _, p := range parts {
		for i := range len(p) {
			h = (h ^ uint32(p[i])) * 16777619
		}
		h = (h ^ ' ') * 16777619
	}
	return (h ^ h>>16) % buckets
}

// probabilities returns the probability of each class.
func (m *classifier) probabilities(items []item) map[string]float64 {
	logits := make([]float64, len(m.classes))
	present := features(items)
	norm := float64(m.scale) / math.Sqrt(float64(max(1, len(present))))
	for k := range logits {
		sum := 0
		for _, f := range present {
			sum += int(m.weights[int(f)*len(m.classes)+k])
		}
		logits[k] = float64(float64(sum)*norm) + float64(m.bias[k])
	}
	softmax(logits)
	out := make(map[string]float64, len(logits))
	for k, name := range m.classes {
		out[name] = logits[k]
	}
	return out
}

func softmax(x []float64) {
	top := slices.Max(x)
	sum := 0.0
	for i := range x {
		x[i] = math.Exp(x[i] - top)
		sum += x[i]
	}
	for i := range x {
		x[i] /= sum
	}
}

// decodeClassifier reads the file that [Train] writes.
func decodeClassifier(file []byte) (*classifier, error) {
	head, body, ok := strings.Cut(string(file), "\n")
	classes := strings.Fields(head)
	want := 4 + 4*len(classes) + buckets*len(classes)
	if !ok || len(body) != want {
		return nil, fmt.Errorf("weights have %d bytes, want %d", len(body), want)
	}
	m := &classifier{classes: classes}
	read := func(at int) float32 { return math.Float32frombits(binary.LittleEndian.Uint32([]byte(body[at : at+4]))) }
	m.scale = read(0)
	for k := range classes {
		m.bias = append(m.bias, read(4+4*k))
	}
	m.weights = make([]int8, buckets*len(classes))
	for i, b := range []byte(body[4+4*len(classes):]) {
		m.weights[i] = int8(b)
	}
	return m, nil
}

// Example is a training question with the tool that answers it, or [OutOfScope].
type Example struct{ Tool, Question string }

// Hyperparameters of the training.
const (
	passes  = 12
	rate    = 0.5
	decay   = 1e-5
	seed    = 7
	minimum = 1e-8
)

// Train fits the classifier and returns the content of its file. The result depends only on the arguments: products are
// rounded before they are added, so that no processor fuses the two operations.
func Train(examples []Example, words string) ([]byte, error) {
	tr := &Translator{lexicon: newLexicon(words)}
	m := trainer{}
	var inputs [][]uint32
	var labels []int
	for _, e := range examples {
		if !slices.Contains(m.classes, e.Tool) {
			m.classes = append(m.classes, e.Tool)
		}
	}
	slices.Sort(m.classes)
	for _, e := range examples {
		c := tr.parse(tokenize(e.Question), &Question{Today: trainingDay})
		inputs = append(inputs, features(c.items))
		labels = append(labels, slices.Index(m.classes, e.Tool))
	}
	m.fit(inputs, labels)
	return m.encode(), nil
}

// trainer fits a multinomial logistic regression with AdaGrad step sizes.
type trainer struct {
	classes       []string
	weights, seen []float64 // per bucket and class: the weight and the sum of its squared gradients
	bias          []float64
}

func (m *trainer) fit(inputs [][]uint32, labels []int) {
	k := len(m.classes)
	m.weights, m.seen, m.bias = make([]float64, buckets*k), make([]float64, buckets*k), make([]float64, k)
	random := rand.New(rand.NewPCG(seed, seed))
	p := make([]float64, k)
	for range passes {
		for _, i := range random.Perm(len(inputs)) {
			norm := 1 / math.Sqrt(float64(max(1, len(inputs[i]))))
			copy(p, m.bias)
			for _, f := range inputs[i] {
				row := m.weights[int(f)*k : int(f)*k+k]
				for j, w := range row {
					p[j] += float64(w * norm)
				}
			}
			softmax(p)
			p[labels[i]]--
			m.step(inputs[i], p, norm)
		}
	}
}

func (m *trainer) step(input []uint32, gradient []float64, norm float64) {
	k := len(m.classes)
	for j, g := range gradient {
		m.bias[j] -= float64(0.01 * g)
	}
	for _, f := range input {
		at := int(f) * k
		for j, g := range gradient {
			d := float64(g*norm) + float64(decay*m.weights[at+j])
			m.seen[at+j] += float64(d * d)
			m.weights[at+j] -= float64(rate*d) / math.Sqrt(m.seen[at+j]+minimum)
		}
	}
}

func (m *trainer) encode() []byte {
	largest := minimum
	for _, w := range m.weights {
		largest = max(largest, math.Abs(w))
	}
	out := []byte(strings.Join(m.classes, " ") + "\n")
	out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(largest/quantum)))
	for _, b := range m.bias {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(b)))
	}
	for _, w := range m.weights {
		out = append(out, byte(int8(math.Round(w/largest*quantum))))
	}
	return out
}
