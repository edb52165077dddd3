package ask

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	for question, want := range map[string][]token{
		"What's up":  {{text: "whats", raw: "What's", end: 6}, {text: "up", raw: "up", start: 7, end: 9}},
		"2026-09-30": {{text: "2026-09-30", raw: "2026-09-30", form: isoDate, end: 10}},
		"9/30 3/4/26": {
			{text: "9/30", raw: "9/30", form: slashDate, end: 4}, {text: "3/4/26", raw: "3/4/26", form: slashDate, start: 5, end: 11},
		},
		"$1,200.50":   {{text: "$1,200.50", raw: "$1,200.50", form: amountForm, value: 1200.5, end: 9}},
		"€ 2 million": {{text: "€ 2 million", raw: "€ 2 million", form: amountForm, value: 2e6, end: 13}},
		"12.5%":       {{text: "12.5%", raw: "12.5%", form: percent, value: 12.5, end: 5}},
		"3rd":         {{text: "3rd", raw: "3rd", form: numeral, value: 3, end: 3}},
		"50k":         {{text: "50k", raw: "50k", form: amountForm, value: 50_000, end: 3}},
		"30d":         {{text: "30d", raw: "30d", end: 3}},
		"1,000":       {{text: "1,000", raw: "1,000", form: numeral, value: 1000, end: 5}},
		"twelve":      {{text: "twelve", raw: "twelve", form: numeral, value: 12, end: 6}},
		"5 dollars":   {{text: "5", raw: "5", form: amountForm, value: 5, end: 9}},
		"$5 thousand": {{text: "$5 thousand", raw: "$5 thousand", form: amountForm, value: 5000, end: 11}},
		"two grand":   {{text: "two", raw: "two", form: amountForm, value: 2000, end: 9}},
		"grand":       {{text: "grand", raw: "grand", end: 5}},
		`"Big Day"`:   {{text: "big day", raw: `"Big Day"`, form: quoted, end: 9}},
		"‘x y’":       {{text: "x y", raw: "‘x y’", form: quoted, end: 9}},
		"a – b": {
			{text: "a", raw: "a", end: 1}, {text: "-", raw: "–", form: mark, start: 2, end: 5}, {text: "b", raw: "b", start: 6, end: 7},
		},
		"—":         {{text: "-", raw: "—", form: mark, end: 3}},
		"_x é":      {{text: "_x", raw: "_x", end: 2}, {text: "é", raw: "é", start: 3, end: 5}},
		"z":         {{text: "z", raw: "z", end: 1}},
		"a\xffb":    {{text: "a", raw: "a", end: 1}, {text: "b", raw: "b", start: 2, end: 3}},
		"a\xff\xff": {{text: "a", raw: "a", end: 1}},
	} {
		if diff := cmp.Diff(want, tokenize(question), cmp.AllowUnexported(token{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", question, diff)
		}
	}
}

func TestALongQuestionIsCutBetweenCharacters(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]int{
		strings.Repeat("a", maxLength):         maxLength,
		strings.Repeat("a", maxLength+1):       maxLength,
		strings.Repeat("a", maxLength-1) + "é": maxLength - 1,
		strings.Repeat("a", maxLength-2) + "é": maxLength,
		strings.Repeat("é", maxLength):         maxLength,
	} {
		got := tokenize(question)
		if len(got) != 1 || got[0].end != want {
			t.Errorf("%d bytes: %+v, want one word of %d bytes", len(question), got, want)
		}
	}
}

func TestNumberWords(t *testing.T) {
	t.Parallel()
	want := strings.Fields("1 one 2 two 3 three 4 four 5 five 6 six 7 seven 8 eight 9 nine 10 ten 11 eleven 12 twelve 14 fourteen 15 fifteen 20 twenty " +
		"30 thirty 60 sixty 90 ninety 2 couple 12 dozen")
	for i := 0; i < len(want); i += 2 {
		if got := numberWords[want[i+1]]; got != amount(want[i]) {
			t.Errorf("%s is %v", want[i+1], got)
		}
	}
	if len(numberWords) != len(want)/2 {
		t.Errorf("%d number words, want %d", len(numberWords), len(want)/2)
	}
}

func TestAmounts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{
		"5": 5, "5.": 5, "1,200.50": 1200.5, "$ 80": 80, "£3k": 3000, "2 k": 2000, "2m": 2e6, "2mm": 2e6, "2mn": 2e6, "2 million": 2e6,
		"7 thousand": 7000, "7 grand": 7000, "7 x": 0, "k": 0, "": 0, "1.2.3": 0,
	} {
		if got := amount(text); got != want {
			t.Errorf("amount(%q) is %v, want %v", text, got, want)
		}
	}
}

