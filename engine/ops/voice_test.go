package ops_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"arbor/engine/ops"
)

// Every sentence of the engine that names an operation or a parameter marks it, so that each front end can say it in
// its own words; and every mark names one that there is.
func TestTextsMarkTheOperationsThatTheyName(t *testing.T) {
	known, params := map[string]ops.Operation{}, map[string]bool{}
	for _, o := range append(ops.All(), ops.Commands()...) {
		known[o.Name] = o
		for _, p := range o.Params() {
			params[p.Name] = true
		}
	}
	bare := regexp.MustCompile(`\b([a-z]+_[a-z_]+|workspaceId|nodeId|sessionId|rulesHash|dryRun|ifMatch)\b`)
	marks := regexp.MustCompile(`\{(\.\w+[^{}]*|[a-z]+_[a-z_]+[^{}]*)\}`)
	found := 0
	for _, file := range sources(t, "..") {
		for _, s := range sentences(t, file) {
			if !strings.Contains(s, " ") || strings.Contains(s, "`") || strings.HasSuffix(file, "voice.go") { // no sentence, or docs
				continue
			}
			for _, m := range marks.FindAllStringSubmatch(s, -1) {
				found++
				words := strings.Fields(m[1])
				if name, param := strings.CutPrefix(words[0], "."); param {
					if !params[strings.TrimSuffix(name, ":")] {
						t.Errorf("%s: %q: no operation has the parameter %s", file, s, name)
					}
					continue
				}
				o, ok := known[words[0]]
				if !ok {
					t.Errorf("%s: %q: there is no operation %s", file, s, words[0])
				}
				for _, w := range words[1:] {
					if o.Name != "node_transition" && !slices.ContainsFunc(o.Params(), func(p ops.Param) bool { return p.Name == w }) {
						t.Errorf("%s: %q: %s has no parameter %s", file, s, o.Name, w)
					}
				}
			}
			for _, name := range bare.FindAllString(marks.ReplaceAllString(s, ""), -1) {
				if _, op := known[name]; op || !strings.Contains(name, "_") {
					t.Errorf("%s: %q: %s is not marked, as {%[3]s} or {.%[3]s}", file, s, name)
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d marks were found", found)
	}
}

// sources returns the Go files below a folder whose texts the engine says.
func sources(t *testing.T, root string) (all []string) {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"serve", "enginetest", "check", "config"}, d.Name()):
			return fs.SkipDir
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			all = append(all, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
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
