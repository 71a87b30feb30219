package importtanmi

import (
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

// Workspaces are found in what was named and no deeper.
func TestWorkspacesAreFoundInTheFolder(t *testing.T) {
	const ws = "W/workspace.json"
	for _, tt := range []struct {
		name  string
		files []string
		want  []string // the workspaces' folders
		err   string
	}{
		{name: "here", files: []string{ws, "below/" + ws}, want: []string{"W"}},
		{name: "the folder itself", files: []string{"workspace.json", "below/" + ws}, want: []string{"."}},
		{name: "a project", files: []string{".tanmi-workspace/" + ws, "notes/a.md"}, want: []string{".tanmi-workspace/W"}},
		{name: "a folder of workspaces", files: []string{ws, "archive/" + ws}, want: []string{"W", "archive/W"}},
		{name: "too deep", files: []string{"a/b/" + ws}, err: "no TanmiWorkspace found"},
		{name: "none", files: []string{"a/b"}, err: "no TanmiWorkspace found"},
	} {
		fsys := fstest.MapFS{}
		for _, name := range tt.files {
			fsys[name] = &fstest.MapFile{Data: []byte(`{"rootNodeId":"root"}`)}
		}
		got, err := (&reader{fsys: fsys}).findWorkspaces()
		if !reflect.DeepEqual(got, tt.want) || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
			t.Errorf("%s: %q holds workspaces at %q, error %v; want %q, %q", tt.name, tt.files, got, err, tt.want, tt.err)
		}
	}
}
