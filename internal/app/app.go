// Package app builds the service's parts from a configuration, runs them and stops them.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"assay/internal/auth"
	"assay/internal/config"
	"assay/internal/fault"
	"assay/internal/httpapi"
	"assay/internal/mcp"
	"assay/internal/measure"
	"assay/internal/tools"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
)

// instructions tell a client's model how to begin.
const instructions = "Measures the marketing of an online store. Start with discover (what there is) or performance (how it goes); " +
	"each answer names what it rests on and what to ask next."

// App is a data directory that this process holds, with everything that answers from it.
type App struct {
	config  config.Config
	log     *slog.Logger
	now     func() time.Time // the real clock
	held    *directory
	control *Control
	engine  *duckdb.Engine
	facts   *warehouse.Warehouse
	limiter *auth.Limiter
	tools   *tools.Service
}

// Open takes the data directory for this process and opens its stores. A directory that another process holds is
// a fault of kind unavailable that names the process.
func Open(ctx context.Context, c config.Config, log *slog.Logger, now func() time.Time) (opened *App, err error) {
	held, err := hold(c.Data)
	if err != nil {
		return nil, err
	}
	a := &App{config: c, log: log, now: now, held: held}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close())
		}
	}()
	if a.control, err = OpenControl(ctx, ControlOptions{Data: c.Data, Create: true, Now: now, Log: log}); err != nil {
		return nil, err
	}
	a.engine, err = duckdb.Open(ctx, duckdb.Options{
		Dir: filepath.Join(c.Data, "facts"), Log: log, Clock: now, MemoryLimit: c.MemoryLimit,
	})
	if err != nil {
		return nil, err
	}
	a.facts = warehouse.New(a.engine)
	a.limiter = auth.NewLimiter(auth.LimiterOptions{Tiers: c.RateTiers, Override: c.RateLimit, Orders: a.facts, Now: now, Log: log})
	return a, a.setClock()
}

// setClock makes the tools answer by the directory's clock.
func (a *App) setClock() error {
	clock, err := answerClock(a.config.Data, a.now)
	if err != nil {
		return err
	}
	a.tools, err = tools.NewService(tools.Deps{Facts: a.facts, Keys: a.control.Store, Clock: clock, Log: a.log})
	return err
}

// Close closes the stores and gives the directory back.
func (a *App) Close() error {
	var errs []error
	if a.engine != nil {
		errs = append(errs, a.engine.Close(context.Background()))
	}
	if a.control != nil {
		errs = append(errs, a.control.Close())
	}
	return errors.Join(append(errs, a.held.release())...)
}

// dropFacts removes a workspace's facts.
func (a *App) dropFacts(ctx context.Context, id measure.WorkspaceID) error {
	return a.engine.Drop(ctx, id)
}

// ready reports whether the stores answer.
func (a *App) ready(ctx context.Context) error {
	return errors.Join(a.control.Store.Ping(ctx), a.engine.Ping(ctx))
}

// handler is what the network sees.
func (a *App) handler(baseURL string, metrics *httpapi.Metrics) http.Handler {
	return httpapi.New(httpapi.Options{
		BaseURL:        baseURL,
		Auth:           a.control.Keys,
		Limits:         a.limiter,
		Session:        func(p auth.Principal, requestID string) mcp.Session { return a.tools.Session(p, requestID) },
		Tools:          toolDocs(),
		AllowedOrigins: a.config.AllowedOrigins,
		Ready:          a.ready,
		Log:            a.log,
		Version:        Version(),
		Metrics:        metrics,
		Now:            a.now,
		Instructions:   instructions,
	})
}

// Serve answers calls until ctx ends, then finishes those that run. It calls ready with the base URL once calls
// are accepted.
func (a *App) Serve(ctx context.Context, ready func(baseURL string) error) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", a.config.Addr)
	if err != nil {
		return fault.Unavailable("address %s cannot be listened on", a.config.Addr).Wrap(err).
			WithHint("stop what uses the port, or pass another --addr")
	}
	commands, err := listenSocket(ctx, a.config.Data)
	if err != nil {
		listener.Close()
		return err
	}
	baseURL := a.config.BaseURL
	if baseURL == "" {
		baseURL = "http://" + listener.Addr().String()
	}
	metrics := httpapi.NewMetrics()
	group, running := errgroup.WithContext(ctx)
	a.run(group, running, listener, a.handler(baseURL, metrics))
	a.run(group, running, commands, a.commandHandler())
	if a.config.MetricsAddr != "" {
		scraped, err := new(net.ListenConfig).Listen(ctx, "tcp", a.config.MetricsAddr)
		if err != nil {
			listener.Close()
			commands.Close()
			return fault.Unavailable("metrics address %s cannot be listened on", a.config.MetricsAddr).Wrap(err)
		}
		mux := http.NewServeMux()
		mux.Handle("GET /metrics", metrics.Handler())
		a.run(group, running, scraped, mux)
	}
	group.Go(func() error { return a.control.Keys.Run(running) })
	group.Go(func() error { return a.limiter.Run(running) })
	group.Go(func() error { return ready(baseURL) })
	return group.Wait()
}

// run serves a listener until ctx ends and then waits for the requests that run.
func (a *App) run(group *errgroup.Group, ctx context.Context, listener net.Listener, handler http.Handler) {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(a.log.Handler(), slog.LevelDebug),
	}
	group.Go(func() error {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("listener %s: %w", listener.Addr(), err)
		}
		return nil
	})
	group.Go(func() error {
		<-ctx.Done()
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.config.ShutdownTimeout)
		defer cancel()
		if err := server.Shutdown(last); err != nil {
			return errors.Join(fmt.Errorf("calls on %s did not end within %s: %w", listener.Addr(), a.config.ShutdownTimeout, err), server.Close())
		}
		return nil
	})
}
