package singer

import (
	"bytes"
	"errors"
	"io"
	"strings"
)

const (
	// longestLine is the maximum size of a message. An order with its lines has a few kilobytes.
	longestLine = 16 << 20

	// usualRoom is the number of bytes per read, unless a line is longer.
	usualRoom = 256 << 10
)

var errTooLong = errors.New("message too long")

// lines splits the input into lines. Lines of one read share one string, which avoids a copy of each line. The method
// next returns a line as soon as the line is complete.
type lines struct {
	from  io.Reader
	room  []byte
	rest  int    // bytes of room with the start of a line
	ready string // complete lines that next has not returned yet
	end   error  // error at the end of the input
}

func newLines(from io.Reader) *lines { return &lines{from: from, room: make([]byte, usualRoom)} }

// next returns the next line without its end. The last line may have no line end. At the end of the input the error is
// [io.EOF].
func (l *lines) next() (string, error) {
	for l.ready == "" {
		if l.end != nil {
			return "", l.end
		}
		l.read()
	}
	line, rest, _ := strings.Cut(l.ready, "\n")
	l.ready = rest
	return line, nil
}

// read reads more input.
func (l *lines) read() {
	if l.rest == len(l.room) {
		if l.rest > longestLine {
			l.end = errTooLong
			return
		}
		more := make([]byte, min(2*len(l.room), longestLine+1))
		copy(more, l.room)
		l.room = more
	}
	n, err := l.from.Read(l.room[l.rest:])
	came := l.room[:l.rest+n]
	whole := l.rest + bytes.LastIndexByte(came[l.rest:], '\n') + 1
	l.end = err
	switch {
	case errors.Is(err, io.EOF):
		whole = len(came)
	case whole == l.rest: // no complete line
		l.rest = len(came)
		return
	}
	l.ready = string(came[:whole])
	l.rest = copy(l.room, came[whole:])
	if len(l.room) > usualRoom && l.rest < usualRoom {
		usual := make([]byte, usualRoom)
		copy(usual, l.room[:l.rest])
		l.room = usual
	}
}
