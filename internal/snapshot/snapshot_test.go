package snapshot_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/internal/civil"
	"assay/internal/control"
	"assay/internal/control/sqlstore"
	"assay/internal/measure"
	"assay/internal/measure/cohort"
	"assay/internal/measure/geo"
	"assay/internal/measure/mix"
	"assay/internal/money"
	"assay/internal/snapshot"
	"assay/internal/toolkit/toolkittest"
	"assay/internal/warehouse"
	"assay/internal/warehouse/storetest"
)

// held is a model that tests replace.
type held struct{ mix.Held }

// MMM implements [snapshot.Models].
func (h *held) MMM(context.Context, control.Workspace) (mix.Held, error) { return h.Held, nil }

// listed contains experiments that tests replace.
type listed struct {
	all   []control.Experiment
	reads int // number of queries
}

// Experiments implements [snapshot.Experiments].
func (l *listed) Experiments(context.Context, measure.WorkspaceID) ([]control.Experiment, error) {
	l.reads++
	return l.all, nil
}

// bench is a reader of the shop of package storetest.
type bench struct {
	*snapshot.Reader
	facts       *warehouse.Warehouse
	model       *held
	experiments *listed
	forecasts   *sqlstore.Store
	workspace   control.Workspace
}

func newBench(t *testing.T) *bench {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Path: filepath.Join(t.TempDir(), "control.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	w := control.NewWorkspace("Shop")
	w.Currency, w.Zone = "USD", storetest.Zone
	if w, err = store.CreateWorkspace(t.Context(), w, control.By{Actor: "test", At: storetest.Now}); err != nil {
		t.Fatal(err)
	}
	b := &bench{facts: storetest.Open(t), model: &held{}, experiments: &listed{}, forecasts: store, workspace: w}
	storetest.Load(t, b.facts, w.ID, "shop.csv", storetest.Shop())
	if b.Reader, err = snapshot.NewReader(snapshot.Sources{
		Facts: b.facts, Models: b.model, Experiments: b.experiments, Forecasts: store, Clock: storetest.Clock, Now: storetest.Clock,
	}); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bench) take(t *testing.T) *snapshot.Snapshot {
	t.Helper()
	s, err := b.Take(t.Context(), b.workspace, snapshot.Wants{Experiments: true, Forecasts: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var (
	today   = storetest.Today
	all     = civil.Range{First: storetest.First, Last: today}
	lastAds = today.AddDays(-2)
)

func last(n int) civil.Range { return civil.Range{First: today.AddDays(1 - n), Last: today} }

func check(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateComparable(civil.Date{}), cmpopts.EquateEmpty(), cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// Snapshots with equal keys give equal answers: the key contains everything that an answer depends on.
func TestTheKeyOfAState(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	wants := snapshot.Wants{Experiments: true, Forecasts: true}
	key := func() snapshot.Key {
		t.Helper()
		s, err := b.State(t.Context(), b.workspace, wants)
		if err != nil || !s.Versioned() {
			t.Fatalf("state: %v", err)
		}
		return s.Key
	}
	first := key()
	if again := key(); again != first {
		t.Error("two keys for one state")
	}
	if s, err := b.State(t.Context(), b.workspace, wants); err != nil || s.Today != today || !s.Now.Equal(storetest.Now) || s.Now.Location() != time.UTC {
		t.Errorf("today is %s at %s (%v), want the day in New York", s.Today, s.Now, err)
	}
	seen := map[snapshot.Key]string{first: "the first state"}
	note := func(what string) {
		k := key()
		if other, known := seen[k]; known {
			t.Errorf("the keys after %s and after %s are equal", what, other)
		}
		seen[k] = what
	}
	b.experiments.all = []control.Experiment{{ID: "a", Version: 1}}
	note("an experiment")
	b.experiments.all[0].Version = 2
	note("a change of the experiment")
	b.model.Training = true
	note("the start of a training")
	b.model.Model = &mix.Model{Version: 1}
	note("a model")
	b.model.NewTests = []string{"a test"}
	note("a test that the model does not use")
	b.model.Drift.Weeks = 1
	note("a change of its data")
	b.workspace.Version++
	note("a change of the settings")
	b.workspace.CreatedAt = b.workspace.CreatedAt.Add(time.Second)
	note("a deletion and a new workspace of the same name")
	if err := b.forecasts.KeepForecasts(t.Context(), b.workspace.ID, []control.Forecast{{
		Workspace: b.workspace.ID, Metric: "revenue", Made: today, Days: last(1), Median: 1, Method: "m", Occasion: control.AnswerForecast, At: storetest.Now,
		Outcome: &control.ForecastOutcome{Actual: 1, At: storetest.Now},
	}}); err != nil {
		t.Fatal(err)
	}
	more := storetest.Shop().Orders[:1]
	more[0].Key = "another"
	storetest.Load(t, b.facts, b.workspace.ID, "more.csv", &warehouse.Batch{Orders: more})
	note("an import")
	wants = snapshot.Wants{}
	if s, err := b.State(t.Context(), b.workspace, wants); err != nil || s.Experiments != nil || s.Records != nil {
		t.Errorf("records are read without a request: %+v, %v", s, err)
	}
}

// unknown is a warehouse with an unreadable data version.
type unknown struct{ *warehouse.Warehouse }

func (unknown) Version(context.Context, measure.WorkspaceID) (uint64, error) {
	return 0, errors.New("no version")
}

// The contents of a store are read once per data version, and every time if the version is unknown.
func TestContentsAreReadOnceForEachVersion(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := b.take(t)
	if s.Store.Orders != 120 || s.Store.OrderDays != all || s.Store.AdDays != (civil.Range{First: all.First, Last: lastAds}) || s.Store.Version != 1 || len(s.Store.Sources) != 2 || !s.Real.Equal(storetest.Now) {
		t.Errorf("%+v", s.Store)
	}
	if s.Store.Empty() || s.Store.Untouched() || s.Store.Active() != 1 || s.Store.Days() != all {
		t.Errorf("empty %t, untouched %t, %d active channels, days %s", s.Store.Empty(), s.Store.Untouched(), s.Store.Active(), s.Store.Days())
	}
	if v, ok := s.Store.Volume("facebook"); !ok || v.Credited != 60e6 || v.Charged != 600_000 || v.Spend != 58*4000 || v.SpendDays != 58 {
		t.Errorf("facebook %+v, %t", v, ok)
	}
	if v, ok := s.Store.Volume("podcast"); ok || v.Channel != "" {
		t.Errorf("podcast %+v", v)
	}
	if s.RevenueUnknown("facebook") || s.RevenueUnknown("") || s.RevenueUnknown(measure.Unattributed) {
		t.Error("the revenue of a channel is unknown")
	}
	state, err := b.State(t.Context(), b.workspace, snapshot.Wants{})
	if err != nil {
		t.Fatal(err)
	}
	more := storetest.Shop().Orders[:1]
	more[0].Key = "another"
	storetest.Load(t, b.facts, b.workspace.ID, "more.csv", &warehouse.Batch{Orders: more})
	if old, err := b.Snapshot(t.Context(), state); err != nil || old.Store.Orders != 120 {
		t.Errorf("the state before an import has %d orders (%v)", old.Store.Orders, err)
	}
	if now := b.take(t); now.Store.Orders != 121 {
		t.Errorf("the state after it has %d orders", now.Store.Orders)
	}
	reader, err := snapshot.NewReader(snapshot.Sources{Facts: unknown{b.facts}, Models: b.model, Experiments: b.experiments, Clock: storetest.Clock, Now: storetest.Clock})
	if err != nil {
		t.Fatal(err)
	}
	if state, err = reader.State(t.Context(), b.workspace, snapshot.Wants{Forecasts: true}); err != nil || state.Versioned() {
		t.Errorf("a state without a version: %t, %v", state.Versioned(), err)
	}
	if s, err := reader.Snapshot(t.Context(), state); err != nil || s.Store.Orders != 121 {
		t.Errorf("its snapshot has %d orders, %v", s.Store.Orders, err)
	}
	if _, err := reader.Take(t.Context(), b.workspace, snapshot.Wants{}); err == nil {
		t.Error("a snapshot outside of calls is taken without a version")
	}
}

func TestAnEmptyStore(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.workspace.ID = "empty"
	s := b.take(t)
	if !s.Store.Empty() || !s.Store.Untouched() || s.Store.Active() != 0 || !s.RevenueUnknown("facebook") || s.RevenueUnknown("") {
		t.Errorf("%+v", s.Store)
	}
	if status, why := s.ModelState(); status != "" || why != nil {
		t.Errorf("model %s, %q", status, why)
	}
	series, err := s.SeriesOf(t.Context(), "", all)
	if err != nil || series.Days.Days() != 0 || series.Total(all) != (snapshot.Total{}) {
		t.Errorf("%+v, %v", series, err)
	}
	if daily, err := s.DailySeries(t.Context(), snapshot.SeriesKey{Metric: snapshot.Revenue}, all); err != nil || daily.Values != nil || daily.Predict(snapshot.SeriesKey{Metric: snapshot.Revenue}, today) != nil {
		t.Errorf("%+v, %v", daily, err)
	}
	if panel, err := s.RegionPanel(t.Context(), all); err != nil || panel != nil {
		t.Errorf("%+v, %v", panel, err)
	}
	if channels, err := s.ChannelSeries(t.Context(), all); err != nil || channels != nil {
		t.Errorf("%+v, %v", channels, err)
	}
	if h, err := s.HaloEffects(t.Context(), all); err != nil || h.Effects != nil || h.Days.Days() != 0 {
		t.Errorf("%+v, %v", h, err)
	}
	if err := b.Forecast(t.Context(), b.workspace); err != nil {
		t.Error(err)
	}
}

// A channel is active with orders or spend. Orders without a channel do not count.
func TestChannelsWithOrdersOrSpend(t *testing.T) {
	t.Parallel()
	unattributed := warehouse.ChannelVolume{Channel: measure.Unattributed, Credited: 5e6, SpendDays: 1}
	for what, c := range map[string]struct {
		channels  []warehouse.ChannelVolume
		untouched bool
		active    int
	}{
		"no channel":            {nil, true, 0},
		"only without channel":  {[]warehouse.ChannelVolume{unattributed}, true, 0},
		"a channel with spend":  {[]warehouse.ChannelVolume{unattributed, {Channel: "google", SpendDays: 3}}, true, 1},
		"a channel with orders": {[]warehouse.ChannelVolume{{Channel: "email", Credited: 1}, unattributed}, false, 1},
		"negative orders":       {[]warehouse.ChannelVolume{{Channel: "email", Credited: -1}}, false, 1},
		"a channel with neither": {
			[]warehouse.ChannelVolume{{Channel: "email", Charged: 5}, {Channel: "google", SpendDays: 3}, {Channel: "tv", Credited: 1, SpendDays: 1}},
			false, 2,
		},
	} {
		s := snapshot.Contents{Channels: c.channels}
		if s.Untouched() != c.untouched || s.Active() != c.active {
			t.Errorf("%s: untouched %t with %d active channels; want %t with %d", what, s.Untouched(), s.Active(), c.untouched, c.active)
		}
		snap := snapshot.Snapshot{Store: s}
		for channel, want := range map[measure.Channel]bool{"google": c.untouched, measure.Unattributed: false, "": false} {
			if got := snap.RevenueUnknown(channel); got != want {
				t.Errorf("%s: the revenue of %q is unknown: %t, want %t", what, channel, got, want)
			}
		}
	}
}

func TestSeriesOfTheStoreAndItsChannels(t *testing.T) {
	t.Parallel()
	s := newBench(t).take(t)
	store, err := s.SeriesOf(t.Context(), "", civil.Range{First: all.First.AddDays(-5), Last: today.AddDays(5)})
	if err != nil || store.Days != all {
		t.Fatalf("%s, %v", store.Days, err)
	}
	facebook, err := s.SeriesOf(t.Context(), "facebook", all)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what    string
		series  snapshot.Series
		days    civil.Range
		orders  int64
		charged int64
		spend   int64
		known   bool
	}{
		{"the store", store, all, 120, 900_000, 58 * 4000, true},
		{"a day", store, civil.Range{First: lastAds, Last: lastAds}, 2, 15000, 4000, true},
		{"the days after the last report", store, last(2), 4, 30000, 0, false},
		{"days beyond the store", store, civil.Range{First: today, Last: today.AddDays(9)}, 2, 15000, 0, false},
		{"a channel", facebook, all, 60, 600_000, 58 * 4000, true},
		{"a channel after its last report", facebook, last(2), 2, 20000, 0, false},
	} {
		got := c.series.Total(c.days)
		if got.Orders != c.orders*1e6 || got.Charged != c.charged || got.Spend != c.spend || got.SpendKnown != c.known || got.RevenueUnknown {
			t.Errorf("%s: %+v, want %+v", c.what, got, c)
		}
	}
	point := store.Point(last(10))
	for metric, want := range map[snapshot.Metric]float64{
		snapshot.Revenue: 1500, snapshot.Orders: 20, snapshot.Spend: 320, snapshot.ROAS: 1500. / 320, snapshot.AOV: 75, "other": math.NaN(),
	} {
		check(t, string(metric), want, s.Value(metric, point))
	}
	late := store.Point(last(2))
	for _, metric := range []snapshot.Metric{snapshot.Spend, snapshot.ROAS} {
		check(t, "unknown "+string(metric), math.NaN(), s.Value(metric, late))
	}
	check(t, "AOV without orders", math.NaN(), s.Value(snapshot.AOV, snapshot.Point{}))
	check(t, "weight of ROAS", 320., snapshot.Weight(s, snapshot.ROAS, point.Total))
	check(t, "weight of AOV", 20., snapshot.Weight(s, snapshot.AOV, point.Total))
	unknown := point
	unknown.RevenueUnknown = true
	check(t, "weight of an unknown ROAS", math.NaN(), snapshot.Weight(s, snapshot.ROAS, unknown.Total))
	check(t, "unknown revenue", math.NaN(), snapshot.KnownValue(s, snapshot.Revenue, unknown))
	check(t, "known spend", 320., snapshot.KnownValue(s, snapshot.Spend, unknown))

	channels, err := s.ChannelSeries(t.Context(), last(20))
	if err != nil || len(channels) != 2 {
		t.Fatalf("%d channels, %v", len(channels), err)
	}
	named := snapshot.NamedSorted(channels)
	if named[0].Name != "facebook" || named[1].Name != measure.Unattributed {
		t.Errorf("series %q, %q", named[0].Name, named[1].Name)
	}
	sum := snapshot.SumOf(named)
	if got := sum.Total(last(10)); got.Sums != point.Sums || got.Spend != point.Spend || !got.SpendKnown {
		t.Errorf("the sum of the channels is %+v, the store %+v", got, point.Total)
	}
	if got := sum.Total(last(2)); got.SpendKnown || got.Charged != 30000 {
		t.Errorf("the sum after the last report is %+v", got)
	}
	if got := (snapshot.Series{}).Plus(facebook); got.Days != all {
		t.Errorf("an empty series plus a series has the days %s", got.Days)
	}
	// A call reads the days of the store and of each channel once.
	reads := len(s.Reads())
	if _, err := s.SeriesOf(t.Context(), "", last(10)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SeriesOf(t.Context(), "facebook", all); err != nil || len(s.Reads()) != reads {
		t.Errorf("%d more reads, %v", len(s.Reads())-reads, err)
	}
	if _, err := s.SeriesOf(t.Context(), "facebook", last(3)); err != nil || len(s.Reads()) != reads+1 {
		t.Errorf("%d more reads of other days, %v", len(s.Reads())-reads, err)
	}
	check(t, "reads", snapshot.Question{Question: "store_days", Rows: 60}, s.Reads()[0])
}

func TestDailySeriesEndWithTheirData(t *testing.T) {
	t.Parallel()
	s := newBench(t).take(t)
	asked := civil.Range{First: all.First.AddDays(-9), Last: today.AddDays(-1)}
	for _, c := range []struct {
		key   snapshot.SeriesKey
		last  civil.Date
		value float64
	}{
		{snapshot.SeriesKey{Metric: snapshot.Revenue}, today.AddDays(-1), 150},
		{snapshot.SeriesKey{Metric: snapshot.Orders, Channel: "facebook"}, today.AddDays(-1), 1},
		{snapshot.SeriesKey{Metric: snapshot.Spend}, lastAds, 40},
		{snapshot.SeriesKey{Metric: snapshot.Spend, Channel: "facebook"}, lastAds, 40},
		{snapshot.SeriesKey{Metric: snapshot.ROAS}, lastAds, 3.75},
		{snapshot.SeriesKey{Metric: snapshot.AOV}, today.AddDays(-1), 75},
	} {
		d, err := s.DailySeries(t.Context(), c.key, asked)
		if err != nil || d.First != all.First || d.Last != c.last || len(d.Values) != c.last.Sub(all.First)+1 || d.Values[0] != c.value || d.Values[len(d.Values)-1] != c.value {
			t.Errorf("%v: %s to %s, %d values, %v", c.key, d.First, d.Last, len(d.Values), err)
			continue
		}
		if err := d.Predict(c.key, c.last); err != nil || d.Prediction != nil {
			t.Errorf("forecast of %v for zero days: %v, %v", c.key, d.Prediction, err)
		}
		if err := d.Predict(c.key, c.last.AddDays(7)); err != nil || (d.Prediction == nil) != (c.key.Metric == snapshot.ROAS) {
			t.Errorf("%v: %v, %v", c.key, d.Prediction, err)
		}
		if d.Prediction == nil {
			continue
		}
		if total, err := d.Prediction.Total(7); err != nil || math.Abs(total.Value-7*c.value) > calm*7*c.value {
			t.Errorf("%v: forecast of seven days %v (%v), want %v", c.key, total.Value, err, 7*c.value)
		}
	}
	if d, err := s.DailySeries(t.Context(), snapshot.SeriesKey{Metric: snapshot.Spend, Channel: "podcast"}, asked); err != nil || d.Values != nil {
		t.Errorf("a channel without spend: %+v, %v", d, err)
	}
	if got := s.LastDays(7); got != (civil.Range{First: today.AddDays(-7), Last: today.AddDays(-1)}) {
		t.Errorf("the last seven days are %s", got)
	}
}

func TestTotalsOfChannels(t *testing.T) {
	t.Parallel()
	s := newBench(t).take(t)
	in := warehouse.Windows{Recent: last(10), Earlier: last(10).Previous()}
	for _, model := range []measure.Model{measure.LastTouch, measure.FirstTouch, measure.Markov, measure.Shapley} {
		for _, brief := range []bool{false, true} {
			totals, err := s.ChannelTotals(t.Context(), brief, model, in, "")
			if err != nil || len(totals.Recent) != 2 || len(totals.Earlier) != 2 {
				t.Fatalf("%s: %+v, %v", model, totals, err)
			}
			// Every order has one touchpoint or none, so all models agree.
			now, before := s.Sum(totals.Recent, "", in.Recent), s.Sum(totals.Earlier, "", in.Earlier)
			if now.Charged != 150_000 || now.Orders != 20e6 || now.Spend != 32000 || !now.SpendKnown || before.Charged != 150_000 || before.Spend != 40000 {
				t.Errorf("%s, brief %t: now %+v, before %+v", model, brief, now, before)
			}
			one, err := s.ChannelTotals(t.Context(), brief, model, in, "facebook")
			if err != nil || len(one.Recent) != 1 || one.Recent[0].Sums.Charged != 100_000 || one.Recent[0].Spend != 32000 {
				t.Errorf("%s of facebook: %+v, %v", model, one, err)
			}
		}
	}
	if sum := s.Sum(nil, "", last(2)); sum.SpendKnown {
		t.Errorf("spend is known after the last report: %+v", sum)
	}
	if sum := s.Sum(nil, "", last(3)); !sum.SpendKnown {
		t.Errorf("spend is unknown on the day of the last report: %+v", sum)
	}
	if sum := s.Sum(nil, "facebook", last(30)); sum.SpendKnown {
		t.Errorf("spend of a channel without rows is known: %+v", sum)
	}
}

// Half of the orders are attributed to facebook. All survey answers name tiktok or no channel.
func TestSurveyAnswersMoveCredit(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	in := warehouse.Windows{Recent: last(10), Earlier: last(10).Previous()}
	blend := func() (*snapshot.Snapshot, map[measure.Channel]int64, map[measure.Channel]int64) {
		t.Helper()
		s := b.take(t)
		totals, err := s.ChannelTotals(t.Context(), false, measure.SurveyBlended, in, "")
		if err != nil || s.Blended == nil {
			t.Fatalf("%+v, %v", s.Blended, err)
		}
		recent, earlier := map[measure.Channel]int64{}, map[measure.Channel]int64{}
		for _, row := range totals.Recent {
			recent[row.Channel] = row.Sums.Orders
		}
		for _, row := range totals.Earlier {
			earlier[row.Channel] = row.Sums.Orders
		}
		return s, recent, earlier
	}
	unchanged := map[measure.Channel]int64{"facebook": 10e6, measure.Unattributed: 10e6}
	var earlier map[measure.Channel]int64
	s, recent, _ := blend()
	if s.Blended.SurveyWeight != 0 || s.Blended.Answers != 0 {
		t.Errorf("without answers: %+v", s.Blended)
	}
	check(t, "credit without answers", unchanged, recent)

	var answers warehouse.Batch
	for i, o := range storetest.Shop().Orders {
		if !in.Recent.Contains(o.Day) {
			continue
		}
		answer := warehouse.SurveyResponse{
			Source: "survey", Key: o.Key, OrderRef: o.OrderRef, At: o.At, Day: o.Day, Question: "discovery_channel", Answer: "TikTok", Channel: "tiktok",
		}
		if i%4 == 3 {
			answer.Answer, answer.Channel = "a friend", ""
		}
		why := answer
		why.Key, why.Question, why.Answer, why.Channel = o.Key+"-why", "purchase_trigger", "a sale", ""
		answers.Surveys = append(answers.Surveys, answer, why)
	}
	storetest.Load(t, b.facts, b.workspace.ID, "survey.csv", &answers)
	s, recent, earlier = blend()
	// A fourth of the answers names no channel. The answers to the other question name no channel, so this question is
	// not used.
	if got := s.Blended; got.Answers != 15 || math.Abs(got.UnmappedShare-0.25) > 1e-12 || got.SurveyWeight <= 0 || got.SurveyWeight >= 1 {
		t.Errorf("%+v, want 15 answers and a fourth without a channel", got)
	}
	moved := s.Blended.SurveyWeight * 20e6
	for channel, want := range map[measure.Channel]float64{"tiktok": moved, "facebook": 10e6 - moved/2, measure.Unattributed: 10e6 - moved/2} {
		if math.Abs(float64(recent[channel])-want) > 1 {
			t.Errorf("%s has a credit of %d, want %v", channel, recent[channel], want)
		}
	}
	check(t, "credit in the window without answers", unchanged, earlier)
}

// broken is a warehouse that fails to answer one question.
type broken struct {
	*warehouse.Warehouse
	question string
}

var errBroken = errors.New("no facts")

func (b broken) Answers(ctx context.Context, ws measure.WorkspaceID, of warehouse.AnswersOf) (warehouse.AnswerSummary, error) {
	if b.question == "answers" {
		return warehouse.AnswerSummary{}, errBroken
	}
	return b.Warehouse.Answers(ctx, ws, of)
}

func (b broken) SegmentTotals(ctx context.Context, ws measure.WorkspaceID, channel measure.Channel, in warehouse.Windows) (warehouse.Pair[warehouse.SegmentTotals], error) {
	if b.question == "segments" {
		return warehouse.Pair[warehouse.SegmentTotals]{}, errBroken
	}
	return b.Warehouse.SegmentTotals(ctx, ws, channel, in)
}

func (b broken) Paths(ctx context.Context, ws measure.WorkspaceID, segment warehouse.Segment, in warehouse.Windows) (warehouse.Pair[[]warehouse.PathTotal], error) {
	if b.question == "journeys" {
		return warehouse.Pair[[]warehouse.PathTotal]{}, errBroken
	}
	return b.Warehouse.Paths(ctx, ws, segment, in)
}

func TestCreditWithoutItsFactsIsAnError(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for question, model := range map[string]measure.Model{"answers": measure.SurveyBlended, "segments": measure.SurveyBlended, "journeys": measure.Markov} {
		reader, err := snapshot.NewReader(snapshot.Sources{
			Facts: broken{b.facts, question}, Models: b.model, Experiments: b.experiments, Clock: storetest.Clock, Now: storetest.Clock,
		})
		if err != nil {
			t.Fatal(err)
		}
		s, err := reader.Take(t.Context(), b.workspace, snapshot.Wants{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.ChannelTotals(t.Context(), false, model, warehouse.Windows{Recent: last(10)}, ""); !errors.Is(err, errBroken) || !strings.Contains(err.Error(), question) {
			t.Errorf("%s without %s: %v", model, question, err)
		}
	}
}

func TestNewCustomersAndTheirSpend(t *testing.T) {
	t.Parallel()
	s := newBench(t).take(t)
	first := civil.Range{First: all.First, Last: all.First.AddDays(9)}
	q, err := s.Acquired(t.Context(), first)
	if err != nil || q.Segments.Recent.New.Orders != 20e6 || q.Segments.Recent.Returning.Orders != 0 || q.Spent != 40000 || !q.SpendKnown || q.KnownBefore || q.SpentBefore != 0 {
		t.Errorf("%+v, %v", q, err)
	}
	if got := q.Won["facebook"]; got != 10e6 || q.Won.All() != 20e6 {
		t.Errorf("%d millionths of new customers by facebook, want ten", got)
	}
	check(t, "spend", map[measure.Channel]int64{"facebook": 40000}, q.Spend)
	if q, err = s.Acquired(t.Context(), last(10)); err != nil || q.Segments.Recent.New.Orders != 0 || q.Segments.Recent.Returning.Orders != 20e6 || q.SpentBefore != 40000 || q.Spent != 32000 {
		t.Errorf("the last ten days: %+v, %v", q, err)
	}
	if unwon := snapshot.WithChannels(nil, map[measure.Channel]int64{"b": 1, "a": 2}); len(unwon) != 2 || unwon[0].Channel != "a" {
		t.Errorf("channels without new customers %+v", unwon)
	}
	cohorts, err := s.Cohorts(t.Context(), "", civil.Range{First: civil.New(2026, 1, 1), Last: today})
	if err != nil || len(cohorts) != 1 {
		t.Fatalf("%+v, %v", cohorts, err)
	}
	if c := cohorts[0]; c.Start != civil.New(2026, 1, 1) || c.Customers != 20 || !slices.Equal(c.Active, []int{20, 20}) || !c.LastIsPartial {
		t.Errorf("%+v", c)
	}

	panel, err := s.CustomerPanel(t.Context(), first, "")
	if err != nil || len(panel.Inside) != 20 || panel.Observed != today.AddDays(-1) || panel.Sampled() || panel.Everybody != 20 {
		t.Fatalf("%d customers of %d, observed until %s, %v", len(panel.Inside), panel.Everybody, panel.Observed, err)
	}
	if some, err := s.CustomerPanel(t.Context(), civil.Range{First: all.First, Last: all.First.AddDays(2)}, "facebook"); err != nil || len(some.Inside) != 3 {
		t.Errorf("%d customers of facebook in three days, %v", len(some.Inside), err)
	}
	var gains, amount int64
	for _, m := range panel.Members(s.NetOf) {
		for _, g := range m.Gains {
			gains, amount = gains+1, amount+g.Amount
			if g.Day%10 != 0 || g.Day > m.AgeDays {
				t.Errorf("a gain on day %d of %d", g.Day, m.AgeDays)
			}
		}
	}
	if gains != 118 || amount != 59*15000 { // without the orders of today
		t.Errorf("%d gains of %d", gains, amount)
	}
	if _, err := panel.Margins(); err == nil {
		t.Error("margins are known without costs")
	}
	buyers, err := s.Buyers(panel.Inside, panel.Observed)
	if err != nil || len(buyers) != 20 || buyers[0].Repeats < 4 {
		t.Errorf("%d buyers, %v", len(buyers), err)
	}
	if len(snapshot.HistoriesOf(buyers)) != 20 {
		t.Error("histories are missing")
	}
	projection, err := s.Project(t.Context(), panel)
	if err != nil || len(projection.Refused) == 0 || projection.Project != nil {
		t.Errorf("20 customers are projected: %+v, %v", projection, err)
	}
}

// A first order more than a hundred years ago is a data error. The panel and the curves contain only the other
// customers.
func TestCustomersOfAMistakenCenturyAreLeftOut(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	observed := today.AddDays(-1)
	var more warehouse.Batch
	for i, day := range []civil.Date{civil.New(1900, 1, 1), observed.AddDays(-cohort.LongestAge - 1), observed.AddDays(-cohort.LongestAge)} {
		key := fmt.Sprintf("old-%d", i)
		more.Orders = append(more.Orders, warehouse.Order{
			OrderRef: warehouse.OrderRef{Source: "shop", Key: key}, Name: key, At: day.UTC().Add(17 * time.Hour), Day: day, Surface: measure.OnlineStore,
			Customer: key, Charged: 10000, Original: money.Amount{Minor: 10000, Currency: "USD"}, Status: "paid", Units: 1,
		})
	}
	storetest.Load(t, b.facts, b.workspace.ID, "old.csv", &more)
	s := b.take(t)
	panel, err := s.CustomerPanel(t.Context(), civil.Range{First: civil.New(1900, 1, 1), Last: today}, "")
	if err != nil {
		t.Fatal(err)
	}
	_, whole, err := snapshot.CurvesOf(panel.Members(s.NetOf))
	if err != nil || whole.Customers != 21 || len(panel.Inside) != 21 {
		t.Errorf("a curve of %d of %d customers, %v; want 21", whole.Customers, len(panel.Inside), err)
	}
}

func TestRegionsOfTheStore(t *testing.T) {
	t.Parallel()
	s := newBench(t).take(t)
	panel, err := s.RegionPanel(t.Context(), last(10))
	if err != nil || !slices.Equal(panel.Regions, []geo.Region{"CA", "NY"}) || len(panel.Values[0]) != 10 || panel.Values[0][3] != 100 || panel.Values[1][3] != 50 {
		t.Fatalf("%+v, %v", panel, err)
	}
	for what, test := range map[string]civil.Range{"no test": {}, "a test": last(20)} {
		if regions, err := s.Regions(t.Context(), test); err != nil || !slices.Equal(regions, []geo.Region{"CA", "NY"}) {
			t.Errorf("%s: %q, %v", what, regions, err)
		}
	}
	if regions, err := s.Regions(t.Context(), civil.Range{First: all.First.AddDays(-9), Last: all.First.AddDays(-1)}); err != nil || len(regions) != 0 {
		t.Errorf("before the first order: %q, %v", regions, err)
	}
	spent, err := s.RegionSpend(t.Context(), "facebook", last(10))
	if err != nil || len(spent) != 16 {
		t.Fatalf("%d rows, %v", len(spent), err)
	}
	series, err := s.SeriesOf(t.Context(), "facebook", all)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.TreatedSpend(series, panel, []geo.Region{"CA"}, spent, last(5)); got != 60 {
		t.Errorf("spend in California is %v, want 3 days of 20", got)
	}
	if got := s.TreatedSpend(series, panel, []geo.Region{"CA"}, nil, last(5)); math.Abs(got-80) > 1e-9 {
		t.Errorf("without reports by region it is %v, want two thirds of 120", got)
	}
	if got := s.TreatedSpend(series, &geo.Panel{}, []geo.Region{"CA"}, nil, last(5)); got != 0 {
		t.Errorf("without sales it is %v", got)
	}
	for name, want := range map[string]geo.Region{"CA": "CA", " ca ": "CA", "US-CA": "CA", "us-ny": "NY", "TX": "", "": ""} {
		if got, ok := snapshot.RegionNamed(panel.Regions, name); got != want || ok != (want != "") {
			t.Errorf("%q is %q, %t", name, got, ok)
		}
	}
	if got, ok := snapshot.RegionNamed([]geo.Region{"Bayern"}, " Bayern "); got != "Bayern" || !ok {
		t.Errorf("%q, %t", got, ok)
	}
}

func TestStatusesOfSources(t *testing.T) {
	t.Parallel()
	s := newBench(t).take(t)
	for _, c := range []struct {
		kind    string
		last    civil.Date
		missing int64
		want    string
	}{
		{snapshot.FromOrders, today.AddDays(-2), 0, "current"},
		{snapshot.FromOrders, today.AddDays(-3), 5, "stale"},
		{snapshot.FromAds, today.AddDays(-3), 0, "stale"},
		{"messages", today.AddDays(-3), 0, "stale"},
		{snapshot.FromSpend, today.AddDays(-99), 0, "current"},
		{snapshot.FromSurveys, today, 1, "gaps"},
	} {
		if got := s.SourceStatus(warehouse.SourceState{Kind: c.kind, Days: civil.Range{First: all.First, Last: c.last}, MissingDays: c.missing}); got != c.want {
			t.Errorf("%s until %s with %d missing days is %s, want %s", c.kind, c.last, c.missing, got, c.want)
		}
	}
}

// A point is partial if the window contains only a part of its days, or if some of its days are not over. A partial
// point has no score.
func TestPointsOfAWindow(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	odd := storetest.Shop().Orders[0]
	odd.Key, odd.Day, odd.Charged, odd.At = "odd", today.AddDays(-5), 500_000, odd.At.AddDate(0, 0, 54)
	odd.Original = money.Amount{Minor: odd.Charged, Currency: "USD"}
	storetest.Load(t, b.facts, b.workspace.ID, "odd.csv", &warehouse.Batch{Orders: []warehouse.Order{odd}})
	s := b.take(t)
	history, err := s.History(t.Context(), "", last(14))
	if err != nil || history.Days != all {
		t.Fatalf("%s, %v", history.Days, err)
	}
	points, err := s.JudgedPoints(history, snapshot.Revenue, civil.ByDay, last(14))
	if err != nil || len(points) != 14 {
		t.Fatalf("%d points, %v", len(points), err)
	}
	for i, p := range points {
		want := 150.
		if p.Date == odd.Day {
			want = 5150
		}
		if p.Date != last(14).First.AddDays(i) || p.Value != want || p.Partial != (p.Date == today) || p.Known == (p.Date == today) {
			t.Errorf("%+v, want %v", p, want)
		}
	}
	weeks, err := s.JudgedPoints(history, snapshot.Orders, civil.ByWeek, civil.Range{First: civil.MustParse("2026-02-18"), Last: today}) // a Wednesday to a Tuesday
	if err != nil || len(weeks) != 4 || !weeks[0].Partial || weeks[1].Partial || weeks[2].Partial || !weeks[3].Partial || weeks[0].Value != 10 || weeks[1].Value != 14 || weeks[3].Value != 4 {
		t.Errorf("weeks %+v, %v", weeks, err)
	}
	months, err := s.JudgedPoints(history, snapshot.Orders, civil.ByMonth, all)
	if err != nil || len(months) != 3 || months[1].Value != 56 || months[1].Partial || !months[0].Partial || months[1].Known {
		t.Errorf("months %+v, %v", months, err)
	}
	if got := snapshot.HistoryStart(last(3)); got != civil.New(2024, 1, 1) {
		t.Errorf("the history begins on %s", got)
	}
	if got := s.HistoryDays(civil.Range{First: today, Last: today.AddDays(3)}); got.Last != today.AddDays(3) {
		t.Errorf("the history is %s", got)
	}
	if got := s.HistoryDays(last(3).Previous()); got.Last != today {
		t.Errorf("the history is %s", got)
	}
}

// calm is the maximum relative difference that the seasonal prior may cause between a constant series and its forecast.
const calm = 0.002

func TestForecastsAreMadeOnceADayAndCompared(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for range 2 {
		if err := b.Forecast(t.Context(), b.workspace); err != nil {
			t.Fatal(err)
		}
	}
	open, err := b.forecasts.OpenForecasts(t.Context(), b.workspace.ID, today.AddDays(99))
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]int{}
	for _, f := range open {
		made[f.Metric]++
		want := map[string]float64{"revenue": 150, "orders": 2, "spend": 40}[f.Metric] * float64(f.Days.Days())
		from := today
		if f.Metric == "spend" {
			from = lastAds.AddDays(1)
		}
		if f.Made != today || f.Days.First != from || math.Abs(f.Median-want) > calm*want || f.Occasion != control.DailyForecast || f.DataVersion != 1 || f.Bands[1].Low > f.Median || f.Bands[1].High < f.Median {
			t.Errorf("%+v, want %v from %s", f, want, from)
		}
	}
	check(t, "forecasts", map[string]int{"revenue": 3, "orders": 3, "spend": 3}, made)
	if day, err := b.forecasts.LastForecast(t.Context(), b.workspace.ID); err != nil || day != today {
		t.Errorf("the last forecast is of %s, %v", day, err)
	}
	s := b.take(t)
	if !s.RecordsForecasts() {
		t.Error("forecasts are not recorded")
	}
	past := control.Forecast{
		Workspace: b.workspace.ID, Metric: "revenue", Made: today.AddDays(-20), Days: civil.Range{First: today.AddDays(-10), Last: today.AddDays(-4)}, Median: 1000, Method: "m",
		Occasion: control.AnswerForecast, At: storetest.Now, Bands: [3]control.ForecastBand{{Low: 990, High: 1010}, {Low: 900, High: 1100}, {Low: 800, High: 1200}},
	}
	unknown := past
	unknown.Days = civil.Range{First: all.First.AddDays(-3), Last: all.First.AddDays(3)}
	if err := s.RecordForecasts(t.Context(), []control.Forecast{past, unknown}); err != nil {
		t.Fatal(err)
	}
	if err := b.Forecast(t.Context(), b.workspace); err != nil {
		t.Fatal(err)
	}
	records := b.take(t).Records
	if len(records) != 1 {
		t.Fatalf("records %+v, want one", records)
	}
	if r := records[0]; r.Judged != 1 || r.Actual != 1050 || r.Size != 50 || r.Error != 50 || r.Inside != [3]int{0, 1, 1} || r.Metric != "revenue" {
		t.Errorf("%+v, want 1,050 for 1,000", r)
	}
	silent, err := snapshot.NewReader(snapshot.Sources{Facts: b.facts, Models: toolkittest.Nothing{}, Experiments: toolkittest.Nothing{}, Clock: storetest.Clock, Now: storetest.Clock})
	if err != nil {
		t.Fatal(err)
	}
	none, err := silent.Take(t.Context(), b.workspace, snapshot.Wants{Forecasts: true})
	if err != nil || none.RecordsForecasts() || none.RecordForecasts(t.Context(), []control.Forecast{past}) != nil || silent.Forecast(t.Context(), b.workspace) != nil {
		t.Errorf("without a store forecasts are recorded: %v", err)
	}
}

func TestCreatorsWithTheirOrdersAndCosts(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const ada = "5c1f2a34-0000-4000-8000-000000000001"
	batch := &warehouse.Batch{
		Creators:     []warehouse.Creator{{Source: "c", ID: ada, Name: "Ada", Platform: "tiktok"}},
		CreatorCodes: []warehouse.CreatorCode{{Creator: ada, Code: "ADA"}},
		CouponMap:    []warehouse.CouponChannel{{Code: "ADA", Channel: "influencer", Creator: ada}},
		CreatorCosts: []warehouse.CreatorCost{{Source: "c", Creator: ada, Day: today, Kind: "fee", Amount: 700}, {Source: "c", Creator: ada, Day: today, Kind: "product", Amount: 300}},
		LinkDays: []warehouse.LinkDay{
			{Source: "c", Creator: ada, Link: "v", Kind: "vanity", Day: today, Clicks: 3, Orders: 1, Revenue: 900},
			{Source: "c", Creator: ada, Link: "r", Kind: "referral", Day: today, Clicks: 4, Orders: 2, Revenue: 100},
			{Source: "c", Creator: "other", Link: "r", Kind: "referral", Day: today, Clicks: 1, Orders: 1, Revenue: 500},
		},
	}
	for i, o := range storetest.Shop().Orders[len(storetest.Shop().Orders)-4:] {
		if i%2 == 0 {
			batch.Coupons = append(batch.Coupons, warehouse.OrderCoupon{OrderRef: o.OrderRef, Code: "ADA", Discount: 100})
			batch.Orders = append(batch.Orders, o)
		}
	}
	storetest.Load(t, b.facts, b.workspace.ID, "creators.csv", batch)
	s := b.take(t)
	in, err := s.CreatorsIn(t.Context(), warehouse.Windows{Recent: last(1), Earlier: last(1).Previous()})
	if err != nil || len(in.Now) != 2 || in.Now[0].Name != "Ada" || in.Now[1].Name != "other" {
		t.Fatalf("%+v, %v", in, err)
	}
	now, before := in.Now[0], in.Before[0]
	if now.Code.Orders != 1e6 || now.Code.Charged != 10000 || now.Clicks() != 7 || now.VanityClicks != 3 || now.Referral != 4 || now.LinkOrders != 3 || now.LinkRevenue != 1000 || now.Cost != 1000 || !now.CostKnown ||
		now.TrackedOrders() != 1e6 || now.TrackedRevenue(measure.RevenueBasis{}) != 10000 || now.Seen.Orders != 1e6 || now.Named.Orders != 0 {
		t.Errorf("now %+v", now)
	}
	if before.Code.Orders != 1e6 || before.Clicks() != 0 || before.CostKnown {
		t.Errorf("before %+v", before)
	}
	if other := in.Now[1]; other.TrackedOrders() != 0 || !other.HasCode { // a creator without a profile may have a code
		t.Errorf("other %+v", other)
	}
	linked := in.Now[1]
	linked.HasCode = false
	if linked.TrackedOrders() != 1e6 || linked.TrackedRevenue(measure.RevenueBasis{}) != 500 {
		t.Errorf("a creator without a code has %d orders of %d", linked.TrackedOrders(), linked.TrackedRevenue(measure.RevenueBasis{}))
	}
	check(t, "sums", snapshot.TrackedSums{Revenue: 10500, Orders: 2e6, Clicks: 8, Conversions: 4, Cost: 1000, CostedRevenue: 10000, CostKnown: true},
		s.TrackedSums([]snapshot.Creator{now, linked}))
	if among := snapshot.Among(in.Before, in.Now[:1]); len(among) != 1 || among[0].ID != ada || among[0].Clicks() != 0 {
		t.Errorf("%+v", among)
	}
	if among := snapshot.Among(in.Now, in.Now[1:]); len(among) != 1 || among[0].ID != "other" {
		t.Errorf("%+v", among)
	}
	rates, err := s.CreatorRates(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	estimates, err := s.CreatorEstimates(rates, []snapshot.Creator{now, {}}, in.Now)
	if err != nil || len(estimates) != 2 {
		t.Fatalf("%+v, %v", estimates, err)
	}
	// Ada's orders total USD 100.00 by code and USD 10.00 in three orders by link. All creators' orders total USD
	// 115.00 in five orders.
	if e := estimates[0]; math.Abs(e.Value-11000./4) > 1e-9 || e.Revenue != int64(math.Round(e.Orders.Value*e.Value)) || e.Orders.Value < 1 {
		t.Errorf("%+v", e)
	}
	if e := estimates[1]; math.Abs(e.Value-11500./5) > 1e-9 {
		t.Errorf("orders of a creator without orders have the value %v", e.Value)
	}
}

func TestExperimentsAreReadWhenCompleted(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	study := control.Experiment{
		ID: "study", Version: 1, Channel: "facebook", Kind: control.LiftStudy, Status: control.ExperimentCompleted, Applied: true,
		Days: last(20).Previous(), Found: &control.Finding{Return: 1, Low: 0.5, High: 1.5, LevelPct: 90},
	}
	running, unknown := study, study
	running.ID, running.Status = "running", control.ExperimentRunning
	unknown.ID, unknown.Channel = "unknown", "podcast"
	b.experiments.all = []control.Experiment{running, study, unknown}
	s := b.take(t)
	results, err := s.Results(t.Context(), "facebook")
	if err != nil || len(results) != 2 || results[0].Returned != nil || results[1].Factor == nil {
		t.Fatalf("%+v, %v", results, err)
	}
	// The spend is USD 100 on each of 40 days.
	if r := results[1]; *r.Reported != 2.5 || math.Abs(r.Factor.Value-0.4) > 1e-9 {
		t.Errorf("reported %v, factor %+v", *r.Reported, r.Factor)
	}
	if again, err := s.Results(t.Context(), ""); err != nil || len(again) != 3 || again[1] != results[1] || again[2].Reported != nil {
		t.Errorf("%+v, %v", again, err)
	}
	applied, err := s.AppliedFactors(t.Context())
	if err != nil || len(applied) != 1 || !applied["facebook"].Applied {
		t.Errorf("%+v, %v", applied, err)
	}
	b.experiments.all[1].Applied, b.experiments.all[1].Version = false, 2
	if applied, err := b.take(t).AppliedFactors(t.Context()); err != nil || len(applied) != 0 {
		t.Errorf("%+v, %v", applied, err)
	}
	if got := s.Years(today.AddDays(-1461)); got != 4 {
		t.Errorf("1,461 days are %v years", got)
	}
}

func TestQuestionsAreNotedWithTheirRows(t *testing.T) {
	t.Parallel()
	s := newBench(t).take(t)
	ctx, in := t.Context(), warehouse.Windows{Recent: last(10), Earlier: last(10).Previous()}
	for name, ask := range map[string]func() (int, error){
		"campaigns": func() (int, error) {
			r, err := s.Campaigns(ctx, warehouse.CampaignsOf{Windows: in, Level: warehouse.Campaigns, Limit: 5})
			return len(r.Rows), err
		},
		"creatives": func() (int, error) {
			r, err := s.FirstCreative(ctx, warehouse.CampaignsOf{Windows: in, Limit: 9, Offset: 4})
			return len(r.Rows), err
		},
		"source_days":    func() (int, error) { r, err := s.SourceDays(ctx, last(10)); return len(r), err },
		"segment_totals": func() (int, error) { _, err := s.SegmentTotals(ctx, "", in); return 2, err },
		"journeys":       func() (int, error) { r, err := s.Journeys(ctx, "", last(10)); return len(r), err },
		"imports":        func() (int, error) { r, err := s.Imports(ctx, 10); return len(r), err },
		"message_totals": func() (int, error) { r, err := s.MessageTotals(ctx, in); return len(r.Recent) + len(r.Earlier), err },
		"late_changes":   func() (int, error) { _, _, err := s.LateChanges(ctx, last(10)); return 1, err },
		"surface_totals": func() (int, error) { r, err := s.SurfaceTotals(ctx, in); return len(r.Recent) + len(r.Earlier), err },
		"product_spans":  func() (int, error) { r, err := s.ProductSpans(ctx, in); return len(r.Recent) + len(r.Earlier), err },
		"targets":        func() (int, error) { r, err := s.Targets(ctx); return len(r), err },
		"paths":          func() (int, error) { r, err := s.Paths(ctx, "", in); return len(r.Recent) + len(r.Earlier), err },
	} {
		before := len(s.Reads())
		rows, err := ask()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if reads := s.Reads()[before:]; len(reads) != 1 || reads[0] != (snapshot.Question{Question: name, Rows: rows}) {
			t.Errorf("%s with %d rows is noted as %+v", name, rows, reads)
		}
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	before := len(s.Reads())
	if _, err := s.SourceDays(canceled, last(10)); !errors.Is(err, context.Canceled) || len(s.Reads()) != before {
		t.Errorf("a canceled question: %v, %d reads", err, len(s.Reads())-before)
	}
	if _, err := s.Imports(canceled, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled question: %v", err)
	}
}

// counted is a control store with a state that the test sets.
type counted struct {
	state uint64
	err   error
}

func (c *counted) RecentState(context.Context) (uint64, error) { return c.state, c.err }

func TestRecordsAreReadAgainOnlyAfterAChange(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	store := &counted{state: 1}
	b.Changes = store
	take := func(w control.Workspace, reads int, want ...control.ExperimentID) {
		t.Helper()
		s, err := b.Take(t.Context(), w, snapshot.Wants{Experiments: true})
		if err != nil {
			t.Fatal(err)
		}
		var got []control.ExperimentID
		for _, e := range s.Experiments {
			got = append(got, e.ID)
		}
		if !slices.Equal(got, want) || b.experiments.reads != reads {
			t.Errorf("experiments %v after %d queries, want %v after %d", got, b.experiments.reads, want, reads)
		}
	}
	take(b.workspace, 1)
	take(b.workspace, 1)
	b.experiments.all = []control.Experiment{{ID: "first", Version: 1}}
	store.state = 2
	take(b.workspace, 2, "first")
	again := b.workspace // deleted and created again
	again.CreatedAt = again.CreatedAt.Add(time.Second)
	b.experiments.all = nil
	take(again, 3)
	take(b.workspace, 3, "first")
	store.err = errors.New("the database does not answer")
	if _, err := b.Take(t.Context(), b.workspace, snapshot.Wants{Experiments: true}); !errors.Is(err, store.err) {
		t.Errorf("without the state of the store: %v, want %v", err, store.err)
	}
	if _, err := b.Take(t.Context(), b.workspace, snapshot.Wants{}); err != nil {
		t.Errorf("a snapshot without records: %v", err)
	}
}

// The zeros before a channel's first order are not errors of its forecast.
func TestAForecastUsesNoDaysBeforeTheFirstOrderOfAChannel(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	batch := &warehouse.Batch{}
	const days = 24
	for n := range days {
		o := storetest.Shop().Orders[0]
		day := today.AddDays(n - days)
		o.Day, o.At = day, o.At.AddDate(0, 0, day.Sub(o.Day))
		o.Key = fmt.Sprintf("young-%d", n)
		o.Name, o.Charged = "#"+o.Key, 10_000+int64(n%7)*500
		o.Original = money.Amount{Minor: o.Charged, Currency: "USD"}
		batch.Orders = append(batch.Orders, o)
		batch.Touches = append(batch.Touches, warehouse.Touch{
			OrderRef: o.OrderRef, Seq: 1, At: o.At.Add(-time.Hour), Channel: "tiktok", Platform: measure.TikTok, Campaign: "t", Kind: "click",
		})
	}
	storetest.Load(t, b.facts, b.workspace.ID, "young.csv", batch)
	key := snapshot.SeriesKey{Metric: snapshot.Revenue, Channel: "tiktok"}
	s, err := b.take(t).DailySeries(t.Context(), key, civil.Range{First: all.First, Last: today.AddDays(-1)})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Predict(key, today.AddDays(13)); err != nil || s.Prediction == nil {
		t.Fatalf("prediction %v, %v", s.Prediction, err)
	}
	total, err := s.Prediction.Total(14)
	if err != nil {
		t.Fatal(err)
	}
	if high := total.Bands[snapshot.At90].High; high > 2*total.Value {
		t.Errorf("the 90%% interval of %v ends at %v", total.Value, high)
	}
	if p := total.Reaches(3 * total.Value); p > 0.1 {
		t.Errorf("three times the expected total has a chance of %v", p)
	}
}

// The orders end in the middle of March. In April, March is over, but its data are incomplete.
func TestAMonthWithoutItsLastDaysIsPartial(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	later := func() time.Time { return storetest.Now.AddDate(0, 0, 40) }
	reader, err := snapshot.NewReader(snapshot.Sources{Facts: b.facts, Models: b.model, Experiments: b.experiments, Clock: later, Now: later})
	if err != nil {
		t.Fatal(err)
	}
	s, err := reader.Take(t.Context(), b.workspace, snapshot.Wants{})
	if err != nil {
		t.Fatal(err)
	}
	cohorts, err := s.Cohorts(t.Context(), "", civil.Range{First: civil.New(2026, 1, 1), Last: today})
	if err != nil || len(cohorts) != 1 || !cohorts[0].LastIsPartial {
		t.Errorf("%+v, %v; want the last month partial", cohorts, err)
	}
}
