package measure

import "testing"

func TestRevenueFollowsTheBasis(t *testing.T) {
	t.Parallel()
	s := Sums{Charged: 12000, Tax: 2000, Shipping: 500, Refunds: 1000}
	cases := []struct {
		basis        RevenueBasis
		revenue, net int64
		words        string
	}{
		{RevenueBasis{}, 12000, 11000, "charged to customers after discounts, with tax and shipping, before refunds"},
		{
			RevenueBasis{WithoutTax: true},
			10000,
			9000, "charged to customers after discounts, without tax, with shipping, before refunds",
		},
		{
			RevenueBasis{WithoutShipping: true},
			11500, 10500,
			"charged to customers after discounts, with tax, without shipping, before refunds",
		},
		{
			RevenueBasis{WithoutTax: true, WithoutShipping: true, NetOfRefunds: true},
			8500, 8500,
			"charged to customers after discounts, without tax and shipping, minus refunds by refund date",
		},
	}
	for _, c := range cases {
		if got := c.basis.Revenue(s); got != c.revenue {
			t.Errorf("%+v: revenue %d, want %d", c.basis, got, c.revenue)
		}
		if got := c.basis.NetRevenue(s); got != c.net {
			t.Errorf("%+v: net revenue %d, want %d", c.basis, got, c.net)
		}
		if got := c.basis.String(); got != c.words {
			t.Errorf("%+v is %q, want %q", c.basis, got, c.words)
		}
	}
}

func TestSumsAddEveryField(t *testing.T) {
	t.Parallel()
	s := Sums{1, 2, 3, 4, 5, 6, 7, 8, 9}
	if got, want := s.Add(s), (Sums{2, 4, 6, 8, 10, 12, 14, 16, 18}); got != want {
		t.Errorf("sum %+v, want %+v", got, want)
	}
}

func TestChannelsAreOneInAllSpellings(t *testing.T) {
	t.Parallel()
	cases := map[string]Channel{
		"facebook": "facebook", "Meta Ads": "facebook", "META": "facebook", " fb ": "facebook", "facebook-ads": "facebook",
		"google_ads": "google", "Google Ads": "google", "AdWords": "google", "TikTok": "tiktok", "bing": "microsoft",
		"Email": "email", "organic search": "organic_search", "": "",
	}
	for in, want := range cases {
		if got := ParseChannel(in); got != want {
			t.Errorf("ParseChannel(%q) = %q, want %q", in, got, want)
		}
		if got := ParsePlatform(in); string(got) != string(want) {
			t.Errorf("ParsePlatform(%q) = %q, want %q", in, got, want)
		}
	}
}
