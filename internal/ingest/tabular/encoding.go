package tabular

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Encoding is the character encoding of a file.
type Encoding string

// The detected encodings.
const (
	UTF8        Encoding = "UTF-8"
	UTF8BOM     Encoding = "UTF-8 with BOM"
	UTF16LE     Encoding = "UTF-16LE"
	UTF16BE     Encoding = "UTF-16BE"
	Windows1252 Encoding = "Windows-1252"
	Workbook    Encoding = "xlsx"
)

// decode returns the text of src as UTF-8 without a byte-order mark, and a function that returns the encoding. The
// encoding is known only at the end of the file, because the first non-ASCII character determines it.
func decode(src *bufio.Reader) (io.Reader, func() Encoding) {
	head, _ := src.Peek(1024) // a short file has fewer bytes; a read error occurs again at the first read
	switch {
	case bytes.HasPrefix(head, []byte{0xEF, 0xBB, 0xBF}):
		_, _ = src.Discard(3)
		return src, func() Encoding { return UTF8BOM }
	case bytes.HasPrefix(head, []byte{0xFF, 0xFE}), zerosAt(head, 1):
		return transform.NewReader(src, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder()), func() Encoding { return UTF16LE }
	case bytes.HasPrefix(head, []byte{0xFE, 0xFF}), zerosAt(head, 0):
		return transform.NewReader(src, unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder()), func() Encoding { return UTF16BE }
	}
	g := &guess{}
	return transform.NewReader(src, g), g.encoding
}

// zerosAt reports whether most bytes at even (0) or odd (1) offsets are zero and no other bytes are. This is the
// pattern of UTF-16 text in a Latin script.
func zerosAt(head []byte, parity int) bool {
	zeros := 0
	for i, b := range head {
		switch {
		case b != 0:
		case i%2 == parity:
			zeros++
		default:
			return false
		}
	}
	return zeros > 0 && zeros*3 > len(head)
}

// guess passes ASCII through. The first non-ASCII character determines the encoding: UTF-8 for a valid UTF-8 sequence,
// otherwise Windows-1252. In a Western single-byte file, the bytes of such a sequence are practically never adjacent.
type guess struct {
	decided  Encoding
	fallback transform.Transformer
}

func (g *guess) encoding() Encoding {
	if g.decided == "" {
		return UTF8
	}
	return g.decided
}

// Reset implements [transform.Transformer].
func (g *guess) Reset() { *g = guess{} }

// Transform implements [transform.Transformer].
func (g *guess) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	if g.decided == "" {
		n := copy(dst, src[:asciiPrefix(src)])
		if n == len(src) || n == len(dst) {
			return n, n, shortIf(n < len(src))
		}
		rest := src[n:]
		if !atEOF && !utf8.FullRune(rest) {
			return n, n, transform.ErrShortSrc
		}
		g.decided = UTF8
		if r, size := utf8.DecodeRune(rest); r == utf8.RuneError && size <= 1 {
			g.decided, g.fallback = Windows1252, charmap.Windows1252.NewDecoder().Transformer
		}
		nDst, nSrc = n, n
	}
	if g.decided == UTF8 {
		n := copy(dst[nDst:], src[nSrc:])
		return nDst + n, nSrc + n, shortIf(nSrc+n < len(src))
	}
	d, s, err := g.fallback.Transform(dst[nDst:], src[nSrc:], atEOF)
	return nDst + d, nSrc + s, err
}

// asciiPrefix returns the number of ASCII bytes at the start. It tests eight bytes at a time, because most files are
// ASCII.
func asciiPrefix(b []byte) int {
	const highBits = 0x8080808080808080
	i := 0
	for i+8 <= len(b) && binary.LittleEndian.Uint64(b[i:])&highBits == 0 {
		i += 8
	}
	for i < len(b) && b[i] < utf8.RuneSelf {
		i++
	}
	return i
}

func shortIf(short bool) error {
	if short {
		return transform.ErrShortDst
	}
	return nil
}
