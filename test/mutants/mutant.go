package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// mutant is one small change of a source file.
type mutant struct {
	File   string `json:"file"` // path from the root of the module
	Func   string `json:"func"` // the enclosing function or method; empty outside of functions
	Before string `json:"before"`
	After  string `json:"after"` // the same line as Before, with the change
	Nth    int    `json:"nth,omitempty"`

	source     []byte // content of the file
	start, end int    // bytes of the source that the change replaces
	text       string
	line       int
	inCase     bool // the condition of a case: coverage shows only whether the statements of the case run
}

// key identifies a mutant. It has no line number, so it stays the same when code above the mutant changes.
func (m *mutant) key() string {
	return fmt.Sprintf("%s\n%s\n%d", m.place(), m.change(), m.Nth)
}

func (m *mutant) place() string { return strings.TrimSpace(m.File + " " + m.Func) }

func (m *mutant) change() string { return "- " + m.Before + "\n+ " + m.After }

// apply returns the source with the change.
func (m *mutant) apply() []byte {
	return slices.Concat(m.source[:m.start], []byte(m.text), m.source[m.end:])
}

// replacements maps each operator to the operators that replace it.
var replacements = map[token.Token][]token.Token{
	token.ADD: {token.SUB}, token.SUB: {token.ADD},
	token.MUL: {token.QUO}, token.QUO: {token.MUL}, token.REM: {token.MUL},
	token.AND: {token.OR}, token.OR: {token.AND}, token.SHL: {token.SHR}, token.SHR: {token.SHL},
	token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.ADD_ASSIGN: {token.SUB_ASSIGN}, token.SUB_ASSIGN: {token.ADD_ASSIGN},
	token.MUL_ASSIGN: {token.QUO_ASSIGN}, token.QUO_ASSIGN: {token.MUL_ASSIGN},
	token.INC: {token.DEC}, token.DEC: {token.INC},
	token.BREAK: {token.CONTINUE}, token.CONTINUE: {token.BREAK},
}

// mutantsOf returns all mutants of a source file in the order of their position. Generated files have none.
func mutantsOf(file string, source []byte) ([]mutant, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(parsed) {
		return nil, err
	}
	c := collector{file: file, source: source, position: files.File(parsed.FileStart)}
	for _, declaration := range parsed.Decls {
		c.function = ""
		if function, ok := declaration.(*ast.FuncDecl); ok {
			c.function = nameOf(function)
		}
		ast.Inspect(declaration, c.visit)
	}
	slices.SortStableFunc(c.found, func(a, b mutant) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end), cmp.Compare(a.text, b.text))
	})
	seen := map[string]int{}
	for i := range c.found {
		same := c.found[i].place() + "\n" + c.found[i].change()
		c.found[i].Nth = seen[same]
		seen[same]++
	}
	return c.found, nil
}

// nameOf returns the name of a function, with the type of its receiver.
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	of := f.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	switch generic := of.(type) {
	case *ast.IndexExpr:
		of = generic.X
	case *ast.IndexListExpr:
		of = generic.X
	}
	return fmt.Sprintf("%s.%s", of, f.Name.Name)
}

// collector collects the mutants of a file.
type collector struct {
	file, function string
	source         []byte
	position       *token.File
	inCase         bool
	found          []mutant
}

func (c *collector) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CaseClause:
		return c.clause(n)
	case *ast.GenDecl:
		return n.Tok != token.IMPORT && n.Tok != token.TYPE
	case *ast.BinaryExpr:
		if isText(n.X) || isText(n.Y) { // texts can only be added
			return true
		}
		c.operator(n.OpPos, n.Op)
	case *ast.IncDecStmt:
		c.operator(n.TokPos, n.Tok)
	case *ast.BranchStmt:
		if n.Label == nil {
			c.operator(n.TokPos, n.Tok)
		}
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			c.add(n.OpPos, n.X.Pos(), "")
		}
	case *ast.Ident:
		if other, ok := map[string]string{"true": "false", "false": "true"}[n.Name]; ok {
			c.add(n.Pos(), n.End(), other)
		}
	case *ast.BasicLit:
		c.number(n)
	case *ast.IfStmt:
		c.add(n.Cond.Pos(), n.Cond.End(), "!("+c.text(n.Cond)+")") // swaps the branches
	case *ast.CallExpr:
		return c.call(n)
	case *ast.AssignStmt:
		c.operator(n.TokPos, n.Tok)
		if n.Tok != token.DEFINE {
			c.drop(n)
		}
	case *ast.ExprStmt:
		if isLogged(n.X) {
			return false
		}
		c.drop(n)
	}
	return true
}

