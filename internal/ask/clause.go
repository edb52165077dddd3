package ask

import (
	"regexp"
	"slices"
	"strings"

	"assay/internal/ask/when"
)

// NameKind is the kind of object that a name of the store belongs to.
type NameKind int

// The kinds of names.
const (
	CampaignName NameKind = iota
	CouponCode
	CreatorName
	ChannelName
)

// Name is the name of a campaign, a coupon, a creator or a custom channel of the store.
type Name struct {
	Kind     NameKind
	Text     string
	ID       string
	Platform string // platform of a campaign or a creator
}

// clause is the part of a question that one call answers.
type clause struct {
	tokens   []token
	whens    []when.Expression
	channels []string // channel keys, in the question's order
	excluded []string // channels that the clause leaves out, as in "except email"
	names    []Name
	items    []item
}

// item is a token or a recognized slot. Rules and the classifier use items.
type item struct {
	text string // the word; for a channel, its key
	tag  string // "" for a word
}

// The tags of items.
const (
	dateTag     = "<date>"
	futureTag   = "<future>"
	relativeTag = "<relative>"
	channelTag  = "<channel>"
	numberTag   = "<number>"
	moneyTag    = "<money>"
	percentTag  = "<percent>"
	idTag       = "<id>"
	codeTag     = "<code>"
	campaignTag = "<campaign>"
	creatorTag  = "<creator>"
	quoteTag    = "<quote>"
)

// parse recognizes the slots of a clause.
func (tr *Translator) parse(tokens []token, q *Question) *clause {
	c := &clause{tokens: slices.Clone(tokens)}
	tr.findNames(c, q)
	c.findIDs()
	for i := range c.tokens {
		if t := &c.tokens[i]; t.form == word && t.slot == plain {
			t.text = tr.lexicon.correct(t.text)
		}
	}
	c.findChannels()
	c.findTimesOfDay()
	c.whens = when.Read(q.Today, c.timed())
	for _, w := range c.whens {
		s := dateSlot
		if w.Kind == when.Future {
			s = futureSlot
		}
		c.mark(w.At, w.End, s)
	}
	c.itemize()
	return c
}

// timed returns the tokens in the form that package when reads.
func (c *clause) timed() []when.Token {
	forms := map[form]when.Form{word: when.Word, numeral: when.Numeral, isoDate: when.ISODate, slashDate: when.SlashDate}
	out := make([]when.Token, len(c.tokens))
	for i, t := range c.tokens {
		f, ok := forms[t.form]
		if !ok {
			f = when.Other
		}
		out[i] = when.Token{Text: t.text, Form: f, Value: t.value, Taken: t.slot != plain}
	}
	return out
}

func (c *clause) mark(from, to int, s slot) {
	for i := from; i < to; i++ {
		c.tokens[i].slot, c.tokens[i].first = s, i == from
	}
}

var (
	timeOfDay    = regexp.MustCompile(`^(\d{1,2}[ap]m|noon|midnight|[ap]m|mornings?|afternoons?|evenings?|nights?)$`)
	timesBetween = setOf("between from at after before until till to and the in - 1 2 3 4 5 6 7 8 9 10 11 12")
)

// findChannels marks channel names and prefers the longest match. A name before "shop" is a sales surface, not a
// channel.
func (c *clause) findChannels() {
	for i := 0; i < len(c.tokens); i++ {
		for _, a := range aliases {
			end := c.match(i, a.words)
			if end == 0 || end < len(c.tokens) && len(a.words) == 1 && surfaces[c.tokens[end].text] && c.tokens[end].slot == plain && a.key != "google" {
				continue
			}
			if c.otherMeaning(i, end, a) {
				continue
			}
			from := i
			if a.words[0] == "on" || a.words[0] == "from" {
				from++
			}
			c.mark(from, end, channelSlot)
			c.tokens[from].text = a.key
			switch {
			case c.leavesOut(from):
				c.excluded = append(c.excluded, a.key)
			case !slices.Contains(c.channels, a.key):
				c.channels = append(c.channels, a.key)
			}
			i = end - 1
			break
		}
	}
}

