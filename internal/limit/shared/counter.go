// Package shared counts events for several nodes in one Redis server. It also informs the nodes when keys or settings
// change.
//
// While Redis does not answer, each node counts its own requests, so requests are neither rejected nor unlimited.
package shared

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"assay/internal/fault"
	"assay/internal/limit"
)

const (
	answerTime = 100 * time.Millisecond // maximum time for Redis to answer for one event
	probeTime  = 2 * time.Second        // maximum time for Redis to answer a probe
	probeEvery = time.Second            // interval of probes while Redis does not answer
)

// Options describe the Redis server.
type Options struct {
	URL string // redis://:password@host:port/database or rediss://; installations on one server use different databases
	Log *slog.Logger
}

// Node is the connection of this node to Redis. It implements [limit.Counter]. Its methods are safe for concurrent use.
type Node struct {
	client *redis.Client
	prefix string
	own    limit.Counter // used while Redis does not answer
	away   atomic.Bool
	log    *slog.Logger
	answer time.Duration             // maximum time for Redis to answer for one event
	pause  func(ctx context.Context) // replaced in tests
}

// Open returns a node. A server that does not answer is not an error, because [Node.Run] tries again.
func Open(ctx context.Context, o Options) (*Node, error) {
	options, err := redis.ParseURL(o.URL)
	if err != nil { // the error may contain the password
		return nil, fault.New(fault.KindMisconfigured, "the URL of Redis is not valid").
			WithHint("use redis://:password@host:6379/0, or rediss:// with TLS; special characters of the password are percent-encoded")
	}
	options.ContextTimeoutEnabled = true
	options.MaxRetries = -1 // an event is counted once
	options.DialTimeout, options.DisableIdentity = probeTime, true
	n := &Node{
		client: redis.NewClient(options), prefix: "assay:" + strconv.Itoa(options.DB) + ":", own: limit.NewCounter(), log: o.Log, answer: answerTime,
		pause: pause,
	}
	n.away.Store(true)
	if err := n.probe(ctx); err != nil {
		n.log.WarnContext(ctx, "Redis does not answer: this node counts only its own requests", slog.Any("error", err))
	}
	return n, nil
}

// Close ends the connections.
func (n *Node) Close() error { return n.client.Close() }

// Away reports whether this node counts only its own requests.
func (n *Node) Away() bool { return n.away.Load() }

func (n *Node) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	if err := n.client.Ping(ctx).Err(); err != nil {
		return err
	}
	if n.away.Swap(false) {
		n.log.InfoContext(ctx, "Redis answers: nodes share their request counts")
	}
	return nil
}

// lost records that Redis did not answer. It ignores canceled calls, because they can fail while Redis works.
func (n *Node) lost(ctx context.Context, err error) {
	if ctx.Err() == nil && !n.away.Swap(true) {
		n.log.WarnContext(ctx, "Redis does not answer: this node counts only its own requests", slog.Any("error", err))
	}
}

// take counts an event unless the window is full. A window starts with its first event and ends by the clock of Redis.
// The script returns the number of events, whether this event was counted, and the milliseconds until the end.
var take = redis.NewScript(`
local used = tonumber(redis.call('GET', KEYS[1]) or '0')
local counted = 0
if used < tonumber(ARGV[1]) then
  used = redis.call('INCR', KEYS[1])
  if used == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
  counted = 1
end
return {used, counted, redis.call('PTTL', KEYS[1])}`)

// Take implements [limit.Counter].
func (n *Node) Take(ctx context.Context, k limit.Key, most int, now, until time.Time) (limit.Count, bool, error) {
	if !n.away.Load() {
		got, err := n.ask(ctx, take, k, most, max(until.Sub(now).Milliseconds(), 1))
		if err == nil && len(got) == 3 {
			c := limit.Count{Used: min(int(got[0]), most), Ends: now.Add(time.Duration(max(got[2], 0)) * time.Millisecond)}
			return c, got[1] == 1, nil
		}
		n.lost(ctx, err)
	}
	return n.own.Take(ctx, k, most, now, until)
}

