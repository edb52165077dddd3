package duckdb

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/warehouse"
	"assay/internal/warehouse/facts"
)

// published is a commit that a publisher stored.
type published struct {
	place  Place
	blocks []block
}

type block struct {
	table string
	sign  int8
	rows  *facts.Columnar
}

// rows returns the number of added or removed rows of a table.
func (p published) rows(table string, sign int8) (n int) {
	for _, b := range p.blocks {
		if b.table == table && b.sign == sign {
			n += b.rows.Len()
		}
	}
	return n
}

// publisher stores commits in memory.
type publisher struct {
	commits []published
	broken  error // error of the next commit
}

func (p *publisher) publish(ctx context.Context, _ measure.WorkspaceID, changes *Changes) (Place, error) {
	if p.broken != nil {
		return Place{}, p.broken
	}
	changes.most = 64 // the tables of the tests have more rows
	n := int64(len(p.commits) + 1)
	commit := published{place: Place{Sequence: n, Attempt: 10 * n}}
	for _, t := range changes.Tables() {
		err := changes.Each(ctx, t, func(sign int8, rows *facts.Columnar) error {
			copied := facts.NewColumnar(t.Columns) // the block is reused
			for i := range t.Columns {
				from := rows.Of(i)
				*copied.Of(i) = facts.Values{Text: slices.Clone(from.Text), Whole: slices.Clone(from.Whole), Float: slices.Clone(from.Float)}
			}
			copied.Grow(rows.Len())
			commit.blocks = append(commit.blocks, block{t.Name, sign, copied})
			return nil
		})
		if err != nil {
			return Place{}, err
		}
	}
	p.commits = append(p.commits, commit)
	return commit.place, nil
}

// follow applies a commit to another engine.
func follow(t *testing.T, e *Engine, c published, emptied bool) error {
	t.Helper()
	return e.Apply(t.Context(), "shop", c.place, emptied, func(tables []StoredTable, pass func(StoredTable, int8, *facts.Columnar) error) error {
		for _, b := range c.blocks {
			i := slices.IndexFunc(tables, func(t StoredTable) bool { return t.Name == b.table })
			if err := pass(tables[i], b.sign, b.rows); err != nil {
				return err
			}
		}
		return nil
	})
}

