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
	largeFile = 8 << 20          // bytes, unpacked, from which on a file is read apart, behind a page that tells how far it is
	taskTime  = 30 * time.Minute // that the end of a task can be seen
	taskPause = 3                // seconds after which the page looks again
	tasksKept = 32
)

// answer shows how something ended. The place is as it is when it is shown.
type answer func(http.ResponseWriter, visit, place)

// work is something that is done with a file. It ends with what there is to show; progress may be called with bytes.
type work func(ctx context.Context, progress func(done, total int64)) answer

// task is work on a large file that goes on while nobody looks.
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

// tasks are the tasks of a process. The zero value has none.
type tasks struct {
	mu      sync.Mutex // guards list and what is in it, and stopped
	list    []*task
	stopped bool
	running panics.Group
}

// Run lets tasks go on until ctx ends, then stops them and waits for them. A file is imported wholly or not at all, so
// what is stopped leaves nothing.
func (c *Console) Run(ctx context.Context) error {
	<-ctx.Done()
	c.tasks.mu.Lock()
	c.tasks.stopped = true
	for _, t := range c.tasks.list {
		t.stop()
	}
	c.tasks.mu.Unlock()
	c.tasks.running.Wait()
	return nil
}

// begin notes a task and runs it, unless as many run as files are taken at a time, or the service stops. The oldest that ended
// makes room.
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

// find returns a copy of a task of its owner.
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

// perform does the work on a file: at once when what it holds is small, however it is packed, else as a task to whose page it
// leads. The file is released when the work is done.
func (c *Console) perform(w http.ResponseWriter, v visit, p place, file ingest.File, what string, release func(), do work) {
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
		c.Refuse(w, v.Request, http.StatusServiceUnavailable, "Several files are being read at the moment. Try again in a minute.")
		return
	}
	see(w, taskPath+"?"+url.Values{"workspace": {string(p.Workspace.ID)}, "task": {t.id}}.Encode())
}

// attempted does a task's work. A defect of the service ends the task and not the service.
func (c *Console) attempted(ctx context.Context, t *task, do work) (end answer) {
	err := panics.Caught(func() error {
		end = do(ctx, func(done, total int64) {
			c.tasks.mu.Lock()
			defer c.tasks.mu.Unlock()
			t.done, t.total = done, total
		})
		return nil
	})
	if err != nil {
		c.log.ErrorContext(ctx, "a task of a page failed", slog.String("workspace", string(t.workspace)), slog.Any("error", err))
		end = c.unfinished(t.what) //nolint:contextcheck // it is shown with the request of who looks
	}
	return end
}

func (c *Console) finish(t *task, end answer) {
	c.tasks.mu.Lock()
	defer c.tasks.mu.Unlock()
	t.end, t.until = end, c.now().Add(taskTime)
}

// unfinished says what to do after work that failed for a reason that is not the file's.
func (c *Console) unfinished(what string) answer {
	return func(w http.ResponseWriter, v visit, p place) {
		view := dataView{place: p}
		view.Problem = what + " could not be finished, and nothing was imported. Send the file again. If that fails too, read it on the server: assay import FILE --workspace " +
			string(p.Workspace.ID) + ". The service’s log says why."
		c.showData(w, v, http.StatusInternalServerError, view)
	}
}

// taskView is what the page of a task shows while it runs.
type taskView struct {
	place
	What        string
	Done, Total int64 // bytes
	Percent     int64
}

func (c *Console) taskPage(w http.ResponseWriter, v visit) {
	query := v.URL.Query()
	p, ok := c.importPlace(w, v, query.Get("workspace"))
	if !ok {
		return
	}
	p.Here = dataPath
	t, ok := c.tasks.find(query.Get("task"), v.visitor.User.ID, p.Workspace.ID, c.now())
	switch {
	case !ok:
		c.showData(w, v, http.StatusNotFound, dataView{place: p, Problem: "This work is no longer known: the service was started anew, or half an hour has passed. " +
			"The list of imports below shows whether the file was imported. If not, send it again; nothing is imported twice."})
	case t.end != nil:
		t.end(w, v, p)
	default:
		view := taskView{place: p, What: t.what, Done: t.done, Total: max(t.total, 1)}
		view.Percent = min(99, 100*view.Done/view.Total)
		w.Header().Set("Refresh", strconv.Itoa(taskPause))
		c.render(w, v.Request, http.StatusOK, page{name: "task", title: fmt.Sprintf("%d %%: %s", view.Percent, view.What), view: view, visitor: &v.visitor, wide: true})
	}
}
