package config

import (
	"os"
	"strings"
	"testing"
)

func TestTheManualListsTheSettings(t *testing.T) {
	t.Parallel()
	manual, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(manual), "a test holds it) -->\n")
	got, _, ok := strings.Cut(rest, "<!-- settings: end -->")
	if want := Table(); !ok || got != want {
		t.Errorf("docs/operations.md does not hold the table of settings; want between its marks:\n%s", want)
	}
}
