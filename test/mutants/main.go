// Command mutants measures how many small mistakes the tests of a package find (mutation testing). It makes random
// changes of one token in code under internal/ (operators, bounds, numbers, booleans, dropped statements, negated
// conditions). It makes one change at a time and runs the tests of the changed package. The files of the working copy
// are not changed: `go test -overlay` compiles the change.
//
//	mutants [-seed 1] [-n 300] [-min 75] [-timeout 2m] [-state bin/mutants.jsonl] [-again] [PACKAGES]
//
// The command reports killed, surviving and not covered mutants. Mutants that do not compile and mutants in
// equivalent.txt are excluded. Run the command from the root of the module.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"slices"
	"time"
)

// options are the command-line options.
type options struct {
	seed        uint64
	count       int
	minimum     float64
	timeout     time.Duration
	state       string
	equivalents string
	again       bool
	patterns    []string
}

func main() {
	o := options{}
	flag.Uint64Var(&o.seed, "seed", 1, "which random sample")
	flag.IntVar(&o.count, "n", 300, "number of mutants that compile and are not equivalent")
	flag.Float64Var(&o.minimum, "min", 0, "fail if a smaller percentage is killed")
	flag.DurationVar(&o.timeout, "timeout", 2*time.Minute, "longest time for the tests of one mutant; exceeding it kills the mutant")
	flag.StringVar(&o.state, "state", "", "file with results; an interrupted run continues from it")
	flag.BoolVar(&o.again, "again", false, "after a change of tests: try only mutants that survived in the state file")
	flag.StringVar(&o.equivalents, "equivalents", "test/mutants/equivalent.txt", "list of mutants that no test can kill")
	flag.Parse()
	if o.patterns = flag.Args(); len(o.patterns) == 0 {
		o.patterns = []string{"./internal/..."}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, out io.Writer) (err error) {
	listed, err := os.Open(o.equivalents)
	if err != nil {
		return err
	}
	known, err := readEquivalents(listed)
	if err = errors.Join(err, listed.Close()); err != nil {
		return fmt.Errorf("%s: %w", o.equivalents, err)
	}
	packages, err := list(ctx, o.patterns)
	if err != nil || len(packages) == 0 {
		return err
	}
	work, err := os.MkdirTemp("", "mutants-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	m := &module{root: packages[0].Module.Dir, timeout: o.timeout, work: work, covered: map[string]coverage{}, limits: map[string]time.Duration{}}
	all, err := m.mutants(packages)
	if err != nil {
		return err
	}
	shuffle(all, o.seed)
	earlier, err := openState(o.state)
	if err != nil {
		return fmt.Errorf("%s: %w", o.state, err)
	}
	defer func() { err = errors.Join(err, earlier.close()) }()
	fmt.Fprintf(out, "%d mutants of %d packages\n", len(all), len(packages))
	s := sampler{
		module: m, state: earlier, known: known, imports: m.imports(packages), hashes: map[string]string{}, again: o.again, out: out,
	}
	counted, err := s.sample(ctx, all, o.count)
	if err != nil {
		return err
	}
	rate := counted.print(out)
	if rate < o.minimum {
		return fmt.Errorf("%.1f%% of mutants are killed, want at least %.1f%%", rate, o.minimum)
	}
	return nil
}

// sampler tries mutants in order until enough of them are in the result. It tries each batch package by package.
// Packages with few imports are first, because their tests are fast.
type sampler struct {
	*module

	state   *state
	known   equivalents
	imports map[string]int    // how many packages a package imports, directly and indirectly
	hashes  map[string]string // hashes of packages
	again   bool
	out     io.Writer
}

func (s *sampler) sample(ctx context.Context, all []mutant, most int) (*report, error) {
	counted := &report{total: map[outcome]int{}, packages: map[string]map[outcome]int{}}
	for len(all) > 0 && counted.sampled() < most {
		batch := all[:min(len(all), most-counted.sampled())]
		all = all[len(batch):]
		slices.SortStableFunc(batch, func(a, b mutant) int {
			da, db := path.Dir(a.File), path.Dir(b.File)
			return cmp.Or(cmp.Compare(s.imports[da], s.imports[db]), cmp.Compare(da, db))
		})
		for i := range batch {
			o, err := s.outcomeOf(ctx, &batch[i])
			if err != nil {
				return nil, err
			}
			counted.add(&batch[i], o)
			if o == survived || o == notCovered {
				fmt.Fprintf(s.out, "\n%s: %s:%d %s\n%s\n", o, batch[i].File, batch[i].line, batch[i].Func, batch[i].change())
			}
		}
	}
	return counted, nil
}

func (s *sampler) outcomeOf(ctx context.Context, m *mutant) (outcome, error) {
	if _, ok := s.known.of(m); ok {
		return equivalent, nil
	}
	dir := path.Dir(m.File)
	if _, ok := s.hashes[dir]; !ok {
		hash, err := hashOf(filepath.Join(s.root, filepath.FromSlash(dir)))
		if err != nil {
			return "", err
		}
		s.hashes[dir] = hash
	}
	if o, ok := s.state.of(m, s.hashes[dir]); ok {
		return o, nil
	}
	if o := s.state.last[m.key()]; s.again && (o == killed || o == unbuilt) {
		return o, nil
	}
	o, err := s.try(ctx, m)
	if err != nil {
		return "", err
	}
	return o, s.state.add(m, s.hashes[dir], o)
}

// report counts mutants by outcome.
type report struct {
	total    map[outcome]int
	packages map[string]map[outcome]int
}

func (r *report) add(m *mutant, o outcome) {
	dir := path.Dir(m.File)
	if r.packages[dir] == nil {
		r.packages[dir] = map[outcome]int{}
	}
	r.total[o]++
	r.packages[dir][o]++
}

// sampled is the number of mutants in the result.
func (r *report) sampled() int { return r.total[killed] + r.total[survived] + r.total[notCovered] }

// print writes a table by package and returns the percentage of killed mutants.
func (r *report) print(out io.Writer) float64 {
	fmt.Fprintf(out, "\n%7s %9s %12s %13s %11s\n", killed, survived, notCovered, unbuilt, equivalent)
	row := func(name string, n map[outcome]int) {
		fmt.Fprintf(out, "%7d %9d %12d %13d %11d  %s\n", n[killed], n[survived], n[notCovered], n[unbuilt], n[equivalent], name)
	}
	var names []string
	for name := range r.packages {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		row(name, r.packages[name])
	}
	row("total", r.total)
	rate := 0.0
	if n := r.sampled(); n > 0 {
		rate = 100 * float64(r.total[killed]) / float64(n)
	}
	fmt.Fprintf(out, "%.1f%% of %d mutants are killed\n", rate, r.sampled())
	return rate
}
