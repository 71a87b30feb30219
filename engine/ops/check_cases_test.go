package ops_test

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/mdoc"
)

var updateCases = flag.Bool("update", false, "rewrite what the cases of testdata/check expect")

const checkCases = "../../testdata/check/*.txtar"

// unsaid are the files of every case that does not leave them out or have others in their place.
var unsaid = map[string]string{
	"ws/Workspace.md":       "---\nid: ws\nname: Login\ngoal: Users sign in\nstatus: active\nrulesHash: \"\"\nfocusedNodeId: null\ncreatedAt: 1767225600000\nupdatedAt: 1767225600000\n---\n",
	"ws/nodes/root/Node.md": "---\nid: root\ntitle: Login\ntype: planning\nstatus: monitoring\nparentId: null\n---\n",
}

// A checkCase is a vault, what check finds in it, and the files as --fix leaves them.
type checkCase struct {
	name    string
	doc     string   // the comment; its lines "without FILE" and "folder FOLDER" say which unsaid files are left out, and which folders hold nothing
	files   []string // in their order
	folders []string
	want    []string // "file:line:col: CODE (fix)"
	after   map[string]string
	text    map[string]string
}

var findingLine = regexp.MustCompile(`^(\S.*):(\d+):(\d+): ([A-Z_0-9]+) \((.*)\)$`)

func readCase(t testing.TB, file string) checkCase {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c := checkCase{name: strings.TrimSuffix(filepath.Base(file), ".txtar"), after: map[string]string{}, text: maps.Clone(unsaid)}
	for line := range strings.Lines(string(a.Comment)) {
		line = strings.TrimRight(line, "\n")
		switch {
		case findingLine.MatchString(line):
			c.want = append(c.want, line)
			continue
		case strings.HasPrefix(line, "folder "):
			c.folders = append(c.folders, strings.TrimPrefix(line, "folder "))
		case strings.HasPrefix(line, "without "):
			delete(c.text, strings.TrimPrefix(line, "without "))
		}
		c.doc += line + "\n"
	}
	for _, f := range a.Files {
		if name, ok := strings.CutPrefix(f.Name, "after/"); ok {
			c.after[name] = string(f.Data)
			continue
		}
		c.files = append(c.files, f.Name)
		c.text[f.Name] = string(f.Data)
	}
	return c
}

// caseVault is a vault of a case on the disk, with an engine whose clock stands still and whose ids count.
type caseVault struct {
	dir   string
	store *dirstore.Store
	env   *ops.Env
	pause func() // what happens in the pauses of a repair; nil for nothing
}

