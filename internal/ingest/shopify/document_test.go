package shopify

import (
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
)

func TestVisitsAreReadFromAddressesAsBrowsersWriteThem(t *testing.T) {
	t.Parallel()
	parts := []string{
		"/", "?", "&", "=", "utm_source=", "utm_medium=", "utm_campaign=", "facebook", "a+b", "%20", "%zz", ";", "#", "//", "UTM_SOURCE=", "é", ":", "utm_source", "1-2.3_~", " ", "http://a.b/",
	}
	random := rand.New(rand.NewPCG(1, 2))
	plain := 0
	for range 50_000 {
		landing := "/"
		for range 1 + random.IntN(9) {
			landing += parts[random.IntN(len(parts))]
		}
		name, medium, campaign := utmOf(landing)
		var q url.Values
		if at, err := url.Parse(landing); err == nil {
			q = at.Query()
		}
		if name != q.Get("utm_source") || medium != q.Get("utm_medium") || campaign != q.Get("utm_campaign") {
			t.Fatalf("%q: got %q, %q, %q; want %q", landing, name, medium, campaign, q)
		}
		if isPlainAddress(landing) && strings.Contains(landing, "=") {
			plain++
		}
	}
	if plain < 1000 {
		t.Errorf("only %d addresses were plain", plain)
	}
}

func TestPiecesKeepTheirContent(t *testing.T) {
	t.Parallel()
	var p pieces[int]
	var kept [][]int
	for n := range 3 * pieceLength {
		list := make([]int, n%5)
		for i := range list {
			list[i] = n
		}
		kept = append(kept, p.of(list))
		clear(list)
	}
	kept[9] = append(kept[9], -1)
	for n, list := range kept {
		for i, got := range list {
			if got != n && (n != 9 || i != 4) {
				t.Fatalf("list %d is %v", n, list)
			}
		}
	}
}
