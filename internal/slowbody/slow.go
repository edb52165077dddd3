package slowbody

import (
	"io"
	"net/http"
	"time"
)

// Pace is how slowly a body may come.
type Pace struct {
	Silence time.Duration    // for which nothing may come
	Total   time.Duration    // in which all of it has come
	Now     func() time.Time // the real clock
}

// Slowly returns a body with its own deadlines, in place of the server's: each part restarts the deadline for the next part and
// for the response.
func Slowly(w http.ResponseWriter, body io.ReadCloser, at Pace) io.ReadCloser {
	return slow{body, http.NewResponseController(w), at, at.Now().Add(at.Total)}
}

type slow struct {
	io.ReadCloser
	connection *http.ResponseController
	Pace
	end time.Time
}

// Read implements [io.Reader].
func (s slow) Read(p []byte) (int, error) {
	until := s.Now().Add(s.Silence)
	if until.After(s.end) {
		until = s.end
	}
	_ = s.connection.SetReadDeadline(until) // a connection that has no deadlines is a test's
	_ = s.connection.SetWriteDeadline(until.Add(s.Silence))
	return s.ReadCloser.Read(p)
}
