// Package bodybudget bounds the memory that request bodies of anonymous callers use, all connections together.
package bodybudget

import (
	"errors"
	"io"
	"sync"
)

// BlockSize is the size of the blocks that a body is read into, in bytes.
const BlockSize = 16 << 10

// ErrFull means that the bodies being read use the whole budget.
var ErrFull = errors.New("the memory for request bodies of anonymous callers is used up")

// Budget is a number of bytes that bodies share. Its methods may be called from many goroutines.
type Budget struct {
	limit  int64
	blocks sync.Pool // of *block; reused, so that many bodies leave no garbage behind

	mu   sync.Mutex // guards used
	used int64
}

type block [BlockSize]byte

// New returns a budget of this many bytes.
func New(limit int64) *Budget {
	return &Budget{limit: limit, blocks: sync.Pool{New: func() any { return new(block) }}}
}

// Reserve takes bytes from the budget for a body that the caller reads elsewhere. It returns a function that gives them
// back, and ErrFull when fewer are left.
func (b *Budget) Reserve(bytes int64) (release func(), err error) {
	if err := b.take(bytes); err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { b.give(bytes) }), nil
}

// Used returns how many bytes are taken.
func (b *Budget) Used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

func (b *Budget) take(bytes int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if bytes > b.limit-b.used {
		return ErrFull
	}
	b.used += bytes
	return nil
}

func (b *Budget) give(bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= bytes
}

// Body is a body in memory that counts against a budget until it is released.
type Body struct {
	budget *Budget
	blocks []*block
	size   int
}

// Read reads a body to its end and writes each part to seen, which computes a hash, for example. A block is taken when
// the bytes before it have arrived: a caller that announces much and sends little uses little. ErrFull ends the reading
// when no block is left. The caller releases the body, also after an error.
func (b *Budget) Read(from io.Reader, seen io.Writer) (*Body, error) {
	body := &Body{budget: b}
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

// room returns the free end of the last block, or a new block.
func (b *Body) room() ([]byte, error) {
	if b.size == len(b.blocks)*BlockSize {
		if err := b.budget.take(BlockSize); err != nil {
			return nil, err
		}
		b.blocks = append(b.blocks, b.budget.blocks.Get().(*block)) //nolint:forcetypeassert // the pool has nothing else
	}
	return b.blocks[len(b.blocks)-1][b.size%BlockSize:], nil
}

// Bytes copies the body into one buffer, which does not count against the budget: the caller knows who sent it.
func (b *Body) Bytes() []byte {
	all := make([]byte, 0, b.size)
	for _, block := range b.blocks {
		all = append(all, block[:min(BlockSize, b.size-len(all))]...)
	}
	return all
}

// Release gives the body's blocks back.
func (b *Body) Release() {
	for _, block := range b.blocks {
		b.budget.blocks.Put(block)
	}
	b.budget.give(int64(len(b.blocks)) * BlockSize)
	b.blocks, b.size = nil, 0
}
