package app

import (
	"runtime/debug"

	"assay/internal/httpapi"
	"assay/internal/tools"
)

// version is set by the build: -ldflags "-X assay/internal/app.version=…".
var version string

// Version returns the program's version: the version set by the build, otherwise the version that the Go toolchain
// recorded, otherwise "dev".
func Version() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}

// OpenAPI returns the OpenAPI 3.1 document that a service at the base URL serves.
func OpenAPI(baseURL string) []byte { return httpapi.OpenAPI(baseURL, Version(), toolDocs()) }

func toolDocs() []httpapi.ToolDoc {
	var docs []httpapi.ToolDoc
	for _, t := range tools.All() {
		docs = append(docs, httpapi.ToolDoc{Name: t.Name, Title: t.Title, Description: t.Description, Parameters: t.Schema, Result: t.Result})
	}
	return docs
}
