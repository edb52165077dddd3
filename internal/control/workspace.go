package control

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/money"
)

const (
	maxNameLen    = 100 // characters of a name
	maxIDLen      = 48  // characters of a workspace's ID
	maxRatePerMin = 1_000_000
)

// idForm is the form of a workspace ID, which is part of file names and URLs.
var idForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// NewWorkspace returns a workspace with the name and default settings. The defaults are US dollars, UTC, weeks from
// Monday, revenue as charged to customers, and a rate limit by order volume. The ID is derived from the name.
func NewWorkspace(name string) Workspace {
	return Workspace{Name: name, Currency: "USD", Zone: "UTC", WeekStart: time.Monday}
}

// Checked returns the workspace as stored. The name has no surrounding spaces, and the currency is in upper case. If
// there is no ID, it is derived from the name. Invalid settings are faults of kind invalid.
func (w Workspace) Checked() (Workspace, error) {
	name, err := CheckedName(w.Name)
	if err != nil {
		return Workspace{}, err
	}
	w.Name = name
	if w.ID == "" {
		w.ID = idOf(w.Name)
	}
	if w.ID == "" {
		return Workspace{}, fault.Invalid("the name %q has no letter or digit for an ID", w.Name).
			WithHint("use a name with at least one Latin letter or digit")
	}
	if len(w.ID) > maxIDLen || !idForm.MatchString(string(w.ID)) {
		return Workspace{}, fault.Invalid("%q is not a valid workspace ID", w.ID).
			WithHint("use at most %d lowercase letters, digits and single hyphens", maxIDLen)
	}
	if w.Currency, err = money.ParseCurrency(string(w.Currency)); err != nil {
		return Workspace{}, fault.Invalid("currency: %v", err)
	}
	if err := checkZone(w.Zone); err != nil {
		return Workspace{}, err
	}
	if w.WeekStart < time.Sunday || w.WeekStart > time.Saturday {
		return Workspace{}, fault.Invalid("the week starts on day %d; use 0 (Sunday) to 6 (Saturday)", int(w.WeekStart))
	}
	if w.RatePerMin < 0 || w.RatePerMin > maxRatePerMin {
		return Workspace{}, fault.Invalid("the rate limit of %d requests per minute is out of range; use 1 to %d, or 0 for a limit by order volume",
			w.RatePerMin, maxRatePerMin)
	}
	w.Retrain, err = w.Retrain.checked()
	if err != nil {
		return Workspace{}, err
	}
	return w, nil
}

// CheckedName returns a name, such as that of a workspace or key, without surrounding spaces. A name is one line of 1
// to 100 characters. Any other text is a fault of kind invalid.
func CheckedName(name string) (string, error) {
	name = strings.TrimSpace(name)
	switch {
	case name == "":
		return "", fault.Invalid("the name is missing")
	case !Printable(name):
		return "", fault.Invalid("the name %q contains characters that cannot be printed", name)
	case utf8.RuneCountInString(name) > maxNameLen:
		return "", fault.Invalid("the name has %d characters; the maximum is %d", utf8.RuneCountInString(name), maxNameLen)
	}
	return name, nil
}

// Printable reports whether the text can be shown without misleading its reader. It must be valid UTF-8 without control
// characters, invisible characters or characters that change the writing direction.
func Printable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

// checkZone accepts IANA names. It rejects "" and "Local", which would load but depend on the machine.
func checkZone(zone string) error {
	_, err := time.LoadLocation(zone)
	if err != nil || zone == "" || zone == "Local" {
		return fault.Invalid("%q is not a time zone", zone).WithHint("use an IANA name such as America/New_York or UTC")
	}
	return nil
}

// idOf derives "cafe-nord" from "Café  Nord!". It returns "" if no character can be used.
func idOf(name string) measure.WorkspaceID {
	words := strings.FieldsFunc(strings.ToLower(norm.NFKD.String(name)), func(r rune) bool {
		return !isPlain(r) && !unicode.Is(unicode.Mn, r)
	})
	id := strings.Map(func(r rune) rune {
		if isPlain(r) || r == '-' {
			return r
		}
		return -1
	}, strings.Join(words, "-"))
	if len(id) > maxIDLen {
		id = id[:maxIDLen]
	}
	return measure.WorkspaceID(strings.Trim(id, "-"))
}

func isPlain(r rune) bool { return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' }

// ParseScopes parses names of scopes and returns the scopes in the order of [Scopes], without duplicates. An unknown
// name is a fault of kind invalid.
func ParseScopes(names []string) ([]Scope, error) {
	given := make(map[Scope]bool)
	for _, name := range names {
		scope := Scope(strings.TrimSpace(name))
		if !slices.Contains(Scopes(), scope) {
			return nil, fault.Invalid("%q is not a scope", name).WithHint("use one or more of %s", spelled(Scopes()))
		}
		given[scope] = true
	}
	return slices.DeleteFunc(Scopes(), func(s Scope) bool { return !given[s] }), nil
}

// spelled joins the names of scopes for a message.
func spelled(scopes []Scope) string {
	names := make([]string, len(scopes))
	for i, s := range scopes {
		names[i] = string(s)
	}
	return strings.Join(names, ", ")
}