// wantReplica compares all facts, the commit position ([Place]) and the data version of a replica with those of the
// original.
func wantReplica(t *testing.T, what string, original, replica *Engine) {
	t.Helper()
	want, err := original.Totals(t.Context(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	var tables []string
	for _, table := range want {
		if table.Table != "schema_version" {
			tables = append(tables, table.Table)
		}
	}
	if diff := cmp.Diff(storedRows(t, original, tables), storedRows(t, replica, tables)); diff != "" {
		t.Errorf("%s: the replica differs (-want +got):\n%s", what, diff)
	}
	place, schema, err := original.Place(t.Context(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	if got, its, err := replica.Place(t.Context(), "shop"); err != nil || got != place || its != schema || place.Sequence == 0 {
		t.Errorf("%s: the replica is at %v of schema %d, %v; want %v of schema %d", what, got, its, err, place, schema)
	}
	if got, want := mustVersion(t, warehouse.New(replica), "shop"), mustVersion(t, warehouse.New(original), "shop"); got != want {
		t.Errorf("%s: the replica has version %d, want %d", what, got, want)
	}
}

// imports returns three imports. The first adds rows, the second changes and adds rows, and the third changes nothing.
// The rows contain NULL, short and long texts, flags, days and instants.
func imports() []warehouse.Batch {
	first, second := variousOrders(200), variousOrders(203)
	for i := range second.Orders {
		if o := &second.Orders[i]; i < 200 && i%50 == 0 {
			o.Charged, o.Status, o.UpdatedAt = o.Charged+700, "partially_refunded", o.At.AddDate(0, 0, 1)
		}
	}
	for i, o := range first.Orders {
		if i%4 == 0 {
			first.Lines = append(first.Lines, warehouse.OrderLine{OrderRef: o.OrderRef, Line: 1, SKU: "CUP", Quantity: 2, Net: 500})
		}
	}
	first.RegionDays = []warehouse.RegionDay{{Day: month.First, Country: "US", Region: "CA", Sessions: 12, Population: 39_000}}
	return []warehouse.Batch{first, second, second}
}

func TestAReplicaHasTheFactsOfTheOriginal(t *testing.T) {
	t.Parallel()
	to := &publisher{}
	original, replica := open(t, Options{Threads: 2, Publish: to.publish}), open(t, Options{Threads: 2})
	if place, _, err := replica.Place(t.Context(), "shop"); err != nil || place != (Place{}) {
		t.Errorf("a workspace without a file is at %v, %v", place, err)
	}
	for i, b := range imports() {
		mustImport(t, warehouse.New(original), "shop", b)
		if len(to.commits) != i+1 {
			t.Fatalf("import %d published %d commits", i+1, len(to.commits))
		}
		if err := follow(t, replica, to.commits[i], false); err != nil {
			t.Fatal(err)
		}
		wantReplica(t, "after an import", original, replica)
	}
	// Four of 200 orders changed and three are new. Only these are published.
	if c := to.commits[1]; c.rows("order_rows", -1) != 4 || c.rows("order_rows", 1) != 7 {
		t.Errorf("the second import removes %d orders and adds %d, want 4 and 7", c.rows("order_rows", -1), c.rows("order_rows", 1))
	}
	if c := to.commits[2]; c.rows("order_rows", -1) != 0 || c.rows("order_rows", 1) != 0 {
		t.Errorf("an import without changes removes %d orders and adds %d", c.rows("order_rows", -1), c.rows("order_rows", 1))
	}
	if err := original.Publish(t.Context(), "shop", to.publish); err != nil {
		t.Fatal(err)
	}
	if c := to.commits[3]; c.rows("order_rows", 1) != 203 || c.rows("order_rows", -1) != 0 {
		t.Errorf("all facts are %d orders without %d, want 203 without 0", c.rows("order_rows", 1), c.rows("order_rows", -1))
	}
	if err := follow(t, replica, to.commits[3], true); err != nil {
		t.Fatal(err)
	}
	wantReplica(t, "after all facts", original, replica)
}

func TestAnImportThatCannotBePublishedChangesNothing(t *testing.T) {
	t.Parallel()
	to := &publisher{}
	e := open(t, Options{Publish: to.publish})
	w := warehouse.New(e)
	mustImport(t, w, "shop", someOrders("a", 3))
	place, _, _ := e.Place(t.Context(), "shop")
	to.broken = errors.New("no connection")
	if err := importInto(t.Context(), w, "shop", someOrders("b", 5)); !errors.Is(err, to.broken) {
		t.Errorf("the import ends with %v, want %v", err, to.broken)
	}
	wantOrders(t, w, "shop", 3)
	if got, _, err := e.Place(t.Context(), "shop"); err != nil || got != place {
		t.Errorf("the file is at %v, %v; want %v", got, err, place)
	}
	to.broken = nil
	mustImport(t, w, "shop", someOrders("b", 5))
	wantOrders(t, w, "shop", 8)
}

func TestThePublicationOfAnImportHasNoTimeLimit(t *testing.T) {
	t.Parallel()
	to := &publisher{}
	e := open(t, Options{Publish: func(ctx context.Context, ws measure.WorkspaceID, changes *Changes) (Place, error) {
		if limit, limited := ctx.Deadline(); limited {
			t.Errorf("the import is published until %s", limit)
		}
		return to.publish(ctx, ws, changes)
	}})
	mustImport(t, warehouse.New(e), "shop", someOrders("a", 3))
}

func TestAnImportCanBeCanceledUntilItIsPublished(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		after bool // the caller cancels after the import is published
		want  int64
	}{
		{"before", false, 3},
		{"after", true, 8},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			to := &publisher{}
			cancel := func() {}
			e := open(t, Options{Publish: func(ctx context.Context, ws measure.WorkspaceID, changes *Changes) (Place, error) {
				if !test.after {
					cancel()
				}
				place, err := to.publish(ctx, ws, changes)
				cancel()
				return place, err
			}})
			w := warehouse.New(e)
			mustImport(t, w, "shop", someOrders("a", 3))
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			cancel = stop
			if err := importInto(ctx, w, "shop", someOrders("b", 5)); (err == nil) != test.after {
				t.Errorf("a canceled import ends with %v", err)
			}
			wantOrders(t, w, "shop", test.want)
			if place, _, err := e.Place(t.Context(), "shop"); err != nil || place != to.commits[len(to.commits)-1].place {
				t.Errorf("the file is at %v, %v; want %v", place, err, to.commits[len(to.commits)-1].place)
			}
		})
	}
}

func TestThePublicationOfAllFactsEndsAfterTheCallerCancels(t *testing.T) {
	t.Parallel()
	to := &publisher{}
	e := open(t, Options{})
	mustImport(t, warehouse.New(e), "shop", someOrders("a", 3))
	ctx, cancel := context.WithCancel(t.Context())
	err := e.Publish(ctx, "shop", func(ctx context.Context, ws measure.WorkspaceID, changes *Changes) (Place, error) {
		defer cancel()
		return to.publish(ctx, ws, changes)
	})
	if err != nil {
		t.Errorf("canceled after the publication: %v", err)
	}
	if place, _, err := e.Place(t.Context(), "shop"); err != nil || place != to.commits[0].place {
		t.Errorf("the file is at %v, %v; want %v", place, err, to.commits[0].place)
	}
}

// Changes to rows that the file does not have are rejected, and the file does not change.
func TestChangesOfMissingRowsAreRejected(t *testing.T) {
	t.Parallel()
	to := &publisher{}
	original, replica := open(t, Options{Publish: to.publish}), open(t, Options{})
	for _, b := range imports()[:2] {
		mustImport(t, warehouse.New(original), "shop", b)
	}
	mustImport(t, warehouse.New(replica), "shop", someOrders("a", 3))
	before := storedRows(t, replica, []string{"order_rows", "store_days"})
	if err := follow(t, replica, to.commits[1], false); fault.KindOf(err) != fault.KindUnavailable {
		t.Errorf("changes of other facts: %v, want unavailable", err)
	}
	if diff := cmp.Diff(before, storedRows(t, replica, []string{"order_rows", "store_days"})); diff != "" {
		t.Errorf("rejected changes are stored (-before +after):\n%s", diff)
	}
}
