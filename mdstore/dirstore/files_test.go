package dirstore_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/mdoc"
)

// strange adds entries to a vault that are no ordinary files, and returns the expected error code of each.
func strange(t *testing.T, dir string) map[mdstore.Path]string {
	t.Helper()
	outside := filepath.Join(t.TempDir(), "outside.md")
	write(t, outside, "a secret")
	write(t, filepath.Join(dir, "ws/Workspace.md"), "ws")
	write(t, filepath.Join(dir, "ws/nodes/plain/Node.md"), "plain")
	node := func(name string) string {
		p := filepath.Join(dir, "ws/nodes", name, "Node.md")
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		return p
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Mkdir(node("folder"), 0o755))
	must(os.Symlink(outside, node("link-out")))
	must(os.Symlink("../plain/Node.md", node("link-in")))
	must(os.Symlink("nowhere", node("link-nowhere")))
	must(os.Symlink("plain", filepath.Join(dir, "ws/nodes/linked")))
	must(os.Symlink(filepath.Dir(outside), filepath.Join(dir, "ws/nodes/linked-out")))
	must(os.Symlink("nothing-there", filepath.Join(dir, "ws/nodes/nowhere")))
	must(os.Symlink("ws", filepath.Join(dir, "wslink")))
	must(os.WriteFile(node("large"), make([]byte, mdstore.MaxFileSize+1), 0o644))
	want := map[mdstore.Path]string{
		"ws/nodes/folder/Node.md":       dirstore.CodeNotAFile,
		"ws/nodes/link-out/Node.md":     dirstore.CodeSymlink,
		"ws/nodes/link-in/Node.md":      dirstore.CodeSymlink,
		"ws/nodes/link-nowhere/Node.md": dirstore.CodeSymlink,
		"ws/nodes/large/Node.md":        mdoc.CodeTooLarge,
	}
	if mkfifo(node("pipe")) {
		want["ws/nodes/pipe/Node.md"] = dirstore.CodeNotAFile
	}
	return want
}

func code(err error) string {
	if u, ok := errors.AsType[*mdoc.UnreadableError](err); ok {
		return u.Problem.Code
	}
	return fmt.Sprint(err)
}

func TestStrangeFilesAreRefused(t *testing.T) {
	dir := newVault(t)
	s := open(t, dir)
	want := strange(t, dir)
	before := 0
	for p, c := range want {
		if _, err := s.Read(t.Context(), p); code(err) != c {
			t.Errorf("Read(%q): %v, want %s", p, err, c)
		}
		for _, change := range []mdstore.Change{
			{Path: p, New: []byte("x")},
			{Path: p, Base: mdstore.VersionOf([]byte("plain")), New: []byte("x")},
			{Path: p, Base: mdstore.VersionOf([]byte("a secret"))},
		} {
			if _, err := s.Commit(t.Context(), []mdstore.Change{change, {Path: "ws/witness", New: []byte("w")}}); code(err) != c {
				t.Errorf("Commit(%q): %v, want %s", p, err, c)
			}
		}
		before++
	}
	if _, err := os.Lstat(filepath.Join(dir, "ws/witness")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a refused commit made a file: %v", err)
	}
	listed := map[mdstore.Path]string{}
	for f, err := range s.List(t.Context(), "ws") {
		listed[f.Path] = code(err)
	}
	want["ws/Workspace.md"], want["ws/nodes/plain/Node.md"] = "<nil>", "<nil>"
	want["ws/nodes/linked/Node.md"], want["ws/nodes/linked-out/Node.md"] = dirstore.CodeSymlink, dirstore.CodeSymlink
	if fmt.Sprint(listed) != fmt.Sprint(want) {
		t.Errorf("List\n got %v\nwant %v", listed, want)
	}
	var workspaces []string
	for f, err := range s.List(t.Context(), "") {
		workspaces = append(workspaces, fmt.Sprint(f.Path, " ", code(err)))
	}
	if fmt.Sprint(workspaces) != "[ws/Workspace.md <nil> wslink/Workspace.md SYMLINK]" {
		t.Errorf("List of the workspaces: %v", workspaces)
	}
}