var giveBack = redis.NewScript(`
local used = tonumber(redis.call('GET', KEYS[1]) or '0')
if used > 0 then redis.call('DECR', KEYS[1]) end
return {}`)

// Return implements [limit.Counter].
func (n *Node) Return(ctx context.Context, k limit.Key, now time.Time) error {
	if !n.away.Load() {
		_, err := n.ask(ctx, giveBack, k)
		if err == nil {
			return nil
		}
		n.lost(ctx, err)
	}
	return n.own.Return(ctx, k, now)
}

var look = redis.NewScript(`return {tonumber(redis.call('GET', KEYS[1]) or '0'), redis.call('PTTL', KEYS[1])}`)

// Look implements [limit.Counter].
func (n *Node) Look(ctx context.Context, k limit.Key, now time.Time) (limit.Count, error) {
	if !n.away.Load() {
		got, err := n.ask(ctx, look, k)
		if err == nil && len(got) == 2 {
			if got[1] < 0 {
				return limit.Count{}, nil
			}
			return limit.Count{Used: int(got[0]), Ends: now.Add(time.Duration(got[1]) * time.Millisecond)}, nil
		}
		n.lost(ctx, err)
	}
	return n.own.Look(ctx, k, now)
}

func (n *Node) ask(ctx context.Context, s *redis.Script, k limit.Key, args ...any) ([]int64, error) {
	ctx, cancel := context.WithTimeout(ctx, n.answer)
	defer cancel()
	return s.Run(ctx, n.client, []string{n.keyOf(k)}, args...).Int64Slice()
}

// keyOf returns the key in Redis. Addresses and accounts are hashed.
func (n *Node) keyOf(k limit.Key) string {
	sum := sha256.Sum256([]byte(n.prefix + k.Who))
	return n.prefix + "limit:" + k.What + ":" + hex.EncodeToString(sum[:16])
}

// AccessEnded informs the other nodes that keys or settings have changed, so that they read the store again.
func (n *Node) AccessEnded(ctx context.Context) {
	if n.away.Load() {
		return // the caches of other nodes expire after a few seconds
	}
	ctx, cancel := context.WithTimeout(ctx, n.answer)
	defer cancel()
	if err := n.client.Publish(ctx, n.channel(), "").Err(); err != nil {
		n.lost(ctx, err)
	}
}

func (n *Node) channel() string { return n.prefix + "access-ended" }

// Run calls the function ended when another node reports that keys or settings have changed. It also calls ended after
// each new subscription, because earlier messages may have been missed. While Redis does not answer, Run probes it. Run
// ends when ctx ends and returns nil.
func (n *Node) Run(ctx context.Context, ended func()) error {
	for ctx.Err() == nil {
		if n.away.Load() && n.probe(ctx) != nil {
			n.pause(ctx)
			continue
		}
		if err := n.listen(ctx, ended); err != nil {
			n.lost(ctx, err)
			n.pause(ctx) // Redis can answer the probe and reject the subscription
		}
	}
	return nil
}

// listen receives messages until the connection ends or Redis does not answer.
func (n *Node) listen(ctx context.Context, ended func()) error {
	messages := n.client.Subscribe(ctx, n.channel())
	defer messages.Close()
	for ctx.Err() == nil && !n.away.Load() {
		received, err := messages.ReceiveTimeout(ctx, probeEvery)
		var network interface{ Timeout() bool }
		switch {
		case errors.As(err, &network) && network.Timeout():
			continue // no message
		case err != nil:
			return err
		}
		switch received.(type) {
		case *redis.Message, *redis.Subscription: // messages before the subscription were missed
			ended()
		}
	}
	return nil
}

func pause(ctx context.Context) {
	select {
	case <-time.After(probeEvery):
	case <-ctx.Done():
	}
}
