package ask

import (
	_ "embed"
	"slices"
	"strings"
)

// aliases maps the names of a channel in a question to its key. Longer names have priority.
var aliases = aliasesOf(`
facebook: facebook, fb, meta, meta ads, facebook ads, fb ads, advantage+, advantage plus
instagram: instagram, insta, ig, instagram ads, ig ads
google: google, google ads, adwords, gads, ppc, sem, paid search, google search, pmax, performance max, google shopping, google pmax
tiktok: tiktok, tik tok, tt, tiktok ads, tik tok ads
snapchat: snapchat, snap, snap ads, snapchat ads
amazon: amazon, amzn, amazon ads, sponsored products, sponsored ads, amazon sponsored ads, amazon sponsored products
pinterest: pinterest, pins, pinterest ads
youtube: youtube, yt, youtube ads
bing: bing, microsoft ads, msft ads, bing ads
linkedin: linkedin, linkedin ads
reddit: reddit, reddit ads
x: twitter, twitter ads, x ads, on x, from x
email: email, emails, e mail, e mails, mails, newsletter, newsletters, klaviyo
sms: sms, text message, text messages, texts, txt, text messaging, text channel
organic_search: organic, seo, organic search
direct: direct, direct traffic, direct channel
referral: referral, referrals
affiliate: affiliate, affiliates
influencer: influencer, influencers
podcast: podcast, podcasts
tv: tv, ctv, connected tv
`)

// messaging lists the channels that have their own tools. The tools of paid channels do not answer questions about
// these channels.
var messaging = setOf("email sms influencer affiliate")

// platforms maps channels to the ad platforms that sell their ads.
var platforms = map[string]string{
	"facebook": "facebook", "instagram": "facebook", "google": "google", "youtube": "google", "tiktok": "tiktok",
	"amazon": "amazon", "snapchat": "snapchat",
}

// alias is a name of a channel.
type alias struct {
	words []string
	key   string
}

func aliasesOf(text string) []alias {
	var out []alias
	for line := range strings.Lines(strings.TrimSpace(text)) {
		key, names, _ := strings.Cut(strings.TrimSpace(line), ":")
		for name := range strings.SplitSeq(names, ",") {
			out = append(out, alias{strings.Fields(name), key})
		}
	}
	slices.SortStableFunc(out, func(a, b alias) int { return len(b.words) - len(a.words) })
	return out
}

// ChannelKeys lists the channels that questions name.
func ChannelKeys() []string {
	var out []string
	for _, a := range aliases {
		if !slices.Contains(out, a.key) {
			out = append(out, a.key)
		}
	}
	slices.Sort(out)
	return out
}

// surfaces are words after a channel's name. Such a word means that the name is a sales surface.
var surfaces = setOf("shop shops store stores marketplace")

//go:embed words.txt
var wordList string

//go:embed english.txt
var englishWords string

// lexicon contains English words, the words of the training questions and the names of places. Only words of questions
// in scope, date words and channel names may replace a misspelled word.
type lexicon struct {
	known   map[string]bool
	inScope map[string]bool
	targets map[int][]string // in scope, by length; frequent words first
}

func newLexicon(words string) lexicon {
	l := lexicon{known: setOf(englishWords), inScope: map[string]bool{}, targets: map[int][]string{}}
	for w := range strings.FieldsSeq(words) {
		target := w[0] != '-'
		w = strings.TrimPrefix(w, "-")
		l.known[w], l.inScope[w] = true, target
		if target && len(w) >= shortestCorrected {
			l.targets[len(w)] = append(l.targets[len(w)], w)
		}
	}
	for name := range states {
		for w := range strings.FieldsSeq(name) {
			l.known[w] = true
		}
	}
	for country := range countries {
		l.known[country] = true
	}
	for _, extra := range []string{dateWords, channelWords()} {
		for w := range strings.FieldsSeq(extra) {
			if l.known[w] = true; len(w) >= shortestCorrected && !slices.Contains(l.targets[len(w)], w) {
				l.targets[len(w)] = append(l.targets[len(w)], w)
			}
		}
	}
	return l
}

