package importtanmi

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"arbor/engine"
	"arbor/mdstore"
)

// vault is a folder with one workspace, W, to which tests add files.
func vault(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	add := func(name, data string) { fsys["W/"+name] = &fstest.MapFile{Data: []byte(data)} }
	add(workspaceJSON, `{"id": "ws-mwpt3ok8-aaaaaa", "name": "W", "status": "active", "rootNodeId": "root"}`)
	add(graphJSON, `{"version": "5.0", "nodes": {"root": {"type": "planning", "dirName": "root", "parentId": null, "status": "pending"}}}`)
	add(workspaceMD, "## 目标\n\nShip it.\n")
	add("nodes/root/"+infoMD, "---\nid: root\ntitle: W\n---\n\n## 需求\n\nShip it.\n")
	for name, data := range files {
		add(name, data)
	}
	return fsys
}

// readOne reads a vault of one workspace and checks that it can be written.
func readOne(t *testing.T, fsys fs.FS) (engine.Import, string) {
	t.Helper()
	imports, warnings, err := Read(fsys, Options{})
	if err != nil || len(imports) != 1 {
		t.Fatalf("got %d workspaces, error %v, warnings %q", len(imports), err, warnings)
	}
	check(t, imports, warnings)
	write(t, imports)
	return imports[0], strings.Join(warnings, "\n")
}

func TestNothingToSay(t *testing.T) {
	if _, warnings := readOne(t, vault(nil)); warnings != "" {
		t.Errorf("warnings about a sound workspace: %s", warnings)
	}
}

func TestLineEndsAndMarks(t *testing.T) {
	imp, warnings := readOne(t, vault(map[string]string{
		workspaceMD:            "\xef\xbb\xbf---\r\nname: W\r\n---\r\n\r\n## 规则\r\n\r\n> 只读，上下文必须遵循的约束\r\n\r\n- one\r\n  two\r\n\r\n## 目标\r\n\r\nGoal\r\n",
		workspaceJSON:          "\xef\xbb\xbf{\"id\": \"ws-mwpt3ok8-aaaaaa\", \"name\": \"W\"}",
		"nodes/root/" + infoMD: "---\rid: root\rtitle: W\r---\r\r## 需求\r\rold Mac\r",
		"nodes/root/" + logMD:  "| 2026-01-01 10:00:00 | AI | a\xff\x00b |\r\n",
	}))
	if len(imp.Rules) != 1 || imp.Rules[0] != "one\ntwo" || imp.Goal != "Goal" || imp.Nodes[0].Requirement != "old Mac" {
		t.Errorf("got %+v", imp)
	}
	if got := imp.Nodes[0].Log[0].Event; got != "a\uFFFD\uFFFDb" {
		t.Errorf("event %q", got)
	}
	if got := string(imp.Files["imported/nodes/root/Log.md"]); !strings.Contains(got, "a\xff\x00b") {
		t.Errorf("the file that is no text is not kept: %q", imp.Files)
	}
	if !strings.Contains(warnings, "W/nodes/root/Log.md: is not UTF-8") {
		t.Errorf("warnings: %s", warnings)
	}
}

func TestLinksAreNotFollowed(t *testing.T) {
	fsys := vault(map[string]string{"memos/M/x": "y"})
	link := &fstest.MapFile{Data: []byte("/etc/passwd"), Mode: fs.ModeSymlink}
	for _, name := range []string{"W/Log.md", "W/nodes/evil", "W/nodes/root/Problem.md", "W/memos/M/Content.md", "W/stray", "linked"} {
		fsys[name] = link
	}
	fsys["W/pipe"] = &fstest.MapFile{Mode: fs.ModeNamedPipe}
	_, warnings := readOne(t, fsys)
	for _, name := range []string{"W/Log.md", "W/nodes/evil", "W/nodes/root/Problem.md", "W/memos/M/Content.md", "W/stray", "linked", "W/pipe"} {
		if strings.Count(warnings, name+": ") != 1 {
			t.Errorf("not one warning about %s in\n%s", name, warnings)
		}
	}
}

