// Package simulator simulates the ad platforms: Meta, Google Ads and TikTok, each with one account. A simulator has
// state, enforces the documented rules, and fails as its script specifies. It is an [http.Handler], so clients connect
// to it in the same way as to the platform. It shares no type with the clients, because a mistake in a shared type
// would go unnoticed.
package simulator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// maxRequest bounds the bytes of a request.
const maxRequest = 1 << 20

// Server is the common part of the simulators: the log, the faults and the state file. Each simulator embeds it.
type Server struct {
	now func() time.Time

	mu      sync.Mutex // guards the fields below and the state of the simulator
	backend backend
	faults  []Fault
	log     []Entry
	serial  int // number of requests so far
	changed func()
}

// backend is one platform. Its methods run under the lock.
type backend interface {
	// mutates reports whether the request would change the state if it is accepted.
	mutates(*request) bool
	// serve answers the request and changes the state.
	serve(*request) Reply
	// reply returns the reply that the platform documents for a failure.
	reply(Trouble) Reply
	// state returns a pointer to the state that is saved.
	state() any
	// load replaces the state with a saved state. If the saved state is invalid, the current state remains.
	load(text []byte) error
}

// request is a request with its body, which was already read.
type request struct {
	*http.Request
	body  []byte
	form  url.Values // query and form
	now   time.Time
	id    string
	count int
}

// Reply is a reply of a platform.
type Reply struct {
	Status  int
	Header  map[string]string
	Body    string
	applied bool // the request changed the state
}

// Entry is a logged request.
type Entry struct {
	Method, Path string
	Mutating     bool // the request is for a change; false for dry runs
	Applied      bool // the state was changed
	Status       int  // 0: the connection was dropped
}

// Trouble is a documented failure of a platform.
type Trouble string

// The failures that every simulator supports.
const (
	ServerError     Trouble = "server_error"     // HTTP 500
	ErrorWith200    Trouble = "error_with_200"   // an error in a body with HTTP 200
	Limited         Trouble = "rate_limited"     // too many requests, with a wait of LimitedFor
	BadToken        Trouble = "token_expired"    // the token has expired
	NoPermission    Trouble = "no_permission"    //
	Policy          Trouble = "policy"           // blocked for policy reasons
	Retired         Trouble = "version_retired"  //
	TooLow          Trouble = "below_minimum"    // the budget is too low
	UnknownCampaign Trouble = "campaign_unknown" //
)

// LimitedFor is the wait that the reply for Limited specifies, on platforms that specify one.
const LimitedFor = 90 * time.Second

// On selects requests.
type On int

// The selections.
const (
	Any      On = iota
	Reads       // requests that are not mutating, dry runs included
	Writes      // mutating requests
	Campaign    // reads of one campaign
)

// Do is the action on a selected request.
type Do int

// The faults.
const (
	Serve    Do = iota // the request is executed normally, after Before
	Drop               // the connection breaks without a reply
	Answer             // Reply is sent
	Fail               // the documented Trouble is sent
	Malform            // a reply with HTTP 200 that is not JSON
	Truncate           // the reply breaks off in the middle
	Flood              // a reply of many MiB
	Nest               // a deeply nested reply
	Redirect           // a redirect to Location
	Stall              // no reply until the client gives up
)

// Fault is one fault that [Server.Script] adds. It applies only to the first request that it selects.
type Fault struct {
	On       On
	Do       Do
	Executed bool    // the request is executed before the fault; otherwise it is not
	Trouble  Trouble // failure for Fail
	Reply    Reply   // reply for Answer
	Location string  // target of Redirect
	Before   func()  // runs when the request arrives, before it is executed
	Arrived  func()  // for Stall: runs when the reply would be sent
}

// Script adds faults. They are used in order, so a request gets the first fault that selects it.
func (s *Server) Script(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, faults...)
}

// Log returns the requests since the start or the last Reset.
func (s *Server) Log() []Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Entry(nil), s.log...)
}

// Reset empties the log and the script.
func (s *Server) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log, s.faults = nil, nil
}

// OnChange sets a function that is called after every change of the state by a request or by Edit. It can save the
// state, for example.
func (s *Server) OnChange(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = do
}

// tell calls the OnChange function.
func (s *Server) tell() {
	s.mu.Lock()
	do := s.changed
	s.mu.Unlock()
	if do != nil {
		do()
	}
}

// Save writes the state as JSON.
func (s *Server) Save(w io.Writer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(s.backend.state())
}

// maxState bounds the bytes of a saved state.
const maxState = 64 << 20

