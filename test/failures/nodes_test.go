package failures

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// link is a TCP connection to a server that the test can cut. A cut link transports no byte and closes no connection,
// like a network without a route. Bytes that were sent before the cut may arrive after the link is restored.
type link struct {
	listener net.Listener
	target   string
	mu       sync.Mutex // guards open
	open     chan struct{}
}

func newLink(t *testing.T, target string) *link {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &link{listener: listener, target: target, open: make(chan struct{})}
	close(l.open)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go l.serve(c)
		}
	}()
	return l
}

func (l *link) address() string { return l.listener.Addr().String() }

// state returns a channel that is closed while the link is open.
func (l *link) state() chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open
}

func (l *link) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = make(chan struct{})
}

func (l *link) mend() { close(l.state()) }

func (l *link) serve(client net.Conn) {
	defer client.Close()
	<-l.state()
	server, err := net.DialTimeout("tcp", l.target, 5*time.Second)
	if err != nil {
		return
	}
	defer server.Close()
	ended := make(chan struct{}, 2)
	for _, way := range [][2]net.Conn{{client, server}, {server, client}} {
		go func() {
			defer func() { ended <- struct{}{} }()
			b := make([]byte, 32<<10)
			for {
				n, err := way[0].Read(b)
				<-l.state()
				if n > 0 {
					if _, err := way[1].Write(b[:n]); err != nil {
						return
					}
				}
				if err != nil {
					return
				}
			}
		}()
	}
	<-ended
}

// node is a process of the service. It connects to each server through a link that tests can cut.
type node struct {
	t       *testing.T
	name    string
	address string
	dir     string
	program string
	env     []string         // environment of the service and of the node's commands
	preload []string         // environment of the service only
	links   map[string]*link // links by server
	client  *http.Client

	mu   sync.Mutex // guards cmd
	cmd  *exec.Cmd
	down atomic.Bool // killed, or not ready after a kill
}

// start starts the process and waits until it is ready.
func (n *node) start() error {
	cmd := exec.Command(n.program, "serve")
	cmd.Env = append(slices.Clip(n.env), n.preload...)
	log, err := os.OpenFile(filepath.Join(n.t.ArtifactDir(), n.name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd.Stderr = log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	listening := make(chan struct{}, 1)
	go func() {
		ready := false
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "ready: ") {
				ready = true
				listening <- struct{}{}
			}
		}
		close(listening)
		if ready && !n.down.Load() {
			n.t.Errorf("%s has ended, and no failure of the test ends it: %v: %s", n.name, cmd.Wait(), end(log.Name()))
		}
	}()
	// If the channel is closed, the process has ended before it was ready.
	if _, ok := <-listening; !ok {
		text, _ := os.ReadFile(log.Name())
		err := cmd.Wait()
		return fmt.Errorf("%s ended before it was ready: %w: %s", n.name, err, text[max(0, bytes.LastIndex(text, []byte("assay: "))):])
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cmd = cmd
	n.down.Store(false)
	return nil
}

// end returns the end of a log.
func end(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-8<<10):])
}

func (n *node) kill() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.down.Store(true)
	_ = n.cmd.Process.Kill()
	_ = n.cmd.Wait()
	n.client.CloseIdleConnections()
}

// command returns a command of the program that runs in the node's data directory.
func (n *node) command(input string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(n.t.Context(), n.program, args...)
	cmd.Env, cmd.Stdin = n.env, strings.NewReader(input)
	return cmd
}

// run runs a command of the program in the node's data directory.
func (n *node) run(input string, args ...string) string {
	n.t.Helper()
	cmd := n.command(input, args...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		n.t.Fatalf("assay %s: %v\n%s", strings.Join(args, " "), err, errs.String())
	}
	return strings.TrimSpace(string(out))
}

// browser is a client of the node with cookies. The URL contains the installation's host, but the connection goes to
// the node.
func (n *node) browser() *http.Client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		n.t.Fatal(err)
	}
	return &http.Client{
		Jar: jar, Timeout: patience,
		Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", n.address)
		}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// reply is an answer of a node.
type reply struct {
	status int
	header http.Header
	body   string
	err    error
}

