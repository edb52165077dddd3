package knowledge

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func near(got, want float64) bool { return math.Abs(got-want) < 2e-6 }

// The expected weight follows Robertson, Zaragoza and Taylor 2004 with b = 0.35 and k1 = 1. The title has the mean length.
// The aliases have half of it, the body has twice its mean:
// 2.5/1 + 4.5/(0.65+0.35/2) + 2/(0.65+0.35*2) = 9.436027, and 9.436027/10.436027 = 0.904178.
func TestWeightsFollowBM25F(t *testing.T) {
	t.Parallel()
	fields := [3]map[string]float64{{"alpha": 1, "beta": 1}, {"alpha": 1}, {"alpha": 2, "gamma": 8}}
	if got := weights(fields, [3]float64{2, 2, 5})["alpha"]; !near(got, 0.904178) {
		t.Errorf("weight %f, want 0.904178", got)
	}
}

// toyIndex has three articles. The idf of a word in one, two and three of them is ln(1+2.5/1.5) = 0.980829,
// ln(1+1.5/2.5) = 0.470004 and ln(1+0.5/3.5) = 0.133531.
func toyIndex() index {
	return newIndex([]*Article{
		{ID: "zebra", Title: "Zebra", Aliases: []string{"yonder"}, Body: "quartz walrut ocelot violet"},
		{ID: "violet", Title: "Violet", Aliases: []string{"violet"}, Body: "quartz walrut"},
		{ID: "indigo", Title: "Indigo (blues)", Aliases: []string{"indigo"}, Body: "quartz"},
	}, map[ID][]string{"zebra": {"unheard"}})
}

func TestRareWordsOfNamesHaveTheLargestWeight(t *testing.T) {
	t.Parallel()
	x := toyIndex()
	for word, want := range map[string]float64{
		"zebra":  0.980829,       // title
		"violet": 0.470004,       // title of one article, body of another
		"yonder": 0.980829 * 0.8, // alias
		"ocelot": 0.980829 * 0.4, // body
		"walrut": 0.470004 * 0.4,
		"quartz": 0.133531 * 0.4,
	} {
		if got := x.idf[word]; !near(got, want) {
			t.Errorf("weight of %s: %f, want %f", word, got, want)
		}
	}
	if !near(x.rarest, 0.980829) || !near(x.documents[0].names[0][0].weight, 0.980829) {
		t.Errorf("largest weight %f, names %+v", x.rarest, x.documents[0].names)
	}
}

func TestTermsOfAWord(t *testing.T) {
	t.Parallel()
	x := toyIndex()
	for _, c := range []struct {
		word  string
		asks  bool
		terms []string
		sum   float64
		typed bool
	}{
		{"zebra", false, []string{"zebra"}, 0.980829, true},
		{"zebrayonder", false, []string{"zebra", "yonder"}, 0.980829 * 1.8, true},
		{"5000", false, nil, 0, false},
		{"unheard", false, []string{"unheard"}, 0.980829, false},     // in wordings only
		{"sphinx", false, []string{"sphinx"}, 0.980829, false},       // in no text
		{"zebrx", false, []string{"zebra"}, 0.9 * 0.980829, false},   // 5 letters: not as certain as the word
		{"indigx", false, []string{"indigo"}, 0.9 * 0.980829, true},  // 6 letters
		{"ocelox", false, []string{"ocelot"}, 0.36 * 0.980829, true}, // a word of a text
		{"ebra", true, []string{"ebra"}, 0.980829, false},            // another first letter
		{"zera", true, []string{"zebra"}, 0.9 * 0.980829, false},     // 4 letters in a question about a term
		{"zera", false, []string{"zera"}, 0.980829, false},           // 4 letters in another question
		{"quaz", true, []string{"quaz"}, 0.980829, false},            // 2 edits
	} {
		var stems []string
		var sum float64
		typed := true
		terms := x.terms(c.word, c.asks)
		for _, term := range terms {
			stems, sum, typed = append(stems, term.stem), sum+term.weight, typed && term.typed
		}
		if !slices.Equal(stems, c.terms) || !near(sum, c.sum) || len(terms) > 0 && typed != c.typed {
			t.Errorf("%s (asks for a term: %t): %+v, want %q with weight %f, typed %t", c.word, c.asks, terms, c.terms, c.sum, c.typed)
		}
	}
}

