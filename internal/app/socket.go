package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/measure/mix"
	"assay/internal/panics"
)

// The socket lets commands reach the service that holds a data directory. Only its owner can open it. Each
// request is answered by a stream of JSON lines: progress, then a result or a failure.

// line is one line of an answer.
type line struct {
	Done   int64           `json:"done,omitempty"`
	Total  int64           `json:"total,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Fault  *faultLine      `json:"fault,omitempty"`
}

// faultLine carries a failure with its kind from the service to the command.
type faultLine struct {
	Kind fault.Kind `json:"kind"`
	Text string     `json:"text"`
	Hint string     `json:"hint,omitempty"`
}

type deleteRequest struct {
	Workspace measure.WorkspaceID `json:"workspace"`
	Actor     string              `json:"actor,omitempty"`
}

// listenSocket opens the socket, in place of one that a killed process left.
func listenSocket(ctx context.Context, dataDir string) (net.Listener, error) {
	path, err := socketPath(dataDir, true)
	if err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fault.Unavailable("socket %s cannot be replaced", path).Wrap(err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "unix", path)
	if err != nil {
		return nil, fault.Unavailable("socket %s cannot be opened", path).Wrap(err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		listener.Close()
		return nil, fault.Unavailable("socket %s cannot be made private", path).Wrap(err)
	}
	return listener, nil
}

// commandHandler answers commands.
func (a *App) commandHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /import", func(w http.ResponseWriter, r *http.Request) {
		answer(w, r, func(ctx context.Context, request ImportRequest, progress func(done, total int64)) (any, error) {
			return a.Import(ctx, request, progress)
		})
	})
	mux.HandleFunc("POST /singer", a.answerSinger)
	mux.HandleFunc("POST /train/mmm", func(w http.ResponseWriter, r *http.Request) {
		answer(w, r, func(ctx context.Context, request trainRequest, progress func(done, total int64)) (any, error) {
			return a.trainMMM(ctx, request.Workspace, mix.Request{WithoutTests: request.WithoutTests, Progress: progress})
		})
	})
	mux.HandleFunc("POST /train/cancel", func(w http.ResponseWriter, r *http.Request) {
		answer(w, r, func(_ context.Context, request trainRequest, _ func(done, total int64)) (any, error) {
			return struct{}{}, a.cancelTraining(request.Workspace)
		})
	})
	mux.HandleFunc("POST /customer/forget", func(w http.ResponseWriter, r *http.Request) {
		answer(w, r, func(ctx context.Context, request ForgetRequest, _ func(done, total int64)) (any, error) {
			return a.forgetCustomer(ctx, request)
		})
	})
	mux.HandleFunc("POST /targets", func(w http.ResponseWriter, r *http.Request) {
		answer(w, r, func(ctx context.Context, request targetsRequest, _ func(done, total int64)) (any, error) {
			return a.targets(ctx, request.Workspace)
		})
	})
	mux.HandleFunc("POST /target/remove", func(w http.ResponseWriter, r *http.Request) {
		answer(w, r, func(ctx context.Context, request RemovedTarget, _ func(done, total int64)) (any, error) {
			return struct{}{}, a.removeTarget(ctx, request)
		})
	})
	mux.HandleFunc("POST /export", func(w http.ResponseWriter, r *http.Request) {
		answer(w, r, func(ctx context.Context, request ExportRequest, _ func(done, total int64)) (any, error) {
			return a.export(ctx, request)
		})
	})
	mux.HandleFunc("POST /history", func(w http.ResponseWriter, r *http.Request) {
		answer(w, r, func(ctx context.Context, request HistoryRequest, _ func(done, total int64)) (any, error) {
			return a.history(ctx, request)
		})
	})
	mux.HandleFunc("POST /delete", func(w http.ResponseWriter, r *http.Request) {
		answer(w, r, func(ctx context.Context, request deleteRequest, _ func(done, total int64)) (any, error) {
			return struct{}{}, a.deleteWorkspace(ctx, request.Workspace, request.Actor)
		})
	})
	mux.HandleFunc("POST /unopened", func(w http.ResponseWriter, r *http.Request) {
		answer(w, r, func(context.Context, struct{}, func(done, total int64)) (any, error) {
			texts := map[measure.WorkspaceID]string{}
			for ws, err := range a.engine.Unopened() {
				texts[ws] = err.Error()
			}
			return texts, nil
		})
	})
	mux.HandleFunc("POST /clear", func(w http.ResponseWriter, r *http.Request) {
		answer(w, r, func(ctx context.Context, request deleteRequest, _ func(done, total int64)) (any, error) {
			return struct{}{}, a.clearFacts(ctx, request.Workspace)
		})
	})
	return mux
}

// answer decodes a request, runs it and streams its lines.
func answer[Q any](w http.ResponseWriter, r *http.Request, run func(context.Context, Q, func(done, total int64)) (any, error)) {
	var request Q
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w).Flush() // the command knows now that it was heard, however long the work takes
	var guard sync.Mutex                      // one line at a time
	encoder := json.NewEncoder(w)
	send := func(l line) {
		guard.Lock()
		defer guard.Unlock()
		if encoder.Encode(l) == nil {
			_ = http.NewResponseController(w).Flush()
		}
	}
	var result any
	err := panics.Caught(func() (err error) {
		result, err = run(r.Context(), request, func(done, total int64) { send(line{Done: done, Total: total}) })
		return err
	})
	last := line{}
	if result != nil {
		text, encoding := json.Marshal(result)
		last.Result, err = text, errors.Join(err, encoding)
	}
	if err != nil {
		last.Fault = asLine(err)
	}
	send(last)
}

func asLine(err error) *faultLine {
	_, hint, _ := fault.Public(err)
	return &faultLine{Kind: fault.KindOf(err), Text: err.Error(), Hint: hint}
}

// service is the running process that holds a data directory, seen from a command.
type service struct {
	path   string // of the socket
	client *http.Client
}

func connect(dataDir string) (*service, error) {
	path, err := socketPath(dataDir, false)
	if err != nil {
		return nil, err
	}
	return &service{path: path, client: clientOf(path, func() {})}, nil
}

// clientOf returns a client of a socket. It calls closed when a connection ends, whichever side ended it.
func clientOf(path string, closed func()) *http.Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		connection, err := new(net.Dialer).DialContext(ctx, "unix", path)
		if err != nil {
			return nil, err
		}
		return &closing{connection, closed}, nil
	}
	return &http.Client{Transport: &http.Transport{DialContext: dial, ResponseHeaderTimeout: time.Minute}}
}

// closing tells when a connection is closed.
type closing struct {
	net.Conn
	closed func()
}

// Close implements [net.Conn].
func (c *closing) Close() error {
	c.closed()
	return c.Conn.Close()
}

// ask sends a request and returns the result's JSON, which may come beside a failure that ended the work half-way.
// It calls progress for each line before it.
func (s *service) ask(ctx context.Context, path string, request any, progress func(done, total int64)) (json.RawMessage, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://assay"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	response, err := s.client.Do(post)
	if err != nil {
		return nil, fault.Unavailable("the process that holds the data directory does not answer").Wrap(err).
			WithHint("it may be starting or stopping: try again in a moment")
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("answer of the service: %w", err)
		}
		switch {
		case l.Fault != nil:
			return l.Result, fault.New(l.Fault.Kind, "%s", l.Fault.Text).WithHint("%s", l.Fault.Hint)
		case l.Result != nil:
			return l.Result, nil
		case progress != nil:
			progress(l.Done, l.Total)
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, fault.Unavailable("the service ended before it was done").Wrap(lines.Err()).WithHint("start it again and repeat: what was imported already is recognised")
}

// absolute returns file names as the service can open them.
func absolute(files []string) ([]string, error) {
	out := make([]string, len(files))
	for i, file := range files {
		full, err := filepath.Abs(file)
		if err != nil {
			return nil, fmt.Errorf("file %q: %w", file, err)
		}
		out[i] = full
	}
	return out, nil
}
