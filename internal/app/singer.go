package app

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"sync"
	"time"

	"assay/internal/auth"
	"assay/internal/config"
	"assay/internal/fault"
	"assay/internal/ingest/singer"
	"assay/internal/measure"
	"assay/internal/panics"
	"assay/internal/warehouse"
)

// SingerRequest says where the messages of a Singer tap go.
type SingerRequest struct {
	Workspace    measure.WorkspaceID
	DryRun       bool
	SkipRejected bool

	may permit
}

// ImportSinger takes a tap's messages through the service that holds the data directory, or directly where none does.
// It calls emit with each state that may be kept. The report tells what was done also when an error ended the work.
func ImportSinger(ctx context.Context, c config.Config, request SingerRequest, messages io.Reader, emit func(state []byte) error, now func() time.Time) (singer.Report, error) {
	if _, err := os.Stat(c.Data); errors.Is(err, fs.ErrNotExist) {
		return singer.Report{}, fault.NotFound("there is no data directory %s", c.Data).
			WithHint("make a workspace first: assay workspace create NAME")
	}
	a, s, err := reach(ctx, c, now)
	if err != nil {
		return singer.Report{}, err
	}
	if a == nil {
		return s.singer(ctx, request, messages, emit)
	}
	report, err := a.Singer(ctx, request, messages, emit)
	return report, errors.Join(err, a.Close())
}

// Singer takes a tap's messages into a workspace. Other imports run in between.
func (a *App) Singer(ctx context.Context, request SingerRequest, messages io.Reader, emit func(state []byte) error) (singer.Report, error) {
	workspace, err := a.control.Store.Workspace(ctx, request.Workspace)
	if err != nil {
		return singer.Report{Workspace: request.Workspace}, err
	}
	return singer.Run(ctx, laneStore{a, request.may}, messages, singer.Options{
		Workspace: workspace, HashKey: a.control.Installation.HashKey(workspace.ID), Emit: emit,
		DryRun: request.DryRun, SkipRejected: request.SkipRejected, Clock: a.now, Log: a.log,
	})
}

// laneStore is the store of facts for an import that lasts: each of its steps waits for the workspace, and finds out
// whether it still exists.
type laneStore struct {
	app *App
	may permit
}

// FXRates implements [singer.Store].
func (s laneStore) FXRates(ctx context.Context, ws measure.WorkspaceID) ([]warehouse.FXRate, error) {
	return s.app.facts.FXRates(ctx, ws)
}

// Begin implements [singer.Store].
func (s laneStore) Begin(ctx context.Context, spec warehouse.ImportSpec) (warehouse.Import, error) {
	leave, err := s.app.writing.enter(ctx, spec.Workspace)
	if err != nil {
		return nil, err
	}
	if _, err := s.app.control.Store.Workspace(ctx, spec.Workspace); err != nil {
		leave()
		return nil, err
	}
	into, err := s.app.facts.Begin(ctx, spec)
	if err != nil {
		leave()
		return nil, err
	}
	return &laneImport{Import: asking(into, s.may), leave: sync.OnceFunc(leave)}, nil
}

// laneImport gives the workspace back when it is given up, which follows a commit too.
type laneImport struct {
	warehouse.Import
	leave func()
}

// Abort implements [warehouse.Import].
func (i *laneImport) Abort() {
	i.Import.Abort()
	i.leave()
}

// singerLine is one line of the service's answer to a command: states, then the report.
type singerLine struct {
	State  json.RawMessage `json:"state,omitempty"`
	Report *singer.Report  `json:"report,omitempty"`
	Fault  *faultLine      `json:"fault,omitempty"`
}

// answerSinger takes a command's messages and streams states back while they come.
func (a *App) answerSinger(w http.ResponseWriter, r *http.Request) {
	connection := http.NewResponseController(w)
	if err := connection.EnableFullDuplex(); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusOK)
	_ = connection.Flush()
	encoder := json.NewEncoder(w)
	q := r.URL.Query()
	request := SingerRequest{
		Workspace: measure.WorkspaceID(q.Get("workspace")), DryRun: q.Get("dry_run") == "true", SkipRejected: q.Get("skip_rejected") == "true",
	}
	ctx := r.Context()
	var report singer.Report
	err := panics.Caught(func() (err error) {
		report, err = a.Singer(ctx, request, r.Body, func(state []byte) error {
			if err := encoder.Encode(singerLine{State: state}); err != nil {
				return err
			}
			return connection.Flush()
		})
		return err
	})
	last := singerLine{Report: &report}
	if err != nil {
		last.Fault = asLine(err)
	}
	_ = encoder.Encode(last) // who is gone is not told
}

// singer sends a tap's messages to the service.
func (s *service) singer(ctx context.Context, request SingerRequest, messages io.Reader, emit func(state []byte) error) (singer.Report, error) {
	q := url.Values{
		"workspace": {string(request.Workspace)}, "dry_run": {strconv.FormatBool(request.DryRun)}, "skip_rejected": {strconv.FormatBool(request.SkipRejected)},
	}
	// A tap may be silent for hours: when the service goes meanwhile, nobody may wait for the tap's next message.
	body, feed := io.Pipe()
	var copying panics.Group
	copying.Go(func() {
		_, err := io.Copy(feed, messages)
		_ = feed.CloseWithError(err)
	})
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://assay/singer?"+q.Encode(), body)
	if err != nil {
		return singer.Report{}, err
	}
	response, err := clientOf(s.path, func() { _ = body.Close() }).Do(post)
	if err != nil {
		return singer.Report{}, fault.Unavailable("the process that holds the data directory does not answer").Wrap(err).
			WithHint("it may be starting or stopping: try again in a moment")
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var l singerLine
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return singer.Report{}, fmt.Errorf("answer of the service: %w", err)
		}
		if l.Report == nil {
			if err := emit(l.State); err != nil {
				return singer.Report{}, err
			}
			continue
		}
		if l.Fault != nil {
			return *l.Report, fault.New(l.Fault.Kind, "%s", l.Fault.Text).WithHint("%s", l.Fault.Hint)
		}
		return *l.Report, nil
	}
	if ctx.Err() != nil {
		return singer.Report{}, ctx.Err()
	}
	return singer.Report{}, fault.Unavailable("the service ended before it was done").Wrap(lines.Err()).
		WithHint("start it again and run the tap from the last state that was printed")
}

// singerOverHTTP takes the messages of a caller, whose scope was checked. Of the states the last one counts.
func (a *App) singerOverHTTP(ctx context.Context, p auth.Principal, messages io.Reader, skipRejected bool) (state, report json.RawMessage, err error) {
	done, err := a.Singer(ctx, SingerRequest{Workspace: p.Workspace.ID, SkipRejected: skipRejected, may: a.callerWrites(p)}, messages, func(passed []byte) error {
		state = append(state[:0], passed...)
		return nil
	})
	if workspaceGone := fault.KindOf(err) == fault.KindNotFound; workspaceGone {
		err = fault.Invalid("the workspace was deleted")
	}
	report, encoding := json.Marshal(done)
	return state, report, errors.Join(err, encoding)
}