// The scores are computed by hand with the shares 0.5 for names, 0.05 for the same name and 0.55 for a coincidence.
func TestScoresOfADocument(t *testing.T) {
	t.Parallel()
	word := func(stem string, weight float64) term { return term{stem: stem, weight: weight, typed: true} }
	ask := func(total float64, subjects ...term) query {
		q := query{subjects: subjects, weight: map[string]float64{}, may: map[string]float64{}, total: total}
		for _, s := range subjects {
			q.weight[s.stem] = s.weight
			for _, o := range s.others {
				q.may[o.stem] = o.weight
			}
		}
		return q
	}
	three := ask(4, word("alpha", 1), word("beta", 2), word("gamma", 1))
	common := ask(1.3)
	common.weight["what"] = 1.3
	meant := word("gamma", 1)
	meant.others = []other{{"alpha", 0.6}}
	for name, c := range map[string]struct {
		q     query
		names [][]term
		want  float64
	}{
		"two words of a name":     {three, [][]term{{word("alpha", 1), word("beta", 2)}}, 0.56},
		"the better of two names": {three, [][]term{{word("omega", 9)}, {word("alpha", 1), word("beta", 2)}, {word("alpha", 5)}}, 0.56},
		"two words, 60%":          {three, [][]term{{word("alpha", 1), word("beta", 2), word("x", 2)}}, 0.248875},
		"two words, 65%":          {three, [][]term{{word("alpha", 1), word("beta", 2), word("x", 1.6)}}, 0.466677},
		"one word of a name":      {ask(2, word("alpha", 1), word("gamma", 1)), [][]term{{word("alpha", 1), word("beta", 2)}}, 0.175236},
		"one word as a name":      {ask(2, word("alpha", 1), word("gamma", 1)), [][]term{{word("alpha", 1)}}, 0.436667},
		"a minor word as a name":  {ask(2.1, word("alpha", 1), word("gamma", 1.1)), [][]term{{word("alpha", 1)}}, 0.228730},
		"another meaning":         {ask(1, meant), [][]term{{word("alpha", 1)}}, 0.241686},
		"common words only":       {common, [][]term{{word("what", 1.3)}}, 0.201667},
		"an unknown word":         {ask(1, word("omega", 1)), [][]term{{word("alpha", 1)}}, 0},
		"nothing":                 {ask(0), [][]term{{word("alpha", 1)}}, 0},
	} {
		d := document{weight: map[string]float64{"alpha": 0.8, "beta": 0.5}, names: c.names}
		if got := d.score(c.q); !near(got, c.want) {
			t.Errorf("%s: %f, want %f", name, got, c.want)
		}
	}
}

func TestMisspelledWordsAreNear(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ab", 20)
	v := vocabulary{}
	for _, word := range []string{"campaign", "margin", "spend", "spent", "cpm", "conversion", "convention", long, "abcdefgh", "abcdefxy"} {
		v.add(word, word)
	}
	for word, want := range map[string][]string{
		"campain": {"campaign"}, "campaiggn": {"campaign"}, "canpaigm": {"campaign"}, "canpain": nil, "xampaign": {"campaign"}, "xanpaign": nil, //nolint:misspell // misspelled on purpose
		"bargin": nil, "margni": {"margin"}, "spenx": {"spend", "spent"}, "cpmx": nil, "cpx": nil, "conwersion": {"conversion"},
		"conwertion": {"convention", "conversion"}, "conwexxxon": nil, "abcdefgx": {"abcdefgh"}, long[:39] + "x": {long}, long + "x": nil, "margin": {"margin"},
	} {
		if got := v.nearest(word); !slices.Equal(got, want) {
			t.Errorf("near %s: %q, want %q", word, got, want)
		}
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"ab", "ba", true}, {"abc", "acb", true}, {"abc", "abd", false}, {"abcd", "badc", false}, {"abc", "ab", false}, {"abc", "abc", false}, {"abcd", "bacx", false},
	} {
		if got := swapped(c.a, c.b); got != c.want {
			t.Errorf("%s and %s are swapped: %t", c.a, c.b, got)
		}
	}
}