// A file that no listing has is not read by its path either. Otherwise readers of single files would find a node that
// does not exist, or one twice.
func TestNothingIsReadBehindALink(t *testing.T) {
	dir := newVault(t)
	s := open(t, dir)
	strange(t, dir)
	for _, p := range []mdstore.Path{"ws/nodes/linked/Node.md", "ws/nodes/linked-out/outside.md", "wslink/Workspace.md"} {
		if f, err := s.Read(t.Context(), p); code(err) != dirstore.CodeSymlink {
			t.Errorf("Read(%q): %q, %v, want %s", p, f.Data, err, dirstore.CodeSymlink)
		}
	}
}

func TestNothingIsWrittenThroughALink(t *testing.T) {
	dir := newVault(t)
	s := open(t, dir)
	strange(t, dir)
	for _, p := range []mdstore.Path{"ws/nodes/linked/Node.md", "ws/nodes/linked/new.md", "ws/nodes/linked-out/outside.md", "ws/nodes/linked-out/new.md", "wslink/new/deep.md"} {
		for _, base := range []string{"", "plain", "a secret"} {
			c := mdstore.Change{Path: p, New: []byte("x")}
			if base != "" {
				c.Base = mdstore.VersionOf([]byte(base))
			}
			if _, err := s.Commit(t.Context(), []mdstore.Change{c}); code(err) != dirstore.CodeSymlink {
				t.Errorf("Commit(%q): %v, want %s", p, err, dirstore.CodeSymlink)
			}
		}
	}
	for _, to := range []mdstore.Path{"ws/nodes/linked/x", "ws/nodes/linked-out/x"} {
		if _, err := s.Commit(t.Context(), []mdstore.Change{{Path: "ws/nodes/plain", To: to}}); code(err) != dirstore.CodeSymlink {
			t.Errorf("move to %q: %v, want %s", to, err, dirstore.CodeSymlink)
		}
	}
}

// A repository may contain links. Nothing is written or removed through them, also by recovery.
func TestLinksInTheLocalFolderAreRefused(t *testing.T) {
	for _, link := range []string{".local", ".local/journal", ".local/lock", ".local/generation", ".local/trash"} {
		files := maps.Clone(unchanged)
		files["ws/theirs/torn.json"], files["ws/theirs/.arbor-x"], files["ws/theirs/journal/torn.json"] = "torn", "temp", "torn"
		dir := fill(t, files)
		p := filepath.Join(dir, filepath.FromSlash(link))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		target := filepath.Join(dir, "ws", "theirs")
		if link == ".local/lock" || link == ".local/generation" {
			target = filepath.Join(dir, "ws", "Workspace.md")
		}
		rel, _ := filepath.Rel(filepath.Dir(p), target)
		if err := os.Symlink(rel, p); err != nil {
			t.Skip(err)
		}
		s := open(t, dir)
		_, err := s.Commit(t.Context(), append(threeFiles(), mdstore.Change{Path: "ws/theirs", To: ".local/trash/1/theirs"}))
		if err == nil {
			t.Errorf("%s: a commit was made through the link", link)
		}
		if got := contents(t, dir); !maps.Equal(got, files) {
			t.Errorf("%s: something changed: %q", link, got)
		}
	}
}

func TestHardLinkIsReadAndNotWritten(t *testing.T) {
	dir := fill(t, unchanged)
	s := open(t, dir)
	if err := os.Link(filepath.Join(dir, "ws/Workspace.md"), filepath.Join(t.TempDir(), "twin.md")); err != nil {
		t.Skip(err)
	}
	f, err := s.Read(t.Context(), "ws/Workspace.md")
	if err != nil || string(f.Data) != unchanged["ws/Workspace.md"] {
		t.Errorf("Read: %q, error %v", f.Data, err)
	}
	_, err = s.Commit(t.Context(), threeFiles())
	if runtime.GOOS == "windows" {
		return // on systems without a count of links
	}
	if code(err) != dirstore.CodeHardLink {
		t.Errorf("Commit: error %v, want %s", err, dirstore.CodeHardLink)
	}
	if _, err := s.Commit(t.Context(), []mdstore.Change{{Path: f.Path, Base: f.Version, Keep: true}, {Path: "ws/new", New: []byte("new")}}); err != nil {
		t.Errorf("a commit that only compares the file: %v", err)
	}
}

