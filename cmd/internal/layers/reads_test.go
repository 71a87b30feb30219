package layers

import (
	"os"
	"slices"
	"testing"
)

// What came with a folder may be a link out of it, a pipe without a writer, or endless. So no file is opened but in
// these places; all others read through mdstore/guard or a store.
func TestFilesAreOpenedInFewPlaces(t *testing.T) {
	opens := map[string][]string{
		"os":        {"ReadFile", "Open", "OpenFile", "OpenRoot", "OpenInRoot", "DirFS"},
		"io/fs":     {"ReadFile"},
		"io/ioutil": {"ReadFile"},
	}
	places := map[string]string{
		"mdstore/guard/guard.go":                   "it is the way",
		"mdstore/dirstore/internal/osfs/root.go":   "the store's files: by type and size, through the root of the vault",
		"cmd/internal/cli/text.go":                 "the file that -F names, which may be a pipe",
		"cmd/internal/cli/import_tanmi.go":         "the folder that import names",
		"cmd/internal/importtanmi/find.go":         "regular files of that folder, through its root",
		"cmd/internal/importtanmi/source.go":       "regular files of that folder, through its root",
		"engine/serve/internal/httpguard/token.go": "a regular file of this user alone",
		"mdstore/gitrepo/unmerged.go":              "the working tree, through its root, to write a file",
		"engine/env/jail/root.go":                  "regular files below the root of an environment, through that root",
		"engine/env/command/supervise_linux.go":    "the system's list of processes",
		"engine/env/jail/trash.go":                 "new files of the trash, to write them",
		"cmd/internal/setup/file.go":               "folders of configuration, and temporaries of its own in them",
	}
	tr, err := load(os.DirFS(moduleRoot(t)), module.reasons)
	if err != nil {
		t.Fatal(err)
	}
	product := map[string]bool{}
	for _, r := range module.rows {
		product[r.name] = !r.forTests && r.name != "cmd/internal/bench" && r.name != "cmd/internal/layers"
	}
	met := map[string]bool{}
	for _, s := range tr.sources {
		for _, u := range s.uses {
			if s.test || !product[s.dir] || !slices.Contains(opens[u.pkg], u.name) {
				continue
			}
			if met[s.path] = true; places[s.path] == "" {
				t.Errorf("%s:%d: %s.%s opens a file; read it with guard.ReadFile, or by a store", s.path, u.line, u.pkg, u.name)
			}
		}
	}
	for path := range places {
		if !met[path] {
			t.Errorf("%s opens no file, and need not be named", path)
		}
	}
}
