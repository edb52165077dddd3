// Package structure measures how the project is divided. It fails if a part is too large or the files of a package
// depend on each other too much.
package structure

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	root        = "../.."
	toolsDir    = "internal/tools"
	toolsLines  = 8_000
	packageMost = 6_000 // maximum number of lines of any other package
	methodsMost = 60    // maximum number of methods of a type
	upwardMost  = 0.1   // maximum share of upward references between files of internal/tools
	largest     = 8     // number of packages and types that are printed
)

// suites are test packages in files without the suffix _test.go. They are not part of the product and are not counted.
var suites = []string{"internal/warehouse/warehousetest", "internal/control/controltest", "internal/ads/adstest", "internal/console/consoletest"}

// figure is a part of the project with its size.
type figure struct {
	name string
	size int
}

// sources parses the product's Go files, by package directory.
func sources(t *testing.T, fset *token.FileSet) map[string][]*ast.File {
	t.Helper()
	found := map[string][]*ast.File{}
	for _, top := range []string{"internal", "cmd", "api"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(name string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && entry.Name() == "testdata":
				return filepath.SkipDir
			case entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			dir, err := filepath.Rel(root, filepath.Dir(name))
			found[filepath.ToSlash(dir)] = append(found[filepath.ToSlash(dir)], file)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range suites {
		delete(found, dir)
	}
	return found
}

// report logs the largest figures and reports the figures beyond their limit as errors.
func report(t *testing.T, what string, all []figure, limit func(name string) int) {
	t.Helper()
	slices.SortFunc(all, func(a, b figure) int { return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.name, b.name)) })
	for i, f := range all {
		if most := limit(f.name); f.size > most {
			t.Errorf("%s has %d %s, at most %d", f.name, f.size, what, most)
		} else if i < largest {
			t.Logf("%s: %d %s", f.name, f.size, what)
		}
	}
}

func TestPackagesAreNotTooLarge(t *testing.T) {
	t.Parallel()
	fset := token.NewFileSet()
	var all []figure
	for dir, files := range sources(t, fset) {
		lines := 0
		for _, f := range files {
			lines += fset.File(f.Pos()).LineCount()
		}
		all = append(all, figure{dir, lines})
	}
	report(t, "lines", all, func(dir string) int {
		if dir == toolsDir {
			return toolsLines
		}
		return packageMost
	})
}

func TestTypesHaveFewMethods(t *testing.T) {
	t.Parallel()
	methods := map[string]int{}
	for dir, files := range sources(t, token.NewFileSet()) {
		for _, f := range files {
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil {
					methods[dir+"."+receiver(fn.Recv.List[0].Type)]++
				}
			}
		}
	}
	var all []figure
	for name, n := range methods {
		all = append(all, figure{name, n})
	}
	report(t, "methods", all, func(string) int { return methodsMost })
}

// receiver names the type of a method's receiver.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}

// A file refers to another file of its package if it uses a name that the other file declares. The name is of a type,
// function, constant, variable, method or field. Each pair of files counts once. Files are layered so that few
// references run upward. A greedy algorithm orders the files of a dependency cycle, so that few references inside the
// cycle run upward. All other references run downward.
func TestReferencesInsideToolsRunDownward(t *testing.T) {
	t.Parallel()
	refs := references(t, toolsDir)
	total, upward := 0, []string{}
	for _, circle := range circles(refs) {
		place := layered(circle, refs)
		for _, from := range circle {
			for to := range refs[from] {
				if at, inside := place[to]; inside && at < place[from] {
					upward = append(upward, from+" -> "+to)
				}
			}
		}
	}
	for _, to := range refs {
		total += len(to)
	}
	slices.Sort(upward)
	t.Logf("%d files, %d references, %d upward (%.1f%%): %s", len(refs), total, len(upward), 100*float64(len(upward))/float64(total), strings.Join(upward, ", "))
	if float64(len(upward)) > upwardMost*float64(total) {
		t.Errorf("%d of %d references between files of %s run upward, at most %.0f%%", len(upward), total, toolsDir, 100*upwardMost)
	}
}

// references type-checks a package and returns, for each of its files, the files that it refers to.
func references(t *testing.T, dir string) map[string]map[string]bool {
	t.Helper()
	fset := token.NewFileSet()
	files := sources(t, fset)[dir]
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", exports(t, dir))}
	pkg, err := conf.Check("assay/"+dir, fset, files, info)
	if err != nil {
		t.Fatal(err)
	}
	base := func(at token.Pos) string { return filepath.Base(fset.Position(at).Filename) }
	refs := map[string]map[string]bool{}
	for _, f := range files {
		refs[base(f.Pos())] = map[string]bool{}
	}
	for id, o := range info.Uses {
		if o.Pkg() != pkg || !o.Pos().IsValid() {
			continue
		}
		if from, to := base(id.Pos()), base(o.Pos()); from != to {
			refs[from][to] = true
		}
	}
	return refs
}

