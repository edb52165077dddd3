// Package singer is a target of the Singer protocol. It reads the messages of a tap, one JSON object per line, and
// stores the facts in them.
//
// The properties in a stream's schema identify the stream, because users of a tap choose the stream's name. Supported
// streams are orders, refunds and customers of Shopify in the forms of both APIs. Ad reports, campaigns, ad sets and
// ads of Meta, Google and TikTok and reports of Klaviyo are also supported. The target only checks and counts the
// records of other streams; the report lists these streams.
//
// The target stores facts in steps of many records and reads later messages at the same time. The target emits a state
// only after all earlier facts are stored. If several states meet this condition, the target emits only the newest
// state. The next run receives the records after the last emitted state again. The repetition changes nothing, because
// orders are merged by key and reports replace days.
//
// The protocol: https://hub.meltano.com/singer/spec.
package singer

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"assay/internal/control"
	"assay/internal/fault"
	"assay/internal/ingest/document"
	"assay/internal/ingest/source"
	"assay/internal/measure"
	"assay/internal/warehouse"
)

// Store receives the facts. The warehouse implements it.
type Store interface {
	Begin(ctx context.Context, spec warehouse.ImportSpec) (warehouse.Import, error)
	FXRates(ctx context.Context, ws measure.WorkspaceID) ([]warehouse.FXRate, error)
}

// Options define a run.
type Options struct {
	Workspace    control.Workspace
	HashKey      []byte                   // key for hashes of email addresses, stored as long as the workspace exists
	Emit         func(state []byte) error // receives a state after all earlier facts are stored; nil: states are ignored
	SkipRejected bool                     // continue after rejected records
	DryRun       bool                     // report all results, but store nothing and emit no state
	CommitRows   int                      // minimum number of records in one step; 0: 50,000
	CommitAfter  time.Duration            // age from which a step ends at the next state; 0: a minute
	Clock        func() time.Time
	Log          *slog.Logger
}

const (
	usualRows  = 50_000
	usualPause = time.Minute

	// mostWaiting is the size in bytes of waiting records at which the target writes a step, even with fewer than
	// CommitRows records. Orders may be large.
	mostWaiting = 128 << 20
	mostLines   = 1 << 20 // maximum number of waiting line items; items may need far more memory than their text

	// Limits of stored streams. A run stores the name, key properties and required properties of each stream.
	mostStreams = 10_000
	mostSchemas = 16 << 20 // total size in bytes
)

// Run reads messages until their end. A rejected record ends the run unless rejected records are skipped. All facts
// before the last emitted state are stored. The report covers all messages up to the end or the error.
func Run(ctx context.Context, store Store, messages io.Reader, o Options) (Report, error) {
	if o.CommitRows == 0 {
		o.CommitRows = usualRows
	}
	if o.CommitAfter == 0 {
		o.CommitAfter = usualPause
	}
	t := newTarget(store, o)
	defer func() { _ = t.settle() }() // no write continues after the end, even after a panic
	err := t.run(ctx, messages)
	if earlier := t.settle(); earlier != nil {
		err = earlier // an earlier error is reported first
	}
	t.report.Streams, t.report.MoreStreams = t.summaries()
	t.report.Warnings = t.notes.List()
	if text, hint, ok := fault.Public(err); ok {
		t.report.Problem, t.report.Hint = text, hint
	}
	return t.report, err
}

// target is one run.
type target struct {
	Options
	store   Store
	report  Report
	notes   *source.Notes
	streams map[string]*stream
	schemas int // size of the stored schemas
	message document.Object
	record  document.Object // record of the current message
	facts   *facts
	kept    *keeping // the previous step, which is being written
	state   string   // last state that is not emitted yet
	since   int      // number of records since the last step
	waiting int      // bytes of records since the last step
	began   time.Time
	started time.Time // start of the run
	ended   bool      // the last message was a state
}

