package httpapi

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"assay/internal/mcp"
)

// maxBody is the maximum size of a request: 1 MiB.
const maxBody = 1 << 20

var errTooLarge = errors.New("body above 1 MiB")

// smallBody is the maximum size in bytes of a body that is read before the credential is checked. A connection uses
// this amount of memory in any case.
const smallBody = 16 << 10

// rpc serves POST /api/mcp/rpc. Path, method, host and origin are already checked. The next checks are, in order: size,
// credential, rate limit, media type and the message itself.
func (s *service) rpc(x *exchange, r *http.Request) {
	if r.ContentLength < 0 || r.ContentLength > smallBody {
		// A large body is read into memory only for authenticated callers. For other callers only its size is measured,
		// because the size is checked before the credential.
		if _, unknown := s.caller(r); unknown != nil {
			if err := discardBody(r); err != nil {
				s.refuseBody(x, err)
				return
			}
			s.refuseCaller(x, r, unknown)
			return
		}
	}
	body, err := readBody(r)
	if err != nil {
		s.refuseBody(x, err)
		return
	}
	if !s.authenticate(x, r) || !s.withinLimit(x, r) {
		return
	}
	if !isJSON(r.Header.Get("Content-Type")) || isCoded(r.Header) {
		x.fail(mcp.WrongMediaType, nil)
		return
	}
	version, sent := r.Header["Mcp-Protocol-Version"]
	x.reply = s.server.Handle(r.Context(), s.Session(x.principal, x.requestID), mcp.Incoming{
		Body: body, ProtocolVersion: strings.Join(version, ", "), HasVersion: sent,
		SessionID: r.Header.Get("Mcp-Session-Id"),
	})
	if x.reply.SessionID != "" {
		x.Header().Set("Mcp-Session-Id", x.reply.SessionID)
	}
	if x.reply.Outcome == mcp.Unavailable.Class() {
		x.set("Retry-After", busyFor)
	}
	if x.reply.Outcome == mcp.InsufficientScope.Class() {
		x.Header().Set("WWW-Authenticate", s.stepUp(x.principal, x.reply.RequiredScopes))
	}
	if x.reply.Body == nil {
		x.WriteHeader(x.reply.Status)
		return
	}
	x.json(x.reply.Status, x.reply.Body...)
}

// readBody reads a body of the announced length, which net/http enforces. If this length is missing or too large, it
// reads at most one byte more than the maximum. The additional byte shows that the body is too large.
func readBody(r *http.Request) ([]byte, error) {
	if r.ContentLength >= 0 && r.ContentLength <= maxBody {
		body := make([]byte, r.ContentLength)
		_, err := io.ReadFull(r.Body, body)
		return body, err
	}
	var b bytes.Buffer
	if _, err := b.ReadFrom(io.LimitReader(r.Body, maxBody+1)); err != nil {
		return nil, err
	}
	if b.Len() > maxBody {
		return nil, errTooLarge
	}
	return b.Bytes(), nil
}

// discardBody reads a body up to the maximum size without storing it.
func discardBody(r *http.Request) error {
	n, err := io.Copy(io.Discard, io.LimitReader(r.Body, maxBody+1))
	if n > maxBody {
		return errTooLarge
	}
	return err
}

func (s *service) refuseBody(x *exchange, err error) {
	x.Header().Set("Connection", "close")
	if errors.Is(err, errTooLarge) {
		x.fail(mcp.BodyTooLarge, nil)
		return
	}
	x.fail(mcp.NotJSON, nil) // truncated, or invalid chunked encoding
}

func isJSON(contentType string) bool {
	if contentType == "application/json" { // the usual spelling
		return true
	}
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && media == "application/json"
}

// isCoded reports whether the body has a content coding, such as compression (RFC 9110, section 8.4). The service does
// not decompress bodies, so a small body cannot expand.
func isCoded(h http.Header) bool {
	coding := strings.Join(h.Values("Content-Encoding"), ",")
	return coding != "" && !strings.EqualFold(coding, "identity")
}
