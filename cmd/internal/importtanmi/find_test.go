package importtanmi

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

// Workspaces are found one folder below what was named, in one folder and no deeper.
func TestFoldersBelow(t *testing.T) {
	const ws = "W/workspace.json"
	for _, tt := range []struct {
		name  string
		files []string
		want  []string // the workspaces' folders
		among []string // of a SeveralError
	}{
		{name: "here", files: []string{ws, "below/" + ws}, want: []string{"W"}},
		{name: "the folder itself", files: []string{"workspace.json", "below/" + ws}, want: []string{"."}},
		{name: "a project", files: []string{"project/.tanmi-workspace/" + ws, "notes/a.md"}, want: []string{"project/.tanmi-workspace/W"}},
		{name: "a folder of workspaces", files: []string{"project/" + ws, "project/archive/" + ws}, want: []string{"project/W", "project/archive/W"}},
		{name: "beside an empty one", files: []string{".tanmi-workspace/config.json", "project/.tanmi-workspace/" + ws}, want: []string{"project/.tanmi-workspace/W"}},
		{name: "two", files: []string{"b/" + ws, "a/.tanmi-workspace/" + ws, "c/x"}, among: []string{"a", "b"}},
		{name: "too deep", files: []string{"a/b/" + ws}},
		{name: "none", files: []string{"a/b"}},
	} {
		fsys := fstest.MapFS{}
		for _, name := range tt.files {
			fsys[name] = &fstest.MapFile{Data: []byte(`{"rootNodeId":"root"}`)}
		}
		top, err := openFolder(fsys, ".", &report{})
		if err != nil {
			t.Fatal(err)
		}
		found, err := workspaceFolders(top)
		var got, among []string
		for _, f := range found {
			got = append(got, f.path)
		}
		var several *SeveralError
		if errors.As(err, &several) {
			among = several.Folders
		}
		if !reflect.DeepEqual(got, tt.want) || !reflect.DeepEqual(among, tt.among) {
			t.Errorf("%s: %q holds workspaces at %q, among %q; want %q, %q", tt.name, tt.files, got, among, tt.want, tt.among)
		}
	}
}

// An error is bounded, however many folders there are.
func TestSeveralErrorIsShort(t *testing.T) {
	var e SeveralError
	for i := range 1000 {
		e.Folders = append(e.Folders, fmt.Sprintf("p%03d", i))
	}
	if got := e.Error(); len(got) > 300 || !strings.Contains(got, "p009 and 990 more; name one of them") {
		t.Errorf("%q", got)
	}
}