// stream describes a stream.
type stream struct {
	name     string
	shape    shape
	keys     []string // properties of the key
	required []string
	rank     int // rank among reports on the same spend; the lowest takes precedence
	records  int
	used     int
	size     int // bytes of name, keys and required
}

func newTarget(store Store, o Options) *target {
	t := &target{
		Options: o, store: store, notes: &source.Notes{}, streams: map[string]*stream{},
		report: Report{Workspace: o.Workspace.ID, DryRun: o.DryRun, Tables: map[string]Counts{}},
	}
	t.facts = newFacts(source.Options{Base: o.Workspace.Currency, Zone: o.Workspace.Location(), HashKey: o.HashKey, Notes: t.notes})
	return t
}

func (t *target) run(ctx context.Context, messages io.Reader) error {
	if len(t.HashKey) == 0 {
		return fault.New(fault.KindMisconfigured, "the key for hashing customers' email addresses is missing")
	}
	lines := newLines(messages)
	t.started = t.Clock()
	t.began = t.started
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		t.report.Lines++
		if err != nil {
			return t.unreadable(err)
		}
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if err := t.take(ctx, line); err != nil {
			return err
		}
	}
	return t.keep(ctx, true)
}

func (t *target) unreadable(err error) error {
	if errors.Is(err, errTooLong) {
		return t.refuse("the message is longer than %d MiB", longestLine>>20)
	}
	return err
}

// refuse returns the error that ends the run because of an invalid message.
func (t *target) refuse(format string, args ...any) *fault.Error {
	return fault.Invalid("line %d: "+format, append([]any{t.report.Lines}, args...)...)
}

// take processes a message.
func (t *target) take(ctx context.Context, line string) error {
	if !t.message.Check(line, "record", &t.record) {
		return t.refuse("not a JSON object: %s", source.Shown(line[:min(len(line), 60)])).
			WithHint("a tap writes messages to standard output and logs to standard error; pipe only standard output")
	}
	kind := t.message.Get("type").Text()
	t.ended = kind == "STATE"
	switch kind {
	case "RECORD":
		t.waiting += len(line)
		if err := t.takeRecord(); err != nil || t.since < t.CommitRows && t.waiting < mostWaiting && t.facts.orders.Lines() < mostLines {
			return err
		}
		return t.keep(ctx, false) // a tap may send states rarely, and waiting facts take memory
	case "SCHEMA":
		return t.takeSchema()
	case "STATE":
		return t.takeState(ctx)
	case "ACTIVATE_VERSION":
		t.notes.Add("version_activated", "stream %q was sent in full: its records were imported; records that the tap no longer has were not removed", source.Shown(t.message.Get("stream").Text()))
		return nil
	case "BATCH":
		return t.refuse("messages of type BATCH are not supported").
			WithHint("turn off batches in the tap's settings (batch_config), so that it sends records")
	case "":
		return t.refuse("not a Singer message: it has no type")
	default:
		return t.refuse("unknown message type %q", source.Shown(kind))
	}
}

func (t *target) takeSchema() error {
	name := t.message.Get("stream").Text()
	if name == "" {
		return t.refuse("a SCHEMA message has no stream")
	}
	properties := t.message.Get("schema").Path("properties")
	var o document.Object
	o.Read(properties)
	if o.Len() == 0 {
		return t.refuse("the schema of stream %q has no properties", source.Shown(name))
	}
	s := t.streams[name]
	if s == nil {
		if len(t.streams) == mostStreams {
			return t.refuse("the tap has more than %d streams", mostStreams).WithHint("select fewer streams in the tap's settings")
		}
		s = &stream{name: strings.Clone(name)}
		t.streams[s.name] = s
	}
	s.keys = textsOf(t.message.Get("key_properties"))
	s.required = textsOf(t.message.Get("schema").Path("required"))
	t.schemas -= s.size
	s.size = sizeOf(s.keys) + sizeOf(s.required) + sizeOf([]string{s.name})
	if t.schemas += s.size; t.schemas > mostSchemas {
		return t.refuse("the names of streams, keys and required properties take more than %d MiB", mostSchemas>>20).
			WithHint("select fewer streams in the tap's settings")
	}
	for _, key := range s.keys {
		if o.Get(key) == "" {
			return t.refuse("the schema of stream %q lacks its key property %q", source.Shown(name), source.Shown(key))
		}
	}
	s.shape, s.rank = detect(name, &o, s.keys)
	if s.shape == refundRecords {
		t.facts.orders.Expect()
	}
	return nil
}

