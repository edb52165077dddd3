package main

import (
	"fmt"
	"io"
	"runtime"

	"github.com/alecthomas/kong"

	"assay/internal/app"
	"assay/internal/notice"
)

type versionCommand struct {
	Licenses bool `help:"Print the licenses of all linked modules."`
}

// Run prints the version, or the licenses.
func (c versionCommand) Run(con *console) error {
	if c.Licenses {
		_, err := io.WriteString(con.out, notice.Text())
		return err
	}
	_, err := fmt.Fprintln(con.out, versionLine())
	return err
}

func versionLine() string {
	return fmt.Sprintf("assay %s (%s, %s/%s)", app.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// versionFlag is a flag that prints the version and ends the program. Other arguments are ignored.
type versionFlag bool

// BeforeReset runs before the arguments are checked.
func (versionFlag) BeforeReset(k *kong.Kong, vars kong.Vars) error {
	_, err := fmt.Fprintln(k.Stdout, vars["version"])
	k.Exit(exitOK)
	return err
}

type openAPICommand struct {
	BaseURL string `default:"http://127.0.0.1:8080" placeholder:"U" help:"Base URL in the document."`
}

// Run prints the OpenAPI document that a service with this base URL serves.
func (c openAPICommand) Run(con *console) error {
	_, err := con.out.Write(append(app.OpenAPI(c.BaseURL), '\n'))
	return err
}
