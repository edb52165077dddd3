package knowledge

import (
	"cmp"
	"math"
	"slices"

	"assay/internal/spelling"
)

// Match is an article that answers a question.
type Match struct {
	Article *Article
	Score   float64 // share of the question that the article explains; about 1 for its title
}

// Constants of the search. The first six are the usual ones of BM25F, the others were calibrated on the committed
// questions (testdata/questions.tsv).
const (
	titleWeight = 3.0
	aliasWeight = 3.0
	bodyWeight  = 1.0
	saturation  = 1.2  // k1: how fast repetitions stop to count
	lengthNorm  = 0.5  // b: how much long fields are discounted
	corrected   = 0.8  // weight of a word after a corrected typo
	nameWeight  = 1.5  // weight of a title or alias that the question contains, compared with single words
	unknownIDF  = 0.6  // weight of a word in no article, as a share of the rarest word's
	minScore    = 0.62 // below it a question has no answer
	minRelative = 0.55 // of the best score, for further matches
	maxMatches  = 5
	maxQuestion = 64 // words of a question that are read
)

// index is what the search knows about the articles.
type index struct {
	documents []document
	idf       map[string]float64 // by stem
	rarest    float64            // the largest idf
	named     map[string]string  // words of titles and aliases to their stems; typos are corrected to them first
	written   map[string]string  // words of bodies, likewise
}

type document struct {
	article *Article
	weight  map[string]float64 // saturated weight of each stem, below 1
	names   [][]string         // stems of title and aliases
}

func newIndex(articles []*Article) index {
	x := index{idf: map[string]float64{}, named: map[string]string{}, written: map[string]string{}}
	fields := make([][3]map[string]float64, len(articles))
	var lengths, means [3]float64
	for i, a := range articles {
		d := document{article: a}
		texts := [3][]string{{a.Title}, append([]string{string(a.ID)}, a.Aliases...), append([]string{a.Body, a.Formula}, a.Pitfalls...)}
		for f, field := range texts {
			fields[i][f] = map[string]float64{}
			for _, text := range field {
				stems := x.read(text, f < 2)
				for _, s := range stems {
					fields[i][f][s]++
				}
				lengths[f] += float64(len(stems))
				if f < 2 {
					d.names = append(d.names, stems)
				}
			}
		}
		x.documents = append(x.documents, d)
	}
	n := float64(max(len(articles), 1))
	for f := range means {
		means[f] = math.Max(lengths[f]/n, 1)
	}
	count := map[string]float64{}
	for i := range x.documents {
		x.documents[i].weight = weights(fields[i], means)
		for s := range x.documents[i].weight {
			count[s]++
		}
	}
	for s, c := range count {
		x.idf[s] = math.Log(1 + (n-c+0.5)/(c+0.5))
		x.rarest = max(x.rarest, x.idf[s])
	}
	return x
}

// read returns the stems of a text and adds its words to the vocabulary.
func (x *index) read(text string, name bool) []string {
	var stems []string
	for _, word := range subjectsOf(text) {
		s := stem(word)
		stems = append(stems, s)
		x.written[word] = s
		if name {
			x.named[word] = s
		}
	}
	return stems
}

// weights returns the saturated weight of each stem of a document (BM25F; Robertson, Zaragoza and Taylor 2004).
func weights(fields [3]map[string]float64, means [3]float64) map[string]float64 {
	sum := map[string]float64{}
	for f, weight := range [3]float64{titleWeight, aliasWeight, bodyWeight} {
		var length float64
		for _, n := range fields[f] {
			length += n
		}
		norm := 1 - lengthNorm + lengthNorm*length/means[f]
		for s, n := range fields[f] {
			sum[s] += weight * n / norm
		}
	}
	for s, w := range sum {
		sum[s] = w / (saturation + w)
	}
	return sum
}

// term is a word of a question.
type term struct {
	stem   string
	weight float64 // idf, less after a correction
	known  bool    // an article contains it
}

// Find returns the articles that answer a question, best first, at most five. It returns none when no article explains
// enough of the question. With topics it searches only those.
func (l *Library) Find(question string, topics ...Topic) []Match {
	all := l.index.rank(question, topics)
	return slices.DeleteFunc(all, func(m Match) bool {
		return m.Score < minScore || m.Score < minRelative*all[0].Score
	})
}

