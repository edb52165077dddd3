package ask

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLength is the maximum length of a question in bytes. A longer question is truncated.
const maxLength = 1000

// form is the notation of a token.
type form int

const (
	word form = iota
	numeral
	amountForm
	percent
	isoDate   // 2026-09-30
	slashDate // 9/30 or 9/30/2026
	quoted
	mark // punctuation that separates clauses
)

// slot is the recognized meaning of a token. Tokens of a slot are not corrected and do not match words of another slot.
type slot int

const (
	plain slot = iota
	dateSlot
	futureSlot
	channelSlot
	nameSlot
	idSlot
	codeSlot
	clockSlot // a time of day
)

// token is one word, number or mark of a question.
type token struct {
	text  string // lower case without apostrophes; corrected if it was misspelled
	raw   string // as typed
	form  form
	slot  slot
	first bool // the token starts its slot
	value float64
	start int // position in the question in bytes
	end   int
}

var tokenForm = regexp.MustCompile(`\d{4}-\d{1,2}-\d{1,2}` +
	`|\d{1,2}\.\d{1,2}\.(?:\d{4}|\d{2})\b` +
	`|\d{1,2}/\d{1,2}(?:/\d{2,4})?` +
	`|[$€£]\s?\d[\d,]*(?:\.\d+)?(?:\s?(?:k|m|mm|mn|million|thousand|grand)\b)?` +
	`|\d[\d,]*(?:\.\d+)?\s?%` +
	`|\d{1,2}(?:st|nd|rd|th)\b` +
	`|\d[\d,]*(?:\.\d+)?(?:\s?(?:k|mm|mn|m|million|thousand|grand)\b)?(?:[\pL_][\pL\d_]*)?` +
	`|"[^"\n]{1,80}"|“[^”\n]{1,80}”|[‘][^’\n]{1,80}[’]|\B'[^'\n]{1,80}'` +
	`|[\pL_][\pL\d_]*(?:['’]\pL+)*(?:-\d+)?` +
	`|[?;.!,:–—&+-]`)

// tokenize returns the tokens of a question.
func tokenize(question string) []token {
	question = strings.ToValidUTF8(question, " ")
	if len(question) > maxLength {
		question = question[:maxLength]
		for !utf8.ValidString(question) {
			question = question[:len(question)-1]
		}
	}
	var out []token
	for _, at := range tokenForm.FindAllStringIndex(question, -1) {
		t := token{raw: question[at[0]:at[1]], start: at[0], end: at[1]}
		t.read()
		out = append(out, t)
	}
	return spelledNumbers(withoutDots(out))
}

var shortMonths = setOf("jan feb mar apr jun jul aug sep sept oct nov dec")

// withoutDots removes the dot in "Nov. 10", which does not end a sentence.
func withoutDots(in []token) []token {
	out := make([]token, 0, len(in))
	for i, t := range in {
		if t.text == "." && i > 0 && i+1 < len(in) && shortMonths[in[i-1].text] && in[i-1].end == t.start && in[i+1].form == numeral {
			continue
		}
		out = append(out, t)
	}
	return out
}

// shorthand maps chat abbreviations to the full words.
var shorthand = map[string]string{
	"lst": "last", "frm": "from", "yday": "yesterday", "yest": "yesterday", "wk": "week", "wks": "weeks", "mth": "month", "mths": "months",
	"qtr": "quarter", "qtrs": "quarters", "yr": "year", "yrs": "years", "rev": "revenue", "avg": "average", "cust": "customer", "custs": "customers",
}

var ordinal = regexp.MustCompile(`^\d{1,2}(?:st|nd|rd|th)$`)

func (t *token) read() {
	lower := strings.ToLower(t.raw)
	t.text = strings.NewReplacer("'", "", "’", "").Replace(lower)
	if full := shorthand[t.text]; full != "" {
		t.text = full
	}
	first, _ := utf8.DecodeRuneInString(lower)
	switch {
	case strings.ContainsRune(`"“‘'`, first):
		t.form, t.text = quoted, strings.Trim(lower, `"“”‘’'`)
	case strings.ContainsRune("$€£", first):
		t.form, t.value = amountForm, amount(lower)
	case strings.HasSuffix(lower, "%"):
		t.form, t.value = percent, amount(strings.TrimSuffix(lower, "%"))
	case first >= '0' && first <= '9':
		t.readNumber(lower)
	case len(lower) < utf8.UTFMax && !isLetter(first):
		t.form, t.text = mark, strings.NewReplacer("–", "-", "—", "-").Replace(lower)
	}
}

// dottedDate is a date with the day first, such as 10.11.2026.
var dottedDate = regexp.MustCompile(`^(\d{1,2})\.(\d{1,2})\.(?:20)?(\d{2})$`)

func (t *token) readNumber(lower string) {
	switch {
	case dottedDate.MatchString(lower):
		t.form, t.text = isoDate, dottedDate.ReplaceAllString(lower, "20$3-$2-$1")
	case strings.Count(lower, "-") == 2:
		t.form = isoDate
	case strings.Contains(lower, "/"):
		t.form = slashDate
	case ordinal.MatchString(lower):
		t.form, t.value = numeral, amount(lower[:len(lower)-2])
	case strings.Trim(lower, "0123456789.,") == "":
		t.form, t.value = numeral, amount(lower)
	default:
		if v := amount(lower); v > 0 {
			t.form, t.value = amountForm, v
		}
	}
}

func isLetter(r rune) bool { return r == '_' || unicode.IsLetter(r) }

// scales maps the suffixes of a number, such as "k" and "million", to their factors.
var scales = map[string]float64{
	"k": 1e3, "thousand": 1e3, "grand": 1e3, "m": 1e6, "mm": 1e6, "mn": 1e6, "million": 1e6,
}

// amount reads a number such as "$1,200.50" or "50k". It returns 0 for other texts.
func amount(text string) float64 {
	text = strings.ReplaceAll(strings.TrimLeft(text, "$€£ "), ",", "")
	digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyz ")
	unit := strings.TrimSpace(text[len(digits):])
	scale, known := scales[unit]
	if unit == "" {
		scale, known = 1, true
	}
	value, err := strconv.ParseFloat(strings.TrimSuffix(digits, "."), 64)
	if err != nil || !known {
		return 0
	}
	return value * scale
}

var numberWords = map[string]float64{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "fourteen": 14, "fifteen": 15, "twenty": 20, "thirty": 30, "sixty": 60, "ninety": 90,
	"couple": 2, "dozen": 12,
}

var currencyWords = setOf("dollar dollars usd bucks euro euros eur pounds gbp")

// spelledNumbers sets the values of number words, and joins a number with the word for its scale or currency.
func spelledNumbers(in []token) []token {
	out := in[:0]
	for _, t := range in {
		last := len(out) - 1
		numeric := last >= 0 && (out[last].form == numeral || out[last].form == amountForm)
		switch {
		case t.form == word && numeric && currencyWords[t.text]:
			out[last].form, out[last].end = amountForm, t.end
			continue
		case t.form == word && numeric && (t.text == "thousand" || t.text == "grand" || t.text == "million"):
			out[last].form, out[last].value, out[last].end = amountForm, out[last].value*scales[t.text], t.end
			continue
		case t.form == word && numberWords[t.text] > 0:
			t.form, t.value = numeral, numberWords[t.text]
		}
		out = append(out, t)
	}
	return out
}

func setOf(text string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		set[w] = true
	}
	return set
}
