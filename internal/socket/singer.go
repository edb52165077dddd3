package socket

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"assay/internal/fault"
	"assay/internal/ingest/singer"
	"assay/internal/measure"
	"assay/internal/operation"
	"assay/internal/panics"
)

// singerLine is one line of the service's response to a command. Each line contains a state, except the last line with
// the report.
type singerLine struct {
	State  json.RawMessage `json:"state,omitempty"`
	Report *singer.Report  `json:"report,omitempty"`
	Fault  *faultLine      `json:"fault,omitempty"`
}

// importStream reads the messages of a command and streams states back.
func (a server) importStream(w http.ResponseWriter, r *http.Request) {
	connection := http.NewResponseController(w)
	if err := connection.EnableFullDuplex(); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusOK)
	_ = connection.Flush()
	encoder := json.NewEncoder(w)
	q := r.URL.Query()
	call := operation.Call{Workspace: measure.WorkspaceID(q.Get("workspace")), Caller: operation.Operator(q.Get("actor"))}
	in := operation.Stream{
		Messages: r.Body, DryRun: q.Get("dry_run") == "true", SkipRejected: q.Get("skip_rejected") == "true",
		Emit: func(state []byte) error {
			if err := encoder.Encode(singerLine{State: state}); err != nil {
				return err
			}
			return connection.Flush()
		},
		Interrupt: func() { _ = connection.SetReadDeadline(time.Unix(1, 0)) },
	}
	ctx := r.Context()
	var report singer.Report
	err := panics.Caught(func() (err error) {
		report, err = operation.ImportStream.Do(ctx, a.operations, call, in)
		return err
	})
	last := singerLine{Report: &report}
	if err != nil {
		last.Fault = asLine(err)
	}
	_ = encoder.Encode(last) // the client may have disconnected
}

// ImportStream sends a tap's messages to the service.
func (s *Client) ImportStream(ctx context.Context, call operation.Call, in operation.Stream) (singer.Report, error) {
	q := url.Values{
		"workspace": {string(call.Workspace)}, "actor": {call.Caller.Actor},
		"dry_run": {strconv.FormatBool(in.DryRun)}, "skip_rejected": {strconv.FormatBool(in.SkipRejected)},
	}
	// A tap may send nothing for hours. If the service stops meanwhile, the command ends without waiting for the next message.
	body, feed := io.Pipe()
	var copying panics.Group
	copying.Go(func() {
		_, err := io.Copy(feed, in.Messages)
		_ = feed.CloseWithError(err)
	})
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://assay/"+operation.ImportStream.Name+"?"+q.Encode(), body)
	if err != nil {
		return singer.Report{}, err
	}
	response, err := clientOf(s.path, func() { _ = body.Close() }).Do(post)
	if err != nil {
		return singer.Report{}, fault.Unavailable("the process that has locked the data directory does not answer").Wrap(err).
			WithHint("it may be starting or stopping: try again in a moment")
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var l singerLine
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return singer.Report{}, fmt.Errorf("response of the service: %w", err)
		}
		if l.Report == nil {
			if err := in.Emit(l.State); err != nil {
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
	return singer.Report{}, fault.Unavailable("the service stopped before the import was complete").Wrap(lines.Err()).
		WithHint("start the service again and run the tap from the last printed state")
}
