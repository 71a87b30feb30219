package importtanmi

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"arbor/engine/plan"
	"arbor/mdstore"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected results in testdata")

const testdata = "../../../testdata/tanmi"

// A view is an import as the expected results show it: without empty values, which JSON cannot tell from each other
// or, like NaN, not hold.
type view struct {
	ID       mdstore.ID        `json:"id"`
	Name     string            `json:"name"`
	Goal     string            `json:"goal,omitempty"`
	Archived bool              `json:"archived,omitempty"`
	Rules    []string          `json:"rules,omitempty"`
	Docs     []string          `json:"docs,omitempty"`
	Focus    mdstore.ID        `json:"focus,omitempty"`
	Created  int64             `json:"created,omitempty"`
	Updated  int64             `json:"updated,omitempty"`
	Log      []string          `json:"log,omitempty"`
	Problem  *mdstore.Problem  `json:"problem,omitempty"`
	Nodes    []nodeView        `json:"nodes"`
	Files    map[string]string `json:"files,omitempty"`
}

type nodeView struct {
	ID          mdstore.ID       `json:"id"`
	Parent      mdstore.ID       `json:"parent,omitempty"`
	Kind        string           `json:"kind"` // type, status, and whatever else holds
	Title       string           `json:"title"`
	Order       float64          `json:"order,omitempty"`
	Created     int64            `json:"created,omitempty"`
	Updated     int64            `json:"updated,omitempty"`
	Requirement string           `json:"requirement,omitempty"`
	Conclusion  string           `json:"conclusion,omitempty"`
	Note        string           `json:"note,omitempty"`
	Docs        []string         `json:"docs,omitempty"`
	References  []string         `json:"references,omitempty"`
	Log         []string         `json:"log,omitempty"`
	Problem     *mdstore.Problem `json:"problem,omitempty"`
}

func viewOf(w plan.Import, sources map[string]bool) view {
	v := view{
		ID: w.ID, Name: w.Name, Goal: w.Goal, Archived: w.Archived, Rules: w.Rules, Docs: refTexts(w.Docs), Focus: w.Focus,
		Created: w.CreatedAt, Updated: w.UpdatedAt, Log: logTexts(w.Log), Problem: problemView(w.Problem),
	}
	for _, n := range w.Nodes {
		kind := []string{string(n.Type), string(n.Status)}
		if n.Role != nil {
			kind = append(kind, *n.Role)
		}
		if mdstore.ValueOf(n.Isolated) {
			kind = append(kind, "isolated")
		}
		nv := nodeView{
			ID: n.ID, Parent: n.Parent, Kind: strings.Join(kind, " "), Title: n.Title, Created: n.CreatedAt, Updated: n.UpdatedAt,
			Requirement: n.Requirement, Conclusion: n.Conclusion, Note: n.Note, Docs: refTexts(n.Docs), References: refTexts(n.References),
			Log: logTexts(n.Log), Problem: problemView(n.Problem),
		}
		nv.Order = mdstore.ValueOf(n.Order)
		v.Nodes = append(v.Nodes, nv)
	}
	for name, data := range w.Files {
		if v.Files == nil {
			v.Files = map[string]string{}
		}
		if v.Files[name] = string(data); sources[string(data)] {
			v.Files[name] = "as it was"
		}
	}
	return v
}

func refTexts(refs []mdstore.Ref) []string {
	var all []string
	for _, r := range refs {
		item, ok := r.Format()
		if !ok {
			item = "NO FORM: " + r.Target + ": " + r.Description
		}
		all = append(all, item)
	}
	return all
}

func logTexts(log []mdstore.LogEntry) []string {
	var all []string
	for _, e := range log {
		if e.Time == "" {
			all = append(all, e.Event)
		} else {
			all = append(all, mdstore.FormatLog(e.Time, e.Operator, e.Event))
		}
	}
	return all
}

func problemView(p mdstore.Problem) *mdstore.Problem {
	if p.IsZero() {
		return nil
	}
	return &p
}

// result is what a call of Read gives, as text.
func result(t *testing.T, fsys fs.FS, opt Options) []byte {
	t.Helper()
	imports, warnings, err := Read(fsys, opt)
	sources := map[string]bool{}
	for _, data := range filesOf(t, fsys) {
		sources[data] = true
	}
	res := struct {
		Imports  []view   `json:"imports"`
		Warnings []string `json:"warnings"`
		Error    string   `json:"error,omitempty"`
	}{Imports: []view{}, Warnings: warnings}
	for _, w := range imports {
		res.Imports = append(res.Imports, viewOf(w, sources))
	}
	if err != nil {
		res.Error = err.Error()
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(res); err != nil {
		t.Fatal(err)
	}
	check(t, imports, warnings)
	return b.Bytes()
}

func TestSampleReadsAsExpected(t *testing.T) {
	got := result(t, os.DirFS(filepath.Join(testdata, "project")), Options{})
	golden := filepath.Join(testdata, "project.golden.json")
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the sample reads differently: run with -update and look at the difference\n got %s\nwant %s", got, want)
	}
}

// TestOddities reads each archive of testdata: its files below in/, and the result in want.json. A first line "zone:
// NAME" or "vault: NAME" of the comment sets an option.
func TestOddities(t *testing.T) {
	cases, err := filepath.Glob(filepath.Join(testdata, "*.txtar"))
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases in %s: %v", testdata, err)
	}
	for _, name := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			fsys := fstest.MapFS{}
			want := -1
			for i, f := range ar.Files {
				if in, ok := strings.CutPrefix(f.Name, "in/"); ok {
					fsys[in] = &fstest.MapFile{Data: f.Data}
				} else if f.Name == "want.json" {
					want = i
				} else {
					t.Fatalf("%s: a file is below in/, or want.json", f.Name)
				}
			}
			got := result(t, fsys, optionsOf(t, string(ar.Comment)))
			if *update {
				if want < 0 {
					want = len(ar.Files)
					ar.Files = append(ar.Files, txtar.File{Name: "want.json"})
				}
				ar.Files[want].Data = got
				if err := os.WriteFile(name, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want < 0 {
				t.Fatal("no want.json: run with -update")
			}
			if !bytes.Equal(got, ar.Files[want].Data) {
				t.Errorf("got %s\nwant %s", got, ar.Files[want].Data)
			}
		})
	}
}
