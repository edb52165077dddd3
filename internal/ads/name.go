package ads

import (
	"assay/internal/fault"
	"assay/internal/measure"
)

// ParsePlatform returns the platform with the given name, in any spelling that [measure.ParsePlatform] accepts.
func ParsePlatform(name string) (measure.Platform, error) {
	switch p := measure.ParsePlatform(name); p {
	case measure.Facebook, measure.Google, measure.TikTok:
		return p, nil
	default:
		return "", fault.Invalid("%q is not an ad platform that can be connected", Clean(name, MaxStatus)).
			WithHint("use facebook, google_ads or tiktok")
	}
}

// WritingName returns the name of a platform in commands, answers and the parameters of writing tools: google_ads
// for Google.
func WritingName(p measure.Platform) string {
	if p == measure.Google {
		return "google_ads"
	}
	return string(p)
}
