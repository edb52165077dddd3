package clickhouse

import (
	"math/rand/v2"
	"slices"

	"assay/internal/warehouse/duckdb"
)

// commit is one row of the table commits: an import, or the deletion of a workspace. Rows in the other tables are valid
// only if their commit exists.
type commit struct {
	sequence int64 // 1, 2, 3 … in a workspace
	attempt  int64 // marks the commit's rows; an import with a later lock has a larger attempt
	previous int64 // attempt of the commit that this one continues; 0: none, or a commit of an earlier release
	base     bool  // the commit's rows are all rows of the workspace
	dropped  bool  // the workspace was deleted
	schema   int64 // schema version of the local copy
	counts   counts
}

// counts are the numbers of added and removed rows by table. If a reader finds different numbers, some rows are not
// visible yet.
type counts map[string][2]int64

func (c commit) place() duckdb.Place { return duckdb.Place{Sequence: c.sequence, Attempt: c.attempt} }

func (c commit) rows() (n int64) {
	for _, of := range c.counts {
		n += of[0] + of[1]
	}
	return n
}

// rows returns the number of changed rows of the commits.
func (h history) rows() (n int64) {
	for _, c := range h {
		n += c.rows()
	}
	return n
}

// history contains the valid commits of a workspace in sequence.
type history []commit

// valid returns the commit with the largest attempt and the earlier commits that it continues. Other commits come from
// imports that lost their lock and were not acknowledged. A commit of an earlier release does not name the commit that
// it continues. Its predecessor is the commit with the largest attempt among the commits with the previous sequence
// number. The parameter all is sorted by sequence number and attempt.
func valid(all []commit) history {
	var last commit
	for _, c := range all {
		if c.attempt > last.attempt {
			last = c
		}
	}
	var chain history
	for _, c := range slices.Backward(all) {
		isLast := len(chain) == 0 && c.place() == last.place()
		if isLast || c.sequence == last.sequence-1 && (last.previous == 0 || last.previous == c.attempt) {
			chain = append(chain, c)
			last = c
		}
	}
	slices.Reverse(chain)
	return chain
}

// complete reports whether a new copy can be made from the history. Otherwise, some commits are not visible yet.
func (h history) complete() bool {
	live := h.live()
	return len(live) == 0 || slices.ContainsFunc(live, func(c commit) bool { return c.base })
}

// last returns the last commit, or the zero commit.
func (h history) last() commit {
	if len(h) == 0 {
		return commit{}
	}
	return h[len(h)-1]
}

// live returns the commits since the workspace was last created.
func (h history) live() history {
	for i, c := range slices.Backward(h) {
		if c.dropped {
			return h[i+1:]
		}
	}
	return h
}

// upToDate reports whether a copy at the given position in the commits has all commits.
func (h history) upToDate(place duckdb.Place) bool {
	if len(h.live()) == 0 {
		return place == duckdb.Place{}
	}
	return h.last().place() == place
}

// since returns the live commits that a local copy at the given position lacks. If emptied is true, the caller must
// empty the copy first, because the missing commits start at the last base.
func (h history) since(place duckdb.Place) (missing []commit, emptied bool) {
	live := h.live()
	base := 0
	for i, c := range live {
		if c.base {
			base = i
		}
	}
	at := slices.IndexFunc(live, func(c commit) bool { return c.place() == place })
	if at >= base {
		return live[at+1:], false
	}
	return live[base:], true
}

// leastChanges is the number of changed rows below which no new base is needed.
const leastChanges = 100_000

// needsBase reports whether the next commit must contain all rows. It returns true if the workspace has no commit, or
// if a new copy would read more changes than facts.
func (h history) needsBase() bool {
	all, _ := h.since(duckdb.Place{})
	if len(all) == 0 {
		return true
	}
	var changes int64
	for _, c := range all[1:] {
		changes += c.rows()
	}
	return changes > max(leastChanges, all[0].rows())
}

// tokenShift is the number of random bits below the fencing token in an attempt.
const tokenShift = 12

// next returns the commit after the last one. Of two commits that continue the same commit, the one with the larger
// fencing token has the larger attempt. The random bits keep attempts different if a restored control database issues a
// token again, and if there are no tokens.
func (h history) next(token, schema int64) commit {
	last := h.last()
	bits := 1 + rand.N(int64(1<<tokenShift-1)) //nolint:forbidigo // nodes must not draw the same number
	return commit{
		sequence: last.sequence + 1, attempt: last.attempt + token<<tokenShift + bits, previous: last.attempt,
		schema: schema, counts: counts{},
	}
}
