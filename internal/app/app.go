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
	"slices"
	"time"

	"github.com/jonboulle/clockwork"

	"assay/internal/accounts"
	"assay/internal/ads/sandbox"
	"assay/internal/alert"
	"assay/internal/auth"
	"assay/internal/backup"
	"assay/internal/bodybudget"
	"assay/internal/budgetchange"
	"assay/internal/config"
	"assay/internal/connlimit"
	"assay/internal/control/calllog"
	"assay/internal/control/sqlstore"
	"assay/internal/datadir"
	"assay/internal/demostore"
	"assay/internal/fault"
	"assay/internal/feed"
	"assay/internal/jobs"
	"assay/internal/languagemodel"
	"assay/internal/limit"
	"assay/internal/limit/shared"
	"assay/internal/measure"
	"assay/internal/oauth/clientip"
	"assay/internal/operation"
	"assay/internal/panics"
	"assay/internal/slowbody"
	"assay/internal/snapshot"
	"assay/internal/socket"
	"assay/internal/toolkit"
	"assay/internal/tools"
	"assay/internal/training"
	"assay/internal/warehouse"
	"assay/internal/warehouse/duckdb"
	"assay/internal/weekly"
)

// instructions explain to the model of an MCP client how to start.
const instructions = "Measures the marketing of an online store. Start with discover (available data) or performance (current results). " +
	"Each answer states its data and method and suggests next steps."

// closeTimeout is the maximum time for which [App.Close] waits for running queries and imports if [App.Serve] has not
// run, as in a command.
const closeTimeout = time.Minute

// Deadlines for reading the header of a request and the whole request. Uploaded files and Singer messages have their
// own deadlines, which start after authentication.
const (
	headTime    = 10 * time.Second
	requestTime = 20 * time.Second
)

// anonymousBodies is the maximum size, in bytes, of all request bodies that the service keeps in memory before their
// callers are authenticated. The bodies from one address use at most a quarter of this memory, so one sender cannot
// block webhooks and sign-ins.
const (
	anonymousBodies = 64 << 20
	addressBodies   = anonymousBodies / 4
)

// Time limits of the steps of a shutdown after shutdown_timeout, when running calls are canceled. Their sum is less
// than two seconds.
const (
	partsTime = 500 * time.Millisecond // time for the background work to end
	flushTime = 500 * time.Millisecond // time for writing the last calls to the call log
	storeTime = 500 * time.Millisecond // time for closing the stores
)

// callLog is the name of the part that writes the call log.
const callLog = "call log"

// App is a data directory that this process has locked, with the service that uses it.
type App struct {
	config  config.Config
	log     *slog.Logger
	now     func() time.Time // the real clock
	lock    *datadir.Lock
	control *Control
	engine  engine

	factsLock *sqlstore.Lock // lock on the control data, if the facts are on this machine
	node      *shared.Node   // this node, if several nodes share a Redis server; nil: without Redis
	facts     *warehouse.Warehouse
	counter   limit.Counter // counter of all rate limits
	limiter   *auth.Limiter
	calls     *calllog.Recorder
	models    *training.Keeper
	jobs      *jobs.Runner
	backups   *backup.Schedule
	budgets   *budgetchange.Executor // executor of changes on ad platforms
	sender    alert.Sender           // sender of alert messages
	sandbox   *sandbox.Sandbox       // simulated ad accounts of the demo store
	accounts  *accounts.Registry
	tools     *toolkit.Service
	clock     func() time.Time   // the clock that answers use
	bodies    *bodybudget.Budget // memory for the bodies of callers that are not authenticated yet
	health    writeCheck         // write check of the control data
	closeBy   time.Time          // deadline for closing the stores; zero: the service has not been shut down

	operations *operation.Service
	messages   *feed.Feed // webhook messages of shops
	weekly     *weekly.Sender
}

