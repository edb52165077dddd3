package demo_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/civil"
	"assay/internal/fault"
	"assay/internal/ingest/demo"
	"assay/internal/warehouse"
)

// size contains the options that define the size of a store. Other options are the same in all tests.
type size struct {
	seed         uint64
	days, orders int
}

func (s size) String() string {
	return fmt.Sprintf("seed %d, %d days, %d orders", s.seed, s.days, s.orders)
}

var (
	full  = size{7, 730, 60_000}
	small = size{7, 120, 2_000}
)

func options(t *testing.T, s size) demo.Options {
	t.Helper()
	zone, err := time.LoadLocation(demo.StoreZone)
	if err != nil {
		t.Fatal(err)
	}
	return demo.Options{
		Seed: s.seed, Days: s.days, Orders: s.orders, Today: civil.MustParse("2026-11-18"),
		Zone: zone, Currency: demo.StoreCurrency, HashKey: []byte("a key of thirty-two bytes or more"),
	}
}

// store contains a generated store with all its rows.
type store struct {
	opt   demo.Options
	truth demo.Truth
	rows  warehouse.Batch
}

var (
	kept   = map[size]func() (*store, error){}
	keptMu sync.Mutex // guards kept
)

// generated returns the demo store of the given size. Tests share the store and must not change it.
func generated(t *testing.T, s size) *store {
	t.Helper()
	keptMu.Lock()
	once, ok := kept[s]
	if !ok {
		opt := options(t, s)
		once = sync.OnceValues(func() (*store, error) { return generate(opt) })
		kept[s] = once
	}
	keptMu.Unlock()
	made, err := once()
	if err != nil {
		t.Fatalf("%v: %v", s, err)
	}
	return made
}

func generate(opt demo.Options) (*store, error) {
	made := &store{opt: opt}
	to := &made.rows
	var err error
	made.truth, err = demo.Generate(opt, func(b *warehouse.Batch) error {
		to.Orders = append(to.Orders, b.Orders...)
		to.Lines = append(to.Lines, b.Lines...)
		to.Refunds = append(to.Refunds, b.Refunds...)
		to.Coupons = append(to.Coupons, b.Coupons...)
		to.Touches = append(to.Touches, b.Touches...)
		to.AdDays = append(to.AdDays, b.AdDays...)
		to.ChannelSpend = append(to.ChannelSpend, b.ChannelSpend...)
		to.Products = append(to.Products, b.Products...)
		to.Messages = append(to.Messages, b.Messages...)
		to.Surveys = append(to.Surveys, b.Surveys...)
		to.Creators = append(to.Creators, b.Creators...)
		to.CreatorCodes = append(to.CreatorCodes, b.CreatorCodes...)
		to.CreatorCosts = append(to.CreatorCosts, b.CreatorCosts...)
		to.LinkDays = append(to.LinkDays, b.LinkDays...)
		to.CouponMap = append(to.CouponMap, b.CouponMap...)
		to.Targets = append(to.Targets, b.Targets...)
		to.RegionDays = append(to.RegionDays, b.RegionDays...)
		return nil
	})
	return made, err
}

// fingerprint hashes all rows in their order, and the truth.
func fingerprint(t *testing.T, opt demo.Options) string {
	t.Helper()
	truth, rows := encoded(t, opt)
	text, err := json.Marshal(truth)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(append(rows, text...))
	return hex.EncodeToString(sum[:])
}

// The test is not parallel, because it changes the number of cores for the whole process.
func TestTheSameOptionsGiveTheSameBytesOnAnyNumberOfCores(t *testing.T) {
	opt := options(t, small)
	want := fingerprint(t, opt)
	for _, cores := range []int{1, 2} {
		before := runtime.GOMAXPROCS(cores)
		got := fingerprint(t, opt)
		runtime.GOMAXPROCS(before)
		if got != want {
			t.Errorf("on %d cores: %s, want %s", cores, got, want)
		}
	}
}

func TestAnotherSeedGivesAnotherStore(t *testing.T) {
	t.Parallel()
	other := small
	other.seed++
	if fingerprint(t, options(t, small)) == fingerprint(t, options(t, other)) {
		t.Errorf("seeds %d and %d give the same store", small.seed, other.seed)
	}
}

