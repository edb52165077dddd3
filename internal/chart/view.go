package chart

import (
	_ "embed"
	"fmt"
	"image/color"
	"strings"
)

// The parts of the interactive view: an HTML page without external addresses, its style and its script.
var (
	//go:embed view/view.html
	viewPage string
	//go:embed view/view.css
	viewStyle string
	//go:embed view/view.js
	viewScript string
)

// View returns the interactive view of charts: an HTML page for hosts of MCP Apps. It contains no data. The host sends
// it the result of a tool, which has the data in `_meta`.
func View() string {
	return strings.NewReplacer(
		"/*style*/", viewColors(":root", Light)+viewColors(`:root[data-theme="dark"]`, Dark)+viewStyle,
		"/*script*/", dense(viewScript),
	).Replace(viewPage)
}

// dense returns a script without indentation and without comment lines. The script must not contain multi-line strings.
func dense(script string) string {
	var b strings.Builder
	for line := range strings.Lines(script) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// viewColors returns the colors of a theme as CSS variables, so that the view has the same colors as the pictures.
func viewColors(selector string, of Theme) string {
	var b strings.Builder
	set := func(name string, c color.RGBA) { fmt.Fprintf(&b, "--%s:#%02x%02x%02x;", name, c.R, c.G, c.B) }
	fmt.Fprintf(&b, "%s{color-scheme:%s;", selector, of)
	p := paletteOf(of)
	set("ground", p.ground)
	set("ink", p.ink)
	set("soft", p.soft)
	set("grid", p.grid)
	set("zero", p.zero)
	for i, c := range p.series {
		set(fmt.Sprintf("series%d", i), c)
	}
	b.WriteString("}\n")
	return b.String()
}
