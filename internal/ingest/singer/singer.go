// Package singer is a target of the Singer protocol: it takes the messages that a tap prints, a JSON object a line,
// and keeps what it knows the meaning of.
//
// A stream is known by the columns of its schema and not by its name, which the taps' users choose: orders, refunds and
// customers of Shopify in both of its APIs' forms, reports of Meta, Google and TikTok advertising, reports of Klaviyo. Records
// of other streams are checked, counted and named in the report.
//
// Facts are kept in steps of many records, each while the messages behind it are read. A state is passed on only when
// everything before it is kept for good, the newest of several. What came after the last state that was
// passed on will come again, and changes nothing when it does: orders meet on their number, reports replace days.
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

// Store is where facts go: the warehouse.
type Store interface {
	Begin(ctx context.Context, spec warehouse.ImportSpec) (warehouse.Import, error)
	FXRates(ctx context.Context, ws measure.WorkspaceID) ([]warehouse.FXRate, error)
}

// Options say whose messages these are and what is done with them.
type Options struct {
	Workspace    control.Workspace
	HashKey      []byte                   // for customers' mail addresses; kept for the life of the workspace
	Emit         func(state []byte) error // takes a state once all before it is kept; nil: none is wanted
	SkipRejected bool                     // go on after records that cannot be used
	DryRun       bool                     // report everything, keep nothing, pass no state on
	CommitRows   int                      // records that are kept in one step, at least; 0: 50,000
	CommitAfter  time.Duration            // after which the next state is made good whatever came; 0: a minute
	Clock        func() time.Time
	Log          *slog.Logger
}

const (
	usualRows  = 50_000
	usualPause = time.Minute

	// mostWaiting is how many bytes of records are kept in one step, at least, whatever their number: orders may be large.
	mostWaiting = 128 << 20

	// A run remembers of each stream its name, key properties and required properties.
	mostStreams = 10_000
	mostSchemas = 16 << 20 // bytes of them
)

// Run takes messages until their end. A record that cannot be used ends the work unless such records are to be
// skipped; what was kept until then is what the last state that was passed on says. The report covers everything up
// to the end or the failure.
func Run(ctx context.Context, store Store, messages io.Reader, o Options) (Report, error) {
	if o.CommitRows == 0 {
		o.CommitRows = usualRows
	}
	if o.CommitAfter == 0 {
		o.CommitAfter = usualPause
	}
	t := newTarget(store, o)
	defer func() { _ = t.settle() }() // nothing is written any more when this ends, even in a panic
	err := t.run(ctx, messages)
	if earlier := t.settle(); earlier != nil {
		err = earlier // what came before is told first
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
	schemas int // bytes that the streams take
	message document.Object
	record  document.Object // of the message
	facts   *facts
	kept    *keeping // the step before, which is written while more is read
	state   string   // the last one that came and was not passed on
	since   int      // records since facts were kept
	waiting int      // bytes of records since then
	began   time.Time
}

// stream is what is known of a stream.
type stream struct {
	name     string
	shape    shape
	keys     []string // properties that tell records apart
	required []string
	rank     int // of reports on the same spend the one with the lowest counts
	records  int
	used     int
	size     int // bytes that name, keys and required take
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
		return fault.New(fault.KindMisconfigured, "there is no key for customers' addresses")
	}
	lines := newLines(messages)
	t.began = t.Clock()
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

// refuse ends the run for what the tap sent.
func (t *target) refuse(format string, args ...any) *fault.Error {
	return fault.Invalid("line %d: "+format, append([]any{t.report.Lines}, args...)...)
}

// take does what a message says.
func (t *target) take(ctx context.Context, line string) error {
	if !t.message.Check(line, "record", &t.record) {
		return t.refuse("not a JSON object: %s", source.Shown(line[:min(len(line), 60)])).
			WithHint("a tap prints its messages to standard output and its log to standard error; only the first may be passed on")
	}
	switch kind := t.message.Get("type").Text(); kind {
	case "RECORD":
		t.waiting += len(line)
		if err := t.takeRecord(); err != nil || t.since < t.CommitRows && t.waiting < mostWaiting {
			return err
		}
		return t.keep(ctx, false) // a tap may send no state for long, and what waits takes memory
	case "SCHEMA":
		return t.takeSchema()
	case "STATE":
		return t.takeState(ctx)
	case "ACTIVATE_VERSION":
		t.notes.Add("version_activated", "stream %q was sent in full: its records were taken over, and what the tap no longer has stays", source.Shown(t.message.Get("stream").Text()))
		return nil
	case "BATCH":
		return t.refuse("messages of type BATCH, which name files, are not read").
			WithHint("turn batches off in the tap's settings (batch_config), so that it sends records")
	case "":
		return t.refuse("not a Singer message: it has no type")
	default:
		return t.refuse("messages of type %q are not known", source.Shown(kind))
	}
}

func (t *target) takeSchema() error {
	name := t.message.Get("stream").Text()
	if name == "" {
		return t.refuse("a SCHEMA without a stream")
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

// sizeOf returns how many bytes the texts take in memory.
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
		return t.refuse("a record of stream %q before its SCHEMA", source.Shown(t.message.Get("stream").Text()))
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

// check looks for the properties that the tap itself says every record has.
func (t *target) check(s *stream) error {
	for _, name := range s.required {
		if t.record.Get(name) == "" {
			return &source.RowError{Column: name, Reason: "is missing, and the stream's schema requires it"}
		}
	}
	for _, name := range s.keys {
		if t.record.Get(name) == "" {
			return &source.RowError{Column: name, Reason: "is missing, and the stream's key needs it"}
		}
	}
	return nil
}

// reject notes a record that cannot be used, and ends the run unless such records are to be skipped.
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
		WithHint("mend it in the source or the tap, or pass over such records with --skip-rejected. What came after the last state that was printed was not kept")
}

func (t *target) takeState(ctx context.Context) error {
	value := t.message.Get("value")
	if value == "" {
		return t.refuse("a STATE without a value")
	}
	t.report.States++
	t.state = strings.Clone(string(value))
	switch due := t.Clock().Sub(t.began) >= t.CommitAfter; {
	case t.since > 0 && due:
		return t.keep(ctx, false)
	case t.since > 0 || t.kept != nil && !due:
		return nil // what stands before this state is not kept yet
	}
	return t.pass()
}

// summaries lists the streams by name, and says how many more there are. Of many, those that are read come first.
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
