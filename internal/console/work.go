package console

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"assay/internal/control"
	"assay/internal/ingest"
	"assay/internal/measure"
	"assay/internal/panics"
)

const (
	largeFile = 8 << 20          // unpacked bytes from which a file is read in the background, with a progress page
	taskTime  = 30 * time.Minute // how long the result of a task is available
	taskPause = 3                // seconds between reloads of the progress page
	tasksKept = 32
)

// answer shows the result of a task. It gets the workspace of the request that shows it.
type answer func(http.ResponseWriter, visit, place)

// work processes a file and returns the result page. It reports progress in bytes.
type work func(ctx context.Context, progress func(done, total int64)) answer

// task is background work on a large file.
type task struct {
	id          string
	owner       control.UserID
	workspace   measure.WorkspaceID
	what        string // such as "Reading orders.csv"
	done, total int64  // bytes
	stop        context.CancelFunc
	end         answer // nil while it runs
	until       time.Time
}

// tasks are the background tasks of the process. The zero value is empty.
type tasks struct {
	mu      sync.Mutex // guards list, its elements, and stopped
	list    []*task
	stopped bool
	running panics.Group
}

// end stops all tasks and waits for them. No task begins afterwards.
func (t *tasks) end() {
	t.mu.Lock()
	t.stopped = true
	for _, one := range t.list {
		one.stop()
	}
	t.mu.Unlock()
	t.running.Wait()
}

// begin starts a task and reports whether it did. It does not if the maximum number of tasks runs or the service stops.
// If the list is full, the oldest finished task is removed.
func (t *tasks) begin(n *task, now time.Time, run func()) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.list = slices.DeleteFunc(t.list, func(other *task) bool { return other.end != nil && other.until.Before(now) })
	active := 0
	for _, other := range t.list {
		if other.end == nil {
			active++
		}
	}
	if t.stopped || active >= uploads {
		return false
	}
	if ended := slices.IndexFunc(t.list, func(other *task) bool { return other.end != nil }); len(t.list) >= tasksKept && ended >= 0 {
		t.list = slices.Delete(t.list, ended, ended+1)
	}
	n.id = rand.Text()
	t.list = append(t.list, n)
	t.running.Go(run)
	return true
}

// find returns a copy of a task if it belongs to the owner and the workspace.
func (t *tasks) find(id string, owner control.UserID, ws measure.WorkspaceID, now time.Time) (task, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, one := range t.list {
		if one.id == id && one.owner == owner && one.workspace == ws && (one.end == nil || one.until.After(now)) {
			return *one, true
		}
	}
	return task{}, false
}

// perform processes a file: immediately if its unpacked content is small, otherwise as a background task, and redirects to
// the progress page. It releases the file at the end.
func (c *dataPages) perform(w http.ResponseWriter, v visit, p place, file ingest.File, what string, release func(), do work) {
	if ingest.Weight(file, largeFile) < largeFile {
		defer release()
		_ = http.NewResponseController(w).SetWriteDeadline(c.now().Add(importTime))
		do(v.Context(), nil)(w, v, p)
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(v.Context()), importTime)
	t := &task{owner: v.visitor.User.ID, workspace: p.Workspace.ID, what: what, total: file.Size, stop: stop}
	run := func() {
		defer stop()
		defer release()
		c.finish(t, c.attempted(ctx, t, do))
	}
	if !c.tasks.begin(t, c.now(), run) {
		stop()
		release()
		w.Header().Set("Retry-After", "60")
		c.Refuse(w, v.Request, http.StatusServiceUnavailable, tooManyUploads)
		return
	}
	see(w, taskPath+"?"+url.Values{"workspace": {string(p.Workspace.ID)}, "task": {t.id}}.Encode())
}

// attempted does the work of a task and recovers from a panic.
func (c *dataPages) attempted(ctx context.Context, t *task, do work) (end answer) {
	err := panics.Caught(func() error {
		end = do(ctx, func(done, total int64) {
			c.tasks.mu.Lock()
			defer c.tasks.mu.Unlock()
			t.done, t.total = done, total
		})
		return nil
	})
	if err != nil {
		c.log.ErrorContext(ctx, "background task of a page failed", slog.String("workspace", string(t.workspace)), slog.Any("error", err))
		end = c.unfinished(t.what) //nolint:contextcheck // shown with the request of the viewer
	}
	return end
}

func (c *dataPages) finish(t *task, end answer) {
	c.tasks.mu.Lock()
	defer c.tasks.mu.Unlock()
	t.end, t.until = end, c.now().Add(taskTime)
}

// unfinished shows what to do after an internal error.
func (c *dataPages) unfinished(what string) answer {
	return func(w http.ResponseWriter, v visit, p place) {
		view := dataView{place: p}
		view.Problem = what + " failed because of an internal error. Nothing was imported. Upload the file again. If that fails, import it on the server: assay import FILE --workspace " +
			string(p.Workspace.ID) + ". The log of the service contains the cause."
		c.showData(w, v, http.StatusInternalServerError, view)
	}
}

// taskView is the view of the progress page.
type taskView struct {
	place
	What        string
	Done, Total int64 // bytes
	Percent     int64
}

func (c *dataPages) taskPage(w http.ResponseWriter, v visit) {
	query := v.URL.Query()
	p, ok := c.importPlace(w, v, query.Get("workspace"))
	if !ok {
		return
	}
	p.Here = dataPath
	t, ok := c.tasks.find(query.Get("task"), v.visitor.User.ID, p.Workspace.ID, c.now())
	switch {
	case !ok:
		c.showData(w, v, http.StatusNotFound, dataView{place: p, Problem: "Task not found: the service was restarted, or 30 minutes have passed. " +
			"The list of imports below shows whether the file was imported. If not, upload it again. Nothing is imported twice."})
	case t.end != nil:
		t.end(w, v, p)
	default:
		view := taskView{place: p, What: t.what, Done: t.done, Total: max(t.total, 1)}
		view.Percent = min(99, 100*view.Done/view.Total)
		w.Header().Set("Refresh", strconv.Itoa(taskPause))
		c.render(w, v.Request, http.StatusOK, page{name: "task", title: fmt.Sprintf("%d%%: %s", view.Percent, view.What), view: view, visitor: &v.visitor, wide: true})
	}
}
