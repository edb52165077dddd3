// Command impact estimates the change in a series after a date and prints it as JSON, to compare it with other programs.
//
//	impact FILE.csv y,x1,x2 AFTER SEED
//
// The first column is the outcome. AFTER is the number of periods after the change. All options have their default
// values.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"assay/internal/lab"
	"assay/internal/measure/geo"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "impact:", err)
		os.Exit(1)
	}
}

// answer is the effect per period with its 95% interval.
type answer struct {
	Effect float64 `json:"effect"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	P      float64 `json:"p"`
}

func run(args []string) error {
	if len(args) != 4 {
		return fmt.Errorf("want a file, columns, periods after the change and a seed, got %q", args)
	}
	table, err := lab.Open(args[0])
	if err != nil {
		return err
	}
	var series [][]float64
	for column := range strings.SplitSeq(args[1], ",") {
		values, err := table.Numbers(column)
		if err != nil {
			return err
		}
		series = append(series, values)
	}
	after, err := strconv.Atoi(args[2])
	if err != nil {
		return fmt.Errorf("periods after the change: %w", err)
	}
	seed, err := strconv.ParseUint(args[3], 10, 64)
	if err != nil {
		return fmt.Errorf("seed: %w", err)
	}
	found, err := geo.Interrupted(series[0], series[1:], table.Len()-after, geo.ImpactOptions{Seed: seed})
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return json.NewEncoder(os.Stdout).Encode(answer{found.Average.Value, found.Average.Low, found.Average.High, found.Tail})
}
