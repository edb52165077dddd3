package knowledge

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"assay/internal/spelling"
)

// Match is an article that answers a question.
type Match struct {
	Article *Article
	Score   float64 // combined score of [Library.rank], 0 to 1; about 1 for the article's title
}

// Constants of the search. The first five are the parameters of BM25F (Robertson, Zaragoza and Taylor 2004). All were
// calibrated on testdata/questions.tsv. The constants wordingWeight and minScore were also calibrated on
// testdata/development.tsv. Their values were chosen for the accuracy on all question files.
const (
	titleWeight   = 2.5
	aliasWeight   = 4.5
	bodyWeight    = 1.0
	saturation    = 1.0  // k1: how fast the weight of repetitions saturates
	lengthNorm    = 0.35 // b: how much long fields are discounted
	corrected     = 0.9  // weight of a word after a corrected typo
	everyday      = 0.8  // weight of a word that an everyday word may mean (thesaurus.txt)
	sameName      = 0.05 // weight of the similarity of the whole question to a title or alias, for close cases
	nameWeight    = 0.5  // weight of a title or alias that the question contains, compared with single words
	aliasWord     = 0.8  // weight of a word in aliases only, compared with a word in a title
	bodyWord      = 0.4  // weight of a word in bodies only: it rarely names a subject
	unknownIDF    = 1.0  // weight of a word in no article, as a share of the rarest word's weight
	commonIDF     = 1.3  // weight of a common word in a title or alias
	coincidence   = 0.55 // factor when a match is probably a coincidence: one word, or two that cover no name
	wholeName     = 0.95 // one word has full weight if it covers this share of a title or alias
	mainWord      = 0.5  // the one word must also have this share of the question's weight
	twoWords      = 0.65 // two words have full weight if they cover this share of a title or alias
	wordingWeight = 1.05 // weight of the similarity to the wordings of an article, relative to the matching share
	minScore      = 0.33 // minimum score of an answer
	minRelative   = 0.55 // minimum score of further matches, as a share of the best score
	maxMatches    = 5
	maxQuestion   = 64 // maximum number of words of a question that are read
	maxWord       = 40 // maximum bytes of a word in which typos are corrected
	plainTypo     = 6  // minimum bytes of a word for a correction to count as the word itself
	shortWord     = 4  // minimum bytes of a word in which typos are corrected
)

// index is the search index of the articles.
type index struct {
	documents []document
	idf       map[string]float64 // inverse document frequency by stem
	uses      map[string]int     // number of names and texts with a stem
	rarest    float64            // the largest idf
	named     vocabulary         // words of titles and aliases; typos are corrected to them first
	written   vocabulary         // words of all texts
	worded    vocabulary         // words of wordings.txt
}

// vocabulary is a set of words with their stems, grouped by the words' length in bytes.
type vocabulary map[int]map[string]string

func (v vocabulary) add(word, stem string) {
	if v[len(word)] == nil {
		v[len(word)] = map[string]string{}
	}
	v[len(word)][word] = stem
}

func (v vocabulary) stem(word string) (string, bool) {
	s, ok := v[len(word)][word]
	return s, ok
}

type document struct {
	article *Article
	weight  map[string]float64 // saturated weight of each stem, below 1
	names   [][]term           // stems of title and aliases, common words included
}

