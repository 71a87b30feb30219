package layers

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite what testdata/broken expects")

func TestModuleKeepsItsShape(t *testing.T) {
	tr, err := load(os.DirFS(moduleRoot(t)), module.reasons)
	if err != nil {
		t.Fatal(err)
	}
	if len(tr.sources) == 0 {
		t.Fatal("no sources found")
	}
	for _, v := range check(tr, module) {
		t.Error(v)
	}
}

// docs/library.md says of each package that other modules can import whether it keeps a promise.
func TestLibraryPageNamesEveryPackage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(moduleRoot(t), "docs", "library.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range module.rows {
		public := !strings.HasPrefix(r.name, "cmd/") && !strings.Contains(r.name, "internal/")
		named := regexp.MustCompile("`([\\w.-]+/)*" + r.name + "`[ ,.]").Match(page)
		if public != named {
			t.Errorf("%s can be imported by other modules: %v; docs/library.md names it: %v", r.name, public, named)
		}
	}
}

func TestRowsPointDown(t *testing.T) {
	for _, p := range []policy{module, small} {
		floors := map[string]int{}
		for _, r := range p.rows {
			if _, twice := floors[r.name]; twice {
				t.Errorf("two rows for %s", r.name)
			}
			floors[r.name] = r.floor
		}
		for _, r := range p.rows {
			for _, name := range strings.Fields(r.may) {
				if floor, ok := floors[name]; !ok || floor >= r.floor {
					t.Errorf("%s on floor %d may import %s on floor %d (there is such a row: %v)", r.name, r.floor, name, floor, ok)
				}
			}
			if r.clock != "" && (r.std == "" || !strings.HasPrefix(r.clock, r.name+"/")) {
				t.Errorf("%s: %s is no exception to anything", r.name, r.clock)
			}
		}
		for _, h := range p.homes {
			for _, name := range strings.Fields(h.name + " " + h.judges) {
				if _, ok := floors[name]; !ok && name != inTests {
					t.Errorf("%s has its home in %s, which has no row", h.module, name)
				}
			}
		}
	}
}

// The packages that are only for tests are the rows with forTests. No product package may import one; programs that
// measure or test others are no product.
func TestNoProductPackageImportsATestPackage(t *testing.T) {
	forTests := map[string]bool{}
	for _, r := range module.rows {
		if r.forTests {
			forTests[r.name] = true
		}
	}
	if len(forTests) == 0 {
		t.Fatal("no row is marked forTests")
	}
	tr, err := load(os.DirFS(moduleRoot(t)), module.reasons)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range tr.sources {
		if s.test || forTests[s.dir] {
			continue
		}
		for _, i := range s.imports {
			if inside, _ := strings.CutPrefix(i.pkg, tr.module+"/"); forTests[inside] {
				t.Errorf("%s:%d: imports %s, which is only for tests", s.path, i.line, inside)
			}
		}
	}
}

// docs/testing.md and .ci/heavy name tests, fuzz targets and benchmarks. A test that is renamed is renamed there as
// well: else nothing would run, and nothing would fail.
func TestNamedTestsExist(t *testing.T) {
	root := moduleRoot(t)
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	tr, err := load(os.DirFS(root), module.reasons)
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	for _, s := range tr.sources {
		if s.test {
			tests.WriteString(read(s.path))
		}
	}
	for page, least := range map[string]int{"docs/testing.md": 30, ".ci/heavy": 8} {
		names := regexp.MustCompile(`\b(?:Test|Fuzz|Example|Benchmark)[A-Z][A-Za-z]+`).FindAllString(read(page), -1)
		if len(names) < least {
			t.Errorf("%s names %d tests; too few for this to say anything", page, len(names))
		}
		for _, name := range names {
			if !strings.Contains(tests.String(), "\nfunc "+name+"(") {
				t.Errorf("%s names %s, and there is no such test", page, name)
			}
		}
	}
}

