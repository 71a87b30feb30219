package importtanmi

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"arbor/engine/plan"
	"arbor/mdstore"
)

// sample is a folder with one workspace, W, to which tests add files.
func sample(files map[string]string) fstest.MapFS {
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
func readOne(t *testing.T, fsys fs.FS) (plan.Import, string) {
	t.Helper()
	imports, warnings, err := Read(fsys, Options{})
	if err != nil || len(imports) != 1 {
		t.Fatalf("got %d workspaces, error %v, warnings %q", len(imports), err, warnings)
	}
	check(t, imports, warnings)
	checkNothingIsLost(t, fsys, imports, warnings)
	return imports[0], strings.Join(warnings, "\n")
}

func TestSoundWorkspaceHasNoWarnings(t *testing.T) {
	if _, warnings := readOne(t, sample(nil)); warnings != "" {
		t.Errorf("warnings about a sound workspace: %s", warnings)
	}
}

func TestLineEndsAndByteOrderMarksAreNoDamage(t *testing.T) {
	imp, warnings := readOne(t, sample(map[string]string{
		workspaceMD: "\xef\xbb\xbf---\r\nname: W\r\n---\r\n\r\n## 规则\r\n\r\n> 只读，上下文必须遵循的约束\r\n\r\n" +
			"- one\r\n  two\r\n\r\n## 目标\r\n\r\nGoal\r\n",
		workspaceJSON:          "\xef\xbb\xbf{\"id\": \"ws-mwpt3ok8-aaaaaa\", \"name\": \"W\"}",
		"nodes/root/" + infoMD: "---\rid: root\rtitle: W\r---\r\r## 需求\r\rold Mac\r",
	}))
	if len(imp.Rules) != 1 || imp.Rules[0] != "one\ntwo" || imp.Goal != "Goal" || imp.Nodes[0].Requirement != "old Mac" {
		t.Errorf("got %+v", imp)
	}
	if warnings != "" {
		t.Errorf("warnings: %s", warnings)
	}
}

func TestFileThatIsNoTextIsAttached(t *testing.T) {
	_, warnings := readOne(t, sample(map[string]string{
		graphJSON:              `{"nodes": {"root": {"conclusion": "a` + "\xff" + `b"}}}`,
		workspaceMD:            "\xff\xfe#\x00",
		"nodes/root/" + infoMD: "## 需求\n\na\xffb\n",
		"nodes/root/" + logMD:  "| 2026-01-01 10:00:00 | AI | a\x00b |\n",
	}))
	for _, name := range []string{graphJSON, workspaceMD, "nodes/root/" + infoMD, "nodes/root/" + logMD} {
		if !strings.Contains(warnings, "W/"+name+": attached as imported/"+name+": it is not UTF-8") {
			t.Errorf("no warning about %s in\n%s", name, warnings)
		}
	}
}

func TestLinksAreNotFollowed(t *testing.T) {
	fsys := sample(map[string]string{"memos/M/x": "y"})
	link := &fstest.MapFile{Data: []byte("/etc/passwd"), Mode: fs.ModeSymlink}
	for _, name := range []string{"W/Log.md", "W/nodes/evil", "W/nodes/root/Problem.md", "W/memos/M/Content.md", "W/stray", "linked"} {
		fsys[name] = link
	}
	fsys["W/pipe"] = &fstest.MapFile{Mode: fs.ModeNamedPipe}
	_, warnings := readOne(t, fsys)
	for _, name := range []string{"W/Log.md", "W/nodes/evil", "W/nodes/root/Problem.md", "W/memos/M/Content.md", "W/stray", "linked", "W/pipe"} {
		if strings.Count(warnings, name+": ")+strings.Count(warnings, "not imported: "+name) != 1 {
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
	if err := os.CopyFS(dir, sample(nil)); err != nil {
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

func TestUnreadableFilesAreAnError(t *testing.T) {
	all := sample(map[string]string{logMD: "", problemMD: "", "nodes/root/" + logMD: "", "nodes/a/" + infoMD: "---\ntitle: A\n---\n"})
	bad := slices.Sorted(maps.Keys(all))
	for _, name := range append(bad, "W/nodes", "W", ".") {
		imports, warnings, err := Read(failing{all, map[string]bool{name: true}}, Options{})
		if err == nil || imports != nil || warnings != nil {
			t.Errorf("%s cannot be read: %d workspaces, error %v", name, len(imports), err)
		}
		if err != nil && name != "W" && !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s cannot be read: error %v", name, err)
		}
	}
}

// filler is text of n bytes in lines, the last of which can be told.
func filler(n int) string {
	return strings.Repeat("0123456789 0123456789 0123456789 0123456789 0123456789 012345678\n", n/64) + "the end"
}

func TestTextsBeyondTheLimitsAreAttached(t *testing.T) {
	big := filler(3 << 19) // 1.5 MiB
	var rows strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&rows, "| 2026-01-01 10:00:00 | AI | entry %05d of a log that never ends, with some text to make it longer |\n", i)
	}
	files := map[string]string{
		"nodes/root/" + infoMD:      "---\nid: root\ntitle: W\n---\n\n## 需求\n\n" + big + "\n\n## 备注\n\nsmall\n",
		"nodes/root/" + logMD:       "| 2026-01-01 10:00:00 | AI | stays |\n",
		logMD:                       rows.String(),
		problemMD:                   "## 当前问题\n\nstays\n",
		"memos/Big/" + contentMD:    big,
		"picture.png":               "\x89PNG\xff" + strings.Repeat("\x00\x01", 1<<20),
		"nodes/1/2/3/4/5/6/7/8/9/a": "deep",
	}
	fsys := sample(files)
	imports, warnings, err := Read(fsys, Options{})
	if err != nil || len(imports) != 1 {
		t.Fatal(err)
	}
	check(t, imports, warnings)
	v := write(t, imports)
	imp := imports[0]
	if root := imp.Nodes[0]; root.Requirement != "" || root.Note != "small" || len(root.Log) != 1 || len(imp.Log) < 500 || len(imp.Log) > 2000 || imp.Problem.Text != "stays" {
		t.Errorf("what fits is left out, or what does not fit is not: %.300v", imp)
	}
	for name, data := range files {
		whole := ""
		for _, p := range slices.Sorted(maps.Keys(v.files)) {
			if in := "ws-mwpt3ok8-aaaaaa/imported/" + name; string(p) == in || strings.HasPrefix(string(p), in+".part") {
				whole += string(v.files[p])
			}
		}
		if small := strings.Contains(data, "stays"); !small && whole != data || small && whole != "" {
			t.Errorf("%s: %d bytes of %d are attached", name, len(whole), len(data))
		}
	}
	if want := "ws-mwpt3ok8-aaaaaa/imported/memos/Big/Content.md.part001: Big"; !slices.Contains(refTexts(imp.Docs), ".tanmi-workspace/"+want) {
		t.Errorf("the memo is not among the documents: %q", refTexts(imp.Docs))
	}
}

func TestFolderBeyondTheLimitIsAnError(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, sample(map[string]string{"film": ""})); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, "W", "film"), maxSource+1); err != nil {
		t.Fatal(err)
	}
	if imports, _, err := Read(os.DirFS(dir), Options{}); err == nil || imports != nil || !strings.Contains(err.Error(), "W holds more than") {
		t.Errorf("%d workspaces, error %v", len(imports), err)
	}
}