func TestNumbersAndCommonWords(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]bool{
		"5000": true, "80k": true, "3m": true, "0": true, "80km": false, "80kk": false, "k": false, "": false, "5a": false, "k5": false,
	} {
		if got := isNumber(word); got != want {
			t.Errorf("%q is a number: %t, want %t", word, got, want)
		}
	}
	x := toyIndex()
	for word, want := range map[string]bool{"shoudl": true, "shoud": true, "wich": false, "zebra": false, "sphinx": false} { //nolint:misspell // misspelled on purpose
		if got := x.isCommonTypo(word); got != want {
			t.Errorf("%q is a misspelled common word: %t, want %t", word, got, want)
		}
	}
}

func TestFormsOfWords(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"ties": "ty", "ies": "ies", "xs": "xs", "abs": "ab", "bus": "bus", "gas": "gas", "rated": "rated", "listed": "list", "planned": "plan", "adding": "adding",
		"jazz": "jazz", "quizz": "quiz", "install": "install", "realities": "reality", "totally": "total", "monthly": "month", "payments": "payment",
		"sellers": "seller", "batches": "batch",
	} {
		if got := stem(word); got != want {
			t.Errorf("stem of %s: %s, want %s", word, got, want)
		}
	}
	if got, want := wordsOf("R-hat's no_data, _x_ 5%"), []string{"r", "hats", "no", "data", "nodata", "x", "5"}; !slices.Equal(got, want) {
		t.Errorf("words %q, want %q", got, want)
	}
	for title, want := range map[string][]string{
		"Order value (AOV)": {"Order value (AOV)", "Order value", "AOV"}, "AOV (value) of orders": {"AOV (value) of orders"}, "AOV": {"AOV"},
	} {
		if got := namesOf(title); !slices.Equal(got, want) {
			t.Errorf("names of %s: %q, want %q", title, got, want)
		}
	}
}

// Two texts without a shared feature are trained alone. Each of 8 passes halves the loss, which starts at 0.5, so the
// weight after pass p is 1-0.5^(p+1). The mean over the steps before which the weights are used is 0.937744 for the first
// text of each pass and 0.906616 for the second.
func TestTrainingHalvesTheLoss(t *testing.T) {
	t.Parallel()
	c := newClassifier([]*Article{{ID: "alpha", Title: "alpha", Lead: "alpha"}}, map[ID][]string{foreignTexts: {"omega"}})
	single := &classifier{feature: map[string]int{}, classes: 2}
	texts := []labeled{{"alpha", 0}, {"omega", 1}}
	single.train(texts, single.count(texts))
	for word, want := range map[string][]float64{"alpha": {0.937744, 0}, "omega": {0, 0.906616}} {
		got := single.likeness([]string{word})
		if !near(float64(got[0]), want[0]) || !near(float64(got[1]), want[1]) {
			t.Errorf("%s: %v, want %v", word, got, want)
		}
		if of := c.likeness([]string{word}); (of[0] > of[1]) != (word == "alpha") {
			t.Errorf("%s: %v", word, of)
		}
	}
	// "sphinx" is in none of two texts: its idf is ln(1+2), and that of "alpha" is ln(1+2/1).
	if got := single.knownShare([]string{"alpha", "sphinx"}); !near(got, 0.5) {
		t.Errorf("known share %f, want 0.5", got)
	}
	if got := single.likeness([]string{"alpha", "sphinx"}); got[0] <= 0 || float64(got[0]) >= 0.937744*math.Sqrt(0.5) {
		t.Errorf("with an unknown word: %v", got)
	}
	if got := single.knownShare(nil); got != 0 {
		t.Errorf("known share of nothing: %f", got)
	}
}