// sizeOf returns the size of the texts in bytes.
func sizeOf(texts []string) (size int) {
	const header = 16
	for _, text := range texts {
		size += header + len(text)
	}
	return size
}

func textsOf(list document.Value) []string {
	var all []string
	for v := range list.Elements() {
		all = append(all, strings.Clone(v.Text()))
	}
	return all
}

func (t *target) takeRecord() error {
	s := t.streams[t.message.Get("stream").Text()]
	if s == nil {
		return t.refuse("a record of stream %q precedes its SCHEMA message", source.Shown(t.message.Get("stream").Text()))
	}
	t.report.Records++
	s.records++
	err := t.check(s)
	if err == nil && s.shape != unknownRecords {
		s.used++
		t.since++
		err = t.facts.add(s, &t.message, &t.record, t.report.Lines)
	}
	if err == nil {
		return nil
	}
	return t.reject(s.name, err)
}

// check rejects a record without a property that the tap's schema requires.
func (t *target) check(s *stream) error {
	for _, name := range s.required {
		if t.record.Get(name) == "" {
			return &source.RowError{Column: name, Reason: "is missing, and the stream's schema requires it"}
		}
	}
	for _, name := range s.keys {
		if t.record.Get(name) == "" {
			return &source.RowError{Column: name, Reason: "is missing, and the stream's key requires it"}
		}
	}
	return nil
}

// reject reports a rejected record and ends the run unless rejected records are skipped.
func (t *target) reject(stream string, err error) error {
	row, ok := errors.AsType[*source.RowError](err)
	if !ok {
		return err
	}
	shown := row.Bounded()
	r := Rejection{Line: row.Line, Stream: source.Shown(stream), Field: shown.Column, Value: shown.Value, Reason: shown.Reason, Fix: shown.Fix}
	if r.Line == 0 {
		r.Line = t.report.Lines
	}
	t.report.reject(r)
	if t.SkipRejected {
		return nil
	}
	field := ""
	if r.Field != "" {
		field = ", field " + r.Field
	}
	return fault.Invalid("line %d: record of stream %q%s: %s", r.Line, r.Stream, field, r.Reason).
		WithHint("correct it in the source or the tap, or skip rejected records with --skip-rejected. Records after the last printed state were not stored")
}

func (t *target) takeState(ctx context.Context) error {
	value := t.message.Get("value")
	if value == "" {
		return t.refuse("a STATE message has no value")
	}
	t.report.States++
	t.state = strings.Clone(string(value))
	switch due := t.Clock().Sub(t.began) >= t.CommitAfter; {
	case t.since > 0 && due:
		return t.keep(ctx, false)
	case t.since > 0 || t.kept != nil && !due:
		return nil // earlier facts are not stored yet
	}
	return t.pass()
}

// summaries returns the streams by name, and the number of unlisted streams. If there are too many streams to list,
// supported streams come first.
func (t *target) summaries() (shown []Stream, more int) {
	all := slices.SortedFunc(maps.Values(t.streams), func(a, b *stream) int {
		if known := cmp.Compare(min(b.shape, 1), min(a.shape, 1)); len(t.streams) > shownStreams && known != 0 {
			return known
		}
		return cmp.Compare(a.name, b.name)
	})
	shown = []Stream{}
	for _, s := range all[:min(len(all), shownStreams)] {
		shown = append(shown, Stream{Name: source.Shown(s.name), Meaning: s.shape.String(), Records: s.records, Used: s.used})
	}
	return shown, len(all) - len(shown)
}