// TestTextsThatNoSectionHoldsAreAttached gives every list and text something that Markdown cannot hold there.
func TestTextsThatNoSectionHoldsAreAttached(t *testing.T) {
	deep := strings.Repeat("> ", 100) + "deep"
	for name, files := range map[string]map[string]string{
		"goal":       {workspaceMD: "## 目标\n\na\x01b\n"},
		"rules":      {workspaceMD: "## 规则\n\n- fine\n- " + strings.Repeat("- ", 100) + "deep rule\n"},
		"problem":    {problemMD: "## 当前问题\n\n" + deep},
		"text":       {"nodes/root/" + infoMD: "## 需求\n\n" + deep + "\n\n## 结论\n\nfine\n"},
		"conflict":   {"nodes/root/" + infoMD: "## 备注\n\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n"},
		"links":      {"nodes/root/" + infoMD: "## 结论\n\n" + strings.Repeat("[x]: y\n", 3000)},
		"next step":  {"nodes/root/" + problemMD: "## 下一步\n\n" + deep},
		"all":        {"nodes/root/" + infoMD: "## 备注\n\n" + deep, "nodes/root/" + problemMD: "## 下一步\n\n" + deep},
		"conclusion": {graphJSON: `{"nodes": {"root": {"conclusion": "` + deep + `"}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			_, warnings := readOne(t, sample(files))
			if !strings.Contains(warnings, ": attached as ") && name != "goal" {
				t.Errorf("nothing is attached: %s", warnings)
			}
		})
	}
}

func TestManyNodesWithoutFoldersAreOneWarning(t *testing.T) {
	var nodes strings.Builder
	var children []string
	for i := range 2000 {
		fmt.Fprintf(&nodes, `, "n%04d": {"type": "execution", "parentId": "root", "status": "pending", "dispatch": {}}`, i)
		children = append(children, fmt.Sprintf(`"n%04d"`, i))
	}
	imp, warnings := readOne(t, sample(map[string]string{
		graphJSON: `{"version": "5.0", "nodes": {"root": {"type": "planning", "parentId": null, "status": "monitoring", "children": [` +
			strings.Join(children, ",") + `]}` + nodes.String() + `}}`,
	}))
	if len(imp.Nodes) != 2001 || imp.Nodes[2000].ID != "n1999" || mdstore.ValueOf(imp.Nodes[2000].Order) != 2000 {
		t.Errorf("%d nodes, the last one %+v", len(imp.Nodes), imp.Nodes[len(imp.Nodes)-1])
	}
	if n := strings.Count(warnings, "\n"); n != 1 || len(warnings) > 2000 {
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
			imp, _ := readOne(t, sample(map[string]string{graphJSON: graph}))
			if len(imp.Nodes) != 1 || imp.Nodes[0].ID != mdstore.Root || imp.Nodes[0].Title != "W" {
				t.Errorf("got %.500v", imp.Nodes)
			}
		})
	}
}

// TestALongChain reads a tree that is as deep as it has nodes, and a cycle of the same length.
func TestALongChain(t *testing.T) {
	const depth = 4000
	for top, want := range map[string]int{"root": depth + 1, fmt.Sprintf("n%d", depth-1): 1} {
		var b strings.Builder
		b.WriteString(`{"nodes": {"root": {"type": "planning", "parentId": null, "status": "monitoring"}`)
		parent := top
		for i := range depth {
			fmt.Fprintf(&b, `, "n%d": {"type": "planning", "parentId": %q, "status": "monitoring"}`, i, parent)
			parent = fmt.Sprintf("n%d", i)
		}
		b.WriteString(`}}`)
		imp, warnings := readOne(t, sample(map[string]string{graphJSON: b.String()}))
		if attached := strings.Contains(warnings, "is below itself"); len(imp.Nodes) != want || attached != (want == 1) {
			t.Errorf("below %s: %d nodes, warnings %s", top, len(imp.Nodes), warnings)
		}
	}
}

func TestLongGoalsAndDescriptionsAreAttached(t *testing.T) {
	long := strings.Repeat("目标", 3000) + "the end"
	imp, warnings := readOne(t, sample(map[string]string{
		workspaceMD: "## 目标\n\n" + long + "\n\n## 文档\n\n" + long,
	}))
	if len(imp.Goal) > maxGoal+3 || !strings.HasPrefix(long, strings.TrimSuffix(imp.Goal, "…")) {
		t.Errorf("goal of %d bytes", len(imp.Goal))
	}
	if !strings.Contains(warnings, "its goal is longer than 8 KiB") {
		t.Errorf("warnings: %s", warnings)
	}
	imp, _ = readOne(t, sample(map[string]string{
		workspaceMD: "## 文档\n\n- [" + strings.Repeat("d", 3000) + "](b.md)\n- [x](" + strings.Repeat("t", 5000) + ")\n- [y](a.md)\n",
	}))
	if len(imp.Docs) != 1 || imp.Docs[0].Target != "a.md" {
		t.Errorf("docs %+v", imp.Docs)
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
		t.Run(name, func(t *testing.T) { readOne(t, sample(files)) })
	}
}