func TestLinksOnDiskAreNotFollowed(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("top secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, vault(nil)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"W/Log.md", "W/nodes/root/Extra.md"} {
		if err := os.Symlink(secret, filepath.Join(dir, name)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	if err := os.Symlink(filepath.Dir(secret), filepath.Join(dir, "W", "nodes", "out")); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name, fsys := range map[string]fs.FS{"os.DirFS": os.DirFS(dir), "os.Root": root.FS()} {
		imp, warnings := readOne(t, fsys)
		if s := fmt.Sprintf("%+v", imp); strings.Contains(s, "top secret") || strings.Count(warnings, "symbolic link") != 3 {
			t.Errorf("%s: got %s\nwarnings %s", name, s, warnings)
		}
	}
}

// failing is a file system in which some names cannot be opened.
type failing struct {
	fs.FS
	bad map[string]bool
}

func (f failing) Open(name string) (fs.File, error) {
	if f.bad[name] {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return f.FS.Open(name)
}

func TestUnreadableFiles(t *testing.T) {
	all := vault(map[string]string{logMD: "", problemMD: "", "nodes/root/" + logMD: "", "nodes/a/" + infoMD: "---\ntitle: A\n---\n"})
	for name := range all {
		_, warnings := readOne(t, failing{all, map[string]bool{name: true}})
		if !strings.Contains(warnings, name+": cannot be read: permission denied") {
			t.Errorf("%s: warnings %s", name, warnings)
		}
	}
	if _, warnings := readOne(t, failing{all, map[string]bool{"W/nodes": true}}); !strings.Contains(warnings, "W/nodes: cannot be listed") {
		t.Errorf("warnings %s", warnings)
	}
	if _, _, err := Read(failing{all, map[string]bool{".": true}}, Options{}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("error %v", err)
	}
	if imports, _, err := Read(failing{all, map[string]bool{"W": true}}, Options{}); !errors.Is(err, ErrNone) || imports != nil {
		t.Errorf("error %v", err)
	}
}

// filler is text of n bytes in lines, the last of which can be told.
func filler(n int) string {
	return strings.Repeat("0123456789 0123456789 0123456789 0123456789 0123456789 012345678\n", n/64) + "the end"
}

func TestTextsBeyondTheLimits(t *testing.T) {
	big := filler(3 << 19) // 1.5 MiB
	var rows strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&rows, "| 2026-01-01 10:00:00 | AI | entry %05d of a log that never ends, with some text to make it longer |\n", i)
	}
	imp, warnings := readOne(t, vault(map[string]string{
		"nodes/root/" + infoMD:      "---\nid: root\ntitle: W\n---\n\n## 需求\n\n" + big + "\n\n## 备注\n\nsmall\n",
		logMD:                       rows.String(),
		"nodes/root/" + problemMD:   "## 当前问题\n\n" + big,
		"memos/Big/" + contentMD:    big,
		"Notes.md":                  big,
		"picture.png":               "\x89PNG\xff" + big,
		"nodes/root/deep/er/n.txt":  "deep",
		"nodes/1/2/3/4/5/6/7/8/9/a": "too deep",
	}))
	root := imp.Nodes[0]
	if root.Note != "small" || len(root.Requirement) > maxText || !strings.Contains(root.Requirement, "imported/nodes/root/Requirement.md") {
		t.Errorf("requirement %.300q, note %.300q", root.Requirement, root.Note)
	}
	for _, base := range []string{"imported/nodes/root/Requirement", "imported/nodes/root/Problem", "memos/Big", "imported/Notes"} {
		whole := string(imp.Files[base+".md"]) + string(imp.Files[base+"-2.md"])
		if !strings.Contains(whole, big) {
			t.Errorf("%s: %d bytes of %d, and not the text", base, len(whole), len(big))
		}
	}
	if n := len(imp.Log); n > 2000 || n < 100 || !strings.Contains(imp.Log[n-1].Event, "entry 19999") {
		t.Errorf("%d entries stay in the log", n)
	}
	if all := fmt.Sprint(imp.Log) + string(imp.Files["imported/Log.md"]) + string(imp.Files["imported/Log-2.md"]); strings.Count(all, "of a log that never ends") != 20000 {
		t.Error("entries of the log are lost, or there twice")
	}
	for _, want := range []string{"W/picture.png: is no text, and larger than", "W/nodes/1/2", "W: Log is too long"} {
		if !strings.Contains(warnings, want) {
			t.Errorf("no warning %q in\n%s", want, warnings)
		}
	}
}

// TestTextsThatNoSectionHolds gives every list and text something that Markdown cannot hold there.
func TestTextsThatNoSectionHolds(t *testing.T) {
	deep := strings.Repeat("> ", 100) + "deep"
	fsys := vault(map[string]string{
		workspaceMD: "## 规则\n\n- fine\n- " + deep + "\n- " + strings.Repeat("- ", 100) + "deep rule\n\n## 目标\n\n" + deep,
		"nodes/root/" + infoMD: "## 需求\n\n" + deep + "\n\n## 备注\n\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n\n## 文档引用\n\n- [" + deep + "](a.md)\n\n## 结论\n\n" +
			strings.Repeat("[x]: y\n", 3000),
		"nodes/root/" + logMD: "| 2026-01-01 10:00:00 | AI | " + deep + " |\n\n" + deep + "\n\n<!-- open\n\n```\n\n# Heading\n",
	})
	imp, warnings := readOne(t, fsys)
	for _, data := range imp.Files {
		warnings += string(data)
	}
	all := fmt.Sprintf("%+v", imp) + warnings
	for _, want := range []string{"deep rule", "<<<<<<< HEAD", ">>>>>>> x", "<!-- open", "# Heading"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is lost in %+v\n%s", want, imp, warnings)
		}
	}
}

