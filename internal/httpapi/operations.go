package httpapi

import (
	"net/http"

	"assay/internal/mcp"
)

// operation is the document's description of one method of a path.
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
		}},
		Body: object{"required": true, "content": jsonOf("Request")},
		Responses: map[string]object{
			"200": withHeaders(answer("A result, or error -32601 for an unknown method. What a tool refuses is a result with isError.", "Response"), limits...),
			"202": answer("A notification was received. There is no body.", ""),
			"400": answer("-32700 no JSON, -32600 no request, -32602 wrong params or protocol version, 400 wrong path", "Error"),
			"401": withHeaders(answer("-32000: no valid credential", "Error"), "WWW-Authenticate"),
			"403": withHeaders(answer("-32000: origin not allowed, or the token lacks a scope", "Error"), "WWW-Authenticate"),
			"405": withHeaders(answer("-32600: only POST is answered", "Error"), "Allow"),
			"413": answer("-32600: the body is above 1 MiB", "Error"),
			"415": answer("-32600: the body is not application/json", "Error"),
			"421": answer("-32000: another host was meant", "Error"),
			"429": withHeaders(answer("-32000: too many calls in this minute; data holds queriesUsed and ratePerMin", "Error"), append(limits, "Retry-After")...),
			"500": answer("-32603 a defect of the service, or 500 when it is not configured to check the credential", "Error"),
		},
	}}
}

func docSinger() map[string]operation {
	return map[string]operation{http.MethodPost: {
		ID: "singer", Summary: "Take in the messages of a Singer tap",
		Description: "The body is what the tap prints: a JSON object a line, up to 1 GiB. It is read as it comes. The answer holds the last state " +
			"before which everything is kept; the tap goes on from there. Needs the scope measurement.write.",
		Security: secured(),
		Parameters: []object{{
			"name": "skip_rejected", "in": "query", "required": false, "schema": object{"type": "boolean"},
			"description": "Go on after records that cannot be used, instead of ending with 422.",
		}},
		Body: object{"required": true, "content": object{"application/x-ndjson": object{"schema": ofType("string")}}},
		Responses: map[string]object{
			"200": answer("Everything was taken in", "SingerResult"),
			"401": withHeaders(answer("-32000: no valid credential", "Error"), "WWW-Authenticate"),
			"403": withHeaders(answer("-32000: origin not allowed, or the credential lacks a scope", "Error"), "WWW-Authenticate"),
			"405": withHeaders(answer("-32600: only POST is answered", "Error"), "Allow"),
			"413": answer("The body is above 1 GiB. What the state covers is kept", "SingerResult"),
			"415": answer("-32600: the body is not application/x-ndjson", "Error"),
			"421": answer("-32000: another host was meant", "Error"),
			"422": answer("A message cannot be used. What the state covers is kept", "SingerResult"),
			"429": withHeaders(answer("-32000: too many calls in this minute", "Error"), "Retry-After"),
			"500": answer("A defect of the service. What the state covers is kept", "SingerResult"),
			"503": answer("The store is not there. What the state covers is kept", "SingerResult"),
		},
	}}
}

