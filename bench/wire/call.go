package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"time"

	"golang.org/x/sync/errgroup"

	"assay/bench/process"
)

const call = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"performance","arguments":{"compact":true,"detail_level":"analyst"}}}`

const connections = 16

// server answers calls.
type server struct {
	name    string
	url     string
	key     string // API key for Assay; the other servers check no key
	slow    bool   // a slow server needs fewer calls for the same accuracy
	process *process.Process
}

// cpuPerCall sends calls over persistent connections and returns the server's CPU time per call in microseconds.
func (s *server) cpuPerCall(ctx context.Context, calls int) (float64, error) {
	if s.slow {
		calls /= 4
	}
	transport := &http.Transport{MaxIdleConnsPerHost: connections}
	defer transport.CloseIdleConnections()
	before, err := s.process.CPU()
	if err != nil {
		return 0, err
	}
	group, ctx := errgroup.WithContext(ctx)
	each := calls / connections
	for range connections {
		group.Go(func() error {
			for range each {
				if _, err := s.post(ctx, transport); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return 0, err
	}
	after, err := s.process.CPU()
	if err != nil {
		return 0, err
	}
	return float64((after - before).Microseconds()) / float64(each*connections), nil
}

// post makes the call and returns the body of the answer.
func (s *server) post(ctx context.Context, transport http.RoundTripper) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader([]byte(call)))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	if s.key != "" {
		request.Header.Set("Authorization", "Bearer "+s.key)
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: HTTP %d: %.200s", s.name, response.StatusCode, answer)
	}
	return answer, err
}

// reply is the payload of an answer.
type reply struct {
	Result struct {
		Content           []struct{ Text string }
		StructuredContent any
	}
}

// sameAnswer reports whether the server returns the same text, byte for byte, and the same structured content.
func (s *server) sameAnswer(ctx context.Context, recorded []byte) error {
	body, err := s.post(ctx, http.DefaultTransport)
	if err != nil {
		return err
	}
	var want, got reply
	if err := json.Unmarshal(recorded, &want); err != nil {
		return err
	}
	if err := json.Unmarshal(body, &got); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("%s gives another answer: %.2000s", s.name, body)
	}
	return nil
}
