package tilemap_test

import (
	"testing"

	"assay/internal/console/measurement/tilemap"
)

func TestTheMapHasEveryStateInItsPlace(t *testing.T) {
	t.Parallel()
	all := tilemap.New([]string{"CA", "NY"}, nil)
	at := map[string]tilemap.Tile{}
	places := map[[2]int]bool{}
	for _, tile := range all {
		at[tile.Code] = tile
		places[[2]int{tile.X, tile.Y}] = true
	}
	if len(at) != 51 || len(places) != 51 {
		t.Errorf("%d states in %d places, want 50 and the district", len(at), len(places))
	}
	for code, want := range map[string]tilemap.Tile{
		"AK": {Code: "AK", X: 0, Y: 0, Part: "compared"}, "ME": {Code: "ME", X: 400, Y: 0, Part: "compared"}, "CA": {Code: "CA", X: 0, Y: 160, Part: "treated"},
		"NY": {Code: "NY", X: 320, Y: 80, Part: "treated"}, "FL": {Code: "FL", X: 320, Y: 280, Part: "compared"}, "AZ": {Code: "AZ", X: 40, Y: 200, Part: "compared"},
	} {
		if at[code] != want {
			t.Errorf("%s is %+v, want %+v", code, at[code], want)
		}
	}
}

func TestControlRegionsAreNamedOrAllOthers(t *testing.T) {
	t.Parallel()
	for _, tile := range tilemap.New([]string{"CA"}, []string{"TX", "WA", "CA"}) {
		want := "other"
		switch tile.Code {
		case "CA":
			want = "treated"
		case "TX", "WA":
			want = "compared"
		}
		if tile.Part != want {
			t.Errorf("%s is %s, want %s", tile.Code, tile.Part, want)
		}
	}
	for _, tile := range tilemap.New([]string{"CA"}, []string{"TX"}) {
		if (tile.Part == "compared") != (tile.Code == "TX") {
			t.Errorf("with one control region, %s is %s", tile.Code, tile.Part)
		}
	}
	for _, treated := range [][]string{nil, {"CA", "ON"}, {".."}, {""}} {
		if got := tilemap.New(treated, nil); got != nil {
			t.Errorf("the treated regions %q have a map of %d states", treated, len(got))
		}
	}
}
