package notice_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"assay/internal/notice"
)

func TestModulesAreListedWithTheirVersions(t *testing.T) {
	t.Parallel()
	modules := notice.Modules()
	versioned := regexp.MustCompile(`^[^ :]+ v[0-9]\S*$`)
	for _, m := range modules {
		if !versioned.MatchString(m) && m != "Go, its library and its runtime" {
			t.Errorf("%q is not a module with its version", m)
		}
		if !strings.Contains(notice.Text(), "\n"+m+": ") {
			t.Errorf("the text has no notice of %q", m)
		}
	}
	if !slices.IsSorted(modules) || len(slices.Compact(slices.Clone(modules))) != len(modules) {
		t.Errorf("the modules are not sorted and distinct: %q", modules)
	}
	for _, name := range []string{"Go, its library and its runtime", "golang.org/x/text v", "github.com/google/go-cmp v"} {
		listed := slices.ContainsFunc(modules, func(m string) bool { return strings.HasPrefix(m, name) })
		if want := name != "github.com/google/go-cmp v"; listed != want { // only tests import go-cmp
			t.Errorf("%q is listed: %t, want %t", name, listed, want)
		}
	}
}