// exports opens the compiled packages that a package imports, from the build cache.
func exports(t *testing.T, dir string) importer.Lookup {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}", "./"+dir)
	cmd.Dir, cmd.Stderr = root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	paths := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		paths[name] = file
	}
	return func(path string) (io.ReadCloser, error) {
		if paths[path] == "" {
			return nil, fmt.Errorf("%s is not compiled", path)
		}
		return os.Open(paths[path])
	}
}

// circles returns the strongly connected components of a graph (Tarjan 1972).
func circles(refs map[string]map[string]bool) [][]string {
	var out [][]string
	var stack []string
	index, low, on := map[string]int{}, map[string]int{}, map[string]bool{}
	var visit func(string)
	visit = func(v string) {
		index[v] = len(index) + 1
		low[v] = index[v]
		stack, on[v] = append(stack, v), true
		for _, w := range slices.Sorted(maps.Keys(refs[v])) {
			if index[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if on[w] {
				low[v] = min(low[v], index[w])
			}
		}
		if low[v] != index[v] {
			return
		}
		at := slices.Index(stack, v)
		out = append(out, slices.Clone(stack[at:]))
		for _, w := range stack[at:] {
			on[w] = false
		}
		stack = stack[:at]
	}
	for _, v := range slices.Sorted(maps.Keys(refs)) {
		if index[v] == 0 {
			visit(v)
		}
	}
	return out
}

// layered orders the files of a dependency cycle from top to bottom. It repeatedly takes the file with the most
// references to others and the fewest references from others (Eades, Lin and Smyth 1993).
func layered(circle []string, refs map[string]map[string]bool) map[string]int {
	left := map[string]bool{}
	for _, f := range circle {
		left[f] = true
	}
	place := map[string]int{}
	for len(left) > 0 {
		best, most := "", 0
		for _, f := range slices.Sorted(maps.Keys(left)) {
			score := 0
			for other := range left {
				if refs[f][other] {
					score++
				}
				if refs[other][f] {
					score--
				}
			}
			if best == "" || score > most {
				best, most = f, score
			}
		}
		place[best] = len(place)
		delete(left, best)
	}
	return place
}

// A tool's properties are fields of its spec. A list or map that names two tools would define a property of a tool in a
// second place.
func TestOnlySpecsNameTools(t *testing.T) {
	t.Parallel()
	fset := token.NewFileSet()
	all := sources(t, fset)
	names := toolNames(all[toolsDir])
	t.Logf("%d tools", len(names))
	if len(names) < 20 {
		t.Fatalf("only %d specs of tools were found", len(names))
	}
	for _, dir := range []string{toolsDir, "internal/toolkit", "internal/snapshot", "internal/answer", "internal/experiment"} {
		for _, f := range all[dir] {
			ast.Inspect(f, func(n ast.Node) bool {
				if list, ok := n.(*ast.CompositeLit); ok {
					if isTask(list) {
						return false
					}
					if named := namedIn(list, names); len(named) > 1 {
						t.Errorf("%s: a list names the tools %s", fset.Position(list.Pos()), strings.Join(named, ", "))
					}
				}
				return true
			})
		}
	}
}

// isTask reports whether a literal is the task of a prompt: a text that tells an assistant which tools to call.
func isTask(list *ast.CompositeLit) bool {
	name, ok := list.Type.(*ast.Ident)
	return ok && name.Name == "task"
}

// toolNames returns the names in the specs of tools.
func toolNames(files []*ast.File) map[string]bool {
	names := map[string]bool{}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			if of, ok := spec.Type.(*ast.SelectorExpr); !ok || of.Sel.Name != "Spec" {
				return true
			}
			for _, e := range spec.Elts {
				if field, ok := e.(*ast.KeyValueExpr); ok && fmt.Sprint(field.Key) == "Name" {
					names[text(field.Value)] = true
				}
			}
			return false
		})
	}
	return names
}

// namedIn returns the tools that a list has as elements, keys or first fields of its elements.
func namedIn(list *ast.CompositeLit, names map[string]bool) []string {
	if of, ok := list.Type.(*ast.SelectorExpr); ok && of.Sel.Name == "Spec" {
		return nil
	}
	var named []string
	for _, e := range list.Elts {
		switch x := e.(type) {
		case *ast.KeyValueExpr:
			if _, field := x.Key.(*ast.Ident); field {
				continue
			}
			e = x.Key
		case *ast.CompositeLit:
			if len(x.Elts) > 0 {
				e = x.Elts[0]
			}
		}
		if name := text(e); names[name] {
			named = append(named, name)
		}
	}
	return named
}

// text returns the value of a string literal, or "" for any other expression.
func text(e ast.Expr) string {
	if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		return strings.Trim(lit.Value, "\"`")
	}
	return ""
}
