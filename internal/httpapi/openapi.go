package httpapi

import (
	"strings"

	"assay/internal/mcp"
)

// object is a JSON object of the OpenAPI document. Its names are written in alphabetical order, so the same service
// always returns the same bytes.
type object = map[string]any

// OpenAPI returns the OpenAPI 3.1 document of the service: every route, and every tool's arguments and result. The
// base URL may be empty when it is unknown.
func OpenAPI(baseURL, version string, tools []ToolDoc) []byte {
	paths := object{}
	for _, r := range routes() {
		methods := object{}
		for method, doc := range r.docs {
			methods[strings.ToLower(method)] = doc
		}
		paths[r.path] = methods
	}
	if baseURL == "" {
		baseURL = "/"
	}
	return mustJSON(object{
		"openapi": "3.1.0",
		"info": object{
			"title":       "Assay",
			"version":     version,
			"description": "Marketing measurement as tools: MCP over JSON-RPC 2.0, with API keys or OAuth.",
		},
		"servers": []object{{"url": baseURL}},
		"paths":   paths,
		"components": object{
			"securitySchemes": object{
				"bearer": object{"type": "http", "scheme": "bearer", "description": "An API key or an OAuth access token."},
			},
			"schemas": schemas(tools),
		},
	})
}

func schemas(tools []ToolDoc) object {
	all := object{
		"Request":        requestSchema(),
		"ToolCall":       toolCallSchema(tools),
		"Response":       responseSchema(),
		"CallToolResult": callResultSchema(),
		"Error":          errorSchema(),
		"OAuthError": object{
			"type": "object", "required": []string{"error"},
			"properties": object{"error": ofType("string"), "error_description": ofType("string"), "error_uri": ofType("string")},
		},
		"SingerResult":     singerSchema(),
		"ShopResult":       shopSchema(),
		"ServerInfo":       ofType("object"),
		"OAuthMetadata":    ofType("object"),
		"ResourceMetadata": ofType("object"),
	}
	for _, t := range tools {
		all[argumentsOf(t)] = t.Parameters
		all[resultOf(t)] = t.Result
	}
	return all
}

func argumentsOf(t ToolDoc) string { return "Tool_" + t.Name + "_arguments" }
func resultOf(t ToolDoc) string    { return "Tool_" + t.Name + "_result" }

func ofType(name string) object   { return object{"type": name} }
func ref(schema string) object    { return object{"$ref": "#/components/schemas/" + schema} }
func idSchema() object            { return object{"type": []string{"string", "number"}} }
func literal(value string) object { return object{"const": value} }

func requestSchema() object {
	return object{
		"oneOf": []object{ref("ToolCall"), {
			"type": "object", "required": []string{"jsonrpc", "method"},
			"properties": object{
				"jsonrpc": literal("2.0"),
				"id":      idSchema(),
				"method":  object{"type": "string", "not": literal("tools/call"), "examples": mcp.Methods()},
				"params":  ofType("object"),
			},
		}},
	}
}

func toolCallSchema(tools []ToolDoc) object {
	calls := make([]object, len(tools))
	for i, t := range tools {
		calls[i] = object{
			"type": "object", "title": t.Title, "description": t.Description, "required": []string{"name"},
			"properties": object{"name": literal(t.Name), "arguments": ref(argumentsOf(t))},
		}
	}
	params := object{"oneOf": calls}
	if len(calls) == 0 {
		params = ofType("object")
	}
	return object{
		"type": "object", "required": []string{"jsonrpc", "id", "method", "params"},
		"properties": object{"jsonrpc": literal("2.0"), "id": idSchema(), "method": literal("tools/call"), "params": params},
	}
}

func responseSchema() object {
	return object{
		"type": "object", "required": []string{"jsonrpc", "id"},
		"properties": object{
			"jsonrpc": literal("2.0"),
			"id":      idSchema(),
			"result":  object{"type": "object", "description": "For tools/call: CallToolResult. For other methods: see the MCP specification."},
			"error":   object{"$ref": "#/components/schemas/Error/properties/error"},
		},
	}
}

func callResultSchema() object {
	return object{
		"type": "object", "required": []string{"content"},
		"properties": object{
			"content": object{"type": "array", "items": object{
				"type": "object", "required": []string{"type"},
				"properties": object{"type": ofType("string"), "text": ofType("string"), "data": ofType("string"), "mimeType": ofType("string")},
			}},
			"structuredContent": object{"type": "object", "description": "With format=json: the tool's result, equal to the text."},
			"isError":           ofType("boolean"),
		},
	}
}

func errorSchema() object {
	return object{
		"type": "object", "required": []string{"jsonrpc", "error", "id"},
		"properties": object{
			"jsonrpc": literal("2.0"),
			"id":      object{"type": []string{"string", "number", "null"}},
			"error": object{
				"type": "object", "required": []string{"code", "message"},
				"properties": object{"code": ofType("integer"), "message": ofType("string"), "data": ofType("object")},
			},
		},
	}
}
