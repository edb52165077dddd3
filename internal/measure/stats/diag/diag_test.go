package diag_test

import (
	"encoding/csv"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"

	"assay/internal/measure/stats/diag"
)

func TestDiagnosticsAgreeWithArviZ(t *testing.T) {
	t.Parallel()
	draws, expected := readArviZ(t)
	for _, row := range expected[1:] {
		chains := draws[row[0]]
		got := []float64{
			diag.RHat(chains), diag.ESSBulk(chains), diag.ESSTail(chains), diag.ESSMean(chains),
			diag.MCSEMean(chains), diag.MCSESD(chains), diag.MCSEQuantile(chains, 0.1), diag.MCSEQuantile(chains, 0.5),
			diag.EBFMI(chains)[0],
		}
		for i, g := range got {
			// Both sum the same terms in another order; 1e-9 leaves room for that and for the normal quantile.
			if want := number(t, row[i+1]); math.Abs(g-want) > 1e-9*math.Abs(want) {
				t.Errorf("%s of %q: got %v, want %v", expected[0][i+1], row[0], g, want)
			}
		}
	}
}

func TestQualityIsTheThreeFiguresTogether(t *testing.T) {
	t.Parallel()
	draws, _ := readArviZ(t)
	for name, chains := range draws {
		want := diag.Quality{RHat: diag.RHat(chains), ESSBulk: diag.ESSBulk(chains), ESSTail: diag.ESSTail(chains)}
		if diff := cmp.Diff(want, diag.Of(chains), cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// readArviZ returns the chains of each case, and the table of expected values with its head.
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
	// The estimate itself scatters by a few per cent for 4,000 draws.
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
		if e := diag.MCSEQuantile(chains, 0.5); !math.IsNaN(e) {
			t.Errorf("error of the median of %v: got %v, want NaN", chains, e)
		}
	}
}
