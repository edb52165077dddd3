package main

import (
	"io"
	"net/http"
	"strconv"
)

// bare returns a handler that reads the request and writes the recorded bytes. It measures the minimum cost of a
// net/http server.
func bare(body []byte) http.Handler {
	length := strconv.Itoa(len(body))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", length)
		if _, err := w.Write(body); err != nil { //nolint:gosec // the body is a recorded answer
			return // the client disconnected
		}
	})
}
