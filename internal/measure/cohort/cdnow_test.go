package cohort_test

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/civil"
	"assay/internal/measure/cohort"
)

const cdnow = "../../../../shared/data/clv/"

// cdnowSummary returns the purchase histories of the 2,357 customers of the CDNOW sample, in weeks, with 39 weeks of
// calibration. It also returns the spending of repeat buyers.
func cdnowSummary(t testing.TB) ([]cohort.History, []cohort.Spend) {
	t.Helper()
	file, err := os.Open(cdnow + "cdnow_summary_with_spend.csv")
	if err != nil {
		t.Skip("the CDNOW reference data are not next to the project")
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var histories []cohort.History
	var spends []cohort.Spend
	for _, row := range rows[1:] {
		h := cohort.History{Repeats: int(number(t, row[1])), Recency: number(t, row[2]), Age: number(t, row[3])}
		histories = append(histories, h)
		if h.Repeats > 0 {
			spends = append(spends, cohort.Spend{Purchases: h.Repeats, Mean: number(t, row[4])})
		}
	}
	return histories, spends
}

func number(t testing.TB, s string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// The parameters come from SciPy on the same data, to eight digits. The first three or four digits are published
// (Fader, Hardie and Lee 2005, table 2; Fader and Hardie 2005 and 2013, notes at brucehardie.com). At a flat maximum, a
// likelihood with a precision of 1e-12 determines the parameters to about 1e-6.
const lastDigits = 2e-6

func TestBGNBDMatchesThePublishedParametersOnCDNOW(t *testing.T) {
	t.Parallel()
	histories, _ := cdnowSummary(t)
	fit, err := cohort.FitBGNBD(histories)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "r", fit.Model.R, .24259292, lastDigits)
	near(t, "alpha", fit.Model.Alpha, 4.41353191, lastDigits)
	near(t, "a", fit.Model.A, .79288637, lastDigits)
	near(t, "b", fit.Model.B, 2.42575421, lastDigits)
	// The standard errors are from the Python package lifetimes, which uses a numerical Hessian. Three digits agree.
	near(t, "s.e. of r", fit.StandardError.R, .012557, 5e-3)
	near(t, "s.e. of alpha", fit.StandardError.Alpha, .378221, 5e-3)
	near(t, "s.e. of a", fit.StandardError.A, .185719, 5e-3)
	near(t, "s.e. of b", fit.StandardError.B, .705345, 5e-3)
	near(t, "log-likelihood", fit.LogLikelihood, -9582.4, 5e-6)
}

func TestParetoNBDMatchesThePublishedParametersOnCDNOW(t *testing.T) {
	t.Parallel()
	histories, _ := cdnowSummary(t)
	fit, err := cohort.FitParetoNBD(histories)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "r", fit.Model.R, .5532755, lastDigits)
	near(t, "alpha", fit.Model.Alpha, 10.5776116, lastDigits)
	near(t, "s", fit.Model.S, .6062138, lastDigits)
	near(t, "beta", fit.Model.Beta, 11.6679166, lastDigits)
	near(t, "log-likelihood", fit.LogLikelihood, -9595.0, 5e-6)
}

func TestGammaGammaMatchesThePublishedParametersOnCDNOW(t *testing.T) {
	t.Parallel()
	_, spends := cdnowSummary(t)
	if len(spends) != 946 {
		t.Fatalf("%d customers bought again, want 946", len(spends))
	}
	fit, err := cohort.FitGammaGamma(spends)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "p", fit.Model.P, 6.2488019, lastDigits)
	near(t, "q", fit.Model.Q, 3.7445887, lastDigits)
	near(t, "v", fit.Model.V, 15.4477507, lastDigits)
	if r := cohort.SpendFrequencyCorrelation(spends); math.Abs(r-.11) > .005 {
		t.Errorf("correlation of spend and frequency is %v, the note has .11", r)
	}
}

func TestPurchasesOfTheCDNOWSampleMakeItsSummary(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(cdnow + "cdnow_sample.txt")
	if err != nil {
		t.Skip("the CDNOW reference data are not next to the project")
	}
	var purchases []cohort.Purchase
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		day := civil.MustParse(f[2][:4] + "-" + f[2][4:6] + "-" + f[2][6:])
		purchases = append(purchases, cohort.Purchase{
			Customer: f[1], Day: day, Value: int64(math.Round(100 * number(t, f[4]))),
		})
	}
	buyers, err := cohort.Buyers(purchases, civil.MustParse("1997-09-30"))
	if err != nil {
		t.Fatal(err)
	}
	histories, _ := cdnowSummary(t)
	var got []cohort.History
	for _, b := range buyers {
		h := b.History
		// The summary prints two decimals.
		h.Recency, h.Age = math.Round(100*h.Recency)/100, math.Round(100*h.Age)/100
		got = append(got, h)
	}
	if diff := cmp.Diff(histories, got); diff != "" {
		t.Error(diff)
	}
}

func near(t *testing.T, what string, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)) {
		t.Errorf("%s is %.10g, want %.10g", what, got, want)
	}
}

func TestProjectionsMatchThePublishedValuesOnCDNOW(t *testing.T) {
	t.Parallel()
	// The expected value is 1.226, from the Excel note of Fader, Hardie and Lee at the published parameters.
	bg := cohort.BGNBD{R: .243, Alpha: 4.414, A: .793, B: 2.426}
	near(t, "E[Y(39)] under BG/NBD", bg.Expected(cohort.History{Repeats: 2, Recency: 30.43, Age: 38.86}, 39), 1.226, 4e-4)
	// The expected values for customer 1516 are from the vignette of the R package BTYD. They use the estimates and
	// have the digits that the vignette prints.
	pareto := cohort.ParetoNBD{R: .553, Alpha: 10.58, S: .606, Beta: 11.656}
	best := cohort.History{Repeats: 26, Recency: 30.86, Age: 31}
	near(t, "E[X(52)] under Pareto/NBD", pareto.Purchases(52), 1.473, 1e-3)
	near(t, "E[Y(52)] under Pareto/NBD", pareto.Expected(best, 52), 25.46, 3e-4)
	near(t, "P(active) under Pareto/NBD", pareto.Alive(best), .9979, 1e-4)
}

func BenchmarkFitOnCDNOW(b *testing.B) {
	histories, spends := cdnowSummary(b)
	b.Run("bgnbd", func(b *testing.B) {
		for b.Loop() {
			if _, err := cohort.FitBGNBD(histories); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("paretonbd", func(b *testing.B) {
		for b.Loop() {
			if _, err := cohort.FitParetoNBD(histories); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("gammagamma", func(b *testing.B) {
		for b.Loop() {
			if _, err := cohort.FitGammaGamma(spends); err != nil {
				b.Fatal(err)
			}
		}
	})
}