// leavesOut reports whether the clause leaves out the channel at a token: "except email", "all but email and sms".
func (c *clause) leavesOut(i int) bool {
	back := func(n int) string {
		if i-n < 0 {
			return ""
		}
		return c.tokens[i-n].text
	}
	switch back(1) {
	case "excluding", "except", "exclude", "excludes", "excluded", "without", "minus", "besides", "ignoring", "omitting", "not":
		return true
	case "than":
		return back(2) == "other"
	case "including", "on", "counting":
		return back(2) == "not"
	case "from":
		return back(2) == "apart" || back(2) == "aside"
	case "for":
		return back(2) == "except"
	case "but":
		return setOf("all everything channels every channel any")[back(2)]
	case "out":
		return setOf("leave leaving left")[back(2)]
	case "and", "or", ",":
		return i >= 2 && c.tokens[i-2].slot == channelSlot && len(c.excluded) > 0
	}
	return false
}

// otherMeaning reports whether a word that is also a channel means something else here.
func (c *clause) otherMeaning(i, end int, a alias) bool {
	next, last := "", ""
	if end < len(c.tokens) {
		next = c.tokens[end].text
	}
	if i > 0 {
		last = c.tokens[i-1].text
	}
	switch strings.Join(a.words, " ") {
	case "email", "emails", "mails", "e mail":
		return next == "address" || next == "addresses" || last == "an" || last == "my"
	case "texts":
		return last == "write" || last == "these"
	case "snap", "pins":
		return last == "a" || last == "oh"
	}
	return false
}

// findTimesOfDay marks "8am", "between 8am and noon" and "at night". No tool can use them, because figures are by day.
func (c *clause) findTimesOfDay() {
	for i, t := range c.tokens {
		if t.slot != plain || !timeOfDay.MatchString(t.text) || i > 0 && c.tokens[i-1].text == "this" {
			continue
		}
		from := i
		for from > 0 && c.tokens[from-1].slot != channelSlot && (timesBetween[c.tokens[from-1].text] || c.tokens[from-1].slot == clockSlot) {
			from--
		}
		c.mark(from, i+1, clockSlot)
	}
}

func (c *clause) match(i int, words []string) int {
	for n, w := range words {
		if n > 0 && c.isHyphen(i) { // "e-mail"
			i++
		}
		if i >= len(c.tokens) || c.tokens[i].slot != plain || c.tokens[i].text != w && c.tokens[i].text != w+"s" {
			return 0
		}
		i++
	}
	return i
}

// idWords come before an identifier. Quantities and dates are not identifiers.
var idWords = setOf("campaign campaigns ad adset ads id number no # experiment test insight creator influencer campaignid")

// findIDs marks identifiers: long numbers and, after a noun such as "experiment", words with digits such as exp_42. It
// treats words of capital letters and digits as codes.
func (c *clause) findIDs() {
	for i := range c.tokens {
		t := &c.tokens[i]
		if t.slot != plain {
			continue
		}
		digits := strings.Trim(t.text, "0123456789") == ""
		named := i > 0 && (idWords[c.tokens[i-1].text] || i > 1 && idWords[c.tokens[i-2].text] && c.tokens[i-1].slot == plain && !isQuantity(c.tokens, i))
		switch {
		case t.form == numeral && digits && (len(t.text) >= 9 || named && len(t.text) >= 3 && idWords[c.tokens[i-1].text] && !c.isDated(i)):
			c.mark(i, i+1, idSlot)
		case t.form == numeral && digits && len(t.text) >= 4 && named && !when.IsYear(t.text):
			c.mark(i, i+1, idSlot)
		case t.form == word && strings.ContainsAny(t.text, "0123456789") && strings.ContainsAny(t.text, "_-"):
			c.mark(i, i+1, idSlot)
		case isCode(t.raw), i > 0 && couponWords[c.tokens[i-1].text] && isCode(strings.ToUpper(t.raw)):
			c.mark(i, i+1, codeSlot)
		}
	}
}