// A feature of more than half of the classes is omitted.
func TestWidespreadFeaturesAreOmitted(t *testing.T) {
	t.Parallel()
	c := &classifier{feature: map[string]int{}, classes: 4}
	c.count([]labeled{{"both alpha", 0}, {"both all", 1}, {"all", 2}, {"all", 3}})
	for word, kept := range map[string]bool{"alpha": true, "both": true, "all": false} {
		if got := c.idf[c.feature[stem(word)]] > 0; got != kept {
			t.Errorf("%s is a feature: %t, want %t", word, got, kept)
		}
	}
	if a := float64(c.idf[c.feature["alpha"]]); !near(a, math.Log(5)) {
		t.Errorf("idf of a word in one of 4 texts: %f, want ln 5", a)
	}
	if a := float64(c.idf[c.feature["#alph"]]); !near(a, 0.7*math.Log(5)) {
		t.Errorf("idf of letters in one of 4 texts: %f, want 0.7 ln 5", a)
	}
	v := c.vector([]int{c.feature["alpha"], c.feature["#alph"]})
	if len(v) != 2 || !near(float64(v[0].value*v[0].value+v[1].value*v[1].value), 1) {
		t.Errorf("vector %v, want length 1", v)
	}
}

func TestFeaturesOfAText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"cat":   {"cat", "^ cat", "~cat", "cat $"},
		"data":  {"data", "^ data", "~data", "#<dat", "#data", "#ata>", "data $"},
		"zebra": {"zebra", "^ zebra", "~zebra", "zebr*", "#<zeb", "#zebr", "#ebra", "#bra>", "zebra $"},
		"the":   {"the", "^ the", "the $"},
	} {
		if diff := cmp.Diff(want, featuresOf([]string{text})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	if got := featuresOf([]string{"zigzag"}); !slices.Contains(got, "zigz*") || !slices.Contains(got, "zigza*") {
		t.Errorf("%q lack the first letters", got)
	}
	pairs := featuresOf([]string{"cat", "dog"})
	if !slices.Contains(pairs, "cat dog") || !slices.Contains(pairs, "dog $") {
		t.Errorf("%q lack pairs", pairs)
	}
	if a, b := featuresOf([]string{strings.Repeat("a", 40)}), featuresOf([]string{strings.Repeat("a", 41)}); !slices.Equal(a, b) {
		t.Error("letters after the fortieth are read")
	}
	many := slices.Repeat([]string{"cat"}, 64)
	if a, b := featuresOf(many), featuresOf(append(many, "dog")); !slices.Equal(a, b) {
		t.Error("words after the 64th are read")
	}
}

func TestArticlesAtTheirLimits(t *testing.T) {
	t.Parallel()
	words := func(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }
	front := "title: A\naliases: [a]\nrelated: [b]\n"
	other := articleFile("title: B\naliases: [b]\nrelated: [a]\n", words(70)+".\n\n"+words(60))
	for name, c := range map[string]struct{ file, want string }{
		"119 words":           {articleFile(front, words(9)+".\n\n"+words(110)), "body and pitfalls have 119 words, outside of 120 to 500"},
		"120 words":           {articleFile(front, words(9)+".\n\n"+words(111)), ""},
		"120 with pitfalls":   {articleFile(front+"pitfalls: [one, two]\n", words(9)+".\n\n"+words(109)), ""},
		"500 words":           {articleFile(front, words(9)+".\n\n"+words(491)), ""},
		"501 words":           {articleFile(front, words(9)+".\n\n"+words(492)), "body and pitfalls have 501 words, outside of 120 to 500"},
		"70 words at first":   {articleFile(front, words(70)+".\n\n"+words(100)), ""},
		"71 words at first":   {articleFile(front, words(71)+".\n\n"+words(100)), "the first paragraph has 71 words, more than 70"},
		"dashes at the start": {strings.TrimPrefix(articleFile(front, words(70)+".\n\n"+words(100)), "---\n"), "no front matter"},
	} {
		l, err := load(fstest.MapFS{"mmm/a.md": {Data: []byte(c.file)}, "mmm/b.md": {Data: []byte(other)}})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if err == nil {
			l.Warm()
			if a, ok := l.Named("A"); !ok || a.ID != "a" || len(l.Articles(MMM)) != 2 || len(l.Articles(Pixel)) != 0 {
				t.Errorf("%s: articles %v", name, slices.Collect(maps.Keys(l.byName)))
			}
		}
	}
	for lead, want := range map[string]string{"A is b. C is d.": "A is b.", "A is b.": "A is b."} {
		if got := (&Article{Lead: lead}).Definition(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if one, two := countWords(1), countWords(2); one != "1 word" || two != "2 words" {
		t.Errorf("%s, %s", one, two)
	}
}
