package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// table is a fact table: a field of Batch.
type table struct {
	field   string // name of the field of Batch, such as Orders
	row     string // the row's type in package facts, such as Order
	name    string
	stored  string
	kind    string
	whole   bool
	most    int
	preview string
	counted bool
	columns []column
	shown   []shown
}

// column is a column of a table.
type column struct {
	name    string
	typ     string // the constant of facts.Type
	value   string // expression of a row's value in the column's Go type
	options []string
}

func (c column) has(option string) bool { return slices.Contains(c.options, option) }

// shown is a column of a preview.
type shown struct {
	title, format, value string
	place                int
}

// described contains the tables, types and constants that the package declares.
type described struct {
	tables []table
	types  []string // exported types of facts.go
	consts []string // exported constants of facts.go
}

// read type-checks the declarations in a folder. It excludes the generated file, which may not compile.
func read(dir string) (described, error) {
	set := token.NewFileSet()
	var files []*ast.File
	var declared, consts []string
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return described{}, err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_gen.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return described{}, err
		}
		files = append(files, file)
		if filepath.Base(name) == "facts.go" {
			declared, consts = exported(file)
		}
	}
	if len(files) == 0 {
		return described{}, fmt.Errorf("no Go files in %s: %w", dir, fs.ErrNotExist)
	}
	config := types.Config{
		Importer: importer.ForCompiler(set, "source", nil), IgnoreFuncBodies: true,
		Error: func(error) {}, // names of the generated file are undefined
	}
	pkg, _ := config.Check("assay/internal/warehouse/facts", set, files, nil) // errors: see above
	d, err := describe(pkg)
	d.types, d.consts = declared, consts
	return d, err
}

// exported lists the exported types and constants that a file declares.
func exported(file *ast.File) (declared, consts []string) {
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range group.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.IsExported() {
					declared = append(declared, spec.Name.Name)
				}
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					if group.Tok == token.CONST && name.IsExported() {
						consts = append(consts, name.Name)
					}
				}
			}
		}
	}
	return declared, consts
}

func describe(pkg *types.Package) (described, error) {
	batch := pkg.Scope().Lookup("Batch")
	if batch == nil {
		return described{}, errors.New("there is no type Batch")
	}
	r := reader{pkg: pkg}
	fields := batch.Type().Underlying().(*types.Struct)
	for i := range fields.NumFields() {
		t, err := r.table(fields.Field(i), reflect.StructTag(fields.Tag(i)))
		if err != nil {
			return described{}, fmt.Errorf("field %s of Batch: %w", fields.Field(i).Name(), err)
		}
		r.tables = append(r.tables, t)
	}
	return r.described, nil
}

// reader collects the description.
type reader struct {
	described
	pkg *types.Package
}

func (r *reader) table(field *types.Var, tag reflect.StructTag) (t table, err error) {
	rows, ok := field.Type().(*types.Slice)
	if !ok {
		return t, fmt.Errorf("a field of type %s is not a slice of rows", field.Type())
	}
	t = table{
		field: field.Name(), row: types.TypeString(rows.Elem(), r.written), name: tag.Get("table"), stored: tag.Get("stored"),
		kind:  map[string]string{"": "Keyed", "part": "PartOfOrder", "window": "InWindow"}[tag.Get("kind")],
		whole: tag.Get("whole") == "yes", preview: tag.Get("preview"), counted: tag.Get("counted") != "no",
	}
	if t.name == "" || t.kind == "" {
		return t, errors.New("it needs a table, and its kind is part, window or nothing")
	}
	if most := tag.Get("most"); most != "" {
		if t.most, err = strconv.Atoi(most); err != nil {
			return t, err
		}
	}
	err = r.fields(&t, rows.Elem().Underlying().(*types.Struct), "r.", "")
	slices.SortStableFunc(t.shown, func(a, b shown) int { return cmp.Compare(a.place, b.place) })
	if err == nil && !slices.ContainsFunc(t.columns, func(c column) bool { return c.has("key") }) {
		err = errors.New("no column is a key")
	}
	return t, err
}

// written returns the name that qualifies a package's identifiers in the generated code of package facts.
func (r *reader) written(p *types.Package) string {
	if p == r.pkg {
		return ""
	}
	return p.Name()
}

