package knowledge

import (
	_ "embed"
	"math"
	"slices"
	"strings"

	"assay/internal/fault"
)

//go:embed wordings.txt
var wordingsText string

// foreignTexts is the heading in wordings.txt of the questions that no article answers.
const foreignTexts ID = "none"

// Constants of the classifier, calibrated on testdata/development.tsv and testdata/questions.tsv.
const (
	trainingPasses = 8
	startWeight    = 0.5 // weight of the mean of an article's texts at the start of the training
	maxStep        = 0.6 // C: largest change of the weights by one text
	widespread     = 0.5 // a feature in the texts of more than this share of the articles is omitted
	shortPrefix    = 4   // the first letters of a word are features, because stems miss some forms: profit, profitability
	longPrefix     = 5
	lettersLength  = 4    // length of character n-grams; misspelled and compound words share n-grams with other words
	lettersWeight  = 0.7  // weight of a character n-gram, relative to a word
	stride         = 7919 // step between successive texts in a pass; a prime
)

// classifier is a linear classifier of short texts. Its features are words, meanings, pairs of neighboring words and
// parts of words. The training texts are the articles' names, their leads and the wordings of wordings.txt. The classes
// are the articles and, last, the questions that no article answers.
//
// A text is a vector of length 1 with the weighted inverse document frequency (idf) of each of its features. The score
// of a class is the dot product of the vector and the class's weights. The weights start at the mean of the class's
// texts (Rocchio 1971). The training is the multiclass passive-aggressive algorithm (Crammer et al. 2006, PA-I). If the
// score of the best wrong class is less than 1 below the score of the right class, the weights of both classes change.
// The change is as small as possible, and at most maxStep. The result is the mean of the weights over all steps. A
// class has weights only for features of its own texts, so training is fast.
type classifier struct {
	feature map[string]int
	idf     []float32
	start   []int // position of the first pair of each feature
	class   []int // class of each pair of a feature and a class
	weight  []float32
	classes int
	rarest  float64 // idf of a word that is in no text
}

// labeled is a text and its class.
type labeled struct {
	text  string
	class int
}

// part is a feature of a text with its value.
type part struct {
	feature int
	value   float32
}

// readWordings returns the wordings of each article, and the wordings that no article answers.
func readWordings(text string) (map[ID][]string, error) {
	all := map[ID][]string{}
	var of ID
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		id, isID := strings.CutPrefix(line, "[")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case isID:
			of = ID(strings.TrimSuffix(id, "]"))
			if all[of] != nil {
				return nil, fault.Invalid("wordings.txt: %s has two lists", of)
			}
			all[of] = []string{}
		default:
			all[of] = append(all[of], line)
		}
	}
	return all, nil
}

// newClassifier trains the classifier of a library.
func newClassifier(articles []*Article, wordings map[ID][]string) *classifier {
	var texts []labeled
	for i, a := range articles {
		for _, text := range slices.Concat(namesOf(a.Title), []string{string(a.ID)}, a.Aliases, a.Questions, wordings[a.ID], strings.Split(a.Lead, ". ")) {
			texts = append(texts, labeled{text, i})
		}
	}
	for _, text := range wordings[foreignTexts] {
		texts = append(texts, labeled{text, len(articles)})
	}
	c := &classifier{feature: map[string]int{}, classes: len(articles) + 1}
	c.train(texts, c.count(texts))
	return c
}

// count numbers the features, computes their inverse document frequencies (IDF) and returns the vector of each text.
func (c *classifier) count(texts []labeled) [][]part {
	features := make([][]int, len(texts))
	var uses []int
	var weights []float32
	var classes [][]int
	for i, t := range texts {
		for _, name := range featuresOf(wordsOf(t.text)) {
			k, known := c.feature[name]
			if !known {
				k = len(uses)
				c.feature[name] = k
				uses, classes, weights = append(uses, 0), append(classes, nil), append(weights, weightOf(name))
			}
			if slices.Contains(features[i], k) {
				continue
			}
			features[i] = append(features[i], k)
			uses[k]++
			if of := classes[k]; len(of) == 0 || of[len(of)-1] != t.class {
				classes[k] = append(of, t.class)
			}
		}
	}
	c.idf, c.start = make([]float32, len(uses)), make([]int, len(uses)+1)
	c.rarest = math.Log(1 + float64(len(texts)))
	for k, of := range classes {
		if float64(len(of)) <= widespread*float64(c.classes) {
			c.idf[k] = float32(math.Log(1+float64(len(texts))/float64(uses[k]))) * weights[k]
			c.class = append(c.class, of...)
		}
		c.start[k+1] = len(c.class)
	}
	vectors := make([][]part, len(texts))
	for i := range texts {
		vectors[i] = c.vector(features[i])
	}
	return vectors
}

