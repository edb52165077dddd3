package oauth

import (
	"encoding/json"
	"net/http"

	"assay/internal/control"
)

// metadata returns the authorization server metadata (RFC 8414). It depends on the configured base URL only, never on
// the request.
func metadata(issuer string) []byte {
	text, err := json.Marshal(map[string]any{
		"issuer":                                         issuer,
		"authorization_endpoint":                         issuer + authorizePath,
		"token_endpoint":                                 issuer + tokenPath,
		"registration_endpoint":                          issuer + registerPath,
		"response_types_supported":                       []string{"code"},
		"response_modes_supported":                       []string{"query"},
		"grant_types_supported":                          []string{"authorization_code", "refresh_token"},
		"code_challenge_methods_supported":               []string{"S256"},
		"token_endpoint_auth_methods_supported":          []string{"none"},
		"scopes_supported":                               control.Scopes(),
		"authorization_response_iss_parameter_supported": true,
		"client_id_metadata_document_supported":          true,
	})
	if err != nil {
		panic("metadata that JSON cannot hold: " + err.Error())
	}
	return text
}

func (s *Server) serveMetadata(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	if _, err := w.Write(s.metadata); err != nil {
		return // the client has disconnected
	}
}