func TestManyAlikeAreCounted(t *testing.T) {
	var nodes strings.Builder
	var children []string
	for i := range 2000 {
		fmt.Fprintf(&nodes, `, "n%04d": {"type": "execution", "parentId": "root", "status": "pending", "dispatch": {"status": "passed"}}`, i)
		children = append(children, fmt.Sprintf(`"n%04d"`, i))
	}
	imp, warnings := readOne(t, vault(map[string]string{graphJSON: `{"version": "5.0", "nodes": {"root": {"type": "planning", "parentId": null, "status": "monitoring", "children": [` +
		strings.Join(children, ",") + `]}` + nodes.String() + `}}`}))
	if len(imp.Nodes) != 2001 || imp.Nodes[2000].ID != "n1999" || imp.Nodes[2000].Order != 2000 {
		t.Errorf("%d nodes, the last one %+v", len(imp.Nodes), imp.Nodes[len(imp.Nodes)-1])
	}
	if n := strings.Count(warnings, "\n"); n > 30 || !strings.Contains(warnings, "1980 more like this one: W/graph.json: node \"n0000\" has no Info.md") ||
		!strings.Contains(warnings, "dispatch of n0000, n0001, n0002, n0003, n0004, n0005, n0006, n0007 and 1992 more: ") {
		t.Errorf("%d warnings: %s", n, warnings)
	}
}

// TestDeepAndWideJSON reads what no TanmiWorkspace writes but anybody can.
func TestDeepAndWideJSON(t *testing.T) {
	const wide = 100000
	for name, graph := range map[string]string{
		"deep":     `{"nodes": {"root": {"type": "planning", "parentId": null, "status": "pending", "x": ` + strings.Repeat("[", wide) + strings.Repeat("]", wide) + `}}}`,
		"wide":     `{"nodes": {"root": {"type": "planning", "parentId": null, "status": "pending", "children": [` + strings.Repeat(`"x",`, wide) + `"x"]}}}`,
		"refs":     `{"nodes": {"root": {"type": "planning", "parentId": null, "status": "pending", "references": [` + strings.Repeat(`"x",`, wide) + `"x"]}}}`,
		"keys":     `{"nodes": {"root": {"type": "planning", "parentId": null, "status": "pending"` + strings.Repeat(`, "a": 1`, wide) + `}}}`,
		"array":    `[` + strings.Repeat(`{},`, wide) + `{}]`,
		"no array": strings.Repeat(`[`, wide),
		"text":     `"` + strings.Repeat("x", wide) + `"`,
	} {
		t.Run(name, func(t *testing.T) {
			imp, _ := readOne(t, vault(map[string]string{graphJSON: graph}))
			if len(imp.Nodes) != 1 || imp.Nodes[0].ID != mdstore.Root || imp.Nodes[0].Title != "W" {
				t.Errorf("got %.500v", imp.Nodes)
			}
		})
	}
}

