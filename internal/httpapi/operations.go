package httpapi

import (
	"net/http"

	"assay/internal/mcp"
)

// operation describes one method of a path in the OpenAPI document.
type operation struct {
	ID          string            `json:"operationId,omitempty"`
	Summary     string            `json:"summary"`
	Description string            `json:"description,omitempty"`
	Security    []object          `json:"security,omitempty"`
	Parameters  []object          `json:"parameters,omitempty"`
	Body        object            `json:"requestBody,omitempty"`
	Responses   map[string]object `json:"responses"`
}

func jsonOf(schema string) object {
	return object{"application/json": object{"schema": ref(schema)}}
}

func answer(description, schema string) object {
	if schema == "" {
		return object{"description": description}
	}
	return object{"description": description, "content": jsonOf(schema)}
}

func withHeaders(response object, names ...string) object {
	headers := object{}
	for _, name := range names {
		headers[name] = object{"schema": ofType("string")}
	}
	response["headers"] = headers
	return response
}

func secured() []object { return []object{{"bearer": []string{}}} }

func docRPC() map[string]operation {
	limits := []string{"RateLimit", "RateLimit-Policy", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"}
	return map[string]operation{http.MethodPost: {
		ID: "rpc", Summary: "Call a method: initialize, list and call tools, read resources and prompts",
		Security: secured(),
		Parameters: []object{{
			"name": "Mcp-Protocol-Version", "in": "header", "required": false,
			"schema": object{"type": "string", "enum": mcp.ProtocolVersions()},
		}, {
			"name": "Mcp-Session-Id", "in": "header", "required": false, "schema": object{"type": "string"},
			"description": "Value of this header in the response to initialize. Only clients with MCP Apps get this header. Their results include data for views.",
		}},
		Body: object{"required": true, "content": jsonOf("Request")},
		Responses: map[string]object{
			"200": withHeaders(answer("A result, or error -32601 for an unknown method. A tool error is a result with isError.", "Response"), limits...),
			"202": answer("A notification was received. There is no body.", ""),
			"400": answer("-32700: the body is not JSON; -32600: it is not a request; -32602: wrong params or protocol version; 400: wrong path", "Error"),
			"401": withHeaders(answer("-32000: no valid credential", "Error"), "WWW-Authenticate"),
			"403": withHeaders(answer("-32000: origin not allowed, or the token lacks a scope", "Error"), "WWW-Authenticate"),
			"405": withHeaders(answer("-32600: the method is not POST", "Error"), "Allow"),
			"413": answer("-32600: the body is larger than 1 MiB", "Error"),
			"415": answer("-32600: the body is not application/json", "Error"),
			"421": answer("-32000: the service does not serve this host", "Error"),
			"429": withHeaders(answer("-32000: the rate limit is exceeded; data contains queriesUsed and ratePerMin", "Error"), append(limits, "Retry-After")...),
			"500": answer("-32603: internal error; 500: the service is not configured to check the credential", "Error"),
			"503": withHeaders(answer("-32603: the service is busy or cannot reach its data. Repeat the call", "Error"), "Retry-After"),
		},
	}}
}

func docSinger() map[string]operation {
	return map[string]operation{http.MethodPost: {
		ID: "singer", Summary: "Import the messages of a Singer tap",
		Description: "The body is the output of the tap, one JSON object per line, up to 1 GiB. It is read as a stream. The response contains the last state " +
			"up to which all records are stored. The tap continues from this state. Requires the scope measurement.write.",
		Security: secured(),
		Parameters: []object{{
			"name": "skip_rejected", "in": "query", "required": false, "schema": object{"type": "boolean"},
			"description": "Skip rejected records instead of ending with 422.",
		}},
		Body: object{"required": true, "content": object{"application/x-ndjson": object{"schema": ofType("string")}}},
		Responses: map[string]object{
			"200": answer("All records were imported", "SingerResult"),
			"401": withHeaders(answer("-32000: no valid credential", "Error"), "WWW-Authenticate"),
			"403": withHeaders(answer("-32000: origin not allowed, or the credential lacks a scope", "Error"), "WWW-Authenticate"),
			"405": withHeaders(answer("-32600: the method is not POST", "Error"), "Allow"),
			"413": answer("The body is larger than 1 GiB. Records up to the returned state are stored", "SingerResult"),
			"415": answer("-32600: the body is not application/x-ndjson", "Error"),
			"421": answer("-32000: the service does not serve this host", "Error"),
			"422": answer("A message is invalid. Records up to the returned state are stored", "SingerResult"),
			"429": withHeaders(answer("-32000: the rate limit is exceeded", "Error"), "Retry-After"),
			"500": answer("Internal error. Records up to the returned state are stored", "SingerResult"),
			"503": withHeaders(answer("The store is not available. Records up to the returned state are stored", "SingerResult"), "Retry-After"),
		},
	}}
}

func docShopify() map[string]operation {
	header := func(name, description string, required bool) object {
		return object{"name": name, "in": "header", "required": required, "schema": ofType("string"), "description": description}
	}
	return map[string]operation{http.MethodPost: {
		ID: "shopify", Summary: "Receive a message of a Shopify webhook",
		Description: "Messages are about orders, refunds, customers and personal data requests. A message is stored before the response, and tools include it " +
			"a few seconds later. Messages may arrive repeatedly, late and in any order. Topics that are not used also get the status 200.",
		Parameters: []object{
			{"name": "workspace", "in": "path", "required": true, "schema": ofType("string")},
			header("X-Shopify-Hmac-Sha256", "Base64-encoded HMAC-SHA256 of the body with a webhook secret of the workspace.", true),
			header("X-Shopify-Topic", "orders/create, orders/updated, orders/paid, orders/cancelled, orders/delete, refunds/create, customers/create, customers/update, customers/enable, customers/disable, customers/redact, customers/data_request, shop/redact.", true),
			header("X-Shopify-Webhook-Id", "ID of the message, the same for each delivery.", false),
			header("X-Shopify-Shop-Domain", "Shop domain, which is checked if the secret has a shop.", false),
			header("X-Shopify-Triggered-At", "Time of the event.", false),
		},
		Body: object{"required": true, "content": object{"application/json": object{"schema": ofType("object")}}},
		Responses: map[string]object{
			"200": answer("The message is stored, was stored before, or has a topic that is not used", "ShopResult"),
			"401": answer("The signature does not match the workspace, or the workspace does not exist", "ShopResult"),
			"403": answer("-32000: origin not allowed", "Error"),
			"405": withHeaders(answer("-32600: the method is not POST", "Error"), "Allow"),
			"413": answer("The body is larger than 8 MiB", "ShopResult"),
			"415": answer("-32600: the body is not application/json", "Error"),
			"421": answer("-32000: the service does not serve this host", "Error"),
			"422": answer("The body does not match the topic", "ShopResult"),
			"500": answer("Internal error. Send the message again", "ShopResult"),
			"503": withHeaders(answer("The message cannot be stored now. Send it again", "ShopResult"), "Retry-After"),
		},
	}}
}

func shopSchema() object {
	return object{"type": "object", "properties": object{
		"status": object{"enum": []string{"accepted", "repeated", "ignored"}},
		"error":  ofType("string"),
	}}
}

func singerSchema() object {
	return object{
		"type": "object", "required": []string{"report"},
		"properties": object{
			"state":  object{"description": "The last state with all its records stored; absent if there is none."},
			"report": object{"type": "object", "description": "Numbers of records, streams with their meaning, rejected records with line, stream and field, and rows by table."},
			"error":  object{"type": "string", "description": "Why the import stopped early."},
			"hint":   object{"type": "string", "description": "How to correct the error."},
		},
	}
}

func docInfo() map[string]operation {
	return map[string]operation{http.MethodGet: {
		ID: "info", Summary: "Server metadata: name, versions, tools, authentication methods", Security: secured(),
		Responses: map[string]object{
			"200": answer("The server's metadata", "ServerInfo"),
			"401": withHeaders(answer("-32000: no valid credential", "Error"), "WWW-Authenticate"),
			"403": answer("-32000: origin not allowed", "Error"),
			"405": withHeaders(answer("-32600: the method is not GET", "Error"), "Allow"),
			"500": answer("500: the service is not configured to check the credential", "Error"),
		},
	}}
}

func docAuthorize() map[string]operation {
	return map[string]operation{
		http.MethodGet: {
			ID: "authorizePage", Summary: "OAuth authorization with PKCE: sign-in and consent",
			Responses: map[string]object{
				"200": answer("The sign-in or consent page", ""), "303": answer("Redirect to the client", ""),
				"400": answer("The client or the redirect URI is not valid", ""), "503": answer("The service has no authorization server", "OAuthError"),
			},
		},
		http.MethodPost: {
			ID: "authorize", Summary: "OAuth authorization with PKCE: the same request as a form, and the decision",
			Body: object{"required": true, "content": object{"application/x-www-form-urlencoded": object{"schema": ofType("object")}}},
			Responses: map[string]object{
				"200": answer("The sign-in or consent page", ""), "303": answer("Redirect to the client", ""), "400": answer("The client or the redirect URI is not valid", ""),
				"403": answer("The form does not belong to this session", ""), "503": answer("The service has no authorization server", "OAuthError"),
			},
		},
	}
}

func docToken() map[string]operation {
	return map[string]operation{http.MethodPost: {
		ID: "token", Summary: "OAuth token and refresh exchange",
		Body:      object{"required": true, "content": object{"application/x-www-form-urlencoded": object{"schema": ofType("object")}}},
		Responses: oauthAnswers("200", "The tokens"),
	}}
}

func docRegister() map[string]operation {
	return map[string]operation{http.MethodPost: {
		ID: "register", Summary: "OAuth dynamic client registration",
		Body:      object{"required": true, "content": object{"application/json": object{"schema": ofType("object")}}},
		Responses: oauthAnswers("201", "The client"),
	}}
}

func oauthAnswers(good, description string) map[string]object {
	return map[string]object{
		good:  answer(description, "OAuthMetadata"),
		"400": answer("The request is invalid", "OAuthError"),
		"401": answer("The client is unknown", "OAuthError"),
		"403": answer("-32000: origin not allowed", "Error"),
		"405": withHeaders(answer("The method is not POST", "Error"), "Allow"),
		"413": answer("The body is larger than 16 KiB", "OAuthError"),
		"421": answer("-32000: the service does not serve this host", "Error"),
		"429": withHeaders(answer("Too many requests from this address", "OAuthError"), "Retry-After"),
		"503": withHeaders(answer("The service has no authorization server, or too many forms arrive at the same time", "OAuthError"), "Retry-After"),
	}
}

func docServerMetadata() map[string]operation {
	return map[string]operation{http.MethodGet: {
		Summary:   "OAuth authorization server metadata (RFC 8414)",
		Responses: map[string]object{"200": answer("The metadata", "OAuthMetadata"), "404": answer("The service has no authorization server", "")},
	}}
}

func docResource() map[string]operation {
	return map[string]operation{http.MethodGet: {
		Summary:   "OAuth protected resource metadata (RFC 9728)",
		Responses: map[string]object{"200": answer("The metadata", "ResourceMetadata")},
	}}
}

func docOpenAPI() map[string]operation {
	return map[string]operation{http.MethodGet: {
		Summary:   "This document",
		Responses: map[string]object{"200": {"description": "OpenAPI 3.1", "content": object{"application/json": object{"schema": ofType("object")}}}},
	}}
}

func docHealth(summary, yes string) map[string]operation {
	return map[string]operation{http.MethodGet: {
		Summary:   summary,
		Responses: map[string]object{"200": answer(yes, ""), "503": answer("No", "")},
	}}
}