// Load replaces the state with a saved state. If the text is not a saved state, the current state remains.
func (s *Server) Load(r io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(r, maxState))
	if err != nil {
		return fmt.Errorf("state of the simulator: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.backend.load(text); err != nil {
		return fmt.Errorf("state of the simulator: %w", err)
	}
	return nil
}

// replace decodes a saved state and assigns it if all of it is valid.
func replace[T any](into *T, text []byte) error {
	var fresh T
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&fresh); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("text follows the state")
	}
	*into = fresh
	return nil
}

// maxLog is the maximum number of logged requests, because a simulator may run for a long time.
const maxLog = 10_000

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRequest+1))
	if err != nil || len(body) > maxRequest {
		http.Error(w, "request too large or broken", http.StatusBadRequest)
		return
	}
	q := &request{Request: r, body: body, form: r.URL.Query(), now: s.now()}
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		if posted, err := url.ParseQuery(string(body)); err == nil {
			for name, values := range posted {
				q.form[name] = append(q.form[name], values...)
			}
		}
	}
	fault := s.take(q)
	if fault.Before != nil {
		fault.Before()
	}
	reply := s.answer(q, fault)
	if reply.applied {
		s.tell()
	}
	s.send(w, r, fault, reply)
}

// take removes and returns the scripted fault that applies to the request.
func (s *Server) take(q *request) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serial++
	q.count, q.id = s.serial, fmt.Sprintf("sim-%06d", s.serial)
	mutating := s.backend.mutates(q)
	for i, f := range s.faults {
		if f.On == Any || f.On == Writes && mutating || f.On == Reads && !mutating || f.On == Campaign && !mutating &&
			readsCampaign(q) {
			s.faults = append(s.faults[:i:i], s.faults[i+1:]...)
			return f
		}
	}
	return Fault{}
}

// readsCampaign reports whether the request reads one campaign, on any of the platforms.
func readsCampaign(q *request) bool {
	return strings.Contains(string(q.body), "WHERE campaign.id =") ||
		strings.Contains(q.form.Get("filtering"), "campaign_ids") ||
		strings.HasPrefix(q.form.Get("fields"), "id,account_id,name,status,daily_budget")
}

// answer executes the request if the fault allows it, logs it and returns the reply.
func (s *Server) answer(q *request, f Fault) Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	var reply Reply
	mutating := s.backend.mutates(q)
	if f.Do == Serve || f.Executed {
		reply = s.backend.serve(q)
	}
	applied := reply.applied
	entry := Entry{Method: q.Method, Path: q.URL.Path, Mutating: mutating, Applied: applied}
	switch f.Do {
	case Fail:
		reply = s.backend.reply(f.Trouble)
	case Answer:
		reply = f.Reply
	case Malform:
		reply = Reply{Status: http.StatusOK, Body: "<html>proxy</html>"}
	case Flood:
		reply = Reply{Status: http.StatusOK, Body: `{"data":"` + strings.Repeat("x", 8<<20) + `"}`}
	case Nest:
		reply = Reply{Status: http.StatusOK, Body: strings.Repeat(`{"data":`, 5000) + "1" + strings.Repeat("}", 5000)}
	case Redirect:
		reply = Reply{Status: http.StatusTemporaryRedirect, Header: map[string]string{"Location": f.Location}}
	case Serve, Drop, Truncate, Stall:
	}
	if f.Do != Drop && f.Do != Stall {
		entry.Status = reply.Status
	}
	if len(s.log) < maxLog {
		s.log = append(s.log, entry)
	}
	reply.applied = applied
	return reply
}

// send writes the reply as the fault specifies.
func (s *Server) send(w http.ResponseWriter, r *http.Request, f Fault, reply Reply) {
	switch f.Do {
	case Drop:
		panic(http.ErrAbortHandler) // closes the connection
	case Stall:
		if f.Arrived != nil {
			f.Arrived()
		}
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	default:
	}
	for name, value := range reply.Header {
		w.Header().Set(name, value)
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	body := reply.Body
	if f.Do == Truncate {
		body = `{"results":[{"res`
		w.Header().Set("Content-Length", "4000")
		reply.Status = http.StatusOK
	}
	w.WriteHeader(reply.Status)
	_, _ = io.WriteString(w, body)
	if f.Do == Truncate {
		panic(http.ErrAbortHandler)
	}
}

// object is a JSON object that a simulator writes.
type object map[string]any

// text returns the object as JSON.
func (o object) text() string {
	b, err := json.Marshal(o)
	if err != nil {
		panic(err) // objects have plain values only
	}
	return string(b)
}

// change changes the state like a user of the platform's ads manager.
func change[T any](s *Server, state *T, do func(*T)) {
	func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		do(state)
	}()
	s.tell()
}
