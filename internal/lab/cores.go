package lab

import (
	"runtime"
	"sync/atomic"

	"assay/internal/panics"
)

// onAllCores calls the function do for 0 ≤ i < n in parallel. If do stores its result at index i, results do not depend
// on the number of cores.
func onAllCores(n int, do func(i int)) {
	var next atomic.Int64
	var workers panics.Group
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	workers.Wait()
}
