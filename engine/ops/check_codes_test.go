package ops_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"arbor/engine/check"
	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/mdoc"
	"arbor/mdstore/memstore"
)

// codesIn returns the constants of the sources of a package whose names begin with Code and whose values are codes, by
// name.
func codesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(dir), "*.go"))
	out := map[string]string{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			for i, id := range v.Names {
				if lit, ok := valueAt(v.Values, i).(*ast.BasicLit); ok && strings.HasPrefix(id.Name, "Code") && lit.Kind == token.STRING {
					code, _ := strconv.Unquote(lit.Value)
					out[id.Name] = code
				}
			}
			return true
		})
	}
	if len(out) == 0 {
		t.Fatalf("%s has no codes", dir)
	}
	return out
}

func valueAt(all []ast.Expr, i int) ast.Expr {
	if i < len(all) {
		return all[i]
	}
	return nil
}

// The table that docs, SARIF and these tests read has one row for each code in the sources.
func TestEveryCodeHasARow(t *testing.T) {
	want := map[string]bool{
		string(errs.DuplicateID):     true,
		string(errs.NameTaken):       true,
		string(errs.OrphanNode):      true,
		string(errs.Cycle):           true,
		string(errs.DependencyCycle): true,
		string(errs.FileUnreadable):  true,
		string(errs.Merging):         true,
	}
	for _, dir := range []string{"mdstore/mdoc", "mdstore", "mdstore/dirstore/internal/osfs", "engine/check", "engine/config", "engine/view"} {
		for _, code := range codesIn(t, dir) {
			want[code] = true
		}
	}
	of := codesIn(t, "statemachine")
	for _, name := range []string{"CodeStatusUnreachable", "CodeConclusionMissing", "CodeChildrenOpen"} { // of Audit; an unknown type is TYPE_INVALID
		want[of[name]] = true
	}
	got := map[string]bool{}
	for _, c := range check.CheckCodes() {
		if got[c.Code] {
			t.Errorf("%s has two rows", c.Code)
		}
		got[c.Code] = true
		if c.What == "" || c.Person == "" || !slices.Contains([]check.Severity{check.SeverityError, check.SeverityWarning, check.SeverityNote}, c.Severity) {
			t.Errorf("the row of %s is not whole: %+v", c.Code, c)
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("the table has\n\t%v\nthe sources have\n\t%v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}

var codesPart = regexp.MustCompile(`(?s)(<!-- generated: codes -->\n)(.*?)(<!-- end -->\n)`)

// docs/check.md holds the table as it is.
func TestCheckPage(t *testing.T) {
	const page = "../../docs/check.md"
	old, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("\n| code | severity | what is wrong | by hand | `--fix` |\n|---|---|---|---|---|\n")
	for _, c := range check.CheckCodes() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", c.Code, c.Severity, c.What, c.Person, c.Fix)
	}
	b.WriteString("\n")
	if n := len(codesPart.FindAll(old, -1)); n != 1 {
		t.Fatalf("%s has %d tables of codes", page, n)
	}
	fresh := codesPart.ReplaceAllString(string(old), "${1}"+strings.ReplaceAll(b.String(), "$", "$$")+"${3}")
	if fresh == string(old) {
		return
	}
	if !*updateCases {
		t.Fatalf("%s is stale; go test ./engine/ops -run TestCheckPage -update writes its table again", page)
	}
	if err := os.WriteFile(page, []byte(fresh), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Each code is found in a vault of a test: one of testdata/check, the damaged one, or one of those below that no
// archive can hold.
func TestEveryCodeHasACase(t *testing.T) {
	met := map[string]bool{}
	all, _ := filepath.Glob(checkCases)
	for _, file := range all {
		for _, l := range readCase(t, file).want {
			met[findingLine.FindStringSubmatch(l)[4]] = true
		}
	}
	readme, err := os.ReadFile(filepath.Join("..", "..", "testdata", "vault", "damaged", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range tableRow.FindAllStringSubmatch(string(readme), -1) {
		met[m[2]] = true
	}
	for code := range spoiling {
		met[code] = true
	}
	for code := range refusing {
		met[code] = true
	}
	met[check.CodeStaleSave] = true                                    // TestAStaleSaveIsReportedAndMerged
	met[string(errs.Merging)], met[check.CodeMergeDriver] = true, true // testdata/script/git
	met[check.CodeTakenOut] = true                                     // TestWhatIsTakenOutIsToldAndComesBack
	for _, c := range check.CheckCodes() {
		if !met[c.Code] {
			t.Errorf("%s is found in no vault of a test", c.Code)
		}
	}
}

const nodeA = "ws/nodes/node-a/Node.md"

// spoiling are the codes of what an archive cannot hold, with what is done to the file of a node for each.
var spoiling = map[string]func(file string) error{
	"NOT_A_FILE": func(f string) error { return errors.Join(os.Remove(f), os.Mkdir(f, 0o755)) },
	"SYMLINK":    func(f string) error { return errors.Join(os.Remove(f), os.Symlink("../root/Node.md", f)) },
	"HARD_LINK":  func(f string) error { return os.Link(f, filepath.Join(filepath.Dir(f), "other name.md")) },
	"PERMISSION": func(f string) error { return os.Chmod(f, 0o444) },
	"FILE_TOO_LARGE": func(f string) error {
		data, err := os.ReadFile(f)
		return errors.Join(err, os.WriteFile(f, append(data, make([]byte, mdstore.MaxFileSize)...), 0o644))
	},
}

func TestCheckNamesWhatIsNoPlainFile(t *testing.T) {
	for code, do := range spoiling {
		t.Run(code, func(t *testing.T) {
			files := maps.Clone(unsaid)
			files[nodeA] = "---\nid: node-a\ntitle: A\ntype: execution\nstatus: pending\nparentId: root\n---\n"
			v := newCaseVault(t, t.TempDir(), files)
			defer v.close()
			if err := do(filepath.Join(v.dir, filepath.FromSlash(nodeA))); err != nil {
				t.Skip(err)
			}
			want := []string{nodeA + ":0:0: " + code + " (by hand)"}
			for _, in := range []ops.WorkspaceCheckIn{{}, {Fix: true}} {
				if out := v.check(t, in); !slices.Equal(lines(out.Diagnostics), want) || out.Changed {
					t.Errorf("fix %v: found %v, want %v", in.Fix, lines(out.Diagnostics), want)
				}
			}
		})
	}
}

// Something else lies where a commit needs a file or folder of the store: check names it, a dry run and a commit refuse
// with the same words, and after the removal that they advise all is well.
func TestCheckAndCommitsNameWhatIsInTheWay(t *testing.T) {
	file := func(f string) error { return os.WriteFile(f, []byte("mine\n"), 0o644) }
	folder := func(f string) error { return os.Mkdir(f, 0o755) }
	link := func(f string) error { return os.Symlink("elsewhere", f) }
	for _, c := range []struct {
		path string
		put  func(string) error
		text string
	}{
		{".local", file, "is a file where a folder is expected; remove it"},
		{".local", link, "is a symbolic link where a folder is expected; remove it"},
		{".local/lock", folder, "is a folder where a file is expected; remove it"},
		{".local/lock", link, "is a symbolic link where a file is expected; remove it"},
		{".local/generation", folder, "is a folder where a file is expected; remove it"},
		{".local/journal", file, "is a file where a folder is expected; remove it"},
		{".local/journal", link, "is a symbolic link where a folder is expected; remove it"},
	} {
		t.Run(c.path+" "+c.text, func(t *testing.T) {
			v := newCaseVault(t, t.TempDir(), maps.Clone(unsaid))
			defer v.close()
			full := filepath.Join(v.dir, filepath.FromSlash(c.path))
			if err := errors.Join(os.RemoveAll(full), os.MkdirAll(filepath.Dir(full), 0o755)); err != nil {
				t.Fatal(err)
			}
			if err := c.put(full); err != nil {
				t.Skip(err)
			}
			v.open(t)
			if out := v.check(t, ops.WorkspaceCheckIn{}); len(out.Diagnostics) != 1 || out.Diagnostics[0].File != c.path || out.Diagnostics[0].Text != c.text {
				t.Errorf("found %+v", out.Diagnostics)
			}
			in := ops.NodeCreateIn{In: ops.In{WorkspaceID: "ws"}, ParentID: "root", Title: "B", Type: "execution", Requirement: "r"}
			for _, dry := range []bool{true, false} {
				in.DryRun = dry
				if _, err := ops.NodeCreate(tctx, v.env, in); err == nil || !strings.Contains(err.Error(), c.path+": NOT_A_FILE: "+c.text) {
					t.Errorf("dry run %v: %v", dry, err)
				}
			}
			if err := os.Remove(full); err != nil {
				t.Fatalf("it is gone: %v", err)
			}
			if _, err := ops.NodeCreate(tctx, v.env, in); err != nil {
				t.Errorf("once it is removed: %v", err)
			}
			if out := v.check(t, ops.WorkspaceCheckIn{}); len(out.Diagnostics) != 0 {
				t.Errorf("in the end: %+v", out.Diagnostics)
			}
		})
	}
}

// refusing are the codes of a store's errors of reading.
var refusing = map[string]error{
	dirstore.CodeUnstable:       &mdoc.UnreadableError{Problem: mdoc.Diagnostic{File: nodeA, Code: dirstore.CodeUnstable, Text: "changed each time that it was read"}},
	string(errs.FileUnreadable): errors.New(nodeA + ": input/output error"),
}

// failing is a store that fails to read one file.
type failing struct {
	*memstore.Store
	err error
}

func (f failing) Read(ctx context.Context, p mdstore.Path) (mdstore.File, error) {
	if p == nodeA {
		return mdstore.File{}, f.err
	}
	return f.Store.Read(ctx, p)
}

func (f failing) Scan(ctx context.Context, workspace mdstore.Path, kinds ...*mdstore.Kind) (*mdstore.Scan, error) {
	s, err := f.Store.Scan(ctx, workspace, kinds...)
	if err != nil {
		return nil, err
	}
	s.Records = slices.DeleteFunc(s.Records, func(r *mdstore.Scanned) bool { return r.Path == nodeA })
	s.Others = slices.DeleteFunc(s.Others, func(d mdstore.File) bool { return d.Path == nodeA })
	s.Broken = append(s.Broken, mdstore.Broken{Path: nodeA, Err: f.err})
	return s, nil
}

func TestCheckNamesWhyAFileCannotBeRead(t *testing.T) {
	for code, err := range refusing {
		files := map[mdstore.Path][]byte{nodeA: []byte("x")}
		for p, text := range unsaid {
			files[mdstore.Path(p)] = []byte(text)
		}
		w := enginetest.Over(t, memstore.New(files), func(_ *enginetest.World, st *memstore.Store) mdstore.Store { return failing{st, err} })
		passing := code == string(errs.FileUnreadable) // another time the file may be there
		env := &ops.Env{Engine: w.Engine}
		if _, err := ops.WorkspaceCheck(t.Context(), env, ops.WorkspaceCheckIn{Fix: true}); (err != nil) != passing {
			t.Errorf("%s: check --fix fails with %v", code, err)
		}
		out, cerr := ops.WorkspaceCheck(t.Context(), env, ops.WorkspaceCheckIn{Fix: !passing})
		if cerr != nil {
			t.Fatal(cerr)
		}
		if want := []string{nodeA + ":0:0: " + code + " (by hand)"}; !slices.Equal(lines(out.Diagnostics), want) || out.Changed {
			t.Errorf("found %v, want %v", lines(out.Diagnostics), want)
		}
	}
}
