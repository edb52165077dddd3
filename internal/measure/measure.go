// Package measure defines the vocabulary of measurement: channels, platforms, models, metrics and their inputs.
//
// It contains the only definition of each metric. Its subpackages contain the estimation methods. The methods are pure:
// they use no context, SQL, HTTP, clock or global randomness.
package measure

import "strings"

// WorkspaceID identifies a workspace: one store's facts, keys and settings.
type WorkspaceID string

// Channel is the canonical key of a marketing channel, such as "facebook" or "email".
type Channel string

// Unattributed is the channel of orders without a channel.
const Unattributed Channel = "unattributed"

// Platform is the canonical key of an ad platform.
type Platform string

// Ad platforms with reports.
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

// aliases maps other spellings of channels and platforms to their canonical keys.
var aliases = map[string]string{
	"meta": "facebook", "meta_ads": "facebook", "facebook_ads": "facebook", "fb": "facebook",
	"google_ads": "google", "adwords": "google", "googleads": "google",
	"tiktok_ads": "tiktok", "tik_tok": "tiktok",
	"amazon_ads": "amazon", "snapchat_ads": "snapchat", "snap": "snapchat",
	"bing": "microsoft", "bing_ads": "microsoft", "microsoft_ads": "microsoft", "pinterest_ads": "pinterest",
}

// ParseChannel returns the canonical key of a channel. It converts the name to lower case, replaces spaces and hyphens
// with underscores, and unifies the names of platforms ("Meta Ads" is "facebook").
func ParseChannel(s string) Channel { return Channel(canonical(s)) }

// ParsePlatform returns the canonical key of a platform, as [ParseChannel] does.
func ParsePlatform(s string) Platform { return Platform(canonical(s)) }

func canonical(s string) string {
	if name, ok := aliases[s]; ok {
		return name
	}
	if isCanonical(s) { // most keys are already canonical
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

// Surface is the sales surface where an order was placed.
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

// All models except PlatformReported use only the touchpoints of an order. PlatformReported uses the conversions that
// platforms report.
const (
	LastTouch        Model = "last_touch"
	FirstTouch       Model = "first_touch"
	Linear           Model = "linear"
	TimeDecay        Model = "time_decay"     // half-life of 7 days before the order
	PositionBased    Model = "position_based" // 40% first, 40% last, 20% between
	PlatformReported Model = "platform_reported"
)

// These models use all conversion paths together, or survey answers. Their figures are computed for a window and not
// stored by day.
const (
	Markov        Model = "markov"         // removal effects of a Markov chain
	Shapley       Model = "shapley"        // equal credit to the distinct channels of an order
	SurveyBlended Model = "survey_blended" // last touch, adjusted by survey answers
)

// Fitted lists the models that are fitted to a window's data, in display order.
func Fitted() []Model { return []Model{Markov, Shapley, SurveyBlended} }

// Models lists the attribution models that are stored by day, in display order.
func Models() []Model {
	return []Model{LastTouch, FirstTouch, Linear, TimeDecay, PositionBased, PlatformReported}
}

// Basis is the kind of evidence behind a revenue figure. Figures with different bases are never added.
type Basis string

// The bases.
const (
	Reported    Basis = "reported"    // reported by an ad platform
	Attributed  Basis = "attributed"  // the store's orders, attributed by a model
	Modelled    Basis = "modelled"    // estimated by a statistical model
	Incremental Basis = "incremental" // measured by an experiment
)
