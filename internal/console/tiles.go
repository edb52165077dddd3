package console

import "slices"

// tile is a state on a tile map.
type tile struct {
	Code string
	X, Y int    // of its corner, in SVG units
	Part string // treated, compared or other
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

// tilesOf draws the regions of a geo experiment in the United States, nil if a treated region is not a state.
func tilesOf(r trialRow) []tile {
	var all []tile
	known := map[string]bool{}
	for y, row := range tileRows {
		for x := 0; 3*x < len(row); x++ {
			code := row[3*x : 3*x+2]
			if code == ".." {
				continue
			}
			known[code] = true
			t := tile{Code: code, X: x * tileSize, Y: y * tileSize, Part: "compared"}
			switch {
			case slices.Contains(r.Treated, code):
				t.Part = "treated"
			case len(r.HeldOut) > 0 && !slices.Contains(r.HeldOut, code):
				t.Part = "other"
			}
			all = append(all, t)
		}
	}
	if len(r.Treated) == 0 || slices.ContainsFunc(r.Treated, func(code string) bool { return !known[code] }) {
		return nil
	}
	return all
}
