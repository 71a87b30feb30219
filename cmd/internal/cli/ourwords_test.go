package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"arbor/engine/ops"
)

// Every sentence of the engine that names an operation or a parameter names none of them at the command line.
func TestNothingIsSaidInTheWordsOfTools(t *testing.T) {
	var known []string
	for _, o := range ops.All() {
		if strings.Contains(o.Name, "_") {
			known = append(known, o.Name)
		}
	}
	foreign := regexp.MustCompile(`\b(` + strings.Join(known, "|") + `|workspaceId|nodeId|sessionId|rulesHash|dryRun|ifMatch)\b`)
	found := 0
	for _, dir := range []string{"engine", "engine/ops", "engine/plan", "engine/view", "engine/claims", "engine/sessions"} {
		files, _ := filepath.Glob(filepath.Join("../../..", dir, "*.go"))
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, s := range sentences(t, file) {
				if !foreign.MatchString(s) || !strings.Contains(s, " ") || slices.Contains(known, s) {
					continue
				}
				found++
				if said := inOurWords(s); foreign.MatchString(said) || strings.Contains(said, "(arbor arbor") {
					t.Errorf("%s: %q is said as %q", file, s, said)
				}
			}
		}
	}
	if found < 30 {
		t.Errorf("only %d sentences were found", found)
	}
}

// What was given stays as it was given.
func TestAWordThatIsGivenStays(t *testing.T) {
	w := newWorld(t)
	contains(t, "arbor show", w.fails(exitNotFound, "show", "node_list"), "node_list: no such node")
	contains(t, "arbor", w.fails(exitInvalid, "node_transition", "x"), `no command "node_transition"`)
	w.ok("node", "update", "node-c", "--title", "node_get")
	contains(t, "arbor submit", w.fails(exitRefused, "submit", "node-c"), "node_get (node-c): cannot submit")
}

// sentences returns the texts of a source file that are no tags and no help of operations.
func sentences(t *testing.T, file string) (all []string) {
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), file, src, 0)
	if err != nil {
		t.Fatal(err)
	}
	visit := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			return false
		case *ast.KeyValueExpr: // Summary, Advice and Text have tests of their own
			if key, ok := n.Key.(*ast.Ident); ok && slices.Contains([]string{"Summary", "Advice", "Text", "Param"}, key.Name) {
				return false
			}
		case *ast.BinaryExpr: // one sentence in several pieces
			if s, ok := joined(n); ok {
				all = append(all, s)
				return false
			}
		case *ast.BasicLit:
			if s, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
				all = append(all, s)
			}
		}
		return true
	}
	ast.Inspect(f, visit)
	return all
}

// joined returns the text of a sum of literals and other values.
func joined(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		a, okA := joined(e.X)
		b, okB := joined(e.Y)
		return a + b, e.Op == token.ADD && (okA || okB)
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil && e.Kind == token.STRING
	}
	return "x", false
}
