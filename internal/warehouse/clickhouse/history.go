package clickhouse

import (
	"slices"

	"assay/internal/warehouse/duckdb"
)

// commit is one row of the table commits: an import, or the deletion of a workspace. Rows in the other tables are valid
// only if their commit exists.
type commit struct {
	sequence int64 // 1, 2, 3 … in a workspace
	attempt  int64 // marks the commit's rows; an import with a later lock has a larger number
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

// history contains the commits of a workspace in sequence. If several commits have the same sequence number, only the
// latest attempt is valid. Earlier attempts had an unknown outcome and were abandoned.
type history []commit

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

// upToDate reports whether a copy at a place has all commits.
func (h history) upToDate(place duckdb.Place) bool {
	if len(h.live()) == 0 {
		return place == duckdb.Place{}
	}
	return h.last().place() == place
}

// since returns the live commits that a copy at a place lacks. If emptied is true, the caller must empty the copy
// first, because the missing commits start at the last base.
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

// next returns the commit after the last one. A number is the number of the import's lock. Among commits with the same
// predecessor, the attempt of the later lock is larger, whatever the clocks of the nodes are.
func (h history) next(number, schema int64) commit {
	last := h.last()
	return commit{sequence: last.sequence + 1, attempt: last.attempt + number, schema: schema, counts: counts{}}
}
