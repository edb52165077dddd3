package chart

import (
	"bytes"
	"errors"
	"fmt"
	"html"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// families lists the fonts with the metrics of the layout font, then the reader's default font.
const families = "'Liberation Sans', Arimo, Arial, Helvetica, sans-serif"

// svg draws the sheet. One point of the canvas is one CSS pixel.
func (s sheet) svg() ([]byte, error) {
	canvas := vgsvg.New(vg.Length(s.Width), vg.Length(s.Height))
	area := draw.New(canvas)
	area.SetColor(s.theme.ground)
	area.Fill(area.Path())
	s.paint(area)
	var drawn bytes.Buffer
	if _, err := canvas.WriteTo(&drawn); err != nil {
		return nil, fmt.Errorf("chart %q as SVG: %w", s.Title, err)
	}
	return document(words{s.heading(), s.description(), s.Width, s.Height}, drawn.Bytes())
}

// words is the head of a document: its title, description and size.
type words struct {
	title, shows  string
	width, height int
}

// document replaces the canvas's head, which has sizes in points and no description, and moves the font to the root
// element. It never changes text, because escaped text has no quotes.
func document(s words, drawn []byte) ([]byte, error) {
	at := bytes.Index(drawn, []byte("<g transform="))
	if at < 0 {
		return nil, errors.New("the canvas has drawn nothing")
	}
	body := drawn[at:]
	font := func(weight string) []byte {
		return []byte(`style="font-family:Liberation Sans;font-variant:normal;font-weight:` + weight + `;font-style:normal;`)
	}
	body = bytes.ReplaceAll(body, font("normal"), []byte(`style="`))
	body = bytes.ReplaceAll(body, font("bold"), []byte(`style="font-weight:bold;`))

	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" role="img" font-family="%[3]s">`+"\n",
		s.width, s.height, families)
	fmt.Fprintf(&out, "<title>%s</title>\n<desc>%s</desc>\n", html.EscapeString(s.title), html.EscapeString(s.shows))
	out.Write(body)
	return out.Bytes(), nil
}
