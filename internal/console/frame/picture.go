package frame

import (
	"net/http"
	"net/url"

	"assay/internal/chart"
)

// Picture is a chart on a page.
type Picture struct{ Address, Alt string }

// Sizes of charts in CSS pixels: full width, half width, and on a phone.
const (
	WideWidth    = 1040
	WideHeight   = 380
	HalfWidth    = 510
	HalfHeight   = 320
	NarrowWidth  = 340
	NarrowHeight = 300
)

// ThemeIn returns the chart theme that the query names, light by default.
func ThemeIn(query url.Values) chart.Theme {
	if query.Get("theme") == string(chart.Dark) {
		return chart.Dark
	}
	return chart.Light
}

// WriteSVG sends an SVG with a policy that allows inline styles only.
func WriteSVG(w http.ResponseWriter, svg []byte, cacheControl string) {
	h := w.Header()
	h.Set("Content-Type", "image/svg+xml")
	h.Set("Cache-Control", cacheControl)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox")
	if _, err := w.Write(svg); err != nil {
		return // the browser closed the connection
	}
}