// newCaseVault makes a vault below an empty folder.
func newCaseVault(t rapid.TB, dir string, files map[string]string) *caseVault {
	t.Helper()
	v := &caseVault{dir: filepath.Join(dir, "vault")}
	for name, text := range files {
		full := filepath.Join(v.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	v.open(t)
	return v
}

// open opens the vault anew; ids count from 1 again.
func (v *caseVault) open(t rapid.TB) {
	t.Helper()
	v.close()
	st, err := dirstore.Open(v.dir, dirstore.Options{SaveQuiet: -1})
	if err != nil {
		t.Fatal(err)
	}
	v.store = st
	ids := 0
	e, err := engine.Open(tctx, st, engine.Options{
		Now: func() time.Time { return enginetest.Start },
		After: func(d time.Duration) <-chan time.Time {
			if v.pause != nil {
				v.pause()
			}
			return enginetest.NoPause(d)
		},
		NewID: func(p string) (mdstore.ID, error) { ids++; return mdstore.ID(fmt.Sprintf("%s-new-%06d", p, ids)), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	v.env = &ops.Env{Engine: e, Operator: mdstore.OperatorHuman}
}

func (v *caseVault) close() {
	if v.store != nil {
		_ = v.store.Close()
		v.store = nil
	}
}

func (v *caseVault) check(t rapid.TB, in ops.WorkspaceCheckIn) *ops.WorkspaceCheckOut {
	t.Helper()
	out, err := ops.WorkspaceCheck(tctx, v.env, in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// files returns every file, and every empty folder with a slash behind it, of the vault and its trash; no other file of
// .local/.
func (v *caseVault) files(t rapid.TB) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(v.dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(v.dir, p)
		if name = filepath.ToSlash(name); strings.HasPrefix(name, ".local") && !strings.HasPrefix(name, ".local/trash/") {
			return nil
		}
		if d.IsDir() {
			if in, err := os.ReadDir(p); err != nil || len(in) > 0 {
				return err
			}
			out[name+"/"] = ""
			return nil
		}
		data, err := os.ReadFile(p)
		out[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func lines(ds []mdoc.Diagnostic) (out []string) {
	for _, d := range ds {
		fix := d.Fix
		if fix == "" {
			fix = "by hand"
		}
		out = append(out, fmt.Sprintf("%s:%d:%d: %s (%s)", d.File, d.Line, d.Col, d.Code, fix))
	}
	return out
}

// Every case of testdata/check: the findings, the files as --fix leaves them, and the laws of mending.
func TestCheckCases(t *testing.T) {
	all, _ := filepath.Glob(checkCases)
	if len(all) < 10 {
		t.Fatalf("%d cases in %s", len(all), checkCases)
	}
	for _, file := range all {
		c := readCase(t, file)
		t.Run(c.name, func(t *testing.T) {
			v := newCaseVault(t, t.TempDir(), c.text)
			defer v.close()
			for _, f := range c.folders {
				if err := os.MkdirAll(filepath.Join(v.dir, filepath.FromSlash(f)), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			got := lines(v.check(t, ops.WorkspaceCheckIn{}).Diagnostics)
			before := v.files(t)
			after := mendLaws(t, v, before)
			if *updateCases {
				rewriteCase(t, file, c, got, before, after)
				return
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("check finds\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(c.want, "\n\t"))
			}
			if changed := changedFiles(before, after); !maps.Equal(changed, c.after) {
				t.Errorf("--fix leaves\n%s\nwant\n%s", show(changed), show(c.after))
			}
		})
	}
}

// mendLaws mends a vault and returns its files. The laws: a dry run writes nothing and shows the same, no finding that
// names a repair is left, no line is lost, and a second repair changes nothing.
func mendLaws(t rapid.TB, v *caseVault, before map[string]string) map[string]string {
	t.Helper()
	found := v.check(t, ops.WorkspaceCheckIn{})
	v.open(t)
	dry := v.check(t, ops.WorkspaceCheckIn{Fix: true, Write: ops.Write{DryRun: true}})
	if now := v.files(t); !maps.Equal(now, before) {
		t.Errorf("a dry run changes\n%s", show(changedFiles(before, now)))
	}
	v.open(t)
	fixed := v.check(t, ops.WorkspaceCheckIn{Fix: true})
	after := v.files(t)
	marks := slices.ContainsFunc(fixed.Fixed, func(d mdoc.Diagnostic) bool { return d.Code == mdoc.CodeConflictMarkers })
	if marks { // what waits for the merge, a dry run does not show
	} else if dry.Diff != fixed.Diff || !slices.Equal(lines(dry.Fixed), lines(fixed.Fixed)) {
		t.Errorf("the dry run says\n%s%v\nand what is done is\n%s%v", dry.Diff, lines(dry.Fixed), fixed.Diff, lines(fixed.Fixed))
	}
	if fixed.Changed != (len(changedFiles(before, after)) > 0) || fixed.Changed != (fixed.Diff != "") {
		t.Errorf("changed is %v, the diff is\n%s", fixed.Changed, fixed.Diff)
	}
	for _, d := range fixed.Diagnostics {
		if d.Fix != "" {
			t.Errorf("not mended: %v", d)
		}
	}
	for _, d := range found.Diagnostics {
		if d.Fix != "" && !slices.ContainsFunc(fixed.Fixed, func(x mdoc.Diagnostic) bool { return x == d }) {
			t.Errorf("not among what was mended: %v", d)
		}
	}
	if lost := lostLines(before, after); len(lost) > 0 {
		t.Errorf("lines are lost: %q", lost)
	}
	v.open(t)
	again := v.check(t, ops.WorkspaceCheckIn{Fix: true})
	if again.Changed || len(again.Fixed) > 0 || again.Diff != "" || !maps.Equal(after, v.files(t)) || !slices.Equal(lines(again.Diagnostics), lines(fixed.Diagnostics)) {
		t.Errorf("a second repair mends %v\n%s", again.Fixed, again.Diff)
	}
	return after
}

// values are the lines of front matter that a repair may write another value into.
var values = regexp.MustCompile(`^(id|status|rulesHash|focusedNodeId|parentId|updatedAt):`)

// gitMark is a mark of a conflict, which goes with it.
var gitMark = regexp.MustCompile(`^(<<<<<<<|=======$|>>>>>>>)`)

// lostLines returns the lines that stand in fewer places after than before. Values of the front matter may change, and
// a reference may be marked.
func lostLines(before, after map[string]string) (lost []string) {
	count := map[string]int{}
	note := func(files map[string]string, by int) {
		for _, text := range files {
			for line := range strings.Lines(text) {
				if line = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line), "(expired)")); line != "" && !values.MatchString(line) && !gitMark.MatchString(line) {
					count[known(line)] += by
				}
			}
		}
	}
	note(after, 1)
	note(before, -1)
	for line, n := range count {
		if n < 0 && line != "" && !copied(line, before) {
			lost = append(lost, line)
		}
	}
	slices.Sort(lost)
	return lost
}

// relative are paths of links to files of nodes.
var relative = regexp.MustCompile(`\((<?)(?:\.\./)+[^()<>#]*/Node\.md`)

// known returns a line with the name that check --fix gives to a key of another program or to a heading, and without
// the paths of links to nodes.
func known(line string) string {
	if line = relative.ReplaceAllString(line, "(${1}Node.md"); strings.EqualFold(strings.TrimRight(line, ":"), "## Criteria") {
		return "" // its boxes stand below the section's own heading
	}
	for _, f := range mdstore.AllFields() {
		for _, key := range f.Also {
			if value, ok := strings.CutPrefix(line, key+":"); ok {
				return f.Key + ":" + value
			}
		}
	}
	return line
}

// copied reports whether a line may stand in fewer files: a leftover that equals its file is removed.
func copied(line string, before map[string]string) bool {
	for name, text := range before {
		if !strings.HasPrefix(filepath.Base(name), dirstore.TempPrefix) || !strings.Contains(text, line) {
			continue
		}
		for other, same := range before {
			if other != name && same == text {
				return true
			}
		}
	}
	return false
}

// changedFiles returns the files that are new, changed or, as "(gone)\n", not there any more.
func changedFiles(before, after map[string]string) map[string]string {
	out := map[string]string{}
	for name, text := range after {
		if was, ok := before[name]; !ok || was != text {
			out[name] = text
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			out[name] = "(gone)\n"
		}
	}
	return out
}

func show(files map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&b, "-- after/%s --\n%s", name, files[name])
	}
	return b.String()
}

func rewriteCase(t *testing.T, file string, c checkCase, got []string, before, after map[string]string) {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(c.doc)
	for _, l := range got {
		b.WriteString(l + "\n")
	}
	for _, name := range c.files {
		fmt.Fprintf(&b, "-- %s --\n%s", name, c.text[name])
	}
	b.WriteString(show(changedFiles(before, after)))
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