// fields adds the columns of a struct. The parameter path is the expression of the struct.
func (r *reader) fields(t *table, row *types.Struct, path, prefix string) error {
	for i := range row.NumFields() {
		f, tag := row.Field(i), reflect.StructTag(row.Tag(i))
		value := path + f.Name()
		name, options, _ := strings.Cut(tag.Get("column"), ",")
		nested, isStruct := f.Type().Underlying().(*types.Struct)
		switch {
		case name == "" && isStruct && !isTime(f.Type()):
			before := len(t.shown)
			if err := r.fields(t, nested, value+".", tag.Get("prefix")); err != nil {
				return err
			}
			for i := range t.shown[before:] {
				if err := t.shown[before+i].put(tag); err != nil {
					return err
				}
			}
			continue
		case name == "":
			continue // the tag belongs to another column
		}
		if err := t.addColumn(column{name: prefix + name, value: value, options: strings.Split(options, ",")}, f.Type(), path, prefix != ""); err != nil {
			return fmt.Errorf("%s: %w", f.Name(), err)
		}
		if also, method, ok := strings.Cut(tag.Get("also"), ","); ok {
			t.columns = append(t.columns, column{name: prefix + also, typ: "Instant", value: "Micros(" + path + method + "())"})
		}
		if show := tag.Get("show"); show != "" {
			t.shown = append(t.shown, showing(show, path, value))
			if err := t.shown[len(t.shown)-1].put(tag); err != nil {
				return err
			}
		}
	}
	return nil
}

func isTime(t types.Type) bool { return t.String() == "time.Time" }

// addColumn adds the columns of a field: two columns for an amount of money.
func (t *table) addColumn(c column, of types.Type, path string, nested bool) error {
	if nested {
		c.options = slices.DeleteFunc(c.options, func(option string) bool { return option == "key" })
	}
	value := c.value
	switch basic, _ := of.Underlying().(*types.Basic); {
	case of.String() == "assay/internal/money.Amount":
		c.typ, c.value = "Int", value+".Minor"
		t.columns = append(t.columns, c, column{name: c.name + "_currency", typ: "Text", value: "string(" + value + ".Currency)"})
		return nil
	case of.String() == "assay/internal/civil.Date" && c.has("epoch"):
		c.typ, c.value = "Day", "Days("+value+".Or(epoch))"
	case of.String() == "assay/internal/civil.Date":
		c.typ, c.value = "Day", "Days("+value+")"
	case isTime(of):
		c.typ, c.value = "Instant", "Micros("+value+")"
	case basic == nil:
		return fmt.Errorf("no column has values of type %s", of)
	case basic.Kind() == types.String:
		c.typ, c.value = "Text", converted(of, "string", value)
	case basic.Info()&types.IsInteger != 0:
		c.typ, c.value = "Int", converted(of, "int64", value)
	case basic.Kind() == types.Bool:
		c.typ = "Flag"
	case basic.Kind() == types.Float64:
		c.typ = "Float"
	default:
		return fmt.Errorf("no column has values of type %s", of)
	}
	for _, option := range c.options {
		if unless, ok := strings.CutPrefix(option, "null="); ok {
			c.value = fmt.Sprintf("known(%s, %s%s)", c.value, path, unless)
		}
	}
	t.columns = append(t.columns, c)
	return nil
}

// converted returns the value as an expression of the predeclared type to, with a conversion if necessary.
func converted(from types.Type, to, value string) string {
	if from.String() == to {
		return value
	}
	return to + "(" + value + ")"
}

// put sets the place of a column in a preview.
func (s *shown) put(tag reflect.StructTag) (err error) {
	if place := tag.Get("place"); place != "" {
		s.place, err = strconv.Atoi(place)
	}
	return err
}

// showing reads the show tag of a preview column.
func showing(tag, path, value string) shown {
	parts := strings.Split(tag, ",")
	s := shown{title: parts[0], format: "Plain", value: value}
	for _, part := range parts[1:] {
		option, of, _ := strings.Cut(part, "=")
		switch option {
		case "by":
			s.value = path + of + "()"
		case "in":
			s.value = fmt.Sprintf("money.Amount{Minor: %s, Currency: %s%s}", value, path, of)
		case "if":
			s.value = fmt.Sprintf("when(%s%s, %s)", path, of, s.value)
		default:
			s.format = strings.ToUpper(option[:1]) + option[1:]
		}
	}
	return s
}