// Open locks the data directory for this process and opens its stores. If another process has locked the directory, it
// returns a fault of kind unavailable that names the process.
func Open(ctx context.Context, c config.Config, log *slog.Logger, now func() time.Time) (opened *App, err error) {
	lock, err := datadir.Acquire(c.Data)
	if err != nil {
		return nil, err
	}
	a := &App{
		config: c, log: log, now: now, lock: lock, counter: limit.NewCounter(),
		bodies: bodybudget.New(anonymousBodies, addressBodies),
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close())
		}
	}()
	if err := datadir.MakePrivate(c.Data); err != nil { // a file may belong to another user
		log.WarnContext(ctx, "files of the data directory are readable by other users", slog.Any("error", err))
	}
	if address := c.RedisURL.Text(); address != "" {
		if a.node, err = shared.Open(ctx, shared.Options{URL: address, Log: log}); err != nil {
			return nil, err
		}
		a.counter = a.node
	}
	options := ControlOf(c, now)
	options.Create, options.Log, options.Counter = true, log, a.counter
	if a.control, err = OpenControl(ctx, options); err != nil {
		return nil, err
	}
	if c.FactsURL.Text() == "" {
		if a.factsLock, err = a.control.Store.LockFacts(ctx); err != nil {
			return nil, err
		}
	}
	a.health = writeCheck{ping: a.control.Store.Ping, now: now}
	if a.engine, err = openFacts(ctx, c, a.control.Store, log, now); err != nil {
		return nil, err
	}
	a.facts = warehouse.New(a.engine)
	if err := datadir.Empty(filepath.Join(c.Data, datadir.Uploads)); err != nil {
		return nil, err
	}
	a.facts.Forgetting(a.control.Store.ForgottenCustomers)
	a.models = training.New(training.Options{
		Store: a.control.Store, Facts: a.facts, Experiments: a.control.Store,
		Now: now, Today: a.today, Running: a.training, Save: a.saveModels, Log: log,
	})
	if err := a.takeOver(ctx); err != nil {
		return nil, err
	}
	alone := c.ControlURL.Text() == "" || a.factsLock != nil
	if alone { // no other process runs jobs, so the leases of ended processes are stale
		if err := a.control.Store.ReleaseJobs(ctx); err != nil {
			return nil, err
		}
	}
	a.jobs = jobs.New(jobs.Options{
		Store: a.control.Store, Alone: alone, File: filepath.Join(c.Data, datadir.Jobs),
		Routines: a.routines(), Clock: clockwork.NewRealClock(), Log: log,
	})
	if a.backups, err = a.newBackups(); err != nil {
		return nil, err
	}
	if err := a.openAccounts(); err != nil {
		return nil, err
	}
	a.budgets = a.newBudgets(a.accounts)
	a.limiter = auth.NewLimiter(auth.LimiterOptions{
		Tiers: c.RateTiers, Override: c.RateLimit, Orders: a.facts, Counter: a.counter, Now: now, Log: log,
	})
	mailer, err := alert.NewMailer(c.SMTPURL.Text(), c.SMTPFrom)
	if err != nil {
		return nil, fmt.Errorf("smtp_url: %w", err)
	}
	a.sender = alert.Sender{Hooks: alert.NewHooks(a.control.Installation.Unseal, a.now), Mail: mailer}
	a.calls = calllog.New(calllog.Options{Store: a.control.Store, Counter: a.counter, Now: now, Log: log})
	if err := a.setClock(); err != nil {
		return nil, err
	}
	return a, nil
}

// takeOver moves the models that an earlier release stored in the data directory to the control data.
func (a *App) takeOver(ctx context.Context) error {
	all, err := a.control.Store.Workspaces(ctx)
	if err != nil {
		return err
	}
	return a.models.TakeOver(ctx, filepath.Join(a.config.Data, datadir.Models), all)
}

