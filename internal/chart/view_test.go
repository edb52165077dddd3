package chart

import (
	"regexp"
	"strings"
	"testing"
)

// A host shows the view in a frame without network access. A network address in the view would at best cause an error
// in the browser.
func TestTheViewIsSelfContainedAndSmall(t *testing.T) {
	t.Parallel()
	page := View()
	if strings.Contains(page, "/*style*/") || strings.Contains(page, "/*script*/") {
		t.Error("a part of the view is missing")
	}
	if outside := regexp.MustCompile(`(?i)(https?:)?//[a-z0-9]+\.[^\s"']*|@import|url\(|\bfetch\b|XMLHttpRequest|WebSocket|import\s*\(|innerHTML|eval\(`).
		FindAllString(strings.ReplaceAll(page, "http://www.w3.org/2000/svg", ""), -1); outside != nil {
		t.Errorf("the view has %q", outside)
	}
	if !strings.Contains(page, `content="default-src 'none';`) {
		t.Error("the view has no content security policy of its own")
	}
	if size := len(dense(viewScript)); size >= 20_000 {
		t.Errorf("the script has %d bytes, want less than 20,000", size)
	}
}

func TestTheViewHasTheColorsOfThePictures(t *testing.T) {
	t.Parallel()
	page := View()
	for _, want := range []string{"--series0:#395a7b;", "--series5:#b2fff2;", ":root[data-theme=\"dark\"]{color-scheme:dark;--ground:#1d2226;"} {
		if !strings.Contains(page, want) {
			t.Errorf("the view lacks %s", want)
		}
	}
}
