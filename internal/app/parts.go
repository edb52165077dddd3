package app

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"assay/internal/panics"
)

// parts are the concurrent parts of a service. Their context ends on shutdown, or when one of them fails.
type parts struct {
	work panics.Group
	end  context.CancelFunc // cancels their context

	mu      sync.Mutex     // guards the fields below
	running map[string]int // number of running parts by name
	failure error          // the first error of a part
}

func newParts(ctx context.Context) (*parts, context.Context) {
	running, end := context.WithCancel(ctx)
	return &parts{end: end, running: map[string]int{}}, running
}

// Go runs a part. The name identifies the part in the log if the part does not end on shutdown.
func (p *parts) Go(name string, run func() error) {
	p.mu.Lock()
	p.running[name]++
	p.mu.Unlock()
	p.work.Go(func() {
		err := panics.Caught(run)
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.running[name]--; p.running[name] == 0 {
			delete(p.running, name)
		}
		if err != nil {
			p.end()
			p.failure = cmp.Or(p.failure, err)
		}
	})
}

// wait waits for all parts, at most for the duration most. It returns the names of parts that are still running and the
// first error of a part.
func (p *parts) wait(most time.Duration) (cutOff []string, err error) {
	ended := make(chan struct{})
	var waiting panics.Group
	waiting.Go(func() {
		p.work.Wait()
		p.end()
		close(ended)
	})
	last := time.NewTimer(most)
	defer last.Stop()
	select {
	case <-ended:
	case <-last.C:
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.running)), p.failure
}
