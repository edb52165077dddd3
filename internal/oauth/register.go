package oauth

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"assay/internal/control"
)

const (
	maxClientName = 100 // maximum length in characters
	unnamedClient = "Unnamed client"
)

// registration contains the fields that are read from a client registration request (RFC 7591). All other fields are
// ignored: requested IDs and secrets, scopes, keys, and URLs of images, which are never fetched.
type registration struct {
	Name      *string         `json:"client_name"`
	Redirects json.RawMessage `json:"redirect_uris"`
}

// registered is the response, with the registered values, which may differ from the requested values.
type registered struct {
	ID         control.ClientID `json:"client_id"`
	IssuedAt   int64            `json:"client_id_issued_at"`
	Name       string           `json:"client_name"`
	Redirects  []string         `json:"redirect_uris"`
	Grants     []string         `json:"grant_types"`
	Responses  []string         `json:"response_types"`
	AuthMethod string           `json:"token_endpoint_auth_method"`
}

// register stores a client and returns its ID. The request needs no credentials. The ID gives no permissions, because a
// person has to authorize the client. Registrations have a rate limit per IP address.
func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	from := s.addresses.Of(r).String()
	if wait := s.registrations.Take(r.Context(), from, s.now()); wait > 0 {
		busy(w, wait, "too many registrations from this address")
		return
	}
	c, no := s.described(w, r)
	if no == nil {
		if err := s.store.CreateClient(r.Context(), c); err != nil {
			no = s.broken(r, err)
		}
	}
	if no != nil {
		s.registrations.Return(r.Context(), from, s.now())
		no.write(w)
		return
	}
	writeJSON(w, http.StatusCreated, registered{
		ID: c.ID, IssuedAt: c.CreatedAt.Unix(), Name: c.Name, Redirects: c.Redirects,
		Grants: []string{"authorization_code", "refresh_token"}, Responses: []string{"code"}, AuthMethod: "none",
	})
}

func (s *Server) described(w http.ResponseWriter, r *http.Request) (control.Client, *refusal) {
	body, no := readBody(w, r, "application/json", invalidClientMetadata)
	if no != nil {
		return control.Client{}, no
	}
	var said registration
	if !decodeObject(body, &said) {
		return control.Client{}, refuse(invalidClientMetadata, "the body is not a JSON object with fields of the right types")
	}
	var redirects []string
	if json.Unmarshal(said.Redirects, &redirects) != nil {
		return control.Client{}, refuse(invalidRedirectURI, "redirect_uris must be a list of URIs")
	}
	if problem := checkRedirects(redirects); problem != "" {
		return control.Client{}, refuse(invalidRedirectURI, problem)
	}
	c := control.Client{ID: control.ClientID(strings.ToLower(rand.Text())), Name: unnamedClient, Redirects: redirects, CreatedAt: s.instant()}
	if said.Name != nil && strings.TrimSpace(*said.Name) != "" {
		c.Name = strings.TrimSpace(*said.Name)
	}
	if !isClientName(c.Name) {
		return control.Client{}, refuse(invalidClientMetadata, "client_name must have at most 100 characters, all printable")
	}
	return c, nil
}

// decodeObject decodes one JSON object and rejects trailing data.
func decodeObject(text []byte, into any) bool {
	if !utf8.Valid(text) || !bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{")) {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if d.Decode(into) != nil {
		return false
	}
	_, err := d.Token()
	return err == io.EOF
}

// isClientName reports whether the name is short and printable, so that it cannot mislead a person.
func isClientName(name string) bool {
	return utf8.RuneCountInString(name) <= maxClientName && control.Printable(name)
}
