package oauth

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
)

const (
	maxBody   = 16 << 10
	maxParams = 64
)

// form returns the fields of a posted form. It rejects a query string, media types other than
// application/x-www-form-urlencoded, and forms with more than 16 KiB or 64 fields.
func form(w http.ResponseWriter, r *http.Request) (url.Values, *refusal) {
	if r.URL.RawQuery != "" {
		return nil, refuse(invalidRequest, "send the parameters in the body")
	}
	body, no := readBody(w, r, "application/x-www-form-urlencoded", invalidRequest)
	if no != nil {
		return nil, no
	}
	return parseParams(string(body))
}

func parseParams(text string) (url.Values, *refusal) {
	values, err := url.ParseQuery(text)
	if err != nil {
		return nil, refuse(invalidRequest, "the parameters cannot be read")
	}
	if len(values) > maxParams {
		return nil, refuse(invalidRequest, "too many parameters")
	}
	return values, nil
}

func readBody(w http.ResponseWriter, r *http.Request, mediaType, code string) ([]byte, *refusal) {
	if got, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || got != mediaType {
		return nil, refuse(code, "the body must be "+mediaType)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, &refusal{status: http.StatusRequestEntityTooLarge, code: code, text: "the body is larger than 16 KiB"}
	}
	if err != nil {
		return nil, refuse(code, "the body cannot be read")
	}
	return body, nil
}

// repeated reports whether a parameter other than the exceptions occurs more than once.
func repeated(values url.Values, except ...string) bool {
	for name, all := range values {
		if len(all) > 1 && !slices.Contains(except, name) {
			return true
		}
	}
	return false
}