func newIndex(articles []*Article, wordings map[ID][]string) index {
	x := index{idf: map[string]float64{}, uses: map[string]int{}, named: vocabulary{}, written: vocabulary{}, worded: vocabulary{}}
	for _, texts := range wordings {
		for _, text := range texts {
			for _, word := range wordsOf(text) {
				x.worded.add(word, stem(word))
			}
		}
	}
	fields := make([][3]map[string]float64, len(articles))
	var lengths, means [3]float64
	for i, a := range articles {
		d := document{article: a}
		texts := [3][]string{namesOf(a.Title), slices.Concat([]string{string(a.ID)}, a.Aliases, a.Questions), append([]string{a.Body, a.Formula}, a.Pitfalls...)}
		for f, field := range texts {
			fields[i][f] = map[string]float64{}
			for _, text := range field {
				words := x.read(text, f < 2)
				for _, s := range words {
					if !isCommon(s) {
						fields[i][f][s]++
						lengths[f]++
					}
				}
				if f < 2 {
					d.names = append(d.names, termsOf(words))
				}
			}
		}
		x.documents = append(x.documents, d)
	}
	n := float64(max(len(articles), 1))
	for f := range means {
		means[f] = math.Max(lengths[f]/n, 1)
	}
	role := func(s string) float64 {
		inAlias := false
		for i := range fields {
			if fields[i][0][s] > 0 {
				return 1
			}
			inAlias = inAlias || fields[i][1][s] > 0
		}
		if inAlias {
			return aliasWord
		}
		return bodyWord
	}
	count := map[string]float64{}
	for i := range x.documents {
		x.documents[i].weight = weights(fields[i], means)
		for s := range x.documents[i].weight {
			count[s]++
		}
	}
	for s, c := range count {
		x.idf[s] = math.Log(1+(n-c+0.5)/(c+0.5)) * role(s)
		x.rarest = max(x.rarest, x.idf[s])
	}
	for _, d := range x.documents {
		for _, name := range d.names {
			for i, t := range name {
				if t.weight == 0 {
					name[i].weight = x.idf[t.stem]
				}
			}
		}
	}
	return x
}

// namesOf returns a title, and its parts if it has an abbreviation or another name in parentheses at its end.
func namesOf(title string) []string {
	head, tail, ok := strings.Cut(title, " (")
	if !ok || !strings.HasSuffix(tail, ")") {
		return []string{title}
	}
	return []string{title, head, strings.TrimSuffix(tail, ")")}
}

// termsOf returns the words of a title or alias. It sets the weights of common words only. The other weights are set
// when the idf of each word is known.
func termsOf(stems []string) []term {
	terms := make([]term, len(stems))
	for i, s := range stems {
		terms[i].stem = s
		if isCommon(s) {
			terms[i].weight = commonIDF
		}
	}
	return terms
}

// read returns the stems of a text and adds its words to the vocabulary, except common words.
func (x *index) read(text string, name bool) []string {
	words := wordsOf(text)
	for i, word := range words {
		words[i] = stem(word)
		if isCommon(word) {
			continue
		}
		x.uses[words[i]]++
		x.written.add(word, words[i])
		if name {
			x.named.add(word, words[i])
		}
	}
	return words
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
	weight float64 // idf, reduced after a correction
	typed  bool    // the question contains it as a known word, or as a long word with a typo
	others []other // terms of the field that the word may mean
}

// other is a technical term that an everyday word may refer to.
type other struct {
	stem   string
	weight float64
}

// Find returns the articles that answer a question, best first, at most five. It returns none when no article matches
// enough of the question. If topics are given, it searches only these topics.
func (l *Library) Find(question string, topics ...Topic) []Match {
	all := l.rank(question, topics)
	return slices.DeleteFunc(all, func(m Match) bool {
		return m.Score < minScore || m.Score < minRelative*all[0].Score
	})
}

// Nearest returns the n articles that match a question best, even if the match is weak.
func (l *Library) Nearest(question string, n int, topics ...Topic) []Match {
	all := l.rank(question, topics)
	return all[:min(n, len(all))]
}

// rank returns the articles with the highest scores. A score is the weighted mean of two figures. The first is the
// share of the question that matches the article's names and text (BM25F). The second is the question's similarity to
// the article's wordings minus its similarity to unrelated wordings (classifier).
func (l *Library) rank(question string, topics []Topic) []Match {
	texts := l.index()
	q := texts.parse(question)
	likeness := l.trained().likeness(q.words)
	foreign := float64(likeness[len(l.articles)])
	var matches []Match
	for i := range texts.documents {
		d := &texts.documents[i]
		if len(topics) > 0 && !slices.Contains(topics, d.article.Topic) {
			continue
		}
		explained, like := d.score(q), float64(likeness[i])
		if explained > 0 || like > 0 {
			matches = append(matches, Match{d.article, (explained + wordingWeight*(like-foreign)) / (1 + wordingWeight)})
		}
	}
	slices.SortStableFunc(matches, func(a, b Match) int { return cmp.Compare(b.Score, a.Score) })
	matches = matches[:min(maxMatches, len(matches))]
	for i := range matches {
		matches[i].Score = min(max(matches[i].Score, 0), 1)
	}
	return matches
}