// TestALongChain reads a tree that is as deep as it has nodes, and a cycle of the same length.
func TestALongChain(t *testing.T) {
	const depth = 4000
	for _, top := range []string{"root", fmt.Sprintf("n%d", depth-1)} {
		var b strings.Builder
		b.WriteString(`{"nodes": {"root": {"type": "planning", "parentId": null, "status": "monitoring"}`)
		parent := top
		for i := range depth {
			fmt.Fprintf(&b, `, "n%d": {"type": "planning", "parentId": %q, "status": "monitoring"}`, i, parent)
			parent = fmt.Sprintf("n%d", i)
		}
		b.WriteString(`}}`)
		fsys := vault(map[string]string{graphJSON: b.String()})
		imports, warnings, err := Read(fsys, Options{})
		if err != nil || len(imports) != 1 || len(imports[0].Nodes) != depth+1 {
			t.Fatalf("%d workspaces, error %v", len(imports), err)
		}
		check(t, imports, warnings)
		if got := strings.Contains(strings.Join(warnings, "\n"), "form a cycle"); got != (top != "root") {
			t.Errorf("below %s: warnings %q", top, warnings)
		}
	}
}

func TestLongGoalsAndDescriptions(t *testing.T) {
	long := strings.Repeat("目标", 3000) + "the end"
	for _, requirement := range []string{long, "short"} {
		imp, warnings := readOne(t, vault(map[string]string{
			workspaceMD:            "## 目标\n\n" + long + "\n\n## 文档\n\n- [" + strings.Repeat("d", 3000) + "](a.md)\n- [x](" + strings.Repeat("t", 5000) + ")\n",
			"nodes/root/" + infoMD: "## 需求\n\n" + requirement + "\n",
		}))
		root := imp.Nodes[0]
		if len(imp.Goal) > maxGoal+3 || !strings.HasPrefix(long, strings.TrimSuffix(imp.Goal, "…")) || strings.Count(root.Requirement+root.Note, long) != 1 {
			t.Errorf("goal of %d bytes; %.100q, %.100q", len(imp.Goal), root.Requirement, root.Note)
		}
		if len(imp.Docs) != 1 || imp.Docs[0].Target != "a.md" || !strings.Contains(root.Note, strings.Repeat("d", 3000)) || !strings.Contains(root.Note, strings.Repeat("t", 5000)) {
			t.Errorf("docs %+v, note %.300q", imp.Docs, root.Note)
		}
		if !strings.Contains(warnings, "the goal is longer than 8 KiB") {
			t.Errorf("warnings: %s", warnings)
		}
	}
}

// TestWhatTheFuzzerFound keeps the inputs that once broke a promise.
func TestWhatTheFuzzerFound(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"control character in a description": {workspaceMD: "## 文档\n\n- [a.md](docs/a.md)\x03- what it was\n"},
		"control character in a memo's id":   {graphJSON: `{"nodes": {}, "memos": {"memo-\u007fx": {}}}`},
		"blank before an event":              {logMD: "| 2026-01-01 10:00:00 | AI || 2026-01-01 10:00:02 | AI |\n"},
		"a time that is none, by hand":       {logMD: "- [2026-11-41 02:46:20] [AI] x\n"},
		"a new root after the last change":   {workspaceJSON: `{"id": "w", "createdAt": "2026-01-01T00:00:00Z"}`, graphJSON: `{"nodes": {}}`, "nodes/root/" + infoMD: ""},
	} {
		t.Run(name, func(t *testing.T) { readOne(t, vault(files)) })
	}
}
