package importtanmi

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"
)

// FuzzRead reads a workspace of any bytes: it never panics, and what it returns is a tree of sound texts.
func FuzzRead(f *testing.F) {
	add := func(files map[string]string) {
		get := func(suffix string) string {
			for name, data := range files {
				if strings.HasSuffix(name, suffix) {
					return data
				}
			}
			return ""
		}
		f.Add([]byte(get(graphJSON)), []byte(get(workspaceJSON)), []byte(get(infoMD)), []byte(get(workspaceMD)), []byte(get(logMD)), []byte(get(problemMD)))
	}
	cases, err := filepath.Glob(filepath.Join(testdata, "*.txtar"))
	if err != nil || len(cases) == 0 {
		f.Fatal("no cases", err)
	}
	for _, name := range cases {
		ar, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		files := map[string]string{}
		for _, file := range ar.Files {
			files[file.Name] = string(file.Data)
		}
		add(files)
	}
	sample := filepath.Join(testdata, "project", "Demo_mwpt3ok8")
	files := map[string]string{}
	for _, name := range []string{graphJSON, workspaceJSON, "nodes/Exec 2 renamed_mwpt3on8/" + infoMD, workspaceMD, logMD, problemMD} {
		data, err := os.ReadFile(filepath.Join(sample, filepath.FromSlash(name)))
		if err != nil {
			f.Fatal(err)
		}
		files[name] = string(data)
	}
	add(files)
	f.Fuzz(func(t *testing.T, graph, config, info, page, log, problem []byte) {
		fsys := fstest.MapFS{}
		for name, data := range map[string][]byte{
			graphJSON: graph, workspaceJSON: config, workspaceMD: page, logMD: log, problemMD: problem,
			"nodes/root/" + infoMD: info, "nodes/root/" + logMD: problem,
			"nodes/a_mwpt3ok9/" + infoMD: page, "nodes/a_mwpt3ok9/" + problemMD: log,
			"memos/Memo_mwpt3orr/" + contentMD: info,
		} {
			fsys["W_mwpt3ok8/"+name] = &fstest.MapFile{Data: data}
		}
		imports, warnings, err := Read(fsys, Options{})
		if err != nil || len(imports) != 1 {
			t.Fatalf("%d workspaces, error %v", len(imports), err)
		}
		check(t, imports, warnings)
		checkNothingIsLost(t, fsys, imports, warnings)
	})
}
