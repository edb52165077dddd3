package servertest

import (
	"context"
	"net"
	"os/exec"
	"testing"
)

// Redis is a running Redis server.
type Redis struct {
	account account
	program string
	dir     string
	port    string
	running *process
}

// StartRedis starts a server that ends with the test.
func StartRedis(t testing.TB) *Redis {
	t.Helper()
	SkipShort(t)
	program, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("Redis is not installed; apt-get install redis-server installs it")
	}
	r := &Redis{account: accountOf(t, "daemon"), program: program, port: FreePort(t)}
	r.dir = r.account.directory(t)
	r.Start(t)
	t.Cleanup(func() { r.running.stop(t) })
	return r
}

// Start starts the server without data, for the first time or after [Redis.Kill].
func (r *Redis) Start(t testing.TB) {
	t.Helper()
	r.running = r.account.start(t, r.dir, nil, r.program, "--bind", "127.0.0.1", "--port", r.port, "--requirepass", Password,
		"--save", "", "--appendonly", "no")
	await(t, r.running, func(ctx context.Context) error {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", r.port))
		if err != nil {
			return err
		}
		return c.Close()
	})
}

// Kill ends the server immediately, like a crash.
func (r *Redis) Kill(t testing.TB) {
	t.Helper()
	r.running.kill(t)
}

// URL returns the address of the server with its password.
func (r *Redis) URL() string {
	return "redis://:" + Password + "@" + net.JoinHostPort("127.0.0.1", r.port) + "/0"
}
