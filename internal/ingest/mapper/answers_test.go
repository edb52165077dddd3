package mapper

import (
	"testing"

	"assay/internal/measure"
	"assay/internal/warehouse"
)

func TestAnswersNameChannels(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]measure.Channel{
		"TikTok": "tiktok", "Tik Tok": "tiktok", "saw it on insta": "facebook", "IG": "facebook", "Google Shopping": "google", "googled it": "google",
		"an influencer on TikTok": "influencer", "someone on YouTube": "youtube", "your newsletter": "email", "E-Mail": "email",
		"Text message": "sms", "my sister": "referral", "Freunde": "referral", "Search engine": "organic_search", "a podcast ad": "podcast",
		"Big sign in the town": "", "?": "", "signature": "", "not sure": "", "I already knew the brand": "direct",
	} {
		if got := channelOf(answer); got != want {
			t.Errorf("%q names %q, want %q", answer, got, want)
		}
	}
}

func TestQuestionsHaveComparableNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"How did you hear about us?": "discovery_channel", "Where did you first discover us?": "discovery_channel", "discovery_channel": "discovery_channel",
		"How long have you known us?": "awareness_duration", "How long ago did you hear about us?": "awareness_duration", "When did you first hear about us?": "awareness_duration",
		"What made you buy today?": "purchase_trigger", "Why did you purchase today?": "purchase_trigger", "Favourite scent?": "Favourite scent?",
	} {
		if got := questionOf(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestAnswersAreStoredWithoutPersonalData(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"@anna on Instagram":          "@anna on Instagram",
		"ask bo@example.com, please":  "ask (address), please",
		"call +44 (0)20 7946 0958":    "call (number)",
		"in 2026, 3 times for 12.50!": "in 2026, 3 times for 12.50!",
	} {
		if got := withoutPeople(text); got != want {
			t.Errorf("%q is kept as %q, want %q", text, got, want)
		}
	}
}

func TestACreatorHasOneIDInEveryFile(t *testing.T) {
	t.Parallel()
	id := creatorKey("", warehouse.Creator{Name: "Anna Vale", Handle: "@annavale", Platform: "instagram"})
	for name, c := range map[string]warehouse.Creator{
		"another case": {Name: "ANNA", Handle: "AnnaVale", Platform: "instagram"},
	} {
		if got := creatorKey("", c); got != id {
			t.Errorf("%s: %s, want %s", name, got, id)
		}
	}
	for name, other := range map[string]string{
		"another platform": creatorKey("", warehouse.Creator{Name: "Anna Vale", Handle: "@annavale", Platform: "tiktok"}),
		"an id":            creatorKey("7", warehouse.Creator{Name: "Anna Vale", Handle: "@annavale", Platform: "instagram"}),
	} {
		if other == id || !isUUID(other) {
			t.Errorf("%s: %s must be a UUID other than %s", name, other, id)
		}
	}
	if !isUUID(id) || id[14] != '8' {
		t.Errorf("%s is no UUID of version 8", id)
	}
}