func TestModeIsKept(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no modes")
	}
	dir := fill(t, unchanged)
	s := open(t, dir)
	p := filepath.Join(dir, "ws/Workspace.md")
	if err := os.Chmod(p, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Commit(t.Context(), threeFiles()); err != nil {
		t.Fatal(err)
	}
	fi, err := os.Stat(p)
	if err != nil || fi.Mode() != 0o640 {
		t.Errorf("mode %v, error %v, want 0640", fi.Mode(), err)
	}
	if err := os.Chmod(p, 0o440); err != nil {
		t.Fatal(err)
	}
	change := mdstore.Change{Path: "ws/Workspace.md", Base: mdstore.VersionOf([]byte(changed["ws/Workspace.md"])), New: []byte("x")}
	if _, err := s.Commit(t.Context(), []mdstore.Change{change}); code(err) != dirstore.CodePermission {
		t.Errorf("Commit to a read-only file: error %v, want %s", err, dirstore.CodePermission)
	}
}

func TestLocalFolder(t *testing.T) {
	dir := fill(t, unchanged)
	local := filepath.Join(dir, ".local")
	s := open(t, dir)
	for range s.List(t.Context(), "ws") {
	}
	if _, err := s.Read(t.Context(), "ws/Workspace.md"); err != nil {
		t.Error(err)
	}
	if n, err := s.Generation(t.Context()); n != 0 || err != nil {
		t.Errorf("Sequence: %d, error %v, want 0 before any commit", n, err)
	}
	if _, err := os.Lstat(local); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading made .local/: %v", err)
	}
	seen := map[uint64]bool{}
	text := ""
	for i, harm := range []func(){
		func() {},
		func() { _ = os.RemoveAll(local) },
		func() { _ = os.Remove(filepath.Join(local, "lock")) },
		func() { _ = os.WriteFile(filepath.Join(local, "generation"), []byte("damaged"), 0o644) },
		func() { _ = os.WriteFile(filepath.Join(local, "generation"), nil, 0o644) },
		func() { _ = os.RemoveAll(filepath.Join(local, "journal")) },
		func() { _ = os.Remove(filepath.Join(local, "generation")) },
	} {
		harm()
		c := mdstore.Change{Path: "ws/a", New: fmt.Append(nil, i)}
		if text != "" {
			c.Base = mdstore.VersionOf([]byte(text))
		}
		if _, err := s.Commit(t.Context(), []mdstore.Change{c, {Path: mdstore.Path(fmt.Sprintf("ws/%d", i)), New: []byte("x")}}); err != nil {
			t.Fatalf("harm %d: %v", i, err)
		}
		text = fmt.Sprint(i)
		n, err := s.Generation(t.Context())
		if err != nil || seen[n] || n == 0 {
			t.Errorf("harm %d: Sequence %d (seen %v), error %v", i, n, seen[n], err)
		}
		seen[n] = true
	}
	// If the lock file is deleted while the lock is held, the holder starts over with the new lock file.
	var errs []error
	err := s.Update(t.Context(), func(st mdstore.Tx) error {
		if errs == nil {
			_ = os.RemoveAll(local)
		}
		_, err := st.Commit(t.Context(), []mdstore.Change{{Path: "ws/late", New: []byte("x")}})
		errs = append(errs, err)
		return err
	})
	if err != nil || len(errs) != 2 || errs[0] == nil || !strings.Contains(errs[0].Error(), "deleted while it was held") {
		t.Errorf("a commit under a lock that was deleted: error %v, of the attempts %v", err, errs)
	}
}