func docShopify() map[string]operation {
	header := func(name, description string, required bool) object {
		return object{"name": name, "in": "header", "required": required, "schema": ofType("string"), "description": description}
	}
	return map[string]operation{http.MethodPost: {
		ID: "shopify", Summary: "Take in a message of a Shopify webhook",
		Description: "Orders, refunds, customers and requests about personal data. The message is kept before it is answered, and in the answers of tools " +
			"some seconds later. It may come twice, late and in any order. Topics that are not read are answered 200 too.",
		Parameters: []object{
			{"name": "workspace", "in": "path", "required": true, "schema": ofType("string")},
			header("X-Shopify-Hmac-Sha256", "Base64 of the HMAC-SHA256 of the body under a secret of the workspace.", true),
			header("X-Shopify-Topic", "orders/create, orders/updated, orders/paid, orders/cancelled, orders/delete, refunds/create, customers/create, customers/update, customers/enable, customers/disable, customers/redact, customers/data_request, shop/redact.", true),
			header("X-Shopify-Webhook-Id", "The same for every delivery of a message.", false),
			header("X-Shopify-Shop-Domain", "Checked where the secret names a shop.", false),
			header("X-Shopify-Triggered-At", "When it happened.", false),
		},
		Body: object{"required": true, "content": object{"application/json": object{"schema": ofType("object")}}},
		Responses: map[string]object{
			"200": answer("The message is kept, was kept before, or is of a topic that is not read", "ShopResult"),
			"401": answer("The signature is not of this workspace, or there is no such workspace", "ShopResult"),
			"403": answer("-32000: origin not allowed", "Error"),
			"405": withHeaders(answer("-32600: only POST is answered", "Error"), "Allow"),
			"413": answer("The body is above 8 MiB", "ShopResult"),
			"415": answer("-32600: the body is not application/json", "Error"),
			"421": answer("-32000: another host was meant", "Error"),
			"422": answer("The body is not what the topic says", "ShopResult"),
			"500": answer("A defect of the service; send it again", "ShopResult"),
			"503": withHeaders(answer("The message cannot be kept now; send it again", "ShopResult"), "Retry-After"),
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
			"state":  object{"description": "The last state that may be kept; absent when there is none."},
			"report": object{"type": "object", "description": "Records, streams and what they mean, rejected records with line, stream and field, rows by table."},
			"error":  object{"type": "string", "description": "Why it ended before the end."},
			"hint":   object{"type": "string", "description": "What to do about it."},
		},
	}
}

func docInfo() map[string]operation {
	return map[string]operation{http.MethodGet: {
		ID: "info", Summary: "What the server is: name, versions, tools, ways to authenticate", Security: secured(),
		Responses: map[string]object{
			"200": answer("The server's metadata", "ServerInfo"),
			"401": withHeaders(answer("-32000: no valid credential", "Error"), "WWW-Authenticate"),
			"403": answer("-32000: origin not allowed", "Error"),
			"405": withHeaders(answer("-32600: only GET is answered", "Error"), "Allow"),
			"500": answer("500: the service is not configured to check the credential", "Error"),
		},
	}}
}

func docAuthorize() map[string]operation {
	return map[string]operation{
		http.MethodGet: {
			ID: "authorizePage", Summary: "OAuth authorization with PKCE: sign-in and consent",
			Responses: map[string]object{
				"200": answer("The page", ""), "303": answer("Back to the client", ""),
				"400": answer("The request cannot be trusted", ""), "503": answer("There is no authorization server", "OAuthError"),
			},
		},
		http.MethodPost: {
			ID: "authorize", Summary: "OAuth authorization with PKCE: the same request by form, and the decision",
			Body: object{"required": true, "content": object{"application/x-www-form-urlencoded": object{"schema": ofType("object")}}},
			Responses: map[string]object{
				"200": answer("The page", ""), "303": answer("Back to the client", ""), "400": answer("The request cannot be trusted", ""),
				"403": answer("The form is not this session's", ""), "503": answer("There is no authorization server", "OAuthError"),
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
		"400": answer("The request is not acceptable", "OAuthError"),
		"401": answer("The client is unknown", "OAuthError"),
		"403": answer("-32000: origin not allowed", "Error"),
		"405": withHeaders(answer("Only POST is answered", "Error"), "Allow"),
		"413": answer("The body is above 16 KiB", "OAuthError"),
		"421": answer("-32000: another host was meant", "Error"),
		"429": withHeaders(answer("Too many from this address", "OAuthError"), "Retry-After"),
		"503": withHeaders(answer("There is no authorization server, or too many forms arrive at the same time", "OAuthError"), "Retry-After"),
	}
}

func docServerMetadata() map[string]operation {
	return map[string]operation{http.MethodGet: {
		Summary:   "OAuth authorization server metadata (RFC 8414)",
		Responses: map[string]object{"200": answer("The metadata", "OAuthMetadata"), "404": answer("There is no authorization server", "")},
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
