package singer

import (
	"bytes"
	"errors"
	"io"
	"strings"
)

const (
	// longestLine is the largest message that is read: an order with its lines has some kilobytes.
	longestLine = 16 << 20

	// usualRoom is how much is read at a time, unless a line is longer.
	usualRoom = 256 << 10
)

var errTooLong = errors.New("message too long")

// lines cuts what comes into lines. Those that came together share one string, so that none of them is copied by itself, and
// a line is told as soon as its end came.
type lines struct {
	from io.Reader
	room []byte
	rest int    // bytes of room that hold the start of a line
	told string // lines that are not told yet, each with its end
	end  error  // of the input
}

func newLines(from io.Reader) *lines { return &lines{from: from, room: make([]byte, usualRoom)} }

// next returns the next line without its end. At the end of the input the error is [io.EOF]; what stands behind the last
// line end is a line too.
func (l *lines) next() (string, error) {
	for l.told == "" {
		if l.end != nil {
			return "", l.end
		}
		l.read()
	}
	line, rest, _ := strings.Cut(l.told, "\n")
	l.told = rest
	return line, nil
}

// read takes more of the input.
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
	case whole == l.rest: // no line ended
		l.rest = len(came)
		return
	}
	l.told = string(came[:whole])
	l.rest = copy(l.room, came[whole:])
	if len(l.room) > usualRoom && l.rest < usualRoom {
		usual := make([]byte, usualRoom)
		copy(usual, l.room[:l.rest])
		l.room = usual
	}
}
