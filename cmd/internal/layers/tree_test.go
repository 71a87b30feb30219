package layers

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// A tree is what the rules need to know of a module's files.
type tree struct {
	module   string
	requires []require
	sources  []source
	top      []string // names on the top level that git does not ignore
	nested   []string // go.mod files below the top level
	reasons  string   // the page with the reason of each dependency, "" when there is none
}

// A require is a module that go.mod asks for.
type require struct {
	module string
	direct bool
}

// A source is one Go file, whatever its build constraints say.
type source struct {
	path    string
	dir     string // the package; "." on the top level
	test    bool
	lines   int
	broken  string // why it does not parse
	imports []use
	uses    []use // selectors on imported packages
}

// A use is an import, or a name taken from one.
type use struct {
	pkg  string // the import path
	name string // of an import the name given to it in the file, if any; else what is taken from the package
	line int
	call bool // what is taken is called on the spot
}

// load reads the module whose root fsys is.
func load(fsys fs.FS, reasons string) (*tree, error) {
	gomod, err := fs.ReadFile(fsys, "go.mod")
	if err != nil {
		return nil, err
	}
	t := &tree{}
	t.module, t.requires = readMod(string(gomod))
	if page, err := fs.ReadFile(fsys, reasons); err == nil {
		t.reasons = string(page)
	}
	if t.top, err = topLevel(fsys); err != nil {
		return nil, err
	}
	err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch base := path.Base(name); {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (base == "testdata" || base[0] == '.' || base[0] == '_'):
			return fs.SkipDir // the go command sees no package there either
		case base == "go.mod" && name != "go.mod":
			t.nested = append(t.nested, name)
		case !d.IsDir() && strings.HasSuffix(base, ".go"):
			text, err := fs.ReadFile(fsys, name)
			if err != nil {
				return err
			}
			t.sources = append(t.sources, parse(name, text))
		}
		return nil
	})
	return t, err
}

// readMod reads the module's path and what it requires. Of go.mod it
// understands what the go command writes.
func readMod(text string) (module string, requires []require) {
	block := ""
	for line := range strings.Lines(text) {
		code, comment, _ := strings.Cut(line, "//")
		words := strings.Fields(code)
		switch {
		case len(words) == 0:
		case words[0] == ")":
			block = ""
		case len(words) == 2 && words[1] == "(":
			block = words[0]
		case words[0] == "module":
			module = words[1]
		case words[0] == "require" || block == "require":
			if words[0] == "require" {
				words = words[1:]
			}
			requires = append(requires, require{words[0], strings.TrimSpace(comment) != "indirect"})
		}
	}
	return module, requires
}

// topLevel lists the top level without what .gitignore keeps out of the
// project. Of .gitignore it understands patterns of one path element.
func topLevel(fsys fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, err
	}
	ignore, _ := fs.ReadFile(fsys, ".gitignore")
	var names []string
next:
	for _, e := range entries {
		for line := range strings.Lines(string(ignore)) {
			pattern := strings.Trim(strings.TrimSpace(line), "/")
			if ok, _ := path.Match(pattern, e.Name()); ok {
				continue next
			}
		}
		names = append(names, e.Name())
	}
	return names, nil
}

func parse(name string, text []byte) source {
	s := source{
		path:  name,
		dir:   path.Dir(name),
		test:  strings.HasSuffix(name, "_test.go"),
		lines: bytes.Count(text, []byte("\n")),
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		s.lines++
	}
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
	if err != nil {
		s.broken = err.Error()
		return s
	}
	names := map[string]string{} // in this file, of each imported package
	for _, i := range f.Imports {
		pkg, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			s.broken = fmt.Sprintf("import %s: %v", i.Path.Value, err)
			return s
		}
		u := use{pkg: pkg, line: files.Position(i.Pos()).Line}
		if i.Name != nil {
			u.name = i.Name.Name
		}
		s.imports = append(s.imports, u)
		names[nameOf(u)] = pkg
	}
	called := map[ast.Node]bool{}
	for n := range ast.Preorder(f) {
		if call, ok := n.(*ast.CallExpr); ok {
			called[ast.Unparen(call.Fun)] = true
		}
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			continue
		}
		if x, ok := sel.X.(*ast.Ident); ok && names[x.Name] != "" {
			s.uses = append(s.uses, use{names[x.Name], sel.Sel.Name, files.Position(sel.Pos()).Line, called[sel]})
		}
	}
	return s
}

// nameOf is what an import is called in its file: the name given to it, or
// else the last element of its path, which holds for the standard library.
func nameOf(u use) string {
	if u.name != "" {
		return u.name
	}
	return path.Base(u.pkg)
}
