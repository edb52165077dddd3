package frame

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"assay/internal/measure"
)

// channelLooks are the proper names and colors of channels. A color is a token of console.css: --c-NAME. Owned,
// organic, direct and referral channels share the color "owned".
var channelLooks = map[measure.Channel]struct{ name, color string }{
	"facebook": {"Facebook Ads", "facebook"}, "google": {"Google Ads", "google"}, "tiktok": {"TikTok Ads", "tiktok"},
	"amazon": {"Amazon Ads", "amazon"}, "influencer": {"Influencers", "influencer"}, "snapchat": {"Snapchat Ads", "snapchat"},
	"podcast": {"Podcast", "podcast"}, "affiliate": {"Affiliate", "affiliate"}, "email": {"Email", "owned"}, "sms": {"SMS", "owned"},
	"organic_search": {"Organic search", "owned"}, "organic_social": {"Organic social", "owned"}, "direct": {"Direct", "owned"},
	"referral": {"Referral", "owned"}, "unattributed": {"Unattributed", "other"}, "other": {"Other", "other"},
}

// ChannelName returns the proper name of a channel or an ad platform.
func ChannelName[T ~string](c T) string {
	if look, ok := channelLooks[measure.Channel(c)]; ok {
		return look.name
	}
	return Capitalized(Words(string(c)))
}

// wordOf matches the words of a sentence that can be the key of a channel. Parts of other names, such as
// google-scale-up, are not separate words.
var wordOf = regexp.MustCompile(`[\pL\pN_@/.:-]+`)

// Named replaces the keys of channels in a sentence with their names: "Test google first." becomes "Test Google Ads
// first." Answers contain keys, because tools accept keys as arguments.
func Named(sentence string, channels []measure.Channel) string {
	return wordOf.ReplaceAllStringFunc(sentence, func(word string) string {
		key := measure.Channel(strings.TrimRight(word, ".:"))
		if _, ok := channelLooks[key]; !ok && !slices.Contains(channels, key) && !slices.Contains(measure.Platforms(), measure.Platform(key)) {
			return word
		}
		return inSentence(key) + word[len(key):]
	})
}

// inSentence returns the name of a channel in a sentence. A name that is a common noun, such as direct, is in lower case.
func inSentence(c measure.Channel) string {
	name := ChannelName(c)
	if slices.Contains(measure.Platforms(), measure.Platform(c)) || !strings.EqualFold(name, Words(string(c))) {
		return name
	}
	return Words(string(c))
}

// ChannelColor returns the name of a channel's color token, or "owned" for a channel without its own color.
func ChannelColor[T ~string](c T) string {
	if look, ok := channelLooks[measure.Channel(c)]; ok {
		return look.color
	}
	return "owned"
}

// Channels lists the channels with a proper name, for suggestions in forms.
func Channels() []measure.Channel {
	return slices.Sorted(maps.Keys(channelLooks))
}

// Capitalized returns a text with an upper-case first letter.
func Capitalized(text string) string { return strings.TrimSuffix(Sentence(text), ".") }

// SourceName returns the proper name of a data source.
func SourceName[T ~string](source T) string {
	name := string(source)
	if platform, ok := strings.CutSuffix(name, "_ads"); ok {
		return ChannelName(platform)
	}
	if name == "tiktok_shop" {
		return "TikTok Shop"
	}
	return Capitalized(Words(name))
}
