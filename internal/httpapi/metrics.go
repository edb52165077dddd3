package httpapi

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are Prometheus metrics in a separate registry. Labels contain no input of callers and no workspaces.
type Metrics struct {
	registry *prometheus.Registry
	calls    *prometheus.CounterVec
	duration *prometheus.HistogramVec
	requests *prometheus.CounterVec
	limited  prometheus.Counter
}

// NewMetrics returns metrics with the value zero.
func NewMetrics() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "assay_calls_total", Help: "Tool calls by tool and outcome.",
		}, []string{"tool", "outcome"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "assay_call_duration_seconds", Help: "Duration of tool calls in seconds.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"tool"}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "assay_http_requests_total", Help: "HTTP requests by route and status.",
		}, []string{"route", "status"}),
		limited: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "assay_rate_limited_total", Help: "Requests rejected by the rate limit.",
		}),
	}
	m.registry.MustRegister(m.calls, m.duration, m.requests, m.limited,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Call implements [Recorder].
func (m *Metrics) Call(tool, outcome string, took time.Duration) {
	m.calls.WithLabelValues(tool, outcome).Inc()
	m.duration.WithLabelValues(tool).Observe(took.Seconds())
}

// Request implements [Recorder].
func (m *Metrics) Request(route string, status int) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
}

// RateLimited implements [Recorder].
func (m *Metrics) RateLimited() { m.limited.Inc() }

// NotLogged adds a counter of the calls that the call log could not store.
func (m *Metrics) NotLogged(count func() int64) {
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "assay_calls_not_logged_total", Help: "Tool calls that the call log dropped.",
	}, func() float64 { return float64(count()) }))
}

// Unopened adds a gauge of the number of workspaces with facts that cannot be opened.
func (m *Metrics) Unopened(count func() int) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "assay_workspaces_unopened", Help: "Workspaces with facts that cannot be opened.",
	}, func() float64 { return float64(count()) }))
}

// AlertsGivenUp adds a gauge of the number of alert messages that were not delivered after the last attempt.
func (m *Metrics) AlertsGivenUp(count func() int) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "assay_alert_messages_given_up", Help: "Alert messages of the last 30 days that were not delivered after the last attempt.",
	}, func() float64 { return float64(count()) }))
}

// Backups adds the time of the last backup and whether the scheduled backups have a problem.
func (m *Metrics) Backups(state func() (last time.Time, failing bool)) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "assay_backup_last_timestamp_seconds", Help: "Time of the last backup; 0: none.",
	}, func() float64 {
		last, _ := state()
		if last.IsZero() {
			return 0
		}
		return float64(last.Unix())
	}), prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "assay_backup_failing", Help: "1 if the last scheduled backup failed or is older than twice its interval.",
	}, func() float64 {
		if _, failing := state(); failing {
			return 1
		}
		return 0
	}))
}

// Defects adds a counter of recovered panics.
func (m *Metrics) Defects(count func() int64) {
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "assay_defects_total", Help: "Recovered panics, in calls and in background work.",
	}, func() float64 { return float64(count()) }))
}

// Handler returns the metrics endpoint for Prometheus. The endpoint has a separate listener, because it is not for
// callers of the API.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry})
}
