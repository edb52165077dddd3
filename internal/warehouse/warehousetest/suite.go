// Package warehousetest is the test suite that every engine of the warehouse passes.
//
// Small stores have answers computed by hand. A seeded random store is compared with [reference], which stores facts
// in maps and attributes orders with exact fractions.
package warehousetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/civil"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// Questions tests queries, most of them about one small store. The function open has the same meaning as in [Run].
func Questions(t *testing.T, open func(t *testing.T, clock func() time.Time) *warehouse.Warehouse) {
	t.Helper()
	now := instant("2026-03-01T12:00:00Z")
	w := open(t, func() time.Time { return now })
	small(t, w)
	for name, test := range map[string]func(trial){
		"the small store gives the totals computed by hand":    smallStoreTotals,
		"the small store gives the days computed by hand":      smallStoreDays,
		"models share an order by its touches":                 modelShares,
		"platform claims and store totals are both reported":   platformClaims,
		"products count each order once":                       productPages,
		"products have their first and last day":               productSpans,
		"coupons count each order once":                        couponPages,
		"campaigns have the latest name and last-touch credit": campaignPages,
		"surfaces add up to the store":                         surfaces,
		"customers, journeys and answers of the small store":   smallStorePeople,
	} {
		t.Run(name, func(t *testing.T) { test(trial{t: t, w: w, now: &now}) })
	}
	each(t, open, map[string]func(trial){
		"goals change and go one by one":                        targetsChange,
		"regions are those of the country with the most orders": regions,
		"coverage, channels and sources say what there is":      whatThereIs,
		"an order is found by its key":                          orderByKey,
		"rates have one order for all sources":                  ratesInOrder,
		"a customer who is forgotten leaves the orders":         forgottenCustomer,
	})
}

// each runs tests that import their own data.
func each(t *testing.T, open func(t *testing.T, clock func() time.Time) *warehouse.Warehouse, tests map[string]func(trial)) {
	t.Helper()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := instant("2026-03-01T12:00:00Z")
			test(trial{t: t, w: open(t, func() time.Time { return now }), now: &now})
		})
	}
}

// Run tests an engine. The function open returns an empty warehouse for one test. The warehouse takes the times of
// imports from the clock and is closed at the end of the test.
func Run(t *testing.T, open func(t *testing.T, clock func() time.Time) *warehouse.Warehouse) {
	t.Helper()
	t.Run("questions", func(t *testing.T) {
		t.Parallel()
		Questions(t, open)
	})
	each(t, open, map[string]func(trial){
		"a day that changes after it was shown has a history":     lateChanges,
		"an order is one creator's":                               creatorSignals,
		"a mapped coupon credits earlier orders":                  couponMapped,
		"a file is known until its tables change":                 knownFile,
		"answers find their order whenever it comes":              lateOrders,
		"unchanged days count as examined":                        looks,
		"an empty store has zero rows and no errors":              emptyStore,
		"a long path shares a large order exactly":                longPath,
		"costs of products fill lines that have none":             costsFillLines,
		"a surface's total replaces its orders":                   surfaceTotals,
		"goals come back as they were imported":                   targets,
		"pages tile the whole":                                    pagesTile,
		"an identical import changes nothing":                     identicalImport,
		"a changed order replaces what came with it":              changedOrder,
		"refunds without their order join those it has":           returnsAlone,
		"an order without refunds has none, if others have":       ordersWithoutRefunds,
		"refunds with a day outlast a total":                      totalOfRefunds,
		"brief figures leave out no channel":                      briefsOfSilentChannel,
		"refunds of unknown orders count on their own day":        unknownOrders,
		"gaps in ad reports are those of a platform":              platformGaps,
		"an older version of an order is ignored":                 olderVersion,
		"the version that has come further counts":                versionsWithoutDate,
		"a campaign's totals meet under one key":                  campaignsMeet,
		"a first order that is cancelled makes the second first":  newnessMoves,
		"a coupon changes its channel and keeps its creator":      couponChanged,
		"a customer who is forgotten leaves the profiles":         forgottenProfile,
		"the latest version of a customer's profile counts":       profileVersions,
		"names fill the reports that tell ids only":               namesFillReports,
		"campaigns keep their versions":                           campaignsKeepTheirVersions,
		"what a version of a profile leaves out stays":            joinedProfiles,
		"ad windows are replaced":                                 adWindows,
		"an ad product has an account of its own":                 adProducts,
		"spend of one key in one import adds up":                  spendAddsUp,
		"a dry run counts and keeps nothing":                      dryRun,
		"an aborted import leaves nothing":                        abortedImport,
		"readers see the old state until commit":                  readersDuringImport,
		"two imports follow one another":                          importsInSequence,
		"workspaces see nothing of each other":                    workspacesApart,
		"rows without a key or a day are refused":                 refusedRows,
		"an answer's text is looked for as it stands":             answerTexts,
		"a random store agrees with the reference":                randomStore,
		"a day that grows before it is over has not changed":      growingDay,
		"a feed leaves one version of a day and hour":             feedWithinAnHour,
		"the first import of a day changes the data version":      firstOfDay,
		"days as of any instant are the roll-ups of then":         historyReplayed,
		"a random store in unsorted pieces agrees with reference": randomPieces,
	})
}

// trial is the environment of a test of the suite.
type trial struct {
	t   *testing.T
	w   *warehouse.Warehouse
	now *time.Time // time of imports; a test advances it
}

// shop is the workspace of most tests.
const shop measure.WorkspaceID = "shop"

func date(text string) civil.Date { return civil.MustParse(text) }

func period(first, last string) civil.Range { return civil.Range{First: date(first), Last: date(last)} }

func ref(key string) warehouse.OrderRef { return warehouse.OrderRef{Source: "shopify", Key: key} }

func instant(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return at.UTC()
}

// load imports batches and fails the test on an error.
func load(t *testing.T, w *warehouse.Warehouse, spec warehouse.ImportSpec, batches ...warehouse.Batch) warehouse.Outcome {
	t.Helper()
	if spec.Workspace == "" {
		spec.Workspace = shop
	}
	if spec.Source == "" {
		spec.Source = "test"
	}
	in, err := w.Begin(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Abort()
	for i := range batches {
		if err := in.Add(t.Context(), &batches[i]); err != nil {
			t.Fatal(err)
		}
	}
	out, err := in.Commit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// answer returns a function that returns its first argument and fails the test on an error.
func answer[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func same(t *testing.T, what string, want, got any, options ...cmp.Option) {
	t.Helper()
	options = append(options, cmp.AllowUnexported(civil.Date{}))
	if diff := cmp.Diff(want, got, options...); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// total returns the sum over the channels.
func total(rows []warehouse.ChannelTotal) (sum measure.Sums) {
	for _, r := range rows {
		sum = sum.Add(r.Sums)
	}
	return sum
}

// credits maps channels to their totals.
func credits(rows []warehouse.ChannelTotal) map[measure.Channel]measure.Sums {
	out := map[measure.Channel]measure.Sums{}
	for _, r := range rows {
		out[r.Channel] = r.Sums
	}
	return out
}

// version returns the data version of the shop.
func version(t *testing.T, w *warehouse.Warehouse) uint64 {
	t.Helper()
	return answer[uint64](t)(w.Version(t.Context(), shop))
}

// whole returns a number of orders in millionths.
func whole(n int64) int64 { return n * measure.Millionths }