// query is a parsed question.
type query struct {
	words    []string           // all words, with corrected typos
	subjects []term             // the words that are not common
	weight   map[string]float64 // weight of each word, common words included
	may      map[string]float64 // weight of each term of the field that an everyday word may mean
	total    float64            // total weight of the subjects, or of the common words if there is no subject
}

// parse reads a question and corrects its typos.
func (x *index) parse(question string) query {
	words := wordsOf(question)
	words = words[:min(len(words), maxQuestion)]
	q := query{weight: map[string]float64{}, may: map[string]float64{}}
	asksForTerm := !slices.ContainsFunc(words, func(w string) bool { return actionWords[w] })
	for i, word := range words {
		if isCommon(word) || x.isCommonTypo(word) {
			q.weight[stem(word)] = commonIDF
			q.words = append(q.words, word)
			continue
		}
		terms := x.terms(word, asksForTerm)
		q.words = append(q.words, x.spelled(word, terms)...)
		if i+1 < len(words) {
			if joined, ok := x.named.stem(word + words[i+1]); ok { // "hold out" is "holdout"
				terms = append(terms, term{stem: joined, weight: x.idf[joined], typed: true})
			}
		}
		for _, t := range terms {
			t.others = append(t.others, x.others(word)...)
			for _, o := range t.others {
				q.may[o.stem] = max(q.may[o.stem], o.weight)
			}
			if q.weight[t.stem] == 0 {
				q.subjects = append(q.subjects, t)
				q.total += t.weight
			}
			q.weight[t.stem] = max(q.weight[t.stem], t.weight)
		}
	}
	if q.total == 0 {
		q.total = commonIDF * float64(len(q.weight))
	}
	return q
}

// score returns the share of the question's weight that a document matches. The share combines matches of single words
// with the match of the closest title or alias.
func (d *document) score(q query) float64 {
	var words, typed float64
	matched := 0
	for _, t := range q.subjects {
		explained := t.weight * d.weight[t.stem]
		for _, o := range t.others {
			explained = max(explained, min(o.weight, t.weight)*d.weight[o.stem])
		}
		words += explained
		if d.weight[t.stem] > 0 && t.typed {
			matched++
			typed += t.weight
		}
	}
	if words == 0 && len(q.subjects) > 0 || q.total == 0 {
		return 0
	}
	name, covered, same := d.name(q)
	score := (words + nameWeight*min(name, q.total)) / (1 + nameWeight) / q.total
	score = (1-sameName)*score + sameName*same
	isName := covered >= wholeName && typed >= mainWord*q.total
	if matched <= 1 && !isName || matched == 2 && covered < twoWords {
		score *= coincidence
	}
	return score
}

// name returns the weight of the title or alias that a question matches best. It also returns the largest share of a
// title or alias that the question covers, and the largest similarity (Jaccard) to the question.
func (d *document) name(q query) (weight, covered, same float64) {
	var asked float64
	for _, w := range q.weight {
		asked += w
	}
	for _, terms := range d.names {
		var found, all float64
		for _, t := range terms {
			all += t.weight
			found += min(max(q.weight[t.stem], q.may[t.stem]), t.weight)
		}
		if all > 0 {
			weight, covered = max(weight, found*found/all), max(covered, found/all)
			same = max(same, found/(all+asked-found))
		}
	}
	return weight, covered, same
}

// actionWords are words of questions about what to do. A question without these words usually asks for a term, so its
// words of four letters are also corrected. "raos" is corrected, and "sing" in "can you sing" is not.
var actionWords = setOf("can you how do i who where when")

