package clickhouse

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"assay/internal/warehouse/duckdb"
)

func TestOnlyTheCommitsBeforeTheLatestAttemptAreValid(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		commits []commit // sequence, attempt, previous
		want    []int64  // attempts
	}{
		"none":                                  {nil, nil},
		"a sequence":                            {[]commit{{1, 10, 0, true, false, 1, nil}, {2, 20, 10, false, false, 1, nil}}, []int64{10, 20}},
		"an earlier attempt at the end":         {[]commit{{1, 10, 0, true, false, 1, nil}, {2, 20, 10, false, false, 1, nil}, {2, 30, 10, false, false, 1, nil}}, []int64{10, 30}},
		"an earlier attempt is continued":       {[]commit{{1, 10, 0, true, false, 1, nil}, {2, 20, 10, false, false, 1, nil}, {2, 30, 10, false, false, 1, nil}, {3, 40, 20, false, false, 1, nil}}, []int64{10, 20, 40}},
		"of an earlier release":                 {[]commit{{1, 10, 0, true, false, 1, nil}, {2, 20, 0, false, false, 1, nil}, {2, 30, 0, false, false, 1, nil}, {3, 40, 0, false, false, 1, nil}}, []int64{10, 30, 40}},
		"after those of an earlier release":     {[]commit{{1, 10, 0, true, false, 1, nil}, {2, 20, 0, false, false, 1, nil}, {2, 30, 0, false, false, 1, nil}, {3, 40, 30, false, false, 1, nil}}, []int64{10, 30, 40}},
		"stored twice":                          {[]commit{{1, 10, 0, true, false, 1, nil}, {1, 10, 0, true, false, 1, nil}, {2, 20, 10, false, false, 1, nil}, {2, 20, 10, false, false, 1, nil}}, []int64{10, 20}},
		"a base during the deletion of commits": {[]commit{{3, 40, 20, false, false, 1, nil}, {4, 50, 40, true, false, 1, nil}}, []int64{40, 50}},
		"a deletion of the workspace":           {[]commit{{3, 40, 20, false, false, 1, nil}, {4, 50, 40, false, true, 1, nil}}, []int64{40, 50}},
		"a commit before an earlier release's":  {[]commit{{3, 40, 20, false, false, 1, nil}, {4, 50, 0, true, false, 1, nil}}, []int64{40, 50}},
		"a gap":                                 {[]commit{{1, 10, 0, true, false, 1, nil}, {3, 40, 20, false, false, 1, nil}}, []int64{40}},
	} {
		var got []int64
		h := valid(test.commits)
		for _, c := range h {
			got = append(got, c.attempt)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
		if whole := !strings.HasPrefix(name, "a gap"); h.complete() != whole {
			t.Errorf("%s: complete = %v", name, !whole)
		}
	}
}

func TestALaterTokenHasALargerAttempt(t *testing.T) {
	t.Parallel()
	h := history{{sequence: 7, attempt: 1_700_000_000_000_000}}
	for range 1000 {
		a, b, again := h.next(1, 1), h.next(2, 1), h.next(2, 1)
		if a.attempt <= h.last().attempt || b.attempt <= a.attempt || again.attempt <= a.attempt || a.sequence != 8 || a.previous != h.last().attempt {
			t.Fatalf("after %+v: %+v, then %+v and %+v", h.last(), a, b, again)
		}
	}
}

// In an earlier release, the table of commits has no column for the previous commit.
func TestATableOfCommitsOfAnEarlierReleaseIsExtended(t *testing.T) {
	t.Parallel()
	if address == "" || strings.Contains(address, "cluster=") {
		t.Skip("needs one server of ClickHouse")
	}
	first := node(t, newStore(), clock)
	database := fmt.Sprintf("earlier%d", os.Getpid())
	for _, text := range []string{
		"CREATE DATABASE " + database,
		"CREATE TABLE " + database + ".commits (workspace String, sequence Int64, attempt Int64, base UInt8, dropped UInt8, schema Int64, " +
			"counts String, at DateTime) ENGINE = MergeTree ORDER BY (workspace, sequence, attempt)",
	} {
		if err := first.store.exec(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + database
	t.Cleanup(func() {
		if err := first.store.exec(context.Background(), "DROP DATABASE "+database); err != nil {
			t.Error(err)
		}
	})
	for n := range 2 { // the second engine finds the column
		e, err := Open(t.Context(), Options{URL: u.String(), Fresh: -1, Local: duckdb.Options{Dir: t.TempDir(), Clock: clock, Threads: 1}})
		if err != nil {
			t.Fatal(err)
		}
		mustLoad(t, e, someOrders(fmt.Sprint("n", n), 5, 1000))
		wantOrders(t, e, int64(5*(n+1)))
		if err := e.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}
