package mapper

import "embed"

//go:embed templates/*.csv
var templates embed.FS

// Template returns a table with a few example rows that the kind's reader takes without a mapping, as CSV.
func Template(kind Kind) ([]byte, bool) {
	text, err := templates.ReadFile("templates/" + string(kind) + ".csv")
	return text, err == nil
}
