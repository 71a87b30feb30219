package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// ofPrograms are the commands that cmd/internal/app adds.
var ofPrograms = strings.Fields("mcp serve hook setup lsp prime ui version completion export merge-driver import")

// TestCommandsInTextsExist checks that each command named in errors, hints and help exists, with its flags.
func TestCommandsInTextsExist(t *testing.T) {
	said := regexp.MustCompile(`\barbor ([a-z][a-z-]*(?: [a-z][a-z-]*)*)((?: +(?:-[-a-z]+|[A-Z][A-Z.]*|'[^']*'))*)`)
	root, met := newRoot(&shell{sys: &System{}}), 0
	check := func(at, text string) {
		for _, m := range said.FindAllStringSubmatch(text, -1) {
			words := strings.Fields(m[1])
			c, _, err := root.Find(words[:1])
			if slices.Contains(ofPrograms, words[0]) {
				continue
			}
			if c == root || err != nil {
				if m[2] != "" {
					t.Errorf("%s: %q: no such command", at, m[0])
				}
				continue // a sentence about Arbor
			}
			c, _, _ = root.Find(words)
			met++
			if c.HasSubCommands() && len(words) > 1 && c.Name() == words[0] && !c.Runnable() {
				t.Errorf("%s: %q: no such command", at, m[0])
			}
			for _, word := range strings.Fields(m[2]) {
				name, long := strings.CutPrefix(word, "--")
				short, dash := strings.CutPrefix(word, "-")
				var f *pflag.Flag
				switch {
				case long:
					if f = c.Flag(name); f == nil {
						f = c.InheritedFlags().Lookup(name)
					}
				case dash && len(short) == 1:
					if f = c.Flags().ShorthandLookup(short); f == nil {
						f = c.InheritedFlags().ShorthandLookup(short)
					}
				default:
					continue
				}
				if f == nil {
					t.Errorf("%s: %q: %s has no flag %s", at, m[0], c.CommandPath(), word)
				}
			}
		}
	}
	for _, dir := range []string{"../../../engine", "../../../cmd", "../../../context", "../../../mdstore"} {
		err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
				return err
			}
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, p, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					text, _ := strconv.Unquote(lit.Value)
					check(fset.Position(lit.Pos()).String(), text)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if met < 100 {
		t.Errorf("only %d commands were found", met)
	}
	t.Logf("%d commands", met)
}
