package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// Spread is how long many calls of one kind took, in milliseconds.
type Spread struct {
	What      string
	Wall      Sample
	CPU       Sample  // empty: not told
	Kept      float64 // CPU of a call whose answer is kept; 0: answers are not kept
	Goal      float64 // of the median
	WorstGoal float64 // of the hundredth part that took longest
}

// Quantile returns the measurement that a part of all lie at or below. It is 0 for an empty sample.
func (s Sample) Quantile(part float64) float64 {
	if len(s) == 0 {
		return 0
	}
	at := int(math.Ceil(part*float64(len(s)))) - 1
	return slices.Sorted(slices.Values(s))[min(max(0, at), len(s)-1)]
}

// verdict says whether both goals are kept.
func (s Spread) verdict() string {
	if s.Wall.Quantile(0.5) <= s.Goal && s.Wall.Quantile(0.99) <= s.WorstGoal {
		return "met"
	}
	return fmt.Sprintf("at most %s and %s: MISSED", short(s.Goal), short(s.WorstGoal))
}

// PrintSpreads writes a table: the median and the slowest hundredth by the clock, the same of the CPU, and the CPU of a
// kept answer, all in milliseconds.
func PrintSpreads(w io.Writer, title string, spreads []Spread) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	lines := []string{"\n" + title, "\tp50\tp99\tCPU p50\tCPU p99\tkept, CPU\t\tgoal"}
	for _, s := range spreads {
		cells := []string{s.What, short(s.Wall.Quantile(0.5)), short(s.Wall.Quantile(0.99)), "", "", "", "ms", s.verdict()}
		if len(s.CPU) > 0 {
			cells[3], cells[4] = short(s.CPU.Quantile(0.5)), short(s.CPU.Quantile(0.99))
		}
		if s.Kept > 0 {
			cells[5] = fmt.Sprintf("%.3f", s.Kept)
		}
		lines = append(lines, strings.Join(cells, "\t"))
	}
	if _, err := fmt.Fprintln(table, strings.Join(lines, "\n")); err != nil {
		return err
	}
	return table.Flush()
}

// Beside is the calls of a table while something else runs.
type Beside struct {
	What    string
	Spreads []Spread // of the same things as those alone
}

// PrintBeside writes a table: the median and the slowest hundredth by the clock of calls alone, in milliseconds, and of the
// same beside each of the others with how many times as long they take. The last line is of all calls together.
func PrintBeside(w io.Writer, title string, alone []Spread, others []Beside) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	head := []string{"", "p50", "p99"}
	for _, o := range others {
		head = append(head, o.What+": p50", "p99", "times", "times")
	}
	lines := []string{"\n" + title, strings.Join(head, "\t")}
	row := func(what string, alone Sample, others []Sample) {
		middle, slow := alone.Quantile(0.5), alone.Quantile(0.99)
		cells := []string{what, short(middle), short(slow)}
		for _, o := range others {
			cells = append(cells, short(o.Quantile(0.5)), short(o.Quantile(0.99)), short(o.Quantile(0.5)/middle), short(o.Quantile(0.99)/slow))
		}
		lines = append(lines, strings.Join(cells, "\t"))
	}
	var all Sample
	together := make([]Sample, len(others))
	for i, s := range alone {
		all = append(all, s.Wall...)
		walls := make([]Sample, len(others))
		for j, o := range others {
			walls[j] = o.Spreads[i].Wall
			together[j] = append(together[j], walls[j]...)
		}
		row(s.What, s.Wall, walls)
	}
	row("all calls", all, together)
	if _, err := fmt.Fprintln(table, strings.Join(lines, "\n")); err != nil {
		return err
	}
	return table.Flush()
}