func TestTheHashKeyChangesNothingButCustomers(t *testing.T) {
	t.Parallel()
	opt := options(t, small)
	opt.HashKey = []byte("another key")
	got, err := generate(opt)
	if err != nil {
		t.Fatal(err)
	}
	want := generated(t, small)
	for i, o := range got.rows.Orders {
		a, b := o, want.rows.Orders[i]
		if a.Customer != "" && a.Customer == b.Customer {
			t.Fatalf("order %s has the same customer under both keys", a.Key)
		}
		a.Customer, b.Customer = "", ""
		if a != b {
			t.Fatalf("order %d is %+v, want %+v", i, a, b)
		}
	}
	if diff := cmp.Diff(want.truth, got.truth, cmp.AllowUnexported(civil.Date{})); diff != "" {
		t.Errorf("truth (-want +got):\n%s", diff)
	}
}

func TestBatchesAreSmallAndMayBeReused(t *testing.T) {
	t.Parallel()
	rows, batches := 0, 0
	_, err := demo.Generate(options(t, small), func(b *warehouse.Batch) error {
		n := len(b.Orders) + len(b.Lines) + len(b.Touches) + len(b.AdDays) + len(b.Messages) + len(b.RegionDays) + len(b.Surveys)
		if n > 6000 {
			t.Errorf("batch %d has %d rows", batches, n)
		}
		rows, batches = rows+n, batches+1
		clear(b.Orders)
		clear(b.Lines)
		clear(b.AdDays)
		return nil
	})
	if err != nil || rows == 0 || batches < 5 {
		t.Errorf("%d rows in %d batches, %v", rows, batches, err)
	}
}

func TestAnErrorOfTheSinkEndsTheWork(t *testing.T) {
	t.Parallel()
	full := errors.New("disk full")
	calls := 0
	_, err := demo.Generate(options(t, small), func(*warehouse.Batch) error { calls++; return full })
	if !errors.Is(err, full) || calls != 1 {
		t.Errorf("error %v after %d calls, want %v after one", err, calls, full)
	}
}

func TestInvalidOptionsAreRejected(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*demo.Options){
		"too few days":     func(o *demo.Options) { o.Days = demo.MinDays - 1 },
		"too many days":    func(o *demo.Options) { o.Days = demo.MaxDays + 1 },
		"too few orders":   func(o *demo.Options) { o.Orders = demo.MinOrders - 1 },
		"too many orders":  func(o *demo.Options) { o.Orders = demo.MaxOrders + 1 },
		"no last day":      func(o *demo.Options) { o.Today = civil.Date{} },
		"no zone":          func(o *demo.Options) { o.Zone = nil },
		"no hash key":      func(o *demo.Options) { o.HashKey = nil },
		"no such currency": func(o *demo.Options) { o.Currency = "dollars" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opt := options(t, small)
			change(&opt)
			_, err := demo.Generate(opt, func(*warehouse.Batch) error { return nil })
			if fault.KindOf(err) != fault.KindInvalid {
				t.Errorf("error %v, want an invalid option", err)
			}
			if _, err := demo.Campaigns(opt); fault.KindOf(err) != fault.KindInvalid {
				t.Errorf("Campaigns: error %v, want an invalid option", err)
			}
		})
	}
}

func TestOtherZonesCurrenciesAndDaysAreValid(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"UTC", "Asia/Tokyo", "Australia/Lord_Howe"} {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			opt := options(t, size{3, 30, 100})
			var err error
			if opt.Zone, err = time.LoadLocation(zone); err != nil {
				t.Fatal(err)
			}
			opt.Currency, opt.Today = "JPY", civil.MustParse("2024-02-29")
			made, err := generate(opt)
			if err != nil || len(made.rows.Orders) != 100 {
				t.Fatalf("%d orders, %v", len(made.rows.Orders), err)
			}
			for _, o := range made.rows.Orders {
				if civil.DayOf(o.At, opt.Zone) != o.Day || o.At.After(opt.Now()) {
					t.Errorf("order %s at %v is booked on %v", o.Key, o.At, o.Day)
				}
			}
		})
	}
}

func BenchmarkGenerate(b *testing.B) {
	zone, err := time.LoadLocation(demo.StoreZone)
	if err != nil {
		b.Fatal(err)
	}
	opt := demo.Options{
		Seed: 7, Days: 730, Orders: 60_000, Today: civil.MustParse("2026-11-18"), Zone: zone,
		Currency: demo.StoreCurrency, HashKey: []byte("key"),
	}
	for b.Loop() {
		if _, err := demo.Generate(opt, func(*warehouse.Batch) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