func TestVaultThatMovedIsNotWritten(t *testing.T) {
	dir := fill(t, unchanged)
	s := open(t, dir)
	if err := os.Rename(dir, dir+"-moved"); err != nil {
		t.Skip(err)
	}
	if _, err := s.Commit(t.Context(), threeFiles()); err == nil || !strings.Contains(err.Error(), "moved or deleted") {
		t.Errorf("error %v", err)
	}
	write(t, filepath.Join(dir, "ws/Workspace.md"), unchanged["ws/Workspace.md"])
	if _, err := s.Commit(t.Context(), threeFiles()); err == nil || !strings.Contains(err.Error(), "replaced by another") {
		t.Errorf("error %v", err)
	}
}

func TestReadDoc(t *testing.T) {
	dir := newVault(t)
	project := filepath.Dir(dir)
	outside := filepath.Join(t.TempDir(), "outside.md")
	write(t, outside, "a secret")
	write(t, filepath.Join(project, "docs/api.md"), "api")
	write(t, filepath.Join(project, "docs/large.md"), strings.Repeat("x", mdstore.MaxFileSize+1))
	for link, to := range map[string]string{"docs/in.md": "api.md", "docs/out.md": outside, "docs/up.md": "../../outside.md"} {
		if err := os.Symlink(to, filepath.Join(project, filepath.FromSlash(link))); err != nil {
			t.Skip(err)
		}
	}
	s := open(t, dir)
	for _, target := range []string{"docs/api.md", "./docs/api.md", "docs/x/../api.md", filepath.Join(project, "docs/api.md"), "docs/in.md"} {
		if data, err := s.ReadDoc(t.Context(), target, mdstore.MaxFileSize); err != nil || string(data) != "api" {
			t.Errorf("ReadDoc(%q): %q, error %v", target, data, err)
		}
	}
	for target, want := range map[string]error{
		"docs/none.md": fs.ErrNotExist, "docs/api.md/x": fs.ErrNotExist, "docs/out.md": fs.ErrPermission, "docs/up.md": fs.ErrPermission,
		outside: fs.ErrPermission, "../x": fs.ErrPermission, "docs/../../x": fs.ErrPermission, "": fs.ErrNotExist, "a\x00b": fs.ErrNotExist,
		"file://" + filepath.Join(project, "docs/api.md"): fs.ErrPermission, "HTTPS://example.org": fs.ErrNotExist,
	} {
		if data, err := s.ReadDoc(t.Context(), target, mdstore.MaxFileSize); !errors.Is(err, want) {
			t.Errorf("ReadDoc(%q): %q, error %v, want %v", target, data, err, want)
		}
	}
	if _, err := s.ReadDoc(t.Context(), "docs", mdstore.MaxFileSize); code(err) != dirstore.CodeNotAFile {
		t.Errorf("ReadDoc of a folder: error %v", err)
	}
	if _, err := s.ReadDoc(t.Context(), "docs/large.md", mdstore.MaxFileSize); code(err) != mdoc.CodeTooLarge {
		t.Errorf("ReadDoc of a large file: error %v", err)
	}
	if mkfifo(filepath.Join(project, "docs/pipe.md")) {
		if _, err := s.ReadDoc(t.Context(), "docs/pipe.md", mdstore.MaxFileSize); code(err) != dirstore.CodeNotAFile {
			t.Errorf("ReadDoc of a pipe: error %v", err)
		}
	}
}

