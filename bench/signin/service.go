package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"assay/bench/process"
	"assay/bench/report"
)

// service is the measured service.
type service struct {
	base    string
	key     string
	process *process.Process
	asked   *atomic.Int64 // calls so far
}

// calls makes calls for the given duration and returns their latencies in milliseconds. No answer comes from the cache.
func (s service) calls(ctx context.Context, lasting time.Duration) (report.Sample, error) {
	client := &http.Client{Transport: &http.Transport{}, Timeout: time.Minute}
	defer client.CloseIdleConnections()
	var took report.Sample
	for watch := process.Begin(); ; {
		if past, _ := watch.Took(); past > lasting {
			return took, nil
		}
		message := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"performance","arguments":{"compact":true` + blanks(s.asked.Add(1)) + `}}}`
		one := process.Begin()
		if err := s.post(ctx, client, message); err != nil {
			return nil, err
		}
		wall, _ := one.Took()
		took = append(took, wall.Seconds()*1000)
	}
}

// blanks writes a number as spaces and tabs, so that the arguments of each call differ and no answer comes from the
// cache.
func blanks(n int64) string {
	return strings.NewReplacer("0", " ", "1", "\t").Replace(strconv.FormatInt(n, 2))
}

func (s service) post(ctx context.Context, client *http.Client, message string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.base+"/api/mcp/rpc", strings.NewReader(message))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+s.key)
	response, err := client.Do(r)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(response.Body)
	err = errors.Join(err, response.Body.Close())
	if err == nil && (response.StatusCode != http.StatusOK || strings.Contains(string(text), `"isError":true`)) {
		err = fmt.Errorf("call: HTTP %d %.200s", response.StatusCode, text)
	}
	return err
}

// slow returns the 95th percentile of a sample.
func slow(s report.Sample) float64 { return slices.Sorted(slices.Values(s))[len(s)*19/20] }

// watch records the peak memory of the service until ctx ends.
func (s service) watch(ctx context.Context, peak *atomic.Int64) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		now, err := s.process.Memory()
		if err != nil {
			return err
		}
		peak.Store(max(peak.Load(), now))
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

var formToken = regexp.MustCompile(`name="csrf" value="([^"]*)"`)

// signIns attempts sign-ins until ctx ends and counts the responses. Each worker acts as one of many machines. Each
// attempt has a new unknown email address.
func (s service) signIns(ctx context.Context, worker int, answered *atomic.Int64) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{}, Jar: jar}
	defer client.CloseIdleConnections()
	page, err := s.send(ctx, client, http.MethodGet, "", "")
	for i := 0; err == nil; i++ {
		found := formToken.FindStringSubmatch(page)
		if found == nil {
			return fmt.Errorf("the sign-in page has no token: %.300s", page)
		}
		fields := url.Values{"csrf": {found[1]}, "email": {fmt.Sprintf("unknown-%d-%d@example.com", worker, i)}, "password": {"a wrong password"}}
		if page, err = s.send(ctx, client, http.MethodPost, fields.Encode(), fmt.Sprintf("10.%d.%d.%d", worker, i/256%256, i%256)); err == nil {
			answered.Add(1)
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (s service) send(ctx context.Context, client *http.Client, method, body, from string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.base+"/sign-in", strings.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("X-Forwarded-For", from)
	response, err := client.Do(r)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(response.Body)
	err = errors.Join(err, response.Body.Close())
	if err == nil && response.StatusCode != http.StatusOK && response.StatusCode != http.StatusUnprocessableEntity {
		err = fmt.Errorf("sign-in: HTTP %d %.200s", response.StatusCode, text)
	}
	return string(text), err
}
