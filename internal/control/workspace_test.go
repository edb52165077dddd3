package control

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/fault"
	"assay/internal/measure"
)

func TestIDIsDerivedFromTheName(t *testing.T) {
	t.Parallel()
	cases := map[string]measure.WorkspaceID{
		"demo":                    "demo",
		"  Café  Nord! ":          "cafe-nord",
		"Łódź & Sons":             "odz-sons",
		"A/B -- C":                "a-b-c",
		"Shop № 7":                "shop-no-7",
		"ﬁnest":                   "finest",
		"../../etc/passwd":        "etc-passwd",
		"x' OR '1'='1":            "x-or-1-1",
		"東京 Store":                "store",
		"İstanbul":                "istanbul",
		strings.Repeat("ab ", 40): measure.WorkspaceID(strings.TrimSuffix(strings.Repeat("ab-", 16), "-")),
	}
	for name, want := range cases {
		w, err := NewWorkspace(name).Checked()
		if len(name) > maxNameLen {
			if fault.KindOf(err) != fault.KindInvalid {
				t.Errorf("%q: %v, want invalid: the name is too long", name, err)
			}
			if got := idOf(name); got != want {
				t.Errorf("idOf(%q) = %q, want %q", name, got, want)
			}
			continue
		}
		if err != nil || w.ID != want {
			t.Errorf("id of %q = %q, %v; want %q", name, w.ID, err, want)
		}
	}
}

func TestInvalidWorkspaceIsRejected(t *testing.T) {
	t.Parallel()
	cases := map[string]func(*Workspace){
		"no name":                  func(w *Workspace) { w.Name = "  " },
		"name of two lines":        func(w *Workspace) { w.Name = "a\nb" },
		"name that is no text":     func(w *Workspace) { w.Name = "a\xff" },
		"name written backwards":   func(w *Workspace) { w.Name = "a\u202eb" },
		"long name":                func(w *Workspace) { w.Name = strings.Repeat("é", 101) },
		"name without a letter":    func(w *Workspace) { w.Name = "東京" },
		"id with capitals":         func(w *Workspace) { w.ID = "Acme" },
		"id with a slash":          func(w *Workspace) { w.ID = "a/b" },
		"id with a hyphen at last": func(w *Workspace) { w.ID = "a-" },
		"long id":                  func(w *Workspace) { w.ID = measure.WorkspaceID(strings.Repeat("a", 49)) },
		"no currency":              func(w *Workspace) { w.Currency = "" },
		"no zone":                  func(w *Workspace) { w.Zone = "" },
		"the machine's zone":       func(w *Workspace) { w.Zone = "Local" },
		"zone with a way out":      func(w *Workspace) { w.Zone = "../../etc/passwd" },
		"week from no day":         func(w *Workspace) { w.WeekStart = -1 },
		"huge rate":                func(w *Workspace) { w.RatePerMin = 1_000_001 },
	}
	for name, spoil := range cases {
		w := NewWorkspace("Acme")
		spoil(&w)
		if _, err := w.Checked(); fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("%s: %v, want a fault of kind invalid", name, err)
		}
	}
}

func TestScopesAreParsedByName(t *testing.T) {
	t.Parallel()
	got, err := ParseScopes([]string{"measurement.write", " measurement.read", "measurement.write"})
	if diff := cmp.Diff([]Scope{ScopeRead, ScopeWrite}, got); err != nil || diff != "" {
		t.Errorf("ParseScopes: %v (-want +got):\n%s", err, diff)
	}
	if _, err := ParseScopes([]string{"measurement.read", "admin"}); fault.KindOf(err) != fault.KindInvalid {
		t.Errorf("ParseScopes(admin) = %v, want a fault of kind invalid", err)
	}
	if got, err := ParseScopes(nil); err != nil || len(got) != 0 {
		t.Errorf("ParseScopes(nil) = %v, %v; want none", got, err)
	}
}

func TestKeyIsValidUntilRevokedOrExpired(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
	cases := []struct {
		name string
		key  Key
		want bool
	}{
		{"without expiry", Key{}, true},
		{"before expiry", Key{ExpiresAt: now.Add(time.Microsecond)}, true},
		{"at expiry", Key{ExpiresAt: now}, false},
		{"revoked", Key{RevokedAt: now.Add(-time.Hour), ExpiresAt: now.Add(time.Hour)}, false},
	}
	for _, c := range cases {
		if got := c.key.Valid(now); got != c.want {
			t.Errorf("%s: Valid = %v, want %v", c.name, got, c.want)
		}
	}
}
