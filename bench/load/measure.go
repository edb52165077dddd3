package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"assay/bench/process"
	"assay/bench/report"
)

// mixed lists the tool calls of the workload. Each call has a random period, so that few answers are cached.
var mixed = []struct{ tool, arguments string }{
	{"performance", ``},
	{"performance", `,"model":"linear"`},
	{"trends", ``},
	{"campaigns", ``},
	{"customers", ``},
	{"customers", `,"view":"retention"`},
	{"products", ``},
	{"creators", ``},
}

const (
	callTime = 30 * time.Second // time after which a client gives up
	maxOpen  = 4000             // maximum number of unanswered calls; further calls are not sent
	maxSteps = 20
	calm     = 30 // consecutive calls with usual latency after which the nodes have recovered
)

// outcome is the result of a call.
type outcome int

const (
	answered outcome = iota
	limited          // 429
	refused          // 503 with Retry-After, or a tool error that asks the caller to try again
	unclean          // 503 without Retry-After, or another status
	broken           // no answer within callTime
	unsent           // not sent, because maxOpen calls had no answer
	outcomes         // the number of outcomes
)

var outcomeNames = [outcomes]string{"answered", "429", "503 or try again", "other", "no answer", "not sent"}

// result contains the latencies of a period in milliseconds, by outcome.
type result struct {
	rate    float64
	took    [outcomes]report.Sample
	drained time.Duration // time from the last call to the last answer
}

func (r result) calls() (n int) {
	for _, s := range r.took {
		n += len(s)
	}
	return n
}

func (r result) share(o outcome) float64 { return float64(len(r.took[o])) / float64(max(r.calls(), 1)) }

// inTime reports whether the nodes answer more than 99% of the period's calls and 99% of the answers take at most late.
func (r result) inTime(late time.Duration) bool {
	return r.share(answered) > 0.99 && r.took[answered].Quantile(0.99) <= late.Seconds()*1000
}

// print prints one line of the table.
func (r result) print() {
	fmt.Fprintf(os.Stdout, "%10.0f", r.rate)
	for o := range outcomes {
		fmt.Fprintf(os.Stdout, "%17.1f%%", 100*r.share(o))
	}
	fmt.Fprintf(os.Stdout, "%10.0f%10.0f\n", r.took[answered].Median(), r.took[answered].Quantile(0.99))
}

// call makes a random call of the workload to a random node.
func (s *site) call(ctx context.Context, random *rand.Rand) outcome {
	c := mixed[random.IntN(len(mixed))]
	end := s.last.AddDays(-random.IntN(s.days / 2))
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":{"start_date":%q,"end_date":%q%s}}}`,
		c.tool, end.AddDays(-7-random.IntN(s.days/4)), end, c.arguments)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.urls[random.IntN(len(s.urls))], strings.NewReader(body))
	if err != nil {
		return broken
	}
	request.Header.Set("Authorization", "Bearer "+s.key)
	request.Header.Set("Content-Type", "application/json")
	reply, err := s.client.Do(request)
	if err != nil {
		return broken
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	failed := bytes.Contains(text, []byte(`"isError":true`))
	switch {
	case err != nil:
		return broken
	case reply.StatusCode == http.StatusOK && !failed:
		return answered
	case reply.StatusCode == http.StatusTooManyRequests:
		return limited
	case reply.StatusCode == http.StatusServiceUnavailable && reply.Header.Get("Retry-After") != "",
		failed && bytes.Contains(bytes.ToLower(text), []byte("try again")):
		return refused
	}
	return unclean
}

// period sends calls at a constant rate for the given duration and waits until all calls have ended.
func (s *site) period(ctx context.Context, rate float64, duration time.Duration, seed uint64) result {
	r := result{rate: rate}
	var mu sync.Mutex // guards r
	note := func(o outcome, took time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		r.took[o] = append(r.took[o], took.Seconds()*1000)
	}
	var group sync.WaitGroup
	open := make(chan struct{}, maxOpen)
	watch := process.Begin()
	for i := range int(rate * duration.Seconds()) {
		due := time.Duration(float64(i) / rate * float64(time.Second))
		elapsed, _ := watch.Took()
		select {
		case <-time.After(due - elapsed):
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		select {
		case open <- struct{}{}:
		default:
			note(unsent, 0)
			continue
		}
		group.Go(func() {
			defer func() { <-open }()
			o := s.call(ctx, rand.New(rand.NewPCG(seed, uint64(i))))
			end, _ := watch.Took()
			note(o, end-due)
		})
	}
	sent, _ := watch.Took()
	group.Wait()
	end, _ := watch.Took()
	r.drained = end - sent
	return r
}

// knee raises the rate until the nodes no longer answer in time. It then measures the calls at half of the highest rate
// at which the nodes answer in time.
func (s *site) knee(ctx context.Context, o settings) (half result, err error) {
	fmt.Fprintf(os.Stdout, "%10s", "calls/s")
	for _, name := range outcomeNames {
		fmt.Fprintf(os.Stdout, "%18s", name)
	}
	fmt.Fprintf(os.Stdout, "%10s%10s\n", "p50 ms", "p99 ms")
	knee, seed := 0.0, uint64(2)
	for rate := o.first; seed < maxSteps && ctx.Err() == nil; rate *= o.factor {
		r := s.period(ctx, rate, o.step, seed)
		seed++
		r.print()
		if !r.inTime(o.late) {
			break
		}
		knee = rate
	}
	if ctx.Err() != nil {
		return half, ctx.Err()
	}
	if knee == 0 {
		return half, errors.New("the nodes do not answer the rate of the first step in time: reduce --first")
	}
	fmt.Fprintf(os.Stdout, "\nknee: %.0f calls/s on %d nodes\nhalf of the knee:\n", knee, len(s.nodes))
	half = s.period(ctx, knee/2, 2*o.step, 100)
	half.print()
	return half, ctx.Err()
}

// overload sends calls at twice the knee and prints their outcomes and the recovery time.
func (s *site) overload(ctx context.Context, o settings, half result) error {
	fmt.Fprintln(os.Stdout, "twice the knee:")
	r := s.period(ctx, 4*half.rate, o.overload, 101)
	r.print()
	for _, kind := range []outcome{limited, refused, unclean, broken} {
		if took := r.took[kind]; len(took) > 0 {
			fmt.Fprintf(os.Stdout, "%s: %d calls, p50 %.0f ms, p99 %.0f ms\n", outcomeNames[kind], len(took), took.Median(), took.Quantile(0.99))
		}
	}
	fmt.Fprintf(os.Stdout, "all calls had ended %.1f s after the last one\n", r.drained.Seconds())
	return s.recovery(ctx, max(half.took[answered].Quantile(0.99), 1))
}

// recovery prints how long calls remain slower than usual after the last call of the overload has ended.
func (s *site) recovery(ctx context.Context, usual float64) error {
	watch, inRow := process.Begin(), 0
	random := rand.New(rand.NewPCG(102, 0))
	for inRow < calm {
		began, _ := watch.Took()
		if began > 2*time.Minute {
			fmt.Fprintln(os.Stdout, "recovery: not within two minutes")
			return nil
		}
		o := s.call(ctx, random)
		end, _ := watch.Took()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if inRow++; o != answered || (end-began).Seconds()*1000 > 2*usual {
			inRow = 0
		}
		time.Sleep(20 * time.Millisecond)
	}
	took, _ := watch.Took()
	fmt.Fprintf(os.Stdout, "recovery: %d calls in a row within %.0f ms, twice the p99 at half of the knee, %.1f s later\n", calm, 2*usual, took.Seconds())
	return nil
}
