package httpapi

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pb33f/libopenapi"
)

func TestTheDocumentIsValidOpenAPI(t *testing.T) {
	t.Parallel()
	document, err := libopenapi.NewDocument(OpenAPI(testBase, "1.2.3", testTools()))
	if err != nil {
		t.Fatal(err)
	}
	model, err := document.BuildV3Model()
	if err != nil {
		t.Fatal(err)
	}
	if got := model.Model.Version; got != "3.1.0" {
		t.Errorf("version %s", got)
	}
	for _, name := range []string{"Tool_echo_arguments", "Tool_echo_result", "Tool_approving_arguments", "ToolCall", "Error"} {
		proxy, ok := model.Model.Components.Schemas.Get(name)
		if !ok {
			t.Errorf("no schema %s", name)
			continue
		}
		if _, err := proxy.BuildSchema(); err != nil {
			t.Errorf("schema %s: %v", name, err)
		}
	}
	if index := model.Index; len(index.GetReferenceIndexErrors()) > 0 {
		t.Errorf("references: %v", index.GetReferenceIndexErrors())
	}
}

func TestTheDocumentIsTheSameEveryTime(t *testing.T) {
	t.Parallel()
	first := OpenAPI(testBase, "1.2.3", testTools())
	if second := OpenAPI(testBase, "1.2.3", testTools()); !bytes.Equal(first, second) {
		t.Error("two documents of the same service differ")
	}
}

// contractPaths lists the endpoints of the contract with their HTTP methods.
var contractPaths = map[string]string{
	"/api/mcp/rpc": "post", "/api/mcp/info": "get", "/.well-known/oauth-authorization-server": "get",
	"/.well-known/oauth-protected-resource": "get", "/api/mcp/authorize": "post", "/api/mcp/token": "post",
	"/api/mcp/register": "post", "/openapi/mcp.json": "get",
}

func TestTheDocumentHasExactlyThePathsThatAreServed(t *testing.T) {
	t.Parallel()
	paths := served(t)
	for path, method := range contractPaths {
		if paths[path][method] == nil {
			t.Errorf("the contract's %s %s is not documented", method, path)
		}
	}
	oauth := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	service := testService(t, func(o *Options) { o.OAuth = oauth })
	for path, operations := range paths {
		for _, method := range []string{"get", "post", "put", "delete"} {
			recorder := httptest.NewRecorder()
			r := httptest.NewRequestWithContext(t.Context(), strings.ToUpper(method), strings.ReplaceAll(path, "{workspace}", "acme"), http.NoBody)
			r.Host = "127.0.0.1:8080"
			service.ServeHTTP(recorder, r)
			documented := operations[method] != nil
			if answered := recorder.Code != http.StatusMethodNotAllowed && recorder.Code != http.StatusNotFound && recorder.Code != http.StatusBadRequest; answered != documented {
				t.Errorf("%s %s: HTTP %d, documented: %v", method, path, recorder.Code, documented)
			}
		}
	}
	var registered []string
	for _, r := range routes() {
		registered = append(registered, r.path)
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(registered)), slices.Sorted(maps.Keys(paths))); diff != "" {
		t.Errorf("routes and documented paths (-routes +document):\n%s", diff)
	}
}

func TestTheDocumentSaysHowTheEndpointAnswers(t *testing.T) {
	t.Parallel()
	responses, _ := served(t)[rpcPath]["post"].(map[string]any)["responses"].(map[string]any)
	want := []string{"200", "202", "400", "401", "403", "405", "413", "415", "421", "429", "500", "503"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(responses))); diff != "" {
		t.Errorf("responses of the endpoint (-want +got):\n%s", diff)
	}
}

// served returns the operations of the served document by path and method.
func served(t *testing.T) map[string]map[string]any {
	t.Helper()
	recorder := httptest.NewRecorder()
	testService(t, nil).ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, openapiPath, nil))
	var document struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	if err := json.Unmarshal(recorder.Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	return document.Paths
}

func indented(t *testing.T, raw []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		t.Fatal(err)
	}
	b.WriteByte('\n')
	return b.Bytes()
}