const dateWords = `today yesterday tomorrow week weeks weekend month months quarter quarters year years days hours daily weekly
	monthly quarterly january february march april june july august september october november december monday tuesday
	wednesday thursday friday saturday sunday since between until last past previous this next before ago black cyber
	thanksgiving christmas halloween first second third fourth half fortnight summer winter spring autumn`

func channelWords() string {
	var all []string
	for _, a := range aliases {
		all = append(all, a.words...)
	}
	return strings.Join(all, " ")
}

const (
	shortestCorrected = 4 // minimum letters of a word that may be corrected
	longWord          = 7 // minimum letters of a word with two corrected mistakes
)

// correct returns the known word for a misspelled word, otherwise the word itself. The first letters must be equal,
// unless the first two letters are exchanged.
func (l lexicon) correct(w string) string {
	if len(w) < shortestCorrected || l.known[w] || l.known[strings.TrimSuffix(w, "s")] || l.known[w+"s"] || strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") != "" {
		return w
	}
	allowed := 1
	if len(w) >= longWord {
		allowed = 2
	}
	best, distance := w, allowed+1
	for length := len(w) - allowed; length <= len(w)+allowed; length++ {
		for _, t := range l.targets[length] {
			if t[0] != w[0] && (t[0] != w[1] || t[1] != w[0]) {
				continue
			}
			d := edits(w, t, distance)
			if d == 2 && length < longWord {
				continue
			}
			if d < distance {
				best, distance = t, d
			}
		}
	}
	return best
}

// edits returns the number of edits that turn one word into the other. If this number reaches limit, the result is
// limit or more. An edit inserts, removes or replaces a letter, or exchanges two neighbors.
func edits(a, b string, limit int) int {
	const widest = 40
	if len(a) > widest || len(b) > widest {
		return limit
	}
	var rows [3][widest + 1]int
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		row, above, higher := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		row[0] = i
		lowest := i
		for j := 1; j <= len(b); j++ {
			replaced := above[j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			row[j] = min(replaced, above[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], higher[j-2]+1)
			}
			lowest = min(lowest, row[j])
		}
		if lowest >= limit {
			return limit
		}
	}
	return rows[len(a)%3][len(b)]
}

// states maps names of US states to the codes of regions.
var states = statesOf(`alabama AL, alaska AK, arizona AZ, arkansas AR, california CA, colorado CO, connecticut CT,
	delaware DE, florida FL, georgia GA, hawaii HI, idaho ID, illinois IL, indiana IN, iowa IA, kansas KS, kentucky KY,
	louisiana LA, maine ME, maryland MD, massachusetts MA, michigan MI, minnesota MN, mississippi MS, missouri MO,
	montana MT, nebraska NE, nevada NV, new hampshire NH, new jersey NJ, new mexico NM, new york NY, north carolina NC,
	north dakota ND, ohio OH, oklahoma OK, oregon OR, pennsylvania PA, rhode island RI, south carolina SC,
	south dakota SD, tennessee TN, texas TX, utah UT, vermont VT, virginia VA, washington WA, west virginia WV,
	wisconsin WI, wyoming WY`)

func statesOf(text string) map[string]string {
	out := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		words := strings.Fields(pair)
		code := words[len(words)-1]
		out[strings.Join(words[:len(words)-1], " ")] = code
	}
	return out
}

func isStateCode(raw string) bool {
	if len(raw) != 2 {
		return false
	}
	for _, code := range states {
		if code == raw {
			return true
		}
	}
	return false
}

// countries are names of countries and continents that questions mention. No tool filters by country.
var countries = setOf(`germany france italy spain portugal poland austria switzerland belgium netherlands denmark sweden norway finland
	ireland england scotland britain uk usa canada mexico brazil australia japan china india europe asia africa america eu`)

// place returns the state or country that a clause names, or "".
func (c *clause) place() string {
	for i := range c.tokens {
		for n := min(2, len(c.tokens)-i); n > 0; n-- {
			words := make([]string, n)
			for k, t := range c.tokens[i : i+n] {
				if t.slot == plain && t.form == word {
					words[k] = t.text
				}
			}
			if name := strings.Join(words, " "); states[name] != "" || countries[name] {
				return name
			}
		}
	}
	return ""
}