// Nearest returns the n articles that explain most of a question, also when that is little.
func (l *Library) Nearest(question string, n int, topics ...Topic) []Match {
	all := l.index.rank(question, topics)
	return all[:min(n, len(all))]
}

func (x *index) rank(question string, topics []Topic) []Match {
	terms := x.terms(question)
	var matches []Match
	for i := range x.documents {
		d := &x.documents[i]
		if len(topics) > 0 && !slices.Contains(topics, d.article.Topic) {
			continue
		}
		if score := x.score(d, terms); score > 0 {
			matches = append(matches, Match{d.article, score})
		}
	}
	slices.SortStableFunc(matches, func(a, b Match) int { return cmp.Compare(b.Score, a.Score) })
	return matches[:min(maxMatches, len(matches))]
}

// score returns the share of the question's weight that a document explains: by single words, and by the title or alias
// that the question contains most of.
func (x *index) score(d *document, terms []term) float64 {
	var words, total float64
	weight := map[string]float64{}
	for _, t := range terms {
		total += t.weight
		words += t.weight * d.weight[t.stem]
		weight[t.stem] = max(weight[t.stem], t.weight)
	}
	if words == 0 {
		return 0
	}
	var name float64
	for _, stems := range d.names {
		var found, all float64
		for _, s := range stems {
			all += x.idf[s]
			found += min(weight[s], x.idf[s])
		}
		if all > 0 {
			name = max(name, found*found/all)
		}
	}
	return (words + nameWeight*name) / (1 + nameWeight) / total
}

// terms returns the words of a question that carry a subject, with typos corrected.
func (x *index) terms(question string) []term {
	words := subjectsOf(question)
	words = words[:min(len(words), maxQuestion)]
	var terms []term
	for i, word := range words {
		if i+1 < len(words) {
			if joined, ok := x.named[word+words[i+1]]; ok { // hold out, holdout
				terms = append(terms, term{joined, x.idf[joined], true})
			}
		}
		terms = append(terms, x.term(word)...)
	}
	slices.SortStableFunc(terms, func(a, b term) int { return cmp.Compare(a.stem, b.stem) })
	return slices.CompactFunc(terms, func(a, b term) bool { return a.stem == b.stem })
}

func (x *index) term(word string) []term {
	s := stem(word)
	if idf, ok := x.idf[s]; ok {
		return []term{{s, idf, true}}
	}
	if s, ok := nearest(word, x.named); ok {
		return []term{{s, corrected * x.idf[s], true}}
	}
	for cut := 2; cut <= len(word)-2; cut++ { // adspend, ad spend
		head, isHead := x.named[word[:cut]]
		tail, isTail := x.named[word[cut:]]
		if isHead && isTail {
			return []term{{head, x.idf[head], true}, {tail, x.idf[tail], true}}
		}
	}
	if s, ok := nearest(word, x.written); ok {
		return []term{{s, corrected * x.idf[s], true}}
	}
	return []term{{s, unknownIDF * x.rarest, false}}
}

// nearest returns the stem of the known word that a misspelled word most probably is: one edit away, or two in a word of
// seven letters or more, with the same first letter or one edit at the front. Ties go to the first by alphabet.
func nearest(word string, known map[string]string) (string, bool) {
	limit := 0
	switch {
	case len(word) >= 7:
		limit = 2
	case len(word) >= 4:
		limit = 1
	}
	if limit == 0 {
		return "", false
	}
	best, found := "", limit+1
	for k := range known {
		if len(k) < 4 || len(k) < len(word)-limit || len(k) > len(word)+limit {
			continue
		}
		distance := spelling.Distance(word, k)
		if distance == 2 && swapped(word, k) {
			distance = 1
		}
		if k[0] != word[0] {
			distance++
		}
		if distance < found || distance == found && distance <= limit && k < best {
			best, found = k, distance
		}
	}
	return known[best], found <= limit
}

// swapped reports whether two neighboring letters are exchanged.
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) - 1 {
		if a[i] != b[i] {
			return a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		}
	}
	return false
}
