// Package bodybudget bounds the total memory of request bodies from anonymous callers over all connections.
package bodybudget

import (
	"errors"
	"io"
	"net/netip"
	"sync"
)

// BlockSize is the size of the blocks that a body is read into, in bytes.
const BlockSize = 16 << 10

// ErrFull means that the budget has no memory left, or that the bodies from one address use the maximum of one address.
var ErrFull = errors.New("the memory for request bodies of anonymous callers is used up")

// Budget is a number of bytes that request bodies share. The bodies from one address use at most a part of the budget,
// so that one sender cannot block all other senders. Its methods are safe for concurrent use.
type Budget struct {
	limit  int64
	share  int64     // maximum bytes of one address
	blocks sync.Pool // pool of *block; reused, so that many bodies need few allocations

	mu   sync.Mutex // guards the fields below
	used int64
	by   map[netip.Addr]int64 // used, by address
}

type block [BlockSize]byte

// New returns a budget of limit bytes. One address may use at most share bytes.
func New(limit, share int64) *Budget {
	return &Budget{limit: limit, share: share, blocks: sync.Pool{New: func() any { return new(block) }}, by: map[netip.Addr]int64{}}
}

// Reserve takes bytes from the budget for a body that the caller reads elsewhere. It returns a function that releases
// them, or ErrFull if fewer bytes are left in the budget or in the sender's part of it.
func (b *Budget) Reserve(by netip.Addr, bytes int64) (release func(), err error) {
	if err := b.take(by, bytes); err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { b.give(by, bytes) }), nil
}

// Used returns the number of bytes in use.
func (b *Budget) Used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

func (b *Budget) take(by netip.Addr, bytes int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if bytes > b.limit-b.used || bytes > b.share-b.by[by] {
		return ErrFull
	}
	if bytes > 0 {
		b.used += bytes
		b.by[by] += bytes
	}
	return nil
}

func (b *Budget) give(by netip.Addr, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= bytes
	if b.by[by] -= bytes; b.by[by] == 0 {
		delete(b.by, by)
	}
}

// Body is a body in memory that counts against a budget until it is released.
type Body struct {
	budget *Budget
	by     netip.Addr
	blocks []*block
	size   int
}

// Read reads a whole request body and writes each part to the writer seen, such as a hash. The parameter by is the
// address of the sender. A block is taken only when the bytes before it have arrived. Therefore, a caller that
// announces a long body and sends few bytes uses little memory. Read returns ErrFull when no block is left. The caller
// releases the body, even after an error.
func (b *Budget) Read(by netip.Addr, from io.Reader, seen io.Writer) (*Body, error) {
	body := &Body{budget: b, by: by}
	for {
		part, err := body.room()
		if err != nil {
			return body, err
		}
		n, err := from.Read(part)
		body.size += n
		if _, failed := seen.Write(part[:n]); failed != nil {
			return body, failed
		}
		if errors.Is(err, io.EOF) {
			return body, nil
		}
		if err != nil {
			return body, err
		}
	}
}

// room returns the free part of the last block. If the last block is full, room adds a block.
func (b *Body) room() ([]byte, error) {
	if b.size == len(b.blocks)*BlockSize {
		if err := b.budget.take(b.by, BlockSize); err != nil {
			return nil, err
		}
		b.blocks = append(b.blocks, b.budget.blocks.Get().(*block)) //nolint:forcetypeassert // the pool has nothing else
	}
	return b.blocks[len(b.blocks)-1][b.size%BlockSize:], nil
}

// Bytes copies the body into one buffer, which does not count against the budget. Use it when the sender is
// authenticated.
func (b *Body) Bytes() []byte {
	all := make([]byte, 0, b.size)
	for _, block := range b.blocks {
		all = append(all, block[:min(BlockSize, b.size-len(all))]...)
	}
	return all
}

// Release returns the body's blocks to the budget.
func (b *Body) Release() {
	for _, block := range b.blocks {
		b.budget.blocks.Put(block)
	}
	b.budget.give(b.by, int64(len(b.blocks))*BlockSize)
	b.blocks, b.size = nil, 0
}
