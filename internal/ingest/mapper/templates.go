package mapper

import "embed"

//go:embed templates/*.csv
var templates embed.FS

// Template returns a CSV table with a few example rows that the kind's reader accepts without a mapping.
func Template(kind Kind) ([]byte, bool) {
	text, err := templates.ReadFile("templates/" + string(kind) + ".csv")
	return text, err == nil
}
