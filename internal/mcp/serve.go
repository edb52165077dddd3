package mcp

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"assay/internal/panics"
)

// Incoming is one message from an authenticated caller.
type Incoming struct {
	Body            []byte
	ProtocolVersion string // value of the header; "" if absent
	HasVersion      bool
	SessionID       string // value of the header; "" if absent
}

// Reply is the response to one message.
type Reply struct {
	Status         int      // HTTP
	Body           [][]byte // JSON, in parts to send in order; nil: no body
	SessionID      string   // header of the response to initialize; "": none
	RequiredScopes []string // scopes for the challenge, if the caller's grant lacks them
	Method         string   // one of [Methods]; "" for another or none
	Tool           string   // the name in tools/call as received, shortened
	Outcome        string   // [OutcomeOK], [OutcomeToolError], [OutcomeNotification] or a [Failure]'s class
	Err            error    // for the log, not for the caller
}

// The outcomes of a message without a request failure.
const (
	OutcomeOK           = "ok"
	OutcomeToolError    = "tool_error" // the tool failed or rejected its arguments; the result has the details
	OutcomeNotification = "notification"
)

// Server handles messages. It is stateless.
type Server struct {
	Version      string // version of the service
	Title        string // display name of the service
	Instructions string // instructions that the client's model receives when the client connects
}

// Handle processes one message of a caller. It checks JSON, envelope, version, method and params in this order. The
// session checks permissions. A panic results in an internal error.
func (s Server) Handle(ctx context.Context, session Session, in Incoming) (reply Reply) {
	e, err := readEnvelope(in.Body)
	defer func() {
		if cause := recover(); cause != nil {
			reply.fail(e.id, fmt.Errorf("%s %s: %w", e.method, reply.Tool, panics.Of(cause)))
		}
	}()
	if err == nil && in.HasVersion && !speaks(in.ProtocolVersion) {
		err = invalidParams("protocol version " + quoted(in.ProtocolVersion) + " is not supported; supported are " +
			strings.Join(protocolVersions, ", "))
	}
	switch {
	case err != nil:
		reply.fail(e.id, err)
	case e.id == nil:
		// A call without an ID gets no response, so it is not executed.
		reply.Status, reply.Outcome = http.StatusAccepted, OutcomeNotification
	default:
		if client := in.client(); client != (Client{}) {
			session = session.For(client)
		}
		s.answer(ctx, session, e, &reply)
	}
	return reply
}

func (s Server) answer(ctx context.Context, session Session, e envelope, reply *Reply) {
	method := methodNamed(e.method)
	if method == nil {
		reply.fail(e.id, refusal{Failure: MethodNotFound, detail: shownText(e.method)})
		return
	}
	reply.Method = e.method
	if !isNull(e.params) && kindOf(e.params) != "object" {
		reply.fail(e.id, invalidParams("params must be an object"))
		return
	}
	result, err := method(ctx, &call{server: s, session: session, params: e.params, reply: reply})
	if err != nil {
		reply.fail(e.id, err)
		return
	}
	reply.Status = http.StatusOK
	if reply.Outcome == "" {
		reply.Outcome = OutcomeOK
	}
	reply.Body = resultBody(e.id, result)
}

// resultBody returns the response with a result. It does not copy the result, so cached results are sent directly from
// memory.
func resultBody(id, result []byte) [][]byte {
	const start, end = `{"jsonrpc":"2.0","id":`, `,"result":`
	head := make([]byte, 0, len(start)+len(id)+len(end))
	head = append(head, start...)
	head = append(head, id...)
	head = append(head, end...)
	return [][]byte{head, result, closing}
}

var closing = []byte("}")

func (r *Reply) fail(id []byte, err error) {
	why := refusalOf(err)
	r.Status, r.Outcome = why.Status(), why.Class()
	r.Body = [][]byte{why.Body(id, why.detail, why.data)}
	if why.Failure == Internal || why.Failure == Misconfigured || why.Failure == Unavailable {
		r.Err = err
	}
	if why.Failure == InsufficientScope {
		r.RequiredScopes = requiredScopes(err)
	}
}
