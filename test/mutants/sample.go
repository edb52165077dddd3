package main

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
)

// shuffle sorts mutants in a random order that depends only on the seed and the mutants' keys. Code that is added
// elsewhere does not change the order of other mutants.
func shuffle(mutants []mutant, seed uint64) {
	ranks := make(map[string]uint64, len(mutants))
	for i := range mutants {
		key := mutants[i].key()
		sum := sha256.Sum256(fmt.Appendf(nil, "%d\n%s", seed, key))
		ranks[key] = binary.BigEndian.Uint64(sum[:])
	}
	slices.SortFunc(mutants, func(a, b mutant) int {
		ka, kb := a.key(), b.key()
		return cmp.Or(cmp.Compare(ranks[ka], ranks[kb]), cmp.Compare(ka, kb))
	})
}

// equivalents lists mutants that no test can kill because they change no result, each with the reason.
type equivalents map[string]string // by place and change

func (e equivalents) of(m *mutant) (reason string, ok bool) {
	reason, ok = e[m.place()+"\n"+m.change()]
	return reason, ok
}

// readEquivalents reads entries of four lines, separated by empty lines:
//
//	path/of/file.go Function
//	- the line before
//	+ the line after
//	why no result changes
//
// Lines that begin with # are comments.
func readEquivalents(r io.Reader) (equivalents, error) {
	found := equivalents{}
	lines := bufio.NewScanner(r)
	var entry []string
	finish := func() error {
		switch {
		case len(entry) == 0:
			return nil
		case len(entry) != 4 || !strings.HasPrefix(entry[1], "- ") || !strings.HasPrefix(entry[2], "+ "):
			return fmt.Errorf("entry %q: want a place, a line with -, a line with + and a reason", entry)
		}
		found[strings.Join(entry[:3], "\n")] = entry[3]
		entry = nil
		return nil
	}
	for lines.Scan() {
		switch line := strings.TrimSpace(lines.Text()); {
		case strings.HasPrefix(line, "#"):
		case line == "":
			if err := finish(); err != nil {
				return nil, err
			}
		default:
			entry = append(entry, line)
		}
	}
	if err := finish(); err != nil {
		return nil, err
	}
	return found, lines.Err()
}
