package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// shelf is a session with many resources.
type shelf struct {
	stage
	resources []Resource
}

func (s shelf) ListResources(context.Context) ([]Resource, error) { return s.resources, nil }

func shelfOf(n int) shelf {
	var s shelf
	for i := range n {
		s.resources = append(s.resources, Resource{URI: fmt.Sprintf("assay://books/%d", i), Name: fmt.Sprintf("book-%d", i)})
	}
	return s
}

// page returns the URIs of a page and the next cursor.
func page(t *testing.T, s Session, cursor string) (uris []string, next string) {
	t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"cursor":%s}}`, cursor)
	reply := stage{}.server().Handle(t.Context(), s, Incoming{Body: []byte(body)})
	var got struct {
		Result struct {
			Resources  []Resource
			NextCursor string
		}
		Error *struct{ Code int }
	}
	if err := json.Unmarshal(slices.Concat(reply.Body...), &got); err != nil {
		t.Fatal(err)
	}
	if got.Error != nil {
		return nil, fmt.Sprint(reply.Status, " ", got.Error.Code)
	}
	for _, r := range got.Result.Resources {
		uris = append(uris, r.URI)
	}
	return uris, got.Result.NextCursor
}

func TestPagesOfResourcesHaveEachResourceOnce(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, resourcesPerPage - 1, resourcesPerPage, resourcesPerPage + 1, 2*resourcesPerPage + 50} {
		s := shelfOf(n)
		var all []string
		pages, cursor := 0, "null"
		for ; cursor != `""` && pages <= 3; pages++ {
			uris, next := page(t, s, cursor)
			all, cursor = append(all, uris...), `"`+next+`"`
		}
		if want := max(1, (n+resourcesPerPage-1)/resourcesPerPage); pages != want || len(all) != n || len(slices.Compact(slices.Sorted(slices.Values(all)))) != n {
			t.Errorf("%d resources are listed as %d on %d pages, want %d pages", n, len(all), pages, want)
		}
	}
}

func TestAPageContinuesWhenResourcesAreAdded(t *testing.T) {
	t.Parallel()
	before := shelfOf(resourcesPerPage + 2)
	first, cursor := page(t, before, "null")
	after := before
	after.resources = slices.Insert(slices.Clone(before.resources), 1, Resource{URI: "assay://new", Name: "new"})
	second, _ := page(t, after, `"`+cursor+`"`)
	want := []string{"assay://books/100", "assay://books/101"}
	if len(first) != resourcesPerPage || !slices.Equal(second, want) {
		t.Errorf("the second page is %q, want %q", second, want)
	}
}

func TestUnknownCursorsAreInvalidParams(t *testing.T) {
	t.Parallel()
	for _, cursor := range []string{`"abc"`, `5`, `{}`, `"` + cursorOf(Resource{URI: "assay://other"}) + `"`, `"` + strings.Repeat("A", 9000) + `"`} {
		if _, got := page(t, shelfOf(300), cursor); got != "400 -32602" {
			t.Errorf("%.40s: %s, want 400 -32602", cursor, got)
		}
	}
}
