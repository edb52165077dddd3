package when

// Form is the notation of a token.
type Form int

// The notations that the parser of time expressions distinguishes.
const (
	Word Form = iota
	Numeral
	ISODate   // 2026-09-30
	SlashDate // 9/30 or 9/30/2026
	Other
)

// Token is a word, number or mark of a question.
type Token struct {
	Text  string // lower case
	Form  Form
	Value float64 // value of a numeral
	Taken bool    // part of a name, an identifier or a channel
}
