package ask_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"assay/internal/ask"
)

var update = flag.Bool("update", false, "rewrite the plans in testdata")

// written returns a plan as text: each call with its missing arguments and its metrics, the assumptions, and the
// alternative interpretations.
func written(p ask.Plan) string {
	var b strings.Builder
	for _, c := range p.Calls {
		fmt.Fprintln(&b, c.Describe())
		if c.Writes {
			fmt.Fprintln(&b, "  is a proposal")
		}
		if c.Missing != nil {
			fmt.Fprintln(&b, "  missing:", strings.Join(c.Missing, ", "))
		}
		if c.Metrics != nil {
			fmt.Fprintln(&b, "  metrics:", strings.Join(c.Metrics, ", "))
		}
	}
	switch {
	case p.FollowUp:
		fmt.Fprintln(&b, "follow-up")
	case !p.Sure:
		fmt.Fprintln(&b, "unsure")
	case len(p.Calls) == 0:
		fmt.Fprintln(&b, "out of scope")
	}
	for _, a := range p.Assumptions {
		fmt.Fprintln(&b, "assumption:", a)
	}
	for _, c := range p.Alternatives {
		fmt.Fprintln(&b, "or", c.Describe())
	}
	return b.String()
}

func TestPlans(t *testing.T) {
	t.Parallel()
	const file = "testdata/plans.txtar"
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range a.Files {
		q := ask.Question{Text: f.Name, Names: storeNames}
		if before, after, ok := strings.Cut(f.Name, " >> "); ok {
			q.Text = before
			q.Previous = &translate(t, q).Calls[0]
			q.Text = after
		}
		got := written(translate(t, q))
		if *update {
			a.Files[i].Data = []byte(got)
		} else if diff := cmp.Diff(string(f.Data), got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", f.Name, diff)
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(a), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
