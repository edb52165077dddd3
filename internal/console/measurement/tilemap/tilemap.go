// Package tilemap draws the states of the United States as a map of equal tiles.
package tilemap

import "slices"

// Tile is a state on a tile map.
type Tile struct {
	Code string
	X, Y int    // position of its corner, in SVG units
	Part string // treated, compared or other: a CSS class
}

const tileSize = 40

// tileRows is the layout of the states of the United States as tiles.
var tileRows = []string{
	"AK .. .. .. .. .. .. .. .. .. ME",
	".. .. .. .. .. .. .. .. .. VT NH",
	"WA ID MT ND MN IL WI MI NY RI MA",
	"OR NV WY SD IA IN OH PA NJ CT ..",
	"CA UT CO NE MO KY WV VA MD DE ..",
	".. AZ NM KS AR TN NC SC DC .. ..",
	".. .. .. OK LA MS AL GA .. .. ..",
	"HI .. .. TX .. .. .. .. FL .. ..",
}

// New draws the regions of a geo experiment. It returns nil without treated regions, or if a treated region is not a US
// state. Without control regions, all other states are controls.
func New(treated, control []string) []Tile {
	var all []Tile
	known := map[string]bool{}
	for y, row := range tileRows {
		for x := 0; 3*x < len(row); x++ {
			code := row[3*x : 3*x+2]
			if code == ".." {
				continue
			}
			known[code] = true
			t := Tile{Code: code, X: x * tileSize, Y: y * tileSize, Part: "compared"}
			switch {
			case slices.Contains(treated, code):
				t.Part = "treated"
			case len(control) > 0 && !slices.Contains(control, code):
				t.Part = "other"
			}
			all = append(all, t)
		}
	}
	if len(treated) == 0 || slices.ContainsFunc(treated, func(code string) bool { return !known[code] }) {
		return nil
	}
	return all
}