// small is the policy of the trees in testdata.
var small = policy{
	rows: []row{
		{floor: 0, name: "low", std: "pure"},
		{floor: 10, name: "mid", may: "low", std: "pure context time", clock: "mid/options.go"},
		{floor: 20, name: "calc", may: "mid", std: "fmt path/filepath"},
		{floor: 20, name: "store", may: "mid store/internal/disk", helper: true},
		{floor: 15, name: "store/internal/disk"},
		{floor: 30, name: "top", may: "calc mid"},
		{floor: 40, name: "toptest", may: "top store", helper: true, forTests: true},
		{floor: 50, name: "app", may: "top store"},
		{floor: 50, name: "soon", later: true},
	},
	homes: []home{
		{module: "example.com/yaml", name: "low", judges: "top"},
		{module: "example.com/check", name: inTests},
		{module: "example.com/lock", name: "app store"},
		{module: "example.com/events", name: "soon", later: true},
	},
	reasons:  "docs/reasons.md",
	top:      []string{"app", "calc", "docs", "low", "mid", "store", "top", "toptest", "soon", "testdata", "go.mod", "README.md", "LICENSE*", ".*"},
	maxLines: 12,
}

func TestSoundTreeHasNothingToReport(t *testing.T) {
	for _, v := range check(loaded(t, soundTree(t)), small) {
		t.Error(v)
	}
}

// Each file in testdata/broken is laid over the sound tree; an empty file
// takes one away. What it breaks stands in its file want.
func TestBrokenTreesAreReported(t *testing.T) {
	cases, err := filepath.Glob("testdata/broken/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatalf("no broken trees found: %v", err)
	}
	shown := map[rule]bool{}
	for _, name := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			fsys, want := soundTree(t), (*txtar.File)(nil)
			for i, f := range ar.Files {
				switch {
				case f.Name == "want":
					want = &ar.Files[i]
				case len(f.Data) == 0:
					if fsys[f.Name] == nil {
						t.Errorf("%s: there is no %s to take away", name, f.Name)
					}
					delete(fsys, f.Name)
				default:
					fsys[f.Name] = &fstest.MapFile{Data: f.Data}
				}
			}
			var got strings.Builder
			for _, v := range check(loaded(t, fsys), small) {
				shown[v.rule] = true
				fmt.Fprintln(&got, v)
			}
			if want == nil || got.Len() == 0 {
				t.Fatalf("%s: wants nothing, or nothing is reported:\n%s", name, got.String())
			}
			if *update && got.String() != string(want.Data) {
				want.Data = []byte(got.String())
				if err := os.WriteFile(name, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got.String() != string(want.Data) {
				t.Errorf("%s\n got %s\nwant %s", name, got.String(), want.Data)
			}
		})
	}
	for _, r := range allRules {
		if !shown[r] {
			t.Errorf("no tree in testdata/broken breaks the rule %q", r)
		}
	}
}

func TestLinesAreCounted(t *testing.T) {
	for text, want := range map[string]int{"": 0, "package p": 1, "package p\n": 1, "package p\n\n": 2, "package p\n\nvar x int": 3} {
		if got := parse("p.go", []byte(text)).lines; got != want {
			t.Errorf("%q has %d lines, want %d", text, got, want)
		}
	}
}

func soundTree(t *testing.T) fstest.MapFS {
	t.Helper()
	ar, err := txtar.ParseFile("testdata/sound.txtar")
	if err != nil {
		t.Fatal(err)
	}
	fsys := fstest.MapFS{}
	for _, f := range ar.Files {
		fsys[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	return fsys
}

func loaded(t *testing.T, fsys fs.FS) *tree {
	t.Helper()
	tr, err := load(fsys, small.reasons)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// moduleRoot is the nearest folder upwards that holds a go.mod.
func moduleRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod in any folder upwards")
		}
		dir = up
	}
}
