package tabular

import (
	"sync"

	"assay/internal/defect"
)

// The rows that are read on ahead: blocks of so many, and so many blocks, of which one is being used and one filled.
const (
	aheadRows   = 1024
	aheadBlocks = 3
)

// Ahead reads a table on another goroutine while its caller works on the rows before. It is for one caller.
type Ahead struct {
	filled chan *aheadBlock // closed after the last one
	free   chan *aheadBlock
	now    *aheadBlock
	at     int
	reader defect.Group
	stop   func()
}

// aheadBlock is some rows, whose cells lie one behind the other.
type aheadBlock struct {
	rows  []Record
	cells []string
	err   error // after the rows
}

// ReadAhead starts reading. Until [Ahead.Stop] returns, nobody else may use the records or what they read.
func ReadAhead(records Records) *Ahead {
	ended := make(chan struct{})
	a := &Ahead{filled: make(chan *aheadBlock, aheadBlocks), free: make(chan *aheadBlock, aheadBlocks), stop: sync.OnceFunc(func() { close(ended) })}
	for range aheadBlocks {
		a.free <- &aheadBlock{}
	}
	a.reader.Go(func() {
		defer close(a.filled)
		for {
			select {
			case <-ended:
				return
			case b := <-a.free:
				b.fill(records)
				a.filled <- b // there is room for all of them
				if b.err != nil {
					return
				}
			}
		}
	})
	return a
}

// fill reads the next rows.
func (b *aheadBlock) fill(records Records) {
	clear(b.rows)
	clear(b.cells)
	b.rows, b.cells = b.rows[:0], b.cells[:0]
	for len(b.rows) < aheadRows {
		r, err := records.Next()
		if err != nil {
			b.err = err
			return
		}
		from := len(b.cells)
		b.cells = append(b.cells, r.Fields...)
		r.Fields = b.cells[from:len(b.cells):len(b.cells)]
		b.rows = append(b.rows, r)
	}
}

// Next implements [Records]. It panics with what the records panicked with. After [Ahead.Stop] it must not be called.
func (a *Ahead) Next() (Record, error) {
	for a.now == nil || a.at == len(a.now.rows) {
		if a.now != nil {
			if a.now.err != nil {
				return Record{}, a.now.err
			}
			a.free <- a.now
		}
		next, ok := <-a.filled
		if !ok {
			a.reader.Wait()
		}
		a.now, a.at = next, 0
	}
	a.at++
	return a.now.rows[a.at-1], nil
}

// Stop ends the reading and waits for it.
func (a *Ahead) Stop() {
	a.stop()
	for range a.filled { // it ends when the reader has
	}
}
