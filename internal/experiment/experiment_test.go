package experiment_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/experiment"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/money"
	"assay/internal/warehouse"
	"assay/internal/warehouse/storetest"
)

// The simulated store sells in twelve regions for 24 weeks. In the last four weeks, three regions have three times the
// facebook spend and 20% more sales.
var (
	last    = storetest.Today.AddDays(-1)
	first   = last.AddDays(-167)
	test    = civil.Range{First: last.AddDays(-27), Last: last}
	regions = []string{"AL", "AR", "AZ", "CO", "CT", "GA", "IA", "KS", "MD", "MN", "NV", "OR"}
	treated = []string{"AL", "CO", "MN"}
	scope   = mix.Scope{Channels: []measure.Channel{"facebook"}, Days: civil.Range{First: first, Last: last}}
)

const (
	spendBefore = 10.0 // spend per treated region and day, in dollars
	spendAfter  = 30.0
	orderValue  = 500 // cents
)

func isTreated(region string, day civil.Date) bool {
	return slices.Contains(treated, region) && test.Contains(day)
}

// sales returns a region's orders on a day.
func sales(r *rand.Rand, i int, day civil.Date) int64 {
	weekday := []float64{1.2, .9, .9, 1, 1, 1.1, 1.3}[day.Weekday()]
	return int64(float64(20+2*i)*weekday*(1+0.02*r.NormFloat64()) + 0.5)
}

func batch() (b *warehouse.Batch, lifted float64) {
	b = &warehouse.Batch{}
	r := rand.New(rand.NewPCG(3, 4))
	for day := first; !day.After(storetest.Today); day = day.AddDays(1) {
		for i, region := range regions {
			count, spend := sales(r, i, day), int64(100*spendBefore)
			if isTreated(region, day) {
				more := (count + 2) / 5
				lifted += float64(more) * orderValue / 100
				count, spend = count+more, 100*spendAfter
			}
			surface := measure.OnlineStore
			if i == 0 && day.Day() > 20 {
				surface = measure.Retail
			}
			for n := range count {
				ref := warehouse.OrderRef{Source: "shop", Key: fmt.Sprintf("%s-%s-%d", day, region, n)}
				b.Orders = append(b.Orders, warehouse.Order{
					OrderRef: ref, Name: ref.Key, At: day.UTC().Add(17 * time.Hour), Day: day, Surface: surface, Customer: ref.Key, Charged: orderValue, Tax: orderValue / 10,
					Original: money.Amount{Minor: orderValue, Currency: "USD"}, Status: "paid", Country: "US", Region: region, Units: 1,
				})
			}
			b.AdDays = append(b.AdDays, warehouse.AdDay{
				Source: "facebook_ads", Platform: measure.Facebook, Account: "a", Channel: "facebook", Day: day, CampaignID: "f", AdSetID: "s", AdID: "1",
				Country: "US", Region: region, Spend: spend, Original: money.Amount{Minor: spend, Currency: "USD"},
			})
		}
	}
	return b, lifted
}

// open returns a store with the batch and one completed experiment.
func open(t *testing.T, b *warehouse.Batch) experiment.Store {
	t.Helper()
	w := storetest.Open(t)
	storetest.Load(t, w, "shop", "shop.csv", b)
	return experiment.Store{
		Workspace: control.Workspace{ID: "shop", Currency: "USD", Zone: storetest.Zone, Basis: measure.RevenueBasis{WithoutTax: true}}, Facts: w,
		OrderDays: civil.Range{First: first, Last: storetest.Today}, AdDays: civil.Range{First: first, Last: last}, Today: storetest.Today, All: []control.Experiment{geoTest()},
	}
}

func geoTest() control.Experiment {
	return control.Experiment{ID: "test", Workspace: "shop", Channel: "facebook", Kind: control.GeoTest, Status: control.ExperimentCompleted, Days: test, Treated: treated}
}

func near(got, want, share float64) bool { return math.Abs(got-want) <= share*math.Abs(want) }

