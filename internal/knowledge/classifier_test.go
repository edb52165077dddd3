package knowledge

import (
	"slices"
	"strings"
	"testing"
)

const fewestWordings = 13 // minimum number of wordings of an article

func TestWordingsBelongToOneArticleEach(t *testing.T) {
	t.Parallel()
	l := library(t)
	all, err := readWordings(wordingsText)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, q := range questions(t, "development.tsv") {
		seen[strings.Join(wordsOf(q.text), " ")] = "development.tsv"
	}
	for id, texts := range all {
		if _, err := l.Article(id); err != nil && id != foreignTexts {
			t.Errorf("wordings of %q: %v", id, err)
		}
		for _, text := range texts {
			key := strings.Join(wordsOf(text), " ")
			if of := seen[key]; of != "" || key == "" {
				t.Errorf("%s: wording %q is also in %q", id, text, of)
			}
			seen[key] = string(id)
		}
	}
	for _, a := range l.articles {
		if n := len(all[a.ID]); n < fewestWordings {
			t.Errorf("%s has %d wordings, want at least %d", a.ID, n, fewestWordings)
		}
	}
}

func TestWordingsAreSorted(t *testing.T) {
	t.Parallel()
	var ids []string
	for line := range strings.Lines(wordingsText) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "[") && line != "["+string(foreignTexts)+"]" {
			ids = append(ids, strings.Trim(line, "[]"))
		}
	}
	if !slices.IsSorted(ids) {
		t.Error("the articles of wordings.txt are not sorted by ID")
	}
}

func TestReadWordingsRejectsTwoListsOfOneArticle(t *testing.T) {
	t.Parallel()
	if _, err := readWordings("[a]\nx\n[b]\ny\n[a]\nz\n"); err == nil || !strings.Contains(err.Error(), "two lists") {
		t.Errorf("got error %v", err)
	}
}

func TestClassifierIsDeterministicAndLearnsItsTexts(t *testing.T) {
	t.Parallel()
	l := library(t)
	wordings, err := readWordings(wordingsText)
	if err != nil {
		t.Fatal(err)
	}
	a, b := newClassifier(l.articles, wordings), l.trained()
	if !slices.Equal(a.weight, b.weight) {
		t.Error("two trainings have different weights")
	}
	var asked, right int
	for i, article := range l.articles {
		for _, text := range wordings[article.ID] {
			scores := a.likeness(wordsOf(text))
			asked++
			if slices.Max(scores) == scores[i] {
				right++
			}
		}
	}
	if got := percent(right, asked); got < 95 {
		t.Errorf("%.1f%% of its own %d texts have their article first, want 95%%", got, asked)
	}
}

// TestHeldOutWordingsFindTheirArticles measures the search on every fifth wording of each article, after training on
// the other wordings. It is the hardest test, because many words of the questions are in no article and no training
// text.
func TestHeldOutWordingsFindTheirArticles(t *testing.T) {
	t.Parallel()
	l := library(t)
	all, err := readWordings(wordingsText)
	if err != nil {
		t.Fatal(err)
	}
	const fold = 5
	known := map[ID][]string{}
	for id, texts := range all {
		for i, text := range texts {
			if i%fold > 0 {
				known[id] = append(known[id], text)
			}
		}
	}
	c := newClassifier(l.articles, known)
	texts := newIndex(l.articles, known)
	fresh := &Library{articles: l.articles, byID: l.byID, index: func() index { return texts }, trained: func() *classifier { return c }}
	var got tally
	for id, texts := range all {
		for i := 0; i < len(texts); i += fold {
			q := question{text: texts[i]}
			if id != foreignTexts {
				q.want = []string{string(id)}
			}
			got.add(q, fresh.Find(q.text), "")
		}
	}
	first, three, rejected := percent(got.first, got.asked), percent(got.three, got.asked), percent(got.rejected, got.foreign)
	t.Logf("%d wordings: %.1f%% first, %.1f%% in the first three; %d foreign: %.1f%% rejected", got.asked, first, three, got.foreign, rejected)
	if first < 54 || three < 63 || rejected < 85 || got.asked < 850 {
		t.Error("want 54% first, 63% in the first three and 85% rejected of 850 wordings")
	}
}

func BenchmarkTrainClassifier(b *testing.B) {
	l := library(b)
	wordings, err := readWordings(wordingsText)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		newClassifier(l.articles, wordings)
	}
}

func BenchmarkFind(b *testing.B) {
	l := library(b)
	l.trained()
	for b.Loop() {
		l.Find("my ads cost more and more for each new buyer, why is that")
	}
}
