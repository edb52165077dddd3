// Package report summarizes measurements and prints them as a table.
package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// Sample contains measurements of one quantity, one per round.
type Sample []float64

// Median returns the upper median, or 0 for an empty sample.
func (s Sample) Median() float64 {
	if len(s) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(s))[len(s)/2]
}

// Times returns the ratio of a to b in each round. Machine noise affects both measurements of a round, so the ratio is
// more precise than the measurements.
func Times(a, b Sample) Sample {
	ratios := make(Sample, min(len(a), len(b)))
	for i := range ratios {
		ratios[i] = a[i] / b[i]
	}
	return ratios
}

// Row is one line of a table.
type Row struct {
	What    string
	Of      Sample
	Unit    string
	Verdict string // whether the row meets its goal; "" without a goal
}

// AtMost states whether the median is at most a goal.
func (s Sample) AtMost(goal float64) string { return verdict("at most", goal, s.Median() <= goal) }

// AtLeast states whether the median is at least a goal.
func (s Sample) AtLeast(goal float64) string { return verdict("at least", goal, s.Median() >= goal) }

func verdict(how string, goal float64, met bool) string {
	word := "MISSED"
	if met {
		word = "met"
	}
	return fmt.Sprintf("%s %g: %s", how, goal, word)
}

// Print writes a table: medians with the range of the rounds.
func Print(w io.Writer, title string, rows []Row) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	lines := []string{"\n" + title, "\tmedian\tlow\thigh\t\tgoal"}
	for _, r := range rows {
		lines = append(lines, strings.Join([]string{
			r.What, short(r.Of.Median()), short(slices.Min(r.Of)), short(slices.Max(r.Of)), r.Unit, r.Verdict,
		}, "\t"))
	}
	if _, err := fmt.Fprintln(table, strings.Join(lines, "\n")); err != nil {
		return err
	}
	return table.Flush()
}

// short formats a number with three significant digits.
func short(x float64) string {
	switch {
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}
