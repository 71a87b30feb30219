package importtanmi

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkRead reads a workspace of 10,000 nodes from the disk.
func BenchmarkRead(b *testing.B) {
	const nodes = 10000
	var graph, log strings.Builder
	files := map[string]string{}
	graph.WriteString(`{"version": "5.0", "currentFocus": "root", "nodes": {"root": {"type": "planning", "dirName": "root", "parentId": null, "status": "monitoring"}`)
	for i := range nodes {
		id, dir := fmt.Sprintf("node-mwpt%04d-aaaaaa", i), fmt.Sprintf("Title %d_mwpt%04d", i, i)
		fmt.Fprintf(&graph, `, %q: {"id": %q, "dirName": %q, "type": "execution", "parentId": "root", "children": [], "status": "completed", "isolate": false, "references": [], "conclusion": "done", "createdAt": "2026-01-01T00:00:00.000Z", "updatedAt": "2026-01-01T00:00:00.000Z"}`, id, id, dir)
		fmt.Fprintf(&log, "| 2026-01-01 10:00:00 | system | 执行节点 \"Title %d\" (%s) 已创建 |\n", i, id)
		files["nodes/"+dir+"/"+infoMD] = "---\nid: " + id + "\ntype: execution\ntitle: Title\nstatus: completed\n---\n\n## 需求\n\n" + strings.Repeat("Some text of a requirement.\n", 20) + "\n## 结论\n\ndone\n"
		files["nodes/"+dir+"/"+logMD] = "## 日志\n\n| 时间 | 操作者 | 事件 |\n|------|--------|------|\n" + strings.Repeat("| 2026-01-01 10:00:00 | AI | something happened |\n", 5)
	}
	graph.WriteString("}}")
	files[graphJSON], files[logMD] = graph.String(), log.String()
	dir := b.TempDir()
	for name, file := range vault(files) {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, file.Data, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		imports, _, err := Read(os.DirFS(dir), Options{})
		if err != nil || len(imports[0].Nodes) != nodes+1 {
			b.Fatal(err)
		}
	}
}
