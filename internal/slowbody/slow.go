package slowbody

import (
	"io"
	"net/http"
	"time"
)

// Pace contains the time limits of a slow request body.
type Pace struct {
	Silence time.Duration    // maximum time between two parts
	Total   time.Duration    // maximum total time
	Now     func() time.Time // the real clock
}

// Slowly returns a body with its own time limits instead of the server's. Each part read extends the deadline for the
// next part and for the response.
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
	_ = s.connection.SetReadDeadline(until) // only test connections have no deadlines
	_ = s.connection.SetWriteDeadline(until.Add(s.Silence))
	return s.ReadCloser.Read(p)
}
