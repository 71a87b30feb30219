package importtanmi

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"arbor/engine/plan"

	"pgregory.net/rapid"
)

// filesOf returns the files of a file system by path.
func filesOf(t rapid.TB, fsys fs.FS) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(fsys, ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			var data []byte
			data, err = fs.ReadFile(fsys, name)
			all[name] = string(data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var words = regexp.MustCompile(`[\p{L}\p{N}]+`)

// structure are the keys whose values are no text: Arbor has another form for what they say.
var structure = []string{"type", "status", "role", "dirName", "version", "createdAt", "updatedAt"}

// checkNothingIsLost imports into an empty vault and compares each file of the source with the vault: it is there byte
// for byte at the path that a warning names, or each of its texts is in a Workspace.md or Node.md.
func checkNothingIsLost(t rapid.TB, fsys fs.FS, imports []plan.Import, warnings []string) {
	t.Helper()
	v := write(t, imports)
	dirs, _ := (&reader{fsys: fsys}).findWorkspaces()
	for name, data := range filesOf(t, fsys) {
		in := func(dir string) bool { return dir == "." || strings.HasPrefix(name, dir+"/") }
		if slices.Contains(litter, path.Base(name)) || !slices.ContainsFunc(dirs, in) || v.attached(name, data, warnings) {
			continue
		}
		for _, line := range texts(t, name, data) {
			if !strings.Contains(v.text, line) {
				t.Errorf("%s is not attached, and holds a text that is lost: %q", name, line)
			}
		}
	}
}

// attached reports whether a warning names a file of the vault that holds these bytes.
func (v vault) attached(name, data string, warnings []string) bool {
	for _, w := range warnings {
		rest, ok := strings.CutPrefix(w, oneLine(name)+": attached as ")
		for p, got := range v.files {
			if i := strings.Index(string(p), "/"+attachedDir+"/"); ok && i > 0 && strings.HasPrefix(rest, string(p[i+1:])+": ") && string(got) == data {
				return true
			}
		}
	}
	return false
}

// texts returns the texts of a file, line by line.
func texts(t rapid.TB, name, data string) (all []string) {
	data = lineEnds.Replace(strings.TrimPrefix(data, bom))
	add := func(text string) {
		for _, line := range strings.Split(text, "\n") {
			if line = strings.Trim(line, " \t#>-*|"); words.MatchString(line) {
				all = append(all, line)
			}
		}
	}
	if path.Ext(name) == ".json" {
		var v any
		if err := json.Unmarshal([]byte(data), &v); err != nil {
			t.Errorf("%s is damaged, and not attached: %v", name, err)
		}
		walk(v, "", func(key, s string) {
			switch {
			case slices.Contains(structure, key):
			case key == "when" || key == "then":
				all = append(all, words.FindAllString(s, -1)...)
			default:
				add(lineEnds.Replace(s))
			}
		})
		return all
	}
	for _, line := range strings.Split(data, "\n") {
		key, value, _ := strings.Cut(line, ": ")
		switch {
		case slices.Contains(structure, key), slices.Contains(templateLines, strings.TrimSpace(line)),
			slices.Contains(template, strings.TrimSpace(line)):
		case key == "id" || key == "title" || key == "name":
			add(value)
		case strings.HasPrefix(line, "| "), strings.HasPrefix(line, "- ["): // of other form in Arbor
			made := regexp.MustCompile(`(节点引用|备忘引用): |\((active|expired)\)$|memo://[\w-]*`) // by the original
			all = append(all, words.FindAllString(made.ReplaceAllString(line, ""), -1)...)
		default:
			add(line)
		}
	}
	return all
}

// template are the headings and lines that the original writes by itself.
var template = []string{
	"## 节点类型", "规划节点", "执行节点", "## 需求", "## 验收标准", "## 文档引用", "## 备注", "## 结论",
	"## 规则", "## 文档", "## 目标", "## 当前问题", "## 下一步", "## 日志", "| 时间 | 操作者 | 事件 |",
}

// walk calls f with every string of a JSON value and the key that it is under.
func walk(v any, key string, f func(key, s string)) {
	switch v := v.(type) {
	case string:
		f(key, v)
	case []any:
		for _, e := range v {
			walk(e, key, f)
		}
	case map[string]any:
		for k, e := range v {
			walk(e, k, f)
		}
	}
}

// A scribe writes workspaces as the original, as people and as accidents do. Each text that it writes holds a word of
// its own.
type scribe struct {
	t     *rapid.T
	words int
	files map[string]string
}

func (s *scribe) word() string {
	s.words++
	return fmt.Sprintf("w%04dq", s.words)
}

func (s *scribe) maybe() bool { return rapid.Bool().Draw(s.t, "maybe") }

func (s *scribe) oneIn(n int) bool { return rapid.IntRange(1, n).Draw(s.t, "one in") == n }

func (s *scribe) pick(from ...string) string { return rapid.SampledFrom(from).Draw(s.t, "pick") }

// line is text for one line.
func (s *scribe) line() string {
	return fmt.Sprintf(s.pick("%s", "%s: x", "a %s #b", "\"%s\" and \"x\"", "[%s] x", "x (%s)", "中文%s。", "- %s", "> %s", "`%s`", "a｜%s", "%s\\", "# %s", "x <br> %s", "(%s) (expired)"), s.word())
}

// text is text of several lines, as people put it into a section.
func (s *scribe) text() string {
	var b strings.Builder
	for range rapid.IntRange(0, 4).Draw(s.t, "lines") {
		b.WriteString(fmt.Sprintf(s.pick("%s\n", "\n%s\n", "```\n%s\n```\n", "```\n%s\n", "# %s\n", "### %s\n\n", "%s\n---\n", "> %s\n", "- %s\n", "  - %s\n", "| %s | b |\n", "<!-- %s\n",
			"<div>\n%s\n", "    %s\n", "## %s\n\n", "~~~ %s\n", "1. %s\n", "（暂无）%s\n", "```\n## 结论\n\n%s\n```\n", "[%s]: x\n", "\t%s\n"), s.word()))
	}
	return b.String()
}

func (s *scribe) title() string {
	return fmt.Sprintf(s.pick("%s", "Fix: %s", "\"%s\"", "'%s'", "a/b %s", "%s"+strings.Repeat(" long", 60), "[x] %s {y}", "# %s"), s.word())
}

func (s *scribe) page(standard []string, bodies ...string) string {
	var b strings.Builder
	if s.maybe() {
		b.WriteString("\n" + s.text())
	}
	for i, name := range standard {
		if s.oneIn(4) {
			b.WriteString("## " + s.pick("Mine ", "其他 ", "日志 ") + s.word() + "\n\n" + s.text() + "\n")
		}
		b.WriteString("## " + name + s.pick("\n", "\n\n", "  \n\n") + bodies[i] + s.pick("\n", "\n\n"))
	}
	return b.String()
}

func (s *scribe) list() string {
	var b strings.Builder
	for range rapid.IntRange(0, 3).Draw(s.t, "items") {
		b.WriteString(fmt.Sprintf(s.pick("- %s\n", "- %s\n  more\n", "- x\n  - %s\n", "* %s\n", "1. %s\n", "%s\n", "\n> %s\n\n", "- x\n\n  %s\n"), s.line()))
	}
	return b.String()
}

func (s *scribe) docs(targets []string) string {
	var b strings.Builder
	for range rapid.IntRange(0, 4).Draw(s.t, "docs") {
		target := s.pick(append(targets, "docs/"+s.word()+".md", "a (b) "+s.word(), "https://x.y/"+s.word())...)
		b.WriteString(fmt.Sprintf(s.pick("- [%s](%s)\n", "- [%s](%s) - more\n", "- [%s](%s) (active)\n", "- [%s](%s) - x (expired)\n", "- %s %s\n", "%s %s\n"), s.line(), target))
	}
	return b.String()
}

func (s *scribe) log() string {
	var b strings.Builder
	b.WriteString(s.pick("", "## 日志\n\n| 时间 | 操作者 | 事件 |\n|------|--------|------|\n"))
	for range rapid.IntRange(0, 4).Draw(s.t, "entries") {
		b.WriteString(fmt.Sprintf(s.pick("| 2026-01-01 10:00:00 | AI | %s |\n", "| 10:00 | system | %s |\n", "| %s | b |\n", "%s\n", "- %s\n", "\n%s\n", "| 2026-01-02 10:00:00 | %s |\n", "## %s\n",
			"| 2026-01-01 10:00:00 | AI | a<br>%s |\n", "| 2026-01-01 10:00:00 |  | %s\n"), s.line()))
	}
	return b.String()
}

// json is an object with fields in their place, among the wrong types, and beyond what the original knows.
func (s *scribe) json(fields ...string) string {
	for range rapid.IntRange(0, 2).Draw(s.t, "fields") {
		fields = append(fields, s.pick(quoted("x"+s.word())+`: "`+s.word()+`"`, `"own": {"a": ["`+s.word()+`"]}`, quoted(s.line())+`: 7`, `"none": null`, `"empty": []`))
	}
	return "{" + strings.Join(fields, ",\n") + "}"
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func (s *scribe) workspace() {
	ids := []string{"root"}
	for i := range rapid.IntRange(0, 4).Draw(s.t, "nodes") {
		ids = append(ids, s.pick(fmt.Sprintf("node-mwpt3ok%d-aaaaa%d", i, i), fmt.Sprintf("bad/%d", i)))
	}
	var nodes []string
	for i, id := range ids {
		text := s.text()
		conclusion := s.pick("null", quoted(text), quoted(s.text()), `["`+s.word()+`"]`)
		dir := s.pick(fmt.Sprintf("Title_mwpt3ok%d", i-1), id, "gone", "../up")
		nodes = append(nodes, quoted(id)+": "+s.json(`"type": `+s.pick(`"planning"`, `"execution"`, `"other"`, `3`), `"status": "pending"`, `"dirName": `+quoted(dir),
			`"parentId": `+s.pick("null", quoted(s.pick(ids...)), `"nobody"`), `"children": [`+quoted(s.pick(ids...))+`]`, `"references": [`+quoted(s.pick(ids...))+`]`,
			`"conclusion": `+conclusion, `"createdAt": `+s.pick(`"2026-01-01T00:00:00Z"`, `null`, `"`+s.word()+`"`),
			`"acceptanceCriteria": `+s.pick("null", `[{"when": `+quoted(s.line())+`, "then": `+quoted(s.text())+`}]`, `"`+s.word()+`"`)))
		folder := "W/nodes/" + s.pick(strings.ReplaceAll(id, "/", "_"), fmt.Sprintf("Title_mwpt3ok%d", i-1), fmt.Sprintf("Other %d", i)) + "/"
		if !s.oneIn(4) {
			criteria := "| 条件 (WHEN) | 期望结果 (THEN) |\n|---|---|\n| " + s.word() + " | x｜y |\n"
			front := "---\nid: " + s.pick(id, "", "other") + "\ntype: planning\ntitle: " + s.title() + "\nstatus: pending\n" + s.pick("", "tags: "+s.word()+"\n", "# "+s.word()+"\n", "list:\n  - "+s.word()+"\n") + "---\n"
			s.files[folder+infoMD] = s.pick("", front, front) + s.page([]string{"节点类型", "需求", "验收标准", "文档引用", "备注", "结论"},
				s.pick("规划节点", s.word()), s.text(), s.pick(criteria, s.text(), ""), s.docs(ids)+s.pick("", s.text()), s.text(), s.pick("> 节点完成时填写\n\n", "")+s.pick(text, s.text()))
		}
		if s.maybe() {
			s.files[folder+logMD] = s.log()
		}
		if s.maybe() {
			s.files[folder+problemMD] = s.page([]string{"当前问题", "下一步"}, s.pick("（暂无）", s.text()), s.pick("（暂无）", s.text()))
		}
		if s.oneIn(4) {
			s.files[folder+s.pick("more.txt", "sub/more.txt")] = s.text()
		}
	}
	var memos []string
	for i := range rapid.IntRange(0, 2).Draw(s.t, "memos") {
		dir := fmt.Sprintf("M_mwpt3oo%d", i)
		memos = append(memos, quoted(fmt.Sprintf("memo-mwpt3oo%d-aaaaaa", i))+": "+s.json(`"title": `+quoted(s.title()), `"summary": `+quoted(s.text()), `"tags": [`+quoted(s.line())+`]`,
			`"dirName": `+s.pick(quoted(dir), `"gone"`)))
		s.files["W/memos/"+s.pick(dir, "Elsewhere")+"/"+contentMD] = s.text()
	}
	s.files["W/"+graphJSON] = s.json(`"version": "5.0"`, `"nodes": {`+strings.Join(nodes, ",\n")+`}`, `"memos": {`+strings.Join(memos, ",\n")+`}`)
	s.files["W/"+workspaceJSON] = s.json(`"id": `+s.pick(`"ws-a"`, `"../x"`), `"name": `+s.pick(quoted(s.title()), `["`+s.word()+`"]`), `"rootNodeId": "root"`, `"scenario": "`+s.word()+`"`)
	s.files["W/"+workspaceMD] = s.pick("", "---\nname: "+s.title()+"\nowner: "+s.word()+"\n---\n") + s.page([]string{"规则", "文档", "目标"}, s.list(), s.docs(nil), s.text())
	s.files["W/"+logMD] = s.log()
}

// damage does what a crash, a second process or another system's editor does to files.
func (s *scribe) damage() {
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		data := s.files[name]
		switch {
		case strings.HasSuffix(name, ".json") && rapid.IntRange(0, 9).Draw(s.t, "cut") == 0:
			s.files[name] = data[:rapid.IntRange(0, len(data)).Draw(s.t, "at")] + s.pick("", "}", "\x00\x00")
		case rapid.IntRange(0, 9).Draw(s.t, "crlf") == 0:
			s.files[name] = "\uFEFF" + strings.ReplaceAll(data, "\n", "\r\n")
		}
	}
}

// TestNoTextIsLost: whatever stood in a workspace stands in the vault, in a file that Arbor reads or in one that a
// warning names.
func TestNoTextIsLost(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := &scribe{t: rt, files: map[string]string{}}
		s.workspace()
		s.damage()
		fsys := fstest.MapFS{}
		for name, data := range s.files {
			fsys[name] = &fstest.MapFile{Data: []byte(data)}
		}
		imports, warnings, err := Read(fsys, Options{})
		if err != nil {
			rt.Fatalf("%v: %q", err, warnings)
		}
		check(rt, imports, warnings)
		checkNothingIsLost(rt, fsys, imports, warnings)
	})
}
