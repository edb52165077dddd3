package diag_test

import (
	"encoding/csv"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"assay/internal/measure/stats/diag"
)

func TestDiagnosticsAgreeWithArviZ(t *testing.T) {
	t.Parallel()
	draws, expected := readArviZ(t)
	for _, row := range expected[1:] {
		chains := draws[row[0]]
		q := diag.Of(chains)
		got := map[string]float64{"rhat": q.RHat, "ess_bulk": q.ESSBulk, "ess_tail": q.ESSTail, "bfmi": diag.EBFMI(chains)[0]}
		for name, g := range got {
			// ArviZ and this package sum the same terms in different orders. The tolerance of 1e-9 covers the different
			// rounding and the error of the normal quantile.
			want := number(t, row[slices.Index(expected[0], name)])
			if math.Abs(g-want) > 1e-9*math.Abs(want) {
				t.Errorf("%s of %q: got %v, want %v", name, row[0], g, want)
			}
		}
	}
}

// readArviZ returns the chains of each case, and the table of expected values with its header.
func readArviZ(t *testing.T) (draws map[string][][]float64, expected [][]string) {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/arviz.txtar")
	if err != nil {
		t.Fatal(err)
	}
	draws = map[string][][]float64{}
	for _, file := range archive.Files {
		if !strings.HasSuffix(file.Name, ".csv") {
			continue
		}
		reader := csv.NewReader(strings.NewReader(string(file.Data)))
		reader.FieldsPerRecord = -1
		rows, err := reader.ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", file.Name, err)
		}
		if file.Name == "expected.csv" {
			expected = rows
			continue
		}
		for _, row := range rows {
			chain := make([]float64, len(row)-2)
			for i, cell := range row[2:] {
				chain[i] = number(t, cell)
			}
			draws[row[0]] = append(draws[row[0]], chain)
		}
	}
	return draws, expected
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestIndependentDrawsHaveFullEffectiveSampleSize(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	chains := make([][]float64, 4)
	for i := range chains {
		for range 1000 {
			chains[i] = append(chains[i], r.NormFloat64())
		}
	}
	q := diag.Of(chains)
	// The estimated effective sample size varies by a few percent for 4,000 draws.
	if q.RHat > 1.005 || q.ESSBulk < 3500 || q.ESSBulk > 4500 || q.ESSTail < 3400 {
		t.Errorf("4000 independent draws: got %+v", q)
	}
}

func TestConstantAndNonFiniteDrawsHaveNoDiagnostics(t *testing.T) {
	t.Parallel()
	constant := [][]float64{{2, 2, 2, 2, 2}, {2, 2, 2, 2, 2}}
	infinite := [][]float64{{1, 2, 3, math.Inf(1), 5}, {1, 2, 3, 4, 5}}
	short := [][]float64{{1, 2, 3}}
	for _, chains := range [][][]float64{constant, infinite, short, nil} {
		if q := diag.Of(chains); !math.IsNaN(q.RHat) || !math.IsNaN(q.ESSBulk) || !math.IsNaN(q.ESSTail) {
			t.Errorf("diagnostics of %v: got %+v, want NaN", chains, q)
		}
	}
}