func TestEdits(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 40)
	for _, c := range []struct {
		a, b        string
		limit, want int
	}{
		{"", "", 3, 0},
		{"", "ab", 3, 2},
		{"ab", "", 3, 2},
		{"a", "b", 3, 1},
		{"abc", "abc", 3, 0},
		{"abc", "ab", 3, 1},
		{"bc", "abc", 3, 1},
		{"abcd", "acbd", 3, 1},
		{"ab", "ba", 3, 1},
		{"abcd", "badc", 3, 2},
		{"kitten", "sitting", 9, 3},
		{"ca", "abc", 9, 3},
		{"aab", "bab", 9, 1},
		{"abcdef", "ghijkl", 2, 2},
		{"abc", "xyz", 3, 3},
		{"abcd", "wxyz", 9, 4},
		{"abc", "abd", 1, 1},
		{"ab", "cb", 2, 1},
		{long, long, 3, 0},
		{long, long[1:], 3, 1},
		{long + "a", long, 3, 3},
		{long, long + "a", 3, 3},
	} {
		if got := edits(c.a, c.b, c.limit); got != c.want {
			t.Errorf("edits(%q, %q, %d) is %d, want %d", c.a, c.b, c.limit, got, c.want)
		}
	}
}

func TestCorrections(t *testing.T) {
	t.Parallel()
	l := newLexicon("revenue spend conversion order orders -picnic abcd anomaly")
	for typed, want := range map[string]string{
		"revenue": "revenue", "revenu": "revenue", "rvenue": "revenue", "ervenue": "revenue", "xevenue": "xevenue", "revnu": "revnu", "revneu": "revneu",
		"rvenu": "rvenu", "rvenues": "revenue", "spnd": "spend", "spned": "spend", "psend": "spend", "spxxd": "spxxd", "picnik": "picnik", "picnics": "picnics",
		"convresino": "conversion", "conversionab": "conversion", "conversionabc": "conversionabc", "abc": "abc", "abce": "abcd", "abcde": "abcd",
		"conv3rsion": "conv3rsion", "ordr": "order", "octobr": "october", "facebok": "facebook", "anomalx": "anomaly", "anomaxx": "anomaly", "anoma": "anoma", "nomaly": "nomaly", "anomalies": "anomalies", //nolint:misspell // misspelled on purpose
		"émail": "émail",
	} {
		if got := l.correct(typed); got != want {
			t.Errorf("%q is corrected to %q, want %q", typed, got, want)
		}
	}
}

func TestStatesAndCodes(t *testing.T) {
	t.Parallel()
	if len(states) != 50 || states["new york"] != "NY" || states["ohio"] != "OH" || states["wyoming"] != "WY" || states["alabama"] != "AL" {
		t.Errorf("%d states: %v", len(states), states)
	}
	for raw, want := range map[string]bool{"NY": true, "ny": false, "XX": false, "N": false, "NYC": false, "": false} {
		if got := isStateCode(raw); got != want {
			t.Errorf("isStateCode(%q) is %v", raw, got)
		}
	}
	for raw, want := range map[string]bool{
		"WELCOME10": true, "ABC1": true, "20VIP": true, "AB12": false, "abc1": false, "ABC": false, "ABCD": false, "1234": false, "AB1C": false, "ABC-1": false,
		"ÄBC1": false,
	} {
		if got := isCode(raw); got != want {
			t.Errorf("isCode(%q) is %v", raw, got)
		}
	}
	for x, want := range map[float64]bool{2: true, 2.5: false, -1: true} {
		if got := whole(x); got != want {
			t.Errorf("whole(%v) is %v", x, got)
		}
	}
}

func TestChannelKeys(t *testing.T) {
	t.Parallel()
	want := strings.Fields(`affiliate amazon bing direct email facebook google influencer instagram linkedin organic_search pinterest podcast reddit referral
		sms snapchat tiktok tv x youtube`)
	if diff := cmp.Diff(want, ChannelKeys()); diff != "" {
		t.Errorf("channels (-want +got):\n%s", diff)
	}
	for i := range aliases[1:] {
		if len(aliases[i].words) < len(aliases[i+1].words) {
			t.Errorf("%v comes before %v", aliases[i].words, aliases[i+1].words)
		}
	}
}
