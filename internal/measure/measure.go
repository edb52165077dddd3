// Package measure is the vocabulary of measurement: channels, platforms, models, metrics and their inputs.
//
// Each metric has one definition, and it is here. Estimation methods are in the packages below this one. Everything
// under measure is pure: data in, results out, without context, SQL, HTTP, clock or global randomness.
package measure

import "strings"

// WorkspaceID names a workspace: one store's facts, keys and settings.
type WorkspaceID string

// Channel is the canonical key of a marketing channel, such as "facebook" or "email".
type Channel string

// Unattributed is the row of orders without any channel.
const Unattributed Channel = "unattributed"

// Platform is the canonical key of an ad platform.
type Platform string

// The ad platforms that reports can come from.
const (
	Facebook  Platform = "facebook"
	Google    Platform = "google"
	TikTok    Platform = "tiktok"
	Amazon    Platform = "amazon"
	Snapchat  Platform = "snapchat"
	Pinterest Platform = "pinterest"
	Microsoft Platform = "microsoft"
)

// Platforms lists the ad platforms.
func Platforms() []Platform {
	return []Platform{Facebook, Google, TikTok, Amazon, Snapchat, Pinterest, Microsoft}
}

// aliases maps other spellings to the contract's.
var aliases = map[string]string{
	"meta": "facebook", "meta_ads": "facebook", "facebook_ads": "facebook", "fb": "facebook",
	"google_ads": "google", "adwords": "google", "googleads": "google",
	"tiktok_ads": "tiktok", "tik_tok": "tiktok",
	"amazon_ads": "amazon", "snapchat_ads": "snapchat", "snap": "snapchat",
	"bing": "microsoft", "bing_ads": "microsoft", "microsoft_ads": "microsoft", "pinterest_ads": "pinterest",
}

// ParseChannel returns the canonical key of a channel: case, blanks and hyphens do not matter, and names of platforms
// are unified ("Meta Ads" is "facebook").
func ParseChannel(s string) Channel { return Channel(canonical(s)) }

// ParsePlatform returns the canonical key of a platform, as [ParseChannel] does.
func ParsePlatform(s string) Platform { return Platform(canonical(s)) }

func canonical(s string) string {
	if name, ok := aliases[s]; ok {
		return name
	}
	if isCanonical(s) { // most are
		return s
	}
	key := strings.ToLower(strings.TrimSpace(s))
	key = strings.Map(func(r rune) rune {
		switch r {
		case ' ', '-', '/', '.':
			return '_'
		}
		return r
	}, key)
	if name, ok := aliases[key]; ok {
		return name
	}
	return key
}

func isCanonical(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '_' && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}

// Surface is where an order was placed.
type Surface string

// The sales surfaces.
const (
	OnlineStore    Surface = "online_store"
	Marketplace    Surface = "marketplace"
	ShortVideoShop Surface = "short_video_shop"
	Retail         Surface = "retail"
	Wholesale      Surface = "wholesale"
)

// Surfaces lists all sales surfaces in display order.
func Surfaces() []Surface {
	return []Surface{OnlineStore, Marketplace, ShortVideoShop, Retail, Wholesale}
}

// Model is an attribution model.
type Model string

// The models that need touchpoints only, and the platforms' own claims.
const (
	LastTouch        Model = "last_touch"
	FirstTouch       Model = "first_touch"
	Linear           Model = "linear"
	TimeDecay        Model = "time_decay"     // half-life of 7 days before the order
	PositionBased    Model = "position_based" // 40% first, 40% last, 20% between
	PlatformReported Model = "platform_reported"
)

// The models that use all journeys together, or survey answers. They are computed for a window and not stored by day.
const (
	Markov        Model = "markov"         // removal effects of a Markov chain
	Shapley       Model = "shapley"        // an order in equal parts to its distinct channels
	SurveyBlended Model = "survey_blended" // last touch, adjusted by survey answers
)

// Fitted lists the models that are fitted to a window's data, in display order.
func Fitted() []Model { return []Model{Markov, Shapley, SurveyBlended} }

// Models lists the attribution models that are stored by day, in display order.
func Models() []Model {
	return []Model{LastTouch, FirstTouch, Linear, TimeDecay, PositionBased, PlatformReported}
}

// Basis is the kind of evidence behind a revenue figure. Figures of different basis are never added.
type Basis string

// The bases.
const (
	Reported    Basis = "reported"    // claimed by an ad platform
	Attributed  Basis = "attributed"  // the store's orders, attributed by a model
	Modelled    Basis = "modelled"    // estimated by a statistical model
	Incremental Basis = "incremental" // measured by an experiment
)
