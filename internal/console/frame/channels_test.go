package frame_test

import (
	"testing"

	"assay/internal/console/frame"
	"assay/internal/measure"
)

func TestSentencesNameChannels(t *testing.T) {
	t.Parallel()
	channels := []measure.Channel{"facebook", "tv_spots", "direct"}
	for sentence, want := range map[string]string{
		"Keep the current allocation, and test google first.":                "Keep the current allocation, and test Google Ads first.",
		"google has 50.0% of spend.":                                         "Google Ads has 50.0% of spend.",
		"The share of orders from facebook, pinterest and email":             "The share of orders from Facebook Ads, Pinterest and email",
		"Test facebook. Stop facebook: it costs.":                            "Test Facebook Ads. Stop Facebook Ads: it costs.",
		"tv_spots and organic_search":                                        "tv spots and organic search",
		"The experiment google-scale-up, the file google.csv and google_ads": "The experiment google-scale-up, the file google.csv and google_ads",
		"direct orders and other orders":                                     "direct orders and other orders",
		"influencer":                                                         "Influencers",
		"radio has no channel; Google does, and a@facebook.com does not":     "radio has no channel; Google does, and a@facebook.com does not",
		"": "",
	} {
		if got := frame.Named(sentence, channels); got != want {
			t.Errorf("%q: %q, want %q", sentence, got, want)
		}
	}
}