func TestAGeoExperimentRecoversItsLift(t *testing.T) {
	t.Parallel()
	b, lifted := batch()
	s := open(t, b)
	f, err := s.Assess(t.Context(), geoTest())
	if err != nil {
		t.Fatal(err)
	}
	spent := 3 * 28 * (spendAfter - spendBefore)
	if f.Change == nil || !near(*f.Change, spent, 0.001) || len(f.Excluded) > 0 {
		t.Errorf("spend changes by %v with %d days excluded; want %v, none", *f.Change, len(f.Excluded), spent)
	}
	if f.Return == nil || !near(f.Return.Value, lifted/spent, 0.1) || f.Return.Low > lifted/spent || f.Return.High < lifted/spent || math.Abs(f.Return.Level-0.9) > 1e-9 {
		t.Errorf("iROAS %+v, want %v", f.Return, lifted/spent)
	}
	reported := 3.0
	r, err := s.Result(t.Context(), geoTest(), &reported)
	if err != nil || r.Missing != "" || r.Factor == nil || !near(r.Factor.Value, f.Return.Value/reported, 1e-9) || r.Found == nil || *r.Spend != *f.Change {
		t.Errorf("%+v (%v), want the factor %v", r, err, f.Return.Value/reported)
	}
	for _, unknown := range []*float64{nil, new(0.0), new(-1.0)} {
		if r, err := s.Result(t.Context(), geoTest(), unknown); err != nil || r.Missing != experiment.NoReported || r.Factor != nil {
			t.Errorf("without a reported return: %+v, %v", r, err)
		}
	}
	silent := geoTest()
	silent.Channel = "podcast" // it has no spend by region
	if r, err := s.Result(t.Context(), silent, &reported); err != nil || r.Missing != experiment.NoReturn || r.Spend != nil || r.Found == nil {
		t.Errorf("a channel without spend: %+v, %v", r, err)
	}

	tests, err := s.LiftTests(t.Context(), scope)
	if err != nil || len(tests) != 1 || tests[0].Why != "" || tests[0].ID != "test" || tests[0].Days != test || tests[0].Lift == nil {
		t.Fatalf("lift tests %+v, %v", tests, err)
	}
	lift := tests[0]
	var treatedSales, all float64
	for _, o := range b.Orders {
		if d := o.Day; d.Before(test.First) && d.After(test.First.AddDays(-113)) {
			all += float64(o.Charged)
			if slices.Contains(treated, o.Region) {
				treatedSales += float64(o.Charged)
			}
		}
	}
	share, _ := mix.Shown(28)
	if !near(lift.Share, treatedSales/all, 1e-6) {
		t.Errorf("the treated regions have %v of sales, want %v", lift.Share, treatedSales/all)
	}
	// Before the change, spend is USD 30 per day in the treated regions. The lift test extends this spend to the store by
	// the regions' share of sales.
	if l := lift.Lift; !near(l.DeltaX, 7*60/lift.Share, 0.01) || !near(l.X, 7*30/lift.Share, 0.01) || !near(l.DeltaY, 0.9*lifted/28*7/lift.Share/share, 0.1) || !(l.Sigma > 0) || l.Channel != "facebook" {
		t.Errorf("lift %+v of %v over 28 days with a share of %v", l, lifted, lift.Share)
	}
}

// The treated regions and days of other experiments are excluded.
func TestOtherExperimentsAreLeftOut(t *testing.T) {
	t.Parallel()
	b, _ := batch()
	s := open(t, b)
	before := geoTest()
	before.ID, before.Days, before.Treated = "before", civil.Range{First: test.First.AddDays(-40), Last: test.First.AddDays(-31)}, []string{"KS"}
	draft, study := before, before
	draft.ID, draft.Status = "draft", control.ExperimentDraft
	study.ID, study.Kind = "study", control.LiftStudy
	s.All = []control.Experiment{geoTest(), draft, study}
	if f, err := s.Assess(t.Context(), geoTest()); err != nil || len(f.Excluded) != 0 {
		t.Errorf("a draft and a study exclude %d days (%v)", len(f.Excluded), err)
	}
	s.All = append(s.All, before)
	f, err := s.Assess(t.Context(), geoTest())
	if err != nil || len(f.Excluded) != 17 || !slices.Contains(f.Excluded, test.First.AddDays(-24)) || slices.Contains(f.Excluded, test.First.AddDays(-23)) || slices.Contains(f.Excluded, test.First.AddDays(-41)) {
		t.Errorf("%d days are excluded (%v), want the ten of the test and seven after it", len(f.Excluded), err)
	}
	during := geoTest()
	during.ID, during.Treated = "during", regions[3:]
	s.All = []control.Experiment{geoTest(), during}
	// Two control regions remain, so any result differs from the result with nine control regions.
	few, err := s.Assess(t.Context(), geoTest())
	if err == nil && few.Return != nil && f.Return != nil && few.Return.Value == f.Return.Value {
		t.Errorf("the treated regions of another experiment are controls: %+v", few.Return)
	}
	held := geoTest()
	held.HeldOut = []string{"AR", "AZ", "CT", "GA", "IA", "KS"}
	s.All = []control.Experiment{held}
	if some, err := s.Assess(t.Context(), held); err != nil || some.Return == nil || some.Return.Value == f.Return.Value {
		t.Errorf("named control regions give %+v (%v)", some.Return, err)
	}
}

func TestExperimentsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	b, _ := batch()
	s := open(t, b)
	for name, c := range map[string]struct {
		change func(*control.Experiment, *experiment.Store)
		want   fault.Kind
	}{
		"it is not over":          {func(e *control.Experiment, _ *experiment.Store) { e.Days.Last = storetest.Today }, fault.KindNotReady},
		"orders end before":       {func(_ *control.Experiment, s *experiment.Store) { s.OrderDays.Last = last.AddDays(-1) }, fault.KindNotReady},
		"orders start later":      {func(_ *control.Experiment, s *experiment.Store) { s.OrderDays.First = test.First.AddDays(1) }, fault.KindNotReady},
		"a region without orders": {func(e *control.Experiment, _ *experiment.Store) { e.Treated = []string{"AL", "WY"} }, fault.KindNotReady},
		"every region is treated": {func(e *control.Experiment, _ *experiment.Store) { e.Treated = regions }, fault.KindInvalid},
	} {
		e, of := geoTest(), s
		c.change(&e, &of)
		if _, err := of.Assess(t.Context(), e); fault.KindOf(err) != c.want {
			t.Errorf("%s: %v, want a fault of kind %s", name, err, c.want)
		}
		if r, err := of.Result(t.Context(), e, new(1.0)); err != nil || r.Unread == nil || r.Factor != nil {
			t.Errorf("%s: %+v, %v; want the reason in the result", name, r, err)
		}
		of.All = []control.Experiment{e}
		if tests, err := of.LiftTests(t.Context(), scope); err != nil || len(tests) != 1 || tests[0].Lift != nil || tests[0].Why == "" {
			t.Errorf("%s: lift tests %+v, %v; want the reason", name, tests, err)
		}
	}
}

// Sales and spend without a known region limit how far a result applies to the whole store.
func TestMostSalesAndSpendHaveARegion(t *testing.T) {
	t.Parallel()
	b, _ := batch()
	var total int64
	for _, o := range b.Orders {
		if o.Day == first {
			total += o.Charged
		}
	}
	for name, c := range map[string]struct {
		sales, spend int64 // sales and spend without a region, per day in cents
		why          string
	}{
		"few sales":  {sales: total / 6, spend: 0},
		"many sales": {sales: total / 2, why: "of sales have a known region"},
		"some spend": {spend: 12 * 1000},
		"most spend": {spend: 40 * 1000, why: "spend has a known region"},
	} {
		more := &warehouse.Batch{Orders: slices.Clone(b.Orders), AdDays: slices.Clone(b.AdDays)}
		for day := first; !day.After(last); day = day.AddDays(1) {
			if c.sales > 0 {
				ref := warehouse.OrderRef{Source: "shop", Key: day.String()}
				more.Orders = append(more.Orders, warehouse.Order{
					OrderRef: ref, Name: ref.Key, At: day.UTC().Add(17 * time.Hour), Day: day, Surface: measure.OnlineStore, Customer: ref.Key, Charged: c.sales,
					Original: money.Amount{Minor: c.sales, Currency: "USD"}, Status: "paid", Units: 1,
				})
			}
			if c.spend > 0 {
				more.AdDays = append(more.AdDays, warehouse.AdDay{
					Source: "facebook_ads", Platform: measure.Facebook, Account: "a", Channel: "facebook", Day: day, CampaignID: "n", AdSetID: "n", AdID: "n", Spend: c.spend,
					Original: money.Amount{Minor: c.spend, Currency: "USD"},
				})
			}
		}
		of := open(t, more)
		of.All = []control.Experiment{geoTest()}
		tests, err := of.LiftTests(t.Context(), scope)
		if err != nil || len(tests) != 1 {
			t.Fatalf("%s: %+v, %v", name, tests, err)
		}
		lift := tests[0]
		if (lift.Lift == nil) != (c.why != "") || !strings.Contains(lift.Why, c.why) {
			t.Errorf("%s: %+v, want %q", name, lift, c.why)
			continue
		}
		if c.spend > 0 && lift.Lift != nil {
			// Spend without a region continues everywhere: USD 120 per day.
			if want := 7*30/lift.Share + 7*120; !near(lift.Lift.X, want, 0.01) {
				t.Errorf("%s: the spend without the test is %v per week, want %v", name, lift.Lift.X, want)
			}
		}
	}
}

