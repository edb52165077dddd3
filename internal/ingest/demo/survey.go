package demo

import (
	"fmt"
	"math/rand/v2"
	"time"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// Response rate and recall of customers.
const (
	responseShare = 0.25 // share of online orders with an answer
	remembers     = 0.72 // probability that the answer names the channel that caused the order
	uncoded       = 0.06 // answers without a channel from the survey tool
)

// said contains the possible survey answers for each channel.
var said = map[measure.Channel][]string{
	facebook:      {"Facebook", "Instagram", "Instagram ad", "facebook ad", "saw it on insta", "IG"},
	google:        {"Google", "Google search", "googled it", "Google Shopping"},
	tiktok:        {"TikTok", "Tik Tok", "tiktok video", "an ad on TikTok"},
	snapchat:      {"Snapchat", "snap ad"},
	amazon:        {"Amazon", "saw it on amazon"},
	podcast:       {"Podcast", "a podcast ad", "heard it on a podcast"},
	influencer:    {"Influencer", "a creator I follow", "someone on YouTube"},
	affiliate:     {"A deals site", "coupon website"},
	email:         {"Email", "your newsletter"},
	sms:           {"Text message"},
	organicSearch: {"Search engine", "found you while searching", "read a blog review"},
	referral:      {"Friend or family", "word of mouth", "my sister", "a friend gave me one", "Gift"},
	direct:        {"I already knew the brand", "Been a customer for years"},
	"":            {"Don't remember", "Other", "not sure", "?"},
}

// believed lists the channels in incorrect survey answers. These answers come from customers with incorrect recall, and
// from customers with an order that no spend caused.
var (
	believed       = []measure.Channel{referral, organicSearch, google, facebook, tiktok, influencer, amazon, podcast, direct, email, ""}
	believedPicker = newPicker([]float64{0.26, 0.18, 0.14, 0.13, 0.07, 0.05, 0.03, 0.02, 0.05, 0.02, 0.05})
)

var triggers = []string{
	"Saw an ad", "Running out", "Looking for a gift", "A sale or discount", "Recommendation from a friend", "Read a review",
	"Just moved into a new flat", "wanted to treat myself", "the holiday scents are back!",
}

var awareness = []string{"Today", "This week", "Less than a month", "1-6 months", "More than 6 months"}

// ask draws a customer's answers after an order in the online store.
func (s *sales) ask(v visit, o warehouse.Order) {
	if v.surface != online || !chance(s.answers, responseShare) {
		return
	}
	at := o.At.Add(time.Duration(20+7200*s.answers.ExpFloat64()) * time.Second)
	channel, text, creator := s.discovery(v)
	s.answer(o, at, "discovery_channel", text, channel, creator)
	if chance(s.answers, 0.7) {
		s.answer(o, at, "purchase_trigger", triggers[triggerPicker(v).pick(s.answers)], "", "")
	}
	if chance(s.answers, 0.6) {
		s.answer(o, at, "awareness_duration", awareness[awarenessPicker(v).pick(s.answers)], "", "")
	}
}

func (s *sales) answer(o warehouse.Order, at time.Time, question, text string, channel measure.Channel, creator string) {
	if !at.Before(s.p.now) {
		return
	}
	s.out.batch.Surveys = append(s.out.batch.Surveys, warehouse.SurveyResponse{
		Source: sourceSurvey, Key: fmt.Sprintf("%d-%s", s.placed, question), OrderRef: o.OrderRef,
		At: at, Day: civil.DayOf(at, s.p.opt.Zone), Question: question, Answer: text, Channel: channel, Creator: creator,
	})
	s.out.added(1)
}

// discovery draws the channel that a customer names, the text of the answer, and the survey tool's coding.
func (s *sales) discovery(v visit) (meant measure.Channel, text, creator string) {
	r := s.answers
	meant = believed[believedPicker.pick(r)]
	won := measure.Channel("")
	if v.medium != nil {
		won = v.medium.channel
	} else if v.who >= 0 {
		won = s.shoppers.all[v.who].wonBy
	}
	if won != "" && chance(r, remembers) {
		meant = won
	}
	if meant == influencer && v.creator >= 0 && chance(r, 0.65) {
		c := s.p.creators[v.creator]
		return meant, oneOf(r, []string{"@" + c.handle, c.name, c.name + " on " + c.platform}), c.id
	}
	text = oneOf(r, said[meant])
	if chance(r, uncoded) {
		meant = ""
	}
	return meant, text, ""
}

func oneOf(r *rand.Rand, texts []string) string { return texts[r.IntN(len(texts))] }

var (
	newTriggers  = newPicker([]float64{0.33, 0.02, 0.22, 0.16, 0.12, 0.07, 0.03, 0.04, 0.01})
	oldTriggers  = newPicker([]float64{0.08, 0.36, 0.20, 0.20, 0.03, 0.02, 0.02, 0.06, 0.03})
	newAwareness = newPicker([]float64{0.22, 0.30, 0.24, 0.16, 0.08})
	oldAwareness = newPicker([]float64{0.02, 0.04, 0.10, 0.38, 0.46})
)

func triggerPicker(v visit) picker {
	if v.isNew {
		return newTriggers
	}
	return oldTriggers
}

func awarenessPicker(v visit) picker {
	if v.isNew {
		return newAwareness
	}
	return oldAwareness
}
