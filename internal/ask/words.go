package ask

import (
	"strings"

	"assay/internal/civil"
)

// trainingDay is the current day of all training questions. Dates become tags, so any day gives the same features.
var trainingDay = civil.MustParse("2026-11-20")

// wrappers are the words around the subject of a request for an explanation.
var wrappers = setOf(`what whats is are does do did the a an of mean means meaning by explain explains explanation define definition describe
	how to me like im five in simple terms please tell about between and difference differences work works working calculated computed
	measured calculate compute measure you your i we our us can could should would it its here they that this for stand stands understand
	help teach exactly actually really vs versus or when why read interpret term word concept method s idea behind get there on with`)

// explainQuery returns the subject of a request for an explanation.
func explainQuery(c *clause) string {
	var out []string
	for _, t := range c.tokens {
		if t.form == mark || wrappers[t.text] || t.slot == dateSlot {
			continue
		}
		out = append(out, strings.ToLower(strings.Trim(t.raw, `"'“”‘’`)))
		if t.form == word && t.slot == plain {
			out[len(out)-1] = t.text
		}
	}
	if len(out) == 0 {
		for _, t := range c.tokens {
			if t.form != mark {
				out = append(out, t.text)
			}
		}
	}
	return strings.Join(out, " ")
}

func whole(x float64) bool { return x == float64(int(x)) }
