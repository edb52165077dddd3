package singer

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func all(t *testing.T, from io.Reader) (lines []string, end error) {
	t.Helper()
	l := newLines(from)
	for {
		line, err := l.next()
		if err != nil {
			return lines, err
		}
		lines = append(lines, line)
	}
}

func TestLinesDoNotDependOnTheSizeOfReads(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 3*usualRoom+1)
	text := "a\n\nbc\r\n" + long + "\nd\n" + long[:usualRoom] + "\n" + long[:usualRoom-1] + "\nend"
	for name, from := range map[string]io.Reader{
		"at once": strings.NewReader(text), "in halves": iotest.HalfReader(strings.NewReader(text)), "with its end": iotest.DataErrReader(strings.NewReader(text)),
		"by bytes": iotest.OneByteReader(strings.NewReader(text)),
	} {
		got, err := all(t, from)
		if diff := cmp.Diff(strings.Split(text, "\n"), got); diff != "" || !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v, %s", name, err, diff[:min(len(diff), 500)])
		}
	}
	if got, err := all(t, strings.NewReader("a\n")); len(got) != 1 || !errors.Is(err, io.EOF) {
		t.Errorf("got %q, %v; want one line", got, err)
	}
}

// Lines before an error are returned first. The start of an incomplete line is not returned.
func TestAnErrorComesAfterTheLinesBeforeIt(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	got, err := all(t, io.MultiReader(strings.NewReader("a\nb\nc"), iotest.ErrReader(broken)))
	if diff := cmp.Diff([]string{"a", "b"}, got); diff != "" || !errors.Is(err, broken) {
		t.Errorf("%v %s", err, diff)
	}
}

func TestALineThatIsTooLongIsRefusedWithoutReadingItAll(t *testing.T) {
	t.Parallel()
	const most = longestLine + usualRoom
	input := strings.NewReader("a\n" + strings.Repeat("x", longestLine) + "\n" + strings.Repeat("y", 3*longestLine))
	got, err := all(t, input)
	if len(got) != 2 || len(got[1]) != longestLine || !errors.Is(err, errTooLong) {
		t.Errorf("%d lines, %v", len(got), err)
	}
	if read := input.Size() - int64(input.Len()); read > longestLine+2*most {
		t.Errorf("%d bytes were read", read)
	}
}