// setClock builds the tools and operations with the clock of the data directory.
func (a *App) setClock() error {
	clock, err := demostore.Clock(a.config.Data, a.now)
	if err != nil {
		return err
	}
	a.clock = clock
	deps := toolkit.Deps{
		Sources: snapshot.Sources{
			Facts: a.facts, Models: a.models, Experiments: a.control.Store, Forecasts: a.control.Store, Annotations: a.control.Store, AlertEvents: a.control.Store,
			Governance: a.control.Store, Changes: a.control.Store, Clock: clock, Now: a.now,
		},
		Keys: a.control.Store, Hooks: a.control.Store, Accounts: a.control.Store, Backups: a.backupState, Budgets: budgetTools{a}, Records: recordTools{a}, Calls: a.calls, Callers: auth.NewAuthority(a.control.Store, a.now), Log: a.log,
	}
	if model := languagemodel.New(languagemodel.Options{
		URL: a.config.AskURL, Model: a.config.AskModel, Key: a.config.AskKey.Text(), Names: a.config.AskNames == config.NamesShared,
	}); model != nil {
		deps.Language = model
	}
	a.tools, err = toolkit.NewService(deps, tools.All())
	if err != nil {
		return err
	}
	a.operations = operation.New(a.control.Control, operation.Facts{
		Warehouse: a.facts, Models: a.models, Jobs: a.jobs, TempDir: filepath.Join(a.config.Data, datadir.Uploads), Parquet: duckdb.ParquetToCSV, Known: a.tools, Lag: a.tools.Snapshots(),
		Drop: a.dropFacts, Unopened: a.engine.Unopened, Backups: a.backups, Accounts: a.accounts, Budgets: a.budgets, Clock: clock,
		Snapshots: a.tools.Snapshots(), Sender: a.sender,
	})
	a.weekly = weekly.New(weekly.Options{
		Store: a.control.Store, Post: a.sender.Mail, Ask: a.tools.Answer, Now: a.now, Clock: clock, URL: a.config.BaseURL, Log: a.log,
	})
	a.operations.Weekly = a.weekly.Write
	a.messages = feed.New(feed.Options{Operations: a.operations, Bodies: a.bodies})
	return nil
}

// Facts returns the facts of the data directory.
func (a *App) Facts() *warehouse.Warehouse { return a.facts }

// Close closes the stores and unlocks the directory.
func (a *App) Close() error {
	var errs []error
	if a.engine != nil {
		by := a.closeBy
		if by.IsZero() {
			by = a.now().Add(closeTimeout)
		}
		last, cancel := context.WithDeadline(context.Background(), by)
		defer cancel()
		errs = append(errs, a.engine.Close(last))
	}
	if a.node != nil {
		errs = append(errs, a.node.Close())
	}
	if a.factsLock != nil {
		a.factsLock.Release()
	}
	if a.control != nil {
		errs = append(errs, a.control.Close(), datadir.Empty(filepath.Join(a.config.Data, datadir.Uploads))) // uploads that are no longer needed
	}
	return errors.Join(append(errs, a.lock.Release())...)
}

// dropFacts removes a workspace's facts.
func (a *App) dropFacts(ctx context.Context, id measure.WorkspaceID) error {
	return errors.Join(a.jobs.Drop(ctx, id), a.engine.Drop(ctx, id), a.models.Drop(ctx, id))
}

// HasWorkspaces reports whether the data directory has a workspace.
func (a *App) HasWorkspaces(ctx context.Context) (bool, error) {
	all, err := a.control.Store.Workspaces(ctx)
	return len(all) > 0, err
}

// CanListen returns a fault if the address is in use. It is called before anything is created for the service.
func CanListen(ctx context.Context, addr string) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return addressInUse(addr, err)
	}
	return listener.Close()
}

func addressInUse(addr string, err error) error {
	return fault.Unavailable("cannot listen on address %s", addr).Wrap(err).
		WithHint("stop the process that uses the port, or pass another --addr")
}

// ready returns an error if the stores cannot be used.
func (a *App) ready(ctx context.Context) error {
	return errors.Join(a.health.check(ctx), a.engine.Ping(ctx))
}

// tryAgain is the interval between attempts to open facts that could not be opened.
const tryAgain = time.Minute

// tryFacts opens the facts of all workspaces in sequence. It logs failures, and it rebuilds roll-ups that stores of an
// earlier release lack. A failure does not affect other workspaces. Until ctx ends, tryFacts tries again to open the
// facts that could not be opened.
func (a *App) tryFacts(ctx context.Context) error {
	all, err := a.control.Store.Workspaces(ctx)
	if err != nil {
		return err
	}
	for i, w := range all {
		if ctx.Err() != nil {
			return nil
		}
		if a.engine.Try(ctx, w.ID) == nil { // Try logs an error
			a.catchUp(ctx, w.ID)
		}
		if i < len(all)-1 && len(all) > a.config.MaxAttached { // with many stores, only the stores in use remain open
			_ = a.engine.Rest(ctx, w.ID) // if this fails, the file stays open
		}
	}
	again := time.NewTicker(tryAgain)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-again.C:
			for ws := range a.engine.Unopened() {
				if a.engine.Try(ctx, ws) == nil {
					a.catchUp(ctx, ws)
				}
			}
			if err := a.engine.CloseIdle(ctx); err != nil && ctx.Err() == nil {
				a.log.WarnContext(ctx, "unused facts files cannot be closed", slog.Any("error", err))
			}
		}
	}
}

