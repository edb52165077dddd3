package bodybudget_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"net/netip"
	"strings"
	"testing"
	"testing/iotest"

	"assay/internal/bodybudget"
)

var sender = netip.MustParseAddr("192.0.2.1")

func TestAnAddressUsesOnlyItsShare(t *testing.T) {
	t.Parallel()
	const share = 2 * bodybudget.BlockSize
	b := bodybudget.New(2*share, share)
	body, err := b.Read(sender, io.LimitReader(zeros{}, 2*share), io.Discard)
	if !errors.Is(err, bodybudget.ErrFull) || b.Used() != share {
		t.Errorf("a body above the share: %v, %d bytes taken; want %d", err, b.Used(), share)
	}
	if _, err := b.Reserve(sender, 1); !errors.Is(err, bodybudget.ErrFull) {
		t.Errorf("Reserve beyond the share: %v", err)
	}
	if _, err := b.Reserve(sender, 0); err != nil {
		t.Errorf("Reserve of nothing: %v", err)
	}
	if _, err := b.Reserve(netip.MustParseAddr("192.0.2.2"), share); err != nil {
		t.Errorf("Reserve of another address: %v", err)
	}
	body.Release()
	if _, err := b.Reserve(sender, share); err != nil {
		t.Errorf("Reserve after the body was released: %v", err)
	}
}

func TestABodyIsReadWholeAndSeenOnce(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, bodybudget.BlockSize - 1, bodybudget.BlockSize, bodybudget.BlockSize + 1, 5*bodybudget.BlockSize + 7} {
		for name, reader := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r }, "halves": iotest.HalfReader, "end with data": iotest.DataErrReader} {
			sent := bytes.Repeat([]byte("0123456"), size/7+1)[:size]
			b := bodybudget.New(1<<20, 1<<20)
			hash := sha256.New()
			body, err := b.Read(sender, reader(bytes.NewReader(sent)), hash)
			if err != nil || !bytes.Equal(body.Bytes(), sent) {
				t.Errorf("%d bytes, %s: got %d bytes, %v", size, name, len(body.Bytes()), err)
			}
			if want := sha256.Sum256(sent); !bytes.Equal(hash.Sum(nil), want[:]) {
				t.Errorf("%d bytes, %s: the writer saw something else", size, name)
			}
			body.Release()
			body.Release()
			if b.Used() != 0 {
				t.Errorf("%d bytes, %s: %d bytes are still taken", size, name, b.Used())
			}
		}
	}
}

func TestBodiesUseOnlyTheBytesThatArrivedAndNeverMoreThanTheBudget(t *testing.T) {
	t.Parallel()
	b := bodybudget.New(4*bodybudget.BlockSize, 4*bodybudget.BlockSize)
	first, err := b.Read(sender, io.MultiReader(io.LimitReader(zeros{}, 2*bodybudget.BlockSize+1), iotest.ErrReader(io.ErrUnexpectedEOF)), io.Discard)
	if !errors.Is(err, io.ErrUnexpectedEOF) || b.Used() != 3*bodybudget.BlockSize {
		t.Errorf("a body cut off: %v, %d bytes taken", err, b.Used())
	}
	second, err := b.Read(sender, io.LimitReader(zeros{}, 64*bodybudget.BlockSize), io.Discard)
	if !errors.Is(err, bodybudget.ErrFull) || b.Used() != 4*bodybudget.BlockSize {
		t.Errorf("a body above the budget: %v, %d bytes taken; want the budget used up", err, b.Used())
	}
	if _, err := b.Reserve(sender, 1); !errors.Is(err, bodybudget.ErrFull) {
		t.Errorf("Reserve of a full budget: %v", err)
	}
	second.Release()
	release, err := b.Reserve(sender, bodybudget.BlockSize)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Reserve(sender, 1); !errors.Is(err, bodybudget.ErrFull) {
		t.Errorf("Reserve beyond the budget: %v", err)
	}
	release()
	release()
	first.Release()
	if b.Used() != 0 {
		t.Errorf("%d bytes are still taken", b.Used())
	}
	if third, err := b.Read(sender, strings.NewReader("next"), io.Discard); err != nil || string(third.Bytes()) != "next" {
		t.Errorf("the next body: %v", err)
	}
}

// The test allows two allocations for three blocks, because the race detector makes the pool drop blocks at random.
func TestBodiesReuseBlocks(t *testing.T) { //nolint:paralleltest // AllocsPerRun counts the allocations of all goroutines
	b := bodybudget.New(64*bodybudget.BlockSize, 64*bodybudget.BlockSize)
	const blocks = 32
	text := bytes.Repeat([]byte("x"), blocks*bodybudget.BlockSize)
	allocated := testing.AllocsPerRun(100, func() {
		body, err := b.Read(sender, bytes.NewReader(text), io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		body.Release()
	})
	if allocated > blocks*2/3 {
		t.Errorf("%.0f allocations for a body of %d blocks", allocated, blocks)
	}
}

type zeros struct{}

// Read implements io.Reader.
func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
