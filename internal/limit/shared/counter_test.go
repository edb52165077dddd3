package shared

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"assay/internal/fault"
	"assay/internal/limit"
	"assay/internal/servertest"
)

func open(t *testing.T, url string, log *slog.Logger) *Node {
	t.Helper()
	n, err := Open(t.Context(), Options{URL: url, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	n.answer = 20 * time.Second // a busy machine
	t.Cleanup(func() { n.Close() })
	return n
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// run runs the node's background work until the test ends, and counts its reports of ended access.
func run(t *testing.T, n *Node) *atomic.Int64 {
	t.Helper()
	var ended atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() {
		if err := n.Run(ctx, func() { ended.Add(1) }); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { cancel(); group.Wait() })
	return &ended
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !is(); {
		if time.Now().After(deadline) {
			t.Fatalf("not in 20 s: %s", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

var calls = limit.Key{What: "calls", Who: "acme"}

// taken counts events on several nodes at once and returns how many were within the limit.
func taken(t *testing.T, nodes []*Node, k limit.Key, events, most int) int {
	t.Helper()
	now := time.Now()
	var counted atomic.Int64
	var group sync.WaitGroup
	for i := range events {
		group.Go(func() {
			c, ok, err := nodes[i%len(nodes)].Take(t.Context(), k, most, now, now.Add(time.Minute))
			if err != nil || c.Used < 1 || c.Used > most || c.Ends.Before(now) || c.Ends.After(now.Add(time.Minute)) {
				t.Errorf("%+v, %v", c, err)
			}
			if ok {
				counted.Add(1)
			}
		})
	}
	group.Wait()
	return int(counted.Load())
}

func TestNodesShareOneLimit(t *testing.T) {
	t.Parallel()
	server := servertest.StartRedis(t)
	nodes := []*Node{open(t, server.URL(), quiet()), open(t, server.URL(), quiet()), open(t, server.URL(), quiet())}
	for n := range 5 {
		k := limit.Key{What: "calls", Who: fmt.Sprint("shop ", n)}
		if got := taken(t, nodes, k, 60, 20); got != 20 {
			t.Errorf("%d of 60 calls were counted, want 20", got)
		}
		if c, err := nodes[1].Look(t.Context(), k, time.Now()); err != nil || c.Used != 20 {
			t.Errorf("Look = %+v, %v; want 20", c, err)
		}
		if err := nodes[2].Return(t.Context(), k, time.Now()); err != nil {
			t.Error(err)
		}
		if got := taken(t, nodes, k, 3, 20); got != 1 {
			t.Errorf("%d calls were counted after one was returned", got)
		}
	}
	if c, err := nodes[0].Look(t.Context(), limit.Key{What: "calls", Who: "none"}, time.Now()); err != nil || c != (limit.Count{}) {
		t.Errorf("Look at no window = %+v, %v", c, err)
	}
}

func TestAWindowEnds(t *testing.T) {
	t.Parallel()
	n := open(t, servertest.StartRedis(t).URL(), quiet())
	take := func() bool {
		now := time.Now()
		_, ok, err := n.Take(t.Context(), calls, 1, now, now.Add(300*time.Millisecond))
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	if !take() || take() {
		t.Error("the window does not have one event")
	}
	eventually(t, "a new window", take)
}

func TestWithoutRedisANodeCountsForItself(t *testing.T) {
	t.Parallel()
	server := servertest.StartRedis(t)
	var text bytes.Buffer
	var mu sync.Mutex // guards text
	log := slog.New(slog.NewTextHandler(locked{&mu, &text}, nil))
	nodes := []*Node{open(t, server.URL(), log), open(t, server.URL(), log)}
	ended := []*atomic.Int64{run(t, nodes[0]), run(t, nodes[1])}
	for i := range nodes {
		eventually(t, "a subscription", func() bool { return ended[i].Load() == 1 })
	}
	nodes[0].AccessEnded(t.Context())
	eventually(t, "a message to the other node", func() bool { return ended[1].Load() == 2 })

	if got := taken(t, nodes, calls, 10, 100); got != 10 {
		t.Errorf("%d of 10 calls were counted", got)
	}
	server.Kill(t)
	began := time.Now()
	if got := taken(t, nodes, calls, 100, 20); got != 40 {
		t.Errorf("%d calls were counted without Redis, want 20 on each of 2 nodes", got)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("100 calls took %s", took)
	}
	nodes[0].AccessEnded(t.Context())
	if !nodes[0].Away() || !nodes[1].Away() {
		t.Error("a node does not notice that Redis is away")
	}
	server.Start(t)
	for i, n := range nodes {
		eventually(t, "Redis is back", func() bool { return !n.Away() })
		eventually(t, "a report after missed messages", func() bool { return ended[i].Load() >= 2 })
	}
	if got := taken(t, nodes, calls, 100, 20); got != 20 {
		t.Errorf("%d calls were counted together after the start, want 20", got)
	}
	mu.Lock()
	defer mu.Unlock()
	if strings.Contains(text.String(), servertest.Password) || !strings.Contains(text.String(), "counts only its own requests") {
		t.Errorf("the log shows the password, or does not show that Redis is away:\n%s", text.String())
	}
}

// locked is a writer for concurrent use.
type locked struct {
	mu   *sync.Mutex
	text *bytes.Buffer
}

// Write implements io.Writer.
func (l locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func TestANodeStartsWithoutRedis(t *testing.T) {
	t.Parallel()
	n := open(t, "redis://127.0.0.1:1/0", quiet())
	if got := taken(t, []*Node{n}, calls, 10, 3); got != 3 || !n.Away() {
		t.Errorf("%d calls were counted, away %v; want 3", got, n.Away())
	}
}

// A Redis user without permission on channels can count requests, but cannot subscribe.
func TestARejectedSubscriptionIsNotRepeatedAtOnce(t *testing.T) {
	t.Parallel()
	server := servertest.StartRedis(t)
	if err := open(t, server.URL(), quiet()).client.Do(t.Context(), "ACL", "SETUSER", "counter", "on", ">pass", "~*", "+@all", "resetchannels").Err(); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	var mu sync.Mutex // guards text
	n := open(t, strings.Replace(server.URL(), ":"+servertest.Password, "counter:pass", 1), slog.New(slog.NewTextHandler(locked{&mu, &text}, nil)))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // ends a node that does not pause
	defer cancel()
	pauses := 0
	n.pause = func(context.Context) {
		if pauses++; pauses == 3 {
			cancel()
		}
	}
	if err := n.Run(ctx, func() {}); err != nil {
		t.Error(err)
	}
	if got := strings.Count(text.String(), "counts only its own requests"); got != 3 {
		t.Errorf("%d subscriptions failed with %d pauses, want 3 with 3", got, pauses)
	}
}

func TestAnInvalidURLIsNotShown(t *testing.T) {
	t.Parallel()
	_, err := Open(t.Context(), Options{URL: "redis://:" + servertest.Password + "\x01@host/x", Log: quiet()})
	if fault.KindOf(err) != fault.KindMisconfigured || strings.Contains(err.Error(), servertest.Password) {
		t.Errorf("error = %v", err)
	}
}