// unopened returns the number of workspaces with facts that cannot be opened.
func (a *App) unopened() int { return len(a.engine.Unopened()) }

// Serve answers requests until ctx ends, then finishes running requests. It calls the function ready with the base URL
// once it accepts requests. Serve and [App.Close] together end within two seconds after the shutdown timeout, even if
// work ignores its cancellation. Imports are transactions, so no import is stored partially.
func (a *App) Serve(ctx context.Context, ready func(baseURL string) error) error {
	if err := a.backups.Check(); err != nil {
		return err
	}
	a.trainDemo(ctx)
	open, err := a.listen(ctx)
	if err != nil {
		return err
	}
	baseURL := a.config.BaseURL
	if baseURL == "" {
		baseURL = ownURL(open.calls.Addr())
	}
	if a.config.PlainHTTP() {
		a.log.WarnContext(ctx, "passwords and API keys cross the network without encryption: set base_url to the https URL of a reverse proxy, or listen on 127.0.0.1",
			slog.String("addr", a.config.Addr))
	}
	face, err := a.newFront(baseURL)
	if err != nil {
		open.close()
		return err
	}
	a.control.onAccessEnded(a.accessEnded(face.keys.Invalidate)) //nolint:contextcheck // ended access is reported even if its caller has disconnected
	group, running := newParts(ctx)
	server := &http.Server{
		Handler:           face.handler,
		ReadHeaderTimeout: headTime,
		ReadTimeout:       requestTime,
		WriteTimeout:      2 * time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10, // untrusted input: many connections may each send this much
	}
	slowbody.Watch(server, a.now)
	a.run(running, group, a.limited(open.calls), server)
	// An import may run for an hour, so commands have no write deadline.
	commands := &http.Server{Handler: socket.NewHandler(a.operations), ReadHeaderTimeout: 10 * time.Second}
	slowbody.Watch(commands, a.now)
	a.run(running, group, open.commands, commands)
	if open.metrics != nil {
		mux := http.NewServeMux()
		mux.Handle("GET /metrics", face.metrics.Handler())
		a.run(running, group, open.metrics, &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: time.Minute})
	}
	for _, part := range []struct {
		name string
		run  func(ctx context.Context) error
	}{
		{"API keys", face.keys.Run},
		{"OAuth server", face.server.Run},
		{"rate limits", a.limiter.Run},
		{callLog, a.calls.Run},
		{"webhook messages", a.messages.Run},
		{"opening of facts", a.tryFacts},
		{"loading of models", a.warmModels},
		{"training of the search", a.warmSearch},
		{"decisions", a.warmDecisions},
		{"jobs", a.jobs.Run},
		{"backups", a.backups.Run},
		{"tests of connections", a.watchConnections},
		{"budget changes", a.settleBudgets},
		{"alert rules", a.watchAlerts},
		{"alert messages", a.deliverAlerts},
		{"weekly summaries", a.weekly.Run},
		{"other nodes", func(ctx context.Context) error { return a.hearNodes(ctx, face.keys.Invalidate) }},
	} {
		group.Go(part.name, func() error { return a.tend(running, part.run) })
	}
	group.Go("start", func() error { return ready(baseURL) })
	<-running.Done()
	a.closeBy = a.now().Add(a.config.ShutdownTimeout + partsTime + flushTime + storeTime)
	cutOff, err := group.wait(a.config.ShutdownTimeout + partsTime)
	if len(cutOff) > 0 {
		a.log.WarnContext(ctx, "work was cut off on shutdown", slog.Any("work", cutOff),
			slog.Duration("waited", a.config.ShutdownTimeout+partsTime))
	}
	if slices.Contains(cutOff, callLog) {
		return err // the call log may still be writing
	}
	last, cancel := context.WithDeadline(context.WithoutCancel(ctx), a.closeBy.Add(-storeTime))
	defer cancel()
	a.calls.Flush(last)
	return err
}

