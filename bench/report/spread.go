package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// Spread contains the durations of many calls of one kind, in milliseconds.
type Spread struct {
	What      string
	Wall      Sample
	CPU       Sample  // empty: not reported
	Kept      float64 // CPU time of a call with a cached answer; 0: answers are not cached
	Goal      float64 // goal for the median
	WorstGoal float64 // goal for the 99th percentile
}

// Quantile returns a quantile of the measurements, or 0 for an empty sample.
func (s Sample) Quantile(part float64) float64 {
	if len(s) == 0 {
		return 0
	}
	at := int(math.Ceil(part*float64(len(s)))) - 1
	return slices.Sorted(slices.Values(s))[min(max(0, at), len(s)-1)]
}

// verdict states whether both goals are met.
func (s Spread) verdict() string {
	if s.Wall.Quantile(0.5) <= s.Goal && s.Wall.Quantile(0.99) <= s.WorstGoal {
		return "met"
	}
	return fmt.Sprintf("at most %s and %s: MISSED", short(s.Goal), short(s.WorstGoal))
}

// PrintSpreads writes a table: median and 99th percentile of wall time and of CPU time, and the CPU time of a cached
// answer, in milliseconds.
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

// During contains the figures of calls under one concurrent load, in the order of the table's rows.
type During struct {
	What    string
	Spreads []Spread // durations of the calls that were also measured alone
}

// PrintDuring writes a table of wall times in milliseconds. It shows the median and 99th percentile of calls alone and
// of the same calls during other work, and their ratios. The last line is the total of all calls.
func PrintDuring(w io.Writer, title string, alone []Spread, others []During) error {
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