func (n *node) send(client *http.Client, method, target, body string, header ...string) reply {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, target, strings.NewReader(body))
	if err != nil {
		return reply{err: err}
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := client.Do(r)
	if err != nil {
		return reply{err: err}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return reply{response.StatusCode, response.Header, string(text), err}
}

// callAs calls a tool with a key.
func (n *node) callAs(key, tool, arguments string) reply {
	return n.send(n.client, http.MethodPost, base+"/api/mcp/rpc",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","arguments":`+arguments+`}}`,
		"Content-Type", "application/json", "Authorization", "Bearer "+key)
}

// refused reports whether the answer asks the client to try again.
func (r reply) refused() bool {
	return r.status == http.StatusServiceUnavailable && r.header.Get("Retry-After") != ""
}

func (r reply) query() url.Values {
	u, err := url.Parse(r.header.Get("Location"))
	if err != nil {
		return nil
	}
	return u.Query()
}

// cluster contains the addresses of the servers that test/cluster/up has started.
type cluster struct {
	t       *testing.T
	dir     string
	address map[string]string    // addresses of the ClickHouse servers
	started map[string]time.Time // time of the last start by the test
}

func newCluster(t *testing.T, dir string) cluster {
	t.Helper()
	c := cluster{t, dir, map[string]string{}, map[string]time.Time{}}
	u, err := url.Parse(os.Getenv("ASSAY_TEST_CLICKHOUSE"))
	if err != nil {
		t.Fatal(err)
	}
	for i, host := range strings.Split(u.Host, ",") { // in the order of the servers
		c.address[servers[1+i]] = host
	}
	return c
}

func (c cluster) pid(name string) (pid int) {
	c.t.Helper()
	text, err := os.ReadFile(filepath.Join(c.dir, "pid."+name))
	if err == nil {
		_, err = fmt.Sscan(string(text), &pid)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return pid
}

// signal sends a signal to a server. After SIGKILL, it waits until the server's process has ended.
func (c cluster) signal(name string, s syscall.Signal) {
	c.t.Helper()
	pid := c.pid(name)
	if err := syscall.Kill(pid, s); err != nil && !errors.Is(err, syscall.ESRCH) {
		c.t.Fatal(err)
	}
	for range 100 { // the ports are free when the process is gone
		if s != syscall.SIGKILL || syscall.Kill(pid, 0) != nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// servers are the names of the cluster's servers.
var servers = []string{"zookeeper", "s1r1", "s1r2", "s2r1", "s2r2"}

// leaveParts stores more rows on the disk of a stopped replica than ZooKeeper knows. ClickHouse removes merged and
// deleted parts in ZooKeeper first and then from the disk, so a kill between the two steps leaves such parts.
func (c cluster) leaveParts(name string) {
	c.t.Helper()
	parts, err := filepath.Glob(filepath.Join(c.dir, name, "data", "*", "*", "all_*_*_*"))
	if err != nil || len(parts) == 0 {
		c.t.Fatalf("no parts of %s: %v", name, err)
	}
	for i, part := range parts {
		for copied := range 2 { // two thirds of the rows
			block := 1_000_000 + 2*i + copied
			left := filepath.Join(filepath.Dir(part), fmt.Sprintf("all_%d_%[1]d_1", block))
			if err := os.CopyFS(left, os.DirFS(part)); err != nil {
				c.t.Fatal(err)
			}
		}
	}
}

// revive restarts the servers that have ended or hang, as a service manager does. ClickHouse 18.16 ends if ZooKeeper
// does not answer at its start, and sometimes it hangs instead.
func (c cluster) revive() {
	c.t.Helper()
	for _, name := range servers {
		what := "has ended"
		if syscall.Kill(c.pid(name), 0) == nil {
			if !c.hangs(name) {
				continue
			}
			what = "hangs"
			c.signal(name, syscall.SIGKILL)
		}
		c.t.Logf("%s %s and is started again", name, what)
		c.start(name)
	}
}

// hangs reports whether a server still refuses connections startTime after its start.
func (c cluster) hangs(name string) bool {
	if c.address[name] == "" || time.Since(c.started[name]) < startTime {
		return false
	}
	conn, err := net.DialTimeout("tcp", c.address[name], time.Second)
	if err == nil {
		conn.Close()
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}

func (c cluster) start(name string) {
	c.t.Helper()
	c.started[name] = time.Now()
	if err := exec.Command(filepath.Join(c.dir, "start."+name)).Run(); err != nil {
		c.t.Fatal(err)
	}
}