// restPause is the delay before background work is restarted after a panic.
const restPause = 10 * time.Second

// tend runs background work until ctx ends and restarts it after a panic. Calls and other background work continue.
// Work that is interrupted by the end of ctx is not a failure.
func (a *App) tend(ctx context.Context, part func(ctx context.Context) error) error {
	for {
		err := panics.Caught(func() error { return part(ctx) })
		if ctx.Err() != nil && errors.Is(err, context.Canceled) {
			return nil
		}
		if _, is := errors.AsType[*panics.Error](err); !is {
			return err
		}
		a.log.ErrorContext(ctx, "background work panicked and is restarted", slog.Any("error", err))
		select {
		case <-time.After(restPause):
		case <-ctx.Done():
			return nil
		}
	}
}

// listeners are the open listeners of the service.
type listeners struct{ calls, commands, metrics net.Listener }

func (l listeners) close() {
	for _, each := range []net.Listener{l.calls, l.commands, l.metrics} {
		if each != nil {
			each.Close()
		}
	}
}

// listen opens all addresses, or none.
func (a *App) listen(ctx context.Context) (open listeners, err error) {
	defer func() {
		if err != nil {
			open.close()
		}
	}()
	if open.calls, err = new(net.ListenConfig).Listen(ctx, "tcp", a.config.Addr); err != nil {
		return open, addressInUse(a.config.Addr, err)
	}
	if open.commands, err = socket.Listen(ctx, a.config.Data); err != nil {
		return open, err
	}
	if a.config.MetricsAddr != "" {
		if open.metrics, err = new(net.ListenConfig).Listen(ctx, "tcp", a.config.MetricsAddr); err != nil {
			return open, fault.Unavailable("cannot listen on metrics address %s", a.config.MetricsAddr).Wrap(err)
		}
	}
	return open, nil
}

// accessEnded returns the function that is called after credentials end. The function clears the credential caches of
// this node and of the other nodes.
func (a *App) accessEnded(invalidate func()) func() {
	return func() {
		invalidate()
		if a.node != nil {
			a.node.AccessEnded(context.Background()) // the change is stored, even if its caller has disconnected
		}
	}
}

// hearNodes calls invalidate when another node reports that credentials ended or settings changed. It returns when ctx
// ends.
func (a *App) hearNodes(ctx context.Context, invalidate func()) error {
	if a.node == nil {
		<-ctx.Done()
		return nil
	}
	return a.node.Run(ctx, invalidate)
}

// limited limits the number of connections per client address.
func (a *App) limited(calls net.Listener) net.Listener {
	if a.config.MaxConnections.IsUnlimited() {
		return calls
	}
	return connlimit.Listen(calls, connlimit.Options{
		PerAddress: int(a.config.MaxConnections), Of: clientip.NewAddresses(a.config.TrustedProxies).OfConnection, Now: a.now, Log: a.log,
	})
}

// ownURL returns the URL of an address on this machine. If the service listens on all interfaces, the URL has the
// loopback address. Other machines need a base URL in the settings.
func ownURL(addr net.Addr) string {
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("http://127.0.0.1:%d", tcp.Port)
	}
	return "http://" + addr.String()
}

// run serves a listener until ctx ends and then waits for running requests.
func (a *App) run(ctx context.Context, group *parts, listener net.Listener, server *http.Server) {
	server.ErrorLog = slog.NewLogLogger(a.log.Handler(), slog.LevelDebug)
	name := "calls on " + listener.Addr().String()
	group.Go(name, func() error {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("listener %s: %w", listener.Addr(), err)
		}
		return nil
	})
	group.Go(name, func() error {
		<-ctx.Done()
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.config.ShutdownTimeout)
		defer cancel()
		if err := server.Shutdown(last); err != nil {
			a.log.WarnContext(last, "calls were cut off on shutdown", slog.String("address", listener.Addr().String()),
				slog.Duration("waited", a.config.ShutdownTimeout), slog.Any("error", err))
			return server.Close()
		}
		return nil
	})
}
