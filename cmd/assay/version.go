package main

import (
	"fmt"
	"runtime"

	"assay/internal/app"
)

type versionCommand struct{}

// Run prints the version.
func (versionCommand) Run(con *console) error {
	_, err := fmt.Fprintf(con.out, "assay %s (%s, %s/%s)\n", app.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

type openAPICommand struct {
	BaseURL string `default:"http://127.0.0.1:8080" placeholder:"U" help:"Base URL in the document."`
}

// Run prints the document that a service with this base URL serves.
func (c openAPICommand) Run(con *console) error {
	_, err := con.out.Write(append(app.OpenAPI(c.BaseURL), '\n'))
	return err
}
