package frame

import (
	"maps"
	"slices"
	"strings"

	"assay/internal/measure"
)

// channelLooks are the proper names and colors of channels. A color is a token of console.css: --c-NAME. Channels
// without a hue are owned or organic.
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

// ChannelColor returns the name of a channel's color token, or "owned" for a channel without a hue.
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
