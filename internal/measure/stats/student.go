package stats

import (
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/stat/distuv"
)

// Student returns the two-sided quantile of Student's t distribution. A quantile takes as long as fifty thousand
// multiplications, and callers repeat arguments, so quantiles are cached.
func Student(level, freedom float64) float64 {
	key := student{level, freedom}
	if known, ok := students.Load(key); ok {
		return known.(float64)
	}
	q := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile((1 + level) / 2)
	if remembered.Add(1) <= mostRemembered {
		students.Store(key, q)
	}
	return q
}

type student struct{ level, freedom float64 }

// students caches at most mostRemembered quantiles of Student's t distribution. The cache uses one to two megabytes.
var (
	students   sync.Map
	remembered atomic.Int64
)

const mostRemembered = 20_000
