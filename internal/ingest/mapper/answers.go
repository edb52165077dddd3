package mapper

import (
	"regexp"
	"strings"

	"assay/internal/ingest/source"
	"assay/internal/measure"
)

// discovery is the name of the question with channels as answers.
const discovery = "discovery_channel"

// questions lists the survey questions that are comparable across stores, by a pattern of their text. Other questions
// keep their text.
var questions = []struct {
	name string
	like *regexp.Regexp
}{
	{"awareness_duration", regexp.MustCompile(`how long|when did you first|known (about )?us`)},
	{discovery, regexp.MustCompile(`hear (about|of)|find (out )?(about )?us|found us|discover|come across|learn about|know about us|aufmerksam|connu|discovery channel`)},
	{"purchase_trigger", regexp.MustCompile(`what (made|convinced|prompted|motivated|led|brought)|why did you (buy|purchase|order|decide)|reason for|trigger|buying today|purchase today`)},
}

// questionOf returns the name of a question that is comparable across stores, or the text of any other question.
func questionOf(text string) string {
	folded := source.Fold(text)
	for _, q := range questions {
		if folded == strings.ReplaceAll(q.name, "_", " ") || q.like.MatchString(folded) {
			return q.name
		}
	}
	return text
}

// answers maps answers to channels by words, most specific first: "an influencer on TikTok" is an influencer.
var answers = []struct {
	channel measure.Channel
	like    *regexp.Regexp
}{
	{"podcast", words(`podcasts?`)},
	{"influencer", words(`influencers?|creators?|youtubers?|streamers?|bloggers?`)},
	{"affiliate", words(`affiliates?|deals? sites?|coupon (web)?sites?|cashback`)},
	{"tv", words(`tv|television|streaming tv|hulu|ctv|fernsehen`)},
	{"radio", words(`radio|spotify|audio ad`)},
	{"direct_mail", words(`direct mail|postcards?|catalog(ue)?s?|flyers?|mailers?`)},
	{"sms", words(`sms|text messages?|texts?`)},
	{"email", words(`e-?mails?|newsletters?`)},
	{"tiktok", words(`tik ?tok`)},
	{"snapchat", words(`snap ?chat|snap`)},
	{"pinterest", words(`pinterest`)},
	{"facebook", words(`facebook|fb|instagram|insta|ig|meta`)},
	{"youtube", words(`you ?tube`)},
	{"linkedin", words(`linkedin`)},
	{"reddit", words(`reddit`)},
	{"amazon", words(`amazon`)},
	{"microsoft", words(`bing`)},
	{"google", words(`google\w*`)},
	{"organic_search", words(`search(ed|ing)?|search engines?|online search|web search`)},
	{"referral", words(`friends?|family|word of mouth|sister|brother|mother|mom|mum|dad|father|colleagues?|co-?workers?|referr(al|ed)|gift|recommend(ed|ation)|freunde?|familie`)},
	{"direct", words(`already (knew|know)|always known|existing customer|returning customer|been a customer`)},
}

func words(pattern string) *regexp.Regexp { return regexp.MustCompile(`(^|\W)(` + pattern + `)($|\W)`) }

// channelOf returns the channel that an answer names, or "" if the answer names no channel.
func channelOf(answer string) measure.Channel {
	folded := source.Fold(answer)
	for _, a := range answers {
		if a.like.MatchString(folded) {
			return a.channel
		}
	}
	return ""
}