// couponWords come before a coupon code.
var couponWords = setOf("coupon code voucher")

// isDated reports whether a number is part of a date.
func (c *clause) isDated(i int) bool {
	return i+1 < len(c.tokens) && when.UnitOf(c.tokens[i+1].text) != "" || when.IsYear(c.tokens[i].text)
}

func isQuantity(tokens []token, i int) bool {
	switch tokens[i-1].text {
	case "top", "last", "past", "to", "by", "of", "at", "least", "over", "above", "below", "under", "than", "in", "since", "for":
		return true
	}
	return i+1 < len(tokens) && when.UnitOf(tokens[i+1].text) != ""
}

// isCode reports whether a text looks like a coupon code: capitals with digits, such as WELCOME10.
func isCode(raw string) bool {
	if len(raw) < 4 || strings.ToUpper(raw) != raw {
		return false
	}
	letters := strings.Trim(raw, "0123456789")
	return letters != raw && len(letters) >= 3 && strings.Trim(letters, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// findNames marks the store's own names. A name that is a single common word is recognized only in quotes or with the
// capitalization of the name.
func (tr *Translator) findNames(c *clause, q *Question) {
	for _, n := range tr.names(c, q) {
		for i := range c.tokens {
			end, ok := tr.nameAt(c, i, n)
			if !ok {
				continue
			}
			c.markName(i, end, n.Name)
			break
		}
	}
}

func (c *clause) markName(from, to int, n Name) {
	switch n.Kind {
	case ChannelName:
		c.mark(from, to, channelSlot)
		c.tokens[from].text = n.ID
		c.channels = append(c.channels, n.ID)
		return
	case CouponCode:
		c.mark(from, to, codeSlot)
	case CampaignName, CreatorName:
		c.mark(from, to, nameSlot)
	}
	c.names = append(c.names, n)
}

func (tr *Translator) nameAt(c *clause, i int, n knownName) (end int, ok bool) {
	t, words := c.tokens[i], n.words
	if t.form == quoted && strings.EqualFold(t.text, n.Text) {
		return i + 1, true
	}
	rare := len(words) > 1
	for j, w := range words {
		if i+j >= len(c.tokens) || c.tokens[i+j].slot != plain || c.tokens[i+j].text != w.text {
			return 0, false
		}
		rare = rare || !tr.lexicon.known[w.text] || c.tokens[i+j].raw == w.raw && w.raw != w.text
	}
	return i + len(words), rare
}

// knownName is a name in the store's data, split into words.
type knownName struct {
	Name
	words []token
}

// longestName is the maximum ratio of a name's length to the length of the question that contains the name. A name can
// be longer than the question, because the question may have short forms and numerals, such as 17 for seventeen.
const longestName = 8

// names returns the names of the store, longest first, if the clause has a word that may be part of a name. All clauses
// of a question share these names.
func (tr *Translator) names(c *clause, q *Question) []knownName {
	if q.Names == nil {
		return nil
	}
	if q.read == nil {
		strange := slices.ContainsFunc(c.tokens, func(t token) bool {
			return t.form == quoted || t.form == word && (!tr.lexicon.known[t.text] || t.raw != t.text)
		})
		if !strange {
			return nil
		}
		var names []knownName
		for _, n := range q.Names() {
			if len(n.Text) > longestName*len(q.Text) {
				continue
			}
			if words := tokenize(n.Text); len(words) > 0 {
				names = append(names, knownName{n, words})
			}
		}
		slices.SortStableFunc(names, func(a, b knownName) int { return len(b.Text) - len(a.Text) })
		q.read = &names
	}
	return *q.read
}

// itemize sets the items of the clause: the words and slots that rules and the classifier use.
func (c *clause) itemize() {
	c.items = c.items[:0]
	for i, t := range c.tokens {
		if t.slot != plain && !t.first || t.slot == clockSlot || c.isHyphen(i) || t.slot == channelSlot && slices.Contains(c.excluded, t.text) {
			continue
		}
		it := item{text: t.text}
		switch t.slot {
		case dateSlot:
			it.tag = c.dateTagAt(i)
		case futureSlot:
			it.tag = futureTag
		case channelSlot:
			it.tag = channelTag
		case idSlot:
			it.tag = idTag
		case codeSlot:
			it.tag = codeTag
		case nameSlot:
			it.tag = c.nameTag(t.text)
		case clockSlot:
		case plain:
			it.tag = map[form]string{numeral: numberTag, amountForm: moneyTag, percent: percentTag, quoted: quoteTag}[t.form]
		}
		c.items = append(c.items, it)
	}
}

// isHyphen reports whether a token joins two words, as in "over-reporting".
func (c *clause) isHyphen(i int) bool {
	if i == 0 || i+1 >= len(c.tokens) || c.tokens[i].form != mark || c.tokens[i].text != "-" {
		return false
	}
	before, after := c.tokens[i-1], c.tokens[i+1]
	return before.form == word && after.form == word && before.end == c.tokens[i].start && c.tokens[i].end == after.start
}

func (c *clause) dateTagAt(i int) string {
	for _, w := range c.whens {
		if w.At <= i && i < w.End && (w.Kind == when.Before || w.Kind == when.YearAgo || w.Kind == when.WeekAgo || w.Kind == when.Shifted || w.Kind == when.Rolling) {
			return relativeTag
		}
	}
	return dateTag
}

func (c *clause) nameTag(text string) string {
	for _, n := range c.names {
		if n.Kind == CreatorName && strings.HasPrefix(strings.ToLower(n.Text), text) {
			return creatorTag
		}
	}
	return campaignTag
}

// has reports whether an item is one of the words.
func (c *clause) has(words string) bool {
	set := setOf(words)
	return slices.ContainsFunc(c.items, func(it item) bool { return it.tag == "" && set[it.text] })
}

// isMonthly reports whether the clause is about a budget per month without limits by channel.
func (c *clause) isMonthly() bool {
	if (&filler{clause: c}).constraints(Parameter{}) != nil {
		return false
	}
	return c.has("month monthly") || slices.ContainsFunc(c.whens, func(w when.Expression) bool { return w.Unit == "month" && w.Count <= 1 })
}

// phrase is a sequence of items that a rule looks for.
type phrase struct {
	elements [][]string // alternatives; "..": up to widestGap items; a final star matches any ending
	anchored bool       // at the start of the clause
	final    bool       // at the end of the clause
}

const widestGap = 6

func phraseOf(text string) phrase {
	var p phrase
	for w := range strings.FieldsSeq(text) {
		if w == "^" || w == "$" {
			p.anchored, p.final = p.anchored || w == "^", p.final || w == "$"
			continue
		}
		p.elements = append(p.elements, strings.Split(w, "/"))
	}
	return p
}

// in reports whether the items contain the phrase.
func (p phrase) in(items []item) bool {
	last := len(items)
	if p.anchored {
		last = min(1, last)
	}
	for i := range last {
		if (!p.final || len(items)-i == len(p.elements)) && matches(p.elements, items[i:]) {
			return true
		}
	}
	return false
}

func matches(elements [][]string, items []item) bool {
	for len(elements) > 0 {
		if elements[0][0] == ".." {
			for gap := 0; gap <= min(widestGap, len(items)); gap++ {
				if matches(elements[1:], items[gap:]) {
					return true
				}
			}
			return false
		}
		if len(items) == 0 || !slices.ContainsFunc(elements[0], items[0].is) {
			return false
		}
		elements, items = elements[1:], items[1:]
	}
	return true
}

func (it item) is(element string) bool {
	if stem, ok := strings.CutSuffix(element, "*"); ok {
		return strings.HasPrefix(it.text, stem) && it.tag != dateTag && it.tag != futureTag
	}
	if element == channelTag {
		return it.tag == channelTag && !messaging[it.text]
	}
	return it.text == element && it.tag != dateTag && it.tag != futureTag || it.tag == element
}