// train computes the weights. Each pass reads the texts that changed the weights in the previous pass.
func (c *classifier) train(texts []labeled, vectors [][]part) {
	c.weight = make([]float32, len(c.class))
	sum := make([]float32, len(c.class)) // sum of the changes, each times the number of earlier steps
	size := make([]float32, c.classes)
	for _, t := range texts {
		size[t.class]++
	}
	for i, t := range texts {
		c.add(c.weight, vectors[i], t.class, startWeight/size[t.class])
	}
	order := make([]int, len(texts))
	for j := range order {
		order[j] = j * stride % len(texts)
	}
	scores, steps := make([]float32, c.classes), float32(0)
	for range trainingPasses {
		var again []int
		for _, i := range order {
			right := texts[i].class
			wrong := c.bestWrong(vectors[i], right, scores)
			if loss := 1 - scores[right] + scores[wrong]; loss > 0 {
				step := min(maxStep, loss/2)
				c.add(c.weight, vectors[i], right, step)
				c.add(c.weight, vectors[i], wrong, -step)
				c.add(sum, vectors[i], right, step*steps)
				c.add(sum, vectors[i], wrong, -step*steps)
				again = append(again, i)
			}
			steps++
		}
		order = again
	}
	for k := range c.weight {
		c.weight[k] -= sum[k] / max(steps, 1)
	}
}

// bestWrong fills the scores of a text and returns the best class other than the right one.
func (c *classifier) bestWrong(v []part, right int, scores []float32) int {
	c.score(v, scores)
	wrong := -1
	for k, s := range scores {
		if k != right && (wrong < 0 || s > scores[wrong]) {
			wrong = k
		}
	}
	return wrong
}

// add adds a multiple of a text's vector to the weights of a class.
func (c *classifier) add(weight []float32, v []part, class int, by float32) {
	for _, p := range v {
		first, end := c.start[p.feature], c.start[p.feature+1]
		if at, ok := slices.BinarySearch(c.class[first:end], class); ok {
			weight[first+at] += by * p.value
		}
	}
}

func (c *classifier) score(v []part, scores []float32) {
	clear(scores)
	for _, p := range v {
		for at := c.start[p.feature]; at < c.start[p.feature+1]; at++ {
			scores[c.class[at]] += c.weight[at] * p.value
		}
	}
}

// vector returns the normalized vector of IDF weights for a text with these features.
func (c *classifier) vector(features []int) []part {
	var v []part
	var square float64
	for _, k := range features {
		if x := c.idf[k]; x > 0 {
			v = append(v, part{k, x})
			square += float64(x) * float64(x)
		}
	}
	for i := range v {
		v[i].value /= float32(math.Sqrt(square))
	}
	return v
}

// likeness returns the score of each class for a question: the articles and, last, the questions that no article
// answers. Words of the question that occur in no training text lower the scores.
func (c *classifier) likeness(words []string) []float32 {
	var features []int
	for _, name := range featuresOf(words) {
		if k, ok := c.feature[name]; ok && !slices.Contains(features, k) {
			features = append(features, k)
		}
	}
	scores := make([]float32, c.classes)
	c.score(c.vector(features), scores)
	share := float32(math.Sqrt(c.knownShare(words)))
	for i := range scores {
		scores[i] *= share
	}
	return scores
}

// knownShare returns the share of the known words in a question, weighted by inverse document frequency (IDF).
func (c *classifier) knownShare(words []string) float64 {
	var known, all float64
	for _, word := range words {
		idf := c.rarest
		if k, ok := c.feature[stem(word)]; ok {
			idf = float64(c.idf[k])
			known += idf
		}
		all += idf
	}
	if all == 0 {
		return 0
	}
	return known / all
}

// Prefixes of features that are not words.
const (
	meaningMark = "~"
	lettersMark = "#"
)

// weightOf returns the weight of a feature relative to a word.
func weightOf(feature string) float32 {
	if strings.HasPrefix(feature, lettersMark) {
		return lettersWeight
	}
	return 1
}

// featuresOf returns the features of a text. They are the stems of its words, their meanings (thesaurus.txt), bigrams
// of stems, and prefixes and character n-grams of long words.
func featuresOf(words []string) []string {
	var all []string
	before := "^"
	for _, word := range words[:min(len(words), maxQuestion)] {
		word = word[:min(len(word), maxWord)]
		s := stem(word)
		all = append(all, s, before+" "+s)
		before = s
		for _, meaning := range thesaurus[s] {
			all = append(all, meaningMark+meaning)
		}
		if !isCommon(s) {
			all = append(all, meaningMark+s)
		}
		for _, n := range [...]int{shortPrefix, longPrefix} {
			if len(word) > n {
				all = append(all, word[:n]+"*")
			}
		}
		if len(word) < lettersLength {
			continue
		}
		for framed := "<" + word + ">"; len(framed) >= lettersLength; framed = framed[1:] {
			all = append(all, lettersMark+framed[:lettersLength])
		}
	}
	return append(all, before+" $")
}
