package frame

import "net/http"

// Routes are the routes of the console.
type Routes struct {
	http.ServeMux

	patterns []string
}

// HandleFunc registers the handler of a pattern.
func (r *Routes) HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request)) {
	r.patterns = append(r.patterns, pattern)
	r.ServeMux.HandleFunc(pattern, handler)
}

// Patterns returns the registered patterns, so that a test can open every page.
func (r *Routes) Patterns() []string { return r.patterns }