func TestResultsBySurface(t *testing.T) {
	t.Parallel()
	b, _ := batch()
	s := open(t, b)
	got, err := s.BySurface(t.Context(), geoTest())
	if err != nil || len(got) != 1 || got[0].Surface != measure.OnlineStore || got[0].Channel != "facebook" || !(got[0].Coefficient > 0) || !(got[0].Error > 0) {
		t.Errorf("%+v, %v; want the online store alone: the treated regions rarely order in stores", got, err)
	}
	e := geoTest()
	e.Channel = "podcast"
	if got, err := s.BySurface(t.Context(), e); err != nil || len(got) > 0 {
		t.Errorf("a channel without spend: %+v, %v", got, err)
	}
	e = geoTest()
	e.Days.Last = storetest.Today
	if got, err := s.BySurface(t.Context(), e); err != nil || got != nil {
		t.Errorf("a test that is not over: %+v, %v", got, err)
	}
}

func TestAStudyHasThePlatformsResult(t *testing.T) {
	t.Parallel()
	study := geoTest()
	study.Kind, study.Found = control.LiftStudy, &control.Finding{Return: 2, Low: 1, High: 3, LevelPct: 95}
	r, err := experiment.Store{}.Result(t.Context(), study, new(4.0))
	if err != nil || r.Returned.Value != 2 || r.Returned.Level != 0.95 || r.Factor == nil || r.Factor.Value != 0.5 || math.Abs(r.Factor.Level-0.9) > 1e-9 {
		t.Errorf("%+v, %v", r, err)
	}
	if got := 0.5 - r.Factor.Low; !near(got, 0.25*1.6448536/1.9599640, 1e-4) {
		t.Errorf("the interval %+v is not one of 90%%", r.Factor.Interval)
	}
}

// The factor is the posterior of a normal prior (mean 1, sd 0.5) and the pooled applied experiments, or all experiments if
// none is applied. Expected values: 0.5 ± 0.2/1.6449/√2, and 0.5 ± √((0.2/1.6449)²+0.0052)/√2, combined by hand.
func TestFactorsOfAChannelArePooled(t *testing.T) {
	t.Parallel()
	result := func(channel measure.Channel, value float64, applied bool, ends civil.Date) *experiment.Result {
		e := geoTest()
		e.Channel, e.Applied, e.Days.Last = channel, applied, ends
		return &experiment.Result{Experiment: e, Factor: &measure.Estimate{Value: value, Interval: measure.Interval{Low: value - 0.2, High: value + 0.2, Level: 0.9}}}
	}
	none := result("google", 1, true, last)
	none.Factor = nil
	got, err := experiment.ChannelFactors([]*experiment.Result{
		result("tiktok", 0.4, false, last), result("tiktok", 0.6, false, last.AddDays(-9)),
		result("facebook", 0.9, false, last), result("facebook", 0.5, true, last.AddDays(-5)), result("facebook", 0.5, true, last.AddDays(-7)), none,
	})
	if err != nil || len(got) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	if f := got[0]; f.Channel != "facebook" || !f.Applied || math.Abs(f.Value-0.514360) > 1e-6 || f.Latest != last.AddDays(-5) {
		t.Errorf("facebook %+v", f)
	}
	if f := got[1]; f.Channel != "tiktok" || f.Applied || math.Abs(f.Value-0.519231) > 1e-6 || f.Latest != last {
		t.Errorf("tiktok %+v", f)
	}
}

// The incrementality factor does not include an inconclusive experiment until a member applies the experiment. The
// factor then remains near 1.
func TestAnInconclusiveExperimentIsNotUsedUnlessSomebodyAppliesIt(t *testing.T) {
	t.Parallel()
	e := geoTest()
	e.Kind, e.Found = control.LiftStudy, &control.Finding{Return: 0.4, Low: -3, High: 3.8, LevelPct: 90}
	r, err := experiment.Store{}.Result(t.Context(), e, new(2.0))
	if err != nil || r.Conclusive() {
		t.Fatalf("%+v, %v: want an inconclusive result", r, err)
	}
	if used, why := r.FactorUse(); used || !strings.Contains(why, "inconclusive") {
		t.Errorf("used %t: %s", used, why)
	}
	r.Applied = true
	if used, why := r.FactorUse(); !used || !strings.Contains(why, "although the experiment is inconclusive") {
		t.Errorf("applied: used %t: %s", used, why)
	}
	found, err := experiment.ChannelFactors([]*experiment.Result{r})
	if err != nil || len(found) != 1 || found[0].Value < 0.6 || found[0].Value > 1 {
		t.Errorf("%+v, %v: want a factor between the measured 0.2 and 1, nearer to 1", found, err)
	}
	if f := found[0]; f.High-f.Low > 2*1.645*0.5 {
		t.Errorf("the interval %v is wider than the prior", f.Interval)
	}
}
