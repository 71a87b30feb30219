package exchange

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/plan"
	"arbor/mdstore"
)

var update = flag.Bool("update", false, "write the results that are expected of the cases")

// A kindCase is a file or folder in testdata/KIND. Beside it, CASE.want has what it becomes.
type kindCase struct {
	kind, name string
	Source
	data map[string][]byte
}

// cases returns the cases of each kind; every kind has some.
func cases(t *testing.T) (all []kindCase) {
	for _, k := range Kinds() {
		found, err := os.ReadDir(filepath.Join("testdata", k.Name))
		if err != nil || len(found) == 0 {
			t.Fatalf("testdata/%s has no cases of the kind: %v", k.Name, err)
		}
		for _, f := range found {
			if strings.HasSuffix(f.Name(), ".want") {
				continue
			}
			c := kindCase{kind: k.Name, name: k.Name + "/" + f.Name(), data: map[string][]byte{}}
			c.Name = f.Name()
			top := filepath.Join("testdata", k.Name, f.Name())
			err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				rel, _ := filepath.Rel(top, name)
				if rel = filepath.ToSlash(rel); f.IsDir() {
					c.Files = append(c.Files, rel)
				} else {
					rel = ""
				}
				c.data[rel], err = os.ReadFile(name)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			c.Read = func(name string) ([]byte, error) {
				data, ok := c.data[name]
				if !ok {
					return nil, fs.ErrNotExist
				}
				return data, nil
			}
			all = append(all, c)
		}
	}
	return all
}

// imported imports what was read, and returns the vault afterwards.
func imported(t *testing.T, w *enginetest.World, r *Result) (*plan.ImportedItems, map[mdstore.Path][]byte) {
	t.Helper()
	for i, doc := range r.Docs {
		_, r.Docs[i].There = w.Store.Files()[mdstore.Path("ws-a/imported").Join(r.Kind).Join(doc.Path)]
	}
	x := plan.ImportItems{Kind: r.Kind, Scope: r.Scope, Into: mdstore.Root, Items: r.Items, Docs: r.Docs, Memories: r.Memories, Pages: r.Pages, Briefing: r.Briefing,
		Vault: "v"}
	out, _, err := engine.Apply(t.Context(), w.Engine, "ws-a", plan.Act{}, x)
	if err != nil {
		t.Fatal(err)
	}
	return out, w.Store.Files()
}

