package adstest

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"assay/internal/ads"
)

// Noon is the instant at which the clock of a sandbox starts.
var Noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// Serve serves a simulator on a loopback port until the test ends, and returns the options of a client for it.
func Serve(t *testing.T, simulator http.Handler, clock *Clock) (o ads.Options, stop func()) {
	t.Helper()
	server := httptest.NewServer(simulator)
	t.Cleanup(server.Close)
	endpoint, err := ads.ParseEndpoint(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return ads.Options{
		Endpoint: endpoint, TokenEndpoint: endpoint, Timeout: Timeout, Clock: clock, Jitter: func() float64 { return 0.5 },
		Transport: &http.Transport{DisableKeepAlives: true},
	}, server.Close
}