func TestStrays(t *testing.T) {
	dir := newVault(t)
	want := map[string]mdstore.StrayKind{
		"ws/nodes/a/Node.sync-conflict-20260101-120000-ABCDEFG.md": mdstore.StrayConflictCopy,
		"ws/nodes/a/Node (Ann's conflicted copy 2026-01-01).md":    mdstore.StrayConflictCopy,
		"ws/nodes/a/Node.conflict-0123abcd.md":                     mdstore.StrayConflictCopy,
		"ws/nodes/a/Node.md~":                                      mdstore.StrayBackup,
		"ws/nodes/a/.Node.md.swp":                                  mdstore.StrayBackup,
		"ws/nodes/a/4913":                                          mdstore.StrayTemporary,
		"ws/nodes/a/.#Node.md":                                     mdstore.StrayTemporary,
		"ws/nodes/a/.~lock.Node.md#":                               mdstore.StrayTemporary,
		"ws/nodes/a/.arbor-0123":                                   mdstore.StrayTemporary,
		"ws/Workspace.conflict-0123abcd.md":                        mdstore.StrayConflictCopy,
		"#notes#":                                                  mdstore.StrayBackup,
		"ws/nodes/a/Node 2.md":                                     mdstore.StrayConflictCopy,
		"ws/nodes/a/Node (1).md":                                   mdstore.StrayConflictCopy,
		"ws/nodes/a/Node (Case Conflict).md":                       mdstore.StrayConflictCopy,
		"ws/nodes/a/Node copy.md":                                  mdstore.StrayConflictCopy,
		"ws/nodes/a/Node copy 2.md":                                mdstore.StrayConflictCopy,
		"ws/nodes/a/Node - Copy (2).md":                            mdstore.StrayConflictCopy,
		"ws/Workspace 2.md":                                        mdstore.StrayConflictCopy,
		"ws/nodes/a/Node.md.orig":                                  mdstore.StrayBackup,
		"ws/nodes/a/Node.md.rej":                                   mdstore.StrayBackup,
		"ws/nodes/a/Node.md.bak":                                   mdstore.StrayBackup,
		"ws/nodes/a/Node_LOCAL_1.md":                               mdstore.StrayBackup,
		"ws/nodes/a/Node_REMOTE_12.md":                             mdstore.StrayBackup,
		"ws/nodes/a/Node_BASE_1.md":                                mdstore.StrayBackup,
		"ws/nodes/a/Node_BACKUP_1.md":                              mdstore.StrayBackup,
		"ws/nodes/a/Node.md___jb_old___":                           mdstore.StrayTemporary,
		"ws/nodes/a/Node.md___jb_tmp___":                           mdstore.StrayTemporary,
		"ws/nodes/a/.syncthing.Node.md.tmp":                        mdstore.StrayTemporary,
		"ws/nodes/a/~syncthing~Node.md.tmp":                        mdstore.StrayTemporary,
		"ws/nodes/a/.Node.md.kate-swp":                             mdstore.StrayBackup,
		"ws/nodes/a/.goutputstream-ABC123":                         mdstore.StrayTemporary,
		"ws/.Workspace.md.kate-swp":                                mdstore.StrayBackup,
	}
	copies := 0
	for p := range want {
		write(t, filepath.Join(dir, filepath.FromSlash(p)), "x")
	}
	for _, p := range []string{"ws/nodes/a/Node.md", "ws/nodes/a/notes.md", "ws/nodes/a/conflict.md", "ws/nodes/a/49130", "ws/nodes/a/notes 2.md", "ws/nodes/a/notes.md.orig", "ws/nodes/a/Node (my own).md", "ws/nodes/a/Node plan.md",
		"ws/nodes/a/plan copy.md", "ws/nodes/a/Node.md.txt", ".git/x~", ".local/x~"} {
		write(t, filepath.Join(dir, filepath.FromSlash(p)), "x")
	}
	s := open(t, dir)
	got, err := s.Strays(t.Context(), "")
	in, errIn := s.Strays(t.Context(), "ws")
	if err != nil || errIn != nil {
		t.Fatal(err, errIn)
	}
	if len(got) != 1 {
		t.Errorf("between the workspaces lie %v", got)
	}
	got = append(got, in...)
	for _, s := range got {
		if want[string(s.Path)] != s.Kind {
			t.Errorf("%s is %q, want %q", s.Path, s.Kind, want[string(s.Path)])
		}
		if file := s.Of.Base(); s.Kind == mdstore.StrayConflictCopy {
			copies++
			if s.Of.Dir() != s.Path.Dir() || file != mdstore.NodeFile && file != mdstore.WorkspaceFile {
				t.Errorf("%s is a copy of %s", s.Path, s.Of)
			}
		}
	}
	if copies == 0 || len(got) != len(want) || !slices.IsSortedFunc(got, func(a, b mdstore.Stray) int { return strings.Compare(string(a.Path), string(b.Path)) }) {
		t.Errorf("%d strays, want %d in the order of their paths: %v", len(got), len(want), got)
	}
}