func words(s string) []string {
	return strings.FieldsFunc(s, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
}

// TestCases imports each case and compares three things with its .want file: the nodes, the messages about what was left
// out, and the words of the source that no file of the vault has. A second import changes nothing.
func TestCases(t *testing.T) {
	for _, c := range cases(t) {
		t.Run(c.name, func(t *testing.T) {
			r, err := Read(c.Source, "")
			if err != nil || r.Kind != c.kind {
				t.Fatalf("it is read as %+v, error %v", r, err)
			}
			w := enginetest.New(t, enginetest.Plan("ws-a"))
			out, files := imported(t, w, r)
			has := map[string]bool{}
			for _, data := range files {
				for _, word := range words(string(data)) {
					has[word] = true
				}
			}
			lacks := map[string]bool{}
			for _, data := range c.data {
				for _, word := range words(string(data)) {
					lacks[word] = !has[word]
				}
			}
			got := drawn(r.Items)
			for _, doc := range r.Docs {
				got += "document " + doc.Path + ": " + doc.Title + "\n"
			}
			for _, x := range r.Memories {
				got += "entry " + x.Key + "\n"
			}
			for _, x := range r.Pages {
				got += x.Kind.Name + " " + x.Name + fmt.Sprintf(" %q", x.Sections) + "\n"
			}
			for _, left := range slices.Concat(r.Left, out.Left) {
				got += "left out: " + left + "\n"
			}
			var list []string
			for word, lacks := range lacks {
				if lacks {
					list = append(list, word)
				}
			}
			slices.Sort(list)
			got += "words that are in no node: " + strings.Join(list, " ") + "\n"
			file := filepath.Join("testdata", filepath.FromSlash(c.name)+".want")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if want, _ := os.ReadFile(file); got != string(want) {
				t.Errorf("it becomes\n%s\nwant\n%s", got, want)
			}
			again, err := Read(c.Source, c.kind)
			if err != nil {
				t.Fatal(err)
			}
			out, after := imported(t, w, again)
			if len(out.Made)+len(out.Docs)+out.Entries+out.Pages+len(out.Differ)+len(out.Gone) > 0 {
				t.Errorf("a second import has %+v", out)
			}
			for p, data := range after {
				if !bytes.Equal(data, files[p]) {
					t.Errorf("a second import changes %s", p)
				}
			}
		})
	}
}

// TestCyclesAndLongTitles imports the items of each case with a title over the limit each, and each waiting for the
// next.
func TestCyclesAndLongTitles(t *testing.T) {
	for _, c := range cases(t) {
		r, err := Read(c.Source, "")
		if err != nil {
			t.Fatal(c.name, err)
		}
		if len(r.Items) == 0 || r.Items[0].File != nil {
			continue // it has none, or these are files of Arbor, whose titles fit
		}
		for i := range r.Items {
			it := &r.Items[i]
			it.Title = fmt.Sprintf("T%d %s end%d", i, strings.Repeat("long ", 60), i)
			it.After = append(it.After, r.Items[(i+1)%len(r.Items)].Key)
		}
		out, files := imported(t, enginetest.New(t, enginetest.Plan("ws-a")), r)
		if len(out.Made) != len(r.Items) {
			t.Errorf("%s: %d of %d items became nodes: %q", c.name, len(out.Made), len(r.Items), out.Left)
		}
		if len(r.Items) > 1 && !strings.Contains(strings.Join(out.Left, "\n"), "closes a cycle; that dependency is left out") {
			t.Errorf("%s: no dependency closes a cycle: %q", c.name, out.Left)
		}
		all := ""
		for _, data := range files {
			all += string(data)
		}
		for i, it := range r.Items {
			if !strings.Contains(all, "## Requirement\n\n"+it.Title) || !strings.Contains(it.Title, fmt.Sprintf("end%d", i)) {
				t.Errorf("%s: no requirement begins with %q", c.name, it.Title)
			}
		}
	}
}

// TestBrokenFiles damages each file of each folder in turn: the others are read all the same, and it is named.
func TestBrokenFiles(t *testing.T) {
	for _, c := range cases(t) {
		whole, err := Read(c.Source, "")
		if err != nil {
			t.Fatal(c.name, err)
		}
		for _, f := range c.Files {
			if filepath.Ext(f) != ".md" {
				continue
			}
			var mine, others []string
			for _, it := range whole.Items {
				if strings.HasPrefix(it.At, f+":") {
					mine = append(mine, it.Key)
				} else {
					others = append(others, it.Key)
				}
			}
			if len(mine) != 1 {
				continue // it is none, or a list of its own
			}
			old := c.data[f]
			c.data[f] = []byte("---\nid: \"a\n\tb: [\n---\n")
			r, err := Read(c.Source, c.kind)
			c.data[f] = old
			if err != nil {
				if len(others) > 0 {
					t.Errorf("%s: without %s it is refused: %v", c.name, f, err)
				}
				continue
			}
			left := strings.Join(r.Left, "\n")
			if !strings.Contains(left, f+":") {
				t.Errorf("%s: that %s is broken is not said: %s", c.name, f, left)
			}
			for _, key := range others {
				if !slices.ContainsFunc(r.Items, func(it plan.ImportItem) bool { return it.Key == key }) {
					t.Errorf("%s: without %s, %s is lacking, too", c.name, f, key)
				}
			}
		}
	}
}

// A broken item is named once. The messages about the other items stay, and each appears once.
func TestABrokenItemAmongOthers(t *testing.T) {
	item := func(key, up, title string) plan.ImportItem {
		it := plan.ImportItem{Key: key, Up: up, At: "f:" + key}
		it.Title = title
		return it
	}
	bad := item("2", "1", "Bad")
	bad.Conclusion, bad.Status = "<!-- never ends\n\n# a\n\x00", "completed"
	r := &Result{Kind: "taskmd", Items: []plan.ImportItem{item("1", "", "A"), bad, item("3", "2", "C"), item("4", "9", "D"),
		item("5", "6", "E"), item("6", "5", "F"), item("1", "", "Twice")}}
	out, _ := imported(t, enginetest.New(t, enginetest.Plan("ws-a")), r)
	var made []string
	for _, n := range out.Made {
		made = append(made, strings.Repeat("  ", n.Depth)+n.Title)
	}
	if got, want := strings.Join(made, "\n"), "A\n  C\nD\nE\n  F"; got != want {
		t.Errorf("nodes are\n%s\nwant\n%s", got, want)
	}
	left := strings.Join(out.Left, "\n")
	for _, want := range []string{"f:2: Bad is left out", "f:4: the parent of D, 9, is not there", "f:5: the parent of E, 6, is not there",
		"f:1: Twice has the key of A"} {
		if strings.Count(left, want) != 1 {
			t.Errorf("%q lacks %q", left, want)
		}
	}
}

// TestTheTreeHasTheOrderOfTheSource imports items that were made in another order than that in which the source has
// them.
func TestTheTreeHasTheOrderOfTheSource(t *testing.T) {
	text := "2026-03-01 Third\n2026-01-01 First\n2026-02-01 Second\nx 2026-04-01 2025-01-01 Done\nWithout a date\n"
	r, err := Read(Source{Name: "todo.txt", Read: func(string) ([]byte, error) { return []byte(text), nil }}, "todotxt")
	if err != nil {
		t.Fatal(err)
	}
	w := enginetest.New(t, enginetest.Plan("ws-a"))
	imported(t, w, r)
	v, err := w.Engine.View(t.Context(), "ws-a")
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, id := range v.Children(mdstore.Root) {
		n, _ := v.Node(id)
		titles = append(titles, n.Title)
	}
	if got := strings.Join(titles, ", "); got != "Third, First, Second, Done, Without a date" {
		t.Error(got)
	}
}

// TestAFolderOfSeveralKinds reads one kind and names the others. A folder without what a kind reads says so.
func TestAFolderOfSeveralKinds(t *testing.T) {
	files := map[string]string{"todo.txt": "(A) one\n", "backlog/config.yml": "project_name: x\n",
		"backlog/tasks/task-1 - Two.md": "---\nid: task-1\ntitle: Two\nstatus: To Do\n---\n"}
	both := Source{Name: "both", Files: slices.Sorted(maps.Keys(files)),
		Read: func(p string) ([]byte, error) { return []byte(files[p]), nil }}
	r, err := Read(both, "")
	if err != nil || r.Kind != "backlog" || !strings.Contains(strings.Join(r.Left, "\n"), "too (kind todotxt), which is not read") {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := Read(both, "taskmaster"); err == nil || !strings.Contains(err.Error(), "does not have the tasks.json") {
		t.Error(err)
	}
}
