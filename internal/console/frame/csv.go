package frame

import (
	"encoding/csv"
	"fmt"
	"net/http"
)

// WriteCSV sends rows as a file. The caller escapes formulas in cells with untrusted text (package sheet).
func WriteCSV(w http.ResponseWriter, name string, rows [][]string) {
	h := w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	out := csv.NewWriter(w)
	out.UseCRLF = true
	if err := out.WriteAll(rows); err != nil {
		return // the browser closed the connection
	}
}