// terms returns the stems of a word: of the word itself, of a known word with similar spelling, or of its two parts.
func (x *index) terms(word string, asksForTerm bool) []term {
	s := stem(word)
	if idf, ok := x.idf[s]; ok {
		return []term{{stem: s, weight: idf, typed: true}}
	}
	if isNumber(word) {
		return nil
	}
	if _, ok := x.worded.stem(word); ok {
		return []term{{stem: s, weight: unknownIDF * x.rarest}}
	}
	for cut := 2; cut <= len(word)-2; cut++ { // "adspend" is "ad spend"
		head, isHead := x.named.stem(word[:cut])
		tail, isTail := x.named.stem(word[cut:])
		if isHead && isTail {
			return []term{{stem: head, weight: x.idf[head], typed: true}, {stem: tail, weight: x.idf[tail], typed: true}}
		}
	}
	if near := x.named.nearest(word); len(near) > 0 && (len(word) > shortWord || asksForTerm) {
		return []term{x.corrected(word, near)}
	}
	if near := x.written.nearest(word); len(near) > 0 && len(word) > shortWord {
		return []term{x.corrected(word, near)}
	}
	return []term{{stem: s, weight: unknownIDF * x.rarest}}
}

// spelled returns a word unchanged, or the stems of its terms if the word is misspelled.
func (x *index) spelled(word string, terms []term) []string {
	if len(terms) == 0 || terms[0].stem == stem(word) {
		return []string{word}
	}
	var stems []string
	for _, t := range terms {
		stems = append(stems, t.stem)
	}
	return stems
}

// corrected returns the correction of a misspelled word: the most frequent of the nearest words. The other nearest
// words remain possible meanings.
func (x *index) corrected(word string, near []string) term {
	best := slices.MaxFunc(near, func(a, b string) int { return cmp.Compare(x.uses[a], x.uses[b]) })
	t := term{stem: best, weight: corrected * x.idf[best], typed: len(word) >= plainTypo}
	for _, s := range near {
		if s != best {
			t.others = append(t.others, other{s, corrected * x.idf[s]})
		}
	}
	return t
}

// others returns the technical terms that an everyday word may mean.
func (x *index) others(word string) []other {
	var all []other
	for _, s := range thesaurus[stem(word)] {
		all = append(all, other{s, everyday * x.idf[s]})
	}
	return all
}

// isNumber reports whether a word is a number such as 5000 or 80k.
func isNumber(word string) bool {
	digits := strings.TrimRight(word, "km")
	return len(word)-len(digits) <= 1 && digits != "" && !strings.ContainsFunc(digits, func(r rune) bool { return !unicode.IsDigit(r) })
}

// isCommonTypo reports whether a word that occurs in no article is a misspelled common word. Similar words of titles
// and aliases have priority over common words.
func (x *index) isCommonTypo(word string) bool {
	if _, known := x.idf[stem(word)]; known || len(word) < longCommon {
		return false
	}
	return len(commonVocabulary.nearest(word)) > 0 && len(x.named.nearest(word)) == 0
}

// longCommon is the minimum length in bytes of a common word for the correction of typos.
const longCommon = 5

// commonVocabulary contains the common words that are long enough to be recognized if they are misspelled.
var commonVocabulary = func() vocabulary {
	v := vocabulary{}
	for word := range commonWords {
		if len(word) >= longCommon {
			v.add(word, stem(word))
		}
	}
	return v
}()

// nearest returns the stems of the known words that a misspelled word most probably means, in alphabetical order. These
// known words are one edit away, or two in a word of eight letters or more. A different first letter counts as an
// additional edit.
func (v vocabulary) nearest(word string) []string {
	limit := 0
	switch {
	case len(word) > maxWord:
		return nil
	case len(word) >= 8:
		limit = 2
	case len(word) >= shortWord:
		limit = 1
	}
	var best []string
	found := limit
	for size := max(len(word)-limit, shortWord); size <= len(word)+limit && limit > 0; size++ {
		for k, s := range v[size] {
			distance := spelling.Distance(word, k)
			if distance == 2 && swapped(word, k) {
				distance = 1
			}
			if k[0] != word[0] {
				distance++
			}
			if distance < found {
				best, found = nil, distance
			}
			if distance == found {
				best = append(best, s)
			}
		}
	}
	slices.Sort(best)
	return slices.Compact(best)
}

// swapped reports whether the words differ only by an exchange of two neighboring letters.
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
