package frame

import (
	"net/url"
)

// RowsShown is the number of rows of a list on one page.
const RowsShown = 50

// PageLinks are the links to other pages of a log.
type PageLinks struct {
	Newest string // address of the first page, "" on the first page
	Older  string // address of the next page, "" on the last page
}

// Paginate shortens rows to one page and returns the links to other pages. The rows are older than the row with the ID
// in the parameter before. If there is a next page, the caller passes one row more than fits on a page.
func Paginate[R any, ID ~string](u *url.URL, rows []R, before ID, id func(R) ID) ([]R, PageLinks) {
	var l PageLinks
	if len(rows) > RowsShown {
		rows = rows[:RowsShown]
		l.Older = PageBefore(u, string(id(rows[RowsShown-1])))
	}
	if before != "" {
		l.Newest = PageBefore(u, "")
	}
	return rows, l
}

// PageBefore returns the address of the page with the rows before an ID, or of the first page if the ID is "".
func PageBefore(u *url.URL, id string) string {
	query := u.Query()
	query.Del("before")
	if id != "" {
		query.Set("before", id)
	}
	return u.Path + "?" + query.Encode()
}
