package knowledge

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"
)

// commonWords are words that do not name a subject. They have little weight, but they distinguish names such as "what
// should I test".
var commonWords = setOf(`a about actually after again all also am an and any anyone anything are around as ask at away be became because
	been being best better between both but by call called can cannot cant come could couldnt curious current define
	definition describe did didnt do does doesnt doing done dont each else enough etc even ever every exactly
	explain find for from gets get getting give given go goes going good got great had happen happens has hasnt have
	having he hello help helps her here hey hi him his how hows i id idea if ill im in into is isnt it its ive just
	keep keeps kind know lately let like look looks lot made make makes many matter matters may me mean meaning
	means might mine more most much must my myself need needed needs no not now of off often oh ok okay on once one
	ones only or other our ours out over own people please pls put quick quite rather really say says see seem seems
	seen set she should shouldnt show shows simple simply since so some someone somebody something sort still stuff
	such suddenly sure take tell than thank thanks that thats the their them then there theres these they theyre
	thing things think this those though through to too under understand up us use used useful using very want
	wanted wants was way ways we well were weve what whats when whenever where which while who whos whose
	why will with without wondering wont word words work works would wouldnt wrong yes you your youre yours
	two three four five six seven ten happy else myself yourself
	calculate calculated calculation compute computed formula long meant possible`)

// synonyms lists pairs of stems that mean the same in questions. The search uses the second stem of a pair.
var synonyms = pairsOf(`buyer=customer shopper=customer client=customer purchas=order advert=ad advertiz=ad advertise=ad sale=revenu
	turnover=revenu eras=delet erase=delet remov=delet modify=chang modifi=chang alter=chang graph=chart plot=chart diagram=chart
	upload=import predict=forecast goal=target shop=stor voucher=coupon promo=coupon acquir=acquisit comparison=compar
	costly=expensiv pricey=expensiv pricier=expensiv modell=model analys=analyz analysi=analyz colleagu=member teammat=member
	heard=hear euro=eur dollar=usd retain=retent websit=stor test=experi trial=experi divid=split optimizer=optimiz`)

//go:embed thesaurus.txt
var thesaurusText string

// thesaurus maps the stem of an everyday word to the stems of the field's terms that it may mean.
var thesaurus = func() map[string][]string {
	meant := map[string][]string{}
	for line := range strings.Lines(thesaurusText) {
		word, words, ok := strings.Cut(strings.TrimSpace(line), ":")
		if strings.HasPrefix(line, "#") || !ok {
			continue
		}
		for _, w := range wordsOf(words) {
			if s := stem(word); stem(w) != s && !slices.Contains(meant[s], stem(w)) {
				meant[s] = append(meant[s], stem(w))
			}
		}
	}
	return meant
}()

func pairsOf(text string) map[string]string {
	pairs := map[string]string{}
	for pair := range strings.FieldsSeq(text) {
		from, to, _ := strings.Cut(pair, "=")
		pairs[from] = to
	}
	return pairs
}

// commonStems are the stems of the common words, so that "takes" is also a common word, like "take".
var commonStems = func() map[string]bool {
	stems := map[string]bool{}
	for word := range commonWords {
		stems[stem(word)] = true
	}
	return stems
}()

// isCommon reports whether a word or stem does not name a subject.
func isCommon(word string) bool {
	return commonWords[word] || commonStems[word] || commonStems[stem(word)]
}

func setOf(text string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}

// wordsOf returns the words of a text in lower case. Everything except letters and digits separates words; an
// apostrophe joins them. A code such as no_data is also a single word.
func wordsOf(text string) []string {
	text = strings.NewReplacer("'", "", "’", "").Replace(strings.ToLower(text))
	var words []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		parts := strings.FieldsFunc(word, func(r rune) bool { return r == '_' })
		words = append(words, parts...)
		if len(parts) > 1 {
			words = append(words, strings.Join(parts, ""))
		}
	}
	return words
}

// endings lists the endings that [stem] replaces; the first match applies. At least four letters remain. Otherwise,
// different short words would have the same stem.
var endings = []struct{ from, to string }{
	{"izations", "iz"},
	{"ization", "iz"},
	{"isation", "iz"},
	{"ising", "iz"},
	{"ised", "iz"},
	{"ise", "iz"},
	{"alities", "al"},
	{"ality", "al"},
	{"ings", ""},
	{"ing", ""},
	{"ions", ""},
	{"ion", ""},
	{"ments", ""},
	{"ment", ""},
	{"ally", "al"},
	{"ly", ""},
	{"ers", "er"},
	{"ed", ""},
	{"es", ""},
	{"s", ""},
	{"e", ""},
}

// stem returns the stem that the forms and synonyms of an English word share: attribute, attributed and attribution
// have the same stem.
func stem(word string) string {
	if len(word) > 3 && strings.HasSuffix(word, "ies") {
		word = strings.TrimSuffix(word, "ies") + "y"
	}
	if len(word) > 2 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") &&
		!strings.HasSuffix(word, "es") && !strings.HasSuffix(word, "as") && !strings.HasSuffix(word, "is") {
		word = strings.TrimSuffix(word, "s")
	}
	for _, e := range endings {
		if base, ok := strings.CutSuffix(word, e.from); ok && len(base) >= 4 {
			word = base + e.to
			break
		}
	}
	if n := len(word); n > 4 && word[n-1] == word[n-2] && word[n-1] != 'l' && word[n-1] != 's' {
		word = word[:n-1] // planned, plan
	}
	if same, ok := synonyms[word]; ok {
		return same
	}
	return word
}
