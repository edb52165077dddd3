package config

import (
	"os"
	"strings"
	"testing"
)

func TestOperationsDocumentListsAllSettings(t *testing.T) {
	t.Parallel()
	manual, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(manual), "checked by a test) -->\n")
	got, _, ok := strings.Cut(rest, "<!-- settings: end -->")
	if want := Table(); !ok || got != want {
		t.Errorf("docs/operations.md does not contain the settings table; want between its markers:\n%s", want)
	}
}
