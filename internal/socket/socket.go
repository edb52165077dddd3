// Package socket connects commands with the process that has locked a data directory, through a Unix socket that only
// its owner can open. The response to a request is a stream of JSON lines: progress, then a result, an error or both.
package socket

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
	"sync"
	"time"

	"assay/internal/datadir"
	"assay/internal/fault"
	"assay/internal/measure"
	"assay/internal/operation"
	"assay/internal/panics"
)

// line is one line of a response.
type line struct {
	Done   int64           `json:"done,omitempty"`
	Total  int64           `json:"total,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Fault  *faultLine      `json:"fault,omitempty"`
}

// faultLine is an error with its kind, sent from the service to the command.
type faultLine struct {
	Kind fault.Kind `json:"kind"`
	Text string     `json:"text"`
	Hint string     `json:"hint,omitempty"`
}

// command is the request body for an operation: the workspace, the actor and the operation's input.
type command struct {
	Workspace measure.WorkspaceID `json:"workspace"`
	Actor     string              `json:"actor"`
	Input     json.RawMessage     `json:"input"`
}

// Listen opens the socket and replaces a socket that a killed process left.
func Listen(ctx context.Context, dataDir string) (net.Listener, error) {
	path, err := datadir.SocketPath(dataDir, true)
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

// server runs operations for commands.
type server struct{ operations *operation.Service }

// NewHandler returns the handler of the operations that commands request.
func NewHandler(operations *operation.Service) http.Handler {
	a := server{operations}
	mux := http.NewServeMux()
	for _, o := range operation.All() {
		if o.Describe().Facts {
			mux.HandleFunc("POST /"+o.Describe().Name, func(w http.ResponseWriter, r *http.Request) { a.answer(w, r, o) })
		}
	}
	mux.HandleFunc("POST /"+operation.ImportStream.Name, a.importStream)
	return mux
}

// answer decodes a command, runs its operation and streams the lines of the response.
func (a server) answer(w http.ResponseWriter, r *http.Request, o operation.Served) {
	var asked command
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w).Flush() // confirms that the request was received, before work that may take long
	var guard sync.Mutex                      // allows one writer at a time, so that lines do not mix
	encoder := json.NewEncoder(w)
	send := func(l line) {
		guard.Lock()
		defer guard.Unlock()
		if encoder.Encode(l) == nil {
			_ = http.NewResponseController(w).Flush()
		}
	}
	ctx := r.Context()
	var result any
	err := panics.Caught(func() (err error) {
		result, err = o.Serve(ctx, a.operations, operation.Call{
			Workspace: asked.Workspace, Caller: operation.Operator(asked.Actor),
			Progress: func(done, total int64) { send(line{Done: done, Total: total}) },
		}, asked.Input)
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

// Client is the connection of a command to the process that has locked a data directory.
type Client struct {
	path   string // path of the socket
	client *http.Client
}

// Connect returns a client of the process that has locked the data directory.
func Connect(dataDir string) (*Client, error) {
	path, err := datadir.SocketPath(dataDir, false)
	if err != nil {
		return nil, err
	}
	return &Client{path: path, client: clientOf(path, func() {})}, nil
}

// clientOf returns a client of a socket. It calls closed when either side ends a connection.
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

// closing is a connection that calls a function when it is closed.
type closing struct {
	net.Conn
	closed func()
}

// Close implements [net.Conn].
func (c *closing) Close() error {
	c.closed()
	return c.Conn.Close()
}

// Ask runs an operation in the service that has locked the data directory.
func Ask[In, Out any](ctx context.Context, s *Client, name string, call operation.Call, in In) (out Out, err error) {
	input, err := json.Marshal(in)
	if err != nil {
		return out, err
	}
	text, err := s.ask(ctx, "/"+name, command{Workspace: call.Workspace, Actor: call.Caller.Actor, Input: input}, call.Progress)
	if len(text) > 0 {
		err = errors.Join(err, json.Unmarshal(text, &out))
	}
	return out, err
}

// ask sends a command and returns the JSON of the result, which may accompany an error. It calls progress for each line
// before the result.
func (s *Client) ask(ctx context.Context, path string, asked command, progress func(done, total int64)) (json.RawMessage, error) {
	body, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://assay"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	response, err := s.client.Do(post)
	if err != nil {
		return nil, fault.Unavailable("the process that has locked the data directory does not answer").Wrap(err).
			WithHint("it may be starting or stopping: try again in a moment")
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("response of the service: %w", err)
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
	return nil, fault.Unavailable("the service stopped before the work was complete").Wrap(lines.Err()).
		WithHint("start the service again and repeat the command: rows that were already imported are not duplicated")
}
