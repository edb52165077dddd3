package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// outcome is the result of testing a mutant.
type outcome string

const (
	killed     outcome = "killed"      // a test fails or does not end
	survived   outcome = "survived"    // all tests pass
	notCovered outcome = "not covered" // no test runs the changed code
	unbuilt    outcome = "build failed"
	equivalent outcome = "equivalent" // listed: no test can kill it
)

// module runs the tests of one module's packages.
type module struct {
	root    string
	timeout time.Duration // time limit for the tests of one mutant
	work    string        // a folder for temporary files
	covered map[string]coverage
	limits  map[string]time.Duration // time limit for the tests of one mutant, by package
}

// goPackage is the description of a package by `go list`.
type goPackage struct {
	Dir     string
	GoFiles []string
	Deps    []string
	Module  struct{ Dir string }
}

// list returns the packages that patterns match.
func list(ctx context.Context, patterns []string) ([]goPackage, error) {
	text, err := exec.CommandContext(ctx, "go", append([]string{"list", "-json=Dir,GoFiles,Deps,Module", "--"}, patterns...)...).Output() //nolint:gosec // the patterns come from the command line
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("go list: %s", failed.Stderr)
	}
	if err != nil {
		return nil, err
	}
	var all []goPackage
	for decoder := json.NewDecoder(strings.NewReader(string(text))); decoder.More(); {
		var p goPackage
		if err := decoder.Decode(&p); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// suites are packages of tests that other packages run. They have no mutants.
var suites = []string{"warehousetest", "controltest", "ingesttest", "storetest", "adstest", "toolkittest", "consoletest"}

// mutants returns all mutants of the packages.
func (m *module) mutants(packages []goPackage) ([]mutant, error) {
	var all []mutant
	for _, p := range packages {
		if slices.Contains(suites, filepath.Base(p.Dir)) {
			continue
		}
		for _, name := range p.GoFiles {
			path := filepath.Join(p.Dir, name)
			source, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			file, err := filepath.Rel(m.root, path)
			if err != nil {
				return nil, err
			}
			found, err := mutantsOf(filepath.ToSlash(file), source)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
	}
	return all, nil
}

// imports counts the packages that each package imports, directly and indirectly.
func (m *module) imports(packages []goPackage) map[string]int {
	counts := map[string]int{}
	for _, p := range packages {
		if dir, err := filepath.Rel(m.root, p.Dir); err == nil {
			counts[filepath.ToSlash(dir)] = len(p.Deps)
		}
	}
	return counts
}

// try runs the tests of a mutant's package with the change.
func (m *module) try(ctx context.Context, t *mutant) (outcome, error) {
	dir := filepath.Dir(t.File)
	covered, err := m.coverage(ctx, dir)
	if err != nil {
		return "", err
	}
	if t.Func != "" && !t.inCase && covered.skips(filepath.Base(t.File), t.line) {
		return notCovered, nil
	}
	path := filepath.Join(m.root, filepath.FromSlash(t.File))
	changed := filepath.Join(m.work, "mutant.go")
	if err := os.WriteFile(changed, t.apply(), 0o600); err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {path: changed}})
	if err != nil {
		return "", err
	}
	overlayFile := filepath.Join(m.work, "overlay.json")
	if err := os.WriteFile(overlayFile, overlay, 0o600); err != nil {
		return "", err
	}
	output, err := m.test(ctx, dir, m.limits[dir], "-failfast", "-overlay", overlayFile)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err == nil:
		return survived, nil
	case strings.Contains(output, "[build failed]") || strings.Contains(output, "[setup failed]"):
		return unbuilt, nil
	}
	return killed, nil
}

// test runs the tests of a package and returns what they print.
func (m *module) test(ctx context.Context, dir string, limit time.Duration, flags ...string) (string, error) {
	args := slices.Concat([]string{"test", "-short", "-vet=off", "-timeout", limit.String()}, flags, []string{"./" + dir})
	command := exec.CommandContext(ctx, "go", args...) //nolint:gosec // the tests of the module are what this program runs
	command.Dir = m.root
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) } // go ends the test program too
	command.WaitDelay = time.Minute
	output, err := command.CombinedOutput()
	return string(output), err
}

// coverage contains the blocks of statements of a package, by the name of the file.
type coverage map[string][]block

type block struct {
	first, last int // lines
	ran         bool
}

// skips reports whether the tests never run a line. Some lines are in no block, such as the end of a statement after a
// function literal. They count as run, unless the tests run no line of the file.
func (c coverage) skips(file string, line int) bool {
	var in, ran bool
	for _, b := range c[file] {
		if b.first <= line && line <= b.last {
			in, ran = true, ran || b.ran
		}
	}
	return in && !ran || !slices.ContainsFunc(c[file], func(b block) bool { return b.ran })
}

// The time limit of a mutant's tests is a multiple of the time for the unchanged package's tests, including the build.
const (
	patience   = 3
	leastLimit = 15 * time.Second
)

// coverage runs the tests of a package once, without a mutation. A failing test ends the program.
func (m *module) coverage(ctx context.Context, dir string) (coverage, error) {
	if known, ok := m.covered[dir]; ok {
		return known, nil
	}
	profile := filepath.Join(m.work, "cover.out")
	if err := os.WriteFile(profile, nil, 0o600); err != nil { // for a package without tests, no profile is written
		return nil, err
	}
	start := time.Now() //nolint:forbidigo // the limit of a run depends on the machine
	if output, err := m.test(ctx, dir, m.timeout, "-coverprofile", profile); err != nil {
		return nil, fmt.Errorf("tests of %s without a change: %w\n%s", dir, err, output)
	}
	m.limits[dir] = min(m.timeout, max(leastLimit, patience*time.Since(start)))
	text, err := os.ReadFile(profile)
	if err != nil {
		return nil, err
	}
	found, err := readCoverage(string(text))
	if err == nil {
		m.covered[dir] = found
	}
	return found, err
}

// coverageLine is a line such as "module/file.go:10.2,12.3 2 1": file, first and last position, statements, runs.
var coverageLine = regexp.MustCompile(`^(.+):(\d+)\.\d+,(\d+)\.\d+ \d+ (\d+)$`)

// readCoverage reads a coverage profile.
func readCoverage(profile string) (coverage, error) {
	found := coverage{}
	for line := range strings.Lines(profile) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "mode:") {
			continue
		}
		fields := coverageLine.FindStringSubmatch(line)
		if fields == nil {
			return nil, fmt.Errorf("coverage profile has the line %q", line)
		}
		from, wrongFirst := strconv.Atoi(fields[2])
		to, wrongLast := strconv.Atoi(fields[3])
		if err := errors.Join(wrongFirst, wrongLast); err != nil {
			return nil, fmt.Errorf("coverage profile has the line %q: %w", line, err)
		}
		name := filepath.Base(fields[1])
		found[name] = append(found[name], block{from, to, fields[4] != "0"})
	}
	return found, nil
}