func (c *collector) clause(n *ast.CaseClause) bool {
	c.inCase = true
	for _, condition := range n.List {
		ast.Inspect(condition, c.visit)
	}
	c.inCase = false
	for _, statement := range n.Body {
		ast.Inspect(statement, c.visit)
	}
	return false
}

// call handles calls in which a small change of an argument never changes a result. These are math.Inf, where only the
// sign matters, and the capacity in make. call reports whether to visit other parts of the call.
func (c *collector) call(n *ast.CallExpr) bool {
	switch called := n.Fun.(type) {
	case *ast.SelectorExpr:
		of, ok := called.X.(*ast.Ident)
		if !ok || of.Name != "math" || called.Sel.Name != "Inf" || len(n.Args) != 1 {
			return true
		}
		if sign := n.Args[0]; c.text(sign) == "1" {
			c.add(sign.Pos(), sign.End(), "-1")
		} else if c.text(sign) == "-1" {
			c.add(sign.Pos(), sign.End(), "1")
		}
		return false
	case *ast.Ident:
		if called.Name == "make" && len(n.Args) == 3 {
			ast.Inspect(n.Args[1], c.visit)
			return false
		}
	}
	return true
}

func (c *collector) operator(at token.Pos, old token.Token) {
	for _, other := range replacements[old] {
		c.add(at, at+token.Pos(len(old.String())), other.String())
	}
}

// number adds mutants in which the number is larger or smaller by one.
func (c *collector) number(n *ast.BasicLit) {
	if n.Kind != token.INT && n.Kind != token.FLOAT {
		return
	}
	value := constant.MakeFromLiteral(n.Value, n.Kind, 0)
	for _, step := range []token.Token{token.ADD, token.SUB} {
		changed := constant.BinaryOp(value, step, constant.MakeInt64(1))
		text := changed.ExactString()
		if n.Kind == token.FLOAT {
			of, _ := constant.Float64Val(changed)
			text = fmt.Sprint(of)
		}
		if constant.Sign(changed) < 0 {
			text = "(" + text + ")"
		}
		c.add(n.Pos(), n.End(), text)
	}
}

// drop adds a mutant without the statement.
func (c *collector) drop(n ast.Stmt) { c.add(n.Pos(), n.End(), "") }

func (c *collector) text(n ast.Node) string {
	return string(c.source[c.position.Offset(n.Pos()):c.position.Offset(n.End())])
}

// add adds the mutant that replaces the source between two positions with text.
func (c *collector) add(start, end token.Pos, text string) {
	from, to := c.position.Offset(start), c.position.Offset(end)
	m := mutant{File: c.file, Func: c.function, source: c.source, start: from, end: to, text: text, line: c.position.Line(start)}
	m.inCase = c.inCase
	first := bytes.LastIndexByte(c.source[:from], '\n') + 1
	last := len(c.source)
	if n := bytes.IndexByte(c.source[to:], '\n'); n >= 0 {
		last = to + n
	}
	m.Before = oneLine(string(c.source[first:last]))
	m.After = oneLine(string(c.source[first:from]) + text + string(c.source[to:last]))
	c.found = append(c.found, m)
}

// oneLine returns a text without line breaks and repeated spaces. For an empty text, it returns "(dropped)".
func oneLine(text string) string {
	if text = strings.Join(strings.Fields(text), " "); text == "" {
		return "(dropped)"
	}
	return text
}

func isText(n ast.Expr) bool {
	literal, ok := n.(*ast.BasicLit)
	return ok && literal.Kind == token.STRING
}

// isLogged reports whether a call writes a log line. Log lines are not tested one by one.
func isLogged(n ast.Expr) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !slices.ContainsFunc([]string{"Debug", "Info", "Warn", "Error"}, func(level string) bool {
		return strings.HasPrefix(method.Sel.Name, level)
	}) {
		return false
	}
	switch of := method.X.(type) {
	case *ast.Ident:
		return strings.EqualFold(of.Name, "log")
	case *ast.SelectorExpr:
		return strings.EqualFold(of.Sel.Name, "log")
	}
	return false
}
