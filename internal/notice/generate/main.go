// Command generate writes the license notices of all modules that are linked into the program, on every platform for
// which the program is built.
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"assay/internal/notice"
)

// program is the import path of the main package. The notice lists the modules that are linked into it.
const program = "assay/cmd/assay"

// platforms lists the platforms for which the database engine is available.
var platforms = [][2]string{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}}

const opening = `This program contains the work of others under the licenses below. A license is printed once, with the modules it came with.
DuckDB contains further libraries: among them fmt, re2, utf8proc, ICU, mbed TLS, zstd, jemalloc, yyjson and miniz. Their licenses
are not part of its Go modules; https://github.com/duckdb/duckdb has them in the folder third_party.

`

func main() {
	text, err := notices(context.Background())
	if err == nil {
		err = os.WriteFile("notices.txt", []byte(text), 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

// module is a linked module.
type module struct{ path, version, dir string }

// linked returns the modules that are linked into the program for a platform.
func linked(ctx context.Context, system, machine string) ([]module, error) {
	list := exec.CommandContext(ctx, "go", "list", "-deps", "-f", `{{with .Module}}{{if .Version}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}`, program)
	list.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+machine, "CGO_ENABLED=1")
	var problem bytes.Buffer
	list.Stderr = &problem
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("modules on %s/%s: %w: %s", system, machine, err, problem.String())
	}
	var all []module
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) == 3 {
			all = append(all, module{f[0], f[1], f[2]})
		}
	}
	slices.SortFunc(all, func(a, b module) int { return cmp.Compare(a.path, b.path) })
	return slices.Compact(all), nil
}

// licenseFile matches the names of license files, in a module's own folder or in a folder for licenses.
var licenseFile = regexp.MustCompile(`(?i)^((un)?licen[cs]e|copying|notice|patents|copyright)|(^|/)(third_party_)?licenses/[^/]+$`)

// licenses returns the licenses and notices of a module by file name.
func licenses(m module) (map[string]string, error) {
	found := map[string]string{}
	for _, pattern := range []string{"*", "*/*"} {
		files, err := filepath.Glob(filepath.Join(m.dir, pattern))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			name, err := filepath.Rel(m.dir, file)
			if err != nil {
				return nil, err
			}
			name = filepath.ToSlash(name)
			if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() || !licenseFile.MatchString(name) || isCode(name) {
				continue
			}
			content, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			found[name] = tidied(string(content))
		}
	}
	if len(found) == 0 {
		return nil, errors.New("module " + m.path + " has no license in " + m.dir)
	}
	return found, nil
}

func isCode(name string) bool { return path.Ext(name) == ".go" || path.Ext(name) == ".s" }

// tidied normalizes line ends and removes trailing spaces and leading and trailing empty lines.
func tidied(text string) string {
	var out []string
	for line := range strings.Lines(strings.ReplaceAll(text, "\f", "")) {
		out = append(out, strings.TrimRight(line, " \t\r\n"))
	}
	return strings.Trim(strings.Join(out, "\n"), "\n") + "\n"
}

// notices returns the text of all notices.
func notices(ctx context.Context) (string, error) {
	var all []module
	for _, p := range platforms {
		some, err := linked(ctx, p[0], p[1])
		if err != nil {
			return "", err
		}
		all = append(all, some...)
	}
	slices.SortFunc(all, func(a, b module) int { return cmp.Compare(a.path, b.path) })
	all = slices.Compact(all)
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", err
	}
	language, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "LICENSE"))
	if err != nil {
		return "", err
	}
	order := []string{tidied(string(language))}
	from := map[string][]string{order[0]: {"Go, its library and its runtime: LICENSE"}}
	for _, m := range all {
		texts, err := licenses(m)
		if err != nil {
			return "", err
		}
		for name, text := range texts {
			if from[text] == nil {
				order = append(order, text)
			}
			from[text] = append(from[text], m.path+" "+m.version+": "+name)
		}
	}
	slices.SortStableFunc(order[1:], func(a, b string) int { return cmp.Compare(slices.Min(from[a]), slices.Min(from[b])) })
	var out strings.Builder
	out.WriteString(opening)
	for _, text := range order {
		slices.Sort(from[text])
		fmt.Fprintf(&out, "%s\n%s\n\n%s\n", notice.Rule, strings.Join(from[text], "\n"), text)
	}
	return out.String(), nil
}
